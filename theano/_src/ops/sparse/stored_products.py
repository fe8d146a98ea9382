"""Ops on tensors for products with sparse matrices that are given by their stored elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ops.core.cast import cast
from theano._src.ops.core.grad_helpers import conjugated
from theano._src.ops.shape.shape import shape_i
from theano._src.ops.shape.static_values import as_length
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import upcast
from theano._src.types.null import disconnected
from theano._src.types.tensor import tensor_type

#: with more rows than this per stored element, only the rows with elements are updated
_FEW = 4


def add_product_into(z: Any, data: Any, into: Any, of: Any, b: Any, times: Any = None) -> None:
    """Compute ``z[into[e]] += times * data[e] * b[of[e]]`` for all ``e``, in place, with SciPy."""
    rows: Any = slice(None)
    n = len(z)
    if _FEW * len(data) < n:
        rows, into = np.unique(into, return_inverse=True)
        n = len(rows)
    result = sp.coo_matrix((data, (into, of)), shape=(n, len(b))) @ b
    z[rows] += result if times is None else times * result


def _rows(xp: ArrayNamespace, x: Any, at: Any) -> Any:
    """Return rows by their indices, in XLA; zeros for indices past the last row."""
    if not x.shape[0]:
        return xp.zeros((at.shape[0], *x.shape[1:]), dtype=x.dtype)  # take refuses an empty axis
    take: Callable[..., Any] = xp.take
    return take(x, at, axis=0, mode="fill", fill_value=0)


class AddProduct(Op):
    """``z`` with ``data[e] * b[of[e]]`` added to row ``into[e]``, for each stored element ``e``.

    If ``z`` is zero, this is the product of a sparse matrix with ``n`` columns and a vector or
    matrix ``b``. Elements at a row or column past the last are padding and are left out.
    """

    __props__ = ("inplace",)
    demand_only = (5,)
    nondiff_inputs = (2, 3, 5)
    shape_like = 0

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = inplace
        if inplace:
            self.destroy_map = {0: [0]}

    def make_node(self, z: Any, data: Any, into: Any, of: Any, b: Any, n: Any) -> Apply:
        z, data, into, of, b = map(as_tensor_variable, (z, data, into, of, b))
        if b.ndim not in (1, 2) or z.ndim != b.ndim:
            raise TypeError(
                f"{self} takes two vectors or two matrices, got {z} of {z.type} and {b} of {b.type}"
            )
        dtype = upcast(z.dtype, data.dtype, b.dtype)
        z = z if z.dtype == dtype else cast(z, dtype)
        return Apply(self, [z, data, into, of, b, as_length(n)], [z.type()])

    def _refuse(self, z: Any, b: Any, n: int) -> None:
        if len(b) != n:
            raise ValueError(
                f"a product takes a sparse matrix that fits, got one of shape {(len(z), n)} and "
                f"a factor of shape {tuple(b.shape)}: {n} columns and {len(b)} rows"
            )
        if z.shape[1:] != b.shape[1:]:
            raise ValueError(
                f"a product with {b.shape[1:]} columns is added to as many, got {z.shape[1:]}"
            )

    def compute(
        self, xp: ArrayNamespace, z: Array, data: Array, into: Array, of: Array, b: Array, n: Array
    ) -> Any:
        self._refuse(z, b, int(n))
        there = into < len(z)
        if not there.all():
            data, into, of = data[there], into[there], of[there]
        out = z if self.inplace else np.array(z)
        add_product_into(out, data, into, of, b)
        return out

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        return [node.inputs[5]]

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Array) -> Any:
        z, data, into, of, b, _ = inputs
        self._refuse(z, b, sizes[0])
        rows = _rows(xp, b, of)
        data = data[:, None] if b.ndim == 2 else data
        return xp.index_add(z, into, xp.astype(data * rows, z.dtype))

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (_, data, into, of, b, _), (g,) = inputs, output_grads
        data, b = conjugated(data), conjugated(b)
        back = add_product(b.zeros_like(dtype=g.dtype), data, of, into, g, shape_i(g, 0))
        none = disconnected()
        return [g, sampled_product(g, into, b, of), none, disconnected(), back, disconnected()]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        z, data, into, of, b, n = inputs
        dz, ddata, _, _, db, _ = eval_points
        if dz is None and ddata is None and db is None:
            return [None]
        result = z.zeros_like() if dz is None else dz
        if ddata is not None:
            result = self(result, ddata, into, of, b, n)
        return [result if db is None else self(result, data, into, of, db, n)]


add_product = AddProduct()


class SampledProduct(Op):
    """The product of row ``into[e]`` of ``g`` with row ``of[e]`` of ``b``, for each element ``e``.

    This is the gradient of a product with respect to the stored elements of a sparse matrix.
    Elements at a row past the last get 0.
    """

    __props__ = ()
    nondiff_inputs = (1, 3)

    def make_node(self, g: Any, into: Any, b: Any, of: Any) -> Apply:
        g, into, b, of = map(as_tensor_variable, (g, into, b, of))
        if g.ndim not in (1, 2) or g.ndim != b.ndim:
            raise TypeError(
                f"{self} takes two vectors or two matrices, got {g} of {g.type} and {b} of {b.type}"
            )
        return Apply(self, [g, into, b, of], [tensor_type(upcast(g.dtype, b.dtype), (False,))()])

    def compute(self, xp: ArrayNamespace, g: Array, into: Array, b: Array, of: Array) -> Any:
        if g.shape[1:] != b.shape[1:]:
            raise ValueError(f"{self} takes as many columns of both, got {g.shape} and {b.shape}")
        if xp.name != "numpy":
            array = _rows(xp, g, into) * _rows(xp, b, of)
            return xp.sum(array, axis=1) if g.ndim == 2 else array
        there = into < len(g)
        array = np.zeros(len(into), np.result_type(g.dtype, b.dtype))
        at = slice(None) if there.all() else np.flatnonzero(there)
        array[at] = sampled(g, b, into[at], of[at])
        return array

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [(shapes[1][0],)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (g, into, b, of), (v,) = inputs, output_grads
        g, b = conjugated(g), conjugated(b)
        of_g = add_product(g.zeros_like(dtype=v.dtype), v, into, of, b, shape_i(b, 0))
        of_b = add_product(b.zeros_like(dtype=v.dtype), v, of, into, g, shape_i(g, 0))
        return [of_g, disconnected(), of_b, disconnected()]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        g, into, b, of = inputs
        dg, _, db, _ = eval_points
        results = [] if dg is None else [self(dg, into, b, of)]
        results += [] if db is None else [self(g, into, db, of)]
        return [sum(results[1:], results[0]) if results else None]


sampled_product = SampledProduct()


def sampled(x: Any, y: Any, rows: Any, columns: Any) -> np.ndarray:
    """Return the dot products of pairs of rows of two arrays, computed in chunks."""
    if x.ndim == 1:
        result: np.ndarray = x[rows] * y[columns]
        return result
    array = np.empty(len(rows), np.result_type(x.dtype, y.dtype))
    step = max(1, (1 << 16) // max(1, x.shape[1]))
    for begin in range(0, len(rows), step):
        part = slice(begin, begin + step)
        np.einsum("ij,ij->i", x[rows[part]], y[columns[part]], out=array[part])
    return array
