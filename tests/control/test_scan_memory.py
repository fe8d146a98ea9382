"""What a loop gives has memory of its own: not a constant's, an input's, nor another output's."""

from __future__ import annotations

import numpy as np
import pytest

import theano
import theano.tensor as T

X = np.array([1.0, 2.0])
STEPS = {
    "a constant": lambda s, t: [T.constant(np.ones(2)), t],
    "part of a constant": lambda s, t: [T.constant(np.ones(4))[1:3], t],
    "one value twice": lambda s, t: [T.tanh(s)] * 2,
    "the states as they are": lambda s, t: [s, t],
    "the states exchanged": lambda s, t: [t, s],
}


@pytest.mark.parametrize("linker", ["numpy", "py", "vm"])
@pytest.mark.parametrize("name", STEPS)
def test_last_states_have_memory_of_their_own(name, linker):
    x, y = T.dvectors("xy")
    # the second is twice as large, so that the two can be told apart
    rows, _ = theano.scan(STEPS[name], outputs_info=[x, y * 2], n_steps=3)
    last = [r[-1] for r in rows]
    plain = theano.function([x, y], last, mode=theano.Mode("py", None))(X, X)
    f = theano.function(
        [x, y], [T.exp(v * 2) for v in last] + last, mode=theano.Mode(linker, "fast_run")
    )
    for _ in range(2):
        made = f(X, X)
        for got, value in zip(made, [*(np.exp(v * 2) for v in plain), *plain], strict=True):
            np.testing.assert_allclose(got, value, rtol=1e-14)
        for got in made:
            got[:] = 9.0
    assert X.tolist() == [1.0, 2.0]
