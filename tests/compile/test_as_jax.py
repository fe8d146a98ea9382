"""A graph as a function of jax: values, gradients, state, checks, and what is refused."""

import jax
import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.ifelse import ifelse
from theano.sandbox.rng_mrg import MRG_RandomStreams
from theano.tensor.shared_randomstreams import RandomStreams
from theano.tensor.signal.pool import pool_2d

pytestmark = pytest.mark.xla

rng = np.random.RandomState(0)
M = rng.uniform(0.2, 0.9, (4, 3))
V = rng.uniform(0.2, 0.9, 3)
SQUARE = np.eye(3) * 2 + 0.1 * rng.randn(3, 3)
SQUARE = SQUARE + SQUARE.T
IMAGES = rng.randn(2, 2, 6, 6)
KERNELS = T.constant(rng.randn(3, 2, 3, 3))
ROWS = T.constant(np.array([2, 0, 0, 1]))


@pytest.fixture(autouse=True)
def wide():
    with jax.enable_x64(True):
        yield


def scanned(x):
    states, _ = theano.scan(lambda e, h: T.tanh(e + h * 0.5), x, T.zeros_like(x[0]))
    return states.sum()


def power(x):
    made, _ = theano.scan(
        lambda h, a: h * a, outputs_info=T.ones_like(x), non_sequences=x, n_steps=3
    )
    return made[-1].sum()


