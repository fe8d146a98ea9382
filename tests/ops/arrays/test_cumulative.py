"""Running sums, differences, counts, windows and distinct elements."""

from __future__ import annotations

import itertools
import math
import operator
from collections import Counter

import numpy as np
import pytest

from tests.ops.elements import ALL, DISCRETE, INTS, wrapped
from theano._src.ops.arrays import bincount, cumulative as Q, unique, windows
from theano._src.types.tensor import tensor_type
from theano.testing import Case, OpSpec, Raises, evaluate, spec_tests

nan = math.nan
X = np.random.default_rng(8).uniform(0.5, 1.5, (2, 3, 4))


def by_line(fn):
    """A function of lines along an axis, from one of a list of Python numbers."""

    def reference(x, axis=-1, count=False, **more):
        x = np.asarray(x)
        dtype = "int64" if count and x.dtype == bool else x.dtype
        if axis is None:
            x, axis = x.reshape(-1), 0
        lines = np.moveaxis(x, axis, -1)
        shape = lines.shape[:-1]
        made = [fn(lines[at].tolist(), **more) for at in np.ndindex(*shape)]
        length = len(made[0]) if made else len(fn([1] * lines.shape[-1], **more))
        flat = [wrapped(n, np.dtype(dtype)) for line in made for n in line]
        return np.moveaxis(np.array(flat, dtype).reshape(*shape, length), -1, axis)

    return reference


def running(fn):
    def reference(x, axis=None):
        return by_line(lambda line: list(itertools.accumulate(line, fn)))(x, axis, count=True)

    return reference


def differences(line, n=1):
    for _ in range(n):
        pairs = itertools.pairwise(line)
        line = [b != a if isinstance(a, bool) else b - a for a, b in pairs]
    return line


def some(dtype):
    rng = np.random.default_rng(3)
    made = rng.integers(0, 2 if dtype == "bool" else 5, (3, 7))
    return (made + 1j * rng.integers(0, 3, (3, 7)) if dtype[0] == "c" else made).astype(dtype)


CASES = [Case(X, kwargs={"axis": a}, id=f"axis={a}") for a in (None, 0, 1, 2, -1, -3)]
CASES += [Case(some(d), kwargs={"axis": 1}, id=d) for d in ALL]
CASES += [
    Case(X, id="default"),
    Case(np.zeros(0), id="empty"),
    Case(np.zeros((0, 3)), kwargs={"axis": 1}, id="no-lines"),
    Case(np.zeros((0, 3)), kwargs={"axis": 0}, id="no-elements"),
    Case(np.array(3.0), id="0-d"),
    Case(np.array([100, 100, 100], "int8"), id="wraps"),
    Case(np.array([1.0, nan, 2.0]), id="nan"),
    Case(np.array([[3.0, 1.0]]), kwargs={"axis": 0}, broadcastable={0: (True, False)}, id="row"),
]
ERRORS = [
    Raises((X,), ValueError, "axis from -3 to 2.*got axis 3", kwargs={"axis": 3}),
    Raises((np.array(1.0),), ValueError, "0-d.*got axis 0", kwargs={"axis": 0}),
    Raises((X,), TypeError, "int as axis, got 1.5", kwargs={"axis": 1.5}),
]


def counts(x, minlength=0, assert_nonneg=False):
    found = Counter(x.tolist())
    return np.array([found[i] for i in range(max([-1, *x.tolist(), minlength - 1]) + 1)], "int64")


def weighed(x, weights, minlength=0):
    out = [0] * (max([-1, *x.tolist(), minlength - 1]) + 1)
    for i, w in zip(x.tolist(), np.broadcast_to(weights, x.shape).tolist(), strict=True):
        out[i] += w
    return np.array(out)


def summed(dtype):
    if dtype not in DISCRETE:
        return dtype
    return "uint64" if dtype[0] == "u" else "int64"


def triangle(M):
    n = int(M)
    if n == 1:
        return np.ones(1)
    return np.array([1 - abs(2 * i / (n - 1) - 1) for i in range(n)], "float64")


