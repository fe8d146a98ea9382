"""SparseOp, and the conversion of values to sparse variables."""

from __future__ import annotations

import operator
from functools import reduce
from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp

from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op import Op
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import upcast
from theano._src.types.sparse import (
    SparseConstant,
    SparseType,
    SparseVariable,
    is_sparse,
)
from theano._src.types.tensor import TensorType, tensor_type

#: SciPy's classes by format
KINDS = {"csr": sp.csr_matrix, "csc": sp.csc_matrix, "bsr": sp.bsr_matrix}

# names that older programs import
_mtypes = [sp.csc_matrix, sp.csr_matrix]
_mtype_to_str = {sp.csc_matrix: "csc", sp.csr_matrix: "csr"}


class SparseOp(Op):
    """An op that takes or returns sparse matrices: ``compute`` uses SciPy, on the host."""

    runs_on: ClassVar[Literal["any", "host"]] = "host"
    #: the inputs in each of which the op is linear if the others are fixed
    product_of: ClassVar[tuple[int, ...]] = ()

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        # the product rule: one term per tangent, which replaces its input
        terms: list[Any] = []
        for i in self.product_of:
            if eval_points[i] is not None:
                terms.append(self(*inputs[:i], eval_points[i], *inputs[i + 1 :]))
        return [reduce(operator.add, terms)] if terms else super().R_op(inputs, eval_points)


def is_sparse_variable(x: Any) -> bool:
    """Whether a variable is a sparse matrix."""
    return isinstance(x, Variable) and isinstance(x.type, SparseType)


def is_dense_variable(x: Any) -> bool:
    """Whether a variable is a dense tensor."""
    return isinstance(x, Variable) and isinstance(x.type, TensorType)


@documented_in("theano.sparse.basic")
def _is_sparse_variable(x: Any) -> bool:
    """Whether a variable is a sparse matrix; raise TypeError unless it is sparse or dense."""
    if not isinstance(x, Variable) or not isinstance(x.type, SparseType | TensorType):
        raise TypeError(
            "this takes variables of the types SparseType and TensorType, got "
            f"{x} of {getattr(x, 'type', type(x))}"
        )
    return isinstance(x.type, SparseType)


@documented_in("theano.sparse.basic")
def _is_dense_variable(x: Any) -> bool:
    """Whether a variable is a dense tensor; raise TypeError unless it is sparse or dense."""
    return not _is_sparse_variable(x)


@documented_in("theano.sparse.basic")
def _is_sparse(x: Any) -> bool:
    """Whether a value is a sparse matrix; raise TypeError unless it is one or an array."""
    if not is_sparse(x) and not isinstance(x, np.ndarray):
        raise TypeError(f"this takes arrays and matrices of scipy.sparse, got {type(x).__name__}")
    return is_sparse(x)


@documented_in("theano.sparse.basic")
def _is_dense(x: Any) -> bool:
    """Whether a value is an array; raise TypeError unless it is one or a sparse matrix."""
    return not _is_sparse(x)


@documented_in("theano.sparse.basic")
def constant(x: Any, name: str | None = None) -> SparseConstant:
    """Return a constant that holds a matrix of ``scipy.sparse``.

    >>> import scipy.sparse, theano.sparse
    >>> theano.sparse.basic.constant(scipy.sparse.csc_matrix([[0.0, 1.0]]))
    SparseConstant{csc,float64,shape=(1, 2),nnz=1}
    """
    if not is_sparse(x):
        raise TypeError(f"sparse.constant takes a matrix of scipy.sparse, got {type(x).__name__}")
    kind = SparseType(x.format, x.dtype)
    # a copy, as the caller may change the matrix
    return SparseConstant(kind, kind.filter(x.copy()), name)


@documented_in("theano.sparse.basic")
def as_sparse_variable(x: Any, name: str | None = None) -> Any:
    """Return a sparse variable for a variable or a matrix of ``scipy.sparse``.

    Parameters
    ----------
    x : SparseVariable, or matrix of scipy.sparse
    name : str, optional
        The name of the constant, if one is created.

    >>> import scipy.sparse, theano.sparse
    >>> theano.sparse.as_sparse_variable(scipy.sparse.csr_matrix([[0.0, 1.0]])).type
    Sparse[float64, csr]
    """
    if isinstance(x, Apply):
        if len(x.outputs) != 1:
            raise ValueError(f"as_sparse_variable takes a node of one output, got {x}")
        x = x.outputs[0]
    if isinstance(x, Variable):
        if not isinstance(x.type, SparseType):
            raise TypeError(
                f"as_sparse_variable takes a sparse variable, got {x} of {x.type}; "
                "csr_from_dense and csc_from_dense make one of a dense matrix"
            )
        return x
    if not is_sparse(x):
        raise TypeError(
            f"as_sparse_variable takes a sparse matrix, got {type(x).__name__}; "
            "scipy.sparse.csr_matrix makes one of an array"
        )
    return constant(x, name)


