"""Functions written to files that run without theano."""

import numpy as np
import pytest

import theano
import theano.tensor as T

pytestmark = pytest.mark.xla

rng = np.random.RandomState(0)


def test_a_format_that_is_not_known_is_refused_with_those_that_are(tmp_path):
    x = T.fvector("x")
    f = theano.function([x], x * 2)
    with pytest.raises(ValueError, match=r"export writes stablehlo \(\.stablehlo\), .*model\.zip"):
        theano.export(f, tmp_path / "model.zip")
    assert not list(tmp_path.iterdir())


def test_the_text_has_open_lengths_where_the_graph_leaves_them_open(tmp_path):
    x = T.fmatrix("x")
    w = theano.shared(rng.randn(784, 10).astype("float32"), "w")
    f = theano.function([x], T.tanh(x.dot(w)))
    text = theano.export(f, None, format="stablehlo-text")
    assert "tensor<?x784xf32>" in text
    theano.export(f, tmp_path / "model.mlir", shapes={x: (3, 784)})
    assert "tensor<3x784xf32>" in (tmp_path / "model.mlir").read_text()
