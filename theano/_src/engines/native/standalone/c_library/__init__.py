"""Ufuncs as functions of C: those of libm, and sources of our own.

The sources are strict C99, and valid C++ too. They take ``<math.h>`` and ``<stdint.h>``, and each
function is static.
"""

from __future__ import annotations

import importlib.resources
import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from theano._src.engines.native.ir import FLOATS, SIGNED, UNSIGNED

_C_TYPES = {
    "f64": "double", "f32": "float", "bool": "uint8_t",
    "i64": "int64_t", "i32": "int32_t", "i16": "int16_t", "i8": "int8_t",
    "u64": "uint64_t", "u32": "uint32_t", "u16": "uint16_t", "u8": "uint8_t",
}  # fmt: skip

#: ufuncs that are in libm, for doubles by this name and for floats by this name and "f"
_LIBM = {
    "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log2": "log2",
    "log10": "log10", "log1p": "log1p", "sqrt": "sqrt", "cbrt": "cbrt", "power": "pow",
    "float_power": "pow", "hypot": "hypot", "fabs": "fabs", "absolute": "fabs",
    "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin", "arccos": "acos",
    "arctan": "atan", "arctan2": "atan2", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
    "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "erf": "erf", "erfc": "erfc",
    "floor": "floor", "ceil": "ceil", "trunc": "trunc", "rint": "rint", "fmod": "fmod",
    "copysign": "copysign", "nextafter": "nextafter",
}  # fmt: skip
#: ufuncs of ours on doubles; those of floats convert
_FLOATS = {
    "conjugate": "conjugate", "positive": "conjugate", "sign": "sign", "fmax": "fmax",
    "fmin": "fmin", "clip": "clip",
    "gamma": "gamma", "gammaln": "gammaln", "psi": "psi", "digamma": "psi",
    "erfinv": "erfinv", "erfcinv": "erfcinv", "erfcx": "erfcx",
}  # fmt: skip
#: ufuncs of ours that have a form for floats
_BOTH_FLOATS = {
    "floor_divide", "remainder", "deg2rad", "rad2deg", "logaddexp", "logaddexp2",
}  # fmt: skip
#: ufuncs that give a bool, of floats and of integers
_TESTS = {
    "logical_and", "logical_or", "logical_xor", "logical_not",
    "isnan", "isinf", "isfinite", "signbit",
}  # fmt: skip
_SIGNED = {
    "floor_divide": "floor_divide", "remainder": "remainder", "fmod": "fmod", "power": "power",
    "left_shift": "left_shift", "right_shift": "right_shift", "absolute": "absolute",
    "sign": "sign", "invert": "invert", "conjugate": "conjugate", "positive": "conjugate",
    "clip": "clip",
}  # fmt: skip
_UNSIGNED = _SIGNED | {"fmod": "remainder", "absolute": "conjugate"}
_BOOLS = {
    "less": "less", "less_equal": "less_equal", "greater": "greater",
    "greater_equal": "greater_equal", "equal": "equal", "not_equal": "not_equal",
    "logical_and": "logical_and", "logical_or": "logical_or", "logical_xor": "not_equal",
    "logical_not": "logical_not", "invert": "logical_not", "bitwise_and": "logical_and",
    "bitwise_or": "logical_or", "bitwise_xor": "not_equal", "maximum": "logical_or",
    "minimum": "logical_and", "add": "logical_or", "multiply": "logical_and",
    "absolute": "conjugate",
}  # fmt: skip

#: files of which each function is pasted by itself
_COLLECTIONS = ("integers", "bools", "floats", "dd", "windows")
#: functions of arrays, which are templates of the type of elements: how many pointers they take
#: before other arguments. What the last of these points to is written.
_OF_ARRAYS = {
    "matmul": 3,
    "conv2d": 3, "conv2d_images": 3, "conv2d_filters": 3,
    "max_pool": 2, "max_pool_images": 4, "max_pool_tangent": 4,
    "mean_pool": 2, "mean_pool_images": 2,
}  # fmt: skip
_NAME = re.compile(r"^(?:static \w+|\}) th_(\w+)[(;]", re.M)
_NEEDS = re.compile(r"/\* needs: ([\w ]+) \*/\n")


class CFunction(NamedTuple):
    """A function of C that computes a ufunc.

    ``needs`` are the sources that define it, in order; none for a function of libm. It takes
    numbers of types ``takes`` and returns one of type ``gives``; the ufunc has ``types`` and
    ``out``.
    """

    name: str
    needs: tuple[str, ...]
    takes: tuple[str, ...]
    gives: str
    types: tuple[str, ...]
    out: str

    def call(self, *args: str) -> str:
        """Return the text of a call, with what converts its arguments and its result.

        >>> c_function("sign", ["f32"], "f32").call("x")
        '(float)th_sign((double)x)'
        """
        converted = [
            a if takes == type else f"({_C_TYPES[takes]}){a}"
            for a, takes, type in zip(args, self.takes, self.types, strict=True)
        ]
        call = f"{self.name}({', '.join(converted)})"
        return call if self.gives == self.out else f"({_C_TYPES[self.out]}){call}"


