"""CSM, which builds a sparse matrix from its parts, and CSMProperties, which returns them."""

from __future__ import annotations

from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.ground.array_types import ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import cast
from theano._src.ops.sparse.base import (
    KINDS,
    SparseOp,
    as_sparse_variable,
    dense,
    in_format,
    is_dense_variable,
    places,
)
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import discrete_dtypes
from theano._src.types.null import DisconnectedType, disconnected
from theano._src.types.sparse import FORMATS, SparseType, elements_at

_LIMIT = 2**31 - 1


def refuse_large(x: Any) -> None:
    """Raise ValueError for a matrix too large for int32 indices."""
    if max(x.shape) > _LIMIT or len(x.data) > _LIMIT:
        raise ValueError(
            f"the parts of a matrix have indices of int32, got one of shape {x.shape} with "
            f"{len(x.data)} stored elements"
        )


@documented_in("theano.sparse.basic")
class CSMProperties(SparseOp):
    """The parts of a sparse matrix: data, indices, indptr and shape.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> [part.eval().tolist() for part in theano.sparse.csm_properties(x)]
    [[7, 8], [1, 0], [0, 1, 2], [2, 2]]
    """

    __props__ = ()
    view_map = {0: [0], 1: [0], 2: [0]}

    def __init__(self, kmap: Any = None) -> None:
        if kmap is not None:
            raise TypeError("CSMProperties takes no kmap any more; index the data that it gives")

    def make_node(self, csm: Any) -> Apply:
        csm = as_sparse_variable(csm)
        if csm.type.format not in FORMATS:
            raise TypeError(f"csm_properties takes csr and csc matrices, got {csm.type}")
        outs = [dense(csm.type.dtype, 1), *(dense("int32", 1) for _ in range(3))]
        return Apply(self, [csm], outs)

    def compute(self, xp: ArrayNamespace, csm: Any) -> Any:
        refuse_large(csm)
        # SciPy may keep spare room after the stored elements
        n = int(csm.indptr[-1])
        indices, indptr = (p.astype("int32", copy=False) for p in (csm.indices[:n], csm.indptr))
        return csm.data[:n], indices, indptr, np.asarray(csm.shape, "int32")

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[True, False, False, False]]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        g = output_grads[0]
        if isinstance(g.type, DisconnectedType):
            return [disconnected()]
        _, indices, indptr, shape = outputs
        return [CSM(inputs[0].type.format)(g, indices, indptr, shape)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (x,), (dx,) = inputs, eval_points
        return [CSMGrad()(x, dx), *(disconnected() for _ in range(3))]


csm_properties = CSMProperties()


@documented_in("theano.sparse.basic")
def csm_data(csm: Any) -> Any:
    """Return the stored elements of a sparse matrix, as a vector.

    >>> import scipy.sparse, theano.sparse
    >>> theano.sparse.csm_data(scipy.sparse.csr_matrix([[0, 7], [8, 0]])).eval().tolist()
    [7, 8]
    """
    node = getattr(csm, "owner", None)
    if node is not None and isinstance(node.op, CSM):
        # the data itself is a tensor, of which there may be a batch
        return node.inputs[0]
    return csm_properties(csm)[0]


@documented_in("theano.sparse.basic")
def csm_indices(csm: Any) -> Any:
    """Return the column of each stored element of a csr matrix, or the row for a csc matrix.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.csm_indices(x).eval().tolist()
    [1, 0]
    """
    return csm_properties(csm)[1]


@documented_in("theano.sparse.basic")
def csm_indptr(csm: Any) -> Any:
    """Return where each row (csr) or column (csc) begins among the stored elements.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.csm_indptr(x).eval().tolist()
    [0, 1, 2]
    """
    return csm_properties(csm)[2]


@documented_in("theano.sparse.basic")
def csm_shape(csm: Any) -> Any:
    """Return the shape of a sparse matrix, as a vector of int32.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.csm_shape(x).eval().tolist()
    [2, 2]
    """
    return csm_properties(csm)[3]


class SparseShape(SparseOp):
    """The numbers of rows and of columns of a sparse matrix, as a vector of int64."""

    __props__ = ()
    nondiff_inputs = (0,)

    def make_node(self, x: Any) -> Apply:
        return Apply(self, [as_sparse_variable(x)], [dense("int64", 1)])

    def compute(self, xp: ArrayNamespace, x: Any) -> Any:
        return np.asarray(x.shape, "int64")

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return [disconnected()]

    def infer_shape(self, node: Apply, shapes: Any) -> list[Any]:
        return [(as_tensor_variable(np.int64(2)),)]


sparse_shape = SparseShape()


def lengths(x: Any) -> tuple[Any, Any]:
    """Return the numbers of rows and of columns of a sparse variable, as int64."""
    node = x.owner
    known = node is not None and isinstance(node.op, CSM)
    shape: Any = cast(node.inputs[3], "int64") if known else sparse_shape(x)
    return shape[0], shape[1]


@documented_in("theano.sparse.basic")
class CSM(SparseOp):
    """A sparse matrix built from data, indices, indptr and shape; ``CSR``, ``CSC`` are instances.

    Parameters
    ----------
    format : str
        ``'csr'`` or ``'csc'``.

    >>> import theano.sparse
    >>> theano.sparse.CSR([7, 8], [1, 0], [0, 1, 2], [2, 2]).eval().toarray().tolist()
    [[0, 7], [8, 0]]
    """

    __props__ = ("format",)
    linear_in = (0,)
    nondiff_inputs = (1, 2, 3)
    view_map = {0: [0, 1, 2]}

    def __init__(self, format: str, kmap: Any = None) -> None:
        if format not in FORMATS:
            raise ValueError(f"CSM takes the format csr or csc, got {format!r}")
        if kmap is not None:
            raise TypeError("CSM takes no kmap any more; index the data that it is given")
        self.format = format

    def make_node(self, data: Any, indices: Any, indptr: Any, shape: Any) -> Apply:
        data = as_tensor_variable(data)
        if data.ndim != 1:
            raise TypeError(f"CSM takes a vector as data, got {data} of {data.type}")
        rest = []
        for name, x in (("indices", indices), ("indptr", indptr), ("shape", shape)):
            v = as_tensor_variable(x)
            if not is_dense_variable(v) or v.ndim != 1 or v.dtype not in discrete_dtypes:
                raise TypeError(f"CSM takes a vector of integers as {name}, got {v} of {v.type}")
            rest.append(v if v.dtype == "int32" else cast(v, "int32"))
        return Apply(self, [data, *rest], [SparseType(self.format, data.dtype)()])

    def compute(self, xp: ArrayNamespace, data: Any, indices: Any, indptr: Any, shape: Any) -> Any:
        if len(shape) != 2:
            raise ValueError(f"CSM takes a shape of length 2, got {shape.tolist()}")
        if len(data) != len(indices):
            raise ValueError(
                f"CSM takes data and indices of one length, got {len(data)} and {len(indices)}"
            )
        rows, columns = map(int, shape)
        result = KINDS[self.format]((data, indices, indptr), shape=(rows, columns), copy=False)
        # without this check SciPy would read and write out of bounds
        result.check_format(full_check=True)
        return result

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        g = CSMGrad()(outputs[0], output_grads[0])
        return [g, *(disconnected() for _ in range(3))]

    def infer_shape(self, node: Apply, shapes: Any) -> list[Any]:
        shape = cast(node.inputs[3], "int64")
        return [(shape[0], shape[1])]


CSC = CSM("csc")
CSR = CSM("csr")


@documented_in("theano.sparse.basic")
class CSMGrad(SparseOp):
    """The elements of a gradient at the positions that a matrix stores, as a vector like its data.

    If the gradient stores the same positions in the same order, its data is the result; otherwise
    the elements are looked up.
    """

    __props__ = ()
    linear_in = (1,)
    nondiff_inputs = (0,)

    def __init__(self, kmap: Any = None) -> None:
        pass

    def make_node(self, x: Any, g: Any) -> Apply:
        x = as_sparse_variable(x)
        return Apply(self, [x, g], [dense(g.type.dtype, 1)])

    def compute(self, xp: ArrayNamespace, x: Any, g: Any) -> Any:
        if isinstance(g, np.ndarray):
            return g[places(x)]
        g = in_format(g, x.format)
        if _same_places(x, g):
            return g.data[: len(x.data)].copy()
        return elements_at(g, *places(x))

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, g), (v,) = inputs, output_grads
        _, *where = csm_properties(x)
        result: Any = CSM(x.type.format)(v, *where)
        return [disconnected(), result.toarray() if is_dense_variable(g) else result]


csm_grad = CSMGrad


def _same_places(x: Any, g: Any) -> bool:
    return x.shape == g.shape and all(
        a is b or np.array_equal(a, b) for a, b in ((x.indptr, g.indptr), (x.indices, g.indices))
    )
