"""Sparse matrices beside SciPy by hand, and loops and updates that hold them on both engines.

Logistic regression with an L2 term on matrices of 200,000 columns that store 50 elements a row: a
step in the default mode beside the same written by hand in NumPy and SciPy. A loop of 50 products
with a matrix of 500 x 500, with gradients, on XLA beside the numpy engine. A product that is taken
from 200,000 x 16 numbers, beside the same by hand; and a sparse gradient as an output beside a
state of 64 MB that one row is added to. Options as in ``xla.py``.
"""

import sys

import numpy as np
import scipy.sparse as sp
from timing import XLA, Row, asked, compare, numbers, print_heading, print_machine

import theano
import theano.sparse as S
import theano.tensor as T

COLUMNS, A_ROW = 200_000, 50
RATE, L2 = 0.1, 1e-4


def matrix(rows: int, seed: int, columns: int = COLUMNS, a_row: int = A_ROW, dtype="float64"):
    rng = np.random.default_rng(seed)
    n = int(rows * a_row * rng.uniform(0.97, 1.03))
    at = np.sort(rng.integers(0, rows, n)), rng.integers(0, columns, n)
    return sp.coo_matrix((rng.normal(size=n).astype(dtype), at), shape=(rows, columns)).tocsr()


def in_turn(values):
    """A function that gives the values again and again."""
    place = [-1]

    def take():
        place[0] = (place[0] + 1) % len(values)
        return values[place[0]]

    return take


def logistic(rows: int, count: int):
    """A step of ours until it has settled, and the same by hand."""
    data = [(matrix(rows, i), np.sign(numbers(rows))) for i in range(count)]
    w = theano.shared(np.zeros(COLUMNS))
    x, y = S.csr_matrix("x", dtype="float64"), T.dvector("y")
    cost = T.nnet.softplus(-y * S.dot(x, w)).mean() + L2 * (w**2).sum()
    f = theano.function([x, y], cost, updates=[(w, w - RATE * theano.grad(cost, w))])
    state = np.zeros(COLUMNS)

    def by_hand(x, y):
        z = -y * (x @ state)
        cost = np.logaddexp(0, z).mean() + L2 * (state @ state)
        state[:] -= RATE * (x.T @ (-y / (1 + np.exp(-z)) / len(y)) + 2 * L2 * state)
        return cost

    ours, theirs = in_turn(data), in_turn(data)
    for _ in range(300 if rows < 1000 else 60):
        f(*ours())
    w.set_value(np.zeros(COLUMNS))
    np.testing.assert_allclose(f(*data[0]), by_hand(*data[0]))
    np.testing.assert_allclose(f(*data[0]), by_hand(*data[0]))
    return lambda: f(*ours()), lambda: by_hand(*theirs())


def loop():
    """Fifty products in a loop, with gradients: XLA, and the numpy engine."""
    x, h0 = S.csr_matrix("x", dtype="float64"), T.dvector("h0")
    steps, _ = theano.scan(
        lambda h, x: T.tanh(S.structured_dot(x, h.dimshuffle(0, "x"))[:, 0]),
        outputs_info=h0, non_sequences=x, n_steps=50,
    )  # fmt: skip
    cost = (steps[-1] ** 2).sum()
    outs = [cost, *theano.grad(cost, [x, h0])]
    values = 0.1 * matrix(500, 0, 500, 10), numbers(500)
    made = [theano.function([x, h0], outs, mode=mode) for mode in (XLA, theano.Mode("numpy"))]
    for a, b in zip(*(f(*values) for f in made), strict=True):
        np.testing.assert_allclose(getattr(a, "data", a), getattr(b, "data", b), rtol=1e-8)
    return lambda: made[0](*values), lambda: made[1](*values)


def taken_away():
    """``w - rate * dot(x.T, g)`` in the default mode, and by hand."""
    start, g = numbers(COLUMNS, 16, dtype="float32"), numbers(256, 16, dtype="float32")
    value = matrix(256, 0, dtype="float32")
    w, v = theano.shared(start), T.fmatrix("v")
    x = S.csr_matrix("x", dtype="float32")
    f = theano.function([x, v], updates=[(w, w - np.float32(RATE) * S.dot(x.T, v))])
    state = start.copy()

    def by_hand():
        state[...] -= np.float32(RATE) * (value.T @ g)

    for _ in range(100):
        f(value, g)
    return lambda: f(value, g), by_hand


def beside_state():
    """A sparse gradient as an output beside an update of one row of a large state, and without."""
    value, b = matrix(256, 0, 2000), numbers(2000, 4)
    x, v, i = S.csr_matrix("x", dtype="float64"), T.dmatrix("v"), T.lscalar("i")
    w = theano.shared(np.zeros((1_000_000, 16), "float32"))
    cost = (S.structured_dot(x, v) ** 2).sum()
    g = theano.grad(cost, x)
    step = [(w, T.inc_subtensor(w[i], T.cast(cost, "float32")))]
    made = theano.function([x, v, i], g, updates=step, mode=XLA)
    without = theano.function([x, v], g, mode=XLA)
    return lambda: made(value, b, 3), lambda: without(value, b)


ROWS = [
    Row("logistic regression, 20,000 rows", 1.3, lambda scale: logistic(20_000, 2), "hand"),
    Row("logistic regression, 256 rows of changing number", 2.5,
        lambda scale: logistic(256, 20), "hand"),
    Row("loop of 50 products of 500 x 500, with gradients", 0.25, lambda scale: loop(), "NumPy"),
    Row("w - rate * dot(x.T, g), 200,000 x 16", 1.0, lambda scale: taken_away(), "hand"),
    Row("sparse output beside a state of 64 MB", 5.0, lambda scale: beside_state(), "no state"),
]  # fmt: skip


def main() -> int:
    options = asked(__doc__)
    print_machine()
    print_heading()
    missed = 0
    for one in ROWS:
        if options.only in f"{one.name} {one.beside}":
            found = compare(one, 0.3 if options.quick else 3.0, 1.0)
            print(found, flush=True)
            missed += not found.met
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
