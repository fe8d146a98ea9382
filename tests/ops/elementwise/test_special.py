"""Special functions: values by mpmath, poles as in SciPy, tails, and where they run."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest
import scipy.special

import theano
import theano.tensor as T
from tests.ops.elements import INTS, REALS
from tests.ops.exact import by_mpmath, to_float
from theano._src.engines.jax.arrays.jax_xp import jax_xp, jit, x64
from theano._src.ops.elementwise import bessel as B, incomplete as I, special as S
from theano._src.types.tensor import tensor_type
from theano.testing import OpSpec, Raises, evaluate, spec_tests

inf, nan, pi = math.inf, math.nan, math.pi
Z = np.ones(2, "complex128")
# bools are 0 and 1, where these have poles or ends
NUMBERS = [d for d in REALS if d != "bool"]


def real(fn, ref, *, domain=(-3, 3), dtypes=REALS, **facts):
    refused = Raises(Z, TypeError, f"{fn.scalar_op} takes real numbers, got .*complex128")
    return OpSpec(fn, by_mpmath(ref), dtypes=dtypes, out_dtype=to_float, domain=domain,
                  errors=[refused], **facts)  # fmt: skip


def pair(fn, ref, **facts):
    refused = Raises((Z, Z), TypeError, f"{fn.scalar_op} takes real numbers, got .*complex128")
    facts = {"dtypes": NUMBERS, "out_dtype": to_float, "errors": [refused], **facts}
    return OpSpec(fn, by_mpmath(ref), nin=2, **facts)


def chi2_tail(x, df):
    return mp.gammainc(df / 2, max(x, 0) / 2, regularized=True)


#: the first slope in a shape parameter is an integral
ONCE = "once: the slope in a shape parameter has no slope in that parameter"
ORDER = "no closed form in the order"


# the inverse of erfc where 1 - x would lose the digits of x
def erfcinv(x):
    start = mp.erfinv(1 - x) if x > 1e-10 else mp.sqrt(-mp.log(x))
    return mp.findroot(lambda y: mp.log(mp.erfc(y)) - mp.log(x), start)


def gammaincinv(k, y):
    start = scipy.special.gammaincinv(float(k), float(y))
    return mp.findroot(lambda x: mp.gammainc(k, 0, x, regularized=True) - y, mp.mpf(start))


FLOATS = ["float16", "float32", "float64"]

# fmt: off
SPECS = [
    real(S.erf, mp.erf,
         special=[(0.0, 0.0), (-0.0, -0.0), (inf, 1), (-inf, -1), (nan, nan), (7, 1)]),
    real(S.erfc, mp.erfc,
         special={0: 1, inf: 0.0, -inf: 2, nan: nan, 10: 2.088487583762545e-45, 30: 0.0}),
    real(S.erfcx, lambda x: mp.exp(x * x) * mp.erfc(x),
         special={0: 1, inf: 0.0, -inf: inf, nan: nan, -30: inf, 1e10: 1 / (1e10 * math.sqrt(pi)),
                  1e300: 1 / (1e300 * math.sqrt(pi))}),
    real(S.erfinv, mp.erfinv, domain=(-0.9, 0.9),
         special={0: 0, 1: inf, -1: -inf, 1.1: nan, -1.1: nan, nan: nan}),
    real(S.erfcinv, erfcinv, domain=(0.1, 1.9), dtypes=NUMBERS,
         special={1: 0, 0: inf, 2: -inf, -0.1: nan, 2.1: nan, nan: nan,
                  1e-300: 26.209469960516124}),
    real(S.gamma, mp.gamma, domain=(0.1, 6), dtypes=NUMBERS,
         special=[(0.0, inf), (-0.0, -inf), (-1, nan), (-2, nan), (1, 1), (5, 24),
                  (171, math.gamma(171)), (172, inf), (-1.5, math.gamma(-1.5)), (inf, inf),
                  (-inf, nan), (nan, nan)]),
    real(S.gammaln, lambda x: mp.log(abs(mp.gamma(x))), domain=(0.1, 40), dtypes=NUMBERS,
         xla_rtol={"float64": 1e-11, "float32": 2e-5},
         special={0: inf, -1: inf, -2: inf, 1: 0, 2: 0, 1e300: math.lgamma(1e300), inf: inf,
                  nan: nan}),
    real(S.psi, mp.digamma, domain=(1.6, 20), dtypes=NUMBERS,
         special=[(0.0, -inf), (-0.0, inf), (-1, nan), (-2, nan), (inf, inf), (nan, nan),
                  (1, -0.5772156649015329)]),
    real(S.tri_gamma, lambda x: mp.polygamma(1, x), domain=(0.1, 20), dtypes=NUMBERS,
         special={0: inf, -1: inf, -2: inf, 1: pi**2 / 6, 0.5: pi**2 / 2, -0.5: pi**2 / 2 + 4,
                  inf: 0, nan: nan}),
    pair(S.polygamma, lambda n, x: mp.polygamma(int(n), x), domain=[(0, 4), (1.6, 20)],
         dtypes=[INTS, NUMBERS], fixed={0: ORDER}, xla_rtol={"float64": 4e-12, "float32": 2e-5},
         special={(0, 1): -0.5772156649015329, (1, 1): pi**2 / 6, (2, 1): -2.4041138063191886,
                  (3, 1): pi**4 / 15, (2, 0): -inf, (1, 0): inf, (3, -1): inf, (0, -1): nan,
                  (2, -0.5): -0.828796644234320, (1, inf): 0, (2, nan): nan}),
    pair(S.chi2sf, chi2_tail, domain=[(0.1, 9), (1, 9)], out_dtype="float64", grad=ONCE,
         special={(0, 2): 1, (-1, 2): 1, (1, 0): nan, (1, -1): nan, (inf, 3): 0.0, (nan, 3): nan,
                  (2, 2): math.exp(-1), (1, 1): math.erfc(math.sqrt(0.5))}),
    pair(S.gammainc, lambda k, x: mp.gammainc(k, 0, x, regularized=True), domain=(0.5, 9),
         grad=ONCE,
         special={(1, 0): 0.0, (1, inf): 1, (1, 1): 1 - math.exp(-1), (0, 1): 1, (-1, 1): nan,
                  (1, -1): nan, (nan, 1): nan}),
    pair(S.gammaincc, lambda k, x: mp.gammainc(k, x, regularized=True), domain=(0.5, 9),
         grad=ONCE,
         special={(1, 0): 1, (1, inf): 0.0, (1, 1): math.exp(-1), (1, 700): math.exp(-700),
                  (-1, 1): nan}),
    pair(S.gammau, lambda k, x: mp.gammainc(k, x), domain=(0.5, 6), grad=ONCE,
         special={(3, 0): 2, (1, 2): math.exp(-2), (3, inf): 0.0}),
    pair(S.gammal, lambda k, x: mp.gammainc(k, 0, x), domain=(0.5, 6), grad=ONCE,
         special={(3, 0): 0.0, (3, inf): 2, (1, 2): 1 - math.exp(-2)}),
    real(B.j0, lambda x: mp.besselj(0, x), domain=(-2, 2),
         special={0: 1, nan: nan, 100: 0.01998585030422312}),
    real(B.j1, lambda x: mp.besselj(1, x), special={0: 0, nan: nan, 100: -0.07714535201411216}),
    pair(B.jv, mp.besselj, domain=[(0, 4), (0.1, 4)], fixed={0: ORDER},
         xla="host: jax has no Bessel function of any order",
         special={(0, 0): 1, (1, 0): 0, (0.5, pi / 2): 2 / pi, (nan, 1): nan}),
    real(B.i0, lambda x: mp.besseli(0, x), special={0: 1, nan: nan, 800: inf}),
    real(B.i1, lambda x: mp.besseli(1, x), special={0: 0, nan: nan, 800: inf, -800: -inf}),
    pair(B.iv, mp.besseli, domain=[(0, 4), (0.1, 4)], fixed={0: ORDER},
         xla="host: jax has no Bessel function of any order",
         special={(0, 0): 1, (1, 0): 0, (0.5, 1): math.sqrt(2 / pi) * math.sinh(1), (nan, 1): nan}),
    pair(B.ive, lambda v, x: mp.besseli(v, x) * mp.exp(-abs(x)), domain=[(0, 4), (0.1, 4)],
         fixed={0: ORDER}, xla="host: jax has no Bessel function of any order",
         special={(0, 0): 1, (1, 0): 0, (nan, 1): nan,
                  (0.5, 1e6): 1 / math.sqrt(2e6 * pi)}),
    pair(B.kv, mp.besselk, domain=[(0, 4), (0.1, 4)], fixed={0: ORDER},
         xla="host: jax has no Bessel function of any order",
         special={(0, 0): inf, (0, -1): nan, (0.5, 2): math.sqrt(pi / 4) * math.exp(-2),
                  (1, inf): 0.0, (1, 800): 0.0, (nan, 1): nan}),
    pair(B.kve, lambda v, x: mp.besselk(v, x) * mp.exp(x), domain=[(0, 4), (0.1, 4)],
         fixed={0: ORDER}, xla="host: jax has no Bessel function of any order",
         special={(0, 0): inf, (0, -1): nan, (0.5, 800): math.sqrt(pi / 1600), (nan, 1): nan}),
    pair(I.gammaincinv, gammaincinv, domain=[(0.5, 6), (0.05, 0.95)], grad=ONCE,
         xla="host: jax has no inverse of it", dtypes=FLOATS,
         special={(2, 0): 0.0, (2, 1): inf, (1, 0.5): math.log(2), (1, -0.1): nan, (1, 1.1): nan}),
    pair(I.gammainccinv, lambda k, y: gammaincinv(k, 1 - y), domain=[(0.5, 6), (0.05, 0.95)],
         grad=ONCE, xla="host: jax has no inverse of it", dtypes=FLOATS,
         special={(2, 1): 0.0, (2, 0): inf, (1, 1e-200): 200 * math.log(10), (1, 1.1): nan}),
    OpSpec(I.betainc, by_mpmath(lambda a, b, x: mp.betainc(a, b, 0, x, regularized=True)), nin=3,
           dtypes=FLOATS, out_dtype=to_float,
           grad="none: jax has its slope in x alone; all are compared with mpmath below",
           domain=[(0.5, 6), (0.5, 6), (0.05, 0.95)],
           errors=[Raises((Z, Z, Z), TypeError, "betainc takes real numbers, got .*complex128")],
           special={(2, 3, 0): 0.0, (2, 3, 1): 1, (1, 1, 0.3): 0.3, (0.5, 0.5, 0.5): 0.5,
                    (2, 3, 1.1): nan, (-1, 3, 0.5): nan, (2, 3, nan): nan}),
]
# fmt: on


def test_ops_print_as_documented():
    names = "erf erfc erfcx erfinv erfcinv gamma gammaln psi tri_gamma polygamma chi2sf"
    names += " gammainc gammaincc gammau gammal j0 j1 jv i0 i1 iv ive kv kve"
    names += " gammaincinv gammainccinv betainc"
    found = vars(S) | vars(B) | vars(I)
    for name in names.split():
        assert str(found[name]) == f"Elemwise{{{name},no_inplace}}"
        assert str(found[f"scalar_{name}"]) == name


def test_only_bessel_functions_of_any_order_and_inverses_need_the_host():
    ops = [v for module in (S, B, I) for v in vars(module).values() if hasattr(v, "scalar_op")]
    assert [str(op.scalar_op) for op in ops if op.runs_on == "host"] == [
        *("jv", "iv", "ive", "kv", "kve", "gammaincinv", "gammainccinv")
    ]


# (function, mpmath's, points): where the compiled form is a formula of its own
OWN_FORMS = [
    (S.erfcx, lambda x: mp.exp(x * x) * mp.erfc(x), np.r_[-3:12:0.37, 30, 1e3, 1e10, 1e30]),
    (S.erfcinv, erfcinv, np.r_[1e-30, 1e-8, 0.01:2:0.07, 1.999]),
    (B.j0, lambda x: mp.besselj(0, x), np.r_[-40:40:0.73, 24.99, 25.01, 1e3]),
    (B.j1, lambda x: mp.besselj(1, x), np.r_[-40:40:0.73, 24.99, 25.01, 1e3]),
]


@pytest.mark.xla
@pytest.mark.parametrize(("op", "exact", "points"), OWN_FORMS, ids=lambda v: str(v)[:20])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_compiled_form_of_its_own_is_exact(op, exact, points, dtype):
    points = points.astype(dtype)
    with x64():
        made = np.asarray(jit(lambda x: op.lower_xla(jax_xp, (), x))(points))
    expected = by_mpmath(exact)(points.astype("float64"))
    # of a Bessel function the zeros are known to the rounding of 1, not of themselves
    eps = np.finfo(dtype).eps
    atol = 4 * eps if op in (B.j0, B.j1) else 0
    assert made.dtype == dtype
    np.testing.assert_allclose(made, expected.astype(dtype), rtol=16 * eps, atol=atol)


def test_a_derivative_of_broken_or_negative_order_is_not_defined():
    n = tensor_type("float64", (False,))()
    (made,) = evaluate([S.polygamma(n, 1)], {n: np.array([0.5, -1, -2, nan])})
    assert np.isnan(made).all()


@pytest.mark.xla
def test_compiled_forms_have_scipys_values_at_poles():
    poles = np.array([0.0, -0.0, -1.0, -2.0, inf, -inf, nan])
    x = tensor_type("float64", (False,))()
    for op in (S.gamma, S.gammaln, S.psi, S.tri_gamma, S.erf, S.erfc, S.erfcx, B.j0, B.j1):
        (expected,) = evaluate([op(x)], {x: poles})
        with x64():
            made = np.asarray(jit(lambda v, op=op: op.lower_xla(jax_xp, (), v))(poles))
        np.testing.assert_allclose(made, expected, rtol=1e-14, atol=1e-16, err_msg=str(op))


test_ops = spec_tests(SPECS)


SHAPES = (0.01, 0.3, 1.0, 4.5, 80.0, 1000.0)


def slopes(mode, function, inputs, values):
    out = function(*inputs)
    f = theano.function(inputs, T.grad(out.sum(), inputs), mode=mode)
    with np.errstate(all="ignore"):
        return np.stack(f(*values))


def assert_mpmaths(got, reference, points, rtol, least=1e-290):
    for i, at in enumerate(points):
        for j in range(len(at)):
            order = tuple(int(k == j) for k in range(len(at)))
            with mp.workdps(60):
                wanted = mp.diff(reference(*at), tuple(map(mp.mpf, at)), order)
            if abs(wanted) > least:
                assert abs(got[j][i] - wanted) / abs(wanted) < rtol, (at, j, got[j][i], wanted)


# the tail that is small at a point, so that mpmath loses no digits; the other has the same slopes
def gamma_tail(k, x):
    if x < k:
        return lambda k, x: mp.gammainc(k, 0, x, regularized=True)
    return lambda k, x: -mp.gammainc(k, x, regularized=True)


def beta_tail(a, b, x):
    end = 0 if x * (a + b) < a else 1
    return lambda a, b, x: mp.betainc(a, b, end, x, regularized=True)


@pytest.mark.parametrize("linker", ["numpy", pytest.param("xla", marks=pytest.mark.xla)])
def test_slopes_of_incomplete_gamma_functions_in_both_arguments_are_mpmaths(linker):
    points = [(k, k * f) for k in SHAPES for f in (1e-3, 0.5, 0.98, 1.02, 2.0, 12.0)]
    values = np.array(points).T.copy()
    tol = 1e-10 if linker == "numpy" else 1e-9
    got = slopes(theano.Mode(linker), T.gammainc, T.dvectors("k", "x"), values)
    assert_mpmaths(got, gamma_tail, points, tol)


@pytest.mark.parametrize("linker", ["numpy", pytest.param("xla", marks=pytest.mark.xla)])
def test_slopes_of_the_incomplete_beta_function_in_all_arguments_are_mpmaths(linker):
    points = [(a, b, x) for a in SHAPES[1:5] for b in SHAPES[1:5] for x in (1e-4, 0.2, 0.5, 0.9)]
    values = np.array(points).T.copy()
    got = slopes(theano.Mode(linker), T.betainc, T.dvectors("a", "b", "x"), values)
    # below, sixty digits do not suffice for mpmath's series
    assert_mpmaths(got, beta_tail, points, 1e-8, least=1e-40)


def test_slopes_in_shapes_are_zero_at_the_ends_and_nan_outside():
    k, x = T.dvectors("k", "x")
    f = theano.function([k, x], T.grad(T.gammainc(k, x).sum(), k))
    np.testing.assert_array_equal(f([2, 2, -1, 2], [0, inf, 1, -1]), [0, 0, nan, nan])
    a, b = T.dvectors("a", "b")
    g = theano.function([a, b, x], T.grad(T.betainc(a, b, x).sum(), [a, b]))
    for slope in g([2, 2, -1, 2], [3, 3, 3, 3], [0, 1, 0.5, 1.5]):
        np.testing.assert_array_equal(slope, [0, 0, nan, nan])
