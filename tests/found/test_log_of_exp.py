"""Values and gradients of logarithms of products with exponentials, asked for together."""

import numpy as np
import pytest

import theano
import theano.tensor as T

x, y = T.dvector("x"), T.dvector("y")
FAR = np.array([-1000.0, -100.0, -1.0, 0.0, 2.0, 100.0, 1000.0])
ONE = np.ones(7)


@pytest.mark.parametrize(
    ("formula", "value", "slope"),
    [
        (T.log(T.exp(-0.5 * x**2) / 2.5), -0.5 * FAR**2 - np.log(2.5), -FAR),
        (T.log(T.exp(x) * 3.0), FAR + np.log(3), ONE),
        (T.log(3.0 / T.exp(x)), np.log(3) - FAR, -ONE),
        (T.log(T.exp(x) * y), FAR + np.log(2), ONE),
        (T.log(T.exp(x) / y), FAR - np.log(2), ONE),
        (T.log(T.exp(x) * T.exp(y)), FAR + 2, ONE),
        (T.log(T.exp(2 * x) * T.exp(x) / y), 3 * FAR - np.log(2), 3 * ONE),
    ],
)
@pytest.mark.parametrize("linker", ["numpy", "xla"])
def test_value_and_gradient_are_right_far_out(formula, value, slope, linker):
    g = T.grad(formula.sum(), x)
    f = theano.function([x, y], [formula, g], mode=theano.Mode(linker), on_unused_input="ignore")
    found = f(FAR, 2 * ONE)
    np.testing.assert_allclose(found[0], value, rtol=1e-12)
    np.testing.assert_allclose(found[1], slope, rtol=1e-12)


def test_a_product_that_is_used_elsewhere_stays_whole_where_nothing_cancels():
    a, b, c = T.dvectors("abc")
    shared = a * b
    mode = theano.Mode("numpy").excluding("fusion")
    f = theano.function([a, b, c], [T.sin(shared), c / shared], mode=mode)
    assert sum("mul" in str(n.op) for n in f.maker.fgraph.toposort()) == 1
    np.testing.assert_allclose(f([2.0], [3.0], [12.0]), [[np.sin(6.0)], [2.0]])


def test_a_factor_cancels_in_a_quotient_that_is_used_elsewhere():
    a, b = T.dvectors("ab")
    ratio = a / b
    f = theano.function([a, b], [ratio, ratio * b, b / ratio])
    np.testing.assert_allclose(f([6.0], [2.0]), [[3.0], [6.0], [2 / 3]])
    np.testing.assert_allclose(f([6.0], [0.0])[1], [6.0])
