"""Trains each kind of cell to say the next word, with each kind of update, and the masked loss."""

import numpy as np
from theano_lstm import (
    LSTM,
    RNN,
    Embedding,
    Layer,
    MultiDropout,
    StackedCells,
    create_optimization_updates,
    masked_loss,
)

import theano
import theano.tensor as T

WORDS, HIDDEN = 12, 16
rng = np.random.RandomState(0)
START = rng.randint(0, WORDS, 10)
TEXTS = ((START[:, None] + 3 * np.arange(9)) % WORDS).astype("int32")
LENGTHS = np.full(10, 8, dtype="int32")


def train(cell, method, dropout):
    model = StackedCells(HIDDEN, layers=[HIDDEN, HIDDEN], activation=T.tanh, celltype=cell)
    model.layers.insert(0, Embedding(WORDS, HIDDEN))
    model.layers.append(Layer(HIDDEN, WORDS, lambda x: T.nnet.softmax(x)))
    texts, lengths = T.imatrix(), T.ivector()
    shapes = [(texts.shape[0], HIDDEN)] * 3
    masks = [None, *MultiDropout(shapes, dropout)] if dropout else []

    def step(word, *before):
        states = model.forward(word, prev_hiddens=[None, *before, None], dropout=masks)
        return [states[1], states[2], states[-1]]

    first = [
        T.repeat(T.shape_padleft(layer.initial_hidden_state), texts.shape[0], axis=0)
        for layer in model.layers[1:3]
    ]
    (_, _, said), _ = theano.scan(step, texts[:, :-1].T, [*first, None])
    costs = masked_loss(said.dimshuffle(1, 0, 2), texts[:, 1:], lengths, T.zeros_like(lengths))
    cost = costs.mean()
    updates = create_optimization_updates(cost, model.params, method=method, lr=0.1)[0]
    update = theano.function([texts, lengths], cost, updates=updates)
    for _ in range(15):
        found = update(TEXTS, LENGTHS)
    print(cell.__name__, method, "cost", float(found))


for cell in (RNN, LSTM):
    train(cell, "adadelta", 0.0)
for method in ("adagrad", "sgd"):
    train(LSTM, method, 0.0)
train(LSTM, "sgd", 0.3)
