"""Graphs of loops do not depend on where their variables lie in memory."""

import io

import numpy as np

import theano
import theano.tensor as T


def gradient_of_a_loop():
    x = T.dmatrix("x")
    out, _ = theano.scan(
        lambda row, s: T.tanh(row + s) * T.exp(row).sum() * T.cosh(s.sum()), x, T.zeros(3)
    )
    text = io.StringIO()
    theano.printing.debugprint([out, T.grad(out[-1].sum(), x)], file=text)
    return text.getvalue()


def test_the_gradient_of_a_loop_is_one_graph_wherever_its_variables_lie():
    rng, held, texts = np.random.RandomState(0), [], set()
    for _ in range(20):
        held += [bytearray(n) for n in rng.randint(1, 400, size=3000)]
        held = [held[i] for i in rng.permutation(len(held))[:3000]]
        texts.add(gradient_of_a_loop())
    assert len(texts) == 1
