"""take, choose, nonzero, compress, repeat, diagonals, permutations, flat indices, one-hot rows."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.ops.expressions import checked
from theano._src.ops.arrays import diagonal as diagonals, select
from theano._src.ops.arrays.diagonal import AllocDiag, ExtractDiag, diagonal
from theano._src.ops.index import ravel_index
from theano.testing import Case, OpSpec, Raises, spec_tests

V = np.array([3.0, -1.0, 2.0])
M = np.array([[3.0, -1.0, 2.0], [0.0, 5.0, -4.0]])
X = np.arange(24, dtype="float32").reshape(2, 3, 4)
E = np.zeros((0, 3))
I64 = np.array([2, 0, -1])
P = np.array([1, 0, 1], "int32")
R = np.array([[0, 1], [1, -1]])
NONE = np.zeros(0, "int64")


# take: element by element


def taken(a: Any, indices: Any, axis: int | None = None, mode: str = "raise") -> Any:
    a, indices = np.asarray(a), np.asarray(indices)
    if axis is None:
        a, axis = a.reshape(-1), 0
    axis %= a.ndim
    n = a.shape[axis]
    rows = list(np.moveaxis(a, axis, 0))
    found = []
    for i in indices.reshape(-1).tolist():
        if mode == "wrap":
            i = i - n * (i // n)
        elif mode == "clip":
            i = min(max(i, 0), n - 1)
        found.append(rows[i])
    rest = a.shape[:axis] + a.shape[axis + 1 :]
    out = np.array(found, a.dtype).reshape(indices.shape + rest)
    ndim = indices.ndim
    return np.moveaxis(out, tuple(range(ndim)), tuple(range(axis, axis + ndim)))


TAKE = OpSpec(
    select.take,
    taken,
    cases=[
        Case(V, I64),
        Case(V, np.int64(1)),
        Case(M, I64),
        Case(M, np.array([5, -6])),
        Case(M, R),
        Case(M, I64, kwargs={"axis": 1}),
        Case(M, I64, kwargs={"axis": -1}),
        Case(M, P, kwargs={"axis": 0}),
        Case(M, R, kwargs={"axis": 0}),
        Case(M, R, kwargs={"axis": 1}),
        Case(M, np.int8(1), kwargs={"axis": 1}),
        Case(X, R, kwargs={"axis": 1}),
        Case(X, R, kwargs={"axis": -1}),
        Case(X, NONE, kwargs={"axis": 1}),
        Case(V, np.array([5, -7, 3]), kwargs={"mode": "wrap"}),
        Case(V, np.array([5, -7, 1]), kwargs={"mode": "clip"}),
        Case(V, np.array([200, 7], "uint8"), kwargs={"mode": "wrap"}),
        Case(M, np.array([5, -7, 1], "int8"), kwargs={"mode": "wrap", "axis": 1}),
        Case(M, np.array([[5, -7]]), kwargs={"mode": "clip", "axis": 0}),
        Case(M, np.int64(-9), kwargs={"mode": "clip", "axis": 1}),
        Case(M, [1, 0], kwargs={"axis": 1}, static=(1,)),
    ],
    errors=[
        Raises((V, np.array([3])), IndexError, "out of bounds", when="run"),
        Raises((V, np.array([-4])), IndexError, "out of bounds", when="run"),
        Raises((M, np.array([2])), IndexError, "out of bounds", when="run", kwargs={"axis": 0}),
        Raises((M, I64), ValueError, "one of 2 dimensions", kwargs={"axis": 2}),
        Raises((M, I64), ValueError, "'raise', 'wrap' or 'clip'", kwargs={"mode": "fold"}),
        Raises((M, V), TypeError, "integers"),
        Raises((M, np.array([True])), TypeError, "integers"),
    ],
)


# choose: element by element


def chosen(a: Any, choices: Any, mode: str = "raise") -> Any:
    lists = [np.asarray(c) for c in choices]
    n = len(lists)
    together = np.broadcast_arrays(a, *lists)
    out = np.empty(together[0].shape, np.result_type(*lists))
    for at in np.ndindex(out.shape):
        k = int(together[0][at])
        k = {"wrap": k % n, "clip": min(max(k, 0), n - 1), "raise": k}[mode]
        out[at] = together[1 + k][at]
    return out


C = np.array([[0, 1, 2], [10, 11, 12]], "int32")
CHOOSE = OpSpec(
    select.choose,
    chosen,
    cases=[
        Case(np.array([0, 1, 0], "int32"), C),
        Case(np.array([2, -1, 3], "int32"), C, kwargs={"mode": "wrap"}),
        Case(np.array([-5, 7, 1], "int32"), C, kwargs={"mode": "clip"}),
        Case(np.array([0, 2, 1]), (V, V + 10, V * 2)),
        Case(np.array([0, 0, 1], "uint8"), (V, C[1])),
        Case(np.array([1, 0, 1]), (V, np.array(7.0)), id="a scalar choice stretches"),
        Case(np.array([0, 0, 0]), (V,)),
        Case(np.array([[0, 1, 0], [1, 1, 0]]), C),
        Case(np.array([0, 1]), X[:, :2, :2]),
        Case(np.array([[0, 1, 2], [2, 1, 0]]), V),
        Case(np.array(1), (V, V * 2)),
        Case(np.array([True, False, True]), C),
        Case(np.array([[0], [1]]), (V, V * 2), broadcastable={0: (False, True)}),
        Case(NONE, (V[:0], V[:0])),
        Case(np.arange(100) % 70, tuple(np.full(100, float(k)) for k in range(70)), id="many"),
    ],
    errors=[
        Raises((np.array([0, 2, 0]), C), ValueError, "invalid entry in choice array", when="run"),
        Raises((np.array([0, -1, 0]), C), ValueError, "invalid entry", when="run"),
        Raises((np.array([0, 1]), C), ValueError, "mismatch|broadcast", when="run"),
        Raises((NONE, C[:0]), ValueError, "at least one choice", when="run"),
        Raises((V, C), TypeError, r"\[u\]int\*"),
        Raises((P, np.array(1.0)), TypeError, "a sequence of choices"),
        Raises((P, C), ValueError, "'raise', 'wrap' or 'clip'", kwargs={"mode": "fold"}),
        Raises((P, C), TypeError, "None as out", kwargs={"out": V}),
    ],
)


# nonzero: by a loop


def places(a: Any, return_matrix: bool = False) -> Any:
    found = [at for at in np.ndindex(a.shape) if a[at] != 0]
    matrix = np.array(found, "int64").reshape(-1, a.ndim).T
    return matrix if return_matrix else list(matrix)


def flat_places(a: Any) -> Any:
    return np.array([i for i, e in enumerate(a.reshape(-1).tolist()) if e != 0], "int64")


ARRAYS = [
    Case(M),
    Case(X),
    Case(M != 0, id="bools"),
    Case(np.array([0.0, -0.0, np.nan, np.inf, 1e-300]), id="odd floats"),
    Case(np.array([0j, 1j, 1 + 0j]), id="complex"),
    Case(np.array([0, 0], "uint8"), id="none"),
    Case(E, id="empty"),
]
SCALAR = [Raises(np.array(1.0), ValueError, "non-scalar")]
NONZERO = [
    OpSpec(select.nonzero, places, cases=ARRAYS, errors=SCALAR),
    OpSpec(
        lambda a: select.nonzero(a, return_matrix=True),
        lambda a: places(a, True),
        name="nonzero as a matrix",
        cases=ARRAYS,
    ),
    OpSpec(select.flatnonzero, flat_places, cases=ARRAYS, errors=SCALAR),
    OpSpec(
        select.nonzero_values, lambda a: a.reshape(-1)[flat_places(a)], cases=ARRAYS, errors=SCALAR
    ),
]


def compressed(condition: Any, x: Any, axis: int | None = None) -> Any:
    return taken(x, [i for i, c in enumerate(condition) if c], axis)


COMPRESS = OpSpec(
    select.compress,
    compressed,
    cases=[
        Case(np.array([1, 0, 1]), M, kwargs={"axis": 1}),
        Case(np.array([False, True]), M, kwargs={"axis": 0}),
        Case(np.array([0, 1]), M, kwargs={"axis": 1}, id="shorter"),
        Case(np.array([0, 1, 1, 0]), M),
        Case(np.array([0, 0]), M, kwargs={"axis": 0}),
        Case([0, 1], M, kwargs={"axis": 0}, static=(0,)),
    ],
    errors=[
        Raises((np.array([0, 0, 0, 1]), M), IndexError, "bounds", when="run", kwargs={"axis": 1}),
    ],
)


# repeat: by a loop


def repeated(x: Any, repeats: Any, axis: int | None = None) -> Any:
    if axis is None:
        x, axis = x.reshape(-1), 0
    rows = list(np.moveaxis(x, axis, 0))
    counts = np.broadcast_to(repeats, len(rows))
    many = [row for row, n in zip(rows, counts, strict=True) for _ in range(n)]
    first = np.moveaxis(x, axis, 0)
    out = np.array(many, x.dtype).reshape((len(many), *first.shape[1:]))
    return np.moveaxis(out, 0, axis)


REPEAT = OpSpec(
    select.repeat,
    repeated,
    cases=[
        Case(M, np.int64(2)),
        Case(M, 2, static=(1,)),
        Case(M, np.int8(2), kwargs={"axis": 0}),
        Case(M, np.int64(3), kwargs={"axis": -1}),
        Case(M, np.int64(0), kwargs={"axis": 1}),
        Case(M, np.array([1, 0, 2], "int32"), kwargs={"axis": 1}),
        Case(M, np.array([1, 0, 2, 0, 0, 1])),
        Case(M, np.array([2]), kwargs={"axis": 1}, id="one by chance"),
        Case(M, [2], kwargs={"axis": 1}, static=(1,), id="one for all"),
        Case(M, np.array([2], "uint8"), kwargs={"axis": 0}, broadcastable={1: (True,)}),
        Case(M, np.array([2, 1], "uint64"), kwargs={"axis": 0}),
        Case(M, np.array([0, 0]), kwargs={"axis": 0}),
        Case(V[:1], np.array([3]), id="one of one"),
        Case(X, np.array([1, 2, 3]), kwargs={"axis": 1}),
        Case(E, np.int64(2), kwargs={"axis": 1}),
        Case(E, NONE, kwargs={"axis": 0}),
        Case(np.array(5.0), np.int64(3)),
    ],
    errors=[
        Raises((M, np.array([1, 0])), ValueError, "broadcast", when="run", kwargs={"axis": 1}),
        Raises((M, np.array([1, -1])), ValueError, "negative", when="run", kwargs={"axis": 0}),
        Raises((M, np.int64(-1)), ValueError, "negative", when="run"),
        Raises((M, V), TypeError, "repeats.dtype must be an integer"),
        Raises((M, R), ValueError, "dimension of repeats should not exceed 1"),
        Raises((M, np.int64(2)), ValueError, "one of 2 dimensions", kwargs={"axis": 2}),
    ],
)


# diagonals: index by index


def the_diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    a = np.moveaxis(a, (axis1, axis2), (-2, -1))
    n, m = a.shape[-2:]
    found = [a[..., i, i + offset] for i in range(n) if 0 <= i + offset < m]
    return np.stack(found, -1) if found else np.zeros((*a.shape[:-2], 0), a.dtype)


def on_diagonal(v: Any, k: int = 0) -> Any:
    if v.ndim > 1:
        return the_diagonal(v, k)
    out = np.zeros((len(v) + abs(k),) * 2, v.dtype)
    for i, e in enumerate(v):
        out[i - min(k, 0), i + max(k, 0)] = e
    return out


def spread(v: Any, offset: int, axis1: int, axis2: int) -> Any:
    """Over the leading dimensions one by one."""
    side = v.shape[-1] + abs(offset)
    out = np.zeros((*v.shape[:-1], side, side), v.dtype)
    for at in np.ndindex(v.shape[:-1]):
        out[at] = on_diagonal(v[at], offset)
    return np.moveaxis(out, (-2, -1), (axis1, axis2))


DIAGONALS = [
    OpSpec(
        diagonal,
        the_diagonal,
        name="diagonal",
        cases=[
            *[Case(M, kwargs={"offset": k}) for k in range(-4, 5)],
            *[Case(M.T, kwargs={"offset": k}) for k in (-1, 0, 1)],
            Case(X),
            Case(X, kwargs={"offset": 1, "axis1": 0, "axis2": 2}),
            Case(X, kwargs={"offset": -1, "axis1": 2, "axis2": 1}),
            Case(X, kwargs={"axis1": -1, "axis2": -3}),
            Case(E),
            Case(np.ones((1, 1)), broadcastable={0: (True, True)}),
        ],
        errors=[
            Raises(V, ValueError, "2 or more dimensions"),
            Raises(M, ValueError, "two different dimensions", kwargs={"axis1": 1}),
            Raises(M, ValueError, "axis 2", kwargs={"axis2": 2}),
        ],
    ),
    OpSpec(
        lambda a: ExtractDiag(1, view=True)(a),
        lambda a: the_diagonal(a, 1),
        name="a view of the diagonal",
        cases=[Case(M), Case(X)],
    ),
    OpSpec(
        diagonals.diag,
        on_diagonal,
        cases=[
            *[Case(V, kwargs={"k": k}) for k in (-2, -1, 0, 1, 2)],
            *[Case(M, kwargs={"k": k}) for k in (-2, -1, 0, 1, 2)],
            Case(X),
            Case(V[:0]),
            Case(V[:0], kwargs={"k": 2}),
            Case(V[:1], broadcastable={0: (True,)}),
        ],
        errors=[Raises(np.array(1.0), ValueError, "a vector")],
    ),
    OpSpec(
        lambda v, offset, axis1, axis2: AllocDiag(offset, axis1, axis2)(v),
        spread,
        name="AllocDiag",
        cases=[
            Case(M, *axes, static=(1, 2, 3))
            for axes in [(0, 0, 2), (1, 0, 1), (-1, 1, 2), (2, 2, 0), (0, -1, -2)]
        ],
        errors=[Raises((np.array(1.0), 0, 0, 1), ValueError, "1 or more", static=(1, 2, 3))],
    ),
    OpSpec(
        diagonals.trace,
        lambda m: np.asarray(sum(m[i, i] for i in range(min(m.shape)))),
        cases=[Case(M), Case(M.T), Case(np.eye(3))],
        errors=[Raises(V, ValueError, "2 or more dimensions")],
    ),
]


# filling diagonals


def filled(a: Any, val: Any) -> Any:
    out = np.array(a)
    for i in range(min(a.shape)):
        out[(i,) * a.ndim] = val
    return out


def filled_at(a: Any, val: Any, offset: Any) -> Any:
    out = np.array(a)
    for i, j in np.ndindex(a.shape):
        if j - i == offset:
            out[i, j] = val
    return out


S = np.array(9.0)
FILLS = [
    OpSpec(
        diagonals.fill_diagonal,
        filled,
        cases=[
            Case(M, S),
            Case(M.T, S),
            Case(np.zeros((5, 2)), S),
            Case(np.zeros((2, 2, 2)), S),
            Case(np.zeros((3,) * 4, "float32"), np.float32(2)),
            Case(M, np.int8(3)),
            Case(np.zeros((2, 2), "int32"), 4, static=(1,)),
            Case(E, S),
        ],
        errors=[
            Raises((np.zeros((2, 2, 3)), S), ValueError, "equal length", when="run"),
            Raises((V, S), TypeError, "at least two dimensions"),
            Raises((M, V), TypeError, "must be a scalar"),
            Raises((np.zeros((2, 2), "int32"), S), TypeError, "int32 cannot hold float64"),
        ],
    ),
    OpSpec(
        diagonals.fill_diagonal_offset,
        filled_at,
        cases=[
            *[Case(np.zeros((3, 2)), S, np.int64(k)) for k in (-3, -2, -1, 0, 1, 2, 5)],
            *[Case(np.zeros((2, 4)), S, k, static=(2,)) for k in (-2, -1, 0, 1, 3, 4)],
            Case(np.zeros((2, 2), "float32"), np.int8(1), np.int8(1)),
        ],
        errors=[
            Raises((X, S, np.int64(1)), TypeError, "exactly two dimensions"),
            Raises((M, V, np.int64(1)), TypeError, "must be a scalar"),
            Raises((M, S, 1.5), TypeError, "must be integer"),
            Raises((M, S, P), TypeError, "must be a scalar"),
        ],
    ),
]


# permutations


def permuted(x: Any, y: Any, inverse: Any = 0) -> Any:
    lead = np.broadcast_shapes(x.shape[:-1], y.shape[:-1])
    xs = np.broadcast_to(x, (*lead, x.shape[-1]))
    ys = np.broadcast_to(y, (*lead, y.shape[-1]))
    out = np.empty((*lead, x.shape[-1]), x.dtype)
    for at in np.ndindex(lead):
        for i, j in enumerate(ys[at].tolist()):
            if inverse:
                out[at][j] = xs[at][i]
            else:
                out[at][i] = xs[at][j]
    return out


ROW, ROWS = np.array([2, 0, 1], "int32"), np.array([[2, 0, 1], [0, 1, 2]])
NOT_BACK = "none: only a permutation can be undone"
PERMUTE = [
    OpSpec(
        ravel_index.permute_row_elements,
        permuted,
        cases=[
            Case(V, ROW),
            Case(M, ROW),
            Case(M, ROWS),
            Case(V, ROWS),
            *[Case(M, y, kwargs={"inverse": 1}) for y in (ROW, ROWS)],
            Case(V, ROWS, np.int8(1), id="inverse as an input"),
            Case(V, ROWS, np.int8(0), id="not inverse as an input"),
            Case(np.moveaxis(X, 2, 1).copy(), ROWS[:, None, :], broadcastable={1: (0, 1, 0)}),
            Case(V, np.array([0, 0, 2]), id="no permutation", grad=NOT_BACK),
            Case(V, np.array([-1, 0, 1], "int8"), id="from the end"),
        ],
        errors=[
            Raises((V, np.array([0, 0, 5])), IndexError, "out of bounds", when="run"),
            Raises((V, np.array([0, 1])), ValueError, "Dimension mismatch", when="run"),
            Raises((M, np.array([ROW] * 3)), ValueError, "Dimension mismatch", when="run"),
            Raises((V, V), TypeError, "integers as order"),
            Raises((np.array(1.0), ROW), TypeError, "takes rows"),
        ],
    ),
    OpSpec(
        ravel_index.inverse_permutation,
        lambda p: np.argsort(p, -1).astype(p.dtype),
        cases=[Case(ROW), Case(ROWS), Case(NONE), Case(np.array([3, 1, 0, 2], "int32"))],
        errors=[Raises(V, TypeError, "rows of integers")],
    ),
]


# flat indices


def digits(indices: Any, dims: Any, order: str = "C", ndim: Any = None) -> Any:
    """The place in the list of all places, in order."""
    dims = [int(d) for d in dims]
    every = list(itertools.product(*map(range, dims if order == "C" else dims[::-1])))
    every = every if order == "C" else [p[::-1] for p in every]
    found = np.array([every[i] for i in np.asarray(indices).reshape(-1)], "int64")
    columns = found.reshape(-1, len(dims)).T
    return [c.reshape(np.shape(indices)) for c in columns]


def number(multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C") -> Any:
    multi = np.broadcast_arrays(*multi_index)
    out = np.empty(multi[0].shape, "int64")
    for at in np.ndindex(out.shape):
        total, step = 0, 1
        axes = range(len(multi)) if order == "F" else range(len(multi) - 1, -1, -1)
        for k in axes:
            i, n = int(multi[k][at]), int(dims[k])
            how = mode if isinstance(mode, str) else mode[k]
            i = {"wrap": i % n, "clip": min(max(i, 0), n - 1), "raise": i}[how]
            total, step = total + i * step, step * n
        out[at] = total
    return out


D2, D3 = np.array([2, 3]), np.array([2, 3, 4])
FLAT = [
    OpSpec(
        ravel_index.unravel_index,
        digits,
        cases=[
            *[
                Case(np.array([5, 0, 3], "int32"), (2, 3), kwargs={"order": o}, static=(1,))
                for o in "CF"
            ],
            *[Case(np.arange(24).reshape(4, 6), D3, kwargs={"order": o, "ndim": 3}) for o in "CF"],
            Case(np.int64(4), (2, 3), static=(1,)),
            Case(np.array([1, 2], "uint64"), (3,), static=(1,)),
            Case(NONE, (2, 0), static=(1,)),
        ],
        errors=[
            Raises((np.array([6]), (2, 3)), ValueError, "index 6 is out of bounds", when="run"),
            Raises((np.array([-1]), (2, 3)), ValueError, "index -1 is out", when="run"),
            Raises((I64, D3), ValueError, "length 2, got 3", when="run", kwargs={"ndim": 2}),
            Raises((V, (2, 3)), TypeError, "cannot be interpreted as an index"),
            Raises((I64, D2), ValueError, "'ndim'"),
            Raises((I64, ()), ValueError, "greater than 0"),
            Raises((I64, (2, 3)), ValueError, "'C' or 'F'", kwargs={"order": "A"}),
        ],
    ),
    OpSpec(
        ravel_index.ravel_multi_index,
        number,
        cases=[
            *[
                Case((np.array([1, 0]), np.array([2, 1], "int32")), D2, kwargs={"order": o})
                for o in "CF"
            ],
            Case(
                (np.array([1, 0, 1]), np.array([2, 1, 0], "int32")),
                D2,
                kwargs={"order": "C"},
                id="longer",
            ),
            *[
                Case((np.array([3, 0]), np.array([2, -1])), D2, kwargs={"mode": m, "order": o})
                for m in ("wrap", "clip")
                for o in "CF"
            ],
            Case(
                (np.array([1, 0]), np.array([2, -1]), np.array([5, 9])),
                D3,
                kwargs={"mode": ("raise", "wrap", "clip")},
            ),
            Case((np.array([1, 0]), np.array(2)), D2, id="a scalar stretches"),
            Case((np.array(1), 2), (2, 3), static=(1,)),
            Case((NONE, NONE), D2),
        ],
        errors=[
            Raises(((np.array([2]), np.array([0])), D2), ValueError, "coordinates", when="run"),
            Raises(((np.array([0]), np.array([-1])), D2), ValueError, "coordinates", when="run"),
            Raises(((I64, I64), D3), ValueError, "length 3, got 2", when="run"),
            Raises((I64, D2), TypeError, "tuple or a list"),
            Raises(((V, I64), D2), TypeError, "cannot be interpreted as an index"),
            Raises(((I64, I64), D2), ValueError, "'wrap' or 'clip'", kwargs={"mode": "fold"}),
        ],
    ),
]


def hot(y: Any, nb_class: Any, dtype: str = "float64") -> Any:
    return np.array([[float(k == c) for k in range(int(nb_class))] for c in y], dtype)


ONE_HOT = OpSpec(
    ravel_index.to_one_hot,
    hot,
    cases=[
        Case(np.array([2, 0, 2]), 3, static=(1,)),
        Case(np.array([2, 0], "uint8"), np.int32(4)),
        Case(np.array([1], "int8"), 2, kwargs={"dtype": "int8"}, static=(1,)),
    ],
    errors=[
        Raises((np.array([3]), 3), IndexError, "out of bounds", when="run"),
        Raises((V, 3), TypeError, "integers"),
        Raises((R, 3), TypeError, "a vector of classes"),
    ],
)

SPECS = [
    TAKE,
    CHOOSE,
    *NONZERO,
    COMPRESS,
    REPEAT,
    *DIAGONALS,
    *FILLS,
    *PERMUTE,
    *FLAT,
    ONE_HOT,
]


def test_ops_print_as_they_are_known() -> None:
    m, v, i = T.dmatrix(), T.dvector(), T.ivector()
    texts = {
        diagonal(m): "ExtractDiag{offset=0, axis1=0, axis2=1, view=False}",
        diagonals.diag(v, 1): "AllocDiag{offset=1, axis1=0, axis2=1}",
        select.choose(i, (v, v)): "Choose{mode='raise'}",
        select.repeat(m, i, 0): "RepeatOp{axis=0}",
        select.nonzero(m, return_matrix=True): "Nonzero",
        ravel_index.permute_row_elements(m, i): "PermuteRowElements",
        diagonals.fill_diagonal(m, 1): "FillDiagonal",
        diagonals.fill_diagonal_offset(m, 1, 2): "FillDiagonalOffset",
        ravel_index.unravel_index(i, (2, 3))[0]: "UnravelIndex{ndim=2, order='C'}",
        ravel_index.ravel_multi_index((i, i), (2, 3)): "RavelMultiIndex{mode='raise', order='C'}",
    }
    for out, text in texts.items():
        assert str(out.owner.op) == text


def test_a_view_of_a_diagonal_is_said_to_be_one() -> None:
    for view in (False, True):
        node = ExtractDiag(view=view)(T.dmatrix()).owner
        value = np.ones((2, 2))
        assert node.op.view_map == ({0: [0]} if view else {})
        assert np.shares_memory(node.op.bind(node)(value), value) is view


def test_a_diagonal_keeps_which_dimensions_stretch() -> None:
    x = T.TensorType("float64", (False, True, False))()
    assert diagonal(x, axis1=0, axis2=2).broadcastable == (True, False)
    assert AllocDiag(0, 0, 1)(T.drow()).broadcastable == (False, False, True)


def test_one_hot_rows_are_floatx_unless_told() -> None:
    y = T.lvector()
    assert ravel_index.to_one_hot(y, 4).dtype == theano.config.floatX
    assert ravel_index.to_one_hot(y, 4, dtype="int8").dtype == "int8"


def test_nonzero_elements_are_found_again_by_index() -> None:
    m = T.dmatrix()
    out = theano.function([m], [m[m.nonzero()], m.nonzero_values(), m[m > 0]])(M)
    assert out[0].tolist() == out[1].tolist() == [3.0, -1.0, 2.0, 5.0, -4.0]
    assert out[2].tolist() == [3.0, 2.0, 5.0]


def test_a_subnormal_number_is_not_zero() -> None:
    assert select.flatnonzero(T.constant([0.0, 1e-320])).eval().tolist() == [1]


@pytest.mark.xla
def test_checks_tell_what_the_compiled_form_cannot_raise() -> None:
    i, m, v = T.lvector(), T.dmatrix(), T.dvector()
    unravel = ravel_index.unravel_index(i, T.lvector(), ndim=2)[0]
    ravel = ravel_index.ravel_multi_index((i, i), T.lvector())
    rows = [
        (select.choose(i, m), ([0, 1], M[:, :2]), True),
        (select.choose(i, m), ([0, 2], M[:, :2]), False),
        (select.choose(i, (v, v)), ([0, -1], V[:2], V[:2]), False),
        (select.repeat(m, i, axis=0), (M, [0, 1]), True),
        (select.repeat(m, i, axis=0), (M, [0, -1]), False),
        (ravel_index.permute_row_elements(v, i), (V, [2, 0, 1], 0), True),
        (ravel_index.permute_row_elements(v, i), (V, [3, 0, 1], 0), False),
        (unravel, ([5, 0], [2, 3]), True),
        (unravel, ([6, 0], [2, 3]), False),
        (unravel, ([-1], [2, 3]), False),
        (ravel, ([1], [2], [2, 3]), True),
        (ravel, ([2], [2], [2, 3]), False),
        (ravel, ([1], [-1], [2, 3]), False),
    ]
    for out, values, holds in rows:
        assert checked(out.owner, values) is holds, (out.owner, values)


test_ops = spec_tests(SPECS)
