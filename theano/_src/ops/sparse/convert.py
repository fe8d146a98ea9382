"""Conversions between sparse and dense matrices, formats and dtypes; transpose and negation."""

from __future__ import annotations

from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.ground.array_types import ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import cast as dense_cast
from theano._src.ops.sparse.base import (
    KINDS,
    SparseOp,
    as_sparse_or_tensor_variable,
    as_sparse_variable,
    dense,
    in_format,
    is_sparse_variable,
    places,
    same_pattern,
    same_places,
    sparse_like,
)
from theano._src.ops.sparse.csm import lengths
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import discrete_dtypes
from theano._src.types.null import disconnected
from theano._src.types.sparse import SparseType, elements_at


@documented_in("theano.sparse.basic")
class DenseFromSparse(SparseOp):
    """Convert a sparse matrix to a dense one.

    Parameters
    ----------
    structured : bool
        Whether the gradient is restricted to the stored elements; otherwise it covers all.

    >>> import scipy.sparse, theano.sparse
    >>> theano.sparse.dense_from_sparse(scipy.sparse.csr_matrix([[0, 7]])).eval()
    array([[0, 7]])
    """

    __props__ = ()
    linear_in = (0,)

    def __init__(self, structured: bool = True) -> None:
        self.sparse_grad = structured

    # the kind of gradient does not change the values
    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def __str__(self) -> str:
        return f"{type(self).__name__}{{structured_grad={self.sparse_grad}}}"

    def make_node(self, x: Any) -> Apply:
        x = as_sparse_variable(x)
        return Apply(self, [x], [dense(x.type.dtype, 2)])

    def compute(self, xp: ArrayNamespace, x: Any) -> Any:
        return np.asarray(x.toarray())

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (g,) = inputs, output_grads
        return [at_stored(x, g) if self.sparse_grad else SparseFromDense(x.type.format)(g)]

    def infer_shape(self, node: Apply, shapes: Any) -> list[Any]:
        return [lengths(node.inputs[0])]


dense_from_sparse = DenseFromSparse()


@documented_in("theano.sparse.basic")
class SparseFromDense(SparseOp):
    """Convert a dense matrix to a sparse one that stores the nonzero elements.

    Parameters
    ----------
    format : str
        ``'csr'`` or ``'csc'``.

    >>> import theano.sparse
    >>> theano.sparse.csr_from_dense([[0, 7]]).eval().indices.tolist()
    [1]
    """

    __props__ = ("format",)
    linear_in = (0,)

    def __init__(self, format: str) -> None:
        self.format = format

    def __str__(self) -> str:
        return f"{type(self).__name__}{{{self.format}}}"

    def make_node(self, x: Any) -> Apply:
        x = as_tensor_variable(x)
        if x.ndim > 2:
            raise TypeError(
                f"{self.format}_from_dense takes up to two dimensions, got {x} of {x.type}"
            )
        return Apply(self, [x], [SparseType(self.format, x.dtype)()])

    def compute(self, xp: ArrayNamespace, x: Any) -> Any:
        return KINDS[self.format](x)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (g,) = inputs, output_grads
        g = as_dense(g)
        return [g if x.ndim == 2 else g[0] if x.ndim else g[0, 0]]

    def infer_shape(self, node: Apply, shapes: Any) -> list[Any]:
        (result,) = shapes
        one = as_tensor_variable(np.int64(1))
        return [(one,) * (2 - len(result)) + tuple(result)]


csr_from_dense = SparseFromDense("csr")
csc_from_dense = SparseFromDense("csc")


def as_dense(g: Any) -> Any:
    """Convert a variable to a dense one unless it is dense."""
    return dense_from_sparse(g) if is_sparse_variable(g) else g


def as_format(g: Any, format: str) -> Any:
    """Convert a sparse or dense variable to a sparse one of this format."""
    if not is_sparse_variable(g):
        return SparseFromDense(format)(g)
    return g if g.type.format == format else ConvertFormat(format)(g)


class ConvertFormat(SparseOp):
    """The same matrix in another format."""

    __props__ = ("format",)
    linear_in = (0,)
    shape_like = 0

    def __init__(self, format: str) -> None:
        self.format = format

    def make_node(self, x: Any) -> Apply:
        x = as_sparse_variable(x)
        return Apply(self, [x], [sparse_like(x, format=self.format)])

    def compute(self, xp: ArrayNamespace, x: Any) -> Any:
        return x.copy() if x.format == self.format else in_format(x, self.format)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return [as_format(output_grads[0], inputs[0].type.format)]


