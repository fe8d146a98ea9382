"""What each advice of docs/tutorial/performance.md gains, as a ratio: before over after.

Both forms run in turn in one process, with one thread; the ratio is of the least processor times,
which a busy machine changes little. ``--quick`` measures briefly.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

import numpy as np
from timing import asked, print_machine

import theano
import theano.tensor as T

Case = tuple[str, Callable[[], object], Callable[[], object]]
RNG = np.random.default_rng(0)
NUMPY, XLA = theano.Mode("numpy"), theano.Mode("xla")


def ratio(before: Callable[[], object], after: Callable[[], object], times: int) -> float:
    """How many times as long the first takes."""
    least = [float("inf")] * 2
    for turn in range(times):
        for which in (turn % 2, 1 - turn % 2):
            start = time.process_time()
            (before, after)[which]()
            least[which] = min(least[which], time.process_time() - start)
    return least[0] / least[1]


def often(f: Callable[..., object], *args: object) -> Callable[[], object]:
    def run() -> None:
        for _ in range(1000):
            f(*args)

    return run


def loops() -> Iterator[Case]:
    x, h, xs = T.dvector("x"), T.dvector("h"), T.dmatrix("xs")
    w = theano.shared(RNG.normal(size=(10, 10)), "w")

    def step(x, h):
        return T.tanh(x + T.dot(w, h))

    one = theano.function([x, h], step(x, h))
    hs, _ = theano.scan(step, sequences=xs, outputs_info=h)
    rows, first = RNG.normal(size=(1000, 10)), np.zeros(10)

    def in_python():
        h = first
        for row in rows:
            h = one(row, h)
        return h

    for name, mode in (("NumPy", NUMPY), ("XLA", XLA)):
        loop = theano.function([xs, h], hs[-1], mode=mode)
        yield (
            f"1,000 calls -> one scan, on {name}",
            in_python,
            lambda loop=loop: loop(rows, first),
        )


def arguments() -> Iterator[Case]:
    x = T.dvector("x")
    f, trusts = theano.function([x], x + 1), theano.function([x], x + 1)
    trusts.trust_input = True
    v = np.ones(10)
    yield "a list -> an array, 10 numbers", often(f, v.tolist()), often(f, v)
    yield "float32 -> float64 for a float64 input", often(f, v.astype("float32")), often(f, v)
    yield "trust_input", often(f, v), often(trusts, v)


def dtypes() -> Iterator[Case]:
    for name, mode in (("NumPy", NUMPY), ("XLA", XLA)):
        run = []
        for dtype in ("float64", "float32"):
            x, w = T.matrix("x", dtype=dtype), RNG.normal(size=(500, 500)).astype(dtype)
            f = theano.function([x], T.tanh(T.dot(x, theano.shared(w))), mode=mode)
            run.append(lambda f=f, w=w: f(w))
        yield f"float64 -> float32, tanh(X @ W) of 500 x 500, on {name}", *run


def state() -> Iterator[Case]:
    n, g = 1_000_000, T.dvector("g")
    p, q, d = theano.shared(np.ones(n)), theano.shared(np.ones(n)), RNG.normal(size=n)
    for name, mode in (("NumPy", NUMPY), ("XLA", XLA)):
        updates = theano.function([g], [], updates=[(p, p - 0.1 * g)], mode=mode)
        returns = theano.function([g], q - 0.1 * g, mode=mode)
        yield (
            f"set_value(f(g)) -> updates, 1e6 numbers, on {name}",
            lambda returns=returns: q.set_value(returns(d)),
            lambda updates=updates: updates(d),
        )
    yield (
        "get_value() -> get_value(borrow=True), 1e6",
        p.get_value,
        lambda: p.get_value(borrow=True),
    )


def batches() -> Iterator[Case]:
    x, w = T.dmatrix("x"), theano.shared(RNG.normal(size=(784, 10)))
    f, d = (
        theano.function([x], T.nnet.sigmoid(T.dot(x, w)), mode=NUMPY),
        RNG.normal(size=(512, 784)),
    )

    def by(n: int) -> Callable[[], object]:
        return lambda: [f(d[k : k + n]) for k in range(0, 512, n)]

    yield "512 rows, batches of 1 -> 64", by(1), by(64)
    yield "512 rows, batches of 64 -> 512", by(64), by(512)


def memory() -> Iterator[Case]:
    x = T.dvector("x")
    z = x
    for _ in range(6):
        z = T.cumsum(T.sqrt(z * z + 1))
    keeps = theano.Mode("cvm_nogc")
    f, g = theano.function([x], z, mode=theano.Mode("cvm")), theano.function([x], z, mode=keeps)
    d = np.ones(300_000)
    yield "allow_gc True -> False, 12 arrays of 300,000", lambda: f(d), lambda: g(d)


def lengths() -> Iterator[Case]:
    x, w = T.dmatrix("x"), theano.shared(RNG.normal(size=(50, 50)))
    y = T.tanh(T.dot(T.tanh(T.dot(x, w)), w)).sum()
    usual = theano.function([x], y)
    turn = iter(range(1, 10_000))

    def forced():
        f = theano.function([x], y, mode=XLA)
        return [f(np.ones((next(turn), 50))) for _ in range(10)]

    yield (
        "10 new lengths, linker=xla -> default",
        forced,
        lambda: [usual(np.ones((next(turn), 50))) for _ in range(10)],
    )


FIRST = """
import jax, jax.numpy, numpy as np, time, theano, theano.tensor as T
x = T.dmatrix("x")
ws = [theano.shared(np.ones((50, 50))) for _ in range(4)]
h = x
for w in ws:
    h = T.tanh(T.dot(h, w))
updates = [(w, w - g) for w, g in zip(ws, T.grad(h.sum(), ws))]
f = theano.function([x], [], updates=updates, mode=theano.Mode("xla"))
start = time.process_time()
f(np.ones((20, 50)))
print(time.process_time() - start)
"""


def first_calls() -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as room:
        env = {**os.environ, "THEANO_FLAGS": f"base_compiledir={room}"}
        took = [
            float(
                subprocess.run(
                    [sys.executable, "-c", FIRST], env=env, stdout=subprocess.PIPE
                ).stdout
            )
            for _ in range(3)
        ]
    return took[0], min(took[1:])


def main() -> None:
    quick = asked("--quick")
    print_machine()
    for cases in (loops, arguments, dtypes, state, batches, memory, lengths):
        for name, before, after in cases():
            times = (2 if quick else 5) if cases is lengths else 4 if quick else 60
            before(), after()
            print(f"{name:55} {ratio(before, after, times):8.2f}")
    cold, warm = first_calls()
    print(f"{'first call, disk cache empty -> filled':55} {cold / warm:8.2f}")


if __name__ == "__main__":
    main()
