"""Solvers: by elimination with many digits, of matrices and stacks; what is refused."""

from __future__ import annotations

from functools import partial

import mpmath
import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.ops.linalg.matrices import (
    DIGITS,
    cholesky_of,
    drawn,
    each,
    exact,
    out_dtype,
    rounded,
    solve_of,
    triangle_of,
)
from theano._src.ops.linalg import solve as S, triangular as R
from theano.testing import Case, OpSpec, Raises, evaluate, spec_tests

rng = np.random.default_rng(17)
draw = partial(drawn, rng)


def regular(*shape, dtype="float64"):
    """Matrices far from singular ones."""
    return draw(*shape, dtype=dtype) + np.asarray(3 * np.eye(shape[-1]), dtype)


def positive(*shape, dtype="float64"):
    made = draw(*shape, dtype=dtype)
    made = made @ np.conj(np.swapaxes(made, -1, -2))
    return np.asarray(made + 2 * np.eye(shape[-1]), dtype)


def solved(a, b, meant=lambda m: m):
    return each(lambda m, r: solve_of(meant(m), r), a, b, own=[2, min(b.ndim, 2)])


def triangular(a, b, **how):
    return solved(a, b, lambda m: triangle_of(m, **{"lower": False, **how}))


def assumed(a, b, assume_a="gen", lower=False, transposed=False):
    def meant(m):
        if assume_a == "pos":
            m = m.T if transposed else m
            read = lower != transposed
            half = triangle_of(m, read, unit_diagonal=False)
            m = half + half.conj().T
            m[np.diag_indices(len(m))] = half.diagonal().real
            return m
        if assume_a.endswith("triangular"):
            m = triangle_of(m, assume_a.startswith("lower"))
        return m.T if transposed else m

    return solved(a, b, meant)


def from_factor(c, b, lower=True):
    def meant(m):
        half = triangle_of(m, lower)
        return half @ half.conj().T if lower else half.conj().T @ half

    return solved(c, b, meant)


def tensorsolve_of(a, b, axes=None):
    if axes is not None:
        a = np.moveaxis(a, axes, range(a.ndim - len(axes), a.ndim))
    return solve_of(a.reshape(b.size, -1), b.ravel()).reshape(a.shape[b.ndim :])


def lstsq_of(a, b):
    """The normal equations, with many digits."""
    dtype = out_dtype(a, b)
    with mpmath.workdps(DIGITS):
        m, r = exact(a), exact(b)
        x = (m.H * m) ** -1 * (m.H * r) if m.rows >= m.cols else m.H * ((m * m.H) ** -1 * r)
        rest = r - m * x
        squares = [
            float(sum(abs(rest[i, j]) ** 2 for i in range(rest.rows))) for j in range(rest.cols)
        ]
        sizes = mpmath.svd(m, compute_uv=False)
        real = np.empty(0, dtype).real.dtype
        return (
            rounded(x, dtype).reshape(a.shape[1:] + b.shape[1:]),
            np.asarray(squares if m.rows > m.cols else [], real),
            np.asarray(min(a.shape)),
            np.asarray([float(s) for s in sizes], real),
        )


