"""Softmax, the costs of it, and positions of the greatest number."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.ops.elementwise.arithmetic import add, maximum, mul, neg, sub, true_div
from theano._src.ops.elementwise.explog import log
from theano._src.ops.nnet.crossentropy import (
    CrossentropySoftmax1Hot,
    CrossentropySoftmax1HotWithBiasDx,
)
from theano._src.ops.nnet.losses import (
    CrossentropyCategorical1Hot,
    CrossentropyCategorical1HotGrad,
)
from theano._src.ops.nnet.softmax import (
    LogSoftmax,
    LogSumExp,
    Softmax,
    SoftmaxGrad,
    SoftmaxWithBias,
)
from theano._src.ops.reduce.max_min import Argmax, MaxAndArgmax
from theano._src.testing.proofs.reals import exponential, is_greatest
from theano._src.testing.proofs.symbols import (
    Array,
    ArrayRow,
    array_meaning,
    each,
    folded,
    last,
    symbolic,
)
from theano._src.testing.proofs.world import NoNumber, NoReading, Real, World


def _exponentials(world: World, x: Array) -> Array:
    out = np.empty(x.shape, object)
    for at in np.ndindex(*x.shape):
        out[at] = Real(exponential(world, x[at]))
    return out


def _over(node: Apply, rows: Array, x: Array) -> Array:
    """Return what was computed of dimensions of ``x``, with lengths of 1 in their places."""
    return np.expand_dims(rows, node.op.axes(x.ndim))


def _totals(world: World, node: Apply, x: Array) -> tuple[Array, Array]:
    """Return the exponentials, and their sums."""
    e = _exponentials(world, symbolic(world, x))
    return e, folded(world, last(e, node.op.axes(x.ndim)), add)


def _softmax(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    e, total = _totals(world, node, args[0])
    return [each(world, true_div, e, _over(node, total, args[0]))]


def _log_softmax(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    return [each(world, log, _softmax(world, node, args)[0])]


def _log_sum_exp(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    return [each(world, log, _totals(world, node, args[0])[1])]


def _softmax_grad(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    """sm * (g - sum(g * sm))"""
    g, sm = (symbolic(world, a) for a in args)
    both = last(each(world, mul, g, sm), node.op.axes(sm.ndim))
    total = _over(node, folded(world, both, add), sm)
    return [each(world, mul, sm, each(world, sub, g, total))]


def _rows_softmax(world: World, x: Array) -> Array:
    """Return the softmax of the rows of a matrix."""
    e = _exponentials(world, x)
    return each(world, true_div, e, folded(world, e, add)[:, None])


def _softmax_with_bias(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    return [_rows_softmax(world, _biased(world, *args))]


def _biased(world: World, x: Array, b: Array) -> Array:
    return each(world, add, x, b)


def _crossentropy(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    *scores, y = args
    x = _biased(world, *scores) if len(scores) == 2 else symbolic(world, scores[0])
    shares = _rows_softmax(world, x)
    outputs = [each(world, neg, each(world, log, shares[np.arange(len(y)), y])), shares]
    return outputs + [_position(world, x, 1, v.type.dtype) for v in node.outputs[2:]]


def _categorical(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    coding, y = args
    return [each(world, neg, each(world, log, symbolic(world, coding)[np.arange(len(y)), y]))]


def _categorical_grad(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    g, coding, y = args
    out = symbolic(world, np.zeros(coding.shape)).copy()
    chosen = symbolic(world, coding)[np.arange(len(y)), y]
    out[np.arange(len(y)), y] = each(world, neg, each(world, true_div, g, chosen))
    return [out]


def _crossentropy_grad(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    g, shares, y = args
    hits = np.zeros(shares.shape)
    hits[np.arange(len(y)), y] = 1
    # rows without a class have no gradient
    rows = symbolic(world, np.zeros(len(shares))).copy()
    rows[: len(y)] = symbolic(world, g)
    return [each(world, mul, rows[:, None], each(world, sub, shares, hits))]


#: of more numbers not all orders are tried
_MOST_ORDERED = 6


def _position(world: World, x: Array, axis: int | None, dtype: str) -> Array:
    """Return positions of the greatest numbers.

    They are any positions at first: what holds for all of them holds for the greatest. If that is
    no proof, each order of the numbers is a case of its own.
    """
    rows = x.reshape(1, -1) if axis is None else np.moveaxis(x, axis, -1)
    shape = () if axis is None else rows.shape[:-1]
    size = rows.shape[-1]
    if world.orders:
        if rows.size > _MOST_ORDERED:
            raise NoNumber("there are too many orders of the numbers")
        flat = rows.reshape(math.prod(rows.shape[:-1]), size)
        chosen = [
            world.choose([is_greatest(world, list(row), k) for k in range(size)]) for row in flat
        ]
        return np.asarray(chosen, dtype).reshape(shape)
    key = "position", axis, str(list(x.flat))
    world.positions.append(key)
    rng = np.random.default_rng(len(key[2]))
    return np.asarray(world.once(key, lambda: rng.integers(size, size=shape)), dtype)


def _arg(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    (x,) = args
    axes = node.op.axis
    outputs: list[Array] = []
    if len(node.outputs) == 2:
        every = range(x.ndim) if axes is None else [a % x.ndim for a in axes]
        outputs = [folded(world, last(x, list(every)), maximum)]
    if axes is not None and len(axes) > 1:
        raise NoReading("positions over several dimensions")
    axis = None if axes is None else axes[0] % x.ndim
    return [*outputs, _position(world, x, axis, node.outputs[-1].type.dtype)]


_ROWS: dict[type, ArrayRow] = {
    **dict.fromkeys((Argmax, MaxAndArgmax), _arg),
    CrossentropySoftmax1Hot: _crossentropy,
    CrossentropyCategorical1Hot: _categorical,
    CrossentropyCategorical1HotGrad: _categorical_grad,
    CrossentropySoftmax1HotWithBiasDx: _crossentropy_grad,
    Softmax: _softmax,
    SoftmaxWithBias: _softmax_with_bias,
    LogSoftmax: _log_softmax,
    LogSumExp: _log_sum_exp,
    SoftmaxGrad: _softmax_grad,
}

for _cls, _row in _ROWS.items():
    array_meaning[_cls] = _row
