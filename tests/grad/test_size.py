"""How large gradients are and how much work building them is, beside their costs."""

import sys

import numpy as np
import pytest

import theano.tensor as T
from theano.gof.graph import io_toposort


def logistic_regression():
    x, y, w, b = T.dmatrix("x"), T.dvector("y"), T.dvector("w"), T.dscalar("b")
    p = 1 / (1 + T.exp(-T.dot(x, w) - b))
    xent = -y * T.log(p) - (1 - y) * T.log(1 - p)
    return [x, y], [w, b], xent.mean() + 0.01 * (w**2).sum()


def perceptron():
    x, t = T.fmatrix("x"), T.lvector("t")
    W, b, V, c = T.fmatrix("W"), T.fvector("b"), T.fmatrix("V"), T.fvector("c")
    z = T.dot(T.tanh(T.dot(x, W) + b), V) + c
    z = z - z.max(axis=1, keepdims=True)
    logp = z - T.log(T.exp(z).sum(axis=1, keepdims=True))
    return [x, t], [W, b, V, c], -logp[T.arange(t.shape[0]), t].mean()


def chain(n):
    x = y = T.dvector("x")
    for i in range(n):
        y = T.tanh(y) if i % 2 else y * x
    return x, y.sum()


def sharing(n):
    """Every node is taken twice by the next ones: 2^(n/2) paths."""
    x = T.dvector("x")
    a, b = T.sin(x), T.cos(x)
    for _ in range(n // 2):
        a, b = a * b, a + b
    return x, (a + b).sum()


def calls(function, *args):
    """How many calls Python makes, of its own functions and of C's: the same on a busy machine;
    and the result.
    """
    count = 0

    def note(frame, event, arg):
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        made = function(*args)
    finally:
        sys.setprofile(before)
    return count, made


@pytest.mark.parametrize("model", [logistic_regression, perceptron])
def test_a_gradient_with_what_it_needs_has_at_most_5_nodes_for_each_of_its_cost(model):
    inputs, params, cost = model()
    forward = len(io_toposort([*inputs, *params], [cost]))
    assert len(io_toposort([*inputs, *params], T.grad(cost, params))) <= 5 * forward


@pytest.mark.parametrize("shape, sizes", [(chain, (300, 3_000)), (sharing, (200, 2_000))])
def test_the_work_of_building_a_gradient_is_linear_in_the_nodes_of_the_cost(shape, sizes):
    T.grad(*reversed(shape(10)))
    work, nodes = [], []
    for n in sizes:
        x, cost = shape(n)
        count, gx = calls(T.grad, cost, x)
        work.append(count)
        nodes.append(len(io_toposort([x], [gx])))
    assert work[1] <= 1.1 * sizes[1] / sizes[0] * work[0]
    assert nodes[1] <= 1.1 * sizes[1] / sizes[0] * nodes[0]


def test_the_gradient_of_a_graph_with_heavy_sharing_is_right():
    x, cost = sharing(10)
    a, b = np.sin(0.7), np.cos(0.7)
    da, db = b, -a
    for _ in range(5):
        a, b, da, db = a * b, a + b, da * b + a * db, da + db
    np.testing.assert_allclose(T.grad(cost, x).eval({x: [0.7]}), [da + db], rtol=1e-12)


def test_products_with_vectors_have_gradients_without_a_transposed_matrix():
    # XLA copies one before it multiplies a vector
    m, v = T.dmatrix("m"), T.dvector("v")
    for out in (T.dot(m, v), T.dot(v, m)):
        gv = T.grad((out**2).sum(), v)
        orders = [getattr(node.op, "new_order", None) for node in io_toposort([m, v], [gv])]
        assert (1, 0) not in orders
