"""Functions with the state of a generator: draws are called back, all else is machine code."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.engines.native.common import bits, finishes, in_threads, is_native, needs_compiler
from theano.tensor import raw_random
from theano.tensor.shared_randomstreams import RandomStreams

pytestmark = needs_compiler
NUMPY, NATIVE = theano.Mode("numpy"), theano.Mode("native")
x = T.dmatrix("x")
VALUE = np.random.RandomState(0).randn(5, 3)


def dropout(mode):
    """A step of a network with dropout and noise, its weights and its stream."""
    streams = RandomStreams(3)
    w = theano.shared(np.ones((3, 2)))
    mask = streams.binomial(size=x.shape, p=0.5, dtype="float64")
    noise = streams.normal((2,), std=0.1)
    cost = T.sqr(T.tanh(T.dot(x * mask * 2, w) + noise)).mean()
    f = theano.function([x], cost, updates={w: w - 0.1 * T.grad(cost, w)}, mode=mode)
    return f, w, streams


def state_of(streams):
    return [r.get_value().get_state(legacy=False)["state"] for r, _ in streams.state_updates]


def same_state(a, b):
    pairs = zip(state_of(a), state_of(b), strict=True)
    return all(s["pos"] == t["pos"] and np.array_equal(s["key"], t["key"]) for s, t in pairs)


def test_a_step_with_dropout_gives_the_bits_of_numpy():
    (f, w, streams), (g, v, others) = dropout(NUMPY), dropout(NATIVE)
    assert is_native(g), g.fn.why
    assert {str(n.op) for n in g.fn.called_back} == {
        "RandomFunction{binomial}",
        "RandomFunction{normal}",
    }
    for n in (5, 5, 400, 0, 1, 5):
        value = np.resize(VALUE, (n, 3))
        done, got = finishes(g, value)
        assert done and bits(got) == bits(f(value))
        assert bits(v.get_value()) == bits(w.get_value()) and same_state(streams, others)


def test_a_call_that_fails_draws_nothing():
    (f, w, streams), (g, v, others) = dropout(NUMPY), dropout(NATIVE)
    f(VALUE), g(VALUE)
    for _ in range(4):
        with pytest.raises(ValueError, match="mis"):
            g(np.ones((5, 4)))
        assert same_state(streams, others)
    done, got = finishes(g, VALUE)
    assert done and bits(got) == bits(f(VALUE)) and bits(v.get_value()) == bits(w.get_value())


def both_ways(inputs, outputs, values, **kwargs):
    f, g = [theano.function(inputs, outputs, mode=mode, **kwargs) for mode in (NUMPY, NATIVE)]
    assert is_native(g), g.fn.why
    for _ in range(3):
        want, got = [h(*(v() for v in values)) for h in (f, g)]
        assert list(map(bits, got)) == list(map(bits, want))
    return g


def test_draws_that_follow_one_another_from_one_state():
    state = raw_random.random_state_type()
    first, a = raw_random.uniform(state, (3,))
    second, b = raw_random.normal(first, (2,))
    _, c = raw_random.normal(first, (2,))  # from the same state as b
    _, d = raw_random.uniform(second, (2,), low=a.sum())
    given = np.random.RandomState(5)
    g = both_ways([state], [a + 1, b * 2, c * 2, d], [lambda: given])
    assert given.uniform() == np.random.RandomState(5).uniform()
    assert bits(g(np.random.RandomState(5))[1]) == bits(g(np.random.RandomState(5))[2])


def test_a_constant_state_is_not_changed():
    _, sample = raw_random.uniform(np.random.RandomState(7), (3,))
    both_ways([], [sample * 2, T.exp(sample)], [])


def test_the_next_state_may_be_an_output():
    state = raw_random.random_state_type()
    following, sample = raw_random.uniform(state, (3,))
    f = theano.function([state], [following, sample * 2], mode=NATIVE)
    assert is_native(f)
    given, same = np.random.RandomState(1), np.random.RandomState(1)
    after, got = f(given)
    assert bits(got) == bits(same.uniform(size=3) * 2)
    assert after.uniform() == same.uniform() and f(given)[1].tolist() == got.tolist()


def test_calls_of_many_threads_draw_each_number_once():
    streams = RandomStreams(1)
    f = theano.function([], streams.uniform((4,)) * 2, mode=NATIVE)
    g = theano.function([], RandomStreams(1).uniform((4,)) * 2, mode=NUMPY)
    assert is_native(f)
    rows = []
    in_threads(*[lambda: rows.extend(f().tobytes() for _ in range(100))] * 4)
    assert sorted(rows) == sorted(g().tobytes() for _ in range(400))
