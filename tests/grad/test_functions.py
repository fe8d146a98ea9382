"""Gradients of functions of numbers, inner products, and ops that pass a value on."""

from __future__ import annotations

import cmath
import math

import mpmath
import numpy as np
import pytest

import theano
import theano.tensor as T
from theano import OpFromGraph
from theano._src.grad.errors import NullTypeGradError
from theano._src.ops.elementwise import special
from theano._src.ops.meta.misc import (
    DeepCopyOp,
    OutputGuard,
    ViewOp,
    scalar_from_tensor,
    tensor_from_scalar,
)
from theano.misc.doubleop import DoubleOp

MODES = ("numpy", "xla")


def run(inputs, outputs, *values, linker="numpy"):
    f = theano.function(inputs, outputs, mode=theano.Mode(linker=linker), on_unused_input="ignore")
    return f(*values)


def back(y, wrt, g):
    """The gradient of sum(y * g)."""
    return T.grad(None, wrt, known_grads={y: g}, disconnected_inputs="ignore")


# functions of one number: mpmath differentiates its own function numerically, at 40 digits

NEAR = [-0.9, -0.3, 0.2, 0.7]
WIDE = [-2.5, -0.4, 0.3, 1.0, 3.2]
RIGHT = [0.1, 0.8, 1.0, 4.5]
ONES = {
    "exp": (mpmath.exp, WIDE),
    "exp2": (lambda x: mpmath.mpf(2) ** x, WIDE),
    "expm1": (mpmath.expm1, WIDE),
    "log": (mpmath.log, RIGHT),
    "log2": (lambda x: mpmath.log(x, 2), RIGHT),
    "log10": (mpmath.log10, RIGHT),
    "log1p": (mpmath.log1p, [-0.9, 0.0, 0.3, 5.0]),
    "sin": (mpmath.sin, WIDE),
    "cos": (mpmath.cos, WIDE),
    "tan": (mpmath.tan, [-1.2, 0.0, 0.4, 1.3]),
    "arcsin": (mpmath.asin, NEAR),
    "arccos": (mpmath.acos, NEAR),
    "arctan": (mpmath.atan, WIDE),
    "sinh": (mpmath.sinh, WIDE),
    "cosh": (mpmath.cosh, WIDE),
    "tanh": (mpmath.tanh, WIDE),
    "arcsinh": (mpmath.asinh, WIDE),
    "arccosh": (mpmath.acosh, [1.1, 2.0, 7.0]),
    "arctanh": (mpmath.atanh, NEAR),
    "deg2rad": (mpmath.radians, WIDE),
    "rad2deg": (mpmath.degrees, WIDE),
    "erf": (mpmath.erf, WIDE),
    "erfc": (mpmath.erfc, WIDE),
    "erfcx": (lambda x: mpmath.exp(x**2) * mpmath.erfc(x), WIDE),
    "erfinv": (mpmath.erfinv, NEAR),
    "erfcinv": (lambda x: mpmath.erfinv(1 - x), [0.05, 0.5, 1.2, 1.9]),
    "gamma": (mpmath.gamma, [-1.5, 0.3, 1.0, 4.5]),
    "gammaln": (lambda x: mpmath.log(abs(mpmath.gamma(x))), [-1.5, 0.3, 1.0, 4.5]),
    "psi": (mpmath.digamma, RIGHT),
    "j0": (mpmath.j0, [-2.0, 0.0, 1.5, 30.0]),
    "j1": (mpmath.j1, [-2.0, 0.0, 1.5, 30.0]),
    "i0": (lambda x: mpmath.besseli(0, x), [-2.0, 0.0, 1.5]),
    "i1": (lambda x: mpmath.besseli(1, x), [-2.0, 0.0, 1.5]),
    "sigmoid": (lambda x: 1 / (1 + mpmath.exp(-x)), WIDE),
    "softplus": (lambda x: mpmath.log1p(mpmath.exp(x)), WIDE),
}
NO_SECOND = {"psi"}


