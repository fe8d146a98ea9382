"""Rounding: halves, signs of zero, infinities, numbers too large for a fraction."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from tests.ops.elements import DISCRETE, FLOATS, REALS, by_python
from theano._src.ops.elementwise import rounding as R
from theano._src.types.tensor import tensor_type
from theano.testing import Case, OpSpec, Raises, evaluate, spec_tests

inf, nan = math.inf, math.nan
Z, N = np.ones(2, "complex128"), np.ones(2, "int64")
BELOW_HALF = 0.49999999999999994
LARGE_ODD = 2.0**52 + 1


def float_of(dtype):
    if dtype not in DISCRETE:
        return dtype
    return "float32" if dtype in ("bool", "int8", "int16", "uint8", "uint16") else "float64"


def away(x):
    """Exactly, by fractions: of two neighbours as near, the one farther from zero."""
    exact = abs(Fraction(x))
    return math.copysign(math.floor(exact + Fraction(1, 2)), x)


HALVES = {nan: nan, inf: inf, -inf: -inf, -0.0: -0.0, LARGE_ODD: LARGE_ODD, BELOW_HALF: 0.0}
AWAY = {0.5: 1, 1.5: 2, 2.5: 3, -0.5: -1, -1.5: -2, -2.5: -3, -0.2: -0.0}
EVEN = {0.5: 0.0, 1.5: 2, 2.5: 2, -0.5: -0.0, -1.5: -2, -2.5: -2, -0.2: -0.0}

# fmt: off
SPECS = [
    OpSpec(R.ceil, by_python(lambda x: math.ceil(x)), dtypes=REALS, out_dtype=float_of,
           domain=(-9, 9), special={-0.5: -0.0, 0.2: 1, inf: inf, nan: nan},
           errors=[Raises(Z, TypeError, "ceil takes real numbers, got")]),
    OpSpec(R.floor, by_python(lambda x: math.floor(x)), dtypes=REALS, out_dtype=float_of,
           domain=(-9, 9), special={-0.5: -1, 0.8: 0.0, -0.0: -0.0, -inf: -inf, nan: nan},
           errors=[Raises(Z, TypeError, "floor takes real numbers, got")]),
    OpSpec(R.trunc, by_python(lambda x: math.trunc(x)), dtypes=REALS, out_dtype=float_of,
           domain=(-9, 9), special={-0.5: -0.0, 1.8: 1, -1.8: -1, inf: inf, nan: nan},
           errors=[Raises(Z, TypeError, "trunc takes real numbers, got")]),
    OpSpec(R.round_half_to_even, by_python(lambda x: float(round(x))), name="round_half_to_even",
           dtypes=FLOATS, out_dtype=str, domain=(-9, 9), special={**HALVES, **EVEN},
           errors=[Raises(N, TypeError, "RoundHalfToEven takes floats .*, got int64"),
                   Raises(Z, TypeError, "got complex128")]),
    OpSpec(R.round_half_away_from_zero, by_python(away), name="round_half_away_from_zero",
           dtypes=FLOATS, out_dtype=str, domain=(-9, 9), special={**HALVES, **AWAY},
           errors=[Raises(N, TypeError, "RoundHalfAwayFromZero takes floats .*, got int64")]),
    OpSpec(R.round, by_python(away), dtypes=FLOATS, out_dtype=str, domain=(-9, 9),
           special={**HALVES, **AWAY},
           errors=[Raises((np.ones(1), "up"), ValueError,
                          "round takes mode 'half_away_from_zero' or 'half_to_even', got 'up'")]),
    OpSpec(R.round, lambda x, mode: np.array([float(round(v)) for v in x.tolist()]),
           name="round to even",
           cases=[Case(np.array(list(EVEN)), kwargs={"mode": "half_to_even"})]),
    OpSpec(R.iround, by_python(away), dtypes=FLOATS, out_dtype=lambda d: "int64", domain=(-9, 9),
           special={**{k: int(v) for k, v in AWAY.items()}, 3e15: 3 * 10**15}),
]
# fmt: on


@pytest.mark.xla
@pytest.mark.parametrize("op", [R.round_half_to_even, R.round_half_away_from_zero, R.trunc])
def test_halves_round_the_same_under_jax(op):
    import jax

    from theano._src.engines.jax.arrays.jax_xp import jax_xp, x64

    (spec,) = [s for s in SPECS if s.fn is op]
    x, want = (np.array(list(v)) for v in (spec.special, spec.special.values()))
    with x64():
        got = np.asarray(jax.jit(lambda x: op.compute(jax_xp, x))(x))
    np.testing.assert_array_equal(got, want)
    assert (np.signbit(got) == np.signbit(want))[~np.isnan(want)].all()


@pytest.mark.parametrize("dtype", FLOATS)
def test_every_half_rounds_away_from_zero(dtype):
    x = np.arange(-100, 100, dtype=dtype) + np.asarray(0.5, dtype)
    v = tensor_type(dtype, (False,))()
    (got,) = evaluate([R.round(v)], {v: x})
    assert got.tolist() == [n + 1 if n >= 0 else n for n in range(-100, 100)]


def test_ops_print_by_their_documented_names():
    for name in ("ceil", "floor", "trunc", "round_half_to_even", "round_half_away_from_zero"):
        assert str(getattr(R, name)) == f"Elemwise{{{name},no_inplace}}"
    assert str(R.scalar_round_half_to_even) == "RoundHalfToEven"
    assert R.rint is R.round_half_to_even


test_ops = spec_tests(SPECS)
