"""Arrays that repeat one value: avoided where another input has their shape, or created last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np

from theano._src.graph.graph import Apply, Owned, Variable
from theano._src.graph.walk import same_computations
from theano._src.ground.config import config
from theano._src.ops.core.dimshuffle import DimShuffle, pad_left
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.arithmetic import Pow, Second, fill
from theano._src.ops.shape.alloc import Alloc, alloc
from theano._src.ops.shape.check_lengths import CheckLengths
from theano._src.ops.shape.dims import patternbroadcast
from theano._src.ops.shape.static_values import as_length
from theano._src.rewrite.rule import FunctionRule
from theano._src.rules.lengths import (
    has_length,
    length_of,
    same_length,
    same_lengths,
    with_length_check,
)
from theano._src.types.convert import constant
from theano._src.types.dtypes import discrete_dtypes
from theano._src.types.tensor import tensor_type


def filled(fgraph: Any, value: Any, models: Sequence[Any], out: Any) -> Any:
    """Return ``value`` broadcast over ``models``, whose lengths are checked to agree."""
    dtype = out.type.dtype
    if not isinstance(value, Variable):
        value = constant(np.full((1,) * out.type.ndim, value, dtype))
    used: list[Any] = []
    for m in models:
        if all(m.type.broadcastable) or any(same_lengths(fgraph, m, u) for u in used):
            continue
        used.append(m)
    for m in reversed(used):
        value = fill(m, value)
    return value


def _is_fill(v: Any) -> TypeGuard[Owned]:
    node = v.owner
    return node is not None and type(node.op) is Elemwise and type(node.op.scalar_op) is Second


def _is_alloc(v: Any) -> TypeGuard[Owned]:
    return v.owner is not None and type(v.owner.op) is Alloc


def _is_plain(node: Apply) -> bool:
    """Whether an op may run on fewer elements: it overwrites no input and rejects no value."""
    op = node.op
    return (
        not op.inplace_items
        and len(node.outputs) == 1
        and op.scalar_op.has_compute
        and not (type(op.scalar_op) is Pow and node.outputs[0].type.dtype in discrete_dtypes)
    )


def _met(fgraph: Any, variables: Sequence[Any], d: int, model: Any) -> bool:
    """Whether a variable is as long as ``model``, so that an op on all of them checks that."""
    n = length_of(fgraph, model, d)
    return any(has_length(fgraph, v, d, n) for v in variables)


def fill_cut(fgraph: Any, node: Apply) -> list[Any] | None:
    """f(fill(a, b), c) -> f(b, c) where c is as long as a"""
    if type(node.op.scalar_op) is Second or not any(map(_is_fill, node.inputs)):
        return None
    if not _is_plain(node):
        return None
    inputs: list[Any] = list(node.inputs)
    for i, v in enumerate(node.inputs):
        if not _is_fill(v):
            continue
        a, b = v.owner.inputs
        others = [*inputs[:i], b, *inputs[i + 1 :]]
        if all(
            stretches or _met(fgraph, others, d, a)
            for d, stretches in enumerate(a.type.broadcastable)
        ):
            inputs = others
    if inputs == node.inputs:
        return None
    return [node.op(*inputs)]


def fill_sink(fgraph: Any, node: Apply) -> list[Any] | None:
    """f(fill(a, b), c) -> fill(a, f(b, c)): repeated values are computed once"""
    if type(node.op.scalar_op) is Second or not any(map(_is_fill, node.inputs)):
        return None
    if not _is_plain(node):
        return None
    models: list[Any] = []
    inputs: list[Any] = []
    for v in node.inputs:
        if _is_fill(v):
            a, b = v.owner.inputs
            models.append(a)
            inputs.append(b)
        else:
            inputs.append(v)
    new = node.op(*inputs)
    return [filled(fgraph, new, models, node.outputs[0])]


def useless_fill(fgraph: Any, node: Apply) -> list[Any] | None:
    """fill(a, b) -> b where b is as long as a"""
    a, b = node.inputs
    out = node.outputs[0]
    if b.type != out.type or node.op.inplace_items:
        return None
    for d, stretches in enumerate(a.type.broadcastable):
        if not stretches and not _met(fgraph, [b], d, a):
            return None
    return [b]


def fill_to_alloc(fgraph: Any, node: Apply) -> list[Any] | None:
    """fill(a, b) -> alloc(b, *shape of a): a itself need not be computed"""
    a, b = node.inputs
    out: Any = node.outputs[0]
    if node.op.inplace_items:
        return None
    value = with_length_check(fgraph, b, a)
    if b.type == out.type:
        return [value]
    lengths = [
        length_of(fgraph, b if along else a, d) for d, along in enumerate(a.type.broadcastable)
    ]
    return [_alloc(value, lengths, out)]


def _alloc(value: Any, lengths: Sequence[Any], out: Any) -> Any:
    # alloc adds leading dimensions itself
    while value.ndim and value.owner is not None and _adds_leading(value.owner):
        value = value.owner.inputs[0]
    result = alloc(value, *lengths)
    if result.type.broadcastable != out.type.broadcastable:
        # a length turned out to be 1, which the type does not show
        result = patternbroadcast(result, out.type.broadcastable)
    return result


def _adds_leading(node: Apply) -> bool:
    order = getattr(node.op, "new_order", None)
    if order is None:
        return False
    n = node.inputs[0].type.ndim
    return bool(order == ("x",) * (len(order) - n) + tuple(range(n)))


def useless_alloc(fgraph: Any, node: Apply) -> list[Any] | None:
    """alloc(x, *lengths) -> x where x is that long"""
    x, *lengths = node.inputs
    feature = getattr(fgraph, "shape_feature", None)
    if x.type != node.outputs[0].type:
        return None
    if all(x.type.broadcastable):
        return [x]
    have = None if feature is None else feature.shape(x)
    if have is None or not same_computations(have, lengths):
        return None
    return [x]


def alloc_of_alloc(fgraph: Any, node: Apply) -> list[Any] | None:
    """alloc(alloc(x, n), m, n) -> alloc(x, m, n)"""
    inner = node.inputs[0].owner
    if inner is None or type(inner.op) is not Alloc:
        return None
    x, *few = inner.inputs
    many = node.inputs[1:]
    for n, m in zip(few, many[len(many) - len(few) :], strict=True):
        is_one = getattr(n, "data", None) == 1
        if not is_one and n is not m and not same_computations([n], [m]):
            return None
    return [_alloc(x, many, node.outputs[0])]


def alloc_of_dimshuffle(node: Apply) -> list[Any] | None:
    """alloc(x.dimshuffle('x', 0), m, n) -> alloc(x, m, n)"""
    result = node.inputs[0].owner
    if result is None or not _adds_leading(result):
        return None
    return [_alloc(node.inputs[0], node.inputs[1:], node.outputs[0])]


def dimshuffle_of_alloc(node: Apply) -> list[Any] | None:
    """alloc(x, n).dimshuffle('x', 0) -> alloc(x, 1, n)"""
    (x,) = node.inputs
    if not _is_alloc(x) or len(x._clients or ()) > 1 or not _adds_leading(node):
        return None
    value, *lengths = x.owner.inputs
    new = node.outputs[0].type.ndim - len(lengths)
    return [_alloc(value, [as_length(1)] * new + lengths, node.outputs[0])] if new else None


def elemwise_of_alloc(fgraph: Any, node: Apply) -> list[Any] | None:
    """f(alloc(v, *lengths), x) -> f(v, x) where x is checked to have these lengths"""
    if not any(map(_is_alloc, node.inputs)) or node.op.inplace_items:
        return None
    inputs: list[Any] = list(node.inputs)
    checks: dict[int, dict[int, Any]] = {}
    left_out: set[int] = set()
    for i, v in enumerate(node.inputs):
        if not _is_alloc(v):
            continue
        value = pad_left(v.owner.inputs[0], v.type.ndim)
        if value.type == v.type:
            continue
        result = _stand_in(fgraph, node, i, value, left_out)
        if result is None:
            continue
        for d, j in result.items():
            checks.setdefault(j, {})[d] = v.owner.inputs[1 + d]
        left_out.add(i)
        inputs[i] = value
    if not left_out:
        return None
    if config.experimental.local_alloc_elemwise_assert:
        for j, lengths in checks.items():
            inputs[j] = CheckLengths(tuple(lengths))(inputs[j], *lengths.values())
    new: list[Any] = node.op(*inputs, return_list=True)
    if [v.type for v in new] != [v.type for v in node.outputs]:
        return None
    return new


def _stand_in(
    fgraph: Any, node: Apply, i: int, value: Any, left_out: set[int]
) -> dict[int, int] | None:
    """Return, by dimension, the input of ``node`` to check in place of input ``i``.

    Dimensions in which another input is known to be as long are left out. Return None if there is
    no such input.
    """
    v: Any = node.inputs[i]
    result: dict[int, int] = {}
    for d, stretches in enumerate(v.type.broadcastable):
        if stretches:
            continue
        if not value.type.broadcastable[d] and not same_length(fgraph, v, d, value, d):
            return None  # alloc also stretches a length that happens to be 1
        others = [
            j
            for j, u in enumerate(node.inputs)
            if j != i and j not in left_out and not u.type.broadcastable[d]
        ]
        if not others:
            return None
        n = v.owner.inputs[1 + d]
        if not any(has_length(fgraph, node.inputs[j], d, n) for j in others):
            result[d] = others[0]
    return result


def alloc_sink(node: Apply) -> list[Any] | None:
    """f(alloc(v, *lengths), 2) -> alloc(f(v, 2), *lengths)"""
    if not any(map(_is_alloc, node.inputs)) or not _is_plain(node):
        return None
    if type(node.op.scalar_op) is Second:
        return None
    at = [i for i, v in enumerate(node.inputs) if not all(v.type.broadcastable)]
    if len(at) != 1 or not _is_alloc(v := node.inputs[at[0]]):
        return None
    value, *lengths = v.owner.inputs
    if not all(value.type.broadcastable):
        return None  # f may be the cheaper on what an alloc stretches further
    inputs: list[Any] = list(node.inputs)
    inputs[at[0]] = pad_left(value, len(lengths))
    new = node.op(*inputs)
    return [_alloc(new, lengths, node.outputs[0])]


def useless_agree(fgraph: Any, node: Apply) -> list[Any] | None:
    """CheckLengths(x, n) -> x where x is known to be n long"""
    x, *lengths = node.inputs
    left = {
        d: n for d, n in zip(node.op.dims, lengths, strict=True) if not has_length(fgraph, x, d, n)
    }
    if len(left) == len(lengths):
        return None
    return [CheckLengths(tuple(left))(x, *left.values()) if left else x]


def _is_agree(v: Any) -> TypeGuard[Owned]:
    return v.owner is not None and type(v.owner.op) is CheckLengths


def agree_sink(fgraph: Any, node: Apply) -> list[Any] | None:
    """f(CheckLengths(x, n), y) -> f(x, y) where y is n long, CheckLengths(f(x, y), n) elsewhere"""
    if not any(map(_is_agree, node.inputs)) or not _is_plain(node):
        return None
    inputs: list[Any] = list(node.inputs)
    lengths: dict[int, Any] = {}
    for i, v in enumerate(node.inputs):
        if not _is_agree(v):
            continue
        x, *checked = v.owner.inputs
        wanted = dict(zip(v.owner.op.dims, checked, strict=True))
        if any(
            d in lengths and not same_computations([lengths[d]], [n]) for d, n in wanted.items()
        ):
            continue  # two lengths for one dimension: left to the next application
        lengths.update(wanted)
        inputs[i] = x
    new = node.op(*inputs)
    left = {d: n for d, n in lengths.items() if not has_length(fgraph, new, d, n)}
    return [CheckLengths(tuple(left))(new, *left.values()) if left else new]


def _vectors(*names: str) -> list[Any]:
    return [tensor_type("float64", (False,))(name) for name in names]


_GONE = "a value that is only needed for its shape is not computed, so its errors are not raised"

# fmt: off
RULES = (
    FunctionRule(useless_fill, "useless_fill", "canonicalize specialize", [Second],
                 tags=("local_useless_fill", "local_useless", "fast_compile"), hazard=_GONE),
    FunctionRule(fill_cut, "fill_cut", "canonicalize", [Elemwise],
                 tags=("local_fill_cut",), hazard=_GONE),
    FunctionRule(fill_sink, "fill_sink", "canonicalize", [Elemwise],
                 tags=("local_fill_sink",)),
    FunctionRule(fill_to_alloc, "fill_to_alloc", "stabilize specialize", [Second],
                 tags=("local_fill_to_alloc",), hazard=_GONE, depth=1),
    FunctionRule(useless_alloc, "useless_alloc", "canonicalize stabilize specialize", [Alloc],
                 tags=("local_useless_alloc", "local_canonicalize_alloc", "local_useless")),
    FunctionRule(alloc_of_alloc, "alloc_of_alloc", "canonicalize specialize", [Alloc],
                 tags=("local_merge_alloc",)),
    FunctionRule(alloc_of_dimshuffle, "alloc_of_dimshuffle", "uncanonicalize", [Alloc],
                 tags=("local_alloc_dimshuffle",)),
    FunctionRule(dimshuffle_of_alloc, "dimshuffle_of_alloc", "uncanonicalize", [DimShuffle],
                 tags=("local_dimshuffle_alloc",)),
    FunctionRule(elemwise_of_alloc, "elemwise_of_alloc", "specialize", [Elemwise],
                 tags=("local_elemwise_alloc", "local_alloc_elemwise")),
    FunctionRule(alloc_sink, "alloc_sink", "specialize", [Elemwise],
                 tags=("local_alloc_unary",)),
    FunctionRule(useless_agree, "useless_agree", "canonicalize specialize", [CheckLengths],
                 tags=("local_useless",), depth=4),
    FunctionRule(agree_sink, "agree_sink", "canonicalize specialize", [Elemwise]),
)
# fmt: on
