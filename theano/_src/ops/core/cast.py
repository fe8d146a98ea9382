"""Cast: convert numbers to another dtype."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.core.scalar import UnaryScalarOp, wrapped
from theano._src.ops.core.upcast import specific_out
from theano._src.rewrite.rule import FunctionRule
from theano._src.types.aliases import DTypeLike, TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import (
    all_dtypes,
    complex_dtypes,
    discrete_dtypes,
    integer_dtypes,
    known_dtype,
)
from theano._src.types.scalar import Scalar, as_scalar, get_scalar_type
from theano._src.types.tensor import TensorVariable

_AMBIGUOUS = "Casting from complex to real is ambiguous: consider real(), imag(), angle() or abs()"


@documented_in("theano.scalar.basic")
class Cast(UnaryScalarOp):
    """x as ``o_type``: floats are truncated, integers wrap, and any number except 0 is True.

    NaN and floats outside the range of int64 become its lowest number before they wrap. C leaves
    these cases undefined, and NumPy and XLA differ.
    """

    pullback = staticmethod(lambda g, x, y: g)

    def __init__(self, o_type: Scalar | DTypeLike, name: str | None = None) -> None:
        if not isinstance(o_type, Scalar):
            o_type = get_scalar_type(known_dtype(o_type))
        super().__init__(name=name)
        self.o_type = o_type
        self.output_types_preference = specific_out(o_type)

    def output_types(self, types: Sequence[Scalar]) -> list[Scalar]:
        if types[0].dtype in complex_dtypes and self.o_type.dtype not in complex_dtypes:
            raise TypeError(f"{_AMBIGUOUS}; got {types[0].dtype} for {self}")
        return [self.o_type]

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        if self.o_type.dtype == "bool":
            return x != 0
        if x.dtype.kind == "f" and self.o_type.dtype in discrete_dtypes:
            return wrapped(xp, x, self.o_type.dtype)
        # NOTE: an output must not be the input itself, which xp.astype returns if dtypes agree
        return xp.copy(x) if x.dtype == self.o_type.dtype else xp.astype(x, self.o_type.dtype)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.o_type == other.o_type

    def __hash__(self) -> int:
        return hash((type(self), self.o_type))

    def __str__(self) -> str:
        return self.name or f"Cast{{{self.o_type.dtype}}}"

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        del state["output_types_preference"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.output_types_preference = specific_out(self.o_type)


scalar_casts = {dtype: Cast(dtype) for dtype in all_dtypes}
_casts = {dtype: Elemwise(op) for dtype, op in scalar_casts.items()}

convert_to_bool = scalar_casts["bool"]
convert_to_int8 = scalar_casts["int8"]
convert_to_int16 = scalar_casts["int16"]
convert_to_int32 = scalar_casts["int32"]
convert_to_int64 = scalar_casts["int64"]
convert_to_uint8 = scalar_casts["uint8"]
convert_to_uint16 = scalar_casts["uint16"]
convert_to_uint32 = scalar_casts["uint32"]
convert_to_uint64 = scalar_casts["uint64"]
convert_to_float16 = scalar_casts["float16"]
convert_to_float32 = scalar_casts["float32"]
convert_to_float64 = scalar_casts["float64"]
convert_to_complex64 = scalar_casts["complex64"]
convert_to_complex128 = scalar_casts["complex128"]

_convert_to_bool = _casts["bool"]
_convert_to_int8 = _casts["int8"]
_convert_to_int16 = _casts["int16"]
_convert_to_int32 = _casts["int32"]
_convert_to_int64 = _casts["int64"]
_convert_to_uint8 = _casts["uint8"]
_convert_to_uint16 = _casts["uint16"]
_convert_to_uint32 = _casts["uint32"]
_convert_to_uint64 = _casts["uint64"]
_convert_to_float16 = _casts["float16"]
_convert_to_float32 = _casts["float32"]
_convert_to_float64 = _casts["float64"]
_convert_to_complex64 = _casts["complex64"]
_convert_to_complex128 = _casts["complex128"]


@documented_in("theano.tensor.basic")
def cast(x: TensorLike, dtype: DTypeLike) -> TensorVariable:
    """Return ``x`` converted to ``dtype``, or ``x`` itself if it has that dtype.

    Parameters
    ----------
    x : symbolic tensor, or whatever can be made one
    dtype : str, or a NumPy dtype
        'floatX' means ``config.floatX``.

    Raises
    ------
    TypeError
        If ``x`` is complex and ``dtype`` is not, or no tensor can have ``dtype``.

    Examples
    --------
    >>> import theano.tensor as T
    >>> x = T.dvector("x")
    >>> T.cast(x, "int32").eval({x: [1.7, -1.7]}).tolist()
    [1, -1]
    """
    wanted = known_dtype(dtype)
    x = as_tensor_variable(x)
    if x.type.dtype == wanted:
        return x
    if x.type.dtype in complex_dtypes and wanted not in complex_dtypes:
        raise TypeError(f"{_AMBIGUOUS}; got {x} of {x.type} to be {wanted}")
    return _casts[wanted](x)


@documented_in("theano.scalar.basic")
def scalar_cast(x: TensorLike, dtype: DTypeLike) -> Any:
    """Return a scalar variable converted to ``dtype``, or itself if it has that dtype.

    >>> from theano.scalar import int8
    >>> scalar_cast(int8("x"), "float32").type
    Scalar(float32)
    """
    wanted = known_dtype(dtype)
    number = as_scalar(x)
    return number if number.type.dtype == wanted else scalar_casts[wanted](number)


def in_floats(x: TensorLike) -> TensorVariable:
    """Return ``x``, with integers and bools converted to float64."""
    x = as_tensor_variable(x)
    return cast(x, "float64") if x.type.dtype in discrete_dtypes else x


def _holds(wide: str, narrow: str) -> bool:
    """Whether dtype ``wide`` represents every number of dtype ``narrow`` exactly."""
    a, b = np.dtype(wide), np.dtype(narrow)
    if a.kind in "fc" and b.kind in "iu":
        # NumPy calls int64 to float64 safe, but that rounds
        digits = np.finfo(a).nmant + 1
        return b.itemsize * 8 - (b.kind == "i") <= digits
    return np.can_cast(b, a, "safe")


def cast_of_cast(node: Apply) -> list[Any] | None:
    """cast(cast(x, wide), dtype) -> cast(x, dtype)"""
    inner = node.inputs[0].owner
    if node.op.inplace_items or inner is None or not isinstance(inner.op, Elemwise):
        return None
    if not isinstance(inner.op.scalar_op, Cast):
        return None
    (x,) = inner.inputs
    have, between, last = (v.type.dtype for v in (x, *inner.outputs, *node.outputs))
    wraps = {have, between, last} <= set(integer_dtypes) and np.dtype(between).itemsize >= np.dtype(
        last
    ).itemsize
    return [cast(x, last)] if wraps or _holds(between, have) else None


def useless_cast(node: Apply) -> list[Any] | None:
    """cast(x, dtype of x) -> x"""
    (x,) = node.inputs
    return [x] if x.type == node.outputs[0].type and not node.op.inplace_items else None


# fmt: off
RULES = (
    FunctionRule(useless_cast, "useless_cast", "canonicalize specialize", [Cast],
                 tags=("local_cast_cast", "local_useless"), depth=1),
    FunctionRule(cast_of_cast, "cast_of_cast", "canonicalize specialize", [Cast],
                 tags=("local_cast_cast",)),
)
# fmt: on
