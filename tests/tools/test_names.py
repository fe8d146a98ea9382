"""The count of documented names tells carried from missing."""

import sys
from types import ModuleType

import pytest

from theano import Op
from theano._src.ground.absent import ABSENT, reason
from theano._src.ground.public import public
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


class Joining(Op):
    def make_node(self, left, right):
        raise NotImplementedError


@pytest.fixture(autouse=True)
def package(monkeypatch):
    """A package with a name that is a module and a function at once."""
    top, module = ModuleType("made_up"), ModuleType("made_up.function")
    top.__path__ = []
    top.Documented = Documented
    top.function = module.function = lambda: None
    module.dump = lambda: None
    top.call = lambda a, *rest, only=None, **anything: None
    top.op = Joining()
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


@pytest.mark.parametrize(
    "name", ["Variable.sum", "Variable.get_value", "Variable.tag.whatever", "Function.maker"]
)
def test_a_name_of_a_kind_of_object_is_looked_for_on_one(name):
    assert names.carried(name)
    assert not names.carried(f"{name.split('.')[0]}.not_even_made_up")


@pytest.mark.parametrize(
    ("name", "keyword", "taken"),
    [
        ("made_up.call", "a", True),
        ("made_up.call", "only", True),
        ("made_up.call", "rest", False),
        ("made_up.call", "anything", False),
        ("made_up.call", "**", True),
        ("made_up.absent", "**", False),
        ("made_up.Documented", "other", True),
        ("made_up.Documented", "assigned", False),
        ("made_up.op", "left", True),
        ("made_up.op", "output_types_preference", False),
        ("Variable.sum", "axis", True),
        ("Variable.sum", "axes", False),
        ("theano.tensor.stack", "axis", True),
        ("theano.tensor.stack", "axes", False),
    ],
)
def test_a_keyword_is_taken_where_a_parameter_has_its_name(name, keyword, taken):
    assert names.takes(name, keyword) == taken
    assert names.state_of(f"{name}({keyword})") == ("carried" if taken else "missing")


def test_every_call_that_shows_a_keyword_uses_it():
    for what, call in names.SHOWN.items():
        name, keyword = what.rstrip(")").split("(")
        assert call.startswith(f"{name}(") and f"{keyword}=" in call


def test_the_rooms_of_tensor_are_counted_elsewhere():
    inside = "theano.tensor.dot theano.tensor.extra_ops.diff Variable.T theano.tensor.sum(axis)"
    outside = "theano.tensor.nnet.softmax theano.scan Variable.update theano.tensorx.y"
    assert all(map(names.of_tensor, inside.split()))
    assert not any(map(names.of_tensor, outside.split()))


def test_only_names_that_several_projects_use_are_asked_for(tmp_path):
    path = tmp_path / "usage-keywords.csv"
    path.write_text("function,keyword,count,number_of_projects\r\nf,a,9,12\r\nf,b,9,1\r\n")
    assert names.surveyed(path) == ["f(a)"]


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
        public("theano.tensor")("nope")
