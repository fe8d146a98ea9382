"""Optimizers and learning-rate schedules as lists of updates; compared on two spirals.

Each optimizer takes a scalar cost and a list of shared variables, and returns the list for
``updates=`` of ``theano.function``. All of them take

rate
    the learning rate: a number, a variable, or a schedule, which is a function of the number of
    steps so far
clip
    the largest joint norm of the gradients; None, the default, does not clip them

Training a model takes this file alone. The comparison at its end, ``main``, needs digits.py and
drawing.py as well::

    train = theano.function([x, y], cost, updates=adam(cost, params, rate=cosine(0.001, 10_000)))
"""

import types

import numpy as np

import theano
import theano.tensor as T

# what all of them begin with


def clipped(grads, norm):
    """Gradients scaled so that their joint norm is at most ``norm``."""
    total = T.sqrt(sum((g**2).sum() for g in grads))
    return [g * T.minimum(1, T.cast(norm, g.dtype) / total) for g in grads]


def begin(cost, params, rate, clip):
    """Gradients, the rate of this step, the number of steps so far, and how to cast numbers."""
    grads = T.grad(cost, params)
    if clip is not None:
        grads = clipped(grads, clip)
    # numbers of Python may be float64, and would make updates of float32 parameters so
    cast = lambda value: T.cast(value, cost.dtype)
    t = theano.shared(np.asarray(0, dtype=cost.dtype), "t")
    rate = rate(t) if isinstance(rate, types.FunctionType) else rate
    return grads, cast(rate), t, cast


def state(p, name):
    """A shared variable of zeros, of the shape of a parameter."""
    return theano.shared(np.zeros_like(p.get_value()), f"{p.name}_{name}")


# optimizers


def sgd(cost, params, rate=0.1, clip=None):
    """Gradient descent: ``p - rate * g``."""
    grads, rate, t, _ = begin(cost, params, rate, clip)
    return [(t, t + 1), *((p, p - rate * g) for p, g in zip(params, grads))]


def momentum(cost, params, rate=0.01, decay=0.9, nesterov=False, clip=None):
    """Gradient descent with momentum (Polyak, 1964); ``nesterov`` looks one step ahead."""
    grads, rate, t, cast = begin(cost, params, rate, clip)
    decay = cast(decay)
    updates = [(t, t + 1)]
    for p, g in zip(params, grads):
        v = state(p, "v")
        v_new = decay * v - rate * g
        updates += [(v, v_new), (p, p + (decay * v_new - rate * g if nesterov else v_new))]
    return updates


def rmsprop(cost, params, rate=0.001, decay=0.9, epsilon=1e-8, clip=None):
    """RMSProp (Hinton, 2012): steps divided by a running mean of the gradient's size."""
    grads, rate, t, cast = begin(cost, params, rate, clip)
    decay, epsilon = cast(decay), cast(epsilon)
    updates = [(t, t + 1)]
    for p, g in zip(params, grads):
        s = state(p, "s")
        s_new = decay * s + (1 - decay) * g**2
        updates += [(s, s_new), (p, p - rate * g / (T.sqrt(s_new) + epsilon))]
    return updates


def adam(cost, params, rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, clip=None):
    """Adam (Kingma and Ba, 2015): momentum, and steps divided by the gradient's size."""
    grads, rate, t, cast = begin(cost, params, rate, clip)
    beta1, beta2, epsilon = map(cast, (beta1, beta2, epsilon))
    updates = [(t, t + 1)]
    scale = rate * T.sqrt(1 - beta2 ** (t + 1)) / (1 - beta1 ** (t + 1))
    for p, g in zip(params, grads):
        m, v = state(p, "m"), state(p, "v")
        m_new, v_new = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g**2
        updates += [(m, m_new), (v, v_new)]
        updates.append((p, p - scale * m_new / (T.sqrt(v_new) + epsilon)))
    return updates


# schedules


def exponential(rate, decay, every):
    """``rate``, multiplied by ``decay`` over every ``every`` steps, smoothly."""
    return lambda t: rate * decay ** (t / every)


def stairs(rate, decay, every):
    """``rate``, multiplied by ``decay`` after every ``every`` steps, and constant in between."""
    return lambda t: rate * decay ** T.floor(t / every)


def cosine(rate, total, warmup=1):
    """Up to ``rate`` in ``warmup`` steps, then down along half a cosine to 0 at ``total`` steps."""

    def of(t):
        part = T.clip((t - warmup) / (total - warmup), 0, 1)
        return rate * T.minimum(1, (t + 1) / warmup) * (1 + T.cos(np.pi * part)) / 2

    return of


# the comparison


