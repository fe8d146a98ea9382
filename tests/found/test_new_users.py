"""What people who tried the package for the first time met: mistakes, and surprises."""

import importlib

import pytest

import theano
import theano.tensor as T
from theano._src.ground.config import TheanoConfigParser

# what is not there


@pytest.mark.parametrize(
    "name",
    [
        "theano.typed_list",
        "theano.typed_list.basic",
        "theano.d3viz",
        "theano.compile.debugmode",
        "theano.compile.profilemode",
        "theano.compile.nanguardmode",
        "theano.compile.monitormode",
        "theano.sparse.sandbox.sp",
        "theano.tensor.nnet.ctc",
    ],
)
def test_a_documented_module_that_is_absent_says_why(name):
    with pytest.raises(ModuleNotFoundError, match=r"is not carried: .*; .*\."):
        importlib.import_module(name)


def test_a_name_that_is_absent_says_why_when_it_is_imported():
    with pytest.raises(ImportError, match=r"theano\.ProfileMode is not carried"):
        from theano import ProfileMode  # noqa: F401
    with pytest.raises(ImportError, match=r"theano\.compile\.DebugMode is not carried"):
        from theano.compile import DebugMode  # noqa: F401


@pytest.mark.parametrize(
    "ask",
    [
        lambda: theano.ProfileMode,
        lambda: theano.compile.DebugMode,
        lambda: theano.compile.MonitorMode,
        lambda: theano.printing.pydotprint,
    ],
)
def test_a_name_that_is_absent_says_why_as_an_attribute(ask):
    with pytest.raises(AttributeError, match=r"is not carried: .*not built yet"):
        ask()


def test_a_module_that_nobody_documents_is_not_found_as_ever():
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'theano\.nothere'") as caught:
        importlib.import_module("theano.nothere")
    assert caught.value.name == "theano.nothere"


@pytest.mark.parametrize(
    "name", ["DebugMode", "DEBUG_MODE", "NanGuardMode", "ProfileMode", "PROFILE_MODE"]
)
def test_a_mode_that_is_absent_says_why_at_once(name):
    x = T.dscalar("x")
    with pytest.raises(NotImplementedError, match=r"is not carried: .*not built yet"):
        theano.function([x], x, mode=name)
    with pytest.raises(ValueError, match=rf"mode takes .*got '{name}' .*is not carried: .*yet"):
        theano.config.mode = name
    assert theano.config.mode == "Mode"
    with pytest.raises(ValueError, match=r"\(THEANO_FLAGS\); .* is not carried"):
        TheanoConfigParser({"THEANO_FLAGS": f"mode={name}"})


def test_an_unknown_mode_lists_those_that_are_there():
    with pytest.raises(ValueError, match="one of 'Mode', 'FAST_RUN', 'FAST_COMPILE', got 'FAST'"):
        theano.config.mode = "FAST"
