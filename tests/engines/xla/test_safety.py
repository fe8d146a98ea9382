"""What a call may do to the memory of others: the caller's arrays, shared variables, jax itself."""

import json
import os
import signal
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
PACKAGE = "tests.engines.xla"
XLA = theano.Mode("xla")
NUMPY = theano.Mode("numpy")


def run(*args, seconds, **environment):
    """What a Python process prints last, as JSON; it must end in time."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # tests that were started in the background ignore interrupts, and so would the process
        signal.signal(signal.SIGINT, signal.default_int_handler)
    found = subprocess.run(
        [sys.executable, "-W", "ignore", *args],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=seconds,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
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


@pytest.mark.parametrize(
    "name, times",
    [
        ("Donated", 50),
        ("Mixed", 50),
        ("Checked", 50),
        ("Short", 1000),
        ("Large", 50),
        ("Overwritten", 400),
        ("Staged", 50),
        pytest.param("Compiling", 50, marks=pytest.mark.slow),
    ],
)
def test_an_interrupted_call_leaves_all_state_old_or_all_new(name, times):
    found = run("-m", f"{PACKAGE}.interrupted", name, str(times), seconds=120)
    assert found["faults"] == []
    assert found["within"] > times * 0.5  # most of them came during a call


def test_a_function_works_after_an_interrupt_of_its_very_first_call():
    program = """
import json, signal, numpy as np, theano, theano.tensor as T
x, w = T.dvector(), theano.shared(np.zeros(3))
f = theano.function([x], w.sum(), updates=[(w, w + x)], mode=theano.Mode("xla"))
signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
signal.setitimer(signal.ITIMER_REAL, 0.1)
try:
    f(np.ones(3))
    interrupted = False
except KeyboardInterrupt:
    interrupted = True
done = w.get_value()
f(np.ones(3))
print(json.dumps([interrupted, (w.get_value() - done).tolist()]))
"""
    assert run("-c", program, seconds=60) == [True, [1, 1, 1]]


# threads


def in_threads(*targets, seconds=60):
    """Run functions at the same time; what they raised, and whether one never ended."""
    errors = []

    def guarded(target):
        try:
            target()
        except BaseException as e:
            errors.append(e)

    threads = [threading.Thread(target=guarded, args=(t,), daemon=True) for t in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds)
    assert not any(thread.is_alive() for thread in threads)
    return errors


def test_eight_threads_of_two_thousand_calls_lose_no_update():
    x = T.dscalar()
    w, counter = theano.shared(np.zeros(5)), theano.shared(0)
    f = theano.function([x], w + x, updates=[(w, w + x), (counter, counter + 1)], mode=XLA)
    seen = [set() for _ in range(8)]

    def many(mine):
        for _ in range(2000):
            (value,) = set(f(1.0).tolist())
            mine.add(value)

    assert in_threads(*[lambda mine=mine: many(mine) for mine in seen]) == []
    assert w.get_value().tolist() == [16000.0] * 5
    assert counter.get_value() == 16000
    # every call had a state of its own
    assert set.union(*seen) == set(range(1, 16001))
    assert sum(map(len, seen)) == 16000


def test_threads_on_functions_of_both_engines_that_share_variables_lose_no_update():
    a, b, c = (theano.shared(np.zeros(5)) for _ in range(3))
    functions = [
        theano.function([], updates=[(a, a + 1), (b, b + 1)], mode=XLA),
        theano.function([], updates=[(b, b + 1), (c, c + 1)], mode=XLA),
        theano.function([], updates=[(c, c + 1), (a, a + 1)], mode=NUMPY),
        theano.function([], [a, b, c], updates=[(c, c + 1), (b, b + 1), (a, a + 1)], mode=XLA),
    ]
    calls = [lambda f=f: [f() for _ in range(500)] for f in functions]
    assert in_threads(*calls) == []
    assert [set(v.get_value()) for v in (a, b, c)] == [{1500.0}] * 3


def test_values_are_read_and_set_whole_while_other_threads_call():
    w = theano.shared(np.zeros((200, 200)))
    f = theano.function([], w.sum(), updates=[(w, w + 1)], mode=XLA)
    torn = []
    over = threading.Event()

    def read():
        while not over.is_set():
            value = w.get_value()
            if value.min() != value.max():
                torn.append(value)

    def write():
        for k in range(300):
            w.set_value(np.full((200, 200), 1000.0 * k))

    def call():
        for _ in range(1000):
            if f() % 40000:
                torn.append("a sum of different numbers")
        over.set()

    assert in_threads(read, read, write, call) == []
    assert torn == []


def test_threads_that_make_the_first_call_at_once_get_right_results():
    x = T.dvector()
    w = theano.shared(0.0)
    f = theano.function([x], T.exp(x - x) * x, updates=[(w, w + x.sum())], mode=XLA)
    start = threading.Barrier(8)
    right = []

    def call(n):
        start.wait()
        right.append((f(np.arange(n)) == np.arange(n)).all())

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert in_threads(*[lambda n=n: call(n) for n in (2, 3, 4, 5) * 2]) == []
    assert right == [True] * 8
    assert said == []
    assert w.get_value() == 2 * (1 + 3 + 6 + 10)


def test_functions_called_inside_a_perform_do_not_wait_for_each_other():
    w = theano.shared(np.zeros(3))
    inner = theano.function([], w.sum(), updates=[(w, w + 1)], mode=XLA)

    class Calls(Refuses):
        def perform(self, node, inputs, output_storage):
            inner()
            output_storage[0][0] = inputs[0] + 0

    x, v = T.dvector(), theano.shared(np.zeros(3))
    outer = theano.function([x], Calls()(x) + w, updates=[(v, v + x)], mode=XLA)
    assert (
        in_threads(
            lambda: [outer(np.ones(3)) for _ in range(300)],
            lambda: [inner() for _ in range(300)],
            seconds=5,
        )
        == []
    )
    assert w.get_value().tolist() == [600, 600, 600]


# fork

_FORKED = """
import json, os, signal, sys, threading, time, warnings
import numpy as np, theano, theano.tensor as T
x, w = T.dvector(), theano.shared(np.zeros(50000))
f = theano.function([x], w.sum(), updates=[(w, w + x)], mode=theano.Mode("xla"))
g = theano.function([x], T.exp(x).sum() + w[0], mode=theano.Mode("xla"))
a = np.ones(50000)
f(a), g(a)
over = threading.Event()
def train():
    while not over.is_set():
        f(a)