def distinct(x, axis=None, return_index=False, return_inverse=False, return_counts=False):
    """By dictionaries; NaN is one element."""
    x = np.asarray(x)
    slices = list(x.reshape(-1)) if axis is None else list(np.moveaxis(x, axis, 0))

    def name(s):
        return tuple(("nan",) if n != n else (n,) for n in np.ravel(s).tolist())

    first: dict = {}
    for i, s in enumerate(slices):
        first.setdefault(name(s), i)
    keys = sorted(first, key=lambda k: [(n == ("nan",), 0 if n == ("nan",) else n[0]) for n in k])
    rows = [slices[first[k]] for k in keys]
    values = np.array(rows, x.dtype).reshape(len(rows), *np.shape(slices[0]) if slices else ())
    found = [values if axis is None else np.moveaxis(values, 0, axis)]
    if return_index:
        found.append(np.array([first[k] for k in keys], "int64"))
    if return_inverse:
        found.append(np.array([keys.index(name(s)) for s in slices], "int64"))
    if return_counts:
        many = Counter(name(s) for s in slices)
        found.append(np.array([many[k] for k in keys], "int64"))
    return found


I = np.array([1, 1, 4], "int32")
ALL_OF_UNIQUE = {"return_index": True, "return_inverse": True, "return_counts": True}
NUMBERS = np.array([[3.0, 1, 3], [2, 1, 3], [3, 1, 3]])
HOST = "host: the number of distinct elements is known only once they are found"

# fmt: off
SPECS = [
    OpSpec(Q.cumsum, running(operator.add), cases=CASES, errors=ERRORS,
           out_dtype=lambda d: "int64" if d == "bool" else d),
    OpSpec(Q.cumprod, running(operator.mul), cases=CASES, errors=ERRORS,
           out_dtype=lambda d: "int64" if d == "bool" else d),
    OpSpec(Q.diff, by_line(differences), out_dtype=lambda d: d,
           cases=[c for c in CASES if c.id not in ("0-d", "axis=None")] + [
               Case(X, kwargs={"n": 2, "axis": 1}, id="twice"),
               Case(X, kwargs={"n": 0}, id="n=0"),
               Case(np.arange(3.0), kwargs={"n": 3}, id="n=length"),
               Case(np.arange(3.0), kwargs={"n": 7}, id="n>length"),
               Case(some("bool"), kwargs={"n": 2}, id="bool-twice"),
               Case(np.array([[3.0, 1.0]]), broadcastable={0: (True, False)}, id="along-row")],
           errors=[*ERRORS[1:], Raises((X,), ValueError, "got axis 3", kwargs={"axis": 3}),
                   Raises((np.array(1.0),), ValueError, "0-d"),
                   Raises((X,), ValueError, "n of 0 or more, got -1", kwargs={"n": -1}),
                   Raises((X,), TypeError, "int as n", kwargs={"n": 1.5})]),
    OpSpec(bincount.bincount, counts, out_dtype="int64",
           cases=[Case(I.astype(d), id=d) for d in INTS] + [
               Case(I, kwargs={"minlength": 7}, id="minlength"),
               Case(I, kwargs={"minlength": 2}, id="minlength-small"),
               Case(I, kwargs={"minlength": -3}, id="minlength-negative"),
               Case(I, kwargs={"assert_nonneg": True}, id="assert"),
               Case(np.zeros(0, "int64"), id="empty"),
               Case(np.zeros(0, "int8"), kwargs={"minlength": 3}, id="empty-minlength"),
               Case(np.array([127] * 130, "int8"), id="many")],
           errors=[Raises(I - 2, ValueError, "non-negative integers, got -1", "run"),
                   Raises(I - 2, AssertionError, "Input to bincount has negative values!", "run",
                          kwargs={"assert_nonneg": True}),
                   Raises(X, TypeError, "vector of integers"),
                   Raises(np.zeros(3), TypeError, "vector of integers"),
                   Raises(np.zeros(3, bool), TypeError, "vector of integers"),
                   Raises(I, TypeError, "integer as minlength", kwargs={"minlength": 1.5})]),
    OpSpec(bincount.bincount, weighed, name="bincount-weights",
           out_dtype=lambda x, w, *m: summed(w),
           cases=[Case(I, np.array([0.5, 0.25, 3]).astype(d), id=d)
                  for d in ("float16", "float32", "float64", "complex64", "int8", "uint8", "bool")]
           + [Case(I, np.array([100, 100, 1], "int8"), id="int8-wide"),
              Case(I, np.array(2.5), id="one-weight"),
              Case(I, np.array([1.0, 2, 3]), 9, id="minlength")],
           errors=[Raises((I, np.zeros(2)), ValueError, "as many weights as elements, got 2 for 3",
                          "run"),
                   Raises((I, np.zeros((3, 1))), TypeError, "vector of weights")]),
    OpSpec(windows.bartlett, triangle, out_dtype="float64",
           cases=[Case(np.array(n, d), id=f"{n}-{d}") for n, d in [
               (-3, "int32"), (0, "int64"), (0, "uint8"), (1, "int8"), (2, "uint8"), (3, "int32"),
               (4, "uint64"), (5, "int16"), (6, "int64"), (51, "int8")]],
           errors=[Raises(5.0, TypeError, "Bartlett takes an integer"),
                   Raises(np.array([5]), TypeError, "Bartlett takes a scalar")]),
    OpSpec(unique.unique, distinct, xla=HOST, out_dtype=lambda d: d, cases=[
        Case(np.array([3, 1, 3, 2], "int8")), Case(NUMBERS), Case(np.array(3.0), id="0-d"),
        Case(np.zeros(0), id="empty"), Case(np.array([1.0, nan, 1, nan]), id="nan"),
        Case(np.array([True, True])), Case(NUMBERS, kwargs={"axis": 0}, id="rows"),
        Case(NUMBERS, kwargs={"axis": -1}, id="columns"),
        Case(NUMBERS[:1], kwargs={"axis": 0}, broadcastable={0: (True, False)}, id="row")],
        errors=[Raises((X,), RuntimeError, "axis from -3 to 2.*got axis 5", kwargs={"axis": 5})]),
    OpSpec(unique.unique, distinct, name="unique-all", xla=HOST,
           out_dtype=lambda d: (d, "int64", "int64", "int64"), cases=[
        Case(NUMBERS, kwargs=ALL_OF_UNIQUE, id="elements"),
        Case(NUMBERS, kwargs={"axis": 0, **ALL_OF_UNIQUE}, id="rows"),
        Case(NUMBERS, kwargs={"axis": 1, **ALL_OF_UNIQUE}, id="columns"),
        Case(np.array([[1, 2], [1, nan]]), kwargs=ALL_OF_UNIQUE, id="nan")]),
    OpSpec(unique.unique, distinct, name="unique-inverse", xla=HOST, out_dtype=("float64", "int64"),
           cases=[Case(NUMBERS, kwargs={"return_inverse": True})]),
]
# fmt: on


