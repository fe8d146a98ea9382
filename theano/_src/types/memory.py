"""Test whether values may share memory, and make copies that do not."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from theano._src.ground.documented import documented_in
from theano._src.types.shared import on_host


def _parts(a: Any) -> list[Any] | None:
    """Return the arrays of a value, or None if it is neither an array nor sparse."""
    if isinstance(a, np.ndarray):
        return [a]
    # recognise SciPy's sparse matrices without loading SciPy
    if all(hasattr(a, name) for name in ("tocsr", "nnz", "format")):
        names = ("data", "indices", "indptr", "row", "col", "offsets")
        return [v for v in (getattr(a, n, None) for n in names) if isinstance(v, np.ndarray)]
    return None


@documented_in("theano.misc.may_share_memory")
def may_share_memory(a: Any, b: Any, raise_other_type: bool = True) -> bool:
    """Whether arrays or sparse matrices may overlap in memory.

    Parameters
    ----------
    a, b : ndarray or SciPy sparse matrix
    raise_other_type : bool
        Raise TypeError for values of other types; otherwise return False for them.

    >>> import numpy as np
    >>> from theano.misc.may_share_memory import may_share_memory
    >>> x = np.zeros((2, 3))
    >>> may_share_memory(x, x.T), may_share_memory(x, x.copy())
    (True, False)
    """
    ours, theirs = _parts(a), _parts(b)
    if ours is None or theirs is None:
        if raise_other_type:
            other = a if ours is None else b
            raise TypeError(
                "may_share_memory takes arrays and SciPy's sparse matrices, got "
                f"{type(other).__name__}"
            )
        return False
    return any(np.may_share_memory(u, v) for u in ours for v in theirs)


def own_copy(value: Any) -> Any:
    """Return a copy that shares no memory with the value; arrays keep their memory order.

    >>> import numpy as np
    >>> x = np.zeros(2)
    >>> may_share_memory(own_copy([x])[0], x)
    False
    """
    value = on_host(value)
    if isinstance(value, np.ndarray):
        return value.copy(order="K")
    return copy.deepcopy(value)
