"""A variational autoencoder: digits from two numbers, and new ones by drawing these.

The encoder gives a normal distribution of codes for each image, the decoder a probability for each
pixel. Both learn from one bound of the likelihood, through a draw that is a function of both.
"""

import numpy as np
from digits import learn, run, shared_digits
from drawing import BLUE, GREEN, ORANGE, PURPLE, RED, canvas, tiles
from optimizers import adam

import theano
import theano.tensor as T
from theano.tensor.shared_randomstreams import RandomStreams


class Layer:
    """dot(x, W) + b."""

    def __init__(self, rng, n_in, n_out, name):
        values = rng.normal(scale=n_in**-0.5, size=(n_in, n_out))
        self.W = theano.shared(values.astype(theano.config.floatX), name + "_W")
        self.b = theano.shared(np.zeros(n_out, theano.config.floatX), name + "_b")
        self.params = [self.W, self.b]

    def __call__(self, x):
        return T.dot(x, self.W) + self.b


class VariationalAutoencoder:
    def __init__(self, rng, n_pixels, n_hidden, n_codes):
        self.encode = Layer(rng, n_pixels, n_hidden, "encode")
        self.mean = Layer(rng, n_hidden, n_codes, "mean")
        self.log_deviation = Layer(rng, n_hidden, n_codes, "log_deviation")
        self.widen = Layer(rng, n_codes, n_hidden, "widen")
        self.decode = Layer(rng, n_hidden, n_pixels, "decode")
        layers = [self.encode, self.mean, self.log_deviation, self.widen, self.decode]
        self.params = [p for layer in layers for p in layer.params]

    def codes(self, x):
        """Mean and logarithm of the deviation of q(z | x)."""
        h = T.nnet.relu(self.encode(x))
        return self.mean(h), self.log_deviation(h)

    def logits(self, z):
        """Of the pixels: p(x | z)."""
        return self.decode(T.nnet.relu(self.widen(z)))

    def bound(self, x, streams):
        """A lower bound of log p(x) for each image, in nats."""
        mean, log_deviation = self.codes(x)
        # a draw of q(z | x) with a gradient: the randomness comes from outside
        z = mean + T.exp(log_deviation) * streams.normal(mean.shape)
        logits = self.logits(z)
        reconstruction = (x * logits - T.nnet.softplus(logits)).sum(axis=1)
        divergence = (mean**2 + T.exp(2 * log_deviation) - 1) / 2 - log_deviation
        return reconstruction - divergence.sum(axis=1)


def main(n_epochs=50, n_hidden=150, batch_size=50, n_side=11, n_samples=40, seed=7, quiet=False):
    (train_x, _), (test_x, test_y) = shared_digits()
    n_batches = train_x.get_value(borrow=True).shape[0] // batch_size
    model = VariationalAutoencoder(np.random.RandomState(seed), 64, n_hidden, 2)
    streams = RandomStreams(seed)
    x, z, index = T.matrix("x"), T.matrix("z"), T.lscalar("index")

    cost = -model.bound(x, streams).mean()
    batch = train_x[index * batch_size : (index + 1) * batch_size]
    updates = adam(cost, model.params, 0.003)
    train = theano.function([index], cost, updates=updates, givens={x: batch})
    test = theano.function([], -cost, givens={x: test_x})
    decode = theano.function([z], T.nnet.sigmoid(model.logits(z)))
    sample = theano.function([], T.nnet.sigmoid(model.logits(streams.normal((n_samples, 2)))))

    bounds = [float(test())]

    def epoch(_):
        found = np.mean([train(i) for i in range(n_batches)])
        bounds.append(float(test()))
        return found

    losses = learn("variational autoencoder", n_epochs, epoch, quiet)
    if not quiet:
        print(f"bound on images not seen: {bounds[0]:.2f} to {bounds[-1]:.2f} nats")
    # equal parts of the normal distribution, so that no part of the plane is shown too often
    from scipy.stats import norm

    across = norm.ppf((np.arange(n_side) + 0.5) / n_side)
    plane = np.stack(np.meshgrid(across, -across), axis=-1).reshape(-1, 2)
    return {
        "losses": {"variational autoencoder": losses},
        "bounds": bounds,
        "codes": theano.function([], model.codes(x)[0], givens={x: test_x})(),
        "labels": test_y.eval(),
        "walk": decode(plane.astype(theano.config.floatX)).reshape(-1, 8, 8),
        "samples": sample().reshape(-1, 8, 8),
    }


def draw(results, path):
    """The bound by epochs and samples; codes of images; a walk through the plane of codes."""
    with canvas(path, 290) as figure:
        axes = figure.subplot_mosaic("BCD\nSCD", width_ratios=[1, 1.2, 1.2])
        axes["B"].plot(results["bounds"], color=BLUE)
        axes["B"].set(xlabel="epoch", ylabel="nats", title="bound on new images")
        gray = {"cmap": "gray_r", "vmin": 0, "vmax": 1, "interpolation": "nearest"}
        axes["S"].imshow(tiles(results["samples"][:40], 5, 8, 2), **gray)
        axes["S"].set_title("samples")
        colours = (BLUE, ORANGE, GREEN, RED, PURPLE)
        for digit in range(10):
            at = results["codes"][results["labels"] == digit]
            style = {"marker": f"${digit}$", "s": 18, "lw": 0, "color": colours[digit % 5]}
            axes["C"].scatter(*at.T, **style)
        axes["C"].set(title="codes of new images", xlim=(-3, 3), ylim=(-3, 3))
        axes["C"].set_aspect("equal")
        side = round(len(results["walk"]) ** 0.5)
        axes["D"].imshow(tiles(results["walk"], side, side), **gray)
        axes["D"].set_title("digits of a grid of codes")
        for key in "SD":
            axes[key].axis("off")


if __name__ == "__main__":
    run(main, __doc__, draw)
