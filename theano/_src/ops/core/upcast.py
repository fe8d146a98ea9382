"""Rules for the output dtype of a ScalarOp."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from theano._src.ground.documented import documented_in
from theano._src.types.dtypes import complex_dtypes, discrete_dtypes, upcast
from theano._src.types.scalar import Scalar, get_scalar_type

#: Scalar types of the outputs, for Scalar types of the inputs
OutputTypes: TypeAlias = Callable[..., Sequence[Scalar]]

# integers that float32 holds without loss stay narrow
_TO_FLOAT = {
    "bool": "float32",
    "int8": "float32",
    "int16": "float32",
    "int32": "float64",
    "int64": "float64",
    "uint8": "float32",
    "uint16": "float32",
    "uint32": "float64",
    "uint64": "float64",
}


@documented_in("theano.scalar.basic")
def upcast_out(*types: Scalar) -> tuple[Scalar, ...]:
    """One output, of the smallest dtype that holds all inputs.

    >>> import theano.scalar as ts
    >>> ts.upcast_out(ts.int8, ts.float32)
    (Scalar(float32),)
    """
    return (get_scalar_type(upcast(*[t.dtype for t in types])),)


@documented_in("theano.scalar.basic")
def upgrade_to_float(*types: Scalar) -> tuple[Scalar, ...]:
    """One output, of a float dtype: integers go to float32 if they fit there, else float64.

    >>> import theano.scalar as ts
    >>> ts.upgrade_to_float(ts.int8), ts.upgrade_to_float(ts.int64)
    ((Scalar(float32),), (Scalar(float64),))
    """
    return (get_scalar_type(upcast(*[_TO_FLOAT.get(t.dtype, t.dtype) for t in types])),)


@documented_in("theano.scalar.basic")
def upgrade_to_float_no_complex(*types: Scalar) -> tuple[Scalar, ...]:
    """As ``upgrade_to_float``; complex numbers are refused.

    >>> import theano.scalar as ts
    >>> ts.upgrade_to_float_no_complex(ts.int8)
    (Scalar(float32),)
    """
    refuse_complex(*types)
    return upgrade_to_float(*types)


@documented_in("theano.scalar.basic")
def same_out(type: Scalar) -> tuple[Scalar, ...]:
    """One output, of the input's dtype.

    >>> import theano.scalar as ts
    >>> ts.same_out(ts.int8)
    (Scalar(int8),)
    """
    return (type,)


@documented_in("theano.scalar.basic")
def same_out_nocomplex(type: Scalar) -> tuple[Scalar, ...]:
    """As ``same_out``; complex numbers are refused.

    >>> import theano.scalar as ts
    >>> ts.same_out_nocomplex(ts.int8)
    (Scalar(int8),)
    """
    refuse_complex(type)
    return (type,)


def refuse_complex(*types: Scalar) -> None:
    if any(t.dtype in complex_dtypes for t in types):
        raise TypeError("complex argument not supported; take its real part or its absolute value")


@documented_in("theano.scalar.basic")
class specific_out:
    """Outputs of fixed dtypes, whatever the inputs are.

    >>> import theano.scalar as ts
    >>> ts.specific_out(ts.float64)(ts.int8, ts.int8)
    (Scalar(float64),)
    """

    def __init__(self, *spec: Scalar) -> None:
        self.spec = spec

    def __call__(self, *types: Scalar) -> tuple[Scalar, ...]:
        return self.spec

    def __eq__(self, other: object) -> bool:
        return isinstance(other, specific_out) and self.spec == other.spec

    def __hash__(self) -> int:
        return hash((specific_out, self.spec))


@documented_in("theano.scalar.basic")
def upcast_out_nobool(*types: Scalar) -> tuple[Scalar, ...]:
    """As ``upcast_out``; bools are refused.

    >>> import theano.scalar as ts
    >>> ts.upcast_out_nobool(ts.int8, ts.float32)
    (Scalar(float32),)
    """
    scalars = upcast_out(*types)
    if scalars[0].dtype == "bool":
        raise TypeError("bool output not supported; cast to an integer first")
    return scalars


@documented_in("theano.scalar.basic")
class transfer_type:
    """Outputs of the dtypes of chosen inputs: a position, or a Scalar type, for each output."""

    def __init__(self, *transfer: int | Scalar) -> None:
        self.transfer = transfer

    def __call__(self, *types: Scalar) -> tuple[Scalar, ...]:
        return tuple(t if isinstance(t, Scalar) else types[t] for t in self.transfer)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, transfer_type) and self.transfer == other.transfer

    def __hash__(self) -> int:
        return hash(self.transfer)


@documented_in("theano.scalar.basic")
def discrete_out(*types: Scalar) -> tuple[Scalar, ...]:
    """As ``upcast_out``, for integers and bools only.

    >>> import theano.scalar as ts
    >>> ts.discrete_out(ts.int8, ts.int32)
    (Scalar(int32),)
    """
    for t in types:
        if t.dtype not in discrete_dtypes:
            raise TypeError(
                f"a bitwise op takes integers or bools, got {t.dtype}; cast the input, or compare"
            )
    scalars = upcast_out(*types)
    if scalars[0].dtype not in discrete_dtypes:
        raise TypeError(
            f"no integer dtype holds {' and '.join(t.dtype for t in types)}; cast one of them"
        )
    return scalars
