"""Differences from Theano 1.0.5 that its own tests found; each was wrong or refused before."""

from __future__ import annotations

import numpy as np
import pytest

import theano
import theano.scalar as ts
import theano.tensor as T

ENGINES = [pytest.param("numpy"), pytest.param("xla", marks=pytest.mark.xla)]


# values


def test_a_scalar_constant_is_computed_in_its_declared_dtype():
    np.testing.assert_allclose(ts.exp(1).eval(), np.e, rtol=1e-6)
    assert ts.exp(1).eval().dtype == ts.exp(1).dtype == "float32"


@pytest.mark.parametrize("order", ["F", "transposed", "strided"])
def test_finite_differences_do_not_depend_on_the_order_in_memory(order):
    p = np.random.RandomState(1).rand(4, 3)
    p = {"F": np.asfortranarray(p), "transposed": p.T, "strided": p[::2, ::-1]}[order]
    T.verify_grad(lambda x: T.sqr(x) * 3, [p], rng=np.random.RandomState(0))
    found = theano.gradient.numeric_grad(lambda x: float((x**2 * 3).sum()), p).gf
    np.testing.assert_allclose(found, 6 * p, rtol=1e-5)


def test_a_gradient_that_is_wrongly_zero_fails_at_a_transposed_point():
    class Square(theano.Op):
        __props__ = ()

        def make_node(self, x):
            return theano.Apply(self, [x], [x.type()])

        def compute(self, xp, x):
            return x * x

        def grad(self, inputs, output_grads):
            return [inputs[0].zeros_like()]

    p = np.random.RandomState(1).rand(2, 3).T
    with pytest.raises(theano.gradient.GradientError):
        T.verify_grad(Square(), [p], rng=np.random.RandomState(0))


# scalar ops of users


class Times(ts.ScalarOp):
    """Does not call the __init__ of its base."""

    def __init__(self):
        self.output_types_preference = ts.upgrade_to_float

    def impl(self, n, x):
        return x * n


@pytest.mark.parametrize("engine", ENGINES)
def test_a_scalar_op_need_not_call_the_init_of_its_base(engine):
    x = T.dscalar()
    f = theano.function([x], T.Elemwise(Times())(2.0, x), mode=theano.Mode(engine))
    assert f(3.0) == 6.0
    assert str(Times()) == "times"


class ExpAndHalf(ts.Exp):
    def impl(self, x):
        return super().impl(x) + 0.5


@pytest.mark.parametrize("engine", ENGINES)
def test_an_impl_below_an_op_with_another_meaning_is_what_is_meant(engine):
    x = T.bmatrix()
    number = T.scalar_from_tensor(x[0, 0])
    outs = [T.Elemwise(ExpAndHalf())(x), T.tensor_from_scalar(ExpAndHalf()(number))]
    whole, one = theano.function([x], outs, mode=theano.Mode(engine))(np.ones((2, 2), "int8"))
    assert whole.dtype == one.dtype == "float32"
    np.testing.assert_allclose(whole, np.e + 0.5, rtol=1e-6)
    np.testing.assert_allclose(one, np.e + 0.5, rtol=1e-6)
