"""Matrix products in which at least one factor is sparse."""

from __future__ import annotations

from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.ground.array_types import ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import cast as dense_cast
from theano._src.ops.linalg.dot import dot as tensor_dot
from theano._src.ops.sparse.base import (
    KINDS,
    SparseOp,
    as_sparse_or_tensor_variable,
    as_sparse_variable,
    common_dtype,
    dense,
    in_format,
    is_sparse_variable,
    places,
    same_pattern,
    sparse_like,
)
from theano._src.ops.sparse.convert import as_dense, as_format, transpose
from theano._src.ops.sparse.csm import lengths
from theano._src.ops.sparse.reduce import conjugate, times_stored
from theano._src.ops.sparse.stored_products import add_product_into, sampled
from theano._src.types.convert import as_tensor_variable
from theano._src.types.null import grad_not_implemented
from theano._src.types.sparse import is_sparse
from theano._src.types.tensor import tensor_type


def _check_inner(x: Any, y: Any, what: str) -> None:
    if x.shape[-1] != y.shape[0]:
        raise ValueError(
            f"{what} takes matrices that fit, got shapes {x.shape} and {y.shape}: {x.shape[-1]} "
            f"columns and {y.shape[0]} rows"
        )


def _flipped(x: Any) -> Any:
    return transpose(x) if is_sparse_variable(x) else x.T


def product(x: Any, y: Any) -> Any:
    """Return the dense product of two variables, each sparse or dense."""
    if is_sparse_variable(x) or is_sparse_variable(y):
        return dot(x, y)
    return tensor_dot(x, y)


def _shape_of(x: Any, shape: Any) -> tuple[Any, ...]:
    return lengths(x) if is_sparse_variable(x) else tuple(shape)


class _Product(SparseOp):
    """Base class of products: one multiplication per stored element and column."""


@documented_in("theano.sparse.basic")
class Dot(_Product):
    """The dense product of two matrices, at least one of them sparse; see ``dot``."""

    __props__ = ()
    product_of = (0, 1)

    def __str__(self) -> str:
        return "Sparse" + type(self).__name__

    def make_node(self, x: Any, y: Any) -> Apply:
        x, y = as_sparse_or_tensor_variable(x), as_sparse_or_tensor_variable(y)
        if not is_sparse_variable(x) and not is_sparse_variable(y):
            raise TypeError(f"sparse.dot takes at least one sparse matrix, got {x} and {y}")
        for v in (x, y):
            if v.ndim not in (1, 2):
                raise TypeError(f"sparse.dot takes vectors and matrices, got {v} of {v.type}")
        pattern = tuple(x.type.broadcastable[:-1]) + tuple(y.type.broadcastable[1:])
        return Apply(self, [x, y], [tensor_type(common_dtype(x, y), pattern)()])

    def compute(self, xp: ArrayNamespace, x: Any, y: Any) -> Any:
        _check_inner(x, y, "sparse.dot")
        # for array @ sparse, NumPy would run first, and it does not support sparse matrices
        result = x @ y if is_sparse(x) else (y.T @ x.T).T
        return result.toarray() if is_sparse(result) else np.asarray(result)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, y), (g,) = map(conjugate, inputs), output_grads
        results = []
        if x.ndim == 1:
            results.append(product(y, g))
        elif y.ndim == 1:
            results.append(g.dimshuffle(0, "x") * as_dense(y).dimshuffle("x", 0))
        else:
            results.append(product(g, _flipped(y)))
        if y.ndim == 1:
            results.append(product(_flipped(x), g))
        elif x.ndim == 1:
            results.append(as_dense(x).dimshuffle(0, "x") * g.dimshuffle("x", 0))
        else:
            results.append(product(_flipped(x), g))
        return results

    def infer_shape(self, node: Apply, shapes: Any) -> list[Any]:
        (x, y), (a, b) = node.inputs, shapes
        return [_shape_of(x, a)[:-1] + _shape_of(y, b)[1:]]


_dot = Dot()


