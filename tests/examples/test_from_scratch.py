"""The tiny Theano computes what the real one does."""

import importlib

import numpy as np
import pytest

import theano
import theano.tensor as T

RNG = np.random.default_rng(5)
DATA = RNG.normal(size=(20, 3))
LABELS = (DATA.sum(axis=1) > 0).astype("float64")


@pytest.fixture
def tiny(monkeypatch):
    from pathlib import Path

    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "examples"))
    return importlib.import_module("from_scratch")


@pytest.mark.xla
def test_gradients_and_second_gradients_are_those_of_theano(tiny):
    x, y, w = tiny.Variable("x"), tiny.Variable("y"), tiny.Shared([0.5, -1, 2], "w")
    z = tiny.dot(x, w) + 0.3
    cost = tiny.sum_all(tiny.log(1.0 + tiny.exp(z)) - y * z)
    (g,) = tiny.grad(cost, [w])
    (gg,) = tiny.grad(tiny.sum_all(g * g), [w])
    tx, ty, tw = T.dmatrix(), T.dvector(), theano.shared(w.value)
    tz = T.dot(tx, tw) + 0.3
    tcost = (T.log(1 + T.exp(tz)) - ty * tz).sum()
    tg = T.grad(tcost, tw)
    expected = theano.function([tx, ty], [tcost, tg, T.grad((tg**2).sum(), tw)])(DATA, LABELS)
    for engine, digits in (("numpy", 1e-12), ("jax", 1e-5)):
        found = tiny.function([x, y], [cost, g, gg], engine=engine)(DATA, LABELS)
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=digits)


def test_rules_keep_digits_and_updates_are_stored_together(tiny):
    x = tiny.Variable("x")
    f = tiny.function([x], [tiny.log(1.0 + tiny.exp(x))])
    assert f([800.0, 0.0])[0].tolist() == [800.0, np.log(2)]
    assert "log_of_one_plus_exp" in f.fgraph.log
    a, b = tiny.Shared(1.0, "a"), tiny.Shared(2.0, "b")
    swap = tiny.function([], [a + b], [(a, b * 1.0), (b, a * 1.0)])
    assert swap()[0] == 3
    assert (a.value, b.value) == (2, 1)


def test_the_program_learns(tiny, capsys):
    tiny.main()
    told = capsys.readouterr().out
    assert "softplus" in told.partition("as it runs")[2]
    first, last = told.partition("cost ")[2].split("\n")[0].split(" -> ")
    assert float(last) < 0.2 * float(first)
