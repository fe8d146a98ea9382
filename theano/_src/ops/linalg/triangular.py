"""Linear systems: the base class of solvers, and triangular matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace, Arrays
from theano._src.ground.documented import documented_in
from theano._src.ops.core.grad_helpers import conjugated
from theano._src.ops.index.index_grad import is_zero_tangent
from theano._src.ops.linalg.matrix_stacks import (
    adjoint,
    as_columns,
    as_stack,
    check_square,
    check_stacks,
    common_pattern,
    common_shape,
    from_columns,
    in_working_dtype,
    summed_like,
    transposed,
    working_dtype,
)
from theano._src.ops.linalg.substitution import solve_on_numpy
from theano._src.ops.shape.dims import dimshuffle, patternbroadcast
from theano._src.ops.shape.ranges import tril, triu
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.tensor import TensorCall, TensorVariable, tensor_type


class LinearSolve(Op):
    """The solution x of M x = b, where M is A, a triangle of it, its transpose or its adjoint.

    A vector b is shared by all matrices of a stack. Otherwise the last two dimensions of b are a
    matrix, and the dimensions before them broadcast where their type is broadcastable.
    """

    __call__: TensorCall

    def run(self, xp: ArrayNamespace, A: Array, b: Array) -> Any:
        """Solve for square A and b of matching shape and the same dtype."""
        raise NotImplementedError(f"{type(self).__name__}.run")

    def adjoint_solve(self, A: TensorVariable, g: TensorVariable) -> Any:
        """The solution for the adjoint of M, as an expression."""
        raise NotImplementedError(f"{type(self).__name__}.adjoint_solve")

    def of_matrix(self, gM: TensorVariable) -> Any:
        """The gradient of A, given that of M."""
        return gM

    def tangent(self, dA: TensorVariable) -> Any:
        """The tangent of M, given the tangent dA of A."""
        return dA

    def make_node(self, A: TensorLike, b: TensorLike) -> Apply:
        A, b = as_stack(self, A), as_tensor_variable(b)
        if b.ndim == 0:
            raise TypeError(f"{self} takes a vector or matrices as b, got {b} of {b.type}")
        own = min(b.ndim, 2)
        pattern = (*common_pattern(*_fronts(A.broadcastable, b.broadcastable)),)
        pattern += b.broadcastable[-own:]
        return Apply(self, [A, b], [tensor_type(working_dtype(A.dtype, b.dtype), pattern)()])

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        patterns = [v.type.broadcastable for v in node.inputs]
        check_stacks(self, _fronts(*patterns), _fronts(*(x.shape for x in inputs)))

    def compute(self, xp: ArrayNamespace, A: Array, b: Array) -> Any:
        check_square(self, A)
        if A.shape[-1] != b.shape[-min(b.ndim, 2)]:
            raise ValueError(
                f"{self} takes as many rows in b as in A, got shapes {tuple(A.shape)} of A and "
                f"{tuple(b.shape)} of b"
            )
        return self.run(xp, *in_working_dtype(xp, A, b))

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        A, b = shapes
        patterns = [v.type.broadcastable for v in node.inputs]
        return [(*common_shape(_fronts(*patterns), _fronts(A, b)), *b[-min(len(b), 2) :])]

    # Giles, An extended collection of matrix derivative results (2008), section 2.3.1
    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (A, b), (x,), (g,) = inputs, outputs, output_grads
        if b.ndim == 1:
            x, g = as_columns(x), as_columns(g)
        gb = self.adjoint_solve(A, g)
        gA = self.of_matrix(-(gb @ adjoint(x)))
        own = min(b.ndim, 2)
        return [summed_like(gA, A), summed_like(from_columns(gb) if own == 1 else gb, b, own)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (A, b), (dA, db) = inputs, eval_points
        if is_zero_tangent(dA) and is_zero_tangent(db):
            return [None]
        x = self(A, b)
        columns = as_columns if b.ndim == 1 else lambda v: v
        pushed = None if is_zero_tangent(db) else columns(db)
        if not is_zero_tangent(dA):
            turned = self.tangent(dA) @ columns(x)
            pushed = -turned if pushed is None else pushed - turned
        dx = self(A, pushed)
        return [patternbroadcast(from_columns(dx) if b.ndim == 1 else dx, x.broadcastable)]

    def batch_rule(self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]) -> Any:
        A, b = inputs
        was_vector = node.inputs[1].type.ndim == 1
        b = as_columns(b) if was_vector and is_batched[1] else b
        # the batch dimension comes before all dimensions of the stacks
        ndim = 1 + node.outputs[0].type.ndim + was_vector
        A, b = (_in_front(v, ndim) if m else v for v, m in zip((A, b), is_batched, strict=True))
        result = self(A, b)
        return [from_columns(result) if was_vector and is_batched[1] else result]


def _fronts(A: Sequence[Any], b: Sequence[Any]) -> list[tuple[Any, ...]]:
    """The stack dimensions of both, before the matrices."""
    return [tuple(A[:-2]), tuple(b[:-2])]


def _in_front(v: TensorVariable, ndim: int) -> Any:
    return dimshuffle(v, 0, *["x"] * (ndim - v.ndim), *range(1, v.ndim))


def each_matrix(function: Callable[[Any, Any], Any], A: Array, b: Array) -> Any:
    """Apply ``function`` to each pair of a matrix and a matrix or vector, with broadcasting."""
    if A.ndim == 2 and b.ndim <= 2:
        return function(A, b)
    own = b.shape[-min(b.ndim, 2) :]
    front = np.broadcast_shapes(A.shape[:-2], b.shape[:-2])
    left = np.broadcast_to(A, (*front, *A.shape[-2:]))
    right = np.broadcast_to(b, (*front, *own))
    out = np.empty((*front, *own), b.dtype)
    for at in np.ndindex(*front):
        out[at] = function(left[at], right[at])
    return out


def triangular_solve(
    xp: ArrayNamespace,
    A: Array,
    b: Array,
    lower: bool,
    trans: str = "N",
    unit_diagonal: bool = False,
) -> Any:
    """Solve for triangular matrices; both arrays have the same dtype."""
    if xp.name != "numpy":
        if 1 < b.ndim < A.ndim:
            # NOTE: jax would treat matrices as vectors if b has one dimension less than A
            b = xp.reshape(b, (1,) * (A.ndim - b.ndim) + b.shape)
        return xp.slinalg.solve_triangular(
            A, b, lower=lower, trans=trans, unit_diagonal=unit_diagonal
        )

    def solve(M: Any, v: Any) -> Any:
        return solve_on_numpy(M, v, lower, trans, unit_diagonal)

    return each_matrix(solve, A, b)


def no_zero_divides(xp: ArrayNamespace, A: Array, x: Array) -> Any:
    """Whether no diagonal has a zero, or x is empty (SciPy does not check then)."""
    if not x.size:
        return xp.asarray(True)
    return xp.all(xp.diagonal(A, axis1=-2, axis2=-1) != 0)


_TRANS: dict[int | str, str] = {0: "N", 1: "T", 2: "C", "N": "N", "T": "T", "C": "C"}


@documented_in("theano.tensor.slinalg")
class SolveTriangular(LinearSolve):
    """The solution x of A x = b for a triangular A; only that triangle is read.

    ``trans`` 'T' solves with the transpose of A, 'C' with its adjoint. With ``unit_diagonal``
    the diagonal is not read but assumed to be ones.
    """

    __props__ = ("lower", "trans", "unit_diagonal")

    def __init__(
        self, lower: bool = False, trans: int | str = "N", unit_diagonal: bool = False
    ) -> None:
        named = _TRANS.get(trans)
        if named is None:
            raise ValueError(
                f"SolveTriangular takes trans as 0 or 'N', 1 or 'T', 2 or 'C', got {trans!r}"
            )
        self.lower = bool(lower)
        self.trans = named
        self.unit_diagonal = bool(unit_diagonal)

    def run(self, xp: ArrayNamespace, A: Array, b: Array) -> Any:
        return triangular_solve(xp, A, b, self.lower, self.trans, self.unit_diagonal)

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        return [] if self.unit_diagonal else [no_zero_divides(xp, inputs[0], outputs[0])]

    def adjoint_solve(self, A: TensorVariable, g: TensorVariable) -> Any:
        if self.trans == "T":
            A = conjugated(A)
        trans = "C" if self.trans == "N" else "N"
        return SolveTriangular(self.lower, trans, self.unit_diagonal)(A, g)

    def of_matrix(self, gM: TensorVariable) -> Any:
        return self._read(_TURNED[self.trans](gM))

    def tangent(self, dA: TensorVariable) -> Any:
        return _TURNED[self.trans](self._read(dA))

    def _read(self, A: TensorVariable) -> Any:
        first = 1 if self.unit_diagonal else 0
        return tril(A, -first) if self.lower else triu(A, first)


_TURNED = {"N": lambda x: x, "T": transposed, "C": adjoint}


@documented_in("theano.tensor.slinalg")
def solve_triangular(
    a: TensorLike,
    b: TensorLike,
    *,
    lower: bool = False,
    trans: int | str = 0,
    unit_diagonal: bool = False,
) -> TensorVariable:
    """The solution x of ``a x = b`` for a triangular matrix, or for each in a stack.

    Parameters
    ----------
    a : tensor of at least two dimensions
        Only the triangle is read.
    b : vector, matrix or stack of matrices
    lower : bool
        Whether ``a`` is lower triangular.
    trans : {0, 'N', 1, 'T', 2, 'C'}
        Whether to solve with ``a`` itself, its transpose, or its adjoint.
    unit_diagonal : bool
        Whether to assume that the diagonal is ones, without reading it.

    >>> import theano.tensor as T
    >>> T.slinalg.solve_triangular([[2.0, 0.0], [1.0, 4.0]], [2.0, 9.0], lower=True).eval().tolist()
    [1.0, 2.0]
    """
    return SolveTriangular(lower, trans, unit_diagonal)(a, b)


@documented_in("theano.tensor.slinalg")
def cho_solve(c_and_lower: tuple[TensorLike, bool], b: TensorLike) -> TensorVariable:
    """The solution x of ``A x = b``, given the Cholesky factor of A.

    Parameters
    ----------
    c_and_lower : (tensor, bool)
        The factor, or a stack of factors, and whether it is the lower one.
    b : vector, matrix or stack of matrices

    >>> import theano.tensor as T
    >>> A = T.constant([[4.0, 2.0], [2.0, 5.0]])
    >>> T.slinalg.cho_solve((T.slinalg.cholesky(A), True), [8.0, 12.0]).eval().tolist()
    [1.0, 2.0]
    """
    try:
        c, lower = c_and_lower
    except (TypeError, ValueError):
        raise TypeError(
            f"cho_solve takes a pair of a factor and whether it is lower, got {c_and_lower!r}"
        ) from None
    c, b = as_stack("cho_solve", c), as_tensor_variable(b)
    first, then = ("N", "C") if lower else ("C", "N")
    vectors = b.ndim == 1 and c.ndim > 2
    result = SolveTriangular(lower, first)(c, as_columns(b) if vectors else b)
    result = SolveTriangular(lower, then)(c, result)
    return from_columns(result) if vectors else result
