"""Sparse programs take memory for what is stored, never for the whole matrix.

A matrix of 20,000 x 200,000 with 50 elements in each row stores 12 MB; as a dense one it would take
32 GB.
"""

import resource
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

import theano
import theano.sparse as S
import theano.tensor as T

ROWS, COLUMNS, EACH = 20_000, 200_000, 50


def big(kind="csr"):
    """The matrix, its rows or columns in order."""
    rng = np.random.default_rng(0)
    # one element in each stretch of columns, so that no place is drawn twice
    width = COLUMNS // EACH
    at = np.arange(EACH) * width + rng.integers(0, width, (ROWS, EACH))
    parts = (rng.normal(size=ROWS * EACH), at.reshape(-1), np.arange(ROWS + 1) * EACH)
    return sp.csr_matrix(parts, shape=(ROWS, COLUMNS)).asformat(kind)


def stored_bytes(x):
    return x.data.nbytes + x.indices.nbytes + x.indptr.nbytes


def logistic_step(x):
    w = theano.shared(np.zeros(COLUMNS), "w")
    t = np.where(np.arange(ROWS) % 2, 1.0, -1.0)
    cost = T.nnet.softplus(-t * S.dot(x, w)).mean() + 1e-3 * (w**2).sum()
    return [cost], [(w, w - 0.1 * theano.grad(cost, w))]


def sums(x):
    total = S.sp_sum(x, sparse_grad=True) + (S.sp_sum(x, 1, sparse_grad=True) ** 2).sum()
    return [S.sp_sum(x), S.sp_sum(x, 0), S.sp_sum(x, 1), theano.grad(total, x)], []


def products(x):
    d = theano.shared(np.ones((COLUMNS, 4)), "d")
    cost = (S.structured_dot(x, d) ** 2).sum()
    return [*theano.grad(cost, [x, d]), S.true_dot(x[:500], x.T), x.T.T], []


def slicing(x):
    rows = np.arange(0, ROWS, 7)
    return [x[100:5000, 5:90_000], x[rows], x[rows, rows], x[::2], x[3, 5]], []


def scaling(x):
    v, u = theano.shared(np.ones(COLUMNS), "v"), theano.shared(np.ones(ROWS), "u")
    scaled = S.row_scale(S.col_scale(x, v), u)
    cost = S.sp_sum(S.sqr(scaled), sparse_grad=True)
    return [scaled, S.mul_s_v(x, v), *theano.grad(cost, [x, u, v])], []


def structured(x):
    cost = S.sp_sum(S.tanh(x) + S.structured_sigmoid(x), sparse_grad=True)
    return [S.structured_exp(x), S.sqr(x), theano.grad(cost, x)], []


def elementwise(x):
    return [x - 2 * x, S.mul(x, x), S.gt(x, -x)], []


def tidying(x):
    return [-x, S.clean(x), S.remove0(x), S.cast(x, "float32")], []


def stacking(x):
    return [S.hstack([x, x], format=x.format), S.vstack([x, x], format=x.format)], []


PROGRAMS = (
    logistic_step,
    sums,
    products,
    slicing,
    scaling,
    structured,
    elementwise,
    tidying,
    stacking,
)


def peak_of(program, kind, mode):
    """The most bytes that a call of a function takes at once, beside its arguments."""
    value = big(kind)
    x = S.matrix(kind, "x", "float64")
    outs, updates = program(x)
    f = theano.function([x], outs, updates=updates, mode=mode)
    tracemalloc.start()
    try:
        f(value)
        return tracemalloc.get_traced_memory()[1] / stored_bytes(value)
    finally:
        tracemalloc.stop()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csr", "csc"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_a_call_takes_a_few_times_what_is_stored(program, kind):
    for mode in (theano.Mode("numpy"), None):
        assert peak_of(program, kind, mode) < 10, mode


@pytest.mark.slow
@pytest.mark.xla
def test_so_does_a_process_that_runs_them_on_xla():
    """Here the memory of XLA counts too, and that of its compiler."""
    made = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=True)
    before, after = map(int, made.stdout.split())
    assert after - before < 600e6


def _peak():
    """The most memory that this process has had, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


if __name__ == "__main__":
    for _kind in ("csr", "csc"):
        big(_kind)
    theano.function([], T.zeros(3) + 1, mode=theano.Mode("xla"))()
    _before = _peak()
    for _program in PROGRAMS:
        for _kind in ("csr", "csc"):
            peak_of(_program, _kind, theano.Mode("xla"))
    print(_before, _peak())
