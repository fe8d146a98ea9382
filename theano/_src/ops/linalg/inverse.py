"""Inverses, determinants and powers of square matrices."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.ground.array_types import Array, ArrayNamespace, Arrays
from theano._src.ground.documented import documented_in
from theano._src.ops.core.grad_helpers import conjugated, const_like
from theano._src.ops.elementwise.arithmetic import mul
from theano._src.ops.elementwise.compare import eq
from theano._src.ops.elementwise.complex_parts import imag, real
from theano._src.ops.index.index_grad import is_zero_tangent
from theano._src.ops.linalg.dot import matmul
from theano._src.ops.linalg.matrix_stacks import (
    MatrixOp,
    adjoint,
    as_stack,
    check_square,
    in_matrices,
    in_working_dtype,
    is_large,
    is_regular,
    transposed,
    working_dtype,
)
from theano._src.ops.linalg.scipy_blas import lapack_functions
from theano._src.ops.meta.misc import Assert
from theano._src.ops.shape.alloc import alloc, lengths_of
from theano._src.ops.shape.dims import patternbroadcast
from theano._src.ops.shape.ranges import eye
from theano._src.ops.shape.shape import reshape
from theano._src.ops.shape.static_values import product
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import complex_dtypes
from theano._src.types.tensor import TensorCall, TensorVariable, tensor_type


@documented_in("theano.tensor.nlinalg")
class MatrixInverse(MatrixOp):
    """The inverse of a square matrix, or of each in a stack; LinAlgError if it is singular.

    >>> import theano.tensor as T
    >>> T.nlinalg.matrix_inverse([[2.0, 1.0], [1.0, 1.0]]).eval().round(12).tolist()
    [[1.0, -1.0], [-1.0, 2.0]]
    """

    __call__: TensorCall

    __props__ = ()
    shape_like = 0

    def make_node(self, x: TensorLike) -> Apply:
        x = as_stack(self, x)
        return Apply(self, [x], [tensor_type(working_dtype(x.dtype), x.broadcastable)()])

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        check_square(self, x)
        x = in_working_dtype(xp, x)
        return _inverse(x) if xp.name == "numpy" and is_large(x) else xp.linalg.inv(x)

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        return [is_regular(xp, inputs[0])]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (y,), (g,) = inputs, outputs, output_grads
        back = adjoint(y)
        return [patternbroadcast(-(back @ g @ back), x.broadcastable)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (x,), (dx,) = inputs, eval_points
        if is_zero_tangent(dx):
            return [None]
        y = self(x)
        return [patternbroadcast(-(y @ dx @ y), y.broadcastable)]


def _inverse(x: Array) -> Any:
    """The inverse by LAPACK's getri; NumPy solves for the identity, which is twice the work."""
    factor, invert, room = lapack_functions(["getrf", "getri", "getri_lwork"], x.dtype)
    # invert the transpose: LAPACK stores matrices by columns
    factors, pivots, zero = factor(x.T)
    if zero:
        raise np.linalg.LinAlgError("Singular matrix")
    result, _ = invert(factors, pivots, lwork=int(room(len(x))[0].real), overwrite_lu=True)
    return result.T


matrix_inverse = MatrixInverse()


