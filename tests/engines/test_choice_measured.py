"""The rule by which keys move when calls are timed, on simulated machines: no engine runs."""

from collections import OrderedDict
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from theano._src.engines.blas_threads import BlasThreads
from theano._src.engines.choice.estimate import Estimate
from theano._src.engines.choice.policy import CompilePolicy, Decision
from theano._src.engines.measured_rates import MeasuredRates

AIM = 2.2


@dataclass(frozen=True)
class Costs:
    """What calls of a key really take, and what is estimated of it."""

    numpy: float
    xla: float
    compiling: float
    #: how many times too low the estimates are: of NumPy's calls and of XLA's
    numpy_off: float = 1.0
    xla_off: float = 1.0
    blas: float = 0.0
    #: how many times as long calls of XLA take after others, and how many of them
    cold: float = 1.0
    cold_calls: int = 0

    @property
    def estimate(self):
        numpy = self.numpy / self.numpy_off
        xla = self.xla / self.xla_off
        return Estimate(numpy, xla, self.compiling, (), self.blas * numpy)


class Machine:
    """Runs calls by the rule: adds up what they take, with noise, and says where they went.

    With ``aside`` a thread compiles: calls go on meanwhile, each as long as it would be.
    """

    def __init__(self, costs, noise=0.0, room=32, seed=0, threads=None, aside=False):
        self.costs = dict(costs)
        self.aside, self.threads_compile = aside, []
        self.noise, self.random = noise, np.random.default_rng(seed)
        self.threads = threads or BlasThreads(lambda: self.total, lambda: [])
        CompilePolicy.waited = 0.0
        self.policy = CompilePolicy(
            lambda: 0.0, lambda: room, MeasuredRates(), self.threads, lambda record: aside
        )
        self.total, self.compiled, self.went = 0.0, [], []
        self.in_a_row = 0

    def seconds(self, key, on_xla):
        cost = self.costs[key]
        took = cost.xla if on_xla else cost.numpy
        self.in_a_row = self.in_a_row + 1 if on_xla else 0
        if 0 < self.in_a_row <= cost.cold_calls:
            took *= cost.cold
        if self.noise:
            took *= float(np.exp(abs(self.random.normal()) * self.noise))
            if self.random.random() < 0.05 * self.noise:
                took *= 20  # something else had the processor
        return took

    def call(self, key):
        policy = self.policy
        for compilation, end in self.threads_compile:
            compilation.over = self.total >= end
        decision = policy.decide(key)
        on_xla = decision in (Decision.XLA, Decision.TIME_XLA)
        record = policy.records[key]
        if on_xla and record.fresh and self.aside:
            self.compiled.append(key)
            end = self.total + self.costs[key].compiling
            self.threads_compile.append((policy.compile_aside(key), end))
            on_xla = False
        elif on_xla and record.fresh:
            self.compiled.append(key)
            self.total += self.costs[key].compiling
            policy.took_to_compile(key, self.costs[key].compiling)
            policy.program_is_ready(key)
        took = self.seconds(key, on_xla)
        self.total += took
        self.went.append(on_xla)
        if decision is Decision.COUNT:
            policy.estimated(key, self.costs[key].estimate)
        elif decision in (Decision.TIME_NUMPY, Decision.TIME_XLA):
            policy.timed(key, on_xla, took)
        return took

    def calls(self, keys):
        for key in keys:
            self.call(key)
        return self

    def share_on_xla(self, last=100):
        return sum(self.went[-last:]) / last


def better(costs, keys, room=32):
    """What the better engine takes for a sequence of calls, compiling included."""
    on_numpy = sum(costs[key].numpy for key in keys)
    on_xla, held = 0.0, OrderedDict()
    for key in keys:
        if key not in held:
            on_xla += costs[key].compiling
            held[key] = None
            if len(held) > room:
                held.popitem(last=False)
        held.move_to_end(key)
        on_xla += costs[key].xla
    return min(on_numpy, on_xla)


FASTER = Costs(1e-3, 1e-4, 0.1)
SLOWER = Costs(1e-3, 5e-3, 0.1)


def test_a_key_that_xla_does_faster_moves_once_it_has_paid():
    machine = Machine({0: FASTER}).calls([0] * 2000)
    assert machine.compiled == [0]
    assert machine.share_on_xla() > 0.9
    assert machine.total < AIM * better({0: FASTER}, [0] * 2000)


def test_a_key_that_xla_does_slower_is_never_compiled():
    assert Machine({0: SLOWER}, noise=0.3).calls([0] * 20_000).compiled == []


