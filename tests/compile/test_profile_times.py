"""The times of profiles: they add up, they agree with another clock, and cost nothing unasked."""

import statistics
import time

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.compile.profiled_programs import PROGRAMS, made
from theano._src.engines.choice import background
from theano._src.engines.numpy.engine import NumpyProgram
from theano._src.engines.xla.program import DeviceProgram

ENGINES = ["numpy", "xla", "py", "cvm"]


def _by_another_clock(f, values, calls=12):
    """Seconds of calls as seen from outside, and as the profile has them, in calls and in nodes."""
    f.profile.reset()
    begun = time.perf_counter()
    for _ in range(calls):
        f(*values)
    outside = time.perf_counter() - begun
    return outside, f.profile.fct_call_time, sum(f.profile.apply_time.values())


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("engine", ["numpy", "xla"])
def test_times_agree_with_an_outside_clock(program, engine):
    f, values = made(program, theano.Mode(engine))
    f(*values)  # compiles
    f(*values)
    # other work on the machine may come between two readings: most tries have none
    tries = [_by_another_clock(f, values) for _ in range(5)]
    in_calls = statistics.median(inside / outside for outside, inside, _ in tries)
    in_nodes = statistics.median(nodes / outside for outside, _, nodes in tries)
    assert 0.8 < in_calls <= 1.0001
    assert 0.8 < in_nodes <= 1.0001


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("engine", ENGINES)
def test_shares_sum_to_the_whole(program, engine):
    f, values = made(program, theano.Mode(engine))
    for _ in range(4):
        f(*values)
    profile = f.profile
    whole = sum(profile.apply_time.values())
    assert 0 < whole <= profile.vm_call_time <= profile.fct_call_time
    for parts in (profile.class_time(), profile.op_time(), profile.line_time()):
        assert sum(parts.values()) == pytest.approx(whole)
    programs = [p for t in profile._times for p in t.programs.values()]
    for each in programs:
        assert sum(each.shares) == pytest.approx(1)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_node_is_counted_once_a_call(engine):
    x = T.dvector("x")
    f = theano.function(
        [x],
        T.dot(T.exp(x), T.tanh(x)) + x.sum(),
        mode=theano.Mode(engine),
        profile=theano.compile.ProfileStats(atexit_print=False),
    )
    for _ in range(7):
        f(np.ones(5))
    assert set(f.profile.apply_callcount) == set(f.profile.apply_time)
    assert set(f.profile.apply_callcount.values()) == {7}
    assert set(f.profile.apply_time) <= set(f.maker.fgraph.apply_nodes)
    assert all(f.profile.apply_cimpl.values())


def _far_quicker_on_xla():
    x = T.dvector("x")
    y = x
    for _ in range(8):
        y = T.switch(T.gt(y, 0), y * 0.5, y + 1)
    profile = theano.compile.ProfileStats(atexit_print=False)
    return theano.function([x], y, profile=profile, mode="FAST_RUN"), [np.linspace(-5, 5, 400_000)]


def test_the_default_mode_is_profiled_on_both_engines_as_it_runs():
    with theano.config.change_flags({"xla.background": False}):
        f, values = _far_quicker_on_xla()
        for _ in range(60):
            f(*values)
            if f.fn.xla is not None:
                break
        f(*values)
    assert {kind for row in f.profile.rows() for kind in row.kinds} == {"C", "XLA"}
    assert max(f.profile.apply_callcount.values()) == f.profile.fct_callcount
    assert f.profile.xla_time > 0


def test_what_a_thread_compiles_is_profiled_when_it_runs():
    with theano.config.change_flags({"xla.background": True}):
        f, values = _far_quicker_on_xla()
        for _ in range(60):
            f(*values)
            if f.fn.xla is not None:
                background.finish()
    assert f.fn.xla is not None
    assert "XLA" in {kind for row in f.profile.rows() for kind in row.kinds}


def test_a_slow_node_has_the_time():
    class Slow(theano.Op):
        __props__ = ()

        def make_node(self, x):
            return theano.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, output_storage):
            time.sleep(0.02)
            output_storage[0][0] = inputs[0] + 1

    x = T.dvector("x")
    for engine in ENGINES:
        profile = theano.compile.ProfileStats(atexit_print=False)
        f = theano.function(
            [x], T.exp(Slow()(T.tanh(x))), mode=theano.Mode(engine), profile=profile
        )
        f([1.0])
        f([1.0])
        row = profile.rows()[0]
        assert isinstance(row.op, Slow) and row.kinds == ("Py",)
        assert row.seconds >= 0.04 and not profile.apply_cimpl[row.node]


