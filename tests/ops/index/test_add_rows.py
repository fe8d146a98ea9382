"""Rows are added one after the other, exactly as ``np.add.at`` adds them."""

import numpy as np
import pytest

from theano._src.ops.index.add_rows import add_rows

rng = np.random.default_rng(0)

# name: shape of the array, shape of the index
SHAPES = {
    "few elements": ((7, 3), (5,)),
    "a vector": ((50,), (3000,)),
    "short rows": ((50, 3), (900,)),
    "rows beyond one turn": ((90, 16), (9000,)),
    "long rows": ((20, 300), (45,)),
    "rows of matrices": ((20, 4, 5), (130,)),
    "long rows of matrices": ((9, 20, 20), (30,)),
    "a matrix of rows": ((50, 16), (20, 30)),
    "rows of no elements": ((50, 0), (3000,)),
    "no rows": ((50, 400), (0,)),
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int8", "bool"])
@pytest.mark.parametrize("name", SHAPES)
def test_the_sums_are_those_of_numpy_to_the_last_bit(name, dtype):
    shape, places = SHAPES[name]
    out = (10 * rng.normal(size=shape)).astype(dtype)
    i = rng.integers(-shape[0], shape[0], size=places)
    y = (10 * rng.normal(size=(*places, *shape[1:]))).astype(dtype)
    want = out.copy()
    np.add.at(want, i, y)
    add_rows(out, i, y)
    np.testing.assert_array_equal(out, want)


@pytest.mark.parametrize("kind", ["int8", "uint8", "int32", "uint64"])
def test_the_index_may_be_of_any_integer_dtype(kind):
    out, i = np.zeros((100, 40)), rng.integers(0, 100, 60).astype(kind)
    add_rows(out, i, np.ones((60, 40)))
    np.testing.assert_array_equal(out[:, 0], np.bincount(i.astype(int), minlength=100))
    assert (out == out[:, :1]).all()


@pytest.mark.parametrize("order", ["F", "strided"])
def test_arrays_that_are_not_in_one_piece_are_added_to(order):
    base = np.zeros((100, 80))
    out = np.asfortranarray(base) if order == "F" else base[:, ::2]
    i = rng.integers(0, 100, 60)
    add_rows(out, i, np.ones((60, out.shape[1])))
    np.testing.assert_array_equal(out[:, 5], np.bincount(i, minlength=100))


def test_values_stretch_over_the_rows():
    out, i = np.zeros((100, 40)), rng.integers(0, 100, 60)
    for y in (np.float64(2), np.full(40, 2.0), np.full((60, 1), 2.0)):
        out[:] = 0
        add_rows(out, i, np.asarray(y))
        np.testing.assert_array_equal(out[:, 7], 2 * np.bincount(i, minlength=100))


@pytest.mark.parametrize("bad", [100, -101])
@pytest.mark.parametrize("row", [1, 40, 300])
def test_an_index_out_of_range_raises_before_anything_is_written(bad, row):
    out, i = np.zeros((100, row)), np.append(rng.integers(0, 100, 2000), bad)
    with pytest.raises(IndexError, match=f"index {bad} is out of bounds for axis 0 with size 100"):
        add_rows(out, i, np.ones((2001, row)))
    assert not out.any()
