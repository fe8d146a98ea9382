"""ProfileMode: its functions are timed together, and printed in the documented form."""

import copy
import pickle
import re

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.compile.profilemode import ProfileMode

x = T.dvector("x")


def _called(mode, n=3):
    f = theano.function([x], T.exp(x).sum(), mode=mode, name="f")
    g = theano.function([x], T.sort(x), mode=mode, name="g")
    for _ in range(n):
        f(np.ones(1000))
        g(np.ones(1000))
    return f, g


def test_it_is_a_mode_under_all_its_names():
    assert theano.ProfileMode is theano.compile.ProfileMode is ProfileMode
    assert theano.compile.profilemode.ProfileMode is ProfileMode
    assert isinstance(ProfileMode(), theano.Mode)
    for name in ("ProfileMode", "PROFILE_MODE"):
        assert isinstance(theano.compile.get_mode(name), ProfileMode)
        with theano.config.change_flags(mode=name):
            assert isinstance(theano.compile.get_default_mode(), ProfileMode)


def test_the_summary_has_three_tables(capsys):
    mode = ProfileMode(optimizer="fast_run", linker=theano.gof.OpWiseCLinker())
    _called(mode)
    assert mode.print_summary() is None
    text = capsys.readouterr().out
    lines = text.split("\n")
    assert lines[:3] == ["ProfileMode.print_summary()", "-" * 27, ""]
    assert re.fullmatch(r"local_time \S+ \(Time spent running thunks\)", lines[3])
    assert [line.split(":")[0] for line in lines if "-wise summary" in line] == [
        "Apply-wise summary",
        "Op-wise summary",
        "Type-Op-wise summary",
    ]
    assert lines.count("(*) Op is running a c implementation") == 2
    shares = re.findall(r"^        (\d\.\d{3})   \* ", text, re.M)
    nodes = sum(mode.apply_time.values()) / mode.local_time
    assert 0 < nodes < 1
    assert sum(map(float, shares)) == pytest.approx(2 * nodes, abs=0.01)


def test_rows_are_limited_by_arguments_and_by_flags(capsys):
    mode = ProfileMode("numpy")
    _called(mode)
    mode.print_summary(n_apply_to_print=1, n_ops_to_print=1)
    text = capsys.readouterr().out
    n = len(mode.rows()) - 1
    said = rf"   \.\.\. \(remaining {n} Apply instances account for 0\.\d\d of the runtime\)"
    assert n and re.search(said, text)
    assert re.search(rf"   \.\.\. \(remaining {n} Ops account for 0\.\d\d of the runtime\)", text)
    with theano.config.change_flags(ProfileMode__n_apply_to_print=1):
        mode.print_summary()
    assert re.search(said, capsys.readouterr().out)
    with theano.config.change_flags(ProfileMode__profile_memory=True):
        mode.print_summary()
    assert "Memory Profile" in capsys.readouterr().out


def test_its_figures_are_of_all_its_functions():
    mode = ProfileMode("numpy")
    f, g = _called(mode)
    assert mode.fct_call == {"f": 3, "g": 3}
    assert set(mode.apply_time) == {*f.maker.fgraph.apply_nodes, *g.maker.fgraph.apply_nodes}
    assert 0 < sum(mode.apply_time.values()) < mode.local_time < mode.call_time
    assert f.profile.fct_callcount == 3


def test_a_function_may_do_without_and_another_keep_its_own(capsys):
    mode = ProfileMode("numpy")
    f = theano.function([x], T.exp(x), mode=mode, profile=False)
    own = theano.compile.ProfileStats(atexit_print=False)
    g = theano.function([x], T.exp(x), mode=mode, profile=own)
    f([1.0]), g([1.0])
    assert f.profile is None and g.profile is own and mode.profiles == []


def test_two_modes_are_compared_by_op(capsys):
    slow, quick = ProfileMode("numpy"), ProfileMode("numpy")
    _called(slow, 60)
    _called(quick, 1)
    assert slow.print_diff_summary(quick, n_ops_to_print=1) is None
    text = capsys.readouterr().out
    assert "Apply-wise" not in text and "Op-wise summary" in text
    assert float(re.search(r"local_time (\S+) ", text)[1]) > 0
    assert re.search(r"^        \+\d\.\d{3}e-\d\d   ", text, re.M)


def test_selections_of_it_share_its_figures_and_copies_have_their_own():
    mode = ProfileMode("numpy", "fast_run")
    _called(mode.excluding("fusion"), 1)
    assert mode.fct_call == {"f": 1, "g": 1}
    for other in (mode.clone(), copy.copy(mode), pickle.loads(pickle.dumps(mode))):
        assert isinstance(other, ProfileMode) and other.fct_call == {}
