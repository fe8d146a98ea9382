"""Ops on arrays of real numbers: the elements of a result, as terms of z3.

Numbers are symbols; lengths, indices, integers and truth values are known. Most ops only move
elements, or add and multiply them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial, reduce
from itertools import product
from typing import Any

import numpy as np

from theano._src.control.ifelse import IfElse
from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op_table import OpTable
from theano._src.graph.walk import nodes_of
from theano._src.ops.arrays.diagonal import ExtractDiag
from theano._src.ops.core.composite import Composite, _Number
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.arithmetic import add, maximum, mul, neg, sub, true_div
from theano._src.ops.elementwise.compare import switch
from theano._src.ops.elementwise.explog import log
from theano._src.ops.index.advanced import AdvancedIncSubtensor, AdvancedSubtensor
from theano._src.ops.index.static_take import StaticTake
from theano._src.ops.index.subtensor import IncSubtensor, Subtensor
from theano._src.ops.index.subtensor1 import AdvancedIncSubtensor1, AdvancedSubtensor1
from theano._src.ops.linalg.blas import Dot22, Dot22Scalar, Gemm, Gemv, Ger
from theano._src.ops.linalg.dot import BatchedDot, Dot
from theano._src.ops.linalg.hints import Hint
from theano._src.ops.meta.misc import Assert, ScalarFromTensor, TensorFromScalar, _Same
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
from theano._src.ops.reduce.careduce import CAReduce
from theano._src.ops.reduce.max_min import Argmax, MaxAndArgmax
from theano._src.ops.shape.alloc import Alloc
from theano._src.ops.shape.check_lengths import CheckLengths
from theano._src.ops.shape.dims import Rebroadcast
from theano._src.ops.shape.join import Join, MakeVector, Split
from theano._src.ops.shape.shape import Flatten, Reshape, Shape, Shape_i, SpecifyShape
from theano._src.testing.evaluate import root_value, run_node
from theano._src.testing.proofs.reals import exponential, real_meaning
from theano._src.testing.proofs.world import NoReading, Real, Truth, Value, World

#: an array of values, or of known integers and truth values
Array = Any
ArrayRow = Callable[[World, Apply, Sequence[Array]], list[Array]]

_NUMBERS = np.frompyfunc(lambda data, world: world.number(data), 2, 1)
_TRUTHS = np.frompyfunc(lambda data, world: Truth(world.z3.BoolVal(bool(data))), 2, 1)


def is_symbolic(array: Any) -> bool:
    return bool(array.dtype == object)


def symbolic(world: World, array: Any) -> Array:
    """Return an array with known numbers as values."""
    array = np.asarray(array)
    if is_symbolic(array):
        return array
    return np.asarray((_TRUTHS if array.dtype == bool else _NUMBERS)(array, world), object)


def evaluate_symbols(
    world: World, outputs: Sequence[Variable], givens: dict[Variable, Any]
) -> list[Array]:
    """Return the elements of outputs as values of a world."""
    values: dict[Variable, Any] = dict(givens)
    for node in nodes_of(outputs, values):
        args = [np.asarray(root_value(values, v)) for v in node.inputs]
        values.update(zip(node.outputs, run_symbols(world, node, args), strict=True))
    return [np.asarray(root_value(values, v)) for v in outputs]


def run_symbols(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    if not any(map(is_symbolic, args)):
        return [np.asarray(y) for y in run_node(node, args)]
    row = array_meaning.get(node.op)
    if row is None:
        raise NoReading(f"{node.op} has no row in theano._src.testing.proofs.arrays.array_meaning")
    if row is not _ifelse:
        # the op itself says which lengths and indices do not fit
        example = [_example(v, a) for v, a in zip(node.inputs, args, strict=True)]
        node.op.validate(node, example)
        run_node(node, example)
    return row(world, node, args)


def _example(v: Variable, array: Array) -> Array:
    return np.full(array.shape, 0.5).astype(v.type.dtype) if is_symbolic(array) else array


# rows


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


def _by_position(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    """Run the op on the positions of elements: it only moves them."""
    known: list[Any] = []
    inputs = []
    for v, a in zip(node.inputs, args, strict=True):
        if is_symbolic(a) or v.type.dtype.startswith("float"):
            ids = np.arange(len(known), len(known) + a.size).reshape(a.shape)
            known += symbolic(world, a).ravel().tolist()
            inputs.append(ids.astype(v.type.dtype))
        else:
            inputs.append(a)
    elements = np.empty(len(known), object)
    elements[:] = known
    return [
        elements[np.asarray(y).astype(int)] if v.type.dtype.startswith("float") else np.asarray(y)
        for v, y in zip(node.outputs, run_node(node, inputs), strict=True)
    ]


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
                out[place] = _apply(world, add, out[place], ys[at])
    return [out]


def _apply(world: World, op: Any, *values: Value) -> Value:
    """Apply the scalar op of an elementwise op."""
    return real_meaning[op.scalar_op](world, *values)


_EMPTY = {type(add.scalar_op): 0, type(mul.scalar_op): 1}


def _reduced(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    (x,) = args
    axes = range(x.ndim) if node.op.axis is None else node.op.axis
    axes = [a % x.ndim for a in np.atleast_1d(list(axes))]
    return [_folded(world, _last(x, axes), node.op)]


def _last(x: Array, axes: Sequence[int]) -> Array:
    """Return an array with some dimensions as one, the last."""
    kept = [d for d in range(x.ndim) if d not in axes]
    size = math.prod(x.shape[d] for d in axes)
    return x.transpose(*kept, *axes).reshape(*(x.shape[d] for d in kept), size)


def _folded(world: World, rows: Array, op: Any) -> Array:
    """Fold the last dimension by the scalar op of an op."""
    out = np.empty(rows.shape[:-1], object)
    for at in np.ndindex(*out.shape):
        values = list(rows[at])
        out[at] = (
            reduce(partial(_apply, world, op), values)
            if values
            else world.number(_EMPTY[type(op.scalar_op)])
        )
    return out


def _dot(world: World, a: Array, b: Array) -> Array:
    """The product of matrices or vectors."""
    a, b = symbolic(world, a), symbolic(world, b)
    rows, columns = np.atleast_2d(a), b.reshape(b.shape[0], math.prod(b.shape[1:]))
    out = np.empty((rows.shape[0], columns.shape[1]), object)
    for i, j in product(*map(range, out.shape)):
        terms = [_apply(world, mul, p, q) for p, q in zip(rows[i], columns[:, j], strict=True)]
        out[i, j] = reduce(partial(_apply, world, add), terms, world.number(0))
    return out.reshape(a.shape[:-1] + b.shape[1:])


def _product(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    return [_dot(world, *args)]


def _each(world: World, op: Any, *arrays: Any) -> Array:
    """Apply a scalar op to elements."""
    given: Any = np.broadcast_arrays(*(symbolic(world, a) for a in arrays))
    out = np.empty(given[0].shape, object)
    for at in np.ndindex(*out.shape):
        out[at] = _apply(world, op, *(g[at] for g in given))
    return out


def _scaled_product(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    x, y, a = args
    return [_each(world, mul, a, _dot(world, x, y))]


def _gemm(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    z, a, x, y, b = args
    scaled = _each(world, mul, a, _dot(world, x, y))
    if not is_symbolic(b) and not b.any():
        return [scaled]  # z may hold anything
    return [_each(world, add, _each(world, mul, b, z), scaled)]


def _ger(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    z, a, x, y = args
    outer = _each(world, mul, x[:, None], y[None, :])
    return [_each(world, add, z, _each(world, mul, a, outer))]


def _batched(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    x, y = args
    if not len(x):
        raise NoReading("no matrices")
    return [np.stack([_dot(world, a, b) for a, b in zip(x, y, strict=True)])]


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
    return e, _folded(world, _last(e, node.op.axes(x.ndim)), add)


def _softmax(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    e, total = _totals(world, node, args[0])
    return [_each(world, true_div, e, _over(node, total, args[0]))]


def _log_softmax(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    return [_each(world, log, _softmax(world, node, args)[0])]


def _log_sum_exp(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    return [_each(world, log, _totals(world, node, args[0])[1])]


def _softmax_grad(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    """sm * (g - sum(g * sm))"""
    g, sm = (symbolic(world, a) for a in args)
    both = _last(_each(world, mul, g, sm), node.op.axes(sm.ndim))
    total = _over(node, _folded(world, both, add), sm)
    return [_each(world, mul, sm, _each(world, sub, g, total))]


def _rows_softmax(world: World, x: Array) -> Array:
    """Return the softmax of the rows of a matrix."""
    e = _exponentials(world, x)
    return _each(world, true_div, e, _folded(world, e, add)[:, None])


def _softmax_with_bias(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    return [_rows_softmax(world, _biased(world, *args))]


def _biased(world: World, x: Array, b: Array) -> Array:
    return _each(world, add, x, b)


def _crossentropy(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    *scores, y = args
    x = _biased(world, *scores) if len(scores) == 2 else symbolic(world, scores[0])
    shares = _rows_softmax(world, x)
    outputs = [_each(world, neg, _each(world, log, shares[np.arange(len(y)), y])), shares]
    return outputs + [_position(world, x, 1, v.type.dtype) for v in node.outputs[2:]]


def _categorical(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    coding, y = args
    return [_each(world, neg, _each(world, log, symbolic(world, coding)[np.arange(len(y)), y]))]


def _categorical_grad(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    g, coding, y = args
    out = symbolic(world, np.zeros(coding.shape)).copy()
    chosen = symbolic(world, coding)[np.arange(len(y)), y]
    out[np.arange(len(y)), y] = _each(world, neg, _each(world, true_div, g, chosen))
    return [out]


def _crossentropy_grad(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    g, shares, y = args
    hits = np.zeros(shares.shape)
    hits[np.arange(len(y)), y] = 1
    g = g[:, None] if g.ndim else g
    return [_each(world, mul, g, _each(world, sub, shares, hits))]


def _position(world: World, x: Array, axis: int | None, dtype: str) -> Array:
    """Return any position for each row: what holds for all of them holds for the greatest."""
    shape = x.shape if axis is None else x.shape[axis : axis + 1]
    size = math.prod(shape)
    key = "position", axis, str(list(x.flat))
    world.positions.append(key)
    rest = () if axis is None else np.delete(np.array(x.shape), axis)
    rng = np.random.default_rng(len(key[2]))
    return np.asarray(world.once(key, lambda: rng.integers(size, size=rest)), dtype)


def _arg(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    (x,) = args
    axes = node.op.axis
    outputs: list[Array] = []
    if len(node.outputs) == 2:
        every = range(x.ndim) if axes is None else [a % x.ndim for a in axes]
        outputs = [_folded(world, _last(x, list(every)), maximum)]
    if axes is not None and len(axes) > 1:
        raise NoReading("positions over several dimensions")
    axis = None if axes is None else axes[0] % x.ndim
    return [*outputs, _position(world, x, axis, node.outputs[-1].type.dtype)]


def _ifelse(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    condition, *values = args
    n = node.op.n_outs
    if not is_symbolic(condition):
        return list(values[:n] if condition else values[n:])
    outputs = []
    for a, b in zip(values[:n], values[n:], strict=True):
        if a.shape != b.shape:
            raise NoReading("branches of other lengths")
        outputs.append(_each(world, switch, condition, a, b))
    return outputs


_ROWS: dict[type, ArrayRow] = {
    Elemwise: _elementwise,
    CAReduce: _reduced,
    **dict.fromkeys((Argmax, MaxAndArgmax), _arg),
    IfElse: _ifelse,
    CrossentropySoftmax1Hot: _crossentropy,
    CrossentropyCategorical1Hot: _categorical,
    CrossentropyCategorical1HotGrad: _categorical_grad,
    CrossentropySoftmax1HotWithBiasDx: _crossentropy_grad,
    **dict.fromkeys((Shape, Shape_i), _lengths),
    **dict.fromkeys(
        (
            DimShuffle, Reshape, Flatten, SpecifyShape, Rebroadcast, CheckLengths, Alloc, Join,
            Split, MakeVector, Subtensor, AdvancedSubtensor, AdvancedSubtensor1, StaticTake,
            TensorFromScalar, ScalarFromTensor, Hint, ExtractDiag, _Same,
        ),
        _by_position,
    ),
    Assert: _asserted,
    **dict.fromkeys((IncSubtensor, AdvancedIncSubtensor, AdvancedIncSubtensor1), _added),
    **dict.fromkeys((Dot, Dot22), _product),
    Dot22Scalar: _scaled_product,
    **dict.fromkeys((Gemm, Gemv), _gemm),
    Ger: _ger,
    BatchedDot: _batched,
    Softmax: _softmax,
    SoftmaxWithBias: _softmax_with_bias,
    LogSoftmax: _log_softmax,
    LogSumExp: _log_sum_exp,
    SoftmaxGrad: _softmax_grad,
}  # fmt: skip

#: the elements of the results of ops on arrays: a function of a World, a node and its inputs
array_meaning: OpTable[ArrayRow] = OpTable(
    {f"{cls.__module__}.{cls.__qualname__}": row for cls, row in _ROWS.items()}
)
