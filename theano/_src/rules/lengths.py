"""What rules may know of lengths: which are equal, which are counts, from a few nodes around."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Constant
from theano._src.ops.shape.shape import Shape_i, shape_i_op
from theano._src.ops.shape.static_values import known_int
from theano._src.rewrite.pattern import same_op

#: how far two expressions of a length are followed before they are called different
_LEVELS = 3


def lengths_of(fgraph: Any, v: Any) -> Sequence[Any] | None:
    """The lengths of ``v`` in terms of inputs, if the graph knows shapes."""
    feature = getattr(fgraph, "shape_feature", None)
    return None if feature is None else feature.shape(v)


def length_of(fgraph: Any, v: Any, axis: int) -> Any:
    """The length of one dimension: what the graph knows of it, or a question to the array."""
    found = lengths_of(fgraph, v)
    return shape_i_op(axis)(v) if found is None else found[axis]


def same_number(a: Any, b: Any, levels: int = _LEVELS) -> bool:
    """Whether two scalars are plainly one number. Recursive over ``levels`` nodes at most."""
    if a is b:
        return True
    if isinstance(a, Constant) or isinstance(b, Constant):
        both = isinstance(a, Constant) and isinstance(b, Constant)
        return both and bool(a.data == b.data)
    m, n = a.owner, b.owner
    if levels == 0 or m is None or n is None or len(m.inputs) != len(n.inputs):
        return False
    if a.index != b.index or not same_op(m.op, n.op):
        return False
    if m.inputs and m.inputs[0].type.ndim and m.inputs[0] is not n.inputs[0]:
        return False
    return all(same_number(p, q, levels - 1) for p, q in zip(m.inputs, n.inputs, strict=True))


def is_length(fgraph: Any, n: Any, v: Any, axis: int) -> bool:
    """Whether the scalar ``n`` is plainly the length of dimension ``axis`` of ``v``."""
    if v.type.broadcastable[axis]:
        return isinstance(n, Constant) and int(n.data) == 1
    own = n.owner
    if own is not None and isinstance(own.op, Shape_i) and own.inputs[0] is v:
        return bool(own.op.i == axis)
    found = lengths_of(fgraph, v)
    return found is not None and same_number(n, found[axis])


def same_length(fgraph: Any, x: Any, i: int, y: Any, j: int) -> bool:
    """Whether dimension ``i`` of ``x`` is plainly as long as ``j`` of ``y``."""
    if x is y and i == j:
        return True
    if x.type.broadcastable[i] and y.type.broadcastable[j]:
        return True
    a, b = lengths_of(fgraph, x), lengths_of(fgraph, y)
    return a is not None and b is not None and same_number(a[i], b[j])


def same_lengths(fgraph: Any, x: Any, y: Any) -> bool:
    """Whether two arrays of as many dimensions are plainly of one shape."""
    if x.type.ndim != y.type.ndim:
        return False
    return all(same_length(fgraph, x, d, y, d) for d in range(x.type.ndim))


def in_range(fgraph: Any, index: Any, v: Any, axis: int) -> bool:
    """Whether an index of dimension ``axis`` of ``v`` is known never to be out of range.

    Slices never are; integers are known to be inside when they and the length are constants.
    """
    if isinstance(index, slice):
        return True
    n = 1 if v.type.broadcastable[axis] else known_int(length_of(fgraph, v, axis))
    if n is None or not isinstance(index, Constant):
        return False
    return bool(np.all((index.data >= -n) & (index.data < n)))


def only_here(v: Any) -> bool:
    """Whether one input of one node is all that a variable is used for."""
    return v._clients is not None and len(v._clients) == 1
