"""LeNet and recurrent nets in JAX: ``conv_general_dilated``, ``reduce_window``, ``lax.scan``."""

import jax
import jax.numpy as jnp
from jax import lax


def convolve(x, w):
    return lax.conv_general_dilated(x, w, (1, 1), "VALID")


def pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")


def lenet_loss(params, x, t):
    w1, b1, w2, b2, w3, b3, w4, b4 = params
    h = jnp.tanh(pool(convolve(x, w1)) + b1[:, None, None])
    h = jnp.tanh(pool(convolve(h, w2)) + b2[:, None, None])
    h = jnp.tanh(h.reshape(h.shape[0], -1) @ w3 + b3)
    logp = jax.nn.log_softmax(h @ w4 + b4)
    return -logp[jnp.arange(t.shape[0]), t].mean()


def scanned(step, carry, z):
    """The mean square of what comes out of all steps."""
    _, made = lax.scan(step, carry, z)
    return (made**2).mean()


def start(x, u):
    return jnp.zeros((x.shape[1], u.shape[0]), x.dtype)


def rnn_loss(params, x):
    w, u, b = params

    def step(h, z):
        h = jnp.tanh(z + h @ u)
        return h, h

    return scanned(step, start(x, u), x @ w + b)


def lstm_loss(params, x):
    w, u, b = params

    def step(carry, z):
        h, c = carry
        i, f, new, o = jnp.split(z + h @ u, 4, axis=1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(new)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    return scanned(step, (start(x, u), start(x, u)), x @ w + b)


def gru_loss(params, x):
    w, u, b = params
    n = u.shape[0]

    def step(h, z):
        inner = h @ u
        gates = jax.nn.sigmoid(z[:, : 2 * n] + inner[:, : 2 * n])
        r, s = jnp.split(gates, 2, axis=1)
        new = jnp.tanh(z[:, 2 * n :] + r * inner[:, 2 * n :])
        h = (1 - s) * new + s * h
        return h, h

    return scanned(step, start(x, u), x @ w + b)
