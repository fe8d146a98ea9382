"""Cholesky factors: by the textbook's loop, of either triangle, of stacks; what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.ops.linalg.matrices import cholesky_of, drawn, each
from theano._src.ops.linalg import cholesky as C
from theano._src.ops.linalg.matrix_stacks import LARGE
from theano.testing import Case, OpSpec, Raises, evaluate, spec_tests

rng = np.random.default_rng(13)


def draw(*shape, dtype="float64"):
    """Positive definite matrices."""
    made = drawn(rng, *shape, dtype=dtype)
    made = made @ np.conj(np.swapaxes(made, -1, -2)) + shape[-1] * np.eye(shape[-1])
    return np.asarray(made, dtype)


def factor(x, lower=True, on_error="raise"):
    return each(lambda m: cholesky_of(m, lower), x, own=[2])


def inverse_of_product(l):
    return each(lambda m: np.linalg.inv(np.tril(m) @ np.tril(m).conj().T), l, own=[2])


def smith(x, l, dz, lower=True):
    """Smith's loop (Journal of Computational and Graphical Statistics 4, 1995), real numbers."""

    def one(l, dz):
        l, f = (l, np.tril(dz)) if lower else (l.T, np.triu(dz).T)
        f = f.copy()
        n = len(l)
        for k in reversed(range(n)):
            for j in range(k + 1, n):
                for i in range(j, n):
                    f[i, k] -= f[i, j] * l[j, k]
                    f[j, k] -= f[i, j] * l[i, k]
            for j in range(k + 1, n):
                f[j, k] /= l[k, k]
                f[k, k] -= l[j, k] * f[j, k]
            f[k, k] /= 2 * l[k, k]
        return f if lower else f.T

    return each(one, l, dz, own=[2, 2])


def triple(*shape, lower=True, dtype="float64"):
    x = draw(*shape)
    return [np.asarray(v, dtype) for v in (x, factor(x, lower), rng.normal(size=shape))]


LOPSIDED = np.array([[4.0, 99.0], [2.0, 5.0]])
INDEFINITE = np.array([[1.0, 2.0], [2.0, 1.0]])
NOT_POSITIVE = "Matrix is not positive definite"
UPPER = {"lower": False}
NAN = {"on_error": "nan"}
ENGINES = ("numpy", "xla")

# fmt: off
SPECS = [
    OpSpec(C.cholesky, factor,
           cases=[Case(draw(3, 3), id="lower"),
                  Case(draw(3, 3), kwargs=UPPER, id="upper"),
                  Case(draw(5, 5), kwargs=UPPER, id="upper_of_another_size"),
                  Case(draw(4, 4), kwargs=NAN, id="nan"),
                  Case(draw(1, 1), broadcastable={0: (True, True)}, id="one_number"),
                  Case(draw(2, 3, 3), id="stack"),
                  Case(draw(2, 3, 3), kwargs=UPPER, id="upper_stack"),
                  Case(draw(2, 1, 2, 2), id="stack_of_stacks"),
                  Case(LOPSIDED, id="reads_the_lower_triangle"),
                  Case(LOPSIDED.T, kwargs=UPPER, id="reads_the_upper_triangle"),
                  Case(draw(3, 3, dtype="float32"), id="float32"),
                  Case(draw(3, 3, dtype="complex128"), id="complex"),
                  Case(draw(2, 2, dtype="complex128"), kwargs=UPPER, id="complex_upper"),
                  Case(np.array([[4, 2], [2, 5]]), id="int64"),
                  Case(np.zeros((0, 0)), id="empty")],
           errors=[Raises(INDEFINITE, np.linalg.LinAlgError, NOT_POSITIVE, when="run"),
                   Raises(INDEFINITE, np.linalg.LinAlgError, NOT_POSITIVE, when="run",
                          kwargs=UPPER),
                   Raises(np.stack([np.eye(2), INDEFINITE]), np.linalg.LinAlgError,
                          NOT_POSITIVE, when="run"),
                   Raises(INDEFINITE * np.nan, np.linalg.LinAlgError, NOT_POSITIVE, when="run"),
                   Raises(np.ones((2, 3)), np.linalg.LinAlgError,
                          "takes square matrices, got shape \\(2, 3\\)", when="run"),
                   Raises(np.ones(3), TypeError, "takes a matrix, or a stack of matrices"),
                   Raises(INDEFINITE, ValueError, "takes 'raise' or 'nan' as on_error, got 'no'",
                          kwargs={"on_error": "no"})]),
    OpSpec(C.CholeskyInverse(), inverse_of_product,
           name="CholeskyInverse",
           cases=[Case(np.tril(draw(3, 3)), id="one"),
                  Case(np.tril(draw(5, 5)), id="another_size"),
                  Case(draw(3, 3), id="reads_the_lower_triangle"),
                  Case(np.tril(draw(2, 3, 3)), id="stack"),
                  Case(np.tril(draw(3, 3, dtype="float32")), id="float32"),
                  # exact: the inverse of the product has 2, 1 and -1 near its diagonal
                  Case(np.tril(np.ones((120, 120))), id="by_potri", grad="none: 14400 numbers"),
                  Case(np.tril(draw(3, 3, dtype="complex128")), id="complex")],
           errors=[Raises(np.zeros((2, 2)), np.linalg.LinAlgError, "[Ss]ingular", when="run"),
                   Raises(np.ones((2, 3)), np.linalg.LinAlgError,
                          "takes square matrices, got shape \\(2, 3\\)", when="run"),
                   Raises(np.ones(3), TypeError, "takes a matrix, or a stack of matrices")]),
    OpSpec(lambda x, l, dz, lower=True: C.CholeskyGrad(lower)(x, l, dz), smith,
           name="CholeskyGrad", grad="none: that of Cholesky itself can be differentiated",
           cases=[Case(*triple(4, 4), id="lower"),
                  Case(*triple(2, 2), id="lower_of_another_size"),
                  Case(*triple(3, 3, lower=False), kwargs=UPPER, id="upper"),
                  Case(*triple(2, 3, 3), id="stack"),
                  Case(*triple(3, 3, dtype="float32"), id="float32")],
           errors=[Raises((draw(2, 2), np.ones(2), draw(2, 2)), TypeError, "takes a matrix"),
                   Raises((draw(2, 2), draw(2, 2, 2), draw(2, 2)), TypeError,
                          "of as many dimensions")]),
]
# fmt: on


