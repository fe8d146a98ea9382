"""Documented corner cases as tables: what comes out, to the bit, on both engines.

The answers are the documents', NumPy's definitions, or were asked of Theano 1.0.5.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.ops.elementwise import ufuncs
from theano._src.types.tensor import tensor_type

inf, nan = math.inf, math.nan
ENGINES = [
    pytest.param("numpy", None, id="numpy-as_written"),
    pytest.param("numpy", "fast_run", id="numpy"),
    pytest.param("xla", "fast_run", id="xla", marks=pytest.mark.xla),
]
ON_EACH_ENGINE = pytest.mark.parametrize(("engine", "rewrites"), ENGINES)


def f8(*values: float) -> np.ndarray:
    return np.array(values, "float64")


def f4(*values: float) -> np.ndarray:
    return np.array(values, "float32")


def i8(*values: int) -> np.ndarray:
    return np.array(values, "int64")


def i1(*values: int) -> np.ndarray:
    return np.array(values, "int8")


def u1(*values: int) -> np.ndarray:
    return np.array(values, "uint8")


def b(*values: int) -> np.ndarray:
    return np.array(values, "bool")


def n(value: Any, dtype: str = "float64") -> np.ndarray:
    return np.array(value, dtype)


class Row:
    """A function of variables, values for them, and what must come out."""

    def __init__(self, label: str, fn: Callable[..., Any], *values: Any) -> None:
        self.label, self.fn = label, fn
        self.args, self.expected = values[:-1], values[-1]
        self.inputs = [tensor_type(a.dtype.name, (False,) * a.ndim)() for a in self.args]

    def differs(self, made: np.ndarray) -> str | None:
        want = np.asarray(self.expected)
        same = made.dtype == want.dtype and made.shape == want.shape
        if same and np.array_equal(made, want, equal_nan=want.dtype.kind in "fc"):
            if want.dtype.kind != "f":
                return None
            zeros = want == 0
            if np.array_equal(np.signbit(made[zeros]), np.signbit(want[zeros])):
                return None
        shown = [f"{x.dtype}{x.shape} {x.tolist()}" for x in (made, want)]
        return f"{self.label}: {shown[0]}, expected {shown[1]}"


def minus(x, y):
    return x - y


def floor_div(x, y):
    return x // y


def mod(x, y):
    return x % y


def true_div(x, y):
    return x / y


def power(x, y):
    return x**y


def along_first(fn):
    return lambda x: fn(x, axis=0)


def casts(dtype):
    return lambda x: T.cast(x, dtype)


WIDE = (7, -7, 7, -7, 7, -7, 0), (2, 2, -2, -2, 0, 0, 0)
SIGNS = i1(7, -7, 7, -7, 7, -7, 0, -128, 127), i1(2, 2, -2, -2, 0, 0, 0, 1, -128)
REALS = (
    f8(7, -7, 7, -7, 7, -7, 0, inf, -inf, 5, -5, 5, -5, -0.0, 6, -6, nan, 1),
    f8(2, 2, -2, -2, 0, 0, 0, 2, 2, inf, inf, -inf, -inf, 3, -3, 3, 1, nan),
)
HALVES = f8(-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, -0.0, nan, inf, -inf)
NONE, FLAT, DEEP = f8(), np.zeros((0, 3)), np.zeros((2, 0, 3))
V, M = f8(1, 2, 3), np.arange(6.0).reshape(2, 3)
WITH_NAN = f8(nan, 2, -inf, nan, inf, -1)

# fmt: off
TABLES = {
    "order": [
        Row("the first of equal largest", T.argmax, f8(1, 3, 3), n(1, "int64")),
        Row("the first of equal smallest", T.argmin, f8(3, 1, 1), n(1, "int64")),
        Row("zeros are equal", T.argmin, f8(0.0, -0.0), n(0, "int64")),
        Row("zeros are equal, largest", T.argmax, f8(-0.0, 0.0), n(0, "int64")),
        Row("equals in rows", along_first(T.argmax), n([[1, 5], [1, 5]], "int8"), i8(0, 0)),
        Row("equal bools", T.argmax, b(0, 1, 1), n(1, "int64")),
        Row("the first NaN is largest", T.argmax, f8(1, nan, 5, nan), n(1, "int64")),
        Row("the first NaN is smallest", T.argmin, f8(1, nan, 5, nan), n(1, "int64")),
        Row("NaN after infinity", T.argmax, f8(inf, nan), n(1, "int64")),
        Row("max passes NaN", T.max, f8(1, nan), n(nan)),
        Row("min passes NaN", T.min, f8(1, nan), n(nan)),
        Row("max of a column with NaN", along_first(T.max), n([[1, nan], [3, 2]]), f8(3, nan)),
        Row("the end of int8", T.min, i1(-128, 127), n(-128, "int8")),
        Row("the lowest int8 found", T.argmin, i1(127, -128), n(1, "int64")),
        Row("the highest uint64", T.max, np.array([2**64 - 1, 2**63], "uint64"),
            n(2**64 - 1, "uint64")),
        Row("maximum", T.maximum, f8(nan, 1, nan, -inf), f8(1, nan, nan, inf),
            f8(nan, nan, nan, inf)),
        Row("minimum", T.minimum, f8(nan, 1, nan, -inf), f8(1, nan, nan, inf),
            f8(nan, nan, nan, -inf)),
        Row("clip of NaN", lambda x: T.clip(x, -1, 1), f8(nan, inf, -inf, -0.0),
            f8(nan, 1, -1, -0.0)),
        Row("clip between bounds that cross", lambda x: T.clip(x, 3, 1), f8(0, 5, 2), f8(3, 1, 3)),
        Row("NaN sorted last", T.sort, WITH_NAN, f8(-inf, -1, 2, inf, nan, nan)),
        Row("NaN found last", T.argsort, WITH_NAN, i8(2, 5, 1, 4, 0, 3)),
        Row("equals keep their order", lambda x: T.argsort(x, kind="stable"), i8(2, 1, 2, 1, 2, 1),
            i8(1, 3, 5, 0, 2, 4)),
        Row("NaN among the largest", lambda x: T.topk(x, 2), f8(1, nan, 3, 2), f8(nan, 3)),
        Row("NaN not among the smallest", lambda x: T.sort(T.topk(x, -2)), f8(1, nan, 3, 2),
            f8(1, 2)),
        Row("the places of the largest", lambda x: T.argtopk(x, 3), f8(1, 3, 3, 2), i8(1, 2, 3)),
        Row("the least of a matrix with NaN", T.argmin, n([[2.0, 1.0], [nan, 0.0]]), n(2, "int64")),
        Row("argmax over two dimensions", lambda x: T.argmax(x, axis=(0, 1)),
            n([[1, 3], [3, 2]], "int8"), n(1, "int64")),
        Row("rows sorted apart", lambda x: T.sort(x, axis=1), n([[nan, 1], [2, -inf]]),
            n([[1, nan], [-inf, 2]])),
        Row("cumsum passes NaN on", T.cumsum, f8(1, nan, 2), f8(1, nan, nan)),
        Row("ptp passes NaN", T.ptp, f8(1, nan), n(nan)),
        Row("any and all of NaN", lambda x: T.stack([T.any(x), T.all(x)]), f8(nan, nan), b(1, 1)),
        Row("maximum of int8 and uint8", T.maximum, i1(-1, 5), u1(255, 4),
            np.array([255, 5], "int16")),
        Row("comparisons with NaN", lambda x: T.stack([x < 1, x > 1, T.eq(x, x), T.neq(x, x)]),
            f8(nan), np.array([[0], [0], [0], [1]], "bool")),
    ],
    "rounding": [
        Row("to even", lambda x: T.round(x, mode="half_to_even"), HALVES,
            f8(-2, -2, -0.0, 0.0, 2, 2, 4, -0.0, nan, inf, -inf)),
        Row("away from zero, which is the default", T.round, HALVES,
            f8(-3, -2, -1, 1, 2, 3, 4, -0.0, nan, inf, -inf)),
        Row("just below a half", T.round, f8(0.49999999999999994, -0.49999999999999994),
            f8(0.0, -0.0)),
        Row("to int64, to even", lambda x: T.iround(x, mode="half_to_even"), HALVES[:8],
            i8(-2, -2, 0, 0, 2, 2, 4, 0)),
        Row("to int64, away from zero", T.iround, HALVES[:8], i8(-3, -2, -1, 1, 2, 3, 4, 0)),
        Row("down, of int8", T.floor, i1(-3, 5), f4(-3, 5)),
        Row("down", T.floor, f8(-0.5, -0.0, 2.5, inf), f8(-1, -0.0, 2, inf)),
        Row("up", T.ceil, f8(-0.5, -0.0, 2.5, -inf), f8(-0.0, -0.0, 3, -inf)),
        Row("towards zero", T.trunc, f8(-1.9, -0.5, 0.5, 1.9, nan), f8(-1, -0.0, 0, 1, nan)),
    ],
    "division": [
        Row("int8 //", floor_div, *SIGNS, i1(3, -4, -4, 3, 0, 0, 0, -128, -1)),
        Row("int8 %", mod, *SIGNS, i1(1, 1, -1, -1, 0, 0, 0, 0, -1)),
        *[Row(f"{d} {what}", fn, *[np.array(side, d) for side in WIDE], np.array(want, d))
          for d in ("int16", "int32", "int64")
          for what, fn, want in [("//", floor_div, [3, -4, -4, 3, 0, 0, 0]),
                                 ("%", mod, [1, 1, -1, -1, 0, 0, 0])]],
        *[Row(f"the lowest {d} by -1", floor_div, np.array([np.iinfo(d).min], d), np.array([-1], d),
              np.array([np.iinfo(d).min], d)) for d in ("int8", "int16", "int32", "int64")],
        *[Row(f"the lowest {d} mod -1", mod, np.array([np.iinfo(d).min], d), np.array([-1], d),
              np.array([0], d)) for d in ("int8", "int16", "int32", "int64")],
        Row("uint64 //", floor_div, np.array([2**64 - 1, 7], "uint64"), np.array([2, 0], "uint64"),
            np.array([2**63 - 1, 0], "uint64")),
        Row("by a constant zero", lambda x: x // 0, i1(7, -7), i1(0, 0)),
        Row("mod a constant zero", lambda x: x % 0, i1(7, -7), i1(0, 0)),
        Row("float32 //", floor_div, *[x.astype("float32") for x in REALS],
            f4(3, -4, -4, 3, inf, -inf, nan, nan, nan, 0, -1, -1, 0, -0.0, -2, -2, nan, nan)),
        Row("float32 %", mod, *[x.astype("float32") for x in REALS],
            f4(1, 1, -1, -1, nan, nan, nan, nan, nan, 5, inf, -inf, -5, 0, -0.0, 0, nan, nan)),
        Row("uint8 //", floor_div, u1(7, 7, 0), u1(2, 0, 0), u1(3, 0, 0)),
        Row("uint8 %", mod, u1(7, 7, 0), u1(2, 0, 0), u1(1, 0, 0)),
        Row("float //", floor_div, *REALS,
            f8(3, -4, -4, 3, inf, -inf, nan, nan, nan, 0, -1, -1, 0, -0.0, -2, -2, nan, nan)),
        Row("float %", mod, *REALS,
            f8(1, 1, -1, -1, nan, nan, nan, nan, nan, 5, inf, -inf, -5, 0, -0.0, 0, nan, nan)),
        Row("float /", true_div, *REALS,
            f8(3.5, -3.5, -3.5, 3.5, inf, -inf, nan, inf, -inf, 0, -0.0, -0.0, 0, -0.0, -2, -2, nan,
               nan)),
        Row("int8 / is a float", true_div, i1(7, 0, -7, 1), i1(0, 0, 0, 4),
            f8(inf, nan, -inf, 0.25)),
        Row("int8 // float", floor_div, i1(7, -7), f4(2, 2), f4(3, -4)),
        Row("the inverse of zeros", T.inv, f8(0.0, -0.0), f8(inf, -inf)),
    ],
    "powers": [
        Row("int8", power, i1(2, 2, 0, 0, -2, 2), i1(3, 0, 0, 3, 3, 7), i1(8, 1, 1, 0, -8, -128)),
        Row("float", power, f8(-2, -2, 0, 0, -8, 2, inf, 0, -0.0, 1, nan),
            f8(-1, 0.5, 0, -1, 1 / 3, -inf, 0, inf, -1, nan, 0),
            f8(-0.5, nan, 1, inf, nan, 0, 1, 0, -inf, 1, 1)),
        Row("an int to a negative float", power, i1(2, 0), f4(-1, -1), f4(0.5, inf)),
        Row("squares wrap", T.sqr, i1(16, -12), i1(0, -112)),
        Row("roots", T.sqrt, f8(-1, -0.0, inf, 0), f8(nan, -0.0, inf, 0)),
    ],
    "integers": [
        Row("int8 + wraps", lambda x, y: x + y, i1(127, -128), i1(1, -1), i1(-128, 127)),
        Row("int8 * wraps", lambda x, y: x * y, i1(64, -128), i1(2, -1), i1(-128, -128)),
        Row("int64 * wraps", lambda x: x * 2, i8(2**62), i8(-(2**63))),
        Row("uint8 - wraps", minus, u1(1, 0), u1(2, 255), u1(255, 1)),
        Row("uint64 - wraps", minus, np.zeros(1, "uint64"), np.ones(1, "uint64"),
            np.array([2**64 - 1], "uint64")),
        Row("-uint8 wraps", lambda x: -x, u1(0, 1), u1(0, 255)),
        Row("-int8", lambda x: -x, i1(-128, 127), i1(-128, -127)),
        Row("abs of the lowest", abs, i1(-128, -1), i1(-128, 1)),
        Row("sign of int8", T.sgn, i1(-128, 0, 5), i1(-1, 0, 1)),
        Row("sum of int8 is int64", T.sum, i1(127, 127), n(254, "int64")),
        Row("sum of uint8 is uint64", T.sum, u1(255, 255), n(510, "uint64")),
        Row("not", lambda x: ~x, i1(0, -1, 127), i1(-1, 0, -128)),
        Row("not, unsigned", lambda x: ~x, u1(0, 255), u1(255, 0)),
        Row("and, or, xor of signs", lambda x, y: T.stack([x & y, x | y, x ^ y]), i1(-1, -128),
            i1(127, 127), n([[127, 0], [-1, -1], [-128, -1]], "int8")),
        Row("int8 <<", ufuncs.left_shift, i1(1, 1, -1, 1, 1), i1(7, 8, 1, 0, -1),
            i1(-128, 0, -2, 1, 0)),
        Row("int8 >>", ufuncs.right_shift, i1(-128, -1, 127, 5, -5), i1(7, 9, 8, 0, -1),
            i1(-1, -1, 0, 5, -1)),
        Row("uint8 << and >>", lambda x, y: T.stack([ufuncs.left_shift(x, y),
            ufuncs.right_shift(x, y)]), u1(255, 255, 129), u1(8, 4, 1),
            n([[0, 240, 2], [0, 15, 64]], "uint8")),
        Row("uint64 with int64 is float64", lambda x, y: x + y, np.array([1], "uint64"), i8(-2),
            f8(-1)),
    ],
    "casts": [
        Row("towards zero", casts("int8"), f8(1.9, -1.9, 127.9, -128.9), i1(1, -1, 127, -128)),
        Row("wider ints wrap", casts("int8"), i8(300, -129, 128), i1(44, 127, -128)),
        Row("negative to unsigned wraps", casts("uint8"), i8(-1, 256), u1(255, 0)),
        Row("int64 to uint64", casts("uint64"), i8(-1), np.array([2**64 - 1], "uint64")),
        Row("NaN is true", casts("bool"), f8(nan, inf, 0.5, 0.0, -0.0), b(1, 1, 1, 0, 0)),
        Row("256 is true", casts("bool"), i8(0, 256, -1), b(0, 1, 1)),
        Row("too large for float32", casts("float32"), f8(1e300, -1e300, nan), f4(inf, -inf, nan)),
        Row("an int that float32 rounds", casts("float32"), i8(2**24 + 1), f4(2**24)),
        *[Row(f"out of range of {d}", casts(d), x.astype(f), np.array(want, d))
          for x in [f8(300, -300, nan, inf, -inf, 1e20, -1e20)] for f in ("float32", "float64")
          for d, want in [
              ("int8", [44, -44, 0, 0, 0, 0, 0]),
              ("uint8", [44, 212, 0, 0, 0, 0, 0]),
              ("int16", [300, -300, 0, 0, 0, 0, 0]),
              ("uint16", [300, 65236, 0, 0, 0, 0, 0]),
              ("int32", [300, -300, 0, 0, 0, 0, 0]),
              ("uint32", [300, 2**32 - 300, 0, 0, 0, 0, 0]),
              ("int64", [300, -300] + 5 * [-(2**63)]),
              ("uint64", [300, 2**64 - 300] + 5 * [2**63])]],
        Row("the upper half of uint64", casts("uint64"), f8(2.0**63, 2.0**63 + 2048, 2.0**64),
            np.array([2**63, 2**63 + 2048, 2**63], "uint64")),
        Row("float16 to int8", casts("int8"), np.array([300, nan, -1.5, inf], "float16"),
            i1(44, 0, -1, 0)),
        Row("bool to int", casts("int8"), b(0, 1), i1(0, 1)),
    ],
    "floats": [
        Row("sign", T.sgn, f8(-0.0, 0.0, nan, -3, inf), f8(0, 0, nan, -1, 1)),
        Row("abs", abs, f8(-0.0, -inf, nan), f8(0, inf, nan)),
        Row("neg of zero", lambda x: -x, f8(0.0, -0.0), f8(-0.0, 0.0)),
        Row("log", T.log, f8(0.0, -0.0, -1, inf), f8(-inf, -inf, nan, inf)),
        Row("log1p", T.log1p, f8(-1, -2, -0.0), f8(-inf, nan, -0.0)),
        Row("exp", T.exp, f8(-inf, inf, 710, nan), f8(0, inf, inf, nan)),
        Row("inf - inf", minus, f8(inf, inf), f8(inf, -inf), f8(nan, inf)),
        # of two variables: of one, rewriting says 0 and 1, as documented
        Row("0 * inf", lambda x, y: x * y, f8(inf, nan, -1), f8(0, 0, 0), f8(nan, nan, -0.0)),
        Row("inf / inf", lambda x, y: x / y, f8(inf, 0, 2), f8(inf, 0, 2), f8(nan, nan, 1)),
        Row("NaN != itself", lambda x: T.stack([T.eq(x, x), T.le(x, x), T.isnan(x)]), f8(nan),
            np.array([[0], [0], [1]], "bool")),
        Row("isinf", T.isinf, f8(inf, -inf, nan, 0), b(1, 1, 0, 0)),
        Row("switch keeps the other branch's NaN out", lambda x: T.switch(x > 0, T.log(x), 0.0),
            f8(-1, 0, 1), f8(0, 0, 0)),
        Row("sum with infinities", T.sum, f8(inf, -inf), n(nan)),
        Row("prod with zero and inf", T.prod, f8(0, inf), n(nan)),
    ],
    "bools": [
        Row("+ is or", lambda x, y: x + y, b(0, 0, 1, 1), b(0, 1, 0, 1), b(0, 1, 1, 1)),
        Row("* is and", lambda x, y: x * y, b(0, 0, 1, 1), b(0, 1, 0, 1), b(0, 0, 0, 1)),
        Row("/ is a float", true_div, b(0, 0, 1, 1), b(0, 1, 0, 1), f8(nan, 0, inf, 1)),
        Row("//", floor_div, b(0, 0, 1, 1), b(0, 1, 0, 1), b(0, 0, 0, 1)),
        Row("%", mod, b(0, 0, 1, 1), b(0, 1, 0, 1), b(0, 0, 0, 0)),
        Row("** is an int8", power, b(0, 0, 1, 1), b(0, 1, 0, 1), i1(1, 0, 1, 1)),
        Row("&", lambda x, y: x & y, b(0, 0, 1, 1), b(0, 1, 0, 1), b(0, 0, 0, 1)),
        Row("^", lambda x, y: x ^ y, b(0, 0, 1, 1), b(0, 1, 0, 1), b(0, 1, 1, 0)),
        Row("~", lambda x: ~x, b(0, 1), b(1, 0)),
        Row("maximum", T.maximum, b(0, 0, 1), b(0, 1, 1), b(0, 1, 1)),
        Row("bool + int8", lambda x, y: x + y, b(1), i1(1), i1(2)),
        Row("sum", T.sum, b(1, 1), n(2, "int64")),
        Row("prod", T.prod, b(1, 1), n(1, "int64")),
        Row("mean", T.mean, b(1, 0), n(0.5)),
        Row("cumsum", T.cumsum, b(1, 1), i8(1, 2)),
        Row("max", T.max, b(1, 0), n(True, "bool")),
        Row("abs", abs, b(1, 0), b(1, 0)),
    ],
    "empty reductions": [
        *[Row(f"{fn.__name__} of nothing", fn, NONE, n(value, dtype))
          for fn, value, dtype in [
              (T.sum, 0, "float64"), (T.prod, 1, "float64"), (T.mean, nan, "float64"),
              (T.var, nan, "float64"), (T.std, nan, "float64"), (T.any, False, "bool"),
              (T.all, True, "bool")]],
        *[Row(f"{fn.__name__} of no rows", along_first(fn), FLAT, np.full(3, value, dtype))
          for fn, value, dtype in [
              (T.sum, 0, "float64"), (T.prod, 1, "float64"), (T.mean, nan, "float64"),
              (T.any, False, "bool"), (T.all, True, "bool")]],
        Row("sum of no int8", T.sum, i1(), n(0, "int64")),
        Row("max of rows, none of them", lambda x: T.max(x, axis=1), FLAT, f8()),
        Row("argmax of rows, none of them", lambda x: T.argmax(x, axis=1), FLAT, i8()),
        Row("norm of nothing", lambda x: x.norm(2), NONE, n(0.0)),
        Row("cumsum of nothing", T.cumsum, NONE, f8()),
        Row("sort of nothing", T.sort, NONE, f8()),
        Row("sum of nothing, kept", lambda x: T.sum(x, axis=1, keepdims=True), DEEP,
            np.zeros((2, 1, 3))),
    ],
    "no elements": [
        Row("dot over nothing", T.dot, np.zeros((2, 0)), np.zeros((0, 3)), np.zeros((2, 3))),
        Row("dot of no rows", T.dot, FLAT, M.T.copy(), np.zeros((0, 2))),
        Row("inner product of nothing", T.dot, NONE, NONE, n(0.0)),
        Row("batched_dot over nothing", T.batched_dot, DEEP.transpose(0, 2, 1).copy(), DEEP,
            np.zeros((2, 3, 3))),
        Row("tensordot over nothing", lambda x, y: T.tensordot(x, y, axes=[[1], [1]]), DEEP, DEEP,
            np.zeros((2, 3, 2, 3))),
        Row("joined with nothing", lambda x, y: T.join(0, x, y), FLAT, M, M),
        Row("nothing stacked", lambda x: T.stack([x, x]), NONE, np.zeros((2, 0))),
        Row("reshaped", lambda x: x.reshape((3, 0, 5)), FLAT, np.zeros((3, 0, 5))),
        Row("reshaped, one length left open", lambda x: x.reshape((-1, 3)), DEEP, FLAT),
        Row("flattened", lambda x: x.flatten(), DEEP, f8()),
        Row("turned", lambda x: x.T, FLAT, np.zeros((3, 0))),
        Row("with a row", lambda x, y: x + y, FLAT, V, FLAT),
        Row("0 against 1", lambda x: x + T.ones((1, 3)), FLAT, FLAT),
        Row("an empty slice", lambda x: x[2:0], V, f8()),
        Row("a slice of nothing", lambda x: x[1:], NONE, f8()),
        Row("nothing turned round", lambda x: x[::-1], NONE, f8()),
        Row("indexed by nothing", lambda x, i: x[i], V, i8(), f8()),
        Row("rows of nothing", lambda x, i: x[:, i], FLAT, i8(0, 2), np.zeros((0, 2))),
        Row("no true", lambda x, m: x[m], V, b(0, 0, 0), f8()),
        Row("nothing set", lambda x, i: T.set_subtensor(x[i], 9.0), V, i8(), V),
        Row("nothing added", lambda x: T.inc_subtensor(x[5:], 9.0), V, V),
        Row("arange", lambda k: T.arange(k), n(0, "int64"), i8()),
        Row("eye", lambda k: T.eye(k), n(0, "int64"), np.zeros((0, 0))),
        Row("repeated no times", lambda x: T.repeat(x, 0), V, f8()),
        Row("tiled no times", lambda x: T.tile(x, (0,)), V, f8()),
        Row("outer", T.outer, NONE, V, FLAT),
        Row("diag", T.diag, NONE, np.zeros((0, 0))),
        Row("the shape", lambda x: x.shape, DEEP, i8(2, 0, 3)),
    ],
    "slices": [
        Row("past the end", lambda x: x[1:9], V, f8(2, 3)),
        Row("from past the end", lambda x: x[5:], V, f8()),
        Row("from before the start", lambda x: x[-9:2], V, f8(1, 2)),
        Row("backwards from past the end", lambda x: x[9::-1], V, f8(3, 2, 1)),
        Row("backwards to before the start", lambda x: x[:-9:-1], V, f8(3, 2, 1)),
        Row("a long step", lambda x: x[::7], V, f8(1)),
        Row("the last by -1", lambda x, i: x[i], V, n(-1, "int64"), n(3.0)),
        Row("the first by -3", lambda x, i: x[i], V, i8(-3, -1), f8(1, 3)),
        Row("an int8 for an index", lambda x, i: x[i], V, i1(-1, 0), f8(3, 1)),
        Row("take, clipped", lambda x, i: T.take(x, i, mode="clip"), V, i8(3, -9), f8(3, 1)),
        Row("take, wrapped", lambda x, i: T.take(x, i, mode="wrap"), V, i8(3, -4), f8(1, 3)),
        Row("set twice, the last stays", lambda x, i: T.set_subtensor(x[i], f8(7, 8)), V, i8(1, 1),
            f8(1, 8, 3)),
        Row("added twice", lambda x, i: T.inc_subtensor(x[i], 1.0), V, i8(1, -2), f8(1, 4, 3)),
    ],
}

OUT = r"out of bounds|out of range"
NO_IDENTITY = "zero-size"
REFUSED = [
    *[(f"{fn.__name__} of nothing", fn, [NONE], ValueError, NO_IDENTITY)
      for fn in (T.max, T.min, T.argmax, T.argmin)],
    ("max of no rows", along_first(T.max), [FLAT], ValueError, NO_IDENTITY),
    ("an index too large", lambda x, i: x[i], [V, n(3, "int64")], IndexError, OUT),
    ("an index too small", lambda x, i: x[i], [V, n(-4, "int64")], IndexError, OUT),
    ("one of many too large", lambda x, i: x[i], [V, i8(0, 3)], IndexError, OUT),
    ("one of many too small", lambda x, i: x[i], [V, i8(0, -4)], IndexError, OUT),
    ("a column too large", lambda x, i: x[:, i], [M, i8(3)], IndexError, OUT),
    ("an index of nothing", lambda x, i: x[i], [NONE, n(0, "int64")], IndexError, OUT),
    ("take", T.take, [V, i8(3)], IndexError, OUT),
    ("set_subtensor", lambda x, i: T.set_subtensor(x[i], 9.0), [V, n(3, "int64")], IndexError, OUT),
    ("set_subtensor of many", lambda x, i: T.set_subtensor(x[i], 9.0), [V, i8(3)], IndexError, OUT),
    ("inc_subtensor of many", lambda x, i: T.inc_subtensor(x[i], 9.0), [V, i8(-4)], IndexError,
     OUT),
    ("a mask too long", lambda x, m: x[m], [V, b(1, 0, 0, 1)], IndexError, "boolean|mask"),
    ("a step of zero", lambda x, s: x[::s], [V, n(0, "int64")], ValueError, "step"),
    ("choose", lambda i, x: T.choose(i, [x, x]), [i8(2, 0, 0), V], ValueError, "choice"),
    ("int8 to a negative power", power, [i1(2), i1(-1)], ValueError, "negative integer power"),
    ("lengths that differ", lambda x, y: x + y, [V, f8(1, 2)], ValueError, "mis-match"),
    ("a length of 1 by chance", lambda x, y: x + y, [V, f8(1)], ValueError, "mis-match"),
    ("reshape to another size", lambda x, k: x.reshape((k, 2)), [V, n(2, "int64")], ValueError,
     "reshape"),
    ("dot", T.dot, [M, M], ValueError, "align|shape"),
    ("a negative length", lambda k: T.zeros((k,)), [n(-1, "int64")], ValueError, "negative"),
]
# fmt: on


def function(rows: list[Any], outputs: list[Any], engine: str, rewrites: str | None) -> Any:
    return theano.function(rows, outputs, mode=theano.Mode(engine, rewrites))


@ON_EACH_ENGINE
@pytest.mark.parametrize("table", TABLES)
def test_corner_cases_come_out_as_listed(table, engine, rewrites):
    rows = TABLES[table]
    # one program for a table: XLA's time is mostly per program
    inputs = [v for row in rows for v in row.inputs]
    run = function(inputs, [row.fn(*row.inputs) for row in rows], engine, rewrites)
    made = run(*[a for row in rows for a in row.args])
    wrong = [row.differs(m) for row, m in zip(rows, made, strict=True)]
    assert not any(wrong), "\n  ".join(["", *filter(None, wrong)])


@ON_EACH_ENGINE
@pytest.mark.parametrize(
    ("fn", "values", "error", "words"),
    [pytest.param(*row[1:], id=row[0].replace(" ", "_")) for row in REFUSED],
)
def test_corner_cases_are_refused_as_listed(fn, values, error, words, engine, rewrites):
    inputs = [tensor_type(a.dtype.name, (False,) * a.ndim)() for a in values]
    run = function(inputs, [fn(*inputs)], engine, rewrites)
    with pytest.raises(error, match=words):
        run(*values)


@pytest.mark.parametrize("fn", [minus, lambda x, y: -x, lambda x, y: T.sgn(x)])
def test_bools_are_not_subtracted(fn):
    x, y = tensor_type("bool", (False,))(), tensor_type("bool", (False,))()
    with pytest.raises(TypeError, match="bool"):
        fn(x, y)
