"""What a call may do to the memory of others: the caller's arrays, shared variables, jax itself."""

import json
import os
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.engines.xla.interrupted import aligned, default_float
from theano.gof import Apply, Op

pytestmark = pytest.mark.xla

ROOT = Path(__file__).parents[3]
XLA = theano.Mode("xla")
NUMPY = theano.Mode("numpy")


def run(*args, seconds):
    """What a Python process prints last, as JSON; it must end in time."""
    found = subprocess.run(
        [sys.executable, "-W", "ignore", *args],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=seconds,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert found.returncode == 0, found.stderr[-3000:]
    return json.loads(found.stdout.splitlines()[-1])


# the caller's arrays


def unaligned(shape):
    """Memory that XLA has to copy."""
    room = np.empty(int(np.prod(shape)) + 9)
    start = next(k for k in range(9) if (room.ctypes.data + 8 * k) % 64 == 8)
    return room[start : start + int(np.prod(shape))].reshape(shape)


BUFFERS = {
    "small": lambda: aligned((3, 3)),
    "small and unaligned": lambda: unaligned((3, 3)),
    "large": lambda: aligned((160, 160)),
    "large and unaligned": lambda: unaligned((160, 160)),
    "large and transposed": lambda: aligned((160, 160)).T,
}


@pytest.mark.parametrize("kind", BUFFERS)
@pytest.mark.parametrize("trusted", [False, True], ids=["checked", "trusted"])
def test_outputs_are_right_when_the_caller_overwrites_its_array_after_each_call(kind, trusted):
    x = T.dmatrix()
    f = theano.function([x], [T.dot(x, x), x, x + 1], mode=XLA)
    f.trust_input = trusted
    buffer = BUFFERS[kind]()
    n = len(buffer)
    right = 0
    for k in range(500):
        buffer[...] = k
        product, same, more = f(buffer)
        buffer[...] = -1
        right += (product == n * k * k).all() and (same == k).all() and (more == k + 1).all()
    assert right == 500


@pytest.mark.parametrize("kind", BUFFERS)
def test_updates_are_right_when_the_caller_overwrites_its_array_after_each_call(kind):
    x = T.dmatrix()
    buffer = BUFFERS[kind]()
    n = len(buffer)
    total, given, sums = (theano.shared(np.zeros((n, n))) for _ in range(3))
    f = theano.function(
        [x], updates=[(total, total + T.dot(x, x)), (given, x), (sums, sums + x)], mode=XLA
    )
    right, expected = 0, 0
    for k in range(500):
        buffer[...] = k % 7
        f(buffer)
        buffer[...] = -1
        expected += k % 7
        right += (given.get_value() == k % 7).all() and (sums.get_value() == expected).all()
    assert right == 500
    assert (total.get_value() == n * sum((k % 7) ** 2 for k in range(500))).all()


def test_a_thousand_calls_with_outputs_and_updates_are_right_when_the_array_is_refilled():
    x, y = T.dmatrix(), T.lvector()
    w, last = theano.shared(np.zeros((200, 50))), theano.shared(np.zeros(4, "int64"))
    f = theano.function(
        [x, y], T.dot(x, w).sum() + y.sum(), updates=[(w, w + x.T), (last, y)], mode=XLA
    )
    batch, labels = aligned((50, 200)), np.zeros(4, "int64")
    right, level = 0, 0
    for k in range(1000):
        batch[...] = k % 3
        labels[...] = k
        out = f(batch, labels)
        batch[...] = 1e9
        labels[...] = -1
        right += out == 50 * 50 * 200 * (k % 3) * level + 4 * k and (last.get_value() == k).all()
        level += k % 3
    assert right == 1000
    assert (w.get_value() == level).all()


def test_a_program_of_two_stages_has_read_the_array_before_it_returns():
    x = T.dmatrix()
    total = theano.shared(0.0)
    f = theano.function([x], T.dot(x, x).max(), updates=[(total, total + x[x > 2].sum())], mode=XLA)
    buffer = aligned((100, 100))
    right, expected = 0, 0.0
    for k in range(100):
        buffer[...] = 1
        buffer[:3] = k
        out = f(buffer)
        buffer[...] = -1
        expected += 300.0 * k if k > 2 else 0.0
        product = np.where(np.arange(100)[:, None] < 3, 3.0 * k * k + 97 * k, 3.0 * k + 97).max()
        right += out == product and total.get_value() == expected
    assert right == 100


@pytest.mark.parametrize("mode", [XLA, NUMPY], ids=["xla", "numpy"])
def test_numbers_in_0d_arrays_of_the_caller_are_copied(mode):
    n, v = T.lscalar(), T.lvector()
    number, vector = theano.shared(0), theano.shared(np.zeros(2, "int64"))
    f = theano.function([n, v], [n, v, n + 1], updates=[(number, n), (vector, v)], mode=mode)
    a, b = np.array(3), np.array([1, 2])
    outputs = f(a, b)
    a[()], b[...] = 9, 9
    assert [o.tolist() for o in outputs] == [3, [1, 2], 4]
    assert (number.get_value(), vector.get_value().tolist()) == (3, [1, 2])


def test_a_mutable_input_is_not_read_after_the_call():
    x = T.dmatrix()
    f = theano.function([theano.In(x, mutable=True, borrow=True)], T.dot(x, x) + x, mode=XLA)
    buffer = aligned((160, 160))
    for k in range(50):
        buffer[...] = k
        out = f(buffer)
        buffer[...] = -1
        assert (out == 160 * k * k + k).all()


# calls that fail


class Refuses(Op):
    """x, unless its sum is negative."""

    __props__ = ()

    def make_node(self, x):
        x = T.as_tensor_variable(x)
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        if inputs[0].sum() < 0:
            raise ArithmeticError("negative")
        output_storage[0][0] = inputs[0] + 0


def first_stage(x, w):
    return x[T.cast(x[0], "int64")] + (x > 1).sum()


def second_stage(x, w):
    chosen = x[x > 0]
    return chosen[T.cast(chosen[0], "int64")]


def by_assert(x, w):
    return T.opt.Assert("negative")(x, (x > -1).all()).sum()


def on_the_host_first(x, w):
    return T.exp(Refuses()(x)).sum()


def on_the_host_between(x, w):
    return T.exp(Refuses()(T.tanh(x))).sum()


def on_the_host_last(x, w):
    return Refuses()(T.exp(x) * 0 + x).sum()


def of_sizes(x, w):
    return (x + w[: T.cast(x[1], "int64")]).sum()


GOOD = np.array([2.0, 3.0, 1.0])
FAILS = {
    first_stage: (np.array([7.0, 1.0, 1.0]), IndexError),
    second_stage: (np.array([3.0, 1.0, 1.0]), IndexError),
    by_assert: (np.array([-2.0, 3.0, 1.0]), AssertionError),
    on_the_host_first: (np.array([-9.0, 1.0, 1.0]), ArithmeticError),
    on_the_host_between: (np.array([-9.0, -1.0, 1.0]), ArithmeticError),
    on_the_host_last: (np.array([-9.0, 1.0, 1.0]), ArithmeticError),
    of_sizes: (np.array([1.0, 2.0, 1.0]), ValueError),
}


@pytest.mark.parametrize("first", [True, False], ids=["first-call", "later"])
@pytest.mark.parametrize("fails", FAILS, ids=lambda f: f.__name__)
def test_a_call_that_raises_leaves_every_shared_variable_as_it_was(fails, first):
    bad, error = FAILS[fails]
    x = T.dvector()
    w, before, given = (theano.shared(np.arange(3.0) + k) for k in range(3))
    counter, whole = theano.shared(0), theano.shared(np.ones((3, 3), "float32"))
    state = w, before, given, counter, whole
    y = fails(x, w)
    f = theano.function(
        [x],
        [y, w],
        updates=[
            (before, w),
            (w, w + y),
            (given, x),
            (counter, counter + 1),
            (whole, whole * T.cast(y, "float32")),
        ],
        mode=XLA,
    )
    if not first:
        f(GOOD)
    old = [v.get_value() for v in state]
    for _ in range(2):
        with pytest.raises(error):
            f(bad)
        for v, was in zip(state, old, strict=True):
            assert v.get_value().tobytes() == was.tobytes()
    value, gave = f(GOOD)
    assert gave.tobytes() == old[0].tobytes() == before.get_value().tobytes()
    np.testing.assert_array_equal(w.get_value(), old[0] + value)
    np.testing.assert_array_equal(given.get_value(), GOOD)
    assert counter.get_value() == old[3] + 1
    np.testing.assert_array_equal(whole.get_value(), old[4] * np.float32(value))


def test_bad_arguments_leave_state_as_it_was():
    x = T.dvector()
    w = theano.shared(np.zeros(3))
    f = theano.function([x], w.sum(), updates=[(w, w + x)], mode=XLA)
    for bad in (np.ones((2, 2)), "text", None, np.ones(2)):
        with pytest.raises((TypeError, ValueError)):
            f(bad)
        assert w.get_value().tolist() == [0, 0, 0]
    f(np.ones(3))
    assert w.get_value().tolist() == [1, 1, 1]


# interrupts

_MIXED = pytest.mark.xfail(reason="updates that are not in place are stored apart from the others")
_READS = pytest.mark.xfail(reason="an interrupted call may leave XLA reading the caller's array")
_LEAKS = pytest.mark.xfail(reason="an interrupt may leave jax with 64 bits")


@pytest.mark.parametrize(
    "name, times",
    [
        ("Donated", 50),
        pytest.param("Mixed", 50, marks=_MIXED),
        ("Checked", 50),
        pytest.param("Short", 1000, marks=_LEAKS),
        ("Large", 50),
        pytest.param("Overwritten", 400, marks=_READS),
        ("Staged", 50),
        pytest.param("Compiling", 50, marks=pytest.mark.slow),
    ],
)
def test_an_interrupted_call_leaves_all_state_old_or_all_new(name, times):
    found = run("-m", "tests.engines.xla.interrupted", name, str(times), seconds=120)
    assert found["faults"] == []
    assert found["within"] > times * 0.5  # most of them came during a call
