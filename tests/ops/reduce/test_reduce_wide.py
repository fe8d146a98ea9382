"""Sums over the rows of wide arrays, which XLA adds row by row."""

import numpy as np
import pytest

import theano
import theano.tensor as T


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape, axis", [((3, 5000), 0), ((2, 3, 5000), (0, 1)), ((0, 5000), 0)])
def test_a_wide_sum_over_rows_is_exact_to_the_last_digit(dtype, shape, axis):
    x = T.TensorType(dtype, (False,) * len(shape))()
    f = theano.function([x], x.sum(axis=axis), mode=theano.Mode("xla"))
    # whole numbers of very different size: a float32 on the way would lose the small ones
    value = np.random.default_rng(0).integers(-3, 4, shape) * 10.0 ** (np.arange(shape[-1]) % 9)
    value = value.astype(dtype)
    got = f(value)
    assert got.dtype == dtype
    assert np.array_equal(got, value.astype("float64").sum(axis=axis).astype(dtype))


def test_what_is_not_finite_stays_where_it_is():
    x = T.fmatrix()
    value = np.ones((4, 600), "float32")
    value[1, 5], value[2, 7], value[3, 7] = np.nan, np.inf, -np.inf
    got = theano.function([x], x.sum(axis=0), mode=theano.Mode("xla"))(value)
    assert np.isnan(got[[5, 7]]).all() and (np.delete(got, [5, 7]) == 4).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_no_row_of_a_stretched_vector_is_counted_twice(dtype):
    x = T.vector(dtype=dtype)
    whole = T.alloc(x, 50, x.shape[0])
    f = theano.function([x], [whole.sum(), T.exp(whole).sum()], mode=theano.Mode("xla"))
    for _ in range(10):
        assert [v.item() for v in f(np.zeros(100_000, dtype))] == [0, 5_000_000]
    rows, _ = theano.scan(lambda: x * 2, n_steps=5)
    g = theano.function([x], rows.sum(), mode=theano.Mode("xla"))
    assert {g(np.ones(1_000_000, dtype)).item() for _ in range(10)} == {10_000_000}
