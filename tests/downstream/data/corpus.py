"""Makes a corpus of two languages in a folder: the second says the words backwards.

Files `en`, `fr` to train and `dev.en`, `dev.fr` to validate, and a pickled dictionary for each.
"""

import pickle
import sys
from collections import OrderedDict
from pathlib import Path

import numpy as np

rng = np.random.RandomState(4)
folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for name, count in (("", 160), ("dev.", 32)):
    lines = [rng.randint(2, 30, rng.randint(3, 9)) for _ in range(count)]
    texts = {"en": lines, "fr": [line[::-1] for line in lines]}
    for language, found in texts.items():
        text = "".join(" ".join(f"{language}{word}" for word in line) + "\n" for line in found)
        (folder / f"{name}{language}").write_text(text)
for language in ("en", "fr"):
    words = [("eos", 0), ("UNK", 1)] + [(f"{language}{i}", i) for i in range(2, 30)]
    (folder / f"{language}.pkl").write_bytes(pickle.dumps(OrderedDict(words), protocol=2))
