"""Batch normalization as the ops that Theano names, line by line in plain NumPy."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.tensor.nnet import bn
from theano.testing import Case, OpSpec, Raises, spec_tests

rng = np.random.default_rng(3)
X = rng.normal(size=(2, 3, 4)) * 2 + 1
DY = rng.normal(size=(2, 3, 4))
SCALE, BIAS, MEAN, VAR = (rng.uniform(0.5, 2, (1, 3, 1)) for _ in range(4))
EPS = np.float64(0.02)
AXES = (0, 2)


def channels(*arrays):
    """The numbers of each channel as flat arrays, channel by channel."""
    for c in range(arrays[0].shape[1]):
        yield c, [np.array(a[:, c]).ravel() for a in arrays]


def train(x, scale, bias, epsilon=1e-4, factor=0.1, running_mean=None, running_var=None):
    out = np.zeros_like(x)
    stats = np.zeros((2 if running_mean is None else 4, 1, x.shape[1], 1))
    for c, (line, s, b) in channels(x, scale, bias):
        n = len(line)
        mean = sum(line) / n
        var = sum((v - mean) ** 2 for v in line) / n
        invstd = 1 / (var + epsilon) ** 0.5
        out[:, c] = (x[:, c] - mean) * invstd * s + b
        found = [mean, invstd]
        if running_mean is not None:
            found.append((1 - factor) * running_mean[0, c, 0] + factor * mean)
            found.append((1 - factor) * running_var[0, c, 0] + factor * var * n / (n - 1))
        stats[:, 0, c, 0] = found
    return [out, *stats]


def inference(x, scale, bias, mean, var, epsilon=1e-4):
    out = np.zeros_like(x)
    for c, (s, b, m, v) in channels(scale, bias, mean, var):
        out[:, c] = (x[:, c] - m) / (v + epsilon) ** 0.5 * s + b
    return out


def gradient(x, dy, scale, mean, invstd, epsilon=1e-4):
    gx = np.zeros_like(x)
    g_scale, g_bias = np.zeros((2, 1, x.shape[1], 1))
    for c, (line, g, s, m, i) in channels(x, dy, scale, mean, invstd):
        away = line - m
        n = len(line)
        lean = sum(g * away) / n
        # of each g_k * invstd - away_k * lean * invstd ** 3, what differs from their mean
        one = [g[k] * i[0] - away[k] * lean * i[0] ** 3 for k in range(n)]
        gx[:, c] = (s * (np.array(one) - sum(one) / n)).reshape(gx[:, c].shape)
        g_scale[0, c], g_bias[0, c] = sum(g * away) * i, sum(g)
    return [gx, g_scale, g_bias]


def all_float32(*arrays):
    return [np.asarray(a, "float32") for a in arrays]


def op_of(cls):
    def apply(*args):
        return cls(AXES)(*args)

    return apply


SHORT = SCALE[:, :2]
OF_LENGTH_1 = "of length 1 in axes|mis-match|as long as x"
# fmt: off
SPECS = [
    OpSpec(op_of(bn.AbstractBatchNormTrain), train, name="AbstractBatchNormTrain", cases=[
        Case(X, SCALE, BIAS, EPS, np.float64(0.3), id="epsilon"),
        Case(X, SCALE, BIAS, EPS, np.float64(0.3), MEAN, VAR, id="running averages"),
        Case(*all_float32(X, SCALE, BIAS, EPS, 0.3, MEAN, VAR), id="float32"),
    ], fixed={3: "epsilon is a setting", 4: "the factor is a setting"},
       out_dtype=lambda x, *more: (x,) * (5 if len(more) > 4 else 3),
       rtol={"float64": 1e-11, "float32": 2e-5}, errors=[
        Raises((X, SCALE[0], BIAS), TypeError, "as many dimensions as x, 3"),
        Raises((X[0, 0], SCALE[0, 0], BIAS[0, 0]), ValueError, "takes axes from 0 to 0"),
        Raises((X, SHORT, SHORT), ValueError, OF_LENGTH_1, when="run"),
        Raises((X, X, BIAS), ValueError, "of length 1 in axes|supposed to be 1", when="run"),
    ]),
    OpSpec(op_of(bn.AbstractBatchNormInference), inference, name="AbstractBatchNormInference",
           cases=[
        Case(X, SCALE, BIAS, MEAN, VAR, EPS, id="epsilon"),
        Case(*all_float32(X, SCALE, BIAS, MEAN, VAR, EPS), id="float32"),
    ], fixed={5: "epsilon is a setting"}),
    OpSpec(op_of(bn.AbstractBatchNormTrainGrad), gradient, name="AbstractBatchNormTrainGrad",
           cases=[
        Case(X, DY, SCALE, MEAN, VAR, EPS, id="epsilon"),
        Case(*all_float32(X, DY, SCALE, MEAN, VAR, EPS), id="float32"),
    ], fixed={5: "epsilon is a setting"},
       out_dtype=lambda x, *_: (x, x, x), rtol={"float64": 1e-10, "float32": 1e-4}, errors=[
        Raises((X, DY[:1], SCALE, MEAN, VAR), ValueError, "dy of the shape of x|mis-match",
               when="run"),
    ]),
]
# fmt: on


@pytest.mark.parametrize("axes", [(), 0, [0, "a"]])
def test_axes_are_a_tuple_of_integers(axes):
    with pytest.raises((TypeError, ValueError)):
        bn.AbstractBatchNormTrain(axes)


def test_both_running_averages_are_given_or_none():
    with pytest.raises(ValueError, match="both running_mean and running_var"):
        bn.AbstractBatchNormTrain(AXES)(X, SCALE, BIAS, 1e-4, 0.1, MEAN)


def test_compiled_functions_hold_none_of_these_ops():
    x, s, b, m, v, g = (T.dtensor3(n) for n in "xsbmvg")
    outs = bn.AbstractBatchNormTrain(AXES)(x, s, b, 1e-4, 0.1, m, v)
    outs.append(bn.AbstractBatchNormInference(AXES)(x, s, b, m, v))
    outs += T.grad(outs[0].sum(), [x, s])
    outs += bn.AbstractBatchNormTrainGrad(AXES)(x, g, s, m, v)
    for mode in ("FAST_RUN", "FAST_COMPILE"):
        f = theano.function([x, s, b, m, v, g], outs, mode=mode)
        names = {type(n.op).__name__ for n in f.maker.fgraph.toposort()}
        assert not any(name.startswith("Abstract") for name in names)


def test_a_graph_that_grows_as_it_is_written_out_is_rewritten_to_the_end(recwarn):
    x, s, b, e = T.dtensor3("x"), T.dtensor3("s"), T.dtensor3("b"), T.dscalar("e")
    theano.function([x, s, b, e], bn.AbstractBatchNormTrain(AXES)(x, s, b, e))
    assert not recwarn.list


def test_the_ops_mean_what_the_functions_mean():
    x, s, b = T.dtensor3("x"), T.dtensor3("s"), T.dtensor3("b")
    by_op = bn.AbstractBatchNormTrain(AXES)(x, s, b, 0.02)
    by_function = bn.batch_normalization_train(x, s, b, AXES, 0.02)
    grads = [T.grad((v[0] ** 3).sum(), [x, s, b]) for v in (by_op, by_function)]
    f = theano.function([x, s, b], [*by_op, *grads[0], *by_function, *grads[1]])
    made = f(X, SCALE, BIAS)
    for got, wanted in zip(made[:6], made[6:], strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-10, atol=1e-12)


def sides(ins, outs, values):
    """The outputs of the ops themselves, and of the graphs that rewriting puts in their place."""
    plain, fast = theano.Mode("numpy", None), theano.Mode("numpy")
    return [theano.function(ins, outs, mode=m)(*values) for m in (plain, fast)]


@pytest.mark.parametrize("averages", [False, True])
def test_one_scale_for_all_channels_leaves_a_mean_for_each(averages):
    x, x_value = T.dmatrix("x"), rng.normal(size=(4, 3))
    one = T.TensorType("float64", (True, True))
    params = [one(n) for n in ("scale", "bias", "mean", "var")[: 4 if averages else 2]]
    values = [np.full((1, 1), n) for n in (1.5, 0.5, 0.2, 2.0)[: len(params)]]
    outs = bn.AbstractBatchNormTrain((0,))(x, *params[:2], 1e-4, 0.1, *params[2:])
    cost = sum((v**2).sum() for v in outs)
    grads = theano.grad(cost, [x, *params])
    a, b = sides([x, *params], [*outs, *grads], [x_value, *values])
    for got, wanted in zip(b, a, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-9)
    wide = [np.repeat(v, 3, axis=1) for v in values]
    expected = train(x_value[:, :, None], *(v[:, :, None] for v in wide[:2]), 1e-4, 0.1,
                     *(v[:, :, None] for v in wide[2:]))  # fmt: skip
    for got, wanted in zip(b[: len(outs)], expected, strict=True):
        np.testing.assert_allclose(got, wanted[:, :, 0], rtol=1e-12)
    assert [g.shape for g in b[len(outs) :]] == [(4, 3), *[(1, 1)] * len(params)]


def test_one_scale_for_all_channels_has_a_gradient_for_each():
    x, dy = T.dmatrices("x", "dy")
    params = [T.TensorType("float64", (True, True))(n) for n in ("scale", "mean", "invstd")]
    values = [rng.normal(size=(4, 3)), rng.normal(size=(4, 3)), *np.full((3, 1, 1), 0.7)]
    outs = bn.AbstractBatchNormTrainGrad((0,))(x, dy, *params)
    a, b = sides([x, dy, *params], outs, values)
    for got, wanted in zip(b, a, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-12)
    assert [v.shape for v in b] == [(4, 3), (1, 3), (1, 3)]


@pytest.mark.parametrize("optimizer", [None, "fast_run"])
def test_parameters_of_one_declared_channel_do_not_repeat_it(optimizer):
    x = T.TensorType("float64", (False, True))("x")
    params = [T.TensorType("float64", (True, False))(n) for n in "sbuv"]
    out = bn.AbstractBatchNormInference((0,))(x, *params, 0.01)
    f = theano.function([x, *params], out, mode=theano.Mode("numpy", optimizer))
    assert f(np.ones((2, 1)), *np.ones((4, 1, 1))).shape == (2, 1)
    for channels in (0, 3):
        with pytest.raises(ValueError):
            f(np.ones((2, 1)), *np.ones((4, 1, channels)))


test_ops = spec_tests(SPECS)
