"""Linear interpolation and evaluation of polynomials."""

from __future__ import annotations

from theano._src.ground.documented import documented_in
from theano._src.ops.arrays.axes import ravel
from theano._src.ops.arrays.search import searchsorted
from theano._src.ops.arrays.select import take
from theano._src.ops.arrays.stacking import static_length
from theano._src.ops.core.cast import cast, in_floats
from theano._src.ops.core.grad_helpers import const_like
from theano._src.ops.elementwise.arithmetic import (
    add,
    clip,
    maximum,
    mul,
    sub,
    true_div,
)
from theano._src.ops.elementwise.compare import eq, ge, gt, isnan, lt, switch
from theano._src.ops.shape.shape import shape_i_op
from theano._src.ops.shape.static_values import as_length
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.tensor import TensorVariable


@documented_in("theano.tensor")
def interp(
    x: TensorLike,
    xp: TensorLike,
    fp: TensorLike,
    left: TensorLike = None,
    right: TensorLike = None,
) -> TensorVariable:
    """Linear interpolation at ``x`` of the points (``xp``, ``fp``).

    Parameters
    ----------
    x : tensor or array
    xp, fp : vectors
        The points, ``xp`` ascending.
    left, right : numbers, optional
        The values below and above all ``xp``; by default the first and last of ``fp``.

    >>> import theano.tensor as T
    >>> T.interp([0.5, 3.0], [0.0, 1.0, 2.0], [0.0, 10.0, 20.0]).eval().tolist()
    [5.0, 20.0]
    """
    x, xs, fs = (in_floats(v) for v in (x, xp, fp))
    if xs.ndim != 1 or fs.ndim != 1:
        raise ValueError(f"interp takes vectors as xp and fp, got {xs.type} and {fs.type}")
    n = shape_i_op(0)(xs)
    flat = ravel(x)
    last = maximum(sub(n, as_length(2)), as_length(0))
    i = clip(sub(searchsorted(xs, flat, side="right"), as_length(1)), as_length(0), last)
    j = clip(add(i, as_length(1)), as_length(0), sub(n, as_length(1)))
    x0, x1, f0, f1 = take(xs, i), take(xs, j), take(fs, i), take(fs, j)
    step = sub(x1, x0)
    flatly = eq(step, 0)
    slope = true_div(sub(f1, f0), switch(flatly, const_like(1, step), step))
    inside = add(f0, mul(slope, sub(flat, x0)))
    # exact at the points, where a slope may be infinite
    inside = switch(ge(flat, x1), f1, switch(eq(flat, x0), f0, inside))
    low, high = (fs[0] if left is None else left), (fs[-1] if right is None else right)
    out = switch(lt(flat, xs[0]), cast(low, inside.dtype), inside)
    out = switch(gt(flat, xs[-1]), cast(high, inside.dtype), out)
    out = switch(isnan(flat), flat, out)
    if x.ndim == 1:
        return out
    return out.reshape([shape_i_op(d)(x) for d in range(x.ndim)], ndim=x.ndim)


@documented_in("theano.tensor")
def polyval(p: TensorLike, x: TensorLike) -> TensorVariable:
    """The value at ``x`` of the polynomial with coefficients ``p``, the highest power first.

    >>> import theano.tensor as T
    >>> T.polyval([1, 2, 3], 10).eval().item()
    123
    """
    coefficients = as_tensor_variable(p)
    n = static_length(coefficients, 0)
    if n is None:
        raise ValueError(
            f"polyval takes coefficients whose number is known, got {coefficients} of "
            f"{coefficients.type}; give a list of scalars"
        )
    x = as_tensor_variable(x)
    out = x.zeros_like()
    for i in range(n):
        out = add(mul(out, x), coefficients[i])
    return out
