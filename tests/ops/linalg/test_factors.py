"""QR factors, matrix exponentials, Kronecker products and norms: written out; what is refused."""

from __future__ import annotations

import math
from functools import partial

import mpmath
import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.ops.linalg.matrices import DIGITS, drawn, each, exact, out_dtype, rounded
from theano._src.ops.linalg import expm as E, factors as F
from theano._src.ops.linalg.matrix_stacks import adjoint
from theano.compile.mode import Mode
from theano.testing import Case, OpSpec, Raises, evaluate, spec_tests

rng = np.random.default_rng(29)
draw = partial(drawn, rng)
LinAlgError = np.linalg.LinAlgError
ENGINES = [pytest.param("numpy"), pytest.param("xla", marks=pytest.mark.xla)]


# QR


def householder(m):
    """Reflectors one column at a time, with LAPACK's signs: its array h, tau, all of q, and r."""
    rows, columns = m.shape
    h = m.astype(np.result_type(m.dtype, "float64"))
    q = np.eye(rows, dtype=h.dtype)
    tau = np.zeros(min(rows, columns), h.dtype)
    for k in range(len(tau)):
        alpha, below = h[k, k], h[k + 1 :, k].copy()
        length = math.sqrt(math.fsum(abs(n) ** 2 for n in (alpha, *below)))
        if not np.any(below) and alpha.imag == 0:
            continue
        beta = -math.copysign(length, alpha.real)
        tau[k] = (beta - alpha) / beta
        v = np.concatenate([[1], below / (alpha - beta)])
        h[k:, k:] -= np.conj(tau[k]) * np.outer(v, v.conj() @ h[k:, k:])
        q[:, k:] -= tau[k] * np.outer(q[:, k:] @ v, v.conj())
        h[k + 1 :, k] = v[1:]
    return h, tau, q, np.triu(h)


def qr_of(x, mode="reduced"):
    dtype = out_dtype(x)

    def one(m):
        h, tau, q, r = householder(m)
        k = len(tau)
        made = {
            "reduced": (q[:, :k], r[:k]),
            "complete": (q, r),
            "r": (r[:k],),
            "raw": (h.T, tau),
            "economic": (h,),
        }[{"full": "reduced", "f": "reduced", "e": "economic"}.get(mode, mode)]
        # r is exactly 0 under its diagonal
        return tuple(y.astype(dtype) for y in made)

    return list(each(one, x, own=[2]))


RECTANGLES = [
    ("square", draw(3, 3)),
    ("tall", draw(4, 2)),
    ("wide", draw(2, 4)),
    ("stack", draw(2, 3, 2)),
    ("stack_of_stacks", draw(2, 1, 2, 3)),
    ("one_number", draw(1, 1)),
    ("float32", draw(3, 2, dtype="float32")),
    ("complex", draw(3, 2, dtype="complex128")),
    ("int64", np.array([[1, 2], [3, 5], [7, 1]])),
    ("no_columns", np.zeros((3, 0))),
    ("no_rows", np.zeros((0, 3))),
]
VECTOR = Raises(draw(3), TypeError, "takes a matrix, or a stack of matrices")
LONG = Raises(draw(2, 3), LinAlgError, "takes square matrices, got shape \\(2, 3\\)", when="run")


FREE = {"tall": "two columns of q are free", "complex": "the phase of a column of q is free"}


def rectangles(mode):
    made = []
    for name, x in RECTANGLES:
        free = FREE.get(name) if mode == "complete" else None
        grad = free and f"none: {free}"
        made.append(Case(x, kwargs={"mode": mode}, id=name, grad=grad))
    return made


def projector(x):
    """On what the columns of x do not span."""
    q = F.qr(x, "complete")[0][..., x.shape[-1] :]
    return T.matmul(q, adjoint(q))


def projector_of(x):
    def one(m):
        with mpmath.workdps(DIGITS):
            m = exact(m)
            return rounded(mpmath.eye(m.rows) - m * (m.H * m) ** -1 * m.H, out_dtype(x))

    return each(one, x, own=[2])


# the matrix exponential


def expm_of(x):
    dtype = out_dtype(x)

    def one(m):
        with mpmath.workdps(DIGITS):
            return rounded(mpmath.expm(exact(m), method="taylor"), dtype) if m.size else m

    return each(one, x, own=[2])


