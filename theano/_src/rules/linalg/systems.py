"""Linear systems and inverses, by what is known about the matrix."""

from __future__ import annotations

from typing import Any

from theano._src.graph.graph import Apply
from theano._src.ops.arrays.diagonal import ExtractDiag, alloc_diag, diagonal
from theano._src.ops.core.cast import cast
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.grad_helpers import conjugated, const_like
from theano._src.ops.elementwise.arithmetic import minimum, mul, true_div
from theano._src.ops.linalg.cholesky import CholeskyInverse, cholesky
from theano._src.ops.linalg.dot import Dot, dot
from theano._src.ops.linalg.facts import Facts
from theano._src.ops.linalg.inverse import MatrixInverse
from theano._src.ops.linalg.matrix_stacks import as_columns, transposed
from theano._src.ops.linalg.solve import Solve
from theano._src.ops.linalg.triangular import SolveTriangular, cho_solve
from theano._src.ops.reduce.careduce import sum as sum_
from theano._src.ops.shape.dims import dimshuffle
from theano._src.ops.shape.ranges import eye
from theano._src.ops.shape.shape import shape_i
from theano._src.rewrite.rule import FunctionRule
from theano._src.rules.linalg.derived import is_swap
from theano._src.rules.linalg.facts import facts_of
from theano._src.types.dtypes import complex_dtypes


def typed(node: Apply, *results: Any) -> list[Any] | None:
    """The replacements, if they have the types of the outputs."""
    pairs = zip(results, node.outputs, strict=True)
    return list(results) if all(new.type == old.type for new, old in pairs) else None


def diagonals_of(x: Any) -> Any:
    """The diagonal of each matrix of a stack."""
    return diagonal(x, 0, x.ndim - 2, x.ndim - 1)


def is_square(fgraph: Any, A: Any) -> bool:
    """Whether matrices are known to be square."""
    if facts_of(fgraph, A).square:
        return True
    feature = getattr(fgraph, "shape_feature", None)
    lengths = None if feature is None else feature.shape(A)
    return lengths is not None and lengths[-2] is lengths[-1]


def _general(op: Any) -> bool:
    """Whether a solver reads all of its matrix."""
    return isinstance(op, Solve) and op._triangle is None


# ---- solve


def solve_diagonal(fgraph: Any, node: Apply) -> list[Any] | None:
    """solve(D, b) -> b / diag(D), for a diagonal D"""
    A, b = node.inputs
    if getattr(node.op, "unit_diagonal", False) or not facts_of(fgraph, A).diagonal:
        return None
    if b.type.broadcastable[-min(b.type.ndim, 2)] != A.type.broadcastable[-1]:
        return None
    d = diagonals_of(A)
    if getattr(node.op, "trans", "N") == "C":
        d = conjugated(d)
    dtype = node.outputs[0].type.dtype
    columns = d if b.type.ndim == 1 else as_columns(d)
    return typed(node, true_div(cast(b, dtype), cast(columns, dtype)))


def solve_triangular_matrix(fgraph: Any, node: Apply) -> list[Any] | None:
    """solve(L, b) -> solve_triangular(L, b), for a triangular L"""
    A, b = node.inputs
    facts = facts_of(fgraph, A)
    if not _general(node.op) or not (facts.lower or facts.upper):
        return None
    return typed(node, SolveTriangular(lower=facts.lower)(A, b))


def solve_orthogonal(fgraph: Any, node: Apply) -> list[Any] | None:
    """solve(Q, b) -> dot(Q.T, b), for an orthogonal Q"""
    A, b = node.inputs
    if A.type.ndim != 2 or b.type.ndim > 2:
        return None
    if not _general(node.op) or not facts_of(fgraph, A).orthogonal:
        return None
    dtype = node.outputs[0].type.dtype
    return typed(node, dot(transposed(cast(A, dtype)), cast(b, dtype)))


def solve_definite(fgraph: Any, node: Apply) -> list[Any] | None:
    """solve(A, b) -> cho_solve(cholesky(A), b), for a positive definite A"""
    A, b = node.inputs
    if not _general(node.op) or not _is_definite(facts_of(fgraph, A), A):
        return None
    return typed(node, cho_solve((cholesky(A), True), b))


def _is_definite(facts: Facts, A: Any) -> bool:
    return facts.positive_definite and A.type.dtype not in complex_dtypes


# ---- inverses


def inverse_of_inverse(node: Apply) -> list[Any] | None:
    """inv(inv(A)) -> A"""
    inner = node.inputs[0].owner
    if inner is None or not isinstance(inner.op, MatrixInverse):
        return None
    return typed(node, inner.inputs[0])


def inverse_by_facts(fgraph: Any, node: Apply) -> list[Any] | None:
    """inv(D) -> diag(1 / diag(D)); inv(Q) -> Q.T; inv(L) and inv(A) -> by triangles"""
    (A,) = node.inputs
    if A.type.ndim != 2:
        return None
    facts, dtype = facts_of(fgraph, A), node.outputs[0].type.dtype
    if facts.diagonal:
        d = cast(diagonals_of(A), dtype)
        return typed(node, alloc_diag(true_div(const_like(1, d), d)))
    if facts.orthogonal:
        return typed(node, transposed(cast(A, dtype)))
    if facts.lower or facts.upper:
        one = eye(shape_i(A, 0), dtype=dtype)
        return typed(node, SolveTriangular(lower=facts.lower)(A, one))
    return typed(node, CholeskyInverse()(cholesky(A))) if _is_definite(facts, A) else None


