"""The count of documented names tells carried from missing."""

import sys
from types import ModuleType

import pytest

from theano._src.ground.absent import ABSENT, absent_names, reason
from tools import names


class Documented:
    annotated: int

    __module__ = "made_up"

    def __init__(self, other=None):
        self.assigned = 1
        if other:
            other.foreign = 1

    def method(self):
        local = 2
        return local


@pytest.fixture(autouse=True)
def package(monkeypatch):
    """A package with a name that is a module and a function at once."""
    top, module = ModuleType("made_up"), ModuleType("made_up.function")
    top.__path__ = []
    top.Documented = Documented
    top.function = module.function = lambda: None
    module.dump = lambda: None
    monkeypatch.setitem(sys.modules, "made_up", top)
    monkeypatch.setitem(sys.modules, "made_up.function", module)
    yield
    names.module.cache_clear()


@pytest.mark.parametrize(
    "name",
    [
        "made_up",
        "made_up.function",
        "made_up.function.function",
        "made_up.function.dump",
        "made_up.Documented.method",
        "made_up.Documented.annotated",
        "made_up.Documented.assigned",
    ],
)
def test_a_name_that_leads_somewhere_is_carried(name):
    assert names.carried(name)


@pytest.mark.parametrize(
    "name",
    [
        "made_up.other",
        "made_up.function.other",
        "made_up.Documented.local",
        "made_up.Documented.foreign",
        "made_up.Documented.assigned.deeper",
        "not_even_made_up.x",
    ],
)
def test_a_name_that_leads_nowhere_is_missing(name):
    assert not names.carried(name)


def test_every_absent_name_says_why_and_what_to_use():
    for key, (why, instead) in ABSENT.items():
        text = reason(key.replace("*", "Anything"))
        assert why in text and instead in text


def test_a_prefix_answers_for_itself_and_below_and_for_nothing_else():
    assert reason("theano.sandbox.cuda") is not None
    assert reason("theano.sandbox.cuda.blas.GpuGemm") is not None
    assert reason("theano.sandbox.cudaish") is None
    assert reason("theano.tensor") is None


def test_an_unknown_name_of_a_face_gives_the_usual_error():
    with pytest.raises(AttributeError, match=r"module 'theano\.tensor' has no attribute 'nope'"):
        absent_names("theano.tensor")("nope")
