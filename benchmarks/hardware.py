"""Training steps compiled for chips that are not there, beside the same steps by hand in JAX.

Both sides are compiled for one chip, and nothing runs: the rows are the compiler's estimate of
cycles (TPUs only) and the bytes of temporaries, with their ratios. They do not depend on how busy
the machine is. It takes the packages of docs/tutorial/hardware.md, in this Python or in the one
that ``plan.python`` names.

    python benchmarks/hardware.py [--only lstm] [--topology v5e:1x1 h100:1x1] [--precision float32]

Products of float32 have the same precision on both sides, by default the one that JAX's users have.

In JAX labels are int32 and types of 64 bits are off, as its users have them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

import theano
import theano.tensor as T
from theano import config, distributed as dist
from theano._src.engines.mesh.hlo_text import HloText, cycles_in, flops_in, unestimated_in
from theano._src.engines.planning.compiler import compiled_for
from theano._src.engines.planning.dry_call import Traced
from theano.tensor.nnet import conv2d
from theano.tensor.signal import pool

RATE = np.float32(0.1)


class Step(NamedTuple):
    """Shapes of parameters and inputs, and the cost of each side."""

    params: dict[str, tuple[int, ...]]
    inputs: dict[str, tuple[int, ...]]
    ours: Callable[..., Any]
    by_hand: Callable[..., Any]


STEPS: dict[str, Callable[[], Step]] = {}


def step(make: Callable[[], Step]) -> Callable[[], Step]:
    STEPS[make.__name__] = make
    return make


def loss_ours(logits: Any, y: Any) -> Any:
    return T.nnet.categorical_crossentropy(T.nnet.softmax(logits), y).mean()


def loss_by_hand(logits: Any, y: Any) -> Any:
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), y[:, None], 1).mean()


# the steps


@step
def perceptron() -> Step:
    rows, wide = 1024, 2048
    params = {"W": (784, wide), "b": (wide,), "V": (wide, wide), "c": (wide,), "U": (wide, 10)}

    def ours(W, b, V, c, U, x, y):
        h = T.tanh(T.dot(x, W) + b)
        return loss_ours(T.dot(T.tanh(T.dot(h, V) + c), U), y)

    def by_hand(W, b, V, c, U, x, y):
        h = jnp.tanh(x @ W + b)
        return loss_by_hand(jnp.tanh(h @ V + c) @ U, y)

    return Step(params, {"x": (rows, 784), "y": (rows,)}, ours, by_hand)


@step
def lenet() -> Step:
    rows = 256
    params = {"F": (20, 1, 5, 5), "b": (20,), "G": (50, 20, 5, 5), "c": (50,), "W": (800, 500)}
    params |= {"d": (500,), "U": (500, 10)}

    def ours(F, b, G, c, W, d, U, x, y):
        for filters, bias in ((F, b), (G, c)):
            shape = filters.get_value(borrow=True).shape
            x = pool.pool_2d(conv2d(x, filters, filter_shape=shape), (2, 2), ignore_border=True)
            x = T.tanh(x + bias.dimshuffle("x", 0, "x", "x"))
        return loss_ours(T.dot(T.tanh(T.dot(x.flatten(2), W) + d), U), y)

    def by_hand(F, b, G, c, W, d, U, x, y):
        for filters, bias in ((F, b), (G, c)):
            x = jax.lax.conv_general_dilated(x, filters[:, :, ::-1, ::-1], (1, 1), "VALID")
            window = (1, 1, 2, 2)
            x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, window, window, "VALID")
            x = jnp.tanh(x + bias[:, None, None])
        return loss_by_hand(jnp.tanh(x.reshape(x.shape[0], -1) @ W + d) @ U, y)

    return Step(params, {"x": (rows, 1, 28, 28), "y": (rows,)}, ours, by_hand)


@step
def lstm() -> Step:
    steps, rows, size = 64, 256, 512
    params = {"V": (784, 4 * size), "W": (size, 4 * size), "b": (4 * size,), "U": (size, 10)}

    def ours(V, W, b, U, x, y):
        def cell(x, h, c):
            gates = x + T.dot(h, W)
            i, f, o, g = (gates[:, k * size : (k + 1) * size] for k in range(4))
            c = T.nnet.sigmoid(f) * c + T.nnet.sigmoid(i) * T.tanh(g)
            return T.nnet.sigmoid(o) * T.tanh(c), c

        start = T.zeros((x.shape[1], size), "float32")
        (h, _), _ = theano.scan(cell, sequences=T.dot(x, V) + b, outputs_info=[start, start])
        return loss_ours(T.dot(h[-1], U), y)

    def by_hand(V, W, b, U, x, y):
        def cell(state, x):
            h, c = state
            i, f, o, g = jnp.split(x + h @ W, 4, 1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

        start = jnp.zeros((x.shape[1], size))
        (h, _), _ = jax.lax.scan(cell, (start, start), x @ V + b)
        return loss_by_hand(h @ U, y)

    return Step(params, {"x": (steps, rows, 784), "y": (rows,)}, ours, by_hand)


@step
def autoencoder() -> Step:
    rows, wide, code = 1024, 1024, 32
    params = {"W": (784, wide), "b": (wide,), "M": (wide, code), "S": (wide, code)}
    params |= {"V": (code, wide), "c": (wide,), "U": (wide, 784), "d": (784,)}

    def ours(W, b, M, S, V, c, U, d, x, e):
        h = T.tanh(T.dot(x, W) + b)
        mean, log_var = T.dot(h, M), T.dot(h, S)
        z = mean + T.exp(0.5 * log_var) * e
        logits = T.dot(T.tanh(T.dot(z, V) + c), U) + d
        misfit = (T.nnet.softplus(logits) - x * logits).sum(axis=1)
        return (misfit + 0.5 * (T.exp(log_var) + mean**2 - 1 - log_var).sum(axis=1)).mean()

    def by_hand(W, b, M, S, V, c, U, d, x, e):
        h = jnp.tanh(x @ W + b)
        mean, log_var = h @ M, h @ S
        z = mean + jnp.exp(0.5 * log_var) * e
        logits = jnp.tanh(z @ V + c) @ U + d
        misfit = (jax.nn.softplus(logits) - x * logits).sum(1)
        return (misfit + 0.5 * (jnp.exp(log_var) + mean**2 - 1 - log_var).sum(1)).mean()

    return Step(params, {"x": (rows, 784), "e": (rows, code)}, ours, by_hand)


@step
def transformer() -> Step:
    rows, length, size, heads = 8, 512, 1024, 16
    each = size // heads
    params = {"Q": (size, 3 * size), "P": (size, size), "W": (size, 4 * size)}
    params |= {"V": (4 * size, size), "g": (size,), "h": (size,)}

    def ours(Q, P, W, V, g, h, x):
        def norm(v, scale):
            return v / T.sqrt(T.sqr(v).mean(axis=-1, keepdims=True) + np.float32(1e-6)) * scale

        split = T.dot(norm(x, g), Q).reshape((rows, length, 3, heads, each))
        q, k, v = (split[:, :, i].dimshuffle(0, 2, 1, 3) for i in range(3))
        scores = T.einsum("bhsd,bhtd->bhst", q, k) * np.float32(each**-0.5)
        seen = T.tri(length, length, dtype="float32").dimshuffle("x", "x", 0, 1)
        scores = T.switch(T.eq(seen, 0), np.float32(-1e9), scores)
        shares = T.nnet.softmax(scores, axis=-1)
        seen = T.einsum("bhst,bhtd->bhsd", shares, v).dimshuffle(0, 2, 1, 3)
        x = x + T.dot(seen.reshape((rows, length, size)), P)
        x = x + T.dot(T.nnet.relu(T.dot(norm(x, h), W)), V)
        return T.sqr(x).mean()

    def by_hand(Q, P, W, V, g, h, x):
        def norm(v, scale):
            return v / jnp.sqrt((v * v).mean(-1, keepdims=True) + 1e-6) * scale

        split = (norm(x, g) @ Q).reshape(rows, length, 3, heads, each)
        q, k, v = (split[:, :, i].transpose(0, 2, 1, 3) for i in range(3))
        scores = jnp.einsum("bhsd,bhtd->bhst", q, k) * each**-0.5
        scores = jnp.where(jnp.tri(length, length, dtype=bool), scores, -1e9)
        seen = jnp.einsum("bhst,bhtd->bhsd", jax.nn.softmax(scores), v).transpose(0, 2, 1, 3)
        x = x + seen.reshape(rows, length, size) @ P
        x = x + jax.nn.relu(norm(x, h) @ W) @ V
        return (x * x).mean()

    return Step(params, {"x": (rows, length, size)}, ours, by_hand)


# what is compiled


class Figures(NamedTuple):
    cycles: int | None
    temporaries: int
    flops: int
    #: operations that the estimate of cycles leaves out
    left_out: list[str]


def ours(one: Step, there: dist.Topology) -> Figures:
    params = [
        theano.shared(np.zeros(shape, "float32"), name, borrow=True)
        for name, shape in one.params.items()
    ]
    inputs = [
        T.TensorType("int32" if name == "y" else "float32", (False,) * len(shape))(name)
        for name, shape in one.inputs.items()
    ]
    cost = one.ours(*params, *inputs)
    updates = [(p, p - RATE * g) for p, g in zip(params, T.grad(cost, params), strict=True)]
    f = theano.function(inputs, cost, updates=updates, mode=theano.Mode("xla"))
    report = dist.plan(f, one.inputs, there)
    for program in report.programs:
        if program.compiled.error is not None:
            raise RuntimeError(program.compiled.error)
    temporaries = max(p.compiled.memory["temporaries"] for p in report.programs)
    left_out = [op for p in report.programs for op in unestimated_in(HloText(p.compiled.text))]
    return Figures(report.cycles, temporaries, report.flops, left_out)


def by_hand(one: Step, there: dist.Topology) -> Figures:
    from jax import export

    def call(*args):
        params, inputs = args[: len(one.params)], args[len(one.params) :]
        cost, slopes = jax.value_and_grad(lambda p: one.by_hand(*p, *inputs))(params)
        return [cost, *(p - RATE * g for p, g in zip(params, slopes, strict=True))]

    params = [jax.ShapeDtypeStruct(shape, "float32") for shape in one.params.values()]
    inputs = [
        jax.ShapeDtypeStruct(shape, "int32" if name == "y" else "float32")
        for name, shape in one.inputs.items()
    ]
    platform = {"gpu": "cuda"}.get(there.platform, there.platform)
    precision = {"float32": "highest", "high": "high", "fast": None}[config.xla.precision]
    with jax.default_matmul_precision(precision):
        exported = export.export(jax.jit(call), platforms=[platform])(*params, *inputs)
    donate = list(range(len(params)))
    traced = Traced("by hand", [], [], bytes(exported.serialize()), donate, None, False)
    (compiled,) = compiled_for(there, None, [traced])
    if compiled.error is not None:
        raise RuntimeError(compiled.error)
    text = HloText(compiled.text)
    return Figures(
        cycles_in(text), compiled.memory["temporaries"], flops_in(text), unestimated_in(text)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="steps whose name has this text")
    parser.add_argument("--topology", nargs="+", default=["v5e:1x1", "h100:1x1"])
    parser.add_argument("--precision", choices=("float32", "high", "fast"), default="fast")
    options = parser.parse_args()
    config.floatX, config.xla.precision = "float32", options.precision
    heads = ("step", "chip", "cycles", "by hand", "ratio", "temporaries", "by hand", "ratio")
    print("{:13}{:10}{:>12}{:>12}{:>7}{:>14}{:>14}{:>7}".format(*heads), flush=True)
    for name, make in STEPS.items():
        if options.only not in name:
            continue
        for text in options.topology:
            there, one = dist.topology(text), make()
            a, b = ours(one, there), by_hand(one, there)
            cells = f"{'-':>12}{'-':>12}{'-':>7}"
            if a.cycles is not None and b.cycles is not None:
                cells = f"{a.cycles:12,}{b.cycles:12,}{a.cycles / b.cycles:7.2f}"
            ratio = a.temporaries / max(b.temporaries, 1)
            cells += f"{a.temporaries:14,}{b.temporaries:14,}{ratio:7.2f}"
            print(f"{name:13}{text:10}{cells}", flush=True)
            for side, figures in (("", a), (" by hand", b)):
                if figures.cycles is not None and figures.left_out:
                    print(f"{'':23}cycles{side} without {', '.join(figures.left_out)}")
            if a.flops != b.flops:
                print(f"{'':23}products: {a.flops:,} flops, by hand {b.flops:,}", flush=True)


if __name__ == "__main__":
    main()
