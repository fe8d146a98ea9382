"""Work that is taken out of loops, and work that stays in."""

from __future__ import annotations

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.control.scan.op import Scan

x, w, u = T.dmatrices("xwu")
b = T.dvector("b")
X, W = np.random.default_rng(1).random((2, 4, 3)), np.eye(3) / 2


def loops(f):
    return [node for node in f.maker.fgraph.toposort() if isinstance(node.op, Scan)]


def rows_kept(f):
    """The shapes of one row of all that the loops of a function stack."""
    outputs = [node.op.split_outputs(node.outputs) for node in loops(f)]
    return [v.ndim - 1 for each in outputs for v in each.stacked_outputs if v]


def compiled(inputs, outputs, excluding=()):
    mode = theano.Mode("numpy").excluding(*excluding)
    return theano.function(inputs, outputs, mode=mode)


def rnn():
    return theano.scan(lambda e, h: T.tanh(T.dot(e, w) + T.dot(h, u)), x, T.zeros_like(x[0]))[0]


def test_products_with_elements_of_a_sequence_are_one_product_before_the_loop():
    f = compiled([x, w, u], rnn())
    names = [str(node.op) for node in f.maker.fgraph.toposort()]
    assert any(name in ("Dot22", "dot") for name in names)
    (loop,) = loops(f)
    assert sum("Gemv" in str(n.op) or "dot" in str(n.op).lower() for n in loop.op.order) == 1


@pytest.mark.parametrize("wrt", [w, u], ids=str)
def test_sums_of_outer_products_are_one_product_after_the_loop(wrt):
    g = theano.grad((rnn()[-1] ** 2).sum(), wrt)
    f = compiled([x, w, u], g)
    plain = compiled([x, w, u], g, excluding=["scan_pushout"])
    assert all(v.ndim < 2 for node in loops(f) for v in node.op.inner.states)
    assert any(v.ndim == 2 for node in loops(plain) for v in node.op.inner.states)
    np.testing.assert_allclose(f(X[0], W, W), plain(X[0], W, W), rtol=1e-12)


def test_a_sum_over_steps_keeps_no_rows_for_it():
    total, _ = theano.reduce(lambda e, s: s + T.sqr(w - e).sum(), x, np.asarray(0.0))
    f = compiled([x, w], total)
    assert rows_kept(f) == []
    np.testing.assert_allclose(f(X[0], W), sum(((W - e) ** 2).sum() for e in X[0]))


def test_a_sum_over_steps_of_rows_that_are_kept_anyhow_is_taken_out():
    def step(e, h, s):
        new = T.tanh(h + e)
        return new, s + new.sum()

    (rows, sums), _ = theano.scan(step, x, [b, np.asarray(0.0)])
    f = compiled([x, b], [rows, sums[-1]])
    (loop,) = loops(f)
    assert len(loop.op.inner.states) == 1
    found, total = f(X[0], np.zeros(3))
    np.testing.assert_allclose(total, found.sum(), rtol=1e-12)


@pytest.mark.parametrize("optimizer", [None, "fast_run"])
def test_a_sum_after_the_loop_takes_as_many_rows_as_there_are_steps(optimizer):
    rows, n = T.dtensor3("rows"), T.lscalar("n")
    totals, _ = theano.scan(
        lambda e, s: s + T.dot(e.T, e), rows, outputs_info=T.zeros((3, 3)), n_steps=n
    )
    f = theano.function([rows, n], totals[-1], mode=theano.Mode("numpy", optimizer))
    assert bool(loops(f)) == (optimizer is None)
    for steps in (1, 2):
        expected = np.einsum("tki,tkj->ij", X[:steps], X[:steps])
        np.testing.assert_allclose(f(X, steps), expected)
    with pytest.raises(ValueError):
        f(X, 5)  # there are two rows
    with pytest.raises((IndexError, AssertionError)):
        f(X, 0)  # no step is the last


def test_rows_declared_of_length_1_are_not_repeated_where_the_loop_does_not():
    rows, first = T.TensorType("float64", (False, False, True))("rows"), T.dmatrix("first")
    inner = [T.dmatrix(), T.dmatrix()]
    step = inner[1] + T.dot(inner[0].T, inner[0])
    (total,) = Scan(inner, [step], 1, 1, [False], [True])(
        rows.shape[0], rows, first, return_list=True
    )
    f = compiled([rows, first], total)
    assert not loops(f)
    values = np.arange(6.0).reshape(3, 2, 1)
    assert f(values, np.ones((1, 1))).tolist() == [[1 + (values**2).sum()]]
    with pytest.raises(ValueError, match="mis-match"):
        f(values, np.ones((2, 2)))
