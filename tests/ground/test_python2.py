"""Names that programs for Python 2 and 3 at once import."""

import pickle
from collections import OrderedDict

import pytest

from theano import compat
from theano._src.legacy import python2
from theano.compat import six
from theano.compat.six import moves


def test_iteration_over_mappings_gives_their_parts():
    d = {"a": 1, "b": 2}
    assert list(six.iterkeys(d)) == ["a", "b"]
    assert list(six.itervalues(d)) == [1, 2]
    assert list(six.iteritems(d)) == [("a", 1), ("b", 2)]
    assert six.viewkeys(d) == {"a", "b"} and six.viewitems(d) == {("a", 1), ("b", 2)}
    assert list(six.viewvalues(d)) == [1, 2]


def test_the_python_of_today_is_the_third():
    assert six.PY3 is True and six.PY2 is False and compat.PY3 is True
    assert isinstance("", six.string_types) and six.text_type is str
    assert moves.xrange is range and moves.cPickle is pickle
    assert compat.python2x.OrderedDict is compat.OrderedDict is OrderedDict


def test_text_and_bytes_are_told_apart():
    assert six.b("a\xff") == b"a\xff"
    assert compat.decode(b"a") == compat.decode("a") == "a"
    assert list(compat.decode_iter([b"a", "b"])) == ["a", "b"]
    assert compat.decode_with(b"\xff", "latin-1") == "\xff"


def test_an_exception_is_raised_again_with_its_traceback():
    try:
        raise KeyError("first")
    except KeyError as e:
        caught = e
    with pytest.raises(KeyError, match="first") as found:
        six.reraise(KeyError, caught, caught.__traceback__)
    assert found.value is caught
    with pytest.raises(KeyError):
        six.reraise(KeyError, None)
    assert compat.exc_message(ValueError(1, 2)) == (1, 2)


def test_a_class_gets_a_metaclass():
    class Meta(type):
        pass

    @six.add_metaclass(Meta)
    class A(list):
        x = 3

    assert type(A) is Meta and A.x == 3 and issubclass(A, list)
    assert compat.get_unbound_function(A.append) is list.append


def test_a_default_ordered_dict_makes_what_it_lacks():
    d = python2.DefaultOrderedDict(list, [("z", [1])])
    d["a"].append(2)
    for other in (d, d.copy(), pickle.loads(pickle.dumps(d))):
        assert list(other.items()) == [("z", [1]), ("a", [2])]
        assert other.default_factory is list
    with pytest.raises(KeyError):
        python2.DefaultOrderedDict()["a"]
    with pytest.raises(TypeError, match="takes a function without arguments first, got 3"):
        python2.DefaultOrderedDict(3)
