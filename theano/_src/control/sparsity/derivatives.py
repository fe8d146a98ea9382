"""sparsity, sparse_jacobian and sparse_hessian."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from theano._src.control.inner_graph import InnerShapes
from theano._src.control.inner_run import evaluate_inner
from theano._src.control.scan.api import Loop
from theano._src.control.sparsity.op import Assemble, ColouredPattern, coloured
from theano._src.control.sparsity.pattern import PatternGraph
from theano._src.control.vectorize import vectorize
from theano._src.grad.driver import format_as, grad, say_disconnected
from theano._src.grad.products import Lop, Rop
from theano._src.graph import source_line
from theano._src.graph.clone import rebuild
from theano._src.graph.graph import Constant, Variable
from theano._src.graph.walk import nodes_of, roots_of
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import MissingInputError
from theano._src.ground.xp import numpy_xp
from theano._src.ops.shape.dims import patternbroadcast
from theano._src.ops.shape.join import join, make_vector
from theano._src.ops.shape.shape import flatten, reshape, shape_i
from theano._src.ops.shape.static_values import product as product_of
from theano._src.types.convert import constant
from theano._src.types.dtypes import continuous_dtypes
from theano._src.types.scalar import Scalar
from theano._src.types.shared import SharedVariable
from theano._src.types.tensor import TensorType


def _check(who: str, v: Any, what: str) -> None:
    if not isinstance(v, Variable) or not isinstance(v.type, TensorType):
        raise TypeError(f"{who} takes a tensor as {what}, got {v!r:.80}")
    if v.type.dtype not in continuous_dtypes:
        raise TypeError(f"{who} takes a tensor of floats as {what}, got {v} of {v.type}")


@documented_in("theano.gradient")
def sparsity(
    y: Any,
    x: Any,
    lengths: Any = None,
    givens: Mapping[Variable, Any] | None = None,
) -> Any:
    """Return which elements of ``y`` depend on which elements of ``x``, for given lengths.

    The pattern follows from the graph, not from values of ``x``: it covers the Jacobian at every
    ``x``. It is exact for elementwise ops, indexing, shape changes, sums and products; for other
    ops, each element of an output is taken to depend on all elements of the inputs.

    Parameters
    ----------
    y, x : tensor variables
        Elements are numbered in C order.
    lengths : int, tuple of ints, or dict
        The shape of ``x``; a dict ``{variable: shape}`` has those of several variables. The length
        of a vector may be a plain int.
    givens : dict, optional
        ``{variable: value}`` for variables whose values matter, such as indices and sparse
        matrices. Shared variables have their own values.

    Returns
    -------
    scipy.sparse.csr_matrix
        Boolean, with a row for each element of ``y`` and a column for each element of ``x``.

    >>> import theano, theano.tensor as T
    >>> x = T.dvector("x")
    >>> theano.gradient.sparsity(x[1:] * x[:-1], x, 4).toarray().astype(int)
    array([[1, 1, 0, 0],
           [0, 1, 1, 0],
           [0, 0, 1, 1]])
    """
    _check("sparsity", y, "y")
    _check("sparsity", x, "x")
    shapes = dict(lengths) if isinstance(lengths, Mapping) else {}
    if lengths is not None and not isinstance(lengths, Mapping):
        shapes[x] = lengths
    graph = PatternGraph(y, x)
    return graph.matrix(_evaluated(graph.given, x, shapes, dict(givens or {})))


def _evaluated(
    wanted: Sequence[Variable], x: Variable, shapes: dict[Any, Any], values: dict[Any, Any]
) -> list[Any]:
    """Return the values of variables that depend on shapes and values of others."""
    leaves = dict.fromkeys([*shapes, *values])
    roots = roots_of(wanted, leaves)
    leaves.update((v, None) for v in roots if not isinstance(v, Constant))
    with source_line.paused():
        sizes = InnerShapes(list(leaves), wanted)
        exprs = [sizes.copy_of(v) for v in wanted]
    known: dict[Variable, Any] = {}
    for v, free in zip(leaves, sizes.free, strict=True):
        if v in values:
            known[v] = v.type.filter(values[v])
        elif isinstance(v, SharedVariable) and v not in shapes:
            known[v] = v.get_value(borrow=True)
        if v in known:
            given: Any = np.shape(known[v])
        else:
            given = shapes.get(v)
        if given is not None and free is not None:
            given = (given,) if isinstance(given, int | np.integer) else tuple(given)
            if len(given) != len(free):
                raise ValueError(
                    f"sparsity takes {len(free)} lengths for {v} of {v.type}, got {given}"
                )
            known.update((n, np.asarray(int(m))) for n, m in zip(free, given, strict=True))
    lengths_of = {n: v for v, free in zip(leaves, sizes.free, strict=True) for n in free or ()}
    missing = [v for v in roots_of(exprs, known) if v not in known and not isinstance(v, Constant)]
    for v in sorted(missing, key=lambda v: v in lengths_of):
        if v in lengths_of:
            v = lengths_of[v]
            raise MissingInputError(
                f"sparsity needs the shape of {v}; give it in lengths={{{v}: ...}}"
            )
        raise MissingInputError(
            f"sparsity needs the value of {v}, as an index or a length depends on it; give it in "
            f"givens={{{v}: ...}}"
        )
    order = nodes_of(exprs, known)
    return evaluate_inner(numpy_xp, order, list(known), exprs, list(known.values()))


@documented_in("theano.gradient")
def sparse_jacobian(y: Any, x: Any, pattern: Any = None, disconnected_inputs: str = "raise") -> Any:
    r"""Return the Jacobian as a sparse matrix, computed by few products.

    .. math:: J_{ij} = \frac{\partial y_i}{\partial x_j}

    The pattern is found when the function runs, once for each length of ``x`` and each value of the
    indices in the graph. Columns that share no row are one group, and one product with the
    Jacobian (``Rop``) gives them all; or rows that share no column, by ``Lop``, if they form fewer
    groups. Dense rows among sparse ones have products of their own. All products are one batch.

    Parameters
    ----------
    y : tensor variable
    x : tensor variable, or list or tuple of them
        Elements are numbered in C order.
    pattern : matrix of scipy.sparse, optional
        The positions of the elements to compute, for fixed lengths, as ``sparsity`` returns them.
        They must cover the Jacobian.
    disconnected_inputs : {'raise', 'warn', 'ignore'}
        What to do if ``y`` does not depend on ``x``; as for ``grad``.

    Returns
    -------
    Sparse variable in csr format, for each of ``x``
        All elements of the pattern are stored, zeros among them too.

    Notes
    -----
    The graph of the result is a copy: ``givens`` that replace variables between ``x`` and ``y`` do
    not change it.

    >>> import theano, theano.tensor as T
    >>> x = T.dvector("x")
    >>> J = theano.gradient.sparse_jacobian(x[1:] * x[:-1], x)
    >>> J.eval({x: [1, 2, 3]}).toarray().tolist()
    [[2.0, 1.0, 0.0], [0.0, 3.0, 2.0]]
    """
    _check("sparse_jacobian", y, "y")
    many = isinstance(x, (list, tuple))
    results = []
    for v in x if many else [x]:
        _check("sparse_jacobian", v, "x")
        if v not in roots_of([y], [v]):
            say_disconnected(f"sparse_jacobian: {y} does not depend on {v}", disconnected_inputs)
        results.append(_sparse(y, v, pattern, symmetric=False))
    return format_as(isinstance(x, list), isinstance(x, tuple), results)


@documented_in("theano.gradient")
def sparse_hessian(
    cost: Any, x: Any, pattern: Any = None, disconnected_inputs: str = "raise"
) -> Any:
    r"""Return the Hessian of a scalar as a sparse symmetric matrix, computed by few products.

    .. math:: H_{ij} = \frac{\partial^2 C}{\partial x_i \, \partial x_j}

    As ``sparse_jacobian`` of the gradient; the colours use the symmetry (star colouring), so
    that a matrix with a few dense rows and columns needs few products.

    Parameters
    ----------
    cost : scalar variable
    x, pattern, disconnected_inputs : as for ``sparse_jacobian``

    >>> import theano, theano.tensor as T
    >>> x = T.dvector("x")
    >>> H = theano.gradient.sparse_hessian((x[1:] * x[:-1] ** 2).sum(), x)
    >>> H.eval({x: [1, 2, 3]}).toarray().tolist()
    [[4.0, 2.0, 0.0], [2.0, 6.0, 4.0], [0.0, 4.0, 0.0]]
    """
    _check("sparse_hessian", cost, "cost")
    if cost.type.ndim:
        raise TypeError(f"sparse_hessian takes a scalar as cost, got {cost} of {cost.type}")
    many = isinstance(x, (list, tuple))
    results = []
    for v in x if many else [x]:
        _check("sparse_hessian", v, "x")
        first = grad(cost, v, disconnected_inputs=disconnected_inputs)
        results.append(_sparse(first, v, pattern, symmetric=True))
    return format_as(isinstance(x, list), isinstance(x, tuple), results)


def _sparse(y: Any, x: Any, pattern: Any, symmetric: bool) -> Any:
    """Return the sparse matrix of the derivatives of ``y``, as products with seeds."""
    dtypes = (x.type.dtype, y.type.dtype)
    if pattern is None:
        graph = PatternGraph(y, x)
        parts = ColouredPattern(graph, symmetric, dtypes)(*graph.given)
    else:
        parts = [constant(part) for part in coloured(_positions(pattern), symmetric, dtypes)]
    indices, indptr, columns, rows, places = parts
    # a copy, so that nobody replaces variables of the products and not of the pattern
    x_here = x.type()
    (y_here,) = rebuild([y], {x: x_here})
    products = []
    if not symmetric and not _is_empty(rows):
        v = y.type()
        product = Lop(y_here, x_here, v, disconnected_inputs="ignore")
        products.append(_batch(product, v, rows, y_here))
    if not _is_empty(columns):
        v = x.type()
        product = Rop(y_here, x_here, v, disconnected_outputs="ignore")
        products.insert(0, _batch(product, v, columns, x_here))
    flat = [flatten(p) for p in products] or [constant(np.zeros(0, dtypes[1]))]
    whole: Any = join(0, *flat) if len(flat) > 1 else flat[0]
    (values,) = rebuild([whole[places]], {x_here: x})
    return Assemble()(values, indices, indptr, make_vector(_size(y), _size(x)))


def _batch(product: Any, v: Any, seeds: Any, like: Any) -> Any:
    """Return a product for each row of ``seeds`` in place of ``v``, an array shaped as ``like``."""
    if v.type.ndim != 1:
        lengths = [shape_i(like, i) for i in range(v.type.ndim)]
        seeds = reshape(seeds, [shape_i(seeds, 0), *lengths], ndim=1 + v.type.ndim)
    seeds = patternbroadcast(seeds, (False, *v.type.broadcastable))
    if _is_dense_between(v, product):
        return vectorize(product, {v: seeds})
    rows = Loop(
        lambda seed: rebuild([product], {v: seed}),
        sequences=seeds,
        name="sparse_jacobian",
        default_updates=False,
    )
    return rows.run()[0][0]


def _is_dense_between(v: Any, product: Any) -> bool:
    """Whether all variables that depend on ``v`` are tensors, of which there may be a batch."""
    depends = {v}
    for node in nodes_of([product], [v]):
        if any(u in depends for u in node.inputs):
            depends.update(node.outputs)
    return all(isinstance(u.type, TensorType | Scalar) for u in depends)


def _size(v: Any) -> Any:
    return product_of(shape_i(v, i) for i in range(v.type.ndim))


def _is_empty(seeds: Any) -> bool:
    return isinstance(seeds, Constant) and not len(seeds.data)


def _positions(pattern: Any) -> Any:
    """Return a boolean CSR matrix with the stored positions of a sparse matrix."""
    if not sp.issparse(pattern):
        raise TypeError(
            f"a pattern is a sparse matrix, as sparsity returns it, got {pattern!r:.80}"
        )
    matrix = sp.csr_matrix(pattern, copy=True)
    matrix.data = np.ones(len(matrix.data), bool)
    matrix.sum_duplicates()
    return matrix
