"""Sums, diagonals, scaling of rows and columns, and clean-up of sparse matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from theano._src.graph.graph import Apply
from theano._src.ground.array_types import ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.grad_helpers import conjugated
from theano._src.ops.elementwise.arithmetic import fill
from theano._src.ops.shape.alloc import alloc
from theano._src.ops.sparse.base import (
    SparseOp,
    as_sparse_variable,
    common_dtype,
    dense,
    is_sparse_variable,
    places,
    same_pattern,
    same_places,
    sparse_like,
    stores_twice,
)
from theano._src.ops.sparse.convert import SparseFromDense, as_format, at_stored
from theano._src.ops.sparse.csm import CSM, csm_properties, lengths
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import complex_dtypes, discrete_dtypes
from theano._src.types.null import disconnected
from theano._src.types.sparse import SparseType


def with_data(x: Any, change: Any) -> Any:
    """Return a matrix with the positions of ``x`` and ``change(data)`` as its data."""
    data, indices, indptr, shape = csm_properties(x)
    return CSM(x.type.format)(change(data), indices, indptr, shape)


def conjugate(x: Any) -> Any:
    """Return the factor for a gradient: the conjugate of a complex ``x``, a real one itself."""
    if not is_sparse_variable(x):
        return conjugated(x)
    return with_data(x, conjugated) if x.type.dtype in complex_dtypes else x


def times_stored(x: Any, g: Any) -> Any:
    """Multiply each stored element by its gradient, also where a position is stored twice."""
    there = csm_properties(at_stored(x, g))[0]
    return with_data(x, lambda data: data * there)


@documented_in("theano.sparse.basic")
def sp_ones_like(x: Any) -> Any:
    """Return a sparse matrix with ones where ``x`` stores elements.

    >>> import scipy.sparse, theano.sparse
    >>> theano.sparse.sp_ones_like(scipy.sparse.csr_matrix([[0, 7]])).eval().toarray().tolist()
    [[0, 1]]
    """
    return with_data(as_sparse_variable(x), lambda data: data.ones_like())


@documented_in("theano.sparse.basic")
def sp_zeros_like(x: Any, dtype: str | None = None) -> Any:
    """Return a sparse matrix with the shape and format of ``x`` and no stored elements.

    >>> import scipy.sparse, theano.sparse
    >>> theano.sparse.sp_zeros_like(scipy.sparse.csr_matrix([[0, 7]])).eval().nnz
    0
    """
    x = as_sparse_variable(x)
    _, indices, indptr, shape = csm_properties(x)
    nothing = as_tensor_variable(np.zeros(0, dtype or x.type.dtype))
    return CSM(x.type.format)(nothing, indices[:0], indptr.zeros_like(), shape)


@documented_in("theano.sparse.basic")
class SpSum(SparseOp):
    """The dense sum of a sparse matrix, over everything or one axis; see ``sp_sum``."""

    __props__ = ("axis",)
    linear_in = (0,)

    def __init__(self, axis: int | None = None, sparse_grad: bool = True) -> None:
        if axis not in (None, 0, 1):
            raise ValueError(f"sp_sum takes the axis 0, 1 or None, got {axis!r}")
        self.axis = axis
        # not in __props__: it does not change the values
        self.structured = sparse_grad

    def __str__(self) -> str:
        return f"{type(self).__name__}{{axis={self.axis}}}"

    def make_node(self, x: Any) -> Apply:
        x = as_sparse_variable(x)
        return Apply(self, [x], [dense(x.type.dtype, 0 if self.axis is None else 1)])

    def compute(self, xp: ArrayNamespace, x: Any) -> Any:
        if self.axis is None:
            return np.asarray(x.data.sum(dtype=x.dtype))
        rows, columns = places(x)
        at, n = (columns, x.shape[1]) if self.axis == 0 else (rows, x.shape[0])
        array = np.zeros(n, x.dtype)
        np.add.at(array, at, x.data)
        return array

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (g,) = inputs, output_grads
        if x.type.dtype in discrete_dtypes:
            return [sp_zeros_like(x, g.type.dtype)]
        if not self.structured:
            m, n = lengths(x)
            whole = g.dimshuffle(0, "x") if self.axis == 1 else g
            return [SparseFromDense(x.type.format)(alloc(whole, m, n))]
        if self.axis is None:
            return [with_data(x, lambda data: fill(data, g))]
        ones = with_data(x, lambda data: data.ones_like())
        return [(col_scale if self.axis == 0 else row_scale)(ones, g)]

    def infer_shape(self, node: Apply, shapes: Any) -> list[Any]:
        if self.axis is None:
            return [()]
        return [(lengths(node.inputs[0])[1 - self.axis],)]


@documented_in("theano.sparse.basic")
def sp_sum(x: Any, axis: int | None = None, sparse_grad: bool = False) -> Any:
    """Return the sum of a sparse matrix over all elements, or over an axis; it is dense.

    Parameters
    ----------
    x : sparse matrix
    axis : int, optional
        0 returns the sum of each column, 1 of each row, None of everything.
    sparse_grad : bool
        Whether the gradient is restricted to the stored elements; otherwise it covers all. It is
        a sparse matrix in both cases.

    >>> import scipy.sparse, theano.sparse
    >>> theano.sparse.sp_sum(scipy.sparse.csr_matrix([[0, 7], [8, 9]]), axis=0).eval()
    array([ 8, 16])
    """
    return SpSum(axis, sparse_grad)(x)


class _Scale(SparseOp):
    """Base class: scale the rows or columns of a sparse matrix."""

    __props__ = ()
    product_of = (0, 1)
    shape_like = 0
    axis: int
    what: str

    def make_node(self, x: Any, s: Any) -> Apply:
        x, s = as_sparse_variable(x), as_tensor_variable(s)
        if s.ndim != 1:
            raise TypeError(f"{self.what} takes a vector, got {s} of {s.type}")
        return Apply(self, [x, s], [sparse_like(x, common_dtype(x, s))])

    def compute(self, xp: ArrayNamespace, x: Any, s: Any) -> Any:
        if s.shape[0] != x.shape[self.axis]:
            raise ValueError(
                f"{self.what} takes a number for each of {x.shape[self.axis]} "
                f"{'columns' if self.axis else 'rows'}, got {s.shape[0]} numbers"
            )
        return same_pattern(x, x.data * s[places(x)[self.axis]])

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, s), (g,) = map(conjugate, inputs), output_grads
        scaled = type(self)()(as_format(g, x.type.format), s)
        return [scaled, sp_sum(times_stored(x, g), axis=1 - self.axis, sparse_grad=True)]


@documented_in("theano.sparse.basic")
class ColScaleCSC(_Scale):
    """Scale the columns of a sparse matrix; see ``col_scale``."""

    axis, what = 1, "col_scale"


@documented_in("theano.sparse.basic")
class RowScaleCSC(_Scale):
    """Scale the rows of a sparse matrix; see ``row_scale``."""

    axis, what = 0, "row_scale"


@documented_in("theano.sparse.basic")
def col_scale(x: Any, s: Any) -> Any:
    """Multiply each column of a sparse matrix by the corresponding element of ``s``.

    >>> import scipy.sparse, theano.sparse
    >>> x = theano.sparse.as_sparse_variable(scipy.sparse.csr_matrix([[1, 7]]))
    >>> theano.sparse.col_scale(x, [2, 3]).eval().toarray().tolist()
    [[2, 21]]
    """
    return ColScaleCSC()(x, s)


@documented_in("theano.sparse.basic")
def row_scale(x: Any, s: Any) -> Any:
    """Multiply each row of a sparse matrix by the corresponding element of ``s``.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.row_scale(x, [1, 2]).eval().toarray().tolist()
    [[0, 7], [16, 0]]
    """
    return RowScaleCSC()(x, s)


@documented_in("theano.sparse.basic")
class Diag(SparseOp):
    """The diagonal of a square sparse matrix, as a dense vector.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.diag(x).eval().tolist()
    [0, 0]
    """

    __props__ = ()
    linear_in = (0,)

    def make_node(self, x: Any) -> Apply:
        x = as_sparse_variable(x)
        return Apply(self, [x], [dense(x.type.dtype, 1)])

    def compute(self, xp: ArrayNamespace, x: Any) -> Any:
        if x.shape[0] != x.shape[1]:
            raise ValueError(f"diag takes a square matrix, got one of shape {x.shape}")
        return np.asarray(x.diagonal())

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return [as_format(square_diagonal(output_grads[0]), inputs[0].type.format)]

    def infer_shape(self, node: Apply, shapes: Any) -> list[Any]:
        return [(lengths(node.inputs[0])[0],)]


diag = Diag()


@documented_in("theano.sparse.basic")
class SquareDiagonal(SparseOp):
    """A square csc matrix with a vector as its diagonal.

    >>> import theano.sparse
    >>> theano.sparse.square_diagonal([1, 2]).eval().toarray().tolist()
    [[1, 0], [0, 2]]
    """

    __props__ = ()
    linear_in = (0,)

    def make_node(self, diag: Any) -> Apply:
        diag = as_tensor_variable(diag)
        if diag.ndim != 1:
            raise TypeError(f"square_diagonal takes a vector, got {diag} of {diag.type}")
        return Apply(self, [diag], [SparseType("csc", diag.dtype)()])

    def compute(self, xp: ArrayNamespace, diag: Any) -> Any:
        n = len(diag)
        return sp.csc_matrix((diag.copy(), np.arange(n), np.arange(n + 1)), shape=(n, n))

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (g,) = output_grads
        return [diag(g) if is_sparse_variable(g) else g.diagonal()]

    def infer_shape(self, node: Apply, shapes: Any) -> list[Any]:
        return [(shapes[0][0], shapes[0][0])]


square_diagonal = SquareDiagonal()


class _OfSameMatrix(SparseOp):
    """Map the gradient of a sorted, or zero-free, matrix back to the original matrix ``x``.

    The gradient is returned unchanged unless ``x`` stores a position twice: then each element
    gets its own derivative.
    """

    __props__ = ("sorts",)
    linear_in = (1,)
    nondiff_inputs = (0,)
    shape_like = 0

    def __init__(self, sorts: bool) -> None:
        self.sorts = sorts

    def make_node(self, x: Any, g: Any) -> Apply:
        return Apply(self, [x, g], [g.type()])

    def compute(self, xp: ArrayNamespace, x: Any, g: Any) -> Any:
        if not stores_twice(x):
            return g.copy()
        there = same_pattern(x, np.arange(1, len(x.data) + 1))  # numbers the elements, from 1
        if self.sorts:
            there.sort_indices()
        else:
            there.data[x.data == 0] = 0
            there.eliminate_zeros()
        if not same_places(there, g):
            return g.copy()
        array = np.zeros(len(x.data), g.dtype)
        array[there.data - 1] = g.data
        return same_pattern(x, array)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (v,) = output_grads
        sort = self.sorts and is_sparse_variable(v)
        return [disconnected(), ensure_sorted_indices(v) if sort else v]


class _SameMatrix(SparseOp):
    """Base class of ops that change how a matrix is stored, but not its values."""

    __props__ = ("inplace",)
    linear_in = (0,)
    shape_like = 0

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = inplace
        self.destroy_map = {0: [0]} if inplace else {}

    def make_node(self, x: Any) -> Apply:
        x = as_sparse_variable(x)
        return Apply(self, [x], [x.type()])

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (g,) = inputs, output_grads
        if not is_sparse_variable(g) or g.type.format != x.type.format:
            return [g]
        return [_OfSameMatrix(isinstance(self, EnsureSortedIndices))(x, g)]

    def __str__(self) -> str:
        return type(self).__name__ + ("{inplace}" if self.inplace else "{no_inplace}")


@documented_in("theano.sparse.basic")
class EnsureSortedIndices(_SameMatrix):
    """The same matrix, with sorted indices in each row (csr) or column (csc).

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.ensure_sorted_indices(x).eval().indices.tolist()
    [1, 0]
    """

    def compute(self, xp: ArrayNamespace, x: Any) -> Any:
        result = x if self.inplace else x.copy()
        result.sort_indices()
        return result


ensure_sorted_indices = EnsureSortedIndices()


@documented_in("theano.sparse.basic")
class Remove0(_SameMatrix):
    """The same matrix, without stored zeros.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.remove0(x).eval().nnz
    2
    """

    def compute(self, xp: ArrayNamespace, x: Any) -> Any:
        result = x if self.inplace else x.copy()
        result.eliminate_zeros()
        return result


remove0 = Remove0()


@documented_in("theano.sparse.basic")
def clean(x: Any) -> Any:
    """Return the same matrix without stored zeros and with sorted indices.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.clean(x).eval().nnz
    2
    """
    return ensure_sorted_indices(remove0(x))
