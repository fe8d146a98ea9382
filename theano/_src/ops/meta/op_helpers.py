"""Helpers for authors of ops: checks of shapes and axes, transfers between devices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from theano._src.graph.graph import Variable
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import NotScalarConstantError
from theano._src.ground.tracebacks import warn_user
from theano._src.ops.elementwise.compare import eq
from theano._src.ops.meta.misc import Assert
from theano._src.ops.reduce.careduce import read_axis
from theano._src.ops.shape.shape import shape_i
from theano._src.ops.shape.static_values import get_scalar_constant_value
from theano._src.types.aliases import Axis, IntLike, TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import integer_dtypes
from theano._src.types.tensor import TensorVariable

#: functions that ``transfer`` tries for targets other than the CPU, in this order
_TRANSFERS: list[Callable[[Any, str], Any]] = []


@documented_in("theano.tensor.basic")
def is_flat(var: TensorVariable, ndim: int | None = None, outdim: int | None = None) -> bool:
    """Whether ``var`` has ``ndim`` dimensions, 1 by default.

    Parameters
    ----------
    var : variable
    ndim : int, optional
    outdim : int, optional
        The older name of ``ndim``; give only one of the two.

    >>> import theano.tensor as T
    >>> T.is_flat(T.dvector()), T.is_flat(T.dmatrix()), T.is_flat(T.dmatrix(), ndim=2)
    (True, False, True)
    """
    if ndim is not None and outdim is not None:
        raise ValueError("is_flat takes ndim or outdim, got both; give ndim only")
    if outdim is not None:
        warn_user("outdim of is_flat is deprecated, use ndim")
        ndim = outdim
    return bool(var.ndim == (1 if ndim is None else ndim))


@documented_in("theano.tensor.basic")
def alloc_validate_shape(shape: Sequence[Any]) -> tuple[list[Any], list[bool]]:
    """Return the lengths in ``shape`` as 0-d integer variables, and which are known to be 1.

    >>> import theano.tensor as T
    >>> T.basic.alloc_validate_shape((T.lscalar("n"), 1))[1]
    [False, True]
    """
    lengths = [as_tensor_variable(n) for n in shape]
    ones = []
    for i, n in enumerate(lengths):
        if n.dtype not in integer_dtypes:
            raise TypeError(
                f"Shape arguments to Alloc must be integers, but argument {i} is not: {n} of "
                f"dtype {n.dtype}"
            )
        if n.ndim:
            raise TypeError(
                f"Each shape dimension to Alloc must be a scalar, but dimension {i} has {n.ndim} "
                f"dimensions: {n}"
            )
        try:
            ones.append(bool(get_scalar_constant_value(n) == 1))
        except NotScalarConstantError:
            ones.append(False)
    return lengths, ones


@documented_in("theano.tensor.basic")
def check_and_normalize_axes(x: TensorLike, axis: Axis) -> list[int]:
    """Return the dimensions of ``x`` in ``axis``, counted from 0 and sorted; none for None.

    >>> import theano.tensor as T
    >>> T.basic.check_and_normalize_axes(T.dmatrix(), [-1])
    [1]
    """
    x = as_tensor_variable(x)
    results = []
    for a in read_axis(axis, "check_and_normalize_axes") or ():
        if not -x.ndim <= a < x.ndim:
            raise ValueError(
                f"Computation needs a valid axis number for {x.ndim}-D tensor. Got {a}"
            )
        results.append(a % x.ndim)
    return sorted(set(results))


@documented_in("theano.tensor.basic")
def transfer(var: TensorLike, target: str) -> Any:
    """Return ``var`` on the device ``target``: 'cpu', or one that a registered function handles.

    >>> import theano.tensor as T
    >>> x = T.dvector()
    >>> T.basic.transfer(x, "cpu") is x
    True
    """
    if target == "cpu":
        return as_tensor_variable(var)
    for ask in _TRANSFERS:
        result = ask(var, target)
        if result is not None:
            return result
    raise ValueError(
        f"Can't transfer to target {target}; the engine chooses the device, leave the transfer out"
    )


@documented_in("theano.tensor.basic")
def register_transfer(fn: Callable[[Any, str], Any]) -> None:
    """Register ``fn`` for ``transfer``: ``fn(var, target)`` returns a variable, or None.

    >>> import theano.tensor as T
    >>> T.basic.register_transfer(lambda var, target: var if target == "here" else None)
    >>> x = T.dvector()
    >>> T.basic.transfer(x, "here") is x
    True
    """
    _TRANSFERS.append(fn)


@documented_in("theano.tensor.nnet.abstract_conv")
def assert_shape(
    x: Variable, expected_shape: Sequence[IntLike | None] | None, msg: str = "Unexpected shape."
) -> Any:
    """Return ``x``, with a run-time check of its shape if ``config.conv.assert_shape`` is set.

    Parameters
    ----------
    x : tensor
    expected_shape : sequence of ints, integer scalars and None, or None
        Lengths that are None are not checked.
    msg : str
        The text of the AssertionError.

    >>> import theano, theano.tensor as T
    >>> from theano.tensor.nnet.abstract_conv import assert_shape
    >>> x = T.dmatrix()
    >>> assert_shape(x, None) is x
    True
    """
    if expected_shape is None or not config.conv.assert_shape:
        return x
    checks = [eq(shape_i(x, i), n) for i, n in enumerate(expected_shape) if n is not None]
    return Assert(msg)(x, *checks) if checks else x
