"""What the functions of `function_families` compute: formulas of their slots, each written twice.

The slots are x, an argument; d, one with a default; s, state of the function; g, which ``givens``
replaces; r, the state of a random stream; a, b and c, shared variables, c a clone of a.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import theano
import theano.tensor as T
from theano.ifelse import ifelse

LENGTH = 3

Env = dict[str, Any]


@dataclass(frozen=True)
class Formula:
    """An expression of slots, for Theano and for NumPy."""

    slots: str
    theano: Callable[[Env], Any]
    numpy: Callable[[Env], Any]


def _both(slots: str, made: Callable[..., Any]) -> Formula:
    """Of functions that Theano and NumPy call by one name."""
    return Formula(
        slots,
        lambda env: made(T, *[env[name] for name in slots]),
        lambda env: made(np, *[env[name] for name in slots]),
    )


def _set(at: Any, slots: str, inc: bool, value: Callable[..., Any]) -> Formula:
    """Elements of the first slot set or incremented: in place, where that is allowed."""

    def in_numpy(env: Env) -> Any:
        out = env[slots[0]].copy()
        new = value(np, *[env[name] for name in slots])
        out[at] = out[at] + new if inc else new
        return out

    def in_theano(env: Env) -> Any:
        new = value(T, *[env[name] for name in slots])
        return (T.inc_subtensor if inc else T.set_subtensor)(env[slots[0]][at], new)

    return Formula(slots, in_theano, in_numpy)


def _scaled(b: Any) -> Any:
    x = T.dvector()
    return theano.OpFromGraph([x], [T.sinh(x) * b])


def _scaled_in_numpy(env: Env) -> Any:
    return np.sinh(env["x"]) * env["b"] + env["a"]


def _chosen_in_numpy(env: Env) -> Any:
    return env["a"] if env["x"][0] > 0 else env["b"]


OUTPUTS = [
    _both("ax", lambda xp, a, x: a + x),
    _both("a", lambda xp, a: a),
    _both("c", lambda xp, c: c),
    _both("bx", lambda xp, b, x: xp.dot(b, x)),
    _both("ab", lambda xp, a, b: xp.tanh(a) * b),
    _both("ac", lambda xp, a, c: a[::-1] + c),
    _both("a", lambda xp, a: a[1:]),
    _both("x", lambda xp, x: x),
    _both("sx", lambda xp, s, x: s * 2 + x),
    _both("s", lambda xp, s: s),
    _both("dx", lambda xp, d, x: d - x),
    _both("d", lambda xp, d: d),
    _both("gb", lambda xp, g, b: xp.exp(-(g**2)) + b),
    Formula("r", lambda env: env["draw"], lambda env: _drawn(env["r"])[0]),
    Formula(
        "ax",
        lambda env: theano.scan(lambda one: T.sum(one * env["a"]), sequences=env["x"])[0],
        lambda env: np.array([np.sum(one * env["a"]) for one in env["x"]]),
    ),
    Formula("abx", lambda env: _scaled(env["b"])(env["x"]) + env["a"], _scaled_in_numpy),
    Formula("abx", lambda env: ifelse(env["x"][0] > 0, env["a"], env["b"]), _chosen_in_numpy),
    _set(0, "ax", True, lambda xp, a, x: x[1]),
    _set(slice(2), "dx", False, lambda xp, d, x: x[:2]),
]
#: of shared variables and of state, by slot
UPDATES: dict[str, list[Formula]] = {
    "a": [
        _both("ax", lambda xp, a, x: a * 0.5 + x),
        _both("ab", lambda xp, a, b: xp.tanh(a + b)),
        _both("b", lambda xp, b: b),
        _both("x", lambda xp, x: x),
        _both("a", lambda xp, a: a[::-1]),
        _both("ca", lambda xp, c, a: xp.cos(c) + a),
        _set(0, "a", True, lambda xp, a: 1.0),
        _set(slice(2), "ax", False, lambda xp, a, x: x[1:]),
        _set(slice(1, None), "ac", True, lambda xp, a, c: c[:-1]),
        _both("as", lambda xp, a, s: xp.sin(a * s)),
    ],
    "b": [
        _both("ab", lambda xp, a, b: xp.sin(b) + a),
        _both("a", lambda xp, a: a),
        _both("c", lambda xp, c: c[::-1]),
        Formula("abx", lambda env: ifelse(env["x"][0] > 0, env["a"], env["b"]), _chosen_in_numpy),
        _both("bg", lambda xp, b, g: b * 0.25 - g),
        _set(1, "bx", False, lambda xp, b, x: xp.dot(b, x) * 0.1),
        _set(slice(None, None, 2), "ba", True, lambda xp, b, a: a[:2] * 0.5),
    ],
    "s": [
        _both("sx", lambda xp, s, x: s * 0.5 - x),
        _set(2, "s", True, lambda xp, s: 1.0),
        _set(slice(2), "sa", False, lambda xp, s, a: a[1:]),
        _both("a", lambda xp, a: a),
        _both("x", lambda xp, x: x),
    ],
}
PRODUCT = _both("ab", lambda xp, a, b: a * b)
#: of the state of a stream
STREAM = Formula("r", lambda env: env["moved"], lambda env: _drawn(env["r"])[1])


def _drawn(state: np.random.RandomState) -> tuple[Any, np.random.RandomState]:
    moved = copy.deepcopy(state)
    return moved.uniform(size=LENGTH), moved
