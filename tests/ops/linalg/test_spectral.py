"""Eigenvalues and singular values: by mpmath, of matrices and stacks; what is refused."""

from __future__ import annotations

from functools import partial

import mpmath
import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.ops.linalg.matrices import DIGITS, drawn, each, exact, out_dtype, rounded
from theano._src.ops.linalg import singular as G, spectral as S
from theano._src.ops.linalg.grad_helpers import along_columns
from theano._src.ops.linalg.matrix_stacks import LARGE, adjoint
from theano._src.ops.linalg.spectral_grad import EighGrad, EigvalshGrad
from theano.compile.mode import Mode
from theano.testing import Case, OpSpec, Raises, spec_tests

rng = np.random.default_rng(23)
draw = partial(drawn, rng)
LinAlgError = np.linalg.LinAlgError
ENGINES = [pytest.param("numpy"), pytest.param("xla", marks=pytest.mark.xla)]


def apart(*shape, dtype="float64"):
    """Matrices whose eigenvalues are real, if they are, and far from each other."""
    return (0.2 * draw(*shape, dtype=dtype) + np.diag(2.0 ** np.arange(shape[-1]))).astype(dtype)


def positive(*shape, dtype="float64"):
    x = draw(*shape, dtype=dtype)
    return (x @ np.swapaxes(x.conj(), -1, -2) + 2 * np.eye(shape[-1])).astype(dtype)


def real_of(dtype):
    return np.empty(0, dtype).real.dtype


def whole(x, lower):
    """The Hermitian matrix that one triangle means, element by element."""
    made = x.astype(out_dtype(x))
    for i, j in np.ndindex(*x.shape):
        if i == j:
            made[i, i] = x[i, i].real
        elif (i < j) == lower:
            made[i, j] = np.conj(x[j, i])
    return made


def mp_vector(v, dtype):
    return np.array([float(n) for n in v], dtype)


def squares_of(m, dtype):
    made = [[float(abs(m[i, j]) ** 2) for j in range(m.cols)] for i in range(m.rows)]
    return np.array(made, dtype).reshape(m.rows, m.cols)


# Hermitian matrices


def eigh_facts(x, UPLO="L"):
    """What does not depend on the phases of eigenvectors."""
    w, v = S.eigh(x, UPLO)
    back = T.matmul(v * along_columns(w), adjoint(v))
    # w of its own: a gradient that is given for w itself would hide what comes through the others
    return [w * 1, back, abs(v) ** 2]


def orthonormal(x, UPLO="L"):
    v = S.eigh(x, UPLO)[1]
    return T.matmul(adjoint(v), v) + 1


def eyes(x, n=None):
    """Stacks of unit matrices, with 1 added."""
    n = x.shape[-1] if n is None else n
    return np.broadcast_to(np.eye(n) + 1, (*x.shape[:-2], n, n)).astype(out_dtype(x))


def eigh_of(x, UPLO="L"):
    dtype = out_dtype(x)

    def one(m):
        m = whole(m, UPLO == "L")
        if not m.size:
            return np.zeros(0, real_of(dtype)), m, np.zeros((0, 0), real_of(dtype))
        with mpmath.workdps(DIGITS):
            solve = mpmath.eighe if dtype.kind == "c" else mpmath.eigsy
            w, v = solve(exact(m))
            return mp_vector(w, real_of(dtype)), m, squares_of(v, real_of(dtype))

    return each(one, x, own=[2])


HERMITIAN = [
    Case(draw(3, 3), id="one_triangle"),
    Case(draw(4, 4), id="larger"),
    Case(draw(1, 1), broadcastable={0: (True, True)}, id="one_number"),
    Case(draw(2, 3, 3), id="stack"),
    Case(draw(2, 1, 2, 2), id="stack_of_stacks"),
    Case(apart(3, 3, dtype="float32"), id="float32"),
    Case(draw(3, 3, dtype="complex128"), id="complex"),
    Case(np.array([[2, 7], [1, 5]], "int64"), id="int64"),
    Case(np.array([[2, 7], [1, 5]], "int8"), id="int8"),
    Case(draw(6, 6)[::2, ::-2], id="strided"),
    Case(np.zeros((0, 0)), id="empty"),
]


