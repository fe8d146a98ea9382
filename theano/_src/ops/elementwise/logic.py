"""Tests of elements, logical operations, and selection by conditions, as in NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import cast
from theano._src.ops.core.elemwise import elemwise
from theano._src.ops.core.scalar import (
    Predicate,
)
from theano._src.ops.elementwise.arithmetic import minimum
from theano._src.ops.elementwise.compare import (
    and_,
    eq,
    gt,
    invert,
    isinf,
    isnan,
    lt,
    neq,
    or_,
    switch,
    xor,
)
from theano._src.ops.elementwise.complex_parts import imag
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import discrete_dtypes, upcast
from theano._src.types.tensor import TensorVariable


class IsFinite(Predicate):
    """Whether x is neither infinite nor NaN."""

    nfunc = "isfinite"


class SignBit(Predicate):
    """Whether the sign of x is negative; -0.0 is negative."""

    nfunc = "signbit"

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.less(x, xp.zeros_like(x)) if x.dtype.kind in "biu" else xp.signbit(x)


_isfinite = elemwise(IsFinite(), "isfinite")
_signbit = elemwise(SignBit(), "signbit")


@documented_in("theano.tensor")
def isfinite(x: TensorLike) -> TensorVariable:
    """Whether each element of ``x`` is neither infinite nor NaN; True for integers.

    >>> import theano.tensor as T
    >>> T.isfinite([1.0, float("inf"), float("nan")]).eval().tolist()
    [True, False, False]
    """
    return _isfinite(x)


@documented_in("theano.tensor")
def isposinf(x: TensorLike) -> TensorVariable:
    """Whether each element of ``x`` is positive infinity.

    >>> import theano.tensor as T
    >>> T.isposinf([1.0, float("inf"), float("-inf")]).eval().tolist()
    [False, True, False]
    """
    x = as_tensor_variable(x)
    return and_(isinf(x), gt(x, 0))


@documented_in("theano.tensor")
def isneginf(x: TensorLike) -> TensorVariable:
    """Whether each element of ``x`` is negative infinity.

    >>> import theano.tensor as T
    >>> T.isneginf([1.0, float("inf"), float("-inf")]).eval().tolist()
    [False, False, True]
    """
    x = as_tensor_variable(x)
    return and_(isinf(x), lt(x, 0))


@documented_in("theano.tensor")
def signbit(x: TensorLike) -> TensorVariable:
    """Whether the sign of each element of ``x`` is negative; -0.0 is negative.

    >>> import theano.tensor as T
    >>> T.signbit([-1.0, -0.0, 0.0]).eval().tolist()
    [True, True, False]
    """
    return _signbit(x)


@documented_in("theano.tensor")
def isreal(x: TensorLike) -> TensorVariable:
    """Whether the imaginary part of each element of ``x`` is 0.

    >>> import theano.tensor as T
    >>> T.isreal([1 + 1j, 2 + 0j]).eval().tolist()
    [False, True]
    """
    x = as_tensor_variable(x)
    return eq(imag(x), 0)


@documented_in("theano.tensor")
def iscomplex(x: TensorLike) -> TensorVariable:
    """Whether the imaginary part of each element of ``x`` is not 0.

    >>> import theano.tensor as T
    >>> T.iscomplex([1 + 1j, 2 + 0j]).eval().tolist()
    [True, False]
    """
    x = as_tensor_variable(x)
    return neq(imag(x), 0)


def truth(x: TensorLike) -> TensorVariable:
    """Return whether each element of ``x`` is nonzero; bools are returned unchanged."""
    x = as_tensor_variable(x)
    return x if x.dtype == "bool" else neq(x, 0)


@documented_in("theano.tensor")
def logical_and(x1: TensorLike, x2: TensorLike) -> TensorVariable:
    """Whether both elements are nonzero.

    >>> import theano.tensor as T
    >>> T.logical_and([2, 2, 0], [1, 0, 0]).eval().tolist()
    [True, False, False]
    """
    return and_(truth(x1), truth(x2))


@documented_in("theano.tensor")
def logical_or(x1: TensorLike, x2: TensorLike) -> TensorVariable:
    """Whether at least one of two elements is nonzero.

    >>> import theano.tensor as T
    >>> T.logical_or([2, 2, 0], [1, 0, 0]).eval().tolist()
    [True, True, False]
    """
    return or_(truth(x1), truth(x2))


@documented_in("theano.tensor")
def logical_xor(x1: TensorLike, x2: TensorLike) -> TensorVariable:
    """Whether exactly one of two elements is nonzero.

    >>> import theano.tensor as T
    >>> T.logical_xor([2, 2, 0], [1, 0, 0]).eval().tolist()
    [False, True, False]
    """
    return xor(truth(x1), truth(x2))


@documented_in("theano.tensor")
def logical_not(x: TensorLike) -> TensorVariable:
    """Whether each element of ``x`` is 0.

    >>> import theano.tensor as T
    >>> T.logical_not([2, 0]).eval().tolist()
    [False, True]
    """
    return invert(truth(x))


@documented_in("theano.tensor")
def array_equal(a1: TensorLike, a2: TensorLike, equal_nan: bool = False) -> TensorVariable:
    """Whether two tensors have the same shape and elements.

    >>> import theano.tensor as T
    >>> T.array_equal([1, 2], [1, 2]).eval().item()
    True
    """
    a, b = as_tensor_variable(a1), as_tensor_variable(a2)
    if a.ndim != b.ndim:
        return as_tensor_variable(np.asarray(False))
    # compare lengths first: elements of different shapes would not broadcast
    same = eq(a.shape, b.shape).all() if a.ndim else as_tensor_variable(np.asarray(True))
    flat, other = a.flatten(), b.flatten()
    n = minimum(flat.shape[0], other.shape[0])
    flat, other = flat[:n], other[:n]
    equal = eq(flat, other)
    if equal_nan and not {a.dtype, b.dtype} & set(discrete_dtypes):
        equal = or_(equal, and_(isnan(flat), isnan(other)))
    return and_(same, equal.all())


@documented_in("theano.tensor")
def select(
    condlist: Sequence[TensorLike], choicelist: Sequence[TensorLike], default: TensorLike = 0
) -> TensorVariable:
    """Return elements of the first choice whose condition is true, ``default`` where none is.

    >>> import theano.tensor as T
    >>> x = T.arange(5)
    >>> T.select([x < 2, x > 3], [x, x * 10], -1).eval().tolist()
    [0, 1, -1, -1, 40]
    """
    if len(condlist) != len(choicelist) or not condlist:
        raise ValueError(
            f"select takes as many choices as conditions, got {len(choicelist)} for {len(condlist)}"
        )
    choices = [as_tensor_variable(c) for c in choicelist]
    out = as_tensor_variable(default)
    if not hasattr(default, "dtype"):
        # a Python number takes the dtype of the choices
        out = cast(out, upcast(*[c.dtype for c in choices]))
    for condition, choice in zip(reversed(list(condlist)), reversed(choices), strict=True):
        out = switch(condition, choice, out)
    return out
