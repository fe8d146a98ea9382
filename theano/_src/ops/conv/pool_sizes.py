"""The sizes, strides and padding of windows, under old and new keywords, known or symbolic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from theano._src.graph.graph import Variable
from theano._src.ground.tracebacks import warn_user
from theano._src.ops.conv.pool_windows import count_windows
from theano._src.ops.elementwise.arithmetic import maximum
from theano._src.ops.elementwise.compare import ge, switch
from theano._src.ops.shape.static_values import known_int
from theano._src.types.tensor import TensorVariable

#: an int for each dimension, or a vector of them; None if not given
Numbers: TypeAlias = Variable | np.ndarray[Any, Any] | Sequence[Any] | None
Size: TypeAlias = int | TensorVariable


def _one_spelling(
    kept: Numbers, old: Numbers, name: str, old_name: str, default: Numbers = None
) -> Any:
    """Return the value of a keyword that also has an older name; raise if both are given."""
    if old is None:
        return kept
    given = kept is not None and (
        default is None or isinstance(kept, Variable) or tuple(kept) != default
    )
    if given:
        raise ValueError(
            f"pooling takes {name} or, as it was once called, {old_name}; got both: "
            f"give {name} alone"
        )
    warn_user(f"the parameter {old_name!r} of pooling is deprecated; call it {name!r}")
    return old


def spelled(
    ndim: int,
    ws: Numbers,
    stride: Numbers,
    pad: Numbers,
    ds: Numbers = None,
    st: Numbers = None,
    padding: Numbers = None,
) -> tuple[Any, Any, Any]:
    """Return size, stride and padding of windows from the new or the old keywords."""
    none = (0,) * ndim
    ws = _one_spelling(ws, ds, "ws", "ds")
    if ws is None:
        raise ValueError(f"pooling takes {ndim} lengths of the window as ws, got none")
    return (
        ws,
        _one_spelling(stride, st, "stride", "st"),
        _one_spelling(pad, padding, "pad", "padding", default=none),
    )


def symbolic_count(length: Size, size: Size, stride: Size, ignore_border: bool) -> Any:
    """Return the number of windows over ``length`` cells; an int if all arguments are known."""
    w, s = known_int(size), known_int(stride)
    if w is not None and s is not None:
        known = known_int(length)
        if known is not None:
            return count_windows(known, w, s, ignore_border)
        if ignore_border and w == s:
            return length // s
        size, stride = w, s
    if ignore_border:
        return maximum((length - size) // stride + 1, 0)
    disjoint = (length - 1) // stride + 1
    over = maximum(0, (length - 1 - size) // stride + 1) + 1
    if w is not None and s is not None:
        return disjoint if s >= w else over
    return switch(ge(stride, size), disjoint, over)
