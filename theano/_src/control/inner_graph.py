"""InnerGraph: a graph inside an op, with its symbolic shapes, evaluation and lowering."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from theano._src.control.inner_run import Run, function_of, value_of
from theano._src.grad.driver import pattern_of
from theano._src.graph import source_line
from theano._src.graph.clone import rebuild
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.walk import nodes_of, view_roots
from theano._src.ground.array_types import ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import ShapeError
from theano._src.ground.utils import MethodNotDefined
from theano._src.ops.meta.misc import deep_copy_op
from theano._src.ops.shape import shape as shape_ops
from theano._src.ops.shape.join import make_vector
from theano._src.ops.shape.static_values import as_length
from theano._src.types.checked import is_checked
from theano._src.types.convert import constant
from theano._src.types.run_node import has_compiled_form, lower_node, lowering_args
from theano._src.types.tensor import TensorType, tensor_type


@documented_in("theano.compile.builders")
class InnerGraph:
    """A graph between ``inputs`` and ``outputs`` that an op holds.

    Attributes
    ----------
    order : list of nodes
    """

    def __init__(self, inputs: Sequence[Variable], outputs: Sequence[Variable]) -> None:
        self.inputs, self.outputs = list(inputs), list(outputs)
        self.order = nodes_of(self.outputs, self.inputs)
        self._opened: InnerShapes | None = None
        self._run: Run | None = None

    def __reduce__(self) -> Any:
        return (InnerGraph, (self.inputs, self.outputs))

    @cached_property
    def needs_host(self) -> bool:
        """Whether some node has no compiled form."""
        return not all(map(has_compiled_form, self.order))

    @cached_property
    def is_checked(self) -> bool:
        """Whether some node has conditions on run-time values."""
        return any(is_checked(node.op) for node in self.order)

    # sizes

    def opened(self) -> InnerShapes:
        """Return the sizes of the graph; computed once."""
        if self._opened is None:
            with source_line.paused():
                self._opened = InnerShapes(self.inputs, self.outputs)
        return self._opened

    def outside(
        self, results: Sequence[Any], given: Sequence[Variable], shapes: Sequence[Any]
    ) -> list[Any]:
        """Rewrite inner expressions in terms of a node's inputs and their shapes."""
        new = dict(zip(self.inputs, given, strict=True))
        for inner, outer in zip(self.opened().free, shapes, strict=True):
            if inner:  # sparse matrices have lengths outside, but no free lengths inside
                new.update(zip(inner, outer or (), strict=True))
        return rebuild(results, new)

    def demands(self, given: Sequence[Variable], shapes: Sequence[Any]) -> list[Any]:
        """Return the integers that the inner nodes demand, in terms of the node's inputs."""
        results = [e for es in self.opened().demands.values() for e in es]
        return self.outside(results, given, shapes)

    def lengths(self, given: Sequence[Variable], shapes: Sequence[Any]) -> list[Any]:
        """Return the lengths of each output; None for an output without lengths."""
        inner = self.opened().lengths
        result = iter(self.outside([n for s in inner for n in s or ()], given, shapes))
        return [None if s is None else tuple(next(result) for _ in s) for s in inner]

    @property
    def demand_count(self) -> int:
        return sum(map(len, self.opened().demands.values()))

    def views(self) -> list[list[int]]:
        """Return, for each output, the inputs whose memory it may share."""
        at = {v: i for i, v in enumerate(self.inputs)}
        return [sorted(at[r] for r in view_roots(v) if r in at) for v in self.outputs]

    # running

    def run(self, *values: Any) -> list[Any]:
        """Compute the outputs on NumPy."""
        if self._run is None:
            self._run = function_of(self.inputs, self.outputs)
            # later lookups of this method find the function itself
            self.run = self._run  # type: ignore[method-assign]
        return self._run(*values)

    def lower(
        self, xp: ArrayNamespace, sizes: Sequence[int], values: Sequence[Any]
    ) -> tuple[list[Any], list[Any]]:
        """Return the outputs, computed by ``xp``, and the flags of all checks."""
        known: dict[Variable, Any] = dict(zip(self.inputs, values, strict=True))
        rest = iter(sizes)
        demands = self.opened().demands
        flags: list[Any] = []
        for node in self.order:
            mine = [next(rest) for _ in demands.get(node, ())]
            args = lowering_args(xp, node, [value_of(v, known) for v in node.inputs])
            out, result = lower_node(xp, node, mine, args)
            flags += [*result, *node.op.checks(xp, mine, args, out)]
            known.update(zip(node.outputs, out, strict=True))
        return [value_of(v, known) for v in self.outputs], flags


def kept_apart(inputs: Sequence[Variable], outputs: Sequence[Variable]) -> list[Variable]:
    """Copy each output that shares memory with a constant or with an earlier output.

    Outer nodes may write into outputs. They know which inputs an output may share memory with.
    """
    known = set(inputs)
    taken: set[Variable] = set()
    variables = []
    with source_line.paused():
        for v in outputs:
            inside = [r for r in view_roots(v) if r not in known]
            shares = any(isinstance(r, Constant) or r in taken for r in inside)
            taken.update(inside)
            variables.append(deep_copy_op(v) if shares else v)
    return variables


