"""The native engine in the default mode: when it takes over, and that only the clock shows it.

THEANO_TEST_NATIVE=all makes as many interrupts as are promised.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.engines.native.common import (
    as_list,
    bits,
    finishes,
    in_threads,
    needs_compiler,
    turns_beside,
)
from theano._src.engines.choice import host as hosts
from theano.tensor.shared_randomstreams import RandomStreams

pytestmark = needs_compiler
x, y = T.dvector("x"), T.dvector("y")
ALL = os.environ.get("THEANO_TEST_NATIVE") == "all"
INTERRUPTS, SECONDS = (10_000, 600) if ALL else (2000, 60)


@pytest.fixture
def soon(monkeypatch):
    """Compile after two calls, however short they are, and whatever is measured."""
    monkeypatch.setattr(hosts, "_NO_WORSE", float("inf"))
    for price in ("_LOADING", "_PROGRAM", "_NODE", "_BY_C"):
        monkeypatch.setattr(hosts, price, 0.0)


def value(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape)


def become_native(f, *values):
    """Call a function until machine code has taken over."""
    for _ in range(8):
        f(*values)
    hosts.finish()
    for _ in range(8):
        f(*values)
    assert f.fn.host.is_native, f.fn.host.why
    hosts.finish()


def is_machine_code(f):
    """Whether machine code stands for the call of a function, with no Python before it."""
    return type(f.__dict__["_call"]).__name__ == "builtin_function_or_method"


def model():
    return T.exp(-T.sqr(x - 1)).sum() * T.tanh(y[1:]).sum()


@pytest.mark.usefixtures("soon")
class TestFunctions:
    def test_a_function_called_often_runs_as_machine_code_with_the_same_bits(self):
        cost = model()
        outputs = [cost, *T.grad(cost, [x, y])]
        f = theano.function([x, y], outputs)
        g = theano.function([x, y], outputs, mode=theano.Mode("numpy"))
        become_native(f, value(5), value(6))
        for n in (0, 1, 5, 100, 700, 5000):
            want = list(map(bits, g(value(n), value(n + 1))))
            for _ in range(8):  # longer arrays are measured anew
                assert list(map(bits, f(value(n), value(n + 1)))) == want

    def test_arguments_are_given_in_every_way(self):
        f = theano.function([x, theano.In(y, value=value(3, seed=1))], x * y + 1, name="f")
        become_native(f, value(3), value(3))
        assert is_machine_code(f)
        want = value(3) * value(3, seed=1) + 1
        given = [
            f(value(3)),
            f(x=value(3)),
            f(value(3), y=value(3, seed=1)),
            f(value(3).tolist()),
            f(np.repeat(value(3), 2)[::2]),
            f(np.asarray(value(3), order="F")),
        ]
        assert {bits(each) for each in given} == {bits(want)}
        assert f(np.arange(3, dtype="float32"), np.ones(3)).dtype == "float64"
        for bad in ([], [value(3), value(3), value(3)], [value(3, 3)]):
            with pytest.raises(TypeError, match="f"):
                f(*bad)
        with pytest.raises(TypeError, match="z"):
            f(value(3), z=1)

    @pytest.mark.parametrize(
        ("dtype", "numbers"),
        [
            ("float64", [-0.0, np.nan, np.float64(2.5), 3, -(2**53) - 1, 2**62 + 1]),
            ("float32", [np.float32(2.5)]),
            ("float16", [np.float16(2.5)]),
            ("complex128", [2 - 1j, np.complex128(1j)]),
            ("int64", [0, -1, 2**63 - 1, -(2**63), np.int64(3)]),
            ("int8", [127, -128, np.int8(3)]),
            ("uint32", [0, 2**32 - 1, np.uint32(7)]),
            ("bool", [np.True_]),
        ],
    )
    def test_numbers_need_no_python(self, dtype, numbers):
        a = T.scalar("a", dtype=dtype)
        f = theano.function([x, a], [x + 1, a + a if dtype != "bool" else ~a])
        become_native(f, value(3), np.ones((), dtype))
        assert is_machine_code(f)
        general = f.fn.host.native.general
        was, general[:] = general[:], [pytest.fail]
        results = [list(map(bits, f(value(3), number))) for number in numbers]
        general[:] = was
        for result, number in zip(results, numbers, strict=True):
            own = np.asarray(number, dtype)
            assert result[1] == bits(np.add(own, own) if dtype != "bool" else ~own), number

    @pytest.mark.parametrize(
        ("dtype", "numbers"),
        [
            ("int8", [128, -129, 1.5]),
            ("uint32", [-1, 2**32]),
            ("int64", [2**63, -(2**63) - 1, 1.5, "1", None, [1, 2]]),
            ("float64", ["1", None, [1.0, 2.0], 1j]),
        ],
    )
    def test_numbers_that_do_not_fit_are_errors(self, dtype, numbers):
        a = T.scalar("a", dtype=dtype)
        f = theano.function([x, a], x * a)
        become_native(f, value(3), np.ones((), dtype))
        assert is_machine_code(f)
        for number in numbers:
            with pytest.raises((TypeError, OverflowError)) as error:
                f(value(3), number)
            with pytest.raises(error.type):
                theano.function([x, a], x * a)(value(3), number)

    def test_a_strict_input_takes_no_number(self):
        a = T.dscalar("a")
        f = theano.function([x, theano.In(a, strict=True)], x * a)
        become_native(f, value(3), np.asarray(2.0))
        for number in (2.0, np.float64(2.0)):
            with pytest.raises(TypeError, match="strict"):
                f(value(3), number)

    @pytest.mark.parametrize(
        "outputs",
        [x + y, [x + y], [x + y, x * y], {"a": x + y, "b": x}, [], None],
        ids=["one", "list of one", "two", "dict", "empty", "none"],
    )
    def test_outputs_come_in_every_form(self, outputs):
        w = theano.shared(value(3))
        empty = outputs is None or (isinstance(outputs, list) and not outputs)
        updates = [(w, w + 1)] if empty else []
        f = theano.function([x, y], outputs, updates=updates, on_unused_input="ignore")
        want = f(value(3), value(3, seed=1))
        become_native(f, value(3), value(3, seed=1))
        got = f(value(3), value(3, seed=1))
        assert type(got) is type(want)
        if isinstance(want, dict):
            got, want = [got[k] for k in want], list(want.values())
        if want is not None:
            assert list(map(bits, as_list(got))) == list(map(bits, as_list(want)))

    def test_an_error_is_the_one_of_numpy(self):
        f = theano.function([x, y], x + y)
        g = theano.function([x, y], x + y, mode=theano.Mode("numpy"))
        become_native(f, value(3), value(3))
        texts = []
        for each in (f, g):
            with pytest.raises(ValueError) as error:
                each(value(3), value(4))
            texts.append(str(error.value).partition("Backtrace")[0])
        assert texts[0] == texts[1]
        assert bits(f(value(4), value(4))) == bits(value(4) + value(4))

    def test_attributes_that_are_set_keep_their_meaning(self):
        f = theano.function([x], x + 1)
        become_native(f, value(3))
        f.trust_input = True
        for _ in range(3):
            assert bits(f(value(3))) == bits(value(3) + 1)
        assert is_machine_code(f)

    def test_functions_with_side_effects_stay_on_numpy(self):
        f = theano.function([x], theano.printing.Print("x", attrs=("shape",))(x) + 1)
        for _ in range(16):
            f(value(3))
        hosts.finish()
        assert f.fn.host.refused and "no native form" in f.fn.host.why

    def test_a_python_without_the_interpreters_lock_stays_on_numpy(self, monkeypatch):
        monkeypatch.setattr(sys, "_is_gil_enabled", lambda: False, raising=False)
        f = theano.function([x], x + 1)
        for _ in range(16):
            assert f(np.ones(3)).tolist() == [2, 2, 2]
        hosts.finish()
        assert f.fn.host.refused
        assert "without the interpreter's lock" in theano.printing.explain(f, file="str")
        g = theano.function([x], x + 1, mode=theano.Mode("native"))
        assert g(np.ones(1)) == 2 and "without the interpreter's lock" in g.fn.why

    def test_the_engine_can_be_turned_off(self):
        with theano.config.change_flags(native__enabled=False):
            f = theano.function([x], x + 1)
        for _ in range(16):
            f(value(3))
        assert f.fn.host.refused and "native.enabled" in theano.printing.explain(f, file="str")

    def test_xla_waits_until_machine_code_is_optimised(self, monkeypatch):
        optimise = hosts.Host._optimise
        monkeypatch.setattr(hosts.Host, "_optimise", lambda host: None)
        monkeypatch.setattr(hosts, "_MOMENT", float("inf"))
        f = theano.function([x], T.exp(x) + 1)
        become_native(f, value(3))
        host = f.fn.host
        assert host.is_coming != host.is_optimised  # the C compiler optimises at once
        optimise(host)
        assert host.is_optimised and not host.is_coming

    def test_functions_that_draw_from_a_stream_run_as_machine_code(self):
        drawn = RandomStreams(1).uniform((3,))
        f = theano.function([x], x * drawn + 1)
        g = theano.function([x], x * RandomStreams(1).uniform((3,)) + 1, mode=theano.Mode("numpy"))
        for _ in range(2):
            assert bits(f(value(3))) == bits(g(value(3)))
        before = [g(value(3)) for _ in range(16)]
        become_native(f, value(3))
        assert len(before) == 16 and bits(f(value(3))) == bits(g(value(3)))
        assert "RandomFunction" in theano.printing.explain(f, file="str")

    def test_explain_says_what_runs(self):
        f = theano.function([x], T.exp(x) + T.sort(x))
        become_native(f, value(3))
        text = theano.printing.explain(f, file="str")
        assert text.startswith("Runs as machine code")
        assert "on host  SortOp" in text

    def test_profiles_and_guards_see_every_node(self):
        f = theano.function([x], T.log(x), mode=theano.compile.nanguardmode.NanGuardMode())
        for _ in range(16):
            f(np.ones(3))
        with pytest.raises(AssertionError):
            f(np.array([1.0, -1.0]))

    def test_the_threads_of_blas_matter_to_products_and_to_nodes_that_are_called_back(self):
        m = T.dmatrix("m")
        outputs = T.exp(m).sum(), T.dot(m, m), T.nlinalg.matrix_inverse(m)
        programs = []
        for out in outputs:
            f = theano.function([m], out)
            become_native(f, np.eye(3) + 0.1)
            programs.append(f.fn.host.native.uses_blas)
        assert programs == [False, True, True]

    def test_a_second_function_of_the_same_variables_has_its_own_program(self):
        w = theano.shared(value(3))
        f = theano.function([x], w * x)
        g = theano.function([x], [], updates=[(w, w + x)])
        become_native(f, np.ones(3))
        become_native(g, np.zeros(3))
        assert is_machine_code(f) and is_machine_code(g)
        g(np.ones(3))
        assert bits(f(np.ones(3))) == bits(value(3) + 1)
        w.set_value(value(3, seed=5))
        assert bits(f(np.ones(3))) == bits(value(3, seed=5))


@pytest.mark.usefixtures("soon")
class TestState:
    def test_threads_lose_no_update(self):
        count = theano.shared(0)
        f = theano.function([], [], updates=[(count, count + 1)])
        become_native(f)
        before = count.get_value()

        def work():
            for _ in range(10_000):
                f()

        in_threads(*[work] * 8)
        assert count.get_value() - before == 80_000

    def test_threads_lose_no_update_of_other_functions(self):
        """Those of the numpy engine release the interpreter's lock and write in place."""
        w = theano.shared(np.zeros((20, 20)))
        one = theano.shared(np.eye(20))
        f = theano.function([], [], updates=[(w, w + 1)])
        g = theano.function([], [], updates=[(w, T.dot(w, one) + 1)], mode=theano.Mode("numpy"))
        become_native(f)
        assert is_machine_code(f)
        w.set_value(np.zeros((20, 20)))

        def work(h):
            for _ in range(500):
                h()

        in_threads(*[partial(work, h) for h in (f, g, f, g)])
        assert (w.get_value() == 2000).all()

    def test_a_call_waits_for_who_has_the_lock_of_its_variables(self):
        w = theano.shared(0.0)
        f = theano.function([], w, updates=[(w, w + 1)])
        become_native(f)
        before = f.fn.host.native.state.taken
        f()
        assert f.fn.host.native.state.taken == before + 1
        over = []
        with w.container.storage.lock:
            value = w.get_value()
            thread = threading.Thread(target=lambda: over.append(f()))
            thread.start()
            time.sleep(0.05)
            assert not over and w.get_value() == value
        thread.join()
        assert over == [value]

    @pytest.mark.xla
    @pytest.mark.parametrize("updates", [False, True])
    def test_values_that_xla_has_left_on_its_device_are_brought_over_once(self, updates):
        pytest.importorskip("jax")
        w = theano.shared(np.arange(3.0))
        f = theano.function([x], w * x, updates=[(w, w + 1)] if updates else [])
        become_native(f, np.ones(3))
        w.set_value(np.arange(3.0))
        theano.function([], w.sum(), mode=theano.Mode("xla"))()
        assert type(w.container.storage[0]) is not np.ndarray
        taken = f.fn.host.native.state.taken
        for k in range(3):
            assert f(np.ones(3)).tolist() == (np.arange(3.0) + k * updates).tolist()
        assert f.fn.host.native.state.taken == taken + 3

    def test_variables_that_later_functions_use_together_are_locked_together(self):
        w, v = theano.shared(1.0), theano.shared(2.0)
        f = theano.function([], w * 2, updates=[(w, w + 1)])
        become_native(f)
        w.set_value(1.0)
        theano.function([], w + v)()
        assert [f(), f()] == [2, 4] and w.get_value() == 3

    def test_long_loops_keep_the_interpreters_lock_where_variables_are_shared(self):
        w = theano.shared(np.zeros(3))
        f = theano.function([x], T.exp(x).sum() + w.sum(), updates=[(w, w + 1)])
        become_native(f, np.zeros(3))
        state = f.fn.host.native.state
        state.run_limits.open()
        f.fn.host.allow([10**9] * 2, lambda lengths: True)
        assert is_machine_code(f)
        given = np.zeros(15_000_000)
        for _ in range(3):
            f(given)  # kernels are optimised
            hosts.finish()
        taken = state.taken
        turns = turns_beside(lambda: f(given))
        assert state.taken == taken + 1
        assert turns < 20  # without the lock there are hundreds

    def test_threads_with_long_arrays_get_their_own_results(self):
        f = theano.function([x], T.exp(x).sum() + T.sqr(x - 1))
        given = [value(200_000 + k, seed=k) for k in range(4)]
        want = [bits(f(v)) for v in given]
        become_native(f, given[0])
        wrong = []

        def work(k):
            for _ in range(25):
                if bits(f(given[k])) != want[k]:
                    wrong.append(k)

        in_threads(*[partial(work, k) for k in range(4)])
        assert not wrong

    def test_failing_calls_change_nothing(self):
        w = theano.shared(value(3))
        i = T.lscalar("i")
        f = theano.function([x, i], w[i], updates=[(w, w + x)])
        become_native(f, np.zeros(3), 0)
        kept = bits(w.get_value())
        for k in range(2000):
            with pytest.raises((ValueError, IndexError)):
                f(np.ones(4), 0) if k % 2 else f(np.ones(3), 3)
        assert bits(w.get_value()) == kept
        assert f.fn.host.is_native
        f(np.ones(3), 0)
        assert bits(w.get_value()) == bits(value(3) + 1)

    def test_interrupts_leave_whole_updates(self):
        a, b = theano.shared(np.zeros(50)), theano.shared(np.zeros(50))
        f = theano.function([], a.sum(), updates=[(a, a + 1), (b, b + 1)])
        become_native(f)
        caught = 0
        old = signal.signal(signal.SIGALRM, signal.default_int_handler)
        try:
            end = time.monotonic() + SECONDS
            while caught < INTERRUPTS and time.monotonic() < end:
                try:
                    signal.setitimer(signal.ITIMER_REAL, 1e-4)
                    while True:
                        f()
                except KeyboardInterrupt:
                    caught += 1
                assert bits(a.get_value()) == bits(b.get_value())
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, old)
        assert caught > (INTERRUPTS - 1 if ALL else 200)
        assert f.fn.host.is_native


