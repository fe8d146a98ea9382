"""Linear systems: by the structure of the matrix, of tensors, and by least squares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace, Arrays
from theano._src.ground.documented import documented_in
from theano._src.ops.index.index_grad import is_zero_tangent
from theano._src.ops.linalg.cholesky import cholesky
from theano._src.ops.linalg.inverse import pinv
from theano._src.ops.linalg.matrix_stacks import (
    adjoint,
    as_columns,
    as_stack,
    from_columns,
    in_working_dtype,
    is_regular,
    transposed,
    working_dtype,
)
from theano._src.ops.linalg.triangular import (
    LinearSolve,
    SolveTriangular,
    cho_solve,
    no_zero_divides,
    triangular_solve,
)
from theano._src.ops.shape.alloc import lengths_of
from theano._src.ops.shape.dims import dimshuffle, patternbroadcast
from theano._src.ops.shape.ranges import tril, triu
from theano._src.ops.shape.shape import reshape
from theano._src.ops.shape.static_values import product
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.null import disconnected, grad_not_implemented
from theano._src.types.tensor import TensorVariable, tensor_type

#: programs test this flag; SciPy is always installed
imported_scipy = True

MATRIX_STRUCTURES = (
    "general",
    "symmetric",
    "lower_triangular",
    "upper_triangular",
    "hermitian",
    "banded",
    "diagonal",
    "toeplitz",
)


@documented_in("theano.tensor.slinalg")
class Solve(LinearSolve):
    """The solution x of A x = b; LinAlgError if A is singular.

    For a triangular structure only that triangle of A is read, for any other all of A.
    Stacks, with matrices in the last two dimensions, are accepted.

    Parameters
    ----------
    A_structure : str
        One of ``MATRIX_STRUCTURES``.
    lower, overwrite_A, overwrite_b : bool
        Accepted and ignored.

    >>> import theano.tensor as T
    >>> T.slinalg.Solve()(T.constant([[2.0, 1.0], [1.0, 3.0]]), [4.0, 7.0]).eval().tolist()
    [1.0, 2.0]
    """

    __props__ = ("A_structure", "lower", "overwrite_A", "overwrite_b")

    def __init__(
        self,
        A_structure: str = "general",
        lower: bool = False,
        overwrite_A: bool = False,
        overwrite_b: bool = False,
    ) -> None:
        if A_structure not in MATRIX_STRUCTURES:
            raise ValueError(
                f"Solve takes one of {', '.join(MATRIX_STRUCTURES)} as A_structure, got "
                f"{A_structure!r}"
            )
        self.A_structure = A_structure
        self.lower = lower
        self.overwrite_A = overwrite_A
        self.overwrite_b = overwrite_b

    @property
    def _triangle(self) -> str | None:
        return self.A_structure[:5] if self.A_structure.endswith("triangular") else None

    def run(self, xp: ArrayNamespace, A: Array, b: Array) -> Any:
        if self._triangle:
            return triangular_solve(xp, A, b, self._triangle == "lower")
        return xp.linalg.solve(A, b)

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        if not self._triangle:
            return [is_regular(xp, inputs[0])]
        return [no_zero_divides(xp, inputs[0], outputs[0])]

    def adjoint_solve(self, A: TensorVariable, g: TensorVariable) -> Any:
        if self._triangle:
            return SolveTriangular(self._triangle == "lower", "C")(A, g)
        return Solve(self.A_structure)(adjoint(A), g)

    def of_matrix(self, gM: TensorVariable) -> Any:
        if self._triangle:
            return tril(gM) if self._triangle == "lower" else triu(gM)
        return gM

    def tangent(self, dA: TensorVariable) -> Any:
        return self.of_matrix(dA)


solve_lower_triangular = Solve(A_structure="lower_triangular", lower=True)
solve_upper_triangular = Solve(A_structure="upper_triangular", lower=False)
solve_symmetric = Solve(A_structure="symmetric")

# SciPy's names of structures, long and short
# fmt: off
_ASSUMED = {
    "gen": "general", "general": "general",
    "sym": "symmetric", "symmetric": "symmetric",
    "her": "hermitian", "hermitian": "hermitian",
    "pos": "positive definite", "positive definite": "positive definite",
    "lower triangular": "lower_triangular", "upper triangular": "upper_triangular",
    "banded": "banded", "tridiagonal": "banded", "diagonal": "diagonal",
}
# fmt: on


@documented_in("theano.tensor.slinalg")
def solve(
    a: TensorLike,
    b: TensorLike,
    assume_a: str = "gen",
    lower: bool = False,
    transposed: bool = False,
) -> TensorVariable:
    """The solution x of ``a x = b``, for a square matrix or for each in a stack.

    Parameters
    ----------
    a : tensor of at least two dimensions
    b : vector, matrix or stack of matrices
        Stacks broadcast, as in NumPy, where their type is broadcastable.
    assume_a : str
        As in SciPy: 'gen', 'sym', 'her', 'pos' (positive definite: solved by the Cholesky
        factor, which reads one triangle), 'lower triangular', 'upper triangular'...
    lower : bool
        Whether to read the lower triangle of a positive definite matrix, not the upper one.
    transposed : bool
        Solve with the transpose of ``a``.

    >>> import theano.tensor as T
    >>> T.slinalg.solve([[2.0, 1.0], [1.0, 3.0]], [4.0, 7.0]).eval().tolist()
    [1.0, 2.0]
    """
    if assume_a not in _ASSUMED:
        raise ValueError(f"solve takes one of {sorted(_ASSUMED)} as assume_a, got {assume_a!r}")
    a = as_stack("solve", a)
    structure = _ASSUMED[assume_a]
    if structure.endswith("triangular") and transposed:
        return SolveTriangular(structure == "lower_triangular", "T")(a, b)
    if transposed:
        a, lower = _transposed(a), not lower
    if structure == "positive definite":
        return cho_solve((cholesky(a, lower=lower), lower), b)
    return Solve(structure, lower)(a, b)


_transposed = transposed


@documented_in("theano.tensor.nlinalg")
def tensorsolve(a: TensorLike, b: TensorLike, axes: Sequence[int] | None = None) -> Any:
    """The solution x of ``tensordot(a, x, x.ndim) = b``, as in NumPy.

    Parameters
    ----------
    a : tensor
        Its first dimensions are those of ``b``, the others those of x; b and x have equal sizes.
    b : tensor
    axes : sequence of int, optional
        Axes of ``a`` to move to its end first.

    >>> import theano.tensor as T
    >>> T.nlinalg.tensorsolve(T.eye(6).reshape((6, 2, 3)), T.arange(6.0)).eval().tolist()
    [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    """
    A, y = as_tensor_variable(a), as_tensor_variable(b)
    if A.ndim <= y.ndim:
        raise ValueError(
            f"tensorsolve takes more dimensions in a than in b, got {A.type} and {y.type}"
        )
    if axes is not None:
        last = [k + A.ndim if k < 0 else k for k in axes]
        A = dimshuffle(A, *(k for k in range(A.ndim) if k not in last), *last)
    kept = lengths_of(A)[y.ndim :]
    rows = [product(lengths_of(A)[: y.ndim]), product(kept)]
    result = Solve()(reshape(A, rows, ndim=2), reshape(y, [product(lengths_of(y))], ndim=1))
    return patternbroadcast(reshape(result, kept, ndim=len(kept)), A.broadcastable[y.ndim :])


@documented_in("theano.tensor.nlinalg")
class Lstsq(Op):
    """Least squares: the x of least norm that minimises |y - A x|; outputs as in NumPy.

    The residuals are empty unless A has full column rank and more rows than columns. Their
    number thus depends on values, so this op runs with NumPy.
    """

    __props__ = ()
    runs_on = "host"

    def make_node(self, x: TensorLike, y: TensorLike, rcond: TensorLike = None) -> Apply:
        x, y = as_tensor_variable(x), as_tensor_variable(y)
        if x.ndim != 2 or y.ndim not in (1, 2):
            raise TypeError(
                f"lstsq takes a matrix, and a vector or matrix, got {x} of {x.type} and {y} of "
                f"{y.type}"
            )
        inputs = [x, y] + ([] if rcond is None else [as_tensor_variable(rcond)])
        if len(inputs) > 2 and inputs[2].ndim:
            raise TypeError(f"lstsq takes a number as rcond, got {inputs[2]} of {inputs[2].type}")
        dtype = working_dtype(x.dtype, y.dtype)
        of_norms = np.empty(0, dtype).real.dtype.name
        outputs = [
            tensor_type(dtype, (x.broadcastable[1], *y.broadcastable[1:])),
            tensor_type(of_norms, (False,)),
            tensor_type("int64", ()),
            tensor_type(of_norms, (False,)),
        ]
        return Apply(self, inputs, [kind() for kind in outputs])

    def compute(self, xp: ArrayNamespace, x: Array, y: Array, rcond: Array | None = None) -> Any:
        A, b = in_working_dtype(xp, x, y)
        least = None if rcond is None else float(rcond)
        result, residuals, rank, s = np.linalg.lstsq(A, b, least)
        return result, residuals, np.asarray(rank, "int64"), s

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        (_, columns), y, *_ = shapes
        return [(columns, *y[1:]), None, (), None]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (A, y, *rcond), (x, *_), (g, g_residuals, _, g_s) = inputs, outputs, output_grads
        rest = [disconnected() for _ in rcond]
        if not (is_zero_tangent(g_residuals) and is_zero_tangent(g_s)):
            why = "Of least squares only the solution has one."
            return [*(grad_not_implemented(self, i, v, why) for i, v in enumerate((A, y))), *rest]
        columns, own = (as_columns, from_columns) if y.ndim == 1 else (_same, _same)
        x, b, g = columns(x), columns(y), columns(g)
        # the gradient of pinv(A) y
        P = pinv(A)
        gb = adjoint(P) @ g
        left = (b - A @ x) @ adjoint(P @ gb)
        right = (adjoint(P) @ x) @ adjoint(g - adjoint(A) @ gb)
        gA = left + right - gb @ adjoint(x)
        gy = patternbroadcast(own(gb), y.broadcastable)
        return [patternbroadcast(gA, A.broadcastable), gy, *rest]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        (A, y, *_), (dA, dy, *_) = inputs, eval_points
        if is_zero_tangent(dA) and is_zero_tangent(dy):
            return [None] * 4
        columns, own = (as_columns, from_columns) if y.ndim == 1 else (_same, _same)
        P = pinv(A)
        terms = []
        if not is_zero_tangent(dA):
            x, Q = columns(self(*inputs)[0]), adjoint(dA)
            pulled = Q @ (adjoint(P) @ x)
            terms += [pulled - P @ (A @ pulled) - P @ (dA @ x)]
            terms += [P @ (adjoint(P) @ (Q @ (columns(y) - A @ x)))]
        if not is_zero_tangent(dy):
            terms += [P @ columns(dy)]
        dx = sum(terms[1:], terms[0])
        return [own(dx), None, None, None]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        through = [True, True, False, True]
        return [[i < 2 and t for t in through] for i in range(len(node.inputs))]


def _same(x: TensorVariable) -> TensorVariable:
    return x


@documented_in("theano.tensor.nlinalg")
def lstsq(a: TensorLike = None, b: TensorLike = None, rcond: TensorLike = None) -> Any:
    """Least squares, as in NumPy: the x of least norm that minimises ``|b - a x|``.

    Parameters
    ----------
    a : matrix
    b : vector or matrix
    rcond : number, optional
        Singular values of ``a`` below ``rcond`` times the largest count as zeros; by default
        below its larger length times the precision of its dtype.

    Returns
    -------
    list
        x; the sums of squares of ``b - a x``, empty unless ``a`` has full rank and more rows than
        columns; the rank; the singular values. Without arguments, the op is returned, as in
        Theano 1.0.5.

    >>> import theano.tensor as T
    >>> x, residuals, rank, s = T.nlinalg.lstsq([[1.0], [1.0]], [1.0, 3.0])
    >>> x.eval().round(12).tolist(), int(rank.eval())
    ([2.0], 1)
    """
    op = Lstsq()
    if a is None and b is None:
        return op
    if b is None:
        raise TypeError("lstsq takes a matrix and a right-hand side, got no b")
    return op(a, b, rcond)
