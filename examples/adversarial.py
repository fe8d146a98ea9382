"""Adversarial examples: digits changed a little, in the direction that hurts a network most.

The gradient of the cost with respect to the image, not to the weights, says how each pixel should
change; one step along its signs (the fast gradient sign method) fools the network. A second network
learns from such images as well, and resists longer.
"""

import numpy as np
from digits import learn, run, shared_digits
from drawing import BLUE, GRAY, RED, canvas

import theano
import theano.tensor as T

EPSILONS = np.linspace(0, 0.3, 13)
SHOWN = 0.15  # the size of the steps in the picture


class Perceptron(object):  # noqa: UP004
    """One hidden layer of rectifiers, and a softmax."""

    def __init__(self, n_in=64, n_hidden=100, n_out=10, seed=0):
        rng = np.random.RandomState(seed)

        def parameter(values):
            return theano.shared(np.asarray(values, dtype=theano.config.floatX))

        self.W1 = parameter(rng.randn(n_in, n_hidden) * np.sqrt(2.0 / n_in))
        self.b1 = parameter(np.zeros(n_hidden))
        self.W2 = parameter(rng.randn(n_hidden, n_out) * np.sqrt(1.0 / n_hidden))
        self.b2 = parameter(np.zeros(n_out))
        self.params = [self.W1, self.b1, self.W2, self.b2]

    def probabilities(self, x):
        hidden = T.nnet.relu(T.dot(x, self.W1) + self.b1)
        return T.nnet.softmax(T.dot(hidden, self.W2) + self.b2)

    def cost(self, x, y):
        return T.nnet.categorical_crossentropy(self.probabilities(x), y).mean()

    def attacked(self, x, y, epsilon):
        """The images after a step of size epsilon in each pixel, kept between 0 and 1."""
        step = epsilon * T.sgn(T.grad(self.cost(x, y), x))
        # what the attack does is not to be differentiated when the network learns from it
        return T.clip(x + theano.gradient.disconnected_grad(step), 0, 1)


def train(network, name, n_epochs, data, against=0.0, batch_size=20, rate=0.2, quiet=False):
    """Gradient descent; half of the cost on attacked images, if they are to be learned from."""
    (train_x, train_y), _ = data
    index, x, y = T.lscalar("index"), T.matrix("x"), T.ivector("y")
    cost = network.cost(x, y)
    if against:
        cost = (cost + network.cost(network.attacked(x, y, against), y)) / 2
    batch = slice(index * batch_size, (index + 1) * batch_size)
    step = theano.function(
        [index],
        cost,
        updates=[(p, p - rate * g) for p, g in zip(network.params, T.grad(cost, network.params))],
        givens={x: train_x[batch], y: train_y[batch]},
    )
    n_batches = train_x.get_value(borrow=True).shape[0] // batch_size
    return learn(name, n_epochs, lambda _: np.mean([step(i) for i in range(n_batches)]), quiet)


def main(n_epochs=15, quiet=False):
    data = shared_digits()
    test_x, test_y = data[1]
    x, y, epsilon = T.matrix("x"), T.ivector("y"), T.scalar("epsilon")
    at_test = {x: test_x, y: test_y}
    signs = np.random.RandomState(0).choice([-1.0, 1.0], test_x.get_value(borrow=True).shape)
    noise = theano.shared(signs.astype(theano.config.floatX))

    networks = {"plain": Perceptron(), "trained against it": Perceptron()}
    losses, curves = {}, {}
    for name, network in networks.items():
        against = 0.0 if name == "plain" else SHOWN
        losses[name] = train(network, name, n_epochs, data, against, quiet=quiet)
        right = T.eq(network.probabilities(network.attacked(x, y, epsilon)).argmax(axis=1), y)
        accuracy = theano.function([epsilon], right.mean(), givens=at_test)
        curves[name] = [float(accuracy(e)) for e in EPSILONS.astype(theano.config.floatX)]

    plain = networks["plain"]
    shaken = T.clip(x + epsilon * noise, 0, 1)
    right = T.eq(plain.probabilities(shaken).argmax(axis=1), y)
    by_noise = theano.function([epsilon], right.mean(), givens=at_test)
    curves["random signs"] = [float(by_noise(e)) for e in EPSILONS.astype(theano.config.floatX)]

    images = plain.attacked(x, y, epsilon)
    look = theano.function(
        [epsilon],
        [x, y, images, plain.probabilities(x), plain.probabilities(images)],
        givens=at_test,
    )
    keys = "images", "labels", "attacked", "before", "after"
    results = dict(zip(keys, look(np.asarray(SHOWN, dtype=theano.config.floatX))))
    results.update(accuracy=curves["plain"][0], losses=losses, curves=curves)
    if not quiet:
        for name, values in curves.items():
            print(f"{name}: accuracy {np.interp(SHOWN, EPSILONS, values):.1%} at {SHOWN}")
    return results


def draw(results, path):
    """Digits before and after, and the accuracy by the size of the change."""
    labels, before = results["labels"], results["before"].argmax(axis=1)
    after = results["after"].argmax(axis=1)
    # of each digit the one that the network is most sure to be another
    sure = results["after"].max(axis=1) * ((before == labels) & (after != labels))
    chosen = [np.argmax(sure * (labels == digit)) for digit in (0, 2, 3, 4, 6, 7)]
    with canvas(path, height=250) as figure:
        pictures, curves = figure.subfigures(1, 2, width_ratios=[1.25, 1])
        grid = pictures.subplots(3, len(chosen))
        change = results["attacked"] - results["images"]
        for column, i in zip(grid.T, chosen):
            shown = results["images"][i], change[i], results["attacked"][i]
            names = f"{labels[i]}", "", f"{after[i]}, {results['after'][i].max():.0%}"
            colors = GRAY, GRAY, RED
            for row, (axes, values) in enumerate(zip(column, shown)):
                low, high, cmap = (-0.5, 0.5, "RdBu_r") if row == 1 else (0, 1, "gray_r")
                axes.imshow(values.reshape(8, 8), vmin=low, vmax=high, cmap=cmap)
                axes.set(xticks=[], yticks=[])
                axes.spines[:].set(visible=True, color="0.85")
                axes.set_title(names[row], color=colors[row], fontsize=8, pad=3)
        for axes, name in zip(grid[:, 0], ("digit", f"change, ±{SHOWN}", "taken for")):
            axes.set_ylabel(name)

        axes = curves.subplots()
        for name, color, style, place in [
            ("random signs", GRAY, "--", (0.2, 0.96)),
            ("plain", RED, "-", (0.055, 0.55)),
            ("trained against it", BLUE, "-", (0.19, 0.5)),
        ]:
            axes.plot(EPSILONS, results["curves"][name], style, color=color)
            axes.text(*place, name, color=color)
        axes.axvline(SHOWN, color="0.8", lw=0.8, zorder=0)
        axes.set(xlabel="change of a pixel", ylabel="accuracy", xlim=(0, 0.3), ylim=(0, 1.05))


if __name__ == "__main__":
    run(main, __doc__, draw)
