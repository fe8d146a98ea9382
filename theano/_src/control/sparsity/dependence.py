"""Dependence: for each entry of an array, the set of entries of x that it depends on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

Ints = np.ndarray[Any, Any]

#: more stored entries than this are refused: such a derivative is dense
_LARGEST = 1 << 27


class Dependence:
    """Sets of entries of x, one for each entry of an array in C order.

    Many entries may have the same set: entry ``i`` has the set in row ``rows[i]`` of ``base``, a
    boolean CSR matrix whose columns are the entries of x. Row 0 of ``base`` is empty.
    """

    def __init__(self, base: Any, rows: Ints) -> None:
        self.base, self.rows = base, rows

    @staticmethod
    def of_entries(n: int) -> Dependence:
        """Return the dependence of x on itself: each entry on itself alone."""
        return _from_matrix(_csr(np.arange(n), np.arange(n + 1), n))

    @property
    def size(self) -> int:
        return len(self.rows)

    def matrix(self) -> Any:
        """Return the sets as a boolean CSR matrix with sorted indices."""
        _refuse_dense(np.diff(self.base.indptr)[self.rows].sum())
        result = self.base[self.rows]
        result.sort_indices()
        return result

    def take(self, entries: Ints) -> Dependence:
        """Return the sets of some entries in their order; entry -1 has the empty set."""
        # -1 reads a last row that is empty
        rows = np.append(self.rows, 0)
        return Dependence(self.base, rows[np.asarray(entries).reshape(-1)])

    def stretched(self, shape: Sequence[int], to: Sequence[int]) -> Dependence:
        """Return the dependence of an array of one shape broadcast to another."""
        if tuple(shape) == tuple(to):
            return self
        return self.take(np.broadcast_to(np.arange(self.size).reshape(shape), to))

    def relation(self, outputs: Ints, entries: Ints, n: int) -> Dependence:
        """Return ``n`` sets: number ``outputs[k]`` contains the set of entry ``entries[k]``."""
        rows = self.rows[np.asarray(entries).reshape(-1)]
        at = np.flatnonzero(rows)
        where = (np.asarray(outputs).reshape(-1)[at], rows[at])
        links = sp.csr_matrix((np.ones(len(at), bool), where), (n, self.base.shape[0]))
        _refuse_dense(np.diff(self.base.indptr)[links.indices].sum())
        return _from_matrix(links @ self.base)

    def collapsed(self, shape: Sequence[int], axes: Iterable[int]) -> Dependence:
        """Return the unions along some axes of an array, whose lengths become 1."""
        kept = _with_ones(shape, axes)
        n = math.prod(kept)
        if n == 1:
            return self.total()
        groups = np.broadcast_to(np.arange(n).reshape(kept), shape)
        return self.relation(groups, np.arange(self.size), n)

    def total(self) -> Dependence:
        """Return the union of all sets, as the set of one entry."""
        used = np.zeros(self.base.shape[0], bool)
        used[self.rows] = True
        columns = np.zeros(self.base.shape[1], bool)
        columns[self.base[np.flatnonzero(used)].indices] = True
        indices = np.flatnonzero(columns)
        return _from_matrix(_csr(indices, np.array([0, len(indices)]), len(columns)))

    def everywhere(self, size: int) -> Dependence:
        """Return ``size`` sets that are each the union of all sets."""
        return self.total().take(np.zeros(size, int))


def _csr(indices: Ints, indptr: Ints, columns: int) -> Any:
    parts = (np.ones(len(indices), bool), indices, indptr)
    return sp.csr_matrix(parts, (len(indptr) - 1, columns))


def _from_matrix(matrix: Any) -> Dependence:
    """Return the dependence with one set per row of a boolean CSR matrix."""
    n, columns = matrix.shape
    base = _csr(matrix.indices, np.concatenate([matrix.indptr[:1], matrix.indptr]), columns)
    return Dependence(base, np.arange(1, n + 1))


def _refuse_dense(entries: Any) -> None:
    if entries > _LARGEST:
        raise MemoryError(
            f"the sparsity pattern has {int(entries)} entries, more than {_LARGEST}: this "
            "derivative is dense; use products with it (Rop, Lop, hessian_vector_product)"
        )


def _with_ones(shape: Sequence[int], axes: Iterable[int]) -> tuple[int, ...]:
    reduced = {a % len(shape) for a in axes} if shape else set()
    return tuple(1 if i in reduced else n for i, n in enumerate(shape))


def union(terms: Iterable[Dependence | None]) -> Dependence | None:
    """Return the unions of the sets of arrays of equal size; None has empty sets."""
    result: Dependence | None = None
    for term in terms:
        if result is None:
            result = term
        elif term is not None and not _same(result, term):
            result = _joined(result, term)
    return result


def _same(a: Dependence, b: Dependence) -> bool:
    return a.base is b.base and (a.rows is b.rows or np.array_equal(a.rows, b.rows))


def _joined(a: Dependence, b: Dependence) -> Dependence:
    height = b.base.shape[0]
    pairs = a.base.shape[0] * height
    if pairs > 4 * a.size + 64:
        left, right = a.matrix(), b.matrix()
        _refuse_dense(left.nnz + right.nnz)
        return _from_matrix(left + right)
    # few different sets: join each pair that occurs once; the empty pair is number 0
    codes = a.rows * height + b.rows
    occurs = np.zeros(pairs, bool)
    occurs[codes] = occurs[0] = True
    different = np.flatnonzero(occurs)
    left, right = a.base[different // height], b.base[different % height]
    _refuse_dense(left.nnz + right.nnz)
    number = np.cumsum(occurs) - 1
    return Dependence(left + right, number[codes])


def concatenated(terms: Sequence[Dependence | None], sizes: Sequence[int]) -> Dependence | None:
    """Return the sets of several arrays one after another."""
    if all(t is None for t in terms):
        return None
    bases: list[tuple[int, Any]] = []
    rows, start = [], 0
    for term, size in zip(terms, sizes, strict=True):
        if term is None:
            rows.append(np.zeros(size, int))
            continue
        same = next((s for s, base in bases if base is term.base), None)
        if same is None:
            same = start
            bases.append((start, term.base))
            start += term.base.shape[0]
        rows.append(np.where(term.rows == 0, 0, term.rows + same))
    parts = [base for _, base in bases]
    whole = parts[0] if len(parts) == 1 else sp.vstack(parts, format="csr", dtype=bool)
    return Dependence(whole, np.concatenate(rows))