#: costs, by the value that they are functions of
PROGRAMS = {
    "matrix": (
        M,
        {
            "sum": lambda x: x.sum(),
            "mean": lambda x: x.mean(),
            "sqr": lambda x: T.sqr(x).sum(),
            "cube": lambda x: (x**3).sum(),
            "power": lambda x: (x**1.7).sum(),
            "exp": lambda x: T.exp(x).sum(),
            "log": lambda x: T.log(x).sum(),
            "log1p": lambda x: T.log1p(x).sum(),
            "expm1": lambda x: T.expm1(x).sum(),
            "sqrt": lambda x: T.sqrt(x).sum(),
            "sin": lambda x: T.sin(x).sum(),
            "cos": lambda x: T.cos(x).sum(),
            "tan": lambda x: T.tan(x).sum(),
            "arcsin": lambda x: T.arcsin(x).sum(),
            "arctan2": lambda x: T.arctan2(x, 2 * x + 1).sum(),
            "sinh": lambda x: T.sinh(x).sum(),
            "tanh": lambda x: T.tanh(x).sum(),
            "erf": lambda x: T.erf(x).sum(),
            "erfinv": lambda x: T.erfinv(x).sum(),
            "gammaln": lambda x: T.gammaln(x).sum(),
            "psi": lambda x: T.psi(x).sum(),
            "sigmoid": lambda x: T.nnet.sigmoid(x).sum(),
            "softplus": lambda x: T.nnet.softplus(x).sum(),
            "relu": lambda x: T.nnet.relu(x - 0.5).sum(),
            "elu": lambda x: T.nnet.elu(x - 0.5).sum(),
            "switch": lambda x: T.switch(x > 0.5, x * 2, x / 3).sum(),
            "clip": lambda x: T.clip(x, 0.3, 0.7).sum(),
            "maximum": lambda x: T.maximum(x, 0.5).sum(),
            "abs": lambda x: abs(x - 0.5).sum(),
            "max": lambda x: x.max(axis=0).sum(),
            "prod": lambda x: x.prod(),
            "var": lambda x: x.var(axis=1).sum(),
            "std": lambda x: x.std(),
            "norm": lambda x: x.norm(2),
            "softmax": lambda x: T.sqr(T.nnet.softmax(x)).sum(),
            "log-softmax": lambda x: T.nnet.logsoftmax(x)[:, 0].sum(),
            "logsumexp": lambda x: T.log(T.sum(T.exp(x), axis=1)).sum(),
            "cross-entropy": lambda x: T.nnet.categorical_crossentropy(
                T.nnet.softmax(x), T.constant(np.array([0, 2, 1, 1]))
            ).mean(),
            "dot": lambda x: T.dot(x.T, x).sum(),
            "tensordot": lambda x: T.tensordot(x, x, [[0, 1], [0, 1]]),
            "batched dot": lambda x: T.batched_dot(
                x.dimshuffle(0, "x", 1), x.dimshuffle(0, 1, "x")
            ).sum(),
            "transpose": lambda x: (x.T * T.arange(4)).sum(),
            "reshape": lambda x: (x.reshape((2, 6)) ** 2)[1].sum(),
            "flatten": lambda x: T.sqr(x.flatten()[2:9]).sum(),
            "stack": lambda x: T.stack([x, 2 * x]).prod(axis=0).sum(),
            "concatenate": lambda x: T.concatenate([x, x**2], axis=1).sum(),
            "slices": lambda x: (x[1:, ::2] * x[:-1, ::2]).sum(),
            "rows": lambda x: T.sqr(x[ROWS]).sum(),
            "row by row": lambda x: x[T.arange(4), T.constant(np.array([0, 1, 2, 0]))].sum(),
            "mask": lambda x: (x * (x > 0.4)).sum(),
            "set part": lambda x: T.sqr(T.set_subtensor(x[0], x[1] * 2)).sum(),
            "add to part": lambda x: T.sqr(T.inc_subtensor(x[:, 1], x[:, 0])).sum(),
            "repeat": lambda x: (T.repeat(x, 2, axis=0) * T.arange(8)[:, None]).sum(),
            "tile": lambda x: (T.tile(x, (2, 1)) ** 2).sum(),
            "cumsum": lambda x: T.sqr(T.cumsum(x, axis=0)).sum(),
            "sort": lambda x: (T.sort(x, axis=0) * T.arange(4)[:, None]).sum(),
            "diff": lambda x: T.sqr(T.extra_ops.diff(x, axis=0)).sum(),
            "scan": scanned,
            "power by scan": power,
            "ifelse": lambda x: ifelse(T.gt(x.sum(), 1), T.sqr(x).sum(), x.sum()),
            "gradient": lambda x: T.sqr(T.grad(T.exp(x).sum(), x)).sum(),
        },
    ),
    "square": (
        SQUARE,
        {
            "inverse": lambda x: T.nlinalg.matrix_inverse(x).sum(),
            "determinant": lambda x: T.nlinalg.det(x),
            "trace": lambda x: T.nlinalg.trace(T.dot(x, x)),
            "cholesky": lambda x: T.slinalg.cholesky(x).sum(),
            "upper cholesky": lambda x: T.slinalg.Cholesky(lower=False)(x).sum(),
            "eigenvalues": lambda x: T.dot(T.nlinalg.eigh(x)[0], T.constant(V)),
            "singular values": lambda x: T.dot(T.nlinalg.svd(x)[1], T.constant(V)),
            "triangular solve": lambda x: T.slinalg.solve_lower_triangular(x, T.constant(V)).sum(),
            "power of a matrix": lambda x: T.nlinalg.matrix_power(x, 3).sum(),
            "exponential": lambda x: T.slinalg.expm(x / 5).sum(),
            "solve": lambda x: T.slinalg.solve(x, T.constant(V)).sum(),
        },
    ),
    "images": (
        IMAGES,
        {
            "convolution": lambda x: T.sqr(T.nnet.conv2d(x, KERNELS)).sum(),
            "pooling": lambda x: T.sqr(pool_2d(x, (2, 2), ignore_border=True)).sum(),
        },
    ),
}
CASES = [
    pytest.param(value, cost, id=name)
    for value, costs in PROGRAMS.values()
    for name, cost in costs.items()
]


def test_there_are_sixty_programs():
    assert len(CASES) >= 60


@pytest.mark.parametrize(("value", "cost_of"), CASES)
def test_gradients_are_those_of_the_graph(value, cost_of):
    x = T.TensorType("float64", (False,) * value.ndim)("x")
    cost = cost_of(x)
    expected = theano.function([x], [cost, T.grad(cost, x)])(value)
    f = theano.as_jax(cost, [x])
    for found in (jax.value_and_grad(f)(value), jax.jit(jax.value_and_grad(f))(value)):
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


def test_vmap_maps_it():
    x = T.dvector("x")
    f = theano.as_jax(T.tanh(x).sum() ** 2, [x])
    np.testing.assert_allclose(jax.vmap(f)(M), np.tanh(M).sum(axis=1) ** 2)


