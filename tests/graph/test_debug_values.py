"""Test values for assertions while a graph is built; walks with a user's own step."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.gof import get_debug_values, stack_search


def test_values_come_where_all_have_one():
    x, y = T.dvector("x"), T.dvector("y")
    x.tag.test_value = np.ones(2)
    shared = theano.shared(2.0)
    with theano.change_flags(compute_test_value="ignore"):
        ((a, b, c),) = get_debug_values(x, shared, 7)
        assert (a.tolist(), b, c) == ([1, 1], 2, 7)
        assert get_debug_values(x, y) == []
    assert get_debug_values(x) == []


def test_a_missing_value_is_told_as_asked():
    y = T.dvector("y")
    with (
        theano.change_flags(compute_test_value="raise"),
        pytest.raises(AttributeError, match=r"argument 0 \(y\) has no test value"),
    ):
        get_debug_values(y)
    with (
        theano.change_flags(compute_test_value="warn"),
        pytest.warns(UserWarning, match="has no test value"),
    ):
        assert get_debug_values(y) == []


@pytest.mark.parametrize("given_there", [False, True])
def test_the_debugger_opens_on_a_missing_value_and_may_give_one(monkeypatch, given_there):
    import pdb

    y, opened = T.dvector("y"), []

    def open_debugger():
        opened.append(1)
        if given_there:
            y.tag.test_value = np.ones(2)

    monkeypatch.setattr(pdb, "post_mortem", open_debugger)
    with theano.change_flags(compute_test_value="pdb"):
        z = y * 2
    assert opened == [1]
    assert getattr(z.tag, "test_value", np.zeros(0)).tolist() == ([2.0, 2.0] if given_there else [])


def test_each_setting_does_what_it_says_about_an_expression_without_a_value():
    y = T.dvector("y")
    for word in ("off", "ignore"):
        with theano.change_flags(compute_test_value=word):
            assert not hasattr((y * 2).tag, "test_value")
    with (
        theano.change_flags(compute_test_value="warn"),
        pytest.warns(UserWarning, match=r"Cannot compute test value: input 0 \(y\)"),
    ):
        assert not hasattr((y * 2).tag, "test_value")
    with (
        theano.change_flags(compute_test_value="raise"),
        pytest.raises(ValueError, match=r"missing default value; set y\.tag\.test_value"),
    ):
        y * 2


def test_a_search_meets_each_thing_once():
    x, y = T.dvectors("xy")
    total = x + y
    both = total * total
    expand = lambda v: v.owner and v.owner.inputs
    assert stack_search([both], expand) == [both, total, x, y]
    found, before = stack_search([both], expand, "dfs", True)
    assert found == [both, total, y, x]
    assert before == {total: [both, both], x: [total], y: [total]}
    with pytest.raises(ValueError, match="takes 'bfs' or 'dfs' as mode, got 'xx'"):
        stack_search([both], expand, "xx")
