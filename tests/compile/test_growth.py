"""How the work of ``theano.function`` grows with the graph."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.counting import lines_run


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


def lines(program, n):
    """How many lines of Python run while the program is compiled."""
    inputs, made, updates = program(n)
    return lines_run(lambda: theano.function(inputs, made, updates=updates))


@pytest.mark.slow
@pytest.mark.parametrize("program, n", [(outputs, 150), (views, 100), (layers, 50), (joined, 150)])
def test_the_work_of_compiling_is_linear_in_the_graph(program, n):
    lines(program, 20)
    assert lines(program, 2 * n) <= 2.1 * lines(program, n)


def test_the_call_path_grows_with_the_number_of_inputs():
    """A13: its text was quadratic in them: the first call with 4,000 inputs took 26 s."""

    def size(n):
        xs = T.dvectors(n)
        f = theano.function(xs, T.add(*xs), mode=theano.Mode("numpy"))
        f(*[np.ones(2)] * n)
        return len(f._call.__code__.co_code)

    small, large = size(100), size(400)
    assert small < large < 6 * small