@documented_in("theano.tensor.nlinalg")
class MatrixPinv(MatrixOp):
    """The pseudo-inverse (Moore and Penrose) of a matrix of any shape, or of each in a stack.

    Singular values no larger than the rounding error of the largest one count as zeros.
    Derivatives are valid as long as the rank stays the same.

    >>> import theano.tensor as T
    >>> T.nlinalg.pinv([[2.0, 0.0, 0.0], [0.0, 4.0, 0.0]]).eval().tolist()
    [[0.5, 0.0], [0.0, 0.25], [0.0, 0.0]]
    """

    __call__: TensorCall

    __props__ = ()

    def make_node(self, x: TensorLike) -> Apply:
        x = as_stack(self, x)
        pattern = (*x.broadcastable[:-2], x.broadcastable[-1], x.broadcastable[-2])
        return Apply(self, [x], [tensor_type(working_dtype(x.dtype), pattern)()])

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        # NumPy raises for NaN and returns zeros for infinity
        if not np.isfinite(inputs[0]).all():
            raise np.linalg.LinAlgError(f"{self} takes finite numbers, got infinity or NaN")

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        x = in_working_dtype(xp, x)
        # explicit, as the defaults of NumPy and jax differ
        least = max(x.shape[-2:]) * float(np.finfo(x.dtype).eps)
        return xp.linalg.pinv(x, rtol=least)

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        return [xp.all(xp.isfinite(inputs[0]))]

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        *front, rows, columns = shapes[0]
        return [(*front, columns, rows)]

    # Golub and Pereyra, SIAM Journal on Numerical Analysis 10 (1973), equation 4.12
    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (y,), (g,) = inputs, outputs, output_grads
        back, ga = adjoint(y), adjoint(g)
        left, right = ga @ y @ back, back @ y @ ga
        gx = left - x @ (y @ left) + right - (right @ y) @ x - back @ g @ back
        return [patternbroadcast(gx, x.broadcastable)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (x,), (dx,) = inputs, eval_points
        if is_zero_tangent(dx):
            return [None]
        y = self(x)
        back, da = adjoint(y), adjoint(dx)
        left, right = y @ back @ da, da @ back @ y
        dy = left - (left @ x) @ y + right - y @ (x @ right) - y @ dx @ y
        return [patternbroadcast(dy, y.broadcastable)]


pinv = MatrixPinv()


@documented_in("theano.tensor.nlinalg")
class Det(MatrixOp):
    """The determinant of a square matrix, or of each in a stack.

    Its gradient uses the inverse, so it raises LinAlgError for a singular matrix.

    >>> import theano.tensor as T
    >>> round(float(T.nlinalg.det([[2.0, 1.0], [1.0, 3.0]]).eval()), 12)
    5.0
    """

    __call__: TensorCall

    __props__ = ()

    def make_node(self, x: TensorLike) -> Apply:
        x = as_stack(self, x)
        return Apply(self, [x], [tensor_type(working_dtype(x.dtype), x.broadcastable[:-2])()])

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        check_square(self, x)
        return xp.asarray(xp.linalg.det(in_working_dtype(xp, x)))

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [tuple(shapes[0][:-2])]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (y,), (g,) = inputs, outputs, output_grads
        gx = in_matrices(g * conjugated(y)) * adjoint(matrix_inverse(x))
        return [patternbroadcast(gx, x.broadcastable)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (x,), (dx,) = inputs, eval_points
        return [None if is_zero_tangent(dx) else self(x) * _relative(x, dx)]


def _relative(x: TensorVariable, dx: TensorVariable) -> Any:
    """The derivative of the logarithm of the determinant: the trace of x^-1 dx."""
    return (transposed(matrix_inverse(x)) * dx).sum(axis=[x.ndim - 2, x.ndim - 1])


det = Det()


@documented_in("theano.tensor.nlinalg")
class SLogDet(MatrixOp):
    """The sign of a determinant and the logarithm of its absolute value.

    >>> import theano.tensor as T
    >>> sign, log = T.nlinalg.slogdet([[0.0, 1.0], [1.0, 0.0]])
    >>> float(sign.eval()), float(log.eval())
    (-1.0, 0.0)
    """

    __props__ = ()

    def make_node(self, x: TensorLike) -> Apply:
        x = as_stack(self, x)
        dtype = working_dtype(x.dtype)
        of_log = np.empty(0, dtype).real.dtype.name
        return Apply(self, [x], [tensor_type(d, x.broadcastable[:-2])() for d in (dtype, of_log)])

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        check_square(self, x)
        sign, log = xp.linalg.slogdet(in_working_dtype(xp, x))
        return xp.asarray(sign), xp.asarray(log)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [tuple(shapes[0][:-2])] * 2

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (sign, _), (g_sign, g_log) = inputs, outputs, output_grads
        turns = sign.dtype in complex_dtypes and not is_zero_tangent(g_sign)
        if is_zero_tangent(g_log) and not turns:
            return [x.zeros_like(dtype=sign.dtype)]
        # log det = log|det| + i angle, and the sign is exp(i angle)
        parts = [] if is_zero_tangent(g_log) else [g_log]
        parts += [const_like(1j, sign) * imag(g_sign * conjugated(sign))] if turns else []
        gx = in_matrices(reduce(lambda a, b: a + b, parts)) * adjoint(matrix_inverse(x))
        return [patternbroadcast(gx, x.broadcastable)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (x,), (dx,) = inputs, eval_points
        if is_zero_tangent(dx):
            return [None, None]
        sign, _ = self(x)
        moved = _relative(x, dx)
        if sign.dtype in complex_dtypes:
            return [const_like(1j, sign) * imag(moved) * sign, real(moved)]
        return [sign.zeros_like(), moved]


slogdet = SLogDet()


@documented_in("theano.tensor.nlinalg")
def matrix_dot(*args: TensorLike) -> TensorVariable:
    """The product of several matrices, in this order.

    >>> import theano.tensor as T
    >>> T.nlinalg.matrix_dot([[1, 2]], [[3], [4]], [[5]]).eval().tolist()
    [[55]]
    """
    if not args:
        raise TypeError("matrix_dot takes at least one matrix, got none")
    return reduce(_times, map(as_tensor_variable, args))


def _times(a: TensorVariable, b: TensorVariable) -> TensorVariable:
    return matmul(a, b) if a.ndim and b.ndim else mul(a, b)


_square = Assert("matrix_power takes square matrices")


@documented_in("theano.tensor.nlinalg")
def matrix_power(M: TensorLike, n: int) -> Any:
    """An integer power of a square matrix, or of each in a stack; negative ones use the inverse.

    Parameters
    ----------
    M : tensor of at least two dimensions
    n : int
        The number of multiplications grows with the logarithm of its absolute value.

    >>> import theano.tensor as T
    >>> T.nlinalg.matrix_power([[1, 1], [1, 0]], 10).eval().tolist()
    [[89, 55], [55, 34]]
    """
    M = as_stack("matrix_power", M)
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)):
        raise TypeError(f"matrix_power takes a Python integer as n, got {n!r}")
    n = int(n)
    if n in (0, 1):
        lengths = lengths_of(M)
        one = M if n else alloc(eye(lengths[-1], dtype=M.dtype), *lengths[:-2], *lengths[-1:] * 2)
        # no product checks the shape here
        result = _square(one, eq(lengths[-2], lengths[-1]))
        return patternbroadcast(result, M.broadcastable)
    base, n = (matrix_inverse(M), -n) if n < 0 else (M, n)
    result = None
    while n:
        if n & 1:
            result = base if result is None else matmul(result, base)
        n >>= 1
        base = matmul(base, base) if n else base
    return patternbroadcast(result, M.broadcastable)


@documented_in("theano.tensor.nlinalg")
def tensorinv(a: TensorLike, ind: int = 2) -> Any:
    """The inverse of a tensor with respect to ``tensordot(a, b, ind)``, as in NumPy.

    Parameters
    ----------
    a : tensor
        The product of its first ``ind`` lengths equals that of the others.
    ind : int

    Returns
    -------
    tensor
        Of shape ``a.shape[ind:] + a.shape[:ind]``.

    >>> import theano.tensor as T
    >>> T.nlinalg.tensorinv(T.eye(6).reshape((6, 2, 3)), ind=1).eval().shape
    (2, 3, 6)
    """
    a = as_tensor_variable(a)
    if isinstance(ind, bool) or not isinstance(ind, (int, np.integer)) or ind <= 0:
        raise ValueError(f"tensorinv takes a positive integer as ind, got {ind!r}")
    if ind >= a.ndim:
        raise ValueError(f"tensorinv takes more than ind={ind} dimensions, got {a} of {a.type}")
    first, rest = lengths_of(a)[:ind], lengths_of(a)[ind:]
    flat = reshape(a, [product(first), product(rest)], ndim=2)
    result = reshape(matrix_inverse(flat), [*rest, *first], ndim=a.ndim)
    return patternbroadcast(result, (*a.broadcastable[ind:], *a.broadcastable[:ind]))
