"""logsumexp, as in SciPy: by the op LogSumExp, or as a graph if there are weights or a sign."""

from __future__ import annotations

from typing import Any

import numpy as np

from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import cast, in_floats
from theano._src.ops.core.grad_helpers import const_like
from theano._src.ops.elementwise.arithmetic import add, mul, sub
from theano._src.ops.elementwise.compare import eq, isinf, isnan, or_, switch
from theano._src.ops.elementwise.explog import exp, log
from theano._src.ops.meta.grad_views import disconnected_grad
from theano._src.ops.nnet.softmax import LogSumExp
from theano._src.ops.reduce.careduce import makeKeepDims, read_axis, settle_axis, sum as sum_
from theano._src.ops.reduce.max_min import max as max_
from theano._src.ops.shape.dims import dimshuffle
from theano._src.types.aliases import Axis, TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import complex_dtypes, upcast


@documented_in("theano.tensor")
def logsumexp(
    a: TensorLike,
    axis: Axis = None,
    b: TensorLike = None,
    keepdims: bool = False,
    return_sign: bool = False,
) -> Any:
    r"""Return log(sum(exp(a))), computed without overflow, as in SciPy.

    .. math:: \log \sum_i b_i \, e^{a_i}

    Parameters
    ----------
    a : tensor or array
    axis : int or list of ints, optional
        The dimensions to sum over; all of them by default.
    b : tensor or array, optional
        Weights of the exponentials.
    keepdims : bool
        Keep the summed dimensions, with length 1.
    return_sign : bool
        Return log(abs(sum)) and the sign of the sum, which ``b`` may make negative.

    >>> import theano.tensor as T
    >>> T.logsumexp([1000.0, 1000.0]).eval().round(4).item()
    1000.6931
    >>> T.logsumexp([float("-inf"), float("-inf")]).eval().item()
    -inf
    """
    x = in_floats(as_tensor_variable(a))
    if x.dtype in complex_dtypes:
        raise TypeError(f"logsumexp takes real numbers, got {x} of {x.type}")
    axes = read_axis(axis, "logsumexp")
    if b is not None or return_sign:
        return _signed(x, axes, b, keepdims, return_sign)
    gone = settle_axis(axes, x, "logsumexp")
    out = LogSumExp(gone)(x)
    return makeKeepDims(x, out, gone) if keepdims else out


def _signed(
    x: Any, axes: tuple[int, ...] | None, b: TensorLike, keepdims: bool, return_sign: bool
) -> Any:
    """Build the logarithm of a sum that may be negative from other ops, as it needs the sum."""
    weight = None
    if b is not None:
        weight = cast(b, upcast(x.dtype, as_tensor_variable(b).dtype))
        # a weight of 0 removes its element, even an infinite one
        x = switch(eq(weight, 0), const_like(-np.inf, x), x)
    gone = settle_axis(axes, x, "logsumexp")
    # the shift avoids overflow; the result does not depend on it, so it has no gradient
    top = disconnected_grad(max_(x, gone, keepdims=True))
    top = switch(or_(isinf(top), isnan(top)), const_like(0, top), top)
    terms = exp(sub(x, top))
    if weight is not None:
        terms = switch(eq(weight, 0), const_like(0, terms), mul(weight, terms))
    total = sum_(terms, gone, keepdims=keepdims)
    kept = [d for d in range(x.ndim) if gone is not None and d not in gone]
    base = top if keepdims else dimshuffle(top, *kept)
    if not return_sign:
        return add(log(total), base)
    sign = total.zeros_like() + switch(total < 0, -1.0, switch(total > 0, 1.0, total))
    return add(log(abs(total)), base), cast(sign, total.dtype)
