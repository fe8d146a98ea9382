"""The matrix exponential, and its derivatives of every order."""

from __future__ import annotations

from typing import Any

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.index.index_grad import is_zero_tangent
from theano._src.ops.linalg.matrix_stacks import (
    MatrixOp,
    adjoint,
    as_stack,
    check_square,
    in_working_dtype,
    working_dtype,
)
from theano._src.ops.shape.join import concatenate
from theano._src.ops.shape.shape import shape_i
from theano._src.types.aliases import TensorLike
from theano._src.types.tensor import TensorCall, TensorVariable, tensor_type


@documented_in("theano.tensor.slinalg")
class Expm(MatrixOp):
    """The matrix exponential: the sum of x^k / k!.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.slinalg.expm(T.constant([[0.0, 2.0], [0.0, 0.0]])).eval().tolist()
    [[1.0, 2.0], [0.0, 1.0]]
    """

    __call__: TensorCall

    __props__ = ()
    shape_like = 0

    def make_node(self, A: TensorLike) -> Apply:
        A = as_stack(self, A)
        return Apply(self, [A], [tensor_type(working_dtype(A.dtype), A.broadcastable)()])

    def compute(self, xp: ArrayNamespace, A: Array) -> Any:
        check_square(self, A)
        return _expm(xp, in_working_dtype(xp, A))

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (A,), (g,) = inputs, output_grads
        return [ExpmGrad()(A, g)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (A,), (dA,) = inputs, eval_points
        return [None if is_zero_tangent(dA) else ExpmGrad()(adjoint(A), dA)]


def _expm(xp: ArrayNamespace, x: Array) -> Any:
    if xp.name == "numpy":
        return xp.slinalg.expm(x)
    if x.size == 0:
        return x
    # NOTE: jax's default of 16 squarings returns NaN for norms above 350,000
    return xp.slinalg.expm(x, max_squarings=64)


@documented_in("theano.tensor.slinalg")
class ExpmGrad(Op):
    """The gradient of Expm at A: the derivative of the exponential at A^H along gw.

    It is the corner of the exponential of [[A^H, gw], [0, A^H]] (Higham, Functions of matrices,
    3.16), so its own derivatives are again of this form.

    Examples
    --------
    >>> import theano.tensor as T
    >>> x, g = T.constant([[0.0, 0.0], [0.0, 0.0]]), T.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> T.slinalg.ExpmGrad()(x, g).eval().tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """

    __props__ = ()
    shape_like = 0

    def make_node(self, A: TensorLike, gw: TensorLike) -> Apply:
        A, gw = as_stack(self, A), as_stack(self, gw)
        if A.ndim != gw.ndim:
            raise TypeError(f"{self} takes two of as many dimensions, got {A.type} and {gw.type}")
        dtype = working_dtype(A.dtype, gw.dtype)
        return Apply(self, [A, gw], [tensor_type(dtype, A.broadcastable)()])

    def compute(self, xp: ArrayNamespace, A: Array, gw: Array) -> Any:
        check_square(self, A)
        if A.shape != gw.shape:
            raise ValueError(f"{self} takes two of one shape, got {A.shape} and {gw.shape}")
        A, gw = in_working_dtype(xp, A, gw)
        n = A.shape[-1]
        turned = xp.conjugate(xp.swapaxes(A, -1, -2))
        # scale the direction to at most 1: a large one would cost precision
        size = xp.max(xp.abs(gw), axis=(-2, -1), keepdims=True, initial=0)
        size = xp.where(size > 0, size, xp.ones((), size.dtype))
        block = xp.concatenate(
            [
                xp.concatenate([turned, gw / size], axis=-1),
                xp.concatenate([xp.zeros_like(A), turned], axis=-1),
            ],
            axis=-2,
        )
        return xp.astype(_expm(xp, block)[..., :n, n:] * size, A.dtype)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (A, gw), (g,) = inputs, output_grads
        n = shape_i(A, A.ndim - 1)
        back = self(_block(adjoint(A), gw), _block(g.zeros_like(), g))
        return [adjoint(back[..., :n, :n] + back[..., n:, n:]), back[..., :n, n:]]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (A, gw), (dA, dg) = inputs, eval_points
        if is_zero_tangent(dA) and is_zero_tangent(dg):
            return [None]
        if is_zero_tangent(dA):
            return [self(A, dg)]
        n = shape_i(A, A.ndim - 1)
        dg = gw.zeros_like() if is_zero_tangent(dg) else dg
        at = _block(adjoint(A), gw)
        return [self(adjoint(at), _block(adjoint(dA), dg))[..., :n, n:]]


def _block(a: TensorVariable, b: TensorVariable) -> Any:
    """[[a, b], [0, a]]"""
    last = a.ndim - 1
    rows = [concatenate([a, b], axis=last), concatenate([a.zeros_like(), a], axis=last)]
    return concatenate(rows, axis=last - 1)


expm = Expm()
