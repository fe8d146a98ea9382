"""Training steps by symbolic gradients beside the same steps in JAX, and how gradients grow.

Steps: logistic regression (400 x 784, float64) and a multilayer perceptron (784-500-10, batch 60,
float32), each a cost, its ``grad`` and updates of donated state; steadily, and from nothing to the
first result. Growth: microseconds of ``grad`` a node of graphs of 1,000 to 10,000 nodes, and how
many nodes a gradient has for each node of its cost. ``--quick`` measures briefly; ``--only TEXT``
picks rows; ``--assert`` fails on a row that misses its aim.
"""

import gc
import sys
import time
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from timing import (
    XLA,
    Row,
    asked,
    compare,
    compare_first,
    new_width,
    numbers,
    print_heading,
    print_machine,
    random,
)

import theano
import theano.tensor as T
from theano.gof.graph import io_toposort

RATE = np.float32(0.1)


def stepping(loss, params, *args) -> Callable[[], np.ndarray]:
    """The JAX side: a jitted step that replaces its own state and gives the cost."""

    def step(params, *args):
        cost, grads = jax.value_and_grad(loss)(params, *args)
        return cost, [p - RATE * g for p, g in zip(params, grads, strict=True)]

    jitted = jax.jit(step, donate_argnums=0)
    held = [[jnp.array(p) for p in params]]

    def call():
        cost, held[0] = jitted(held[0], *args)
        return np.array(cost)

    return call


# the models: data of a width, the graph of the cost, and the cost in JAX


class Logistic:
    name = "logistic regression, 400x784 float64"
    width = 784

    @staticmethod
    def data(width: int):
        labels = numbers(400)
        labels[...] = labels > 0
        return [0.01 * numbers(width), np.zeros(())], [numbers(400, width), labels]

    @staticmethod
    def graph(values):
        x, y = T.dmatrix("x"), T.dvector("y")
        w, b = params = [theano.shared(v) for v in values]
        p = 1 / (1 + T.exp(-T.dot(x, w) - b))
        xent = -y * T.log(p) - (1 - y) * T.log(1 - p)
        return [x, y], params, xent.mean() + 0.01 * (w**2).sum()

    @staticmethod
    def loss(params, x, y):
        w, b = params
        p = 1 / (1 + jnp.exp(-jnp.dot(x, w) - b))
        xent = -y * jnp.log(p) - (1 - y) * jnp.log(1 - p)
        return xent.mean() + 0.01 * (w**2).sum()


class Perceptron:
    name = "perceptron, 784-500-10, batch 60 float32"
    width = 500

    @staticmethod
    def data(width: int):
        shapes = (784, width), (width,), (width, 10), (10,)
        params = [np.float32(0.05) * numbers(*shape, dtype="float32") for shape in shapes]
        return params, [numbers(60, 784, dtype="float32"), random.integers(0, 10, 60)]

    @staticmethod
    def graph(values):
        x, t = T.fmatrix("x"), T.lvector("t")
        W, b, V, c = params = [theano.shared(v) for v in values]
        z = T.dot(T.tanh(T.dot(x, W) + b), V) + c
        z = z - z.max(axis=1, keepdims=True)
        logp = z - T.log(T.exp(z).sum(axis=1, keepdims=True))
        return [x, t], params, -logp[T.arange(t.shape[0]), t].mean()

    @staticmethod
    def loss(params, x, t):
        W, b, V, c = params
        z = jnp.dot(jnp.tanh(jnp.dot(x, W) + b), V) + c
        z = z - z.max(axis=1, keepdims=True)
        logp = z - jnp.log(jnp.exp(z).sum(axis=1, keepdims=True))
        return -logp[jnp.arange(t.shape[0]), t].mean()


MODELS = Logistic, Perceptron


def ours(model, params, args) -> Callable[[], np.ndarray]:
    inputs, shared, cost = model.graph(params)
    grads = T.grad(cost, shared)
    updates = [(p, p - RATE * g) for p, g in zip(shared, grads, strict=True)]
    f = theano.function(inputs, cost, updates=updates, mode=XLA)
    return lambda: f(*args)