as_sparse = as_sparse_variable


@documented_in("theano.sparse.basic")
def as_sparse_or_tensor_variable(x: Any, name: str | None = None) -> Any:
    """Return a sparse variable for sparse values, and a tensor variable for all others.

    >>> import theano.sparse
    >>> theano.sparse.as_sparse_or_tensor_variable([[1.0, 0.0]]).type
    TensorType(float64, row)
    """
    if is_sparse(x) or is_sparse_variable(x):
        return as_sparse_variable(x, name)
    if isinstance(x, Apply) and len(x.outputs) == 1 and is_sparse_variable(x.outputs[0]):
        return x.outputs[0]
    return as_tensor_variable(x, name)


def sparse_like(x: Any, dtype: str | None = None, format: str | None = None) -> Any:
    """Return a new variable of the type of a sparse one, optionally in another dtype or format."""
    return SparseType(format or x.type.format, dtype or x.type.dtype)()


def dense(dtype: str, ndim: int) -> Any:
    """Return a new dense variable."""
    return tensor_type(dtype, (False,) * ndim)()


def common_dtype(*variables: Any) -> str:
    """Return the dtype that can represent the values of all variables."""
    return upcast(*(v.type.dtype for v in variables))


def in_format(matrix: Any, format: str, dtype: Any = None) -> Any:
    """Convert a result of SciPy to a matrix of one format; a sparse array becomes a matrix."""
    kind = KINDS[format]
    if isinstance(matrix, kind) and (dtype is None or matrix.dtype == dtype):
        return matrix
    return kind(matrix, dtype=dtype)


def same_pattern(x: Any, data: np.ndarray) -> Any:
    """Return a matrix with the positions of ``x``, copied, and other data in the same order."""
    parts = (data, x.indices.copy(), x.indptr.copy())
    return KINDS[x.format](parts, shape=x.shape, copy=False)


def places(x: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the row and the column of each stored element, in storage order."""
    major = np.repeat(np.arange(len(x.indptr) - 1, dtype=x.indices.dtype), np.diff(x.indptr))
    # SciPy may keep spare room after the stored elements
    minor = x.indices[: len(major)]
    return (major, minor) if x.format == "csr" else (minor, major)


def same_places(x: Any, y: Any) -> bool:
    """Whether two matrices have the same format and positions, stored in the same order."""
    return (
        x.format == y.format
        and x.shape == y.shape
        and len(x.data) == len(y.data)
        and np.array_equal(x.indptr, y.indptr)
        and np.array_equal(x.indices, y.indices)
    )


def stores_twice(x: Any) -> bool:
    """Whether a matrix stores more than one element at the same position."""
    if x.has_canonical_format:
        return False
    rows, columns = places(x)
    at = rows.astype("int64") * x.shape[1] + columns
    return len(np.unique(at)) < len(at)


@documented_in("theano.sparse.basic")
def matrix(format: str, name: str | None = None, dtype: str | None = None) -> SparseVariable:
    """Return a sparse variable of a format; its dtype is ``floatX`` unless given.

    >>> import theano.sparse
    >>> theano.sparse.matrix("csr", "x", "float32").type
    Sparse[float32, csr]
    """
    result: Any = SparseType(format, dtype or config.floatX)(name)
    variable: SparseVariable = result
    return variable


@documented_in("theano.sparse.basic")
def csr_matrix(name: str | None = None, dtype: str | None = None) -> SparseVariable:
    """Return a sparse variable in csr format: rows are stored one after another.

    >>> import theano.sparse
    >>> theano.sparse.csr_matrix("x").format
    'csr'
    """
    return matrix("csr", name, dtype)


@documented_in("theano.sparse.basic")
def csc_matrix(name: str | None = None, dtype: str | None = None) -> SparseVariable:
    """Return a sparse variable in csc format: columns are stored one after another.

    >>> import theano.sparse
    >>> theano.sparse.csc_matrix("x").format
    'csc'
    """
    return matrix("csc", name, dtype)


@documented_in("theano.sparse.basic")
def bsr_matrix(name: str | None = None, dtype: str | None = None) -> SparseVariable:
    """Return a sparse variable in bsr format: rows of blocks are stored one after another.

    >>> import theano.sparse
    >>> theano.sparse.bsr_matrix("x").format
    'bsr'
    """
    return matrix("bsr", name, dtype)


csc_dmatrix, csr_dmatrix, bsr_dmatrix = (SparseType(f, "float64") for f in ("csc", "csr", "bsr"))
csc_fmatrix, csr_fmatrix, bsr_fmatrix = (SparseType(f, "float32") for f in ("csc", "csr", "bsr"))
