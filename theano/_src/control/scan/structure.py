"""ScanStructure: the inner graph of a Scan, the kinds of its inputs and outputs, equality."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from typing import Any, NamedTuple, Self

import numpy as np

from theano._src.control.inner_graph import (
    InnerGraph,
    InnerShapes,
    connections,
    depend,
)
from theano._src.control.inner_run import evaluate_inner
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.old_state import refusal
from theano._src.graph.op import HasInnerGraph
from theano._src.graph.walk import nodes_of
from theano._src.ground.xp import numpy_xp
from theano._src.types.scalar import Scalar
from theano._src.types.tensor import TensorType


class ScanInputs(NamedTuple):
    """The inputs of a Scan by kind, or any values with one entry per input."""

    n: Any
    steps: Any
    sequences: list[Any]
    states: list[Any]
    non_sequences: list[Any]


class ScanOutputs(NamedTuple):
    """The outputs of a Scan: the stacked rows of inner outputs, and the final states."""

    stacked_outputs: list[Any]
    finals: list[Any]
    count: Any


_FLAGS = (
    "n_sequences",
    "n_states",
    "is_stacked",
    "final",
    "until",
    "bounded",
    "reverse",
    "truncate",
    "recompute",
    "nonempty",
)

_CACHED = ("graph", "_key", "_where", "_pattern")


class ScanStructure(HasInnerGraph):
    """The part of Scan that its gradient, lowering, batching rule and cost depend on."""

    def __init__(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        n_sequences: int,
        n_states: int,
        is_stacked: Iterable[bool] | None = None,
        final: Iterable[bool] | None = None,
        *,
        until: bool = False,
        bounded: bool = False,
        reverse: bool = False,
        truncate: int = -1,
        recompute: bool = False,
        nonempty: bool = False,
        name: str | None = None,
    ) -> None:
        self.inner_inputs, self.inner_outputs = tuple(inputs), tuple(outputs)
        self.n_sequences, self.n_states = n_sequences, n_states
        self.until, self.bounded, self.reverse = until, bounded, reverse
        self.truncate, self.recompute, self.nonempty = truncate, recompute, nonempty
        self.name = name
        n_outs = len(self.inner_outputs) - until
        self.is_stacked = (True,) * n_outs if is_stacked is None else tuple(is_stacked)
        self.final = (False,) * n_states if final is None else tuple(final)
        self._forget()

    def _forget(self) -> None:
        self.graph = InnerGraph(self.inner_inputs, self.inner_outputs)
        self._key: Any = None
        self._where: str | None = None
        self._pattern: list[list[bool]] | None = None

    def __getstate__(self) -> dict[str, Any]:
        state = {k: v for k, v in self.__dict__.items() if k not in _CACHED}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "inner_inputs" not in state:
            raise refusal("a loop", "the inputs of a Scan and their order differ")
        self.__dict__.update(state)
        self._forget()

    def changed(self, **values: Any) -> Self:
        """Return a copy of this Scan with some attributes replaced."""
        result = copy(self)
        result.__dict__.update(values)
        for name in ("inner_inputs", "inner_outputs", "is_stacked", "final"):
            setattr(result, name, tuple(getattr(result, name)))
        result._forget()
        return result

    def rewritten(self, rewrite: Callable[[Any, Any], Any]) -> Self:
        """Return this loop with the step that ``rewrite(inputs, outputs)`` returns."""
        inputs, outputs = rewrite(self.inner_inputs, self.inner_outputs)
        kinds = [v.type for v in self.inner_outputs]
        whole = [t.filter_variable(v) for t, v in zip(kinds, outputs, strict=True)]
        return self.changed(inner_inputs=inputs, inner_outputs=whole)

    @property
    def inner(self) -> ScanInputs:
        """The inner inputs, by kind."""
        x, s = self.n_sequences, self.n_sequences + self.n_states
        v = list(self.inner_inputs)
        return ScanInputs(None, None, v[:x], v[x:s], v[s:])

    @property
    def outs(self) -> list[Variable]:
        """The inner outputs without the condition; the new states come first."""
        return list(self.inner_outputs[: len(self.is_stacked)])

    @property
    def condition(self) -> Variable | None:
        return self.inner_outputs[-1] if self.until else None

    def given(self, inputs: Sequence[Any]) -> ScanInputs:
        """Group a node's inputs, or any values with one entry per input, by kind."""
        start = 1 + self.bounded
        x = start + self.n_sequences
        s = x + self.n_states
        ins = list(inputs)
        return ScanInputs(ins[0], ins[1] if self.bounded else None, ins[start:x], ins[x:s], ins[s:])

    def split_outputs(self, outputs: Sequence[Any]) -> ScanOutputs:
        """Group a node's outputs, or values with one entry each; None for outputs not kept."""
        rest = iter(outputs)
        stacked_outputs = [next(rest) if kept else None for kept in self.is_stacked]
        finals = [next(rest) if kept else None for kept in self.final]
        return ScanOutputs(stacked_outputs, finals, next(rest) if self.until else None)

    def only_kept(self, outputs: ScanOutputs) -> list[Any]:
        """Return the entries for outputs that the node has, in the node's order."""
        return [
            *(v for v, kept in zip(outputs.stacked_outputs, self.is_stacked, strict=True) if kept),
            *(v for v, kept in zip(outputs.finals, self.final, strict=True) if kept),
            *([outputs.count] if self.until else []),
        ]

    @property
    def inner_graphs(self) -> tuple[InnerGraph, ...]:
        return (self.graph,)

    inner_graphs_of = "scan ops"

    def inner_graph(self, node: Apply) -> tuple[list[Variable], dict[Variable, Variable]]:
        given = node.inputs[1 + self.bounded :]
        return self.graph.outputs, dict(zip(self.graph.inputs, given, strict=True))

    @property
    def order(self) -> list[Apply]:
        """The inner nodes in topological order."""
        return self.graph.order

    def _signature(self) -> Any:
        if self._key is None:
            number: dict[Variable, Any] = {v: i for i, v in enumerate(self.inner_inputs)}

            def tell(v: Variable) -> Any:
                if isinstance(v, Constant):
                    return v.signature()
                return number.get(v, v)

            rows = []
            for k, node in enumerate(self.order):
                rows.append((node.op, tuple(map(tell, node.inputs))))
                number.update({v: (k, j) for j, v in enumerate(node.outputs)})
            self._key = (
                tuple(rows),
                tuple(v.type for v in self.inner_inputs),
                tuple(map(tell, self.inner_outputs)),
                tuple(getattr(self, name) for name in _FLAGS),
            )
        return self._key

    def __eq__(self, other: object) -> bool:
        return self is other or (
            type(self) is type(other) and self._signature() == other._signature()
        )

    def __hash__(self) -> int:
        return hash((type(self), len(self.order), *(getattr(self, name) for name in _FLAGS)))

    def __str__(self) -> str:
        return f"{'do_while' if self.until else 'for'}{{cpu,{self.name or 'scan_fn'}}}"

    def opened(self) -> InnerShapes:
        """Return the sizes of one step, in terms of its inputs and their lengths."""
        return self.graph.opened()

    @property
    def runs_on(self) -> str:  # type: ignore[override]
        if self._where is None:
            self._where = "any" if self._can_be_traced() else "host"
        return self._where

    def _can_be_traced(self) -> bool:
        if self.graph.needs_host:
            return False
        if not all(isinstance(v.type, TensorType | Scalar) for v in self.inner_inputs):
            return False
        return not self.depend_on_steps([e for es in self.opened().demands.values() for e in es])

    def sizes_need_values(self) -> bool:
        """Whether the shapes of outputs depend on input values, not only on input shapes."""
        free = range(self.n_states, len(self.is_stacked))
        sizes = [e for k in free for e in self.opened().lengths[k] or ()]
        return depend(sizes, set(self.inner_inputs))

    def depend_on_steps(self, sizes: Sequence[Any]) -> bool:
        """Whether sizes depend on values that change from step to step."""
        return depend(sizes, {*self.inner.sequences, *self.inner.states})

    def shapes_of_none(self, given: ScanInputs) -> list[Any]:
        """Return the shapes of a step's outputs for a loop with no steps."""
        shapes: list[Any] = [np.shape(s) for s in given.states]
        if not any(self.is_stacked[self.n_states :]):
            return [*shapes, *([()] * (len(self.is_stacked) - self.n_states))]
        sizes = self.opened()
        known: dict[Variable, Any] = dict(
            zip(self.inner.non_sequences, given.non_sequences, strict=True)
        )
        inside = [*(np.shape(x)[1:] for x in given.sequences), *map(np.shape, given.states)]
        inside += map(np.shape, given.non_sequences)
        for free, lengths in zip(sizes.free, inside, strict=True):
            known.update(
                (v, np.asarray(n, "int64")) for v, n in zip(free or (), lengths, strict=False)
            )
        for k in range(self.n_states, len(self.is_stacked)):
            lengths = sizes.lengths[k]
            if lengths is None or self.depend_on_steps(lengths):
                shapes.append((0,) * self.outs[k].type.ndim)
                continue
            values = evaluate_inner(
                numpy_xp, nodes_of(lengths, known), list(known), lengths, list(known.values())
            )
            shapes.append(tuple(map(int, values)))
        return shapes

    def negative_steps(self, n: int) -> ValueError:
        """Return the error for a negative number of steps."""
        return ValueError(
            f"{self} takes a number of steps that is not negative, got {n}; give a negative "
            "n_steps as a Python number, or go_backwards=True"
        )

    def other_shape(self, k: int, old: Any, new: Any) -> ValueError:
        return ValueError(
            f"{self} takes states that keep their shape from step to step, got shape {new} "
            f"after {old} for state {k}; start with an initial state of shape {new}"
        )

    def inner_pattern(self) -> list[list[bool]]:
        """Return, for each inner input and output, whether the output depends on the input."""
        if self._pattern is None:
            self._pattern = connections(self.inner_inputs, self.outs)
        return self._pattern
