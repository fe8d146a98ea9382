"""A drawn program: leaves with their values, lines of source, outputs, updates and calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

NAME = re.compile(r"\b[a-z]\d\w*\b")


def names_in(text: str) -> set[str]:
    """Names of leaves and lines in source: a letter, digits and what follows."""
    return set(NAME.findall(text))


def array_text(x: Any) -> str:
    """An array as source text that gives the same bits."""
    x = np.asarray(x)
    if x.size == 0:
        return f"np.zeros({x.shape}, {x.dtype.name!r})"
    if x.size > 400:
        return f"np.resize({x.ravel()[:8].tolist()!r}, {x.shape}).astype({x.dtype.name!r})"
    return f"np.array({x.tolist()!r}, {x.dtype.name!r})"


#: how an input lies in memory; the elements are the same
LAYOUTS: dict[str, Any] = {
    "C": lambda x: np.array(x, order="C"),
    "Fortran": lambda x: np.array(x, order="F"),
    "every second": lambda x: _within(x, 2),
    "backwards": lambda x: _within(x, -1),
    "offset": lambda x: _within(x, 1),
}


def _within(x: Any, step: int) -> Any:
    """A view into a larger array, along the last axis."""
    if x.ndim == 0:
        return x
    n = x.shape[-1]
    room = np.zeros((*x.shape[:-1], abs(step) * n + 2), x.dtype)
    view = room[..., 1 : 1 + abs(step) * n : abs(step)]
    view = view[..., ::-1] if step < 0 else view
    view[...] = x
    return view


@dataclass(frozen=True)
class Leaf:
    """An input with its value in each call, a constant, or a shared variable with its first."""

    kind: str
    name: str
    values: tuple[Any, ...]
    ones: tuple[bool, ...]
    layout: str = "C"

    @property
    def dtype(self) -> str:
        return str(self.values[0].dtype.name)

    def value(self, call: int) -> Any:
        return self.values[min(call, len(self.values) - 1)]

    def argument(self, call: int) -> Any:
        return LAYOUTS[self.layout](self.value(call).copy())

    def source(self) -> str:
        if self.kind == "constant":
            return f"{self.name} = T.constant({array_text(self.values[0])})"
        if self.kind == "shared":
            data = array_text(self.values[0])
            return f"{self.name} = theano.shared({data}, broadcastable={self.ones})"
        return f"{self.name} = T.TensorType({self.dtype!r}, {self.ones})({self.name!r})"


@dataclass(frozen=True)
class Line:
    """An assignment; ``parts`` are texts that stand in its own text, and may be made simpler."""

    targets: tuple[str, ...]
    text: str
    parts: tuple[str, ...] = ()

    @property
    def expression(self) -> str:
        return self.text.format(*self.parts)

    def source(self) -> str:
        return f"{', '.join(self.targets)} = {self.expression}"

    def reads(self) -> set[str]:
        return names_in(self.expression)


@dataclass(frozen=True)
class Loop:
    """A scan: its step is a function of lines of its own."""

    targets: tuple[str, ...]
    sequences: tuple[tuple[str, tuple[int, ...]], ...]
    states: tuple[tuple[str | None, tuple[int, ...]], ...]
    others: tuple[str, ...]
    body: tuple[Any, ...]
    returns: tuple[str, ...]
    stop: str | None = None
    updates: tuple[tuple[str, str], ...] = ()
    steps: str | None = None
    backwards: bool = False
    truncate: int = -1

    @property
    def prefix(self) -> str:
        return self.targets[0]

    def arguments(self) -> list[str]:
        """The names that the step is called with, in scan's order."""
        p = self.prefix
        named = [f"{p}_q{j}_{i}" for j, (_, t) in enumerate(self.sequences) for i in range(len(t))]
        named += [f"{p}_p{j}_{i}" for j, (_, t) in enumerate(self.states) for i in range(len(t))]
        return named + [f"{p}_n{j}" for j in range(len(self.others))]

    @property
    def finals(self) -> str:
        """The name of the updates that the scan gives back."""
        return f"{self.prefix}_updates"

    def source(self) -> str:
        p = self.prefix
        lines = [f"def {p}_step({', '.join(self.arguments())}):"]
        for line in self.body:
            lines += ["    " + text for text in line.source().split("\n")]
        given = f"[{', '.join(self.returns)}]"
        if self.updates:
            given += ", {" + ", ".join(f"{s}: {v}" for s, v in self.updates) + "}"
        if self.stop:
            given += f", theano.scan_module.until({self.stop})"
        lines.append(f"    return {given}")
        seqs = ", ".join(f"dict(input={s}, taps={list(t)})" for s, t in self.sequences)
        infos = ", ".join(
            "None" if s is None else s if t == (-1,) else f"dict(initial={s}, taps={sorted(t)})"
            for s, t in self.states
        )
        options = f"n_steps={self.steps}, " if self.steps is not None else ""
        options += "go_backwards=True, " if self.backwards else ""
        options += f"truncate_gradient={self.truncate}, " if self.truncate != -1 else ""
        lines.append(
            f"({', '.join(self.targets)},), {self.finals} = theano.scan({p}_step, "
            f"sequences=[{seqs}], outputs_info=[{infos}], "
            f"non_sequences=[{', '.join(self.others)}], {options}return_list=True)"
        )
        return "\n".join(lines)

    def trimmed(self) -> Loop:
        """The same without lines of the step that nothing reads: no graph has them."""
        texts = [*self.returns, self.stop or "", *(text for pair in self.updates for text in pair)]
        body, _ = _needed(self.body, names_in(" ".join(texts)))
        return replace(self, body=tuple(body))

    def reads(self) -> set[str]:
        inner = set(self.arguments())
        texts = [s for s, _ in self.sequences] + [s or "" for s, _ in self.states]
        texts += [*self.others, *self.returns, self.steps or "", self.stop or ""]
        texts += [text for pair in self.updates for text in pair]
        used = names_in(" ".join(texts))
        for line in self.body:
            used |= line.reads()
            inner |= set(line.targets)
        return used - inner


