"""A random sparse program: leaves, lines, and what they have to give in NumPy alone."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

import theano
import theano.sparse as S
import theano.tensor as T
from tests.properties import sparse_plain as plain

_SYMBOLIC = {"S": S, "T": T, "theano": theano}
_H = 1e-5  # step of differences
#: what says that a program, or a call of it, cannot be told
NOT_TOLD = (plain.Unsure, FloatingPointError, ValueError, KeyError)


@dataclass(frozen=True)
class Leaf:
    """An input, a shared variable or a constant, and its value in each call."""

    name: str
    values: tuple[Any, ...]
    kind: str = "input"

    @property
    def shape(self) -> tuple[int, ...]:
        found: tuple[int, ...] = self.values[0].shape
        return found

    def variable(self) -> Any:
        value = self.values[0]
        if self.kind == "shared":
            return theano.shared(value, self.name)
        if self.kind == "constant":
            return S.as_sparse_or_tensor_variable(value)
        if sp.issparse(value):
            return S.matrix(value.format, self.name, value.dtype.name)
        return T.TensorType(value.dtype.name, (False,) * value.ndim)(self.name)

    def source(self) -> str:
        value = self.values[0]
        if self.kind == "shared":
            return f"theano.shared({_text(value)}, {self.name!r})"
        if self.kind == "constant":
            return f"S.as_sparse_or_tensor_variable({_text(value)})"
        if sp.issparse(value):
            return f"S.matrix({value.format!r}, {self.name!r}, {value.dtype.name!r})"
        return f"T.TensorType({value.dtype.name!r}, {(False,) * value.ndim})({self.name!r})"


def _text(value: Any) -> str:
    if not sp.issparse(value):
        return f"np.array({value.tolist()}, {value.dtype.name!r})"
    parts = f"({_text(value.data)}, {value.indices.tolist()}, {value.indptr.tolist()})"
    return f"sp.{value.format}_matrix({parts}, shape={value.shape})"


def as_plain(value: Any) -> Any:
    """A value as `sparse_plain` has it."""
    if not sp.issparse(value):
        return np.asarray(value, float)
    major = np.repeat(np.arange(len(value.indptr) - 1), np.diff(value.indptr))
    at = (major, value.indices) if value.format == "csr" else (value.indices, major)
    return plain.Sparse(*at, value.data, value.shape)


@dataclass(frozen=True)
class Line:
    name: str
    text: str
    args: tuple[str, ...]
    grad: str
    blocked: tuple[int, ...] = ()


@dataclass(frozen=True)
class Program:
    seed: int
    leaves: tuple[Leaf, ...]
    lines: tuple[Line, ...]
    outputs: tuple[str, ...]
    #: costs, and the leaves in which they are differentiated
    grads: tuple[tuple[str, str], ...] = ()
    updates: tuple[tuple[str, str], ...] = ()
    calls: int = 1

    def leaf(self, name: str) -> Leaf:
        return next(leaf for leaf in self.leaves if leaf.name == name)

    def build(self) -> dict[str, Any]:
        env = dict(_SYMBOLIC)
        env |= {leaf.name: leaf.variable() for leaf in self.leaves}
        for line in self.lines:
            env[line.name] = eval(line.text, env)
        return env

    def evaluate(self, state: dict[str, Any], wanted: set[str] | None = None) -> dict[str, Any]:
        """The value of each line, in NumPy alone."""
        env = dict(plain.NAMES) | state
        with np.errstate(all="raise"), warnings.catch_warnings():
            warnings.simplefilter("error")
            for line in self.lines:
                if wanted is None or line.name in wanted:
                    env[line.name] = eval(line.text, env)
        return env

    def needed(self, *names: str) -> set[str]:
        """The lines and leaves that some are computed from."""
        found = set(names)
        for line in reversed(self.lines):
            if line.name in found:
                found |= set(line.args)
        return found

    def trimmed(self) -> Program:
        """Without the lines and leaves that nothing reads."""
        read = self.needed(
            *self.outputs,
            *(cost for cost, _ in self.grads),
            *(name for pair in self.updates for name in pair),
        )
        leaves = tuple(leaf for leaf in self.leaves if leaf.name in read)
        return replace(
            self, leaves=leaves, lines=tuple(line for line in self.lines if line.name in read)
        )

    def listing(self, mode: str) -> str:
        """The program as source that runs."""
        engine, *rest = mode.split(",")
        said = f"theano.Mode({engine!r}{', None' if rest else ''})" if mode != "default" else "None"
        inputs = [leaf for leaf in self.leaves if leaf.kind == "input"]
        outs = [*self.outputs, *(f"theano.grad({c}, {x})" for c, x in self.grads)]
        text = [
            "import numpy as np, scipy.sparse as sp",
            "import theano, theano.sparse as S, theano.tensor as T",
            *(f"{leaf.name} = {leaf.source()}" for leaf in self.leaves),
            *(f"{line.name} = {line.text}" for line in self.lines),
            f"f = theano.function([{', '.join(leaf.name for leaf in inputs)}],",
            f"    [{', '.join(outs)}],",
            f"    updates=[{', '.join(f'({s}, {v})' for s, v in self.updates)}],",
            f"    mode={said},",
            "    on_unused_input='ignore')",
        ]
        for call in range(self.calls):
            text.append(f"print(f({', '.join(_text(leaf.values[call]) for leaf in inputs)}))")
        return "\n".join(text)


def path(program: Program, state: dict[str, Any], cost: str, wrt: str) -> str | None:
    """'all' or 'stored': for which elements of a leaf the derivative of a cost holds."""
    needed = program.needed(cost)
    on, kinds, uses = {wrt}, set(), {wrt: 0}
    for line in program.lines:
        at = [k for k, name in enumerate(line.args) if name in on]
        if line.name not in needed or not at:
            continue
        if line.grad == "none" or any(k in line.blocked for k in at):
            return None
        for k in at:
            uses[line.args[k]] += 1
        on.add(line.name)
        uses[line.name] = 0
        kinds.add(line.grad)
    if cost not in on:
        return None
    env = program.evaluate(state, needed)
    for name in on:
        value = env[name]
        # a place that is stored twice has one derivative in some terms, and two in others
        if isinstance(value, plain.Sparse) and value.repeats() and uses[name] > 1:
            return None
    return "stored" if "stored" in kinds else "all"


@dataclass
class Call:
    """What one call gives, and what shared variables hold after it."""

    outputs: list[Any]
    #: for each gradient: a direction, which elements go along it, and the derivative
    slopes: list[tuple[tuple[np.ndarray, str], float]]
    state: dict[str, Any]
    scale: float


def expected(program: Program) -> list[Call]:
    """Each call, in NumPy alone."""
    rng = np.random.default_rng(program.seed)
    state = {leaf.name: as_plain(leaf.values[0]) for leaf in program.leaves}
    made = []
    for call in range(program.calls):
        for leaf in program.leaves:
            if leaf.kind == "input":
                state[leaf.name] = as_plain(leaf.values[call])
        env = program.evaluate(state)
        scale = max([1.0, *(_largest(env[line.name]) for line in program.lines)])
        if not scale < 1e4:
            raise ValueError("grows too large")
        slopes = [_slope(program, state, cost, wrt, rng) for cost, wrt in program.grads]
        state = state | {s: env[v] for s, v in program.updates}
        kept = {leaf.name: state[leaf.name] for leaf in program.leaves if leaf.kind == "shared"}
        made.append(Call([env[k] for k in program.outputs], slopes, kept, scale))
    return made


def _largest(value: Any) -> float:
    found = plain.dense(value)
    return float(np.abs(found).max(initial=0))


def _stored(env: dict[str, Any]) -> list[int]:
    return [len(v.data) for v in env.values() if isinstance(v, plain.Sparse)]


def _slope(
    program: Program, state: dict[str, Any], cost: str, wrt: str, rng: np.random.Generator
) -> tuple[tuple[np.ndarray, str], float]:
    """A direction, and how a cost changes along it."""
    kind = path(program, state, cost, wrt)
    if kind is None:
        raise plain.Unsure
    value, needed = state[wrt], program.needed(cost)
    direction = rng.normal(size=value.shape)
    if not isinstance(value, plain.Sparse):
        moved = [value + sign * _H * direction for sign in (1, -1)]
    elif kind == "stored":
        by = _H * direction[value.rows, value.columns]
        moved = [value.with_data(value.data + sign * by) for sign in (1, -1)]
    else:
        moved = [_not_only_stored(value, sign * _H * direction) for sign in (1, -1)]
    envs = [program.evaluate(state | {wrt: v}, needed) for v in moved]
    if kind == "stored":
        counts = _stored(program.evaluate(state, needed))
        if any(_stored(env) != counts for env in envs):
            raise plain.Unsure  # an element comes or goes: there is no derivative
    up, down = (float(env[cost]) for env in envs)
    return (direction, kind), (up - down) / (2 * _H)


def _not_only_stored(value: plain.Sparse, by: np.ndarray) -> plain.Sparse:
    rows, columns = np.indices(value.shape).reshape(2, -1)
    return plain.Sparse(
        np.concatenate([value.rows, rows]),
        np.concatenate([value.columns, columns]),
        np.concatenate([value.data, by.reshape(-1)]),
        value.shape,
        value.sure,
    )
