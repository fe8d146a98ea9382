"""Constructors of shared variables on a GPU: ordinary shared variables here."""

from __future__ import annotations

from typing import Any

from theano._src.ground.documented import documented_in
from theano._src.types.shared_constructors import shared


@documented_in("theano.sandbox.cuda.var")
def float32_shared_constructor(
    value: Any,
    name: Any = None,
    strict: bool = False,
    allow_downcast: bool | None = None,
    borrow: bool = False,
    broadcastable: Any = None,
    target: str = "gpu",
) -> Any:
    """Return a shared variable of float32 numbers; the engine keeps it where it computes.

    Parameters
    ----------
    value : array of float32
    name, strict, allow_downcast, borrow, broadcastable
        As for ``theano.shared``.
    target : str
        It has no effect.

    >>> import numpy
    >>> from theano.sandbox.cuda.var import float32_shared_constructor
    >>> float32_shared_constructor(numpy.ones(2, "float32"), name="w").type
    TensorType(float32, vector)
    """
    if str(getattr(value, "dtype", None)) != "float32":
        raise TypeError(f"float32_shared_constructor takes an array of float32, got {value!r:.80}")
    return _shared(value, name, strict, allow_downcast, borrow, broadcastable)


@documented_in("theano.gpuarray.type")
def gpuarray_shared_constructor(
    value: Any,
    name: Any = None,
    strict: bool = False,
    allow_downcast: bool | None = None,
    borrow: bool = False,
    broadcastable: Any = None,
    target: Any = None,
) -> Any:
    """Return a shared variable; the engine keeps it where it computes.

    Parameters
    ----------
    value : array
    name, strict, allow_downcast, borrow, broadcastable
        As for ``theano.shared``.
    target : str
        It has no effect.

    >>> import numpy
    >>> from theano.gpuarray.type import gpuarray_shared_constructor
    >>> gpuarray_shared_constructor(numpy.ones(2)).type
    TensorType(float64, vector)
    """
    return _shared(value, name, strict, allow_downcast, borrow, broadcastable)


def _shared(
    value: Any, name: Any, strict: bool, downcast: bool | None, borrow: bool, pattern: Any
) -> Any:
    given = {} if pattern is None else {"broadcastable": pattern}
    return shared(value, name=name, strict=strict, allow_downcast=downcast, borrow=borrow, **given)
