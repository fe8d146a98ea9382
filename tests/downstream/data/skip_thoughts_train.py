"""Trains skip-thought vectors on a small text."""

import pickle

import train
import vocab

with open("../corpus/en") as file:
    text = file.read().splitlines()[:80]
with open("words.pkl", "wb") as file:
    pickle.dump(vocab.build_dictionary(text)[0], file)
train.trainer(
    text, dim_word=12, dim=16, max_epochs=2, n_words=30, maxlen_w=20, batch_size=16, saveFreq=5,
    saveto="toy.npz", dictionary="words.pkl",
)  # fmt: skip
