"""Rounding to whole numbers: down, up, towards zero, and to the nearest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ground.xp import numpy_xp
from theano._src.ops.core.cast import Cast, cast
from theano._src.ops.core.elemwise import Elemwise, elemwise, zero_gradient
from theano._src.ops.core.scalar import RealOp, UnaryScalarOp
from theano._src.rewrite.rule import FunctionRule
from theano._src.types.aliases import TensorLike
from theano._src.types.dtypes import discrete_dtypes, float_dtypes
from theano._src.types.scalar import Scalar
from theano._src.types.tensor import TensorVariable


@documented_in("theano.scalar.basic")
class Ceil(RealOp):
    """The smallest whole number that is not below x.

    >>> import theano.tensor as T
    >>> T.ceil([1.2, -1.2]).eval()
    array([ 2., -1.])
    """

    name = "ceil"
    nfunc = "ceil"
    pullback = staticmethod(lambda g, x, y: zero_gradient(x))


@documented_in("theano.scalar.basic")
class Floor(RealOp):
    """The largest whole number that is not above x.

    >>> import theano.tensor as T
    >>> T.floor([1.2, -1.2]).eval()
    array([ 1., -2.])
    """

    name = "floor"
    nfunc = "floor"
    pullback = staticmethod(lambda g, x, y: zero_gradient(x))


@documented_in("theano.scalar.basic")
class Trunc(RealOp):
    """x truncated towards zero.

    >>> import theano.tensor as T
    >>> T.trunc([1.7, -1.7]).eval()
    array([ 1., -1.])
    """

    name = "trunc"
    nfunc = "trunc"
    pullback = staticmethod(lambda g, x, y: zero_gradient(x))


class _Nearest(UnaryScalarOp):
    """The nearest whole number of a float; subclasses define how ties are rounded."""

    pullback = staticmethod(lambda g, x, y: zero_gradient(x))

    def output_types(self, types: Sequence[Scalar]) -> list[Scalar]:
        if types[0].dtype not in float_dtypes:
            raise TypeError(
                f"{self} takes floats (only float type are supported), got {types[0].dtype}"
            )
        return super().output_types(types)


@documented_in("theano.scalar.basic")
class RoundHalfToEven(_Nearest):
    """The nearest whole number; ties go to the even one.

    >>> import theano.tensor as T
    >>> T.round_half_to_even([0.5, 1.5, 2.4]).eval()
    array([0., 2., 2.])
    """

    nfunc = "rint"


@documented_in("theano.scalar.basic")
class RoundHalfAwayFromZero(_Nearest):
    """The nearest whole number; ties go away from zero.

    >>> import theano.tensor as T
    >>> T.round_half_away_from_zero([0.5, 1.5, 2.4]).eval()
    array([1., 2., 2.])
    """

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        # the fraction is exact; x + 0.5 would round up the float just below 0.5
        fraction, whole = xp.modf(x)
        return xp.where(xp.abs(fraction) >= 0.5, whole + xp.sign(x), whole)


@documented_in("theano.scalar.basic")
def round_half_away_from_zero_vec(a: TensorLike) -> Any:
    """Round an array or a number, ties away from zero; integers become float64.

    >>> import theano.scalar
    >>> theano.scalar.basic.round_half_away_from_zero_vec([0.5, 2.5, -0.5]).tolist()
    [1.0, 3.0, -1.0]
    """
    a = np.asarray(a)
    a = a if a.dtype.kind == "f" else a.astype("float64")
    return scalar_round_half_away_from_zero.compute(numpy_xp, a)


scalar_ceil = Ceil()
scalar_floor = Floor()
scalar_trunc = Trunc()
scalar_round_half_to_even = RoundHalfToEven()
scalar_round_half_away_from_zero = RoundHalfAwayFromZero()

ceil = elemwise(scalar_ceil)
floor = elemwise(scalar_floor)
trunc = elemwise(scalar_trunc)
round_half_to_even = rint = elemwise(scalar_round_half_to_even, "round_half_to_even")
round_half_away_from_zero = elemwise(scalar_round_half_away_from_zero, "round_half_away_from_zero")

_MODES = {
    "half_away_from_zero": round_half_away_from_zero,
    "half_to_even": round_half_to_even,
}


@documented_in("theano.tensor.basic")
def round(a: TensorLike, mode: str = "half_away_from_zero") -> TensorVariable:
    """The nearest whole number, in the float dtype of ``a``.

    Parameters
    ----------
    a : tensor of floats
    mode : 'half_away_from_zero' or 'half_to_even'
        How ties are rounded.

    Examples
    --------
    >>> import theano.tensor as T
    >>> x = T.dvector("x")
    >>> T.round(x).eval({x: [0.5, 2.5, -2.5]}).tolist()
    [1.0, 3.0, -3.0]
    >>> T.round(x, mode="half_to_even").eval({x: [0.5, 2.5, -2.5]}).tolist()
    [0.0, 2.0, -2.0]
    """
    if mode not in _MODES:
        digits = f"; for digits, {_digits(mode)}" if isinstance(mode, int) else ""
        raise ValueError(f"round takes mode {' or '.join(map(repr, _MODES))}, got {mode!r}{digits}")
    return _MODES[mode](a)


def _digits(n: int) -> str:
    return f"theano.tensor.round(x * 1e{n}) / 1e{n}"


@documented_in("theano.tensor.basic")
def iround(a: TensorLike, mode: str = "half_away_from_zero") -> TensorVariable:
    """``round(a, mode)`` as int64.

    Examples
    --------
    >>> import theano.tensor as T
    >>> x = T.dvector("x")
    >>> T.iround(x).eval({x: [0.5, 2.5, -2.5]}).tolist()
    [1, 3, -3]
    """
    return cast(round(a, mode), "int64")


def whole_rounded(node: Apply) -> list[Any] | None:
    """floor(ceil(x)) -> ceil(x), likewise for other roundings of whole numbers"""
    (x,) = node.inputs
    inner = x.owner
    if inner is None or not isinstance(inner.op, Elemwise) or x.type != node.outputs[0].type:
        return None
    if node.op.inplace_items:
        return None
    of_integers = isinstance(inner.op.scalar_op, Cast) and (
        inner.inputs[0].type.dtype in discrete_dtypes
    )
    return [x] if of_integers or isinstance(inner.op.scalar_op, _ROUNDING) else None


_ROUNDING = (Ceil, Floor, Trunc, RoundHalfToEven, RoundHalfAwayFromZero)

RULES = (FunctionRule(whole_rounded, "whole_rounded", "canonicalize", _ROUNDING),)
