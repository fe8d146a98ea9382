"""What a program has to give: its source, run with the names of `plain`, call after call."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.properties.programs import numbers as nb
from tests.properties.programs.description import Gradient, Program, names_in
from tests.properties.programs.numbers import Num, Undecided
from tests.properties.programs.plain import NAMES

#: what a program may raise when it runs
RAISED = (IndexError, ValueError, AssertionError)
_H = 2.0**-12  # of finite differences: halves and doubles of it are taken too


@dataclass
class Call:
    """One call: outputs, and shared variables after it; or what it raises."""

    outputs: list[Num] = field(default_factory=list)
    state: dict[str, Num] = field(default_factory=dict)
    error: Exception | None = None


@dataclass
class Slope:
    """A derivative along the direction of a `Gradient`, and how well it is known."""

    value: float
    unsure: float
    size: float


@dataclass
class Expected:
    calls: list[Call]
    named: dict[str, Num]  # every name, in the first call
    slope: Slope | None = None


def run(source: str, env: dict[str, Any]) -> dict[str, Any]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        full = {**NAMES, **env}
        exec(compile(source, "<program>", "exec"), full)
    return full


def _leaves(program: Program, call: int, state: dict[str, Num]) -> dict[str, Num]:
    env = {}
    for leaf in program.leaves:
        n = state.get(leaf.name)
        env[leaf.name] = nb.leaf(leaf.value(call), leaf.ones) if n is None else n
    return env


def expect(program: Program) -> Expected:
    """The values of each call; `Undecided` where rounding decides what they are."""
    source = program.source()
    state: dict[str, Num] = {}
    calls: list[Call] = []
    named: dict[str, Num] = {}
    for k in range(program.calls):
        try:
            env = run(source, _leaves(program, k, state))
            new = {s: _updated(eval(text, env), env[s]) for s, text in program.updates}
        except RAISED as e:
            calls.append(Call(state=state, error=e))
            continue
        # a shared variable is another object in the next call: a loop changes it while it runs
        state = {**state, **new}
        if not named:
            named = {n: v for n, v in env.items() if isinstance(v, Num)}
        calls.append(Call([env[name] for name in program.outputs], state))
    made = Expected(calls, named)
    if program.gradient and program.gradient.known:
        made.slope = _slope(program, program.gradient)
    return made


def _updated(new: Num, old: Num) -> Num:
    if (new.dtype, new.ndim) != (old.dtype, old.ndim):
        raise TypeError("an update of another type")
    if any(one and n != 1 for one, n in zip(old.ones, new.x.shape, strict=True)):
        raise TypeError("an update of another pattern")
    return Num(new.x, new.dtype, new.err, old.ones)


# ---- derivatives


def _cost(program: Program, gradient: Gradient, h: float) -> Any:
    env = _leaves(program, 0, {})
    for name, d in zip(gradient.wrt, gradient.directions, strict=True):
        n = env[name]
        err = np.abs(d) * abs(2 * _H)  # corners nearer than this are kept away from
        env[name] = Num(n.x + h * d.astype(n.x.dtype), n.dtype, err, n.ones)
    cost = gradient.source().split("\n")[0]
    return run(program.source() + "\n" + cost, env)["cost"].x


def _slope(program: Program, gradient: Gradient) -> Slope:
    """Central differences, computed wide, for three steps: they say how far off they are."""
    nb.SETTINGS.smooth = True
    try:
        found = []
        middle = _cost(program, gradient, 0.0)
        for h in (2 * _H, _H, _H / 2):
            p, m = _cost(program, gradient, h), _cost(program, gradient, -h)
            found.append((p - m) / (2 * h) if gradient.order == 1 else (p - 2 * middle + m) / h**2)
    except RAISED as e:
        raise Undecided("the program raises nearby") from e
    finally:
        nb.SETTINGS.smooth = False
    far, near, nearest = (float(v) for v in found)
    # the error falls with the square of the step: each pair gives a better value
    first, second = (4 * near - far) / 3, (4 * nearest - near) / 3
    unsure = abs(second - first) + 1e-9 * abs(second)
    if not np.isfinite(second) or unsure > 1e-4 * (1 + abs(second)):
        raise Undecided("differences do not settle")
    return Slope(second, unsure, float(abs(middle)))


def float_leaves(program: Program, name: str) -> list[str]:
    """Inputs and shared variables of floats that a name has a gradient with respect to."""
    needed = {name}
    for line in reversed(program.lines):
        if needed & set(line.targets):
            if "T.nonzero(" in getattr(line, "text", ""):
                return []  # of positions it is undefined, and refused
            needed |= line.reads()
    return [
        leaf.name
        for leaf in program.leaves
        if leaf.name in needed
        and leaf.kind != "constant"
        and leaf.dtype in ("float32", "float64")
        and leaf.values[0].size
    ]


__all__ = ["RAISED", "Call", "Expected", "Slope", "expect", "float_leaves", "names_in", "run"]
