"""Ops that move elements of arrays, or add and multiply them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.ops.arrays.diagonal import ExtractDiag
from theano._src.ops.core.composite import Composite, _Number
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.arithmetic import add, mul
from theano._src.ops.index.advanced import AdvancedIncSubtensor, AdvancedSubtensor
from theano._src.ops.index.static_take import StaticTake
from theano._src.ops.index.subtensor import IncSubtensor, Subtensor
from theano._src.ops.index.subtensor1 import AdvancedIncSubtensor1, AdvancedSubtensor1
from theano._src.ops.linalg.blas import Dot22, Dot22Scalar, Gemm, Gemv, Ger
from theano._src.ops.linalg.dot import BatchedDot, Dot, TensorDot
from theano._src.ops.linalg.einsum import Einsum
from theano._src.ops.meta.misc import Assert, ScalarFromTensor, TensorFromScalar, _Same
from theano._src.ops.reduce.careduce import CAReduce
from theano._src.ops.shape.alloc import Alloc
from theano._src.ops.shape.check_lengths import CheckLengths
from theano._src.ops.shape.dims import Rebroadcast
from theano._src.ops.shape.join import Join, MakeVector, Split
from theano._src.ops.shape.shape import Flatten, Reshape, Shape, Shape_i, SpecifyShape
from theano._src.testing.evaluate import run_node
from theano._src.testing.proofs.reals import real_meaning
from theano._src.testing.proofs.symbols import (
    Array,
    ArrayRow,
    applied,
    array_meaning,
    dotted,
    each,
    folded,
    is_symbolic,
    last,
    symbolic,
)
from theano._src.testing.proofs.world import NoReading, Value, World


def _elementwise(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    shapes = [a.shape for a in args]
    for lengths, fixed in zip(
        zip(*shapes), zip(*(v.type.broadcastable for v in node.inputs)), strict=True
    ):
        if len({n for n, one in zip(lengths, fixed) if not one}) > 1:
            raise ValueError(f"lengths {lengths} do not match")
    shape = np.broadcast_shapes(*shapes)
    elements: list[Any] = [np.broadcast_to(symbolic(world, a), shape) for a in args]
    scalar = node.op.scalar_op
    outputs = [np.empty(shape, object) for _ in node.outputs]
    for at in np.ndindex(*shape):
        for out, value in zip(
            outputs, _scalar(world, scalar, node, [e[at] for e in elements]), strict=True
        ):
            out[at] = value
    return outputs


def _scalar(world: World, scalar: Any, node: Apply, values: list[Value]) -> list[Value]:
    if isinstance(scalar, Composite):
        known = list(values)
        for step, args in scalar.steps:
            known += _scalar(world, step, node, [known[k] for k in args])
        return [known[k] for k in scalar.outs]
    row = real_meaning.get(scalar)
    if not values and isinstance(scalar, _Number):
        return [world.number(scalar.number)]
    if row is None:
        raise NoReading(f"{scalar} has no row in theano._src.testing.proofs.reals.real_meaning")
    return [row(world, *values)]


_WRITES = (IncSubtensor, AdvancedIncSubtensor, AdvancedIncSubtensor1)


def _with_elements(op: Any) -> slice:
    """Return which inputs have elements; the others are lengths or indices."""
    if isinstance(op, MakeVector):
        return slice(None)
    if isinstance(op, Join):
        return slice(1, None)
    return slice(2 if isinstance(op, _WRITES) else 1)


def _by_position(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    """Run the op on the positions of elements: it only moves them."""
    known: list[Any] = []
    inputs = list(args)
    outputs = [v.type.dtype for v in node.outputs]
    for i in range(len(args))[_with_elements(node.op)]:
        a, dtype = args[i], node.inputs[i].type.dtype
        ids = np.arange(len(known), len(known) + a.size).reshape(a.shape)
        known += symbolic(world, a).ravel().tolist()
        inputs[i] = ids.astype(dtype)
        if not all(np.array_equal(ids.astype(d).astype(int), ids) for d in (dtype, *outputs)):
            raise NoReading(f"more elements than {dtype} can count")
        if dtype.startswith("float") and not all(d.startswith("float") for d in outputs):
            raise NoReading("elements that are rounded when they are moved")
    if any(map(is_symbolic, inputs)):
        raise NoReading("lengths or indices that depend on numbers")
    elements = np.empty(len(known), object)
    elements[:] = known
    return [elements[np.asarray(y).astype(int)] for y in run_node(node, inputs)]


def _lengths(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    empty = [np.zeros(a.shape) if is_symbolic(a) else a for a in args]
    return [np.asarray(y) for y in run_node(node, empty)]


def _asserted(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    if any(map(is_symbolic, args[1:])):
        raise NoReading("an assertion on real numbers")
    return _by_position(world, node, args)


def _added(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    """Write elements by index, or add them; it is found by adding one of them at a time."""
    x, y, *index = args
    if any(map(is_symbolic, index)):
        raise NoReading("indices that depend on numbers")
    if getattr(node.op, "set_instead_of_inc", False):
        return _by_position(world, node, args)
    out = symbolic(world, x).copy()
    ys = symbolic(world, y)
    zeros = np.zeros(x.shape, node.inputs[0].type.dtype)
    run_node(node, [zeros.copy(), np.zeros(y.shape, node.inputs[1].type.dtype), *index])
    for at in np.ndindex(*y.shape):
        one = np.zeros(y.shape, node.inputs[1].type.dtype)
        one[at] = 1
        (counts,) = run_node(node, [zeros.copy(), one, *index])
        for place in zip(*np.nonzero(counts), strict=True):
            for _ in range(int(counts[place])):
                out[place] = applied(world, add, out[place], ys[at])
    return [out]


def _reduced(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    (x,) = args
    axes = range(x.ndim) if node.op.axis is None else node.op.axis
    axes = [a % x.ndim for a in np.atleast_1d(list(axes))]
    return [folded(world, last(x, axes), node.op)]


def _product(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    return [dotted(world, *args)]


def _scaled_product(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    x, y, a = args
    return [each(world, mul, a, dotted(world, x, y))]


def _gemm(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    z, a, x, y, b = args
    scaled = each(world, mul, a, dotted(world, x, y))
    if not is_symbolic(b) and not b.any():
        return [scaled]  # z may hold anything
    return [each(world, add, each(world, mul, b, z), scaled)]


def _ger(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    z, a, x, y = args
    outer = each(world, mul, x[:, None], y[None, :])
    return [each(world, add, z, each(world, mul, a, outer))]


def _batched(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    x, y = args
    if not len(x):
        raise NoReading("no matrices")
    return [np.stack([dotted(world, a, b) for a, b in zip(x, y, strict=True)])]


def _summed(world: World, terms: Any, output: Any, arrays: Sequence[Array]) -> Array:
    """Return the sums of products of elements with equal labels."""
    lengths = {k: n for t, a in zip(terms, arrays, strict=True) for k, n in zip(t, a.shape)}
    free = [k for k in lengths if k not in output]
    given = [symbolic(world, a) for a in arrays]
    out = np.empty([lengths[k] for k in output], object)
    for at in np.ndindex(*out.shape):
        total = world.number(0)
        for inside in np.ndindex(*(lengths[k] for k in free)):
            place = dict(zip((*output, *free), (*at, *inside), strict=True))
            factors = [a[tuple(place[k] for k in t)] for t, a in zip(terms, given, strict=True)]
            total = applied(world, add, total, applied(world, mul, *factors))
        out[at] = total
    return out


def _einsum(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    return [_summed(world, node.op.terms, node.op.output, args)]


def _tensordot(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    op, (a, b) = node.op, args
    left, right = list(range(a.ndim)), list(range(a.ndim, a.ndim + b.ndim))
    for i, k in [*zip(op.axes_a, op.axes_b, strict=True), *[(0, 0)] * op.batch]:
        right[k] = left[i]
    shared = {left[i] for i in op.axes_a}
    output = dict.fromkeys(k for k in (*left, *right) if k not in shared)
    return [_summed(world, (left, right), tuple(output), args)]


_ROWS: dict[type, ArrayRow] = {
    Elemwise: _elementwise,
    CAReduce: _reduced,
    **dict.fromkeys((Shape, Shape_i), _lengths),
    **dict.fromkeys(
        (
            DimShuffle, Reshape, Flatten, SpecifyShape, Rebroadcast, CheckLengths, Alloc, Join,
            Split, MakeVector, Subtensor, AdvancedSubtensor, AdvancedSubtensor1, StaticTake,
            TensorFromScalar, ScalarFromTensor, ExtractDiag, _Same,
        ),
        _by_position,
    ),
    Assert: _asserted,
    **dict.fromkeys(_WRITES, _added),
    **dict.fromkeys((Dot, Dot22), _product),
    Dot22Scalar: _scaled_product,
    **dict.fromkeys((Gemm, Gemv), _gemm),
    Ger: _ger,
    BatchedDot: _batched,
    Einsum: _einsum,
    TensorDot: _tensordot,
}  # fmt: skip

for _cls, _row in _ROWS.items():
    array_meaning[_cls] = _row
