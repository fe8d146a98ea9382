"""Rules of ops on the entries of arrays: elementwise ops, indexing, shapes and reductions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from theano._src.control.sparsity.dependence import Dependence, concatenated, union
from theano._src.control.sparsity.walk import Shape, State, Step, conservative, shape_of
from theano._src.grad.driver import pattern_of
from theano._src.graph.op_table import OpTable
from theano._src.ops.core.composite import Composite
from theano._src.ops.elementwise.arithmetic import Mul, Pow, Second
from theano._src.ops.elementwise.compare import Switch
from theano._src.ops.index.index_list import run_index
from theano._src.ops.index.subtensor import IncSubtensor
from theano._src.ops.index.subtensor1 import AdvancedIncSubtensor1
from theano._src.types.run_node import run_node
from theano._src.types.tensor import tensor_type

Result = Sequence[Dependence | State | None]

#: scalar ops whose derivative is 0, by the inputs for which it is
_FLAT: OpTable[tuple[int, ...]] = OpTable(
    {
        "theano._src.ops.elementwise.rounding._Nearest": (0,),
        "theano._src.ops.elementwise.ufuncs.CopySign": (1,),
        "theano._src.ops.elementwise.ufuncs.NextAfter": (1,),
        "theano.scalar.basic.Ceil": (0,),
        "theano.scalar.basic.Floor": (0,),
        "theano.scalar.basic.IntDiv": (0, 1),
        "theano.scalar.basic.Second": (0,),
        "theano.scalar.basic.Sgn": (0,),
        "theano.scalar.basic.Switch": (0,),
        "theano.scalar.basic.Trunc": (0,),
    }
)


def elementwise(step: Step) -> Result:
    """The union of the sets of the inputs at the same position, without flat inputs."""
    op, shape = step.node.op.scalar_op, shape_of(step)
    if isinstance(op, Composite):
        terms = [_whole(s, shape) for s in step.ins]
        return [union(terms)] * len(step.shapes)
    flat = _FLAT.get(op, ())
    terms = [
        None if i in flat else _whole(s, shape, _never(op, i, step.ins, shape))
        for i, s in enumerate(step.ins)
    ]
    result = union(terms)
    if isinstance(op, Second) and result is None and step.ins[1].value is not None:
        return [State(shape, None, np.broadcast_to(step.ins[1].value, shape))]
    return [result] * len(step.shapes)


def _whole(state: State, shape: Shape, never: Any = None) -> Dependence | None:
    """Return the dependence of an input broadcast to ``shape``, without the entries ``never``."""
    if state.depends is None or state.shape is None:
        return state.depends
    if never is None:
        return state.depends.stretched(state.shape, shape)
    entries = np.broadcast_to(np.arange(state.depends.size).reshape(state.shape), shape)
    return state.depends.take(np.where(never, -1, entries))


def _never(op: Any, i: int, ins: Sequence[State], shape: Shape) -> Any:
    """Return where input ``i`` does not matter for any value of x; None for nowhere."""
    others = [s.value for k, s in enumerate(ins) if k != i and s.value is not None]
    if isinstance(op, Mul):
        zeros = [x == 0 for x in others if np.any(x == 0)]
        return np.logical_or.reduce([np.broadcast_to(z, shape) for z in zeros]) if zeros else None
    if isinstance(op, Pow) and i == 0 and others:
        return np.broadcast_to(others[0] == 0, shape)
    if isinstance(op, Switch) and ins[0].value is not None:
        return np.broadcast_to((ins[0].value == 0) == (i == 1), shape)
    return None


def same(step: Step) -> Result:
    """The output has the entries of the first input, in their order."""
    return [step.ins[0].depends]


def nothing(step: Step) -> Result:
    """The derivative is 0."""
    return [None] * len(step.shapes)


def moves(step: Step) -> Result:
    """Each entry of an output is an entry of an input, or constant."""
    return _renumbered(step, [any(row) for row in pattern_of(step.node)])


def moves_of(*data: int) -> Callable[[Step], Result]:
    """Return the rule ``moves`` for an op whose other inputs are lengths or indices."""
    return lambda step: _renumbered(step, [i in data for i in range(len(step.ins))])


def _renumbered(step: Step, is_data: Sequence[bool]) -> Result:
    """Run an op on the numbers of entries; 0 is the number of constants."""
    node, ins = step.node, step.ins
    for state, data in zip(ins, is_data, strict=True):
        if (state.shape if data else state.value) is None:
            return conservative(step)
    variables, values, count = [], [], 1
    for v, state, data in zip(node.inputs, ins, is_data, strict=True):
        if data:
            v, size = tensor_type("int64", v.type.broadcastable)(), math.prod(state.shape or ())
            numbers = np.arange(count, count + size) * (state.depends is not None)
            values.append(numbers.reshape(state.shape or ()))
            count += size
        else:
            values.append(state.value)
        variables.append(v)
    data_states = [s for s, data in zip(ins, is_data, strict=True) if data]
    whole = concatenated(
        [s.depends for s in data_states], [math.prod(s.shape or ()) for s in data_states]
    )
    assert whole is not None
    return [
        whole.take(np.asarray(numbers) - 1)
        for numbers in run_node(node.op.make_node(*variables), values)
    ]


def stack(step: Step) -> Result:
    """The entries of all inputs, one after another."""
    return [concatenated([s.depends for s in step.ins], [1] * len(step.ins))]


def trajectory(step: Step) -> Result:
    """The first row is the first input; the others depend on everything."""
    start, shape = step.ins[0].depends, shape_of(step)
    (every,) = conservative(step)
    if not isinstance(every, Dependence) or shape is None or not shape[0]:
        return [every]
    count = math.prod(shape)
    rest = every.take(np.arange(shape[1], count))
    return [concatenated([start, rest], [shape[1], count - shape[1]])]


def stretch(step: Step) -> Result:
    """The first input, broadcast to the shape of the output."""
    return [_whole(step.ins[0], shape_of(step))]


def shrink(step: Step) -> Result:
    """The first input, summed along the dimensions whose length becomes 1."""
    (x, *_), shape = step.ins, shape_of(step)
    if x.depends is None or x.shape is None:
        return conservative(step)
    return [x.depends.collapsed(x.shape, [i for i, n in enumerate(shape) if n != x.shape[i]])]


def write(step: Step) -> Result:
    """A copy of the first input in which the second one is written or added at an index."""
    op, (x, y, *index), shape = step.node.op, step.ins, shape_of(step)
    if any(s.value is None for s in index) or y.shape is None:
        return conservative(step)
    values = [s.value for s in index]
    if isinstance(op, IncSubtensor):
        where: Any = run_index(op.idx_list, values)
    elif isinstance(op, AdvancedIncSubtensor1):
        where = values[0]
    else:
        where = op.numpy_index(values)
    size = math.prod(shape)
    written = np.arange(size).reshape(shape)[where]
    old = x.depends
    if old is not None and op.set_instead_of_inc:
        kept = np.arange(size)
        kept[written.reshape(-1)] = -1
        old = old.take(kept)
    return [union([old, _put(y, written, size)])]


def _put(y: State, written: Any, size: int) -> Dependence | None:
    """Return the dependence of zeros to which ``y`` is added at the entries ``written``."""
    if y.depends is None or y.shape is None:
        return None
    entries = np.broadcast_to(np.arange(y.depends.size).reshape(y.shape), np.shape(written))
    where = np.reshape(written, -1)
    if len(where) and np.bincount(where).max() > 1:
        return y.depends.relation(where, entries, size)
    numbers = np.full(size, -1)
    numbers[where] = entries.reshape(-1)
    return y.depends.take(numbers)


def choose(step: Step) -> Result:
    """One of several choices for each entry, or the union if the index is not known."""
    index, *choices = step.ins
    if index.value is not None:
        return moves(step)
    shape = shape_of(step)
    if len(choices) > 1:
        return [union([_whole(s, shape) for s in choices])]
    (stacked,) = choices
    if stacked.depends is None or stacked.shape is None:
        return conservative(step)
    one = stacked.depends.collapsed(stacked.shape, [0])
    return [one.stretched(stacked.shape[1:], shape)]


# reductions and ops along axes


def reduction(step: Step) -> Result:
    """The union along the axes of the op, for each output."""
    (x,), op = step.ins, step.node.op
    if x.depends is None or x.shape is None:
        return conservative(step)
    ndim = len(x.shape)
    axes = op.axes(ndim) if hasattr(op, "axes") else range(ndim) if op.axis is None else op.axis
    return [x.depends.collapsed(x.shape, axes)] * len(step.shapes)


def _along(step: Step, axes: Sequence[int]) -> Dependence | None:
    """Every entry depends on all entries along ``axes`` of all inputs."""
    shape = shape_of(step)
    whole = union([_whole(s, shape) for s in step.ins])
    if whole is None:
        return None
    kept = [1 if i in axes else n for i, n in enumerate(shape)]
    return whole.collapsed(shape, axes).stretched(kept, shape)


def along_axes(step: Step) -> Result:
    """Softmax and others: every entry depends on all entries along the op's axes."""
    return [_along(step, step.node.op.axes(len(shape_of(step))))]


