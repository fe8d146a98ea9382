"""The self-test of an installation: small programs with known answers, on each engine."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from theano._src.compile.function import function
from theano._src.compile.mode import Mode
from theano._src.control.scan.api import scan
from theano._src.engines import disk_cache
from theano._src.engines.jax.backend import missing
from theano._src.grad.driver import grad
from theano._src.ops.elementwise.explog import exp, log
from theano._src.ops.linalg.dot import dot
from theano._src.ops.random.random_streams import RandomStreams
from theano._src.types.shared_constructors import shared
from theano._src.types.tensor import tensor_type

__all__ = ["STEPS"]

#: without jax everything runs on NumPy
_ENGINES = ("numpy", "xla") if missing(to_load=False) is None else ("numpy",)


def _vector() -> Any:
    return tensor_type("float64", (False,))("x")


def _same(got: Any, expected: Any) -> None:
    if not np.allclose(got, expected):
        raise ValueError(f"the answer should be {expected!r}, got {got!r}")


def _elementwise() -> None:
    """elementwise functions and sums"""
    x = _vector()
    for engine in _ENGINES:
        _same(function([x], log(1 + exp(x)).sum(), mode=Mode(engine))(np.zeros(4)), 4 * np.log(2))


def _gradient() -> None:
    """gradients"""
    x = _vector()
    for engine in _ENGINES:
        f = function([x], grad((x**3).sum(), x), mode=Mode(engine))
        _same(f(np.arange(3.0)), [0, 3, 12])


def _products() -> None:
    """products of matrices"""
    a = tensor_type("float32", (False, False))("a")
    value = np.arange(12, dtype="float32").reshape(3, 4)
    for engine in _ENGINES:
        _same(function([a], dot(a, a.T), mode=Mode(engine))(value), value @ value.T)


def _updates() -> None:
    """shared variables and their updates"""
    for engine in _ENGINES:
        state = shared(np.ones(2))
        step = function([], state.sum(), updates=[(state, 2 * state)], mode=Mode(engine))
        _same([step(), step()], [2, 4])
        _same(state.get_value(), [4, 4])


def _loop() -> None:
    """loops by scan"""
    x = _vector()
    powers, updates = scan(lambda p: p * x, outputs_info=x, n_steps=3)
    for engine in _ENGINES:
        f = function([x], powers[-1], updates=updates, mode=Mode(engine))
        _same(f(np.array([1.0, 2.0])), [1, 16])


def _random() -> None:
    """random numbers, the same for the same seed"""
    first, second = (function([], RandomStreams(7).uniform((3,)))() for _ in range(2))
    _same(first, second)


def _choice() -> None:
    """the default mode, which chooses the engine"""
    x = _vector()
    f = function([x], (x * 2).sum())
    for n in (1, 10, 100_000):
        _same(f(np.ones(n)), 2 * n)


def _pickled() -> None:
    """functions saved and loaded"""
    x = _vector()
    _same(pickle.loads(pickle.dumps(function([x], x + 1)))(np.ones(2)), [2, 2])


def _kept() -> None:
    """the folder of compiled programs"""
    path, complaints = disk_cache.choose(make=True)
    if path is None:
        raise OSError("; ".join(complaints) or "no folder can be used")


#: the steps in order; the docstring of each is its title in the report
STEPS: tuple[Callable[[], None], ...] = (
    _elementwise,
    _gradient,
    _products,
    _updates,
    _loop,
    _random,
    _choice,
    _pickled,
    _kept,
)
