"""State of checked programs on accelerators: selected, or kept by a conditional."""

import numpy as np
import pytest
from jax import export

import theano
import theano.tensor as T
from theano._src.engines.planning.dry_call import abstract, dry_call
from theano._src.engines.xla import tracing
from theano._src.types.topology import topology

pytestmark = pytest.mark.xla


def step(update):
    """A function that checks an index, and updates a table."""
    W = theano.shared(np.arange(12.0).reshape(6, 2), "W")
    i, g = T.lvector("i"), T.dvector("g")
    new = update(W, i, g)
    mode = theano.Mode("xla")
    return theano.function([i, g], T.take(W, i, axis=0).sum(), updates=[(W, new)], mode=mode), W


#: whether the update writes into the old state by index
UPDATES = {
    "decay": (lambda W, i, g: W - 0.1 * T.tanh(W) * g, False),
    "gradient": (lambda W, i, g: W - 0.1 * T.grad(T.sqr(T.dot(W, g)).sum(), W), False),
    # a rule writes the rows into W itself
    "gradient of rows": (lambda W, i, g: W - 0.1 * T.grad((g * T.sqr(W[i])).sum(), W), True),
    "replaced": (lambda W, i, g: T.outer(T.arange(6) + i[0], g), False),
    "clipped": (lambda W, i, g: T.clip(T.inc_subtensor(W[i], g), -3, 3), False),
    "rows": (lambda W, i, g: T.inc_subtensor(W[i], g), True),
    "rows twice": (lambda W, i, g: T.set_subtensor(T.inc_subtensor(W[i], g)[1], g), True),
    "a block": (lambda W, i, g: T.set_subtensor(W[i[0]], g), True),
}


def text_for(f, there):
    values = [abstract((2,), "int64"), abstract((2,), "float64")]
    (program,) = dry_call(f.fn.job, topology(there), values).programs
    return str(export.deserialize(bytearray(program.exported)).mlir_module())


@pytest.mark.parametrize("name", UPDATES)
def test_only_state_that_is_written_by_index_is_in_a_conditional(name):
    update, by_index = UPDATES[name]
    f, _ = step(update)
    for there in ("v5e:1x1", "h100:1x1"):
        assert ("stablehlo.case" in text_for(f, there)) == by_index
    assert "stablehlo.case" in text_for(f, "cpu:1")


@pytest.mark.parametrize("name", UPDATES)
def test_selected_state_is_that_of_a_conditional_and_stays_after_an_error(name, monkeypatch):
    update, _ = UPDATES[name]
    plain, expected = step(update)
    monkeypatch.setattr(tracing, "target", lambda: "tpu")
    f, W = step(update)
    good, bad = (np.array(i) for i in ([1, 4], [1, 6]))
    g = np.array([0.5, -2.0])
    for _ in range(3):
        np.testing.assert_allclose(f(good, g), plain(good, g), rtol=1e-15)
        np.testing.assert_allclose(W.get_value(), expected.get_value(), rtol=1e-15)
    before = W.get_value()
    with pytest.raises(IndexError):
        f(bad, g)
    np.testing.assert_array_equal(W.get_value(), before)
    np.testing.assert_allclose(f(good, g), plain(good, g), rtol=1e-15)
