"""Functions that count their calls and time: `profile=` is in 184 calls of surveyed programs."""

import io
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.compile.profile import profiling

x = T.dvector("x")


@pytest.fixture(autouse=True)
def nothing_is_printed_after_the_tests(monkeypatch):
    monkeypatch.setattr(profiling, "_to_print", [])


@pytest.mark.parametrize("linker", ["py", "numpy", "xla", "cvm"])
def test_a_profiled_function_counts_calls_and_time(linker):
    mode = theano.Mode(linker)
    f = theano.function([x], x + 1, profile=True, name="inc", mode=mode)
    before = f.profile.fct_call_time
    for n in range(3):
        assert f(np.ones(n)).tolist() == [2] * n
    assert f.profile.fct_callcount == 3
    assert f.profile.fct_call_time > before
    assert 0 < f.profile.vm_call_time <= f.profile.fct_call_time
    assert 0 < f.profile.optimizer_time <= f.profile.compile_time
    assert f.profile.nb_nodes == len(f.maker.fgraph.apply_nodes) > 0
    assert f.profile.message == "inc"
    assert list(f.profile.apply_callcount.values()) == [3]


def test_updates_and_names_of_arguments_work_in_a_profiled_function():
    s = theano.shared(0.0)
    f = theano.function([x], s, updates=[(s, s + x.sum())], profile=True)
    assert f([1.0, 2.0]) == 0 and f(x=[1.0]) == 3 and s.get_value() == 4
    assert f.profile.fct_callcount == 2
    with pytest.raises(TypeError):
        f("a")
    assert s.get_value() == 4


@pytest.mark.parametrize("profile", [False, None])
def test_a_function_has_no_profile_unless_it_is_asked_for(profile):
    f = theano.function([x], x + 1, profile=profile)
    assert f([1.0]).tolist() == [2] and f.profile is None


@pytest.mark.parametrize("profile", [0, np.False_])
def test_a_number_or_a_bool_of_numpy_that_is_false_asks_for_no_profile(profile):
    """P1: GroundHog and pylearn2 hand on ``profile=0`` from their dicts of options."""
    f = theano.function([x], x + 1, profile=profile)
    assert f([1.0]).tolist() == [2] and f.profile is None
    assert f.copy(profile=profile).profile is None


@pytest.mark.parametrize("profile", [1, np.True_])
def test_a_number_or_a_bool_of_numpy_that_is_true_asks_for_a_profile(profile):
    """P1"""
    f = theano.function([x], x + 1, profile=profile)
    f([1.0])
    assert f.profile.fct_callcount == 1


def test_functions_may_share_a_profile():
    profile = theano.compile.ProfileStats(atexit_print=False)
    f = theano.function([x], x + 1, profile=profile)
    g = theano.function([x], x * 2, profile=profile)
    f([1.0])
    g([1.0])
    assert f.profile is g.profile is profile and profile.fct_callcount == 2
    profile.reset()
    assert profile.fct_callcount == 0 and profile.fct_call_time == 0


def test_a_text_is_the_message_of_a_profile():
    assert theano.function([x], x, profile="mine").profile.message == "mine"


def test_a_profile_of_another_kind_is_refused():
    with pytest.raises(TypeError, match="profile takes None, True, False, a message or"):
        theano.function([x], x, profile=3)


def test_a_flag_profiles_every_function_but_those_that_say_no():
    with theano.config.change_flags(profile=True):
        f = theano.function([x], x + 1)
        assert theano.function([x], x, profile=False).profile is None
    f([1.0])
    assert f.profile.fct_callcount == 1
    assert theano.function([x], x).profile is None


def test_copies_and_pickles_of_a_profiled_function_run():
    f = theano.function([x], x + 1, profile=True)
    assert f.copy()([1.0]).tolist() == [2] and f.copy().profile is None
    assert f.copy(profile=True)([1.0]).tolist() == [2]
    g = pickle.loads(pickle.dumps(f))
    assert g([1.0]).tolist() == [2] and g.profile.fct_callcount == 1
    assert f.profile.fct_callcount == 0


def test_a_summary_says_what_was_counted():
    f = theano.function([x], x + 1, profile=True, name="inc")
    f([1.0])
    f([1.0])
    file = io.StringIO()
    f.profile.summary(file)
    text = file.getvalue()
    assert text.startswith("Function profiling\n==================\n  Message: inc\n")
    assert "Time in 2 calls to Function.__call__: " in text
    assert "Elemwise{add,no_inplace}" in text


def test_profiles_are_printed_when_python_ends(tmp_path):
    program = (
        "import theano, theano.tensor as T\n"
        "x = T.dscalar('x')\n"
        "f = theano.function([x], x + 1, name='inc')\n"
        "f(1)\n"
        "theano.function([x], x + 2, name='never')\n"
    )
    for where in ("stderr", "stdout", str(tmp_path / "profile.txt")):
        flags = f"profile=True,profiling.destination={where},base_compiledir={tmp_path}"
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "THEANO_FLAGS": flags, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        )
        made = {"stderr": done.stderr, "stdout": done.stdout}
        text = made[where] if where in made else (tmp_path / "profile.txt").read_text()
        assert "Message: inc" in text and "Time in 1 calls" in text and "never" not in text
