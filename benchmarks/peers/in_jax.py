"""The programs in JAX: one ``jax.jit`` each, state donated."""

from functools import partial

import jax
import jax.numpy as jnp
import models
import nets_jax
import numpy as np

jax.config.update("jax_enable_x64", True)

RATE = 0.01


def versions() -> dict[str, str]:
    return {"JAX": f"{jax.__version__} on {jax.default_backend()}"}


def compiled(function):
    """The function as a call; np.array, since what np.asarray gives may not be written."""
    jitted = jax.jit(function)
    return lambda *args: np.array(jitted(*args))


def add_scalar():
    return compiled(lambda x: x + 1)


add_vector = add_scalar


def polynomial():
    return compiled(lambda x: 1 + x - 2 * x**2 + 3 * x**3 - x**4)


def powers_short():
    return compiled(models.powers)


def logs_short():
    return compiled(lambda x: jnp.exp(-x) * jnp.log(x + 1) + 2 * jnp.tanh(x))


def with_gradient(density, *data):
    """The log-density of a model with its gradient."""
    constants = [jnp.array(d) for d in data]
    jitted = jax.jit(jax.value_and_grad(lambda q: density(q, *constants)))

    def call(q):
        value, slope = jitted(q)
        return np.array(value), np.array(slope)

    return call


def eight_schools(*data):
    return with_gradient(partial(models.eight_schools, jnp), *data)


def radon(*data):
    return with_gradient(partial(models.radon, jnp), *data)


def negative_binomial(*data):
    return with_gradient(partial(models.negative_binomial, jnp, jax.scipy.special.gammaln), *data)


def transcendental():
    return compiled(lambda x: jnp.log(1 + jnp.exp(-(x**2))) + jnp.sin(x) * jnp.tanh(x))


def descend(loss, params):
    def step(params, *args):
        cost, grads = jax.value_and_grad(loss)(params, *args)
        return cost, [p - RATE * g for p, g in zip(params, grads, strict=True)]

    jitted = jax.jit(step, donate_argnums=0)
    held = [jnp.array(p) for p in params]

    def call(*args):
        nonlocal held
        cost, held = jitted(held, *args)
        return np.array(cost)

    return call


def logistic(w, b):
    def loss(params, x, y):
        w, b = params
        z = x @ w + b
        xent = -y * jax.nn.log_sigmoid(z) - (1 - y) * jax.nn.log_sigmoid(-z)
        return xent.mean() + 0.01 * (w**2).sum()

    return descend(loss, [w, b])


def perceptron(*values):
    def loss(params, x, y):
        W, b, V, c = params
        return ((jnp.tanh(x @ W + b) @ V + c - y) ** 2).mean()

    return descend(loss, values)


def mlp(*values):
    def loss(params, x, t):
        W, b, V, c = params
        logp = jax.nn.log_softmax(jnp.tanh(x @ W + b) @ V + c)
        return -logp[jnp.arange(t.shape[0]), t].mean()

    return descend(loss, values)


def lenet(w1, b1, w2, *values):
    # filters go over images as they are, not turned round
    return descend(nets_jax.lenet_loss, [w1[..., ::-1, ::-1], b1, w2[..., ::-1, ::-1], *values])


def rnn(*values):
    return descend(nets_jax.rnn_loss, values)


def rnn_last(w, u):
    w, u = jnp.array(w), jnp.array(u)

    def step(h, z):
        return jnp.tanh(z + h @ u), None

    return compiled(lambda x, start: jax.lax.scan(step, start, x @ w)[0])


def lstm(*values):
    return descend(nets_jax.lstm_loss, values)


def gru(*values):
    return descend(nets_jax.gru_loss, values)


def logsoftmax():
    return compiled(lambda x: jax.nn.log_softmax(x, axis=1))


def matmul():
    return compiled(jnp.matmul)


def cholesky():
    return compiled(jnp.linalg.cholesky)


def solve():
    return compiled(jnp.linalg.solve)


def sort():
    return compiled(jnp.sort)


def unrolled(steps):
    def body(x, a):
        h = jnp.zeros(32)
        for t in range(steps):
            h = jnp.tanh(a * h + x[t])
        return h

    return compiled(body)


def reduction():
    return compiled(lambda x: (jnp.exp(-(x**2)) * jnp.cos(x)).sum() / jnp.sqrt((x**2).sum()))
