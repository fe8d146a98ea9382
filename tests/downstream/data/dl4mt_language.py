"""Trains the language model of the tutorial's session 0 for a few updates, and samples."""

import sys

import lm

DATA = "../corpus/"

found = lm.train(
    dim_word=12, dim=16, n_words=30, maxlen=20, batch_size=16, valid_batch_size=16,
    optimizer=sys.argv[1], lrate=0.01, max_epochs=2, dispFreq=1, validFreq=10, saveFreq=10,
    sampleFreq=10, saveto="language.npz",
    dataset=DATA + "fr", valid_dataset=DATA + "dev.fr", dictionary=DATA + "fr.pkl",
)  # fmt: skip
print("validation", float(found))
