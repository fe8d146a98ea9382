"""``theano-cache check``: many calls of many formulas, compared with NumPy."""

import itertools

import numpy as np
import pytest

import theano
from theano._src.compile.commands import cache_command
from theano._src.compile.debug import engine_check
from theano._src.compile.debug.engine_check import FORMULAS, QUICK, check

pytestmark = pytest.mark.xla


def faulty(every):
    """What makes functions of which every so many-th call is wrong by one per cent."""

    def compiled(inputs, output, mode):
        f = theano.function(inputs, output, mode=mode)
        count = itertools.count(1)
        return lambda *args: f(*args) * (1.01 if next(count) % every == 0 else 1.0)

    return compiled


def test_there_are_some_hundred_formulas_and_no_two_of_one_name():
    assert len(FORMULAS) >= 240
    assert len({f.name for f in FORMULAS}) == len(FORMULAS)


def test_a_sum_that_is_wrong_in_one_call_of_seven_is_found():
    (wrong,) = check(FORMULAS[:1], 14, ["float64"], compiled=faulty(7))
    assert wrong.wrong == 2 and wrong.error == pytest.approx(0.01)
    assert "2 of 14 calls wrong" in str(wrong) and FORMULAS[0].name in str(wrong)


def test_a_value_that_is_not_a_number_is_wrong():
    def compiled(inputs, output, mode):
        return lambda *args: np.nan

    (wrong,) = check(FORMULAS[:1], 2, ["float32"], compiled=compiled)
    assert wrong.wrong == 2


@pytest.mark.parametrize("linker", ["xla", None])
def test_formulas_are_right(linker):
    assert check(QUICK[::7], 10, linker=linker) == []


def test_the_command_prints_what_is_wrong_and_fails(monkeypatch, capsys):
    monkeypatch.setattr(
        cache_command,
        "check",
        lambda formulas, calls: check(formulas[:2], 2, ["float32"], compiled=faulty(2)),
    )
    assert cache_command.main(["check", "quick"]) == 1
    *rows, summary = capsys.readouterr().out.splitlines()
    assert len(rows) == 2 and "1 of 2 calls wrong" in rows[0] and "2 wrong" in summary
    monkeypatch.setattr(cache_command, "check", lambda formulas, calls: [])
    assert cache_command.main(["check"]) == 0
    assert "none wrong" in capsys.readouterr().out


def test_progress_is_shown_on_a_terminal_only(monkeypatch, capsys):
    list(engine_check.with_progress([1, 2], "checking"))
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert list(engine_check.with_progress([1, 2], "checking")) == [1, 2]
