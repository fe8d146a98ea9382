"""Gradients of eigenvalues as single ops, as documented; T.grad builds differentiable ones."""

from __future__ import annotations

from typing import Any

from theano._src.graph.graph import Apply
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.linalg.matrix_stacks import as_stack, working_dtype
from theano._src.ops.linalg.spectral import Pair, Triangle, of_pair
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.tensor import tensor_type


@documented_in("theano.tensor.nlinalg")
class EighGrad(Triangle):
    """The gradient of Eigh with respect to x, given w, v and the gradients of w and v.

    ``T.grad`` builds an expression of differentiable ops instead.

    Examples
    --------
    >>> import theano.tensor as T
    >>> x = T.constant([[1.0, 0.0], [0.0, 2.0]])
    >>> w, v = T.nlinalg.eigh(x)
    >>> T.nlinalg.EighGrad()(x, w, v, T.ones_like(w), T.zeros_like(v)).eval().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    __props__ = ("UPLO",)
    shape_like = 0

    def make_node(
        self, x: TensorLike, w: TensorLike, v: TensorLike, gw: TensorLike, gv: TensorLike
    ) -> Apply:
        x, v, gv = (as_stack(self, a) for a in (x, v, gv))
        w, gw = as_tensor_variable(w), as_tensor_variable(gw)
        for a in (w, gw):
            if a.ndim != x.ndim - 1:
                raise TypeError(f"{self} takes vectors of eigenvalues, got {a} of type {a.type}")
        inputs = [x, w, v, gw, gv]
        dtype = working_dtype(*(a.dtype for a in inputs))
        return Apply(self, inputs, [tensor_type(dtype, x.broadcastable)()])

    def compute(
        self, xp: ArrayNamespace, x: Array, w: Array, v: Array, gw: Array, gv: Array
    ) -> Any:
        dtype = working_dtype(*(a.dtype for a in (x, w, v, gw, gv)))
        there = xp.eye(x.shape[-1], dtype=bool)
        turned = xp.conjugate(xp.swapaxes(v, -1, -2))
        gaps = xp.where(there, xp.ones((), w.dtype), w[..., None, :] - w[..., :, None])
        with xp.errstate(divide="ignore", invalid="ignore"):
            off = xp.matmul(turned, gv) / gaps
        g = xp.matmul(xp.matmul(v, xp.where(there, gw[..., None, :], off)), turned)
        twice = g + xp.conjugate(xp.swapaxes(g, -1, -2))
        half = xp.tril(twice, -1) if self.UPLO == "L" else xp.triu(twice, 1)
        return xp.astype(xp.where(there, xp.real(g), half), dtype)


@documented_in("theano.tensor.slinalg")
class EigvalshGrad(Pair):
    """The gradients of Eigvalsh with respect to a and b, given that of the eigenvalues.

    ``T.grad`` builds an expression of differentiable ops instead.

    Examples
    --------
    >>> import theano.tensor as T
    >>> a = T.constant([[1.0, 0.0], [0.0, 2.0]])
    >>> ga, gb = T.slinalg.EigvalshGrad()(a, T.eye(2), T.constant([1.0, 1.0]))
    >>> ga.eval().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    __props__ = ("lower",)
    shape_like = (0, 1)

    def make_node(self, a: TensorLike, b: TensorLike, gw: TensorLike) -> Apply:
        a, b = as_stack(self, a), as_stack(self, b)
        gw = as_tensor_variable(gw)
        if gw.ndim != a.ndim - 1 or b.ndim != a.ndim:
            raise TypeError(
                f"{self} takes two matrices and a vector, got {a.type}, {b.type} and {gw.type}"
            )
        dtype = working_dtype(a.dtype, b.dtype, gw.dtype)
        outputs = [tensor_type(dtype, x.broadcastable)() for x in (a, b)]
        return Apply(self, [a, b, gw], outputs)

    def compute(self, xp: ArrayNamespace, a: Array, b: Array, gw: Array) -> Any:
        self._check(a, b)
        dtype = working_dtype(a.dtype, b.dtype, gw.dtype)
        w, v = of_pair(xp, a, b, self.lower)
        turned = xp.conjugate(xp.swapaxes(v, -1, -2))
        results = []
        for scale in (gw, -gw * w):
            g = xp.matmul(v * scale[..., None, :], turned)
            half = xp.tril(2 * g, -1) if self.lower else xp.triu(2 * g, 1)
            there = xp.eye(g.shape[-1], dtype=bool)
            results.append(xp.astype(xp.where(there, xp.real(g), half), dtype))
        return tuple(results)
