"""How the time that ``theano.function`` takes grows with the graph."""

import gc
import time

import numpy as np
import pytest

import theano
import theano.tensor as T


def outputs(n):
    """Many readers of one input."""
    x = T.dvector("x")
    return [x], [T.exp(x) * k for k in range(1, n + 1)], []


def views(n):
    """Many views of one intermediate, each read by a node that might overwrite it."""
    x = T.dmatrix("x")
    y = T.exp(x)
    return [x], [T.sqr(y[i]) * 2 + 1 for i in range(n)], []


def layers(n):
    """A deep chain with a shared variable at each step, its gradients and updates."""
    x = h = T.dvector("x")
    weights = [theano.shared(np.zeros(3)) for _ in range(n)]
    for w in weights:
        h = T.tanh(h * w)
    gradients = T.grad(h.sum(), weights)
    return [x], h.sum(), [(w, w - 0.1 * g) for w, g in zip(weights, gradients)]


def joined(n):
    """One node with many inputs."""
    x = T.dvector("x")
    return [x], T.join(0, *[x[i : i + 2] * i for i in range(n)]), []


def seconds(program, n):
    """The processor time of the quickest of three compilations, without collecting garbage.

    When a collection falls due depends on all that the process holds, not on the graph.
    """
    best = np.inf
    for _ in range(3):
        inputs, made, updates = program(n)
        gc.collect()
        gc.disable()
        try:
            start = time.process_time()
            theano.function(inputs, made, updates=updates)
            best = min(best, time.process_time() - start)
        finally:
            gc.enable()
    return best


@pytest.mark.slow
@pytest.mark.parametrize(
    "program, n", [(outputs, 1000), (views, 600), (layers, 400), (joined, 1000)]
)
def test_twice_the_graph_takes_at_most_two_and_a_half_times_as_long(program, n):
    seconds(program, 20)
    assert seconds(program, 2 * n) <= 2.5 * seconds(program, n)
