"""Calls of a key that has moved to XLA go straight there, and are counted all the same."""

import numpy as np
import pytest

import theano
import theano.tensor as T

pytestmark = [pytest.mark.xla, pytest.mark.usefixtures("by_estimates")]


def counting():
    """A step with state, its shared variable, and how to call it with so many numbers."""
    x, w = T.dvector("x"), theano.shared(0.0)
    f = theano.function([x], T.exp(x) * 2, updates=[(w, w + x.sum())])
    return f, w, lambda n: f(np.ones(n))


LARGE = 1 << 15


def account_of(f, n):
    return f.fn.policy.records[((n,), ())]


def move(f, call, n):
    """Six calls, of which the first two are on NumPy, whatever is estimated of them."""
    call(n)
    call(n)
    f.fn.policy.promote(((n,), ()))
    for _ in range(4):
        call(n)


def test_a_call_passes_the_cells_by_once_its_key_is_compiled():
    f, w, call = counting()
    move(f, call, LARGE)
    record = account_of(f, LARGE)
    assert record.on_xla and record.quick is not None
    ran = record.ran
    assert call(LARGE)[0] == pytest.approx(2 * np.e)
    assert record.ran == ran + 1
    assert w.get_value() == 7 * LARGE


def test_small_calls_and_other_keys_stay_where_they_belong():
    f, w, call = counting()
    move(f, call, LARGE)
    for _ in range(6):
        call(3)
    call(LARGE + 1)
    assert account_of(f, LARGE + 1).quick is None
    assert w.get_value() == 7 * LARGE + 1 + 18


def test_a_key_that_had_to_leave_is_back_on_numpy():
    f, w, call = counting()
    move(f, call, LARGE)
    f.fn.policy.give_up(((LARGE,), ()), "the test says so")
    before = account_of(f, LARGE).ran
    call(LARGE)
    assert account_of(f, LARGE).ran == before
    assert w.get_value() == 7 * LARGE


def test_a_key_in_use_is_not_the_one_that_leaves():
    f, _, call = counting()
    with theano.config.change_flags(**{"xla.max_keys": 2}):
        for n in (LARGE, LARGE + 1):
            move(f, call, n)
        call(LARGE)
        move(f, call, LARGE + 2)
    assert account_of(f, LARGE).on_xla and not account_of(f, LARGE + 1).on_xla


def test_what_fails_on_the_way_names_its_node_and_leaves_state_as_it_was():
    x, i = T.dvector("x"), T.lvector("i")
    w = theano.shared(np.zeros(()))
    f = theano.function([x, i], T.exp(x).sum() + x[i].sum(), updates=[(w, w + x[i].sum())])
    a = np.ones(LARGE)
    for k in range(6):
        if k == 2:
            f.fn.policy.promote(next(iter(f.fn.policy.records)))
        f(a, [1, 2])
    (record,) = f.fn.policy.records.values()
    assert record.quick is not None
    with pytest.raises(IndexError, match="Apply node that caused the error: AdvancedSubtensor"):
        f(a, [1, LARGE])
    assert w.get_value() == 12
