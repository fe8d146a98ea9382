"""When arrays count as equal: by tolerances of their dtypes."""

import numpy as np
import pytest

import theano.tensor as T
from theano.tensor import type as tt
from theano.tensor.basic import _allclose, _get_atol_rtol, check_equal_numpy


def test_tolerances_are_those_of_the_narrowest_dtype():
    half, single, double = (np.zeros(1, d) for d in ("float16", "float32", "float64"))
    assert _get_atol_rtol(half, double) == (T.basic.float16_atol, T.basic.float16_rtol)
    assert _get_atol_rtol(double, single) == (1e-5, 1e-5)
    assert _get_atol_rtol(double, double) == (1e-8, 1e-5)


def test_programs_may_set_tolerances(monkeypatch):
    a, b = np.float64(1), np.float64(1 + 1e-6)
    assert _allclose(a, b) and T.dscalar.values_eq_approx(a, b)
    monkeypatch.setattr(T.basic, "float64_rtol", 1e-9)
    assert not _allclose(a, b) and not T.dscalar.values_eq_approx(a, b)
    assert _allclose(a, b, rtol=1e-5)


A = np.array([1.0, np.inf, np.nan])


@pytest.mark.parametrize(
    ("compare", "b", "equal"),
    [
        (tt.values_eq_approx, A, True),
        (tt.values_eq_approx, [1.0, -np.inf, np.nan], False),
        (tt.values_eq_approx_remove_inf, [1.0, 2.0, np.nan], True),
        (tt.values_eq_approx_remove_inf, [1.0, 2.0, 3.0], False),
        (tt.values_eq_approx_remove_nan, [1.0, np.inf, 3.0], True),
        (tt.values_eq_approx_remove_nan, [1.0, 2.0, 3.0], False),
        (tt.values_eq_approx_remove_inf_nan, [1.0, 2.0, 3.0], True),
        (tt.values_eq_approx_remove_inf_nan, [1.1, 2.0, 3.0], False),
        (tt.values_eq_approx_always_true, [5.0], True),
    ],
)
def test_what_is_not_finite_may_be_left_out(compare, b, equal):
    assert compare(A, np.asarray(b)) is equal


def test_shapes_and_dtypes_must_agree():
    assert not tt.values_eq_approx(np.zeros(2), np.zeros(3))
    assert not tt.values_eq_approx(np.zeros(2), np.zeros(2, "float32"))
    assert not tt.values_eq_approx(np.array([1, 2]), np.array([1, 3]))


def test_values_of_any_kind_are_compared():
    assert check_equal_numpy(np.zeros(2), np.full(2, 1e-12))
    assert not check_equal_numpy(np.zeros(2), np.full(2, 1e-9))
    assert not check_equal_numpy(np.zeros(2), np.zeros(2, "float32"))
    assert check_equal_numpy("a", "a")
    one, two = np.random.RandomState(1), np.random.RandomState(1)
    assert check_equal_numpy(one, two)
    two.rand()
    assert not check_equal_numpy(one, two)
