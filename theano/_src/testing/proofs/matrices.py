"""Inverses, determinants, solutions and factors of small matrices, by polynomials and roots."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain, combinations
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.ops.arrays.diagonal import AllocDiag
from theano._src.ops.elementwise.arithmetic import abs_, sgn
from theano._src.ops.elementwise.compare import eq, ge, gt
from theano._src.ops.elementwise.explog import log
from theano._src.ops.linalg.cholesky import Cholesky, CholeskyInverse
from theano._src.ops.linalg.facts import Facts
from theano._src.ops.linalg.hints import Hint
from theano._src.ops.linalg.inverse import Det, MatrixInverse, SLogDet
from theano._src.ops.linalg.kron import Kron
from theano._src.ops.linalg.solve import Solve
from theano._src.ops.linalg.triangular import SolveTriangular
from theano._src.testing.evaluate import run_node
from theano._src.testing.proofs.computed import Term, as_terms, as_values
from theano._src.testing.proofs.symbols import (
    Array,
    ArrayRow,
    applied,
    array_meaning,
    checks_itself,
    symbolic,
)
from theano._src.testing.proofs.world import NoNumber, NoReading, World

#: determinants of more rows, and solutions of more equations, are not tried
_MOST_OF_DET, _MOST = 4, 3


def _square(world: World, A: Array, most: int) -> Any:
    """Return a square matrix of terms."""
    if A.ndim != 2:
        raise NoReading("stacks of matrices")
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"a square matrix is taken, got shape {A.shape}")
    if len(A) > most:
        raise NoNumber(f"matrices of more than {most} rows")
    return as_terms(world, A)


def _determinant(world: World, A: Any) -> Term:
    """By Laplace's expansion along the first row."""
    total = Term(world, world.number(1 if not len(A) else 0))
    for j in range(len(A)):
        minor = np.delete(A[1:], j, axis=1)
        total = total + A[0, j] * _determinant(world, minor) * (-1) ** j
    return total


def _solution(world: World, A: Any, b: Any) -> Any:
    """By Cramer's rule, for each column."""
    columns = b.reshape(len(b), math.prod(b.shape[1:]))
    det, out = _determinant(world, A), np.empty(columns.shape, object)
    for i, k in np.ndindex(*out.shape):
        replaced = A.copy()
        replaced[:, i] = columns[:, k]
        out[i, k] = _determinant(world, replaced) / det
    return out.reshape(b.shape)


def _substituted(A: Any, b: Any, lower: bool, unit: bool = False) -> Any:
    """By substitution, from the first row on if the matrix is a lower one."""
    n, out = len(A), b.copy()
    for i in range(n) if lower else reversed(range(n)):
        for j in range(i) if lower else range(i + 1, n):
            out[i] = out[i] - out[j] * A[i, j]
        out[i] = out[i] if unit else out[i] / A[i, i]
    return out


def _identity(world: World, n: int) -> Any:
    return as_terms(world, np.eye(n))


