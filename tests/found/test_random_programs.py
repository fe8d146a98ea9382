"""Every defect that random programs of the whole language have found, as a test of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.ifelse import ifelse

MODES = pytest.mark.parametrize(
    "mode",
    [
        pytest.param((linker, rewrites), marks=[pytest.mark.xla] if linker == "xla" else [])
        for linker in ("numpy", "xla")
        for rewrites in ("fast_run", None)
    ],
    ids=lambda mode: f"{mode[0]}-{mode[1] or 'unrewritten'}",
)


def run(mode: tuple[str, Any], inputs: list[Any], output: Any, *values: Any) -> Any:
    return theano.function(inputs, output, mode=theano.Mode(*mode), on_unused_input="ignore")(
        *values
    )


@MODES
def test_bools_are_added_at_positions_and_where_a_mask_holds(mode: tuple[str, Any]) -> None:
    x, y, m = (T.TensorType("bool", (False,))(n) for n in "xym")
    at = T.lvector("at")
    values = [np.array(v) for v in ([True, False, False, False], [True, False, True])]
    made = run(mode, [x, y, at], T.inc_subtensor(x[at], y), *values, np.array([1, 2, 2]))
    np.testing.assert_array_equal(made, [True, True, True, False])
    made = run(
        mode, [x, y, m], T.inc_subtensor(x[m], y), *values, np.array([True, True, False, True])
    )
    np.testing.assert_array_equal(made, [True, False, False, True])


@MODES
def test_what_ifelse_picks_on_the_host_is_the_callers_to_write(mode: tuple[str, Any]) -> None:
    x, c = T.dvector("x"), T.dscalar("c")
    y = T.tanh(x)
    # the branches differ in length, so that the host decides
    f = theano.function([x, c], [ifelse(c > 0, y, y[1:]), y], mode=theano.Mode(*mode))
    for value, length in ((1.0, 4), (-1.0, 3)):
        picked, whole = f(np.arange(4.0), value)
        assert picked.shape == (length,)
        picked[...] = whole[...] = 7
        assert not np.shares_memory(picked, whole)


@MODES
def test_a_shared_variable_takes_what_ifelse_picks_on_the_host(mode: tuple[str, Any]) -> None:
    s, c = theano.shared(np.arange(4.0)), T.dscalar("c")
    y = T.exp(s)
    f = theano.function([c], [], updates=[(s, ifelse(c > 0, y, y[1:]))], mode=theano.Mode(*mode))
    f(1.0)
    s.get_value(borrow=True)[...] = 0
    f(-1.0)
    np.testing.assert_array_equal(s.get_value(), [1, 1, 1])


@MODES
@pytest.mark.parametrize(
    "listed, expected", [(True, [2.0, 3.0, 3.5]), (False, [2.0, 2.0, 1.5])], ids=["listed", "not"]
)
def test_a_non_sequence_keeps_its_value_while_the_loop_updates_what_it_is_made_of(
    mode: tuple[str, Any], listed: bool, expected: list[float]
) -> None:
    # values of Theano 1.0.5: what is not listed is computed anew in each step
    s = theano.shared(np.array([1.0, 3.0]))
    made_of_s = T.minimum(s, s[::]).mean()

    def step(before: Any, *_: Any) -> Any:
        return before / 2 + made_of_s, {s: s / 2}

    out, updates = theano.scan(
        step,
        outputs_info=[T.zeros_like(made_of_s)],
        non_sequences=[made_of_s] if listed else [],
        n_steps=3,
    )
    made = theano.function([], out, updates=updates, mode=theano.Mode(*mode))()
    np.testing.assert_array_equal(made, expected)
    np.testing.assert_array_equal(s.get_value(), [0.125, 0.375])


@pytest.mark.parametrize("linker", ["py", "numpy", "xla"])
@pytest.mark.parametrize(
    "lost", [lambda v: v - v, lambda v: 0 * v, lambda v: v**0, lambda v: T.sqr(v - v)]
)
def test_an_index_that_does_not_fit_is_told_where_its_value_makes_no_difference(lost, linker):
    x, i = T.dvector("x"), T.lscalar("i")
    f = theano.function([x, i], lost(T.exp(x)[i]), mode=theano.Mode(linker))
    f([1.0], 0)
    with pytest.raises(IndexError):
        f([1.0], 1)


@pytest.mark.parametrize("linker", ["py", "numpy", "xla"])
def test_an_assertion_is_told_where_its_value_makes_no_difference(linker):
    x = T.dvector("x")
    checked = T.opt.Assert("negative")(x, T.all(x >= 0))
    f = theano.function([x], T.exp(checked) * 0, mode=theano.Mode(linker))
    assert f([1.0]).tolist() == [0]
    with pytest.raises(AssertionError, match="negative"):
        f([-1.0])


def test_the_variance_of_one_number_is_indexed():
    x, i = T.dscalar("x"), T.lscalar("i")
    f = theano.function([x, i], T.var(x.reshape((1, 1, 1)), axis=-1)[i])
    assert f(2.0, 0).tolist() == [0]
    with pytest.raises(IndexError):
        f(2.0, 1)


def test_what_makes_no_difference_is_left_out_where_nothing_is_checked_or_others_need_it():
    x, i = T.dvector("x"), T.lscalar("i")
    f = theano.function([x], T.exp(x) * 0)
    assert "exp" not in theano.printing.debugprint(f, file="str")
    y = T.exp(x[i])
    g = theano.function([x, i], [y, T.sin(y) * 0])
    assert "sin" not in theano.printing.debugprint(g, file="str")
