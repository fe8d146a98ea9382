"""Chooses among translations by a language model, with the program of the tutorial's session 3.

The model has the weights that it begins with; three translations of each sentence are made up.
"""

import pickle

import lm
import numpy as np
import rescore_with_lm

DICTIONARY = "../corpus/fr.pkl"
OPTIONS = {"n_words": 30, "dim_word": 12, "dim": 16, "encoder": "gru"}

np.random.seed(0)
weights = lm.init_params(OPTIONS)
np.savez("language.npz", **weights)
with open("language.npz.pkl", "wb") as file:
    pickle.dump(OPTIONS, file)
with open("../corpus/dev.fr") as file:
    lines = file.read().splitlines()
with open("best", "w") as file:
    for i, line in enumerate(lines):
        words = line.split()
        for k, chosen in enumerate((words, words[::-1], words[1:])):
            file.write(f"{i}|||{' '.join(chosen)}|||{2.0 + 0.1 * k}\n")

next_word = rescore_with_lm.build_sampler(rescore_with_lm.init_tparams(weights), OPTIONS)
for line in lines:
    places = [int(word[2:]) for word in line.split()] + [0]
    print("score", float(rescore_with_lm.score_seq(places, next_word, OPTIONS, normalize=True)))
rescore_with_lm.main("language.npz", "language.npz.pkl", DICTIONARY, DICTIONARY, "best", "chosen",
                     normalize=True)  # fmt: skip
with open("chosen") as file:
    found = file.read().splitlines()
print("chosen", len(found))
