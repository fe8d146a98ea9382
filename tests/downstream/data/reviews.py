"""Makes `mr.p`, the reviews and vectors of words that the classifier of sentences reads."""

import pickle
from collections import OrderedDict

import numpy as np

rng = np.random.RandomState(5)
words = [f"word{i}" for i in range(1, 60)]
reviews = []
for _ in range(400):
    label = int(rng.randint(0, 2))
    text = [words[i] for i in rng.randint(4, 59, rng.randint(5, 20))] + [words[2 * label]] * 2
    rng.shuffle(text)
    fold = int(rng.randint(0, 10))
    reviews.append({"y": label, "text": " ".join(text), "num_words": len(text), "split": fold})
vectors, other = rng.uniform(-0.25, 0.25, (2, 60, 300)).astype("float32")
vectors[0] = other[0] = 0
index = OrderedDict((word, i) for i, word in enumerate(words, start=1))
with open("mr.p", "wb") as file:
    pickle.dump([reviews, vectors, other, index, dict.fromkeys(words, 1)], file, protocol=2)