def along_input(step: Step) -> Result:
    """Sorting: the axis is the second input, None for the flattened array."""
    x, axis = step.ins[0], step.ins[1].value
    if axis is None or x.depends is None or x.shape is None or x.shape != shape_of(step):
        return conservative(step)
    kept = [1 if i == int(axis) % len(x.shape) else n for i, n in enumerate(x.shape)]
    return [x.depends.collapsed(x.shape, [int(axis)]).stretched(kept, x.shape)]


def largest(step: Step) -> Result:
    """Some entries along an axis: each depends on all along it."""
    x, axis = step.ins[0], step.node.op.axis
    if x.depends is None or x.shape is None:
        return conservative(step)
    kept = [1 if i == axis % len(x.shape) else n for i, n in enumerate(x.shape)]
    one = x.depends.collapsed(x.shape, [axis])
    return [one.stretched(kept, shape_of(step, j)) for j in range(len(step.shapes))]


#: more pairs of entries than this are not listed: every entry depends on all along the axis
_PAIRS = 1 << 24


def cumulative(step: Step) -> Result:
    """Every entry depends on those before it along the axis."""
    (x,), op, shape = step.ins, step.node.op, shape_of(step)
    if x.depends is None:
        return conservative(step)
    axis = 0 if op.axis is None else op.axis % len(shape)
    n = shape[axis]
    if n * x.depends.size > 2 * _PAIRS:
        kept = [1 if i == axis else m for i, m in enumerate(shape)]
        return [x.depends.collapsed(shape, [axis]).stretched(kept, shape)]
    return [_pairs_along(x.depends, shape, shape, axis, np.tri(n, dtype=bool))]


