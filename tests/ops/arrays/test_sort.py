"""Sorting, the k largest elements: order, NaN, ties, axes, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.ops.elements import ALL, INTS, REALS
from theano._src.ops.arrays import sort as S
from theano._src.types.convert import as_tensor_variable
from theano._src.types.tensor import tensor_type
from theano.testing import Case, OpSpec, Raises, evaluate, spec_tests

inf, nan = math.inf, math.nan
X = np.random.default_rng(5).permutation(24).reshape(2, 3, 4).astype("float64")


def key(n):
    """NaN after everything, complex numbers by their real part first."""
    return (n != n, 0, 0) if n != n else (False, n.real, n.imag)


def by_line(fn):
    """A function of lines along an axis, from one of a list of Python numbers."""

    def reference(x, axis=-1, kind=None):
        x = np.asarray(x)
        if axis is None:
            x, axis = x.reshape(-1), 0
        lines = np.moveaxis(x, int(axis), -1)
        shape = lines.shape[:-1]
        made = [fn(lines[at].tolist()) for at in np.ndindex(*shape)]
        length = len(made[0]) if made else lines.shape[-1]
        out = np.array(made).reshape(*shape, length)
        return np.moveaxis(out, -1, int(axis))

    return reference


def order(line):
    return sorted(range(len(line)), key=lambda i: key(line[i]))


def top(line, k):
    """Positions of the k largest, or -k smallest, descending; the first of equals first."""
    found = []
    for i in reversed(order(line)):
        at = len(found)
        while at and key(line[found[at - 1]]) == key(line[i]):
            at -= 1
        found.insert(at, i)
    return found[:k] if k > 0 else found[k:]


def some(dtype):
    rng = np.random.default_rng(3)
    made = rng.integers(0, 2 if dtype == "bool" else 9, (3, 7))
    return (made + 1j * rng.integers(0, 3, (3, 7)) if dtype[0] == "c" else made).astype(dtype)


CASES = [Case(X, kwargs={"axis": a}, id=f"axis={a}") for a in (-1, 0, 1, 2, -3, None)]
CASES += [Case(some(d), id=d) for d in ALL]
CASES += [
    Case(X, id="default"),
    Case(X, 0, id="symbolic-axis"),
    Case(X, np.int8(-2), id="symbolic-negative-axis"),
    Case(np.array([3.0, nan, -inf, inf, 1, nan]), id="nan"),
    Case(np.array([1.0, 0, 1, 0, 1, 0]), id="ties"),
    Case(np.tile([2.0, 1.0, 3.0], 20), id="many-ties"),
    Case(np.zeros(0), id="empty"),
    Case(np.zeros((0, 3)), id="no-lines"),
    Case(np.array(3.0), kwargs={"axis": None}, id="0-d"),
    Case(np.array([[3.0, 1.0]]), broadcastable={0: (True, False)}, id="row"),
    *[Case(X, kwargs={"kind": k}, id=k) for k in ("quicksort", "mergesort", "heapsort", "stable")],
]
ERRORS = [
    Raises((X,), ValueError, "axis from -3 to 2.*got 3", kwargs={"axis": 3}),
    Raises((np.array(1.0),), ValueError, "0-d.*axis=None flattens"),
    Raises((X, 7), ValueError, "axis from -3 to 2.*got 7", when="run"),
    Raises((X,), ValueError, "kind of quicksort.*got 'foo'", kwargs={"kind": "foo"}),
    Raises((X,), ValueError, "no fields", kwargs={"order": "f"}),
    Raises((X, 1.5), TypeError, "integer as axis", static=(1,)),
    Raises((X, 1.5), AssertionError, "integer as axis", when="run"),
]


def ks(x, k, axis=-1):
    return by_line(lambda line: [line[i] for i in top(line, k)])(x, axis)


def args_ks(x, k, axis=-1, idx_dtype="int64"):
    return by_line(lambda line: top(line, k))(x, axis).astype(idx_dtype)


TOP = [
    Case(X, 2, static=[1], id="2"),
    Case(X, 2, id="symbolic"),
    Case(X, -2, id="smallest"),
    Case(X, 4, id="all"),
    Case(X, -4, id="all-smallest"),
    Case(X, 1, kwargs={"axis": 0}, id="axis=0"),
    Case(X, 2, kwargs={"axis": -2}, id="axis=-2"),
    Case(X, 5, kwargs={"axis": None}, id="flat"),
    Case(np.array([3.0, 5, 2, 5, 5]), 2, id="ties"),
    Case(np.array([3.0, 5, 2, 5, 5]), -4, id="ties-smallest"),
    Case(np.array([1.0, nan, inf, nan]), 3, id="nan"),
    Case(np.array([[3.0, 1.0]]), 1, broadcastable={0: (True, False)}, id="row"),
    *[Case(some(d), 3, id=d) for d in REALS],
]
TOP_ERRORS = [
    Raises((X, 0), ValueError, "kth other than 0", static=[1]),
    Raises((X, 0), ValueError, "kth from 1 to 4, or from -4 to -1.*got 0", when="run"),
    Raises((X, 5), ValueError, "along a dimension of length 4, got 5", when="run"),
    Raises((X, -5), ValueError, "got -5", when="run"),
    Raises((X, 1.5), TypeError, "integer as kth"),
    Raises((X, np.array([1])), TypeError, "integer as kth"),
    Raises((np.array(1.0), 1), ValueError, "at least one dimension"),
    Raises((X, 1), IndexError, "axis from -3 to 2.*got 4", kwargs={"axis": 4}),
    Raises((X, 1), TypeError, "int as axis, got 1.5", kwargs={"axis": 1.5}),
    Raises((X, 1), TypeError, "idx_dtype, got 'float32'", kwargs={"idx_dtype": "float32"}),
]


# fmt: off
SPECS = [
    OpSpec(S.sort, by_line(lambda line: [line[i] for i in order(line)]), cases=CASES,
           out_dtype=lambda d, *axis: d, errors=ERRORS),
    OpSpec(S.argsort, by_line(order), cases=CASES, out_dtype="int64", errors=ERRORS),
    OpSpec(S.topk, ks, cases=TOP, out_dtype=lambda d, *k: d, errors=TOP_ERRORS),
    OpSpec(S.argtopk, args_ks, out_dtype="int64", errors=TOP_ERRORS, cases=TOP),
    OpSpec(S.argtopk, args_ks, name="argtopk-int32", out_dtype="int32",
           cases=[Case(X, 2, kwargs={"idx_dtype": "int32"})]),
    OpSpec(S.topk_and_argtopk, lambda *a, **k: (ks(*a, **k), args_ks(*a, **k)), cases=TOP,
           out_dtype=lambda d, *k: (d, "int64"), errors=TOP_ERRORS),
]
# fmt: on


def value(out):
    (found,) = evaluate([out], {})
    return found


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda x: S.sort(x), "SortOp{quicksort, None}"),
        (lambda x: S.argsort(x, kind="mergesort"), "ArgSortOp{mergesort, None}"),
        (lambda x: S.topk(x, 2), "TopKOp{axis=-1, sorted=True}"),
        (lambda x: S.topk_and_argtopk(x, 2, sorted=False)[1], "TopKOp{axis=-1, sorted=False}"),
    ],
)
def test_ops_print_as_users_know_them(make, text):
    assert str(make(tensor_type("float64", (False,))("x")).owner.op) == text


def test_a_dimension_of_length_one_may_shrink_or_not_in_topk_only_along_its_axis():
    col = tensor_type("float64", (False, True))("x")
    assert S.topk(col, 1).broadcastable == (False, False)
    assert S.topk(col, 1, axis=0).broadcastable == (False, True)


def test_topk_asks_for_something():
    with pytest.raises(ValueError, match="got neither"):
        S.TopKOp(return_values=False, return_indices=False)


@pytest.mark.parametrize("dtype", INTS)
def test_the_ends_of_integer_dtypes_are_in_order(dtype):
    info = np.iinfo(dtype)
    x = as_tensor_variable(np.array([info.max, info.min, 1], dtype))
    assert value(S.sort(x)).tolist() == sorted([info.max, info.min, 1])
    assert value(S.topk(x, 1)).tolist() == [info.max]
    assert value(S.argtopk(x, -1)).tolist() == [1]


test_ops = spec_tests(SPECS)
