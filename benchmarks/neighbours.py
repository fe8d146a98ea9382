"""A function of JAX as an op, and a graph as a function of JAX, beside the bare ones.

Blocks of calls take turns; given are the least time of a call of each and the median ratio of the
blocks of one turn.
"""

import os
import statistics
import time
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

import theano
import theano.tensor as T

jax.config.update("jax_enable_x64", True)
TURNS, CALLS = 15, 20


def body(x, w):
    for _ in range(4):
        x = jnp.tanh(x @ w)
    return x


def graph(x, w):
    for _ in range(4):
        x = T.tanh(T.dot(x, w))
    return x


def block(call: Callable, data: tuple) -> float:
    begin = time.perf_counter()
    for _ in range(CALLS):
        call(*data)
    return (time.perf_counter() - begin) / CALLS


def compare(what: str, ours: Callable, bare: Callable, data: tuple) -> None:
    assert np.allclose(ours(*data), bare(*data))
    for _ in range(10):
        ours(*data), bare(*data)
    times = [[block(ours, data), block(bare, data)] for _ in range(TURNS)]
    mine, theirs = (min(column) * 1e3 for column in zip(*times, strict=True))
    ratio = statistics.median(a / b for a, b in times)
    print(f"{what}: {mine:.3f} ms, bare {theirs:.3f} ms, ratio {ratio:.3f}")


def main() -> None:
    print(f"jax {jax.__version__}, load {os.getloadavg()[0]:.1f}")
    x, w = T.dmatrix("x"), T.dmatrix("w")
    bare = jax.jit(body)
    rng = np.random.RandomState(0)
    for n in (32, 256, 400):
        data = rng.randn(n, n), rng.randn(n, n)
        op = theano.function([x, w], theano.from_jax(body)(x, w), mode=theano.Mode("xla"))
        compare(f"from_jax, {n} x {n}", op, lambda *a: np.array(bare(*a)), data)
        made = jax.jit(theano.as_jax(graph(x, w), [x, w]))
        compare(
            f"as_jax, {n} x {n}",
            lambda *a, f=made: np.array(f(*a)),
            lambda *a: np.array(bare(*a)),
            data,
        )


if __name__ == "__main__":
    main()
