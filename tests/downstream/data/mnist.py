"""Makes MNIST in a folder, in the forms in which it was given away, of images that are no one's.

Each class is a fixed picture, moved and blurred by noise: a model that learns finds it.
Arguments: the folder, and the numbers of images to train, validate and test.
"""

import gzip
import pickle
import struct
import sys
from pathlib import Path

import numpy as np

rng = np.random.RandomState(1)
PICTURES = np.kron(rng.rand(10, 7, 7) > 0.6, np.ones((3, 3)))


def images(count):
    labels = rng.randint(0, 10, count)
    found = np.zeros((count, 28, 28))
    for image, label in zip(found, labels):
        row, column = rng.randint(2, 6, 2)
        image[row : row + 21, column : column + 21] = PICTURES[label]
    noisy = 0.8 * found + 0.2 * rng.rand(count, 28, 28)
    return noisy.astype("float32"), labels.astype("int64")


def main(folder, *counts):
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    sets = [images(int(count)) for count in counts]
    with gzip.open(place / "mnist.pkl.gz", "wb") as file:
        pickle.dump(tuple((x.reshape(len(x), 784), y) for x, y in sets), file, protocol=2)
    named = {
        f"{kind}_{name}": found.reshape(len(found), *shape)
        for name, (x, y) in zip(("train", "valid", "test"), sets)
        for kind, found, shape in (("x", x, (784,)), ("y", y, ()))
    }
    np.savez(place / "mnist.npz", **named)
    for name, (x, y) in (("train", sets[0]), ("t10k", sets[-1])):
        for kind, head, found in (
            ("images-idx3", (2051, len(x), 28, 28), (x * 255).astype("uint8")),
            ("labels-idx1", (2049, len(y)), y.astype("uint8")),
        ):
            text = struct.pack(f">{len(head)}I", *head) + found.tobytes()
            (place / f"{name}-{kind}-ubyte").write_bytes(text)
            (place / f"{name}-{kind}-ubyte.gz").write_bytes(gzip.compress(text))


if __name__ == "__main__":
    main(*sys.argv[1:])
