"""grad, Lop, Rop and relatives: what comes back, in what form, and what is refused."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.gradient import (
    DisconnectedInputError,
    DisconnectedType,
    NullTypeGradError,
    consider_constant,
    disconnected_grad,
    grad_clip,
    grad_scale,
    hessian,
    hessian_vector_product,
    jacobian,
    subgraph_grad,
    undefined_grad,
    zero_grad,
)

x, y = T.dscalars("x", "y")
v, w = T.dvectors("v", "w")
m = T.dmatrix("m")
V = np.array([0.5, -1.0, 2.0])


class Cube(theano.Op):
    """x ** 3, with a gradient and no R_op."""

    __props__ = ()

    def make_node(self, x):
        return theano.Apply(self, [x], [x.type()])

    def compute(self, xp, x):
        return x * x * x

    def grad(self, inputs, output_grads):
        return [3 * inputs[0] ** 2 * output_grads[0]]


class Opaque(theano.Op):
    """An op without a gradient."""

    __props__ = ()

    def make_node(self, x):
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] + 0


def value(expression, **given):
    names = {"x": x, "y": y, "v": v, "w": w, "m": m}
    return expression.eval({names[k]: a for k, a in given.items()})


# containers and names


def test_the_result_mirrors_wrt():
    cost = x * y
    assert isinstance(T.grad(cost, x), theano.Variable)
    assert isinstance(T.grad(cost, [x, y]), list)
    assert isinstance(T.grad(cost, (x, y)), tuple)
    assert [value(g, x=2, y=3) for g in T.grad(cost, [x, y], disconnected_inputs="ignore")] == [
        3,
        2,
    ]


def test_results_are_named_after_cost_and_wrt():
    cost = x**2
    cost.name = "c"
    assert T.grad(cost, x).name == "(dc/dx)"
    cost = x**2
    cost.name = "c"
    assert T.grad(cost, x, add_names=False).name is None


def test_the_seeds_form_of_a_gradient():
    gy = T.grad(x**2, x)
    assert theano.pp(gy) == "((fill((x ** 2), 1.0) * 2) * (x ** (2 - 1)))"
    f = theano.function([x], gy)
    assert f(4) == 8 and f(94.2) == pytest.approx(188.4)


# what counts


def test_a_shared_part_is_differentiated_once():
    a = T.exp(x)
    g = T.grad(a * a + a, x)
    assert value(g, x=0.3) == pytest.approx(2 * np.exp(0.6) + np.exp(0.3))


def test_consider_constant_stops_at_an_expression():
    a = x**2
    assert value(T.grad(a * x, x, consider_constant=[a]), x=3) == 9
    assert value(T.grad(a * x, a, consider_constant=[a]), x=3) == 3


def test_known_grads_stand_for_the_cost():
    a, b = x**2, x * 3
    g = T.grad(None, x, known_grads={a: T.constant(10.0), b: T.constant(1.0)})
    assert value(g, x=2) == 43
    g = T.grad(b, x, known_grads=[(a, y)])
    assert value(g, x=2, y=1) == 7


def test_views_change_gradients_and_nothing_else():
    for view in (zero_grad, disconnected_grad, consider_constant):
        assert value(T.grad(x * view(x), x), x=3) == 3
        f = theano.function([x], view(x) * 2)
        assert f(3) == 6 and len(f.maker.fgraph.toposort()) == 1
    assert value(T.grad(grad_clip(x, -1, 1) ** 2, x), x=2) == 1
    assert value(T.grad(grad_scale(x, -3.0) ** 2, x), x=2) == -12
    with pytest.raises(ValueError, match="lower bound"):
        grad_clip(x, 1, -1)


def test_integers_follow_the_documented_rules():
    i = T.lscalar("i")
    # integer outputs do not change with a small step
    assert value(T.grad(T.cast(T.cast(x, "int64"), "float64") * 0.5, x), x=2) == 0
    # an integer input of a function of reals has a gradient of floats
    g = T.grad(x * i, i)
    assert g.dtype == "float64" and g.eval({x: 2.5, i: 3}) == 2.5


# disconnected


def test_an_unused_wrt_is_refused_warned_of_or_zero():
    with pytest.raises(DisconnectedInputError, match="y"):
        T.grad(x**2, y)
    with pytest.warns(UserWarning, match="y"):
        T.grad(x**2, y, disconnected_inputs="warn")
    assert value(T.grad(x**2, y, disconnected_inputs="ignore"), y=1.0) == 0
    kind = T.grad(x**2, y, disconnected_inputs="ignore", return_disconnected="Disconnected").type
    assert kind == DisconnectedType()
    assert T.grad(x**2, y, disconnected_inputs="ignore", return_disconnected="None") is None


def test_a_shape_is_disconnected():
    with pytest.raises(DisconnectedInputError):
        T.grad(T.cast(v.shape[0], "float64") * 2.0, v)
    with pytest.raises(DisconnectedInputError):
        T.grad(disconnected_grad(x) ** 2, x)
    assert value(T.grad(zero_grad(x) ** 2, x), x=3.0) == 0


# refusals


def test_a_cost_must_be_a_scalar():
    with pytest.raises(TypeError, match=r"cost must be a scalar.*test_driver\.py"):
        T.grad(v * 2, v)


def test_wrt_must_be_variables():
    with pytest.raises(TypeError, match="Variables as wrt, got 3"):
        T.grad(x**2, 3)


def test_a_missing_gradient_names_op_and_line():
    with pytest.raises(NotImplementedError, match=r"Opaque has no gradient.*test_driver\.py"):
        T.grad(Opaque()(x) * 2, x)
    assert value(T.grad(disconnected_grad(Opaque()(x)) * x, x), x=3.0) == 3


def test_an_undefined_gradient_says_why():
    with pytest.raises(NullTypeGradError, match="undefined"):
        T.grad(undefined_grad(x) * 2, x)
    g = T.grad(undefined_grad(x) * 2, x, null_gradients="return")
    assert "undefined" in g.type.why_null


@pytest.mark.parametrize("name", ["disconnected_inputs", "return_disconnected", "null_gradients"])
def test_an_option_that_is_none_is_refused(name):
    with pytest.raises(ValueError, match=f"{name} is one of"):
        T.grad(x**2, x, **{name: "bogus"})


# products


def test_lop_and_rop_are_products_with_the_jacobian():
    f = T.tanh(m.dot(v)) * 2
    M = np.array([[0.1, 0.2, -0.3], [0.4, -0.5, 0.6]])
    J = 2 * (1 - np.tanh(M @ V) ** 2)[:, None] * M
    left, right = np.array([1.0, -2.0]), np.array([0.3, 0.1, -0.7])
    a = T.dvector("a")
    assert np.allclose(T.Lop(f, v, a).eval({m: M, v: V, a: left}), left @ J)
    assert np.allclose(T.Rop(f, v, a).eval({m: M, v: V, a: right}), J @ right)
    assert isinstance(T.Rop([f], v, a), list) and isinstance(T.Lop(f, [v], a), list)


def test_rop_passes_an_op_without_r_op():
    a = T.dvector("a")
    got = T.Rop(Cube()(v).sum() * v, v, a).eval({v: V, a: V + 1})
    J = np.outer(V, 3 * V**2) + np.eye(3) * (V**3).sum()
    assert np.allclose(got, J @ (V + 1))


def test_rop_checks_its_points():
    with pytest.raises(ValueError, match="point of v has 0 dimensions"):
        T.Rop(v * 2, v, x)


@pytest.mark.parametrize("linker", ["numpy", "xla"])
def test_jacobian_and_hessian(linker):
    mode = theano.Mode(linker)
    f = T.tanh(v) * v.sum()
    J = np.diag((1 - np.tanh(V) ** 2) * V.sum()) + np.tanh(V)[:, None]
    assert np.allclose(theano.function([v], jacobian(f, v), mode=mode)(V), J)
    H = theano.function([v], hessian((v**3).sum() * v[0], v), mode=mode)(V)
    want = np.diag(6 * V * V[0])
    want[0] += 3 * V**2
    want[:, 0] += 3 * V**2
    assert np.allclose(H, want)
    empty = theano.function(
        [v, m], jacobian(v * 2, [v, m], disconnected_inputs="ignore"), mode=mode
    )
    assert [a.shape for a in empty(np.zeros(0), np.zeros((2, 3)))] == [(0, 0), (0, 2, 3)]


def test_a_jacobian_is_differentiated_again():
    J = jacobian(v**3, v)
    g = T.grad((J**2).sum(), v)
    assert np.allclose(g.eval({v: V}), 36 * V**3)


def test_hessian_vector_product_equals_the_hessian_times_it():
    cost = (v**3).sum() * v[1]
    got = hessian_vector_product(cost, v, w).eval({v: V, w: V - 1})
    assert np.allclose(got, hessian(cost, v).eval({v: V}) @ (V - 1))


def test_subgraph_grad_goes_layer_by_layer():
    a = T.tanh(x * y)
    cost = a**2
    (ga,) = T.grad(cost, [a])
    (gy,), (gx,) = subgraph_grad([y], [x], start={a: ga})
    direct = T.grad(cost, [y, x])
    for got, want in zip((gy, gx), direct, strict=True):
        assert value(got, x=0.3, y=0.7) == pytest.approx(float(value(want, x=0.3, y=0.7)))
    assert len(subgraph_grad([y], [x], start={a: ga}, cost=cost, details=True)) == 4
