"""Programs that tests of profiles run: a step of a perceptron, a recurrent network, a chain."""

from collections.abc import Callable
from typing import Any

import numpy as np

import theano
import theano.tensor as T


def perceptron(n: int = 200) -> tuple[Any, ...]:
    x, y = T.dmatrix("x"), T.dmatrix("y")
    random = np.random.RandomState(0)
    w = theano.shared(random.randn(n, n) * 0.1, "w")
    v = theano.shared(random.randn(n, 10) * 0.1, "v")
    hidden = T.tanh(T.dot(x, w))
    cost = T.sqr(T.dot(hidden, v) - y).mean()
    gw, gv = T.grad(cost, [w, v])
    updates = [(w, w - 0.1 * gw), (v, v - 0.1 * gv)]
    return [x, y], cost, updates, [random.randn(400, n), random.randn(400, 10)]


def recurrent(steps: int = 60) -> tuple[Any, ...]:
    x = T.dtensor3("x")
    random = np.random.RandomState(0)
    u = theano.shared(random.randn(80, 80) * 0.05, "u")
    h, _ = theano.scan(
        lambda now, before: T.tanh(now + T.dot(before, u)),
        sequences=x,
        outputs_info=T.zeros((60, 80)),
    )
    return [x], h[-1].sum(), None, [random.randn(steps, 60, 80)]


def chain(n: int = 1_000_000) -> tuple[Any, ...]:
    x = T.dvector("x")
    y = x
    for _ in range(4):
        y = T.tanh(y) + T.exp(-T.sqr(y))
    return [x], y.sum(), None, [np.linspace(-2, 2, n)]


PROGRAMS: dict[str, Callable[..., tuple[Any, ...]]] = {
    "perceptron": perceptron,
    "recurrent": recurrent,
    "chain": chain,
}


def made(program: str, mode: Any = None, **options: Any) -> tuple[Any, list[Any]]:
    """The compiled program, with a profile that nobody prints, and values for it."""
    inputs, output, updates, values = PROGRAMS[program](**options)
    profile = theano.compile.ProfileStats(atexit_print=False, message=program)
    f = theano.function(inputs, output, updates=updates, mode=mode, profile=profile)
    return f, values
