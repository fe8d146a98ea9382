"""Eigenvalues and eigenvectors of general matrices, Hermitian matrices and Hermitian pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace, Arrays
from theano._src.ground.documented import documented_in
from theano._src.ops.core.grad_helpers import conjugated
from theano._src.ops.elementwise.complex_parts import real
from theano._src.ops.index.index_grad import is_zero_tangent
from theano._src.ops.linalg.grad_helpers import (
    along_columns,
    check_finite,
    diagonals,
    is_absent,
    on_diagonals,
    over_gaps,
    real_diagonal,
    real_dtype,
    times,
    under_diagonal,
)
from theano._src.ops.linalg.inverse import matrix_inverse
from theano._src.ops.linalg.matrix_stacks import (
    MatrixOp,
    adjoint,
    as_stack,
    check_square,
    in_working_dtype,
    working_dtype,
)
from theano._src.ops.reduce.careduce import sum as sum_
from theano._src.ops.shape.dims import patternbroadcast
from theano._src.types.aliases import TensorLike
from theano._src.types.tensor import TensorVariable, tensor_type


def _system(front: Sequence[bool], w_dtype: str, v_dtype: str) -> list[Any]:
    """Variables for eigenvalues and eigenvectors of matrices with these leading dimensions."""
    return [
        tensor_type(w_dtype, (*front, False))(),
        tensor_type(v_dtype, (*front, False, False))(),
    ]


@documented_in("theano.tensor.nlinalg")
class Eig(MatrixOp):
    """Eigenvalues w and right eigenvectors v of square matrices: x v = v diag(w).

    The columns of v have length 1. A real matrix with eigenvalues that are not real raises
    LinAlgError: the dtype of the result is fixed before its value is known.

    Examples
    --------
    >>> import theano.tensor as T
    >>> w, v = T.nlinalg.eig(T.constant([[2.0, 1.0], [0.0, 3.0]]))
    >>> w.eval().tolist()
    [2.0, 3.0]
    """

    __props__: ClassVar[tuple[str, ...]] = ()

    def make_node(self, x: TensorLike) -> Apply:
        x = as_stack(self, x)
        dtype = working_dtype(x.dtype)
        return Apply(self, [x], _system(x.broadcastable[:-2], dtype, dtype))

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        check_square(self, x)
        w, v = xp.linalg.eig(in_working_dtype(xp, x))
        if x.dtype.kind == "c":
            return w, v
        if xp.name == "numpy" and not _are_real(xp, w):
            raise np.linalg.LinAlgError(
                f"{self} of a real matrix takes one with real eigenvalues, got {w}; cast the "
                "matrix to complex128 to have these"
            )
        return xp.real(w), xp.real(v)

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        check_finite(self, inputs[0])

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        (x,) = inputs
        fine = xp.all(xp.isfinite(x))
        if x.dtype.kind == "c":
            return (fine,)
        return (fine, _are_real(xp, xp.linalg.eig(in_working_dtype(xp, x))[0]))

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        (shape,) = shapes
        return [tuple(shape[:-1]), tuple(shape)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (w, v), (gw, gv) = inputs, outputs, output_grads
        if not is_absent(gv):
            # columns have fixed length 1: remove the component along each
            p = times(adjoint(v), gv)
            gv = gv - v * along_columns(real(diagonals(p)).astype(v.dtype))
        inner = _inner(conjugated(w), v, gw, gv)
        if inner is None:
            return [x.zeros_like(dtype=v.dtype)]
        g = times(adjoint(matrix_inverse(v)), inner, adjoint(v))
        return [patternbroadcast(g, x.broadcastable)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (x,), (dx,) = inputs, eval_points
        if is_zero_tangent(dx):
            return [None, None]
        w, v = self(x)
        p = times(matrix_inverse(v), dx, v)
        dv = times(v, over_gaps(p, w))
        along = sum_(real(conjugated(v) * dv), axis=-2)
        return [diagonals(p), dv - v * along_columns(along.astype(v.dtype))]


def _are_real(xp: ArrayNamespace, w: Array) -> Any:
    """Whether imaginary parts are as small as rounding makes them for equal eigenvalues."""
    if w.dtype.kind != "c":
        return True
    most = float(np.finfo(w.dtype).eps) ** 0.5 * xp.max(xp.abs(w), initial=0.0)
    return xp.all(xp.abs(xp.imag(w)) <= most)


class Triangle(MatrixOp):
    """An op on Hermitian matrices that reads only one triangle."""

    __props__: ClassVar[tuple[str, ...]] = ("UPLO",)

    def __init__(self, UPLO: str = "L") -> None:
        if UPLO not in ("L", "U"):
            raise ValueError(f"{type(self).__name__} takes 'L' or 'U' as UPLO, got {UPLO!r}")
        self.UPLO = UPLO


def _mirrored(xp: ArrayNamespace, x: Array, lower: bool) -> Any:
    """The Hermitian array with this triangle of ``x``."""
    half = xp.tril(x, -1) if lower else xp.triu(x, 1)
    turned = xp.conjugate(xp.swapaxes(half, -1, -2))
    there = xp.eye(x.shape[-1], dtype=bool)
    return xp.where(there, xp.astype(xp.real(x), x.dtype), half + turned)


def hermitian(x: TensorVariable, lower: bool) -> TensorVariable:
    """The Hermitian matrix with this triangle of ``x``."""
    half = under_diagonal(x if lower else adjoint(x))
    return half + adjoint(half) + real_diagonal(x)


def folded(g: TensorVariable, lower: bool) -> TensorVariable:
    """The gradient of the triangle that is read, given that of the whole Hermitian matrix.

    Entries of that triangle off the diagonal count twice; the other triangle has gradient 0.
    """
    half = under_diagonal(g + adjoint(g))
    return (half if lower else adjoint(half)) + real_diagonal(g)


@documented_in("theano.tensor.nlinalg")
class Eigh(Triangle):
    """Eigenvalues w, ascending, and orthonormal eigenvectors v of Hermitian matrices.

    Only the triangle UPLO is read, and only it has a gradient.

    Examples
    --------
    >>> import theano.tensor as T
    >>> w, v = T.nlinalg.Eigh("U")(T.constant([[2.0, 1.0], [9.0, 2.0]]))
    >>> w.eval().round(6).tolist()
    [1.0, 3.0]
    """

    __call__: Callable[..., list[TensorVariable]]

    __props__ = ("UPLO",)

    def make_node(self, x: TensorLike) -> Apply:
        x = as_stack(self, x)
        dtype = working_dtype(x.dtype)
        return Apply(self, [x], _system(x.broadcastable[:-2], real_dtype(dtype), dtype))

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        check_square(self, x)
        return tuple(xp.linalg.eigh(in_working_dtype(xp, x), self.UPLO))

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Array) -> Any:
        (x,) = inputs
        check_square(self, x)
        whole = _mirrored(xp, in_working_dtype(xp, x), self.UPLO == "L")
        return tuple(xp.linalg.eigh(whole, symmetrize_input=False))

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        (shape,) = shapes
        return [tuple(shape[:-1]), tuple(shape)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (w, v), (gw, gv) = inputs, outputs, output_grads
        inner = _inner(w, v, gw, gv)
        if inner is None:
            return [x.zeros_like(dtype=v.dtype)]
        g = folded(times(v, inner, adjoint(v)), self.UPLO == "L")
        return [patternbroadcast(g, x.broadcastable)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (x,), (dx,) = inputs, eval_points
        if is_zero_tangent(dx):
            return [None, None]
        w, v = self(x)
        p = times(adjoint(v), hermitian(dx, self.UPLO == "L"), v)
        return [real(diagonals(p)), times(v, over_gaps(p, w))]


def _inner(w: TensorVariable, v: TensorVariable, gw: TensorVariable, gv: TensorVariable) -> Any:
    """The gradient of v^H x v, where v diagonalises x; None if neither output is used.

    dw[n] = p[n, n] and dv = v c, with p = v^H dx v and c[m, n] = p[m, n] / (w[n] - w[m]).
    """
    terms = [] if is_absent(gw) else [on_diagonals(gw)]
    terms += [] if is_absent(gv) else [over_gaps(times(adjoint(v), gv), w)]
    return sum(terms[1:], terms[0]) if terms else None


class Pair(Op):
    """An op on one Hermitian matrix, or on a pair, that reads one triangle of each."""

    __props__: ClassVar[tuple[str, ...]] = ("lower",)

    def __init__(self, lower: bool = True) -> None:
        if lower not in (True, False):
            raise ValueError(f"{type(self).__name__} takes True or False as lower, got {lower!r}")
        self.lower = bool(lower)

    def _check(self, a: Array, *b: Array) -> None:
        for x in (a, *b):
            check_square(self, x)
        if b and a.shape != b[0].shape:
            raise np.linalg.LinAlgError(
                f"{self} takes two matrices of one shape, got {a.shape} and {b[0].shape}"
            )

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        for x in inputs:
            check_finite(self, x)

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        finite = [xp.all(xp.isfinite(x)) for x in inputs]
        # if b is not positive definite, the eigenvalues are NaN
        return [*finite, xp.all(~xp.isnan(outputs[0]))]

    def _inputs(self, a: TensorLike, b: TensorLike) -> list[TensorVariable]:
        a = as_stack(self, a)
        if b is None or getattr(b, "data", b) is None:
            return [a]
        b = as_stack(self, b)
        if a.ndim != b.ndim:
            raise TypeError(f"{self} takes two of as many dimensions, got {a.type} and {b.type}")
        return [a, b]


def _front(inputs: Sequence[Any]) -> tuple[bool, ...]:
    """Which leading dimensions are broadcastable in any of the inputs."""
    return tuple(any(each) for each in zip(*(x.broadcastable[:-2] for x in inputs), strict=True))


class EighOfPair(Pair):
    """(w, v) with a v = b v diag(w) and v^H b v = 1, for Hermitian a and positive definite b."""

    __props__ = ("lower",)

    def make_node(self, a: TensorLike, b: TensorLike) -> Apply:
        inputs = self._inputs(a, b)
        dtype = working_dtype(*(x.dtype for x in inputs))
        return Apply(self, inputs, _system(_front(inputs), real_dtype(dtype), dtype))

    def compute(self, xp: ArrayNamespace, a: Array, b: Array) -> Any:
        self._check(a, b)
        return of_pair(xp, a, b, self.lower)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        (shape, _) = shapes
        return [tuple(shape[:-1]), tuple(shape)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (a, b), (w, v), (gw, gv) = inputs, outputs, output_grads
        inner = _inner(w, v, gw, gv)
        if inner is None:
            return [x.zeros_like(dtype=v.dtype) for x in inputs]
        of_b = -inner * along_columns(w)
        if not is_absent(gv):
            # the length of v: dv[n] = -v[n] (v^H db v)[n, n] / 2 + ...
            of_b = of_b - on_diagonals(diagonals(times(adjoint(v), gv)) / 2)
        grads = [folded(times(v, g, adjoint(v)), self.lower) for g in (inner, of_b)]
        return [patternbroadcast(g, x.broadcastable) for g, x in zip(grads, (a, b), strict=True)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (a, b), (da, db) = inputs, eval_points
        if is_zero_tangent(da) and is_zero_tangent(db):
            return [None, None]
        w, v = self(a, b)
        inside: list[Any] = [
            None if is_zero_tangent(dx) else times(adjoint(v), hermitian(dx, self.lower), v)
            for dx in (da, db)
        ]
        p, of_b = inside
        if of_b is not None:
            moved = of_b * along_columns(w)
            p = -moved if p is None else p - moved
        dv = over_gaps(p, w)
        if of_b is not None:
            dv = dv - on_diagonals(diagonals(of_b) / 2)
        return [real(diagonals(p)), times(v, dv)]


def of_pair(xp: ArrayNamespace, a: Array, b: Array, lower: bool) -> tuple[Any, Any]:
    a, b = in_working_dtype(xp, a, b)
    if xp.name == "numpy":
        w, v = xp.slinalg.eigh(a, b, lower=lower)
        return w, v
    factor = xp.linalg.cholesky(_mirrored(xp, b, lower))
    a = _mirrored(xp, a, lower)
    solve = xp.slinalg.solve_triangular
    half = solve(factor, a, lower=True)
    inner = solve(factor, xp.conjugate(xp.swapaxes(half, -1, -2)), lower=True)
    w, v = xp.linalg.eigh(_mirrored(xp, inner, True), symmetrize_input=False)
    return w, solve(factor, v, lower=True, trans="C")


@documented_in("theano.tensor.slinalg")
class Eigvalsh(Pair):
    """The ascending eigenvalues w of Hermitian a, or of the pair a, b: a v = b v diag(w).

    Only the lower (or upper) triangles are read, and only they have gradients.

    Examples
    --------
    >>> import theano.tensor as T
    >>> a, b = T.constant([[2.0, 0.0], [0.0, 9.0]]), T.constant([[1.0, 0.0], [0.0, 3.0]])
    >>> T.slinalg.Eigvalsh()(a, b).eval().round(6).tolist()
    [2.0, 3.0]
    """

    __props__ = ("lower",)

    def make_node(self, a: TensorLike, b: TensorLike = None) -> Apply:
        inputs = self._inputs(a, b)
        dtype = real_dtype(working_dtype(*(x.dtype for x in inputs)))
        return Apply(self, inputs, [tensor_type(dtype, (*_front(inputs), False))()])

    def compute(self, xp: ArrayNamespace, a: Array, *b: Array) -> Any:
        self._check(a, *b)
        if b:
            return of_pair(xp, a, b[0], self.lower)[0]
        return xp.linalg.eigvalsh(in_working_dtype(xp, a), "L" if self.lower else "U")

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Array) -> Any:
        a, *b = inputs
        if b:
            return self.compute(xp, a, *b)
        self._check(a)
        whole = _mirrored(xp, in_working_dtype(xp, a), self.lower)
        return xp.linalg.eigvalsh(whole, symmetrize_input=False)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        return [tuple(shapes[0][:-1])]

    def _vectors(self, inputs: Sequence[Any]) -> Any:
        if len(inputs) == 2:
            return EighOfPair(self.lower)(*inputs)
        return Eigh("L" if self.lower else "U")(*inputs)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (g,) = output_grads
        w, v = self._vectors(inputs)
        scaled = v * along_columns(g)
        grads = [times(scaled, adjoint(v))]
        if len(inputs) == 2:
            grads.append(-times(scaled * along_columns(w), adjoint(v)))
        return [
            patternbroadcast(folded(gx, self.lower), x.broadcastable)
            for gx, x in zip(grads, inputs, strict=True)
        ]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        if len(inputs) == 2:
            return EighOfPair(self.lower).R_op(inputs, eval_points)[:1]
        return Eigh("L" if self.lower else "U").R_op(inputs, eval_points)[:1]


eig = Eig()


@documented_in("theano.tensor.nlinalg")
def eigh(a: TensorLike, UPLO: str = "L") -> list[TensorVariable]:
    """Eigenvalues, ascending, and eigenvectors of a Hermitian matrix.

    Parameters
    ----------
    a : tensor of two or more dimensions
        The last two are square matrices, the others a stack of them.
    UPLO : {'L', 'U'}
        The triangle that is read; the other one is assumed to be its conjugate mirror image.

    Returns
    -------
    list
        The eigenvalues, and a matrix with the eigenvectors as columns.

    Examples
    --------
    >>> import theano.tensor as T
    >>> w, v = T.nlinalg.eigh(T.constant([[2.0, 1.0], [1.0, 2.0]]))
    >>> w.eval().round(6).tolist()
    [1.0, 3.0]
    """
    return Eigh(UPLO)(a)


@documented_in("theano.tensor.slinalg")
def eigvalsh(a: TensorLike, b: TensorLike = None, lower: bool = True) -> Any:
    """The eigenvalues of a Hermitian matrix, ascending, or those of ``a`` relative to ``b``.

    Parameters
    ----------
    a : tensor of two or more dimensions
        The last two are square matrices, the others a stack of them.
    b : tensor, optional
        Positive definite, of the shape of ``a``: then ``a v = w b v``.
    lower : bool
        Whether the lower triangles are read, or the upper ones.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.slinalg.eigvalsh(T.constant([[2.0, 1.0], [1.0, 2.0]])).eval().round(6).tolist()
    [1.0, 3.0]
    """
    return Eigvalsh(lower)(a, b)
