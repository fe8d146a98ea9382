"""Lowering of Scan to lax.scan, to lax.while_loop, or to batched independent steps (ADR 11)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.control.scan.inner_shapes import largest_in
from theano._src.control.scan.structure import ScanInputs, ScanStructure
from theano._src.ground.array_types import ArrayNamespace
from theano._src.ground.length_numbers import are_numbers

#: independent steps run together while the largest array in them has at most this many elements
_ELEMENTS_AT_ONCE = 1 << 21

#: stacked outputs, final states and the number of steps
Parts = tuple[list[Any], list[Any], Any]


class Lowering:
    """The lowering of one loop."""

    def __init__(
        self, op: ScanStructure, xp: ArrayNamespace, sizes: Sequence[int], given: ScanInputs
    ) -> None:
        self.op, self.xp = op, xp
        self.n, *self.sizes = sizes
        if are_numbers(self.n) and self.n < 0:
            raise op.negative_steps(self.n)
        for x in given.sequences:
            if x.shape[0] != self.n:
                raise ValueError(f"{op} takes sequences of {self.n} steps, got {x.shape[0]}")
        self.sequences, self.non_sequences, self.steps = (
            given.sequences,
            given.non_sequences,
            given.steps,
        )
        self.states = [
            xp.astype(s, v.type.numpy_dtype)
            for s, v in zip(given.states, op.inner.states, strict=True)
        ]
        self.given = given._replace(states=self.states)
        self.kept = [k for k, one in enumerate(op.is_stacked) if one]

    def run(self) -> tuple[Parts, list[Any]]:
        """Return all possible outputs of the loop, and the check flags over all steps."""
        op = self.op
        if self.n == 0 and not op.sizes_need_values():
            form = self._none
        elif op.until or op.bounded:
            form = self._while
        else:
            form = self._for if op.n_states else self._map
        result, fine = form()
        flags = [] if fine is None else [fine.all()]
        if op.nonempty and self.n == 0:
            flags.append(np.asarray(False))
        return result, flags

    def _step(self, elements: Any, states: Any) -> tuple[list[Any], Any]:
        """Return the outputs of one step and its check results, or None without checks."""
        op, xp = self.op, self.xp
        outs, flags = op.graph.lower(xp, self.sizes, [*elements, *states, *self.non_sequences])
        for k, old in enumerate(states):
            outs[k] = xp.astype(outs[k], old.dtype)
            if outs[k].shape != old.shape:
                raise op.other_shape(k, old.shape, outs[k].shape)
        for k in range(op.n_states, len(op.is_stacked)):
            outs[k] = xp.astype(outs[k], op.outs[k].type.numpy_dtype)
        fine = xp.stack([xp.all(xp.asarray(f)) for f in flags]) if flags else None
        return outs, fine

    def _parts(self, rows: Any, states: Any, count: Any) -> Parts:
        stacked_outputs: list[Any] = [None] * len(self.op.is_stacked)
        for k, row in zip(self.kept, rows, strict=True):
            stacked_outputs[k] = row
        return stacked_outputs, states, count

    def _none(self) -> tuple[Parts, Any]:
        """No steps: the step is not traced, as it may not be possible."""
        op, xp = self.op, self.xp
        stacked_outputs = [
            xp.zeros((0, *shape), v.type.numpy_dtype)
            for shape, v in zip(op.shapes_of_none(self.given), op.outs, strict=True)
        ]
        return (stacked_outputs, self.states, xp.asarray(0, "int64")), None

    def _map(self) -> tuple[Parts, Any]:
        """Independent steps, batched up to a memory limit."""
        inside = [*(x.shape[1:] for x in self.sequences), *map(np.shape, self.non_sequences)]
        at_once = self.n
        if are_numbers(self.n, *(n for shape in inside for n in shape)):
            at_once = max(1, _ELEMENTS_AT_ONCE // largest_in(self.op, inside))

        def body(elements: Any) -> Any:
            outs, fine = self._step(elements, [])
            return [outs[k] for k in self.kept], fine

        rows, fine = self.xp.map_steps(body, self.sequences, self.n, at_once)
        return self._parts(rows, [], None), fine

    def _for(self) -> tuple[Parts, Any]:
        op = self.op

        def body(states: Any, elements: Any) -> Any:
            outs, fine = self._step(elements, states)
            return outs[: op.n_states], ([outs[k] for k in self.kept], fine)

        states, (rows, fine) = self.xp.scan(body, self.states, self.sequences, self.n, op.reverse)
        return self._parts(rows, states, None), fine

    def _while(self) -> tuple[Parts, Any]:
        op, xp, n = self.op, self.xp, self.n
        whole = n if self.steps is None else xp.minimum(xp.asarray(self.steps, "int64"), n)
        if n == 0:
            elements = [xp.zeros(x.shape[1:], x.dtype) for x in self.sequences]
            outs, _ = xp.outline(lambda states: self._step(elements, states))(self.states)
            stacked_outputs = [xp.zeros((0, *o.shape), o.dtype) for o in outs[: len(op.is_stacked)]]
            return (stacked_outputs, self.states, xp.asarray(0, "int64")), None

        def step(t: Any, states: Any) -> Any:
            at = whole - 1 - t if op.reverse else t
            return (*self._step([xp.take_row(x, at) for x in self.sequences], states), at)

        outs, fine, _ = xp.outline(step)(xp.asarray(0, "int64"), self.states)
        rows = [xp.zeros((n, *outs[k].shape), outs[k].dtype) for k in self.kept]
        well = None if fine is None else xp.ones(fine.shape, bool)

        def goes_on(carry: Any) -> Any:
            t, ended, _, _, _ = carry
            return (t < whole) & ~ended

        def body(carry: Any) -> Any:
            t, _, states, rows, well = carry
            outs, fine, at = step(t, states)
            rows = [xp.put_row(r, outs[k], at) for r, k in zip(rows, self.kept, strict=True)]
            ended = outs[-1] != 0 if op.until else xp.asarray(False)
            well = None if fine is None else well & fine
            return t + 1, ended, outs[: op.n_states], rows, well

        start = (xp.asarray(0, "int64"), xp.asarray(False), self.states, rows, well)
        count, _, states, rows, well = xp.while_loop(goes_on, body, start)
        return self._parts(rows, states, count), well
