"""Triangular systems on NumPy: both ways are SciPy's numbers, and few rows take little time."""

import itertools
import time

import numpy as np
import pytest
import scipy.linalg

import theano
import theano.tensor as T
from theano._src.ops.linalg import substitution

WAYS = {"one thread": True, "several threads": False}


@pytest.fixture(params=WAYS)
def way(request, monkeypatch):
    """Which of the two is taken for matrices of few rows."""
    monkeypatch.setattr(substitution, "has_one_thread", lambda: WAYS[request.param])


def values(rng, dtype, *shape):
    made = rng.normal(size=shape)
    if np.dtype(dtype).kind == "c":
        made = made + 1j * rng.normal(size=shape)
    return made.astype(dtype)


LAYOUTS = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "every second": lambda x: np.repeat(x, 2, axis=0)[::2],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_solutions_are_those_of_scipy(dtype, layout, way):
    rng = np.random.default_rng(0)
    arrange = LAYOUTS[layout]
    rtol = 1e-4 if dtype in ("float32", "complex64") else 1e-12
    for n, columns in itertools.product((1, 2, 5, 70), ((), (1,), (7,))):
        A = arrange(values(rng, dtype, n, n) / n + 2 * np.eye(n, dtype=dtype))
        b = arrange(values(rng, dtype, n, *columns))
        for lower, trans, unit in itertools.product((False, True), "NTC", (False, True)):
            before = A.copy(), b.copy()
            got = substitution.solve_on_numpy(A, b, lower, trans, unit)
            how = {"lower": lower, "trans": trans, "unit_diagonal": unit}
            want = scipy.linalg.solve_triangular(A, b, **how)
            assert got.dtype == want.dtype == dtype and got.shape == want.shape
            np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol * np.abs(want).max())
            assert not np.shares_memory(got, b)
            assert (before[0] == A).all() and (b == before[1]).all()


@pytest.mark.parametrize("columns", [(), (3,)])
def test_a_singular_matrix_is_refused_in_the_words_of_scipy(columns, way):
    A, b = np.triu(np.ones((4, 4))), np.ones((4, *columns))
    A[2, 2] = A[3, 3] = 0
    with pytest.raises(np.linalg.LinAlgError, match=r"resolution failed at diagonal 2$"):
        substitution.solve_on_numpy(A, b, False, "N", False)
    assert np.isfinite(substitution.solve_on_numpy(A, b, False, "N", True)).all()


def test_nothing_to_solve_for_is_nothing(way):
    for n, columns in ((0, 0), (0, 3), (3, 0)):
        made = substitution.solve_on_numpy(
            np.zeros((n, n)), np.ones((n, columns)), True, "N", False
        )
        assert made.shape == (n, columns)


def took(call, n=40):
    """Seconds of a call after a product, by which the threads of NumPy's BLAS are awake."""
    w, times = np.ones((300, 300)), []
    for _ in range(n):
        w @ w
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return sorted(times)[n // 4]


def test_two_rows_and_many_columns_take_no_longer_than_a_general_solution():
    """U3.9: 7.9 ms by SciPy on a busy machine, where ``numpy.linalg.solve`` takes 0.2."""
    rng = np.random.default_rng(0)
    L, b = np.tril(rng.normal(size=(2, 2))) + 2 * np.eye(2), rng.normal(size=(2, 3000))
    a, c = T.dmatrix("a"), T.dmatrix("c")
    solve = T.slinalg.Solve(A_structure="lower_triangular", lower=True)
    f = theano.function([a, c], solve(a, c), mode=theano.Mode("numpy"))
    np.testing.assert_allclose(f(L, b), np.linalg.solve(L, b), rtol=1e-12)
    assert took(lambda: f(L, b)) < 10 * took(lambda: np.linalg.solve(L, b))
