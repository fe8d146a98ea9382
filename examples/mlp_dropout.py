"""A multilayer perceptron of rectifiers, with dropout and momentum."""

import numpy as np
from digits import learn, run, shared_digits
from drawing import BLUE, GRAY, RED, canvas

import theano
import theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams as RandomStreams

rng = np.random.RandomState(23455)
srng = RandomStreams(seed=rng.randint(2**30))


def init_weights(n_in, n_out, name):
    scale = np.sqrt(2.0 / n_in)
    values = np.asarray(rng.normal(0, scale, size=(n_in, n_out)), dtype=theano.config.floatX)
    return theano.shared(value=values, name=name, borrow=True)


def init_bias(n_out, name):
    return theano.shared(np.zeros((n_out,), dtype=theano.config.floatX), name=name, borrow=True)


def dropout(x, p):
    """A share ``p`` of the units set to zero, the rest scaled up to make up for them."""
    if p <= 0:
        return x
    retain = 1 - p
    mask = srng.binomial(size=x.shape, n=1, p=retain, dtype=theano.config.floatX)
    return x * mask / retain


def model(x, params, p_input, p_hidden):
    (W1, b1), (W2, b2), (W3, b3) = params
    h1 = T.nnet.relu(T.dot(dropout(x, p_input), W1) + b1)
    h2 = T.nnet.relu(T.dot(dropout(h1, p_hidden), W2) + b2)
    return T.nnet.softmax(T.dot(dropout(h2, p_hidden), W3) + b3)


def momentum(cost, params, learning_rate, mu):
    updates = []
    for param, grad in zip(params, T.grad(cost=cost, wrt=params)):
        velocity = theano.shared(
            param.get_value() * 0.0, broadcastable=param.broadcastable, name="v_" + param.name
        )
        step = mu * velocity - learning_rate * grad
        updates.append((velocity, step))
        updates.append((param, param + step))
    return updates


def train_one(name, data, p_input, p_hidden, n_epochs, batch_size, learning_rate, mu, quiet):
    """A network and how it did: costs while it learned, costs and errors on the other digits."""
    (train_x, train_y), (test_x, test_y) = data
    n_batches = train_x.get_value(borrow=True).shape[0] // batch_size

    layers = [
        (init_weights(64, 128, "W1"), init_bias(128, "b1")),
        (init_weights(128, 64, "W2"), init_bias(64, "b2")),
        (init_weights(64, 10, "W3"), init_bias(10, "b3")),
    ]
    params = [p for layer in layers for p in layer]

    index = T.lscalar("index")
    rate = theano.shared(np.asarray(learning_rate, dtype=theano.config.floatX), name="rate")
    x = T.matrix("x")
    y = T.ivector("y")
    noisy = model(x, layers, p_input=p_input, p_hidden=p_hidden)
    clean = model(x, layers, p_input=0.0, p_hidden=0.0)
    cost = T.mean(T.nnet.categorical_crossentropy(noisy, y))

    batch = slice(index * batch_size, (index + 1) * batch_size)
    train = theano.function(
        inputs=[index],
        outputs=cost,
        updates=momentum(cost, params, rate, mu),
        givens={x: train_x[batch], y: train_y[batch]},
    )
    slower = theano.function([], [], updates=[(rate, rate * 0.95)])
    clean_cost = T.mean(T.nnet.categorical_crossentropy(clean, y))
    wrong = T.mean(T.neq(T.argmax(clean, axis=1), y))
    test = theano.function([], [clean_cost, wrong], givens={x: test_x, y: test_y})
    tests = []

    def epoch(_):
        costs = [train(i) for i in range(n_batches)]
        slower()
        tests.append([float(v) for v in test()])
        return np.mean(costs)

    return learn(name, n_epochs, epoch, quiet), np.array(tests)


def main(n_epochs=20, batch_size=20, learning_rate=0.05, mu=0.9, quiet=False):
    data = shared_digits()
    settings = n_epochs, batch_size, learning_rate, mu, quiet
    losses, tests = {}, {}
    for name, share in [("MLP with dropout", (0.1, 0.3)), ("MLP without", (0.0, 0.0))]:
        losses[name], tests[name] = train_one(name, data, *share, *settings)
    return {
        "accuracy": float(1 - tests["MLP with dropout"][-1, 1]),
        "losses": losses,
        "tests": tests,
    }


def draw(results, path):
    """Costs on the digits that are learned from and on others, and how many of these are wrong."""
    with canvas(path, height=250) as figure:
        left, right = figure.subplots(1, 2)
        for (name, losses), color in zip(results["losses"].items(), (BLUE, RED)):
            costs, wrong = results["tests"][name].T
            epochs = np.arange(1, len(losses) + 1)
            left.semilogy(epochs, losses, ":", color=color)
            left.semilogy(epochs, costs, color=color, label=name)
            right.plot(epochs, 100 * wrong, color=color, label=name)
        left.semilogy([], [], color=GRAY, label="other digits")
        left.semilogy([], [], ":", color=GRAY, label="digits it learns from")
        left.set(xlabel="epoch", ylabel="cost")
        left.legend()
        right.set(xlabel="epoch", ylabel="wrong answers on other digits, in %", ylim=(0, 10))


if __name__ == "__main__":
    run(main, __doc__, draw)
