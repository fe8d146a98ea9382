"""The programs in NumPy, gradients derived by hand: what the others' results are compared with."""

import numpy as np
from models import powers
from models_numpy import eight_schools, negative_binomial, radon  # noqa: F401
from nets_numpy import gru, lenet, lstm, rnn, rnn_last  # noqa: F401

RATE = 0.01


def versions() -> dict[str, str]:
    # here, for the import of this module is timed
    from importlib.metadata import version

    return {"NumPy": np.__version__, "SciPy": version("scipy")}


def add_scalar():
    return lambda x: np.add(x, 1)


def add_vector():
    return lambda x: x + 1


add_trusted = add_vector


def polynomial():
    return lambda x: 1 + x - 2 * x**2 + 3 * x**3 - x**4


def powers_short():
    return powers


def logs_short():
    return lambda x: np.exp(-x) * np.log(x + 1) + 2 * np.tanh(x)


def transcendental():
    return lambda x: np.log(1 + np.exp(-(x**2))) + np.sin(x) * np.tanh(x)


def logistic(w, b):
    w, b = w.copy(), b.copy()

    def call(x, y):
        nonlocal w, b
        z = x @ w + b
        cost = (np.logaddexp(0, z) - y * z).mean() + 0.01 * (w**2).sum()
        slope = (1 / (1 + np.exp(-z)) - y) / len(y)
        w, b = w - RATE * (slope @ x + 0.02 * w), b - RATE * slope.sum()
        return cost

    return call


def perceptron(W, b, V, c):
    params = [W.copy(), b.copy(), V.copy(), c.copy()]

    def call(x, y):
        W, b, V, c = params
        h = np.tanh(x @ W + b)
        off = h @ V + c - y
        cost = (off * off).mean()
        off *= 2 / off.size
        back = (off @ V.T) * (1 - h * h)
        for param, g in zip(params, (x.T @ back, back.sum(0), h.T @ off, off.sum(0)), strict=True):
            param -= RATE * g
        return cost

    return call


def mlp(W, b, V, c):
    params = [W.copy(), b.copy(), V.copy(), c.copy()]
    rate = np.float32(RATE)

    def call(x, t):
        W, b, V, c = params
        rows = np.arange(len(t))
        h = np.tanh(x @ W + b)
        z = h @ V + c
        z -= z.max(axis=1, keepdims=True)
        p = np.exp(z)
        total = p.sum(axis=1, keepdims=True)
        cost = -(z - np.log(total))[rows, t].mean()
        p /= total
        p[rows, t] -= 1
        p /= np.float32(len(t))
        back = (p @ V.T) * (1 - h * h)
        for param, g in zip(params, (x.T @ back, back.sum(0), h.T @ p, p.sum(0)), strict=True):
            param -= rate * g
        return cost

    return call


def logsoftmax():
    def call(x):
        z = x - x.max(axis=1, keepdims=True)
        z -= np.log(np.exp(z).sum(axis=1, keepdims=True))
        return z

    return call


def matmul():
    return lambda a, b: a @ b


def cholesky():
    return np.linalg.cholesky


def solve():
    return np.linalg.solve


def sort():
    return np.sort


def unrolled(steps):
    def call(x, a):
        h = np.zeros(32)
        for t in range(steps):
            h = np.tanh(a * h + x[t])
        return h

    return call


def reduction():
    return lambda x: (np.exp(-(x**2)) * np.cos(x)).sum() / np.sqrt((x**2).sum())
