"""What programs on sparse matrices have to give, in NumPy alone, without SciPy.

A sparse matrix is a list of places and numbers. The names here are those that programs use, so the
text of a program is evaluated with `NAMES` as it is built with Theano's. All is float64.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np


class Unsure(Exception):
    """Rounding, or the order in which SciPy works, would decide the result."""


class Sparse:
    """A matrix by its stored elements: rows, columns and numbers."""

    __array_ufunc__ = None  # an array on the left asks this class

    def __init__(
        self, rows: Any, columns: Any, data: Any, shape: tuple[int, int], sure: bool = True
    ) -> None:
        self.rows, self.columns = np.asarray(rows, int), np.asarray(columns, int)
        self.data, self.shape = np.asarray(data, float), tuple(shape)
        #: whether it is known which places are stored, and how often
        self.sure = sure

    ndim = 2

    @property
    def T(self) -> Sparse:
        return Sparse(self.columns, self.rows, self.data, self.shape[::-1], self.sure)

    @property
    def size(self) -> int:
        return len(self.known().data)

    def known(self) -> Sparse:
        """Itself, for functions that ask what is stored."""
        if not self.sure:
            raise Unsure
        return self

    def toarray(self) -> np.ndarray:
        made = np.zeros(self.shape)
        np.add.at(made, (self.rows, self.columns), self.data)
        return made

    def with_data(self, data: Any) -> Sparse:
        return Sparse(self.rows, self.columns, data, self.shape, self.sure)

    def repeats(self) -> bool:
        """Whether a place is stored more than once."""
        at = self.rows * max(1, self.shape[1]) + self.columns
        return len(np.unique(at)) < len(at)

    def __neg__(self) -> Sparse:
        return self.with_data(-self.data)

    def __add__(self, other: Any) -> Any:
        _one_shape(self, other)
        return _pattern_of(np.add, self, other) if _sparse(other) else self.toarray() + other

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Sparse:
        if _sparse(other):
            _one_shape(self, other)
            return _pattern_of(np.multiply, self, other)
        there = np.broadcast_to(other, self.shape)
        return self.with_data(self.data * there[self.rows, self.columns])

    __rmul__ = __mul__

    def __getitem__(self, index: Any) -> Any:
        index = index if isinstance(index, tuple) else (index,)
        rows = np.arange(self.shape[0])[index[0]]
        columns = np.arange(self.shape[1])[index[1] if len(index) > 1 else slice(None)]
        if isinstance(index[0], list) and len(index) > 1:
            return self.toarray()[index]
        if np.ndim(rows) == 0:
            return self.toarray()[index]
        kept = [
            (i, j, value)
            for i, row in enumerate(rows)
            for j, column in enumerate(columns)
            for value in self.data[(self.rows == row) & (self.columns == column)]
        ]
        shape = (len(rows), len(columns))
        found = np.array(kept).reshape(-1, 3)
        # SciPy adds up what is stored twice in some of these, not in others
        return Sparse(
            found[:, 0], found[:, 1], found[:, 2], shape, self.sure and not self.repeats()
        )


def _sparse(x: Any) -> bool:
    return isinstance(x, Sparse)


def dense(x: Any) -> np.ndarray:
    """A value of either kind as an array."""
    return x.toarray() if _sparse(x) else np.asarray(x, float)


def exact(x: Any) -> bool:
    """Whether a value has so few bits that no operation on the way has rounded it."""
    scaled = (x.data if _sparse(x) else np.asarray(x, float)) * 4096
    return bool(np.all(scaled == np.rint(scaled)) and np.all(np.abs(scaled) < 2**23))


def _one_shape(x: Any, y: Any) -> None:
    if x.shape != y.shape:
        raise ValueError(f"{x.shape} and {y.shape}")


def _not_zero(found: np.ndarray, sure: bool) -> Sparse:
    at = np.nonzero(found)
    return Sparse(*at, found[at], found.shape, sure)


def _pattern_of(f: Callable[..., Any], x: Sparse, y: Sparse) -> Sparse:
    """Of two matrices, with what is not zero stored once."""
    found = f(dense(x), dense(y))
    near = np.abs(found) < 1e-9
    either = (dense(x) != 0) | (dense(y) != 0)
    return _not_zero(found, (exact(x) and exact(y)) or not np.any(near & either))


def _of_stored(f: Callable[..., Any]) -> Callable[..., Sparse]:
    return lambda x, *rest: x.known().with_data(f(x.data, *rest))


def _maximum(data: np.ndarray, least: float) -> np.ndarray:
    if np.any(np.abs(data - least) < 1e-3):
        raise Unsure  # there it has no derivative
    return np.maximum(data, least)


def _from_dense(d: np.ndarray) -> Sparse:
    return _not_zero(d, exact(d) or not np.any((np.abs(d) < 1e-9) & (d != 0)))


def _sp_sum(x: Sparse, axis: int | None = None, sparse_grad: bool = False) -> Any:
    return dense(x).sum(axis)


def _unsure(found: np.ndarray) -> Sparse:
    return _not_zero(found, False)


def _structured_dot(x: Any, y: Any) -> Any:
    found = dense(x) @ dense(y)
    return _unsure(found) if _sparse(x) and _sparse(y) else found


def _stack(axis: int) -> Callable[..., Sparse]:
    def stack(blocks: Sequence[Sparse], format: str | None = None) -> Sparse:
        made = []
        shift = np.zeros(2, int)
        for b in blocks:
            if b.shape[1 - axis] != blocks[0].shape[1 - axis]:
                raise ValueError("blocks that do not fit")
            made.append((b.rows + shift[0], b.columns + shift[1], b.data))
            shift[axis] += b.shape[axis]
        shift[1 - axis] = blocks[0].shape[1 - axis]
        parts = [np.concatenate(p) for p in zip(*made, strict=True)]
        sure = all(b.sure and not b.repeats() for b in blocks)
        return Sparse(*parts, (int(shift[0]), int(shift[1])), sure)

    return stack


def _remove0(x: Sparse) -> Sparse:
    keep = x.data != 0
    sure = x.sure and (exact(x) or not np.any((np.abs(x.data) < 1e-9) & keep))
    return Sparse(x.rows[keep], x.columns[keep], x.data[keep], x.shape, sure)


def _sampling_dot(x: np.ndarray, y: np.ndarray, p: Sparse) -> Sparse:
    return p.with_data(p.data * (x @ y.T)[p.rows, p.columns])


def _diagonal(v: np.ndarray) -> Sparse:
    at = np.arange(len(v))
    return Sparse(at, at, v, (len(v), len(v)))


def _compare(f: Callable[..., Any]) -> Callable[..., Any]:
    def compare(x: Any, y: Any) -> Any:
        _one_shape(x, y)
        a, b = dense(x), dense(y)
        if not (exact(x) and exact(y)) and np.any(np.abs(a - b) < 1e-6):
            raise Unsure
        found = f(a, b).astype(float)
        return _not_zero(found, False) if _sparse(x) and _sparse(y) else found

    return compare


def _scan(
    fn: Callable[..., Any],
    sequences: Any = None,
    outputs_info: Any = None,
    non_sequences: Any = None,
    n_steps: int | None = None,
) -> tuple[np.ndarray, dict[Any, Any]]:
    state, made = outputs_info, []
    steps = n_steps if sequences is None else len(sequences)
    for k in range(steps or 0):
        first = [] if sequences is None else [sequences[k]]
        before = [] if state is None else [state]
        made.append(fn(*first, *before, non_sequences))
        state = None if outputs_info is None else made[-1]
    return np.stack(made), {}


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _same(x: Any, *_: Any) -> Any:
    return x


_FUNCTIONS = ("sin", "tanh", "arctan", "expm1", "sinh", "arcsinh")
_SPARSE = SimpleNamespace(
    **{name: _of_stored(getattr(np, name)) for name in _FUNCTIONS},
    sqr=_of_stored(np.square),
    structured_exp=_of_stored(np.exp),
    structured_sigmoid=_of_stored(_sigmoid),
    structured_pow=_of_stored(np.power),
    structured_add=_of_stored(np.add),
    structured_maximum=_of_stored(_maximum),
    sp_ones_like=_of_stored(np.ones_like),
    sp_zeros_like=lambda x: Sparse([], [], [], x.shape),
    csm_data=lambda x: x.known().data,
    csr_from_dense=_from_dense,
    csc_from_dense=_from_dense,
    dot=lambda x, y: dense(x) @ dense(y),
    structured_dot=_structured_dot,
    true_dot=lambda x, y: _unsure(dense(x) @ dense(y)),
    sampling_dot=_sampling_dot,
    usmm=lambda a, x, y, z: a * (dense(x) @ dense(y)) + z,
    sp_sum=_sp_sum,
    col_scale=lambda x, v: x * v,
    row_scale=lambda x, v: x * v[:, None],
    mul_s_v=lambda x, v: x * v,
    structured_add_s_v=lambda x, v: x.known().with_data(x.data + v[x.columns]),
    diag=lambda x: np.diagonal(dense(x)),
    square_diagonal=_diagonal,
    hstack=_stack(1),
    vstack=_stack(0),
    remove0=_remove0,
    clean=_remove0,
    ensure_sorted_indices=_same,
    cast=_same,
    gt=_compare(np.greater),
    le=_compare(np.less_equal),
    eq=_compare(np.equal),
)
_TENSOR = SimpleNamespace(
    tanh=np.tanh,
    dot=np.dot,
    sqr=np.square,
    cast=lambda x, _: np.asarray(x, float),
    nnet=SimpleNamespace(sigmoid=_sigmoid),
)
NAMES = {"S": _SPARSE, "T": _TENSOR, "theano": SimpleNamespace(scan=_scan)}