@pytest.mark.parametrize("off", [1 / 16, 1 / 4, 4, 16])
def test_estimates_of_both_that_are_off_alike_cost_no_more_than_the_aim(off):
    cost = replace(FASTER, numpy_off=off, xla_off=off)
    for number in (10, 30, 100, 300, 1000, 10_000):
        machine = Machine({0: cost}).calls([0] * number)
        assert machine.total <= AIM * better({0: cost}, [0] * number), number


def test_a_call_that_takes_many_times_its_estimate_moves_though_estimates_say_no():
    # threads of BLAS wait for each other: NumPy alone is slow
    cost = Costs(30e-3, 2e-3, 0.5, numpy_off=25, blas=0.9)
    assert cost.estimate.gain == 0
    machine = Machine({0: cost}).calls([0] * 300)
    assert machine.compiled == [0]
    assert machine.share_on_xla() > 0.9


def test_what_makes_both_engines_slow_moves_nothing():
    cost = Costs(30e-3, 60e-3, 0.5, numpy_off=25, xla_off=25)
    assert Machine({0: cost}).calls([0] * 3000).compiled == []


def test_a_key_that_turns_out_slower_on_xla_goes_back():
    cost = Costs(1e-3, 4e-3, 0.1, xla_off=16)
    machine = Machine({0: cost}, noise=0.1).calls([0] * 3000)
    assert machine.compiled == [0]
    assert machine.share_on_xla(500) < 0.1
    assert machine.policy.records[0].why == "was measured to be faster there"


def test_long_calls_that_turn_out_much_slower_on_xla_go_back_after_five():
    costs = {"a": Costs(numpy=0.5, xla=2.0, compiling=2.0, xla_off=16.0)}
    machine = Machine(costs, aside=True).calls("a" * 40)
    assert machine.compiled == ["a"]
    assert sum(machine.went) == 5 and machine.share_on_xla(last=20) == 0


def test_a_key_that_is_thought_to_be_no_faster_is_tried_if_a_thread_compiles():
    cost = Costs(1e-3, 0.6e-3, 0.3, xla_off=0.5)
    assert cost.estimate.gain == 0
    machine = Machine({0: cost}, noise=0.1, aside=True).calls([0] * 2000)
    assert machine.compiled == [0]
    assert machine.share_on_xla() > 0.9
    assert Machine({0: cost}, noise=0.1).calls([0] * 2000).compiled == []
    assert Machine({0: cost}, aside=True).calls([0] * 500).compiled == []


def test_a_trial_that_shows_xla_to_be_slower_takes_a_moment_and_is_the_last_for_long():
    cost = Costs(1e-3, 3e-3, 0.3)
    machine = Machine({0: cost}, noise=0.1, aside=True).calls([0] * 20_000)
    assert machine.compiled == [0]
    assert sum(machine.went[:1000]) * cost.xla < 0.06
    assert sum(machine.went) * cost.xla < 0.1 * len(machine.went) * cost.numpy


def test_what_is_thought_to_be_much_slower_is_not_tried():
    assert Machine({0: SLOWER}, aside=True).calls([0] * 20_000).compiled == []


def test_an_engine_that_turns_slow_is_left_and_taken_up_again_when_it_recovers():
    machine = Machine({0: FASTER}, noise=0.1).calls([0] * 1000)
    assert machine.share_on_xla() > 0.9
    machine.costs[0] = replace(FASTER, xla=5e-3)
    machine.calls([0] * 10_000)
    assert machine.share_on_xla(500) < 0.2
    machine.costs[0] = FASTER
    machine.calls([0] * 40_000)
    assert machine.share_on_xla(500) > 0.8


def test_an_engine_is_judged_by_what_it_takes_when_it_is_warm():
    costs = Costs(4e-4, 3e-4, 0.1, numpy_off=1.0, xla_off=0.5, cold=1.6, cold_calls=40)
    machine = Machine({0: costs}, aside=True).calls([0] * 30_000)
    assert machine.share_on_xla(1000) > 0.9


def test_looking_at_the_other_engine_takes_a_twentieth_of_the_time():
    costs = Costs(3e-4, 6e-4, 0.1)
    machine = Machine({0: costs}, aside=True).calls([0] * 60_000)
    assert machine.compiled == [0]
    assert sum(machine.went) * costs.xla < 0.06 * machine.total


@pytest.mark.parametrize("seed", range(20))
def test_spikes_move_nothing(seed):
    cost = Costs(1e-3, 0.95e-3, 0.3)
    machine = Machine({0: cost}, noise=0.5, seed=seed).calls([0] * 5000)
    assert machine.compiled == []


