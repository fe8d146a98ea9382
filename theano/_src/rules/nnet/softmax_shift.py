"""softmax(x - max(x)) -> softmax(x): softmax subtracts the maximum itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, owner_of
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.elementwise.arithmetic import Add, Neg, Sub, fill
from theano._src.ops.elementwise.compare import Switch
from theano._src.ops.nnet.softmax import LogSoftmax, LogSumExp, Softmax, along
from theano._src.ops.reduce.careduce import Max, Sum
from theano._src.rewrite.pattern import uniform_value
from theano._src.rewrite.rule import FunctionRule
from theano._src.rules.factoring import Product, alike, kind_of


def _axes(op: Any, ndim: int) -> tuple[int, ...]:
    """Return the reduced dimensions, sorted and counted from the front."""
    return tuple(range(ndim)) if op.axis is None else tuple(sorted(a % ndim for a in op.axis))


def _folded(v: Any, kind: type, ndim: int) -> tuple[Any, tuple[int, ...]] | None:
    """Return x and the axes if ``v`` is a ``kind`` reduction of x with dimensions kept, or None."""
    if v.owner is None or not isinstance(v.owner.op, DimShuffle):
        return None
    total = v.owner.inputs[0]
    if total.owner is None or not isinstance(total.owner.op, kind):
        return None
    x = total.owner.inputs[0]
    axes = _axes(total.owner.op, x.type.ndim)
    left = iter(range(x.type.ndim))
    order = tuple("x" if i in axes else next(left) for i in range(x.type.ndim))
    same = x.type.ndim == ndim and v.owner.op.new_order == order
    return (x, axes) if same and total.type.dtype == x.type.dtype else None


def _unshifted(v: Any) -> tuple[Any, tuple[int, ...]] | None:
    """Return x and the axes if ``v`` is ``x - max(x)``; else None."""
    if kind_of(v) is not Sub:
        return None
    x, top = v.owner.inputs
    result = _folded(top, Max, x.type.ndim)
    return (x, result[1]) if result is not None and alike(result[0], x) else None


def softmax_of_shifted(node: Apply) -> list[Any] | None:
    """softmax(x - max(x)) -> softmax(x), and likewise for its logarithm"""
    result = _unshifted(node.inputs[0])
    if result is None or set(result[1]) != set(node.op.axes(node.inputs[0].type.ndim)):
        return None
    return [node.op(result[0])]


def shifted_less_log_sum_exp(node: Apply) -> list[Any] | None:
    """z - log(sum(exp(z))) -> logsoftmax(x) where z = x - max(x)"""
    z, total = node.inputs
    shifted, summed = _unshifted(z), _folded(total, LogSumExp, z.type.ndim)
    if shifted is None or summed is None or not alike(summed[0], z):
        return None
    (x, axes), (_, over) = shifted, summed
    return [along(LogSoftmax, x, axes)] if axes == over else None


def no_slope_of_shift(node: Apply) -> list[Any] | None:
    """switch(c, sum(g - sum(g) * softmax(x)), 0) -> 0: the gradient through max(x) is 0"""
    _, back, rest = node.inputs
    out = node.outputs[0].type
    if uniform_value(rest) != 0 or node.op.inplace_items:
        return None
    result = _folded(owner_of(back).inputs[0] if kind_of(back) is Neg else back, Sum, out.ndim)
    if result is None or result[0].type != out or not _sums_to_nothing(*result):
        return None
    # also as long as the condition, whose lengths must be checked
    return [fill(node.inputs[0], fill(result[0], np.asarray(0, out.dtype)))]


def _sums_to_nothing(v: Any, axes: tuple[int, ...]) -> bool:
    """Whether ``v`` is g - sum(g) * softmax(x) along these axes."""
    kind = kind_of(v)
    if kind not in (Add, Sub) or len(v.owner.inputs) != 2:
        return False
    pairs = [v.owner.inputs, v.owner.inputs[::-1]] if kind is Add else [v.owner.inputs]
    return any(
        g.type == v.type and share.type == v.type and _is_share(share, g, axes, kind is Add)
        for g, share in pairs
    )


def _is_share(v: Any, g: Any, axes: tuple[int, ...], negative: bool) -> bool:
    """Whether ``v`` is sum(g) * softmax(x) along these axes, with that sign."""
    p = Product(v)
    if len(p.factors) != 2 or p.models or p.negative != negative:
        return False
    for total, sm in (p.factors, p.factors[::-1]):
        if any(f.power != 1 or f.shuffle is not None for f in p.factors):
            return False
        if sm.v.owner is None or not isinstance(sm.v.owner.op, Softmax):
            continue
        result = _folded(total.v, Sum, v.type.ndim)
        if result is not None and result[1] == axes == tuple(
            sorted(sm.v.owner.op.axes(v.type.ndim))
        ):
            return alike(result[0], g)
    return False


_STABLE = "stabilize specialize"

# fmt: off
RULES = (
    FunctionRule(softmax_of_shifted, "softmax_of_shifted", _STABLE, [Softmax, LogSoftmax], depth=4,
                 hazard="rows of no elements, which have no largest one, raise nothing"),
    FunctionRule(shifted_less_log_sum_exp, "shifted_less_log_sum_exp", _STABLE, [Sub], depth=5,
                 hazard="rows of no elements, which have no largest one, raise nothing"),
    FunctionRule(no_slope_of_shift, "no_slope_of_shift", _STABLE, [Switch], depth=7,
                 hazard="0, not what rounding leaves, nor NaN where an element is infinite"),
)
# fmt: on
