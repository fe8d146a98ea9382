"""Builds a model of the zoo and passes one image through it; `prob` are probabilities."""

import importlib
import sys

import lasagne
import numpy as np

import theano

module = importlib.import_module(sys.argv[1])
build = getattr(module, "build_model", None) or module.build_network
made = build()
# a dictionary of layers, or the last layer
output = made if not isinstance(made, dict) else made.get("prob", list(made.values())[-1])
layers = lasagne.layers.get_all_layers(output)
(inputs,) = (layer for layer in layers if isinstance(layer, lasagne.layers.InputLayer))
predict = theano.function([inputs.input_var], lasagne.layers.get_output(output, deterministic=True))
sizes = [n or 224 for n in inputs.shape[1:]]
image = np.random.RandomState(0).rand(1, *sizes).astype("float32")
found = predict(image)
print(sys.argv[1], len(layers), found.shape, found.sum())
assert np.isfinite(found).all()
if "prob" in made:
    assert abs(found.sum() - 1) < 1e-4
