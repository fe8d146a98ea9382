"""Trains Passage's recurrent networks on a made sequence; the argument names the layer."""

import sys

import numpy as np
from passage.layers import Dense, GatedRecurrent, Generic, LstmRecurrent
from passage.models import RNN
from passage.updates import NAG, Regularizer

LAYERS = {"gru": GatedRecurrent, "lstm": LstmRecurrent}


def main() -> None:
    rng = np.random.RandomState(0)
    sequences = rng.uniform(size=(96, 9, 7)).astype("float32")
    # the class is the place of the largest sum
    classes = np.eye(7, dtype="float32")[sequences.sum(axis=1).argmax(axis=1)]
    layers = [
        Generic(size=7),
        LAYERS[sys.argv[1]](size=16, p_drop=0.0),
        Dense(size=7, activation="softmax", p_drop=0.0),
    ]
    updater = NAG(momentum=0.9, regularizer=Regularizer(l2=1e-4))
    model = RNN(layers=layers, updater=updater, iterator="linear", cost="cce", verbose=0)
    for cost in model.fit(sequences, classes, n_epochs=3):
        print(f"cost {cost:.6f}")


if __name__ == "__main__":
    main()