def spirals(n, noise, rng):
    """Points on two spirals, and which of the two each is on."""
    labels = np.arange(n) % 2
    turn = 3 * np.pi * np.sqrt(rng.uniform(0.05, 1, n))
    points = turn[:, None] * np.stack(
        [np.cos(turn + np.pi * labels), np.sin(turn + np.pi * labels)], 1
    )
    return points / 10 + noise * rng.standard_normal((n, 2)), labels


class Perceptron(object):  # noqa: UP004
    """Two hidden layers of tanh, and the cost of the labels."""

    def __init__(self, x, y, rng, n=32):
        self.params, h = [], x
        for k, (rows, columns) in enumerate(((2, n), (n, n), (n, 2))):
            values = rng.standard_normal((rows, columns)) / np.sqrt(rows)
            w = theano.shared(np.asarray(values, theano.config.floatX), f"w{k}")
            b = theano.shared(np.zeros(columns, theano.config.floatX), f"b{k}")
            self.params += [w, b]
            h = T.dot(h, w) + b
            h = T.tanh(h) if k < 2 else h
        p = T.nnet.softmax(h)
        self.cost = T.nnet.categorical_crossentropy(p, y).mean()
        self.errors = T.neq(p.argmax(axis=1), y).mean()


def fit(name, rule, old, new, n_epochs, size, quiet):
    """Train by a rule on ``old``; keep the parameters of the epoch that is the best on ``new``."""
    from digits import learn

    x, y = T.matrix("x"), T.lvector("y")
    network = Perceptron(x, y, np.random.default_rng(1))
    train = theano.function([x, y], network.cost, updates=rule(network.cost, network.params))
    test = theano.function([x, y], [network.cost, network.errors])
    rng = np.random.default_rng(2)
    costs, best = [], (np.inf, 0, None)

    def train_epoch(epoch):
        nonlocal best
        rows = rng.permutation(len(old[0])).reshape(-1, size)
        cost = np.mean([train(old[0][i], old[1][i]) for i in rows])
        costs.append(float(test(*new)[0]))
        if costs[-1] < best[0]:
            best = costs[-1], epoch, [p.get_value() for p in network.params]
        return cost

    losses = learn(name, n_epochs, train_epoch, quiet)
    for p, value in zip(network.params, best[2]):
        p.set_value(value)
    errors = float(test(*new)[1])
    if not quiet:
        print(f"  best epoch {best[1] + 1}: {errors:.1%} of new points are wrong")
    return losses, costs, best[1], errors


def main(n_epochs=100, quiet=False, n=400, size=20):
    """Train the same network by each optimizer, and see how it does on new points."""
    points, labels = spirals(2 * n, 0.06, np.random.default_rng(0))
    points = np.asarray(points, theano.config.floatX)
    old, new = (points[:n], labels[:n]), (points[n:], labels[n:])
    total = n_epochs * n // size
    schedules = {
        "exponential": exponential(0.03, 0.1, total / 2),
        "cosine": cosine(0.03, total, total // 10),
    }
    rules = {
        "gradient descent": lambda *of: sgd(*of, 0.5),
        "momentum": lambda *of: momentum(*of, 0.05, nesterov=True),
        "RMSProp": lambda *of: rmsprop(*of, 0.003),
        "Adam": lambda *of: adam(*of, 0.02),
        "Adam, cosine, clipped": lambda *of: adam(*of, schedules["cosine"], clip=1.0),
    }
    found = {name: fit(name, rule, old, new, n_epochs, size, quiet) for name, rule in rules.items()}
    losses, costs, best, errors = ({name: row[k] for name, row in found.items()} for k in range(4))
    steps = T.arange(total, dtype="float64")
    rates = {name: schedule(steps).eval() for name, schedule in schedules.items()}
    return {"losses": losses, "costs": costs, "best": best, "errors": errors, "rates": rates}


def draw(results, path):
    from drawing import BLUE, GRAY, GREEN, ORANGE, PURPLE, RED, canvas

    colours = dict(zip(results["losses"], (GRAY, BLUE, GREEN, ORANGE, RED)))
    with canvas(path, 250) as figure:
        left, middle, right = figure.subplots(1, 3)
        for name, colour in colours.items():
            left.semilogy(results["losses"][name], color=colour, label=name)
            middle.semilogy(results["costs"][name], color=colour)
            k = results["best"][name]
            middle.plot(k, results["costs"][name][k], "o", color=colour, markersize=4)
        left.set_title("cost of the data")
        left.legend(fontsize=6)
        middle.set_title("cost of new points, the best epoch")
        for axes in (left, middle):
            axes.set_xlabel("epoch")
        for (name, rates), colour in zip(results["rates"].items(), (PURPLE, RED)):
            right.plot(rates, color=colour, label=name)
        right.set_title("schedules of the rate")
        right.set_xlabel("step")
        right.legend()


if __name__ == "__main__":
    from digits import run

    run(main, __doc__, draw)
