"""Compiling in a thread: calls go on with NumPy, then move; what fails there stays there."""

import os
import re
import subprocess
import sys
import threading
from types import SimpleNamespace

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.engines import costs
from theano._src.engines.choice import background
from theano._src.engines.choice.estimate import Estimate
from theano._src.engines.choice.key_record import KeyRecord
from theano._src.engines.jax import backend

pytestmark = [pytest.mark.xla, pytest.mark.usefixtures("by_estimates")]

pytest.importorskip("jax")

x = T.dvector("x")
values = np.linspace(0, 1, 20_000)


@pytest.fixture(autouse=True)
def in_background(monkeypatch):
    """A machine on which tanh is dear on NumPy, and compiling in the background."""
    kinds = costs.KINDS | {"tanh": costs.KINDS["tanh"]._replace(numpy=1e-4)}
    monkeypatch.setattr(costs, "_known", [costs.Rates(load=0.0, kinds=kinds)])
    with theano.config.change_flags({"xla.background": True}):
        yield
    background.finish()


@pytest.mark.parametrize("loading, wanted", [(0.0, False), (0.6, True)])
def test_a_call_that_takes_longer_than_compiling_waits_for_it(monkeypatch, loading, wanted):
    monkeypatch.setattr("theano._src.engines.choice.choice.processors", lambda: 2)
    monkeypatch.setattr(costs.Rates, "loading", lambda self: loading)
    record = KeyRecord()
    record.estimate = Estimate(0.2, 0.01, 0.1)
    with theano.config.change_flags({"deterministic": "default", "xla.background": None}):
        program = theano.function([x], T.tanh(x)).fn
        # what this process compiled before may have taken longer than estimated
        monkeypatch.setattr(type(program.policy._measured), "slowness", lambda self: 1.0)
        assert program._in_background(record) is wanted


@pytest.fixture
def held(monkeypatch):
    """What lets compilations go on: until it is set, they wait."""
    go = threading.Event()
    compiled = backend.compiled

    def waiting(*args):
        if threading.current_thread() is not threading.main_thread():
            assert go.wait(60)
        return compiled(*args)

    monkeypatch.setattr(backend, "compiled", waiting)
    yield go
    go.set()


@pytest.mark.parametrize(
    "processors, deterministic, asked, wanted",
    [
        (2, "default", None, True),
        (1, "default", None, False),
        (2, "more", None, False),
        (1, "more", True, True),
        (2, "default", False, False),
    ],
)
def test_it_is_done_where_there_are_two_processors(
    monkeypatch, processors, deterministic, asked, wanted
):
    monkeypatch.setattr("theano._src.engines.choice.choice.processors", lambda: processors)
    with theano.config.change_flags({"deterministic": deterministic, "xla.background": asked}):
        assert theano.function([x], T.tanh(x)).fn._in_background(KeyRecord()) is wanted


def test_calls_go_on_while_a_key_is_compiled_and_move_then(held):
    f = theano.function([x], T.tanh(x) * 2)
    expected = np.tanh(values) * 2
    for _ in range(10):
        np.testing.assert_array_equal(f(values), expected)
    assert re.search(r"is being compiled, for \d\.\d s so far", f.fn.choice())
    assert re.match(
        r"Runs on NumPy: a thread is compiling it, for [\d.]+ s so far\.", f.fn.choice()
    )
    assert f.fn.xla.compilations == 0
    held.set()
    background.finish()
    for _ in range(3):
        np.testing.assert_allclose(f(values), expected, rtol=1e-14)
    # what the thread compiled is what runs
    assert f.fn.xla.compilations == 1
    assert "on XLA, was compiled meanwhile" in f.fn.choice()
    assert "1 of 1 keys run on XLA" in f.fn.choice()


@pytest.mark.parametrize("worth, pause", [(1.0, 1.0), (3.0, 1.0), (0.5, 0.5), (0.01, 0.25)])
def test_the_thread_lets_go_of_the_interpreter_as_long_as_calls_are_worth_it(
    monkeypatch, worth, pause
):
    now, slept = [0.0], []
    monkeypatch.setattr(background, "perf_counter", lambda: now[0])
    monkeypatch.setattr(background, "sleep", slept.append)
    paced = background.Paced(worth)
    for _ in range(100):
        now[0] += background._TURN / 10
        paced(None, "call", None)
    assert 8 <= len(slept) <= 10
    assert set(slept) == {pause * background._TURN}


