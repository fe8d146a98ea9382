"""Pooling over the last one or two dimensions, and its derivatives, in exported C."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from theano._src.engines.native.ir import ONE, ZERO, Operand, integer
from theano._src.engines.native.loops import NotNative
from theano._src.engines.native.lowering import Lowering
from theano._src.engines.native.nests import Array
from theano._src.engines.native.standalone.convolutions import quotient, whole
from theano._src.graph.graph import Apply

#: the numbers of modes in C
_MODES = {"sum": 0, "average_inc_pad": 1, "average_exc_pad": 2}


class Pooled(NamedTuple):
    """The lengths of images and of what pooling gives.

    ``number`` is how many images there are. ``dims`` are, for both dimensions, the size of images,
    the number of windows, and the size, step and padding of the windows.
    """

    images: list[Operand]
    windows: list[Operand]
    number: Operand
    dims: list[tuple[Operand, ...]]


def pool(low: Lowering, node: Apply) -> None:
    """The maximum, the sum or the mean of each window."""
    x, pooled, level = _pooled(low, node)
    name = "max_pool" if node.op.mode == "max" else "mean_pool"
    _call(low, node, name, [x], pooled, pooled.windows, level)


def images_of_means(low: Lowering, node: Apply) -> None:
    """AveragePoolGrad."""
    _, pooled, level = _pooled(low, node)
    g = _agreeing(low, node, 1, pooled.windows, level)
    _call(low, node, "mean_pool_images", [g], pooled, pooled.images, level)


def images_of_largest(low: Lowering, node: Apply) -> None:
    """MaxPoolGrad."""
    x, pooled, level = _pooled(low, node)
    top, g = (_agreeing(low, node, i, pooled.windows, level) for i in (1, 2))
    _call(low, node, "max_pool_images", [x, top, g], pooled, pooled.images, level)


def tangents_of_largest(low: Lowering, node: Apply) -> None:
    """DownsampleFactorMaxGradGrad."""
    x, pooled, level = _pooled(low, node)
    top = _agreeing(low, node, 1, pooled.windows, level)
    d = _agreeing(low, node, 2, pooled.images, level)
    _call(low, node, "max_pool_tangent", [x, top, d], pooled, pooled.windows, level)


def _pooled(low: Lowering, node: Apply) -> tuple[Array, Pooled, int]:
    """The images, the lengths, and the level from which all inputs are there."""
    op, m = node.op, low.main
    if op.ndim > 2:
        raise NotNative("windows over three dimensions")
    numbers = [low.array(v).constant for v in node.inputs[-3:]]
    if any(n is None for n in numbers):
        raise NotNative("sizes of windows that are no constants")
    given = [low.array(v) for v in node.inputs[:-3]]
    if any(a.dtype != node.outputs[0].type.numpy_dtype for a in given):
        raise NotNative("arrays of several dtypes")
    x = whole(low, given[0])
    level = max(max(a.level, low.level_of(*a.lengths)) for a in given)
    images = [low.length(n) for n in x.lengths]
    with low.at(level):
        dims = [
            _dimension(low, n, each, op.ignore_border, level)
            for n, each in zip(images[-op.ndim :], op.settle(*numbers), strict=True)
        ]
        windows = [*images[: -op.ndim], *(dim[1] for dim in dims)]
        # vectors are images of one row
        dims = [(ONE, ONE, ONE, ONE, ZERO)] * (2 - op.ndim) + dims
        count: Operand = ONE
        for n in images[: -op.ndim]:
            count = m.mul(count, n)
    return x, Pooled(images, windows, count, dims), level


def _dimension(
    low: Lowering, n: Operand, window: tuple[int, ...], ignore_border: bool, level: int
) -> tuple[Operand, ...]:
    """A row of `Pooled.dims`; the program stops where borders count and there are no elements."""
    m, (size, step, pad) = low.main, window
    first = m.add(n, integer(2 * pad + step - size))
    if ignore_border:
        windows = m.binary("max", quotient(low, first, step), ZERO)
    else:
        low.stop_if(m.compare("lt", n, ONE))
        if step >= size:
            windows = quotient(low, m.add(n, integer(step - 1)), step)
        else:
            more = quotient(low, m.sub(first, ONE), step)
            windows = m.add(m.binary("max", more, ZERO), ONE)
    low.known_at(windows, level)
    return n, windows, integer(size), integer(step), integer(pad)


def _agreeing(low: Lowering, node: Apply, i: int, lengths: Sequence[Operand], level: int) -> Array:
    """Input ``i``, which must have these lengths."""
    array = whole(low, low.array(node.inputs[i]))
    for n, mine in zip(lengths, array.lengths, strict=True):
        low.require_equal(n, mine, level)
    return array


def _call(
    low: Lowering,
    node: Apply,
    name: str,
    arrays: Sequence[Array],
    pooled: Pooled,
    lengths: Sequence[Operand],
    level: int,
) -> None:
    (out,) = node.outputs
    with low.at(level):
        result = low.new_array(out, [low.length(n) for n in lengths], level)
        pointers = [low.memory(a) for a in (*arrays, result)]
        modes = [] if node.op.mode == "max" else [integer(_MODES[node.op.mode])]
        numbers = [pooled.number, *modes, *pooled.dims[0], *pooled.dims[1]]
        numbers = [low.length(n) for n in numbers]
        low.note([low.position])
        low.main.call(f"{name}_{arrays[0].type}", None, [*pointers, *numbers])
    low.set(out, result)
