"""A multilayer perceptron of rectifiers, with dropout and momentum."""

import numpy as np
from digits import learn, run, shared_digits

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


def main(n_epochs=20, batch_size=20, learning_rate=0.05, mu=0.9, quiet=False):
    (train_x, train_y), (test_x, test_y) = shared_digits()
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
    noisy = model(x, layers, p_input=0.1, p_hidden=0.3)
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
    test = theano.function(
        [], T.mean(T.neq(T.argmax(clean, axis=1), y)), givens={x: test_x, y: test_y}
    )

    def epoch(_):
        costs = [train(i) for i in range(n_batches)]
        slower()
        return np.mean(costs)

    losses = learn("MLP with dropout", n_epochs, epoch, quiet)
    return 1 - float(test()), {"MLP with dropout": losses}


if __name__ == "__main__":
    run(main, __doc__)
