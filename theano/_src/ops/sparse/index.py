"""Indexing and stacking of sparse matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from theano._src.graph.graph import Apply
from theano._src.ground.array_types import ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.index.subtensor1 import SPARSE_ROWS, AdvancedSubtensor1
from theano._src.ops.sparse.base import (
    KINDS,
    SparseOp,
    as_sparse_variable,
    common_dtype,
    dense,
    in_format,
    is_sparse_variable,
    same_pattern,
    same_places,
    sparse_like,
    stores_twice,
)
from theano._src.ops.sparse.convert import as_dense, as_format, cast
from theano._src.ops.sparse.csm import lengths
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import discrete_dtypes
from theano._src.types.null import disconnected
from theano._src.types.other import NoneConst
from theano._src.types.sparse import SparseType, elements_at


def _length(bound: Any) -> Any:
    """Return a bound of a slice as a variable; None becomes ``NoneConst``."""
    if bound is None:
        return NoneConst
    tensor = as_tensor_variable(bound)
    if tensor.ndim or tensor.dtype not in discrete_dtypes:
        raise ValueError(
            f"a slice of a sparse matrix takes integers, got {tensor} of {tensor.type}"
        )
    return tensor


def _int(bound: Any) -> int | None:
    return None if bound is None else int(bound)


@documented_in("theano.sparse.basic")
class GetItem2d(SparseOp):
    """``x[a:b, c:d]`` of a sparse matrix, in the same format.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.as_sparse_variable(x)[0:1, 1:].eval().toarray().tolist()
    [[7]]
    """

    __props__ = ()

    def make_node(self, x: Any, index: Any) -> Apply:
        x = as_sparse_variable(x)
        if len(index) > 2:
            raise ValueError(f"a sparse matrix takes two indices, got {len(index)}: {index}")
        results: list[Any] = []
        for part in (*index, *[slice(None)] * (2 - len(index))):
            if not isinstance(part, slice):
                raise NotImplementedError(
                    f"a sparse matrix takes x[a:b, c:d], x[i, j] or a list of rows, got {part!r} "
                    "in an index; write x[i:i+1, c:d] for one row"
                )
            results += [_length(part.start), _length(part.stop), _length(part.step)]
        return Apply(self, [x, *results], [x.type()])

    def compute(self, xp: ArrayNamespace, x: Any, *bounds: Any) -> Any:
        a, b, s, c, d, t = map(_int, bounds)
        return in_format(x[slice(a, b, s), slice(c, d, t)], x.format)


get_item_2d = GetItem2d()


@documented_in("theano.sparse.basic")
class GetItemScalar(SparseOp):
    """``x[i, j]`` of a sparse matrix, as a dense scalar.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.as_sparse_variable(x)[1, 0].eval().item()
    8
    """

    __props__ = ()

    def make_node(self, x: Any, index: Any) -> Apply:
        x = as_sparse_variable(x)
        results = [as_tensor_variable(i) for i in index]
        for i in results:
            if i.ndim or i.dtype not in discrete_dtypes:
                raise ValueError(f"x[i, j] of a sparse matrix takes integers, got {i} of {i.type}")
        return Apply(self, [x, *results], [dense(x.type.dtype, 0)])

    def compute(self, xp: ArrayNamespace, x: Any, i: Any, j: Any) -> Any:
        return np.asarray(x[int(i), int(j)], x.dtype)

    def infer_shape(self, node: Apply, shapes: Any) -> list[Any]:
        return [()]


get_item_scalar = GetItemScalar()


def _indices(x: Any) -> Any:
    tensor = as_tensor_variable(x)
    if tensor.ndim != 1 or tensor.dtype not in discrete_dtypes:
        raise TypeError(f"a list of indices is a vector of integers, got {tensor} of {tensor.type}")
    return tensor


def _check(at: Any, n: int) -> None:
    if len(at) and (at.min() < -n or at.max() >= n):
        wrong = at[(at < -n) | (at >= n)][0]
        raise IndexError(f"index {wrong} is out of bounds for an axis of length {n}")


@documented_in("theano.sparse.basic")
class GetItemList(SparseOp):
    """Rows of a sparse matrix, selected by a list of indices, in the same format.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.get_item_list(x, [1, 1]).eval().toarray().tolist()
    [[8, 0], [8, 0]]
    """

    __props__ = ()
    linear_in = (0,)
    nondiff_inputs = (1,)

    def make_node(self, x: Any, index: Any) -> Apply:
        x = as_sparse_variable(x)
        return Apply(self, [x, _indices(index)], [x.type()])

    def compute(self, xp: ArrayNamespace, x: Any, index: Any) -> Any:
        _check(index, x.shape[0])
        return in_format(x[index], x.format)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, index), (g,) = inputs, output_grads
        return [get_item_list_grad(x, index, as_format(g, x.type.format)), disconnected()]

    def infer_shape(self, node: Apply, shapes: Any) -> list[Any]:
        return [(shapes[1][0], lengths(node.inputs[0])[1])]


get_item_list = GetItemList()


@documented_in("theano.sparse.basic")
class GetItemListGrad(SparseOp):
    """The gradient of ``get_item_list``: each row is added to the row it was taken from.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.get_item_list_grad(x, [1, 1], x).eval().toarray().tolist()
    [[0, 0], [8, 7]]
    """

    __props__ = ()
    linear_in = (2,)
    nondiff_inputs = (0, 1)
    shape_like = 0

    def make_node(self, x: Any, index: Any, gz: Any) -> Apply:
        x, gz = as_sparse_variable(x), as_sparse_variable(gz)
        return Apply(self, [x, _indices(index), gz], [sparse_like(x, gz.type.dtype)])

    def compute(self, xp: ArrayNamespace, x: Any, index: Any, gz: Any) -> Any:
        if stores_twice(x):
            # elements at the same position have separate derivatives, which must not be summed
            taken = in_format(same_pattern(x, np.arange(len(x.data)))[index], x.format)
            if same_places(taken, gz):
                array = np.zeros(len(x.data), gz.dtype)
                np.add.at(array, taken.data, gz.data)
                return same_pattern(x, array)
        n = len(index)
        back = sp.csr_matrix(
            (np.ones(n, gz.dtype), (index % max(1, x.shape[0]), np.arange(n))),
            shape=(x.shape[0], n),
        )
        return in_format(back @ gz, x.format, gz.dtype)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (_, index, gz), (g,) = inputs, output_grads
        rows = get_item_list(as_format(g, gz.type.format), index)
        return [disconnected(), disconnected(), rows]


get_item_list_grad = GetItemListGrad()


@documented_in("theano.sparse.basic")
class GetItem2Lists(SparseOp):
    """The elements of a sparse matrix at pairs of rows and columns, as a dense vector.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.get_item_2lists(x, [0, 1], [1, 1]).eval().tolist()
    [7, 0]
    """

    __props__ = ()
    linear_in = (0,)
    nondiff_inputs = (1, 2)
    shape_like = 1

    def make_node(self, x: Any, ind1: Any, ind2: Any) -> Apply:
        x = as_sparse_variable(x)
        return Apply(self, [x, _indices(ind1), _indices(ind2)], [dense(x.type.dtype, 1)])

    def compute(self, xp: ArrayNamespace, x: Any, ind1: Any, ind2: Any) -> Any:
        if len(ind1) != len(ind2):
            raise ValueError(
                f"get_item_2lists takes pairs, got {len(ind1)} and {len(ind2)} numbers"
            )
        _check(ind1, x.shape[0])
        _check(ind2, x.shape[1])
        return elements_at(x, ind1, ind2)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, i, j), (g,) = inputs, output_grads
        return [get_item_2lists_grad(x, i, j, g), disconnected(), disconnected()]


get_item_2lists = GetItem2Lists()


@documented_in("theano.sparse.basic")
class GetItem2ListsGrad(SparseOp):
    """The gradient of ``get_item_2lists``: each element is added at its original position.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.get_item_2lists_grad(x, [0, 1], [1, 1], [5, 6]).eval().toarray().tolist()
    [[0, 5], [0, 6]]
    """

    __props__ = ()
    linear_in = (3,)
    nondiff_inputs = (0, 1, 2)
    shape_like = 0

    def make_node(self, x: Any, ind1: Any, ind2: Any, gz: Any) -> Apply:
        x, gz = as_sparse_variable(x), as_tensor_variable(gz)
        ins = [x, _indices(ind1), _indices(ind2), gz]
        return Apply(self, ins, [sparse_like(x, gz.type.dtype)])

    def compute(self, xp: ArrayNamespace, x: Any, ind1: Any, ind2: Any, gz: Any) -> Any:
        m, n = x.shape
        at = (ind1 % max(1, m), ind2 % max(1, n))
        result = sp.coo_matrix((gz, at), shape=(m, n))
        return in_format(result.asformat(x.format), x.format)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (_, i, j, _), (g,) = inputs, output_grads
        result = get_item_2lists(g, i, j) if is_sparse_variable(g) else g[i, j]
        return [*(disconnected() for _ in range(3)), result]


get_item_2lists_grad = GetItem2ListsGrad()


class _Stack(SparseOp):
    """Base class of HStack and VStack."""

    __props__ = ("format", "dtype")
    linear_in = slice(None)
    axis: int
    what: str

    def __init__(self, format: str | None = None, dtype: str | None = None) -> None:
        self.format = "csc" if format is None else format
        if self.format not in KINDS:
            raise ValueError(f"{self.what} takes the format csr or csc, got {format!r}")
        if dtype is None:
            raise ValueError(f"{self.what} takes a dtype when it is made as an op")
        self.dtype = dtype

    def make_node(self, *blocks: Any) -> Apply:
        if not blocks:
            raise ValueError(f"{self.what} takes at least one matrix, got none")
        results = [as_sparse_variable(b) for b in blocks]
        return Apply(self, results, [SparseType(self.format, self.dtype)()])

    def compute(self, xp: ArrayNamespace, *blocks: Any) -> Any:
        across = {b.shape[1 - self.axis] for b in blocks}
        if len(across) > 1:
            raise ValueError(
                f"{self.what} takes matrices with one number of {('columns', 'rows')[self.axis]}, "
                f"got shapes {[b.shape for b in blocks]}"
            )
        join = sp.vstack if self.axis == 0 else sp.hstack
        return in_format(join(blocks, format=self.format, dtype=self.dtype), self.format)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        g = as_format(output_grads[0], self.format)
        results: list[Any] = []
        begin: Any = 0
        for x in inputs:
            end = begin + lengths(x)[self.axis]
            here, all_of = slice(begin, end), slice(None)
            part = get_item_2d(g, (here, all_of) if self.axis == 0 else (all_of, here))
            if x.type.dtype in discrete_dtypes:
                results.append(x.zeros_like(dtype=g.type.dtype))
            else:
                results.append(cast(as_format(part, x.type.format), x.type.dtype))
            begin = end
        return results

    def infer_shape(self, node: Apply, shapes: Any) -> list[Any]:
        results = [lengths(x) for x in node.inputs]
        total = results[0][self.axis]
        for one in results[1:]:
            total = total + one[self.axis]
        return [(total, results[0][1]) if self.axis == 0 else (results[0][0], total)]

    def __str__(self) -> str:
        return f"{type(self).__name__}({self.format},{self.dtype})"


@documented_in("theano.sparse.basic")
class HStack(_Stack):
    """Stack sparse matrices horizontally; see ``hstack``."""

    axis, what = 1, "hstack"


@documented_in("theano.sparse.basic")
class VStack(_Stack):
    """Stack sparse matrices vertically; see ``vstack``."""

    axis, what = 0, "vstack"


def _stacked(kind: type[_Stack], blocks: Sequence[Any], format: Any, dtype: Any) -> Any:
    results = [as_sparse_variable(b) for b in blocks]
    return kind(format, dtype or common_dtype(*results))(*results)


@documented_in("theano.sparse.basic")
def hstack(blocks: Sequence[Any], format: str | None = None, dtype: str | None = None) -> Any:
    """Stack sparse matrices with the same number of rows horizontally.

    Parameters
    ----------
    blocks : list of sparse matrices
    format : str, optional
        The format of the result; ``'csc'`` by default.
    dtype : str, optional
        The dtype of the result; by default one that can represent all values of the blocks.

    >>> import scipy.sparse, theano.sparse
    >>> x = theano.sparse.as_sparse_variable(scipy.sparse.csr_matrix([[0, 7]]))
    >>> theano.sparse.hstack([x, x]).eval().toarray().tolist()
    [[0, 7, 0, 7]]
    """
    return _stacked(HStack, blocks, format, dtype)


@documented_in("theano.sparse.basic")
def vstack(blocks: Sequence[Any], format: str | None = None, dtype: str | None = None) -> Any:
    """Stack sparse matrices with the same number of columns; arguments as for ``hstack``.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.vstack([x, x]).eval().toarray().tolist()
    [[0, 7], [8, 0], [0, 7], [8, 0]]
    """
    return _stacked(VStack, blocks, format, dtype)


@documented_in("theano.sparse.basic")
class ConstructSparseFromList(SparseOp):
    """A csr matrix of the shape of ``x`` with ``values[k]`` added to row ``ilist[k]``, for all k.

    It is the gradient of ``x[ilist]`` if this is requested as sparse. If an index occurs twice,
    its rows are added.

    >>> import theano.sparse
    >>> made = theano.sparse.construct_sparse_from_list([[0, 0], [0, 0]], [[5, 6]], [1])
    >>> made.eval().toarray().tolist()
    [[0, 0], [5, 6]]
    """

    __props__ = ()
    linear_in = (0, 1)
    nondiff_inputs = (2,)
    shape_like = 0

    def make_node(self, x: Any, values: Any, ilist: Any) -> Apply:
        x, values = as_tensor_variable(x), as_tensor_variable(values)
        if x.ndim != 2 or values.ndim != 2:
            raise TypeError(f"construct_sparse_from_list takes matrices, got {x} and {values}")
        return Apply(self, [x, values, _indices(ilist)], [SparseType("csr", x.dtype)()])

    def compute(self, xp: ArrayNamespace, x: Any, values: Any, ilist: Any) -> Any:
        n, width = values.shape
        if n != len(ilist) or width != x.shape[1]:
            raise ValueError(
                f"construct_sparse_from_list takes {len(ilist)} rows of {x.shape[1]} numbers, got "
                f"{values.shape}"
            )
        _check(ilist, x.shape[0])
        data = values.reshape(-1).astype(x.dtype)
        rows = np.repeat(ilist % max(1, x.shape[0]), width)
        at = (rows, np.tile(np.arange(width), n))
        return sp.csr_matrix((data, at), shape=x.shape)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, _, ilist), (g,) = inputs, output_grads
        gives = as_dense(get_item_list(g, ilist)) if is_sparse_variable(g) else g[ilist]
        return [x.zeros_like(), gives, disconnected()]


construct_sparse_from_list = ConstructSparseFromList()
SPARSE_ROWS.append(construct_sparse_from_list)


@documented_in("theano")
def sparse_grad(var: Any) -> Any:
    """Return ``x[i]`` with a sparse gradient, which stores only the rows that are read.

    Parameters
    ----------
    var : variable
        ``x[i]``, for a matrix ``x`` and a vector ``i``.

    >>> import theano, theano.tensor as T
    >>> x = T.dmatrix("x")
    >>> theano.grad(theano.sparse_grad(x[[0, 2]]).sum(), x).type
    Sparse[float64, csr]
    """
    if var.owner is None or not isinstance(var.owner.op, AdvancedSubtensor1):
        raise TypeError(f"sparse_grad takes x[i] for a vector i of integers, got {var}")
    return AdvancedSubtensor1(sparse_grad=True)(*var.owner.inputs)


def get_item(x: Any, index: Any) -> Any:
    """Return ``x[index]`` of a sparse variable."""
    if not isinstance(index, tuple):
        index = (index,)
    if len(index) == 1 and not isinstance(index[0], slice):
        first = index[0]
        if isinstance(first, list | np.ndarray) or getattr(first, "ndim", 0) == 1:
            return get_item_list(x, first)
    if len(index) == 2:
        several = [isinstance(i, list | np.ndarray) or getattr(i, "ndim", 0) == 1 for i in index]
        if all(several):
            return get_item_2lists(x, *index)
        if not any(isinstance(i, slice) for i in index) and not any(several):
            return get_item_scalar(x, index)
    return get_item_2d(x, index)
