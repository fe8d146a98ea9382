"""Searching in sorted vectors: both sides, NaN, dtypes, a sorter, and what is refused."""

from __future__ import annotations

import bisect
import math

import numpy as np
import pytest

import theano
from theano._src.ops.arrays.search import searchsorted
from theano._src.types.tensor import tensor_type
from theano.testing import Case, OpSpec, Raises, spec_tests

inf, nan = math.inf, math.nan


def search(x, v, side="left", sorter=None):
    line = (x if sorter is None else x[sorter]).tolist()
    find = bisect.bisect_left if side == "left" else bisect.bisect_right
    made = [len(line) if n != n else find(line, n) for n in np.asarray(v).ravel().tolist()]
    return np.array(made, "int64").reshape(np.shape(v))


V = np.array([1.0, 2, 2, 3])
# fmt: off
SPECS = [
    OpSpec(searchsorted, search, cases=[
        Case(V, np.array([0, 1, 2, 2.5, 3, 9, nan, -inf, inf]), id="left"),
        Case(V, np.array([0, 1, 2, 2.5, 3, 9, -inf, inf]), kwargs={"side": "right"}, id="right"),
        Case(V, np.array(2.0), id="0-d"),
        Case(V, np.array([[2.0, 0], [7, 3]]), id="matrix"),
        Case(V, np.array([2], "int8"), kwargs={"side": "right"}, id="int8-in-float64"),
        Case(np.array([1, 2, 5], "int32"), np.array([1.5, 2.5], "float32"), id="float32-in-int32"),
        Case(np.array([2**53, 2**53 + 1]), np.array([2**53 + 1]), id="int64"),
        Case(np.zeros(0), np.array([1.0]), id="empty"),
        Case(V, np.zeros(0), id="no-values"),
        Case(np.array([3.0, 1, 2]), np.array([2.0, 4]), "left", np.array([1, 2, 0]),
             static=[2], id="sorter")],
        errors=[
            Raises((V[None], V), ValueError, "vector to search in"),
            Raises((V, V), ValueError, "'left' or 'right', got 'up'", kwargs={"side": "up"}),
            Raises((V, V, "left", V), TypeError, "integer vector as sorter", static=[2]),
            Raises((V, V, "left", np.array([0, 1])), ValueError, "sorter of the length.*4, got 2",
                   "run", static=[2]),
            Raises((V, V, "left", np.array([0, 1, 2, 4])), ValueError, "from 0 to 3 as sorter",
                   "run", static=[2]),
            Raises((V, V, "left", np.array([0, 1, 2, -1])), ValueError, "from 0 to 3 as sorter",
                   "run", static=[2])]),
]
# fmt: on


def test_the_op_prints_as_users_know_it():
    x = tensor_type("float64", (False,))("x")
    assert str(searchsorted(x, 2).owner.op) == "SearchsortedOp{side='left'}"


@pytest.mark.xla
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("short", ["int8", "int32", "uint32"])
@pytest.mark.parametrize("real", ["float16", "float32"])
def test_integers_and_short_floats_are_compared_as_in_float64(side, short, real):
    info = np.iinfo(short)
    whole = np.array([info.min, *range(-3 if info.min else 0, 4), info.max - 1, info.max], short)
    large = [127.0, 2.0**31, 2.0**32, inf, nan]
    with np.errstate(over="ignore"):
        reals = np.array([-inf, -(2.0**31), -2.5, -1, -0.5, 0, 0.5, 2, 2.5, *large]).astype(real)
    reals.sort()
    for x, v in [(whole, reals), (reals, whole)]:
        wanted = np.searchsorted(x.astype("float64"), v.astype("float64"), side=side)
        types = [tensor_type(a.dtype.name, (False,)) for a in (x, v)]
        inputs = [types[0]("x"), types[1]("v")]
        for linker in ("numpy", "xla"):
            f = theano.function(inputs, searchsorted(*inputs, side=side), mode=theano.Mode(linker))
            np.testing.assert_array_equal(f(x, v), wanted)


test_ops = spec_tests(SPECS)