def c_function(name: str, types: Sequence[str], out: str) -> CFunction | None:
    """Return the function for a ufunc, or a ``cast``, of these types; None if there is none.

    >>> c_function("exp", ["f32"], "f32").name
    'expf'
    >>> c_function("floor_divide", ["i8", "i8"], "i8").call("a", "b")
    '(int8_t)th_floor_divide_i32((int32_t)a, (int32_t)b)'
    """
    types = tuple(types)
    t = types[0]
    if name == "cast" and t in FLOATS and out in SIGNED | UNSIGNED:
        wide = "u64" if out == "u64" else "i64"
        return _own(f"cast_{wide}", "f64", wide, types, out)
    if len(set(types)) != 1:
        return None
    if name in _TESTS and out == "bool" and t != "bool":
        suffix, wide = ("", "f64") if t in FLOATS else ("_i64", "i64")
        return (
            None if name + suffix == "signbit_i64" else _own(name + suffix, wide, out, types, out)
        )
    if name in ("isnan", "isinf", "isfinite") and t == "bool":
        return _own(f"{name}_i64", "i64", out, types, out)
    if t == "bool":
        return _own(f"{_BOOLS[name]}_bool", t, t, types, out) if name in _BOOLS else None
    if out != t:
        return None
    if t in FLOATS:
        return _of_floats(name, types, out)
    table, sign = (_SIGNED, "i") if t in SIGNED else (_UNSIGNED, "u")
    if name not in table:
        return None
    wide = t if t[1:] == "64" else f"{sign}32"
    return _own(f"{table[name]}_{wide}", wide, wide, types, out)


def _of_floats(name: str, types: tuple[str, ...], out: str) -> CFunction | None:
    suffix = "f" if out == "f32" else ""
    if name in _LIBM:
        return CFunction(_LIBM[name] + suffix, (), types, out, types, out)
    if name in _BOTH_FLOATS:
        return _own(name + suffix, out, out, types, out)
    return _own(_FLOATS[name], "f64", "f64", types, out) if name in _FLOATS else None


def _own(stem: str, takes: str, gives: str, types: tuple[str, ...], out: str) -> CFunction:
    return CFunction(f"th_{stem}", _in_order(stem), (takes,) * len(types), gives, types, out)


@cache
def source(stem: str) -> str:
    """Return the text of a file, or of one function of a collection of small ones.

    >>> source("sign_u32")
    'static uint32_t th_sign_u32(uint32_t a) {\\n  return a > 0;\\n}\\n'
    """
    return _NEEDS.sub("", _written(stem))


def _written(stem: str) -> str:
    known = _small_functions()
    if stem in known:
        return known[stem]
    if stem.endswith(("_i32", "_u32")):
        # every digit of a function of 64 bits belongs to its width
        return known[stem.replace("32", "64")].replace("64", "32")
    return _file(f"{stem}.c")


def pointers_of(name: str) -> int:
    """Return how many pointers a function of arrays takes first; 0 for other functions.

    >>> pointers_of("matmul_f32"), pointers_of("expf")
    (3, 0)
    """
    return _OF_ARRAYS.get(name.rpartition("_")[0], 0)


def array_sources(name: str, real: str, cblas: bool) -> list[str]:
    """Return a function of arrays of the C type ``real``, after those that it calls.

    With ``cblas`` products of matrices call CBLAS.
    """
    stem, _, _ = name.rpartition("_")
    text = _file(f"{stem}{'_cblas' if cblas and stem == 'matmul' else ''}.c.in")
    needed = dict.fromkeys(s for each in _needed_by(text) for s in _in_order(each))
    gemm = "cblas_dgemm" if real == "double" else "cblas_sgemm"
    text = _NEEDS.sub("", text).replace("NAME", name).replace("REAL", real).replace("GEMM", gemm)
    return [*map(source, needed), text]


@cache
def _in_order(stem: str) -> tuple[str, ...]:
    """The sources of a function, and before them those that they need."""
    needed = [s for each in _needed_by(_written(stem)) for s in _in_order(each)]
    return tuple(dict.fromkeys([*needed, stem]))


def _needed_by(text: str) -> list[str]:
    match = _NEEDS.match(text)
    return match[1].split() if match else []


@cache
def _small_functions() -> dict[str, str]:
    blocks = [b.strip() + "\n" for name in _COLLECTIONS for b in _file(f"{name}.c").split("\n\n")]
    return {name: block for block in blocks for name in _NAME.findall(block)}


def _file(name: str) -> str:
    return importlib.resources.files(__name__).joinpath(name).read_text(encoding="utf-8")
