"""QR factors, Kronecker products, blocks on a diagonal, and norms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np

from theano._src.graph.graph import Apply, Variable
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.arrays.diagonal import alloc_diag, extract_diag
from theano._src.ops.core.cast import in_floats
from theano._src.ops.core.grad_helpers import const_like
from theano._src.ops.elementwise.arithmetic import abs_, minimum, sqrt
from theano._src.ops.elementwise.compare import neq
from theano._src.ops.elementwise.complex_parts import complex as complex_, imag
from theano._src.ops.index.index_grad import is_zero_tangent
from theano._src.ops.linalg.grad_helpers import (
    diagonals,
    is_absent,
    on_diagonals,
    real_diagonal,
    times,
    under_diagonal,
)
from theano._src.ops.linalg.kron import _kron
from theano._src.ops.linalg.matrix_stacks import (
    MatrixOp,
    adjoint,
    as_stack,
    in_working_dtype,
    working_dtype,
)
from theano._src.ops.linalg.singular import svd
from theano._src.ops.linalg.triangular import SolveTriangular
from theano._src.ops.reduce.careduce import sum as sum_
from theano._src.ops.reduce.max_min import max as max_, min as min_
from theano._src.ops.reduce.statistics import squared_abs
from theano._src.ops.shape.alloc import zeros
from theano._src.ops.shape.dims import dimshuffle, patternbroadcast
from theano._src.ops.shape.join import concatenate
from theano._src.ops.shape.shape import flatten, reshape, shape_i
from theano._src.ops.shape.static_values import product
from theano._src.types.aliases import Axis, TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import complex_dtypes, upcast
from theano._src.types.null import grad_not_implemented
from theano._src.types.tensor import TensorVariable, tensor_type

#: the order of a norm: a number or a name
Order: TypeAlias = float | str | None

_MODES = {"full": "reduced", "f": "reduced", "e": "economic"}


class _QR(MatrixOp):
    """Base class of the QR ops; modes as in ``qr``."""

    __props__: ClassVar[tuple[str, ...]] = ("mode",)
    _takes: tuple[str, ...] = ()

    def __init__(self, mode: str) -> None:
        if mode not in self._takes:
            shown = ", ".join(map(repr, self._takes))
            raise ValueError(f"{type(self).__name__} takes one of {shown} as mode, got {mode!r}")
        self.mode = mode

    def _factors(self, xp: ArrayNamespace, x: Array) -> Any:
        # NOTE: NumPy's "raw" returns LAPACK's array transposed; "economic" was its first part
        return xp.linalg.qr(in_working_dtype(xp, x), mode=self.mode.replace("economic", "raw"))

    def _none(self, x: Variable) -> Any:
        why = f"mode={self.mode!r} gives LAPACK's own form of the factors; use 'reduced'"
        return grad_not_implemented(self, 0, x, why)


@documented_in("theano.tensor.nlinalg")
class QRFull(_QR):
    """x = q r with orthonormal columns of q and an upper triangular r, or LAPACK's raw form.

    With ``mode='complete'`` the gradient is valid for functions that do not depend on the choice
    of the additional columns of q.

    Examples
    --------
    >>> import theano.tensor as T
    >>> q, r = T.nlinalg.QRFull("complete")(T.constant([[3.0], [4.0]]))
    >>> abs(q).eval().round(6).tolist()
    [[0.6, 0.8], [0.8, 0.6]]
    """

    __props__ = ("mode",)
    _takes = ("reduced", "complete", "raw")

    def make_node(self, x: TensorLike) -> Apply:
        x = as_stack(self, x)
        front = x.broadcastable[:-2]
        q = tensor_type(working_dtype(x.dtype), (*front, False, False))
        r = q if self.mode != "raw" else tensor_type(q.dtype, (*front, False))
        return Apply(self, [x], [q(), r()])

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return tuple(self._factors(xp, x))

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        *front, m, n = shapes[0]
        k = m if self.mode == "complete" else minimum(m, n)
        if self.mode == "raw":
            return [(*front, n, m), (*front, k)]
        return [(*front, m, k), (*front, k, n)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (q, r), (gq, gr) = inputs, outputs, output_grads
        if self.mode == "raw":
            return [self._none(x)]
        gq = None if is_absent(gq) else gq
        gr = None if is_absent(gr) else gr
        if self.mode == "complete":
            k = minimum(shape_i(x, x.ndim - 2), shape_i(x, x.ndim - 1))
            rest, q, r = q[..., k:], q[..., :k], r[..., :k, :]
            gr = None if gr is None else gr[..., :k, :]
            if gq is not None:
                # the additional columns stay orthogonal to the first k
                gq = gq[..., :k] - times(rest, times(adjoint(gq[..., k:]), q))
        return [patternbroadcast(_pulled_back(x, q, r, gq, gr), x.broadcastable)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (x,), (dx,) = inputs, eval_points
        if is_zero_tangent(dx):
            return [None, None]
        if self.mode == "raw":
            return [self._none(x)] * 2
        q, r = self(x)
        if self.mode == "reduced":
            return list(_pushed_forward(x, q, r, dx))
        k = minimum(shape_i(x, x.ndim - 2), shape_i(x, x.ndim - 1))
        head, rest = q[..., :k], q[..., k:]
        dq, dr = _pushed_forward(x, head, r[..., :k, :], dx)
        filled = -times(head, times(adjoint(dq), rest))
        below = r[..., k:, :].zeros_like()
        return [
            concatenate([dq, filled], axis=x.ndim - 1),
            concatenate([dr, below], axis=x.ndim - 2),
        ]


@documented_in("theano.tensor.nlinalg")
class QRIncomplete(_QR):
    """The factor r alone, or, with ``mode='economic'``, LAPACK's array that contains it.

    Examples
    --------
    >>> import theano.tensor as T
    >>> abs(T.nlinalg.QRIncomplete("r")(T.constant([[3.0], [4.0]]))).eval().round(6).tolist()
    [[5.0]]
    """

    __props__ = ("mode",)
    _takes = ("r", "economic")

    def make_node(self, x: TensorLike) -> Apply:
        x = as_stack(self, x)
        pattern = (*x.broadcastable[:-2], False, False)
        return Apply(self, [x], [tensor_type(working_dtype(x.dtype), pattern)()])

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        result = self._factors(xp, x)
        return result if self.mode == "r" else xp.swapaxes(result[0], -1, -2)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        *front, m, n = shapes[0]
        return [(*front, minimum(m, n) if self.mode == "r" else m, n)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (gr,) = inputs, output_grads
        if self.mode != "r":
            return [self._none(x)]
        q, r = QRFull("reduced")(x)
        return [patternbroadcast(_pulled_back(x, q, r, None, gr), x.broadcastable)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (x,), (dx,) = inputs, eval_points
        if is_zero_tangent(dx):
            return [None]
        if self.mode != "r":
            return [self._none(x)]
        return QRFull("reduced").R_op(inputs, eval_points)[1:]


def _pulled_back(
    x: TensorVariable,
    q: TensorVariable,
    r: TensorVariable,
    gq: TensorVariable | None,
    gr: TensorVariable | None,
) -> Any:
    """The gradient with respect to x of ``x = q r``, with q of k columns.

    Walter and Lehmann, Algorithmic differentiation of linear algebra functions (2010). Only the
    first k columns of x determine q; for the others, y, of a wide matrix r = q^H y.
    """
    k = shape_i(q, q.ndim - 1)
    inner = None
    if gr is None:
        if gq is None:
            return x.zeros_like(dtype=q.dtype)
        wide = x[..., k:].zeros_like(dtype=q.dtype)
    else:
        wide = times(q, gr[..., k:])
        through = times(x[..., k:].astype(q.dtype), adjoint(gr[..., k:]))
        gq = through if gq is None else gq + through
        inner = times(r[..., :k], adjoint(gr[..., :k]))
    turned = -times(adjoint(gq), q)
    inner = turned if inner is None else inner + turned
    half = under_diagonal(inner)
    inner = half + adjoint(half) + real_diagonal(inner)
    g = adjoint(SolveTriangular()(r[..., :k], adjoint(gq + times(q, inner))))
    return concatenate([g, wide], axis=x.ndim - 1)


def _pushed_forward(
    x: TensorVariable, q: TensorVariable, r: TensorVariable, dx: TensorVariable
) -> tuple[Any, Any]:
    k = shape_i(q, q.ndim - 1)
    ratio = adjoint(SolveTriangular(trans="C")(r[..., :k], adjoint(dx[..., :k])))
    inner = times(adjoint(q), ratio)
    half = under_diagonal(inner)
    turn = half - adjoint(half)
    if q.dtype in complex_dtypes:
        d = imag(diagonals(inner))
        turn = turn + on_diagonals(complex_(d.zeros_like(), d))
    dq = times(q, turn - inner) + ratio
    first = times(inner - turn, r[..., :k])
    wide = times(adjoint(dq), x[..., k:].astype(q.dtype)) + times(adjoint(q), dx[..., k:])
    return dq, concatenate([first, wide], axis=x.ndim - 1)


@documented_in("theano.tensor.nlinalg")
def qr(a: TensorLike, mode: str = "reduced") -> Any:
    """QR factorization ``a = q r``: q has orthonormal columns, r is upper triangular.

    Parameters
    ----------
    a : tensor of two or more dimensions
        The last two dimensions are M by N matrices, the others a stack of them; K = min(M, N).
    mode : str
        ========================= ================================================
        'reduced', 'full' or 'f'  q, M by K, and r, K by N
        'complete'                q, M by M, and r, M by N
        'r'                       r alone, K by N
        'raw'                     LAPACK's h, transposed to N by M, and tau, of K
        'economic' or 'e'         LAPACK's h alone, M by N: r is its upper triangle
        ========================= ================================================

    Examples
    --------
    >>> import theano.tensor as T
    >>> q, r = T.nlinalg.qr(T.constant([[3.0, 1.0], [4.0, 2.0]]))
    >>> abs(r).eval().round(6).tolist()
    [[5.0, 2.2], [0.0, 0.4]]
    """
    mode = _MODES.get(mode, mode)
    return (QRIncomplete if mode in QRIncomplete._takes else QRFull)(mode)(a)


@documented_in("theano.tensor.slinalg")
def kron(a: TensorLike, b: TensorLike) -> Any:
    """The Kronecker product: a block ``a[i, j] * b`` for each element of ``a``.

    Parameters
    ----------
    a, b : tensors
        With at least 3 dimensions in total. The result has 2 fewer: the first two of ``a`` are
        joined with the first two of ``b``, as ``scipy.linalg.kron`` did. This differs from
        ``numpy.kron`` unless both have 2 dimensions.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.slinalg.kron(T.constant([[1, 2]]), T.constant([[1, 0], [0, 1]])).eval().tolist()
    [[1, 0, 2, 0], [0, 1, 0, 2]]
    """
    a, b = as_tensor_variable(a), as_tensor_variable(b)
    n = a.ndim + b.ndim
    if n <= 2:
        raise TypeError(
            f"kron takes 3 dimensions or more together: inputs dimensions must sum to 3 or more, "
            f"got {a.ndim} and {b.ndim}"
        )
    if a.ndim == b.ndim == 2:
        return _kron(a, b)
    # the order of all dimensions, of a and then of b, in the product
    order = [1, 0, 2] if n == 3 else [0, 2, 1, *range(3, n)]
    left = dimshuffle(a, *(d if d < a.ndim else "x" for d in order))
    right = dimshuffle(b, *(d - a.ndim if d >= a.ndim else "x" for d in order))
    both = left * right
    if n == 3:
        return flatten(both)
    lengths = [shape_i(both, d) for d in range(n)]
    joined = [product(lengths[:2]), product(lengths[2:4]), *lengths[4:]]
    return reshape(both, joined, ndim=n - 2)


@documented_in("theano.tensor.slinalg")
def block_diag(*matrices: TensorLike) -> Any:
    """A block diagonal matrix: the given matrices along the diagonal and zeros elsewhere.

    Parameters
    ----------
    *matrices : matrices, of any lengths

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.slinalg.block_diag([[1, 2]], [[3]]).eval().tolist()
    [[1, 2, 0], [0, 0, 3]]
    """
    blocks = [as_tensor_variable(m) for m in matrices]
    if not blocks or any(m.ndim != 2 for m in blocks):
        raise TypeError(
            "block_diag takes one or more matrices, got "
            + (", ".join(f"{m} of {m.type}" for m in blocks) or "none")
        )
    dtype = upcast(*(m.type.dtype for m in blocks))
    widths = [shape_i(m, 1) for m in blocks]
    bands = []
    for i, m in enumerate(blocks):
        beside = [zeros((shape_i(m, 0), width), dtype) for width in widths]
        bands.append(concatenate([*beside[:i], m, *beside[i + 1 :]], axis=1))
    return concatenate(bands, axis=0)


def _vector_norm(x: TensorVariable, ord: Order, axis: int, keepdims: bool) -> TensorVariable:
    if ord is None or ord == 2:
        return sqrt(sum_(squared_abs(x), axis=axis, keepdims=keepdims))
    if ord in ("inf", np.inf):
        return max_(abs_(x), axis=axis, keepdims=keepdims)
    if ord in ("-inf", -np.inf):
        return min_(abs_(x), axis=axis, keepdims=keepdims)
    if ord == 0:
        return sum_(neq(x, const_like(0, x)), axis=axis, keepdims=keepdims)
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order for vectors: norm takes a number, got {ord!r}")
    if ord == 1:
        return sum_(abs_(x), axis=axis, keepdims=keepdims)
    powers = abs_(in_floats(x))
    return sum_(powers ** const_like(ord, powers), axis=axis, keepdims=keepdims) ** const_like(
        1.0 / ord, powers
    )


def _matrix_norm(x: TensorVariable, ord: Order, axes: Sequence[int], keepdims: bool) -> Any:
    if ord is None or ord == "fro":
        return sqrt(sum_(squared_abs(x), axis=list(axes), keepdims=keepdims))
    row, column = axes
    pick = max_ if ord in (1, 2, "inf", np.inf) else min_
    if ord in (1, -1, "inf", "-inf", np.inf, -np.inf):
        inner, outer = (row, column) if ord in (1, -1) else (column, row)
        result = pick(sum_(abs_(x), axis=inner, keepdims=True), axis=outer, keepdims=True)
    elif ord in (2, -2, "nuc"):
        others = [d for d in range(x.ndim) if d not in axes]
        s = svd(dimshuffle(x, *others, row, column), compute_uv=False)
        result = sum_(s, axis=-1) if ord == "nuc" else pick(s, axis=-1)
        place = iter(range(len(others)))
        result = dimshuffle(result, *("x" if d in axes else next(place) for d in range(x.ndim)))
    else:
        raise ValueError(
            f"Invalid norm order for matrices: norm takes None, 'fro', 'nuc', 1, -1, 2, -2, 'inf' "
            f"or '-inf', got {ord!r}"
        )
    if keepdims:
        return result
    return dimshuffle(result, *(d for d in range(x.ndim) if d not in axes))


@documented_in("theano.tensor.nlinalg")
def norm(x: TensorLike, ord: Order = None, axis: Axis = None, keepdims: bool = False) -> Any:
    """The length of a vector or the norm of a matrix, as ``numpy.linalg.norm``.

    Parameters
    ----------
    x : tensor of one or more dimensions
    ord : optional
        None, a number, 'inf' or '-inf' for vectors; None, 'fro', 'nuc', 1, -1, 2, -2, 'inf' or
        '-inf' for matrices.
    axis : int or pair of ints, optional
        The dimension of vectors, or the two of matrices. By default ``x`` is one vector or
        matrix; with ``ord`` None, ``x`` of any number of dimensions is flattened.
    keepdims : bool
        Whether to keep the reduced dimensions with length 1.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.nlinalg.norm(T.constant([3.0, 4.0]), None).eval().item()
    5.0
    """
    x = as_tensor_variable(x)
    if x.ndim == 0:
        raise ValueError(f"'axis' entry is out of bounds: norm takes vectors, got {x}, a scalar")
    if axis is None:
        if ord is None:
            return sqrt(sum_(squared_abs(x), axis=list(range(x.ndim)), keepdims=keepdims))
        if x.ndim > 2:
            raise NotImplementedError(
                f"We don't support norm with ndim > 2 without the axis of its "
                f"vectors or matrices, got {x} of {x.type}"
            )
        axis = tuple(range(x.ndim))
    axes = (axis,) if isinstance(axis, (int, np.integer)) else tuple(axis)
    for one in axes:
        if not -x.ndim <= one < x.ndim:
            raise ValueError(f"'axis' entry is out of bounds: norm got axis {one} of {x.ndim}")
    axes = tuple(int(one) % x.ndim for one in axes)
    if len(axes) == 1:
        return _vector_norm(x, ord, axes[0], keepdims)
    if len(axes) != 2 or axes[0] == axes[1]:
        raise ValueError(f"norm takes one axis or two different ones, got {axis}")
    return _matrix_norm(x, ord, axes, keepdims)


@documented_in("theano.tensor.nlinalg")
def diag(x: TensorLike) -> TensorVariable:
    """The diagonal of a matrix ``x``, or a matrix with a vector ``x`` on its diagonal.

    ``theano.tensor.diag`` also supports other diagonals and more dimensions.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.nlinalg.diag(T.constant([[1, 2], [3, 4]])).eval().tolist()
    [1, 4]
    """
    x = as_tensor_variable(x)
    if x.ndim not in (1, 2):
        raise TypeError(f"diag requires vector or matrix argument, got {x} of type {x.type}")
    return alloc_diag(x) if x.ndim == 1 else extract_diag(x)
