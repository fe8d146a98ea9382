"""The programs in PyTensor; the environment variable that the driver sets picks its backend."""

import logging
from functools import partial

import models
import numpy as np
import pytensor
import pytensor.tensor as pt
from pytensor.tensor import slinalg
from pytensor.tensor.special import log_softmax

RATE = 0.01
logging.getLogger("pytensor").setLevel(logging.ERROR)


def versions() -> dict[str, str]:
    linker = type(pytensor.compile.mode.get_default_mode().linker).__name__
    return {"PyTensor": f"{pytensor.__version__} ({linker})"}


def add_scalar():
    x = pt.dscalar("x")
    return pytensor.function([x], x + 1)


def add_vector():
    x = pt.dvector("x")
    return pytensor.function([x], x + 1)


def add_trusted():
    f = add_vector()
    f.trust_input = True
    return f


def polynomial():
    x = pt.dvector("x")
    return pytensor.function([x], 1 + x - 2 * x**2 + 3 * x**3 - x**4)


def powers_short():
    x = pt.dvector("x")
    return pytensor.function([x], models.powers(x))


def logs_short():
    x = pt.dvector("x")
    return pytensor.function([x], pt.exp(-x) * pt.log(x + 1) + 2 * pt.tanh(x))


def with_gradient(density, *data):
    """The log-density of a model with its gradient."""
    q = pt.dvector("q")
    value = density(q, *map(pt.as_tensor, data))
    return pytensor.function([q], [value, pytensor.grad(value, q)])


def eight_schools(*data):
    return with_gradient(partial(models.eight_schools, pt), *data)


def radon(*data):
    return with_gradient(partial(models.radon, pt), *data)


def negative_binomial(*data):
    return with_gradient(partial(models.negative_binomial, pt, pt.gammaln), *data)


def transcendental():
    x = pt.dvector("x")
    return pytensor.function([x], pt.log(1 + pt.exp(-(x**2))) + pt.sin(x) * pt.tanh(x))


def descend(inputs, cost, params):
    rate = np.asarray(RATE, params[0].dtype)
    grads = pytensor.grad(cost, params)
    updates = [(p, p - rate * g) for p, g in zip(params, grads, strict=True)]
    return pytensor.function(inputs, cost, updates=updates)


def logistic(w, b):
    x, y = pt.dmatrix("x"), pt.dvector("y")
    w, b = params = [pytensor.shared(v) for v in (w, b)]
    p = 1 / (1 + pt.exp(-pt.dot(x, w) - b))
    xent = -y * pt.log(p) - (1 - y) * pt.log(1 - p)
    return descend([x, y], xent.mean() + 0.01 * (w**2).sum(), params)


def perceptron(*values):
    x, y = pt.dmatrix("x"), pt.dmatrix("y")
    W, b, V, c = params = [pytensor.shared(v) for v in values]
    hidden = pt.tanh(pt.dot(x, W) + b)
    return descend([x, y], pt.sqr(pt.dot(hidden, V) + c - y).mean(), params)


def mlp(*values):
    x, t = pt.fmatrix("x"), pt.lvector("t")
    W, b, V, c = params = [pytensor.shared(v) for v in values]
    logp = log_softmax(pt.dot(pt.tanh(pt.dot(x, W) + b), V) + c, axis=1)
    return descend([x, t], -logp[pt.arange(t.shape[0]), t].mean(), params)


def rnn(*values):
    x = pt.ftensor3("x")
    w, u, b = params = [pytensor.shared(v) for v in values]

    def step(z, h, u):
        return pt.tanh(z + pt.dot(h, u))

    start = pt.zeros((x.shape[1], u.shape[0]), dtype="float32")
    made = pytensor.scan(step, pt.dot(x, w) + b, start, non_sequences=u, return_updates=False)
    return descend([x], (made**2).mean(), params)


def rnn_last(w, u):
    x, start = pt.dmatrix("x"), pt.dvector("start")
    w, u = pytensor.shared(w), pytensor.shared(u)

    def step(z, h, u):
        return pt.tanh(z + pt.dot(h, u))

    states = pytensor.scan(step, pt.dot(x, w), start, non_sequences=u, return_updates=False)
    return pytensor.function([x, start], states[-1])


def logsoftmax():
    x = pt.dmatrix("x")
    return pytensor.function([x], log_softmax(x, axis=1))


def matmul():
    a, b = pt.dmatrix("a"), pt.dmatrix("b")
    return pytensor.function([a, b], pt.dot(a, b))


def cholesky():
    a = pt.dmatrix("a")
    return pytensor.function([a], slinalg.cholesky(a))


def solve():
    a, b = pt.dmatrix("a"), pt.dvector("b")
    return pytensor.function([a, b], slinalg.solve(a, b, b_ndim=1))


def sort():
    x = pt.dvector("x")
    return pytensor.function([x], pt.sort(x))


def unrolled(steps):
    x, a = pt.dmatrix("x"), pt.dvector("a")
    h = pt.zeros((32,))
    for t in range(steps):
        h = pt.tanh(a * h + x[t])
    return pytensor.function([x, a], h)


def reduction():
    x = pt.dvector("x")
    return pytensor.function([x], (pt.exp(-(x**2)) * pt.cos(x)).sum() / pt.sqrt((x**2).sum()))
