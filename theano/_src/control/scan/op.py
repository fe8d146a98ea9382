"""Scan: the op that runs a graph step by step over sequences, and carries states (ADR 11)."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np

from theano._src.control.inner_graph import (
    one_or_all,
)
from theano._src.control.scan import batching, gradient, jvp
from theano._src.control.scan.documented_names import ScanNames
from theano._src.control.scan.structure import ScanInputs, ScanOutputs, ScanStructure
from theano._src.control.scan.xla import Lowering
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.walk import view_roots
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.types.convert import as_tensor_variable
from theano._src.types.tensor import TensorType, tensor_type

_COUNT = tensor_type("int64", ())


@documented_in("theano.scan_module.scan_op")
class Scan(ScanNames, ScanStructure):
    """A loop: ``states, outputs = f(sequences[t], states, non_sequences)`` for each step t.

    The inputs of a node are the number of steps ``n``, with ``bounded`` the number of steps to run,
    the sequences, the states before the first step, and the non-sequences. Its outputs are the
    ``is_stacked`` inner outputs (row t comes from step t), the last values of the ``final`` states,
    and with ``until`` the number of steps that ran. Rows of steps that did not run are 0.

    Parameters
    ----------
    inputs, outputs : lists of Variables
        One step. Inputs: an element of each sequence, the states, the non-sequences. Outputs: the
        new states, further outputs and, with ``until``, a condition that ends the loop after its
        step. The variables are not copied, so Scans over the same variables can be merged.
    n_sequences, n_states : int
    is_stacked, final : sequences of bool
        Whether each inner output is stacked; whether the last value of each state is an output.
    reverse : bool
        Whether to run from the last step to the first.
    truncate : int
        The number of steps that gradients go back; -1 for all.
    recompute : bool
        Whether the reverse pass recomputes everything but the states before each step.
    nonempty : bool
        Whether zero steps are an error, because a last row is read.
    """

    # nodes

    def make_node(self, *inputs: Any) -> Apply:
        wanted = 1 + self.bounded + len(self.inner_inputs)
        if len(inputs) != wanted:
            raise ValueError(f"{self} takes {wanted} inputs, got {len(inputs)}")
        counts = [as_tensor_variable(v) for v in inputs[: 1 + self.bounded]]
        given = self.given(inputs)
        for x, v in zip(given.sequences, self.inner.sequences, strict=True):
            if x.type.ndim != v.type.ndim + 1 or x.type.dtype != v.type.dtype:
                raise TypeError(f"{self} takes a sequence of {v.type}, got {x} of {x.type}")
        whole = [
            v.type.filter_variable(x)
            for x, v in zip(
                (*given.states, *given.non_sequences),
                self.inner_inputs[self.n_sequences :],
                strict=True,
            )
        ]
        for v, new in zip(self.inner.states, self.outs, strict=False):
            if v.type != new.type:
                raise TypeError(
                    f"{self} takes steps that give a state back as {v.type}, got {new.type}"
                )
        outs = ScanOutputs(
            [
                _rows_of(v.type) if k else None
                for v, k in zip(self.outs, self.is_stacked, strict=True)
            ],
            [v.type for v in self.inner.states],
            _COUNT,
        )
        kept = [t() for t in self.only_kept(outs)]
        return Apply(self, [*counts, *given.sequences, *whole], kept)

    # sizes

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        results = [e for es in self.opened().demands.values() for e in es]
        return [node.inputs[0], *self._outside(results, node, shapes)]

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        given = self.given(shapes)
        rows: list[Any] = []
        for k, v in enumerate(self.outs):
            if k < self.n_states:
                rows.append(given.states[k])
                continue
            lengths = self.opened().lengths[k] if isinstance(v.type, TensorType) else None
            if lengths is None or self.depend_on_steps(lengths):
                rows.append(None)
            else:
                rows.append(self._outside(list(lengths), node, shapes))
        n = node.inputs[0]
        stacked_outputs = [None if row is None else (n, *row) for row in rows]
        return self.only_kept(ScanOutputs(stacked_outputs, list(given.states), ()))

    def _outside(self, results: Sequence[Any], node: Apply, shapes: Sequence[Any]) -> list[Any]:
        """Rewrite inner sizes in terms of the node's inputs and their shapes."""
        lengths = self.given(shapes)
        outside = [
            *(None if s is None else s[1:] for s in lengths.sequences),
            *lengths.states,
            *lengths.non_sequences,
        ]
        # sizes do not depend on values that change from step to step
        inner = self.inner
        given = [*inner.sequences, *inner.states, *self.given(node.inputs).non_sequences]
        return self.graph.outside(results, given, outside)

    # on NumPy

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        given = self.given(inputs)
        n = int(given.n)
        if n < 0:
            raise self.negative_steps(n)
        if n == 0 and self.nonempty:
            raise IndexError(f"{self} has no last step: n_steps is 0")
        for x, v in zip(given.sequences, node.inputs[1 + self.bounded :], strict=False):
            if len(x) != n:
                raise ValueError(f"{self} takes sequences of {n} steps, got {len(x)} in {v}")

    def compute(self, xp: ArrayNamespace, *inputs: Array) -> Any:
        if xp.name != "numpy":
            return self.lower_xla(xp, [int(inputs[0])], *inputs)
        return one_or_all(self._on_numpy(self.given(inputs)))

    def _on_numpy(self, given: ScanInputs) -> list[Any]:
        n, step = int(given.n), self.graph.run
        steps = n if given.steps is None else min(int(given.steps), n)
        states, non_sequences = given.states, given.non_sequences
        stacked_outputs: list[Any] = [None] * len(self.is_stacked)
        count = 0
        for t in reversed(range(steps)) if self.reverse else range(steps):
            # the ellipsis keeps an element of a vector a 0-d array
            result = step(*[x[t, ...] for x in given.sequences], *states, *non_sequences)
            for k, kept in enumerate(self.is_stacked):
                if kept:
                    self._keep(stacked_outputs, k, n, t, result[k])
            new = result[: self.n_states]
            self._same_shapes(states, new)
            states = new
            count += 1
            if self.until and result[-1]:
                break
        if n == 0 or steps == 0:
            shapes = self.shapes_of_none(given)
            stacked_outputs = [
                np.zeros((n, *shape), v.type.numpy_dtype) if kept else None
                for shape, v, kept in zip(shapes, self.outs, self.is_stacked, strict=True)
            ]
        taken = [*given.states, *given.non_sequences, *given.sequences, *_constants(self.outs)]
        finals: list[Any] = [None] * self.n_states
        for k, kept in enumerate(self.final):
            if kept:
                finals[k] = _unaliased(states[k], taken)
                taken.append(finals[k])
        return self.only_kept(ScanOutputs(stacked_outputs, finals, np.asarray(count)))

    def _keep(self, stacked_outputs: list[Any], k: int, n: int, t: int, value: Any) -> None:
        rows = stacked_outputs[k]
        shape = np.shape(value)
        if rows is None:
            make = np.zeros if self.until or self.bounded else np.empty
            rows = stacked_outputs[k] = make((n, *shape), self.outs[k].type.numpy_dtype)
        elif rows.shape[1:] != shape:
            raise ValueError(
                f"{self} takes steps whose outputs keep their shape, got {shape} after "
                f"{rows.shape[1:]} for output {k}; pad them to one shape"
            )
        rows[t] = value

    def _same_shapes(self, old: Sequence[Any], new: Sequence[Any]) -> None:
        for k, (a, b) in enumerate(zip(old, new, strict=True)):
            if a.__class__ is np.ndarray and a.shape != np.shape(b):
                raise self.other_shape(k, a.shape, np.shape(b))

    # on XLA

    def lower_checked(
        self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Array
    ) -> tuple[list[Any], list[Any]]:
        """Return the outputs and the check flags, each combined over all steps."""
        result, flags = Lowering(self, xp, sizes, self.given(inputs)).run()
        return self.only_kept(ScanOutputs(*result)), flags

    # derivatives

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return gradient.pattern(self, self.inner_pattern())

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return gradient.pulled_back(self, inputs, outputs, output_grads)

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return jvp.pushed_forward(self, inputs, eval_points)

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        return batching.batch_rule(self, node, inputs, is_batched)


def _rows_of(kind: Any) -> TensorType:
    if not isinstance(kind, TensorType):
        raise TypeError(
            f"scan stacks tensors, got an output of {kind}; make a tensor of it, or update a "
            "shared variable with it"
        )
    return tensor_type(kind.dtype, (False, *kind.broadcastable))


def _constants(outputs: Sequence[Variable]) -> list[Any]:
    """Return the data of the constants that ``outputs`` are or view."""
    return [r.data for v in outputs for r in view_roots(v) if isinstance(r, Constant)]


def _unaliased(value: Any, non_sequences: Sequence[Any]) -> Any:
    """Return the value, copied if it shares memory with ``non_sequences``."""
    if not isinstance(value, np.ndarray):
        return copy(value) if any(value is x for x in non_sequences) else value
    shared = any(isinstance(x, np.ndarray) and np.may_share_memory(value, x) for x in non_sequences)
    return value.copy() if shared else value
