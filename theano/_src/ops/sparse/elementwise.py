"""Elementwise sums, products and comparisons of two matrices, of which at least one is sparse."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from functools import reduce
from typing import Any, ClassVar

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.ground.array_types import ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.sparse.base import (
    SparseOp,
    as_sparse_or_tensor_variable,
    as_sparse_variable,
    common_dtype,
    dense,
    in_format,
    is_sparse_variable,
    places,
    same_pattern,
    same_places,
    sparse_like,
)
from theano._src.ops.sparse.convert import as_dense, as_format, at_stored
from theano._src.ops.sparse.reduce import conjugate, sp_sum, sp_zeros_like, times_stored
from theano._src.types.convert import as_tensor_variable
from theano._src.types.null import grad_undefined


def check_shapes(x: Any, y: Any, what: str) -> None:
    """Raise ValueError unless the shapes are equal: sparse matrices do not broadcast."""
    if x.shape != y.shape:
        raise ValueError(f"{what} takes two matrices of one shape, got {x.shape} and {y.shape}")


def _both_sparse(x: Any, y: Any, what: str) -> tuple[Any, Any]:
    x, y = as_sparse_variable(x), as_sparse_variable(y)
    if x.type.format != y.type.format:
        raise NotImplementedError(
            f"{what} takes two matrices of one format, got {x.type} and {y.type}; "
            "theano.sparse.transpose changes the format"
        )
    return x, y


def _sparse_and_dense(x: Any, y: Any, what: str) -> tuple[Any, Any]:
    x, y = as_sparse_variable(x), as_tensor_variable(y)
    if y.ndim != 2:
        raise TypeError(f"{what} takes a dense matrix with a sparse one, got {y} of {y.type}")
    return x, y


class _SparseSparse(SparseOp):
    """Base class of ops from two sparse matrices of one format to a sparse matrix."""

    __props__ = ()
    shape_like = 0
    what: ClassVar[str]

    def make_node(self, x: Any, y: Any) -> Apply:
        x, y = _both_sparse(x, y, self.what)
        return Apply(self, [x, y], [sparse_like(x, common_dtype(x, y))])


@documented_in("theano.sparse.basic")
class AddSS(_SparseSparse):
    """The sum of two sparse matrices; resulting zeros are not stored.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.add_s_s(x, x).eval().toarray().tolist()
    [[0, 14], [16, 0]]
    """

    what = "add"
    linear_in = (0, 1)

    def compute(self, xp: ArrayNamespace, x: Any, y: Any) -> Any:
        check_shapes(x, y, "add")
        return in_format(x + y, x.format)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return [output_grads[0]] * 2


add_s_s = AddSS()


class AddTerms(AddSS):
    """The sum of two terms of a gradient; if both store the same positions, the result does too.

    A position that is stored twice has two derivatives, which must not be summed.
    """

    def compute(self, xp: ArrayNamespace, x: Any, y: Any) -> Any:
        if same_places(x, y):
            return same_pattern(x, x.data + y.data)
        return super().compute(xp, x, y)


_add_terms = AddTerms()


def add_gradients(x: Any, y: Any) -> Any:
    """Add two terms of the gradient with respect to one variable."""
    if is_sparse_variable(x) and is_sparse_variable(y) and x.type.format == y.type.format:
        return _add_terms(x, y)
    return add(x, y)


@documented_in("theano.sparse.basic")
class AddSSData(_SparseSparse):
    """The sum of two sparse matrices that store the same positions.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.add_s_s_data(x, x).eval().data.tolist()
    [14, 16]
    """

    what = "add_s_s_data"

    def make_node(self, x: Any, y: Any) -> Apply:
        x, y = _both_sparse(x, y, self.what)
        if x.type.dtype != y.type.dtype:
            raise NotImplementedError(f"{self.what} takes one dtype, got {x.type} and {y.type}")
        return Apply(self, [x, y], [x.type()])

    def compute(self, xp: ArrayNamespace, x: Any, y: Any) -> Any:
        check_shapes(x, y, self.what)
        if x.data.shape != y.data.shape or not np.array_equal(x.indices, y.indices):
            raise ValueError(
                f"{self.what} takes matrices that store the same places, got {x.nnz} and {y.nnz} "
                "stored elements at other places; add takes any"
            )
        return same_pattern(x, x.data + y.data)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return [at_stored(x, output_grads[0]) for x in inputs]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        # tangents may store other positions
        return [reduce(add, [dx for dx in eval_points if dx is not None])]


add_s_s_data = AddSSData()


@documented_in("theano.sparse.basic")
class AddSD(SparseOp):
    """The sum of a sparse matrix and a dense one, which is dense.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.add_s_d(x, [[1, 1], [1, 1]]).eval().tolist()
    [[1, 8], [9, 1]]
    """

    __props__ = ()
    linear_in = (0, 1)
    shape_like = 1

    def make_node(self, x: Any, y: Any) -> Apply:
        x, y = _sparse_and_dense(x, y, "add")
        return Apply(self, [x, y], [dense(common_dtype(x, y), 2)])

    def compute(self, xp: ArrayNamespace, x: Any, y: Any) -> Any:
        check_shapes(x, y, "add")
        result = y.astype(np.result_type(x.dtype, y.dtype))
        np.add.at(result, places(x), x.data)  # a position may be stored twice
        return result

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, _), (g,) = inputs, output_grads
        return [at_stored(x, g), g]


add_s_d = AddSD()


@documented_in("theano.sparse.basic")
class StructuredAddSV(SparseOp):
    """Add a vector to each row of a sparse matrix, at the stored elements only.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.structured_add_s_v(x, [1, 2]).eval().toarray().tolist()
    [[0, 9], [9, 0]]
    """

    __props__ = ()
    shape_like = 0

    def make_node(self, x: Any, y: Any) -> Apply:
        x, y = as_sparse_variable(x), as_tensor_variable(y)
        if y.ndim != 1:
            raise TypeError(f"structured_add_s_v takes a vector, got {y} of {y.type}")
        return Apply(self, [x, y], [sparse_like(x, common_dtype(x, y))])

    def compute(self, xp: ArrayNamespace, x: Any, y: Any) -> Any:
        check_columns(x, y, "structured_add_s_v")
        return same_pattern(x, x.data + y[places(x)[1]])

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, _), (g,) = inputs, output_grads
        g = at_stored(x, g)
        return [g, sp_sum(g, axis=0, sparse_grad=True)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (x, _), (dx, dy) = inputs, eval_points
        dx = at_stored(x, sp_zeros_like(x) if dx is None else dx)
        return [dx if dy is None else self(dx, dy)]


structured_add_s_v = StructuredAddSV()


def check_columns(x: Any, y: Any, what: str) -> None:
    """Raise ValueError unless a vector has one element per column."""
    if y.shape[0] != x.shape[1]:
        raise ValueError(
            f"{what} takes a number for each of {x.shape[1]} columns, got {y.shape[0]} numbers"
        )


@documented_in("theano.sparse.basic")
class MulSS(_SparseSparse):
    """The product of two sparse matrices, element by element.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.mul_s_s(x, x).eval().toarray().tolist()
    [[0, 49], [64, 0]]
    """

    what = "mul"
    product_of = (0, 1)

    def compute(self, xp: ArrayNamespace, x: Any, y: Any) -> Any:
        check_shapes(x, y, "mul")
        return in_format(x.multiply(y), x.format)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, y), (g,) = map(conjugate, inputs), output_grads
        return [mul(y, g), mul(x, g)]


mul_s_s = MulSS()


@documented_in("theano.sparse.basic")
class MulSD(SparseOp):
    """The product of a sparse matrix with a dense one, element by element, or with a number.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.mul_s_d(x, [[1, 2], [3, 4]]).eval().toarray().tolist()
    [[0, 14], [24, 0]]
    """

    __props__ = ()
    product_of = (0, 1)
    shape_like = 0

    def make_node(self, x: Any, y: Any) -> Apply:
        x, y = as_sparse_variable(x), as_tensor_variable(y)
        if y.ndim > 2:
            raise TypeError(f"mul takes a matrix, a vector or a number, got {y} of {y.type}")
        return Apply(self, [x, y], [sparse_like(x, common_dtype(x, y))])

    def compute(self, xp: ArrayNamespace, x: Any, y: Any) -> Any:
        dtype = np.result_type(x.dtype, y.dtype)
        if not y.ndim:
            return same_pattern(x, (x.data * y).astype(dtype, copy=False))
        if y.ndim == 1:
            check_columns(x, y, "mul")
            return same_pattern(x, x.data * y[places(x)[1]])
        check_shapes(x, y, "mul")
        return same_pattern(x, x.data * y[places(x)])

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, y), (g,) = map(conjugate, inputs), output_grads
        product = times_stored(x, g)
        of_x = mul(g, y) if is_sparse_variable(g) else g * y
        if not y.ndim:
            return [of_x, sp_sum(product, sparse_grad=True)]
        if y.ndim == 1:
            return [of_x, sp_sum(product, axis=0, sparse_grad=True)]
        return [of_x, as_dense(product)]


mul_s_d = MulSD()


@documented_in("theano.sparse.basic")
class MulSV(MulSD):
    """The product of each row of a sparse matrix with a vector, element by element.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.mul_s_v(x, [1, 2]).eval().toarray().tolist()
    [[0, 14], [8, 0]]
    """

    def make_node(self, x: Any, y: Any) -> Apply:
        y = as_tensor_variable(y)
        if y.ndim != 1:
            raise TypeError(f"mul_s_v takes a vector, got {y} of {y.type}")
        return super().make_node(x, y)


mul_s_v = MulSV()


class _Comparison(SparseOp):
    """A comparison of two matrices, element by element."""

    __props__ = ()
    shape_like = 0
    compared: ClassVar[Callable[[Any, Any], Any]]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return [grad_undefined(self, i, x) for i, x in enumerate(inputs)]


class _ComparisonSS(_Comparison):
    """Compare two sparse matrices of one format; the result is a sparse boolean matrix.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.equal_s_s(x, x * 1).eval().toarray().tolist()
    [[True, True], [True, True]]
    """

    def make_node(self, x: Any, y: Any) -> Apply:
        x, y = _both_sparse(x, y, type(self).__name__)
        return Apply(self, [x, y], [sparse_like(x, "bool")])

    def compute(self, xp: ArrayNamespace, x: Any, y: Any) -> Any:
        check_shapes(x, y, type(self).__name__)
        # SciPy warns that comparing zeros may be true, so that the result is not sparse
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = type(self).compared(x, y)
        return in_format(result, x.format, bool)


class _ComparisonSD(_Comparison):
    """Compare a sparse and a dense matrix; the result is a dense boolean matrix.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.greater_than_s_d(x, [[1, 1], [1, 1]]).eval().tolist()
    [[False, True], [True, False]]
    """

    def make_node(self, x: Any, y: Any) -> Apply:
        x, y = _sparse_and_dense(x, y, type(self).__name__)
        return Apply(self, [x, y], [dense("bool", 2)])

    def compute(self, xp: ArrayNamespace, x: Any, y: Any) -> Any:
        check_shapes(x, y, type(self).__name__)
        return np.asarray(type(self).compared(x.toarray(), y))


def _comparison(name: str, compared: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
    results = []
    bases: tuple[tuple[Any, str], ...] = ((_ComparisonSS, "SS"), (_ComparisonSD, "SD"))
    for base, letters in bases:
        facts = {"compared": staticmethod(compared), "__props__": (), "__doc__": base.__doc__}
        results.append(
            documented_in("theano.sparse.basic")(type(f"{name}{letters}", (base,), facts))
        )
    return results[0], results[1]


EqualSS, EqualSD = _comparison("Equal", operator.eq)
NotEqualSS, NotEqualSD = _comparison("NotEqual", operator.ne)
LessThanSS, LessThanSD = _comparison("LessThan", operator.lt)
GreaterThanSS, GreaterThanSD = _comparison("GreaterThan", operator.gt)
LessEqualSS, LessEqualSD = _comparison("LessEqual", operator.le)
GreaterEqualSS, GreaterEqualSD = _comparison("GreaterEqual", operator.ge)
equal_s_s, equal_s_d = EqualSS(), EqualSD()
not_equal_s_s, not_equal_s_d = NotEqualSS(), NotEqualSD()
less_than_s_s, less_than_s_d = LessThanSS(), LessThanSD()
greater_than_s_s, greater_than_s_d = GreaterThanSS(), GreaterThanSD()
less_equal_s_s, less_equal_s_d = LessEqualSS(), LessEqualSD()
greater_equal_s_s, greater_equal_s_d = GreaterEqualSS(), GreaterEqualSD()


def _operands(x: Any, y: Any, what: str) -> tuple[Any, Any, bool, bool]:
    """Return both as variables, and whether each is sparse; raise TypeError if neither is."""
    x, y = as_sparse_or_tensor_variable(x), as_sparse_or_tensor_variable(y)
    sparse = is_sparse_variable(x), is_sparse_variable(y)
    if not any(sparse):
        raise TypeError(
            f"sparse.{what} takes at least one sparse matrix, got {x} of {x.type} and {y} of "
            f"{y.type}; theano.tensor.{what} takes dense ones"
        )
    return x, y, *sparse


@documented_in("theano.sparse.basic")
def add(x: Any, y: Any) -> Any:
    """Add two matrices, at least one of them sparse; the result is dense if one is dense.

    >>> import scipy.sparse, theano.sparse
    >>> x = theano.sparse.as_sparse_variable(scipy.sparse.csr_matrix([[0, 7]]))
    >>> theano.sparse.add(x, x).eval().toarray().tolist()
    [[0, 14]]
    """
    x, y, left, right = _operands(x, y, "add")
    if left and right:
        return add_s_s(x, as_format(y, x.type.format))
    return add_s_d(x, y) if left else add_s_d(y, x)


@documented_in("theano.sparse.basic")
def sub(x: Any, y: Any) -> Any:
    """Subtract two matrices, at least one of them sparse; the result is dense if one is dense.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.sub(x, x * 2).eval().toarray().tolist()
    [[0, -7], [-8, 0]]
    """
    return add(x, -as_sparse_or_tensor_variable(y))


@documented_in("theano.sparse.basic")
def mul(x: Any, y: Any) -> Any:
    """Multiply two matrices element by element, at least one of them sparse; the result is sparse.

    The dense factor may also be a number, or a vector with one element per column.

    >>> import scipy.sparse, theano.sparse
    >>> x = theano.sparse.as_sparse_variable(scipy.sparse.csr_matrix([[0, 7]]))
    >>> theano.sparse.mul(x, 2).eval().toarray().tolist()
    [[0, 14]]
    """
    x, y, left, right = _operands(x, y, "mul")
    if left and right:
        return mul_s_s(x, as_format(y, x.type.format))
    return mul_s_d(x, y) if left else mul_s_d(y, x)


def _compare(name: str, ss: Any, sd: Any, mirrored: Any) -> Any:
    def compare(x: Any, y: Any) -> Any:
        x, y, left, right = _operands(x, y, name)
        if left and right:
            return ss(x, as_format(y, x.type.format))
        return sd(x, y) if left else mirrored(y, x)

    compare.__name__ = compare.__qualname__ = name
    compare.__doc__ = (
        f"Whether ``x {_SIGNS[name]} y``, element by element; one of them at least is sparse.\n\n"
        "    The result is a matrix of truths, sparse if both are."
    )
    return documented_in("theano.sparse.basic")(compare)


_SIGNS = {"eq": "==", "neq": "!=", "lt": "<", "gt": ">", "le": "<=", "ge": ">="}
eq = _compare("eq", equal_s_s, equal_s_d, equal_s_d)
neq = _compare("neq", not_equal_s_s, not_equal_s_d, not_equal_s_d)
lt = _compare("lt", less_than_s_s, less_than_s_d, greater_than_s_d)
gt = _compare("gt", greater_than_s_s, greater_than_s_d, less_than_s_d)
le = _compare("le", less_equal_s_s, less_equal_s_d, greater_equal_s_d)
ge = _compare("ge", greater_equal_s_s, greater_equal_s_d, less_equal_s_d)
