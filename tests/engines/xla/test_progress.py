"""Compilations that take long tell of themselves."""

import logging

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.engines.xla import progress

pytestmark = pytest.mark.xla

pytest.importorskip("jax")

x = T.dvector("x")


def compile_one():
    f = theano.function([x], T.exp(x) * 2, mode=theano.Mode("xla"))
    np.testing.assert_allclose(f(np.zeros(3)), 2)


@pytest.fixture
def long(monkeypatch):
    """All that is compiled counts as long."""
    monkeypatch.setattr(progress, "_LONG", 0.0)


def test_a_long_compilation_is_one_line_of_the_log(long, caplog, capsys):
    caplog.set_level(logging.INFO, "theano.xla")
    compile_one()
    told = [r.getMessage() for r in caplog.records if "was compiled" in r.getMessage()]
    assert len(told) == 1
    assert told[0].startswith("program 0 of 2 nodes was compiled in ")
    assert capsys.readouterr() == ("", "")


def test_a_short_one_is_not_told_of(monkeypatch, caplog):
    monkeypatch.setattr(progress, "_LONG", 1e9)
    caplog.set_level(logging.INFO, "theano.xla")
    compile_one()
    assert not [r for r in caplog.records if "was compiled" in r.getMessage()]


def test_who_asks_is_told_on_the_terminal(long, capsys):
    with theano.config.change_flags({"xla.verbose": True}):
        compile_one()
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("theano: program 0 of 2 nodes was compiled in ")


def test_on_a_terminal_something_moves_meanwhile(monkeypatch):
    rich = pytest.importorskip("rich.console")
    shown = []

    class Console(rich.Console):
        def status(self, text):
            shown.append(text)
            return super().status(text)

    monkeypatch.setattr(rich, "Console", Console)
    monkeypatch.setattr(progress.sys.stderr, "isatty", lambda: True, raising=False)
    with theano.config.change_flags({"xla.verbose": True}):
        compile_one()
    assert shown == ["compiling program 0 of 2 nodes"]
