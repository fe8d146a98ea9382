"""Asks Theano 1.0.5 what softmax, crossentropies and their kin give, and their gradients.

``python ask_nnet.py > nnet.json``, run by an environment that has it: one record for each name of
``CASES``. Written for that environment's Python too, and used by the tests for its cases.
"""

import json
import sys

import numpy as np


def numbers(shape, seed, scale=1.0):
    """Quarters between -5 and 5, times ``scale``: the same wherever they are asked for."""
    n = int(np.prod(shape))
    found = ((np.arange(n) * 37 + seed * 11) % 101 % 41 - 20) / 4.0
    return (found * scale).reshape(shape)


def shares(shape, seed):
    """Positive rows that sum to 1."""
    found = np.abs(numbers(shape, seed)) + 0.25
    return found / found.sum(axis=-1, keepdims=True)


CLASSES = np.array([2, 0, 3, 1])


def cases(T, nnet, bn):
    """Name, function of variables, values of these, and which of them to differentiate by."""
    rows = T.arange(4)
    for scale in (1.0, 50.0):
        x, b = numbers((4, 5), 1, scale), numbers((5,), 2, scale)
        at = "" if scale == 1.0 else " far out"

        def index(x, y):
            return -T.log(nnet.softmax(x))[T.arange(y.shape[0]), y]

        def inner_index(x, y):
            return -T.log(nnet.softmax(x)[T.arange(y.shape[0]), y])

        def written(x, y):
            e = T.exp(x)
            return -T.log(e / e.sum(axis=1, keepdims=True))[T.arange(y.shape[0]), y]

        yield "softmax" + at, nnet.softmax, [x]
        yield "softmax of a vector" + at, nnet.softmax, [b]
        yield "softmax_with_bias" + at, nnet.softmax_with_bias, [x, b]
        yield "logsoftmax" + at, nnet.logsoftmax, [x]
        yield "crossentropy_softmax_1hot" + at, nnet.crossentropy_softmax_1hot, [x, CLASSES]
        yield (
            "crossentropy_softmax_1hot_with_bias" + at,
            nnet.crossentropy_softmax_1hot_with_bias,
            [x, b, CLASSES],
        )
        yield (
            "crossentropy_softmax_argmax_1hot_with_bias" + at,
            nnet.crossentropy_softmax_argmax_1hot_with_bias,
            [x, b, CLASSES],
        )
        yield (
            "crossentropy_softmax_max_and_argmax_1hot" + at,
            nnet.crossentropy_softmax_max_and_argmax_1hot,
            [x, CLASSES],
        )
        yield (
            "crossentropy_softmax_max_and_argmax_1hot_with_bias" + at,
            nnet.crossentropy_softmax_max_and_argmax_1hot_with_bias,
            [x, b, CLASSES],
        )
        yield (
            "categorical of softmax, classes" + at,
            lambda x, y: nnet.categorical_crossentropy(nnet.softmax(x), y),
            [x, CLASSES],
        )
        yield (
            "categorical of softmax with a bias" + at,
            lambda x, b, y: nnet.categorical_crossentropy(nnet.softmax(x + b), y),
            [x, b, CLASSES],
        )
        yield (
            "categorical of softmax, distributions" + at,
            lambda x, t: nnet.categorical_crossentropy(nnet.softmax(x), t),
            [x, shares((4, 5), 3)],
        )
        yield "logarithm by index" + at, index, [x, CLASSES]
        yield "logarithm of what is indexed" + at, inner_index, [x, CLASSES]
        yield "formula by index" + at, written, [x, CLASSES]
        yield (
            "binary of sigmoid" + at,
            lambda x, t: nnet.binary_crossentropy(nnet.sigmoid(x), t),
            [x, shares((4, 5), 3)],
        )
        yield (
            "sigmoid_binary_crossentropy" + at,
            nnet.sigmoid_binary_crossentropy,
            [x, shares((4, 5), 3)],
        )
        for name in ("sigmoid", "softplus", "softsign", "hard_sigmoid", "elu", "selu", "relu"):
            yield name + at, getattr(nnet, name), [x + 0.125]
        yield "leaky relu" + at, lambda x: nnet.relu(x, 0.25), [x]
        yield "relu with slopes" + at, nnet.relu, [x, np.abs(b)]
        yield "elu of 2" + at, lambda x: nnet.elu(x, 2.0), [x + 0.125]
    p = shares((4, 5), 3)
    yield "categorical, classes", nnet.categorical_crossentropy, [p, CLASSES]
    yield "categorical, distributions", nnet.categorical_crossentropy, [p, shares((4, 5), 5)]
    yield "binary", nnet.binary_crossentropy, [p, shares((4, 5), 5)]
    yield "crossentropy_categorical_1hot", nnet.crossentropy_categorical_1hot, [p, CLASSES]
    yield (
        "crossentropy_categorical_1hot_grad",
        nnet.crossentropy_categorical_1hot_grad,
        [numbers((4,), 1), p, CLASSES],
    )
    yield (
        "crossentropy_softmax_1hot_with_bias_dx",
        nnet.crossentropy_softmax_1hot_with_bias_dx,
        [numbers((4,), 1), p, CLASSES],
    )
    yield "picked", lambda p: T.log(p)[rows, rows], [p]
    many = [numbers(s, i) for i, s in enumerate([(3, 4), (4, 2), (2,), (2, 4, 3), (2, 3)])]
    yield "h_softmax", lambda x, *w: nnet.h_softmax(x, 3, 5, 2, 3, *w), many
    yield (
        "h_softmax of targets",
        lambda x, W1, b1, W2, b2, y: nnet.h_softmax(x, 3, 5, 2, 3, W1, b1, W2, b2, y),
        [*many, np.array([0, 4, 2])],
    )
    image, matrix = numbers((2, 3, 2, 4), 1), numbers((5, 3), 1)
    g, c, m, v = (np.abs(numbers((3,), i)) + 0.5 for i in range(4))
    for axes, x in (("per-activation", matrix), ("spatial", image), ((0, 3), image)):
        shape = (3, 2) if axes == (0, 3) else (3,)
        params = [np.resize(q, shape) for q in (g, c, m, v)]
        if axes == (0, 3):
            params = [np.abs(numbers(shape, i)) + 0.5 for i in range(4)]
        yield (
            f"batch_normalization_train over {axes}",
            lambda x, g, b, m, v, axes=axes: bn.batch_normalization_train(
                x, g, b, axes, 1e-3, 0.25, m, v
            ),
            [x, *params],
        )
        yield (
            f"batch_normalization_test over {axes}",
            lambda x, g, b, m, v, axes=axes: bn.batch_normalization_test(x, g, b, m, v, axes, 1e-3),
            [x, *params],
        )
    for mode in ("low_mem", "high_mem"):
        yield (
            "batch_normalization by " + mode,
            lambda x, g, b, m, v, mode=mode: bn.batch_normalization(x, g, b, m, v, mode),
            [matrix, g, c, m, v],
        )


