"""Softmax regression: one linear layer, trained by stochastic gradient descent."""

import numpy as np
from digits import learn, run, shared_digits
from drawing import BLUE, canvas

import theano
import theano.tensor as T


class SoftmaxRegression(object):  # noqa: UP004
    """Probabilities of classes: the softmax of a linear function of the input."""

    def __init__(self, input, n_in, n_out):
        self.W = theano.shared(np.zeros((n_in, n_out), dtype=theano.config.floatX), name="W")
        self.b = theano.shared(np.zeros((n_out,), dtype=theano.config.floatX), name="b")
        self.params = [self.W, self.b]
        self.p_y_given_x = T.nnet.softmax(T.dot(input, self.W) + self.b)
        self.y_pred = T.argmax(self.p_y_given_x, axis=1)

    def negative_log_likelihood(self, y):
        return -T.mean(T.log(self.p_y_given_x)[T.arange(y.shape[0]), y])

    def errors(self, y):
        return T.mean(T.neq(self.y_pred, y))


def main(n_epochs=40, batch_size=20, learning_rate=0.13, quiet=False):
    (train_x, train_y), (test_x, test_y) = shared_digits()
    n_batches = train_x.get_value(borrow=True).shape[0] // batch_size

    index = T.lscalar("index")
    x = T.matrix("x")
    y = T.ivector("y")
    classifier = SoftmaxRegression(x, n_in=64, n_out=10)
    cost = classifier.negative_log_likelihood(y) + 1e-4 * (classifier.W**2).sum()

    grads = T.grad(cost, classifier.params)
    updates = [(p, p - learning_rate * g) for p, g in zip(classifier.params, grads)]
    batch = slice(index * batch_size, (index + 1) * batch_size)
    train = theano.function(
        [index], cost, updates=updates, givens={x: train_x[batch], y: train_y[batch]}
    )
    test = theano.function([], classifier.errors(y), givens={x: test_x, y: test_y})

    def epoch(_):
        return np.mean([train(i) for i in range(n_batches)])

    losses = learn("softmax regression", n_epochs, epoch, quiet)
    return {
        "accuracy": 1 - float(test()),
        "losses": {"softmax regression": losses},
        "weights": classifier.W.get_value(),
    }


def draw(results, path):
    """The weights for each digit (red) and against it (blue), and the loss."""
    weights, losses = results["weights"], results["losses"]["softmax regression"]
    with canvas(path, height=250) as figure:
        left, right = figure.subfigures(1, 2, width_ratios=[1.6, 1])
        limit = np.abs(weights).max()
        for digit, axes in enumerate(left.subplots(2, 5).flat):
            image = weights[:, digit].reshape(8, 8)
            axes.imshow(image, cmap="RdBu_r", vmin=-limit, vmax=limit)
            axes.set(xticks=[], yticks=[], title=f"{digit}")
            axes.spines[:].set(visible=True, color="0.85")
        left.suptitle("weights: red speaks for the digit, blue against it", fontsize=9)
        axes = right.subplots()
        axes.plot(np.arange(1, len(losses) + 1), losses, color=BLUE)
        axes.set(xlabel="epoch", ylabel="loss", ylim=(0, None))


if __name__ == "__main__":
    run(main, __doc__, draw)