STRETCHES = {0: (True, False, False)}
FITTING = [
    Case(regular(3, 3), draw(3), id="vector"),
    Case(regular(4, 4), draw(4), id="longer_vector"),
    Case(regular(3, 3), draw(3, 2), id="matrix"),
    Case(regular(3, 3), draw(3, 1), broadcastable={1: (False, True)}, id="column"),
    Case(regular(2, 3, 3), draw(2, 3, 2), id="stacks"),
    Case(regular(2, 3, 3), draw(3), id="stack_and_vector"),
    Case(regular(3, 3), draw(2, 3, 2), id="matrix_and_stack"),
    Case(regular(2, 3, 3), draw(3, 2), id="stack_and_matrix"),
    Case(regular(1, 2, 2), draw(3, 2, 1), broadcastable=STRETCHES, id="stretched_matrix"),
    Case(regular(3, 2, 2), draw(1, 2, 1), broadcastable={1: STRETCHES[0]}, id="stretched_b"),
    Case(regular(2, 2, 2, 2), draw(2, 2, 1), id="stacks_of_stacks"),
    Case(regular(3, 3, dtype="float32"), draw(3, dtype="float32"), id="float32"),
    Case(regular(3, 3, dtype="float32"), draw(3), id="float32_float64"),
    Case(regular(2, 2, dtype="complex128"), draw(2, 2, dtype="complex128"), id="complex"),
    Case(np.array([[2, 1], [1, 3]], "int8"), np.array([1, 2], "int16"), id="small_integers"),
    Case(np.array([[2, 1], [1, 3]]), draw(2, dtype="float32"), id="int64_float32"),
    Case(np.zeros((0, 0)), np.zeros(0), id="empty"),
    Case(regular(3, 3), np.zeros((3, 0)), id="no_columns"),
]
SHAPES = [
    Raises(
        (draw(2, 3), draw(2)),
        np.linalg.LinAlgError,
        "takes square matrices, got shape \\(2, 3\\)",
        when="run",
    ),
    Raises(
        (regular(3, 3), draw(2)),
        ValueError,
        "takes as many rows in b as in A, got shapes \\(3, 3\\) of A and \\(2,\\) of b",
        when="run",
    ),
    Raises(
        (regular(1, 3, 3), draw(2, 3, 1)),
        ValueError,
        "takes stacks of equal lengths, got \\(1,\\) and \\(2,\\)",
        when="run",
    ),
    Raises((draw(3), draw(3)), TypeError, "takes a matrix, or a stack of matrices"),
    Raises((regular(3, 3), np.float64(1)), TypeError, "takes a vector or matrices as b"),
]
SINGULAR = (np.array([[1.0, 2.0], [2.0, 4.0]]), np.ones(2))
ZERO = (np.array([[1.0, 0.0], [3.0, 0.0]]), np.ones(2))
FAILED = "singular matrix: resolution failed at diagonal 1"
SOME = [c for c in FITTING if c.id in ("vector", "longer_vector", "stacks", "complex", "float32")]
HOW = [
    {"lower": True},
    {"lower": True, "trans": 1},
    {"lower": False, "trans": "C"},
    {"lower": True, "trans": 2, "unit_diagonal": True},
    {"unit_diagonal": True},
]