def test_state_is_what_calls_made_of_it_and_nothing_else(held):
    w = theano.shared(np.zeros(20_000))
    f = theano.function([x], w.sum(), updates=[(w, w + T.tanh(x))])
    for _ in range(6):
        f(values)
    held.set()
    background.finish()
    for _ in range(4):
        f(values)
    assert "1 of 1 keys run on XLA" in f.fn.choice()
    np.testing.assert_allclose(w.get_value(), 10 * np.tanh(values), rtol=1e-13)


def test_a_compilation_that_fails_leaves_its_key_on_numpy(monkeypatch, caplog):
    def fails(*args):
        raise RuntimeError("no room on the device")

    monkeypatch.setattr(backend, "compiled", fails)
    f = theano.function([x], T.tanh(x) * 2)
    for _ in range(4):
        f(values)
    background.finish()
    for _ in range(3):
        np.testing.assert_array_equal(f(values), np.tanh(values) * 2)
    assert "compiling it failed" in f.fn.choice()
    assert "no room on the device" in caplog.text


def test_a_function_with_the_users_own_code_in_it_is_compiled_in_the_open():
    calls = []

    def seen(y):
        calls.append(len(y))
        return y

    from theano.compile.ops import as_op

    op = as_op(itypes=[T.dvector], otypes=[T.dvector])(seen)
    f = theano.function([x], op(T.tanh(x)) * 2)
    for _ in range(6):
        f(values)
    background.finish()
    assert len(calls) == 6


def test_another_key_compiles_meanwhile(held):
    f = theano.function([x], T.tanh(x) * 2)
    for _ in range(3):
        for n in (18_000, 20_000):
            f(values[:n])
    held.set()
    background.finish()
    for n in (18_000, 20_000):
        np.testing.assert_allclose(f(values[:n]), np.tanh(values[:n]) * 2, rtol=1e-14)
    assert "2 of 2 keys run on XLA" in f.fn.choice()
    assert f.fn.xla.compilations == 2


SCRIPT = """
import numpy as np, theano, theano.tensor as T
from theano._src.engines import costs
costs._known[:] = [costs.Rates(load=0.0, numpy_call=1.0)]
x = T.dvector()
f = theano.function([x], T.tanh(x) * 2)
with theano.config.change_flags({"xla.background": True}):
    for _ in range(4):
        f(np.ones(50_000))
print("done")
"""


def test_a_process_may_end_in_the_middle_of_it():
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=os.environ, capture_output=True, text=True, timeout=120
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "done\n", "")


def test_jax_is_loaded_and_blas_looked_for_by_the_thread_that_calls(monkeypatch):
    """U2: after each file a thread waits 5 ms for calls that do not let go of the interpreter."""
    seen = []

    def watch(thing, name):
        function = getattr(thing, name)

        def watched(*args, **kwargs):
            seen.append((name, threading.current_thread() is threading.main_thread()))
            return function(*args, **kwargs)

        monkeypatch.setattr(thing, name, watched)

    watch(backend, "missing")
    watch(background.blas_threads, "look")
    f = theano.function([x], T.tanh(x))
    for _ in range(2000):
        f(values)
        if seen:
            break
    background.finish()
    assert set(seen) == {("missing", True), ("look", True)}


def test_calls_pause_for_the_compile_thread_by_what_they_are_worth(monkeypatch):
    pauses = []
    monkeypatch.setattr(background, "sleep", pauses.append)
    background.give_way(1.0)
    assert not pauses  # nothing compiles
    monkeypatch.setattr(background, "running", [SimpleNamespace(join=lambda: None)])
    for worth, pause in ((1.0, []), (0.5, [0.005]), (0.1, [0.045]), (0.01, [0.05])):
        pauses.clear()
        monkeypatch.setattr(background, "_worth", [worth])
        background.give_way(0.01)
        assert pauses == pytest.approx(pause)
