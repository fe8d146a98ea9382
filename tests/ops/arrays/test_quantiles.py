"""Medians, quantiles and percentiles: against NumPy, with NaN, several axes and symbolic shares."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.testing import Case, OpSpec, Raises, spec_tests

nan = math.nan
rng = np.random.default_rng(4)
M, T3 = rng.normal(size=(3, 5)), rng.normal(size=(2, 3, 4))
HOLES = M.copy()
HOLES[0, 1] = HOLES[2, :2] = nan
I = np.array([[3, 1, 2], [9, 8, 4]], "int32")
Q = np.array([0.0, 0.25, 0.9, 1.0])
NEAR_NAN = "none: numbers near NaN"


def case(x, q=None, id="", grad=None, **kwargs):
    args = (x,) if q is None else (x, q)
    return Case(*args, static=(1,) if q is not None else (), kwargs=kwargs, id=id, grad=grad)


def share_cases(scale):
    q = Q * scale
    return [
        case(M, 0.3 * scale, id="scalar"),
        case(rng.normal(size=(2, 2)), 0.3 * scale, id="other_size"),
        case(M, q, id="vector"),
        case(M, q, axis=0, id="axis"),
        case(M, q.reshape(2, 2), axis=1, keepdims=True, id="matrix_keepdims"),
        case(T3, q, axis=(0, 2), id="axes"),
        case(I, 0.4 * scale, axis=1, id="integers"),
        case(M.astype("float32"), 0.7 * scale, axis=1, id="float32"),
        case(HOLES, q, axis=1, id="nan", grad=NEAR_NAN),
    ]


METHODS = [case(M, Q, axis=1, method=m, id=m) for m in ("lower", "higher", "nearest", "midpoint")]

SPECS = [
    OpSpec(
        T.quantile,
        np.quantile,
        cases=[*share_cases(1), *METHODS, case(I, Q, axis=1, method="lower", id="lower_integers")],
        errors=[
            Raises((M, 1.5), ValueError, "shares from 0 to 1, got 1.5", static=(1,)),
            Raises(
                (M, 0.5), ValueError, "a method out of linear", static=(1,), kwargs={"method": "x"}
            ),
            Raises((np.ones(2, "complex128"), 0.5), TypeError, "real numbers", static=(1,)),
        ],
    ),
    OpSpec(T.percentile, np.percentile, cases=share_cases(100)),
    OpSpec(T.nanquantile, np.nanquantile, cases=share_cases(1)),
    OpSpec(
        T.nanpercentile,
        np.nanpercentile,
        cases=[
            case(HOLES, Q * 100, axis=0, id="axis"),
            case(M, 30.0, id="all"),
            case(T3[0], 30.0, id="other_size"),
        ],
        grad=NEAR_NAN,
    ),
    OpSpec(
        T.median,
        np.median,
        cases=[
            case(M, id="odd"),
            case(rng.normal(size=(2, 4)), id="even"),
            case(M, axis=0, keepdims=True, id="keepdims"),
            case(HOLES, axis=1, id="nan", grad=NEAR_NAN),
            case(I, axis=1, id="integers"),
        ],
    ),
    OpSpec(
        T.nanmedian,
        np.nanmedian,
        cases=[
            case(HOLES, axis=1, id="nan", grad=NEAR_NAN),
            case(M, id="all"),
            case(M[:2], id="other_size"),
        ],
    ),
    OpSpec(
        T.take_along_axis,
        np.take_along_axis,
        cases=[
            Case(M, np.array([[0, 4], [1, 1], [2, 0]]), kwargs={"axis": 1}, id="own_places"),
            Case(M[:2], np.array([[0], [3]]), kwargs={"axis": 1}, id="other_size"),
            Case(
                M,
                np.array([[2, 0, 1, 1, 2]]),
                kwargs={"axis": 0},
                broadcastable={1: (True, False)},
                id="row",
            ),
        ],
        fixed={1: "indices"},
        errors=[
            Raises((M, np.array([0])), ValueError, "indices of as many dimensions"),
            Raises((M, np.array([[9]] * 3)), IndexError, "", when="run"),
        ],
    ),
]


@pytest.mark.parametrize("linker", ["numpy", "xla"])
def test_symbolic_shares_are_read_and_checked_when_it_runs(linker):
    x, q = T.dvector(), T.dscalar()
    f = theano.function([x, q], T.quantile(x, q), mode=theano.Mode(linker=linker))
    v = rng.normal(size=7)
    np.testing.assert_allclose(f(v, 0.3), np.quantile(v, 0.3), rtol=1e-13)
    for wrong in (-0.1, 1.1, nan):
        with pytest.raises(AssertionError, match="shares from 0 to 1"):
            f(v, wrong)


def test_medians_are_those_of_the_standard_library():
    for n in (1, 2, 5, 8):
        v = rng.normal(size=n)
        assert T.median(v).eval().item() == pytest.approx(statistics.median(v), rel=1e-14)


def test_equal_infinities_have_a_median():
    assert T.median(np.array([math.inf, math.inf])).eval().item() == math.inf


test_ops = spec_tests(SPECS)
