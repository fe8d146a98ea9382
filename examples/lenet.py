"""LeNet: two layers of convolution and pooling, a hidden layer, and a softmax."""

import numpy as np
from digits import learn, run, shared_digits
from drawing import canvas, tiles

import theano
import theano.tensor as T
from theano.tensor.nnet import conv2d
from theano.tensor.signal import pool

rng = np.random.RandomState(23455)


def weights(shape, fan_in, fan_out, name):
    bound = np.sqrt(6.0 / (fan_in + fan_out))
    values = rng.uniform(low=-bound, high=bound, size=shape)
    return theano.shared(np.asarray(values, dtype=theano.config.floatX), name=name, borrow=True)


def bias(n, name):
    return theano.shared(np.zeros((n,), dtype=theano.config.floatX), name=name, borrow=True)


class ConvPoolLayer(object):  # noqa: UP004
    """tanh(max_pool(conv2d(input, W)) + b)."""

    def __init__(self, input, filter_shape, image_shape, poolsize=(2, 2), name=""):
        fan_in = np.prod(filter_shape[1:])
        fan_out = filter_shape[0] * np.prod(filter_shape[2:]) // np.prod(poolsize)
        self.W = weights(filter_shape, fan_in, fan_out, "W" + name)
        self.b = bias(filter_shape[0], "b" + name)
        self.convolved = conv2d(
            input=input, filters=self.W, filter_shape=filter_shape, input_shape=image_shape
        )
        pooled = pool.pool_2d(input=self.convolved, ws=poolsize, ignore_border=True)
        self.output = T.tanh(pooled + self.b.dimshuffle("x", 0, "x", "x"))
        self.params = [self.W, self.b]


class HiddenLayer(object):  # noqa: UP004
    """activation(dot(input, W) + b)."""

    def __init__(self, input, n_in, n_out, activation, name=""):
        self.W = weights((n_in, n_out), n_in, n_out, "W" + name)
        self.b = bias(n_out, "b" + name)
        self.output = activation(T.dot(input, self.W) + self.b)
        self.params = [self.W, self.b]


def rmsprop(cost, params, learning_rate, rho=0.9, epsilon=1e-6):
    updates = []
    for p, g in zip(params, T.grad(cost, params)):
        acc = theano.shared(np.zeros_like(p.get_value()))
        acc_new = rho * acc + (1 - rho) * g**2
        updates.append((acc, acc_new))
        updates.append((p, p - learning_rate * g / T.sqrt(acc_new + epsilon)))
    return updates


def main(n_epochs=12, batch_size=20, learning_rate=0.002, nkerns=(20, 50), quiet=False):
    (train_x, train_y), (test_x, test_y) = shared_digits()
    n_train, n_test = (v.get_value(borrow=True).shape[0] for v in (train_x, test_x))

    index = T.lscalar("index")
    x = T.matrix("x")
    y = T.ivector("y")
    # 8 x 8 pixels: 6 x 6 after the first filters, 3 x 3 pooled; 2 x 2 and one cell after the second
    layer0 = ConvPoolLayer(
        x.reshape((x.shape[0], 1, 8, 8)),
        filter_shape=(nkerns[0], 1, 3, 3),
        image_shape=(None, 1, 8, 8),
        name="0",
    )
    layer1 = ConvPoolLayer(
        layer0.output,
        filter_shape=(nkerns[1], nkerns[0], 2, 2),
        image_shape=(None, nkerns[0], 3, 3),
        name="1",
    )
    layer2 = HiddenLayer(layer1.output.flatten(2), nkerns[1], 100, T.tanh, name="2")
    layer3 = HiddenLayer(layer2.output, 100, 10, T.nnet.softmax, name="3")

    cost = T.nnet.categorical_crossentropy(layer3.output, y).mean()
    params = layer0.params + layer1.params + layer2.params + layer3.params
    batch = slice(index * batch_size, (index + 1) * batch_size)
    train_model = theano.function(
        [index],
        cost,
        updates=rmsprop(cost, params, learning_rate),
        givens={x: train_x[batch], y: train_y[batch]},
    )
    test_model = theano.function(
        [index],
        T.mean(T.neq(layer3.output.argmax(axis=1), y)),
        givens={x: test_x[batch], y: test_y[batch]},
    )

    def epoch(_):
        return np.mean([train_model(i) for i in range(n_train // batch_size)])

    losses = learn("LeNet", n_epochs, epoch, quiet)
    errors = [test_model(i) for i in range(n_test // batch_size)]
    look = theano.function([x], [layer0.convolved, layer3.output])
    images = test_x.get_value()[:3]
    maps, guesses = look(images)
    return {
        "accuracy": 1 - float(np.mean(errors)),
        "losses": {"LeNet": losses},
        "filters": layer0.W.get_value()[:, 0],
        "images": images.reshape(-1, 8, 8),
        "maps": maps,
        "guesses": guesses,
        "network": (x, layer3.output, params),
    }


def draw(results, path):
    """The filters of the first layer, and what they see in three digits."""
    with canvas(path, height=330) as figure:
        left, right = figure.subfigures(1, 2, width_ratios=[1, 1.9])
        axes = left.subplots()
        filters = results["filters"]
        limit = np.abs(filters).max()
        rows = len(filters) // 4
        axes.imshow(tiles(filters, rows, 4), cmap="RdBu_r", vmin=-limit, vmax=limit)
        axes.set(title=f"{len(filters)} filters of 3 x 3 pixels")
        axes.set_axis_off()
        grid = right.subplots(3, 3, width_ratios=[1, 5, 1.6])
        for row, image, maps, guess in zip(
            grid, *(results[k] for k in ("images", "maps", "guesses"))
        ):
            row[0].imshow(image, cmap="gray_r")
            row[0].set_axis_off()
            limit = np.abs(maps).max()
            row[1].imshow(tiles(maps, 2, len(maps) // 2), cmap="RdBu_r", vmin=-limit, vmax=limit)
            row[1].set_axis_off()
            row[2].bar(np.arange(10), guess, color="0.5")
            row[2].set(xticks=np.arange(10), yticks=[], ylim=(0, 1))
            row[2].tick_params(labelsize=5, length=0)
        for axes, title in zip(grid[0], ("digit", "the digit through each filter", "taken for")):
            axes.set_title(title)


if __name__ == "__main__":
    run(main, __doc__, draw)
