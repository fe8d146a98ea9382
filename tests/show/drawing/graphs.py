"""Graphs that the tests of pictures draw."""

import numpy as np

import theano
import theano.tensor as T
from theano.ifelse import ifelse


def training():
    """A step of logistic regression, and what it was made of."""
    x, y = T.dmatrix("x"), T.dvector("y")
    w, b = theano.shared(np.zeros(7), name="w"), theano.shared(0.0, name="b")
    p = 1 / (1 + T.exp(-T.dot(x, w) - b))
    cost = (-y * T.log(p) - (1 - y) * T.log(1 - p)).mean() + 0.01 * (w**2).sum()
    gw, gb = T.grad(cost, [w, b])
    updates = [(w, w - 0.1 * gw), (b, b - 0.1 * gb)]
    return theano.function([x, y], [p > 0.5, cost], updates=updates, name="train"), p, cost


def loop():
    k, a = T.iscalar("k"), T.dvector("a")
    out, _ = theano.scan(lambda before, a: before * a, None, T.ones_like(a), a, k)
    return theano.function([k, a], out[-1], name="power")


def condition():
    c, x = T.bscalar("c"), T.dmatrix("x")
    return ifelse(T.lt(c, 3), T.dot(x, x).sum(), (x**2).sum())


def wide(n):
    """A graph of about n ops, with uses near and far."""
    x = T.dvector("x")
    past = [x]
    for i in range(n // 2):
        past.append(T.tanh(past[-1] + past[max(0, i - 7)]))
    return past[-1]
