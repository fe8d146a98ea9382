"""Costs of the last row: the reverse pass starts with its gradient, and adds no rows of zeros."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.control.test_scan import compiled, engines
from theano._src.control.scan.op import Scan
from theano._src.graph.walk import nodes_of

x, h0, w = T.dmatrix("x"), T.dvector("h0"), T.dmatrix("w")
RNG = np.random.default_rng(11)
X, H0, W = RNG.random((5, 3)), RNG.random(3), RNG.random((3, 3))


def rows(**options):
    return theano.scan(lambda e, h: T.tanh(e + T.dot(h, w)), x, h0, **options)[0]


def loops_in(outputs):
    return [node.op for node in nodes_of(outputs) if isinstance(node.op, Scan)]


#: costs, and the sequences of the reverse pass: elements, states before and after, rows added
COSTS = {
    "the last row": (lambda h: (h[-1] ** 3).sum(), 2),
    "the last row twice": (lambda h: h[-1].sum() * h[-1].prod(), 3),
    "the last row by a positive index": (lambda h: (h[4] ** 3).sum(), 3),
    "the last but one": (lambda h: (h[-2] ** 3).sum(), 3),
    "part of the last row": (lambda h: h[-1, 1] ** 2, 3),
    "all rows and the last": (lambda h: (h**2).sum() + h[-1].sum(), 3),
    "the last rows": (lambda h: (h[-1:] ** 2).sum(), 3),
}


@engines
@pytest.mark.parametrize("name", COSTS)
def test_gradients_of_some_rows_are_those_of_all_rows_weighted(name, linker):
    cost, sequences = COSTS[name]
    gradients = theano.grad(cost(rows()), [x, h0, w])
    (backward,) = [op for op in loops_in(gradients) if "grad" in (op.name or "")]
    assert backward.n_sequences == sequences
    # the same cost, through an array that is not known to be indexed
    every = T.dmatrix("every")
    slopes = theano.grad(cost(every), every)
    whole = theano.grad(
        None, [x, h0, w], known_grads={rows(): theano.clone(slopes, {every: rows()})}
    )
    f = compiled(linker, [x, h0, w], [*gradients, *whole])
    results = f(X, H0, W)
    for one, other in zip(results[:3], results[3:], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-15)


@engines
def test_the_last_of_no_rows_is_an_error_for_its_gradient_too(linker):
    f = compiled(linker, [x, h0, w], theano.grad(rows()[-1].sum(), w))
    assert f(X, H0, W).any()
    with pytest.raises(IndexError):
        f(X[:0], H0, W)


@engines
def test_second_derivatives_of_the_last_row(linker):
    first = theano.grad((rows()[-1] ** 2).sum(), h0)
    second = theano.grad((first**2).sum(), h0)
    slope = compiled(linker, [x, h0, w], second)(X, H0, W)
    f = compiled(linker, [x, h0, w], (first**2).sum())
    eps = 1e-6
    by_differences = [
        (f(X, H0 + eps * d, W) - f(X, H0 - eps * d, W)) / (2 * eps) for d in np.eye(3)
    ]
    np.testing.assert_allclose(slope, by_differences, rtol=1e-6)


def test_blocks_of_one_step_hold_no_loop():
    blocks, _ = theano.scan_checkpoints(lambda e, h: T.tanh(e + h), x, h0, save_every_N=1)
    (loop,) = loops_in([blocks])
    assert not loops_in(loop.inner_outputs)
    (backward,) = [
        op for op in loops_in(theano.grad(blocks[-1].sum(), [h0])) if "grad" in (op.name or "")
    ]
    # elements and states before: what is between is computed again
    assert backward.n_sequences <= 3 and not loops_in(backward.inner_outputs)
