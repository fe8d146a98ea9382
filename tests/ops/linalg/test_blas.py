"""Scaled and accumulated products: values by loops, memory, layouts, NaN, and what they refuse."""

from __future__ import annotations

import itertools
import subprocess
import sys

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.graph.op import perform_of
from theano._src.ground.errors import InconsistencyError
from theano._src.ops.linalg import blas as B, scipy_blas as F
from theano._src.ops.linalg.blas import LARGE, Gemm, Gemv, Ger
from theano._src.ops.shape.alloc import AllocEmpty
from theano.testing import Case, OpSpec, Raises, spec_tests

rng = np.random.default_rng(5)
FLOATS = ["float16", "float32", "float64", "complex64", "complex128"]


def draw(*shape, dtype="float64"):
    made = rng.uniform(-1, 1, shape)
    if np.dtype(dtype).kind == "c":
        made = made + 1j * rng.uniform(-1, 1, shape)
    return np.asarray(made, dtype)


def dot_loop(x, y):
    """One element at a time."""
    out = np.zeros((x.shape[0], y.shape[1]), x.dtype)
    for i, j in np.ndindex(*out.shape):
        total = out.dtype.type(0)
        for k in range(x.shape[1]):
            total = total + x[i, k] * y[k, j]
        out[i, j] = total
    return out


def gemm_loop(z, a, x, y, b):
    out = dot_loop(x, y)
    for at in np.ndindex(*out.shape):
        out[at] = b * z[at] + a * out[at]
    return out


def gemv_loop(y, a, A, x, b):
    return gemm_loop(y[:, None], a, A, x[:, None], b)[:, 0]


def ger_loop(A, a, x, y):
    return gemm_loop(A, a, x[:, None], y[None, :], A.dtype.type(1))


def number(value, dtype="float64"):
    return np.asarray(value, dtype)


LAYOUTS = {
    "rows": lambda m: m,
    "columns": lambda m: np.asfortranarray(m),
    "every_second": lambda m: np.repeat(np.repeat(m, 2, 0), 2, 1)[::2, ::2],
    "reversed": lambda m: m[::-1, ::-1].copy()[::-1, ::-1],
}

WRONG = r"takes inputs of one floating-point dtype, got float64, float32"

