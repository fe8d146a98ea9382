"""The Cholesky factor of positive definite matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace, Arrays
from theano._src.ground.documented import documented_in
from theano._src.ops.core.grad_helpers import const_like
from theano._src.ops.elementwise.compare import isnan, switch
from theano._src.ops.index.index_grad import is_zero_tangent
from theano._src.ops.linalg.matrix_stacks import (
    MatrixOp,
    adjoint,
    as_stack,
    check_square,
    in_matrices,
    in_working_dtype,
    is_large,
    working_dtype,
)
from theano._src.ops.linalg.scipy_blas import lapack_functions
from theano._src.ops.linalg.triangular import (
    SolveTriangular,
    no_zero_divides,
    triangular_solve,
)
from theano._src.ops.reduce.any_all import any as any_
from theano._src.ops.shape.dims import patternbroadcast
from theano._src.ops.shape.ranges import tril
from theano._src.types.aliases import TensorLike
from theano._src.types.null import grad_not_implemented
from theano._src.types.tensor import TensorCall, TensorVariable, tensor_type


@documented_in("theano.tensor.slinalg")
class Cholesky(MatrixOp):
    """The lower triangular L with L L^H = x, or the upper U with U^H U = x.

    Only the lower (upper) triangle of x is read, so the gradient is zero elsewhere.
    Stacks of matrices are accepted.

    Parameters
    ----------
    lower : bool
    on_error : {'raise', 'nan'}
        For a matrix that is not positive definite: raise LinAlgError, or return NaN.

    >>> import theano.tensor as T
    >>> T.slinalg.Cholesky(lower=True)(T.constant([[4.0, 2.0], [2.0, 5.0]])).eval().tolist()
    [[2.0, 0.0], [1.0, 2.0]]
    """

    __call__: TensorCall

    __props__ = ("lower", "destructive", "on_error")
    shape_like = 0

    def __init__(self, lower: bool = True, on_error: str = "raise") -> None:
        if on_error not in ("raise", "nan"):
            raise ValueError(f"Cholesky takes 'raise' or 'nan' as on_error, got {on_error!r}")
        self.lower = bool(lower)
        self.destructive = False
        self.on_error = on_error

    def make_node(self, x: TensorLike) -> Apply:
        x = as_stack(self, x)
        return Apply(self, [x], [tensor_type(working_dtype(x.dtype), x.broadcastable)()])

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        check_square(self, x)
        x = in_working_dtype(xp, x)
        try:
            array = self._factor(xp, x)
        except np.linalg.LinAlgError:
            if self.on_error == "raise":
                raise np.linalg.LinAlgError("Matrix is not positive definite") from None
            if x.ndim == 2:
                return np.full(x.shape, np.nan, x.dtype)
            array = np.empty(x.shape, x.dtype)
            for at in np.ndindex(*x.shape[:-2]):
                array[at] = self.compute(xp, x[at])
            return array
        # NOTE: LAPACK reports no failure for a matrix with NaN. No diagonal is negative, so only
        # NaN makes the sum NaN
        if self.on_error == "raise" and np.isnan(np.diagonal(array, axis1=-2, axis2=-1).sum()):
            raise np.linalg.LinAlgError("Matrix is not positive definite: it has NaN")
        return self._finished(xp, array)

    def _factor(self, xp: ArrayNamespace, x: Array) -> Any:
        if is_large(x):
            (factor,) = lapack_functions(["potrf"], x.dtype)
            result, stopped = factor(x, lower=self.lower, clean=True)
            if stopped:
                raise np.linalg.LinAlgError
            return result
        return xp.linalg.cholesky(x, upper=not self.lower)

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], x: Array) -> Any:
        check_square(self, x)
        # LAPACK does not read the other triangle; XLA zeroes it in less time than it copies it
        x = (xp.tril if self.lower else xp.triu)(in_working_dtype(xp, x))
        # NOTE: jax.numpy's cholesky reads the mean of both triangles
        return self._finished(xp, xp.triangular_factor(x, self.lower))

    def _finished(self, xp: ArrayNamespace, array: Array) -> Any:
        if self.on_error == "raise":
            return array
        return xp.where(_has_factor(xp, array)[..., None, None], array, np.nan)

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        return [] if self.on_error == "nan" else [xp.all(_has_factor(xp, outputs[0]))]

    # Murray, Differentiation of the Cholesky decomposition (arXiv:1602.07527), section 3
    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (y,), (g,) = inputs, outputs, output_grads
        inner = _half(adjoint(y) @ g if self.lower else y @ adjoint(g))
        solve = SolveTriangular(self.lower, "C" if self.lower else "N")
        both = solve(y, adjoint(solve(y, inner)))
        gx = _half(both + adjoint(both))
        gx = gx if self.lower else adjoint(gx)
        if self.on_error == "nan":
            bad = any_(isnan(y), axis=[y.ndim - 2, y.ndim - 1])
            gx = switch(in_matrices(bad), const_like(np.nan, gx), gx)
        return [patternbroadcast(gx, x.broadcastable)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (x,), (dx,) = inputs, eval_points
        if is_zero_tangent(dx):
            return [None]
        y = self(x)
        solve = SolveTriangular(self.lower, "N" if self.lower else "C")
        read = _half(dx if self.lower else adjoint(dx))
        inner = _half(solve(y, adjoint(solve(y, read + adjoint(read)))))
        dy = y @ inner if self.lower else adjoint(inner) @ y
        return [patternbroadcast(dy, y.broadcastable)]


def _has_factor(xp: ArrayNamespace, array: Array) -> Any:
    """For each matrix, whether the diagonal of the factor is free of NaN."""
    return xp.all(~xp.isnan(xp.diagonal(array, axis1=-2, axis2=-1)), axis=-1)


def _half(x: TensorVariable) -> Any:
    """The lower triangle with the diagonal halved."""
    return const_like(0.5, x) * (tril(x) + tril(x, -1))


@documented_in("theano.tensor.slinalg")
class CholeskyGrad(Op):
    """The gradient of a matrix x, given its Cholesky factor and the gradient of that.

    ``Cholesky`` does not use this op: its gradient is an expression that can be differentiated.

    >>> import theano.tensor as T
    >>> x = T.constant([[4.0, 2.0], [2.0, 5.0]])
    >>> T.slinalg.CholeskyGrad()(x, T.slinalg.cholesky(x), T.ones((2, 2))).eval().tolist()
    [[0.1875, 0.0], [0.25, 0.25]]
    """

    __props__ = ("lower", "destructive")
    shape_like = 0

    def __init__(self, lower: bool = True) -> None:
        self.lower = bool(lower)
        self.destructive = False

    def make_node(self, x: TensorLike, l: TensorLike, dz: TensorLike) -> Apply:
        x, l, dz = (as_stack(self, v) for v in (x, l, dz))
        if not x.ndim == l.ndim == dz.ndim:
            raise TypeError(
                f"{self} takes a matrix, its factor and a gradient of as many dimensions, got "
                f"{x.type}, {l.type} and {dz.type}"
            )
        made_by = l.owner.op if l.owner is not None else None
        if isinstance(made_by, Cholesky) and made_by.lower != self.lower:
            raise ValueError(f"{self} takes a factor of the same triangle, got one of {made_by}")
        dtype = working_dtype(x.dtype, l.dtype, dz.dtype)
        return Apply(self, [x, l, dz], [tensor_type(dtype, x.broadcastable)()])

    def compute(self, xp: ArrayNamespace, x: Array, l: Array, dz: Array) -> Any:
        _, l, dz = in_working_dtype(xp, x, l, dz)

        def half(m: Array) -> Any:
            return xp.astype((xp.tril(m) + xp.tril(m, -1)) / 2, m.dtype)

        def turned(m: Array) -> Any:
            return xp.conj(xp.swapaxes(m, -1, -2))

        trans = "C" if self.lower else "N"
        inner = half(turned(l) @ dz if self.lower else l @ turned(dz))
        once = triangular_solve(xp, l, inner, self.lower, trans)
        both = triangular_solve(xp, l, turned(once), self.lower, trans)
        gx = half(both + turned(both))
        return gx if self.lower else turned(gx)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        why = "The gradient of Cholesky itself is an expression that can be differentiated."
        return [grad_not_implemented(self, i, x, why) for i, x in enumerate(inputs)]


class CholeskyInverse(MatrixOp):
    """The inverse of L L^H for a lower triangular L; for a Cholesky factor, of half the steps.

    >>> import theano.tensor as T
    >>> L = T.slinalg.cholesky([[4.0, 2.0], [2.0, 5.0]])
    >>> CholeskyInverse()(L).eval().tolist()
    [[0.3125, -0.125], [-0.125, 0.25]]
    """

    __call__: TensorCall

    __props__ = ()
    shape_like = 0

    def make_node(self, L: TensorLike) -> Apply:
        L = as_stack(self, L)
        return Apply(self, [L], [tensor_type(working_dtype(L.dtype), L.broadcastable)()])

    def compute(self, xp: ArrayNamespace, L: Array) -> Any:
        check_square(self, L)
        L = in_working_dtype(xp, L)
        if xp.name == "numpy" and is_large(L):
            (invert,) = lapack_functions(["potri"], L.dtype)
            half, zero = invert(L, lower=True)
            if zero:
                raise np.linalg.LinAlgError("Singular matrix")
            # the other triangle is not written
            return np.tril(half) + np.tril(half, -1).conj().T
        one = xp.broadcast_to(xp.eye(L.shape[-1], dtype=L.dtype), L.shape)
        inverse = triangular_solve(xp, L, one, True)
        return xp.matmul(xp.conj(xp.swapaxes(inverse, -1, -2)), inverse)

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        return [no_zero_divides(xp, inputs[0], outputs[0])]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (L,), (y,), (g,) = inputs, outputs, output_grads
        back = y @ g @ y
        return [patternbroadcast(-tril((back + adjoint(back)) @ tril(L)), L.broadcastable)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (L,), (dL,) = inputs, eval_points
        if is_zero_tangent(dL):
            return [None]
        y = self(L)
        half = tril(dL) @ adjoint(tril(L))
        return [patternbroadcast(-(y @ (half + adjoint(half)) @ y), y.broadcastable)]


@documented_in("theano.tensor.slinalg")
def cholesky(x: TensorLike, lower: bool = True, on_error: str = "raise") -> TensorVariable:
    """The Cholesky factor of a positive definite matrix, or of each in a stack.

    Parameters
    ----------
    x : tensor of at least two dimensions
        Only the triangle given by ``lower`` is read.
    lower : bool
        Whether to return the lower L with ``L L^H = x`` or the upper U with ``U^H U = x``.
    on_error : {'raise', 'nan'}
        For a matrix that is not positive definite: raise LinAlgError, or return NaN.

    >>> import theano.tensor as T
    >>> T.slinalg.cholesky([[4.0, 2.0], [2.0, 5.0]]).eval().tolist()
    [[2.0, 0.0], [1.0, 2.0]]
    """
    return Cholesky(lower, on_error)(x)
