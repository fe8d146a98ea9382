"""NumPy's elementwise functions as ONNX operators: an array namespace for ``ScalarOp.compute``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from theano._src.compile.export.onnx_ops.writer import NoForm, Value, Writer

#: functions with an ONNX operator
_OPERATORS = {
    "abs": "Abs",
    "absolute": "Abs",
    "arccos": "Acos",
    "arccosh": "Acosh",
    "arcsin": "Asin",
    "arcsinh": "Asinh",
    "arctan": "Atan",
    "arctanh": "Atanh",
    "ceil": "Ceil",
    "cos": "Cos",
    "cosh": "Cosh",
    "exp": "Exp",
    "floor": "Floor",
    "log": "Log",
    "negative": "Neg",
    "rint": "Round",
    "sign": "Sign",
    "sin": "Sin",
    "sinh": "Sinh",
    "sqrt": "Sqrt",
    "tan": "Tan",
    "tanh": "Tanh",
}
_PAIRS = {
    "add": "Add",
    "divide": "Div",
    "maximum": "Max",
    "minimum": "Min",
    "multiply": "Mul",
    "power": "Pow",
    "subtract": "Sub",
    "true_divide": "Div",
}
_COMPARISONS = {
    "equal": "Equal",
    "greater": "Greater",
    "greater_equal": "GreaterOrEqual",
    "less": "Less",
    "less_equal": "LessOrEqual",
}
_OF_BOOLS = {
    "logical_and": "And",
    "logical_or": "Or",
    "logical_xor": "Xor",
}


class Special:
    """The functions of ``scipy.special`` with an ONNX operator."""

    def __init__(self, to: Writer) -> None:
        self._to = to

    def erf(self, x: Value) -> Value:
        return self._to.op("Erf", x)

    def __getattr__(self, name: str) -> Any:
        raise NoForm(f"it computes {name}")


class Formulas:
    """The array namespace of elementwise formulas: evaluating a formula writes its operators.

    ``full_like`` and its relatives return a scalar, because operators broadcast.
    """

    name = "onnx"

    def __init__(self, to: Writer) -> None:
        self.to = to
        self.special = Special(to)

    def __getattr__(self, name: str) -> Any:
        to = self.to
        if name in _OPERATORS:
            return lambda x: to.op(_OPERATORS[name], x)
        if name in _PAIRS:
            return lambda a, b: self._pair(_PAIRS[name], a, b)
        if name in _COMPARISONS:
            return lambda a, b: self._compare(_COMPARISONS[name], a, b)
        if name in _OF_BOOLS:
            return lambda a, b: to.op(_OF_BOOLS[name], a.astype(bool), b.astype(bool))
        raise NoForm(f"it computes {name}")

    def _pair(self, op_type: str, a: Any, b: Any) -> Value:
        if not isinstance(a, Value):
            a = self.to.like(a, b)
        if a.dtype == bool:
            return self._of_bools(op_type, a, self.to.like(b, a))
        return self.to.pair(op_type, a, b)

    def _of_bools(self, op_type: str, a: Value, b: Value) -> Value:
        by = {"Add": "Or", "Max": "Or", "Mul": "And", "Min": "And"}.get(op_type)
        if by is None:
            raise NoForm(f"{op_type} of booleans is no operator of ONNX")
        return self.to.op(by, a, b)

    def _compare(self, op_type: str, a: Value, b: Any) -> Value:
        b = self.to.like(b, a)
        if a.dtype == b.dtype == bool and op_type != "Equal":
            a, b = a.astype("int32"), b.astype("int32")
        return self.to.pair(op_type, a, b, bool)

    def not_equal(self, a: Value, b: Any) -> Value:
        return ~self._compare("Equal", a, b)

    def logical_not(self, x: Value) -> Value:
        return self.to.op("Not", x.astype(bool))

    def where(self, condition: Value, a: Any, b: Any) -> Value:
        one = a if isinstance(a, Value) else b
        if not isinstance(one, Value):
            raise NoForm("a choice between numbers whose dtype is not known")
        first, second = self.to.like(a, one), self.to.like(b, one)
        condition = condition.astype(bool)
        if first.dtype == second.dtype == bool:
            # runtimes have no Where kernel for booleans
            return (condition & first) | (~condition & second)
        both = np.promote_types(first.dtype, second.dtype)
        return self.to.op("Where", condition, first.astype(both), second.astype(both), dtype=both)

    # numbers

    def zeros_like(self, x: Value, dtype: Any = None) -> Value:
        return self.full_like(x, 0, dtype)

    def ones_like(self, x: Value, dtype: Any = None) -> Value:
        return self.full_like(x, 1, dtype)

    def full_like(self, x: Value, number: Any, dtype: Any = None) -> Value:
        return self.to.constant(number, x.dtype if dtype is None else dtype)

    def asarray(self, x: Any, dtype: Any = None) -> Value:
        if isinstance(x, Value):
            return x if dtype is None else x.astype(dtype)
        return self.to.constant(np.asarray(x, dtype))

    def astype(self, x: Value, dtype: Any) -> Value:
        return x.astype(dtype)

    def copy(self, x: Value) -> Value:
        return x

    # predicates

    def isnan(self, x: Value) -> Value:
        return self.to.op("IsNaN", x, dtype=bool)

    def isinf(self, x: Value) -> Value:
        if x.dtype == "float16":
            return self.to.op("Abs", x) == np.inf
        return self.to.op("IsInf", x, dtype=bool)

    def isfinite(self, x: Value) -> Value:
        if x.dtype.kind != "f":
            return x == x
        return ~(self.isnan(x) | self.isinf(x))

    def signbit(self, x: Value) -> Value:
        # the reciprocal of -0.0 is -inf
        return self.where(x == 0, self.to.op("Reciprocal", x) < 0, x < 0)

    def copysign(self, x: Value, y: Value) -> Value:
        size = self.to.op("Abs", x)
        return self.where(self.signbit(y), -size, size)

    # exponentials that are accurate near zero

    def log1p(self, x: Value) -> Value:
        # the quotient corrects the rounding error of 1 + x (Goldberg 1991, theorem 4)
        above = 1 + x
        near = above == 1
        safe = self.where(near, 2, above)
        full = self.to.op("Log", above) * self.where(self.isinf(above), 1, x / (safe - 1))
        return self.where(near, x, full)

    def expm1(self, x: Value) -> Value:
        # exp(x) - 1 = 2 t / (1 - t) with t = tanh(x / 2)
        half = self.to.op("Tanh", x / 2)
        near = self.to.op("Abs", x) < 1
        return self.where(near, 2 * half / (1 - half), self.to.op("Exp", x) - 1)

    def exp2(self, x: Value) -> Value:
        return self.to.op("Pow", self.to.constant(2, x.dtype), x)

    def log2(self, x: Value) -> Value:
        return self.to.op("Log", x) * (1 / math.log(2))

    def log10(self, x: Value) -> Value:
        return self.to.op("Log", x) * (1 / math.log(10))

    def logaddexp(self, a: Value, b: Value) -> Value:
        far = self.to.op("Abs", a - b)
        top = self._pair("Max", a, b)
        sum_ = top + self.log1p(self.to.op("Exp", -far))
        # the difference of two equal infinities is NaN
        return self.where(a == b, top + math.log(2), sum_)

    def logaddexp2(self, a: Value, b: Value) -> Value:
        return self.logaddexp(a * math.log(2), b * math.log(2)) * (1 / math.log(2))

    # others

    def square(self, x: Value) -> Value:
        return x * x

    def reciprocal(self, x: Value) -> Value:
        return self.to.op("Reciprocal", x)

    def deg2rad(self, x: Value) -> Value:
        return x * (math.pi / 180)

    def rad2deg(self, x: Value) -> Value:
        return x * (180 / math.pi)

    def trunc(self, x: Value) -> Value:
        return self.to.op("Sign", x) * self.to.op("Floor", self.to.op("Abs", x))

    def modf(self, x: Value) -> tuple[Value, Value]:
        whole = self.trunc(x)
        return x - whole, whole

    def fmod(self, a: Value, b: Value) -> Value:
        return self.to.op("Mod", a, b, fmod=1)

    def remainder(self, a: Value, b: Value) -> Value:
        """The remainder of integers, with the sign of ``b``."""
        return self.to.op("Mod", a, b)

    def floor_divide(self, a: Value, b: Value) -> Value:
        """The floored quotient of integers: ``a`` minus the remainder is divisible by ``b``."""
        return (a - self.remainder(a, b)) / b

    def hypot(self, a: Value, b: Value) -> Value:
        a, b = self.to.op("Abs", a), self.to.op("Abs", b)
        top, low = self._pair("Max", a, b), self._pair("Min", a, b)
        ratio = low / self.where(top == 0, 1, top)
        return top * self.to.op("Sqrt", 1 + ratio * ratio)

    def arctan2(self, y: Value, x: Value) -> Value:
        turn = self.where(self.signbit(y), -math.pi, self.to.constant(math.pi, y.dtype))
        plain = self.to.op("Atan", y / x)
        left = self.where(x < 0, plain + turn, plain)
        return self.where(y == 0, self.where(self.signbit(x), turn, y), left)

    def cbrt(self, x: Value) -> Value:
        third = self.to.op("Pow", self.to.op("Abs", x), self.to.constant(1 / 3, x.dtype))
        return self.to.op("Sign", x) * third

    def sinc(self, x: Value) -> Value:
        angle = x * math.pi
        safe = self.where(x == 0, 1, angle)
        return self.where(x == 0, 1, self.to.op("Sin", safe) / safe)

    def bitwise_and(self, a: Value, b: Value) -> Value:
        return a & b

    def bitwise_or(self, a: Value, b: Value) -> Value:
        return a | b

    def bitwise_xor(self, a: Value, b: Value) -> Value:
        return a ^ b

    def invert(self, x: Value) -> Value:
        return ~x