def eigvalsh_of(a, b=None, lower=True):
    """Eigenvalues of l^-1 a l^-H, where b = l l^H."""
    dtype = real_of(out_dtype(*([a] if b is None else [a, b])))

    def one(*pair):
        if not pair[0].size:
            return np.zeros(0, dtype)
        with mpmath.workdps(DIGITS):
            m, *rest = (exact(whole(x, lower)) for x in pair)
            if rest:
                half = mpmath.cholesky(rest[0]) ** -1
                m = half * m * half.H
            values = mpmath.eighe(m, eigvals_only=True)
            return mp_vector(values, dtype)

    pair = [a] if b is None else [a, b]
    return each(one, *pair, own=[2] * len(pair))


def pair_facts(a, b):
    w, v = S.EighOfPair()(a, b)
    return [w * 1, T.matmul(v, adjoint(v)), abs(v) ** 2]


def pair_of(a, b):
    """v = l^-H y for the eigenvectors y of l^-1 a l^-H."""
    dtype = out_dtype(a, b)

    def one(a, b):
        a, b = whole(a, True), whole(b, True)
        with mpmath.workdps(DIGITS):
            half = mpmath.cholesky(exact(b)) ** -1
            w, y = mpmath.eighe(half * exact(a) * half.H)
            v = half.H * y
            inverse = rounded(exact(b) ** -1, dtype)
            return mp_vector(w, real_of(dtype)), inverse, squares_of(v, real_of(dtype))

    return each(one, a, b, own=[2, 2])


def eigh_grad_of(x, w, v, gw, gv, UPLO="L"):
    """The sums of perturbation theory, one eigenvector at a time."""

    def one(x, w, v, gw, gv):
        n = len(w)
        g = np.zeros_like(x)
        for k in range(n):
            inner = gw[k] * v[:, k]
            for m in range(n):
                if m != k:
                    inner = inner + v[:, m] * (v[:, m] @ gv[:, k]) / (w[k] - w[m])
            g += np.outer(inner, v[:, k])
        out = np.zeros_like(g)
        for i, j in np.ndindex(n, n):
            at = (max(i, j), min(i, j)) if UPLO == "L" else (min(i, j), max(i, j))
            out[at] += g[i, j]
        return out

    return each(one, x, w, v, gw, gv, own=[2, 1, 2, 1, 2])


def eigvalsh_grad_of(a, b, gw, lower=True):
    """dw[n] = v[n]^T (da - w[n] db) v[n], one eigenvector at a time."""

    def one(a, b, gw):
        with mpmath.workdps(DIGITS):
            half = mpmath.cholesky(exact(whole(b, lower))) ** -1
            w, y = mpmath.eigsy(half * exact(whole(a, lower)) * half.T)
            v = rounded(half.T * y, "float64")
        made = np.zeros((2, *a.shape))
        for k in range(len(gw)):
            for i, j in np.ndindex(*a.shape):
                at = (max(i, j), min(i, j)) if lower else (min(i, j), max(i, j))
                made[(0, *at)] += gw[k] * v[i, k] * v[j, k]
                made[(1, *at)] -= gw[k] * float(w[k]) * v[i, k] * v[j, k]
        return made[0], made[1]

    return each(one, a, b, gw, own=[2, 2, 1])


# general matrices


def eig_facts(x):
    """What does not depend on the order of eigenvalues nor on the phases of eigenvectors."""
    w, v = S.eig(x)
    sizes = abs(v)
    powers = [T.sum(w**k, axis=-1) for k in (1, 2, 3)]
    back = T.matmul(v * along_columns(w), T.nlinalg.matrix_inverse(v))
    return [*powers, back, T.sum(sizes**4 * along_columns(w), axis=-1)]


def lengths(x):
    return T.sum(abs(S.eig(x)[1]) ** 2, axis=-2)


def eig_of(x):
    dtype = out_dtype(x)

    def one(m):
        m = m.astype(np.result_type(m.dtype, "float64"))
        n = len(m)
        powers = [np.trace(np.linalg.matrix_power(m, k)) for k in (1, 2, 3)]
        weighted = np.zeros(n, m.dtype)
        with mpmath.workdps(DIGITS):
            w, v = mpmath.eig(exact(m)) if n else ([], None)
            for j in range(n):
                length = mpmath.sqrt(sum(abs(v[i, j]) ** 2 for i in range(n)))
                for i in range(n):
                    term = w[j] * (abs(v[i, j]) / length) ** 4
                    weighted[i] += complex(term) if dtype.kind == "c" else float(mpmath.re(term))
        return *(p.astype(dtype) for p in powers), m.astype(dtype), weighted.astype(dtype)

    return each(one, x, own=[2])


# singular values


