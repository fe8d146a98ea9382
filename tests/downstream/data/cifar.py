"""Makes the six batches of CIFAR-10 in a folder, of coloured noise around a colour for each class.

Arguments: the folder, and the number of images of a batch.
"""

import pickle
import sys
from pathlib import Path

import numpy as np

rng = np.random.RandomState(3)
COLOURS = rng.randint(40, 216, (10, 3, 2, 2))


def batch(count):
    labels = rng.randint(0, 10, count)
    pictures = np.kron(COLOURS[labels], np.ones((16, 16), dtype=int))
    noisy = pictures + rng.randint(-40, 40, pictures.shape)
    return {"data": noisy.reshape(count, 3072).astype("uint8"), "labels": labels.tolist()}


folder, count = Path(sys.argv[1]) / "cifar-10-batches-py", int(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
for name in [f"data_batch_{i}" for i in range(1, 6)] + ["test_batch"]:
    with open(folder / name, "wb") as file:
        pickle.dump(batch(count), file, protocol=2)
