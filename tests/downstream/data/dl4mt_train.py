"""Trains the translation model of a session of the tutorial for a few updates, and translates.

The arguments are the way of updating, and `dropout` or `clip`: clipped and decayed weights.
"""

import sys

import nmt

DATA = "../corpus/"

found = nmt.train(
    dim_word=12, dim=16, n_words=30, n_words_src=30, maxlen=20, batch_size=16, valid_batch_size=16,
    optimizer=sys.argv[1], lrate=0.01, use_dropout="dropout" in sys.argv,
    max_epochs=2, dispFreq=1, validFreq=10, saveFreq=10, sampleFreq=10,
    saveto=f"{sys.argv[1]}.npz",
    datasets=[DATA + "en", DATA + "fr"], valid_datasets=[DATA + "dev.en", DATA + "dev.fr"],
    dictionaries=[DATA + "en.pkl", DATA + "fr.pkl"],
    **({"clip_c": 1.0, "decay_c": 1e-4} if "clip" in sys.argv else {}),
)  # fmt: skip
print("validation", float(found))
