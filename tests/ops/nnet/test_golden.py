"""What Theano 1.0.5 gave for softmax, crossentropies and their kin: tests/golden/ask_nnet.py."""

import json
from pathlib import Path

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.golden import ask_nnet
from theano.tensor import nnet
from theano.tensor.nnet import bn

RECORDS = {
    r["name"]: r
    for r in json.loads((Path(__file__).parents[2] / "golden" / "nnet.json").read_text())
}
CASES = {name: (function, values) for name, function, values in ask_nnet.cases(T, nnet, bn)}


def test_every_case_has_an_answer():
    assert set(CASES) == set(RECORDS) and len(CASES) > 60


@pytest.mark.parametrize("engine", ["numpy", "xla"])
@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients_are_those_of_theano(name, engine):
    function, values = CASES[name]
    inputs, outputs, cost, moving = ask_nnet.build(theano, function, values)
    record = RECORDS[name]
    grads = T.grad(cost, moving, disconnected_inputs="ignore")[: record["grads"]]
    run = theano.function(
        inputs, outputs + grads, mode=theano.Mode(engine), on_unused_input="ignore"
    )
    made = run(*values)
    assert len(made) == len(record["made"])
    for got, want in zip(made, record["made"], strict=True):
        want = np.asarray(want)
        assert got.shape == want.shape
        # Theano rounds logarithms of what is close to 1, and sums of opposite signs
        np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-12)
