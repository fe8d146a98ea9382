"""Makes the sequences that the deep-learning tutorials read: reviews, tagged sentences, music.

The module `midi`, which reads and writes music, is not to be had: here its files are piano rolls.
"""

import gzip
import pickle
from pathlib import Path

import numpy as np

rng = np.random.RandomState(2)
MIDI = """
import numpy
class Roll:
    def __init__(self, piano_roll): self.piano_roll = piano_roll
def midiread(name, r, dt): return Roll(numpy.loadtxt(name))
def midiwrite(name, piano_roll, r, dt): numpy.savetxt(name, piano_roll)
"""


def reviews(count):
    """Words of which a third say the label."""
    labels = rng.randint(0, 2, count)
    texts = []
    for label in labels:
        words = rng.randint(20, 500, rng.randint(8, 30))
        telling = rng.rand(len(words)) < 0.3
        texts.append(np.where(telling, 2 + label, words).tolist())
    return texts, labels.tolist()


def sentences(count):
    words = [rng.randint(0, 40, rng.randint(4, 12)).astype("int32") for _ in range(count)]
    tags = [np.where(w < 12, 1, np.where(w < 24, 2, 0)).astype("int32") for w in words]
    return words, [np.zeros_like(w) for w in words], tags


def main():
    data = Path("data")
    (data / "Nottingham" / "train").mkdir(parents=True, exist_ok=True)
    with open(data / "imdb.pkl", "wb") as file:
        pickle.dump(reviews(320), file, protocol=2)
        pickle.dump(reviews(60), file, protocol=2)
    names = {
        "words2idx": {f"w{i}": i for i in range(40)},
        "labels2idx": {"O": 0, "B-x": 1, "B-y": 2},
        "tables2idx": {"none": 0},
    }
    with gzip.open(data / "atis.fold3.pkl.gz", "wb") as file:
        pickle.dump((sentences(150), sentences(40), sentences(40), names), file, protocol=2)
    (Path("code") / "midi").mkdir(exist_ok=True)
    (Path("code") / "midi" / "__init__.py").touch()
    (Path("code") / "midi" / "utils.py").write_text(MIDI)
    roll = np.arange(60)[:, None] % 88 == np.arange(88) // 2
    np.savetxt(data / "Nottingham" / "train" / "scale.mid", roll, fmt="%d")


main()
