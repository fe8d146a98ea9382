"""Trains the caption generator on made pictures, with the attention and updates that are named."""

import sys

import capgen
import numpy as np

PLACES, FEATURES, WORDS = 9, 8, 20
rng = np.random.RandomState(6)


def load():
    """Captions name the features that are large."""
    pictures = rng.rand(40, PLACES, FEATURES).astype("float32")
    said = [np.argsort(picture.sum(0))[: 3 + i % 3] for i, picture in enumerate(pictures)]
    captions = [(" ".join(f"f{i}" for i in words), n) for n, words in enumerate(said)]
    return (captions, pictures), None, None, {f"f{i}": i + 2 for i in range(FEATURES)}


def prepare(captions, pictures, index, maxlen=None, n_words=None, zero_pad=False):
    texts = [[index[word] for word in text.split()] for text, _ in captions]
    x = np.zeros((max(map(len, texts)) + 1, len(texts)), dtype="int64")
    mask = np.zeros(x.shape, dtype="float32")
    for i, text in enumerate(texts):
        x[: len(text), i], mask[: len(text) + 1, i] = text, 1
    return x, mask, pictures[[n for _, n in captions]]


capgen.datasets["made"] = (load, prepare)
attention, optimizer = sys.argv[1:]
print(
    capgen.train(
        dim_word=10, ctx_dim=FEATURES, dim=12, attn_type=attention, n_words=WORDS, maxlen=10,
        prev2out=True, ctx2out=True, alpha_c=1.0, decay_c=1e-4, selector=True, use_dropout=True,
        optimizer=optimizer, batch_size=8, valid_batch_size=8, max_epochs=3, dispFreq=1,
        validFreq=5, saveFreq=5, sampleFreq=5, dataset="made", saveto="captions.npz",
    )
)  # fmt: skip