def connections(inputs: Sequence[Variable], outputs: Sequence[Variable]) -> list[list[bool]]:
    """Return, for each input and output of a graph, whether the output depends on the input.

    This is ``theano.gof.graph.io_connection_pattern``.

    >>> import theano, theano.tensor as T
    >>> x, y = T.dvectors("x", "y")
    >>> theano.gof.graph.io_connection_pattern([x, y], [x + y, T.exp(x)])
    [[True, True], [True, False]]
    """
    # for each variable, the inputs that it depends on, one bit each
    matter = {v: 1 << i for i, v in enumerate(inputs)}
    for node in nodes_of(outputs, inputs):
        rows = pattern_of(node)
        for j, out in enumerate(node.outputs):
            bits = 0
            for v, row in zip(node.inputs, rows, strict=True):
                if row[j]:
                    bits |= matter.get(v, 0)
            matter[out] = bits
    return [[bool(matter.get(v, 0) >> i & 1) for v in outputs] for i in range(len(inputs))]


def depend(sizes: Sequence[Any], moving: set[Any]) -> bool:
    """Whether integers are computed from some of the variables ``moving``."""
    if any(v in moving for v in sizes):
        return True
    return any(v in moving for node in nodes_of(sizes, moving) for v in node.inputs)


def one_or_all(outs: Sequence[Any]) -> Any:
    """Return the only output, or a tuple of several, as ``compute`` does."""
    return outs[0] if len(outs) == 1 else tuple(outs)


class InnerShapes:
    """The sizes of a graph, in terms of its inputs and of variables for their lengths.

    Attributes
    ----------
    free : list
        For each input, variables for its lengths; None for an input without lengths.
    demands : dict
        For each node with demands, the integer expressions that it demands.
    lengths : list
        The lengths of each output.
    """

    def __init__(self, inputs: Sequence[Variable], outputs: Sequence[Variable]) -> None:
        self.free = [_free_lengths(v) for v in inputs]
        # for each variable, a copy in which no length is computed from an array
        self._copies: dict[Variable, Variable] = {v: v for v in inputs}
        self._lengths: dict[Variable, Any] = dict(zip(inputs, self.free, strict=True))
        self.demands: dict[Apply, tuple[Any, ...]] = {}
        for node in nodes_of(outputs, inputs):
            self._open(node)
        self.lengths = [self.of(v) for v in outputs]

    def from_sizes_alone(self) -> bool:
        """Whether all demands are arithmetic on lengths and on 0-d inputs."""
        roots = {v for vs in self.free for v in vs or ()}
        results = [e for es in self.demands.values() for e in es]
        return all(
            map(_small, (v for n in nodes_of(results, roots) for v in (*n.inputs, *n.outputs)))
        )

    def _open(self, node: Apply) -> None:
        op = node.op
        if isinstance(op, shape_ops.Shape | shape_ops.Shape_i):
            lengths = self.of(node.inputs[0])
            results = [_as_vector(lengths) if isinstance(op, shape_ops.Shape) else lengths[op.i]]
        else:
            node_here = node.clone_with_new_inputs([self._copies.get(v, v) for v in node.inputs])
            shapes = [self.of(v) for v in node.inputs]
            if op.runs_on != "host":
                result = tuple(as_length(e) for e in op.demands(node_here, shapes))
                self.demands.update({node: result} if result else {})
            self._infer(node, node_here, shapes)
            results = node_here.outputs
        self._copies.update(zip(node.outputs, results, strict=True))

    def _infer(self, node: Apply, here: Apply, shapes: Sequence[Any]) -> None:
        if getattr(here.op, "infer_shape", None) is None:
            return
        try:
            result = here.op.infer_shape(here, shapes)
        except (ShapeError, NotImplementedError, MethodNotDefined):
            return  # the op does not know the shape
        for v, lengths in zip(node.outputs, result, strict=True):
            if lengths is not None:
                self._lengths[v] = tuple(as_length(n) for n in lengths)

    def copy_of(self, v: Variable) -> Variable:
        """Return a copy of a variable in which lengths come from input lengths, not arrays."""
        return self._copies.get(v, v)

    def of(self, v: Variable) -> Any:
        """Return the lengths of a variable of the graph; None if it has none."""
        if v not in self._lengths:
            v_here = self._copies.get(v, v)
            self._lengths[v] = (
                tuple(shape_ops.shape_i(v_here, i) for i in range(v.type.ndim))
                if isinstance(v.type, TensorType)
                else None
            )
        return self._lengths[v]


def _small(v: Variable) -> bool:
    ndim = getattr(v.type, "ndim", None)
    return isinstance(v, Constant) or ndim == 0 or (ndim == 1 and v.type.numpy_dtype.kind in "iub")


def _free_lengths(v: Variable) -> tuple[Variable, ...] | None:
    if not isinstance(v.type, TensorType):
        return None
    return tuple(tensor_type("int64", ())() for _ in range(v.type.ndim))


def _as_vector(lengths: Sequence[Any]) -> Any:
    return make_vector(*lengths) if lengths else constant(np.zeros(0, "int64"))
