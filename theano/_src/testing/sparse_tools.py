"""Helpers for tests of sparse ops: random inputs, and gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ops.sparse.base import KINDS, is_sparse_variable
from theano._src.ops.sparse.convert import DenseFromSparse, SparseFromDense
from theano._src.ops.sparse.csm import CSM
from theano._src.testing.unittest_tools import fetch_seed, verify_grad
from theano._src.types.convert import as_tensor_variable
from theano._src.types.sparse import SparseType, is_sparse


@documented_in("theano.sparse.basic")
def verify_grad_sparse(
    op: Any, pt: Sequence[Any], structured: bool = False, *args: Any, **kwargs: Any
) -> None:
    """Check the gradient of an op that takes or returns sparse matrices by finite differences.

    Parameters
    ----------
    op : Op, or function of variables
    pt : list of values
        The point at which to compare; sparse matrices among them.
    structured : bool
        Whether the gradient is that of the stored elements alone; the others stay zero.
    *args, **kwargs
        As for ``theano.tests.unittest_tools.verify_grad``.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0.0, 0.5], [0.3, 0.0]])
    >>> theano.sparse.basic.verify_grad_sparse(theano.sparse.sqr, [x], structured=True)
    """

    def dense_in(value: Any) -> tuple[np.ndarray, Any]:
        """Return a value as a dense array, and a function that turns a variable back."""
        if not is_sparse(value):
            return np.asarray(value), lambda v: v
        if not structured:
            return np.asarray(value.toarray()), SparseFromDense(value.format)
        parts = [as_tensor_variable(p) for p in (value.indices, value.indptr)]
        shape = as_tensor_variable(np.asarray(value.shape, "int32"))
        return np.asarray(value.data), lambda v: CSM(value.format)(v, *parts, shape)

    results = [dense_in(value) for value in pt]

    def dense_op(*inputs: Any) -> Any:
        result = op(*(back(v) for (_, back), v in zip(results, inputs, strict=True)))
        if isinstance(result, list | tuple):
            result = result[0]
        return (
            DenseFromSparse(structured=structured)(result) if is_sparse_variable(result) else result
        )

    verify_grad(dense_op, [value for value, _ in results], *args, **kwargs)


@documented_in("theano.sparse.tests.test_basic")
def sparse_random_inputs(
    format: str,
    shape: tuple[int, int],
    n: int = 1,
    out_dtype: str | None = None,
    p: float = 0.5,
    gap: Any = None,
    explicit_zero: bool = False,
    unsorted_indices: bool = False,
) -> tuple[list[Any], list[Any]]:
    """Return sparse variables and random values for them, as two lists.

    Parameters
    ----------
    format : str
    shape : pair of int
    n : int
        The number of variables.
    out_dtype : str, optional
        floatX by default.
    p : float
        The probability that an element is stored.
    gap : number, pair or tuple of one, optional
        The range of the values, the end excluded; a single number is the end.
    explicit_zero : bool
        Whether one of the stored elements is zero.
    unsorted_indices : bool
        Whether elements are stored out of order.

    >>> from theano.sparse.tests.test_basic import sparse_random_inputs
    >>> (x,), (value,) = sparse_random_inputs("csr", (3, 4))
    >>> x.type, value.shape
    (Sparse[float64, csr], (3, 4))
    """
    dtype = out_dtype or config.floatX
    if unsorted_indices and (shape[0] < 5 or shape[1] < 5):
        raise ValueError(f"unsorted indices need at least 5 rows and columns, got {shape}")
    draw = np.random.RandomState(fetch_seed())

    def numbers() -> np.ndarray:
        first, last = (0, 1) if np.dtype(dtype).kind in "fc" else (0, 50)
        if gap is not None:
            ends = tuple(gap) if isinstance(gap, tuple | list) else (gap,)
            first, last = (0, ends[0]) if len(ends) == 1 else ends
        if np.dtype(dtype).kind in "fc":
            return draw.uniform(first, last, shape).astype(dtype)
        return draw.randint(first, last, shape).astype(dtype)

    variables = [SparseType(format, dtype)() for _ in range(n)]
    values = []
    for _ in range(n):
        value = KINDS[format](numbers() * draw.binomial(1, p, shape).astype(dtype), dtype=dtype)
        if unsorted_indices:
            value = _out_of_order(value)
        if explicit_zero and value.nnz:
            value.data[draw.randint(value.nnz)] = 0
        values.append(value)
    return variables, values


def _out_of_order(value: Any) -> Any:
    """Return the same matrix, with the elements of each row or column stored in reverse."""
    order = np.concatenate(
        [np.arange(b - 1, a - 1, -1) for a, b in zip(value.indptr, value.indptr[1:], strict=False)]
    ).astype(int)
    result = KINDS[value.format](
        (value.data[order], value.indices[order], value.indptr), shape=value.shape
    )
    result.has_sorted_indices = False
    return result
