"""Casts of floats to integers: what fits is converted natively, the rest is left to NumPy."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.engines.native.common import bits, both, finishes, native_mode, needs_compiler

pytestmark = needs_compiler
INTEGERS = [name for name in T.all_dtypes if "int" in name]
x = T.dvector("x")


def edges(since, to):
    """Floats about the ends of an integer type and about 0, and those that are no numbers."""
    info, number = np.iinfo(to), np.dtype(since).type
    about = {number(v) for v in (info.min, info.max, info.min - 1, info.max + 1, 0, 1, -1)}
    steps = {number(v) for v in (0, 0.5, -0.5, 0.999, -0.999)}
    near = {np.nextafter(v, number(end)) for v in about for end in (np.inf, -np.inf)}
    odd = [number(v) for v in ("nan", "inf", "-inf", "1e30", "-0.0")]
    return [*sorted(about | near | {v + s for v in about for s in steps}), *odd]


def fits(value, to):
    if not np.isfinite(value):
        return False
    return np.iinfo(to).min <= int(value) <= np.iinfo(to).max


@pytest.mark.parametrize("since", ["float64", "float32"])
@pytest.mark.parametrize("to", INTEGERS)
def test_a_cast_gives_numpys_integers_and_leaves_what_has_none(since, to):
    v, s = T.TensorType(since, (False,))(), T.TensorType(since, ())()
    outputs = [T.cast(v, to), T.cast(v, to).sum(), T.cast(s, to) + T.cast(1, to)]
    plain = theano.function([v, s], outputs, mode=theano.Mode("numpy"))
    f = theano.function([v, s], outputs, mode=native_mode(2))
    assert not f.fn.called_back
    rng = np.random.RandomState(0)
    for k, edge in enumerate(edges(since, to)):
        values = rng.uniform(0, 99, (1, 9, 130)[k % 3]).astype(since)
        values[rng.randint(len(values))] = edge
        for number in (edge, np.dtype(since).type(1)):
            f.fn.state.on = True
            done, got = finishes(f, values, number)
            assert done == fits(edge, to), edge
            assert list(map(bits, got)) == list(map(bits, plain(values, number)))


def test_a_cast_within_a_loop_leaves_the_call_to_numpy():
    total, _ = theano.scan(lambda row, t: t + T.cast(row, "int64"), x, np.int64(0))
    f = both([x], total[-1], [np.arange(5.0)])
    for _ in range(5):  # it is no surprise: the program stays
        assert finishes(f, np.array([1.0, 2.7]))[0]
        assert not finishes(f, np.array([1.0, np.nan, 2.0]))[0]
    assert f.fn.state.on


def test_a_function_that_mostly_leaves_calls_to_numpy_stays_there():
    f = both([x], T.cast(x, "int32"), [np.arange(5.0)])
    for _ in range(40):
        f(np.array([np.nan]))
    assert not f.fn.state.on and "left to NumPy" in f.fn.why