@pytest.mark.parametrize("linker", ENGINES)
@pytest.mark.parametrize("lower", [True, False])
def test_a_stack_has_nan_for_the_matrices_that_have_no_factor_and_only_for_those(linker, lower):
    x = T.dtensor3()
    f = theano.function([x], C.cholesky(x, lower, "nan"), mode=theano.Mode(linker=linker))
    made = f(np.stack([INDEFINITE, np.eye(2), INDEFINITE * np.nan]))
    assert np.isnan(made[0]).all()
    assert np.isnan(made[2]).all()
    np.testing.assert_array_equal(made[1], np.eye(2))


@pytest.mark.parametrize("linker", ENGINES)
def test_where_the_factor_is_nan_the_gradient_is(linker):
    x = T.dmatrix()
    g = T.grad(C.cholesky(x, on_error="nan").sum(), x)
    f = theano.function([x], g, mode=theano.Mode(linker=linker))
    assert np.isnan(f(INDEFINITE)).all()
    # Theano 1.0.5 says so
    np.testing.assert_allclose(f([[4, 2], [2, 5]]), [[0.1875, 0], [0.25, 0.25]], rtol=1e-14)


def test_the_gradient_of_the_upper_factor_is_that_of_the_upper_triangle():
    x = T.dmatrix()
    g = T.grad(C.Cholesky(lower=False)(x).sum(), x)
    # Theano 1.0.5 says so
    want = [[0.1875, 0.25], [0, 0.25]]
    np.testing.assert_allclose(
        evaluate([g], {x: np.array([[4.0, 2], [2, 5]])})[0], want, rtol=1e-14
    )


@pytest.mark.parametrize("lower", [True, False])
def test_large_matrices_have_the_same_factors_and_the_same_refusal(lower):
    x = T.dmatrix()
    f = theano.function([x], C.cholesky(x, lower), mode=theano.Mode(linker="numpy"))
    # of all ones and a diagonal; the triangle that is not read is NaN
    n = LARGE
    value = np.eye(n) + 1
    value[np.triu_indices(n, 1) if lower else np.tril_indices(n, -1)] = np.nan
    made = f(value)
    made = made if lower else made.T
    assert np.array_equal(made, np.tril(made))
    np.testing.assert_allclose(made @ made.T, np.eye(n) + 1, rtol=1e-12, atol=1e-12)
    for bad in (-1.0, np.nan):
        with pytest.raises(np.linalg.LinAlgError, match="Matrix is not positive definite"):
            f(np.diag([*np.ones(n - 1), bad]))
    nan = theano.function([x], C.cholesky(x, lower, "nan"), mode=theano.Mode(linker="numpy"))
    assert np.isnan(nan(-value)).all()


def test_a_factor_of_the_other_triangle_is_refused():
    x = T.dmatrix()
    with pytest.raises(ValueError, match="takes a factor of the same triangle"):
        C.CholeskyGrad(lower=False)(x, C.cholesky(x), x)


def test_ops_print_as_in_theano():
    assert str(C.Cholesky()) == "Cholesky{lower=True, destructive=False, on_error='raise'}"
    assert str(C.CholeskyGrad()) == "CholeskyGrad{lower=True, destructive=False}"


test_ops = spec_tests(SPECS)
