"""Programs that train on a mesh of eight devices and on one: run as a program, in a process.

    python programs.py NAME DTYPE

prints, as JSON, the collectives of a step, the largest difference of parameters after 20 steps to
those of the same program on one device, and how many bytes of state a step writes in place.
"""

import json
import sys

import numpy as np

import theano
import theano.tensor as T
from theano import In, distributed as dist
from theano._src.engines.jax import backend
from theano._src.engines.mesh.collectives import collectives_in, summed
from theano.sandbox.rng_mrg import MRG_RandomStreams
from theano.tensor.signal.pool import pool_2d

STEPS = 20


def shared(value, name, sharding):
    return theano.shared(np.asarray(value, theano.config.floatX), name, sharding=sharding)


def descend(cost, params, rate=0.1):
    grads = T.grad(cost, params)
    return [(p, p - np.asarray(rate, theano.config.floatX) * g) for p, g in zip(params, grads)]


def images(count=256, shape=(784,)):
    rng = np.random.RandomState(0)
    flat = rng.randn(count, *shape).astype(theano.config.floatX)
    return flat, rng.randint(0, 10, count)


def split(variable, sharding):
    return variable if sharding is None else In(variable, sharding=sharding)


def logistic(mesh):
    whole, rows = (None, None) if mesh is None else (mesh.replicated, mesh["data"])
    x, y = T.matrix("x"), T.lvector("y")
    W, b = shared(np.zeros((784, 10)), "W", whole), shared(np.zeros(10), "b", whole)
    cost = T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(x, W) + b), y).mean()
    f = theano.function([split(x, rows), split(y, rows)], cost, updates=descend(cost, [W, b]))
    return f, [W, b], images()


def perceptron(mesh, first, second, rows, hidden=None):
    """784-512-10; ``first`` and ``second`` are the shardings of weights and biases."""
    rng = np.random.RandomState(1)
    x, y = T.matrix("x"), T.lvector("y")
    W1 = shared(rng.randn(784, 512) * 0.05, "W1", first[0])
    b1 = shared(np.zeros(512), "b1", first[1])
    W2 = shared(rng.randn(512, 10) * 0.05, "W2", second[0])
    b2 = shared(np.zeros(10), "b2", second[1])
    h = T.tanh(T.dot(x, W1) + b1)
    h = h if hidden is None else dist.constrain(h, hidden)
    cost = T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(h, W2) + b2), y).mean()
    params = [W1, b1, W2, b2]
    f = theano.function([split(x, rows), split(y, rows)], cost, updates=descend(cost, params))
    return f, params, images()


def data_parallel(mesh):
    if mesh is None:
        return perceptron(None, (None, None), (None, None), None)
    whole = (mesh.replicated,) * 2
    return perceptron(mesh, whole, whole, mesh["data"])


def tensor_parallel(mesh):
    if mesh is None:
        return perceptron(None, (None, None), (None, None), None)
    first = (mesh[None, "model"], mesh["model"])
    second = (mesh["model"], mesh.replicated)
    return perceptron(mesh, first, second, mesh["data"] if "data" in mesh.axes else None)


def fully_sharded(mesh):
    if mesh is None:
        return perceptron(None, (None, None), (None, None), None)
    rows = mesh["data"]
    return perceptron(mesh, (rows, rows), (rows, mesh.replicated), rows, rows)


def recurrent(mesh):
    """Twenty steps; batches are the second dimension of what is fed in."""
    whole, columns = (None, None) if mesh is None else (mesh.replicated, mesh[None, "data"])
    rng = np.random.RandomState(2)
    x, y = T.tensor3("x"), T.lvector("y")
    U = shared(rng.randn(64, 128) * 0.1, "U", whole)
    V = shared(rng.randn(128, 128) * 0.1, "V", whole)
    W = shared(rng.randn(128, 10) * 0.1, "W", whole)
    start = T.zeros((x.shape[1], 128))
    h, _ = theano.scan(lambda e, h: T.tanh(T.dot(e, U) + T.dot(h, V)), x, start)
    cost = T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(h[-1], W)), y).mean()
    rows = None if mesh is None else mesh["data"]
    params = [U, V, W]
    f = theano.function([split(x, columns), split(y, rows)], cost, updates=descend(cost, params))
    data = rng.randn(20, 64, 64).astype(theano.config.floatX)
    return f, params, (data, rng.randint(0, 10, 64))


def convolutional(mesh):
    """LeNet with dropout by MRG streams."""
    whole, rows = (None, None) if mesh is None else (mesh.replicated, mesh["data"])
    rng = np.random.RandomState(3)
    x, y = T.tensor4("x"), T.lvector("y")
    K = shared(rng.randn(8, 1, 5, 5) * 0.1, "K", whole)
    L = shared(rng.randn(16, 8, 5, 5) * 0.1, "L", whole)
    W = shared(rng.randn(256, 10) * 0.1, "W", whole)
    h = pool_2d(T.tanh(T.nnet.conv2d(x, K)), (2, 2), ignore_border=True)
    h = pool_2d(T.tanh(T.nnet.conv2d(h, L)), (2, 2), ignore_border=True)
    h = h.flatten(2)
    h = h * MRG_RandomStreams(7).binomial(h.shape, p=0.5, dtype=theano.config.floatX)
    cost = T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(h, W)), y).mean()
    params = [K, L, W]
    f = theano.function([split(x, rows), split(y, rows)], cost, updates=descend(cost, params))
    return f, params, images(64, (1, 28, 28))


PROGRAMS = {
    "logistic regression": (logistic, {"data": -1}),
    "perceptron, data parallel": (data_parallel, {"data": -1}),
    "perceptron, tensor parallel": (tensor_parallel, {"model": -1}),
    "perceptron, data and tensor parallel": (tensor_parallel, {"data": 4, "model": 2}),
    "perceptron, fully sharded": (fully_sharded, {"data": -1}),
    "recurrent network, data parallel": (recurrent, {"data": -1}),
    "convolutional network with dropout": (convolutional, {"data": -1}),
}


def collectives(f):
    texts = [stage.texts(key)[1] for stage in f.fn.stages for key in stage.table]
    return summed(c for text in texts for c in collectives_in(text))


def written_in_place(f):
    """Bytes of results that have the memory of an argument, on each device."""
    (stage,) = [stage for stage in f.fn.stages if stage.state]
    (program,) = stage.table.values()
    return backend.memory_of(program.compiled)["reused"]


def main(name, dtype):
    theano.config.floatX = dtype
    program, axes = PROGRAMS[name]
    alone, params, data = program(None)
    spread, split_params, _ = program(dist.mesh(axes))
    for _ in range(STEPS):
        costs = alone(*data), spread(*data)
    pairs = [(p.get_value(), q.get_value()) for p, q in zip(params, split_params)]
    said = {
        "collectives": collectives(spread),
        "difference": max(float(abs(a - b).max()) for a, b in pairs),
        "costs": [float(c) for c in costs],
        "in place": written_in_place(spread),
        "state": [p.container.storage[0].addressable_shards[0].data.nbytes for p in split_params],
    }
    print(json.dumps(said))


if __name__ == "__main__":
    main(*sys.argv[1:])
