"""Random sparse programs, drawn from seeds: each grows by lines that fit what is there."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

from tests.properties import sparse_plain as plain
from tests.properties.sparse_description import (
    NOT_TOLD,
    Leaf,
    Line,
    Program,
    as_plain,
    expected,
    path,
)
from tests.properties.sparse_steps import STEPS, VARIANTS, Step, bounds, quarters, sparse_value


class Drawing:
    """A program that grows by steps that fit what is there."""

    def __init__(self, seed: int) -> None:
        self.random, self.rng = Random(seed), np.random.default_rng(seed)
        self.seed, self.leaves, self.lines = seed, [], []  # type: ignore[var-annotated]
        self.values: dict[str, Any] = {}
        self.dims = [self.random.choice((1, 2, 3, 3, 4, 5)) for _ in range(3)]
        if self.random.random() < 0.04:
            self.dims[0] = 0
        dtypes = ("float64",) * 8 + ("float32", "int64")
        self.dtypes = ("float64",) if self.random.random() < 0.6 else dtypes

    def _leaf(self, spec: str, lengths: dict[str, int]) -> str:
        kind, letters = spec[0], spec[2:]
        shape = tuple(lengths.setdefault(c, self.random.choice(self.dims)) for c in letters)
        dtype = self.random.choice(self.dtypes)
        how = self.random.choice(("input", "input", "input", "shared", "constant"))
        if how == "constant" and kind == "d" and 1 in shape:
            how = "input"  # a constant of length 1 may be stretched, and then has another type
        n = len(self.leaves)
        if kind == "s":
            format, variant = self.random.choice(("csr", "csc")), self.random.choice(VARIANTS)
            made = [sparse_value(self.rng, format, variant, shape, dtype) for _ in range(2)]  # type: ignore[arg-type]
        else:
            made = [quarters(self.rng, shape, dtype) for _ in range(2)]
        leaf = Leaf(f"{how[0]}{n}", tuple(made), how)
        self.leaves.append(leaf)
        self.values[leaf.name] = as_plain(made[0])
        return leaf.name

    def _fits(self, name: str, spec: str, lengths: dict[str, int]) -> bool:
        value = self.values[name]
        kind, letters = spec[0], spec[2:]
        if (kind == "s") != isinstance(value, plain.Sparse) or np.ndim(value) != len(letters):
            return False
        if kind == "s" and len(letters) != 2:
            return False
        known = dict(lengths)
        return all(known.setdefault(c, n) == n for c, n in zip(letters, value.shape, strict=True))

    def _argument(self, spec: str, lengths: dict[str, int]) -> str:
        names = [name for name in self.values if self._fits(name, spec, lengths)]
        if not names or (self.random.random() < 0.25 and len(self.leaves) < 6):
            name = self._leaf(spec, lengths)
        else:
            # what came last is more likely, so that programs are deep
            name = names[-1 - min(int(self.random.expovariate(0.7)), len(names) - 1)]
        lengths.update(zip(spec[2:], self.values[name].shape, strict=True))
        return name

    def step(self) -> None:
        step: Step = self.random.choices(STEPS, [s.weight for s in STEPS])[0]
        lengths: dict[str, int] = {}
        kept = (list(self.leaves), dict(self.values))
        args = tuple(self._argument(spec, lengths) for spec in step.args)
        shape = self.values[args[0]].shape
        words = bounds(self.random, shape) if len(shape) == 2 else {}
        words |= {"k": str(self.random.randrange(1, 4)), "last": self.random.choice(("", "[-1]"))}
        name = f"v{len(self.lines)}"
        try:
            text = step.text.format(*args, **words)
            env = dict(plain.NAMES) | self.values
            with np.errstate(all="raise"):
                value = eval(text, env)
            found = plain.dense(value)
            if not np.all(np.abs(found) < 1e4):
                raise ValueError("grows too large")
        except NOT_TOLD:
            self.leaves, self.values = kept
            return
        self.values[name] = value if isinstance(value, plain.Sparse) else found
        self.lines.append(Line(name, text, args, step.grad, step.blocked))


def draw(seed: int) -> Program:
    """The program of a seed."""
    d = Drawing(seed)
    wanted = d.random.randrange(4, 14)
    for _ in range(80):
        if len(d.lines) >= wanted:
            break
        d.step()
    names = [line.name for line in d.lines]
    last = names[-1]
    value = d.values[last]
    if np.ndim(value) or isinstance(value, plain.Sparse):
        some = f"S.sp_sum({last})" if isinstance(value, plain.Sparse) else f"T.sqr({last}).sum()"
        d.values["cost"] = np.asarray(eval(some, dict(plain.NAMES) | d.values))
        d.lines.append(Line("cost", some, (last,), "all"))
    outputs = dict.fromkeys([last, *(d.random.choice(names) for _ in range(d.random.randrange(4)))])
    program = Program(seed, tuple(d.leaves), tuple(d.lines), tuple(outputs))
    program = replace(program, grads=_gradients(d, program), updates=_updates(d, program))
    return _with_calls(program.trimmed())


def _updates(d: Drawing, program: Program) -> tuple[tuple[str, str], ...]:
    """New values for shared variables: any of the right type."""
    env = program.build()
    found = []
    for leaf in program.leaves:
        if leaf.kind == "shared":
            of = env[leaf.name].type
            alike = [
                line.name
                for line in program.lines
                if env[line.name].type == of and d.values[line.name].shape == leaf.shape
            ]
            if alike:
                found.append((leaf.name, d.random.choice(alike)))
    return tuple(found)


def _gradients(d: Drawing, program: Program) -> tuple[tuple[str, str], ...]:
    """Costs and leaves of which the derivative is there and can be told."""
    costs = [
        name.name
        for name in program.lines
        if np.ndim(d.values[name.name]) == 0 and not isinstance(d.values[name.name], plain.Sparse)
    ]
    found = []
    for cost in costs[-2:]:
        for leaf in program.leaves:
            float_leaf = leaf.values[0].dtype.kind == "f" and leaf.kind != "constant"
            if float_leaf and leaf.name in program.needed(cost) and d.random.random() < 0.7:
                state = {k: d.values[k] for k in (leaf.name for leaf in program.leaves)}
                if path(program, state, cost, leaf.name) is not None:
                    found.append((cost, leaf.name))
    return tuple(found)


def _with_calls(program: Program) -> Program:
    """With a second call, if all of it can be told there too."""
    two = replace(program, calls=2)
    try:
        expected(two)
    except NOT_TOLD:
        return program
    return two