def test_parameters_are_a_dict_and_the_first_argument():
    x = T.dvector("x")
    w, b = theano.shared(V, "w"), theano.shared(2.0, "b")
    cost = T.dot(x, w) + b
    every = theano.as_jax(cost, [x], params=True)
    assert set(every.params) == {"w", "b"}
    assert every(every.params, V) == pytest.approx(V @ V + 2)
    assert jax.grad(every)(every.params, V)["w"].tolist() == V.tolist()
    some = theano.as_jax(cost, [x], params=[b])
    assert list(some.params) == ["b"] and some({"b": 5.0}, V) == pytest.approx(V @ V + 5)
    with pytest.raises(KeyError, match="params has no w"):
        every({"b": 1.0}, V)
    with pytest.raises(TypeError, match="takes params, x, got 1 arguments"):
        every(V)
    with pytest.raises(ValueError, match="shared variables of the graph"):
        theano.as_jax(cost, [x], params=[theano.shared(1.0)])


def test_a_function_that_updates_gives_its_new_state():
    x = T.dvector("x")
    w = theano.shared(np.zeros(3), "w")
    step = theano.function([x], T.dot(x, w), updates=[(w, w + x)])
    f = jax.jit(theano.as_jax(step, params=True))
    out, params = f({"w": V}, V)
    assert out == pytest.approx(V @ V) and params["w"].tolist() == (2 * V).tolist()
    assert w.get_value().tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match=r"updates shared variables \(w\) takes params=True"):
        theano.as_jax(step)


def test_random_streams_are_state():
    draw = MRG_RandomStreams(3).uniform((4,))
    expected = theano.function([], draw)
    f = jax.jit(theano.as_jax(draw, [], params=True))
    params = theano.as_jax(draw, [], params=True).params
    drawn = []
    for _ in range(3):
        out, params = f(params)
        drawn.append(np.array(out))
    assert np.array_equal(drawn, [expected() for _ in range(3)])
    with pytest.raises(TypeError, match="use MRG streams"):
        f = theano.as_jax(RandomStreams(1).normal(), [], params=True)
        f(f.params)


def test_outputs_have_the_form_that_the_function_gives():
    x = T.dscalar("x")
    assert float(theano.as_jax(x + 1)(1.0)) == 2
    assert [float(v) for v in theano.as_jax([x, 2 * x], [x])(1.0)] == [1, 2]
    f = theano.function([x], {"a": x, "b": -x})
    assert {k: float(v) for k, v in theano.as_jax(f)(1.0).items()} == {"a": 1, "b": -1}


def test_a_failed_check_raises_or_makes_nan_where_it_is_traced():
    x, i = T.dvector("x"), T.lscalar("i")
    f = theano.as_jax(x[i] * 2, [x, i])
    assert f(V, 2) == V[2] * 2 and jax.jit(f)(V, 2) == V[2] * 2
    with pytest.raises(IndexError, match="index 3 is out of bounds"):
        f(V, 3)
    assert np.isnan(jax.jit(f)(V, 3))


def test_lengths_that_depend_on_values_are_refused_where_they_are_traced():
    x, n = T.dvector("x"), T.lscalar("n")
    f = theano.as_jax(T.arange(n).sum() + x.sum(), [x, n])
    assert float(f(V, 4)) == pytest.approx(6 + V.sum())
    with pytest.raises(NotImplementedError, match=r"lengths depend on the value of n, .*givens"):
        jax.jit(f)(V, 4)
    fixed = theano.as_jax(
        T.arange(n).sum() + x.sum(), [x], givens={n: T.constant(4, dtype="int64")}
    )
    assert float(jax.jit(fixed)(V)) == pytest.approx(6 + V.sum())


def test_an_op_without_a_compiled_form_is_refused_where_it_is_traced():
    @theano.compile.ops.as_op(itypes=[T.dvector], otypes=[T.dvector])
    def doubled(x):
        return x * 2

    x = T.dvector("x")
    f = theano.as_jax(doubled(x).sum(), [x])
    assert float(f(V)) == pytest.approx(2 * V.sum())
    with pytest.raises(NotImplementedError, match="runs on the host"):
        jax.jit(f)(V)


def test_what_does_not_fit_an_input_is_said():
    f = theano.as_jax(T.fvector("x").sum())
    with pytest.raises(TypeError, match="x takes 1 dimensions"):
        f(np.float32(1))
    with pytest.raises(TypeError, match="x takes float32, got complex128"):
        f(np.ones(2) * 1j)
    with jax.enable_x64(False), pytest.raises(ValueError, match="jax_enable_x64"):
        theano.as_jax(T.dvector("x").sum())(np.ones(2))
