"""Sparsity patterns of the gallery's models cover their Jacobians, and are nearly exact."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.examples.test_gallery_programs import program  # noqa: F401
from tests.properties.patterns import jacobians
from theano.tensor.shared_randomstreams import RandomStreams

rng = np.random.default_rng(5)


def near(*shape):
    return rng.normal(size=shape) / 2


def gaussian_process(module):
    x, y, at = T.dvectors("x", "y", "at")
    process, values = module.GaussianProcess(), {y: near(4), at: near(3)}
    yield process.posterior(x, y, at)[0], x, near(4), values
    yield process.kernel(x, at), x, near(4), values
    yield T.grad(process.negative_log_likelihood(x, y), y), y, near(4), {x: near(4), at: near(3)}


def softmax_regression(module):
    x = T.matrix("x")
    model = module.SoftmaxRegression(x, 4, 3)
    model.W.set_value(near(4, 3).astype(model.W.dtype))
    yield model.p_y_given_x, x, near(3, 4), {}
    yield T.grad(T.sum(model.p_y_given_x[:, 0] ** 2), x), x, near(3, 4), {}


def denoising_autoencoder(module):
    x = T.matrix("x")
    model = module.DenoisingAutoencoder(np.random.RandomState(0), RandomStreams(1), x, 4, 3)
    yield model.reconstructed(model.hidden(x)), x, near(3, 4), {}


def adversarial(module):
    x = T.matrix("x")
    yield module.Perceptron(6, 5, 4).probabilities(x), x, near(3, 6), {}


def variational_autoencoder(module):
    x = T.matrix("x")
    model = module.VariationalAutoencoder(np.random.RandomState(0), 6, 8, 2)
    yield model.codes(x)[0], x, near(3, 6), {}
    yield model.logits(x), x, near(3, 2), {}


def char_lstm(module):
    x = T.fmatrix("x")
    h, c = T.fmatrices("h", "c")
    model = module.LSTM(np.random.RandomState(0), 5, 2)
    values = {v: near(3, 2).astype("float32") for v in (h, c)}
    xs = T.ftensor3("xs")
    (hs, _), _ = theano.scan(model.step, sequences=xs, outputs_info=[h, c])
    yield model.step(x, h, c)[0], x, near(3, 8).astype("float32"), values
    yield hs, xs, near(3, 2, 8).astype("float32"), {v: near(2, 2).astype("float32") for v in (h, c)}


def ode_fit(module):
    unknown = T.dvector("unknown")
    times = np.array([0.0, 0.4, 0.8])
    states = module.trajectory(T.exp(unknown[:4]), T.exp(unknown[4:]), times)
    yield states, unknown, np.log([0.9, 0.4, 0.5, 0.15, 3, 1]), {}


def bayesian_regression(module):
    theta = T.dmatrix("theta")
    features = T.constant(near(5, 3))
    energy = module.energy(theta, features, T.constant(near(5)))
    yield energy, theta, near(3, 4), {}
    yield T.grad(energy.sum(), theta), theta, near(3, 4), {}


def lenet(module):
    x = T.tensor4("x")
    layer = module.ConvPoolLayer(x, (2, 1, 2, 2), (2, 1, 4, 4))
    yield layer.output, x, near(2, 1, 4, 4), {}


#: entries of patterns that no Jacobian has, as a share: convolutions take a whole image
SUPERFLUOUS = {"lenet": 0.8}
MODELS = (
    gaussian_process,
    softmax_regression,
    denoising_autoencoder,
    adversarial,
    variational_autoencoder,
    char_lstm,
    ode_fit,
    bayesian_regression,
    lenet,
)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_no_entry_of_a_models_jacobian_is_missed(program, model):  # noqa: F811
    for y, x, value, others in model(program(model.__name__)):
        value = np.asarray(value, x.dtype)
        want = jacobians(y, x, value, others)
        pattern = theano.gradient.sparsity(y, x, {x: value.shape}, others).toarray()
        assert want is not None and want.shape == pattern.shape
        assert not np.any(want & ~pattern)
        share = np.mean(pattern & ~want) / np.mean(pattern)
        assert share <= SUPERFLUOUS.get(model.__name__, 0), f"{share:.0%} of {y}"