def times_inverse(fgraph: Any, node: Apply) -> list[Any] | None:
    """dot(inv(A), b) -> solve(A, b); dot(b, inv(A)) -> solve(A.T, b.T).T"""
    inputs: list[Any] = node.inputs
    x, y = inputs
    if _may_be_solved(fgraph, x, y):
        return typed(node, Solve()(x.owner.inputs[0], y))
    if _may_be_solved(fgraph, y, x):
        A = y.owner.inputs[0]
        if x.type.ndim == 1:
            return typed(node, Solve()(transposed(A), x))
        return typed(node, transposed(Solve()(transposed(A), transposed(x))))
    return None


def _may_be_solved(fgraph: Any, v: Any, b: Any) -> bool:
    """Whether ``v`` is an inverse that nothing else reads, or ``b`` a vector and A has a factor."""
    inner = v.owner
    if inner is None or not isinstance(inner.op, MatrixInverse):
        return False
    if len(v._clients or ()) <= 1:
        return True
    facts = facts_of(fgraph, inner.inputs[0])
    # many solves share the factor, and each takes fewer steps than the inverse
    return b.type.ndim == 1 and (facts.positive_definite or facts.lower or facts.upper)


# ---- what needs no solver


def transpose_of_symmetric(fgraph: Any, node: Apply) -> list[Any] | None:
    """S.T -> S, for a symmetric S"""
    if not is_swap(node.op):
        return None
    (x,) = node.inputs
    return typed(node, x) if facts_of(fgraph, x).symmetric else None


def dot_with_diagonal(fgraph: Any, node: Apply) -> list[Any] | None:
    """dot(D, x) -> diag(D) * x; dot(x, D) -> x * diag(D), for a diagonal D"""
    x, y = node.inputs
    if x.type.ndim == 2 and facts_of(fgraph, x).diagonal:
        d = diagonals_of(x)
        if y.type.broadcastable[0] != x.type.broadcastable[1]:
            return None
        return typed(node, mul(d if y.type.ndim == 1 else dimshuffle(d, 0, "x"), y))
    if y.type.ndim == 2 and facts_of(fgraph, y).diagonal:
        if x.type.broadcastable[-1] != y.type.broadcastable[0]:
            return None
        return typed(node, mul(x, diagonals_of(y)))
    return None


def diagonal_of_dot(fgraph: Any, node: Apply) -> list[Any] | None:
    """diag(dot(A, B)) -> sum(A[:n] * B[:, :n].T, axis=1), for the n numbers of the diagonal"""
    op, product = node.op, node.inputs[0]
    inner = product.owner
    if inner is None or not isinstance(inner.op, Dot) or len(product._clients or ()) > 1:
        return None
    factors: list[Any] = inner.inputs
    A, B = factors
    if product.type.ndim != 2 or op.offset or (op.axis1, op.axis2) != (0, 1):
        return None
    if A.type.broadcastable != transposed(B).type.broadcastable:
        return None
    if not is_square(fgraph, product):
        least = minimum(shape_i(product, 0), shape_i(product, 1))
        A, B = A[:least], B[:, :least]
    dtype = product.type.dtype
    both = mul(cast(A, dtype), cast(transposed(B), dtype))
    return typed(node, sum_(both, axis=1, dtype=dtype, acc_dtype=dtype))


_SINGULAR = "infinite or NaN where the matrix is singular, which raised LinAlgError"
_ONE_PART = "the other elements of the matrix are not read"
_ROUNDING = "other digits: a different algorithm"


def rule(*args: Any, **kwargs: Any) -> FunctionRule:
    """A rule about matrices; a tag selects them all."""
    return FunctionRule(*args, tags=("matrix_facts",), **kwargs)


# fmt: off
RULES = (
    rule(transpose_of_symmetric, "transpose_of_symmetric", "canonicalize", [DimShuffle],
                 hazard="the elements of the other triangle, if the matrix is not symmetric"),
    rule(inverse_of_inverse, "inverse_of_inverse", "canonicalize", [MatrixInverse],
                 hazard="a singular matrix raises no LinAlgError"),
    rule(times_inverse, "times_inverse", "canonicalize", [Dot],
                 hazard=_ROUNDING),
    rule(solve_diagonal, "solve_diagonal", "canonicalize", [Solve, SolveTriangular],
                 hazard=_SINGULAR),
    rule(solve_triangular_matrix, "solve_triangular_matrix", "canonicalize", [Solve],
                 hazard=_ONE_PART),
    rule(solve_orthogonal, "solve_orthogonal", "canonicalize", [Solve],
                 hazard=_ROUNDING),
    rule(solve_definite, "solve_definite", "canonicalize", [Solve],
                 hazard="LinAlgError where the matrix is not positive definite"),
    rule(inverse_by_facts, "inverse_by_facts", "stabilize", [MatrixInverse],
                 hazard=_SINGULAR),
    rule(dot_with_diagonal, "dot_with_diagonal", "canonicalize", [Dot],
                 hazard="0 times infinity is no longer added to the other products"),
    rule(diagonal_of_dot, "diagonal_of_dot", "canonicalize", [ExtractDiag],
                 hazard=_ROUNDING),
)
# fmt: on