@documented_in("theano.sparse.basic")
def dot(x: Any, y: Any) -> Any:
    """Return the dense product of two matrices, at least one of them sparse.

    The gradient with respect to a sparse matrix is dense and covers all elements; that of
    ``structured_dot`` is restricted to the stored ones.

    >>> import scipy.sparse, theano.sparse
    >>> x = theano.sparse.as_sparse_variable(scipy.sparse.csr_matrix([[0, 7]]))
    >>> theano.sparse.dot(x, [[1], [2]]).eval()
    array([[14]])
    """
    x, y = as_sparse_or_tensor_variable(x), as_sparse_or_tensor_variable(y)
    return _dot(x, y)


@documented_in("theano.sparse.basic")
class StructuredDot(_Product):
    """A product with a gradient at stored positions only; see ``structured_dot``."""

    __props__ = ()
    product_of = (0, 1)

    def make_node(self, a: Any, b: Any) -> Apply:
        a, b = as_sparse_variable(a), as_sparse_or_tensor_variable(b)
        dtype = common_dtype(a, b)
        if is_sparse_variable(b):
            return Apply(self, [a, b], [sparse_like(a, dtype)])
        if b.ndim != 2:
            raise NotImplementedError(f"structured_dot takes two matrices, got {b} of {b.type}")
        return Apply(self, [a, b], [tensor_type(dtype, (False, b.type.broadcastable[1]))()])

    def compute(self, xp: ArrayNamespace, a: Any, b: Any) -> Any:
        _check_inner(a, b, "structured_dot")
        result = a @ b
        return in_format(result, a.format) if is_sparse(result) else np.asarray(result)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (a, b), (g,) = map(conjugate, inputs), output_grads
        return [structured_dot_grad(a, b, g), structured_dot(transpose(a), _like(b, g))]

    def infer_shape(self, node: Apply, shapes: Any) -> list[Any]:
        (a, b), (_, given) = node.inputs, shapes
        return [(lengths(a)[0], _shape_of(b, given)[1])]


_structured_dot = StructuredDot()


def _like(b: Any, g: Any) -> Any:
    """Return the gradient ``g``, converted to sparse if the factor ``b`` is sparse."""
    return as_format(g, "csr") if is_sparse_variable(b) and not is_sparse_variable(g) else g


@documented_in("theano.sparse.basic")
def structured_dot(x: Any, y: Any) -> Any:
    """Return the product of two matrices; it is sparse if both are sparse, else dense.

    The gradient with respect to a sparse factor is sparse and restricted to its stored elements.

    Parameters
    ----------
    x, y : matrices
        At least one of them is sparse.

    >>> import scipy.sparse, theano.sparse
    >>> x = theano.sparse.as_sparse_variable(scipy.sparse.csr_matrix([[0, 7]]))
    >>> theano.sparse.structured_dot(x, [[1], [2]]).eval()
    array([[14]])
    """
    x, y = as_sparse_or_tensor_variable(x), as_sparse_or_tensor_variable(y)
    if not is_sparse_variable(x) and not is_sparse_variable(y):
        raise TypeError(f"structured_dot takes at least one sparse matrix, got {x} and {y}")
    if is_sparse_variable(x):
        return _structured_dot(x, y)
    if y.type.format not in ("csr", "csc"):
        raise TypeError(f"structured_dot takes csr and csc matrices, got {y.type}")
    return _structured_dot(transpose(y), x.T).T


class StructuredDotGrad(_Product):
    """The product ``g . b'`` at the positions that ``a`` stores, as a sparse matrix like ``a``."""

    __props__ = ()
    product_of = (1, 2)
    shape_like = 0

    def make_node(self, a: Any, b: Any, g: Any) -> Apply:
        a = as_sparse_variable(a)
        b, g = as_sparse_or_tensor_variable(b), as_sparse_or_tensor_variable(g)
        return Apply(self, [a, b, g], [sparse_like(a, common_dtype(b, g))])

    def compute(self, xp: ArrayNamespace, a: Any, b: Any, g: Any) -> Any:
        rows, columns = places(a)
        if is_sparse(b) or is_sparse(g):
            result = _rows(g, rows).multiply(_rows(b, columns)).sum(axis=1)
            data = np.asarray(result).reshape(-1)
        else:
            data = sampled(g, b, rows, columns)
        return same_pattern(a, data.astype(np.result_type(b.dtype, g.dtype), copy=False))

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (a, b, g), (v,) = map(conjugate, inputs), output_grads
        v = as_format(v, a.type.format)
        zero = a.zeros_like(dtype=outputs[0].type.dtype)
        of_b, of_g = structured_dot(transpose(v), g), structured_dot(v, b)
        of_b = of_b if is_sparse_variable(b) else as_dense(of_b)
        return [zero, of_b, of_g if is_sparse_variable(g) else as_dense(of_g)]


