"""Ctrl-C while a compiled program runs: what is stored, and what the interrupt says of it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.xla
ROOT = Path(__file__).parents[2]

START = """
import os, signal, sys, threading, time
import numpy as np, theano, theano.tensor as T
XLA = theano.Mode("xla")

def interrupt(seconds):
    threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT)).start()

def long(x):
    made, _ = theano.scan(
        lambda h, x: T.tanh(T.dot(h, x)), outputs_info=[x], non_sequences=[x], n_steps=60
    )
    return made[-1].sum()

x = T.dmatrix("x")
data = np.ones((300, 300)) / 300

def told(f, *args):
    try:
        f(*args)
    except KeyboardInterrupt as e:
        return e.__notes__
    return None

"""


def run(program, seconds=120):
    """What a process prints on both of its outputs; it must end in time."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", START + program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=seconds,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert found.returncode == 0, found.stderr[-3000:]
    return found.stdout.split("\n")[:-1], found.stderr


def test_an_interrupt_of_a_running_program_says_that_its_updates_are_stored():
    printed, errors = run(
        """
w, u = theano.shared(2.0), theano.shared(0)
f = theano.function([x], long(x), updates=[(w, w + 1), (u, u + 1)], mode=XLA)
began = time.perf_counter(); f(data); began = time.perf_counter(); f(data)
interrupt((time.perf_counter() - began) / 4)
notes = told(f, data)
print(w.get_value(), u.get_value(), "are stored" in notes[-1], len(notes))
f(data)
print(w.get_value(), u.get_value())
"""
    )
    assert printed == ["5.0 3 True 1", "6.0 4"]
    assert errors == ""


def test_an_interrupt_before_the_program_starts_leaves_all_as_it_was_and_says_so():
    printed, errors = run(
        """
class Slow(theano.Op):
    __props__ = ()
    def make_node(self, x):
        return theano.Apply(self, [x], [x.type()])
    def perform(self, node, inputs, outputs):
        time.sleep(10)
        outputs[0][0] = inputs[0]

y = T.dvector("y")
w = theano.shared(2.0)
f = theano.function([y], Slow()(y) + w, updates=[(w, w + y.sum())], mode=XLA)
interrupt(3)
began = time.perf_counter()
notes = told(f, np.ones(3))
print(w.get_value(), "updated no shared variable" in notes[-1], time.perf_counter() - began < 9)
"""
    )
    assert printed == ["2.0 True True"]
    assert errors == ""


def test_a_failed_check_and_an_interrupt_together_store_nothing():
    printed, errors = run(
        """
i = T.lscalar("i")
w = theano.shared(np.zeros(3))
f = theano.function([x, i], long(x), updates=[(w, T.inc_subtensor(w[i], 1))], mode=XLA)
f(data, 0); began = time.perf_counter(); f(data, 0)
interrupt((time.perf_counter() - began) / 4)
try:
    f(data, 7)
except KeyboardInterrupt as e:
    print(w.get_value().tolist(), "updated no shared variable" in e.__notes__[-1])
"""
    )
    assert printed == ["[2.0, 0.0, 0.0] True"]
    assert errors == ""


def test_state_on_the_host_and_on_the_device_is_stored_together():
    printed, errors = run(
        """
from theano.tensor.shared_randomstreams import RandomStreams
streams = RandomStreams(1)
draw = streams.normal((2,))
w = theano.shared(0.0)
f = theano.function([x], [long(x), draw], updates=[(w, w + 1)], mode=XLA)
g = theano.function([], draw, no_default_updates=True)
f(data)
first = g()
began = time.perf_counter(); f(data); began = time.perf_counter() - began
second = g()
interrupt(began / 4)
notes = told(f, data)
print(w.get_value(), "are stored" in notes[-1], (g() != second).any(), (second != first).any())
"""
    )
    assert printed == ["3.0 True True True"]
    assert errors == ""


def test_interrupts_that_meet_the_garbage_collector_are_neither_printed_nor_lost():
    printed, errors = run(
        """
import gc
w = theano.shared(2.0)
f = theano.function([x], long(x), updates=[(w, w + 1)], mode=XLA)
f(data); began = time.perf_counter(); f(data); began = time.perf_counter() - began
gc.set_threshold(1)  # every object made calls what listens to the collector
came = 0
for _ in range(5):
    interrupt(began / 4)
    came += told(f, data) is not None
print(came, w.get_value())
"""
    )
    assert printed == ["5 9.0"]
    assert errors == ""


def test_handlers_of_the_user_are_called_once_and_put_back():
    printed, errors = run(
        """
w = theano.shared(2.0)
f = theano.function([x], long(x), updates=[(w, w + 1)], mode=XLA)
f(data); began = time.perf_counter(); f(data); began = time.perf_counter() - began
calls = []
mine = lambda *args: calls.append(args)
signal.signal(signal.SIGINT, mine)
interrupt(began / 4)
f(data)
time.sleep(began / 2)
print(len(calls), signal.getsignal(signal.SIGINT) is mine, w.get_value())
signal.signal(signal.SIGINT, signal.SIG_IGN)
interrupt(began / 4)
f(data)
print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN, w.get_value())
"""
    )
    assert printed == ["1 True 5.0", "True 6.0"]
    assert errors == ""
