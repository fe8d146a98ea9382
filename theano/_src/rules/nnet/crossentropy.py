"""Fuse crossentropies with the softmax before them, with their gradients and with biases."""

from __future__ import annotations

from typing import Any

from theano._src.graph.graph import Apply
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.elementwise.arithmetic import Add, Second, Sub, add, neg
from theano._src.ops.index.advanced import ARRAY, AdvancedIncSubtensor, AdvancedSubtensor
from theano._src.ops.nnet.crossentropy import (
    CrossentropySoftmax1Hot,
    CrossentropySoftmax1HotWithBiasDx,
    CrossentropySoftmaxArgmax1HotWithBias,
)
from theano._src.ops.nnet.losses import (
    CrossentropyCategorical1Hot,
    CrossentropyCategorical1HotGrad,
)
from theano._src.ops.nnet.softmax import (
    Softmax,
    SoftmaxGrad,
    SoftmaxWithBias,
    logsoftmax_op,
    softmax_grad,
    softmax_op,
    softmax_with_bias,
)
from theano._src.ops.reduce.careduce import Sum
from theano._src.ops.reduce.max_min import Argmax
from theano._src.ops.shape.alloc import Alloc
from theano._src.ops.shape.ranges import ARange
from theano._src.ops.shape.shape import Shape_i
from theano._src.rewrite.pattern import uniform_value
from theano._src.rewrite.rule import FunctionRule
from theano._src.rules.factoring import Product, alike, kind_of
from theano._src.rules.lengths import has_length, same_length, same_lengths
from theano._src.rules.stability import is_zero

#: the most nodes searched for one that must not be among them
_MOST_SEEN = 64


def _independent(v: Any, node: Apply) -> bool:
    """Whether ``v`` is known not to depend on ``node``."""
    todo: list[Apply | None] = [v.owner]
    seen: set[Apply] = set()
    while todo:
        at = todo.pop()
        if at is None or at in seen:
            continue
        if at is node or len(seen) == _MOST_SEEN:
            return False
        seen.add(at)
        todo.extend(u.owner for u in at.inputs)
    return True


def _softmax_of_rows(v: Any) -> Apply | None:
    """Return the node of ``v`` if it is a softmax of the rows of a matrix; else None."""
    return v.owner if v.owner is not None and v.owner.op == softmax_op else None


def _all_softmaxes(x: Any, y: Any, sm: Any) -> dict[Any, Any] | None:
    """Map every softmax of the rows of ``x`` to ``sm``; None if ``y`` depends on one of them."""
    users = [user for user, _ in x._clients or () if user != "output" and user.op == softmax_op]
    if not all(_independent(y, user) for user in users):
        return None
    return {user.outputs[0]: sm for user in users}


def crossentropy_of_softmax(node: Apply) -> dict[Any, Any] | None:
    """crossentropy_categorical_1hot(softmax(x), y) -> crossentropy_softmax_1hot(x, y)"""
    coding, y = node.inputs
    before = _softmax_of_rows(coding)
    if before is None:
        return None
    (x,) = before.inputs
    nll, sm = CrossentropySoftmax1Hot()(x, y)
    merged = _all_softmaxes(x, y, sm)
    if merged is None or nll.type != node.outputs[0].type:
        return None
    return {node.outputs[0]: nll, **merged}


def _are_rows(fgraph: Any, rows: Any, y: Any) -> bool:
    """Whether ``rows`` is ``arange(len(y))``."""
    node = rows.owner
    if node is None or not isinstance(node.op, ARange) or y.type.ndim != 1:
        return False
    start, stop, step = node.inputs
    if uniform_value(start) != 0 or uniform_value(step) != 1:
        return False
    if y.type.broadcastable[0]:
        return False
    requested = stop.owner
    if requested is not None and isinstance(requested.op, Shape_i) and requested.inputs[0] is y:
        return True
    return has_length(fgraph, y, 0, stop)


def _at_classes(fgraph: Any, op: Any, index: Any) -> Any:
    """Return y if an index is ``[arange(len(y)), y]``; else None."""
    if op.idx_list != (ARRAY, ARRAY):
        return None
    rows, y = index
    integers = y.type.numpy_dtype.kind in "iu"
    return y if integers and _are_rows(fgraph, rows, y) else None


def crossentropy_by_index(fgraph: Any, node: Apply) -> dict[Any, Any] | None:
    """logsoftmax(x)[arange(len(y)), y] -> -crossentropy_softmax_1hot(x, y)"""
    logs, *index = node.inputs
    if logs.owner is None or logs.owner.op != logsoftmax_op or len(logs._clients or ()) > 1:
        return None
    y = _at_classes(fgraph, node.op, index)
    if y is None:
        return None
    (x,) = logs.owner.inputs
    nll, sm = CrossentropySoftmax1Hot(indexed=True)(x, y)
    merged = _all_softmaxes(x, y, sm)
    if merged is None or nll.type != node.outputs[0].type:
        return None
    return {node.outputs[0]: neg(nll), **merged}