SPECS = [
    OpSpec(
        B._dot22,
        dot_loop,
        name="dot22",
        cases=[
            *[Case(draw(2, 3, dtype=d), draw(3, 4, dtype=d), id=d) for d in FLOATS],
            Case(draw(3, 2).T, draw(4, 3).T, id="transposed"),
            Case(draw(0, 3), draw(3, 4), id="no_rows"),
            Case(draw(2, 0), draw(0, 4), id="nothing_to_sum"),
            Case(draw(1, 3), draw(3, 2), broadcastable={0: (True, False)}, id="row"),
        ],
        errors=[
            Raises((draw(3), draw(3, 2)), TypeError, "Dot22 takes a matrix as input 0, got"),
            Raises((draw(2, 3), draw(3, 2, dtype="float32")), TypeError, WRONG),
            Raises(
                (np.ones((2, 3), "int64"), np.ones((3, 2), "int64")),
                TypeError,
                "one floating-point dtype, got int64, int64",
            ),
            Raises(
                (draw(2, 3), draw(4, 2)),
                ValueError,
                r"Shape mismatch: x has 3 cols \(and 2 rows\) but y has 4 rows \(and 2 cols\)",
                when="run",
            ),
        ],
    ),
    OpSpec(
        B._dot22scalar,
        lambda x, y, a: a * dot_loop(x, y),
        name="dot22scalar",
        cases=[
            *[Case(draw(2, 3, dtype=d), draw(3, 4, dtype=d), number(0.5, d), id=d) for d in FLOATS],
            Case(draw(2, 3), draw(3, 4), number(-1.0), static=(2,), id="constant"),
        ],
        errors=[
            Raises((draw(2, 3), draw(3, 2), draw(3)), TypeError, "a scalar as input 2"),
            Raises((draw(2, 3), draw(2, 3), 1.0), ValueError, "Shape mismatch", when="run"),
        ],
    ),
    OpSpec(
        B.gemm,
        gemm_loop,
        name="gemm",
        cases=[
            *[
                Case(
                    draw(2, 4, dtype=d),
                    number(0.5, d),
                    draw(2, 3, dtype=d),
                    draw(3, 4, dtype=d),
                    number(-0.25, d),
                    id=d,
                )
                for d in FLOATS
            ],
            *[
                Case(
                    draw(2, 4),
                    number(a),
                    draw(2, 3),
                    draw(3, 4),
                    number(b),
                    static=(1, 4),
                    id=f"{a}_{b}",
                )
                for a, b in itertools.product([1.0, -1.0, 0.5], [0.0, 1.0, 2.0])
            ],
            Case(draw(2, 4), 2.0, draw(2, 0), draw(0, 4), 0.5, id="nothing_to_sum"),
            Case(draw(0, 4), 2.0, draw(0, 3), draw(3, 4), 0.5, id="no_rows"),
        ],
        errors=[
            Raises((draw(2), 1.0, draw(2, 3), draw(3, 4), 1.0), TypeError, "a matrix as input 0"),
            Raises(
                (draw(2, 4), 1.0, draw(2, 3), draw(3, 4), draw(1)), TypeError, "a scalar as input 4"
            ),
            Raises(
                (draw(1, 4), 1.0, draw(2, 3), draw(3, 4), 1.0),
                ValueError,
                "x has 2 rows but z has 1 rows",
                when="run",
            ),
            Raises(
                (draw(2, 1), 1.0, draw(2, 3), draw(3, 4), 1.0),
                ValueError,
                "y has 4 cols but z has 1 cols",
                when="run",
            ),
            Raises(
                (draw(2, 4), 1.0, draw(2, 3), draw(2, 4), 1.0),
                ValueError,
                r"x has 3 cols \(and 2 rows\) but y has 2 rows",
                when="run",
            ),
        ],
    ),
    OpSpec(
        B.gemv,
        gemv_loop,
        name="gemv",
        cases=[
            *[
                Case(
                    draw(2, dtype=d),
                    number(0.5, d),
                    draw(2, 3, dtype=d),
                    draw(3, dtype=d),
                    number(-0.25, d),
                    id=d,
                )
                for d in FLOATS
            ],
            *[
                Case(
                    draw(2), number(a), draw(2, 3), draw(3), number(b), static=(1, 4), id=f"{a}_{b}"
                )
                for a, b in [(1.0, 0.0), (2.0, 0.0), (1.0, 1.0), (-1.0, 1.0), (0.5, 2.0)]
            ],
            Case(draw(2), 2.0, draw(3, 2).T, draw(3), 0.5, id="transposed"),
            Case(draw(4)[::2], 2.0, draw(4, 6)[::2, ::-2], draw(6)[::2], 0.5, id="strided"),
            Case(draw(2), 2.0, draw(2, 0), draw(0), 0.5, id="nothing_to_sum"),
        ],
        errors=[
            Raises((draw(2), 1.0, draw(2), draw(3), 1.0), TypeError, "a matrix as input 2"),
            Raises(
                (draw(1), 1.0, draw(2, 3), draw(3), 1.0),
                ValueError,
                r"A has 2 rows \(and 3 cols\) but y has 1 elements",
                when="run",
            ),
        ],
    ),
    OpSpec(
        B.ger,
        ger_loop,
        name="ger",
        cases=[
            *[
                Case(
                    draw(2, 3, dtype=d),
                    number(0.5, d),
                    draw(2, dtype=d),
                    draw(3, dtype=d),
                    id=d,
                )
                for d in FLOATS
            ],
            Case(draw(2, 3), number(1.0), draw(2), draw(3), static=(1,), id="plain"),
        ],
        errors=[
            Raises((draw(2, 3), 1.0, draw(2), draw(2, 3)), TypeError, "a vector as input 3"),
            Raises(
                (draw(2, 3), 1.0, draw(3), draw(3)),
                ValueError,
                "A has 2 rows and 3 cols, but x has 3 elements and y has 3",
                when="run",
            ),
        ],
    ),
]


def run_node(op, values, constants=()):
    """What a node gives for these values, some of them constants of the graph."""
    ins = [
        T.constant(v) if i in constants else T.TensorType(v.dtype.name, (False,) * v.ndim)()
        for i, v in enumerate(values)
    ]
    node = op.make_node(*ins)
    cells = [[None]]
    perform_of(op)(node, list(values), cells)
    return cells[0][0]


def agree(made, expected):
    """Equal, but for the rounding of five products and their sum."""
    assert made.dtype == expected.dtype
    bound = 8 * np.finfo(made.dtype).eps
    np.testing.assert_allclose(made, expected, rtol=bound, atol=bound)


