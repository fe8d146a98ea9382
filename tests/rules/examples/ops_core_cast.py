"""Graphs on which the rules of ops/core/cast.py fire."""

from typing import Any

from theano._src.ops.core.cast import _casts, cast
from theano._src.types.tensor import tensor_type


def _cast_example() -> tuple[list[Any], list[Any]]:
    x = tensor_type("int8", (False,))("x")
    y = tensor_type("float32", (False,))("y")
    z = tensor_type("int64", (False,))("z")
    return [x, y, z], [
        cast(cast(x, "float32"), "int16"),
        cast(cast(y, "float64"), "float32"),
        cast(cast(z, "int32"), "int8"),
    ]


def _useless_example() -> tuple[list[Any], list[Any]]:
    x = tensor_type("float64", (False,))("x")
    return [x], [_casts["float64"](x)]


EXAMPLES = {
    "useless_cast": _useless_example,
    "cast_of_cast": _cast_example,
}