def expm_grad_of(x, g):
    """The sum of h^j g h^(k-1-j) / k! over j < k and all k, where h is the adjoint of x."""
    dtype = out_dtype(x, g)

    def one(x, g):
        with mpmath.workdps(DIGITS):
            h, g = exact(x.conj().T), exact(g)
            total, power, term = g * 0, mpmath.eye(h.rows), g * 0
            for k in range(1, 80):
                # term is the sum over j of h^j g h^(k-1-j)
                term = term * h + power * g
                power = power * h
                total += term / mpmath.factorial(k)
            return rounded(total, dtype)

    return each(one, x, g, own=[2, 2])


SQUARES = [
    Case(draw(3, 3), id="matrix"),
    Case(draw(2, 2) * 5, id="large_numbers"),
    Case(draw(1, 2, 2, 2), broadcastable={0: (True, False, False, False)}, id="stack_of_stacks"),
    Case(draw(3, 3, dtype="float32"), id="float32"),
    Case(draw(2, 2, dtype="complex128"), id="complex"),
    Case(np.array([[1, 2], [-1, 2]]), id="int64"),
    Case(np.zeros((0, 0)), id="empty"),
]


# Kronecker products and norms


def kron_of(a, b):
    """Element by element: the dimensions 0 and 2 of all products are joined, and 1 and 3."""
    both = np.multiply.outer(a, b)
    if both.ndim == 3:
        n, m, k = both.shape
        return np.array([both[i, j, l] for j, i, l in np.ndindex(m, n, k)])
    n, m, k, l = both.shape[:4]
    out = np.zeros((n * k, m * l, *both.shape[4:]), both.dtype)
    for at in np.ndindex(*both.shape):
        out[(at[0] * k + at[2], at[1] * l + at[3], *at[4:])] = both[at]
    return out


NAMED = {math.inf: "inf", -math.inf: "-inf"}


def vector_norm_of(x, ord=None, axis=None, keepdims=False):
    def one(line):
        sizes = [abs(n) for n in line.tolist()]
        match NAMED.get(ord, ord):
            case None:
                return math.sqrt(math.fsum(n * n for n in sizes))
            case "inf":
                return max(sizes)
            case "-inf":
                return min(sizes)
            case 0:
                return sum(n != 0 for n in sizes)
        return math.fsum(n**ord for n in sizes) ** (1 / ord)

    dtype = "float64" if x.dtype.kind == "i" else np.empty(0, x.dtype).real.dtype
    dtype = "int64" if ord == 0 else dtype
    if axis is None:
        return np.asarray(one(x.reshape(-1)), dtype).reshape((1,) * (x.ndim * keepdims))
    lines = np.moveaxis(x, axis, -1)
    made = np.array([one(lines[at]) for at in np.ndindex(*lines.shape[:-1])], dtype)
    made = made.reshape(lines.shape[:-1])
    return np.expand_dims(made, axis) if keepdims else made


def matrix_norm_of(x, ord=None, axis=(0, 1), keepdims=False):
    def one(m):
        sizes = np.abs(m)
        rows = [math.fsum(line) for line in sizes.tolist()]
        columns = [math.fsum(line) for line in sizes.T.tolist()]
        match NAMED.get(ord, ord):
            case None | "fro":
                return math.sqrt(math.fsum((sizes**2).ravel().tolist()))
            case 1:
                return max(columns)
            case -1:
                return min(columns)
            case "inf":
                return max(rows)
            case "-inf":
                return min(rows)
        with mpmath.workdps(DIGITS):
            s = [float(n) for n in mpmath.svd(exact(m), compute_uv=False)]
            return {2: max(s), -2: min(s), "nuc": sum(s)}[ord]

    moved = np.moveaxis(x, axis, (-2, -1))
    dtype = np.empty(0, x.dtype).real.dtype
    made = np.array([one(moved[at]) for at in np.ndindex(*moved.shape[:-2])], dtype)
    made = made.reshape(moved.shape[:-2])
    return np.expand_dims(made, axis) if keepdims else made


V, M, T3 = draw(4), draw(3, 2), draw(2, 3, 2)
MATRIX_ORDERS = (None, "fro", "nuc", 1, -1, 2, -2, "inf", "-inf", np.inf, -np.inf)

