"""Arithmetic beside loops of users' C code."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano import scalar
from theano._src.c_code.compiler import why_no_compiler
from theano._src.ops.core.composite import Composite
from theano._src.ops.core.elemwise import Elemwise
from theano.gradient import verify_grad

pytestmark = [
    pytest.mark.skipif(why_no_compiler() is not None, reason=str(why_no_compiler())),
    pytest.mark.xla,
]
ENGINES = {"numpy": theano.Mode("numpy"), "xla": theano.Mode("xla")}
AT = np.linspace(-2, 3, 7)


class Softsign(scalar.UnaryScalarOp):
    def c_support_code(self):
        return "template <class T> static inline T softsign(T x) { return x / (1 + fabs(x)); }"

    def c_code(self, node, name, inputs, outputs, sub):
        return f"{outputs[0]} = softsign({inputs[0]});"

    def grad(self, inputs, output_grads):
        (x,), (g,) = inputs, output_grads
        return [g / scalar.sqr(1 + abs(x))]


softsign = T.Elemwise(Softsign(name="softsign"))


def right(x):
    return x / (1 + abs(x))


def nodes(f):
    return [n.op.scalar_op for n in f.maker.fgraph.toposort() if isinstance(n.op, Elemwise)]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_arithmetic_around_c_code(engine, dtype):
    x, y = [T.TensorType(dtype, (False,))() for _ in range(2)]
    made = T.sqrt(abs(3 * softsign(2 * x + 1) / y - x)) + T.sqr(softsign(-y)) + 1 / (y * y)
    f = theano.function([x, y], made, mode=ENGINES[engine])
    assert [op.in_c for op in nodes(f)].count(True) == 2
    a, b = AT.astype(dtype), np.exp(AT).astype(dtype)
    want = np.sqrt(abs(3 * right(2 * a + 1) / b - a)) + right(-b) ** 2 + 1 / (b * b)
    assert f(a, b).dtype == dtype
    np.testing.assert_allclose(f(a, b), want, rtol=1e-5 if dtype == "float32" else 1e-13)


@pytest.mark.parametrize("engine", ENGINES)
def test_functions_around_c_code(engine):
    x = T.dvector()
    f = theano.function([x], T.exp(2 * softsign(T.exp(x) + 1)), mode=ENGINES[engine])
    np.testing.assert_allclose(f(AT), np.exp(2 * right(np.exp(AT) + 1)))


@pytest.mark.parametrize("engine", ENGINES)
def test_what_others_read_and_what_stretches(engine):
    x, c = T.dmatrix(), T.dcol()
    inner = 2 * x
    f = theano.function([x, c], [softsign(inner), inner, softsign(3 * c) + x], mode=ENGINES[engine])
    at, col = np.ones((2, 3)), np.array([[1.0], [2.0]])
    one, two, three = f(at, col)
    np.testing.assert_allclose(one, right(2 * at))
    np.testing.assert_array_equal(two, 2 * at)
    np.testing.assert_allclose(three, right(3 * col) + at)


@pytest.mark.parametrize("engine", ENGINES)
def test_integers_beside_c_code(engine):
    x, k = T.dvector(), T.lvector()
    f = theano.function([x, k], softsign(x) * (k * k), mode=ENGINES[engine])
    np.testing.assert_allclose(f(AT, np.arange(7)), right(AT) * np.arange(7) ** 2)


@pytest.mark.parametrize("number", [np.inf, -np.inf, np.nan, 1e-320, -0.0, 1e22, 0.1, 3.0])
def test_numbers_beside_c_code(number):
    x = T.dvector()
    for mode in ENGINES.values():
        f = theano.function([x], (softsign(x) + number) * 3, mode=mode)
        np.testing.assert_array_equal(f(AT), (right(AT) + number) * 3)


@pytest.mark.parametrize("engine", ENGINES)
def test_gradients_go_through_c_code_and_arithmetic(engine):
    verify_grad(lambda x: 3 * softsign(2 * x + 1) - x, [AT], mode=ENGINES[engine], rng=np.random)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_composite_of_c_and_others_runs_step_by_step(engine):
    x = scalar.float64()
    op = T.Elemwise(Composite([x], [scalar.exp(Softsign()(x)) + 1]))
    v = T.dvector()
    f = theano.function([v], op(v), mode=ENGINES[engine])
    assert not op.scalar_op.in_c
    np.testing.assert_allclose(f(AT), np.exp(right(AT)) + 1)
