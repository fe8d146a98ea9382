"""Compiled functions beside the same programs written by hand in JAX, as ratios in one run.

Both sides take NumPy arrays and give NumPy arrays that the caller may write; state stays on the
device and is donated on both. Calls alternate, ours and JAX's, so that a busy machine slows both;
the ratio is the median over pairs of blocks, with its quartiles. ``--quick`` measures briefly at
small sizes; ``--only TEXT`` picks rows; ``--assert`` fails on a row that misses its aim.
"""

import gc
import sys
import time

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

ROWS: list[Row] = []


def row(name: str, aim: float, beside: str = "jax"):
    def add(make):
        ROWS.append(Row(name, aim, make, beside))
        return make

    return add


def compiled(function, **options):
    """``jax.jit`` of a function of NumPy arrays; what it gives is the caller's to write."""
    jitted = jax.jit(function, **options)
    return lambda *args: np.array(jitted(*args))


def kept(jitted, state, *args):
    """A call that replaces its own state, on the device, and ends when that is there."""
    held = [jnp.array(state)]

    def call():
        held[0] = jitted(held[0], *args).block_until_ready()

    return call


# what is compared


@row("log(1 + exp(-x^2)) + sin(x) tanh(x), 1e6 float64", 1.10)
def transcendental(scale):
    x = T.dvector()
    f = theano.function([x], T.log(1 + T.exp(-(x**2))) + T.sin(x) * T.tanh(x), mode=XLA)
    g = compiled(lambda x: jnp.log1p(jnp.exp(-(x**2))) + jnp.sin(x) * jnp.tanh(x))
    v = numbers(int(1e6 * scale))
    return lambda: f(v), lambda: g(v)


@row("tanh(X @ W + b), 500x784x500 float32", 1.10)
def layer(scale):
    X, W, b = T.fmatrix(), T.fmatrix(), T.fvector()
    f = theano.function([X, W, b], T.tanh(T.dot(X, W) + b), mode=XLA)
    g = compiled(lambda X, W, b: jnp.tanh(X @ W + b))
    n = int(500 * scale**0.5)
    at = [numbers(*shape, dtype="float32") for shape in ((n, 784), (784, n), (n,))]
    return lambda: f(*at), lambda: g(*at)


def reduction(name, ndim, axis):
    def make(scale):
        x = T.TensorType("float64", (False,) * ndim)()
        f = theano.function([x], getattr(T, name)(x, axis=axis), mode=XLA)
        g = compiled(lambda x: getattr(jnp, name)(x, axis=axis))
        v = numbers(int(1e6 * scale)) if ndim == 1 else numbers(*[int(2000 * scale**0.5)] * 2)
        return lambda: f(v), lambda: g(v)

    size = "1e6" if ndim == 1 else f"2000x2000 axis {axis}"
    row(f"{name}, {size} float64", 1.10)(make)


for _name in ("sum", "max"):
    for _ndim, _axis in ((1, None), (2, 0), (2, 1)):
        reduction(_name, _ndim, _axis)


@row("w += g, 8 MB float64 in place", 1.10)
def update(scale):
    n = int(1e6 * scale)
    w, g = theano.shared(numbers(n)), T.dvector()
    f = theano.function([g], updates=[(w, w + g)], mode=XLA)
    v = numbers(n)
    return lambda: f(v), kept(jax.jit(lambda w, g: w + g, donate_argnums=0), numbers(n), v)


@row("w += g * rate[i], 8 MB in place, i checked", 1.10)
def checked_update(scale):
    n = int(1e6 * scale)
    w, g, rate, i = theano.shared(numbers(n)), T.dvector(), T.dvector(), T.lscalar()
    f = theano.function([g, rate, i], updates=[(w, w + g * rate[i])], mode=XLA)
    at = numbers(n), numbers(10), np.asarray(3)
    step = jax.jit(lambda w, g, rate, i: w + g * rate[i], donate_argnums=0)
    return lambda: f(*at), kept(step, numbers(n), *at)


