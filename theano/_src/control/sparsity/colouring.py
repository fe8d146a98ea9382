"""Colouring: groups of columns, rows, or vertices whose derivatives share one product."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

Ints = np.ndarray[Any, Any]


class Colouring(NamedTuple):
    """Colours of columns and rows (-1 for none), and the product that has each stored element.

    ``places`` are positions in the concatenation of the products with the columns of each colour,
    one value for each row of the matrix, and those with the rows of each colour, one value for
    each column.
    """

    columns: Ints
    rows: Ints
    places: Ints


def group_columns(pattern: Any, limit: int | None = None) -> Ints | None:
    """Colour the columns of a CSR matrix so that no row has two columns of a colour.

    Columns are coloured in order, each with the first free colour (Curtis, Powell and Reid 1974).
    The colours in each row are the bits of an integer, so the work is linear in stored elements.
    Returns None if more than ``limit`` colours would be needed.
    """
    by_column = pattern.tocsc()
    indptr, rows = by_column.indptr.tolist(), by_column.indices.tolist()
    taken = [0] * pattern.shape[0]
    colours = []
    too_many = None if limit is None else 1 << limit
    for start, end in pairwise(indptr):
        mine = rows[start:end]
        used = 0
        for r in mine:
            used |= taken[r]
        bit = ~used & (used + 1)
        if too_many is not None and bit >= too_many:
            return None
        for r in mine:
            taken[r] |= bit
        colours.append(bit.bit_length() - 1)
    return np.array(colours, int)


def colour_jacobian(pattern: Any) -> Colouring:
    """Colour the columns or the rows of a boolean CSR matrix, whichever needs fewer products.

    A few dense rows are coloured as rows and the rest by columns, or conversely, if that needs
    fewer products still.
    """
    m, n = pattern.shape
    none = (np.full(n, -1), np.full(m, -1))
    columns = group_columns(pattern)
    assert columns is not None
    best = (columns, none[1])
    per_row = np.diff(pattern.indptr)
    per_column = np.bincount(pattern.indices, minlength=n)
    count = _count(columns)
    if count <= 1:
        return _placed(pattern, *best)
    across = pattern.T.tocsr()
    rows = group_columns(across, limit=count - 1)
    if rows is not None:
        best, count = (none[0], rows), _count(rows)
    dense = np.flatnonzero(per_row > _dense_from(per_row))
    mixed = _mixed(pattern, dense, count)
    if mixed is not None:
        best, count = mixed, _count(mixed[0]) + _count(mixed[1])
    mixed = _mixed(across, np.flatnonzero(per_column > _dense_from(per_column)), count)
    if mixed is not None:
        return _placed(pattern, mixed[1], mixed[0], prefer_rows=False)
    return _placed(pattern, *best)


def _count(colours: Ints) -> int:
    return int(colours.max(initial=-1)) + 1


def _dense_from(counts: Ints) -> float:
    """Return from which number of stored elements a row is dense."""
    return 4 * float(np.median(counts)) + 4 if len(counts) else 0.0


def _mixed(pattern: Any, dense: Ints, count: int) -> tuple[Ints, Ints] | None:
    """Colour dense rows as rows and the rest by columns; None if that needs ``count`` or more."""
    if not 0 < len(dense) < pattern.shape[0]:
        return None
    of_rows = group_columns(pattern[dense].T.tocsr(), limit=count - 1)
    if of_rows is None:
        return None
    rest = pattern.copy()
    is_dense = np.zeros(pattern.shape[0], bool)
    is_dense[dense] = True
    rest.data = ~np.repeat(is_dense, np.diff(pattern.indptr))
    rest.eliminate_zeros()
    columns = group_columns(rest, limit=count - 1 - _count(of_rows))
    if columns is None:
        return None
    columns[np.bincount(rest.indices, minlength=pattern.shape[1]) == 0] = -1
    rows = np.full(pattern.shape[0], -1)
    rows[dense] = of_rows
    return columns, rows


def _placed(pattern: Any, columns: Ints, rows: Ints, prefer_rows: bool = True) -> Colouring:
    """Return a colouring with the place of each stored element.

    An element whose row and column both have a colour is read by its row if ``prefer_rows``.
    """
    m, n = pattern.shape
    row = np.repeat(np.arange(m), np.diff(pattern.indptr))
    column = pattern.indices.astype(int)
    by_column = columns[column] * m + row
    by_row = _count(columns) * m + rows[row] * n + column
    use_row = rows[row] >= 0 if prefer_rows else columns[column] < 0
    return Colouring(columns, rows, np.where(use_row, by_row, by_column))


def colour_hessian(pattern: Any) -> Colouring:
    """Colour a symmetric boolean CSR matrix by a star colouring.

    Neighbours differ, and each path of four vertices has three colours or more: then of each pair
    of elements (i, j) and (j, i), one is the only one of its colour in its row.
    """
    n = pattern.shape[0]
    colours = star_colours(pattern.indptr.tolist(), pattern.indices.tolist())
    row = np.repeat(np.arange(n), np.diff(pattern.indptr))
    column = pattern.indices.astype(int)
    codes = row * (_count(colours) + 1) + colours[column]
    _, number, many = np.unique(codes, return_inverse=True, return_counts=True)
    alone = many[number] == 1
    # read (i, j) and (j, i) at one place: the result is symmetric to the last digit
    there = _transposed(pattern, np.arange(pattern.nnz))
    upper = row <= column
    own = colours[column] * n + row
    first = np.where(upper, np.arange(pattern.nnz), there)
    second = np.where(upper, there, np.arange(pattern.nnz))
    places = np.where(alone[first], own[first], own[second])
    return Colouring(colours, np.full(n, -1), places)


def _transposed(pattern: Any, numbers: Ints) -> Ints:
    """Return, for each stored element (i, j), the number of (j, i)."""
    copy = pattern.copy()
    copy.data = numbers
    result: Ints = copy.T.tocsr().data
    return result


def star_colours(indptr: Sequence[int], indices: Sequence[int]) -> Ints:
    """Return a star colouring of the graph of a symmetric matrix, vertex by vertex.

    Sets of colours are the bits of integers. For each vertex: the colours that ``once`` or ``many``
    of its neighbours have; and those ``closed`` to further neighbours, as a neighbour of that
    colour is the centre of a star of the vertex's own colour (Gebremedhin, Manne and Pothen 2005).
    """
    n = len(indptr) - 1
    colours = [-1] * n
    once, many, closed = [0] * n, [0] * n, [0] * n
    only: dict[tuple[int, int], int] = {}
    for v in range(n):
        near = [w for w in indices[indptr[v] : indptr[v + 1]] if w != v]
        forbidden, centre = once[v] | many[v], many[v]
        for w in near:
            d = colours[w]
            if d >= 0:
                forbidden |= closed[w]
                if centre >> d & 1:
                    forbidden |= once[w] | many[w]
        bit = ~forbidden & (forbidden + 1)
        c = colours[v] = bit.bit_length() - 1
        for w in near:
            d = colours[w]
            if d >= 0 and centre >> d & 1:
                closed[w] |= bit
            if many[w] & bit:
                if d >= 0:
                    closed[v] |= 1 << d
            elif once[w] & bit:
                once[w] ^= bit
                many[w] |= bit
                first = only.pop((w, c))
                if d >= 0:
                    closed[first] |= 1 << d
                    closed[v] |= 1 << d
            else:
                once[w] |= bit
                only[w, c] = v
    return np.array(colours, int)


def seeds(colours: Ints, dtype: Any) -> Any:
    """Return the matrix whose row c has ones at the entries of colour c."""
    result = np.zeros((_count(colours), len(colours)), dtype)
    coloured = np.flatnonzero(colours >= 0)
    result[colours[coloured], coloured] = 1
    return result
