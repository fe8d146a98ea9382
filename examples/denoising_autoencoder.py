"""A denoising autoencoder with tied weights; a softmax then tells digits by its codes."""

import numpy as np
from digits import learn, run, shared_digits
from drawing import BLUE, canvas, tiles

import theano
import theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams


class DenoisingAutoencoder(object):  # noqa: UP004
    """Learns to tell an image from a part of it, by a code in between."""

    def __init__(self, numpy_rng, theano_rng, input, n_visible, n_hidden):
        self.theano_rng = theano_rng
        self.x = input
        bound = 4 * np.sqrt(6.0 / (n_visible + n_hidden))
        initial_W = np.asarray(
            numpy_rng.uniform(low=-bound, high=bound, size=(n_visible, n_hidden)),
            dtype=theano.config.floatX,
        )
        self.W = theano.shared(value=initial_W, name="W", borrow=True)
        self.b = theano.shared(np.zeros(n_hidden, dtype=theano.config.floatX), name="b")
        self.b_prime = theano.shared(np.zeros(n_visible, dtype=theano.config.floatX), name="bvis")
        self.params = [self.W, self.b, self.b_prime]

    def corrupted(self, x, level):
        kept = self.theano_rng.binomial(size=x.shape, n=1, p=1 - level, dtype=theano.config.floatX)
        return kept * x

    def hidden(self, x):
        return T.nnet.sigmoid(T.dot(x, self.W) + self.b)

    def reconstructed(self, hidden):
        return T.nnet.sigmoid(T.dot(hidden, self.W.T) + self.b_prime)

    def cost_updates(self, corruption_level, learning_rate):
        z = self.reconstructed(self.hidden(self.corrupted(self.x, corruption_level)))
        # the cross-entropy of each image, as pixels lie between 0 and 1
        L = -T.sum(self.x * T.log(z) + (1 - self.x) * T.log(1 - z), axis=1)
        cost = T.mean(L)
        gparams = T.grad(cost, self.params)
        updates = [(p, p - learning_rate * g) for p, g in zip(self.params, gparams)]
        return cost, updates


def main(n_epochs=15, n_hidden=100, batch_size=20, corruption_level=0.3, quiet=False):
    (train_x, train_y), (test_x, test_y) = shared_digits()
    n_batches = train_x.get_value(borrow=True).shape[0] // batch_size
    numpy_rng = np.random.RandomState(123)
    theano_rng = MRG_RandomStreams(numpy_rng.randint(2**30))

    index = T.lscalar("index")
    x = T.matrix("x")
    y = T.ivector("y")
    batch = slice(index * batch_size, (index + 1) * batch_size)

    da = DenoisingAutoencoder(numpy_rng, theano_rng, x, n_visible=64, n_hidden=n_hidden)
    cost, updates = da.cost_updates(corruption_level, learning_rate=0.1)
    train_da = theano.function([index], cost, updates=updates, givens={x: train_x[batch]})
    pretraining = learn(
        "denoising autoencoder",
        n_epochs,
        lambda _: np.mean([train_da(i) for i in range(n_batches)]),
        quiet,
    )

    # the codes stay as they are: only the softmax on top of them learns
    W = theano.shared(np.zeros((n_hidden, 10), dtype=theano.config.floatX), name="W_softmax")
    b = theano.shared(np.zeros((10,), dtype=theano.config.floatX), name="b_softmax")
    p_y = T.nnet.softmax(T.dot(da.hidden(x), W) + b)
    nll = T.nnet.categorical_crossentropy(p_y, y).mean()
    train_softmax = theano.function(
        [index],
        nll,
        updates=[(p, p - 0.2 * g) for p, g in zip([W, b], T.grad(nll, [W, b]))],
        givens={x: train_x[batch], y: train_y[batch]},
    )
    finetuning = learn(
        "softmax on its codes",
        n_epochs,
        lambda _: np.mean([train_softmax(i) for i in range(n_batches)]),
        quiet,
    )
    errors = theano.function(
        [], T.mean(T.neq(T.argmax(p_y, axis=1), y)), givens={x: test_x, y: test_y}
    )
    spoilt = da.corrupted(x, corruption_level)
    images = test_x.get_value()[:16]
    seen, restored = theano.function([x], [spoilt, da.reconstructed(da.hidden(spoilt))])(images)
    return {
        "accuracy": 1 - float(errors()),
        "losses": {"denoising autoencoder": pretraining, "softmax on its codes": finetuning},
        "images": images,
        "corrupted": seen,
        "reconstructed": restored,
    }


def draw(results, path):
    """Digits, the pixels that are left of them, and the restored digits; the loss."""
    kinds = "images", "corrupted", "reconstructed"
    rows = np.concatenate([results[kind][:9] for kind in kinds]).reshape(-1, 8, 8)
    losses = results["losses"]["denoising autoencoder"]
    with canvas(path, height=200) as figure:
        left, right = figure.subplots(1, 2, width_ratios=[2.2, 1])
        left.imshow(tiles(rows, 3, 9), cmap="gray_r", vmin=0, vmax=1)
        left.set(xticks=[], yticks=[3.5, 12.5, 21.5], yticklabels=["digit", "seen", "restored"])
        left.tick_params(length=0)
        left.spines[:].set_visible(False)
        left.set_title("digits that were not learned from")
        right.plot(np.arange(1, len(losses) + 1), losses, color=BLUE)
        right.set(xlabel="epoch", ylabel="cross-entropy of a digit")


if __name__ == "__main__":
    run(main, __doc__, draw)
