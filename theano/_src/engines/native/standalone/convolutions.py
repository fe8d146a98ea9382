"""Convolutions of images in two dimensions, and their gradients, in exported C."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from theano._src.engines.native.forms.shape import entries
from theano._src.engines.native.ir import FLOATS, ONE, ZERO, Number, Operand, Value, integer
from theano._src.engines.native.loops import NotNative
from theano._src.engines.native.lowering import Lowering
from theano._src.engines.native.nests import Array
from theano._src.graph.graph import Apply


class Geometry(NamedTuple):
    """The lengths of a convolution: images by channels by sizes, and filters likewise.

    ``each`` is the number of filters of a group of channels, ``within`` that of its channels.
    ``dims`` are, for both dimensions, the size of images, the length of filters, the size of
    outputs, the zeros before, the step and the dilation.
    """

    images: Operand
    groups: int
    within: Operand
    each: Operand
    dims: list[tuple[Operand, ...]]

    @property
    def sizes(self) -> list[Operand]:
        """The sizes of the outputs."""
        return [dim[2] for dim in self.dims]


def whole(low: Lowering, array: Array) -> Array:
    """An array of floats whose elements lie one after another: itself, or a copy."""
    if array.type not in FLOATS:
        raise NotNative(f"an array of {array.dtype}")
    pointer = low.memory(array)
    if array.flat:
        return array
    level = max(array.level, low.level_of(*array.lengths))
    with low.at(level):
        copy = low.new_array(None, [low.length(n) for n in array.lengths], level, array.dtype)
        assert copy.pointer is not None
        low.copy(copy.pointer, pointer, array)
    return copy


def outputs(low: Lowering, node: Apply) -> None:
    """The outputs of a convolution."""
    x, w = _inputs(low, node)
    level = _level(low, x, w)
    with low.at(level):
        lengths = [*x.lengths, *w.lengths[1:]]
        geometry = _geometry(low, node, lengths, w.lengths[0], level)
        shape = [geometry.images, w.lengths[0], *geometry.sizes]
        _call(low, node, "conv2d", x, w, geometry, shape, level)


def images(low: Lowering, node: Apply) -> None:
    """The gradient of the images, whose sizes are an input."""
    w, g = _inputs(low, node)
    level = _level(low, w, g, low.array(node.inputs[2]))
    with low.at(level):
        sizes = _lengths(low, node, level)
        channels = _times(low, w.lengths[1], node.op.num_groups, level)
        lengths = [g.lengths[0], channels, *sizes, *w.lengths[1:]]
        geometry = _geometry(low, node, lengths, w.lengths[0], level)
        _agree(low, [w.lengths[0], *geometry.sizes], g, level)
        shape = [geometry.images, channels, *sizes]
        _call(low, node, "conv2d_images", w, g, geometry, shape, level)


def filters(low: Lowering, node: Apply) -> None:
    """The gradient of the filters, whose lengths are an input."""
    x, g = _inputs(low, node)
    level = _level(low, x, g, low.array(node.inputs[2]))
    with low.at(level):
        taps = _lengths(low, node, level)
        within = _divided(low, x.lengths[1], node.op.num_groups, level)
        geometry = _geometry(low, node, [*x.lengths, within, *taps], g.lengths[1], level)
        low.require_equal(x.lengths[0], g.lengths[0], level)
        _agree(low, [g.lengths[1], *geometry.sizes], g, level)
        shape = [g.lengths[1], within, *taps]
        _call(low, node, "conv2d_filters", x, g, geometry, shape, level)


def _inputs(low: Lowering, node: Apply) -> list[Array]:
    op, dtype = node.op, node.outputs[0].type.numpy_dtype
    if op.convdim != 2 or op.unshared:
        raise NotNative("volumes, or a filter for each place")
    arrays = [low.array(v) for v in node.inputs[:2]]
    if any(a.dtype != dtype for a in arrays):
        raise NotNative("images and filters of several dtypes")
    return [whole(low, a) for a in arrays]


def _level(low: Lowering, *arrays: Array) -> int:
    return max(max(a.level, low.level_of(*a.lengths)) for a in arrays)


def _lengths(low: Lowering, node: Apply, level: int) -> list[Operand]:
    """The lengths that the last input has; the program stops if one is below 0."""
    lengths = entries(low, low.array(node.inputs[2]), 2)
    for n in lengths:
        if isinstance(n, Value) and n not in low.lengths_of_arrays:
            low.stop_if(low.main.compare("lt", n, ZERO))
            low.known_at(n, level)
    return lengths


def _agree(low: Lowering, expected: Sequence[Operand], g: Array, level: int) -> None:
    """The gradient of the outputs has the lengths of the outputs."""
    for n, mine in zip(expected, g.lengths[1:], strict=True):
        low.require_equal(n, mine, level)


def _geometry(
    low: Lowering, node: Apply, lengths: Sequence[Operand], count: Operand, level: int
) -> Geometry:
    """The geometry for images of the first four lengths, and ``count`` filters of the others."""
    op = node.op
    rows, channels, *sizes = lengths[:4]
    within, *taps = lengths[4:]
    for n, stated in zip([*lengths[:4], count, *lengths[4:]], [*op.imshp, *op.kshp], strict=True):
        if stated is not None:
            low.require_equal(n, integer(stated), level)
    each = _divided(low, count, op.num_groups, level)
    low.require_equal(_times(low, within, op.num_groups, level), channels, level)
    modes = op.border_mode if isinstance(op.border_mode, tuple) else (op.border_mode,) * 2
    dims = [
        _dimension(low, *each, level)
        for each in zip(sizes, taps, modes, op.subsample, op.filter_dilation, strict=True)
    ]
    return Geometry(low.length(rows), op.num_groups, low.length(within), each, dims)


def _times(low: Lowering, n: Operand, groups: int, level: int) -> Operand:
    result = low.main.mul(low.length(n), integer(groups))
    low.known_at(result, level)
    return result


def _divided(low: Lowering, n: Operand, by: int, level: int) -> Operand:
    """A length divided by the number of groups; the program stops where that leaves a rest."""
    if by == 1:
        return low.length(n)
    m = low.main
    result = quotient(low, n, by)
    low.known_at(result, level)
    low.stop_if(m.compare("ne", m.mul(result, integer(by)), n))
    return result


def quotient(low: Lowering, n: Operand, by: int) -> Operand:
    """A length, not below 0, divided and rounded down."""
    if isinstance(n, Number):
        return integer(n.value // by)
    return n if by == 1 else low.main.binary("div", n, integer(by))


def _dimension(
    low: Lowering, size: Operand, taps: Operand, mode: Any, step: int, gap: int, level: int
) -> tuple[Operand, ...]:
    """A row of `Geometry.dims`; the program stops where the filters do not fit."""
    m, size, taps = low.main, low.length(size), low.length(taps)
    low.stop_if(m.compare("lt", taps, ONE))
    span = m.add(m.mul(m.sub(taps, ONE), integer(gap)), ONE)
    if mode == "full":
        before = after = m.sub(span, ONE)
    elif mode == "half":
        before = after = quotient(low, span, 2)
    else:
        ends = mode if isinstance(mode, tuple) else (0, 0) if mode == "valid" else (mode, mode)
        before, after = map(integer, ends)
    reach = m.sub(m.add(m.add(size, before), after), span)
    low.stop_if(m.compare("lt", reach, ZERO))
    count = m.add(quotient(low, reach, step), ONE)
    low.known_at(count, level)
    return size, taps, count, before, integer(step), integer(gap)


def _call(
    low: Lowering,
    node: Apply,
    name: str,
    a: Array,
    b: Array,
    geometry: Geometry,
    shape: Sequence[Operand],
    level: int,
) -> None:
    (out,) = node.outputs
    lengths = [low.length(n) for n in shape]
    for i, is_one in enumerate(out.type.broadcastable):
        if is_one:
            low.require_equal(lengths[i], ONE, level)
            lengths[i] = ONE
    for n in lengths:
        low.known_at(n, level)
    result = low.new_array(out, lengths, level)
    assert a.pointer is not None and b.pointer is not None and result.pointer is not None
    turned = integer(int(node.op.filter_flip))
    counts = [geometry.images, integer(geometry.groups), geometry.within, geometry.each, turned]
    numbers = [low.length(n) for n in (*counts, *geometry.dims[0], *geometry.dims[1])]
    low.note([low.position])
    low.main.call(f"{name}_{a.type}", None, [a.pointer, b.pointer, result.pointer, *numbers])
    low.set(out, result)
