"""C code of scalar ops, run over arrays on both engines."""

import pickle
import warnings

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano import scalar
from theano._src.c_code.compiler import CompileError, why_no_compiler
from theano._src.engines.jax.arrays import jax_xp
from theano._src.ops.core import scalar as scalar_ops, scalar_c
from theano.gradient import verify_grad

pytestmark = [
    pytest.mark.skipif(why_no_compiler() is not None, reason=str(why_no_compiler())),
    pytest.mark.xla,
]
ENGINES = {"numpy": theano.Mode("numpy"), "xla": theano.Mode("xla")}


class Softsign(scalar.UnaryScalarOp):
    """x / (1 + |x|), by C alone."""

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        if node.inputs[0].type not in (scalar.float32, scalar.float64):
            raise NotImplementedError("floats only")
        return f"{z} = {x} / (1 + fabs({x}));"

    def grad(self, inputs, output_grads):
        (x,), (g,) = inputs, output_grads
        return [g / scalar.sqr(1 + abs(x))]


class Mixed(scalar.BinaryScalarOp):
    """x + 10 y, with support code and a name of NumPy's."""

    def c_support_code(self):
        return "static inline double ten(double y) { return 10 * y; }"

    def c_headers(self):
        return ["<algorithm>"]

    def c_code(self, node, name, inputs, outputs, sub):
        return (
            f"npy_float64 t = ten({inputs[1]}); {outputs[0]} = std::max(t, -1e300) + {inputs[0]};"
        )


class Both(scalar.ScalarOp):
    """The sum and the difference: two outputs."""

    nin, nout = 2, 2

    def output_types(self, types):
        return [types[0], types[0]]

    def c_code(self, node, name, inputs, outputs, sub):
        x, y = inputs
        return f"{outputs[0]} = {x} + {y}; {outputs[1]} = {x} - {y};"


class Either(scalar.UnaryScalarOp):
    """2 x in C, and 2 x in Python."""

    def impl(self, x):
        return 2 * x

    def c_code(self, node, name, inputs, outputs, sub):
        if node.inputs[0].type.dtype.startswith("int"):
            raise NotImplementedError("no integers")
        return f"{outputs[0]} = 2 * {inputs[0]};"


softsign = T.Elemwise(Softsign(name="softsign"))
mixed = T.Elemwise(Mixed(name="mixed"))
both = T.Elemwise(Both(name="both"))
either = T.Elemwise(Either(name="either"))


def numbers(*shape, dtype="float64"):
    return np.random.default_rng(0).normal(size=shape).astype(dtype)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_an_op_with_c_code_alone_runs_on_both_engines(engine, dtype):
    x = T.TensorType(dtype, (False, False))()
    f = theano.function([x], softsign(x), mode=ENGINES[engine])
    for at in [
        numbers(3, 4, dtype=dtype),
        numbers(0, 4, dtype=dtype),
        numbers(4, 3, dtype=dtype).T,
    ]:
        made = f(at)
        assert made.dtype == dtype
        np.testing.assert_allclose(made, at / (1 + abs(at)), rtol=1e-6)