def svd_facts(x, full_matrices=1):
    u, s, vt = G.svd(x, full_matrices)
    k = s.shape[-1]
    head, tail = u[..., :k], vt[..., :k, :]
    rest, below = u[..., k:], vt[..., k:, :]
    return [
        s * 1,
        T.matmul(head * along_columns(s), tail),
        abs(head) ** 2,
        abs(tail) ** 2,
        T.matmul(rest, adjoint(rest)) + 2,
        T.matmul(adjoint(below), below) + 2,
    ]


def singular_orthonormal(x, full_matrices=1):
    u, _, vt = G.svd(x, full_matrices)
    return [T.matmul(adjoint(u), u) + 1, T.matmul(vt, adjoint(vt)) + 1]


def svd_of(x, full_matrices=1):
    dtype = out_dtype(x)

    def one(m):
        k = min(m.shape)
        with mpmath.workdps(DIGITS):
            if k:
                u, s, vt = mpmath.svd(exact(m))
            else:
                u, s, vt = mpmath.matrix(m.shape[0], 0), [], mpmath.matrix(0, m.shape[1])
            rows, columns = m.shape if full_matrices else (k, k)
            more = []
            for side, n, fills in ((u, m.shape[0], rows > k), (vt.H, m.shape[1], columns > k)):
                eye = mpmath.eye(n) if n else mpmath.matrix(0, 0)
                left = eye - side * side.H if fills and k else eye * int(fills)
                more.append(rounded(left, dtype) + dtype.type(2))
            return (
                mp_vector(s, real_of(dtype)),
                m.astype(dtype),
                squares_of(u, real_of(dtype)),
                squares_of(vt, real_of(dtype)),
                *more,
            )

    return each(one, x, own=[2])


