"""Calls of a key that has moved to XLA go straight there, and are counted all the same."""

import threading

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


def moved(f, *args):
    """The record of the one key of a function, after calls that move it to XLA."""
    for k in range(6):
        if k == 2:
            f.fn.policy.promote(next(iter(f.fn.policy.records)))
        f(*args)
    (record,) = f.fn.policy.records.values()
    return record


def test_a_function_without_state_goes_straight_to_xla_too():
    """U2: a loop of 55 us on XLA took 78 in the default mode."""
    x = T.dvector("x")
    f = theano.function([x], T.exp(x) * 2)
    record = moved(f, np.zeros(LARGE))
    assert record.quick is not None
    ran = record.ran
    assert f(np.zeros(LARGE))[0] == 2
    assert record.ran == ran + 1


def test_a_call_that_goes_straight_to_xla_and_compiles_for_a_new_size_is_heard_of():
    x, n = T.dvector("x"), T.lscalar("n")
    f = theano.function([x, n], theano.scan(T.tanh, outputs_info=x, n_steps=n)[0][-1])
    values = np.ones(LARGE)
    record = moved(f, values, 3)
    assert record.quick is not None and record.on_xla
    np.testing.assert_allclose(f(values, 2), np.tanh(np.tanh(values)))
    # it has not paid for a second compilation yet
    assert f.fn.xla.compilations == 2 and not record.on_xla
    assert record.why == "compiled again for other sizes"


def test_threads_may_call_a_function_whose_keys_come_and_go():
    x = T.dvector("x")
    f = theano.function([x], T.exp(x) * 2)
    lengths = [LARGE + k for k in range(4)]
    for n in lengths:
        f(np.zeros(n))
        f(np.zeros(n))
    wrong = []

    def work(seed):
        random = np.random.RandomState(seed)
        try:
            for _ in range(60):
                n = int(random.choice(lengths))
                f.fn.policy.promote(((n,),))
                if f(np.zeros(n)).sum() != 2 * n:
                    wrong.append(n)
        except BaseException as e:
            wrong.append(e)

    with theano.config.change_flags(**{"xla.max_keys": 2}):
        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert wrong == []
