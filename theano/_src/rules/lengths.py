"""Lengths of dimensions as far as a graph knows them: which are equal, and their values."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import meaning_of
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.shape.check_lengths import CheckLengths
from theano._src.ops.shape.shape import Shape_i, shape_i_op
from theano._src.ops.shape.static_values import as_length, known_int
from theano._src.rewrite.pattern import same_op
from theano._src.types.checked import is_checked

#: the most pairs of variables compared before two expressions of a length count as different
_MOST_PAIRS = 30
#: the most variables examined before a length counts as unknown
_MOST_ASKED = 12


def lengths_of(fgraph: FunctionGraph | None, v: Variable) -> Sequence[Any] | None:
    """Return the lengths of ``v`` in terms of inputs, or None if the graph has no shapes."""
    feature = getattr(fgraph, "shape_feature", None)
    return None if feature is None else feature.shape(v)


def length_of(fgraph: FunctionGraph | None, v: Variable, axis: int) -> Any:
    """Return the length of one dimension: as inferred, or a ``Shape_i`` of the variable."""
    if v.type.broadcastable[axis]:
        return as_length(1)
    lengths = lengths_of(fgraph, v)
    return shape_i_op(axis)(v) if lengths is None else lengths[axis]


def same_number(a: Variable, b: Variable) -> bool:
    """Whether two scalars are known to be equal: equal constants, or computed alike."""
    todo = [(a, b)]
    seen: set[tuple[Variable, Variable]] = set()
    while todo:
        pair = todo.pop()
        x, y = pair
        if x is y or pair in seen:
            continue
        if len(seen) == _MOST_PAIRS:
            return False
        seen.add(pair)
        if isinstance(x, Constant) and isinstance(y, Constant):
            # NOTE: lengths of different integer dtypes are compared too
            if not (
                x.equals(y) or (np.ndim(x.data) == np.ndim(y.data) == 0 and bool(x.data == y.data))
            ):
                return False
            continue
        m, n = x.owner, y.owner
        if m is None or n is None or len(m.inputs) != len(n.inputs):
            return False
        if x.index != y.index or not same_op(m.op, n.op):
            return False
        todo.extend(zip(m.inputs, n.inputs, strict=True))
    return True


def is_length(fgraph: FunctionGraph | None, n: Variable, v: Variable, axis: int) -> bool:
    """Whether the scalar ``n`` is known to be the length of dimension ``axis`` of ``v``."""
    if v.type.broadcastable[axis]:
        return isinstance(n, Constant) and int(n.data) == 1
    own = n.owner
    if own is not None and isinstance(own.op, Shape_i) and own.inputs[0] is v:
        return bool(own.op.i == axis)
    lengths = lengths_of(fgraph, v)
    return lengths is not None and same_number(n, lengths[axis])


def has_length(fgraph: FunctionGraph | None, v: Variable, axis: int, n: Variable) -> bool:
    """Whether dimension ``axis`` of ``v`` is ``n`` long, or computing ``v`` fails.

    Elementwise ops compare the lengths of their inputs, so the length of any input is enough.
    """
    todo, requested = [v], 0
    while todo and requested < _MOST_ASKED:
        v = todo.pop()
        if v.type.broadcastable[axis]:
            continue
        requested += 1
        if is_length(fgraph, n, v, axis):
            return True
        node = v.owner
        if node is None:
            continue
        if isinstance(node.op, Elemwise):
            todo.extend(node.inputs)
        elif isinstance(node.op, CheckLengths):
            checked = dict(zip(node.op.dims, node.inputs[1:], strict=True))
            if axis in checked and same_number(checked[axis], n):
                return True
            todo.append(node.inputs[0])
    return False


def same_length(fgraph: FunctionGraph | None, x: Variable, i: int, y: Variable, j: int) -> bool:
    """Whether two dimensions are known to be equally long: both 1 by type, or neither."""
    a, b = x.type.broadcastable[i], y.type.broadcastable[j]
    if a or b:
        return bool(a and b)
    if x is y and i == j:
        return True
    m, n = lengths_of(fgraph, x), lengths_of(fgraph, y)
    return m is not None and n is not None and same_number(m[i], n[j])


def same_lengths(fgraph: FunctionGraph | None, x: Variable, y: Variable) -> bool:
    """Whether two variables are known to have the same shape and broadcast pattern."""
    if x is y:
        return True
    if x.type.broadcastable != y.type.broadcastable:
        return False
    return all(same_length(fgraph, x, d, y, d) for d in range(x.type.ndim))


def with_length_check(fgraph: FunctionGraph | None, x: Variable, model: Variable) -> Any:
    """Return ``x``, checked to be as long as ``model`` where neither is broadcastable."""
    if x is model:
        return x
    lengths = {}
    for d, b in enumerate(model.type.broadcastable):
        if b or x.type.broadcastable[d]:
            continue
        n = length_of(fgraph, model, d)
        if not has_length(fgraph, x, d, n):
            lengths[d] = n
    return CheckLengths(tuple(lengths))(x, *lengths.values()) if lengths else x


def in_range(fgraph: Any, index: Any, v: Any, axis: int) -> bool:
    """Whether an index of dimension ``axis`` of ``v`` is known never to be out of range.

    Slices never are; an integer is known to be in range if it and the length are constants.
    """
    if isinstance(index, slice):
        return True
    n = known_int(length_of(fgraph, v, axis))
    if n is None or not isinstance(index, Constant):
        return False
    return bool(np.all((index.data >= -n) & (index.data < n)))


def only_here(v: Any) -> bool:
    """Whether a variable has exactly one use."""
    return v._clients is not None and len(v._clients) == 1


def drops_a_check(node: Apply, kept: Collection[Variable]) -> bool:
    """Whether removing a node also removes another that may report an error about its values.

    ``kept`` are variables that the replacement needs too. The nodes visited are removed with the
    node, so all calls together visit no more than the graph.
    """
    gone = {node}
    stack = list(node.inputs)
    while stack:
        v = stack.pop()
        owner = v.owner
        if owner is None or owner in gone or v in kept:
            continue
        if any(user not in gone for out in owner.outputs for user, _ in out._clients or ()):
            continue  # something else needs it
        if is_checked(owner.op) or meaning_of(owner.op) != "compute":
            return True
        gone.add(owner)
        stack.extend(owner.inputs)
    return False
