"""SparseType: the Type of SciPy's sparse matrices, which stay on the host."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from theano._src.graph.graph import Constant, Variable
from theano._src.graph.type import Type
from theano._src.ground.documented import documented_in, short_traceback
from theano._src.types.allclose import values_eq_approx
from theano._src.types.memory import may_share_memory
from theano._src.types.other_arrays import viewed
from theano._src.types.shared import SharedVariable
from theano._src.types.shared_constructors import shared_constructor

#: whether sparse matrices can be used
enable_sparse = True

#: formats that store the elements of each column, or of each row, contiguously
FORMATS = ("csc", "csr")
sparse_formats = list(FORMATS)
DTYPES = frozenset(
    "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128".split()
)
all_dtypes = DTYPES
float_dtypes, complex_dtypes, int_dtypes, uint_dtypes = (
    frozenset(name for name in DTYPES if np.dtype(name).kind == letter) for letter in "fciu"
)
integer_dtypes = discrete_dtypes = int_dtypes | uint_dtypes
continuous_dtypes = float_dtypes | complex_dtypes


#: a function that splits a sparse variable into tensors and returns them with the function that
#: rebuilds it; the sparse ops register it here
PARTS: list[Callable[[Any], tuple[list[Any], Callable[..., Any]]]] = []


def is_sparse(value: Any) -> bool:
    """Whether a value is a SciPy sparse matrix or array; does not import SciPy.

    >>> is_sparse(3)
    False
    """
    module = sys.modules.get("scipy.sparse")
    return module is not None and bool(module.issparse(value))


#: the smallest padded length
_LEAST = 16


def padded_length(n: int) -> int:
    """Round ``n`` up to one of the allowed lengths, of which each power of two has four.

    >>> [padded_length(n) for n in (0, 17, 100, 12_800)]
    [16, 20, 112, 14336]
    """
    if n <= _LEAST:
        return _LEAST
    step = 1 << (n - 1).bit_length() - 3
    return -(-n // step) * step


class StoredShape(NamedTuple):
    """The shape of a sparse matrix, and the padded number of its stored elements."""

    rows: int
    columns: int
    stored: int

    def __str__(self) -> str:
        return f"({self.rows}, {self.columns}) with {self.stored} stored"

    @classmethod
    def of(cls, value: Any) -> StoredShape:
        """Describe a SciPy matrix; the number of elements is rounded up as programs pad it."""
        rows, columns = value.shape
        return cls(rows, columns, padded_length(len(value.data)))


@documented_in("theano.sparse.basic")
class _sparse_py_operators:
    """Methods and operators of sparse variables; the ops layer installs all others."""

    __slots__ = ()

    type: Any
    # NumPy's operators must defer to the variable's
    __array_priority__ = 1000
    __array_ufunc__ = None
    ndim = 2

    @property
    def dtype(self) -> str:
        """The name of the dtype."""
        return str(self.type.dtype)

    @property
    def format(self) -> str:
        """``'csr'``, ``'csc'`` or ``'bsr'``."""
        return str(self.type.format)


@documented_in("theano.sparse.basic")
class SparseVariable(_sparse_py_operators, Variable):
    """A symbolic sparse matrix.

    >>> import theano.sparse
    >>> x = theano.sparse.csr_matrix("x", dtype="float64")
    >>> x.format, x.dtype, x.ndim
    ('csr', 'float64', 2)
    """

    __slots__ = ()

    def __str__(self) -> str:
        if self.name is not None or self.owner is not None:
            return Variable.__str__(self)
        return f"{type(self).__name__}{{{self.format},{self.dtype}}}"

    def __repr__(self) -> str:
        return str(self)


@documented_in("theano.sparse.basic")
class SparseConstant(_sparse_py_operators, Constant):
    """A constant sparse matrix."""

    __slots__ = ()

    def signature(self) -> Any:
        d = self.data
        parts = (d.data, d.indices, d.indptr)
        return (self.type, d.shape, *((p.dtype.str, p.tobytes()) for p in parts))

    def __str__(self) -> str:
        d = self.data
        return f"{type(self).__name__}{{{self.format},{self.dtype},shape={d.shape},nnz={d.nnz}}}"

    def __repr__(self) -> str:
        return str(self)


@documented_in("theano.sparse.sharedvar")
class SparseTensorSharedVariable(_sparse_py_operators, SharedVariable):
    """A shared variable that holds a sparse matrix."""

    __slots__ = ()


@documented_in("theano.sparse.type")
class SparseType(Type):
    """The type of sparse matrices of one format and dtype.

    Values are matrices of ``scipy.sparse``. A function converts matrices of other formats, arrays
    of ``scipy.sparse`` and dense arrays; it converts the dtype only with ``allow_downcast``.

    Parameters
    ----------
    format : str
        ``'csr'``, ``'csc'`` or ``'bsr'``.
    dtype : str
        Any dtype except float16 and object.

    >>> import theano.sparse
    >>> theano.sparse.SparseType("csr", "float64")
    Sparse[float64, csr]
    """

    __props__ = ("format", "dtype")
    Variable = SparseVariable
    Constant = SparseConstant
    dtype_set = DTYPES
    dtype_specs_map = {name: (np.dtype(name).type, f"npy_{name}", name) for name in sorted(DTYPES)}
    ndim = 2

    @short_traceback
    def __init__(self, format: str, dtype: Any, broadcastable: Any = None) -> None:
        name = np.dtype(dtype).name
        if name not in DTYPES and name != "bool":
            raise NotImplementedError(
                f"SparseType takes one of the dtypes {', '.join(sorted(DTYPES))}, got {dtype!r}"
            )
        if format not in (*FORMATS, "bsr"):
            raise NotImplementedError(
                f"SparseType takes one of the formats csr, csc and bsr, got {format!r}"
            )
        self.format, self.dtype = format, name
        self.numpy_dtype = np.dtype(name)

    @property
    def broadcastable(self) -> tuple[bool, bool]:
        """Always False: sparse matrices are never broadcast."""
        return (False, False)

    @property
    def format_cls(self) -> dict[str, Any]:
        """The SciPy class for each format."""
        import scipy.sparse as sp

        return {"csr": sp.csr_matrix, "csc": sp.csc_matrix, "bsr": sp.bsr_matrix}

    def __eq__(self, other: object) -> bool:
        return (
            type(self) is type(other)
            and isinstance(other, SparseType)
            and (self.format, self.dtype) == (other.format, other.dtype)
        )

    def __hash__(self) -> int:
        return hash((type(self), self.format, self.dtype))

    def __repr__(self) -> str:
        return f"Sparse[{self.dtype}, {self.format}]"

    __str__ = __repr__

    def clone(self, format: str | None = None, dtype: Any = None) -> SparseType:
        """Return this type with another format or dtype."""
        return type(self)(format or self.format, dtype or self.dtype)

    def filter(self, data: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        import scipy.sparse as sp

        kind = self.format_cls[self.format]
        fits = sp.issparse(data) and data.format == self.format and data.dtype == self.numpy_dtype
        if fits and isinstance(data, sp.spmatrix):
            if self.format in FORMATS and len(data.data) != data.indptr[-1]:
                # on a copy: the caller's matrix keeps its spare capacity
                data = data.copy()
                data.prune()
            return data
        if strict:
            raise TypeError(
                f"{self} takes a matrix of its own format and dtype, got {_describe(data)}"
            )
        if isinstance(data, Variable):
            raise TypeError(f"{self} takes a value, got the variable {data}")
        array = data
        if not sp.issparse(data):
            seen = viewed(data)
            array = np.asarray(data) if seen is None else seen
        if array.ndim != 2 or array.dtype == object:
            raise TypeError(
                f"{self} takes a sparse matrix, or an array of two dimensions, "
                f"got {_describe(data)}"
            )
        if array.dtype != self.numpy_dtype and not allow_downcast:
            raise NotImplementedError(
                f"{self} takes {self.dtype}, got {array.dtype}; it is converted by "
                f".astype('{self.dtype}')"
            )
        # a matrix, not an array: programs for Theano expect `*` to be the matrix product
        return kind(array, dtype=self.numpy_dtype)

    def convert_variable(self, var: Any) -> Any:
        return var if var.type == self else None

    def is_valid_value(self, a: Any) -> bool:
        return is_sparse(a) and a.format == self.format and a.dtype == self.numpy_dtype

    def make_variable(self, name: str | None = None) -> Any:
        return self.Variable(self, name=name)

    def values_eq(self, a: Any, b: Any) -> bool:
        """Whether two matrices have equal elements; explicitly stored zeros do not matter."""
        same = is_sparse(a) and is_sparse(b) and a.shape == b.shape
        return bool(same and a.dtype == b.dtype and a.format == b.format and (a != b).nnz == 0)

    def values_eq_approx(self, a: Any, b: Any, eps: float = 1e-6) -> bool:
        """Whether two matrices have equal elements up to rounding; ``eps`` is not used."""
        if not (is_sparse(a) and is_sparse(b)) or a.shape != b.shape or a.format != b.format:
            return False
        # compare only where either matrix is nonzero, to save memory
        places = abs(a.astype(bool).astype("int8")) + abs(b.astype(bool).astype("int8"))
        at = places.nonzero()
        return values_eq_approx(elements_at(a, *at), elements_at(b, *at))

    @staticmethod
    def may_share_memory(a: Any, b: Any) -> bool:
        """Whether two matrices, or a matrix and an array, may share memory."""
        return any(is_sparse(v) for v in (a, b)) and may_share_memory(a, b, raise_other_type=False)

    def get_shape_info(self, obj: Any) -> Any:
        return (obj.shape, obj.data.nbytes, obj.indices.nbytes, obj.indptr.nbytes)

    def get_size(self, shape_info: Any) -> int:
        """Return the size of a value in bytes."""
        return int(sum(shape_info[1:]))


def elements_at(x: Any, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return the elements of a sparse matrix at pairs of rows and columns, as a vector."""
    if not len(rows):
        return np.empty(0, x.dtype)  # SciPy would return a matrix
    return np.asarray(x[rows, columns]).reshape(-1).astype(x.dtype, copy=False)


