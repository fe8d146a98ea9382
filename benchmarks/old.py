"""The same programs here and in Theano 1.0.5 with its C code: first results and steady steps.

    python benchmarks/old.py PYTHON

PYTHON is the interpreter of an environment with Theano 1.0.5 and a C++ compiler beside it. This
file runs unchanged in both; each figure comes from a process of its own, the two in turns, with
nothing compiled before. Steady times are the best of blocks of calls, of two runs.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np


def softmax_regression(theano, T, share):
    x, y = T.fmatrix("x"), T.lvector("y")
    w, b = share(784, 10), share(10)
    p = T.nnet.softmax(T.dot(x, w) + b)
    return [x, y], -T.mean(T.log(p)[T.arange(y.shape[0]), y]), [w, b], (400, 784)


def perceptron(theano, T, share):
    x, y = T.fmatrix("x"), T.lvector("y")
    w, b, v, c = share(784, 500), share(500), share(500, 10), share(10)
    p = T.nnet.softmax(T.dot(T.tanh(T.dot(x, w) + b), v) + c)
    return [x, y], -T.mean(T.log(p)[T.arange(y.shape[0]), y]), [w, b, v, c], (100, 784)


def lenet(theano, T, share):
    from theano.tensor.signal.pool import pool_2d

    x, y = T.ftensor4("x"), T.lvector("y")
    w1, b1, w2, b2 = share(20, 1, 5, 5), share(20), share(50, 20, 5, 5), share(50)
    w3, b3, w4, b4 = share(800, 500), share(500), share(500, 10), share(10)
    h = x
    for w, b in ((w1, b1), (w2, b2)):
        h = T.tanh(T.nnet.conv2d(h, w) + b.dimshuffle("x", 0, "x", "x"))
        h = pool_2d(h, (2, 2), ignore_border=True)
    h = T.tanh(T.dot(h.flatten(2), w3) + b3)
    p = T.nnet.softmax(T.dot(h, w4) + b4)
    cost = -T.mean(T.log(p)[T.arange(y.shape[0]), y])
    return [x, y], cost, [w1, b1, w2, b2, w3, b3, w4, b4], (20, 1, 28, 28)


PROGRAMS = {f.__name__: f for f in (softmax_regression, perceptron, lenet)}


def measure(name: str) -> dict:
    """Seconds to the first result beyond the import, and of a step when it has settled."""
    import theano
    import theano.tensor as T

    rng = np.random.RandomState(0)

    def share(*shape):
        return theano.shared((0.05 * rng.randn(*shape)).astype("float32"))

    begun = time.perf_counter()
    inputs, cost, held, shape = PROGRAMS[name](theano, T, share)
    rate = np.float32(0.01)
    updates = [(p, p - rate * g) for p, g in zip(held, T.grad(cost, held))]
    step = theano.function(inputs, cost, updates=updates)
    x, y = rng.randn(*shape).astype("float32"), rng.randint(0, 10, shape[0])
    step(x, y)
    first = time.perf_counter() - begun
    blocks, until = [], time.perf_counter() + 12
    while time.perf_counter() < until:
        begun = time.perf_counter()
        for _ in range(5):
            step(x, y)
        blocks.append((time.perf_counter() - begun) / 5)
    return {"first": first, "steady": min(blocks[len(blocks) // 2 :]), "cost": float(step(x, y))}


def apart(python: str, name: str) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        # 1.0.5 cannot ask today's NumPy for its BLAS: its products go through NumPy's C functions
        flags = {"THEANO_FLAGS": f"base_compiledir={folder},blas.ldflags="}
        done = subprocess.run(
            [python, "-W", "ignore", __file__, "--measure", name],
            env={**os.environ, **flags},
            stdout=subprocess.PIPE,
            check=True,
        )
    return json.loads(done.stdout.splitlines()[-1])


def main() -> int:
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(sys.argv[2])))
        return 0
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    print(f"{'':22}{'first result, s':>26}{'':10}{'step, ms':>22}")
    print(
        f"{'':22}{'ours':>10}{'1.0.5':>8}{'times sooner':>15}{'ours':>14}{'1.0.5':>9}{'faster':>9}"
    )
    missed = 0
    for name in PROGRAMS:
        runs = [[apart(python, name) for python in (sys.executable, sys.argv[1])] for _ in range(2)]
        ours, old = ([run[k] for run in runs] for k in (0, 1))
        first = [min(r["first"] for r in side) for side in (ours, old)]
        steady = [min(r["steady"] for r in side) for side in (ours, old)]
        sooner, faster = first[1] / first[0], steady[1] / steady[0]
        print(
            f"{name:22}{first[0]:10.2f}{first[1]:8.1f}{sooner:15.0f}"
            f"{1e3 * steady[0]:14.2f}{1e3 * steady[1]:9.2f}{faster:9.1f}",
            flush=True,
        )
        missed += sooner < 30 or faster < 2
    print("aims: 30 times sooner, 2 times faster" + (f"; {missed} missed" if missed else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
