"""Trains the networks of chapter 6: fully connected, convolutional, with dropout."""

import network3
from network3 import ConvPoolLayer, FullyConnectedLayer, Network, ReLU, SoftmaxLayer

train, valid, test = network3.load_data_shared()
SIZE = 20

flat = [FullyConnectedLayer(784, 100), SoftmaxLayer(100, 10)]
Network(flat, SIZE).SGD(train, 3, SIZE, 0.3, valid, test)

convolutional = [
    ConvPoolLayer((4, 1, 5, 5), (SIZE, 1, 28, 28), (2, 2), ReLU),
    ConvPoolLayer((6, 4, 5, 5), (SIZE, 4, 12, 12), (2, 2), ReLU),
    FullyConnectedLayer(6 * 4 * 4, 60, ReLU, p_dropout=0.5),
    SoftmaxLayer(60, 10, p_dropout=0.5),
]
Network(convolutional, SIZE).SGD(train, 2, SIZE, 0.05, valid, test, lmbda=0.1)