def _det(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    return [as_values(_determinant(world, _square(world, args[0], _MOST_OF_DET)))]


def _slogdet(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    det = _determinant(world, _square(world, args[0], _MOST_OF_DET)).value
    size = applied(world, log, applied(world, abs_, det)) if args[0].size else world.number(0)
    return [as_values(Term(world, v)) for v in (applied(world, sgn, det), size)]


def _inverse(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    A = _square(world, args[0], _MOST)
    return [as_values(_solution(world, A, _identity(world, len(A))))]


def _right_side(world: World, A: Any, b: Array) -> Any:
    if b.ndim > 2:
        raise NoReading("stacks of matrices")
    if len(b) != len(A):
        raise ValueError(f"as many rows as those of A are taken, got shape {b.shape}")
    return as_terms(world, b)


def _solve(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    A = _square(world, args[0], _MOST)
    b, triangle = _right_side(world, A, args[1]), node.op._triangle
    if triangle:
        return [as_values(_substituted(A, b, triangle == "lower"))]
    return [as_values(_solution(world, A, b))]


def _solve_triangular(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    op, A = node.op, _square(world, args[0], _MOST)
    b, turned = _right_side(world, A, args[1]), op.trans != "N"
    lower = op.lower != turned
    return [as_values(_substituted(A.T if turned else A, b, lower, op.unit_diagonal))]


def _cholesky(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    A = _square(world, args[0], _MOST)
    A = A if node.op.lower else A.T
    L = as_terms(world, np.zeros(A.shape))
    for j in range(len(A)):
        for i in range(j, len(A)):
            rest = A[i, j] - sum((L[i, k] * L[j, k] for k in range(j)), A[0, 0] * 0)
            if i == j:
                world.domain.append(_claim(gt, rest, Term(world, world.number(0))))
            L[i, j] = rest.sqrt() if i == j else rest / L[j, j]
    return [as_values(L if node.op.lower else L.T)]


def _cholesky_inverse(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    L = _square(world, args[0], _MOST)
    inverse = _substituted(L, _identity(world, len(L)), True)
    return [as_values(np.dot(inverse.T, inverse))]


def _kron(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    a, b = (as_terms(world, x) for x in args)
    both = a[:, None, :, None] * b[None, :, None, :]
    lengths = np.multiply(a.shape, b.shape)
    return [as_values(np.asarray(both, object).reshape(*lengths))]


def _diagonal(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    """Run the op on positions: 0 is that of a zero."""
    (x,) = args
    known = [world.number(0), *symbolic(world, x).flat]
    (places,) = run_node(node, [np.arange(1.0, x.size + 1).reshape(x.shape)])
    elements = np.empty(len(known), object)
    elements[:] = known
    return [elements[np.asarray(places).astype(int)]]


def _hinted(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    """The identity, where the facts hold."""
    (x,), facts = args, node.op.facts
    if x.ndim > 1 and facts.square and x.shape[-2] != x.shape[-1]:
        raise ValueError(f"a square matrix is taken, got shape {x.shape}")
    for at in np.ndindex(*x.shape[:-2]) if x.ndim > 1 else ():
        for claim in _claims(world, as_terms(world, x[at]), facts):
            # what always holds would only make the questions harder
            if world.may_be(world.z3.Not(claim)):
                world.domain.append(claim)
                world.assumed = True
    return [x]


def _claim(op: Any, a: Term, b: Term) -> Any:
    """Return a comparison as a term of z3."""
    truth: Any = applied(a.world, op, a.value, b.value)
    return truth.term


def _claims(world: World, A: Any, facts: Facts) -> Iterator[Any]:
    """Yield what facts claim about the elements of a matrix."""
    zero = Term(world, world.number(0))
    for i, j in np.ndindex(*A.shape):
        if j - i > facts.above or i - j > facts.below:
            yield _claim(eq, A[i, j], zero)
        if facts.symmetric and i < j:
            yield _claim(eq, A[i, j], A[j, i])
        if facts.orthogonal and i <= j:
            yield _claim(eq, sum(A[i] * A[j], zero), zero + int(i == j))
    if facts.psd and len(A) > _MOST:
        raise NoNumber(f"eigenvalues of more than {_MOST} rows")
    for rows in _subsets(len(A)) if facts.psd else ():
        if not facts.positive_definite:
            yield _claim(ge, _determinant(world, A[np.ix_(rows, rows)]), zero)
        elif rows == (*range(len(rows)),):
            yield _claim(gt, _determinant(world, A[np.ix_(rows, rows)]), zero)


def _subsets(n: int) -> Iterator[tuple[int, ...]]:
    return chain.from_iterable(combinations(range(n), k) for k in range(1, n + 1))


_ROWS: dict[type, ArrayRow] = {
    Hint: _hinted,
    Det: _det,
    SLogDet: _slogdet,
    MatrixInverse: _inverse,
    Solve: _solve,
    SolveTriangular: _solve_triangular,
    Cholesky: _cholesky,
    CholeskyInverse: _cholesky_inverse,
}

for _cls, _row in _ROWS.items():
    array_meaning[_cls] = _row
    # a matrix of equal numbers, on which others are run, is singular
    checks_itself.add(_row)
array_meaning[Kron], array_meaning[AllocDiag] = _kron, _diagonal
