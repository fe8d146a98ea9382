"""Mean, variance and standard deviation over dimensions, as expressions of sums."""

from __future__ import annotations

from typing import Any

from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import cast
from theano._src.ops.elementwise.arithmetic import (
    add,
    maximum,
    scalar_add,
    sqr,
    sqrt,
    sub,
    true_div,
)
from theano._src.ops.elementwise.complex_parts import imag, real
from theano._src.ops.reduce.careduce import (
    CAReduceDtype,
    makeKeepDims,
    read_axis,
    settle_axis,
    sum,
)
from theano._src.ops.reduce.reduce_grad import spread
from theano._src.ops.shape.shape import shape_i_op
from theano._src.ops.shape.static_values import product
from theano._src.types.aliases import Axis, DTypeLike, TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import complex_dtypes, discrete_dtypes, known_dtype
from theano._src.types.tensor import TensorVariable


def _count(x: TensorVariable, axis: tuple[int, ...] | None, dtype: str) -> TensorVariable:
    """The number of elements per result, in the float dtype for dividing a ``dtype``."""
    gone = range(x.ndim) if axis is None else axis
    n = product(shape_i_op(i)(x) for i in gone if not x.broadcastable[i])
    return cast(n, "float32" if dtype in ("float16", "float32", "complex64") else "float64")


@documented_in("theano.tensor.basic")
class Mean(CAReduceDtype):
    """The mean over dimensions as one op, in float64; use the function ``mean`` instead.

    >>> import theano.tensor as T
    >>> T.Mean(axis=0)([[1.0, 2.0], [3.0, 5.0]]).eval().tolist()
    [2.0, 3.5]
    """

    __props__ = ("axis",)

    _shown = "Mean"
    batch_rule = CAReduceDtype.batch_rule
    linear_in = (0,)

    def __init__(self, axis: Axis = None) -> None:
        super().__init__(scalar_add, axis, "float64", "float64")

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.mean(x, axis=self.axis, dtype="float64")

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (g,) = inputs, output_grads
        return [spread(x, true_div(g, _count(x, self.axis, "float64")), self.axis)]


@documented_in("theano.tensor.basic")
def mean(
    x: TensorLike,
    axis: Axis = None,
    dtype: DTypeLike = None,
    keepdims: bool = False,
    acc_dtype: DTypeLike = None,
    op: bool = False,
) -> TensorVariable:
    """The mean of the elements over dimensions; NaN for no elements.

    Parameters
    ----------
    x : tensor or array
    axis : int or list of ints, optional
        The dimensions to average over; all by default.
    dtype : str, optional
        The dtype of the sum. It is also that of the result if it is a float or complex dtype;
        otherwise the result is a float.
    keepdims : bool
        Whether to keep the reduced dimensions with length 1.
    acc_dtype : str, optional
        The dtype of the accumulator, as for ``sum``.
    op : bool
        Accepted for older programs and ignored.

    >>> import theano.tensor as T
    >>> T.mean([[1, 2], [3, 5]], axis=1).eval().tolist()
    [1.5, 4.0]
    """
    x = as_tensor_variable(x)
    gone = settle_axis(read_axis(axis, "mean"), x, "mean")
    wanted = None if dtype is None else known_dtype(dtype)
    narrow = (x.dtype if wanted is None else wanted) == "float16"
    # a sum may overflow float16 where the mean does not
    s = sum(x, gone, "float32" if narrow else wanted, keepdims, acc_dtype)
    out = true_div(s, _count(x, gone, s.dtype))
    if narrow:
        out = cast(out, "float16")
    out.name = "mean"
    return out


@documented_in("theano.tensor.basic")
def var(
    x: TensorLike,
    axis: Axis = None,
    ddof: TensorLike = 0,
    keepdims: bool = False,
    corrected: bool = False,
) -> TensorVariable:
    """The variance of the elements over dimensions: the mean squared distance from the mean.

    Parameters
    ----------
    x : tensor or array
    axis : int or list of ints, optional
        The dimensions to reduce over; all by default.
    ddof : number
        The sum of squares is divided by the number of elements minus ``ddof``.
    keepdims : bool
        Whether to keep the reduced dimensions with length 1.
    corrected : bool
        Compensate the rounding error of the mean (the corrected two-pass algorithm).

    >>> import theano.tensor as T
    >>> T.var([1.0, 2.0, 3.0]).eval().item(), T.var([1.0, 2.0, 3.0], ddof=1).eval().item()
    (0.6666666666666666, 1.0)
    """
    if isinstance(ddof, bool):
        # the documented third argument is keepdims; in later releases it is ddof
        keepdims, ddof = ddof, 0
    x = as_tensor_variable(x)
    gone = settle_axis(read_axis(axis, "var"), x, "var")
    given = x.dtype
    if given == "float16":
        x = cast(x, "float32")
    elif given in discrete_dtypes:
        x = cast(x, "float64")
    away = sub(x, mean(x, gone, keepdims=True))
    squares = sum(squared_abs(away), gone)
    n = _count(x, gone, squares.dtype)
    if corrected:
        squares = sub(squares, true_div(squared_abs(sum(away, gone)), n))
    fixed = isinstance(ddof, int | float) and ddof == 0
    out = true_div(squares, n if fixed else maximum(sub(n, ddof), 0))
    if given == "float16":
        out = cast(out, given)
    if keepdims:
        out = makeKeepDims(x, out, gone)
    out.name = "var"
    return out


def squared_abs(x: TensorVariable) -> TensorVariable:
    """|x|^2, without the square root of abs, which has no derivative at 0."""
    return add(sqr(real(x)), sqr(imag(x))) if x.dtype in complex_dtypes else sqr(x)


@documented_in("theano.tensor.basic")
def std(
    x: TensorLike,
    axis: Axis = None,
    ddof: TensorLike = 0,
    keepdims: bool = False,
    corrected: bool = False,
) -> TensorVariable:
    """The standard deviation over dimensions, the root of ``var``; arguments are as for ``var``.

    >>> import theano.tensor as T
    >>> T.std([[1.0, 3.0], [4.0, 4.0]], axis=1).eval().tolist()
    [1.0, 0.0]
    """
    out = sqrt(var(x, axis, ddof, keepdims, corrected))
    out.name = "std"
    return out
