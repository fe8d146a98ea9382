"""Batching: add a leading batch dimension to a graph, by batching rules or per element (vmap)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from theano._src.control.inner_run import evaluate_inner
from theano._src.control.ragged_batch import gathered
from theano._src.grad.driver import grad, pattern_of
from theano._src.grad.products import Rop
from theano._src.graph import source_line, testvalue
from theano._src.graph.clone import rebuild
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import Op
from theano._src.graph.walk import nodes_of, roots_of
from theano._src.ground.array_types import Array, ArrayNamespace, Arrays
from theano._src.ground.errors import ShapeError
from theano._src.ground.utils import MethodNotDefined
from theano._src.ground.xp import numpy_xp
from theano._src.ops.meta.misc import view_op
from theano._src.ops.shape import shape as shape_ops
from theano._src.ops.shape.batch_helpers import repeat_batched
from theano._src.ops.shape.dims import patternbroadcast
from theano._src.ops.shape.join import make_vector
from theano._src.ops.shape.static_values import as_length
from theano._src.types.checked import gives_flags
from theano._src.types.null import DisconnectedType, NullType
from theano._src.types.run_node import has_compiled_form, lower_node, run_node, runner_of
from theano._src.types.scalar import Scalar
from theano._src.types.tensor import TensorType, tensor_type


def batched_type(kind: Any) -> TensorType:
    """Return the type of a batch of values, one per row; raise TypeError if there is none."""
    if not isinstance(kind, TensorType | Scalar):
        raise TypeError(
            f"rows are stacked of tensors and of numbers only, got {kind}; "
            "keep what depends on the replaced variables to those"
        )
    return tensor_type(kind.dtype, (False, *kind.broadcastable))


def as_rows(v: Variable, rows: Any, who: Any) -> Any:
    """Return ``rows`` with the batched type of ``v``."""
    kind = batched_type(v.type)
    if rows.type.dtype != kind.dtype or rows.type.ndim != kind.ndim:
        raise TypeError(f"{who} gives {kind} for the rows of {v} of {v.type}, got {rows.type}")
    return patternbroadcast(rows, kind.broadcastable)


class Vmap(Op):
    """Applies the op of one node to each element of a batch.

    Unbatched constants among the node's inputs stay inside; the others are inputs, in the same
    order. NumPy computes the rows one by one, XLA all at once.
    """

    __props__ = ("op", "is_batched", "key")

    def __init__(self, node: Apply, is_batched: Sequence[bool]) -> None:
        fixed = [
            isinstance(v, Constant) and not m for v, m in zip(node.inputs, is_batched, strict=True)
        ]
        inside = [v if f else v.type() for v, f in zip(node.inputs, fixed, strict=True)]
        self.row = node.clone_with_new_inputs(inside)
        self.op = node.op
        self.is_batched = tuple(is_batched)
        self.key = tuple(
            v.signature() if f else v.type  # type: ignore[attr-defined]
            for v, f in zip(node.inputs, fixed, strict=True)
        )
        self.outer = [i for i, f in enumerate(fixed) if not f]
        self._run: Callable[..., Any] | None = None
        only = self.op.demand_only
        self.demand_only = tuple(k for k, i in enumerate(self.outer) if i in only)
        self.runs_on = "any" if self._can_be_traced(only) else "host"  # type: ignore[misc]

    def _can_be_traced(self, only: Sequence[int]) -> bool:
        if not has_compiled_form(self.row):
            return False
        if any(m and i in only for i, m in enumerate(self.is_batched)):
            return False
        ins, lengths = self._free()
        with source_line.paused():
            return self._demanded(ins, lengths) is not None

    def _free(self) -> tuple[list[Any], list[Any]]:
        """Return the row's inputs in place of the outer ones, and variables for their lengths."""
        ins = [self.row.inputs[i] for i in self.outer]
        lengths = [
            tuple(tensor_type("int64", ())() for _ in range(v.type.ndim + self.is_batched[i]))
            if isinstance(v.type, TensorType | Scalar)
            else None
            for i, v in zip(self.outer, ins, strict=True)
        ]
        return ins, lengths

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_run": None}

    def make_node(self, *inputs: Any) -> Apply:
        outs = [batched_type(v.type) for v in self.row.outputs]
        return Apply(self, inputs, [t() for t in outs])

    # meaning

    def compute(self, xp: ArrayNamespace, *inputs: Array) -> Any:
        if xp.name != "numpy":
            return self.lower_xla(xp, (), *inputs)
        if self._run is None:
            self._run = runner_of(self.row)
        run, args = self._run, self._inside(inputs)
        n = len(args[self.is_batched.index(True)])
        results = [run(*self._row(args, i)) for i in range(n)] if n else [self._no_rows(args)]
        outs = []
        for v, rows in zip(self.row.outputs, zip(*results, strict=True), strict=True):
            shapes = {row.shape for row in rows}
            if len(shapes) > 1:
                first, other, *_ = sorted(shapes)
                raise ValueError(
                    f"{self} takes rows that give arrays of one shape, got rows of shapes {first} "
                    f"and {other}; rows whose shapes differ cannot be stacked"
                )
            stacked = np.stack(rows)[:n]
            outs.append(stacked.astype(v.type.numpy_dtype, copy=False))
        return outs[0] if len(outs) == 1 else tuple(outs)

    def _inside(self, inputs: Sequence[Any]) -> list[Any]:
        """Return a value for each input of the row's node: the given ones, and constants."""
        args = [v.data if isinstance(v, Constant) else None for v in self.row.inputs]
        for i, x in zip(self.outer, inputs, strict=True):
            args[i] = x
        return args

    def _row(self, args: Sequence[Any], i: int) -> list[Any]:
        # rows are views: an op that overwrites its input needs a copy
        missing = {k for ks in self.op.destroy_map.values() for k in ks}
        row = [x[i, ...] if m else x for x, m in zip(args, self.is_batched, strict=True)]
        row = [x.copy() if k in missing else x for k, x in enumerate(row)]
        return [
            v.type.filter(x) if isinstance(v.type, Scalar) else x
            for v, x in zip(self.row.inputs, row, strict=True)
        ]

    def _no_rows(self, args: Sequence[Any]) -> list[Any]:
        """Return outputs of one row, for their shapes, if the batch is empty."""
        lengths = self._lengths_of_none(args)
        if lengths is not None:
            return [
                np.zeros(n, v.type.numpy_dtype)
                for n, v in zip(lengths, self.row.outputs, strict=True)
            ]
        # the shapes are known only by running the op
        ones = [
            np.ones((1, *x.shape[1:]), x.dtype) if m else x
            for x, m in zip(args, self.is_batched, strict=True)
        ]
        with np.errstate(all="ignore"):
            return run_node(self.row, self._row(ones, 0))

    def _lengths_of_none(self, args: Sequence[Any]) -> list[tuple[int, ...]] | None:
        """Return the output shapes of a row of an empty batch, or None if unknown."""
        given = {self.row.inputs[i]: args[i] for i in self.outer}
        shapes = [tuple(as_length(n) for n in np.shape(x)) for x in given.values()]
        try:
            with source_line.paused():
                here, inside, known = self._opened(list(given), shapes)
                rows = [
                    None if lengths is None else self._outside(lengths, known, here)
                    for lengths in self.op.infer_shape(here, inside)
                ]
        except (AttributeError, ShapeError, NotImplementedError, MethodNotDefined):
            return None  # the op does not know the shape
        if any(row is None for row in rows):
            return None
        sizes = [n for row in rows for n in row or ()]
        order = nodes_of(sizes, given)
        values = iter(evaluate_inner(numpy_xp, order, list(given), sizes, list(given.values())))
        return [tuple(int(next(values)) for _ in row or ()) for row in rows]

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Array) -> Any:
        result, _ = self._lowered(xp, sizes, inputs)
        return result[0] if len(result) == 1 else tuple(result)

    def _lowered(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Sequence[Any]
    ) -> tuple[list[Any], list[Any]]:
        """Return the outputs and the check flags."""

        def one(rows: Sequence[Any]) -> list[Any]:
            out, flags = lower_node(xp, self.row, sizes, self._traced(inputs, rows))
            return [*out, *map(xp.asarray, flags)]

        result = xp.map_rows(one, self._with_rows(inputs))
        n = len(self.row.outputs)
        return result[:n], [xp.all(flag) for flag in result[n:]]

    def bind_xla(self, node: Apply) -> Callable[..., Any]:
        if not gives_flags(self):
            return self.lower_xla
        return lambda xp, sizes, *inputs: self._lowered(xp, sizes, inputs)

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        rows = self._with_rows(inputs)
        if all(isinstance(x, np.ndarray) for x in rows) or not rows[0].shape[0]:
            return  # on NumPy each row is validated when it is computed
        self.op.validate(self.row, self._traced(inputs, [x[0] for x in rows]))

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        if type(self.op).checks is Op.checks:
            return ()
        rows = self._with_rows(inputs)

        def one(values: Sequence[Any]) -> list[Any]:
            args = self._traced(inputs, values[: len(rows)])
            flags = self.op.checks(xp, sizes, args, values[len(rows) :])
            return [xp.asarray(flag) for flag in flags]

        return [xp.all(flag) for flag in xp.map_rows(one, [*rows, *outputs])]

    def _with_rows(self, inputs: Sequence[Any]) -> list[Any]:
        return [x for i, x in zip(self.outer, inputs, strict=True) if self.is_batched[i]]

    def _traced(self, inputs: Sequence[Any], rows: Sequence[Any]) -> list[Any]:
        """Return the row's inputs for the compiled form of its op."""
        args, rest = self._inside(inputs), iter(rows)
        args = [next(rest) if m else x for x, m in zip(args, self.is_batched, strict=True)]
        only = self.op.demand_only
        return [None if i in only else x for i, x in enumerate(args)]

    # sizes

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        if self.runs_on == "host":
            return ()
        results = self._demanded(node.inputs, shapes)
        assert results is not None
        return results

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        infer = getattr(self.op, "infer_shape", None)
        if infer is None:
            raise ShapeError(f"{self.op} does not say which shape its rows have")
        first = next(s for i, s in zip(self.outer, shapes, strict=True) if self.is_batched[i])
        here, inside, known = self._opened(node.inputs, shapes)
        out = []
        for lengths in infer(here, inside):
            row = None if lengths is None else self._outside(lengths, known, here)
            out.append(None if row is None else (first[0], *row))
        return out

    @property
    def ragged(self) -> bool:
        """Whether rows may differ in shape: the op says that it depends on their values."""
        ins, lengths = self._free()
        with source_line.paused():
            try:
                here, inside, known = self._opened(ins, lengths)
                result = self.op.infer_shape(here, inside)
            except (AttributeError, ShapeError, NotImplementedError, MethodNotDefined):
                return False  # the op does not know the shape
            return any(s is not None and self._outside(s, known, here) is None for s in result)

    def _demanded(self, inputs: Sequence[Any], shapes: Sequence[Any]) -> list[Any] | None:
        here, inside, known = self._opened(inputs, shapes)
        return self._outside(self.op.demands(here, inside), known, here)

    def _opened(
        self, inputs: Sequence[Any], shapes: Sequence[Any]
    ) -> tuple[Apply, list[Any], dict[Variable, Any]]:
        """Return the node of one row, the shapes of its inputs, and of its batched inputs."""
        ins: list[Any] = list(self.row.inputs)
        results: list[Any] = [
            tuple(as_length(n) for n in v.data.shape)
            if isinstance(v, Constant) and isinstance(v.type, TensorType)
            else None
            for v in ins
        ]
        known: dict[Variable, Any] = {}
        for i, v, shape in zip(self.outer, inputs, shapes, strict=True):
            if self.is_batched[i]:
                results[i] = known[ins[i]] = tuple(shape[1:])
            else:
                ins[i], results[i] = v, shape
        return self.row.clone_with_new_inputs(ins), results, known

    def _outside(
        self, sizes: Sequence[Any], row_shapes: dict[Variable, Any], here: Apply
    ) -> list[Any] | None:
        """Rewrite sizes without the row's variables; None if they depend on values of a row."""
        sizes = [as_length(n) for n in sizes]
        lengths: dict[Variable, Any] = {}
        for node in nodes_of(sizes):
            if not node.inputs or (v := node.inputs[0]) not in row_shapes:
                continue
            if isinstance(node.op, shape_ops.Shape_i):
                lengths[node.outputs[0]] = row_shapes[v][node.op.i]
            elif isinstance(node.op, shape_ops.Shape) and row_shapes[v]:
                lengths[node.outputs[0]] = make_vector(*row_shapes[v])
        result = rebuild(sizes, lengths) if lengths else sizes
        return None if any(v in row_shapes for v in roots_of(result)) else result

    # derivatives

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        pattern = pattern_of(self.row)
        return [pattern[i] for i in self.outer]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        used = [
            (v, g)
            for v, g in zip(self.row.outputs, output_grads, strict=True)
            if not isinstance(g.type, DisconnectedType)
        ]
        # a view of each: one output may be computed from another
        with testvalue.under("off"):
            known = {view_op(v): _row_of(g) for v, g in used}
            back = grad(
                None,
                [self.row.inputs[i] for i in self.outer],
                known_grads=known,
                disconnected_inputs="ignore",
                return_disconnected="disconnected",
                null_gradients="return",
            )
        rows = dict(zip(known.values(), [g for _, g in used], strict=True))
        return self._summed(self._rows_of(back, inputs, rows))

    def _summed(self, results: list[Any]) -> list[Any]:
        """Sum the gradients of unbatched inputs over the batch."""
        out = []
        for i, g in zip(self.outer, results, strict=True):
            none = isinstance(g.type, DisconnectedType | NullType)
            out.append(g if none or self.is_batched[i] else g.sum(axis=0))
        return out

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        wrt, points = [], []
        rows: dict[Variable, Any] = {}
        for i, dx in zip(self.outer, eval_points, strict=True):
            if dx is None or isinstance(dx.type, DisconnectedType):
                continue
            wrt.append(self.row.inputs[i])
            points.append(_row_of(dx) if self.is_batched[i] else dx)
            rows.update({points[-1]: dx} if self.is_batched[i] else {})
        if not wrt:
            return [None] * len(self.row.outputs)
        with testvalue.under("off"):
            result = Rop(
                list(self.row.outputs),
                wrt,
                points,
                disconnected_outputs="ignore",
                return_disconnected="none",
            )
        out = iter(self._rows_of([v for v in result if v is not None], inputs, rows))
        return [None if v is None else next(out) for v in result]

    def _rows_of(
        self, results: Sequence[Any], inputs: Sequence[Any], rows: dict[Variable, Any]
    ) -> list[Any]:
        """Evaluate expressions of the row's variables over the whole batch."""
        is_batched, plain = dict(rows), dict[Variable, Any]()
        for i, x in zip(self.outer, inputs, strict=True):
            (is_batched if self.is_batched[i] else plain)[self.row.inputs[i]] = x
        real = [v for v in results if not isinstance(v.type, DisconnectedType | NullType)]
        done = iter(batched(real, is_batched, plain))
        return [
            v.type() if isinstance(v.type, DisconnectedType | NullType) else next(done)
            for v in results
        ]

    def __str__(self) -> str:
        return f"Vmap{{{self.op}}}"