RECTANGLES = [
    Case(draw(3, 3), id="square"),
    Case(draw(4, 4), id="larger"),
    Case(draw(4, 2), id="tall"),
    Case(draw(2, 4), id="wide"),
    Case(draw(2, 3, 2), id="stack"),
    Case(draw(1, 2, 2, 3), id="stack_of_stacks"),
    Case(draw(1, 1), broadcastable={0: (True, True)}, id="one_number"),
    Case(draw(3, 2, dtype="float32"), id="float32"),
    Case(draw(3, 2, dtype="complex128"), id="complex"),
    Case(np.array([[1, 2], [3, 5], [7, 1]], "int32"), id="int32"),
]
NOT_FINITE = [
    Raises(np.array([[1.0, bad], [2.0, 3.0]]), LinAlgError, "takes finite numbers", when="run")
    for bad in (np.nan, np.inf)
]
LONG = Raises(draw(2, 3), LinAlgError, "takes square matrices, got shape \\(2, 3\\)", when="run")
VECTOR = Raises(draw(3), TypeError, "takes a matrix, or a stack of matrices")
SYMMETRIC = positive(3, 3)
# fmt: off
SPECS = [
    OpSpec(eigh_facts, eigh_of, name="eigh", cases=HERMITIAN, errors=[LONG, VECTOR,
           Raises((draw(2, 2),), ValueError, "takes 'L' or 'U' as UPLO, got 'X'",
                  kwargs={"UPLO": "X"})]),
    OpSpec(eigh_facts, eigh_of, name="eigh_upper",
           cases=[Case(x, kwargs={"UPLO": "U"}, id=name) for name, x in
                  [("matrix", draw(3, 3)), ("larger", draw(4, 4)), ("stack", draw(2, 3, 3)),
                   ("complex", draw(2, 2, dtype="complex128"))]]),
    OpSpec(orthonormal, eyes, name="eigh_orthonormal", grad="none: constant",
           cases=HERMITIAN[:7:2]),
    OpSpec(S.eigvalsh, eigvalsh_of, name="eigvalsh",
           cases=[*HERMITIAN,
                  Case(draw(3, 3), kwargs={"lower": False}, id="upper"),
                  Case(draw(3, 3), positive(3, 3), id="pair"),
                  Case(draw(3, 3), positive(3, 3), kwargs={"lower": False}, id="pair_upper"),
                  Case(draw(2, 3, 3), positive(2, 3, 3), id="pairs"),
                  Case(apart(3, 3, dtype="float32"), positive(3, 3, dtype="float32"),
                       id="pair_float32"),
                  Case(draw(2, 2, dtype="complex128"), positive(2, 2), id="pair_complex"),
                  Case(np.zeros((0, 0)), np.zeros((0, 0)), id="pair_empty")],
           errors=[LONG, VECTOR, *NOT_FINITE,
                   Raises((np.eye(2), -np.eye(2)), LinAlgError, "positive definite", when="run"),
                   Raises((np.eye(2), np.eye(3)), LinAlgError, "of one shape", when="run"),
                   Raises((np.eye(2), np.ones((2, 2, 2))), TypeError, "as many dimensions"),
                   Raises((np.eye(2),), ValueError, "True or False as lower, got 'no'",
                          kwargs={"lower": "no"})]),
    OpSpec(pair_facts, pair_of, name="eigh_of_pair",
           cases=[Case(draw(3, 3), positive(3, 3), id="matrix"),
                  Case(draw(2, 2), positive(2, 2), id="smaller"),
                  Case(draw(2, 2, 2), positive(2, 2, 2), id="stack"),
                  Case(draw(2, 2, dtype="complex128"), positive(2, 2, dtype="complex128"),
                       id="complex")]),
    *[OpSpec(EighGrad(side), lambda *args, side=side: eigh_grad_of(*args, UPLO=side),
             name=f"EighGrad_{side}",
             grad="none: gradients are made of differentiable ops instead",
             cases=[Case(x, *np.linalg.eigh(x), gw, gv, id=name) for name, x, gw, gv in
                    [("matrix", SYMMETRIC, draw(3), draw(3, 3)),
                     ("larger", positive(4, 4), draw(4), draw(4, 4)),
                     ("stack", positive(2, 3, 3), draw(2, 3), draw(2, 3, 3))]],
             errors=[Raises((draw(2, 2), draw(2, 2), draw(2, 2), draw(2), draw(2, 2)), TypeError,
                            "takes vectors of eigenvalues")])
      for side in "LU"],
    *[OpSpec(EigvalshGrad(lower), lambda *args, lower=lower: eigvalsh_grad_of(*args, lower=lower),
             name=f"EigvalshGrad_{lower}", rtol=1e-11,
             grad="none: gradients are made of differentiable ops instead",
             cases=[Case(draw(3, 3), positive(3, 3), draw(3), id="matrix"),
                    Case(draw(2, 2), positive(2, 2), draw(2), id="smaller"),
                    Case(draw(2, 3, 3), positive(2, 3, 3), draw(2, 3), id="stack")],
             errors=[Raises((draw(2, 2), draw(2, 2), draw(2, 2)), TypeError,
                            "takes two matrices and a vector")])
      for lower in (True, False)],
    OpSpec(eig_facts, eig_of, name="eig",
           cases=[Case(apart(3, 3), id="matrix"),
                  Case(apart(4, 4), id="larger"),
                  Case(apart(2, 3, 3), id="stack"),
                  Case(apart(3, 3, dtype="float32"), id="float32"),
                  Case(draw(3, 3, dtype="complex128"), id="complex"),
                  Case(np.array([[2, 1], [3, 7]], "int64"), id="int64"),
                  Case(np.zeros((0, 0)), id="empty")],
           errors=[LONG, VECTOR, *NOT_FINITE,
                   Raises(np.array([[0.0, 1.0], [-1.0, 0.0]]), LinAlgError,
                          "real eigenvalues.*cast the matrix to complex128", when="run")]),
    OpSpec(lengths, lambda x: np.ones(x.shape[:-1], out_dtype(x).type(0).real.dtype),
           name="eig_lengths", grad="none: constant",
           cases=[Case(apart(3, 3), id="matrix"), Case(apart(2, 2), id="smaller"),
                  Case(draw(3, 3, dtype="complex128"), id="complex")]),
    OpSpec(singular_orthonormal, lambda x: [eyes(x, x.shape[-2]), eyes(x)],
           name="svd_orthonormal", cases=RECTANGLES[1::2], grad="none: constant"),
    OpSpec(svd_facts, svd_of, name="svd", cases=RECTANGLES, errors=[VECTOR, *NOT_FINITE]),
    OpSpec(lambda x: svd_facts(x, 0), lambda x: svd_of(x, 0), name="svd_reduced",
           cases=[*RECTANGLES[:5], *RECTANGLES[-2:]], errors=NOT_FINITE),
    OpSpec(lambda x: G.svd(x, compute_uv=0), lambda x: svd_of(x)[0], name="svd_values",
           cases=[*RECTANGLES, Case(np.zeros((0, 3)), id="no_rows")],
           errors=[VECTOR, *NOT_FINITE]),
]
# fmt: on