def _describe(data: Any) -> str:
    if is_sparse(data):
        return f"{data.format} of {data.dtype}"
    kind = type(data).__name__
    return f"{kind} of {data.dtype}" if hasattr(data, "dtype") else kind


@documented_in("theano.sparse.utils")
def hash_from_sparse(data: Any) -> str:
    """Return a hash that two matrices share only if their format and stored data are equal.

    >>> import scipy.sparse
    >>> from theano.sparse.utils import hash_from_sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7]])
    >>> hash_from_sparse(x) == hash_from_sparse(x.copy()) != hash_from_sparse(x.T)
    True
    """
    import hashlib

    text = hashlib.sha256(f"{data.format} {data.shape} {data.dtype.str}".encode())
    for part in (data.data, data.indices, data.indptr):
        text.update(
            f"{part.dtype.str} {part.shape}".encode() + np.ascontiguousarray(part).tobytes()
        )
    return text.hexdigest()


@shared_constructor
@documented_in("theano.sparse.sharedvar")
def sparse_constructor(
    value: Any,
    name: str | None = None,
    strict: bool = False,
    allow_downcast: bool | None = None,
    borrow: bool = False,
    format: str | None = None,
) -> SharedVariable:
    """Return a shared variable that holds a matrix of ``scipy.sparse``.

    Arguments as for ``shared``; ``format`` defaults to the format of the matrix.

    >>> import scipy.sparse, theano.sparse
    >>> theano.shared(scipy.sparse.csr_matrix([[0.0, 1.0]])).type
    Sparse[float64, csr]
    """
    if not is_sparse(value):
        raise TypeError(
            f"sparse_constructor takes a matrix of scipy.sparse, got {_describe(value)}"
        )
    kind = SparseType(format or value.format, value.dtype)
    return SparseTensorSharedVariable(
        type=kind,
        value=value if borrow else copy.deepcopy(value),
        name=name,
        strict=strict,
        allow_downcast=allow_downcast,
    )
