"""Lengths are Python's numbers in plans, and reshapes say what does not fit."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.compile.nanguardmode import NanGuardMode


def made(inputs, output, **options):
    return theano.function(inputs, output, mode=theano.Mode("numpy", "fast_run"), **options)


def test_arithmetic_on_lengths_makes_no_arrays():
    x = T.dvector("x")
    f = made([x], (x[:-1] * 2).reshape((x.shape[0] - 1, 1)))
    assert f(np.arange(4.0)).tolist() == [[0.0], [2.0], [4.0]]
    assert "asarray(i" not in f.fn.source
    assert ".reshape((i" in f.fn.source


def test_a_length_that_is_read_as_an_array_is_one_too():
    x = T.dvector("x")
    f = made([x], [x.shape[0] * 2 + 1, T.alloc(1.0, x.shape[0] + 1), x.sum() / x.shape[0]])
    number, ones, mean = f([1.0, 2.0, 6.0])
    assert number.dtype == "int64" and number.shape == () and number == 7
    assert ones.tolist() == [1.0] * 4 and mean == 3.0


def test_a_reshape_that_does_not_fit_shows_its_lengths():
    x, y = T.dvector("x"), T.dvector("y")
    f = made([x, y], x.reshape((y.shape[0] + 1, 2)))
    assert f(np.arange(6.0), [0, 0]).shape == (3, 2)
    with pytest.raises(ValueError) as caught:
        f(np.arange(6.0), [0, 0, 0])
    text = str(caught.value)
    assert "(6,) to shape (4, 2)" in text and "array([4, 2])" in text


@pytest.mark.parametrize(
    ("shape", "size", "expected"),
    [((2, 3), 6, (2, 3)), ((-1, 3), 6, (2, 3)), ((0, 3), 0, (0, 3)), ((), 1, ()), ((3,), 4, None)],
)
def test_a_reshape_to_known_lengths_is_numpys(shape, size, expected):
    x = T.dvector("x")
    f = made([x], x.reshape(shape))
    if expected is None:
        with pytest.raises(ValueError, match=r"\(4,\) to shape \(3,\)"):
            f(np.arange(4.0))
    else:
        assert f(np.arange(float(size))).shape == expected


def test_lengths_wrap_as_int64_does():
    x = T.dvector("x")
    most = T.constant(np.int64(2**62))
    f = made([x], x.shape[0] * most)
    with np.errstate(over="ignore"):
        assert f(np.zeros(3)) == np.int64(3) * np.int64(2**62)


@pytest.mark.parametrize("watched", ["profile", "guard"])
def test_plans_that_are_watched_have_an_array_for_each_node(watched):
    x = T.dvector("x")
    out = (x[:-1] * 2).reshape((x.shape[0] - 1, 1))
    if watched == "profile":
        f = made([x], out, profile=theano.compile.ProfileStats(atexit_print=False))
    else:
        f = theano.function([x], out, mode=NanGuardMode(True, True, True, optimizer="fast_run"))
    assert f([1.0, 2.0, 3.0]).tolist() == [[2.0], [4.0]]
