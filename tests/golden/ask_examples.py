"""Asks Theano 1.0.5 how the example programs begin: run by an environment that has it.

``python ask_examples.py > examples.json``; scikit-learn has the digits there too. Two epochs of
each program, unchanged: accuracy and losses.
"""

import importlib
import json
import os
import sys

PROGRAMS = ["softmax_regression", "mlp_dropout", "lenet", "denoising_autoencoder"]
HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    sys.path.insert(0, os.path.join(HERE, "..", "..", "examples"))
    found = {}
    for name in PROGRAMS:
        results = importlib.import_module(name).main(n_epochs=2, quiet=True)
        found[name] = {key: results[key] for key in ("accuracy", "losses")}
    json.dump(found, sys.stdout, indent=1, sort_keys=True)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