@pytest.mark.parametrize("seed", range(5))
def test_two_runs_under_noise_compile_at_about_the_same_call(seed):
    moved = []
    for run in range(2):
        machine = Machine({0: FASTER}, noise=0.3, seed=seed + 100 * run).calls([0] * 1000)
        moved.append(machine.went.index(True))
    assert max(moved) <= 1.5 * min(moved)


def test_few_calls_are_timed_and_few_go_to_the_slower_engine():
    machine = Machine({0: FASTER})
    decisions = []
    decide = machine.policy.decide
    machine.policy.decide = lambda key: decisions.append(decide(key)) or decisions[-1]
    machine.calls([0] * 100_000)
    timed = sum(d in (Decision.TIME_NUMPY, Decision.TIME_XLA) for d in decisions)
    assert timed < 500
    after = machine.went[machine.went.index(True) :]
    assert after.count(False) * FASTER.numpy < 0.06 * len(after) * FASTER.xla


class Library:
    """A BLAS whose calls take longer with several threads while the machine is busy."""

    def __init__(self, threads=2):
        self.threads = threads

    def get_num_threads(self):
        return self.threads

    def set_num_threads(self, number):
        self.threads = number


class BusyMachine(Machine):
    """A machine whose BLAS has threads that wait for each other while it is busy."""

    def __init__(self, costs, busy=True, monkeypatch=None):
        self.library, self.busy = Library(), busy
        threads = BlasThreads(lambda: self.total, lambda: [self.library])
        super().__init__(costs, threads=threads)

    def seconds(self, key, on_xla):
        took = super().seconds(key, on_xla)
        if on_xla:
            return took
        with self.threads:
            alone = self.library.threads == 1
        return took * ((2 if alone else 10) if self.busy else (1.8 if alone else 1))


@pytest.fixture
def two_processors(monkeypatch):
    monkeypatch.setattr("theano._src.engines.blas_threads.allowed_threads", lambda: 2)
    monkeypatch.setattr("theano._src.engines.blas_threads.asked_threads", lambda: None)
    monkeypatch.setattr("theano._src.engines.blas_threads.crowding", lambda: 1.0)


PRODUCT = Costs(5e-3, 6e-3, 1.0, blas=1.0)


def test_threads_that_wait_for_each_other_are_replaced_by_one(two_processors):
    machine = BusyMachine({0: PRODUCT}).calls([0] * 200)
    assert (machine.threads.now, machine.library.threads) == (1, 2)  # the user's are as they were
    assert machine.total < 200 * 3 * PRODUCT.numpy


def test_all_threads_come_back_when_the_machine_is_quiet_again(two_processors):
    machine = BusyMachine({0: PRODUCT}).calls([0] * 200)
    machine.busy = False
    machine.calls([0] * 20_000)
    assert machine.threads.now == 2


def test_a_quiet_machine_keeps_its_threads(two_processors):
    machine = BusyMachine({0: PRODUCT}, busy=False)
    seen = set()
    for _ in range(5000):
        machine.call(0)
        seen.add(machine.threads.now)
    assert 1 not in seen


def test_calls_begin_with_one_thread_where_all_processors_are_busy(two_processors, monkeypatch):
    """U2: the first calls of an LSTM took 1 s each beside three processes, and 20 ms alone."""
    monkeypatch.setattr("theano._src.engines.blas_threads.crowding", lambda: 2.0)
    machine = BusyMachine({0: PRODUCT})
    machine.threads.give_way()
    machine.calls([0] * 2000)
    assert machine.threads.now == 1
    assert machine.total < 2000 * 2.3 * PRODUCT.numpy
    monkeypatch.setattr("theano._src.engines.blas_threads.crowding", lambda: 1.0)
    machine.busy = False
    machine.calls([0] * 20_000)
    assert machine.threads.now == 2


def test_a_trial_is_lost_with_its_first_slow_call(two_processors):
    machine = BusyMachine({0: PRODUCT})
    machine.threads.look()
    machine.threads._end(1)
    before = machine.total
    slow = []
    while machine.total < before + 10:
        start = machine.total
        machine.call(0)
        slow.append(machine.total - start > 5 * PRODUCT.numpy)
    assert 0 < sum(slow) <= 2  # after 4 s and after 8 more


def test_a_trial_whose_key_is_not_called_any_more_ends(two_processors):
    machine = BusyMachine({0: PRODUCT, 1: PRODUCT})
    while machine.threads.now != 1:
        machine.call(0)
    machine.total += 60
    machine.calls([1] * 300)
    assert not machine.threads.on_trial(machine.policy.records[0])


