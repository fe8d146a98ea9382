"""Programs whose sizes depend on values, that need the host, or that meet the edges of numbers."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.engines.xla.dynamic import (
    XLA,
    Program,
    check,
    flag_matrix,
    flags,
    halves,
    matrix,
    same,
    vector,
)
from theano.tensor.opt import Assert

pytestmark = pytest.mark.xla

V10 = np.arange(10.0)
M46 = np.arange(24.0).reshape(4, 6)


def _bits(*values):
    return np.array(values, bool)


def _smooth(x):
    """Too much work for the host, and increasing."""
    return T.tanh(T.exp(T.tanh(x / 3)) + x)


def _smooth_np(x):
    return np.tanh(np.exp(np.tanh(x / 3)) + x)


MASKS = [
    Program(
        "x[mask], the mask an input",
        [T.dvector, flags],
        lambda x, m: x[m],
        lambda x, m: x[m],
        [
            (vector(4), _bits(1, 0, 1, 1)),
            (vector(4), _bits(0, 0, 0, 0)),
            (vector(4), _bits(0, 1, 1, 1)),
            (vector(0), _bits()),
        ],
        stages=1,
    ),
    Program(
        "x[x > 0]: one comparison is counted on the host",
        [T.dvector],
        lambda x: x[x > 0],
        lambda x: x[x > 0],
        [(vector(6),), (-np.abs(vector(6)),), (vector(9),)],
        stages=1,
    ),
    Program(
        "x[f(x) > 1], f too much for the host",
        [T.dvector],
        lambda x: x[_smooth(x) > 0.9],
        lambda x: x[_smooth_np(x) > 0.9],
        [(vector(6),), (vector(7),), (V10,)],
        stages=2,
    ),
    Program(
        "x[mask].sum()",
        [T.dvector, flags],
        lambda x, m: x[m].sum(),
        lambda x, m: x[m].sum(),
        [(vector(4), _bits(1, 0, 1, 1)), (vector(4), _bits(0, 0, 0, 0)), (vector(1), _bits(1))],
        rtol=1e-14,
        stages=1,
    ),
    Program(
        "x[x > y].mean() * y",
        [T.dvector, T.dscalar],
        lambda x, y: x[x > y].mean() * y,
        lambda x, y: x[x > y].mean() * y,
        [(V10, 2.5), (V10, 7.0), (vector(12), 0.1)],
        rtol=1e-14,
        stages=1,
    ),
    Program(
        "m[mask of two dimensions] and m[rows], m[:, columns]",
        [T.dmatrix, flag_matrix],
        lambda m, k: [m[k], m[k[:, 0]], m[:, k[0]]],
        lambda m, k: [m[k], m[k[:, 0]], m[:, k[0]]],
        [(M46, M46 % 5 > 2), (M46, M46 < 0), (M46, M46 % 7 < 3)],
    ),
    Program(
        "m[mask, :n], a mask beside a symbolic slice",
        [T.dmatrix, flags, T.lscalar],
        lambda m, k, n: m[k, :n],
        lambda m, k, n: m[k, :n],
        [(M46, _bits(1, 0, 1, 1), 2), (M46, _bits(0, 0, 0, 1), 9), (M46, _bits(1, 1, 1, 1), -5)],
        stages=1,
    ),
    Program(
        "masks of masks",
        [T.dvector],
        lambda x: x[x > 0][x[x > 0] < 1],
        lambda x: x[x > 0][x[x > 0] < 1],
        [(vector(9),), (vector(12),), (-np.abs(vector(3)),)],
        stages=2,
    ),
    Program(
        "a mask of a mask of a mask",
        [T.dvector],
        lambda x: _thrice(_smooth, x),
        lambda x: _thrice(_smooth_np, x),
        [(vector(20),), (vector(11),)],
        rtol=1e-14,
        stages=4,
    ),
    Program(
        "two masks at once take no more stages than one",
        [T.dvector, T.dvector],
        lambda x, y: [x[_smooth(x) > 0.9], y[_smooth(y) < 0.9], x[_smooth(x) > 0.9].shape[0]],
        lambda x, y: [
            x[_smooth_np(x) > 0.9],
            y[_smooth_np(y) < 0.9],
            np.int64((_smooth_np(x) > 0.9).sum()),
        ],
        [(vector(6), vector(5)), (vector(7), vector(4))],
        stages=2,
    ),
    Program(
        "x[~mask] = y and x[mask] += 1, by masks",
        [T.dvector, flags, T.dscalar],
        lambda x, m, y: [T.set_subtensor(x[~m], y), T.inc_subtensor(x[m], 1)],
        lambda x, m, y: [np.where(m, x, y), np.where(m, x + 1, x)],
        [(vector(3), _bits(1, 0, 1), 0.5), (vector(3), _bits(0, 0, 0), 2.0)],
        stages=1,
    ),
    Program(
        "x[mask] = y with y a vector of as many",
        [T.dvector, flags, T.dvector],
        lambda x, m, y: [T.set_subtensor(x[m], y), T.inc_subtensor(x[m], y[::-1])],
        lambda x, m, y: [_put(x, m, y), _put(x, m, x[m] + y[::-1])],
        [
            (vector(4), _bits(1, 0, 1, 1), vector(3)),
            (vector(4), _bits(0, 0, 1, 0), vector(1)),
            (vector(4), _bits(0, 0, 0, 0), vector(0)),
        ],
        stages=1,
    ),
    Program(
        "nonzero of a matrix",
        [T.dmatrix],
        lambda m: list(T.nonzero(m)),
        lambda m: list(np.nonzero(m)),
        [(M46,), (np.zeros((2, 3)),), (matrix(3, 1),)],
        stages=1,
    ),
    Program(
        "flatnonzero and nonzero_values",
        [T.lmatrix],
        lambda m: [T.flatnonzero(m), T.nonzero_values(m), m[m.nonzero()]],
        lambda m: [np.flatnonzero(m), m.ravel()[np.flatnonzero(m)], m[np.nonzero(m)]],
        [(np.array([[0, 3], [5, 0]]),), (np.array([[1, 2], [5, 7]]),)],
        stages=1,
    ),
    Program(
        "x[:argmax(y)]",
        [T.dvector, T.dvector],
        lambda x, y: x[: T.argmax(y)],
        lambda x, y: x[: np.argmax(y)],
        [(V10, vector(5)), (V10, vector(8)), (V10, -V10)],
        stages=1,
    ),
    Program(
        "x[:argmax(x.dot(w))]: the end of a slice comes from the device",
        [T.dmatrix, T.dvector],
        lambda x, w: x[: T.argmax(T.dot(x, w))],
        lambda x, w: x[: np.argmax(x @ w)],
        [(matrix(5, 3), vector(3)), (matrix(6, 3), vector(3)), (M46, vector(6))],
        stages=2,
    ),
    Program(
        "a matrix of as many rows as a sum is large",
        [T.lmatrix],
        lambda m: T.ones((T.dot(m, m).sum(), 2)) * m.sum(),
        lambda m: np.ones(((m @ m).sum(), 2)) * m.sum(),
        [(np.array([[1, 0], [1, 1]]),), (np.array([[0, 0], [0, 1]]),)],
        stages=2,
    ),
    Program(
        "compress",
        [T.lvector, T.dmatrix],
        lambda c, m: T.compress(c, m, axis=0),
        lambda c, m: np.compress(c, m, axis=0),
        [(np.array([1, 0, 0, 2]), M46), (np.array([0, 0, 0, 0]), M46)],
    ),
    Program(
        "several outputs of different stages",
        [T.dvector, T.lscalar],
        lambda x, n: _staged(_smooth, T.arange, x, n),
        lambda x, n: [
            *_staged(_smooth_np, np.arange, x, n)[:-1],
            np.int64(n + 1),
        ],
        [(vector(6), 3), (vector(7), 2), (V10, 0)],
        rtol=1e-14,
        stages=2,
    ),
]


def _thrice(f, x):
    for limit in (0.5, 0.9, 0.95):
        x = x[f(x) > limit]
    return x


def _put(x, where, y):
    x = x.copy()
    x[where] = y
    return x


def _staged(f, arange, x, n):
    chosen = x[f(x) > 0.9]
    return [f(x), chosen * 2, arange(n), chosen.shape[0] + 0 * x[:1].sum(), n + 1]


WRITES = [
    Program(
        "x[a:b] = y and x[a:b] += y",
        [T.dvector, T.lscalar, T.lscalar, T.dscalar],
        lambda x, a, b, y: [T.set_subtensor(x[a:b], y), T.inc_subtensor(x[a:b], y)],
        lambda x, a, b, y: [
            _put(x, slice(a, b), y),
            _put(x, slice(a, b), x[a:b] + y),
        ],
        [(V10, 2, 5, -1.0), (V10, 3, 6, 0.5), (V10, -3, 90, 2.0), (V10, 5, 2, 7.0)],
        stages=1,
    ),
    Program(
        "x[a:b:c] = y by a vector, the sign of c with the call",
        [T.dvector, T.lscalar, T.lscalar, T.lscalar],
        lambda x, a, b, c: T.set_subtensor(x[a:b:c], T.arange(x[a:b:c].shape[0])),
        lambda x, a, b, c: _put(x, slice(a, b, c), np.arange(len(x[a:b:c]))),
        [(vector(9), 1, 8, 2), (vector(9), 8, 1, -2), (vector(9), 20, -20, -1)],
        stages=1,
    ),
    Program(
        "m[i, :n] = row and m[:n, j] += column",
        [T.dmatrix, T.lscalar, T.lscalar],
        lambda m, i, n: [T.set_subtensor(m[i, :n], m[0, -n:]), T.inc_subtensor(m[:n, i], 1.5)],
        lambda m, i, n: [
            _put(m, np.s_[i, :n], m[0, -n:]),
            _put(m, np.s_[:n, i], m[:n, i] + 1.5),
        ],
        [(M46, 1, 3), (M46, -1, 2), (M46, 3, 4)],
        stages=1,
    ),
    Program(
        "x[indices], x[indices] = y, x[indices] += y with repeats",
        [T.dvector, T.lvector, T.dvector],
        lambda x, i, y: [x[i], T.set_subtensor(x[i[:1]], y[0]), T.inc_subtensor(x[i], y)],
        lambda x, i, y: [x[i], _put(x, i[:1], y[0]), _added(x, i, y)],
        [
            (V10, np.array([1, 1, -1]), vector(3)),
            (V10, np.array([0, 9, 0]), vector(3)),
            (V10, np.array([4]), vector(1)),
        ],
        rtol=1e-15,
        stages=1,
    ),
    Program(
        "m[indices, :n] and its increment",
        [T.dmatrix, T.lvector, T.lscalar],
        lambda m, i, n: [m[i, :n], T.inc_subtensor(m[i, :n], 2.0)],
        lambda m, i, n: [m[i, :n], _added(m, np.s_[i, :n], 2.0)],
        [(M46, np.array([0, 0, 2]), 3), (M46, np.array([-1]), 5)],
        stages=1,
    ),
    Program(
        "m[arange(n), labels]: what a loss picks out",
        [T.dmatrix, T.lvector],
        lambda m, y: -T.mean(T.log(m + 1)[T.arange(y.shape[0]), y]),
        lambda m, y: -np.mean(np.log(m + 1)[np.arange(len(y)), y]),
        [(M46, np.array([0, 5, 1, -1])), (M46[:2], np.array([3, 3]))],
        rtol=1e-14,
        stages=1,
    ),
    Program(
        "take with the modes raise, wrap and clip",
        [T.dvector, T.lvector],
        lambda x, i: [T.take(x, i % 3), T.take(x, i, mode="wrap"), T.take(x, i, mode="clip")],
        lambda x, i: [x[i % 3], np.take(x, i, mode="wrap"), np.take(x, i, mode="clip")],
        [(V10, np.array([12, -3, 4])), (vector(4), np.array([-9, 9])), (V10, np.array([], int))],
        stages=1,
    ),
    Program(
        "choose, and choose with the mode wrap",
        [T.lvector, T.dmatrix],
        lambda i, m: [T.choose(i % 4, m), T.choose(i, m, mode="wrap")],
        lambda i, m: [np.choose(i % 4, m), np.choose(i, m, mode="wrap")],
        [(np.array([0, 3, 1, 2, 0, 9]), M46), (np.array([-1, 3, 8, 2, 0, 1]), M46)],
    ),
]


def _added(x, where, y):
    x = x.copy()
    np.add.at(x, where, y)
    return x


ORDERS = [
    Program(
        "unique, of an input and of a mask",
        [T.lvector],
        lambda x: [T.unique(x), T.unique(x[x > 1]) * 2],
        lambda x: [np.unique(x), np.unique(x[x > 1]) * 2],
        [(np.array([3, 1, 3, 2]),), (np.array([1, 1]),), (np.array([7, 5, 6, 5]),)],
    ),
    Program(
        "sort and argsort of a symbolic slice",
        [T.dvector, T.lscalar],
        lambda x, n: [T.sort(x[:n]), T.argsort(x[n:])],
        lambda x, n: [np.sort(x[:n]), np.argsort(x[n:], kind="stable")],
        [(vector(9), 4), (vector(9), 0), (vector(2), 1)],
        stages=1,
    ),
    Program(
        "topk with k of the call",
        [T.dvector, T.lscalar],
        lambda x, k: T.sort(T.topk(x, k)),
        lambda x, k: np.sort(x)[-k:] if k > 0 else np.sort(x)[:-k],
        [(vector(9), 2), (vector(9), 5), (vector(9), -3)],
        stages=1,
    ),
    Program(
        "cumsum and cumprod of a slice",
        [T.dmatrix, T.lscalar],
        lambda m, n: [T.cumsum(m[:n]), T.cumprod(m[:n], axis=0)],
        lambda m, n: [np.cumsum(m[:n]), np.cumprod(m[:n], axis=0)],
        [(matrix(4, 2), 3), (matrix(4, 2), 9), (matrix(4, 2), 0)],
        rtol=1e-13,
        stages=1,
    ),
    Program(
        "bincount, with and without weights",
        [T.lvector, T.dvector],
        lambda i, w: [T.bincount(i), T.bincount(i, w), T.bincount(i, minlength=i.shape[0])],
        lambda i, w: [np.bincount(i), np.bincount(i, w), np.bincount(i, minlength=len(i))],
        [
            (np.array([1, 1, 4]), vector(3)),
            (np.array([0, 2, 2]), vector(3)),
            (np.array([0, 0, 0, 0, 0]), vector(5)),
        ],
        rtol=1e-15,
    ),
    Program(
        "searchsorted, and the slice up to there",
        [T.dvector, T.dscalar],
        lambda x, v: [T.searchsorted(x, v), x[: T.searchsorted(x, v, side="right")]],
        lambda x, v: [
            np.searchsorted(x, v).astype("int64"),
            x[: np.searchsorted(x, v, side="right")],
        ],
        [(V10, 4.0), (V10, 4.5), (V10, -1.0), (V10, 99.0)],
        stages=2,
    ),
]


class Twice(theano.Op):
    """Twice its input, by ``perform`` only; it keeps the values that it saw."""

    __props__ = ()
    seen: list = []

    def make_node(self, x):
        x = T.as_tensor_variable(x)
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        (x,) = inputs
        Twice.seen.append(x)
        output_storage[0][0] = x * 2


class AsMany(theano.Op):
    """As many ones as its input says, by ``perform`` only: no shape is stated anywhere."""

    __props__ = ()

    def make_node(self, n):
        return theano.Apply(self, [T.as_tensor_variable(n)], [T.dvector()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = np.ones(int(inputs[0]))


twice, as_many = Twice(), AsMany()

ON_THE_HOST = [
    Program(
        "a perform-only Op first",
        [T.dvector, T.lscalar],
        lambda x, n: T.exp(twice(x)[:n]),
        lambda x, n: np.exp(2 * x[:n]),
        [(vector(4), 2), (vector(5), 2), (vector(4), -1)],
        rtol=1e-15,
        stages=1,
    ),
    Program(
        "a perform-only Op last",
        [T.dvector, T.lscalar],
        lambda x, n: twice(T.exp(x[:n])),
        lambda x, n: np.exp(x[:n]) * 2,
        [(vector(4), 2), (vector(5), 2), (vector(4), -1)],
        rtol=1e-15,
        stages=1,
    ),
    Program(
        "a perform-only Op in the middle",
        [T.dvector, T.lscalar],
        lambda x, n: T.exp(twice(_smooth(x))[n:]),
        lambda x, n: np.exp(2 * _smooth_np(x))[n:],
        [(vector(4), 2), (vector(5), 1), (vector(4), -1)],
        rtol=1e-14,
        stages=2,
    ),
    Program(
        "a perform-only Op twice",
        [T.dvector],
        lambda x: T.exp(twice(_smooth(twice(_smooth(x)) + 1))),
        lambda x: np.exp(2 * _smooth_np(2 * _smooth_np(x) + 1)),
        [(vector(4),), (vector(5),)],
        rtol=1e-14,
        stages=3,
    ),
    Program(
        "a perform-only Op alone",
        [T.dvector],
        lambda x: twice(twice(x)),
        lambda x: 4 * x,
        [(vector(4),), (vector(0),)],
        stages=0,
    ),
    Program(
        "a perform-only Op whose size nobody knows before",
        [T.lscalar],
        lambda n: [T.exp(as_many(n)).sum(), as_many(n).shape[0], T.arange(as_many(n).shape[0])],
        lambda n: [np.exp(np.ones(n)).sum(), np.int64(n), np.arange(n)],
        [(3,), (0,), (5,)],
        rtol=1e-15,
        stages=1,
    ),
    Program(
        "a perform-only Op makes a size",
        [T.dvector, T.lscalar],
        lambda x, n: _smooth(x)[: twice(n)],
        lambda x, n: _smooth_np(x)[: 2 * n],
        [(V10, 2), (V10, 3), (V10, -1)],
        rtol=1e-14,
        stages=1,
    ),
    Program(
        "a perform-only Op beside a program adds no stage to it",
        [T.dvector, T.dvector],
        lambda x, y: [_smooth(x), twice(y), _smooth(twice(y))],
        lambda x, y: [_smooth_np(x), 2 * y, _smooth_np(2 * y)],
        [(vector(3), vector(4)), (vector(4), vector(3))],
        rtol=1e-14,
        stages=1,
    ),
    Program(
        "Assert on sizes and on values that hold",
        [T.dvector, T.lscalar],
        lambda x, n: Assert("few")(x[:n], T.le(n, x.shape[0]), T.all(x[:n] >= 0)).sum(),
        lambda x, n: x[:n].sum(),
        [(V10, 3), (V10, 10), (V10, -1)],
        stages=1,
    ),
]

EDGES = [
    Program(
        "integer division and modulo by zero",
        [T.lvector, T.lvector],
        lambda x, y: [x // y, x % y],
        lambda x, y: [x // y, x % y],
        [
            (np.array([7, -7, 0]), np.array([0, 0, 0])),
            (np.array([7, -7, np.iinfo("int64").min]), np.array([2, -2, -1])),
        ],
    ),
    Program(
        "division and modulo by zero of int8 and uint8",
        [T.bvector, T.vector],
        lambda x, y: [x // T.cast(y, "int8"), T.cast(x, "uint8") % T.cast(y, "uint8")],
        lambda x, y: [x // y.astype("int8"), x.astype("uint8") % y.astype("uint8")],
        [
            (np.array([7, -7, -128], "int8"), np.array([0.0, 2.0, 3.0])),
            (np.array([7, -7, -128], "int8"), np.array([3.0, 0.0, 0.0])),
        ],
    ),
    Program(
        "scalar division and modulo by zero, and floats",
        [T.lscalar, T.lscalar, T.dvector],
        lambda a, b, x: [a // b, a % b, x // 0, x % 0, x / b],
        lambda a, b, x: [
            np.int64(a) // np.int64(b),
            np.int64(a) % np.int64(b),
            x // 0,
            x % 0,
            x / b,
        ],
        [(5, 0, np.array([1.0, -1.0, 0.0])), (-5, 3, np.array([1.0, -1.0]))],
    ),
    Program(
        "empty arrays",
        [T.dmatrix],
        lambda m: [m.sum(), m.sum(axis=0), T.exp(m).T, T.dot(m.T, m), m[:0], T.all(m > 0)],
        lambda m: [m.sum(), m.sum(axis=0), np.exp(m).T, m.T @ m, m[:0], np.all(m > 0)],
        [(np.zeros((0, 3)),), (np.zeros((3, 0)),), (np.zeros((0, 0)),)],
        stages=1,
    ),
    Program(
        "0-d arrays",
        [T.dscalar],
        lambda x: [x + 1, T.exp(x).reshape((1,)), T.shape_padleft(x), x.sum(), x.shape, -x],
        lambda x: [
            np.float64(x + 1),
            np.exp([x]),
            np.array([x]),
            np.float64(x),
            np.zeros(0, "int64"),
            np.float64(-x),
        ],
        [(0.5,), (-2.0,), (np.array(3.0),)],
        rtol=1e-15,
    ),
    Program(
        "int8 overflows",
        [T.bvector, T.bscalar],
        lambda x, n: [x + n, x * x, -x, abs(x), x[:n].sum(dtype="int8")],
        lambda x, n: [
            x + np.int8(n),
            x * x,
            -x,
            abs(x),
            x[:n].sum(dtype="int8"),
        ],
        [
            (np.array([127, -128, 100, 12], "int8"), 3),
            (np.array([127, 127, 127, 5], "int8"), 100),
        ],
        stages=1,
    ),
    Program(
        "float16",
        [halves, T.lscalar],
        lambda x, n: [x[:n] * np.float16(2), x.max(), x[x > 0], T.sqr(x)],
        lambda x, n: [x[:n] * np.float16(2), x.max(), x[x > 0], x * x],
        [
            (vector(5).astype("float16"), 2),
            # 300 ** 2 is too large for a float16
            (np.array([300, -300, 0.5], "float16"), 9),
        ],
        stages=1,
    ),
    Program(
        "complex numbers",
        [T.zvector, T.lscalar],
        lambda z, n: [z[:n] * T.conj(z[:n]), T.real(z[::-1]), abs(z), T.set_subtensor(z[n:], 1j)],
        lambda z, n: [
            z[:n] * z[:n].conj(),
            z[::-1].real,
            abs(z),
            _put(z, slice(n, None), 1j),
        ],
        [
            (vector(4) + 1j * vector(4)[::-1], 2),
            (vector(3) - 2j * vector(3), 1),
            (np.zeros(2, complex), -1),
        ],
        rtol=1e-15,
        stages=1,
    ),
    Program(
        "bool",
        [flags, flags, T.lscalar],
        lambda a, b, n: [a & b, a | ~b, a ^ b, a[:n].sum(), T.any(a), T.all(b[:n]), a[b]],
        lambda a, b, n: [a & b, a | ~b, a ^ b, a[:n].sum(), np.any(a), np.all(b[:n]), a[b]],
        [
            (_bits(1, 0, 1), _bits(1, 1, 0), 2),
            (_bits(1, 0, 1), _bits(0, 0, 0), 0),
            (_bits(), _bits(), 1),
        ],
        stages=1,
    ),
    Program(
        "uint64 and int32 sizes beside wide numbers",
        [T.wscalar, T.vector],
        lambda n, x: [T.arange(n), T.cast(x, "uint64")[:n] * np.uint64(2**63)],
        lambda n, x: [np.arange(n), x.astype("uint64")[:n] * np.uint64(2**63)],
        [(2, np.array([1.0, 2.0, 3.0])), (3, np.array([1.0, 3.0, 2.0]))],
    ),
]


@pytest.mark.parametrize("program", MASKS, ids=str)
def test_a_program_whose_sizes_hang_on_values_equals_numpy(program):
    check(program)


@pytest.mark.parametrize("program", [*WRITES, *ORDERS], ids=str)
def test_a_program_that_writes_picks_or_orders_by_changing_sizes_equals_numpy(program):
    check(program)


@pytest.mark.parametrize("program", ON_THE_HOST, ids=str)
def test_a_program_that_needs_the_host_equals_numpy(program):
    check(program)


@pytest.mark.parametrize("program", EDGES, ids=str)
def test_a_program_at_the_edges_of_its_numbers_equals_numpy(program):
    check(program)


def test_a_mask_inside_a_graph_used_as_an_op_is_counted_outside():
    x = T.dvector("x")
    positive = theano.OpFromGraph([x], [x[_smooth(x) > 0.9]])
    check(
        Program(
            "a mask inside OpFromGraph",
            [T.dvector],
            lambda x: positive(x * 2).sum(),
            lambda x: (2 * x)[_smooth_np(2 * x) > 0.9].sum(),
            [(vector(6),), (vector(8),), (vector(6) - 9,)],
            rtol=1e-14,
            stages=2,
        )
    )


def test_a_check_inside_a_graph_used_as_an_op_raises():
    x, i = T.dvector("x"), T.lscalar("i")
    at = theano.OpFromGraph([x, i], [T.exp(x)[i]])
    f = theano.function([x, i], at(x, i) + 1, mode=XLA)
    same(f(V10, 2), np.exp(2.0) + 1, 1e-15)
    with pytest.raises(IndexError, match="OpFromGraph"):
        f(V10, 10)


def test_a_perform_only_op_runs_once_a_call():
    x = T.dvector("x")
    f = theano.function([x], T.exp(twice(_smooth(x))), mode=XLA)
    f(vector(3))
    Twice.seen.clear()
    f(vector(4))
    assert len(Twice.seen) == 1
    assert isinstance(Twice.seen[0], np.ndarray)


@pytest.mark.parametrize("n", [2, 7])
def test_print_prints_once_a_call(capfd, n):
    x = T.dvector("x")
    shown = theano.printing.Print("a value", attrs=["shape"])(_smooth(x)[:n])
    f = theano.function([x], [shown.sum(), T.exp(shown)], mode=XLA)
    for size in (5, 6, 5):
        _, made = f(vector(size))
        same(made, np.exp(_smooth_np(vector(size))[:n]), 1e-14)
        printed = capfd.readouterr().out
        assert printed.count("a value") == 1
        assert str((min(n, size),)) in printed


def test_an_assertion_about_a_changing_size_raises_and_the_next_call_works():
    x, n = T.dvector("x"), T.lscalar("n")
    f = theano.function([x, n], Assert("too few")(x[:n], x[:n].shape[0] > 1), mode=XLA)
    same(f(V10, 3), V10[:3])
    with pytest.raises(AssertionError, match="too few"):
        f(V10, 1)
    same(f(V10, 4), V10[:4])


def test_an_assertion_about_values_raises_and_the_next_call_works():
    x, n = T.dvector("x"), T.lscalar("n")
    f = theano.function([x, n], Assert("negative")(x[:n], T.all(x[:n] >= 0)), mode=XLA)
    same(f(V10, 3), V10[:3])
    with pytest.raises(AssertionError, match="negative"):
        f(-V10, 3)
    same(f(-V10, 1), -V10[:1])


def test_a_shared_variable_is_a_size():
    n, x = theano.shared(3, "n"), T.dvector("x")
    f = theano.function([x], [x[:n], T.arange(n * 2)], updates=[(n, n + 1)], mode=XLA)
    for size in (3, 4, 5):
        same(f(V10), [V10[:size], np.arange(2 * size)])
    n.set_value(0)
    same(f(V10), [V10[:0], np.arange(0)])
    assert n.get_value() == 1
    assert len(f.fn.stages) == 1


def test_a_shared_vector_of_sizes_changes_a_shape():
    sizes, x = theano.shared(np.array([2, 6]), "sizes"), T.dvector("x")
    f = theano.function([x], x.reshape(sizes, ndim=2), updates=[(sizes, sizes[::-1])], mode=XLA)
    same(f(vector(12)), vector(12).reshape(2, 6))
    same(f(vector(12)), vector(12).reshape(6, 2))
    sizes.set_value(np.array([-1, 3]))
    same(f(vector(12)), vector(12).reshape(4, 3))
    assert len(f.fn.stages) == 1


def test_a_shared_variable_grows_by_its_own_update():
    w, x = theano.shared(np.zeros(0), "w"), T.dscalar("x")
    f = theano.function([x], w.shape[0], updates=[(w, T.concatenate([w, [x]]))], mode=XLA)
    for i in range(4):
        same(f(float(i)), np.int64(i))
    same(w.get_value(), np.arange(4.0))