def softmax_beside_crossentropy(node: Apply) -> list[Any] | None:
    """softmax(x) -> the softmax that an existing crossentropy_softmax_1hot(x, y) has computed"""
    (x,) = node.inputs
    if node.op != softmax_op:
        return None
    for user, i in x._clients or ():
        if i == 0 and user != "output" and type(user.op) is CrossentropySoftmax1Hot:
            return [user.outputs[1]] if _independent(user.inputs[-1], node) else None
    return None


def _one_for_all(fgraph: Any, g: Any, *like: Any) -> Any:
    """Return the scalar that a vector repeats, if it is as long as one of ``like``; else None."""
    if g.type.ndim == 0:
        return g
    if g.type.broadcastable[0]:
        return DimShuffle((True,), ())(g)
    node = g.owner
    value = None
    if node is not None and isinstance(node.op, Alloc):
        value, n = node.inputs
        value = value if any(has_length(fgraph, v, 0, n) for v in like) else None
    elif kind_of(g) is Second and any(same_length(fgraph, g, 0, v, 0) for v in like):
        value = node.inputs[1]
    if value is None or value.type.ndim == 0:
        return value
    return DimShuffle((True,), ())(value) if value.type.broadcastable == (True,) else None


def gradient_through_softmax(node: Apply) -> list[Any] | None:
    """softmax_grad(crossentropy_categorical_1hot_grad(g, sm, y), sm) -> the gradient of both"""
    dy, sm = node.inputs
    before = dy.owner
    if before is None or not isinstance(before.op, CrossentropyCategorical1HotGrad):
        return None
    g, coding, y = before.inputs
    if coding is not sm or node.op != softmax_grad:
        return None
    result = CrossentropySoftmax1HotWithBiasDx()(g, sm, y)
    return [result] if result.type == node.outputs[0].type else None


def gradient_by_index(fgraph: Any, node: Apply) -> list[Any] | None:
    """h - sum(h) * sm -> crossentropy's gradient, for h = g at [arange(len(y)), y], else 0"""
    result = _less_its_share(node)
    if result is None:
        return None
    h, sm = result
    before = h.owner
    if isinstance(before.op, CrossentropySoftmax1HotWithBiasDx) and is_zero(before.inputs[1]):
        g, _, y = before.inputs
        return [before.op(g, sm, y)] if same_lengths(fgraph, h, sm) else None
    if not isinstance(before.op, AdvancedIncSubtensor):
        return None
    zeros, g, *index = before.inputs
    if before.op.set_instead_of_inc or not is_zero(zeros) or not same_lengths(fgraph, h, sm):
        return None
    y = _at_classes(fgraph, before.op, index)
    if y is None or g.type.dtype != h.type.dtype or g.type.ndim > 1:
        return None
    one = _one_for_all(fgraph, g, y)
    if one is None and not same_length(fgraph, g, 0, y, 0):
        return None  # a gradient of one element would be spread over all
    return [CrossentropySoftmax1HotWithBiasDx(True)(neg(g if one is None else one), sm, y)]


_AT_CLASSES = (AdvancedIncSubtensor, CrossentropySoftmax1HotWithBiasDx)


def _less_its_share(node: Apply) -> tuple[Any, Any] | None:
    """Return h and sm if the node is h - sum(h) * sm, by rows; else None."""
    if len(node.inputs) != 2 or node.op.inplace_items:
        return None
    out = node.outputs[0].type
    sign = kind_of(node.outputs[0]) is Add
    pairs = [node.inputs, node.inputs[::-1]] if sign else [node.inputs]
    for h, share in pairs:
        at_classes = h.owner is not None and isinstance(h.owner.op, _AT_CLASSES)
        if not at_classes or h.type != out or share.type != out:
            continue
        p = Product(share)
        plain = [f for f in p.factors if f.power == 1 and f.shuffle is None]
        if len(plain) != 2 or len(p.factors) != 2 or p.models or p.negative != sign:
            continue
        for total, sm in (plain, plain[::-1]):
            if sm.v.type == out and _is_sum_of(total.v, h):
                return h, sm.v
    return None


def _is_sum_of(v: Any, h: Any) -> bool:
    """Whether ``v`` is ``h`` summed over each row, with the dimension kept."""
    node = v.owner
    if node is None or not isinstance(node.op, DimShuffle) or node.op.new_order != (0, "x"):
        return False
    total = node.inputs[0].owner
    return (
        total is not None
        and isinstance(total.op, Sum)
        and total.op.axis == (1,)
        and alike(total.inputs[0], h, depth=3)
    )


def gradient_of_one_number(fgraph: Any, node: Apply) -> list[Any] | None:
    """crossentropy's gradient for a repeated number -> for that number"""
    g, sm, y = node.inputs
    if g.type.ndim == 0:
        return None
    # the op itself compares the lengths of the others
    one = _one_for_all(fgraph, g, y) if node.op.indexed else _one_for_all(fgraph, g, y, sm)
    return None if one is None else [node.op(one, sm, y)]