def _row_of(rows: Any) -> Any:
    return tensor_type(rows.type.dtype, rows.type.broadcastable[1:])()


def vmap_node(node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]) -> list[Any]:
    """Return the outputs of a node over a batch, for any op."""
    op = Vmap(node, is_batched)
    results: list[Any] = op(*[inputs[i] for i in op.outer], return_list=True)
    return results


def batched(
    outputs: Sequence[Any],
    is_batched: Mapping[Variable, Any],
    plain: Mapping[Variable, Any] = {},
) -> list[Any]:
    """Return ``outputs`` over a batch: ``is_batched`` has the batches of some variables.

    ``plain`` replaces others by one value for the whole batch. All batches must have one length.
    """
    with testvalue.under("off"):
        first = {v: as_rows(v, x, "vectorize") for v, x in is_batched.items()}
        try:
            rows, same = _walked(outputs, first, plain, False)
        except _Ragged:
            outputs = gathered(outputs, is_batched, plain)
            rows, same = _walked(outputs, first, plain, True)
        n = shape_ops.shape_i(next(iter(rows.values())), 0)
        results = [rows[v] if v in rows else repeat_batched(same.get(v, v), n) for v in outputs]
    if testvalue.policy() != "off":
        for node in nodes_of(results):
            if not hasattr(node.outputs[0].tag, "test_value"):
                testvalue.compute(node.op, node)
    return results


