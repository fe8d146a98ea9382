"""Gradients of a scalar formula by a vector are as exact as those of a vector."""

import numpy as np
import pytest

import theano
import theano.tensor as T

ENGINES = ["numpy", pytest.param("xla", marks=pytest.mark.xla)]
X = np.array([1.0, 2.0])


@pytest.mark.parametrize("linker", ENGINES)
@pytest.mark.parametrize("with_cost", [False, True])
@pytest.mark.parametrize("scale", [-400.0, 0.0, 400.0])
def test_the_gradient_of_one_log_loss_is_finite_far_out(linker, with_cost, scale):
    x, w = T.dvector("x"), theano.shared(np.array([scale, scale]), name="w")
    cost = T.log(1 + T.exp(T.dot(x, w)))
    wanted = {-400.0: 0.0, 0.0: 0.5, 400.0: 1.0}[scale] * X
    outputs = [cost, T.grad(cost, w)] if with_cost else [T.grad(cost, w)]
    f = theano.function([x], outputs, mode=theano.Mode(linker))
    np.testing.assert_allclose(f(X)[-1], wanted, rtol=1e-15)
    assert "sigmoid" in theano.printing.debugprint(f, file="str")


@pytest.mark.parametrize("linker", ENGINES)
def test_shares_of_exponentials_spread_over_a_vector_are_bounded(linker):
    a, b, g = T.dscalar("a"), T.dscalar("b"), T.dvector("g")
    e, f = T.exp(a).dimshuffle("x"), T.exp(b).dimshuffle("x")
    share = theano.function([a, b, g], g * e / (e + f), mode=theano.Mode(linker))
    np.testing.assert_allclose(share(800.0, 801.0, X), X / (1 + np.e), rtol=1e-14)