def steady(model):
    def make(scale):
        params, args = model.data(model.width)
        pair = ours(model, params, args), stepping(model.loss, params, *args)
        for _ in range(3):
            a, b = (call() for call in pair)
        # two programs that compute different things are not to be compared
        np.testing.assert_allclose(a, b, rtol=1e-4)
        return pair

    return make


def first(model, start) -> Callable[[], float]:
    def seconds() -> float:
        params, args = model.data(new_width(model.width))
        gc.collect()
        started = time.perf_counter()
        start(model, params, args)()
        return time.perf_counter() - started

    return seconds


def start_jax(model, params, args):
    with jax.enable_x64(True):
        call = stepping(model.loss, params, *args)

    def with_x64():
        with jax.enable_x64(True):
            return call()

    return with_x64


# how gradients grow


def chain(n: int):
    x = y = T.dvector("x")
    for i in range(n):
        y = T.tanh(y) if i % 2 else y * x
    return x, y.sum()


def sharing(n: int):
    """Every node is taken twice by the next ones: 2^(n/2) paths."""
    x = T.dvector("x")
    a, b = T.sin(x), T.cos(x)
    for _ in range(n // 2):
        a, b = a * b, a + b
    return x, (a + b).sum()


def per_node(shape, n: int) -> float:
    """Microseconds of ``grad`` a node of the cost."""
    x, cost = shape(n)
    nodes = len(io_toposort([x], [cost]))
    gc.collect()
    gc.disable()
    started = time.perf_counter()
    T.grad(cost, x)
    spent = time.perf_counter() - started
    gc.enable()
    return spent / nodes * 1e6


def growth(rounds: int) -> list[str]:
    sizes = 1_000, 2_000, 10_000
    missed = []
    print(f"\n{'us of grad a node':24}{''.join(f'{n:>10,}' for n in sizes)}{'ratio':>8}")
    for shape in (chain, sharing):
        # sizes take turns, and the best counts: a busy moment falls on all of them
        found = [[per_node(shape, n) for n in sizes] for _ in range(rounds)]
        best = [min(times) for times in zip(*found, strict=True)]
        ratio = best[-1] / best[0]
        mark = "" if ratio <= 1.5 else "  missed"
        print(f"{shape.__name__:24}{''.join(f'{t:10.2f}' for t in best)}{ratio:8.2f}{mark}")
        missed += [shape.__name__] if mark else []
    return missed


def counts() -> list[str]:
    missed = []
    print(f"\n{'nodes':54}{'cost':>11}{'grad':>11}{'ratio':>7}")
    for model in MODELS:
        inputs, params, cost = model.graph(model.data(model.width)[0])
        grads = T.grad(cost, params)
        forward = len(io_toposort([*inputs, *params], [cost]))
        # what the gradients are computed from is counted too, as far as they need it
        backward = len(io_toposort([*inputs, *params], grads))
        ratio = backward / forward
        mark = "" if ratio <= 5 else "  missed"
        print(f"{model.name:54}{forward:11}{backward:11}{ratio:7.2f}{mark}")
        missed += [model.name] if mark else []
    return missed


def main() -> int:
    options = asked(__doc__)
    seconds, rounds, best = (0.05, 1, 2) if options.quick else (4.0, 10, 7)
    print_machine()
    print_heading()
    found = []
    for model in MODELS:
        if options.only in (name := f"step: {model.name}"):
            found.append(compare(Row(name, 1.10, steady(model)), seconds, 1.0))
            print(found[-1], flush=True)
        if options.only in (name := f"first: {model.name}"):
            sides = first(model, ours), first(model, start_jax)
            found.append(compare_first(name, 1.5, *sides, rounds))
            print(found[-1], flush=True)
    missed = [f.name for f in found if not f.met]
    if options.only in "growth":
        missed += growth(best) + counts()
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
