"""Programs whose sizes come with the call: ranges, slices, reshapes, what is made by size."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.engines.xla.dynamic import Program, check, matrix, vector

pytestmark = pytest.mark.xla

V10 = np.arange(10.0)
M46 = np.arange(24.0).reshape(4, 6)

RANGES = [
    Program(
        "arange(n)",
        [T.lscalar],
        lambda n: T.arange(n),
        lambda n: np.arange(n),
        [(3,), (0,), (7,), (-2,), (3,)],
        stages=1,
    ),
    Program(
        "arange(n, m) of int32",
        [T.iscalar, T.iscalar],
        lambda n, m: T.arange(n, m),
        lambda n, m: np.arange(n, m, dtype="int64"),
        [(2, 9), (-3, 4), (5, 5), (9, 2)],
        stages=1,
    ),
    Program(
        "arange(start, stop, step)",
        [T.lscalar, T.lscalar, T.lscalar],
        lambda a, b, s: T.arange(a, b, s),
        lambda a, b, s: np.arange(a, b, s),
        [(0, 10, 3), (10, 0, -3), (0, 10, -1), (-4, 9, 4), (9, -4, -13)],
        stages=1,
    ),
    Program(
        "arange of floats",
        [T.dscalar, T.dscalar, T.dscalar],
        lambda a, b, s: T.arange(a, b, s),
        lambda a, b, s: np.arange(a, b, s),
        [(0.0, 1.0, 0.1), (1.0, 0.0, -0.25), (0.5, 4.0, 1.0), (2.0, 1.0, 0.5)],
        rtol=1e-15,
        stages=1,
    ),
    Program(
        "arange(n, dtype='float32') * 0.5",
        [T.lscalar],
        lambda n: T.arange(n, dtype="float32") * np.float32(0.5),
        lambda n: np.arange(n, dtype="float32") * np.float32(0.5),
        [(5,), (1,), (0,)],
    ),
    Program(
        "an integer used as a size and as a number",
        [T.lscalar],
        lambda n: T.arange(n) ** 2 + n,
        lambda n: np.arange(n) ** 2 + n,
        [(4,), (1,), (6,)],
        stages=1,
    ),
    Program(
        "an int8 as a size, multiplied beyond its range",
        [T.bscalar],
        lambda n: [T.arange(n * n), n * n],
        lambda n: [np.arange(np.int8(n) * np.int8(n), dtype="int64"), np.int8(n) * np.int8(n)],
        # 12 * 12 is -112 in int8, 17 * 17 is 33
        [(3,), (12,), (17,)],
        stages=1,
    ),
    Program(
        "mgrid by n and m",
        [T.lscalar, T.lscalar],
        lambda n, m: T.mgrid[0:n, 1:m],
        lambda n, m: list(np.mgrid[0:n, 1:m]),
        [(2, 4), (3, 3), (0, 4)],
    ),
]

SLICES = [
    Program(
        "x[:n]",
        [T.dvector, T.lscalar],
        lambda x, n: x[:n],
        lambda x, n: x[:n],
        [(V10, 3), (V10, 0), (V10, 100), (V10, -2), (V10, -100), (vector(4), 3)],
        stages=1,
    ),
    Program(
        "x[n:]",
        [T.dvector, T.lscalar],
        lambda x, n: x[n:],
        lambda x, n: x[n:],
        [(V10, 3), (V10, 100), (V10, -2), (V10, -100), (V10[:0], 1)],
        stages=1,
    ),
    Program(
        "x[-n:]",
        [T.dvector, T.lscalar],
        lambda x, n: x[-n:],
        lambda x, n: x[-n:],
        # the last 0 elements are all of them
        [(V10, 3), (V10, 0), (V10, 11)],
    ),
    Program(
        "x[i*b:(i+1)*b]",
        [T.dvector, T.lscalar, T.lscalar],
        lambda x, i, b: x[i * b : (i + 1) * b],
        lambda x, i, b: x[i * b : (i + 1) * b],
        [(V10, 0, 4), (V10, 1, 4), (V10, 2, 4), (V10, 3, 4), (V10, 0, 3)],
        stages=1,
    ),
    Program(
        "x[a:b:c], the sign of c with the call",
        [T.dvector, T.lscalar, T.lscalar, T.lscalar],
        lambda x, a, b, c: x[a:b:c],
        lambda x, a, b, c: x[a:b:c],
        [
            (V10, 1, 8, 2),
            (V10, 8, 1, -2),
            (V10, -1, -20, -3),
            (V10, 20, 3, -1),
            (V10, -20, 20, 4),
            (V10, 2, 2, -1),
        ],
        stages=1,
    ),
    Program(
        "x[::c] and x[::-c]",
        [T.dvector, T.lscalar],
        lambda x, c: [x[::c], x[::-c]],
        lambda x, c: [x[::c], x[::-c]],
        [(V10, 1), (V10, -1), (V10, 3), (V10, -4), (V10, 30)],
    ),
    Program(
        "x[n::-1] and x[:n:-1]",
        [T.dvector, T.lscalar],
        lambda x, n: [x[n::-1], x[:n:-1]],
        lambda x, n: [x[n::-1], x[:n:-1]],
        [(V10, 4), (V10, 0), (V10, -1), (V10, 40), (V10, -40)],
    ),
    Program(
        "m[a:b, ::c]",
        [T.dmatrix, T.lscalar, T.lscalar, T.lscalar],
        lambda m, a, b, c: m[a:b, ::c],
        lambda m, a, b, c: m[a:b, ::c],
        [(M46, 1, 3, 2), (M46, -3, 9, -1), (M46, 3, 1, 5)],
    ),
    Program(
        "m[i, :n] + m[-1, -n:]",
        [T.dmatrix, T.lscalar, T.lscalar],
        lambda m, i, n: m[i, :n] + m[-1, -n:],
        lambda m, i, n: m[i, :n] + m[-1, -n:],
        [(M46, 0, 2), (M46, -2, 3), (M46, 3, 6)],
        stages=1,
    ),
    Program(
        "x[:n][m:][::-1]",
        [T.dvector, T.lscalar, T.lscalar],
        lambda x, n, m: x[:n][m:][::-1],
        lambda x, n, m: x[:n][m:][::-1],
        [(V10, 8, 2), (V10, -1, -3), (V10, 2, 5)],
        stages=1,
    ),
    Program(
        "sizes from the arithmetic of a shape",
        [T.dmatrix],
        lambda m: m[: m.shape[0] // 2, m.shape[1] - 2 :].sum(axis=0) * m.size,
        lambda m: m[: m.shape[0] // 2, m.shape[1] - 2 :].sum(axis=0) * m.size,
        [(M46,), (matrix(5, 2),), (matrix(1, 3),)],
        rtol=1e-14,
        stages=1,
    ),
    Program(
        "a size through cast(0.8 * n)",
        [T.dvector, T.lscalar],
        lambda x, n: [x[: T.cast(0.8 * n, "int64")], x[T.cast(0.8 * n, "int64") :]],
        lambda x, n: [x[: int(0.8 * n)], x[int(0.8 * n) :]],
        [(V10, 10), (V10, 4), (V10, 0)],
        stages=1,
    ),
    Program(
        "a size through a float input",
        [T.dvector, T.dscalar],
        lambda x, p: x[: T.cast(T.ceil(p * x.shape[0]), "int32")],
        lambda x, p: x[: int(np.ceil(p * x.shape[0]))],
        [(V10, 0.31), (V10, 0.0), (vector(7), 0.5)],
        stages=1,
    ),
    Program(
        "sizes that are quotients by zero",
        [T.lscalar, T.lscalar],
        lambda n, m: [T.arange(n // m), T.arange(n % m), T.zeros((n // m + 1,))],
        lambda n, m: [
            np.arange(np.int64(n) // np.int64(m)),
            np.arange(np.int64(n) % np.int64(m)),
            np.zeros(np.int64(n) // np.int64(m) + 1),
        ],
        [(7, 2), (7, 0), (0, 0)],
        stages=1,
    ),
    Program(
        "a shared length joins two slices",
        [T.dvector, T.dvector, T.lscalar],
        lambda x, y, n: T.minimum(x[:n], y[-n:]) + x[:n].sum(),
        lambda x, y, n: np.minimum(x[:n], y[-n:]) + x[:n].sum(),
        [(vector(8), vector(9), 5), (vector(8), vector(9), 2), (vector(5), vector(5), 1)],
        rtol=1e-14,
        stages=1,
    ),
    Program(
        "swapped rows: x[:, ::-1][n] of 3 dimensions",
        [T.dtensor3, T.lscalar],
        lambda x, n: x[:, ::-1][n],
        lambda x, n: x[:, ::-1][n],
        [(vector(24).reshape(2, 3, 4), 1), (vector(24).reshape(4, 3, 2), -4)],
    ),
]

SHAPES = [
    Program(
        "x.reshape(shape) by a vector of int64",
        [T.dvector, T.lvector],
        lambda x, s: x.reshape(s, ndim=2),
        lambda x, s: x.reshape(tuple(s)),
        [(vector(12), np.array([3, 4])), (vector(12), np.array([12, 1])), (V10, np.array([2, 5]))],
        stages=1,
    ),
    Program(
        "x.reshape((n, -1)) and x.reshape((-1, n))",
        [T.dvector, T.lscalar],
        lambda x, n: [x.reshape((n, -1)), x.reshape((-1, n))],
        lambda x, n: [x.reshape((n, -1)), x.reshape((-1, n))],
        [(vector(12), 3), (vector(12), 12), (V10, 2), (V10, 1)],
        stages=1,
    ),
    Program(
        "a vector of sizes with -1 in it",
        [T.dmatrix, T.ivector],
        lambda m, s: T.reshape(m, s, ndim=3),
        lambda m, s: m.reshape(tuple(s)),
        [
            (M46, np.array([2, -1, 3], "int32")),
            (M46, np.array([-1, 1, 1], "int32")),
            (matrix(2, 3), np.array([1, 1, -1], "int32")),
        ],
    ),
    Program(
        "m.reshape(m.T.shape) + m.T",
        [T.dmatrix],
        lambda m: m.reshape(m.T.shape) + m.T,
        lambda m: m.reshape(m.T.shape) + m.T,
        [(M46,), (matrix(2, 2),), (matrix(0, 3),)],
        stages=1,
    ),
    Program(
        "flatten and back by x.shape",
        [T.dtensor3, T.lscalar],
        lambda x, n: (x.flatten()[::-1].reshape(x.shape) * n).flatten(2),
        lambda x, n: (x.ravel()[::-1].reshape(x.shape) * n).reshape(x.shape[0], -1),
        [(vector(24).reshape(2, 3, 4), 3), (vector(6).reshape(1, 2, 3), -1)],
    ),
    Program(
        "shapes of shapes",
        [T.dtensor3, T.lscalar],
        lambda x, n: [
            x.shape.shape,
            T.arange(x.shape.shape[0]),
            T.zeros(x[:n].shape).shape[0] + x.ndim,
            T.ones((x.shape[1:].shape[0], n)),
        ],
        lambda x, n: [
            np.array([3]),
            np.arange(3),
            np.int64(len(x[:n]) + 3),
            np.ones((2, n)),
        ],
        [(vector(24).reshape(2, 3, 4), 1), (vector(24).reshape(4, 3, 2), 3)],
        stages=1,
    ),
    Program(
        "shapes alone: no array is computed",
        [T.dmatrix, T.lscalar],
        lambda m, n: [T.dot(m, m.T).shape, T.exp(m)[:n].shape, m.T[1:].shape[0]],
        lambda m, n: [np.array([len(m)] * 2), np.array(m[:n].shape), np.int64(len(m.T[1:]))],
        [(M46, 3), (M46, 9), (matrix(1, 1), 0)],
        stages=0,
    ),
    Program(
        "alloc, zeros and ones by n and m",
        [T.dscalar, T.lscalar, T.iscalar],
        lambda v, n, m: [T.alloc(v, n, m), T.zeros((m, n), "int32"), T.ones((n,)) * v],
        lambda v, n, m: [np.full((n, m), v), np.zeros((m, n), "int32"), np.ones(n) * v],
        [(0.5, 2, 3), (-1.0, 0, 2), (7.0, 3, 1)],
        stages=1,
    ),
    Program(
        "alloc of a vector by sizes in a vector",
        [T.dvector, T.lvector],
        lambda x, s: T.alloc(x, s[0], s[1], x.shape[0]),
        lambda x, s: np.broadcast_to(x, (s[0], s[1], len(x))),
        [(vector(3), np.array([2, 2])), (vector(1), np.array([1, 4])), (V10, np.array([0, 1]))],
    ),
    Program(
        "zeros_like, ones_like and fill of a slice",
        [T.dvector, T.lscalar],
        lambda x, n: [T.zeros_like(x[:n]), T.ones_like(x[n:]), T.fill(x[:n], n)],
        lambda x, n: [np.zeros_like(x[:n]), np.ones_like(x[n:]), np.full(len(x[:n]), n)],
        [(V10, 3), (V10, 12), (V10, -4)],
    ),
    Program(
        "eye(n, m, k)",
        [T.lscalar, T.lscalar, T.lscalar],
        lambda n, m, k: T.eye(n, m, k),
        lambda n, m, k: np.eye(n, m, k),
        [(3, 3, 0), (2, 4, 1), (4, 2, -2), (2, 4, -1), (3, 0, 0)],
        stages=1,
    ),
    Program(
        "tri(n, m, k), tril and triu by k",
        [T.dmatrix, T.lscalar, T.lscalar],
        lambda m, n, k: [T.tri(n, n + 1, k), T.tril(m, k), T.triu(m, k)],
        lambda m, n, k: [np.tri(n, n + 1, k), np.tril(m, k), np.triu(m, k)],
        [(M46, 3, 0), (M46, 2, -1), (M46, 3, 2), (matrix(2, 2), 0, 9)],
        stages=1,
    ),
    Program(
        "repeat(x, n) and along an axis",
        [T.dmatrix, T.lscalar],
        lambda m, n: [T.repeat(m, n), T.repeat(m, n, axis=1)],
        lambda m, n: [np.repeat(m, n), np.repeat(m, n, axis=1)],
        [(M46, 2), (M46, 0), (matrix(2, 1), 3)],
        stages=1,
    ),
    Program(
        "repeat(x, r) with r a vector",
        [T.dvector, T.lvector],
        lambda x, r: T.repeat(x, r),
        lambda x, r: np.repeat(x, r),
        [
            (vector(3), np.array([2, 0, 1])),
            (vector(3), np.array([1, 1, 1])),
            (vector(3), np.array([0, 0, 0])),
            (vector(2), np.array([4, 2])),
        ],
    ),
    Program(
        "tile(x, (n, m))",
        [T.dmatrix, T.lscalar, T.lscalar],
        lambda x, n, m: T.tile(x, (n, m)),
        lambda x, n, m: np.tile(x, (n, m)),
        [(matrix(2, 3), 2, 1), (matrix(2, 3), 1, 3), (matrix(1, 1), 0, 2)],
        stages=1,
    ),
    Program(
        "split by symbolic sizes",
        [T.dvector, T.lscalar],
        lambda x, n: T.split(x, [n, x.shape[0] - n], 2),
        lambda x, n: [x[:n], x[n:]],
        [(V10, 3), (V10, 0), (V10, 10), (vector(4), 2)],
        stages=1,
    ),
    Program(
        "split by a vector of sizes along the columns",
        [T.dmatrix, T.lvector],
        lambda m, s: T.split(m, s, 3, axis=1),
        lambda m, s: np.split(m, np.cumsum(s)[:-1], axis=1),
        [(M46, np.array([1, 2, 3])), (M46, np.array([0, 6, 0])), (M46, np.array([2, 2, 2]))],
        stages=1,
    ),
    Program(
        "join with a symbolic axis",
        [T.lscalar, T.dmatrix, T.dmatrix],
        lambda axis, x, y: T.join(axis, x, y),
        lambda axis, x, y: np.concatenate([x, y], axis),
        [(0, matrix(2, 3), matrix(2, 3)), (1, matrix(2, 3), matrix(2, 1)), (-2, M46, M46)],
        stages=1,
    ),
    Program(
        "join of slices, and the slice that undoes it",
        [T.dvector, T.dvector, T.lscalar],
        lambda x, y, n: [
            T.concatenate([x[:n], y[n:]]),
            T.concatenate([x, y])[x.shape[0] :],
            T.stack([x[0], y[n]]),
        ],
        lambda x, y, n: [np.concatenate([x[:n], y[n:]]), y, np.array([x[0], y[n]])],
        [(V10, vector(7), 2), (V10, vector(5), -1), (vector(1), vector(1), 0)],
        stages=1,
    ),
    Program(
        "roll by n",
        [T.dmatrix, T.lscalar],
        lambda m, n: [T.roll(m, n), T.roll(m, n, axis=1)],
        lambda m, n: [np.roll(m, n), np.roll(m, n, axis=1)],
        [(M46, 1), (M46, -2), (M46, 0), (M46, 31)],
    ),
    Program(
        "diagonal, diag and fill_diagonal of a slice",
        [T.dmatrix, T.dscalar, T.lscalar],
        lambda m, v, n: [T.diagonal(m[:n]), T.diag(m[0, :n]), T.fill_diagonal(m[:, :n], v)],
        lambda m, v, n: [np.diagonal(m[:n]), np.diag(m[0, :n]), _filled(m[:, :n], v)],
        [(M46, -1.0, 3), (M46, 5.0, 1), (M46, 0.5, 6)],
    ),
    Program(
        "dot of symbolic slices",
        [T.dmatrix, T.dmatrix, T.lscalar],
        lambda a, b, n: [T.dot(a[:, :n], b[:n]), T.tensordot(a[:n], b[:, :n], [[1], [0]])],
        lambda a, b, n: [a[:, :n] @ b[:n], a[:n] @ b[:, :n]],
        [(M46, matrix(6, 5), 2), (M46, matrix(6, 5), 0), (matrix(3, 3), matrix(3, 3), 3)],
        rtol=1e-12,
        stages=1,
    ),
]


def _filled(m: np.ndarray, v: float) -> np.ndarray:
    m = m.copy()
    for i in range(min(m.shape)):
        m[i, i] = v
    return m


@pytest.mark.parametrize("program", [*RANGES, *SLICES, *SHAPES], ids=str)
def test_a_program_whose_sizes_come_with_the_call_equals_numpy(program):
    check(program)


def _inner_slice():
    x, n = T.dvector("x"), T.lscalar("n")
    return theano.OpFromGraph([x, n], [x[:n] * 2, x[n:].sum()])


OF_GRAPH = [
    Program(
        "OpFromGraph with a symbolic slice inside",
        [T.dvector, T.lscalar],
        lambda x, n: _inner_slice()(x, n + 1),
        lambda x, n: [x[: n + 1] * 2, x[n + 1 :].sum()],
        [(V10, 3), (V10, 20), (vector(5), -3)],
        rtol=1e-14,
        stages=1,
    ),
    Program(
        "OpFromGraph in OpFromGraph, ranges and sizes inside",
        [T.dvector, T.lscalar],
        lambda x, n: _inner_of_inner()(x, n),
        lambda x, n: x[:n] * 2 + np.arange(len(x[:n])) + x[n:].sum(),
        [(V10, 3), (V10, 5), (vector(6), 2)],
        rtol=1e-14,
        stages=1,
    ),
]


def _inner_of_inner():
    x, n = T.dvector("x"), T.lscalar("n")
    head, rest = _inner_slice()(x, n)
    return theano.OpFromGraph([x, n], [head + T.arange(head.shape[0]) + rest])


@pytest.mark.parametrize("program", OF_GRAPH, ids=str)
def test_sizes_inside_a_graph_used_as_an_op_come_with_the_call_too(program):
    check(program)
