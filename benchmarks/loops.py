"""Loops on XLA beside hand-written ``lax.scan``: recurrent nets, many steps, many small states.

Steady calls and first results alternate as in ``xla.py``, whose options it takes; then, or
alone with ``--only long``: 200 lengths in random order, and the memory of 10,000 steps,
each in processes of their own.
"""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import jax
import jax.numpy as jnp
import numpy as np
from timing import XLA, Row, asked, compare, numbers, print_heading, print_machine

import theano
import theano.tensor as T

STEPS, BATCH, INPUTS, HIDDEN = 100, 20, 50, 100


class Recurrent:
    """A net with one state, or two, that goes along a sequence: its weights and its step.

    ``step`` is written once, in terms of ``dot``, ``tanh`` and ``sigmoid`` of either side.
    """

    gates = 1
    states = 1

    def __init__(self, scale: float = 1.0, dtype: str = "float32", hidden: int = HIDDEN) -> None:
        self.hidden = hidden
        self.steps = max(3, int(STEPS * scale))
        width = self.gates * hidden
        made = [numbers(INPUTS, width), numbers(hidden, width), numbers(width)]
        self.weights = [(0.1 * w).astype(dtype) for w in made]
        self.x = numbers(self.steps, BATCH, INPUTS, dtype=dtype)

    def step(self, xp, x, states, weights):
        (h,), (w, u, b) = states, weights
        return [xp.tanh(xp.dot(x, w) + xp.dot(h, u) + b)]

    # ours

    def symbolic(self):
        """The cost and its gradients, in terms of a sequence and of the weights."""
        dtype = self.weights[0].dtype.name
        x = T.tensor3("x", dtype=dtype)
        held = [theano.shared(w) for w in self.weights]
        first = [T.zeros((x.shape[1], self.hidden), dtype=dtype) for _ in range(self.states)]

        def step(x, *rest):
            return self.step(Ours, x, rest[: self.states], rest[self.states :])

        made, _ = theano.scan(step, sequences=x, outputs_info=first, non_sequences=held)
        h = made[0] if isinstance(made, list) else made
        cost = (h**2).mean()
        return x, [cost, *T.grad(cost, held)]

    # jax

    def jitted(self):
        def cost(weights, x):
            def step(states, x):
                new = self.step(Jax, x, states, weights)
                return new, new[0]

            first = [jnp.zeros((x.shape[1], self.hidden), x.dtype) for _ in range(self.states)]
            _, h = jax.lax.scan(step, first, x)
            return (h**2).mean()

        return jax.jit(jax.value_and_grad(cost))


class Ours:
    dot, tanh, sigmoid = T.dot, T.tanh, T.nnet.sigmoid


class Jax:
    dot, tanh, sigmoid = jnp.dot, jnp.tanh, jax.nn.sigmoid


class Long(Recurrent):
    """LSTM."""

    gates, states = 4, 2

    def step(self, xp, x, states, weights):
        (h, c), (w, u, b) = states, weights
        n = self.hidden
        z = xp.dot(x, w) + xp.dot(h, u) + b
        i, f, o = (xp.sigmoid(z[:, k * n : (k + 1) * n]) for k in range(3))
        c = f * c + i * xp.tanh(z[:, 3 * n :])
        return [o * xp.tanh(c), c]


class Gated(Recurrent):
    """GRU."""

    gates, states = 3, 1

    def step(self, xp, x, states, weights):
        (h,), (w, u, b) = states, weights
        n = self.hidden
        from_x, from_h = xp.dot(x, w) + b, xp.dot(h, u)
        r = xp.sigmoid(from_x[:, :n] + from_h[:, :n])
        z = xp.sigmoid(from_x[:, n : 2 * n] + from_h[:, n : 2 * n])
        new = xp.tanh(from_x[:, 2 * n :] + r * from_h[:, 2 * n :])
        return [(1 - z) * h + z * new]


NETS = {"RNN": Recurrent, "LSTM": Long, "GRU": Gated}


def steady(net) -> Callable:
    def make(scale: float):
        one = net(scale)
        x, made = one.symbolic()
        f = theano.function([x], made, mode=XLA)
        g, weights = one.jitted(), [jnp.asarray(w) for w in one.weights]

        def beside():
            value, slopes = g(weights, one.x)
            return [np.array(v) for v in (value, *slopes)]

        return lambda: f(one.x), beside

    return make


def first(net) -> Callable:
    """From the program to its first result, each time with another width: XLA keeps what it has."""
    width = [HIDDEN]

    def make(scale: float):
        def ours():
            width[0] += 1
            one = net(scale, hidden=width[0])
            x, made = one.symbolic()
            return theano.function([x], made, mode=XLA)(one.x)

        def beside():
            width[0] += 1
            one = net(scale, hidden=width[0])
            g = one.jitted()
            value, slopes = g([jnp.asarray(w) for w in one.weights], one.x)
            return [np.array(v) for v in (value, *slopes)]

        return ours, beside

    return make


def scalar_steps(scale: float):
    """A logistic map of 10,000 steps."""
    n = max(10, int(10_000 * scale))
    x, k = T.dscalar("x"), T.dscalar("k")
    made, _ = theano.scan(lambda x, k: k * x * (1 - x), outputs_info=x, non_sequences=k, n_steps=n)
    f = theano.function([x, k], made, mode=XLA)

    @jax.jit
    def g(x, k):
        def step(x, _):
            x = k * x * (1 - x)
            return x, x

        return jax.lax.scan(step, x, None, length=n)[1]

    return lambda: f(0.3, 3.5), lambda: np.array(g(0.3, 3.5))