@pytest.mark.parametrize(
    ("op", "text"),
    [
        (Q.CumOp(), "CumOp{None, add}"),
        (Q.CumOp(1, "mul"), "CumOp{1, mul}"),
        (Q.CumsumOp(axis=-1), "CumOp{-1, add}"),
        (Q.CumprodOp(), "CumOp{None, mul}"),
        (Q.DiffOp(), "DiffOp{n=1, axis=-1}"),
        (windows.Bartlett(), "Bartlett"),
        (
            unique.Unique(),
            "Unique{return_index=False, return_inverse=False, return_counts=False, axis=None}",
        ),
    ],
    ids=str,
)
def test_ops_print_as_users_know_them(op, text):
    assert str(op) == text


def test_cumop_knows_sums_and_products():
    with pytest.raises(ValueError, match="'add' or 'mul', got 'sub'"):
        Q.CumOp(mode="sub")


def test_unique_gives_one_variable_or_a_list():
    x = tensor_type("float64", (False,))("x")
    assert unique.unique(x).ndim == 1
    assert [v.dtype for v in unique.unique(x, return_counts=True)] == ["float64", "int64"]


def test_a_symbolic_least_length_is_taken():
    n = tensor_type("int8", ())("n")
    (got,) = evaluate([bincount.bincount(I, minlength=n)], {n: np.array(6, "int8")})
    assert got.tolist() == [0, 2, 0, 0, 1, 0]


def test_the_window_reaches_one_only_for_an_odd_number_of_points():
    for n in (4, 5):
        (window,) = evaluate([windows.bartlett(n)], {})
        assert window[0] == window[-1] == 0 and (window.max() == 1) == (n % 2 == 1)


test_ops = spec_tests(SPECS)