BIG = int(LARGE**0.5) + 1


@pytest.mark.parametrize("inplace", [True, False])
@pytest.mark.parametrize("dtype", FLOATS[1:])
@pytest.mark.parametrize("z_layout", LAYOUTS)
@pytest.mark.parametrize(
    ("x_layout", "y_layout"), [("rows", "columns"), ("columns", "every_second"), ("reversed",) * 2]
)
def test_large_products_are_right_in_every_layout(inplace, dtype, z_layout, x_layout, y_layout):
    z, x, y = (
        draw(BIG, BIG + 3, dtype=dtype),
        draw(BIG, 5, dtype=dtype),
        draw(5, BIG + 3, dtype=dtype),
    )
    a, b = number(0.5, dtype), number(-0.25, dtype)
    if np.dtype(dtype).kind == "c":
        a = number(0.5 - 0.25j, dtype)
    expected = b * z + a * np.einsum("ik,kj->ij", x, y)
    given = [LAYOUTS[z_layout](z), a, LAYOUTS[x_layout](x), LAYOUTS[y_layout](y), b]
    before = [v.copy() for v in given]
    made = run_node(Gemm(inplace), given)
    agree(made, expected)
    for v, old in [*zip(given, before, strict=True)][int(inplace) :]:
        np.testing.assert_array_equal(v, old)
    if inplace and z_layout in ("rows", "columns"):
        assert made is given[0]


@pytest.mark.parametrize("dtype", FLOATS[1:])
@pytest.mark.parametrize(("x_layout", "y_layout"), [*itertools.product(LAYOUTS, repeat=2)])
def test_large_scaled_products_are_right_in_every_layout(dtype, x_layout, y_layout):
    x, y, a = draw(BIG, 5, dtype=dtype), draw(5, BIG + 3, dtype=dtype), number(0.5, dtype)
    made = run_node(B._dot22scalar, [LAYOUTS[x_layout](x), LAYOUTS[y_layout](y), a])
    agree(made, a * np.einsum("ik,kj->ij", x, y))
    assert made.flags.c_contiguous
    with pytest.raises(ValueError, match="x has 5 cols"):
        run_node(B._dot22scalar, [x, y[:4], a])
    nan = np.full((5, BIG + 3), np.nan, dtype)
    assert np.isnan(run_node(B._dot22scalar, [x, nan, number(0.0, dtype)])).all()


@pytest.mark.parametrize("inplace", [True, False])
@pytest.mark.parametrize("dtype", FLOATS[1:])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_large_updates_of_rank_one_are_right_in_every_layout(inplace, dtype, layout):
    A, x, y = (
        draw(BIG, BIG + 3, dtype=dtype),
        draw(2 * BIG, dtype=dtype)[::2],
        draw(BIG + 3, dtype=dtype),
    )
    a = number(0.5, dtype)
    expected = A + a * x[:, None] * y
    given = [LAYOUTS[layout](A), a, x, y]
    before = given[0].copy()
    made = run_node(Ger(inplace), given)
    agree(made, expected)
    if not inplace:
        np.testing.assert_array_equal(given[0], before)
    elif layout in ("rows", "columns"):
        assert made is given[0]


@pytest.mark.parametrize("op", [Gemm(True), Gemm(False), Gemv(True), Gemv(False)], ids=str)
@pytest.mark.parametrize("n", [3, BIG])
def test_with_a_constant_zero_the_first_input_is_not_read(op, n):
    shape = (n, n) if isinstance(op, Gemm) else (n,)
    z, x, y = np.full(shape, np.nan), draw(n, n), draw(*shape)
    made = run_node(op, [z, number(2.0), x, y, number(0.0)], constants=(4,))
    np.testing.assert_allclose(made, 2 * np.einsum("ik,k...->i...", x, y), rtol=1e-10, atol=1e-13)
    assert (made is z) == op.inplace


@pytest.mark.parametrize("n", [3, BIG])
def test_a_factor_that_happens_to_be_zero_does_not_hide_a_nan(n):
    nan, fine = np.full((n, n), np.nan), draw(n, n)
    zero, one = number(0.0), number(1.0)
    assert np.isnan(run_node(Gemm(False), [nan, one, fine, fine, zero])).all()
    assert np.isnan(run_node(Gemm(False), [fine, zero, nan, fine, one])).all()
    assert np.isnan(run_node(Gemv(False), [nan[0], one, fine, fine[0], zero])).all()
    assert np.isnan(run_node(Ger(False), [fine, zero, nan[0], fine[0]])).all()