# fmt: off
SPECS = [
    *[OpSpec(F.qr, qr_of, name=f"qr_{mode}", cases=rectangles(mode), rtol=1e-11,
             errors=[VECTOR] if mode == "reduced" else [])
      for mode in ("reduced", "complete", "r")],
    OpSpec(projector, projector_of, name="qr_rest",
           cases=[Case(draw(4, 2), id="tall"), Case(draw(5, 2), id="taller"),
                  Case(draw(2, 4, 2), id="stack"),
                  Case(draw(3, 1, dtype="complex128"), id="complex")]),
    OpSpec(lambda x: F.qr(x, "raw"), lambda x: qr_of(x, "raw"), name="qr_raw", rtol=1e-11,
           cases=[Case(x, id=name) for name, x in RECTANGLES],
           grad="none: LAPACK's own form of the factors"),
    OpSpec(lambda x: F.qr(x, "e"), lambda x: qr_of(x, "economic")[0], name="qr_economic",
           rtol=1e-11, cases=[Case(x, id=name) for name, x in RECTANGLES[:4]],
           grad="none: LAPACK's own form of the factors"),
    OpSpec(E.expm, expm_of, name="expm", cases=SQUARES, rtol=1e-11, errors=[LONG, VECTOR]),
    OpSpec(E.ExpmGrad(), expm_grad_of, name="ExpmGrad", rtol=1e-11,
           cases=[Case(draw(3, 3), draw(3, 3), id="matrix"),
                  Case(draw(2, 2), draw(2, 2) * 1e6, id="long_direction"),
                  Case(draw(2, 2), np.zeros((2, 2)), id="no_direction"),
                  Case(draw(2, 2, 2), draw(2, 2, 2), id="stack"),
                  Case(draw(2, 2, dtype="complex128"), draw(2, 2, dtype="complex128"),
                       id="complex"),
                  Case(np.eye(2), draw(2, 2), id="equal_eigenvalues")],
           errors=[Raises((draw(2, 2), draw(2, 2, 2)), TypeError, "as many dimensions"),
                   Raises((draw(2, 2), draw(3, 3)), ValueError, "of one shape", when="run")]),
    OpSpec(F.kron, kron_of, name="kron",
           cases=[Case(draw(2, 3), draw(3, 2), id="matrices"),
                  Case(draw(2, 2), draw(3), id="matrix_vector"),
                  Case(draw(3), draw(2, 2), id="vector_matrix"),
                  Case(draw(2, 2, 2), draw(2, 3), id="3d_matrix"),
                  Case(draw(2, 3), draw(2, 3, 2), id="matrix_3d"),
                  Case(draw(3), draw(2, 3, 2), id="vector_3d"),
                  Case(draw(2, 3, 2), draw(2, 2, 3), id="3d_3d"),
                  Case(draw(2, 3, dtype="float32"), np.array([[1, 2]], "int8"), id="float32_int8"),
                  Case(draw(2, 0), draw(3, 2), id="empty")],
           errors=[Raises((draw(3), draw(2)), TypeError, "must sum to 3 or more, got 1 and 1")]),
    OpSpec(F.norm, vector_norm_of, name="norm_of_vectors",
           cases=[*[Case(V, kwargs={"ord": ord}, id=f"ord_{ord}".replace("-", "minus"))
                    for ord in (None, 1, 2, 3, 2.5, -1, "inf", "-inf", np.inf)],
                  Case(np.array([0.0, 2.0, -3.0]), kwargs={"ord": 0}, id="count",
                       grad="none: a count"),
                  Case(T3, id="all_elements"),
                  Case(T3, kwargs={"keepdims": True}, id="all_elements_kept"),
                  Case(T3, kwargs={"ord": 3, "axis": 1}, id="along"),
                  Case(T3, kwargs={"axis": -1, "keepdims": True}, id="along_kept"),
                  Case(draw(3, dtype="float32"), id="float32"),
                  Case(draw(3, dtype="float32"), kwargs={"ord": 3}, id="float32_ord_3"),
                  Case(draw(3, dtype="complex128"), id="complex"),
                  Case(np.array([3, 4]), id="int64")],
           errors=[Raises(np.float64(2), ValueError, "'axis' entry is out of bounds"),
                   Raises(V, ValueError, "Invalid norm order for vectors", kwargs={"ord": "fro"}),
                   Raises(V, ValueError, "'axis' entry is out of bounds", kwargs={"axis": 1})]),
    OpSpec(F.norm, matrix_norm_of, name="norm_of_matrices",
           cases=[*[Case(M, kwargs={"ord": ord}, id=f"ord_{ord}".replace("-", "minus"))
                    for ord in MATRIX_ORDERS],
                  Case(draw(2, 2), kwargs={"ord": 2}, id="square"),
                  Case(T3, kwargs={"ord": 2, "axis": (0, 2)}, id="along"),
                  Case(T3, kwargs={"ord": 1, "axis": (2, 1), "keepdims": True}, id="along_kept"),
                  Case(draw(2, 2, dtype="complex128"), kwargs={"ord": "fro"}, id="complex")],
           errors=[Raises(M, ValueError, "Invalid norm order for matrices", kwargs={"ord": 3}),
                   Raises(T3, NotImplementedError, "norm with ndim > 2", kwargs={"ord": 1}),
                   Raises(T3, ValueError, "one axis or two different", kwargs={"axis": (1, 1)})]),
    OpSpec(F.diag, np.diag, name="diag_of_nlinalg",
           cases=[Case(V, id="vector"), Case(draw(2), id="shorter"), Case(M, id="matrix"),
                  Case(np.array([[1, 2], [3, 4]], "int8"), id="int8")],
           errors=[Raises(T3, TypeError, "diag requires vector or matrix argument"),
                   Raises(np.float64(1), TypeError, "diag requires vector or matrix argument")]),
]
# fmt: on


