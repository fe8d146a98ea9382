"""Inverses, determinants and powers: by mpmath, of matrices and stacks; what is refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.ops.linalg.matrices import det_of, drawn, each, inverse_of, pinv_of, slogdet_of
from theano._src.ops.linalg import inverse as I
from theano._src.ops.linalg.matrix_stacks import LARGE
from theano.testing import Case, OpSpec, Raises, evaluate, spec_tests

rng = np.random.default_rng(11)


def draw(*shape, dtype="float64"):
    """Matrices far from singular ones."""
    return np.asarray(drawn(rng, *shape, dtype=dtype) + 2 * np.eye(*shape[-2:]), dtype)


SQUARE = [
    Case(draw(3, 3), id="matrix"),
    Case(draw(1, 1), broadcastable={0: (True, True)}, id="one_number"),
    Case(draw(2, 3, 3), id="stack"),
    Case(draw(2, 1, 2, 2), id="stack_of_stacks"),
    Case(draw(4, 4, dtype="float32"), id="float32"),
    Case(draw(2, 2, dtype="complex128"), id="complex"),
    Case(np.array([[2, 1], [1, 3]], "int8"), id="int8"),
    Case(np.array([[2, 1], [1, 3]], "int64"), id="int64"),
    Case(draw(6, 6)[::2, ::-2], id="strided"),
    Case(np.zeros((0, 0)), id="empty"),
]

LONG = Raises(
    draw(2, 3), np.linalg.LinAlgError, "takes square matrices, got shape \\(2, 3\\)", when="run"
)
VECTOR = Raises(draw(3, 1)[:, 0], TypeError, "takes a matrix, or a stack of matrices")
SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])


def power_of(x, n=0):
    def one(m):
        base = inverse_of(m) if n < 0 else m
        made = np.eye(len(m), dtype=base.dtype)
        for _ in range(abs(n)):
            made = made @ base
        return made

    return each(one, x, own=[2])


def tensorinv_of(a, ind=2):
    shape = a.shape[ind:] + a.shape[:ind]
    return inverse_of(a.reshape(int(np.prod(a.shape[:ind])), -1)).reshape(shape)


# fmt: off
SPECS = [
    OpSpec(I.matrix_inverse, lambda x: each(inverse_of, x, own=[2]), name="matrix_inverse",
           cases=SQUARE,
           errors=[LONG, VECTOR,
                   Raises(SINGULAR, np.linalg.LinAlgError, "Singular matrix", when="run"),
                   Raises(np.stack([np.eye(2), SINGULAR]), np.linalg.LinAlgError,
                          "Singular matrix", when="run")]),
    OpSpec(I.det, lambda x: each(det_of, x, own=[2]), name="det",
           cases=[*SQUARE, Case(SINGULAR * 0, id="singular", grad="none: had by the inverse")],
           errors=[LONG, VECTOR]),
    OpSpec(lambda x: I.slogdet(x), lambda x: each(slogdet_of, x, own=[2]), name="slogdet",
           cases=[*SQUARE, Case(-draw(3, 3), id="negative"),
                  Case(SINGULAR * 0, id="singular", grad="none: had by the inverse")],
           errors=[LONG, VECTOR]),
    OpSpec(I.pinv, lambda x: each(pinv_of, x, own=[2]), name="pinv",
           cases=[Case(draw(3, 3), id="square"),
                  Case(draw(4, 2), id="tall"),
                  Case(draw(2, 3), id="wide"),
                  Case(draw(2, 3, 2), id="stack"),
                  Case(draw(1, 3), broadcastable={0: (True, False)}, id="row"),
                  Case(draw(3, 2, dtype="float32"), id="float32"),
                  Case(draw(3, 2, dtype="complex128"), id="complex"),
                  Case(np.array([[1, 2], [3, 4], [5, 9]]), id="int64")],
           errors=[VECTOR]
           + [Raises(draw(3, 2) + x, np.linalg.LinAlgError, "takes finite numbers", when="run")
              for x in (np.nan, np.inf)]),
    OpSpec(I.matrix_power, power_of,
           cases=[Case(draw(3, 3), n, static=[1], id=f"to_{n}") for n in (-2, 0, 1, 2, 5)]
           + [Case(draw(2, 2, 2), 3, static=[1], id="stack"),
              Case(draw(2, 2, 2), 0, static=[1], id="stack_to_0"),
              Case(draw(2, 2, dtype="float32"), -1, static=[1], id="float32"),
              Case(np.array([[1, 1], [1, 0]]), 10, static=[1], id="whole_numbers")],
           errors=[Raises((draw(2, 2), 0.5), TypeError, "takes a Python integer as n, got 0.5",
                          static=[1]),
                   Raises((draw(2, 3), 0), AssertionError, "takes square matrices", when="run",
                          static=[1])]),
    OpSpec(I.matrix_dot, lambda a, b, c: np.einsum("...ij,...jk,...kl->...il", a, b, c),
           cases=[Case(draw(2, 3), draw(3, 4), draw(4, 2), id="matrices"),
                  Case(draw(2, 2, 3), draw(3, 4), draw(4, 2), id="stack"),
                  Case(draw(2, 3, dtype="float32"), draw(3, 1), draw(1, 2), id="dtypes")]),
    OpSpec(I.tensorinv, tensorinv_of,
           cases=[Case(draw(6, 6).reshape(2, 3, 3, 2), id="two_and_two"),
                  Case(draw(4, 4).reshape(4, 1, 2, 2), id="other_lengths"),
                  Case(draw(6, 6).reshape(6, 2, 3), kwargs={"ind": 1}, id="one_and_two"),
                  Case(draw(4, 4, dtype="float32").reshape(2, 2, 4), id="float32")],
           errors=[Raises((draw(2, 3), 0), ValueError, "a positive integer as ind, got 0",
                          static=[1]),
                   Raises((draw(2, 3), 2), ValueError, "more than ind=2 dimensions", static=[1]),
                   Raises((draw(6, 4).reshape(2, 3, 4),), np.linalg.LinAlgError,
                          "takes square matrices, got shape \\(6, 4\\)", when="run")]),
]
# fmt: on


def test_the_pseudo_inverse_of_less_than_full_rank_is_that_of_its_factors():
    b, c = draw(4, 2), draw(2, 3)
    full = c.T @ inverse_of(c @ c.T) @ inverse_of(b.T @ b) @ b.T
    for dtype, digits in (("float64", 1e-12), ("float32", 1e-4)):
        x = T.matrix(dtype=dtype)
        value = (b @ c).astype(dtype)
        for linker in ("numpy", "xla"):
            made = theano.function([x], I.pinv(x), mode=theano.Mode(linker=linker))(value)
            assert made.dtype == dtype
            np.testing.assert_allclose(made, full, rtol=digits, atol=digits)


def test_the_gradient_of_the_inverse_has_a_minus():
    x = T.dmatrix()
    value = draw(3, 3)
    made = evaluate([T.grad(I.matrix_inverse(x).sum(), x)], {x: value})[0]
    inv = inverse_of(value)
    np.testing.assert_allclose(made, -inv.T @ np.ones((3, 3)) @ inv.T, rtol=1e-12)


def test_the_gradient_of_the_determinant_is_made_of_cofactors():
    x = T.dmatrix()
    value = draw(3, 3)
    made = evaluate([T.grad(I.det(x), x)], {x: value})[0]
    for i, j in itertools.product(range(3), repeat=2):
        minor = np.delete(np.delete(value, i, 0), j, 1)
        assert made[i, j] == pytest.approx((-1) ** (i + j) * float(det_of(minor)), rel=1e-12)


def test_matrix_dot_of_nothing_is_refused():
    with pytest.raises(TypeError, match="takes at least one matrix"):
        I.matrix_dot()


def test_a_matrix_with_nan_is_not_singular_and_its_inverse_has_nan_on_both_engines():
    x = T.dmatrix()
    for linker in ("numpy", "xla"):
        f = theano.function([x], I.matrix_inverse(x), mode=theano.Mode(linker=linker))
        assert np.isnan(f([[np.nan, 1], [1, 2]])).any()


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_large_matrices_have_an_inverse_or_the_same_refusal(dtype):
    x = T.matrix(dtype=dtype)
    f = theano.function([x], I.matrix_inverse(x), mode=theano.Mode(linker="numpy"))
    turn = 1 if dtype == "float32" else 1j
    # 1 - u v, whose inverse Sherman and Morrison tell: 1 + u v / (1 - v u)
    u, v = np.full((LARGE, 1), 0.25 * turn), np.arange(1.0, LARGE + 1)[None] / LARGE
    value = (np.eye(LARGE) - u @ v).astype(dtype)
    before = value.copy()
    made = f(value)
    assert made.dtype == dtype
    assert np.array_equal(value, before)
    want = np.eye(LARGE) + u @ v / (1 - v @ u)
    np.testing.assert_allclose(made, want, atol=1e-5 if dtype == "float32" else 1e-13)
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        f(np.ones((LARGE, LARGE), dtype))
    value[2, 3] = np.nan
    assert np.isnan(f(value)).any()


def test_ops_print_as_documented():
    names = [str(op) for op in (I.det, I.matrix_inverse, I.pinv)]
    assert names == ["Det", "MatrixInverse", "MatrixPinv"]


test_ops = spec_tests(SPECS)