def bias_apart(node: Apply) -> list[Any] | None:
    """softmax_with_bias(x, b) -> softmax(x + b)"""
    x, b = node.inputs
    if x.type.dtype != b.type.dtype or x.type.broadcastable[1:] != b.type.broadcastable:
        return None  # add would repeat one number, where the op raises
    result = softmax_op(add(x, DimShuffle(b.type.broadcastable, ("x", 0))(b)))
    return [result] if result.type == node.outputs[0].type else None


def _with_bias(v: Any) -> tuple[Any, Any] | None:
    """Return x and a vector b if ``v`` is x + b and is used once; else None."""
    if kind_of(v) is not Add or len(v._clients or ()) > 1:
        return None
    terms = list(v.owner.inputs)
    for i, t in enumerate(terms):
        row = t.owner
        if row is None or not isinstance(row.op, DimShuffle) or row.op.new_order != ("x", 0):
            continue
        b, rest = row.inputs[0], terms[:i] + terms[i + 1 :]
        if b.type.broadcastable[0] or b.type.dtype != v.type.dtype:
            continue
        x = rest[0] if len(rest) == 1 else add(*rest)
        return (x, b) if x.type == v.type else None
    return None


def bias_within(node: Apply) -> list[Any] | None:
    """softmax(x + b) -> softmax_with_bias(x, b), for a vector b"""
    if node.op != softmax_op:
        return None
    parts = _with_bias(node.inputs[0])
    return None if parts is None else [softmax_with_bias(*parts)]


def crossentropy_bias_within(node: Apply) -> list[Any] | None:
    """crossentropy_softmax_1hot(x + b, y) -> crossentropy_softmax_1hot_with_bias(x, b, y)"""
    if type(node.op) is not CrossentropySoftmax1Hot:
        return None
    parts = _with_bias(node.inputs[0])
    if parts is None:
        return None
    op = CrossentropySoftmaxArgmax1HotWithBias(node.op.indexed)
    return list(op(*parts, node.inputs[1])[:2])


def argmax_of_softmax(node: Apply) -> list[Any] | None:
    """argmax(softmax(x)) -> argmax(x), along the same dimensions"""
    (v,) = node.inputs
    if v.owner is None or not isinstance(v.owner.op, Softmax):
        return None
    if set(v.owner.op.axes(v.type.ndim)) != set(node.op.axis or ()):
        return None
    return [node.op(v.owner.inputs[0])]


_STABLE = "stabilize specialize"
# after all rules for softmax alone
_LATE = "uncanonicalize"

# fmt: off
RULES = (
    FunctionRule(bias_apart, "softmax_bias_apart", "canonicalize", [SoftmaxWithBias]),
    FunctionRule(crossentropy_of_softmax, "crossentropy_of_softmax", _LATE,
                 [CrossentropyCategorical1Hot],
                 hazard="the logarithm itself, not infinity, where a softmax is too small to say",
                 tags=("crossentropy_to_crossentropy_with_softmax", "xent",
                       "crossentropy_to_crossentropy_with_softmax_with_bias")),
    FunctionRule(gradient_through_softmax, "crossentropy_gradient_through_softmax", _STABLE,
                 [SoftmaxGrad],
                 tags=("local_softmax_grad_to_crossentropy_with_softmax_grad", "xent")),
    FunctionRule(crossentropy_by_index, "crossentropy_by_index", _LATE,
                 [AdvancedSubtensor], depth=3,
                 tags=("local_advanced_indexing_crossentropy_onehot",)),
    FunctionRule(gradient_by_index, "crossentropy_gradient_by_index", _LATE,
                 [Sub, Add], depth=4,
                 tags=("local_advanced_indexing_crossentropy_onehot_grad",)),
    FunctionRule(softmax_beside_crossentropy, "softmax_beside_crossentropy", _LATE,
                 [Softmax], tags=("graph_merge_softmax_with_crossentropy_softmax",)),
    FunctionRule(gradient_of_one_number, "crossentropy_gradient_of_one_number",
                 f"specialize {_LATE}",
                 [CrossentropySoftmax1HotWithBiasDx],
                 tags=("local_useless_crossentropy_softmax_1hot_with_bias_dx_alloc",)),
    FunctionRule(argmax_of_softmax, "argmax_of_softmax", "specialize", [Argmax],
                 tags=("local_argmax_pushdown",),
                 hazard="scores differ that softmax rounds to one number; a NaN is reported "
                        "where it is, not at the first element"),
    FunctionRule(bias_within, "softmax_bias_within", "specialize_device", [Softmax],
                 depth=3, tags=("local_softmax_with_bias",)),
    FunctionRule(crossentropy_bias_within, "crossentropy_bias_within", "specialize_device",
                 [CrossentropySoftmax1Hot], depth=3,
                 tags=("crossentropy_to_crossentropy_with_softmax_with_bias",
                       "local_softmax_with_bias")),
)
# fmt: on
