"""What NanGuardMode costs on XLA: a step of gradient descent with it, beside the same without.

``--quick`` takes a tenth of the time, ``--only TEXT`` picks rows, ``--assert`` fails on a row that
misses its aim.
"""

import sys

import numpy as np
from timing import XLA, Row, asked, compare, numbers, print_heading, print_machine

import theano
import theano.tensor as T
from theano.compile.nanguardmode import NanGuardMode

AIM = 1.8
GUARDED = NanGuardMode(linker="xla")
#: batch, inputs, hidden units, classes
PERCEPTRONS = ((64, 784, 256, 10), (256, 784, 1024, 10), (600, 784, 500, 10), (20, 784, 500, 10))


def perceptron(mode, batch, width, hidden, classes):
    """A step for a perceptron of one hidden layer, as a call without arguments."""
    draw = np.random.default_rng(0)
    params = [
        theano.shared((0.01 * draw.normal(size=shape)).astype("float32"))
        for shape in ((width, hidden), (hidden,), (hidden, classes), (classes,))
    ]
    x, t = T.fmatrix("x"), T.lvector("t")
    W, b, V, c = params
    p = T.nnet.softmax(T.dot(T.tanh(T.dot(x, W) + b), V) + c)
    cost = T.nnet.categorical_crossentropy(p, t).mean()
    rate = np.float32(0.01)
    updates = [(v, v - rate * g) for v, g in zip(params, T.grad(cost, params), strict=True)]
    f = theano.function([x, t], cost, updates=updates, mode=mode)
    values = numbers(batch, width, dtype="float32"), draw.integers(0, classes, batch)
    return lambda: f(*values)


def elementwise(mode, n):
    x = T.dvector("x")
    f = theano.function([x], (T.exp(-T.sqr(x)) * T.sin(x) + x).sum(), mode=mode)
    values = numbers(n)
    return lambda: f(values)


def rows():
    for sizes in PERCEPTRONS:
        name = "perceptron {} x {}-{}-{}".format(*sizes)
        yield Row(name, AIM, lambda scale, s=sizes: pair(perceptron, *s), "unguarded")
    # all of it is looked at, and little is computed: no aim, to be known
    for n in (10**4, 10**6):
        name = f"elementwise, {n} numbers"
        yield Row(name, float("inf"), lambda scale, n=n: pair(elementwise, n), "unguarded")


def pair(make, *args):
    return make(GUARDED, *args), make(XLA, *args)


def main() -> int:
    options = asked(__doc__)
    print_machine()
    print_heading()
    missed = 0
    for one in rows():
        if options.only in one.name:
            found = compare(one, 0.3 if options.quick else 3.0, 1.0)
            print(found, flush=True)
            missed += not found.met
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
