"""Compilations that take long tell of themselves."""

import logging
import subprocess
import sys
import time

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.engines.jax import backend, progress

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


def announced(monkeypatch, capsys, seconds, **flags):
    """The lines on stderr of a compilation that takes so many seconds longer than it would."""
    compiled = backend.compiled

    def slowly(*args):
        found = compiled(*args)

        def wait(*values):
            time.sleep(seconds)
            return found(*values)

        wait.run = found.run
        return wait

    monkeypatch.setattr(backend, "compiled", slowly)
    f = theano.function([x], T.exp(x) * 2, mode=theano.Mode("xla"), name="train")
    with theano.config.change_flags({f"xla.{name}": value for name, value in flags.items()}):
        f(np.zeros(3))
    return capsys.readouterr().err.splitlines()


def test_a_compilation_that_is_waited_for_says_so(monkeypatch, capsys):
    """U5.4"""
    lines = announced(monkeypatch, capsys, 2.0, announce_after=0.3)
    assert 2 <= len(lines) <= 5
    assert all(line.startswith("theano: still compiling train, ") for line in lines)


def test_a_flag_silences_it(monkeypatch, capsys):
    """U5.4"""
    assert announced(monkeypatch, capsys, 0.5, announce_after=0) == []


def test_a_thread_announces_only_what_the_end_of_the_process_waits_for():
    """U5.4"""
    script = """
import sys, threading, time
from theano._src.engines.jax.progress import compiles_aside, first_call
import theano
theano.config.xla.announce_after = 0.3
def work():
    compiles_aside()
    first_call("program 0", "train", time.sleep, 3.0)
threading.Thread(target=work).start()
time.sleep(1.5)
print("ends", file=sys.stderr, flush=True)
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    first, *rest = ran.stderr.splitlines()
    assert first == "ends"
    assert rest and all(line.startswith("theano: still compiling train, ") for line in rest)