def _needed(lines: Sequence[Any], names: set[str]) -> tuple[list[Any], set[str]]:
    """The lines that these names depend on, in their order, and all names that they read."""
    kept: list[Any] = []
    names = set(names)
    for line in reversed(lines):
        is_loop = isinstance(line, Loop)
        if names & {*line.targets, *([line.finals] if is_loop else [])}:
            kept.insert(0, line.trimmed() if is_loop else line)
            names |= kept[0].reads()
    return kept, names


@dataclass(frozen=True)
class Gradient:
    """Derivatives of a weighted sum of a value: along one direction they are known."""

    of: str
    wrt: tuple[str, ...]
    directions: tuple[Any, ...]
    order: int = 1  # 2: the gradient of the gradient along the direction
    forward: bool = False  # Rop instead of grad
    known: bool = True  # not of a truncated loop, whose gradient is another one

    def source(self) -> str:
        v = self.of
        lines = [f"cost = (({v}.astype('float64')) * T.cos(T.arange({v}.size).reshape({v}.shape)))"]
        lines[0] += ".sum()"
        wrt = ", ".join(self.wrt)
        along = [f"d{i} = T.constant({array_text(d)})" for i, d in enumerate(self.directions)]
        if self.forward:
            lines += [*along, f"slope = T.Rop(cost, [{wrt}], [{self._along()}])"]
            return "\n".join(lines)
        lines.append(f"slopes = T.grad(cost, [{wrt}], disconnected_inputs='ignore')")
        if self.order == 2:
            sums = [f"(slopes[{i}] * d{i}).sum()" for i in range(len(self.wrt))]
            lines += [*along, f"slope = {' + '.join(sums)}"]
            lines.append(f"slopes = T.grad(slope, [{wrt}], disconnected_inputs='ignore')")
        return "\n".join(lines)

    def _along(self) -> str:
        return ", ".join(f"d{i}" for i in range(len(self.wrt)))


@dataclass(frozen=True)
class Program:
    """Leaves, lines, outputs, updates and the number of calls."""

    leaves: tuple[Leaf, ...]
    lines: tuple[Any, ...]
    outputs: tuple[str, ...]
    updates: tuple[tuple[str, str], ...] = ()
    calls: int = 1
    gradient: Gradient | None = None
    seed: int | None = None
    notes: frozenset[str] = field(default_factory=frozenset)

    @property
    def inputs(self) -> list[Leaf]:
        return [leaf for leaf in self.leaves if leaf.kind == "input"]

    @property
    def shared(self) -> list[Leaf]:
        return [leaf for leaf in self.leaves if leaf.kind == "shared"]

    def source(self) -> str:
        return "\n".join(line.source() for line in self.lines)

    def trimmed(self) -> Program:
        """The same without lines and leaves that nothing reads."""
        needed = set(self.outputs)
        for s, text in self.updates:
            needed |= {s, *names_in(text)}
        if self.gradient:
            needed |= {self.gradient.of, *self.gradient.wrt}
        lines, needed = _needed(self.lines, needed)
        leaves = tuple(leaf for leaf in self.leaves if leaf.name in needed)
        return replace(self, leaves=leaves, lines=tuple(lines))

    def listing(self, mode: str = "theano.Mode(linker='xla')") -> str:
        """The program as Python source that runs."""
        text = ["import numpy as np", "import theano", "import theano.tensor as T"]
        text += ["from theano.ifelse import ifelse", "nan, inf = np.nan, np.inf", ""]
        text += [leaf.source() for leaf in self.leaves]
        text += [self.source()]
        outputs = list(self.outputs)
        if self.gradient:
            text.append(self.gradient.source())
            outputs.append("slope" if self.gradient.forward else "*slopes")
        names = ", ".join(leaf.name for leaf in self.inputs)
        updates = ", ".join(f"({s}, {v})" for s, v in self.updates)
        text.append(
            f"f = theano.function([{names}], [{', '.join(outputs)}], updates=[{updates}], "
            f"mode={mode}, on_unused_input='ignore')"
        )
        for call in range(self.calls):
            values = [array_text(leaf.value(call)) for leaf in self.inputs]
            layouts = [leaf.layout for leaf in self.inputs if leaf.layout != "C"]
            note = f"  # in memory: {', '.join(layouts)}" if layouts and not call else ""
            text.append(f"print(f({', '.join(values)})){note}")
        text += [f"print({leaf.name}.get_value())" for leaf in self.shared]
        return "\n".join(text)

    def walk(self) -> Iterator[Any]:
        """Every line, those of loops too."""
        waiting = list(self.lines)
        while waiting:
            line = waiting.pop()
            yield line
            if isinstance(line, Loop):
                waiting += line.body