@pytest.mark.parametrize(
    ("a", "b", "wanted"),
    [
        # as Theano 1.0.5 answers
        ((3,), (2, 2), [1, 2, 2, 4, 3, 6, 3, 4, 6, 8, 9, 12]),
        ((2, 2), (3,), [1, 2, 3, 3, 6, 9, 2, 4, 6, 4, 8, 12]),
        ((), (2, 2, 2), [1, 2, 5, 6, 3, 4, 7, 8]),
    ],
)
def test_kron_of_three_dimensions_is_flat(a, b, wanted):
    left, right = (np.arange(1.0, 1 + math.prod(n)).reshape(n) for n in (a, b))
    assert evaluate([F.kron(left, right)], {})[0].tolist() == wanted


@pytest.mark.parametrize(
    ("mode", "shapes"),
    [
        ("reduced", [(4, 3), (3, 3)]),
        ("full", [(4, 3), (3, 3)]),
        ("f", [(4, 3), (3, 3)]),
        ("complete", [(4, 4), (4, 3)]),
        ("r", [(3, 3)]),
        ("raw", [(3, 4), (3,)]),
        ("economic", [(4, 3)]),
        ("e", [(4, 3)]),
    ],
)
def test_qr_has_the_shapes_of_its_mode(mode, shapes):
    x = T.dmatrix()
    made = F.qr(x, mode)
    made = made if isinstance(made, list) else [made]
    assert [y.eval({x: np.ones((4, 3)) + np.eye(4, 3)}).shape for y in made] == shapes
    inferred = theano.function([x], [y.shape for y in made])(np.ones((4, 3)))
    assert [tuple(n) for n in inferred] == shapes


def test_an_unknown_mode_of_qr_is_refused():
    with pytest.raises(ValueError, match=r"takes one of .* as mode, got 'thin'"):
        F.qr(T.dmatrix(), "thin")


def test_the_raw_form_of_qr_has_no_gradient():
    x = T.dmatrix()
    with pytest.raises(theano.gradient.NullTypeGradError, match="use 'reduced'"):
        T.grad(F.qr(x, "raw")[0].sum(), x)


def test_printed_forms_are_the_documented_ones():
    # as Theano 1.0.5 prints them
    x = T.dmatrix()
    assert str(F.qr(x)[0].owner.op) == "QRFull{mode='reduced'}"
    assert str(F.qr(x, "r").owner.op) == "QRIncomplete{mode='r'}"
    assert str(E.expm) == "Expm"


@pytest.mark.parametrize("engine", ENGINES)
def test_the_exponential_of_a_stiff_matrix_is_right(engine):
    # the slow eigenvalue is what is left; the fast one needs 24 squarings, which double the error
    x, turn = T.dmatrix(), np.array([[0.6, 0.8], [-0.8, 0.6]])
    f = theano.function([x], E.expm(x), mode=Mode(engine, None))
    wanted = math.exp(-1) * np.outer(turn[:, 1], turn[:, 1])
    made = f(turn @ np.diag([-1e8, -1.0]) @ turn.T)
    assert np.allclose(made, wanted, rtol=1e8 * np.finfo("float64").eps, atol=0)


@pytest.mark.parametrize("engine", ENGINES)
def test_nan_goes_through_qr_and_the_exponential(engine):
    x = T.dmatrix()
    f = theano.function([x], [*F.qr(x), E.expm(x)], mode=Mode(engine, None))
    for y in f(np.full((2, 2), np.nan)):
        assert np.isnan(y).any()


test_ops = spec_tests(SPECS)