def test_compiling_and_measuring_are_not_part_of_calls():
    x = T.dmatrix("x")
    y = x
    for _ in range(12):
        y = T.tanh(T.dot(y, x) * 0.1)
    profile = theano.compile.ProfileStats(atexit_print=False)
    f = theano.function([x], y, mode=theano.Mode("xla"), profile=profile)
    begun = time.perf_counter()
    f(np.eye(3))
    outside = time.perf_counter() - begun
    assert profile.xla_time > 0.02
    assert profile.fct_call_time + profile.xla_time + profile.import_time <= outside
    assert profile.fct_call_time < 0.5 * outside


def test_a_call_that_fails_is_not_counted():
    x = T.dvector("x")
    for engine in ENGINES:
        profile = theano.compile.ProfileStats(atexit_print=False)
        f = theano.function([x], T.exp(x[5]), mode=theano.Mode(engine), profile=profile)
        with pytest.raises(IndexError):
            f([1.0, 2.0])
        f(np.zeros(6))
        assert profile.fct_callcount == 1
        assert max(profile.apply_callcount.values()) <= 2


def test_updates_are_stored_by_profiled_functions():
    for engine in ENGINES:
        found = []
        for profile in (False, theano.compile.ProfileStats(atexit_print=False)):
            s = theano.shared(np.arange(4.0))
            i = T.lscalar("i")
            f = theano.function(
                [i], s.sum(), updates=[(s, T.inc_subtensor(s[i], 2.0))], profile=profile,
                mode=theano.Mode(engine),
            )  # fmt: skip
            found.append([float(f(1)), float(f(2)), *s.get_value()])
        assert found[0] == found[1]


def test_flags_say_whether_nodes_are_timed_and_the_first_call_counts():
    x = T.dvector("x")
    with theano.config.change_flags({"profiling.time_thunks": False}):
        f = theano.function([x], T.exp(x), profile=theano.compile.ProfileStats(False))
    f([1.0])
    assert f.profile.fct_callcount == 1 and f.profile.apply_time == {}
    with theano.config.change_flags({"profiling.ignore_first_call": True}):
        g = theano.function([x], T.exp(x), profile=theano.compile.ProfileStats(False))
    for _ in range(3):
        g([1.0])
    assert g.profile.fct_callcount == 2
    assert list(g.profile.apply_callcount.values()) == [2]


# without a profile


@pytest.mark.parametrize("engine", ENGINES)
def test_a_function_without_a_profile_knows_no_clock(engine):
    x = T.dvector("x")
    plain, other = (
        theano.function([x], T.exp(x) * T.tanh(x), mode=theano.Mode(engine), profile=profile)
        for profile in (False, None)
    )
    values = np.ones(3)
    assert plain(values).tolist() == other(values).tolist()
    assert plain.profile is None and type(plain.fn) is type(other.fn)
    assert getattr(plain.fn, "source", "") == getattr(other.fn, "source", "")
    assert "clock" not in getattr(plain.fn, "source", "")
    if engine in ("numpy", "cvm"):
        plan = plain.fn if engine == "numpy" else plain.fn.numpy
        assert type(plan) is NumpyProgram and plan._run.__code__.co_names.count("clock") == 0
    if engine == "xla":
        assert {type(p) for p in plain.fn.stages} == {DeviceProgram}
        assert plain.fn.times is None
    if engine != "py":
        # the generated call, which has no line of a profile, and not the one through cells
        assert plain._call.__code__.co_name == "call"
        assert plain._call.__code__.co_code == other._call.__code__.co_code


def test_a_call_without_a_profile_is_its_plan_and_a_check_of_arguments():
    x = T.dscalar("x")
    plain = theano.function([x], x + 1, profile=False)
    run = plain.fn.direct([0])
    value = np.array(1.0)
    plain(value)

    def least(call):
        return min(_seconds(call, value) for _ in range(30))

    # the whole of a call: its plan, and the check of one argument
    assert least(plain) < 3 * least(run) + 2e-4
    profiled = theano.function([x], x + 1, profile=theano.compile.ProfileStats(False))
    profiled(value)
    assert least(plain) < least(profiled)


def _seconds(call, value):
    begun = time.perf_counter()
    for _ in range(200):
        call(value)
    return time.perf_counter() - begun


def test_values_are_the_same_with_a_profile():
    for name in PROGRAMS:
        for engine in ENGINES:
            inputs, output, _, values = PROGRAMS[name]()
            plain = theano.function(inputs, output, mode=theano.Mode(engine))
            profiled = theano.function(
                inputs, output, mode=theano.Mode(engine), profile=theano.compile.ProfileStats(False)
            )
            np.testing.assert_allclose(profiled(*values), plain(*values), rtol=1e-12)


def test_an_input_that_may_be_none_is_profiled():
    x = T.dvector("x")
    profile = theano.compile.ProfileStats(atexit_print=False)
    f = theano.function([x], T.default(x, np.ones(2)) * 2, profile=profile)
    assert f(None).tolist() == [2, 2] and f([3.0]).tolist() == [6]
    assert profile.fct_callcount == 2 and set(profile.apply_callcount.values()) == {2}