def differences(step: Step) -> Result:
    """Entry i depends on entries i to i + n along the axis."""
    (x,), op, shape = step.ins, step.node.op, shape_of(step)
    if x.depends is None or x.shape is None:
        return conservative(step)
    axis = op.axis % len(shape)
    first = np.arange(shape[axis])[:, None]
    last = np.arange(x.shape[axis])
    return [_pairs_along(x.depends, x.shape, shape, axis, abs(2 * (last - first) - op.n) <= op.n)]


def _pairs_along(
    x: Dependence, shape: Shape, to: Shape, axis: int, matrix: np.ndarray[Any, Any]
) -> Dependence:
    """Return the dependence of a product with a boolean matrix along one axis."""
    i, k = np.nonzero(matrix)
    out = np.moveaxis(np.arange(math.prod(to)).reshape(to), axis, 0)[i]
    entries = np.moveaxis(np.arange(x.size).reshape(shape), axis, 0)[k]
    return x.relation(out, entries, math.prod(to))


def by_stack(core: int) -> Callable[[Step], Result]:
    """Return the rule of ops on each matrix of a stack, or on other parts of ``core`` axes."""
    return lambda step: _by_stack(step, lambda shape: len(shape) - core)


def pooling(step: Step) -> Result:
    """Each image depends on itself."""
    return _by_stack(step, lambda shape: len(shape) - step.node.op.ndim)


def per_row(batched: Sequence[int]) -> Callable[[Step], Result]:
    """Return the rule of ops in which row i depends on row i of the inputs ``batched``."""
    return lambda step: _per_part(
        step, [1 if i in batched and s.shape else 0 for i, s in enumerate(step.ins)], 1
    )


def vmapped(step: Step) -> Result:
    op = step.node.op
    return _per_part(step, [int(op.is_batched[i]) for i in op.outer], 1)


def _by_stack(step: Step, front: Callable[[Shape], int]) -> Result:
    fronts = {s.shape and s.shape[: front(s.shape)] for s in step.ins if s.depends is not None}
    lead = fronts.pop() if len(fronts) == 1 else None
    if not lead or any(shape is None or shape[: len(lead)] != lead for shape in step.shapes):
        return conservative(step)
    return _per_part(step, [len(lead)] * len(step.ins), len(lead))


def _per_part(step: Step, fronts: Sequence[int], front: int) -> Result:
    """Each part of an output depends on the same part of the inputs, or on whole inputs.

    Parts are along the first ``fronts[i]`` axes of input ``i``; 0 for a whole input.
    """
    results: list[Dependence | State | None] = []
    pattern = pattern_of(step.node)
    for j in range(len(step.shapes)):
        shape = shape_of(step, j)
        lead = (*shape[:front], *[1] * (len(shape) - front))
        terms = []
        for s, row, n in zip(step.ins, pattern, fronts, strict=True):
            if s.depends is None or not row[j]:
                continue
            if n and s.shape is not None:
                part = s.depends.collapsed(s.shape, range(n, len(s.shape)))
                terms.append(part.stretched(lead, shape))
            else:
                terms.append(s.depends.everywhere(math.prod(shape)))
        results.append(union(terms))
    return results