if "busy" in sys.argv:
    threading.Thread(target=train, daemon=True).start()
answers = []
for _ in range(5):
    time.sleep(0.01)
    out, into = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(4)
        started = time.perf_counter()
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            was = w.get_value()
            sums = [float(f(a)), float(f(a))]
            more = float(g(np.zeros(50000)))
            new = theano.function([x], x * 2, mode=theano.Mode("xla"))(a)
            now = w.get_value()
        answer = {
            "whole": len(set(was)),
            "sums": [s / 50000 - was[0] for s in sums],
            "more": more - 50000 - was[0],
            "new": set(new) == {2.0},
            "added": [float(v) for v in set(now - was)],
            "warnings": [s.category.__name__ for s in said],
            "seconds": time.perf_counter() - started,
        }
        os.write(into, json.dumps(answer).encode())
        os._exit(0)
    os.close(into)
    os.waitpid(pid, 0)
    answers.append(json.loads(os.read(out, 10000) or "null"))
over.set()
before = w.get_value()
f(a)
print(json.dumps([answers, float((w.get_value() - before).sum())]))
"""


@pytest.mark.parametrize(
    "when",
    [
        "idle",
        "busy",
    ],
)
def test_a_forked_child_answers_with_one_warning(when):
    answers, added = run("-c", _FORKED, when, seconds=90)
    for answer in answers:
        assert answer is not None
        assert answer.pop("seconds") < 20  # a child that waits for a lock ends by the limit of 90
        assert answer == {
            "whole": 1,
            "sums": [0, 1],
            "more": 2,
            "new": True,
            "added": [2],
            "warnings": ["RuntimeWarning"],
        }
    if when == "idle":
        assert added == 50000  # what children do is theirs


# the user's own jax


class Looks(Refuses):
    """x, after a look at what jax makes of a Python float."""

    def perform(self, node, inputs, output_storage):
        super().perform(node, inputs, output_storage)
        FOUND.append(default_float())


FOUND = []


def test_the_users_own_jax_code_sees_float32_before_between_inside_and_after_calls():
    jax = pytest.importorskip("jax")
    FOUND.clear()
    x = T.dvector()
    w = theano.shared(np.zeros(3))
    f = theano.function(
        [x], T.exp(Looks()(T.tanh(x))).sum(), updates=[(w, Looks()(w + x))], mode=XLA
    )
    assert default_float() == "float32"
    for _ in range(2):
        assert f(np.ones(3)).dtype == np.float64
        assert default_float() == "float32"
    with pytest.raises(ArithmeticError):
        f(-np.ones(3))
    assert default_float() == "float32"
    assert jax.config.jax_enable_x64 is False
    assert w.get_value().dtype == np.float64
    assert len(FOUND) >= 4 and set(FOUND) == {"float32"}


def test_the_users_own_jax_code_in_another_thread_sees_float32():
    x = T.dmatrix()
    f = theano.function([x], T.dot(x, x).sum(), mode=XLA)
    over = threading.Event()
    found = set()

    def look():
        while not over.is_set():
            found.add(default_float())

    def call():
        for n in range(1, 4):
            for _ in range(50):
                f(np.ones((n, n)))
        over.set()

    assert in_threads(look, call) == []
    assert found == {"float32"}


def test_a_function_inside_the_users_own_64_bit_block_leaves_the_block_as_it_is():
    jax = pytest.importorskip("jax")
    x = T.dvector()
    f = theano.function([x], x + 1, mode=XLA)
    with jax.enable_x64(True):
        f(np.ones(3))
        assert default_float() == "float64"
    assert default_float() == "float32"
    with jax.enable_x64(False):
        assert f(np.full(2, 1 / 3)).tolist() == [1 + 1 / 3] * 2
        assert default_float() == "float32"


def test_a_compiled_function_can_be_used_while_the_users_jax_code_is_traced():
    jax = pytest.importorskip("jax")
    x = T.dvector()
    f = theano.function([x], T.exp(x).sum(), mode=XLA)

    @jax.jit
    def users(y):
        return y * float(f(np.zeros(3)))

    out = users(np.float32(2))
    assert (out, str(out.dtype)) == (6.0, "float32")
