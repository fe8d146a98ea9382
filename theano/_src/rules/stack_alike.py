"""Stacks of expressions of one form: apply the op once, to stacked inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.control.batching import batched
from theano._src.graph.graph import Apply, Constant
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.index.static_take import StaticTake
from theano._src.ops.index.subtensor import IncSubtensor, Subtensor
from theano._src.ops.index.subtensor1 import AdvancedIncSubtensor1
from theano._src.ops.shape.alloc import Alloc
from theano._src.ops.shape.dims import dimshuffle
from theano._src.ops.shape.join import Join, MakeVector, join
from theano._src.ops.shape.static_values import known_int
from theano._src.rewrite.rule import FunctionRule
from theano._src.types.convert import constant

#: ops that can be batched, and those of their inputs that must be equal for all
_FIXED: dict[type, slice] = {
    Elemwise: slice(0, 0),
    DimShuffle: slice(0, 0),
    Subtensor: slice(1, None),
    IncSubtensor: slice(2, None),
    Alloc: slice(1, None),
    Join: slice(0, 1),
}
# the most ops that are batched together
_MOST = 24
# the least number of consecutive writes that are worth a vector
_WRITES = 8


def element_of(v: Any) -> tuple[Any, int] | None:
    """Return the array and the position in its last dimension that a variable reads, or None."""
    n = v.owner
    if n is None:
        return None
    if isinstance(n.op, StaticTake) and isinstance(n.op.at, int):
        return n.inputs[0], n.op.at
    if type(n.op) is Subtensor:
        *rows, last = n.op.idx_list
        full = all(isinstance(e, slice) and e == slice(None) for e in rows)
        if full and len(rows) + 1 == n.inputs[0].type.ndim and not isinstance(last, slice):
            at = known_int(n.inputs[-1])
            return None if at is None else (n.inputs[0], at)
    return None


def _from_one(vs: Sequence[Any]) -> Any:
    """Return entries of one array's last dimension as an array with that dimension, or None."""
    results = [f for v in vs if (f := element_of(v)) is not None]
    if len(results) < len(vs) or len({x for x, _ in results}) > 1:
        return None
    x, at = results[0][0], [i for _, i in results]
    ops = [v.owner.op for v in vs]
    if all(isinstance(op, StaticTake) for op in ops):
        length = ops[0].length
        return x if at == list(range(length)) else StaticTake(at, length)(x)
    if any(isinstance(op, StaticTake) for op in ops):
        return None
    # the length is not known: positions out of range raise an error, as before
    return x[(slice(None),) * (x.type.ndim - 1) + (np.asarray(at),)]


def stacked(vs: Sequence[Any]) -> Any:
    """Return numbers as a vector."""
    if all(isinstance(v, Constant) for v in vs):
        return constant(np.array([v.data for v in vs], vs[0].type.dtype))
    result = _from_one(vs)
    if result is None:
        result = _together(vs)
    return MakeVector(vs[0].type.dtype)(*vs) if result is None else result


def columns(vs: Sequence[Any]) -> Any:
    """Return vectors of one length as the columns of a matrix."""
    result = _from_one(vs)
    if result is None:
        rows = _together(vs)
        result = None if rows is None else dimshuffle(rows, 1, 0)
    return join(1, *[dimshuffle(v, 0, "x") for v in vs]) if result is None else result


def _together(vs: Sequence[Any]) -> Any:
    """Return expressions of one form as the first of them, batched over their inputs, or None."""
    seen: dict[Any, tuple[Any, ...]] = {}
    rows: dict[Any, Any] = {}
    plain: dict[Any, Any] = {}
    todo = [tuple(vs)]
    opened = 0
    while todo:
        each = todo.pop()
        first = each[0]
        if first in seen:
            # read twice: all must do so in the same way, or the rows would differ
            if seen[first] != each:
                return None
            continue
        seen[first] = each
        if _are_one(each):
            plain[first] = first
        elif opened < _MOST and _are_alike(each):
            opened += 1
            todo += zip(*[v.owner.inputs for v in each], strict=True)
        else:
            rows[first] = _leaf(each)
            if rows[first] is None:
                return None
    return batched([vs[0]], rows, plain)[0] if opened and rows else None


def _are_one(vs: Sequence[Any]) -> bool:
    first = vs[0]
    if isinstance(first, Constant):
        return all(isinstance(v, Constant) and v.equals(first) for v in vs)
    return all(v is first for v in vs)


def _are_alike(vs: Sequence[Any]) -> bool:
    """Whether variables come from equal ops on inputs of equal types, and equal fixed inputs."""
    nodes = [v.owner for v in vs]
    if any(n is None for n in nodes) or type(nodes[0].op) not in _FIXED:
        return False
    op, ins = nodes[0].op, nodes[0].inputs
    if any(n.op != op or len(n.inputs) != len(ins) or len(n.outputs) > 1 for n in nodes):
        return False
    fixed = _FIXED[type(op)]
    pairs = list(zip(*[n.inputs for n in nodes], strict=True))
    return all(len({v.type for v in p}) == 1 for p in pairs) and all(map(_are_one, pairs[fixed]))


def _leaf(vs: Sequence[Any]) -> Any:
    """Return an array whose rows are ``vs``, or None."""
    if all(isinstance(v, Constant) for v in vs):
        if len({v.data.shape for v in vs}) > 1:
            return None
        return constant(np.stack([v.data for v in vs]))
    result = _from_one(vs)
    ndim = vs[0].type.ndim
    if result is not None:
        return dimshuffle(result, ndim, *range(ndim)) if ndim else result
    return MakeVector(vs[0].type.dtype)(*vs) if ndim == 0 else None


def written_together(fgraph: Any, node: Apply) -> list[Any] | None:
    """inc(inc(x[0], y), x[1], z) -> inc(x[[0, 1]], [y, z]): single writes become one"""
    at = _adds_to(node)
    if at is None or any(_adds_to(n) is not None and i == 0 for n, i in _users(node)):
        return None
    written = {at: node.inputs[1]}
    x = node.inputs[0]
    while x.owner is not None and x.owner.op == node.op and len(x._clients or ()) == 1:
        below = _adds_to(x.owner)
        # an index from the front and one from the end may be the same place
        if below is None or below in written or (below < 0) != (at < 0):
            break
        written[below] = x.owner.inputs[1]
        x = x.owner.inputs[0]
    if len(written) < _WRITES:
        return None
    places = sorted(written)
    return [AdvancedIncSubtensor1()(x, stacked([written[k] for k in places]), np.array(places))]


def _users(node: Apply) -> list[Any]:
    return [c for c in node.outputs[0]._clients or () if c[0] != "output"]


def _adds_to(node: Any) -> int | None:
    """Return the position in a vector that a node adds a number to, if known; else None."""
    op = node.op
    if type(op) is not IncSubtensor or op.set_instead_of_inc or op.inplace:
        return None
    x, y, *at = node.inputs
    if x.type.ndim != 1 or y.type.ndim or y.type.dtype != x.type.dtype or len(at) != 1:
        return None
    return known_int(at[0]) if not isinstance(op.idx_list[0], slice) else None


RULES = (FunctionRule(written_together, "scan_pack_writes", "scan_pack", [IncSubtensor]),)
