"""Exponentials and logarithms of each element, the sigmoid and the softplus."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import cast
from theano._src.ops.core.elemwise import Elemwise, elemwise
from theano._src.ops.core.grad_helpers import conjugated, const_like
from theano._src.ops.core.scalar import FloatOp, RealOp
from theano._src.ops.elementwise.arithmetic import add, inv, neg, sub, true_div
from theano._src.rewrite.pattern import Hole
from theano._src.rewrite.rule import Rule


@documented_in("theano.scalar.basic")
class Exp(FloatOp):
    """e**x.

    >>> import theano.tensor as T
    >>> T.exp([0.0, 1.0]).eval()
    array([1.        , 2.71828183])
    """

    cost_kind = "exp"
    symbol = nfunc = "exp"

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (y,), (g,) = outputs, output_grads
        return [g * conjugated(y)]


@documented_in("theano.scalar.basic")
class Exp2(FloatOp):
    """2**x.

    >>> import theano.tensor as T
    >>> T.exp2([0, 3, -1]).eval()
    array([1. , 8. , 0.5])
    """

    cost_kind = "exp"
    symbol = nfunc = "exp2"

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (y,), (g,) = outputs, output_grads
        return [g * conjugated(y) * const_like(math.log(2), g)]


@documented_in("theano.scalar.basic")
class Expm1(FloatOp):
    """e**x - 1, accurate near 0.

    >>> import theano.tensor as T
    >>> T.expm1([0.0, 1e-20]).eval()
    array([0.e+00, 1.e-20])
    """

    cost_kind = "exp"
    symbol = nfunc = "expm1"

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (g,) = inputs, output_grads
        return [g * conjugated(exp(x))]


@documented_in("theano.scalar.basic")
class Log(FloatOp):
    """The natural logarithm: nan below 0, -inf at 0.

    >>> import theano.tensor as T
    >>> T.log([1.0, 0.5]).eval()
    array([ 0.        , -0.69314718])
    """

    cost_kind = "log"
    symbol = nfunc = "log"

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (y,), (g,) = inputs, outputs, output_grads
        return [g / conjugated(cast(x, y.dtype))]


@documented_in("theano.scalar.basic")
class Log2(FloatOp):
    """The logarithm to base 2.

    >>> import theano.tensor as T
    >>> T.log2([8, 1]).eval()
    array([3., 0.])
    """

    cost_kind = "log"
    symbol = nfunc = "log2"

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (y,), (g,) = inputs, outputs, output_grads
        return [g / (conjugated(cast(x, y.dtype)) * const_like(math.log(2), g))]


@documented_in("theano.scalar.basic")
class Log10(FloatOp):
    """The logarithm to base 10.

    >>> import theano.tensor as T
    >>> T.log10([1000, 1]).eval()
    array([3., 0.])
    """

    cost_kind = "log"
    symbol = nfunc = "log10"

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (y,), (g,) = inputs, outputs, output_grads
        return [g / (conjugated(cast(x, y.dtype)) * const_like(math.log(10), g))]


@documented_in("theano.scalar.basic")
class Log1p(FloatOp):
    """log(1 + x), accurate near 0.

    >>> import theano.tensor as T
    >>> T.log1p([0.0, 1e-20]).eval()
    array([0.e+00, 1.e-20])
    """

    cost_kind = "log"
    symbol = nfunc = "log1p"

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], x: Array) -> Any:
        if x.dtype != "float64":
            return xp.log1p(x)
        # XLA's loses two digits between -0.5 and -0.3, where log loses none
        left = xp.minimum(x, xp.full_like(x, -0.25))
        return xp.where(x < -0.25, xp.log(1 + left), xp.log1p(x))

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (y,), (g,) = inputs, outputs, output_grads
        return [g / (1 + conjugated(cast(x, y.dtype)))]


@documented_in("theano.tensor.nnet.sigm")
class ScalarSigmoid(RealOp):
    """1 / (1 + exp(-x)): exactly 0 or 1 far out, accurate in both tails.

    >>> import theano.tensor as T
    >>> T.nnet.sigmoid([0.0, 2.0, -800.0]).eval()
    array([0.5       , 0.88079708, 0.        ])
    """

    cost_kind = "sigmoid"
    symbol = "sigmoid"

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        small = xp.exp(-xp.abs(x))  # exp(-x) would overflow far left
        return xp.where(x < 0, small, xp.ones_like(x)) / (1 + small)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (y,), (g,) = outputs, output_grads
        return [g * y * (1 - y)]


# (atanh(s) / s - 1) / s**2 as a polynomial of s**2 up to 1/9, by Chebyshev's points, within 2e-15
_ATANH = (
    0.08435350330548605,
    0.05161334635249541,
    0.0675117123587855,
    0.07686637438179002,
    0.09091130554209872,
    0.11111106278964857,
    0.14285714338330496,
    0.19999999999780063,
    0.33333333333333487,
)


def _log1p_of_share(u: Array) -> Any:
    """log(1 + u) for u from 0 to 1, within 2 units: XLA takes logarithms of float64 one by one.

    With s = u / (2 + u) it is 2 atanh(s), and u - s u is 2 s without its rounding.
    """
    s = u / (2 + u)
    t = s * s
    q = _ATANH[0] * t + _ATANH[1]
    for c in _ATANH[2:]:
        q = q * t + c
    return u - s * (u - 2 * t * q)


@documented_in("theano.tensor.nnet.sigm")
class ScalarSoftplus(RealOp):
    """log(1 + exp(x)), finite wherever x is; its slope is the sigmoid.

    >>> import theano.tensor as T
    >>> T.nnet.softplus([0.0, 800.0]).eval()
    array([6.93147181e-01, 8.00000000e+02])
    """

    cost_kind = "softplus"
    symbol = "softplus"

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        # logaddexp(x, 0) written out: NumPy's own takes three times as long
        return xp.maximum(x, xp.zeros_like(x)) + xp.log1p(xp.exp(-xp.abs(x)))

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], x: Array) -> Any:
        if x.dtype != "float64":
            return self.compute(xp, x)
        return xp.maximum(x, xp.zeros_like(x)) + _log1p_of_share(xp.exp(-xp.abs(x)))

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (g,) = inputs, output_grads
        return [g * sigmoid(x)]


scalar_exp = Exp()
scalar_exp2 = Exp2()
scalar_expm1 = Expm1()
scalar_log = Log()
scalar_log2 = Log2()
scalar_log10 = Log10()
scalar_log1p = Log1p()
scalar_sigmoid = ScalarSigmoid(name="scalar_sigmoid")
scalar_softplus = ScalarSoftplus(name="scalar_softplus")

exp = elemwise(scalar_exp)
exp2 = elemwise(scalar_exp2)
expm1 = elemwise(scalar_expm1)
log = elemwise(scalar_log)
log2 = elemwise(scalar_log2)
log10 = elemwise(scalar_log10)
log1p = elemwise(scalar_log1p)
sigmoid = Elemwise(scalar_sigmoid, name="sigmoid")
sigmoid_inplace = Elemwise(scalar_sigmoid, {0: 0}, name="sigmoid_inplace")
softplus = Elemwise(scalar_softplus, name="softplus")

# of floats alone: integers wrap, and complex numbers may come back on another branch
x = Hole("x", kind="f")
_STABLE = "stabilize specialize"

# fmt: off
RULES = (
    Rule("exp_minus_one",         _STABLE, add(-1, exp(x)),         expm1(x),
         tags=("local_expm1",)),
    Rule("exp_less_one",          _STABLE, sub(exp(x), 1),          expm1(x),
         tags=("local_expm1",)),
    Rule("one_minus_exp",         _STABLE, sub(1, exp(x)),          neg(expm1(x)),
         tags=("local_expm1",)),
    Rule("log_exp",               _STABLE, log(exp(x)),             x),
    Rule("log1p_expm1",           _STABLE, log1p(expm1(x)),         x),
    Rule("log_one_plus",          _STABLE, log(add(1, x)),          log1p(x), tags=("local_log1p",),
         example={"x": (0.1, 9.0)}),
    Rule("log1p_exp",             _STABLE, log1p(exp(x)),           softplus(x),
         tags=("log1pexp_to_softplus",)),
    Rule("log_sigmoid",           _STABLE, log(sigmoid(x)),         neg(softplus(neg(x))),
         tags=("logsigm_to_softplus",)),
    Rule("one_minus_sigmoid",     _STABLE, sub(1, sigmoid(x)),      sigmoid(neg(x)),
         tags=("local_1msigmoid",)),
    Rule("log_one_minus_sigmoid", _STABLE, log(sub(1, sigmoid(x))), neg(softplus(x)),
         tags=("log1msigm_to_softplus",)),
    Rule("sigmoid_minus_one",     _STABLE, add(-1, sigmoid(x)),     neg(sigmoid(neg(x)))),
    Rule("exp_softplus",          _STABLE, exp(softplus(x)),        add(1, exp(x))),
    Rule("exp_neg_softplus",      _STABLE, exp(neg(softplus(x))),   sigmoid(neg(x))),
    Rule("softplus_less_itself",  _STABLE, sub(softplus(x), x),     softplus(neg(x)),
         hazard="for infinite x the result is 0, not NaN"),
    # the first two before the third, which would leave a neg of a neg
    Rule("sigmoid_form",          _STABLE, true_div(1, add(1, exp(neg(x)))), sigmoid(x),
         tags=("local_1_over_1_plus_exp",)),
    Rule("sigmoid_inv_form",      _STABLE, inv(add(1, exp(neg(x)))),         sigmoid(x)),
    Rule("sigmoid_neg_form",      _STABLE, true_div(1, add(1, exp(x))),      sigmoid(neg(x))),
    Rule("log1p_minus_sigmoid",   _STABLE, log1p(neg(sigmoid(x))),  neg(softplus(x)),
         tags=("log1p_neg_sigmoid",)),
)
# fmt: on
