"""Random sums of dense terms and of scaled writes into zeros: rewritten, they give the same."""

import random

import numpy as np
import pytest

import theano
import theano.tensor as T

SHAPE = 7, 5
i, j, n = T.lvector("i"), T.lvector("j"), T.lscalar("n")
a, b, v = T.dscalar("a"), T.dscalar("b"), T.dvector("v")
INPUTS = i, j, n, a, b, v

# a part of an array, and a value that fits into it
PARTS = [
    lambda x: (x[i], v),
    lambda x: (x[j], T.outer(T.cast(j, "float64"), v)),
    lambda x: (x[n], v),
    lambda x: (x[n], a),
    lambda x: (x[n : n + 2], v * b),
    lambda x: (x[::2], v),
    lambda x: (x[:, 1], a),
    lambda x: (x[i, n], T.cast(i, "float64")),
    lambda x: (x[T.stack([i, i])], v),
    lambda x: (x[T.gt(x + T.arange(5), 2)], b),
    lambda x: (x[1:3, j % 5], a * b),
]
NUMBERS = [lambda: 2.0, lambda: a, lambda: a * b, lambda: -b, lambda: T.constant([[0.5]])]


def zeros(draw, w):
    return draw.choice([T.zeros_like, lambda w: T.zeros(w.shape), lambda w: w * 0])(w)


def written(draw, w):
    """Zeros with one or more parts written."""
    x = zeros(draw, w)
    for _ in range(draw.choice((1, 1, 2, 3))):
        part, value = draw.choice(PARTS)(x)
        write = T.set_subtensor if draw.random() < 0.2 else T.inc_subtensor
        x = write(part, value)
    return x


def scaled(draw, x):
    for _ in range(draw.choice((0, 1, 1, 2))):
        number = draw.choice(NUMBERS)()
        x = draw.choice([lambda x, c: c * x, lambda x, c: x / c, lambda x, c: -x])(x, number)
    return x


def update(draw, w):
    new = w if draw.random() < 0.7 else 0.5 * w
    for _ in range(draw.choice((1, 1, 2, 3))):
        term = scaled(draw, written(draw, w))
        new = draw.choice([T.add, T.sub])(new, term) if draw.random() < 0.9 else term - new
    return new


def calls(rng):
    """Arguments of some calls, the last of which is out of range in places."""
    for good in (True, True, False):
        rows, columns = (rng.integers(-5, 5, size) for size in (3, 2))
        rows[0] = rows[1]
        if not good:
            rows[2], columns[1] = 7, -8
        yield rows, columns, rng.integers(0, 4), rng.normal(), rng.normal(), rng.normal(size=5)


def states(seed, mode):
    """The state after each call, and whether each call went through."""
    draw, rng = random.Random(seed), np.random.default_rng(seed)
    w = theano.shared(np.linspace(-1, 1, 35).reshape(SHAPE), "w")
    f = theano.function(INPUTS, updates=[(w, update(draw, w))], mode=mode, on_unused_input="ignore")
    found = []
    for args in calls(rng):
        before = w.get_value()
        try:
            f(*args)
        except IndexError:
            np.testing.assert_array_equal(w.get_value(), before)
            found.append((False, before))
        else:
            found.append((True, w.get_value()))
    return found


@pytest.mark.parametrize("seed", range(60))
def test_a_rewritten_update_gives_what_the_update_as_written_gives(seed):
    plain = states(seed, theano.Mode("py", optimizer=None))
    rewritten = states(seed, theano.Mode("numpy"))
    for (good, want), (also, got) in zip(plain, rewritten, strict=True):
        assert good == also
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)


@pytest.mark.xla
@pytest.mark.parametrize("seed", range(60, 68))
def test_it_does_on_xla(seed):
    plain = states(seed, theano.Mode("py", optimizer=None))
    rewritten = states(seed, theano.Mode("xla"))
    for (good, want), (also, got) in zip(plain, rewritten, strict=True):
        assert good == also
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)
