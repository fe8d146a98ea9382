"""Products by SciPy's BLAS, which is called where BLAS has one thread."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.ops.linalg import blas, scipy_blas

RNG = np.random.default_rng(0)
LAYOUTS = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "strided": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
}


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    monkeypatch.setattr(blas, "has_one_thread", lambda: True)
    calls = []
    for name in ("by_fortran_gemm", "by_fortran_ger"):
        real = getattr(scipy_blas, name)

        def counted(*args, real=real):
            calls.append(real)
            return real(*args)

        monkeypatch.setattr(blas, name, counted)
    return calls


@pytest.mark.parametrize("inplace", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_sums_with_products_are_those_written_out(dtype, layout, inplace, one_thread):
    def drawn(*shape):
        return LAYOUTS[layout](RNG.normal(size=shape).astype(dtype))

    z, x, y = drawn(150, 120), drawn(150, 30), drawn(30, 120)
    a, b = np.asarray(0.5, dtype), np.asarray(2, dtype)
    want = b * z + a * (x @ y)
    given = [T.TensorType(dtype, (False,) * v.ndim)() for v in (z, a, x, y, b)]
    op = blas.gemm_inplace if inplace else blas.gemm_no_inplace
    run = op.bind(op.make_node(*given))
    got = run(z, a, x, y, b)
    np.testing.assert_allclose(got, want, rtol=2e-5 if dtype in ("float32", "complex64") else 1e-12)
    assert len(one_thread) == 1
    assert np.may_share_memory(got, z) or not inplace or layout == "strided"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_outer_products_are_added(layout, one_thread):
    A, x, y = (
        LAYOUTS[layout](RNG.normal(size=(150, 120))),
        RNG.normal(size=150),
        RNG.normal(size=120),
    )
    a = np.asarray(-1.5)
    want = A + a * np.outer(x, y)
    given = [T.TensorType("float64", (False,) * v.ndim)() for v in (A, a, x, y)]
    run = blas.ger.bind(blas.ger.make_node(*given))
    np.testing.assert_allclose(run(A, a, x, y), want, rtol=1e-12)
    assert len(one_thread) == 1


def test_one_thread_is_what_the_environment_says(monkeypatch):
    for value, one in (("1", True), ("2", False), ("1,1", True)):
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", value)
        scipy_blas.has_one_thread.cache_clear()
        assert scipy_blas.has_one_thread() is one
    scipy_blas.has_one_thread.cache_clear()


def test_a_training_step_gives_the_same_with_either_blas(monkeypatch):
    def step():
        x, w = T.dmatrix(), theano.shared(np.linspace(-1, 1, 120 * 90).reshape(120, 90))
        cost = (T.tanh(T.dot(x, w)) ** 2).sum()
        f = theano.function([x], cost, updates=[(w, w - 0.01 * T.grad(cost, w))], mode="FAST_RUN")
        f(np.linspace(0, 1, 150 * 120).reshape(150, 120))
        return w.get_value()

    by_scipy = step()
    monkeypatch.setattr(blas, "has_one_thread", lambda: False)
    np.testing.assert_allclose(by_scipy, step(), rtol=1e-12)
