"""Batch normalization: values in plain NumPy and as Theano 1.0.5 gave them, layouts, failures."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.ops.nnet.batchnorm import BatchNorm
from theano.tensor.nnet import bn
from theano.testing import Case, OpSpec, Raises, spec_tests

rng = np.random.default_rng(3)
X2 = rng.normal(size=(5, 3))
X4 = rng.normal(size=(2, 3, 2, 4))
G, B, M, V = (rng.uniform(0.5, 2, 3) for _ in range(4))


def axes_of(axes, ndim):
    named = {"per-activation": (0,), "spatial": (0, *range(2, ndim))}
    return named[axes] if isinstance(axes, str) else tuple(axes)


def opened(v, x, axes):
    """A parameter without the dimensions ``axes``, with them put back."""
    return v if v.ndim == x.ndim else np.expand_dims(v, axes)


def train(x, gamma, beta, running_mean=None, running_var=None, **options):
    axes = axes_of(options.get("axes", "per-activation"), x.ndim)
    eps, r = options.get("epsilon", 1e-4), options.get("running_average_factor", 0.1)
    whole = gamma.ndim == x.ndim
    lines = np.moveaxis(x, axes, range(len(axes)))
    lines = lines.reshape(-1, *lines.shape[len(axes) :])
    m = len(lines)
    mean = sum(lines) / m
    var = sum((row - mean) ** 2 for row in lines) / m
    invstd = (var + eps) ** -0.5
    g, b = (opened(v, x, axes) for v in (gamma, beta))
    out = (x - np.expand_dims(mean, axes)) * np.expand_dims(invstd, axes) * g + b
    stats = [mean, invstd]
    if whole:
        stats = [np.expand_dims(s, axes) for s in stats]
    if running_mean is None:
        return [out, *stats]
    var = np.expand_dims(var, axes) if whole else var
    new_mean = running_mean * (1 - r) + stats[0] * r
    new_var = running_var * (1 - r) + m / (m - 1) * var * r
    return [out, *stats, new_mean, new_var]


def running(x, gamma, beta, running_mean, running_var, **options):
    return bn.batch_normalization_train(
        x, gamma, beta, running_mean=running_mean, running_var=running_var, **options
    )


def by_given(x, gamma, beta, mean, var, axes="per-activation", epsilon=1e-4):
    gamma, beta, mean, var = (opened(v, x, axes_of(axes, x.ndim)) for v in (gamma, beta, mean, var))
    return (x - mean) / np.sqrt(var + epsilon) * gamma + beta


def by_std(x, gamma, beta, mean, std, mode="low_mem"):
    return (x - mean) / std * gamma + beta


def all_float32(*arrays):
    return [a.astype("float32") for a in arrays]


TRAIN = [
    Case(X2, G, B, id="per activation"),
    Case(*all_float32(X2, G, B), id="float32"),
    Case(X4, G, B, kwargs={"axes": "spatial"}, id="spatial"),
    Case(X4, X4[0], X4[1], id="three dimensions are kept"),
    Case(X4, rng.normal(size=(3, 4)), rng.normal(size=(3, 4)), kwargs={"axes": (0, 2)}, id="two"),
    Case(X2, G[None], B[None], kwargs={"epsilon": 1e-2}, id="parameters with all dimensions"),
    Case(X2, np.float64(2), np.float64(1), kwargs={"axes": [0, 1]}, id="over everything"),
]
LAYOUT = "of 1 dimensions, those that are not averaged over, or all of the 2"

# fmt: off
SPECS = [
    OpSpec(bn.batch_normalization_train, train, cases=TRAIN, errors=[
        Raises((X2, X4, X4), ValueError, LAYOUT),
        Raises((X2, G, X2), ValueError, LAYOUT),
        Raises((X2, G, B, "foo"), ValueError, "'per-activation', 'spatial' or a tuple"),
        Raises((X2, G, B, (2,)), ValueError, "counted from 0 to 1"),
        Raises((X2, G, B, (-1,)), ValueError, "counted from 0 to 1"),
        Raises((X2, G, B, ()), ValueError, "at least one axis"),
        Raises((X2, G, B, 0), ValueError, "tuple of ints", static=(3,)),
        Raises((X2, G, B, (0,), 1e-6), ValueError, "at least 1e-5", static=(4,)),
        Raises((X2, G, B, (0,), 1e-4, 0.1, M), ValueError, "both running_mean", static=(4, 5)),
        Raises((X2, G[:2], B), ValueError, "as long as x in dimension 1", when="run"),
        Raises((X2, G, B[:1]), ValueError, "as long as x in dimension 1", when="run"),
    ]),
    OpSpec(running, train, cases=[
        Case(X2, G, B, M, V, id="per activation"),
        Case(*all_float32(X2, G, B, M, V), kwargs={"running_average_factor": 0.25}, id="float32"),
        Case(X4, G, B, M, V, kwargs={"axes": "spatial"}, id="spatial"),
    ]),
    OpSpec(bn.batch_normalization_test, by_given, cases=[
        Case(X2, G, B, M, V, id="per activation"),
        Case(*all_float32(X2, G, B, M, V), id="float32"),
        Case(X4, G, B, M, V, kwargs={"axes": "spatial", "epsilon": 1e-3}, id="spatial"),
        Case(X4, *(v[None, :, None, None] for v in (G, B, M, V)), kwargs={"axes": (0, 2, 3)},
             id="all dimensions"),
    ], errors=[
        Raises((X2, G, B, M, X2), ValueError, LAYOUT),
        Raises((X2, G, B, M, V, (0,), 1e-6), ValueError, "at least 1e-5", static=(6,)),
    ]),
    OpSpec(bn.batch_normalization, by_std, cases=[
        Case(X2, G, B, M, V, id="low_mem"),
        Case(X2, G, B, M, V, kwargs={"mode": "high_mem"}, id="high_mem"),
        Case(*all_float32(X2, G, B, M, V), id="float32"),
    ], errors=[Raises((X2, G, B, M, V, "foo"), ValueError, "'low_mem' or 'high_mem'")]),
]
# fmt: on


@pytest.mark.parametrize("engine", ["numpy", "xla"])
def test_values_are_those_of_theano(engine):
    r = np.random.RandomState(0)
    at, p = r.normal(size=(4, 3)), r.normal(size=(5, 3))[0]
    x, b = T.dmatrix("x"), T.dvector("b")
    outs = bn.batch_normalization_train(x, b, b * 2, running_mean=b * 3, running_var=b * b)
    grads = T.grad((outs[0] ** 2).sum(), [x, b])
    made = theano.function([x, b], [*outs, *grads], mode=theano.Mode(engine))(at, p)
    # printed by Theano 1.0.5
    want = [
        [[1.97608845, 0.21751893, 1.18821738], [2.48832057, 0.4473228, 0.27070807],
         [1.10171189, 0.13114842, 0.68070336], [0.52218089, 0.17740998, 1.41127705]],
        [1.34140812, 0.56510039, 0.33812869],
        [1.41152041, 1.28708486, 1.05679058],
        [2.18894267, 0.38503258, 1.2322436],
        [0.58816855, 0.09379774, 0.29668783],
        [[1.94341682e-04, -1.34028119e-06, 3.14830865e-05],
         [4.13604237e-04, 1.05833985e-05, -6.46463595e-05],
         [-1.79937932e-04, -5.82172983e-06, -2.16902610e-05],
         [-4.28007988e-04, -3.42138746e-06, 5.48535341e-05]],
        [30.44029598, 4.86683941, 17.75413274],
    ]  # fmt: skip
    for got, expected in zip(made, want, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-7, atol=1e-12)


def test_one_row_has_no_unbiased_variance():
    x, b = T.dmatrix("x"), T.dvector("b")
    outs = bn.batch_normalization_train(x, b, b, running_mean=b, running_var=b)
    made = theano.function([x, b], outs)([[1.0, 2.0]], [3.0, 4.0])
    assert made[0].tolist() == [[3.0, 4.0]] and made[2].tolist() == [100.0, 100.0]
    assert np.isnan(made[4]).all()


def test_gradients_go_through_the_statistics_too():
    def cost(x, b):
        outs = bn.batch_normalization_train(x, b, b, running_mean=b, running_var=b)
        return sum((v**2).sum() for v in outs)

    theano.gradient.verify_grad(cost, [X2, G], rng=np.random.RandomState(1))


def test_dtypes_and_patterns_are_those_of_theano():
    f, x, b, fb, i = T.fmatrix(), T.dmatrix(), T.dvector(), T.fvector(), T.imatrix()
    train, test = bn.batch_normalization_train, bn.batch_normalization_test
    assert [v.type for v in train(f, fb, fb)] == [T.fmatrix, T.fvector, T.fvector]
    assert [v.dtype for v in train(f, b, b)] == ["float64"] * 3
    assert [v.dtype for v in train(f, fb, fb, running_mean=b, running_var=b)] == ["float64"] * 5
    assert [v.type for v in train(x, x, x)] == [T.dmatrix, T.drow, T.drow]
    assert [v.dtype for v in train(i, fb, fb)] == ["float64"] * 3
    assert test(f, fb, fb, fb, fb).type == T.fmatrix and test(i, fb, fb, fb, fb).dtype == "float64"
    assert bn.batch_normalization(f, fb, fb, fb, fb).type == T.fmatrix


def test_a_parameter_that_is_not_1_where_it_is_averaged_over_is_refused():
    x, q = T.dmatrix("x"), T.dmatrix("q")
    f = theano.function([x, q], bn.batch_normalization_train(x, q, q))
    assert f(X2, G[None])[0].shape == X2.shape
    with pytest.raises(ValueError, match="supposed to be 1"):
        f(X2, X2[:2])


def test_float32_sums_keep_their_digits():
    x = (1e4 + rng.normal(size=(20000, 1))).astype("float32")
    one = T.ones(1, "float32")
    for engine in ("numpy", "xla"):
        v = T.fmatrix("v")
        f = theano.function(
            [v], bn.batch_normalization_train(v, one, one), mode=theano.Mode(engine)
        )
        _, mean, invstd = f(x)
        assert abs(mean[0] / x.mean(dtype="float64") - 1) < 1e-7
        assert abs(invstd[0] / (x.var(dtype="float64") + 1e-4) ** -0.5 - 1) < 1e-4


def test_the_op_says_what_it_averages_over():
    assert str(BatchNorm((0, 2), 1e-4)) == "BatchNorm{axes=(0, 2)}"
    assert BatchNorm((0,), 1e-4) != BatchNorm((0,), 1e-3)


test_ops = spec_tests(SPECS)
