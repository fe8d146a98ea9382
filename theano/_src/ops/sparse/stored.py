"""Sparse matrices as tensors of their stored elements, as compiled programs take them."""

from __future__ import annotations

from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.ground.array_types import ArrayNamespace
from theano._src.ops.sparse.base import (
    KINDS,
    SparseOp,
    as_sparse_or_tensor_variable,
    as_sparse_variable,
    dense,
    places,
    same_pattern,
    sparse_like,
)
from theano._src.ops.sparse.csm import csm_grad, refuse_large
from theano._src.types.convert import as_tensor_variable
from theano._src.types.null import DisconnectedType, disconnected
from theano._src.types.sparse import PARTS, SparseType, padded_length


class StoredElements(SparseOp):
    """The stored elements of a sparse matrix with their rows and columns, padded.

    The outputs are, for a csr matrix: the elements; the column of each; the row of each; where
    each row begins among the elements; and the shape. For a csc matrix, rows and columns are
    exchanged. Padding elements are 0, at a row and a column past the last. With padding, a
    program compiled for one length serves all matrices that store about as many elements.
    """

    __props__ = ()

    def make_node(self, x: Any) -> Apply:
        x = as_sparse_variable(x)
        outs = [dense(x.type.dtype, 1), *(dense("int32", 1) for _ in range(3)), dense("int64", 1)]
        return Apply(self, [x], outs)

    def compute(self, xp: ArrayNamespace, x: Any) -> Any:
        refuse_large(x)
        n = int(x.indptr[-1])
        rows, columns = places(x)
        minor, major = (columns, rows) if x.format == "csr" else (rows, columns)
        ends = x.shape[::-1] if x.format == "csr" else x.shape
        room = padded_length(n) - n
        parts = [np.concatenate([x.data[:n], np.zeros(room, x.dtype)])]
        for at, end in zip((minor, major), ends, strict=True):
            parts.append(np.concatenate([at, np.full(room, end)]).astype("int32"))
        return *parts, x.indptr.astype("int32"), np.asarray(x.shape, "int64")

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[True, False, False, False, False]]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        g = output_grads[0]
        return [
            disconnected() if isinstance(g.type, DisconnectedType) else like_stored(inputs[0], g)
        ]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return [
            None if eval_points[0] is None else stored_grad(inputs[0], eval_points[0]),
            *[None] * 4,
        ]


stored_elements = StoredElements()


class FromStored(SparseOp):
    """Build a sparse matrix from the outputs of StoredElements."""

    __props__ = ("format",)
    linear_in = (0,)
    nondiff_inputs = slice(1, None)

    def __init__(self, format: str) -> None:
        self.format = format

    def make_node(self, data: Any, minor: Any, major: Any, indptr: Any, shape: Any) -> Apply:
        inputs = [as_tensor_variable(v) for v in (data, minor, major, indptr, shape)]
        return Apply(self, inputs, [SparseType(self.format, inputs[0].type.dtype)()])

    def compute(
        self, xp: ArrayNamespace, data: Any, minor: Any, major: Any, indptr: Any, shape: Any
    ) -> Any:
        n = int(indptr[-1])
        parts = (data[:n].copy(), minor[:n].copy(), indptr.copy())
        return KINDS[self.format](parts, shape=tuple(map(int, shape)), copy=False)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        g = stored_grad(outputs[0], output_grads[0])
        return [g, *(disconnected() for _ in range(4))]

    def infer_shape(self, node: Apply, shapes: Any) -> list[Any]:
        shape: Any = node.inputs[4]
        return [(shape[0], shape[1])]


class StoredGrad(SparseOp):
    """The elements of a gradient at the positions stored in a matrix, padded as StoredElements."""

    __props__ = ()

    def make_node(self, x: Any, g: Any) -> Apply:
        x, g = as_sparse_variable(x), as_sparse_or_tensor_variable(g)
        return Apply(self, [x, g], [dense(g.type.dtype, 1)])

    def compute(self, xp: ArrayNamespace, x: Any, g: Any) -> Any:
        result = csm_grad().compute(xp, x, g)
        return np.concatenate([result, np.zeros(padded_length(len(result)) - len(result), g.dtype)])


stored_grad = StoredGrad()


class LikeStored(SparseOp):
    """A sparse matrix with the positions of ``x`` and other elements, given padded."""

    __props__ = ()
    nondiff_inputs = (0,)
    shape_like = 0

    def make_node(self, x: Any, data: Any) -> Apply:
        x, data = as_sparse_variable(x), as_tensor_variable(data)
        return Apply(self, [x, data], [sparse_like(x, data.type.dtype)])

    def compute(self, xp: ArrayNamespace, x: Any, data: Any) -> Any:
        return same_pattern(x, data[: int(x.indptr[-1])].copy())

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return [disconnected(), stored_grad(inputs[0], output_grads[0])]


like_stored = LikeStored()


def _parts(x: Any) -> tuple[list[Any], Any]:
    return stored_elements(x), FromStored(x.type.format)


PARTS.append(_parts)
