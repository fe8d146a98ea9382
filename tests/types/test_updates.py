"""OrderedUpdates: keys are shared variables, and none gets two values."""

import pickle

import pytest

import theano
import theano.tensor as T
from theano import OrderedUpdates, shared


def test_it_is_a_dict_in_order_that_functions_take():
    a, b = shared(1.0, "a"), shared(2.0, "b")
    updates = OrderedUpdates([(b, b + 1)])
    updates[a] = a * 5
    assert list(updates) == [b, a]
    theano.function([], [], updates=updates)()
    assert (a.get_value(), b.get_value()) == (5, 3)
    assert type(updates.copy()) is OrderedUpdates and list(updates.copy()) == [b, a]
    assert [v.name for v in pickle.loads(pickle.dumps(updates))] == ["b", "a"]


def test_sums_bring_updates_together():
    a, b = shared(1.0, "a"), shared(2.0, "b")
    first, second = OrderedUpdates([(a, a + 1)]), {b: b + 1}
    assert list(first + second) == [a, b]
    # as in Theano 1.0.5: its own come first
    assert list([(b, b + 1)] + first) == [a, b]
    assert list(first) == [a]
    assert first + first == first


def test_two_values_for_one_variable_are_refused():
    a = shared(1.0, "a")
    updates = OrderedUpdates([(a, a + 1)])
    with pytest.raises(KeyError, match="takes one new value for each shared variable, got two"):
        updates.update({a: a + 2})
    with pytest.raises(KeyError, match="got two for a"):
        updates + [(a, a + 1)]
    updates[a] = new = a + 3
    assert updates[a] is new
    updates.update(None)
    assert OrderedUpdates({a: 1}) + {a: 1} == {a: 1}


@pytest.mark.parametrize("make", [lambda: {T.dscalar("x"): 1}, lambda: [("x", 1)]])
def test_only_shared_variables_are_updated(make):
    with pytest.raises(TypeError, match=r"takes shared variables as keys, got '?x"):
        OrderedUpdates(make())
