"""A program on views: its text for Theano and for NumPy, and what NumPy alone makes of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import theano
import theano.tensor as T
from theano.ifelse import ifelse

# NumPy's form of what Theano has and NumPy has not; everything is a copy


def put(a: Any, index: Any, b: Any) -> Any:
    out = np.array(a)
    out[index] = b
    return out


def inc(a: Any, index: Any, b: Any) -> Any:
    out = np.array(a)
    b = np.broadcast_to(b, out[index].shape).copy()
    np.add.at(out, index, b)
    return out


def shuffled(a: Any, order: Sequence[Any]) -> Any:
    kept = [d for d in order if d != "x"]
    a = np.transpose(a.reshape([n for d, n in enumerate(a.shape) if d in kept]), _ranks(kept))
    return a[tuple(None if d == "x" else slice(None) for d in order)].copy()


def _ranks(kept: Sequence[int]) -> list[int]:
    return [sorted(kept).index(d) for d in kept]


def flat(a: Any, outdim: int) -> Any:
    return a.reshape((*a.shape[: outdim - 1], -1)).copy()


def loop(step: Any, starts: Any, others: Sequence[Any], rows: Any, n: int) -> Any:
    """All that ``n`` steps give; each takes a row, the last ``starts`` made and the others."""
    made = list(starts)
    for t in range(n):
        row = [] if rows is None else [rows[t].copy()]
        taken = [x.copy() for x in made[len(made) - len(starts) :]]
        made.append(np.array(step(*row, *taken, *others)))
    return np.stack(made[len(starts) :])


NUMERIC = {
    "np": np,
    "put": put,
    "inc": inc,
    "shuffled": shuffled,
    "flat": flat,
    "loop": loop,
}
SYMBOLIC = {"np": np, "T": T, "theano": theano, "ifelse": ifelse}


@dataclass(frozen=True)
class Leaf:
    """An input, a constant or a shared variable; how it is handed over; and its value."""

    name: str
    value: Any
    kind: str = "input"  # or constant, shared
    handed: str = ""  # of an input: "", "borrow=True", "mutable=True"
    strided: bool = False  # whether the array that is given is a view with steps

    def build(self) -> Any:
        if self.kind == "constant":
            return T.constant(self.value)
        if self.kind == "shared":
            return theano.shared(self.value, name=self.name, broadcastable=self.pattern)
        return T.TensorType(self.value.dtype.name, self.pattern)(self.name)

    @property
    def pattern(self) -> tuple[bool, ...]:
        return (False,) * self.value.ndim

    def listed(self) -> str:
        data = array_text(self.value)
        if self.kind == "constant":
            return f"{self.name} = T.constant({data})"
        if self.kind == "shared":
            return f"{self.name} = theano.shared({data}, broadcastable={self.pattern})"
        kind = f"T.TensorType({self.value.dtype.name!r}, {self.pattern})"
        return f"{self.name} = {kind}({self.name!r})"


@dataclass(frozen=True)
class Line:
    """One step in both forms; ``inner`` are the lines of a function that it names, if it does.

    The function is called ``f_`` and the name of the line, and takes ``args``.
    """

    name: str
    symbolic: str
    numeric: str
    args: tuple[str, ...] = ()
    inner: tuple[Line, ...] = ()
    linear: bool = True
    #: of a gradient: the leaf that it is taken in
    wrt: str = ""

    def text(self, form: str) -> str:
        own = f"{self.name} = {getattr(self, form)}"
        if not self.inner:
            return own
        body = [f"    {line.name} = {getattr(line, form)}" for line in self.inner]
        last = f"    return {self.inner[-1].name}"
        return "\n".join([f"def f_{self.name}({', '.join(self.args)}):", *body, last, own])

    def names(self) -> set[str]:
        return _names_in(" ".join([self.symbolic, *(e.symbolic for e in self.inner)]))


@dataclass(frozen=True)
class Program:
    """Leaves, lines, what is given back (borrowed or not) and new values of shared variables."""

    seed: int
    leaves: tuple[Leaf, ...]
    lines: tuple[Line, ...]
    outputs: tuple[str, ...]
    updates: tuple[tuple[str, str], ...] = ()
    borrowed: frozenset[str] = frozenset()
    calls: int = 2

    def trimmed(self) -> Program:
        """The same without what nothing needs."""
        lines, needed = needed_lines(
            self.lines, {*self.outputs, *(k for e in self.updates for k in e)}
        )
        leaves = tuple(leaf for leaf in self.leaves if leaf.name in needed)
        return replace(self, leaves=leaves, lines=lines)

    @property
    def inputs(self) -> list[Leaf]:
        return [leaf for leaf in self.leaves if leaf.kind == "input"]

    @property
    def shared(self) -> list[Leaf]:
        return [leaf for leaf in self.leaves if leaf.kind == "shared"]

    def build(self) -> dict[str, Any]:
        """The symbolic variable of each name."""
        env: dict[str, Any] = dict(SYMBOLIC)
        for leaf in self.leaves:
            env[leaf.name] = leaf.build()
        for line in self.lines:
            exec(line.text("symbolic"), env)
        return env

    def expected(self) -> list[tuple[list[Any], list[Any]]]:
        """Outputs and state after each call, by NumPy alone."""
        state = {leaf.name: leaf.value for leaf in self.shared}
        found = []
        for _ in range(self.calls):
            env = self.evaluated(state)
            state = {**state, **{s: env[new].copy() for s, new in self.updates}}
            outs = [env[name].copy() for name in self.outputs]
            found.append((outs, [state[leaf.name] for leaf in self.shared]))
        return found

    def evaluated(self, given: dict[str, Any]) -> dict[str, Any]:
        """The NumPy value of each name; ``given`` are leaves of other values than at first."""
        env: dict[str, Any] = dict(NUMERIC)
        for leaf in self.leaves:
            env[leaf.name] = np.array(given.get(leaf.name, leaf.value))
        with np.errstate(all="ignore"):
            for line in self.lines:
                if line.wrt:
                    env[line.name] = self._slope(line, given)
                    continue
                exec(line.text("numeric"), env)
                env[line.name] = np.array(env[line.name])
        return env

    def _slope(self, line: Line, given: dict[str, Any]) -> Any:
        """The gradient of an affine function of integers: its differences are exact."""
        before = tuple(e for e in self.lines[: self.lines.index(line)] if not e.wrt)
        part = replace(self, lines=before)
        at = next(leaf.value for leaf in self.leaves if leaf.name == line.wrt)
        at = given.get(line.wrt, at)

        def cost(x: Any) -> Any:
            return eval(line.numeric, part.evaluated({**given, line.wrt: x}))

        zero = cost(at)
        slopes = np.zeros_like(at)
        for i in np.ndindex(at.shape):
            moved = at.copy()
            moved[i] += 1
            slopes[i] = cost(moved) - zero
        return slopes

    def listing(self, mode: str) -> str:
        """The program as Python source that raises where it is wrong."""
        ins = ", ".join(
            f"theano.In({leaf.name}, {leaf.handed})" if leaf.handed else leaf.name
            for leaf in self.inputs
        )
        outs = ", ".join(
            f"theano.Out({name}, borrow=True)" if name in self.borrowed else name
            for name in self.outputs
        )
        updates = ", ".join(f"({s}, {as_type(s, new)})" for s, new in self.updates)
        linker = mode.split(",")[0]
        made = f'theano.Mode("{linker}"{", None" if "nothing" in mode else ""})'
        text = [
            "import numpy as np",
            "import theano",
            "import theano.tensor as T",
            "from theano.ifelse import ifelse",
            "",
            *(leaf.listed() for leaf in self.leaves),
            *(line.text("symbolic") for line in self.lines),
            f"f = theano.function([{ins}], [{outs}], updates=[{updates}], mode={made}, "
            'on_unused_input="ignore")',
        ]
        given = ", ".join(_given_text(leaf) for leaf in self.inputs)
        for outs_, state in self.expected():
            text.append(f"made = f({given})")
            for k, want in enumerate(outs_):
                text.append(f"np.testing.assert_array_equal(made[{k}], {array_text(want)})")
            for leaf, want in zip(self.shared, state, strict=True):
                text.append(
                    f"np.testing.assert_array_equal({leaf.name}.get_value(), {array_text(want)})"
                )
        return "\n".join(text)


def needed_lines(lines: Sequence[Line], wanted: set[str]) -> tuple[tuple[Line, ...], set[str]]:
    """The lines that what is wanted needs, and all names that they read."""
    kept: list[Line] = []
    for line in reversed(lines):
        if line.name in wanted:
            wanted = wanted | line.names()
            kept.insert(0, line)
    return tuple(kept), wanted


def as_type(like: str, name: str) -> str:
    return f"T.patternbroadcast({name}, {like}.broadcastable)"


def array_text(x: Any) -> str:
    x = np.asarray(x)
    if x.size == 0:
        return f"np.zeros({x.shape}, {x.dtype.name!r})"
    return f"np.array({x.tolist()!r}, {x.dtype.name!r})"


def _given_text(leaf: Leaf) -> str:
    text = array_text(leaf.value)
    if leaf.strided:
        return f"np.repeat({text}[..., ::-1], 2, -1)[..., ::-2]"
    return text


def _names_in(text: str) -> set[str]:
    return set(re.findall(r"\b[xnvkw]\d+\b", text))