def test_long_calls_let_other_threads_run():
    f = theano.function([x], T.exp(T.sin(x)) ** 3.3, mode=theano.Mode("native"))
    given = value(2_000_000)
    assert finishes(f, given)[0]
    # with the lock held another thread would have one turn between two calls
    assert turns_beside(lambda: [f(given) for _ in range(3)]) > 20


PROGRAM = """
import sys, numpy as np, theano, theano.tensor as T
assert "llvmlite" not in sys.modules
x = T.dvector()
f = theano.function([x], T.exp(x).sum())
"""


def run(text, **flags):
    env = {**os.environ, "THEANO_FLAGS": ",".join(f"{k}={v}" for k, v in flags.items())}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM + text], env=env, capture_output=True, text=True, timeout=120
    )


def test_a_few_calls_load_no_compiler():
    done = run("for _ in range(7): f([1.0])\nassert 'llvmlite' not in sys.modules")
    assert done.returncode == 0, done.stderr


def test_a_process_ends_while_a_program_is_compiled():
    done = run("for _ in range(20000): f(np.ones(9))\nprint('end')")
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")


def test_a_forked_process_goes_on():
    done = run(
        "import os\nfor _ in range(20000): f(np.ones(9))\n"
        "pid = os.fork()\n"
        "for _ in range(5000): assert f(np.zeros(3)) == 3\n"
        "if pid: print(os.waitpid(pid, 0)[1])\n"
        "else: os._exit(0)"
    )
    assert done.returncode == 0 and done.stdout == "0\n", done.stderr


def test_a_program_takes_little_memory():
    done = run(
        "from theano._src.engines.choice import host\n"
        "host._LOADING = host._PROGRAM = host._NODE = host._BY_C = 0.0\n"
        "host._NO_WORSE = float('inf')\n"
        "functions, sizes = [], []\n"
        "for k in range(31):\n"
        "    y = x\n"
        "    for i in range(3): y = T.exp(-y * (k + i)) + x\n"
        "    f = theano.function([x], [y.sum(), T.grad(y.sum(), x)])\n"
        "    for _ in range(8): f(np.ones(5))\n"
        "    host.finish()\n"
        "    for _ in range(8): f(np.ones(5))\n"
        "    assert f.fn.host.is_native, f.fn.host.why\n"
        "    functions.append(f)\n"
        "    sizes.append(int(open('/proc/self/statm').read().split()[1]) * 4096e-6)\n"
        "print((sizes[-1] - sizes[10]) / 20)"
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 2.5  # megabytes; one loader for each took 3 and more
