"""The programs in the Theano language, in the default mode."""

from functools import partial
from importlib.metadata import version

import models
import nets_theano
import numpy as np

import theano
import theano.tensor as T

RATE = 0.01


def versions() -> dict[str, str]:
    return {"theano-xla": theano.__version__, "JAX beneath": version("jax")}


def engine(f) -> str:
    """Which engine the calls have come to."""
    text = theano.printing.explain(f, file="str")
    ways = {"Runs on XLA": "XLA", "Runs as machine code": "machine code"}
    return next((name for words, name in ways.items() if text.startswith(words)), "NumPy")


def settled(f) -> bool:
    """Whether calls like those so far will stay on the engine that they have come to."""
    text = theano.printing.explain(f, file="str")
    if any(w in text for w in ("not counted", "has not paid", "waits for jax", "being compiled")):
        return False
    return text.startswith("Runs on XLA") or _settled_on_host(f.fn.host)


def _settled_on_host(host) -> bool:
    """Whether no machine code is to come, or what runs is optimised; the plan is silent on both."""
    if host.is_native:
        return host.is_optimised
    return host.why != "it was called too seldom" and not host.is_coming


def add_scalar():
    x = T.dscalar("x")
    return theano.function([x], x + 1)


def add_vector():
    x = T.dvector("x")
    return theano.function([x], x + 1)


def add_trusted():
    f = add_vector()
    f.trust_input = True
    return f


def polynomial():
    x = T.dvector("x")
    return theano.function([x], 1 + x - 2 * x**2 + 3 * x**3 - x**4)


def powers_short():
    x = T.dvector("x")
    return theano.function([x], models.powers(x))


def logs_short():
    x = T.dvector("x")
    return theano.function([x], T.exp(-x) * T.log(x + 1) + 2 * T.tanh(x))


def with_gradient(density, *data):
    """The log-density of a model with its gradient."""
    q = T.dvector("q")
    value = density(q, *map(T.as_tensor_variable, data))
    return theano.function([q], [value, T.grad(value, q)])


def eight_schools(*data):
    return with_gradient(partial(models.eight_schools, T), *data)


def radon(*data):
    return with_gradient(partial(models.radon, T), *data)


def negative_binomial(*data):
    return with_gradient(partial(models.negative_binomial, T, T.gammaln), *data)


def transcendental():
    x = T.dvector("x")
    return theano.function([x], T.log(1 + T.exp(-(x**2))) + T.sin(x) * T.tanh(x))


def descend(inputs, cost, params):
    """The compiled step: it gives the cost and moves the parameters down its gradient."""
    rate = np.asarray(RATE, params[0].dtype)
    grads = T.grad(cost, params)
    updates = [(p, p - rate * g) for p, g in zip(params, grads, strict=True)]
    return theano.function(inputs, cost, updates=updates)


def logistic(w, b):
    x, y = T.dmatrix("x"), T.dvector("y")
    w, b = params = [theano.shared(v) for v in (w, b)]
    p = 1 / (1 + T.exp(-T.dot(x, w) - b))
    xent = -y * T.log(p) - (1 - y) * T.log(1 - p)
    return descend([x, y], xent.mean() + 0.01 * (w**2).sum(), params)


def perceptron(*values):
    x, y = T.dmatrix("x"), T.dmatrix("y")
    W, b, V, c = params = [theano.shared(v) for v in values]
    hidden = T.tanh(T.dot(x, W) + b)
    return descend([x, y], T.sqr(T.dot(hidden, V) + c - y).mean(), params)


def mlp(*values):
    x, t = T.fmatrix("x"), T.lvector("t")
    W, b, V, c = params = [theano.shared(v) for v in values]
    logp = _logsoftmax(T.dot(T.tanh(T.dot(x, W) + b), V) + c)
    return descend([x, t], -logp[T.arange(t.shape[0]), t].mean(), params)


def net(cost, inputs, values):
    """The step of a net; what the language does not have yet is said."""
    params = [theano.shared(v) for v in values]
    try:
        made = cost(params, *inputs)
    except (AttributeError, ImportError) as error:
        raise NotImplementedError(f"not built yet: {error}") from error
    return descend(inputs, made, params)


def lenet(*values):
    return net(nets_theano.lenet_cost, [T.ftensor4("x"), T.lvector("t")], values)


def rnn(*values):
    return net(nets_theano.rnn_cost, [T.ftensor3("x")], values)


def rnn_last(w, u):
    x, start = T.dmatrix("x"), T.dvector("start")
    w, u = theano.shared(w), theano.shared(u)
    states, _ = theano.scan(lambda z, h: T.tanh(z + T.dot(h, u)), T.dot(x, w), start)
    return theano.function([x, start], states[-1])


def lstm(*values):
    return net(nets_theano.lstm_cost, [T.ftensor3("x")], values)


def gru(*values):
    return net(nets_theano.gru_cost, [T.ftensor3("x")], values)


def _logsoftmax(x):
    z = x - x.max(axis=1, keepdims=True)
    return z - T.log(T.exp(z).sum(axis=1, keepdims=True))


def logsoftmax():
    x = T.dmatrix("x")
    return theano.function([x], _logsoftmax(x))


def matmul():
    a, b = T.dmatrix("a"), T.dmatrix("b")
    return theano.function([a, b], T.dot(a, b))


def cholesky():
    a = T.dmatrix("a")
    return theano.function([a], T.slinalg.cholesky(a))


def solve():
    a, b = T.dmatrix("a"), T.dvector("b")
    return theano.function([a, b], T.slinalg.solve(a, b))


def sort():
    x = T.dvector("x")
    return theano.function([x], T.sort(x))


def unrolled(steps):
    x, a = T.dmatrix("x"), T.dvector("a")
    h = T.zeros((32,))
    for t in range(steps):
        h = T.tanh(a * h + x[t])
    return theano.function([x, a], h)


def reduction():
    x = T.dvector("x")
    return theano.function([x], (T.exp(-(x**2)) * T.cos(x)).sum() / T.sqrt((x**2).sum()))
