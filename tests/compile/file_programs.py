"""Programs of every kind of op, as a dict that a graph file holds; and what they compute."""

from __future__ import annotations

import numpy as np

import theano
import theano.sparse
import theano.tensor as T
from theano import distributed as dist
from theano.ifelse import ifelse
from theano.sandbox.rng_mrg import MRG_RandomStreams
from theano.tensor.nnet import conv2d
from theano.tensor.shared_randomstreams import RandomStreams
from theano.tensor.signal.pool import pool_2d

RNG = np.random.default_rng(22)


def arrays(*shape):
    return RNG.normal(size=shape)


def recurrent():
    x = T.dtensor3("x")
    w, u = theano.shared(arrays(3, 4), "w"), theano.shared(arrays(4, 4), "u")
    h, _ = theano.scan(lambda x, h: T.tanh(x @ w + h @ u), x, T.zeros((x.shape[1], 4)), name="rnn")
    cost = (h[-1] ** 2).sum()
    return [x], [cost, *T.grad(cost, [w, u])], [arrays(5, 2, 3)]


def loops():
    n, x = T.iscalar("n"), T.dvector("x")
    fib, _ = theano.scan(
        lambda a, b: a + b, outputs_info=[{"initial": x, "taps": [-2, -1]}], n_steps=n
    )
    ends, _ = theano.scan(
        lambda v: (v * 2, theano.scan_module.until(v > 20)), outputs_info=x[0], n_steps=50
    )
    nested, _ = theano.map(lambda v: theano.reduce(lambda a, b: a * v + b, x, v)[0], x)
    return [n, x], [fib, ends, nested], [np.int32(6), np.array([1.0, 2.0])]


def ops_of_graphs():
    x, y = T.dvectors("x", "y")
    w = theano.shared(arrays(3), "w")
    op = theano.OpFromGraph([x, y], [x * w + y, T.exp(x)], name="affine")
    a, b = op(x, y)
    twice = theano.OpFromGraph([x], [op(x, x)[0].sum()], inline=True)
    return [x, y], [a, twice(b), T.grad(a.sum(), y)], [arrays(3), arrays(3)]


def branches():
    x = T.dvector("x")
    return [x], [ifelse(T.gt(x.sum(), 0), T.log(x), x[::-1])], [np.array([1.0, 2.0, 3.0])]


def network():
    x = T.dtensor4("x")
    w = theano.shared(arrays(2, 1, 3, 3), "filters")
    h = pool_2d(T.nnet.relu(conv2d(x, w, border_mode="half")), (2, 2), ignore_border=True)
    p = T.nnet.softmax(h.flatten(2))
    cost = T.nnet.categorical_crossentropy(p, T.constant([0, 3])).mean()
    return [x], [p, cost, T.grad(cost, w)], [arrays(2, 1, 4, 4)]


def indices():
    x, i = T.dmatrix("x"), T.lvector("i")
    y = T.set_subtensor(x[1:, ::-2], 0.5)
    z = T.inc_subtensor(y[i], x[i] * 2)
    return [x, i], [z, z[x > 0], x[i, i], x.T.reshape((-1, 2))], [arrays(4, 4), np.array([0, 2, 2])]


def sparse():
    x = theano.sparse.csr_matrix("x")
    y = theano.sparse.structured_dot(x, T.constant(arrays(3, 2)))
    import scipy.sparse

    value = scipy.sparse.csr_matrix(np.array([[0, 1.5, 0], [2.0, 0, 0]]))
    return [x], [y, theano.sparse.dense_from_sparse(x + x)], [value]


def typed_lists():
    tl = theano.typed_list.TypedListType(T.dvector)("tl")
    return [tl], [theano.typed_list.length(tl), tl[0] + tl[1]], [[arrays(2), arrays(2)]]


def batches():
    x = T.dmatrix("x")
    a = T.dvector("a")
    sorted_rows = theano.vectorize(T.cumsum(a) @ a, {a: x})
    return [x], [sorted_rows], [arrays(3, 4)]


def complex_numbers():
    z = T.zvector("z")
    return [z], [T.exp(z) * (1 - 2j), abs(z)], [arrays(9) + 1j * arrays(9)]


def split():
    x = T.dmatrix("x")
    return [x], [dist.constrain(x, dist.mesh({"data": 1})["data"]).sum(0)], [arrays(2, 3)]


def draws():
    streams, mrg = RandomStreams(3), MRG_RandomStreams(4)
    return [], [streams.normal((3,)), streams.permutation(n=4), mrg.uniform((2, 2))], []


PROGRAMS = [
    recurrent, loops, ops_of_graphs, branches, network, indices, sparse, typed_lists, batches,
    complex_numbers, split, draws,
]  # fmt: skip
