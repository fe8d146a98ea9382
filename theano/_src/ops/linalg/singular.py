"""The singular value decomposition."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from theano._src.graph.graph import Apply
from theano._src.ground.array_types import Array, ArrayNamespace, Arrays
from theano._src.ground.documented import documented_in
from theano._src.ops.core.grad_helpers import const_like
from theano._src.ops.elementwise.arithmetic import minimum, true_div
from theano._src.ops.elementwise.compare import gt, switch
from theano._src.ops.elementwise.complex_parts import complex as complex_, imag, real
from theano._src.ops.index.index_grad import is_zero_tangent
from theano._src.ops.linalg.grad_helpers import (
    along_columns,
    check_finite,
    diagonals,
    is_absent,
    on_diagonals,
    or_zeros,
    over_gaps,
    real_dtype,
    times,
)
from theano._src.ops.linalg.matrix_stacks import (
    MatrixOp,
    adjoint,
    as_columns,
    as_stack,
    in_working_dtype,
    is_large,
    working_dtype,
)
from theano._src.ops.shape.dims import patternbroadcast
from theano._src.ops.shape.join import concatenate
from theano._src.ops.shape.shape import shape_i
from theano._src.types.aliases import TensorLike
from theano._src.types.dtypes import complex_dtypes
from theano._src.types.tensor import TensorVariable, tensor_type


@documented_in("theano.tensor.nlinalg")
class SVD(MatrixOp):
    """x = u diag(s) vt with orthonormal columns of u and rows of vt, s descending.

    The gradient is valid for functions that do not depend on the arbitrary parts of u and vt:
    phases of complex vectors and, with ``full_matrices``, the additional vectors in u or vt.

    Examples
    --------
    >>> import theano.tensor as T
    >>> u, s, vt = T.nlinalg.SVD(full_matrices=False)(T.constant([[3.0, 0.0], [0.0, -4.0]]))
    >>> s.eval().tolist()
    [4.0, 3.0]
    """

    __props__ = ("full_matrices", "compute_uv")

    def __init__(self, full_matrices: bool | int = True, compute_uv: bool | int = True) -> None:
        self.full_matrices = full_matrices
        self.compute_uv = compute_uv

    def make_node(self, x: TensorLike) -> Apply:
        x = as_stack(self, x)
        front = x.broadcastable[:-2]
        dtype = working_dtype(x.dtype)
        s = tensor_type(real_dtype(dtype), (*front, False))()
        if not self.compute_uv:
            return Apply(self, [x], [s])
        kind = tensor_type(dtype, (*front, False, False))
        return Apply(self, [x], [kind(), s, kind()])

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        x = in_working_dtype(xp, x)
        if xp.name == "numpy" and is_large(x):
            # validate has checked for NaN and infinity
            svd = partial(xp.slinalg.svd, check_finite=False)
        else:
            svd = xp.linalg.svd
        if not self.compute_uv:
            return svd(x, compute_uv=False)
        return tuple(svd(x, full_matrices=bool(self.full_matrices)))

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        check_finite(self, inputs[0])

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        s = outputs[1 if self.compute_uv else 0]
        return (xp.all(xp.isfinite(inputs[0])), xp.all(~xp.isnan(s)))

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        *front, m, n = shapes[0]
        k = minimum(m, n)
        if not self.compute_uv:
            return [(*front, k)]
        rows, columns = (m, n) if self.full_matrices else (k, k)
        return [(*front, m, rows), (*front, k), (*front, columns, n)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,) = inputs
        if not self.compute_uv:
            (gs,) = output_grads
            u, _, vt = _thin(x)
            return [patternbroadcast(times(u * along_columns(gs), vt), x.broadcastable)]
        (u, s, vt), (gu, gs, gvt) = outputs, output_grads
        gu = None if is_absent(gu) else gu
        gv = None if is_absent(gvt) else adjoint(gvt)
        v = adjoint(vt)
        if self.full_matrices:
            # the additional columns stay orthogonal to the first ones
            u, gu = _first(u, gu, s)
            v, gv = _first(v, gv, s)
        g = times(_inner(u, s, v, gu, or_zeros(gs, s), gv), adjoint(v))
        g = times(u, g)
        if gu is not None:
            out = _across(u, gu) * along_columns(_inverse(s, gt(*_sides(x))))
            g = g + times(out, adjoint(v))
        if gv is not None:
            out = _across(v, gv) * along_columns(_inverse(s, gt(*reversed(_sides(x)))))
            g = g + times(u, adjoint(out))
        return [patternbroadcast(g, x.broadcastable)]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (x,), (dx,) = inputs, eval_points
        if is_zero_tangent(dx):
            return [None] * (3 if self.compute_uv else 1)
        if not self.compute_uv:
            u, s, vt = _thin(x)
            return [real(diagonals(times(adjoint(u), dx, adjoint(vt))))]
        full_u, s, full_vt = self(x)
        full_v = adjoint(full_vt)
        u, v = full_u, full_v
        if self.full_matrices:
            u, v = _head(full_u, s), _head(full_v, s)
        p = times(adjoint(u), dx, v)
        left, right = p * along_columns(s), p * as_columns(s)
        turn = _over_squares(left + adjoint(left), s)
        if x.dtype in complex_dtypes:
            turn = turn + on_diagonals(_phase(diagonals(p), s))
        m, n = _sides(x)
        du = times(u, turn) + _across(u, times(dx, v)) * along_columns(_inverse(s, gt(m, n)))
        dv = times(v, _over_squares(right + adjoint(right), s))
        dv = dv + _across(v, times(adjoint(dx), u)) * along_columns(_inverse(s, gt(n, m)))
        if self.full_matrices:
            du, dv = _filled_up(full_u, u, du, s), _filled_up(full_v, v, dv, s)
        return [du, real(diagonals(p)), adjoint(dv)]


def _thin(x: TensorVariable) -> Any:
    return SVD(False, True)(x)


def _sides(x: TensorVariable) -> tuple[Any, Any]:
    return shape_i(x, x.ndim - 2), shape_i(x, x.ndim - 1)


def _inverse(s: TensorVariable, wanted: TensorVariable) -> TensorVariable:
    """1 / s if ``wanted``, else 0: then it is not used, and s may have zeros."""
    safe = switch(wanted, s, const_like(1, s))
    return switch(wanted, true_div(const_like(1, s), safe), const_like(0, s))


def _over_squares(x: TensorVariable, s: TensorVariable) -> Any:
    """``x[i, j] / (s[j] ** 2 - s[i] ** 2)`` off the diagonal."""
    return over_gaps(x, s) / (along_columns(s) + as_columns(s) + _only_at_zero(s))


def _only_at_zero(s: TensorVariable) -> TensorVariable:
    # 1 where s is 0: 0 / 0 on the diagonal would be NaN
    one = const_like(1, s)
    return on_diagonals(switch(gt(s, const_like(0, s)), const_like(0, s), one))


def _inner(
    u: TensorVariable,
    s: TensorVariable,
    v: TensorVariable,
    gu: TensorVariable | None,
    gs: TensorVariable,
    gv: TensorVariable | None,
) -> TensorVariable:
    """The gradient of u^H x v; see Townsend, Differentiating the singular value decomposition."""
    g = on_diagonals(gs)
    if gu is not None:
        p = times(adjoint(u), gu)
        turn = _over_squares(p, s)
        g = g + (turn + adjoint(turn)) * along_columns(s)
        if u.dtype in complex_dtypes:
            g = g + on_diagonals(_phase(diagonals(p), s))
    if gv is not None:
        turn = _over_squares(times(adjoint(v), gv), s)
        g = g + (turn + adjoint(turn)) * as_columns(s)
    return g


def _phase(d: TensorVariable, s: TensorVariable) -> TensorVariable:
    """i Im(d) / s: the phases of u change, those of v are fixed."""
    turn = imag(d) / s
    return complex_(turn.zeros_like(), turn)


def _across(u: TensorVariable, x: TensorVariable) -> TensorVariable:
    """The part of ``x`` orthogonal to the columns of ``u``."""
    return x - times(u, times(adjoint(u), x))


def _head(u: TensorVariable, s: TensorVariable) -> TensorVariable:
    return u[..., : shape_i(s, s.ndim - 1)]


def _first(
    u: TensorVariable, gu: TensorVariable | None, s: TensorVariable
) -> tuple[TensorVariable, TensorVariable | None]:
    """The columns of ``u`` for ``s``, and their gradient, to which the other columns contribute."""
    head = _head(u, s)
    if gu is None:
        return head, None
    k = shape_i(s, s.ndim - 1)
    return head, gu[..., :k] - times(u[..., k:], times(adjoint(gu[..., k:]), head))


def _filled_up(
    u: TensorVariable, head: TensorVariable, change: TensorVariable, s: TensorVariable
) -> Any:
    """The tangent of all columns of ``u``, given ``change``, that of the first ones."""
    rest = u[..., shape_i(s, s.ndim - 1) :]
    return concatenate([change, -times(head, times(adjoint(change), rest))], axis=u.ndim - 1)


@documented_in("theano.tensor.nlinalg")
def svd(a: TensorLike, full_matrices: bool | int = 1, compute_uv: bool | int = 1) -> Any:
    """The singular value decomposition, as ``numpy.linalg.svd``: ``a = u diag(s) vt``.

    Parameters
    ----------
    a : tensor of two or more dimensions
        The last two dimensions are M by N matrices, the others a stack of them; K = min(M, N).
    full_matrices : bool
        Whether u is M by M and vt is N by N; otherwise they are M by K and K by N.
    compute_uv : bool
        Whether to return u and vt as well as s.

    Returns
    -------
    list of u, s, vt, or s alone
        s is a vector in descending order.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.nlinalg.svd(T.constant([[3.0, 0.0], [0.0, -4.0]]), compute_uv=False).eval().tolist()
    [4.0, 3.0]
    """
    return SVD(full_matrices, compute_uv)(a)
