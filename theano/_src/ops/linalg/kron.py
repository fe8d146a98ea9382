"""The Kronecker product of two matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.grad_helpers import conjugated
from theano._src.ops.elementwise.arithmetic import add, mul
from theano._src.ops.index.index_grad import is_zero_tangent
from theano._src.ops.linalg.einsum import labelled_product
from theano._src.ops.shape.dims import dimshuffle, patternbroadcast
from theano._src.ops.shape.shape import reshape, shape_i
from theano._src.ops.shape.static_values import product
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import upcast
from theano._src.types.tensor import TensorCall, TensorVariable, tensor_type


@documented_in("theano.tensor.slinalg")
class Kron(Op):
    """A block ``a[i, j] * b`` for each element of the matrix ``a``.

    >>> import theano.tensor as T
    >>> T.slinalg.Kron()([[1, 2]], [[1, 0], [0, 1]]).eval().tolist()
    [[1, 0, 2, 0], [0, 1, 0, 2]]
    """

    __call__: TensorCall

    __props__ = ()

    def make_node(self, a: TensorLike, b: TensorLike) -> Apply:
        a, b = as_tensor_variable(a), as_tensor_variable(b)
        for v in (a, b):
            if v.ndim != 2:
                raise TypeError(f"{self} takes two matrices, got {v} of {v.type}")
        pattern = tuple(p and q for p, q in zip(a.broadcastable, b.broadcastable, strict=True))
        return Apply(self, [a, b], [tensor_type(upcast(a.dtype, b.dtype), pattern)()])

    def compute(self, xp: ArrayNamespace, a: Array, b: Array) -> Any:
        dtype = upcast(a.dtype.name, b.dtype.name)
        a, b = xp.astype(a, dtype), xp.astype(b, dtype)
        both = a[:, None, :, None] * b[None, :, None, :]
        return xp.reshape(both, (a.shape[0] * b.shape[0], a.shape[1] * b.shape[1]))

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        a, b = shapes
        return [(mul(a[0], b[0]), mul(a[1], b[1]))]

    def batch_rule(self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]) -> Any:
        # a batch is the first of three dimensions of a product of broadcast blocks
        parts = []
        for v, batched, at in zip(inputs, is_batched, (0, 1), strict=True):
            front = (0,) if batched else ("x",)
            i, j = (1, 2) if batched else (0, 1)
            own = (i, "x", j, "x") if at == 0 else ("x", i, "x", j)
            parts.append(dimshuffle(v, *front, *own))
        both: Any = mul(*parts)
        lengths = [shape_i(both, d) for d in range(5)]
        joined = [lengths[0], product(lengths[1:3]), product(lengths[3:])]
        result = reshape(both, joined, ndim=3)
        return [
            patternbroadcast(result, (both.broadcastable[0], *node.outputs[0].type.broadcastable))
        ]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (a, b), (g,) = inputs, output_grads
        lengths = [shape_i(v, d) for d in (0, 1) for v in (a, b)]
        blocks = reshape(g, lengths, ndim=4)
        ga = labelled_product([blocks, conjugated(b)], ["ikjl", "kl"], "ij")
        gb = labelled_product([blocks, conjugated(a)], ["ikjl", "ij"], "kl")
        return [patternbroadcast(ga, a.broadcastable), patternbroadcast(gb, b.broadcastable)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (a, b), (da, db) = inputs, eval_points
        terms = [] if is_zero_tangent(da) else [self(da, b)]
        terms += [] if is_zero_tangent(db) else [self(a, db)]
        if not terms:
            return [None]
        result: TensorVariable = terms[0] if len(terms) == 1 else add(*terms)
        return [patternbroadcast(result, self(a, b).broadcastable)]


_kron = Kron()
