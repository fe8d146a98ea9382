"""Gradients of arithmetic, bounds, choice, rounding, casts and the parts of complex numbers."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.grad.errors import DisconnectedInputError
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.compare import inclosedrange, inopenrange
from theano.printing import debugprint

LINKERS = ("numpy", "xla")
NAN, INF = float("nan"), float("inf")


def run(inputs, outputs, *values, linker="numpy"):
    mode = theano.Mode(linker=linker)
    with np.errstate(all="ignore"):
        return theano.function(inputs, outputs, mode=mode, on_unused_input="ignore")(*values)


def back(y, wrt, g):
    """The gradient of sum(y * g)."""
    return T.grad(None, wrt, known_grads={y: g})


def partial(f, points, order):
    """Partial derivatives of a function of several numbers, to 40 digits."""
    with mpmath.workdps(40):
        return [float(mpmath.diff(f, tuple(map(mpmath.mpf, p)), order)) for p in points]


ANY = [(-2.5, 1.5), (0.5, -0.75), (3.0, 2.0)]
# our function, the same of mpmath's numbers, points
SMOOTH = {
    "add": (lambda x, y: x + y, lambda x, y: x + y, ANY),
    "sub": (lambda x, y: x - y, lambda x, y: x - y, ANY),
    "mul": (lambda x, y: x * y, lambda x, y: x * y, ANY),
    "mul of three": (lambda x, y: T.mul(x, y, x), lambda x, y: x * y * x, ANY),
    "mul of five": (lambda x, y: T.mul(x, y, x, y, y), lambda x, y: x**2 * y**3, ANY),
    "true_div": (lambda x, y: x / y, lambda x, y: x / y, ANY),
    "pow": (lambda x, y: x**y, lambda x, y: x**y, [(2.5, 1.5), (0.5, -0.75), (3.0, 2.0)]),
    "neg": (lambda x, y: -x * y, lambda x, y: -x * y, ANY),
    "abs": (lambda x, y: abs(x) * y, lambda x, y: abs(x) * y, ANY),
    "inv": (lambda x, y: T.inv(x) * y, lambda x, y: y / x, ANY),
    "sqr": (lambda x, y: T.sqr(x) * y, lambda x, y: x * x * y, ANY),
    "sqrt": (lambda x, y: T.sqrt(x) * y, lambda x, y: mpmath.sqrt(x) * y, [(0.3, 2.0), (4, -1)]),
    "mod": (lambda x, y: x % y, lambda x, y: x - y * mpmath.floor(x / y), ANY[:2]),
    "maximum": (T.maximum, max, ANY),
    "minimum": (T.minimum, min, ANY),
    "clip": (lambda x, y: T.clip(x, -1, y), lambda x, y: min(max(x, -1), y), [(-2.5, 1.5), (2, 1)]),
    "switch": (
        lambda x, y: T.switch(x < y, x * y, T.sqr(y)),
        lambda x, y: x * y if x < y else y * y,
        ANY,
    ),
    "second": (lambda x, y: T.fill(y, x) * y, lambda x, y: x * y, ANY),
    "identity": (lambda x, y: T.tensor_copy(x) * y, lambda x, y: x * y, ANY),
    "cast": (lambda x, y: T.cast(x, "complex128").real * y, lambda x, y: x * y, ANY),
    "polar": (
        lambda x, y: T.sqr(T.complex_from_polar(x, y)).imag,
        lambda x, y: x * x * mpmath.sin(2 * y),
        ANY,
    ),
    "complex": (lambda x, y: T.sqr(T.complex(x, y)).real, lambda x, y: x * x - y * y, ANY),
}


@pytest.mark.parametrize("linker", LINKERS)
def test_the_partial_derivatives_are_mpmaths(linker):
    x, y, g = T.dvectors("xyg")
    for name, (ours, theirs, points) in SMOOTH.items():
        weights = np.linspace(0.5, 2.0, len(points))
        a, b = np.array(points).T
        made = run([x, y, g], back(ours(x, y), [x, y], g), a, b, weights, linker=linker)
        for got, order in zip(made, [(1, 0), (0, 1)], strict=True):
            want = np.array(partial(theirs, points, order)) * weights
            np.testing.assert_allclose(got, want, rtol=1e-13, atol=1e-14, err_msg=name)


@pytest.mark.parametrize("name", ["mul of five", "true_div", "pow", "inv", "sqr", "sqrt", "polar"])
def test_the_second_derivatives_are_mpmaths(name):
    ours, theirs, points = SMOOTH[name]
    x, y = T.dvectors("xy")
    a, b = np.array(points).T
    made = []
    for first in T.grad(ours(x, y).sum(), [x, y]):
        made += T.grad(first.sum(), [x, y], disconnected_inputs="ignore")
    for got, order in zip(run([x, y], made, a, b), [(2, 0), (1, 1), (1, 1), (0, 2)], strict=True):
        np.testing.assert_allclose(got, partial(theirs, points, order), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", sorted(SMOOTH))
def test_forwards_and_backwards_agree(name):
    ours, _, points = SMOOTH[name]
    x, y, g, dx, dy = T.dvectors(["x", "y", "g", "dx", "dy"])
    z = ours(x, y)
    gx, gy = back(z, [x, y], g)
    forward = T.Rop(z, [x, y], [dx, dy])
    rng = np.random.default_rng(3)
    draws = [rng.uniform(-1, 1, len(points)) for _ in range(3)]
    left, right = run(
        [x, y, g, dx, dy], [(g * forward).sum(), (gx * dx + gy * dy).sum()],
        *np.array(points).T, *draws,
    )  # fmt: skip
    np.testing.assert_allclose(left, right, rtol=1e-13)


# Where a function has a corner or none: what Theano 1.0.5 gives. Clip differs where low > high: of
# the two bounds only the one that is the result has a slope.
CORNERS = [
    (
        T.pow,
        [[0, 0, 0, 0, 0, -2, -2, -0.0], [0, 1, 2, 0.5, -1, 2, 3, 1]],
        [[NAN, 1, 0, INF, -INF, -4, 12, 1], [0, 0, 0, 0, 0, NAN, NAN, 0]],
    ),
    (T.abs_, [[-1, 0, 2, NAN]], [[-1, 0, 1, NAN]]),
    (T.maximum, [[1, 2, NAN, 1], [1, 3, 1, NAN]], [[1, 0, 0, 0], [0, 1, 1, 1]]),
    (T.minimum, [[1, 2, NAN, 1], [1, 3, 1, NAN]], [[1, 1, 0, 0], [0, 0, 1, 1]]),
    (
        T.clip,
        [[0, 1, 2, 3, 4, 2, 2, NAN], [1, 1, 1, 1, 1, 3, 2, 1], [3, 3, 3, 3, 3, 1, 2, 3]],
        [[0, 1, 1, 1, 0, 0, 1, 0], [1, 0, 0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0, 0, 0]],
    ),
    (T.mod, [[5, -5, 5.5, 4], [3, 3, -2, 2]], [[1, 1, 1, 1], [-1, 2, 3, -2]]),
    (T.true_div, [[-5, 0], [0, 0]], [[INF, INF], [INF, NAN]]),
    (T.sqrt, [[0, -1]], [[INF, NAN]]),
    (T.inv, [[0, 2]], [[-INF, -0.25]]),
    (T.switch, [[0, 1, 2], [3, 4, 5], [6, 7, 8]], [[0, 0, 0], [0, 1, 1], [1, 0, 0]]),
]


@pytest.mark.parametrize("linker", LINKERS)
@pytest.mark.parametrize(("fn", "points", "want"), CORNERS, ids=lambda v: getattr(v, "name", None))
def test_corners_have_the_slopes_on_record(fn, points, want, linker):
    xs = [T.dvector() for _ in points]
    made = run(xs, T.grad(fn(*xs).sum(), xs), *points, linker=linker)
    np.testing.assert_allclose(made, np.array(want, float), rtol=1e-15)


def test_the_mixed_derivative_of_a_power_is_finite_at_zero():
    x, y = T.dscalars("xy")
    made = T.grad(T.grad(x**y, y), x)
    assert run([x, y], made, 0.0, 2.0) == 0


STEPS = [
    *(getattr(T, n) for n in "lt gt le ge eq neq int_div".split()),
    *(getattr(T, n) for n in "ceil floor trunc isnan isinf sgn".split()),
    *(getattr(T, n) for n in "round_half_to_even round_half_away_from_zero".split()),
    *(Elemwise(op) for op in (inopenrange, inclosedrange)),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:The gradient of .* is zero, as integers have no")
@pytest.mark.parametrize("fn", STEPS, ids=lambda f: getattr(f, "__name__", str(f)))
def test_what_goes_in_steps_has_a_gradient_of_zeros(fn):
    xs = [T.fvector() for _ in range(getattr(fn, "nin", 1))]
    made = T.grad(fn(*xs).sum(), xs)
    assert all(g.dtype == "float32" for g in made)
    for g in run(xs, made, *[np.array([1.5, 2], "float32")] * len(xs)):
        assert g.tolist() == [0, 0]


@pytest.mark.filterwarnings("ignore:The gradient of .* is zero, as integers have no")
@pytest.mark.parametrize(
    "fn",
    [T.add, T.mul, T.pow, T.and_, T.or_, T.xor, T.invert, T.abs_, T.sqr, T.neg, T.maximum, T.sub],
    ids=lambda f: getattr(f, "__name__", str(f)),
)
def test_functions_from_integers_to_integers_have_gradients_of_zeros(fn):
    # an integer to a negative power, as in the slope of a power, could not even be computed
    xs = [T.lvector() for _ in range(max(fn.nin, 1))]
    for g in run(xs, T.grad(fn(*xs).sum(), xs), *[[0, 3]] * len(xs)):
        assert g.dtype == theano.config.floatX and g.tolist() == [0, 0]


def test_functions_from_integers_to_floats_have_the_slopes_of_floats():
    a, b = T.lvectors("ab")
    made = run([a, b], T.grad((a / b).sum(), [a, b]), [3], [2])
    assert [g.tolist() for g in made] == [[0.5], [-0.75]]
    (got,) = run([a], T.grad(T.cast(a, "float64").sum(), [a]), [4])
    assert got.tolist() == [1.0]


def test_small_integers_do_not_wrap_on_the_way():
    x, n = T.fvector("x"), T.bvector("n")
    (got,) = run([x, n], T.grad(T.mul(x, n, n).sum(), [x]), np.float32([1]), np.int8([100]))
    assert got.tolist() == [10000.0]
    (got,) = run([x, n], T.grad((x / n).sum(), [n]), np.float32([1]), np.int8([100]))
    np.testing.assert_allclose(got, [-1e-4], rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("fn", [T.add, T.sub, T.mul, T.true_div, T.mod, T.pow, T.maximum, T.clip,
                                T.neg, T.abs_, T.inv, T.sqr, T.sqrt], ids=str)  # fmt: skip
def test_gradients_of_narrow_floats_are_narrow_without_a_last_cast(fn, dtype):
    n = 2 if fn.nin < 0 else fn.nin
    xs, g = [T.vector(dtype=dtype) for _ in range(n)], T.vector(dtype=dtype)
    made = fn.L_op(xs, [fn(*xs)], [g])
    assert [v.dtype for v in made] == [dtype] * n


def test_a_cast_of_floats_passes_the_gradient_on_in_the_dtype_it_came_from():
    x = T.fvector("x")
    made = T.grad((T.cast(x, "float64") * 3).sum(), x)
    assert made.dtype == "float32"
    assert run([x], made, np.float32([1, 2])).tolist() == [3, 3]
    whole = T.grad((T.cast(x, "int32") * x).sum(), x)
    assert run([x], whole, np.float32([1.5, 2.5])).tolist() == [1, 2]


def test_a_gradient_is_summed_over_what_stretched():
    a, b, c = T.dmatrix("a"), T.dvector("b"), T.dscalar("c")
    values = np.arange(6.0).reshape(2, 3), np.array([1.0, -2, 3]), 4.0
    ga, gb, gc = run([a, b, c], T.grad((a * b * c).sum(), [a, b, c]), *values)
    va, vb, vc = values
    np.testing.assert_allclose(ga, [vb * vc] * 2)
    np.testing.assert_allclose(gb, [vc * (va[0, i] + va[1, i]) for i in range(3)])
    np.testing.assert_allclose(gc, sum(va[i, j] * vb[j] for i in range(2) for j in range(3)))


def test_fill_takes_nothing_but_the_shape_of_its_first_input():
    x, y = T.dvectors("xy")
    with pytest.raises(DisconnectedInputError):
        T.grad(T.fill(x, y).sum(), x)
    assert run([x, y], T.grad(T.fill(x, y).sum(), y), [1, 2], [3, 4]).tolist() == [1, 1]


def test_a_product_of_many_has_a_gradient_of_as_many_nodes():
    def nodes(n):
        xs = [T.dscalar() for _ in range(n)]
        return len(theano.gof.graph.io_toposort(xs, T.grad(T.mul(*xs), xs)))

    assert nodes(40) - nodes(20) <= 3 * 20


# complex numbers: the gradient of z is dC/dRe(z) + i dC/dIm(z)

W = 0.7 - 1.3j
COMPLEX = {
    "mul": (lambda z: z * z * (2 - 1j), lambda z: z * z * (2 - 1j)),
    "true_div": (lambda z: (1 + 2j) / z + z / (2 - 3j), lambda z: (1 + 2j) / z + z / (2 - 3j)),
    "pow": (lambda z: z ** (1.5 + 0.5j), lambda z: z ** mpmath.mpc(1.5, 0.5)),
    "exponent": (lambda z: (1.5 + 0.5j) ** z, lambda z: mpmath.mpc(1.5, 0.5) ** z),
    "inv": (T.inv, lambda z: 1 / z),
    "sqr": (T.sqr, lambda z: z * z),
    "sqrt": (T.sqrt, mpmath.sqrt),
    "neg": (lambda z: -z, lambda z: -z),
    "abs": (abs, abs),
    "real": (T.real, lambda z: z.real),
    "imag": (T.imag, lambda z: z.imag),
    "angle": (T.angle, mpmath.arg),
    "conj": (T.conj, mpmath.conj),
    "switch": (lambda z: T.switch(z.real > 0, T.sqr(z), z), lambda z: z * z if z.real > 0 else z),
    "parts": (
        lambda z: T.complex(z.imag, T.sqr(z.real)),
        lambda z: z.imag + 1j * z.real**2,
    ),
}


@pytest.mark.parametrize("linker", LINKERS)
def test_the_gradient_of_a_complex_variable_is_that_of_its_parts(linker):
    z = T.zvector("z")
    points = [0.5 + 1.2j, -0.8 + 0.3j, 2.0 - 1.5j]
    for name, (ours, theirs) in COMPLEX.items():
        made = run([z], T.grad(T.real(W * ours(z)).sum(), z), points, linker=linker)
        assert made.dtype == "complex128"
        for point, got in zip(points, made, strict=True):
            with mpmath.workdps(40):
                at, w = mpmath.mpmathify(point), mpmath.mpmathify(W)
                along = [
                    mpmath.diff(lambda h, d=d: (w * theirs(at + d * h)).real, 0)  # noqa: B023
                    for d in (1, mpmath.mpc(0, 1))
                ]
            np.testing.assert_allclose(
                [got.real, got.imag], [float(a) for a in along], rtol=1e-12, atol=1e-13,
                err_msg=name,
            )  # fmt: skip


@pytest.mark.parametrize("name", sorted(COMPLEX))
def test_forwards_through_complex_numbers_is_a_step_of_the_function(name):
    ours, theirs = COMPLEX[name]
    z, dz = T.zvectors(["z", "dz"])
    point, step = 0.5 + 1.2j, 0.4 - 0.9j
    out = ours(z)
    made = T.Rop(out, z, dz)
    assert made.dtype == out.dtype
    (got,) = run([z, dz], made, [point], [step])
    with mpmath.workdps(40):
        at, along = mpmath.mpmathify(point), mpmath.mpmathify(step)
        want = complex(mpmath.diff(lambda h: theirs(at + along * h) + 0j, 0))
    np.testing.assert_allclose(got, want, rtol=1e-13)


def test_a_step_forwards_has_the_dtype_of_the_output():
    x, dx, y = T.fvector("x"), T.fvector("dx"), T.dvector("y")
    assert T.Rop(T.cast(x, "float64") * 2, x, dx).dtype == "float64"
    assert T.Rop(x + y, x, dx).dtype == "float64"


def test_the_gradient_of_the_modulus_is_zero_at_zero():
    z = T.zvector("z")
    made = run([z], T.grad(abs(z).sum(), z), [3 + 4j, 0])
    assert made[1] == 0
    np.testing.assert_allclose(made[0], 0.6 + 0.8j, rtol=1e-15)


def test_a_real_variable_among_complex_ones_has_a_real_gradient():
    x, z = T.dvector("x"), T.zvector("z")
    made = T.grad(T.real(x * z).sum(), x)
    assert made.dtype == "float64"
    assert run([x, z], made, [1.0], [2 - 3j]).tolist() == [2.0]


# printed forms


def test_nodes_made_by_gradients_print_without_no_inplace_and_numbers_in_dimensions():
    x, t = T.dscalar("x"), T.dscalar("t")
    lines = debugprint(T.grad(T.sqr(x) * t, x), file="str", ids="").splitlines()
    assert [line.rstrip(" '") for line in lines] == [
        "Elemwise{mul}",
        " |Elemwise{mul}",
        " | |Elemwise{mul}",
        " | | |Elemwise{second,no_inplace}",
        " | | | |Elemwise{mul,no_inplace}",
        " | | | | |Elemwise{sqr,no_inplace}",
        " | | | | | |x",
        " | | | | |t",
        " | | | |TensorConstant{1.0}",
        " | | |t",
        " | |x",
        " |InplaceDimShuffle{}",
        "   |TensorConstant{2}",
    ]


def test_a_gradient_leaves_the_nodes_it_goes_through_as_they_are():
    x = T.dvector("x")
    y = T.sqr(x * 3) + 1
    before = debugprint(y, file="str")
    T.grad(T.grad(y.sum(), x).sum(), x)
    assert debugprint(y, file="str") == before
