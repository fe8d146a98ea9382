"""Further documented rules for the output dtype of a ScalarOp."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from theano._src.ground.documented import documented_in
from theano._src.ops.core.upcast import refuse_complex, upcast_out
from theano._src.types.dtypes import float_dtypes
from theano._src.types.scalar import Scalar, float64, int8, int64


@documented_in("theano.scalar.basic")
def upgrade_to_float64(*types: Scalar) -> tuple[Scalar, ...]:
    """One output of float64, as SciPy's functions return.

    >>> import theano.scalar as ts
    >>> ts.upgrade_to_float64(ts.int8)
    (Scalar(float64),)
    """
    return (float64,)


@documented_in("theano.scalar.basic")
def same_out_nobool(type: Scalar) -> tuple[Scalar, ...]:
    """As ``same_out``; bools are refused.

    >>> import theano.scalar as ts
    >>> ts.same_out_nobool(ts.int8)
    (Scalar(int8),)
    """
    if type.dtype == "bool":
        raise TypeError("bool input not supported; cast it to an integer first")
    return (type,)


@documented_in("theano.scalar.basic")
def same_out_min8(type: Scalar) -> tuple[Scalar, ...]:
    """As ``same_out``; bools give int8.

    >>> import theano.scalar as ts
    >>> ts.same_out_min8(ts.bool)
    (Scalar(int8),)
    """
    return (int8 if type.dtype == "bool" else type,)


@documented_in("theano.scalar.basic")
def upcast_out_no_complex(*types: Scalar) -> tuple[Scalar, ...]:
    """As ``upcast_out``; complex numbers are refused.

    >>> import theano.scalar as ts
    >>> ts.upcast_out_no_complex(ts.int8, ts.float32)
    (Scalar(float32),)
    """
    refuse_complex(*types)
    return upcast_out(*types)


@documented_in("theano.scalar.basic")
def same_out_float_only(type: Scalar) -> tuple[Scalar, ...]:
    """As ``same_out``, for floats only.

    >>> import theano.scalar as ts
    >>> ts.same_out_float_only(ts.float32)
    (Scalar(float32),)
    """
    if type.dtype not in float_dtypes:
        raise TypeError(f"only floats are supported, got {type.dtype}; cast it first")
    return (type,)


@documented_in("theano.scalar.basic")
def int_out(*types: Scalar) -> tuple[Scalar, ...]:
    """One output of int64.

    >>> import theano.scalar as ts
    >>> ts.int_out(ts.float32)
    (Scalar(int64),)
    """
    return (int64,)


@documented_in("theano.scalar.basic")
def float_out(*types: Scalar) -> tuple[Scalar, ...]:
    """One output of float64.

    >>> import theano.scalar as ts
    >>> ts.float_out(ts.float32)
    (Scalar(float64),)
    """
    return (float64,)


@documented_in("theano.scalar.basic")
def int_out_nocomplex(*types: Scalar) -> tuple[Scalar, ...]:
    """As ``int_out``; complex numbers are refused.

    >>> import theano.scalar as ts
    >>> ts.int_out_nocomplex(ts.float32)
    (Scalar(int64),)
    """
    refuse_complex(*types)
    return (int64,)


@documented_in("theano.scalar.basic")
def float_out_nocomplex(*types: Scalar) -> tuple[Scalar, ...]:
    """As ``float_out``; complex numbers are refused.

    >>> import theano.scalar as ts
    >>> ts.float_out_nocomplex(ts.float32)
    (Scalar(float64),)
    """
    refuse_complex(*types)
    return (float64,)


@documented_in("theano.scalar.basic")
class unary_out_lookup:
    """Outputs from a table: ``{type: type}``, or ``{types: types}`` for several inputs.

    >>> import theano.scalar as ts
    >>> ts.unary_out_lookup({ts.int8: ts.int32})(ts.int8)
    [Scalar(int32)]
    """

    def __init__(self, type_table: Mapping[Any, Any]) -> None:
        self.tbl = type_table

    def __call__(self, *types: Scalar) -> Any:
        key = types[0] if len(types) == 1 else types
        if key not in self.tbl:
            raise TypeError(f"unary_out_lookup takes one of {list(self.tbl)}, got {key}")
        result = self.tbl[key]
        return [result] if len(types) == 1 else result

    def __eq__(self, other: object) -> bool:
        return isinstance(other, unary_out_lookup) and self.tbl == other.tbl

    def __hash__(self) -> int:
        return hash((unary_out_lookup, frozenset(self.tbl.items())))