class AtStored(SparseOp):
    """The elements of ``g`` at the positions stored in ``x``, as a sparse matrix like ``x``."""

    __props__ = ()
    linear_in = (1,)
    nondiff_inputs = (0,)

    def make_node(self, x: Any, g: Any) -> Apply:
        x, g = as_sparse_variable(x), as_sparse_or_tensor_variable(g)
        return Apply(self, [x, g], [sparse_like(x, g.type.dtype)])

    def compute(self, xp: ArrayNamespace, x: Any, g: Any) -> Any:
        if isinstance(g, np.ndarray):
            return same_pattern(x, g[places(x)])
        if same_places(x, g):
            return g.copy()
        return same_pattern(x, elements_at(g, *places(x)))

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        x, g = inputs
        result = at_stored(x, output_grads[0])
        return [disconnected(), result if is_sparse_variable(g) else dense_from_sparse(result)]


at_stored = AtStored()


@documented_in("theano.sparse.basic")
class Cast(SparseOp):
    """A sparse matrix in another dtype; see ``cast``.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.fcast(x).dtype
    'float32'
    """

    __props__ = ("out_type",)
    linear_in = (0,)
    shape_like = 0

    def __init__(self, out_type: str) -> None:
        self.out_type = out_type

    def make_node(self, x: Any) -> Apply:
        x = as_sparse_variable(x)
        return Apply(self, [x], [sparse_like(x, self.out_type)])

    def compute(self, xp: ArrayNamespace, x: Any) -> Any:
        # SciPy's astype sums duplicate elements, but each of them has its own gradient
        return same_pattern(x, x.data.astype(self.out_type))

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (g,) = inputs, output_grads
        if x.type.dtype in discrete_dtypes:
            return [x.zeros_like(dtype=g.type.dtype)]
        return [cast(g, x.type.dtype) if is_sparse_variable(g) else dense_cast(g, x.type.dtype)]


bcast, wcast, icast, lcast = (Cast(f"int{n}") for n in (8, 16, 32, 64))
fcast, dcast, ccast, zcast = map(Cast, ("float32", "float64", "complex64", "complex128"))


@documented_in("theano.sparse.basic")
def cast(variable: Any, dtype: str) -> Any:
    """Cast a sparse matrix to another dtype.

    >>> import theano.sparse
    >>> theano.sparse.cast(theano.sparse.csr_matrix(dtype="int64"), "float32").dtype
    'float32'
    """
    return Cast(np.dtype(dtype).name)(variable)


@documented_in("theano.sparse.basic")
class Transpose(SparseOp):
    """The transpose of a sparse matrix, in the other format (csr or csc): no data is moved.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.transpose(x).eval().toarray().tolist()
    [[0, 8], [7, 0]]
    """

    __props__ = ()
    linear_in = (0,)
    view_map = {0: [0]}
    _OTHER = {"csr": "csc", "csc": "csr"}

    def __str__(self) -> str:
        return "Sparse" + type(self).__name__

    def make_node(self, x: Any) -> Apply:
        x = as_sparse_variable(x)
        other = self._OTHER.get(x.type.format)
        if other is None:
            raise TypeError(f"transpose takes csr and csc matrices, got {x} of {x.type}")
        return Apply(self, [x], [sparse_like(x, format=other)])

    def compute(self, xp: ArrayNamespace, x: Any) -> Any:
        return x.transpose()

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (g,) = output_grads
        return [transpose(g) if is_sparse_variable(g) else g.T]

    def infer_shape(self, node: Apply, shapes: Any) -> list[Any]:
        return [tuple(shapes[0][::-1])]


transpose = Transpose()


@documented_in("theano.sparse.basic")
class Neg(SparseOp):
    """The negative of a sparse matrix; stored zeros stay stored.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.neg(x).eval().toarray().tolist()
    [[0, -7], [-8, 0]]
    """

    __props__ = ()
    linear_in = (0,)
    shape_like = 0

    def __str__(self) -> str:
        return "Sparse" + type(self).__name__

    def make_node(self, x: Any) -> Apply:
        x = as_sparse_variable(x)
        if x.type.dtype == "bool":
            raise TypeError(f"neg takes numbers, got {x} of {x.type}")
        return Apply(self, [x], [x.type()])

    def compute(self, xp: ArrayNamespace, x: Any) -> Any:
        return same_pattern(x, -x.data)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return [-output_grads[0]]


neg = Neg()
