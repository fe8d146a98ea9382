"""The numbers of windows: in either spelling of their keywords, known or symbolic."""

from __future__ import annotations

import warnings
from typing import Any

from theano._src.graph.graph import Variable
from theano._src.ops.conv.pool_windows import count_windows
from theano._src.ops.elementwise.arithmetic import maximum
from theano._src.ops.elementwise.compare import ge, switch
from theano._src.ops.shape.static_values import known_int
from theano._src.types.aliases import ShapeLike


def _one_spelling(kept: Any, old: Any, name: str, old_name: str, default: Any = None) -> Any:
    """The value of a keyword that has an older name too."""
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
    warnings.warn(
        f"the parameter {old_name!r} of pooling is deprecated; call it {name!r}", stacklevel=5
    )
    return old


def spelled(
    ndim: int, ws: Any, stride: Any, pad: Any, ds: Any = None, st: Any = None, padding: Any = None
) -> tuple[Any, Any, Any]:
    """The numbers of windows, from keywords in either spelling."""
    none = (0,) * ndim
    ws = _one_spelling(ws, ds, "ws", "ds")
    if ws is None:
        raise ValueError(f"pooling takes {ndim} lengths of the window as ws, got none")
    return (
        ws,
        _one_spelling(stride, st, "stride", "st"),
        _one_spelling(pad, padding, "pad", "padding", default=none),
    )


def symbolic_count(length: Any, size: ShapeLike, stride: Any, ignore_border: bool) -> Any:
    """How many windows lie over ``length`` cells, in numbers where all are known."""
    sizes = known_int(size), known_int(stride)
    if None not in sizes:
        size, stride = sizes
        known = known_int(length)
        if known is not None:
            return count_windows(known, size, stride, ignore_border)
        if ignore_border and size == stride:
            return length // stride
    if ignore_border:
        return maximum((length - size) // stride + 1, 0)
    apart = (length - 1) // stride + 1
    over = maximum(0, (length - 1 - size) // stride + 1) + 1
    if None not in sizes:
        return apart if stride >= size else over
    return switch(ge(stride, size), apart, over)
