"""Rules for joins, splits, and vectors made of scalars."""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np

from theano._src.graph.graph import Apply, Constant
from theano._src.ops.index.index_list import fill
from theano._src.ops.index.subtensor import Subtensor
from theano._src.ops.shape.join import Join, MakeVector, Split, join, make_vector
from theano._src.ops.shape.shape import reshape, shape_i_op
from theano._src.ops.shape.static_values import known_int, vector_entries, vector_length
from theano._src.rewrite.rule import FunctionRule
from theano._src.rules.lengths import is_length, lengths_of, same_length
from theano._src.rules.structure import on, patterned, vector


def join_of_one(node: Apply) -> list[Any] | None:
    """join(0, x) -> x"""
    if len(node.inputs) != 2 or known_int(node.inputs[0]) is None:
        return None
    return [patterned(node.inputs[1], node.outputs[0])]


def join_of_empty(node: Apply) -> list[Any] | None:
    """join(0, x, []) -> x; join(0, x, [], y) -> join(0, x, y)"""
    axis, *parts = node.inputs
    # the other dimensions of an empty part are checked, and an axis that is no number
    if parts[0].type.ndim != 1 or known_int(axis) is None:
        return None
    kept = [p for p in parts if not (isinstance(p, Constant) and p.data.size == 0)]
    if len(kept) == len(parts):
        return None
    return [patterned(join(axis, *(kept or parts[:1])), node.outputs[0])]


def join_of_vectors(node: Apply) -> list[Any] | None:
    """join(0, MakeVector(a), MakeVector(b), x) -> join(0, MakeVector(a, b), x)"""
    axis, *parts = node.inputs
    if parts[0].type.ndim != 1 or known_int(axis) is None:
        return None
    kept: list[Any] = []
    for p in parts:
        last = kept[-1].owner if kept else None
        if _is_vector(p.owner) and _is_vector(last) and last.op == p.owner.op:
            kept[-1] = last.op(*last.inputs, *p.owner.inputs)
        else:
            kept.append(p)
    if len(kept) == len(parts):
        return None
    return [patterned(join(axis, *kept), node.outputs[0])]


def _is_vector(node: Apply | None) -> TypeGuard[Apply]:
    return node is not None and isinstance(node.op, MakeVector)


def split_of_join(fgraph: Any, node: Apply) -> list[Any] | None:
    """split(join(0, x, y), their lengths) -> x, y"""
    v, axis, splits = node.inputs
    inner = v.owner
    at = known_int(axis)
    if inner is None or not isinstance(inner.op, Join) or at is None:
        return None
    parts = inner.inputs[1:]
    ndim = v.type.ndim
    at %= ndim
    own = known_int(inner.inputs[0])
    if own is None or own % ndim != at or len(parts) != node.op.len_splits:
        return None
    if vector_length(splits) != len(parts):
        return None
    for p, n in zip(parts, vector_entries(splits, len(parts)), strict=True):
        if not is_length(fgraph, n, p, at):
            return None
        if not all(same_length(fgraph, p, d, parts[0], d) for d in range(ndim) if d != at):
            return None
    return [patterned(p, out) for p, out in zip(parts, node.outputs, strict=True)]


def split_in_one(fgraph: Any, node: Apply) -> list[Any] | None:
    """split(x, [the length of x]) -> x"""
    x, axis, splits = node.inputs
    at = known_int(axis)
    if node.op.len_splits != 1 or at is None or vector_length(splits) != 1:
        return None
    (n,) = vector_entries(splits, 1)
    if not is_length(fgraph, n, x, at % x.type.ndim):
        return None
    return [patterned(x, node.outputs[0])]


def vector_of_entries(fgraph: Any, node: Apply) -> list[Any] | None:
    """MakeVector(x[0], x[1]) -> x, if x is known to have these entries and no more"""
    if not node.inputs:
        return None
    x = None
    for i, v in enumerate(node.inputs):
        own = v.owner
        if own is None or not isinstance(own.op, Subtensor) or len(own.inputs) != 2:
            return None
        if x is not None and own.inputs[0] is not x:
            return None
        x = own.inputs[0]
        (at,) = fill(own.op.idx_list, own.inputs[1:])
        if isinstance(at, slice) or not isinstance(at, Constant) or int(at.data) != i:
            return None
    if x is None or x.type.ndim != 1 or x.type.dtype != node.op.dtype:
        return None
    lengths = lengths_of(fgraph, x)
    if lengths is None or known_int(lengths[0]) != len(node.inputs):
        return None
    return [patterned(x, node.outputs[0])]


def _entries_of(x: Any) -> Any:
    flat = reshape(x, (9,))
    return MakeVector("float64")(*[flat[i] for i in range(9)])


_FIRST = "canonicalize specialize"

# fmt: off
RULES = (
    FunctionRule(join_of_one, "join_of_one", _FIRST, [Join],
                 tags=("local_join_1", "local_useless"),
                 example=on(lambda x: Join()(0, x))),
    FunctionRule(join_of_empty, "join_of_empty", _FIRST, [Join],
                 tags=("local_join_empty", "local_useless"),
                 example=on(lambda x: join(0, x, np.zeros(0)), vector)),
    FunctionRule(join_of_vectors, "join_of_vectors", _FIRST, [Join],
                 tags=("local_join_make_vector", "local_useless"),
                 example=on(lambda x: join(0, make_vector(*[shape_i_op(i)(x) for i in (0, 1)]),
                                            make_vector(7, 8)))),
    FunctionRule(split_of_join, "split_of_join", _FIRST, [Split]),
    FunctionRule(split_in_one, "split_in_one", _FIRST, [Split],
                 tags=("local_useless_split",),
                 example=on(lambda x: Split(1)(x, 1, make_vector(shape_i_op(1)(x))))),
    FunctionRule(vector_of_entries, "vector_of_entries", _FIRST, [MakeVector],
                 example=on(_entries_of)),
)
# fmt: on
