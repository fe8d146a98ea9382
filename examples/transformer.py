"""A transformer whose data, weights and optimizer are split over the chips of a mesh.

Without arguments it learns to continue sequences. ``python transformer.py --plan v5e:16x16 16 16``
compiles a step of 1.7 billion parameters for 16 groups of 16 chips that need not be there.
"""

import sys

import numpy as np
from digits import progress, run
from drawing import BLUE, ORANGE, canvas

import theano
import theano.tensor as T
from theano import In, distributed as dist

SMALL = {"layers": 2, "size": 64, "heads": 4, "vocabulary": 16, "length": 12}
LARGE = {"layers": 8, "size": 4096, "heads": 32, "vocabulary": 32768, "length": 2048}


class Placed:
    """Parameters and values of a mesh; without one, of a single chip."""

    def __init__(self, mesh, rng=None):
        self.mesh, self.rng, self.axes = mesh, rng, {}
        # rows of tokens are split over all axes but the one for weights
        self.rows = mesh and "+".join(axis for axis in mesh.axes if axis != "model")

    def sharding(self, *axes):
        return None if self.mesh is None else self.mesh[axes]

    def shared(self, name, value, axes):
        return theano.shared(value, name, borrow=True, sharding=self.sharding(*axes))

    def param(self, name, shape, *axes):
        # without a generator no memory is touched: a plan needs the shape alone
        value = np.zeros(shape, "float32")
        if self.rng is not None:
            value[...] = self.rng.normal(0, shape[-2] ** -0.5, shape)
        result = self.shared(name, value, axes)
        self.axes[result] = axes
        return result

    def keep(self, v, *axes):
        return v if self.mesh is None else dist.constrain(v, self.sharding(*axes))

    def by_positions(self, h):
        """Split positions over the chips of a group, between products."""
        return self.keep(h, self.rows, "model", None)


def norm(h):
    return h / T.sqrt(T.sqr(h).mean(axis=-1, keepdims=True) + np.float32(1e-6))


