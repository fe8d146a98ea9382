"""LeNet and recurrent nets in NumPy, gradients derived by hand."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

RATE = np.float32(0.01)


def descend(step, values):
    """A call that gives the cost and moves the parameters down the gradients of ``step``."""
    params = [v.copy() for v in values]

    def call(*args):
        cost, grads = step(params, *args)
        for p, g in zip(params, grads, strict=True):
            p -= RATE * g
        return cost

    return call


def convolve(x, w):
    """True convolution without borders, of images and filters: a product of windows."""
    rows = w.shape[-1]
    windows = sliding_window_view(x, (rows, rows), axis=(2, 3))
    out = np.tensordot(windows, w[:, :, ::-1, ::-1], axes=((1, 4, 5), (1, 2, 3)))
    return out.transpose(0, 3, 1, 2), windows


def convolve_back(g, windows, w, inner=True):
    """The gradients of filters and, if wanted, of images."""
    gw = np.tensordot(g, windows, axes=((0, 2, 3), (0, 2, 3)))[:, :, ::-1, ::-1]
    if not inner:
        return gw, None
    n = w.shape[-1] - 1
    padded = np.pad(g, ((0, 0), (0, 0), (n, n), (n, n)))
    around = sliding_window_view(padded, w.shape[2:], axis=(2, 3))
    gx = np.tensordot(around, w, axes=((1, 4, 5), (0, 2, 3))).transpose(0, 3, 1, 2)
    return gw, gx


def pool(x):
    """The largest of each 2 x 2, and where it was."""
    n, k, rows, columns = x.shape
    blocks = x.reshape(n, k, rows // 2, 2, columns // 2, 2)
    top = blocks.max(axis=(3, 5))
    return top, blocks == top[:, :, :, None, :, None]


def pool_back(g, where):
    n, k, rows, _, columns, _ = where.shape
    return (where * g[:, :, :, None, :, None]).reshape(n, k, 2 * rows, 2 * columns)


def lenet(*values):
    def step(params, x, t):
        w1, b1, w2, b2, w3, b3, w4, b4 = params
        rows = np.arange(len(t))
        c1, windows1 = convolve(x, w1)
        p1, where1 = pool(c1)
        h1 = np.tanh(p1 + b1[:, None, None])
        c2, windows2 = convolve(h1, w2)
        p2, where2 = pool(c2)
        h2 = np.tanh(p2 + b2[:, None, None])
        flat = h2.reshape(len(t), -1)
        h3 = np.tanh(flat @ w3 + b3)
        z = h3 @ w4 + b4
        z -= z.max(axis=1, keepdims=True)
        total = np.exp(z).sum(axis=1, keepdims=True)
        cost = -(z - np.log(total))[rows, t].mean()
        g4 = np.exp(z) / total
        g4[rows, t] -= 1
        g4 /= np.float32(len(t))
        g3 = (g4 @ w4.T) * (1 - h3 * h3)
        g2 = (g3 @ w3.T).reshape(h2.shape) * (1 - h2 * h2)
        gw2, back = convolve_back(pool_back(g2, where2), windows2, w2)
        g1 = back * (1 - h1 * h1)
        gw1, _ = convolve_back(pool_back(g1, where1), windows1, w1, inner=False)
        sums = g1.sum((0, 2, 3)), g2.sum((0, 2, 3)), g3.sum(0), g4.sum(0)
        return cost, (gw1, sums[0], gw2, sums[1], flat.T @ g3, sums[2], h3.T @ g4, sums[3])

    return descend(step, values)


def rnn(*values):
    def step(params, x):
        w, u, b = params
        steps, batch, _ = x.shape
        z = x @ w + b
        h = np.zeros((steps + 1, batch, u.shape[0]), x.dtype)
        for t in range(steps):
            h[t + 1] = np.tanh(z[t] + h[t] @ u)
        made = h[1:]
        g = (np.float32(2) / made.size) * made
        gz = np.empty_like(made)
        back = np.zeros_like(h[0])
        for t in reversed(range(steps)):
            gz[t] = (g[t] + back) * (1 - made[t] * made[t])
            back = gz[t] @ u.T
        rows = gz.reshape(-1, u.shape[0])
        gw, gu = x.reshape(len(rows), -1).T @ rows, h[:-1].reshape(len(rows), -1).T @ rows
        return (made**2).mean(), (gw, gu, rows.sum(0))

    return descend(step, values)


def rnn_last(w, u):
    def call(x, start):
        h = start
        for z in x @ w:
            h = np.tanh(z + h @ u)
        return h

    return call


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(*values):
    def step(params, x):
        w, u, b = params
        steps, batch, _ = x.shape
        n = u.shape[0]
        z = x @ w + b
        h, c = (np.zeros((steps + 1, batch, n), x.dtype) for _ in range(2))
        gates = np.empty((steps, batch, 4 * n), x.dtype)
        for t in range(steps):
            a = z[t] + h[t] @ u
            gates[t] = _sigmoid(a)
            gates[t, :, 2 * n : 3 * n] = np.tanh(a[:, 2 * n : 3 * n])
            i, f, new, o = np.split(gates[t], 4, axis=1)
            c[t + 1] = f * c[t] + i * new
            h[t + 1] = o * np.tanh(c[t + 1])
        made = h[1:]
        g = (np.float32(2) / made.size) * made
        ga = np.empty_like(gates)
        gh, gc = np.zeros_like(h[0]), np.zeros_like(h[0])
        for t in reversed(range(steps)):
            i, f, new, o = np.split(gates[t], 4, axis=1)
            gh = g[t] + gh
            tc = np.tanh(c[t + 1])
            gc = gc + gh * o * (1 - tc * tc)
            parts = (
                gc * new * i * (1 - i),
                gc * c[t] * f * (1 - f),
                gc * i * (1 - new * new),
                gh * tc * o * (1 - o),
            )
            ga[t] = np.concatenate(parts, axis=1)
            gh, gc = ga[t] @ u.T, gc * f
        rows = ga.reshape(-1, 4 * n)
        gw, gu = x.reshape(len(rows), -1).T @ rows, h[:-1].reshape(len(rows), -1).T @ rows
        return (made**2).mean(), (gw, gu, rows.sum(0))

    return descend(step, values)


def gru(*values):
    def step(params, x):
        w, u, b = params
        steps, batch, _ = x.shape
        n = u.shape[0]
        z = x @ w + b
        h = np.zeros((steps + 1, batch, n), x.dtype)
        kept = []
        for t in range(steps):
            inner = h[t] @ u
            r, s = np.split(_sigmoid(z[t, :, : 2 * n] + inner[:, : 2 * n]), 2, axis=1)
            new = np.tanh(z[t, :, 2 * n :] + r * inner[:, 2 * n :])
            h[t + 1] = (1 - s) * new + s * h[t]
            kept.append((r, s, new, inner[:, 2 * n :]))
        made = h[1:]
        g = (np.float32(2) / made.size) * made
        gz, gi = np.empty_like(z), np.empty_like(z)
        gh = np.zeros_like(h[0])
        for t in reversed(range(steps)):
            r, s, new, inner = kept[t]
            gh = g[t] + gh
            gn = gh * (1 - s) * (1 - new * new)
            gr = gn * inner * r * (1 - r)
            gs = gh * (h[t] - new) * s * (1 - s)
            gz[t] = np.concatenate((gr, gs, gn), axis=1)
            gi[t] = np.concatenate((gr, gs, gn * r), axis=1)
            gh = gh * s + gi[t] @ u.T
        rows, inside = gz.reshape(-1, 3 * n), gi.reshape(-1, 3 * n)
        gw, gu = x.reshape(len(rows), -1).T @ rows, h[:-1].reshape(len(rows), -1).T @ inside
        return (made**2).mean(), (gw, gu, rows.sum(0))

    return descend(step, values)