def test_blas_has_one_thread_fewer_while_a_thread_compiles(two_processors):
    """U2: threads of BLAS waited for the one that shared its processor with the compiler."""
    machine = BusyMachine({0: PRODUCT}, busy=False)
    threads, library = machine.threads, machine.library
    threads.look()
    with threads.beside_compiling():
        assert threads.limits
        with threads:
            assert library.threads == 1
        assert library.threads == 2  # the user's are as they were
    assert not threads.limits


def test_no_trial_of_threads_begins_or_goes_on_while_a_thread_compiles(two_processors):
    machine = BusyMachine({0: PRODUCT})
    while machine.threads.now != 1:
        machine.call(0)
    record = machine.policy.records[0]
    with machine.threads.beside_compiling():
        assert not machine.threads.on_trial(record)
        machine.total += 60
        assert not machine.threads.begin_trial(record, 1.0, slow=True)


def test_a_call_beside_which_a_thread_compiles_says_nothing_of_other_calls():
    machine = Machine({0: FASTER}).calls([0] * 40)
    record = machine.policy.records[0]
    typical = record.numpy.typical
    for _ in range(5):
        machine.policy.timed(0, on_xla=False, seconds=100.0, disturbed=True)
    assert record.numpy.typical == typical


def test_a_key_that_takes_nearly_twice_its_estimate_is_judged_by_what_it_takes():
    """U2: the estimate was believed, and the next check was seconds away."""
    cost = replace(FASTER, numpy=1.9e-3, compiling=2.0, numpy_off=1.9)
    machine = Machine({0: cost}).calls([0] * 5000)
    assert machine.went.index(True) * (cost.numpy - cost.xla) < 1.2 * cost.compiling


def test_a_key_is_compiled_early_if_that_is_asked_for():
    machine = Machine({0: FASTER, 1: SLOWER})
    machine.policy._early = lambda: True
    machine.calls([0, 1] * 10)
    assert machine.compiled == [0]
    assert machine.went[::2].index(True) < 5


def test_no_key_moves_before_machine_code_is_optimised():
    """What calls on NumPy lost beside busy processes had paid for XLA, which is slower."""
    cost = Costs(30e-3, 6e-4, 0.4, numpy_off=25)
    machine = Machine({0: cost})
    waits = True
    machine.policy._hold = lambda: waits
    machine.calls([0] * 100)
    machine.costs[0] = replace(cost, numpy=1e-3, numpy_off=1)
    machine.policy.becomes_native()
    machine.calls([0] * 200)
    machine.costs[0] = replace(cost, numpy=3e-4, numpy_off=1)
    waits = False
    machine.calls([0] * 2000)
    assert machine.compiled == []


def test_a_key_that_waited_moves_if_xla_is_faster_than_machine_code():
    machine = Machine({0: Costs(30e-3, 6e-4, 0.4)})
    waits = True
    machine.policy._hold = lambda: waits
    machine.calls([0] * 100)
    machine.costs[0] = Costs(3e-3, 6e-4, 0.4)
    machine.policy.becomes_native()
    machine.calls([0] * 100)
    waits = False
    machine.calls([0] * 20)
    assert machine.compiled == [0]


@st.composite
def worlds(draw):
    """Costs that differ a thousandfold, with estimates up to four times off, alike for both."""
    number = draw(st.integers(1, 8))
    costs = {}
    for key in range(number):
        compiling = draw(st.floats(0.02, 2))
        numpy = compiling * 10 ** draw(st.floats(-4, -1))
        off = 2 ** draw(st.floats(-2, 2))
        xla = numpy * 10 ** draw(st.floats(-2, 1))
        costs[key] = Costs(numpy, xla, compiling, off, off)
    seed, weight = draw(st.integers(0, 2**32)), draw(st.floats(0.3, 3))
    p = 1 / np.arange(1, number + 1) ** weight
    keys = np.random.default_rng(seed).choice(number, draw(st.integers(1, 4000)), p=p / p.sum())
    return costs, keys.tolist(), draw(st.integers(1, 10))


@pytest.mark.parametrize("aside", [False, True])
@settings(max_examples=150, deadline=None)
@given(worlds())
def test_no_sequence_takes_more_than_the_aim_times_the_better_engine(aside, drawn):
    costs, keys, room = drawn
    machine = Machine(costs, room=room, aside=aside).calls(keys)
    assert machine.total <= AIM * better(costs, keys, room)
