"""A function of jax as an op: values, types, shapes, derivatives, batches, trees."""

import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.engines.jax.jax_op import Flat, JaxOp

pytestmark = pytest.mark.xla

A = np.random.RandomState(0).randn(4, 3)
B = np.random.RandomState(1).randn(3, 2)
MODES = [pytest.param(theano.Mode("xla"), id="xla"), pytest.param(theano.Mode("cvm"), id="numpy")]


def mixed(x, y):
    return jnp.tanh(x @ y).sum(axis=0)


@pytest.mark.parametrize("mode", MODES)
def test_values_and_derivatives_are_those_of_jax(mode):
    x, y = T.dmatrix("x"), T.dmatrix("y")
    out = theano.from_jax(mixed)(x, y)
    cost = T.sqr(out).sum()
    first = T.grad(cost, [x, y])
    second = T.grad(T.sqr(first[0]).sum(), y)
    f = theano.function([x, y], [out, *first, second], mode=mode)

    def by_hand(x, y):
        return (mixed(x, y) ** 2).sum()

    with jax.enable_x64(True):
        slopes = jax.grad(by_hand, (0, 1))
        twice = jax.grad(lambda x, y: (slopes(x, y)[0] ** 2).sum(), 1)
        expected = [mixed(A, B), *slopes(A, B), twice(A, B)]
    for found, wanted in zip(f(A, B), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-10)
        assert found.flags.writeable


@pytest.mark.parametrize("mode", MODES)
def test_tangents_are_those_of_jax(mode):
    x, y = T.dmatrix("x"), T.dmatrix("y")
    out = theano.from_jax(mixed)(x, y)
    f = theano.function([x, y], T.Rop(out, x, T.ones_like(x)), mode=mode)
    with jax.enable_x64(True):
        expected = jax.jvp(lambda a: mixed(a, B), (A,), (np.ones_like(A),))[1]
    np.testing.assert_allclose(f(A, B), expected, rtol=1e-10)


def test_gradients_pass_the_numerical_check():
    op = theano.from_jax(lambda x, y: jnp.sin(x) * y)
    T.verify_grad(op, [A, A + 1], rng=np.random.RandomState(0))


def test_types_and_shapes_of_outputs_are_found():
    x, y = T.dmatrix("x"), T.fvector("y")
    op = theano.from_jax(lambda x, y: (x.sum(axis=1, keepdims=True), jnp.zeros((5, y.shape[0]))))
    first, second = op(x, y)
    assert first.type == T.TensorType("float64", (False, True)) and second.type.ndim == 2
    f = theano.function([x, y], [*first.shape, *second.shape])
    names = {str(n.op) for n in f.maker.fgraph.toposort()}
    assert not any("JaxOp" in name for name in names)  # lengths are known without running it
    assert [int(n) for n in f(A, np.float32([1, 2]))] == [4, 1, 5, 2]


def test_a_gradient_takes_no_stage_of_its_own():
    x = T.dvector("x")
    cost = theano.from_jax(jnp.sin)(x).sum()
    second = T.grad(T.grad(cost, x).sum(), x)
    f = theano.function([x], second, mode=theano.Mode("xla"))
    np.testing.assert_allclose(f(A[0]), -np.sin(A[0]))
    assert len(f.fn.stages) == 1


def test_integers_have_no_gradient():
    x, i = T.dvector("x"), T.lvector("i")
    op = theano.from_jax(lambda x, i: (x[i] ** 2, i + 1))
    value, count = op(x, i)
    f = theano.function([x, i], [T.grad(value.sum(), x), count])
    slope, counted = f([1.0, 2.0, 3.0], [2, 2])
    assert slope.tolist() == [0, 0, 12] and counted.tolist() == [3, 3]
    with pytest.raises(theano.gradient.DisconnectedInputError):
        T.grad(value.sum(), i)


def test_trees_go_in_and_come_out():
    x = T.dvector("x")
    w = {"scale": T.dscalar("s"), "shift": [T.dscalar("t"), x]}
    op = theano.from_jax(lambda p, x, power=1: {"y": p["scale"] * x**power, "z": (p["shift"][0],)})
    out = op(w, x, power=2)
    assert set(out) == {"y", "z"} and isinstance(out["z"], tuple)
    f = theano.function([w["scale"], w["shift"][0], x], [out["y"], out["z"][0]])
    assert [v.tolist() for v in f(2.0, 3.0, [1.0, 2.0])] == [[2, 8], 3]


def test_it_is_mapped_by_vmap():
    x, y = T.dtensor3("x"), T.dmatrix("y")
    op = theano.from_jax(mixed)
    one = T.dmatrix("one")
    mapped = theano.vectorize(op(one, y), {one: x})
    f = theano.function([x, y], mapped)
    many = np.stack([A, 2 * A])
    with jax.enable_x64(True):
        expected = jax.vmap(mixed, (0, None))(many, B)
    np.testing.assert_allclose(f(many, B), expected)


def test_a_function_that_cannot_be_traced_with_any_lengths_says_what_to_give():
    def picky(x):
        if x.shape[0] != 3:
            raise ValueError("three, please")
        return x * 2

    x = T.dvector("x")
    with pytest.raises(TypeError, match=r"give from_jax the types of its outputs .*three, please"):
        theano.from_jax(picky)(x)
    y = theano.from_jax(picky, outputs=T.dvector)(x)
    assert theano.function([x], y)([1.0, 2.0, 3.0]).tolist() == [2, 4, 6]


def test_ops_of_one_function_are_equal_and_merge():
    x = T.dvector("x")
    sin = theano.from_jax(jnp.sin)
    f = theano.function([x], sin(x) + sin(x))
    assert sum(isinstance(n.op, JaxOp) for n in f.maker.fgraph.toposort()) == 1


def test_functions_with_it_are_pickled():
    x, y = T.dmatrix("x"), T.dmatrix("y")
    f = theano.function([x, y], theano.from_jax(mixed)(x, y))
    again = pickle.loads(pickle.dumps(f))
    assert np.array_equal(f(A, B), again(A, B))
    op = JaxOp(Flat(mixed, jax.tree_util.tree_structure(((0, 0), {}))))
    assert pickle.loads(pickle.dumps(op)) == op and str(op) == "JaxOp{mixed}"


def test_an_error_of_the_function_names_the_node():
    x = T.dvector("x")
    y = theano.from_jax(lambda x: x + jnp.ones(3), outputs=T.dvector)(x)
    f = theano.function([x], y, mode=theano.Mode("xla"))
    with pytest.raises(Exception) as caught:
        f([1.0, 2.0])
    text = str(caught.value) + "".join(getattr(caught.value, "__notes__", ()))
    assert "JaxOp" in text and "test_jax_op.py" in text