class _Ragged(Exception):
    """Raised if a node takes rows whose shapes may differ."""


def _walked(
    outputs: Sequence[Any],
    is_batched: Mapping[Variable, Any],
    plain: Mapping[Variable, Any],
    ready: bool,
) -> tuple[dict[Variable, Any], dict[Variable, Any]]:
    """Return replacements for all variables of a graph: batched ones, and unbatched ones.

    Raises _Ragged if a node takes rows of different shapes, unless the graph is ``ready`` for it.
    """
    rows, same = dict(is_batched), dict(plain)
    ragged: set[Variable] = set()
    for node in nodes_of(outputs, {**is_batched, **plain}):
        flags = [v in rows for v in node.inputs]
        ins = [rows[v] if v in rows else same.get(v, v) for v in node.inputs]
        if not ready and not ragged.isdisjoint(node.inputs):
            raise _Ragged
        if not any(flags):
            if any(v in same for v in node.inputs):
                fresh = node.clone_with_new_inputs(ins)
                same.update(zip(node.outputs, fresh.outputs, strict=True))
            continue
        with source_line.paused():
            result = _batch_node(node, ins, flags)
            for v, new in zip(node.outputs, result, strict=True):
                if new.type.ndim == v.type.ndim:
                    same[v] = new
                else:
                    rows[v] = as_rows(v, new, node.op)
        by = result[0].owner.op if result[0].owner is not None else None
        if isinstance(by, Vmap) and by.ragged:
            ragged.update(node.outputs)
        # errors name the line that created the unbatched node
        for fresh in nodes_of([rows[v] if v in rows else same[v] for v in node.outputs], set(ins)):
            fresh.trace = fresh.trace or node.trace
    return rows, same


_MEANING = frozenset("make_node compute perform make_thunk lower_xla grad L_op".split())


def has_form(op: Any) -> bool:
    """Whether an op's batching rule is valid: no subclass changed the meaning or gradient."""
    for cls in type(op).__mro__:
        if "batch_rule" in cls.__dict__:
            return cls is not Op
        if not _MEANING.isdisjoint(cls.__dict__):
            return False
    return False


def _batch_node(node: Apply, inputs: list[Any], is_batched: list[bool]) -> Sequence[Any]:
    results: Sequence[Any] | None = None
    if has_form(node.op):
        results = node.op.batch_rule(node, inputs, is_batched)
    if results is None:
        return vmap_node(node, inputs, is_batched)
    if len(results) != len(node.outputs):
        raise ValueError(
            f"batch_rule of {node.op} gives {len(node.outputs)} outputs, or None, "
            f"got {len(results)}"
        )
    return results
