"""Reductions without NaN, weighted and logarithmic ones: against NumPy and SciPy."""

from __future__ import annotations

import math

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.testing import Case, OpSpec, Raises, spec_tests

inf, nan = math.inf, math.nan
rng = np.random.default_rng(8)
M = rng.normal(size=(3, 4))
HOLES = M.copy()
HOLES[0, 1] = HOLES[2, :2] = nan
NARROW = HOLES.astype("float32")
INTS = np.array([[1, 2], [0, 5]], "int32")


def quiet(ref):
    def reference(*args, **kwargs):
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ref(*args, **kwargs)

    return reference


def cases(*extra, keepdims=True, ints=True):
    made = [
        Case(M, id="no_nan"),
        Case(rng.normal(size=(2, 5)), id="other_size"),
        Case(HOLES, kwargs={"axis": 0}, id="axis", grad="none: numbers near NaN"),
        Case(HOLES, kwargs={"axis": 1}, id="last", grad="none: numbers near NaN"),
        Case(NARROW, kwargs={"axis": 1}, id="float32", grad="none: numbers near NaN"),
    ]
    if keepdims:
        made.append(Case(M, kwargs={"axis": 1, "keepdims": True}, id="keepdims"))
    if ints:
        made.append(Case(INTS, kwargs={"axis": 0}, id="integers"))
    return [*made, *extra]


ALL_NAN = Case(np.full((2, 2), nan), kwargs={"axis": 0}, id="all_nan", grad="none: NaN")
NO_NUMBER = Raises(
    ([[1.0, nan], [nan, nan]],), ValueError, "All-NaN slice", when="run", kwargs={"axis": 1}
)

SPECS = [
    OpSpec(T.nansum, np.nansum, cases=cases(ALL_NAN)),
    OpSpec(T.nanprod, np.nanprod, cases=cases(ALL_NAN)),
    OpSpec(T.nanmean, quiet(np.nanmean), cases=cases(ALL_NAN)),
    OpSpec(
        T.nanvar, quiet(np.nanvar), cases=cases(ALL_NAN, Case(M, kwargs={"ddof": 1}, id="ddof"))
    ),
    OpSpec(T.nanstd, quiet(np.nanstd), cases=cases(ALL_NAN)),
    OpSpec(T.nanmax, quiet(np.nanmax), cases=cases(ALL_NAN)),
    OpSpec(T.nanmin, quiet(np.nanmin), cases=cases(ALL_NAN)),
    OpSpec(T.nanargmax, np.nanargmax, cases=cases(), grad="none: places", errors=[NO_NUMBER]),
    OpSpec(T.nanargmin, np.nanargmin, cases=cases(), grad="none: places", errors=[NO_NUMBER]),
    OpSpec(T.nancumsum, np.nancumsum, cases=cases(keepdims=False, ints=False)),
    OpSpec(T.nancumprod, np.nancumprod, cases=cases(keepdims=False, ints=False)),
    OpSpec(
        T.count_nonzero,
        np.count_nonzero,
        cases=[
            Case(INTS, id="all"),
            Case(np.array([[0.0, nan, 2.0]]), kwargs={"axis": 1}, id="nan_counts"),
            Case(np.ones((3, 3), "int32"), id="other_size"),
            Case(np.zeros((0, 2)), kwargs={"axis": 0, "keepdims": True}, id="nothing"),
        ],
        out_dtype="int64",
        grad="none: a count",
    ),
    OpSpec(
        lambda a, weights=None, **k: T.average(a, weights=weights, **k),
        lambda a, weights=None, **k: np.average(a, weights=weights, **k),
        name="average",
        cases=[
            Case(M, id="plain"),
            Case(M, abs(M) + 1, id="weights"),
            Case(abs(M[:2]), abs(M[:2]) + 1, id="other_size"),
            Case(M, np.array([1.0, 2.0, 3.0, 4.0]), kwargs={"axis": 1}, id="weights_of_an_axis"),
            Case(
                abs(M),
                abs(M) + 1,
                kwargs={"axis": 0, "returned": True},
                id="returned",
                grad="none: one output is made of the other",
            ),
            Case(M, kwargs={"axis": 0, "returned": True}, id="counted"),
            Case(INTS, kwargs={"axis": 0, "keepdims": True}, id="integers"),
        ],
        errors=[Raises((M, np.ones(3)), TypeError, "weights of the dimensions of")],
    ),
]


@pytest.mark.parametrize("linker", ["numpy", "xla"])
def test_gradients_of_sums_without_nan_are_zero_at_nan(linker):
    x = T.dmatrix()
    total = T.nansum(x) + T.nanmean(x) + T.nanmax(x) + T.nanvar(x)
    f = theano.function([x], T.grad(total, x), mode=theano.Mode(linker=linker))
    made, numbers = f(HOLES), HOLES[~np.isnan(HOLES)]
    n = numbers.size
    slope = 1 + 1 / n + (numbers.max() == HOLES) + 2 * (HOLES - numbers.mean()) / n
    np.testing.assert_allclose(made, np.where(np.isnan(HOLES), 0, slope), rtol=1e-12)


test_ops = spec_tests(SPECS)
