"""The operators and methods of sparse variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from theano._src.graph.graph import Variable
from theano._src.ops.elementwise.complex_parts import real
from theano._src.ops.sparse.convert import cast, dense_from_sparse, neg, transpose
from theano._src.ops.sparse.csm import csm_properties, sparse_shape
from theano._src.ops.sparse.elementwise import add, add_gradients, ge, gt, le, lt, mul, sub
from theano._src.ops.sparse.index import get_item
from theano._src.ops.sparse.products import dot, structured_dot
from theano._src.ops.sparse.reduce import sp_zeros_like, with_data
from theano._src.types.sparse import _sparse_py_operators, is_sparse


def _fits(other: Any) -> bool:
    return isinstance(other, Variable | np.ndarray | np.generic | int | float | complex) or (
        is_sparse(other)
    )


def _binary(op: Any, reflected: bool = False) -> Any:
    def method(self: Any, other: Any) -> Any:
        if not _fits(other):
            return NotImplemented
        return op(other, self) if reflected else op(self, other)

    return method


def _toarray(self: Any) -> Any:
    """Convert the matrix to a dense one.

    >>> import theano.sparse
    >>> theano.sparse.csr_matrix("x", dtype="float64").toarray().type
    TensorType(float64, matrix)
    """
    return dense_from_sparse(self)


def _shape(self: Any) -> Any:
    """The numbers of rows and columns, as a vector of int64."""
    return sparse_shape(self)


def _size(self: Any) -> Any:
    """The number of stored elements."""
    return csm_properties(self)[0].shape[0]


def _real(self: Any) -> Any:
    """The real parts of the stored elements; used for gradients of real matrices."""
    return with_data(self, real)


def _zeros_like(self: Any, dtype: Any = None) -> Any:
    """Return a matrix of the same shape and format without stored elements."""
    return sp_zeros_like(self, dtype)


def _astype(self: Any, dtype: str) -> Any:
    """Cast the matrix to another dtype."""
    return cast(self, dtype)


_METHODS = {
    "T": property(lambda self: transpose(self), doc="The transpose, in the other format."),
    "shape": property(_shape, doc=_shape.__doc__),
    "size": property(_size, doc=_size.__doc__),
    "real": property(_real, doc=_real.__doc__),
    "toarray": _toarray,
    "zeros_like": _zeros_like,
    "astype": _astype,
    "transpose": lambda self: transpose(self),
    "__neg__": lambda self: neg(self),
    "__add__": _binary(add),
    "__radd__": _binary(add, True),
    "__sub__": _binary(sub),
    "__rsub__": _binary(sub, True),
    "__mul__": _binary(mul),
    "__rmul__": _binary(mul, True),
    "__lt__": _binary(lt),
    "__le__": _binary(le),
    "__gt__": _binary(gt),
    "__ge__": _binary(ge),
    "__dot__": _binary(structured_dot),
    "__rdot__": _binary(structured_dot, True),
    "__matmul__": _binary(dot),
    "__rmatmul__": _binary(dot, True),
    "dot": lambda self, other: dot(self, other),
    "add_gradient": _binary(add_gradients),
    "__getitem__": lambda self, index: get_item(self, index),
}


def install() -> None:
    """Install the operators and methods on sparse variables."""
    for name, method in _METHODS.items():
        setattr(_sparse_py_operators, name, method)


install()