# fmt: off
SPECS = [
    OpSpec(S.Solve(), solved, name="Solve", cases=FITTING,
           errors=[*SHAPES,
                   Raises(SINGULAR, np.linalg.LinAlgError, "Singular matrix", when="run"),
                   Raises((np.stack([np.eye(2), SINGULAR[0]]), np.ones(2)),
                          np.linalg.LinAlgError, "Singular matrix", when="run")]),
    OpSpec(S.solve_lower_triangular, lambda a, b: triangular(a, b, lower=True),
           name="solve_lower_triangular", cases=FITTING,
           errors=[*SHAPES, Raises(ZERO, np.linalg.LinAlgError, FAILED, when="run")]),
    OpSpec(S.solve_upper_triangular, triangular, name="solve_upper_triangular", cases=SOME),
    OpSpec(S.solve_symmetric, solved, name="solve_symmetric",
           cases=[Case(positive(n, n), draw(n), id=f"of_{n}") for n in (2, 3)]),
    OpSpec(R.solve_triangular, triangular,
           cases=SOME + [Case(regular(3, 3, dtype=d), draw(3, 2, dtype=d), kwargs=how,
                              id="_".join(f"{k}_{v}" for k, v in how.items()) + f"_{d}")
                         for how in HOW for d in ("float64", "complex128")]
           + [Case(regular(2, 3, 3), draw(3), kwargs=HOW[1], id="stack_and_vector")],
           errors=[Raises(ZERO, np.linalg.LinAlgError, FAILED, when="run",
                          kwargs={"lower": True}),
                   Raises(ZERO, ValueError, "takes trans as 0 or 'N', 1 or 'T', 2 or 'C', got 3",
                          kwargs={"trans": 3})]),
    OpSpec(S.solve, assumed,
           cases=SOME + [Case(positive(3, 3), draw(3), kwargs={"assume_a": how}, id=how.split()[0])
                         for how in ("sym", "her", "diagonal", "upper triangular")]
           + [Case(positive(3, 3), draw(3, 2), kwargs={"assume_a": "pos", "lower": low},
                   id=f"positive_{low}") for low in (True, False)]
           + [Case(positive(2, 2, 2), draw(2), kwargs={"assume_a": "pos"}, id="positive_stack"),
              Case(positive(2, 2, dtype="complex128"), draw(2, dtype="complex128"),
                   kwargs={"assume_a": "pos", "transposed": True}, id="positive_complex"),
              Case(regular(3, 3), draw(3), kwargs={"transposed": True}, id="transposed"),
              Case(regular(3, 3), draw(3),
                   kwargs={"transposed": True, "assume_a": "lower triangular"},
                   id="transposed_triangular")],
           errors=[Raises((-np.eye(2), np.ones(2)), np.linalg.LinAlgError,
                          "Matrix is not positive definite", when="run",
                          kwargs={"assume_a": "pos"}),
                   Raises(SINGULAR, ValueError, "as assume_a, got 'nice'",
                          kwargs={"assume_a": "nice"})]),
    OpSpec(lambda c, b, lower=True: R.cho_solve((c, lower), b), from_factor, name="cho_solve",
           cases=[Case(cholesky_of(positive(n, n)), draw(n), id=f"of_{n}") for n in (2, 3)]
           + [Case(cholesky_of(positive(3, 3), False), draw(3, 2), kwargs={"lower": False},
                   id="upper"),
              Case(np.stack([cholesky_of(positive(2, 2)) for _ in range(3)]), draw(2),
                   id="stack_and_vector"),
              Case(cholesky_of(positive(2, 2, dtype="complex128")), draw(2, dtype="complex128"),
                   id="complex")]),
    OpSpec(S.tensorsolve, tensorsolve_of,
           cases=[Case(regular(6, 6).reshape(2, 3, 6), draw(2, 3), id="to_a_vector"),
                  Case(regular(4, 4).reshape(1, 4, 4), draw(1, 4), id="to_another"),
                  Case(regular(6, 6).reshape(2, 3, 3, 2), draw(2, 3), id="to_a_matrix"),
                  Case(regular(6, 6).reshape(6, 2, 3), draw(2, 3), kwargs={"axes": (0,)},
                       id="axes")],
           errors=[Raises((draw(2, 3), draw(2, 3)), ValueError, "more dimensions in a than in b"),
                   Raises((draw(2, 2, 3), draw(2, 2)), np.linalg.LinAlgError,
                          "takes square matrices, got shape \\(4, 3\\)", when="run")]),
    OpSpec(lambda a, b: S.lstsq(a, b)[0], lambda a, b: lstsq_of(a, b)[0], name="lstsq",
           xla="host: how many residuals there are depends on values",
           cases=[Case(draw(4, 2), draw(4), id="tall"),
                  Case(draw(5, 3), draw(5), id="taller"),
                  Case(draw(2, 3), draw(2, 2), id="wide"),
                  Case(regular(3, 3), draw(3, 2), id="square"),
                  Case(draw(4, 2, dtype="float32"), draw(4, dtype="float32"), id="float32"),
                  Case(draw(4, 2, dtype="complex128"), draw(4, dtype="complex128"),
                       id="complex")],
           errors=[Raises((draw(2, 2, 2), draw(2)), TypeError,
                          "lstsq takes a matrix, and a vector or matrix")]),
]
# fmt: on