SHAPES = {
    "matrices": ((2, 3), (2, 3)),
    "matrix and row": ((2, 3), (1, 3)),
    "matrix and column": ((2, 3), (2, 1)),
    "column and row": ((2, 1), (1, 3)),
    "matrix and number": ((2, 3), (1, 1)),
    "number and matrix": ((1, 1), (2, 3)),
    "numbers": ((1, 1), (1, 1)),
    "nothing": ((0, 3), (1, 3)),
    "long row and column": ((300, 1), (1, 301)),
    "long matrix and row": ((300, 301), (1, 301)),
    "long matrix and number": ((300, 301), (1, 1)),
    "long matrices": ((300, 301), (300, 301)),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("shapes", SHAPES)
def test_c_code_broadcasts_by_types(engine, shapes):
    a, b = [numbers(*shape) for shape in SHAPES[shapes]]
    x, y = [T.TensorType("float64", [n == 1 for n in v.shape])() for v in (a, b)]
    f = theano.function([x, y], mixed(x, y), mode=ENGINES[engine])
    np.testing.assert_allclose(f(a, b), a + 10 * b, rtol=1e-13)


@pytest.mark.parametrize("engine", ENGINES)
def test_dimensions_that_may_not_stretch_are_told(engine):
    x, y = T.dvectors("xy")
    f = theano.function([x, y], mixed(x, y), mode=ENGINES[engine])
    with pytest.raises(ValueError, match="Input dimension mis-match"):
        f([1, 2], [1])


@pytest.mark.parametrize("engine", ENGINES)
def test_numbers_without_dimensions_and_mixed_dtypes(engine):
    x, y = T.dscalar(), T.bscalar()
    f = theano.function([x, y], mixed(x, y), mode=ENGINES[engine])
    assert f(1.5, 3) == 31.5
    m, v = T.fmatrix(), T.ivector()
    g = theano.function([m, v], mixed(m, v), mode=ENGINES[engine])
    assert g(np.ones((2, 2), "f"), [1, 2]).tolist() == [[11, 21], [11, 21]]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_op_may_have_several_outputs_in_c(engine):
    x, y = T.dvectors("xy")
    f = theano.function([x, y], both(x, y), mode=ENGINES[engine])
    plus, minus = f([1, 2], [3, 5])
    assert plus.tolist() == [4, 7] and minus.tolist() == [-2, -3]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_gradient_of_c_code_is_that_of_its_op(engine):
    verify_grad(lambda x: softsign(x) * x, [numbers(3, 2)], mode=ENGINES[engine], rng=np.random)


def test_the_loop_is_part_of_the_compiled_program_and_is_no_host_step():
    x = T.dvector()
    f = theano.function([x], T.exp(softsign(T.exp(x))), mode=ENGINES["xla"])
    f([1.0, 2.0])
    (stage,) = f.fn.stages
    _, made = stage.texts(stage.compiled_for[-1])
    assert "custom-call" in made
    assert not any(name.startswith("f") for name in f.fn.writer.space)


def test_long_loops_are_shared_among_threads_with_the_same_results():
    x = T.dvector()
    f = theano.function([x], softsign(x), mode=ENGINES["xla"])
    for n in (1 << 16, (1 << 16) - 1, (1 << 20) + 17):
        at = numbers(n)
        for _ in range(20):
            np.testing.assert_array_equal(f(at), at / (1 + abs(at)))


@pytest.mark.parametrize("engine", ENGINES)
def test_c_code_runs_in_loops_and_over_batches(engine):
    x, xs, y = T.dvector(), T.dmatrix(), T.dscalar()
    at = np.array([[1.0, 2.0], [3.0, 4.0]])
    f = theano.function([xs, y], theano.vectorize(mixed(x, y), {x: xs}), mode=ENGINES[engine])
    np.testing.assert_array_equal(f(at, 5), at + 50)
    made, _ = theano.map(mixed, [xs, x])
    g = theano.function([xs, x], made, mode=ENGINES[engine])
    np.testing.assert_array_equal(g(at, [5, 6]), at + [[50], [60]])
    made, _ = theano.scan(lambda row, before: mixed(before, row), xs, [x])
    h = theano.function([xs, x], made, mode=ENGINES[engine])
    np.testing.assert_array_equal(h(at, [0, 1]), [[10, 21], [40, 61]])


@pytest.mark.parametrize("engine", ENGINES)
def test_c_is_what_runs_where_there_is_impl_too(engine, monkeypatch):
    def refuse(self, x):
        raise AssertionError("the C code must run")

    monkeypatch.setattr(Either, "impl", refuse)
    x = T.dvector()
    assert theano.function([x], either(x), mode=ENGINES[engine])([1, 2]).tolist() == [2, 4]


@pytest.fixture
def warned():
    scalar_ops._by_impl.clear()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        yield said
    scalar_ops._by_impl.clear()


@pytest.mark.parametrize("engine", ENGINES)
def test_dtypes_without_c_code_run_by_impl_with_one_warning(engine, warned):
    x = T.ivector()
    f = theano.function([x], either(x) + 1, mode=ENGINES[engine])
    assert f([1, 2]).tolist() == f([1, 2]).tolist() == [3, 5]
    assert [str(w.message).split(":")[0] for w in warned] == [
        "either runs by its impl, a number at a time, not by its C code"
    ]


@pytest.mark.parametrize("engine", ENGINES)
def test_without_a_compiler_impl_runs_with_one_warning(engine, warned):
    x = T.dvector()
    with theano.config.change_flags(cxx=""):
        f = theano.function([x], either(x) + 1, mode=ENGINES[engine])
        assert f([1, 2]).tolist() == f([1, 2]).tolist() == [3, 5]
    assert len(warned) == 1
    assert "config.cxx is empty" in str(warned[0].message)


@pytest.mark.parametrize("engine", ENGINES)
def test_c_code_alone_that_cannot_run_says_why(engine):
    x = T.ivector()
    f = theano.function([x], softsign(x), mode=ENGINES[engine])
    with pytest.raises(NotImplementedError, match=r"has C code only, .* floats only"):
        f([1, 2])


def test_c_code_that_calls_python_is_left_to_impl(warned):
    class Calls(Either):
        def impl(self, x):
            return x + 7

        def c_code(self, node, name, inputs, outputs, sub):
            return f'PyErr_SetString(PyExc_ValueError, "no"); {sub["fail"]}'

    x = T.dvector()
    for mode in ENGINES.values():
        assert theano.function([x], T.Elemwise(Calls())(x), mode=mode)([1]).tolist() == [8]
    assert "interpreter's lock" in str(warned[0].message)


@pytest.mark.parametrize("engine", ENGINES)
def test_c_code_that_does_not_compile_is_told_even_beside_impl(engine):
    class Wrong(Either):
        def impl(self, x):
            return x

        def c_code(self, node, name, inputs, outputs, sub):
            return f"{outputs[0]} = nothing_of_that_name;"

    x = T.dvector()
    f = theano.function([x], T.Elemwise(Wrong())(x), mode=ENGINES[engine])
    with pytest.raises(CompileError, match="nothing_of_that_name"):
        f([1.0])


def test_an_impl_below_c_code_is_what_is_meant():
    class Below(Either):
        def impl(self, x):
            return x + 100

    x = T.dvector()
    for mode in ENGINES.values():
        assert theano.function([x], T.Elemwise(Below())(x), mode=mode)([1]).tolist() == [101]


def test_a_loop_may_write_into_its_input_but_not_over_what_it_still_reads():
    loop = scalar_c.Loop(mixed.scalar_op, ["float64", "float64"])
    x = np.arange(8.0)
    assert loop(x, x, out=x) is x
    assert x.tolist() == [11.0 * k for k in range(8)]
    x = np.arange(8.0)
    loop(x[::-1], x, out=x)
    assert x.tolist() == [7 - k + 10.0 * k for k in range(8)]
    x, wide = np.arange(4.0), np.zeros(8)
    loop(x, x, out=wide[::2])
    assert wide[::2].tolist() == [0, 11, 22, 33]


def test_on_other_devices_than_a_cpu_the_loop_is_a_host_step(monkeypatch):
    monkeypatch.setattr(jax_xp, "target", lambda: "cuda")
    x = T.dvector()
    f = theano.function([x], T.exp(softsign(x)), mode=ENGINES["xla"])
    np.testing.assert_allclose(f([1, 2]), np.exp([1 / 2, 2 / 3]))


def test_scalar_graphs_run_c_code_of_single_numbers():
    x = scalar.float64()
    f = theano.function([x], Softsign()(x) + 1)
    assert f(1.0) == 1.5


def test_ops_with_loops_are_pickled():
    x = T.dvector()
    theano.function([x], softsign(x))([1.0])
    again = pickle.loads(pickle.dumps(softsign))
    assert theano.function([x], again(x))([1.0]).tolist() == [0.5]


def test_a_reduction_by_c_code_folds_pairs():
    class Plus(scalar.BinaryScalarOp):
        associative = commutative = True
        identity = 0

        def c_code(self, node, name, inputs, outputs, sub):
            return f"{outputs[0]} = {inputs[0]} + {inputs[1]};"

    x = T.dmatrix()
    at = numbers(5, 3)
    for mode in ENGINES.values():
        f = theano.function([x], T.CAReduce(Plus(), axis=0)(x), mode=mode)
        np.testing.assert_allclose(f(at), at.sum(0))


class Differing(Either):
    """2 x in Python, 3 x in C."""

    def impl(self, x):
        return 2 * x

    def c_code(self, node, name, inputs, outputs, sub):
        return f"{outputs[0]} = 3 * {inputs[0]};"


def test_the_linker_of_perform_takes_impl_and_compares_c_with_it():
    x = T.dvector()
    y = 1 + T.Elemwise(Differing(name="differing"))(x)
    assert theano.function([x], y, mode=theano.Mode("py"))([1, 2]).tolist() == [3, 5]
    assert theano.function([x], y, mode=theano.Mode("numpy"))([1, 2]).tolist() == [4, 7]
    graph = theano.gof.FunctionGraph([x], [y], clone=True)
    twice = theano.gof.DualLinker().accept(graph).make_function()
    with pytest.raises(ValueError, match="perform and the numpy engine differ"):
        twice(np.array([1.0, 2.0]))
    with pytest.raises(Exception, match="differing"):
        theano.function([x], y, mode="DebugMode")([1.0, 2.0])


class Times(scalar.UnaryScalarOp):
    """Multiplies by a function in C that its support code defines, for each node by its name."""

    __props__ = ("n",)

    def __init__(self, n):
        self.n = n
        super().__init__(scalar.upgrade_to_float)

    def impl(self, x):
        return x * self.n

    def c_support_code_apply(self, node, name):
        return f"static double {name}_times(double x) {{ return x * {self.n}; }}"

    def c_code(self, node, name, inputs, outputs, sub):
        return f"{outputs[0]} = {name}_times({inputs[0]});"


@pytest.mark.parametrize("engine", ["numpy", "xla"])
def test_steps_of_one_loop_each_have_the_support_code_of_their_node(engine):
    x = T.dvector("x")
    made = T.Elemwise(Times(3))(T.Elemwise(Times(2))(x))
    f = theano.function([x], made, mode=theano.Mode(engine, "fast_run"))
    assert f([1.0, 2.0]).tolist() == [6.0, 12.0]