def build(theano, function, values):
    """Inputs, outputs, the first output weighted and summed, and inputs of floats."""
    T = theano.tensor
    inputs = [T.TensorType(str(a.dtype), (False,) * a.ndim)(f"x{i}") for i, a in enumerate(values)]
    made = function(*inputs)
    outputs = list(made) if isinstance(made, (list, tuple)) else [made]
    moving = [v for v in inputs if v.dtype == "float64"]
    weights = T.arange(outputs[0].size).reshape(outputs[0].shape, outputs[0].ndim) % 7 - 2.0
    cost = (outputs[0] * weights).sum()
    return inputs, outputs, cost, moving


def answer(name, function, values):
    """What Theano gives: outputs, and gradients where it has them."""
    import theano

    inputs, outputs, cost, moving = build(theano, function, values)
    try:
        grads = theano.tensor.grad(cost, moving, disconnected_inputs="ignore")
    except AttributeError as e:
        assert "has no attribute 'grad'" in str(e), e
        grads = []
    run = theano.function(inputs, outputs + grads, on_unused_input="ignore")
    made = [np.asarray(v).tolist() for v in run(*values)]
    return {"name": name, "made": made, "grads": len(grads)}


if __name__ == "__main__":
    import theano.tensor as T
    from theano.tensor import nnet
    from theano.tensor.nnet import bn

    records = [answer(*case) for case in cases(T, nnet, bn)]
    json.dump(records, sys.stdout, indent=None, separators=(",", ":"))
    sys.stdout.write("\n")