def _rows(m: Any, at: np.ndarray) -> Any:
    return KINDS["csr"](m)[at]


@documented_in("theano.sparse.basic")
def structured_dot_grad(sparse_A: Any, dense_B: Any, ga: Any) -> Any:
    """Return the gradient of ``structured_dot`` for its sparse matrix, with the same positions.

    >>> import scipy.sparse, theano.sparse
    >>> x = scipy.sparse.csr_matrix([[0, 7], [8, 0]])
    >>> theano.sparse.structured_dot_grad(x, [[1], [2]], [[3], [4]]).eval().toarray().tolist()
    [[0, 6], [4, 0]]
    """
    return StructuredDotGrad()(sparse_A, dense_B, ga)


@documented_in("theano.sparse.basic")
class TrueDot(_Product):
    """The sparse product of a sparse matrix with a matrix; see ``true_dot``."""

    __props__ = ()
    product_of = (0, 1)

    def __init__(self, grad_preserves_dense: bool = True) -> None:
        # not in __props__: it does not change the values
        self.grad_preserves_dense = grad_preserves_dense

    def make_node(self, x: Any, y: Any) -> Apply:
        x, y = as_sparse_or_tensor_variable(x), as_sparse_or_tensor_variable(y)
        if not is_sparse_variable(x):
            raise TypeError(f"true_dot takes a sparse matrix on the left, got {x} of {x.type}")
        if y.ndim != 2:
            raise TypeError(f"true_dot takes two matrices, got {y} of {y.type}")
        return Apply(self, [x, y], [sparse_like(x, common_dtype(x, y))])

    def compute(self, xp: ArrayNamespace, x: Any, y: Any) -> Any:
        _check_inner(x, y, "true_dot")
        return in_format(x @ y, x.format)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, y), (g,) = map(conjugate, inputs), output_grads
        g = as_format(g, x.type.format)
        left, right = true_dot(g, _flipped(y)), true_dot(transpose(x), g)
        if not is_sparse_variable(y) and self.grad_preserves_dense:
            right = as_dense(right)
        return [left, right]

    def infer_shape(self, node: Apply, shapes: Any) -> list[Any]:
        (x, y), (_, given) = node.inputs, shapes
        return [(lengths(x)[0], _shape_of(y, given)[1])]


@documented_in("theano.sparse.basic")
def true_dot(x: Any, y: Any, grad_preserves_dense: bool = True) -> Any:
    """Return the product of two matrices as a sparse matrix.

    Parameters
    ----------
    x, y : matrices
        At least one of them is sparse.
    grad_preserves_dense : bool
        Whether the gradient of a dense factor is dense; otherwise all gradients are sparse.

    >>> import scipy.sparse, theano.sparse
    >>> x = theano.sparse.as_sparse_variable(scipy.sparse.csr_matrix([[0, 7]]))
    >>> theano.sparse.true_dot(x, [[1], [2]]).eval().toarray().tolist()
    [[14]]
    """
    x, y = as_sparse_or_tensor_variable(x), as_sparse_or_tensor_variable(y)
    if not is_sparse_variable(x) and not is_sparse_variable(y):
        raise TypeError(f"true_dot takes at least one sparse matrix, got {x} and {y}")
    if is_sparse_variable(x):
        return TrueDot(grad_preserves_dense)(x, y)
    return transpose(TrueDot(grad_preserves_dense)(transpose(y), x.T))