@pytest.mark.parametrize("linker", ["numpy", "xla"])
def test_a_buffer_of_nothing_gives_memory_alone(linker):
    A, x = T.dmatrix(), T.dvector()
    y = B.gemv(AllocEmpty("float64")(A.shape[0]), 2.0, A, x, 0.0)
    f = theano.function([A, x], y, mode=theano.Mode(linker, optimizer=None))
    assert f([[1, 2], [3, 4]], [1, 10]).tolist() == [42, 86]


def test_what_cannot_be_written_is_left_alone():
    z = np.broadcast_to(np.ones(3), (2, 3))
    made = run_node(Gemm(True), [z, number(1.0), draw(2, 2), np.zeros((2, 3)), number(2.0)])
    assert (made == 2).all() and (z == 1).all()


def test_writing_into_what_is_read_is_refused():
    z, v = T.dmatrix(), T.dvector()
    with pytest.raises(InconsistencyError, match="writes into"):
        B.gemm_inplace(z, 1.0, z.T, z, 1.0)
    with pytest.raises(InconsistencyError, match="writes into"):
        B.gemv_inplace(v, 1.0, z, v, 1.0)
    with pytest.raises(InconsistencyError, match="writes into"):
        B.ger_destructive(z, 1.0, v, z[0])
    assert B.gemm(z, 1.0, z.T, z, 1.0).ndim == 2


def test_a_transposed_matrix_is_a_hint_and_no_other_op():
    A, v = T.dmatrix(), T.dvector()
    plain, turned = (B.gemv(v, 1.0, m, v, 1.0).owner.op for m in (A, A.T))
    assert (plain.turned, turned.turned) == (False, True)
    assert plain == turned == B.gemv and hash(plain) == hash(turned) and str(plain) == str(turned)


def test_ops_print_as_documented():
    assert [str(op) for op in (B._dot22, B._dot22scalar)] == ["Dot22", "Dot22Scalar"]
    assert [str(op) for op in (B.gemm, B.gemm_inplace)] == ["Gemm{no_inplace}", "Gemm{inplace}"]
    assert [str(op) for op in (B.gemv, B.gemv_inplace)] == ["Gemv{no_inplace}", "Gemv{inplace}"]
    assert [str(op) for op in (B.ger, B.ger_destructive)] == [
        "Ger{non-destructive}",
        "Ger{destructive}",
    ]
    x, y = T.dmatrices("x", "y")
    assert theano.pp(B._dot22(x, y)) == theano.pp(T.dot(x, y))


test_ops = spec_tests(SPECS)


def test_blas_comes_without_the_rest_of_scipy_linalg():
    # a first result is measured in tens of milliseconds, the package takes 170
    script = (
        "import sys, numpy as np, theano, theano.tensor as T\n"
        "w, x = theano.shared(np.ones((200, 200))), T.dmatrix('x')\n"
        "f = theano.function([x], [], updates=[(w, w - 0.5 * T.dot(x, x))])\n"
        "f(np.full((200, 200), 2.0))\n"
        "print(w.get_value()[0, 0], 'scipy.linalg' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.split() == ["-399.0", "False"], done.stderr


@pytest.mark.parametrize("op", ["slinalg.cholesky", "nlinalg.matrix_inverse"])
def test_a_factor_and_an_inverse_do_not_load_scipys_linear_algebra(op):
    script = (
        "import sys, numpy as np, theano, theano.tensor as T\n"
        f"x = T.dmatrix('x'); f = theano.function([x], T.{op}(x))\n"
        "f(4 * np.eye(300))\n"
        "print('scipy.linalg' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr


def test_scipys_own_door_is_taken_where_blas_is_kept_elsewhere(monkeypatch):
    import scipy.linalg.blas

    F._fortran.cache_clear()
    monkeypatch.setattr("importlib.machinery.PathFinder.find_spec", lambda *args: None)
    try:
        assert F.fortran_blas() is scipy.linalg.blas
    finally:
        F._fortran.cache_clear()
    monkeypatch.undo()
    assert F.fortran_blas().dgemm(2.0, np.eye(2), np.eye(2)).tolist() == [[2, 0], [0, 2]]