@pytest.mark.parametrize("shape", [(4, 2), (3, 3), (2, 3)])
def test_least_squares_tell_residuals_rank_and_singular_values_as_numpy(shape):
    a, b = T.dmatrix(), T.dmatrix()
    values = draw(*shape), draw(shape[0], 2)
    made = theano.function([a, b], S.lstsq(a, b))(*values)
    for got, want in zip(made, lstsq_of(*values), strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=1e-10)


def test_least_squares_of_less_than_full_rank_are_those_of_least_norm():
    a = T.dmatrix()
    x, residuals, rank, s = theano.function([a], S.lstsq()(a, [2.0, 2.0, 2.0], 1e-10))(
        np.ones((3, 2))
    )
    np.testing.assert_allclose(x, [1, 1], rtol=1e-12)
    assert (residuals.shape, int(rank), s.shape) == ((0,), 1, (2,))


def test_only_the_solution_of_least_squares_has_a_gradient():
    a = T.dmatrix()
    with pytest.raises(theano.gradient.NullTypeGradError, match="only the solution has one"):
        T.grad(S.lstsq(a, [1.0, 2.0])[1].sum(), a)


def test_nan_goes_through_triangular_solvers_on_both_engines():
    a, b = T.dmatrix(), T.dvector()
    for linker in ("numpy", "xla"):
        f = theano.function([a, b], S.solve_lower_triangular(a, b), mode=theano.Mode(linker=linker))
        np.testing.assert_array_equal(f([[1, 0], [np.nan, 1]], [3, 1]), [3, np.nan])


def test_nothing_to_solve_for_asks_nothing_of_the_diagonal_on_either_engine():
    a, b = T.dmatrix(), T.dmatrix()
    for linker in ("numpy", "xla"):
        f = theano.function([a, b], S.solve_lower_triangular(a, b), mode=theano.Mode(linker=linker))
        assert f(np.zeros((2, 2)), np.zeros((2, 0))).shape == (2, 0)


# as Theano 1.0.5 has them
@pytest.mark.parametrize(
    ("a", "b", "made"),
    [
        ("int8", "int8", "float32"),
        ("int8", "int64", "float64"),
        ("int8", "float16", "float32"),
        ("int64", "float32", "float64"),
        ("float16", "float16", "float32"),
        ("float16", "complex64", "complex64"),
        ("int64", "complex64", "complex128"),
        ("float32", "float64", "float64"),
    ],
)
def test_solutions_have_the_dtype_of_theano(a, b, made):
    assert S.solve(T.matrix(dtype=a), T.matrix(dtype=b)).dtype == made


def test_half_precision_is_solved_in_single_precision_on_both_engines():
    a, b = T.matrix(dtype="float16"), T.vector(dtype="float16")
    values = np.array([[2, 1], [1, 3]], "float16"), np.array([4, 7], "float16")
    for linker in ("numpy", "xla"):
        made = theano.function([a, b], S.solve(a, b), mode=theano.Mode(linker=linker))(*values)
        assert made.dtype == "float32"
        np.testing.assert_allclose(made, [1, 2], rtol=1e-6)


def test_the_gradient_of_a_triangular_solver_is_that_of_the_triangle():
    a, b = T.dmatrix(), T.dvector()
    g = T.grad(S.solve_lower_triangular(a, b).sum(), a)
    made = evaluate([g], {a: np.array([[2.0, 7.0], [1.0, 4.0]]), b: np.array([2.0, 9.0])})[0]
    # x = b0/a, (b1 - c x0)/d: by hand
    np.testing.assert_allclose(made, [[-0.375, 0], [-0.25, -0.5]], rtol=1e-14)


def test_unknown_structures_are_refused():
    with pytest.raises(ValueError, match="as A_structure, got 'nice'"):
        S.Solve("nice")


def test_ops_print_as_in_theano():
    want = "Solve{A_structure='general', lower=False, overwrite_A=False, overwrite_b=False}"
    assert str(S.Solve()) == want


test_ops = spec_tests(SPECS)