def many_states(scale: float):
    """40 numbers, each drawn to its neighbours, and the slope of the end by the start."""
    count, n = 40, max(5, int(1000 * scale))
    at = np.linspace(-1, 1, count)
    start = T.dvector("start")

    def moved(xp, states):
        return [
            s + 0.01 * xp.tanh(states[k - 1] - 2 * s + states[(k + 1) % count])
            for k, s in enumerate(states)
        ]

    made, _ = theano.scan(
        lambda *states: moved(Ours, states),
        outputs_info=[start[k] for k in range(count)],
        n_steps=n,
    )
    cost = sum((v[-1] ** 2 for v in made), T.constant(0.0, dtype="float64"))
    f = theano.function([start], [cost, T.grad(cost, start)], mode=XLA)

    def naive(start):
        def step(states, _):
            new = moved(Jax, states)
            return new, new

        last, _ = jax.lax.scan(step, [start[k] for k in range(count)], None, length=n)
        return sum(v**2 for v in last)

    g = jax.jit(jax.value_and_grad(naive))
    return lambda: f(at), lambda: [np.array(v) for v in g(at)]


ROWS = [
    *(Row(f"{name}, gradient, 100 steps", 1.05, steady(net)) for name, net in NETS.items()),
    Row("logistic map, 10,000 steps", 1.10, scalar_steps),
    Row("40 numbers as states, gradient, 1,000 steps", 0.20, many_states),
    *(Row(f"{name}, gradient, first result", 1.30, first(net)) for name, net in NETS.items()),
]


# processes of their own


def lengths(side: str, count: int) -> dict:
    """Each of ``count`` lengths once, in random order: the seconds of all, and of the longest."""
    net = Recurrent()
    order = np.random.default_rng(1).permutation(np.arange(20, 20 + count))
    values = [numbers(n, BATCH, INPUTS, dtype="float32") for n in order]
    if side == "theano":
        x, made = net.symbolic()
        call = theano.function([x], made)
    else:
        g, weights = net.jitted(), [jnp.asarray(w) for w in net.weights]
        call = lambda x: [np.array(v) for v in (lambda c, s: (c, *s))(*g(weights, x))]
    seconds = []
    for x in values:
        begun = time.perf_counter()
        call(x)
        seconds.append(time.perf_counter() - begun)
    return {"total": sum(seconds), "longest": max(seconds)}


def memory(side: str, steps: int) -> dict:
    """The peak of a gradient over many steps, above that of a short one."""
    if side == "checkpoints":
        call, short, long = checkpointed(steps)
    else:
        net = Recurrent()
        short, long = (numbers(n, BATCH, INPUTS, dtype="float32") for n in (10, steps))
        if side == "theano":
            x, made = net.symbolic()
            call = theano.function([x], made, mode=XLA)
        else:
            g, weights = net.jitted(), [jnp.asarray(w) for w in net.weights]
            call = lambda x: jax.block_until_ready(g(weights, x))
    call(short)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    call(long)
    return {"megabytes": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024}


def checkpointed(steps: int):
    net = Recurrent()
    x = T.tensor3("x", dtype="float32")
    held = [theano.shared(w) for w in net.weights]
    made, _ = theano.scan_checkpoints(
        lambda x, h, *w: net.step(Ours, x, [h], w)[0],
        sequences=x,
        outputs_info=T.zeros((x.shape[1], net.hidden), dtype="float32"),
        non_sequences=held,
        save_every_N=100,
    )
    cost = (made[-1] ** 2).mean()
    f = theano.function([x], [cost, *T.grad(cost, held)], mode=XLA)
    return f, *(numbers(n, BATCH, INPUTS, dtype="float32") for n in (200, steps))


def apart(what: str, *args) -> dict:
    """What this file says when it is asked for one figure, in a process of its own."""
    asked_for = [sys.executable, __file__, "--figure", what, *map(str, args)]
    return json.loads(subprocess.run(asked_for, capture_output=True, check=True).stdout)


def long_figures(scale: float) -> bool:
    """The figures that need a process each; whether all are met."""
    count, steps = max(4, int(200 * scale)), max(100, int(10_000 * scale))
    ours, theirs = (apart("lengths", side, count) for side in ("theano", "jax"))
    ratio = ours["total"] / theirs["total"]
    print(
        f"{count} lengths of the RNN gradient, once each: {ours['total']:.2f} s, jax "
        f"{theirs['total']:.2f} s, ratio {ratio:.2f} (aim 0.20); longest call "
        f"{ours['longest']:.2f} s, jax {theirs['longest']:.2f}"
    )
    held = {s: apart("memory", s, steps)["megabytes"] for s in ("theano", "jax", "checkpoints")}
    print(
        f"memory of the RNN gradient over {steps} steps: {held['theano']:.0f} MB, jax "
        f"{held['jax']:.0f} MB, ratio {held['theano'] / held['jax']:.2f} (aim 1.20); of the end "
        f"alone with checkpoints {held['checkpoints']:.0f} MB, "
        f"{held['checkpoints'] / held['theano']:.2f} of it (aim 0.10)"
    )
    return ratio <= 0.2 and held["theano"] <= 1.2 * held["jax"]


def main() -> int:
    if sys.argv[1:2] == ["--figure"]:
        what, side, size = sys.argv[2:]
        print(json.dumps({"lengths": lengths, "memory": memory}[what](side, int(size))))
        return 0
    options = asked(__doc__)
    seconds, scale = (0.05, 0.05) if options.quick else (2.0, 1.0)
    print_machine()
    if options.quick:
        print("at a twentieth of the sizes named: whether it runs, not how fast")
    print_heading()
    missed = 0
    for one in ROWS:
        if options.only in f"{one.name} {one.beside}":
            found = compare(one, seconds, scale)
            print(found, flush=True)
            missed += not found.met
    if not options.only or options.only == "long":
        missed += not long_figures(scale)
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
