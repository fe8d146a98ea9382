"""LeNet and recurrent nets in the Theano language: ``conv2d``, ``pool_2d``, ``scan``."""

import theano
import theano.tensor as T


def lenet_cost(params, x, t):
    from theano.tensor.nnet import conv2d
    from theano.tensor.signal.pool import pool_2d

    w1, b1, w2, b2, w3, b3, w4, b4 = params
    layer = pool_2d(conv2d(x, w1), (2, 2), ignore_border=True)
    h = T.tanh(layer + b1.dimshuffle("x", 0, "x", "x"))
    layer = pool_2d(conv2d(h, w2), (2, 2), ignore_border=True)
    h = T.tanh(layer + b2.dimshuffle("x", 0, "x", "x"))
    h = T.tanh(T.dot(h.flatten(2), w3) + b3)
    p = T.nnet.softmax(T.dot(h, w4) + b4)
    return T.nnet.categorical_crossentropy(p, t).mean()


def _start(x, u):
    return T.zeros((x.shape[1], u.shape[0]), x.dtype)


def rnn_cost(params, x):
    w, u, b = params

    def step(z, h, u):
        return T.tanh(z + T.dot(h, u))

    made, _ = theano.scan(step, T.dot(x, w) + b, _start(x, u), non_sequences=u)
    return (made**2).mean()


def lstm_cost(params, x):
    w, u, b = params
    n = u.shape[0]

    def step(z, h, c, u):
        a = z + T.dot(h, u)
        i, f, o = (T.nnet.sigmoid(a[:, k * n : (k + 1) * n]) for k in (0, 1, 3))
        c = f * c + i * T.tanh(a[:, 2 * n : 3 * n])
        return o * T.tanh(c), c

    start = _start(x, u)
    (made, _), _ = theano.scan(step, T.dot(x, w) + b, [start, start], non_sequences=u)
    return (made**2).mean()


def gru_cost(params, x):
    w, u, b = params
    n = u.shape[0]

    def step(z, h, u):
        inner = T.dot(h, u)
        gates = T.nnet.sigmoid(z[:, : 2 * n] + inner[:, : 2 * n])
        r, s = gates[:, :n], gates[:, n:]
        new = T.tanh(z[:, 2 * n :] + r * inner[:, 2 * n :])
        return (1 - s) * new + s * h

    made, _ = theano.scan(step, T.dot(x, w) + b, _start(x, u), non_sequences=u)
    return (made**2).mean()