def block(place, heads, size, length):
    """A layer: attention to earlier positions, then two products with a rectifier between."""
    later = T.eq(T.tri(length, length, dtype="float32"), 0).dimshuffle("x", "x", 0, 1)

    by_width, by_heads = (place.rows, None, "model"), (place.rows, "model", None, None)

    def layer(qkv, proj, up, down, h):
        z = place.keep(T.dot(norm(h), qkv), *by_width)
        # heads come before q, k and v, so that the split dimension stays one
        z = z.reshape((h.shape[0], length, heads, 3, size // heads))
        q, k, v = (place.keep(z[:, :, :, i].dimshuffle(0, 2, 1, 3), *by_heads) for i in range(3))
        scores = T.einsum("bhsd,bhtd->bhst", q, k) * np.float32((size // heads) ** -0.5)
        shares = T.nnet.softmax(T.switch(later, np.float32(-1e9), scores), axis=-1)
        seen = place.keep(T.einsum("bhst,bhtd->bhsd", shares, v), *by_heads)
        seen = seen.dimshuffle(0, 2, 1, 3).reshape((h.shape[0], length, size))
        h = place.by_positions(h + T.dot(place.keep(seen, *by_width), proj))
        hidden = place.keep(T.nnet.relu(T.dot(norm(h), up)), *by_width)
        return place.by_positions(h + T.dot(hidden, down))

    return layer


def transformer(place, x, layers, size, heads, vocabulary, length):
    """Scores of the next token at each position."""
    E = place.param("E", (vocabulary, size), "model", "data")
    P = place.param("P", (length, size), None, "data")
    shapes = {"qkv": (size, 3 * size), "proj": (size, size), "up": (size, 4 * size)}
    shapes["down"] = shapes["up"][::-1]
    stacks = [
        place.param(name, (layers, *shape), None, *axes)
        for (name, shape), axes in zip(shapes.items(), [("data", "model"), ("model", "data")] * 2)
    ]
    start = place.by_positions(place.keep(E[x], place.rows, None, None) + P)
    layer = block(place, heads, size, length)
    # the gradient keeps what goes into each layer, and computes the rest again
    once = {"n_steps": layers, "save_every_N": 1, "padding": False}
    h, _ = theano.scan_checkpoints(layer, stacks, [start], **once)
    return place.keep(T.dot(norm(h[-1]), E.T), place.rows, None, "model")


def adam(place, cost, rate=0.003, kept=0.9, kept_squares=0.99):
    """Updates; both averages are split as their parameter is."""
    updates = []
    for (p, axes), g in zip(place.axes.items(), T.grad(cost, list(place.axes))):
        shape = p.get_value(borrow=True).shape
        m = place.shared(f"{p.name} mean", np.zeros(shape, "float32"), axes)
        s = place.shared(f"{p.name} square", np.zeros(shape, "float32"), axes)
        mean = np.float32(kept) * m + np.float32(1 - kept) * g
        square = np.float32(kept_squares) * s + np.float32(1 - kept_squares) * T.sqr(g)
        step = np.float32(rate) * mean / (T.sqrt(square) + np.float32(1e-8))
        updates += [(m, mean), (s, square), (p, p - step)]
    return updates


def training_step(place, **sizes):
    """A step on rows of tokens, and the guesses at each position."""
    x, y = T.lmatrix("x"), T.lmatrix("y")
    scores = transformer(place, x, **sizes)
    # a comparison splits over the vocabulary, where an index would gather all scores
    hit = T.eq(T.arange(sizes["vocabulary"]).dimshuffle("x", "x", 0), y.dimshuffle(0, 1, "x"))
    shares = T.nnet.softmax(scores, axis=-1)
    cost = -T.log(T.switch(hit, shares, np.float32(0)).sum(axis=-1)).mean()
    rows = [In(v, sharding=place.sharding(place.rows, None)) for v in (x, y)]
    step = theano.function(rows, cost, updates=adam(place, cost))
    return step, theano.function(rows[:1], scores.argmax(axis=-1))


def planned(there, axes, rows, **sizes):
    """The report of a step on a mesh of chips that need not be there."""
    step, _ = training_step(Placed(dist.mesh(axes, topology=there)), **sizes)
    return dist.plan(step, shapes=dict.fromkeys("xy", (rows, sizes["length"])))


def main(n_steps=150, quiet=False):
    rng = np.random.default_rng(0)
    step, guess = training_step(Placed(None, rng), **SMALL)

    def rows(n):  # each counts on by a step of its own
        first, by = rng.integers(0, SMALL["vocabulary"], (2, n, 1))
        tokens = (first + by * np.arange(SMALL["length"] + 1)) % SMALL["vocabulary"]
        return tokens[:, :-1], tokens[:, 1:]

    losses = [float(step(*rows(64))) for _ in progress(range(n_steps), "transformer", quiet)]
    x, y = rows(500)
    right = (guess(x) == y)[:, 2:].mean()  # two tokens tell the step
    held = planned(dist.topology("cpu:8"), {"data": 4, "model": 2}, 8, **SMALL).state
    return {"accuracy": right, "losses": {"": losses}, "held": held}


def draw(results, path):
    """The loss, and what a chip of eight holds."""
    with canvas(path, height=220) as figure:
        left, right = figure.subplots(1, 2)
        left.semilogy(results["losses"][""], color=BLUE)
        left.set(title="loss", xlabel="step")
        held = [h for h in results["held"] if " " not in h.name]
        for size, color, label in (
            ("nbytes", "0.85", "whole"),
            ("nbytes_each", ORANGE, "a chip's"),
        ):
            kilobytes = [getattr(h, size) / 1e3 for h in held]
            right.barh([h.name for h in held], kilobytes, color=color, label=label)
        right.set(title="parameters over 4 x 2 chips", xlabel="kB")
        right.legend()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--plan"]:
        lengths = list(map(int, sys.argv[3:]))
        axes = dict(zip(("replica", "data", "model")[-len(lengths) :], lengths))
        rows = 8 * np.prod(lengths[:-1])
        print(planned(dist.topology(sys.argv[2]), axes, int(rows), **LARGE))
    else:
        run(main, __doc__, draw)
