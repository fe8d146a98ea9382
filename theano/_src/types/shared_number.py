"""Shared variables that hold one number as a scalar, not as a 0-d array."""

from __future__ import annotations

from typing import Any

import numpy as np

from theano._src.ground.documented import documented_in
from theano._src.types.scalar import _scalar_py_operators, get_scalar_type
from theano._src.types.shared import SharedVariable


@documented_in("theano.scalar.sharedvar")
class ScalarSharedVariable(_scalar_py_operators, SharedVariable):
    """A shared variable that holds one number; made by ``theano.scalar.sharedvar.shared``."""

    __slots__ = ()

    def get_value(self, borrow: bool = False, return_internal_type: bool = False) -> Any:
        # engines store 0-d arrays
        return np.asarray(super().get_value(borrow, return_internal_type))[()]


@documented_in("theano.scalar.sharedvar")
def shared_number(
    value: Any, name: Any = None, strict: bool = False, allow_downcast: bool | None = None
) -> ScalarSharedVariable:
    """Return a shared scalar; ``theano.shared`` of a number makes a shared 0-d tensor instead.

    Parameters
    ----------
    value : number
        Its dtype is NumPy's: int64, float64 and complex128 for Python's own.
    name : str, optional
    strict, allow_downcast
        How values are converted later, as for ``theano.shared``.

    >>> from theano.scalar import sharedvar
    >>> sharedvar.shared(3).type
    Scalar(int64)
    """
    if not isinstance(value, (np.number, int, float, complex)):
        raise TypeError(f"shared scalars hold a number, got {type(value).__name__}")
    data = np.asarray(value)
    return ScalarSharedVariable(
        type=get_scalar_type(data.dtype.name),
        value=data[()],
        name=name,
        strict=strict,
        allow_downcast=allow_downcast,
    )
