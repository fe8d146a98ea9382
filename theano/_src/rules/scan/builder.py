"""ScanBuilder: the parts of a Scan as lists, to change and build it again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from theano._src.control.scan.op import Scan
from theano._src.graph.clone import rebuild
from theano._src.graph.graph import Apply
from theano._src.types.constructors import CONSTRUCTORS


@dataclass(eq=False)
class ScanInput:
    """A sequence or another input: the inner variable and the outer one."""

    inner: Any
    outer: Any


@dataclass(eq=False)
class ScanCarry:
    """A state: the inner variable, its outer initial value, its inner new value."""

    inner: Any
    first: Any
    new: Any
    stacked_output: Any  # outputs of the node; None if it does not have them
    final: Any
    is_stacked: bool
    kept: bool


@dataclass(eq=False)
class ScanOutput:
    """An output that does not feed back."""

    new: Any
    stacked_output: Any
    is_stacked: bool = True


class ScanBuilder:
    """A loop while it is rewritten."""

    def __init__(self, node: Apply) -> None:
        op = node.op
        self.node, self.op = node, op
        inner, given, result = op.inner, op.given(node.inputs), op.split_outputs(node.outputs)
        self.counts = node.inputs[: 1 + op.bounded]
        self.n = given.n
        self.sequences = [ScanInput(*p) for p in zip(inner.sequences, given.sequences, strict=True)]
        self.non_sequences = [
            ScanInput(*p) for p in zip(inner.non_sequences, given.non_sequences, strict=True)
        ]
        n = op.n_states
        self.states = [
            ScanCarry(*p)
            for p in zip(
                inner.states,
                given.states,
                op.outs[:n],
                result.stacked_outputs[:n],
                result.finals,
                op.is_stacked[:n],
                op.final,
                strict=True,
            )
        ]
        self.outputs_only = [
            ScanOutput(*p)
            for p in zip(op.outs[n:], result.stacked_outputs[n:], op.is_stacked[n:], strict=True)
        ]
        self.condition = op.condition
        self.count = result.count
        self.nonempty = op.nonempty

    @property
    def parts(self) -> tuple[ScanCarry | ScanOutput, ...]:
        """Parts that the loop may stack: states, then outputs that do not feed back."""
        return (*self.states, *self.outputs_only)

    @property
    def outs(self) -> list[Any]:
        """All inner outputs."""
        end = [] if self.condition is None else [self.condition]
        return [*(s.new for s in self.states), *(f.new for f in self.outputs_only), *end]

    @property
    def needed(self) -> list[Any]:
        """Inner outputs that the loop itself needs: new states and the condition."""
        end = [] if self.condition is None else [self.condition]
        return [*(s.new for s in self.states), *end]

    def put(self, outs: Sequence[Any]) -> None:
        """Replace all inner outputs."""
        rest = iter(outs)
        for part in self.parts:
            part.new = next(rest)
        if self.condition is not None:
            self.condition = next(rest)

    def replace(self, new_for: dict[Any, Any]) -> None:
        """Replace some inner variables."""
        self.put(rebuild(self.outs, new_for))

    def built(self) -> tuple[Any, dict[Any, Any]]:
        """Return the new node's outputs by kind, and the replacements of the old outputs."""
        inputs = [
            *(x.inner for x in self.sequences),
            *(s.inner for s in self.states),
            *(w.inner for w in self.non_sequences),
        ]
        op = self.op.changed(
            inner_inputs=inputs,
            inner_outputs=self.outs,
            n_sequences=len(self.sequences),
            n_states=len(self.states),
            is_stacked=[p.is_stacked for p in self.parts],
            final=[s.kept for s in self.states],
            nonempty=self.nonempty,
        )
        result = op.split_outputs(
            op(
                *self.counts,
                *(x.outer for x in self.sequences),
                *(s.first for s in self.states),
                *(w.outer for w in self.non_sequences),
                return_list=True,
            )
        )
        new_for = {
            p.stacked_output: t
            for p, t in zip(self.parts, result.stacked_outputs, strict=True)
            if p.stacked_output is not None and t is not None
        }
        new_for.update(
            (s.final, v)
            for s, v in zip(self.states, result.finals, strict=True)
            if s.final is not None and v is not None
        )
        if self.count is not None:
            new_for[self.count] = result.count
        return result, new_for

    def rebuilt(self) -> dict[Any, Any]:
        return self.built()[1]


def example_of(build: Callable[..., Any]) -> Callable[[], Any]:
    def make() -> Any:
        x = CONSTRUCTORS["dtensor3"]("x")
        h, w = CONSTRUCTORS["dmatrix"]("h"), CONSTRUCTORS["dmatrix"]("w")
        return [x, h, w], build(x, h, w)

    return make


def example_loop(
    step: Callable[..., Any], n_states: int, is_stacked: Sequence[bool], final: Sequence[bool]
) -> Callable[..., Any]:
    """Return a builder of loops over x with state h and non-sequence w, all square matrices."""

    def build(x: Any, h: Any, w: Any) -> Any:
        inner = [v.type() for v in (x[0], h, w)]
        op = Scan(inner, step(*inner), 1, n_states, is_stacked, final)
        return op(x.shape[0], x, h, w, return_list=True)

    return build


def loop_example(*loop: Any) -> Callable[[], Any]:
    """Return the example of a rule: ``example_loop`` with these arguments."""
    return example_of(example_loop(*loop))