@pytest.mark.parametrize("engine", ENGINES)
def test_nan_goes_through_eigh(engine):
    x = T.dmatrix()
    w, v = theano.function([x], S.eigh(x), mode=Mode(engine, None))(np.full((2, 2), np.nan))
    assert np.isnan(w).all() and np.isnan(v).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_imaginary_parts_that_rounding_made_are_dropped(engine):
    # the eigenvalue 1 twice, which rounding turns into a pair of conjugates
    given = np.array([[1.0, 1.0], [-1e-18, 1.0]])
    assert np.linalg.eigvals(given).dtype == complex
    x = T.dmatrix()
    w, _ = theano.function([x], S.eig(x), mode=Mode(engine, None))(given)
    assert w.dtype == "float64" and np.allclose(w, 1)


@pytest.mark.parametrize("engine", ENGINES)
def test_empty_matrices_have_empty_factors(engine):
    x = T.dmatrix()
    f = theano.function([x], [*G.svd(x), *G.svd(x, 0)], mode=Mode(engine, None))
    shapes = [y.shape for y in f(np.zeros((0, 3)))]
    assert shapes == [(0, 0), (0,), (3, 3), (0, 0), (0,), (0, 3)]


@pytest.mark.parametrize("engine", ENGINES)
def test_eigenvalues_that_are_equal_have_gradients_and_eigenvectors_do_not(engine):
    x = T.dmatrix()
    w, v = S.eigh(x)
    gw, gv = T.grad(T.sum(w**2), x), T.grad(T.sum(v**3), x)
    f, g = (theano.function([x], y, mode=Mode(engine, None)) for y in (gw, gv))
    assert np.allclose(f(np.eye(3)), 2 * np.eye(3))
    with np.errstate(all="ignore"):
        assert not np.isfinite(g(np.eye(3))).all()


@pytest.mark.parametrize("shape", [(LARGE, LARGE + 10), (LARGE + 10, LARGE)])
def test_large_matrices_are_made_of_their_singular_values(shape):
    x = T.zmatrix()
    f = theano.function([x], [*G.svd(x, 0), G.svd(x, compute_uv=0)], mode=Mode("numpy"))
    columns = [np.linalg.qr(rng.normal(size=(n, LARGE)))[0] for n in shape]
    want = np.linspace(3, 1, LARGE)
    value = 1j * (columns[0] * want) @ columns[1].T
    u, s, vt, alone = f(value)
    np.testing.assert_allclose(s, want, rtol=1e-13)
    np.testing.assert_allclose(alone, want, rtol=1e-13)
    np.testing.assert_allclose((u * s) @ vt, value, atol=1e-13)
    value[0, 0] = np.nan
    with pytest.raises(np.linalg.LinAlgError, match="takes finite numbers"):
        f(value)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_singular_square_matrix_has_gradients_of_its_singular_vectors(engine):
    x = T.dmatrix()
    u, _, vt = G.svd(x)
    cost = T.sum(abs(u)) + T.sum(abs(vt))
    g = theano.function([x], T.grad(cost, x), mode=Mode(engine, None))
    assert np.isfinite(g(np.array([[2.0, 1.0], [4.0, 2.0]]))).all()


def test_only_one_triangle_has_a_gradient():
    x = T.dmatrix()
    for UPLO, other in (("L", np.triu), ("U", np.tril)):
        w, v = S.eigh(x, UPLO)
        g = T.grad(T.sum(w**3) + T.sum(v**3), x).eval({x: SYMMETRIC})
        assert not np.any(other(g, 1 if UPLO == "L" else -1))
        assert np.all(g[(1, 0) if UPLO == "L" else (0, 1)])


def test_the_gradient_is_that_of_the_older_op():
    x, gw, gv = T.dmatrix(), draw(3), draw(3, 3)
    w, v = S.eigh(x)
    ours = T.grad(T.sum(w * gw) + T.sum(v * gv), x)
    older = EighGrad("L")(x, w, v, gw, gv)
    a, b = theano.function([x], [ours, older])(SYMMETRIC)
    assert np.allclose(a, b, rtol=1e-12)


def test_printed_forms_are_the_documented_ones():
    # as Theano 1.0.5 prints them
    x = T.dmatrix()
    assert str(S.eig(x)[0].owner.op) == "Eig"
    assert str(S.eigh(x, "U")[0].owner.op) == "Eigh{UPLO='U'}"
    assert str(S.eigvalsh(x, x).owner.op) == "Eigvalsh{lower=True}"
    assert str(G.svd(x)[0].owner.op) == "SVD{full_matrices=1, compute_uv=1}"
    assert str(G.SVD()) == "SVD{full_matrices=True, compute_uv=True}"


test_ops = spec_tests(SPECS)
