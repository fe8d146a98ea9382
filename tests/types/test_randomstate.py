"""States of generators as values: what is one, which are equal, and copies of them."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import theano
from theano._src.types import generators
from theano._src.types.generators import Spares
from theano.tensor.raw_random import RandomStateType, random_state_type
from theano.tensor.shared_randomstreams import RandomStateSharedVariable

RandomState = np.random.RandomState
same = random_state_type.values_eq


def test_only_random_states_are_taken():
    state = RandomState(3)
    assert random_state_type.filter(state) is state
    assert random_state_type.filter(state, strict=True) is state
    assert random_state_type.is_valid_value(state)
    for other in (3, None, np.random, np.random.default_rng(3), np.zeros(3)):
        assert not random_state_type.is_valid_value(other)
        with pytest.raises(TypeError, match=r"takes a numpy.random.RandomState, got"):
            random_state_type.filter(other)


def test_there_is_one_type():
    assert RandomStateType() == random_state_type == pickle.loads(pickle.dumps(random_state_type))
    assert hash(RandomStateType()) == hash(random_state_type)
    assert str(random_state_type) == "RandomStateType"
    assert random_state_type("r").name == "r" and random_state_type().type == random_state_type


def test_states_are_equal_if_they_draw_the_same():
    assert same(RandomState(3), RandomState(3))
    assert not same(RandomState(3), RandomState(4))
    later = RandomState(3)
    later.uniform()
    assert not same(RandomState(3), later)
    # the same words and position, but one keeps a normal number
    one, two = RandomState(3), RandomState(3)
    one.normal(size=1)
    two.normal(size=2)
    assert one.get_state()[2] == two.get_state()[2] and not same(one, two)
    # what was kept once does not matter
    two.set_state((*two.get_state()[:3], 0, 5.0))
    fresh = RandomState(3)
    fresh.normal(size=2)
    assert same(two, fresh)
    assert not same(RandomState(3), RandomState(np.random.PCG64(3)))
    assert same(RandomState(np.random.PCG64(3)), RandomState(np.random.PCG64(3)))
    assert random_state_type.values_eq_approx(RandomState(3), RandomState(3))
    assert random_state_type.may_share_memory(one, one)
    assert not random_state_type.may_share_memory(one, RandomState(3))


def test_shared_states_are_copied_unless_borrowed():
    state = RandomState(3)
    held, lent = theano.shared(state, name="held"), theano.shared(state, borrow=True)
    assert type(held) is RandomStateSharedVariable and held.type == random_state_type
    assert held.name == "held" and lent.get_value(borrow=True) is state
    state.uniform()
    assert same(held.get_value(), RandomState(3)) and same(lent.get_value(), state)
    given = held.get_value()
    given.uniform()
    assert same(held.get_value(), RandomState(3))
    held.set_value(given)
    given.uniform()
    assert not same(held.get_value(), given)
    with pytest.raises(TypeError, match="RandomState, got 3"):
        held.set_value(3)
    with pytest.raises(TypeError, match="has no zero"):
        held.zero()
    assert same(pickle.loads(pickle.dumps(lent)).get_value(), state)


def test_constants_are_equal_if_they_draw_the_same():
    make = random_state_type.Constant
    one, two = (make(random_state_type, RandomState(3)) for _ in range(2))
    assert one.equals(two) and hash(one.signature()) == hash(two.signature())
    assert not one.equals(make(random_state_type, RandomState(4)))


DRAWS = [("normal", 1), ("uniform", 2), ("normal", 2), ("poisson", 3), ("normal", 3)]


@pytest.mark.parametrize("known", [True, False])
def test_a_quick_copy_is_as_good_as_a_slow_one(monkeypatch, known):
    assert generators._is_known(), "NumPy's states have changed; copies are slow now"
    monkeypatch.setattr(generators, "_is_known", lambda: known)
    spares, rng = Spares(), np.random.default_rng(1)
    state, kept = RandomState(4), []
    for _ in range(200):
        slow, quick = copy.deepcopy(state), spares.copy(state)
        assert same(quick, slow) and same(state, slow)
        method, size = DRAWS[rng.integers(len(DRAWS))]
        draw = getattr(RandomState, method)
        assert np.array_equal(draw(quick, size=size), draw(slow, size=size))
        assert same(quick, slow)
        if rng.random() < 0.3:
            kept.append((quick, slow))  # somebody holds it: it must stay as it is
        state = quick
    assert all(same(a, b) for a, b in kept)


def test_twisters_are_used_again_once_nobody_holds_them():
    spares, state = Spares(), RandomState(4)
    used = set()
    for _ in range(50):
        state = spares.copy(state)
        used.add(id(state._bit_generator))
    assert len(used) == 2
    # one that another generator uses is held
    mine = np.random.Generator(state._bit_generator)
    before = mine.bit_generator.state["state"]["pos"]
    for _ in range(10):
        state = spares.copy(RandomState(9))
        state.uniform(size=100)
    assert mine.bit_generator.state["state"]["pos"] == before


def test_generators_of_other_kinds_are_copied_too():
    state = RandomState(np.random.PCG64(3))
    made = Spares().copy(state)
    assert same(made, state) and made is not state
    made.uniform()
    assert not same(made, state)
