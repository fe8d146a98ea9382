"""What people who tried the package for the first time met: mistakes, and surprises."""

import importlib
import math

import jax
import numpy as np
import pytest

import theano
import theano.tensor as T

# what is not there


@pytest.mark.parametrize(
    "name",
    [
        "theano.graph.unify",
        "theano.link.jax",
        "theano.tensor.random.utils",
    ],
)
def test_a_documented_module_that_is_absent_says_why(name):
    with pytest.raises(ModuleNotFoundError, match=r"is not carried: .*; .*\."):
        importlib.import_module(name)


def test_a_name_that_is_absent_says_why_when_it_is_imported_and_used():
    from theano.tensor.io import MPISend

    with pytest.raises(NotImplementedError, match=r"theano\.tensor\.io\.MPISend is not carried"):
        MPISend(0, 1)


def test_a_name_that_is_absent_says_why_as_an_attribute():
    module = importlib.import_module("theano.tensor.io")
    with pytest.raises(AttributeError, match=r"is not carried: messages between processes"):
        _ = module.MPISend


def test_a_module_that_nobody_documents_is_not_found_as_ever():
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'theano\.nothere'") as caught:
        importlib.import_module("theano.nothere")
    assert caught.value.name == "theano.nothere"


def test_an_unknown_mode_lists_those_that_are_there():
    with pytest.raises(ValueError, match=r"one of 'Mode', 'FAST_RUN', .*, got 'FAST'"):
        theano.config.mode = "FAST"


# arrays


class Series:
    """What says of itself which array it is, as those of pandas, xarray, jax and torch do."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype=dtype)


@pytest.mark.parametrize(
    ("given", "dtype"),
    [
        ([1.0, 2.0], "float64"),
        ((1, 2), "int64"),
        (range(2), "int64"),
        ([np.float32(1), np.float32(2)], "float32"),
        (Series([1.0, 2.0]), "float64"),
        ([True, False], "bool"),
        ([], "float64"),
    ],
)
def test_lists_and_array_likes_are_shared_as_tensors(given, dtype):
    s = theano.shared(given, name="s")
    assert s.type == T.TensorType(dtype, (False,)) and s.name == "s"
    assert s.get_value().tolist() == np.asarray(given).tolist()
    assert (s * 2).eval().tolist() == (2 * np.asarray(given)).tolist()


def test_an_array_like_is_copied_unless_it_is_lent():
    class Owner(Series):
        def __array__(self, dtype=None, copy=None):
            return self.values

    values = np.ones(2)
    copied, lent = theano.shared(Owner(values)), theano.shared(Owner(values), borrow=True)
    values[0] = 5
    assert copied.get_value().tolist() == [1, 1] and lent.get_value().tolist() == [5, 1]
    values.flags.writeable = False
    kept = theano.shared(Owner(values), borrow=True)
    theano.function([], updates=[(kept, T.inc_subtensor(kept[0], 1))])()
    assert kept.get_value().tolist() == [6, 1] and values.tolist() == [5, 1]


def test_columns_may_be_declared_broadcastable_in_a_list():
    assert theano.shared([[1.0], [2.0]], broadcastable=(False, True)).type == T.dcol


@pytest.mark.parametrize("given", [["a", "b"], [[1.0], [1.0, 2.0]], {}, "a", None, [None]])
def test_what_is_no_array_of_numbers_is_shared_as_it_is(given):
    s = theano.shared(given)
    assert s.type is theano.generic and s.get_value() == given


def test_an_array_of_jax_is_shared():
    s = theano.shared(jax.numpy.ones(2, "float32"))
    theano.function([], updates=[(s, s + 1)])()
    assert s.type == T.fvector and s.get_value().tolist() == [2, 2]


@pytest.mark.parametrize(
    "ask",
    [
        lambda x: np.array(x, dtype="float64"),
        lambda x: np.asarray(x, "float32"),
        lambda x: np.asarray([x, x], dtype=float),
        lambda x: np.float64(x),
        lambda x: np.random.default_rng(0).normal(x),
    ],
)
def test_numbers_of_a_variable_without_a_value_are_refused_with_what_to_do(ask):
    for x in (T.dscalar("x"), T.dvector("x"), T.dvector("x") + 1):
        with pytest.raises(TypeError, match=r"NumPy takes values, got .*\.eval\("):
            ask(x)


def test_numbers_of_shared_variables_and_constants_are_their_values():
    for v in (theano.shared(np.arange(2.0)), T.constant([0.0, 1.0])):
        made = np.asarray(v, dtype="float32")
        assert made.dtype == "float32" and made.tolist() == [0, 1]
        made[0] = 7
        assert np.asarray(v, dtype="float64").tolist() == [0, 1]
        assert np.asarray([v, v], dtype=float).shape == (2, 2)


# names and lengths


@pytest.mark.parametrize("make", [T.matrix, T.dmatrix, T.scalar, T.ivector])
@pytest.mark.parametrize("name", [3, (3, 4), 1.5, b"x"])
def test_a_name_is_a_text(make, name):
    with pytest.raises(TypeError, match="takes a str as name, got"):
        make(name)


def test_a_number_of_unnamed_variables_is_asked_in_plural():
    assert len(T.matrices(3)) == 3


def test_lengths_are_no_dtype():
    with pytest.raises(TypeError, match=r"matrix takes a name and a dtype, got \(3, 4\); a shape"):
        T.matrix("x", (3, 4))


# mistakes


@pytest.mark.parametrize(
    ("mistake", "says"),
    [
        (lambda s, v: float(s), r"s of .* is no float: use theano\.tensor\.exp.*\.eval\(\)"),
        (lambda s, v: math.exp(s), r"is no float: use theano\.tensor\.exp"),
        (lambda s, v: int(s), r"is no int: use \.astype\('int64'\)"),
        (lambda s, v: range(v.shape[0]), r"is no integer: loop with theano\.scan"),
        (lambda s, v: np.zeros(v.shape), r"make arrays with theano\.tensor\.zeros"),
        (lambda s, v: [1, 2][s], "is no integer"),
        (lambda s, v: (s + 1).eval({"s": 1.0}), "Variables as keys, got 's'; a variable itself"),
        (lambda s, v: theano.function([s + 1], s * 2), "is an expression that no output uses"),
    ],
)
def test_a_mistake_says_what_to_do(mistake, says):
    with pytest.raises((TypeError, theano.compile.UnusedInputError), match=says):
        mistake(T.dscalar("s"), T.dvector("v"))


def test_a_counter_of_integers_is_not_advised_to_lose_fractions_in_silence():
    c = theano.shared(0)
    with pytest.raises(TypeError, match="cuts fractions off, or make the shared variable of a flo"):
        theano.function([], updates=[(c, c + 0.5)])


def test_a_wider_value_for_a_shared_variable_names_its_own_option():
    w = theano.shared(np.zeros(2, "float32"))
    with pytest.raises(TypeError, match="allow_downcast=True when calling 'shared'"):
        w.set_value(np.zeros(2))


def test_dates_are_told_to_be_no_numbers():
    f = theano.function([x := T.dvector("x")], x)
    with pytest.raises(TypeError, match=r"dtype datetime64.*make numbers of it first"):
        f(np.array(["2020-01-01"], "datetime64[s]"))