@row("w[idx] += g, 32 rows of 1M x 8 float32, idx checked", 1.10)
def embedding(scale):
    n = int(1e6 * scale)
    w, g, idx = theano.shared(numbers(n, 8, dtype="float32")), T.fmatrix(), T.lvector()
    f = theano.function([g, idx], updates=[(w, T.inc_subtensor(w[idx], g))], mode=XLA)
    at = numbers(32, 8, dtype="float32"), random.integers(0, n, 32)
    step = jax.jit(lambda w, g, idx: w.at[idx].add(g), donate_argnums=0)
    return lambda: f(*at), kept(step, numbers(n, 8, dtype="float32"), *at)


@row("w[i:i+100] = g, of 1M x 8 float32", 1.10)
def write_slice(scale):
    n = int(1e6 * scale)
    w, g, i = theano.shared(numbers(n, 8, dtype="float32")), T.fmatrix(), T.lscalar()
    new = T.set_subtensor(w[i : i + 100], g)
    f = theano.function([g, i], updates=[(w, new)], mode=XLA)
    at = numbers(100, 8, dtype="float32"), np.asarray(7)
    step = jax.jit(
        lambda w, g, i: jax.lax.dynamic_update_slice_in_dim(w, g, i, 0), donate_argnums=0
    )
    return lambda: f(*at), kept(step, numbers(n, 8, dtype="float32"), *at)


@row("data[i*500:(i+1)*500], 500x784 of a shared float32", 1.10)
def minibatch(scale):
    data = numbers(int(20_000 * scale) + 2000, 784, dtype="float32")
    shared, i = theano.shared(data), T.lscalar()
    f = theano.function([i], shared[i * 500 : (i + 1) * 500], mode=XLA)
    take = compiled(lambda x, i: jax.lax.dynamic_slice_in_dim(x, i * 500, 500))
    at, device = np.asarray(3), jnp.array(data)
    return lambda: f(at), lambda: take(device, at)


@row("x + 1, 10 float64", 1.30)
def tiny(scale):
    x = T.dvector()
    f = theano.function([x], x + 1, mode=XLA)
    g = compiled(lambda x: x + 1)
    v = numbers(10)
    return lambda: f(v), lambda: g(v)


@row("x[cumsum(x) > 0], 10 float64: two stages", 2.50, beside="one stage")
def two_stages(scale):
    x = T.dvector()
    # a mask of a few cheap steps, as x > 0, is counted on the host: that would be one stage
    f = theano.function([x], x[T.cumsum(x) > 0], mode=XLA)
    assert len(f.fn.stages) == 2
    one = theano.function([x], x + 1, mode=XLA)
    v = numbers(10)
    return lambda: f(v), lambda: one(v)


# first calls

FIRST = "first call: 4 layers and a softmax, 28 nodes"


def first_call_ours() -> float:
    n = new_width(64)
    v, Ws = numbers(20, n), [numbers(n, n) for _ in range(4)]
    gc.collect()
    started = time.perf_counter()
    x, ws = T.dmatrix(), [T.dmatrix() for _ in Ws]
    h = x
    for w in ws:
        h = T.tanh(T.dot(h, w) + w[0])
    e = T.exp(h - h.max(axis=1, keepdims=True))
    f = theano.function([x, *ws], e / e.sum(axis=1, keepdims=True), mode=XLA)
    f(v, *Ws)
    return time.perf_counter() - started


def first_call_jax() -> float:
    n = new_width(64)
    v, Ws = numbers(20, n), [numbers(n, n) for _ in range(4)]
    gc.collect()
    started = time.perf_counter()

    def forward(x, *ws):
        h = x
        for w in ws:
            h = jnp.tanh(h @ w + w[0])
        e = jnp.exp(h - h.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    with jax.enable_x64(True):
        np.array(jax.jit(forward)(v, *Ws))
    return time.perf_counter() - started


def main() -> int:
    options = asked(__doc__)
    seconds, scale, rounds = (0.05, 0.01, 1) if options.quick else (2.0, 1.0, 10)
    print_machine()
    if options.quick:
        print("at a hundredth of the sizes named: whether it runs, not how fast")
    print_heading()
    found = []
    for one in ROWS:
        if options.only in one.name:
            found.append(compare(one, seconds, scale))
            print(found[-1], flush=True)
    if options.only in "first call":
        found.append(compare_first(FIRST, 1.30, first_call_ours, first_call_jax, rounds))
        print(found[-1], flush=True)
    missed = [f.name for f in found if not f.met]
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