@documented_in("theano.sparse.basic")
class SamplingDot(_Product):
    """``p * (x . y')``, computed only at the positions that the sparse matrix ``p`` stores.

    >>> import scipy.sparse, theano.sparse
    >>> p = theano.sparse.as_sparse_variable(scipy.sparse.csr_matrix([[0.0, 1.0]]))
    >>> theano.sparse.sampling_dot([[1.0, 2.0]], [[5.0, 6.0], [3.0, 4.0]], p).eval().data
    array([11.])
    """

    __props__ = ()
    product_of = (0, 1, 2)
    shape_like = 2

    def make_node(self, x: Any, y: Any, p: Any) -> Apply:
        x, y, p = as_tensor_variable(x), as_tensor_variable(y), as_sparse_variable(p)
        for v in (x, y):
            if v.ndim != 2:
                raise TypeError(f"sampling_dot takes two dense matrices, got {v} of {v.type}")
        return Apply(self, [x, y, p], [sparse_like(p, common_dtype(x, y, p))])

    def compute(self, xp: ArrayNamespace, x: Any, y: Any, p: Any) -> Any:
        if x.shape[1] != y.shape[1] or p.shape != (x.shape[0], y.shape[0]):
            raise ValueError(
                "sampling_dot takes x of m x k, y of n x k and p of m x n, got shapes "
                f"{x.shape}, {y.shape} and {p.shape}"
            )
        return same_pattern(p, p.data * sampled(x, y, *places(p)))

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, y, p), (g,) = map(conjugate, inputs), output_grads
        weighted = times_stored(p, g)
        return [dot(weighted, y), dot(transpose(weighted), x), grad_not_implemented(self, 2, p)]


sampling_dot = SamplingDot()


@documented_in("theano.sparse.basic")
class Usmm(_Product):
    """``alpha * x . y + z``, as a dense matrix, where ``x`` or ``y`` is sparse.

    >>> import scipy.sparse, theano.sparse
    >>> x = theano.sparse.as_sparse_variable(scipy.sparse.csr_matrix([[0.0, 7.0]]))
    >>> theano.sparse.usmm(2.0, x, [[1.0], [2.0]], [[1.0]]).eval()
    array([[29.]])
    """

    __props__ = ("inplace",)
    shape_like = 3

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = inplace
        if inplace:
            self.destroy_map = {0: [3]}

    def __str__(self) -> str:
        return f"{type(self).__name__}{{{'inplace' if self.inplace else 'no_inplace'}}}"

    def make_node(self, alpha: Any, x: Any, y: Any, z: Any) -> Apply:
        x, y = as_sparse_or_tensor_variable(x), as_sparse_or_tensor_variable(y)
        if not is_sparse_variable(x) and not is_sparse_variable(y):
            raise TypeError(f"usmm takes at least one sparse matrix, got {x} and {y}")
        alpha, z = as_tensor_variable(alpha), as_tensor_variable(z)
        if not all(alpha.broadcastable) or z.ndim not in (1, 2):
            raise TypeError(f"usmm takes a number and a dense matrix, got {alpha} and {z}")
        dtype = common_dtype(alpha, x, y, z)
        z = z if z.type.dtype == dtype else dense_cast(z, dtype)
        return Apply(self, [alpha, x, y, z], [dense(dtype, z.ndim)])

    def compute(self, xp: ArrayNamespace, alpha: Any, x: Any, y: Any, z: Any) -> Any:
        _check_inner(x, y, "usmm")
        shape = x.shape[:-1] + y.shape[1:]
        if shape != z.shape:
            raise ValueError(f"usmm adds a matrix of shape {shape}, got {z.shape}")
        out = z if self.inplace else np.array(z)
        alpha = np.asarray(alpha).reshape(())
        if is_sparse(x) and not is_sparse(y):
            # the product is computed first, in its own dtype, as in the expression
            add_product_into(out, x.data[: x.indptr[-1]], *places(x), y, alpha)
        else:
            out += alpha * _dot.compute(xp, x, y)
        return out


usmm = Usmm()
