"""Steps that are instructions of the language, and give the digits of NumPy's own loops."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from theano._src.engines.native.ir import (
    FLOATS,
    INTEGERS,
    SIGNED,
    SIZES,
    UNSIGNED,
    Function,
    Number,
    Operand,
)

_NAMES = {
    "float64": "f64", "float32": "f32", "bool": "bool",
    "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8",
    "uint64": "u64", "uint32": "u32", "uint16": "u16", "uint8": "u8",
}  # fmt: skip
#: the type of numbers of a dtype; others have no numbers in registers, NumPy's loops compute them
TYPES = {np.dtype(name): kind for name, kind in _NAMES.items()}
DTYPES = {kind: dtype for dtype, kind in TYPES.items()}

_BINARY = {
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "div",
    "maximum": "max", "minimum": "min",
    "bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor",
}  # fmt: skip
_LOGICAL = {"logical_and": "and", "logical_or": "or"}
_COMPARISONS = {
    "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge",
    "equal": "eq", "not_equal": "ne",
}  # fmt: skip
_OF_FLOATS = {
    "absolute": "abs", "sqrt": "sqrt", "floor": "floor", "ceil": "ceil", "trunc": "trunc",
    "rint": "rint",
}  # fmt: skip

#: binary digits of floats
_DIGITS = {"f64": 53, "f32": 24}


def is_inline(name: str, types: Sequence[str], out: str) -> bool:
    """Whether a step on numbers of these types is an instruction."""
    t = types[0]
    if name == "where":
        return types[1] == types[2] == out
    if name == "cast":
        return _exact_cast(t, out)
    if name in _BINARY and len(set(types)) == 1:
        op = _BINARY[name]
        if op in ("and", "or", "xor"):
            return t in INTEGERS or t == "bool"
        return t in FLOATS if op == "div" else t != "bool"
    if name in _LOGICAL:
        return set(types) == {"bool"}
    if name in _COMPARISONS:
        return types[0] == types[1] != "bool"
    if name in _OF_FLOATS or name in ("isnan", "reciprocal"):
        return t in FLOATS
    if name in ("square", "negative"):
        return t != "bool"
    return name == "logical_not" and t == "bool"


def is_checked_cast(name: str, types: Sequence[str], out: str) -> bool:
    """Whether a step is a cast that is the same everywhere for numbers that are not `outside`."""
    return name == "cast" and types[0] in FLOATS and out in INTEGERS


def outside(f: Function, a: Operand, to: str) -> Operand:
    """Whether the whole part of a float exceeds an integer type; True for NaN."""
    bits = 8 * SIZES[to] - (to in SIGNED)
    least = -(2**bits) if to in SIGNED else 0
    if to in UNSIGNED or bits < _DIGITS[a.type]:
        low = f.compare("gt", a, Number(a.type, float(least - 1)))
    else:  # no float is between the least and the one below
        low = f.compare("ge", a, Number(a.type, float(least)))
    high = f.compare("lt", a, Number(a.type, float(2**bits)))
    return f.compute("not", f.binary("and", low, high))


def _exact_cast(since: str, to: str) -> bool:
    """Whether a cast is the same everywhere: one of a float that no integer is near is not."""
    return to == "bool" or since not in FLOATS or to in FLOATS


def write(f: Function, name: str, args: Sequence[Operand], out: str) -> Operand:
    """The instructions of a step that `is_inline`."""
    a = args[0]
    if name == "where":
        return f.select(f.cast("bool", a), args[1], args[2])
    if name == "cast":
        return f.cast(out, a)
    if name in ("add", "subtract", "multiply"):
        return f.on_elements(_BINARY[name], a, args[1])
    if name in _BINARY or name in _LOGICAL:
        return f.compute(_BINARY.get(name) or _LOGICAL[name], a, args[1])
    if name in _COMPARISONS:
        return f.compare(_COMPARISONS[name], a, args[1])
    if name == "isnan":
        return f.is_nan(a)
    if name == "square":
        return f.on_elements("mul", a, a)
    if name == "negative" and a.type in INTEGERS:
        return f.on_elements("sub", Number(a.type, 0), a)
    if name == "reciprocal":
        return f.compute("div", Number(a.type, 1.0), a)
    if name == "logical_not":
        return f.compute("not", a)
    return f.compute("neg" if name == "negative" else _OF_FLOATS[name], a)
