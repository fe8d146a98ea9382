"""Three readings of an expression of matrices: a graph, its value, and bounds of its error.

They have the same methods, so that an expression is written once, as a function of a reading.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath as mp
import numpy as np

import theano.tensor as T
from theano._src.control.scan.op import Scan
from theano._src.types.tensor import tensor_type

EPS = float(np.finfo("float64").eps)
#: by how many times the error that is expected results may differ
MULTIPLE = 8.0
#: the digits of reference values
DIGITS = 60
_LEAST = 1e-290


class Symbols:
    """The reading as a graph."""

    solve = staticmethod(T.slinalg.solve)
    inverse = staticmethod(T.nlinalg.matrix_inverse)
    det = staticmethod(T.nlinalg.det)
    slogdet = staticmethod(T.nlinalg.slogdet)
    dot = staticmethod(T.dot)
    kron = staticmethod(T.slinalg.kron)
    log = staticmethod(T.log)
    size = staticmethod(T.abs_)

    @staticmethod
    def turned(A: Any) -> Any:
        return A.T

    @staticmethod
    def triangular(A: Any, b: Any, trans: str) -> Any:
        return T.slinalg.solve_triangular(A, b, trans=trans, lower=True)

    @staticmethod
    def by_lower(A: Any, b: Any, unit: bool = False) -> Any:
        """Solve by the lower triangle of A, with a diagonal of ones if it is a unit one."""
        if unit:
            return T.slinalg.solve_triangular(A, b, lower=True, unit_diagonal=True)
        return T.slinalg.solve_lower_triangular(A, b)

    @staticmethod
    def rows(step: Callable[[Any, Any], Any], xs: Any, given: Any) -> Any:
        """``step(x, given)`` for each row x, one after another."""
        x, inner = tensor_type(xs.dtype, xs.broadcastable[1:])(), given.type()
        return Scan([x, inner], [step(x, inner)], 1, 0)(xs.shape[0], xs, given)


class Exact:
    """The reading as numbers of many digits, in arrays of objects."""

    @staticmethod
    def operand(x: np.ndarray) -> Any:
        return np.vectorize(mp.mpf, otypes=[object])(x)

    @staticmethod
    def _eliminated(A: Any, b: Any) -> tuple[Any, Any]:
        """Return the determinant of A, and the solution of A x = b if there is one."""
        n, det = len(A), mp.mpf(1)
        table = np.concatenate([A, b], axis=1)
        for k in range(n):
            at = max(range(k, n), key=lambda i: abs(table[i, k]))
            if table[at, k] == 0:
                return mp.mpf(0), None
            if at != k:
                table[[k, at]], det = table[[at, k]], -det
            det *= table[k, k]
            table[k] = table[k] / table[k, k]
            for i in set(range(n)) - {k}:
                table[i] = table[i] - table[i, k] * table[k]
        return det, table[:, n:]

    def solve(self, A: Any, b: Any) -> Any:
        return self._eliminated(A, b.reshape(len(b), -1))[1].reshape(b.shape)

    def triangular(self, A: Any, b: Any, trans: str) -> Any:
        return self.solve(A.T if trans != "N" else A, b)

    def by_lower(self, A: Any, b: Any, unit: bool = False) -> Any:
        one = np.eye(len(A), dtype=int)
        return self.solve(np.tril(A) + unit * (one - one * A), b)

    def inverse(self, A: Any) -> Any:
        return self.solve(A, self.operand(np.eye(len(A))))

    def det(self, A: Any) -> Any:
        return self._eliminated(A, A[:, :0])[0]

    def slogdet(self, A: Any) -> tuple[Any, Any]:
        det = self.det(A)
        return mp.sign(det), self.log(abs(det))

    def log(self, x: Any) -> Any:
        return mp.log(x) if x > 0 else mp.mpf("-inf" if x == 0 else "nan")

    size = staticmethod(abs)
    dot = staticmethod(np.dot)
    kron = staticmethod(np.kron)

    @staticmethod
    def turned(A: Any) -> Any:
        return A.T

    @staticmethod
    def rows(step: Callable[[Any, Any], Any], xs: Any, given: Any) -> Any:
        return np.stack([np.asarray(step(x, given), object) for x in xs])


@dataclass(frozen=True)
class Value:
    """Arrays of many cases, and how far rounding may take each from what is computed.

    Attributes
    ----------
    value : array
        Its first dimension is that of the cases.
    error : array
        For each case, in units of the precision of floats.
    scale : array or None
        Of a determinant: its absolute value, or what it is rounded to if it is 0.
    of : Value or None
        Of a sign or a logarithm: the determinant.
    is_sign : bool
    """

    value: Any
    error: Any
    scale: Any = None
    of: Value | None = None
    is_sign: bool = False


def _length(x: Any) -> Any:
    """The root of the sum of squares, for each case."""
    return np.sqrt((x.reshape(len(x), -1) ** 2).sum(1))


class Bounds:
    """The reading as bounds of errors, for operands that are exact.

    Solvers have the error ``n * eps * condition number`` relative to their result, as LAPACK's
    users' guide has it (section 4.4); errors of operands are passed on to first order.
    """

    @staticmethod
    def operand(x: np.ndarray) -> Value:
        return Value(x, np.zeros(len(x)))

    @staticmethod
    def _spectrum(A: Value) -> Any:
        """The singular values, which are no smaller than rounding lets them be."""
        s = np.linalg.svd(A.value, compute_uv=False)
        n = A.value.shape[-1]
        return np.maximum(s, EPS * (n * s[:, :1] + A.error[:, None]) + _LEAST)

    def solve(self, A: Value, b: Value) -> Value:
        s = self._spectrum(A)
        is_vector = b.value.ndim == 2
        x = np.linalg.solve(A.value, b.value[..., None] if is_vector else b.value)
        x = x[..., 0] if is_vector else x
        passed = (b.error + A.error * _length(x)) / s[:, -1]
        return Value(x, s.shape[1] * s[:, 0] / s[:, -1] * _length(x) + passed)

    def triangular(self, A: Value, b: Value, trans: str) -> Value:
        return self.solve(self.turned(A) if trans != "N" else A, b)

    def by_lower(self, A: Value, b: Value, unit: bool = False) -> Value:
        one = np.eye(A.value.shape[-1])
        return self.solve(Value(np.tril(A.value) + unit * (one - one * A.value), A.error), b)

    def inverse(self, A: Value) -> Value:
        return self.solve(A, self.operand(np.broadcast_to(np.eye(A.value.shape[1]), A.value.shape)))

    def det(self, A: Value) -> Value:
        s = self._spectrum(A)
        scale = np.maximum(np.prod(s, axis=1), _LEAST)
        # NumPy computes a determinant as exp of its logarithm
        error = scale * ((s.shape[1] * s[:, 0] + A.error) / s[:, -1] + np.abs(np.log(scale)))
        return Value(np.linalg.det(A.value), error, scale)

    def slogdet(self, A: Value) -> tuple[Value, Value]:
        det = self.det(A)
        sign = Value(np.sign(det.value), det.error, None, det, is_sign=True)
        return sign, self.log(self.size(det))

    @staticmethod
    def log(x: Value) -> Value:
        with np.errstate(all="ignore"):
            log = np.log(x.value)
        return Value(log, x.error / x.scale, None, x)

    @staticmethod
    def size(x: Value) -> Value:
        return Value(np.abs(x.value), x.error, x.scale)

    @staticmethod
    def turned(A: Value) -> Value:
        return Value(np.swapaxes(A.value, 1, 2), A.error)

    @staticmethod
    def _product(a: Value, b: Value, value: Any, terms: int) -> Value:
        p, q = _length(a.value), _length(b.value)
        return Value(value, terms * p * q + p * b.error + a.error * q)

    def dot(self, a: Value, b: Value) -> Value:
        left = a.value if a.value.ndim == 3 else a.value[:, None]
        right = b.value if b.value.ndim == 3 else b.value[..., None]
        product = left @ right
        product = product if a.value.ndim == 3 else product[:, 0]
        product = product if b.value.ndim == 3 else product[..., 0]
        return self._product(a, b, product, left.shape[-1])

    def kron(self, a: Value, b: Value) -> Value:
        both = a.value[:, :, None, :, None] * b.value[:, None, :, None, :]
        lengths = np.multiply(a.value.shape[1:], b.value.shape[1:])
        return self._product(a, b, both.reshape(len(both), *lengths), 1)

    @staticmethod
    def rows(step: Callable[[Any, Any], Any], xs: Value, given: Value) -> Value:
        steps = [step(Value(x, xs.error), given) for x in np.moveaxis(xs.value, 1, 0)]
        value = np.stack([one.value for one in steps], axis=1)
        return Value(value, np.stack([one.error for one in steps], axis=1))


#: where the error of a determinant is at least this share of it, it may be 0
_UNKNOWN = 1e-2


def shares(bound: Value, a: Any, b: Any) -> Any:
    """Return the difference of the results of each case, as a share of what it may be.

    It may be a multiple of the error. A difference of signs is infinite. The sign and the logarithm
    of a determinant that may be 0 only say how large it is at most.
    """
    a, b, error = np.asarray(a), np.asarray(b), bound.error
    if bound.of is not None:
        known = EPS * bound.of.error < _UNKNOWN * bound.of.scale
        if bound.is_sign:
            return np.where(known & (a != b), np.inf, 0.0)
        with np.errstate(all="ignore"):
            a, b = (np.where(known, x, np.nan_to_num(np.exp(x))) for x in (a, b))
        error = np.where(known, error, bound.of.error)
    with np.errstate(all="ignore"):
        apart = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b))
        apart = np.where(np.isnan(apart), np.inf, apart)
        apart = apart.reshape(*error.shape, -1).max(-1, initial=0.0)
        result = np.where(apart > 0, apart / (MULTIPLE * EPS * error + _LEAST), 0.0)
    return result.reshape(len(a), -1).max(1)
