"""Scores of labels in the form that is compiled for accelerators, computed on the processor."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.engines.jax.arrays import matrix_rows

pytestmark = pytest.mark.xla

pytest.importorskip("jax")


@pytest.mark.parametrize("platform", ["tpu", "gpu"])
@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64"])
def test_costs_and_gradients_are_those_of_numpy(monkeypatch, platform, dtype):
    monkeypatch.setattr(matrix_rows, "target", lambda: platform)
    x, y = T.matrix("x", "float64"), T.TensorType(dtype, (False,))("y")
    cost = T.nnet.categorical_crossentropy(T.nnet.softmax(x), y)
    scores = np.random.default_rng(0).normal(0, 3, (6, 5))
    scores[0, 1] = -np.inf  # not the label's
    scores[1, 4] = 800
    outputs = [cost, T.grad(cost.sum(), x)]
    made = [theano.function([x, y], outputs, mode=theano.Mode(e)) for e in ("xla", "numpy")]
    ours, by_numpy = (f(scores, np.array([0, 4, 2, 1, 0, 3], dtype)) for f in made)
    for a, b in zip(ours, by_numpy, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-300)
    assert "gather" not in theano.printing.hlo(made[0], before=True, file="str")
    with pytest.raises((IndexError, ValueError), match="5"):
        made[0](scores, np.array([0, 5, 2, 1, 0, 3], dtype))
