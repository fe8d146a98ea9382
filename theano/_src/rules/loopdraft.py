"""A loop while it is rewritten."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from theano._src.control.loop import Scan
from theano._src.graph.clone import rebuild
from theano._src.graph.node import Apply
from theano._src.types.constructors import CONSTRUCTORS


@dataclass(eq=False)
class Fed:
    """A sequence or another input: the variable inside, and what it is outside."""

    inner: Any
    outer: Any


@dataclass(eq=False)
class Carried:
    """A state: the variable inside, its first value outside, its new value inside."""

    inner: Any
    first: Any
    new: Any
    trace: Any  # the node's own outputs; None for what it does not give
    final: Any
    traced: bool
    kept: bool


@dataclass(eq=False)
class Free:
    """An output that does not feed back."""

    new: Any
    trace: Any
    traced: bool = True


class Draft:
    """A loop while it is rewritten."""

    def __init__(self, node: Apply) -> None:
        op = node.op
        self.node, self.op = node, op
        inner, given, made = op.inner, op.given(node.inputs), op.made(node.outputs)
        self.counts = node.inputs[: 1 + op.bounded]
        self.n = given.n
        self.sequences = [Fed(*p) for p in zip(inner.sequences, given.sequences, strict=True)]
        self.others = [Fed(*p) for p in zip(inner.others, given.others, strict=True)]
        n = op.n_states
        self.states = [
            Carried(*p)
            for p in zip(
                inner.states,
                given.states,
                op.outs[:n],
                made.traces[:n],
                made.finals,
                op.traced[:n],
                op.final,
                strict=True,
            )
        ]
        self.free = [
            Free(*p) for p in zip(op.outs[n:], made.traces[n:], op.traced[n:], strict=True)
        ]
        self.condition = op.condition
        self.count = made.count
        self.nonempty = op.nonempty

    @property
    def outs(self) -> list[Any]:
        """All inner outputs."""
        end = [] if self.condition is None else [self.condition]
        return [*(s.new for s in self.states), *(f.new for f in self.free), *end]

    @property
    def needed(self) -> list[Any]:
        """What goes round: new states and the condition."""
        end = [] if self.condition is None else [self.condition]
        return [*(s.new for s in self.states), *end]

    def put(self, outs: Sequence[Any]) -> None:
        """Other inner outputs in place of all."""
        rest = iter(outs)
        for part in (*self.states, *self.free):
            part.new = next(rest)
        if self.condition is not None:
            self.condition = next(rest)

    def replace(self, new_for: dict[Any, Any]) -> None:
        """Other inner variables in place of some."""
        self.put(rebuild(self.outs, new_for))

    def built(self) -> tuple[Any, dict[Any, Any]]:
        """The new node's outputs by kind, and what takes the place of the old outputs."""
        inputs = [
            *(x.inner for x in self.sequences),
            *(s.inner for s in self.states),
            *(w.inner for w in self.others),
        ]
        op = self.op.changed(
            inner_inputs=inputs,
            inner_outputs=self.outs,
            n_sequences=len(self.sequences),
            n_states=len(self.states),
            traced=[p.traced for p in (*self.states, *self.free)],
            final=[s.kept for s in self.states],
            nonempty=self.nonempty,
        )
        made = op.made(
            op(
                *self.counts,
                *(x.outer for x in self.sequences),
                *(s.first for s in self.states),
                *(w.outer for w in self.others),
                return_list=True,
            )
        )
        new_for = {
            p.trace: t
            for p, t in zip((*self.states, *self.free), made.traces, strict=True)
            if p.trace is not None and t is not None
        }
        new_for.update(
            (s.final, v)
            for s, v in zip(self.states, made.finals, strict=True)
            if s.final is not None and v is not None
        )
        if self.count is not None:
            new_for[self.count] = made.count
        return made, new_for

    def rebuilt(self) -> dict[Any, Any]:
        return self.built()[1]


def example_of(build: Callable[..., Any]) -> Callable[[], Any]:
    def make() -> Any:
        x = CONSTRUCTORS["dtensor3"]("x")
        h, w = CONSTRUCTORS["dmatrix"]("h"), CONSTRUCTORS["dmatrix"]("w")
        return [x, h, w], build(x, h, w)

    return make


def example_loop(
    step: Callable[..., Any], n_states: int, traced: Sequence[bool], final: Sequence[bool]
) -> Callable[..., Any]:
    """A loop over x with h as state and w beside; of square matrices."""

    def build(x: Any, h: Any, w: Any) -> Any:
        inner = [v.type() for v in (x[0], h, w)]
        op = Scan(inner, step(*inner), 1, n_states, traced, final)
        return op(x.shape[0], x, h, w, return_list=True)

    return build


def loop_example(*loop: Any) -> Callable[[], Any]:
    """The example of a rule: ``example_loop`` of these."""
    return example_of(example_loop(*loop))