def function_called(name):
    for place in (T, T.nnet, special):
        if hasattr(place, name):
            return getattr(place, name)
    raise AttributeError(name)


def slopes(f, points, n=1):
    with mpmath.workdps(40):
        return np.array([float(mpmath.diff(f, mpmath.mpf(x), n)) for x in points])


@pytest.mark.parametrize("linker", MODES)
def test_the_slope_of_each_function_of_one_number_is_mpmaths(linker):
    x, g = T.dvectors("xg")
    for name, (f, points) in ONES.items():
        weights = np.linspace(0.5, 2.0, len(points))
        made = run([x, g], back(function_called(name)(x), x, g), points, weights, linker=linker)
        np.testing.assert_allclose(
            made, slopes(f, points) * weights, rtol=1e-12, atol=1e-14, err_msg=name
        )


@pytest.mark.parametrize("name", sorted(ONES.keys() - NO_SECOND))
def test_the_second_derivative_of_each_function_of_one_number_is_mpmaths(name):
    f, points = ONES[name]
    x, g, u = T.dvectors("xgu")
    first = back(function_called(name)(x), x, g)
    ones = np.ones(len(points))
    made = run([x, g, u], back(first, x, u), points, ones, ones)
    np.testing.assert_allclose(made, slopes(f, points, 2), rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("name", sorted(ONES))
def test_gradients_of_narrow_floats_are_narrow_without_a_last_cast(name, dtype):
    x, g = T.vector("x", dtype), T.vector("g", dtype)
    y = function_called(name)(x)
    (made,) = y.owner.op.L_op([x], [y], [g])
    assert made.dtype == dtype


@pytest.mark.parametrize("name", sorted(ONES))
def test_a_function_of_integers_has_the_slope_of_the_floats_it_computes_in(name):
    f, points = ONES[name]
    whole = {"arccosh": 100, "erfcinv": 1}.get(name, 0 if points[0] < 0 and max(points) < 1 else 1)
    if name in ("log1p", "arctan", "arcsinh", "log", "log2", "log10"):
        whole = 127  # whose successor and square int8 does not hold
    x, g = T.vector("x", "int8"), T.fvector("g")
    made = run([x, g], back(function_called(name)(x), x, g), np.array([whole], "int8"), [1.0])
    np.testing.assert_allclose(made, slopes(f, [whole]), rtol=3e-6, atol=1e-7)


# functions of two numbers

TWOS = {
    "arctan2": (mpmath.atan2, [(0.5, -1.0), (-2.0, 3.0), (1.0, 0.0)], (0, 1)),
    "chi2sf": (
        lambda x, k: mpmath.gammainc(k / 2, x / 2, regularized=True),
        [(0.5, 3.0), (2.0, 2.0), (400.0, 390.0)],
        (0, 1),
    ),
    "gammainc": (
        lambda k, x: mpmath.gammainc(k, 0, x, regularized=True),
        [(0.5, 3.0), (1.0, 2.0), (400.0, 390.0)],
        (0, 1),
    ),
    "gammaincc": (
        lambda k, x: mpmath.gammainc(k, x, regularized=True),
        [(0.5, 3.0), (1.0, 2.0), (400.0, 390.0)],
        (0, 1),
    ),
    "gammau": (lambda k, x: mpmath.gammainc(k, x), [(0.5, 3.0), (1.0, 2.0)], (0, 1)),
    "gammal": (lambda k, x: mpmath.gammainc(k, 0, x), [(0.5, 3.0), (1.0, 2.0)], (0, 1)),
    "jv": (mpmath.besselj, [(0.5, 3.0), (2.0, 1.0), (-1.0, 2.0)], (1,)),
    "iv": (mpmath.besseli, [(0.5, 3.0), (2.0, 1.0), (-1.0, 2.0)], (1,)),
    "ive": (
        lambda v, x: mpmath.besseli(v, x) * mpmath.exp(-x),
        [(0.5, 3.0), (2.0, 1.0), (1.0, 60.0)],
        (1,),
    ),
    "kv": (mpmath.besselk, [(0.5, 3.0), (2.0, 1.0), (-1.0, 2.0)], (1,)),
    "kve": (
        lambda v, x: mpmath.besselk(v, x) * mpmath.exp(x),
        [(0.5, 3.0), (2.0, 1.0), (1.0, 60.0)],
        (1,),
    ),
}


@pytest.mark.parametrize("linker", MODES)
@pytest.mark.parametrize("name", sorted(TWOS))
def test_the_slope_of_each_function_of_two_numbers_is_mpmaths(name, linker):
    f, points, defined = TWOS[name]
    a, b, g = T.dvectors("abg")
    y = function_called(name)(a, b)
    columns = np.array(points).T
    for i in defined:
        made = run([a, b, g], back(y, (a, b)[i], g), *columns, np.ones(len(points)), linker=linker)
        order = (1, 0) if i == 0 else (0, 1)
        with mpmath.workdps(40):
            want = [float(mpmath.diff(f, tuple(map(mpmath.mpf, p)), order)) for p in points]
        np.testing.assert_allclose(made, want, rtol=1e-12, atol=1e-15)
    for i in {0, 1} - set(defined):
        with pytest.raises(NullTypeGradError, match=f"{name} op is not implemented"):
            back(y, (a, b)[i], g)


def test_where_the_density_has_an_edge_its_value_there_is_the_gradient():
    k, x, g = T.dscalars("kxg")
    assert run([k, x, g], back(T.gammainc(k, x), x, g), 1, 0, 1) == 1
    assert run([k, x, g], back(T.gammainc(k, x), x, g), 2, 0, 1) == 0
    assert run([x, k, g], back(T.chi2sf(x, k), x, g), -1, 3, 1) == 0


def test_an_input_of_two_that_stretches_gets_the_sum():
    a, b, g = T.dcol("a"), T.drow("b"), T.dmatrix("g")
    ga, gb = back(T.arctan2(a, b), [a, b], g)
    assert ga.broadcastable == (False, True)
    assert gb.broadcastable == (True, False)
    y, x = np.array([[1.0], [2.0]]), np.array([[3.0, 4.0, 5.0]])
    w = np.arange(6.0).reshape(2, 3)
    r = x**2 + y**2
    made = run([a, b, g], [ga, gb], y, x, w)
    np.testing.assert_allclose(made[0], (w * x / r).sum(1, keepdims=True), rtol=1e-14)
    np.testing.assert_allclose(made[1], (-w * y / r).sum(0, keepdims=True), rtol=1e-14)


# complex numbers: the gradient through an analytic f is g times the conjugate of f'

# fmt: off
ANALYTIC = {
    "exp":     (cmath.exp,   cmath.exp),
    "exp2":    (None,        lambda z: 2**z * math.log(2)),
    "expm1":   (None,        cmath.exp),
    "log":     (cmath.log,   lambda z: 1 / z),
    "log2":    (None,        lambda z: 1 / z / math.log(2)),
    "log10":   (cmath.log10, lambda z: 1 / z / math.log(10)),
    "log1p":   (None,        lambda z: 1 / (1 + z)),
    "sin":     (cmath.sin,   cmath.cos),
    "cos":     (cmath.cos,   lambda z: -cmath.sin(z)),
    "tan":     (cmath.tan,   lambda z: 1 / cmath.cos(z) ** 2),
    "sinh":    (cmath.sinh,  cmath.cosh),
    "cosh":    (cmath.cosh,  cmath.sinh),
    "tanh":    (cmath.tanh,  lambda z: 1 / cmath.cosh(z) ** 2),
    "arcsin":  (cmath.asin,  None),
    "arccos":  (cmath.acos,  None),
    "arctan":  (cmath.atan,  None),
    "arcsinh": (cmath.asinh, None),
    "arccosh": (cmath.acosh, None),
    "arctanh": (cmath.atanh, None),
}
# fmt: on


@pytest.mark.parametrize("name", sorted(ANALYTIC))
def test_a_complex_gradient_is_multiplied_by_the_conjugate_of_the_slope(name):
    f, slope = ANALYTIC[name]
    points = [0.4 + 0.3j, -0.7 + 0.2j, -1.3 - 0.8j, 2.0 - 1.5j]
    weights = np.array([1.0 + 2.0j, 1.0, -1.0j, 0.5 - 0.1j])
    z, g = T.zvectors("zg")
    made = run([z, g], back(getattr(T, name)(z), z, g), points, weights)
    if slope is None:
        h = 1e-5
        want = [(f(p + h) - f(p - h)) / (2 * h) for p in points]
        rtol = 1e-8
    else:
        want, rtol = [slope(p) for p in points], 1e-12
    np.testing.assert_allclose(made, weights * np.conj(want), rtol=rtol)


# inner products: both derivatives against central differences, which are exact for a form that
# is linear in each input


def differences(f, values, i, direction):
    """The derivative of f along a direction of its input i."""
    up, down = list(values), list(values)
    up[i], down[i] = values[i] + direction, values[i] - direction
    return (f(*up) - f(*down)) / 2


# fmt: off
PRODUCTS = {
    "vector, vector":        (T.dot, np.dot, (3,), (3,)),
    "matrix, vector":        (T.dot, np.dot, (2, 3), (3,)),
    "vector, matrix":        (T.dot, np.dot, (3,), (3, 4)),
    "matrix, matrix":        (T.dot, np.dot, (2, 3), (3, 4)),
    "nothing to sum":        (T.dot, np.dot, (2, 0), (0, 4)),
    "scalar, matrix":        (T.dot, np.dot, (), (3, 4)),
    "3-d, matrix":           (T.dot, np.dot, (2, 3, 4), (4, 5)),
    "3-d, 3-d":              (T.dot, np.dot, (2, 3, 4), (5, 4, 2)),
    "outer":                 (T.outer, np.outer, (2,), (3,)),
    "all axes":              (lambda a, b: T.tensordot(a, b, 2),
                              lambda a, b: np.einsum("ij,ij", a, b), (2, 3), (2, 3)),
    "no axis":               (lambda a, b: T.tensordot(a, b, 0),
                              lambda a, b: np.einsum("ij,k->ijk", a, b), (2, 3), (4,)),
    "crossed axes":          (lambda a, b: T.tensordot(a, b, [[2, 0], [1, 3]]),
                              lambda a, b: np.einsum("ijk,lkmi->jlm", a, b),
                              (2, 3, 4), (5, 4, 3, 2)),
    "permuted axes":         (lambda a, b: T.tensordot(a, b, [[0, 1, 2], [2, 0, 1]]),
                              lambda a, b: np.einsum("ijk,jkil->l", a, b),
                              (2, 3, 4), (3, 4, 2, 5)),
    "batch, 3-d, 3-d":       (T.batched_dot, lambda a, b: np.einsum("nij,njk->nik", a, b),
                              (2, 3, 4), (2, 4, 5)),
    "batch, 2-d, 3-d":       (T.batched_dot, lambda a, b: np.einsum("nj,njk->nk", a, b),
                              (2, 4), (2, 4, 5)),
    "batch, 3-d, 2-d":       (T.batched_dot, lambda a, b: np.einsum("nij,nj->ni", a, b),
                              (2, 3, 4), (2, 4)),
    "batch, 2-d, 2-d":       (T.batched_dot, lambda a, b: np.einsum("nj,nj->n", a, b),
                              (2, 4), (2, 4)),
    "batch, 1-d, 3-d":       (T.batched_dot, lambda a, b: np.einsum("n,njk->njk", a, b),
                              (2,), (2, 4, 5)),
    "batch, 4-d, 3-d":       (T.batched_dot, lambda a, b: np.einsum("nhij,njk->nhik", a, b),
                              (2, 2, 3, 4), (2, 4, 5)),
    "batch, crossed axes":   (lambda a, b: T.batched_tensordot(a, b, [[3, 1], [1, 2]]),
                              lambda a, b: np.einsum("nijk,nkil->njl", a, b),
                              (2, 3, 4, 5), (2, 5, 3, 2)),
    "batch, all axes":       (lambda a, b: T.batched_tensordot(a, b, [[2, 1], [1, 2]]),
                              lambda a, b: np.einsum("nij,nji->n", a, b), (2, 3, 4), (2, 4, 3)),
    "batch, no axis":        (lambda a, b: T.batched_tensordot(a, b, 0),
                              lambda a, b: np.einsum("ni,nj->nij", a, b), (2, 3), (2, 4)),
}
# fmt: on


def tensor_of(shape, dtype="float64", name=None, pattern=None):
    return T.TensorType(dtype, pattern or (False,) * len(shape))(name)


def check_product(fn, ref, shapes, patterns=(None, None), linker="numpy"):
    rng = np.random.default_rng(5)
    values = [rng.standard_normal(s) for s in shapes]
    moves = [rng.standard_normal(s) for s in shapes]
    weight = rng.standard_normal(np.shape(ref(*values)))
    ins = [tensor_of(s, pattern=p) for s, p in zip(shapes, patterns, strict=True)]
    tangents = [v.type() for v in ins]
    y = fn(*ins)
    g = y.type()
    gradients = back(y, ins, g)
    assert [v.type for v in gradients] == [v.type for v in ins]
    forward = [T.Rop(y, v, t) for v, t in zip(ins, tangents, strict=True)]
    both = T.Rop(y, ins, tangents)
    outs = [*gradients, *forward, both]
    made = run([*ins, *tangents, g], outs, *values, *moves, weight, linker=linker)
    for i in (0, 1):
        want = differences(ref, values, i, moves[i])
        np.testing.assert_allclose((made[i] * moves[i]).sum(), (want * weight).sum(), rtol=1e-10)
        np.testing.assert_allclose(made[2 + i], want, rtol=1e-10, atol=1e-12)
        assert made[i].shape == shapes[i]
    np.testing.assert_allclose(made[4], made[2] + made[3], rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("linker", MODES)
@pytest.mark.parametrize("case", sorted(PRODUCTS))
def test_an_inner_product_has_both_derivatives(case, linker):
    fn, ref, *shapes = PRODUCTS[case]
    check_product(fn, ref, shapes, linker=linker)


# fmt: off
STRETCHED = [
    (T.dot, np.dot, (2, 1), (1, 4), (False, True), (False, False)),
    (T.dot, np.dot, (2, 1), (1, 4), (False, False), (True, False)),
    (T.dot, np.dot, (1, 3), (3, 1), (True, False), (False, True)),
    (T.dot, np.dot, (1,), (1,), (True,), (False,)),
    (T.dot, np.dot, (2, 1), (1,), (False, False), (True,)),
    (T.dot, np.dot, (1,), (1, 3), (True,), (False, False)),
    (lambda a, b: T.tensordot(a, b, [[0], [2]]), lambda a, b: np.tensordot(a, b, [[0], [2]]),
     (1, 3), (2, 3, 1), (True, False), (False, False, False)),
    (T.batched_dot, lambda a, b: a @ b, (1, 2, 1), (1, 1, 3),
     (True, False, False), (False, True, False)),
    (T.batched_dot, lambda a, b: np.einsum("nj,nj->n", a, b), (1, 4), (1, 4),
     (True, False), (False, False)),
    (T.batched_dot, lambda a, b: np.einsum("nj,njk->nk", a, b), (1, 1), (1, 1, 5),
     (False, True), (True, False, False)),
]
# fmt: on


@pytest.mark.parametrize("case", range(len(STRETCHED)))
def test_the_gradient_of_an_input_of_length_1_has_its_broadcast_pattern(case):
    fn, ref, a, b, pattern_a, pattern_b = STRETCHED[case]
    check_product(fn, ref, (a, b), (pattern_a, pattern_b))


@pytest.mark.parametrize("x", ["int8", "float32", "float64"])
@pytest.mark.parametrize("y", ["float32", "int64"])
def test_the_gradient_of_a_float_in_a_product_keeps_its_dtype(x, y):
    a, b = T.matrix("a", x), T.matrix("b", y)
    out = T.dot(a, b)
    if out.dtype.startswith("int"):
        return
    gradients = back(out, [a, b], out.type("g"))
    for v, made in zip((a, b), gradients, strict=True):
        assert made.dtype == v.dtype or (v.dtype.startswith("int") and "float" in made.dtype)


def test_a_complex_product_takes_the_conjugates():
    rng = np.random.default_rng(2)
    x, y, w = (rng.standard_normal((2, 2)) + 1j * rng.standard_normal((2, 2)) for _ in range(3))
    a, b, g = T.zmatrices("abg")
    made = run([a, b, g], back(T.dot(a, b), [a, b], g), x, y, w)
    np.testing.assert_allclose(made[0], w @ y.conj().T, rtol=1e-12)
    np.testing.assert_allclose(made[1], x.conj().T @ w, rtol=1e-12)


def test_a_product_can_be_differentiated_twice():
    x, y, g, u = T.dmatrices("xygu")
    (gx, _) = back(T.dot(x, y), [x, y], g)
    made = run([x, y, g, u], back(gx, [g, y], u), *(np.eye(2) * k for k in (1, 2, 3, 5)))
    np.testing.assert_allclose(made[0], np.eye(2) * 10)
    np.testing.assert_allclose(made[1], np.eye(2) * 15)


# ops that pass a value on


def kept(x):
    return OpFromGraph([x], [x * 1.0])(x)


SAME = {
    "Assert": lambda x: T.opt.Assert()(x, T.all(x > 0)),
    "Print": lambda x: theano.printing.Print("x", global_fn=lambda op, value: None)(x),
    "ViewOp": ViewOp(),
    "DeepCopyOp": DeepCopyOp(),
    "OutputGuard": OutputGuard(),
    "OpFromGraph": kept,
}


@pytest.mark.parametrize("name", sorted(SAME))
def test_what_passes_a_value_on_passes_derivatives_on(name):
    x, g = T.dvectors("xg")
    y = SAME[name](x)
    made = run([x, g], [back(y, x, g), T.Rop(y, x, g)], [1.0, 2.0], [3.0, 4.0])
    assert [v.tolist() for v in made] == [[3.0, 4.0]] * 2


def test_the_condition_of_an_assertion_is_disconnected():
    x, c = T.dvector("x"), T.dscalar("c")
    with pytest.raises(theano.gradient.DisconnectedInputError):
        T.grad(T.opt.Assert()(x, c).sum(), c)


def test_a_double_has_the_slope_2():
    x, g = T.dvectors("xg")
    y = DoubleOp()(x)
    made = run([x, g], [back(y, x, g), T.Rop(y, x, g)], [1.0, 2.0], [3.0, 4.0])
    assert [v.tolist() for v in made] == [[6.0, 8.0]] * 2


def test_a_subclass_of_a_view_may_give_a_gradient_of_its_own():
    class Reversed(ViewOp):
        def grad(self, inputs, output_grads):
            return [-output_grads[0]]

    x = T.dscalar("x")
    assert run([x], T.grad(Reversed()(x) * 3, x), 1.0) == -3


def test_gradients_go_through_scalars():
    x = T.dscalar("x")
    y = tensor_from_scalar(scalar_from_tensor(x))
    assert run([x], T.grad(y**2, x), 3.0) == 6
    assert run([x], T.Rop(y**2, x, T.constant(2.0)), 3.0) == 12


def test_what_is_read_from_a_file_is_disconnected_from_its_name():
    path = theano.generic("path")
    y = T.load(path, "float64", (False,))
    assert y.owner.op.connection_pattern(y.owner) == [[False]]
    x = T.dvector("x")
    assert T.grad((y * x).sum(), x).type == x.type


def test_a_python_function_without_a_gradient_is_named():
    @theano.compile.ops.as_op([T.dvector], [T.dvector])
    def backwards(x):
        return x[::-1].copy()

    x = T.dvector("x")
    with pytest.raises(NotImplementedError, match=r"FromFunctionOp\{backwards\} has no gradient"):
        T.grad(backwards(x).sum(), x)


# graphs as ops


@pytest.mark.parametrize("linker", MODES)
def test_a_graph_as_an_op_has_the_gradient_of_the_graph(linker):
    x, y = T.dvectors("xy")
    w = theano.shared(np.array([2.0, 3.0]))
    op = OpFromGraph([x, y], [T.exp(x) * y * w, x**2])
    # the second input is computed from the first
    out = op(x, T.sin(x))
    cost = (out[0] + 3 * out[1]).sum()
    plain = (T.exp(x) * T.sin(x) * w + 3 * x**2).sum()
    at = np.array([0.3, -0.7])
    made = run([x], T.grad(cost, [x, w]), at, linker=linker)
    want = run([x], T.grad(plain, [x, w]), at)
    expected = np.exp(at) * (np.sin(at) + np.cos(at)) * [2.0, 3.0] + 6 * at
    np.testing.assert_allclose(made[0], expected, rtol=1e-14)
    np.testing.assert_allclose(made, want, rtol=1e-14)
    hessian = run([x], T.grad(T.grad(cost, x).sum(), x), at, linker=linker)
    np.testing.assert_allclose(hessian, 2 * np.exp(at) * np.cos(at) * [2, 3] + 6, rtol=1e-13)


def test_outputs_of_a_graph_as_an_op_may_lie_on_each_others_way():
    x = T.dscalar("x")
    y = x**2
    op = OpFromGraph([x], [y, y**2, y, x])
    a, b, c, d = op(x)
    assert run([x], T.grad(a + b + c + d, x), 3.0) == 6 + 4 * 27 + 6 + 1
    assert run([x], T.grad(b, x), 3.0) == 4 * 27
    assert run([x], T.Rop(b, x, T.constant(2.0)), 3.0) == 2 * 4 * 27


def test_connections_of_a_graph_as_an_op_are_those_of_its_graph():
    x, y = T.dvectors("xy")
    op = OpFromGraph([x, y], [x * 2, x + y, T.zeros(y.shape)])
    node = op(x, y)[0].owner
    assert op.connection_pattern(node) == [[True, True, False], [False, True, False]]
    with pytest.raises(theano.gradient.DisconnectedInputError):
        T.grad(op(x, y)[0].sum(), y)


def test_derivatives_of_a_graph_as_an_op_can_be_overridden():
    x, y = T.dscalars("xy")
    five = OpFromGraph([x, y], [x * y], grad_overrides=lambda ins, gs: [gs[0] * 5, gs[0] * 7])
    assert run([x, y], T.grad(five(x, y), [x, y]), 2.0, 3.0) == [5, 7]
    one = OpFromGraph([x, y], [x * y], lop_overrides=["default", lambda ins, outs, gs: outs[0]])
    assert run([x, y], T.grad(one(x, y), [x, y]), 2.0, 3.0) == [3, 6]
    g = T.dscalar("g")
    other = OpFromGraph([x, g], [g * x * 10])
    as_op = OpFromGraph([x], [x * 2], grad_overrides=other)
    assert run([x], T.grad(as_op(x), x), 2.0) == 20
    still = OpFromGraph([x], [x * 2], grad_overrides=[theano.gradient.DisconnectedType()()])
    assert run([x], T.grad(still(x) + x, x), 2.0) == 1
    forward = OpFromGraph([x], [x * 2], rop_overrides=lambda ins, dxs: [dxs[0] * 11])
    assert run([x], T.Rop(forward(x), x, T.constant(1.0)), 2.0) == 11
    few = OpFromGraph([x, y], [x * y], grad_overrides=lambda ins, gs: [gs[0]])
    with pytest.raises(ValueError, match="gives a list of 2"):
        T.grad(few(x, y), x)
    with pytest.raises(ValueError, match="mutually exclusive"):
        OpFromGraph([x], [x], grad_overrides=[], lop_overrides=[])
