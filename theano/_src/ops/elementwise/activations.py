"""Activation functions of neural networks: sigmoid, softplus, relu and others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import cast
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.core.grad_helpers import const_like
from theano._src.ops.core.scalar import BinaryRealOp, RealOp
from theano._src.ops.elementwise.arithmetic import (
    abs_,
    add,
    clip,
    inv,
    minimum,
    mul,
    neg,
    sgn,
    sqr,
    sub,
    true_div,
)
from theano._src.ops.elementwise.compare import gt, le, lt, switch
from theano._src.ops.elementwise.explog import exp, expm1, log, log1p
from theano._src.rewrite.pattern import Hole
from theano._src.rewrite.rule import FunctionRule, Rule
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import upcast
from theano._src.types.tensor import TensorVariable

# (atanh(s) / s - 1) / s**2 as a polynomial in s**2 <= 1/9, at Chebyshev points, within 2e-15
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


@documented_in("theano.tensor.nnet.sigm")
class ScalarSigmoid(RealOp):
    r"""1 / (1 + exp(-x)): exactly 0 or 1 far from 0, accurate in both tails.

    .. math:: \sigma(x) = \frac{1}{1 + e^{-x}}

    >>> import theano.tensor as T
    >>> T.nnet.sigmoid([0.0, 2.0, -800.0]).eval()
    array([0.5       , 0.88079708, 0.        ])
    """

    name = "sigmoid"
    pullback = staticmethod(lambda g, x, y: g * y * (1 - y))

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        small = xp.exp(-xp.abs(x))  # exp(-x) would overflow far left
        return xp.where(x < 0, small, xp.ones_like(x)) / (1 + small)


@documented_in("theano.tensor.nnet.sigm")
class ScalarSoftplus(RealOp):
    r"""log(1 + exp(x)), finite wherever x is; its slope is the sigmoid.

    .. math:: \mathrm{softplus}(x) = \log(1 + e^x)

    >>> import theano.tensor as T
    >>> T.nnet.softplus([0.0, 800.0]).eval()
    array([6.93147181e-01, 8.00000000e+02])
    """

    name = "softplus"
    pullback = staticmethod(lambda g, x, y: g * sigmoid(x))

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        # logaddexp(x, 0) written out: NumPy's own takes three times as long
        return xp.maximum(x, xp.zeros_like(x)) + xp.log1p(xp.exp(-xp.abs(x)))

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], x: Array) -> Any:
        if x.dtype != "float64":
            return self.compute(xp, x)
        return xp.maximum(x, xp.zeros_like(x)) + _log1p_of_share(xp.exp(-xp.abs(x)))


def _log1p_of_share(u: Array) -> Any:
    """Return log(1 + u) for 0 <= u <= 1, within 2 ulp; XLA computes float64 logs one by one.

    With s = u / (2 + u) the result is 2 atanh(s), and u - s u is 2 s without its rounding error.
    """
    s = u / (2 + u)
    t = s * s
    q = _ATANH[0] * t + _ATANH[1]
    for c in _ATANH[2:]:
        q = q * t + c
    return u - s * (u - 2 * t * q)


scalar_sigmoid = ScalarSigmoid(name="scalar_sigmoid")
scalar_softplus = ScalarSoftplus(name="scalar_softplus")
sigmoid: Elemwise = Elemwise(scalar_sigmoid, name="sigmoid")
sigmoid_inplace = Elemwise(scalar_sigmoid, {0: 0}, name="sigmoid_inplace")
softplus = Elemwise(scalar_softplus, name="softplus")

# ends of the inner and the outer piece of ultra_fast_sigmoid, and constants of its pieces
_MIDDLE, _OUTER = 3.4, 6.0
_AT_MIDDLE, _OUTER_SLOPE, _BEYOND = 0.935409070603099, 0.0458812946797165, 0.99505475368673


@documented_in("theano.tensor.nnet.sigm")
class UltraFastScalarSigmoid(RealOp):
    """The sigmoid approximated by three pieces, two of them linear, without exp; never 0 or 1.

    >>> import theano.tensor as T
    >>> T.nnet.ultra_fast_sigmoid([-9.0, 0.0, 1.0]).eval()
    array([0.00247262, 0.5       , 0.75      ])
    """

    name = "ultra_fast_sigmoid"

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        size = xp.abs(x) * 0.5
        near = 1.5 * size / (1 + size)
        middle = _AT_MIDDLE + _OUTER_SLOPE * (size - _MIDDLE / 2)
        beyond = xp.full_like(x, _BEYOND)
        z = xp.where(size < _MIDDLE / 2, near, xp.where(size < _OUTER / 2, middle, beyond))
        # comparisons with NaN are False: NaN must stay NaN
        z = xp.where(xp.isnan(x), x, xp.where(x < 0, -z, z))
        return xp.astype(0.5 * (z + 1), x.dtype)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (g,) = inputs, output_grads
        size = abs_(x)
        near = const_like(0.375, g) / sqr(1 + const_like(0.5, g) * size)
        flat = switch(
            lt(size, const_like(_OUTER, g)), const_like(_OUTER_SLOPE / 4, g), const_like(0, g)
        )
        return [g * switch(lt(size, const_like(_MIDDLE, g)), near, flat)]


@documented_in("theano.tensor.nnet.nnet")
class ScalarSoftsign(RealOp):
    """x / (1 + abs(x)), between -1 and 1.

    >>> import theano.tensor as T
    >>> T.nnet.softsign([-1.0, 0.0, 3.0]).eval()
    array([-0.5 ,  0.  ,  0.75])
    """

    name = "softsign"
    pullback = staticmethod(lambda g, x, y: g / sqr(1 + abs_(x)))

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return x / (1 + xp.abs(x))


def _step(x: TensorVariable) -> TensorVariable:
    """0 below 0, 1 above, 1/2 at 0; NaN for NaN."""
    return const_like(0.5, x) * (sgn(x) + 1)


class Relu(RealOp):
    """max(x, 0), with slope 1/2 at 0.

    >>> import theano.tensor as T
    >>> T.nnet.relu([-2.0, 3.0]).eval()
    array([0., 3.])
    """

    rounds = False
    name = "relu"
    pullback = staticmethod(lambda g, x, y: g * _step(cast(x, g.dtype)))

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.maximum(x, 0)

    def loop(self, node: Apply) -> Callable[..., Any] | None:
        if node.inputs[0].type.dtype != node.outputs[0].type.dtype:
            return None
        return lambda x, out=None: np.maximum(x, 0, out=out)


class LeakyRelu(BinaryRealOp):
    """x above 0, ``alpha * x`` below; the slope at 0 is the mean of both.

    >>> import theano.tensor as T
    >>> T.nnet.relu([-2.0, 3.0], alpha=0.5).eval()
    array([-1.,  3.])
    """

    name = "leaky_relu"

    def compute(self, xp: ArrayNamespace, x: Array, alpha: Array) -> Any:
        # not `where`, which takes NumPy ten times as long
        return xp.maximum(x, 0) + alpha * xp.minimum(x, 0)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, alpha), (g,) = inputs, output_grads
        x, alpha = cast(x, g.dtype), cast(alpha, g.dtype)
        above = _step(x)
        return [g * (above + alpha * (1 - above)), g * minimum(x, const_like(0, g))]


class Elu(BinaryRealOp):
    """x above 0, ``alpha * (exp(x) - 1)`` below.

    >>> import theano.tensor as T
    >>> T.nnet.elu([-1.0, 3.0]).eval()
    array([-0.63212056,  3.        ])
    """

    name = "elu"

    def compute(self, xp: ArrayNamespace, x: Array, alpha: Array) -> Any:
        # exp of a large positive number would overflow; `where` takes NumPy ten times as long
        return xp.maximum(x, 0) + alpha * xp.expm1(xp.minimum(x, 0))

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, alpha), (g,) = inputs, output_grads
        x, alpha = cast(x, g.dtype), cast(alpha, g.dtype)
        below = minimum(x, const_like(0, g))
        outer, inner = cast(gt(x, 0), g.dtype), cast(le(x, 0), g.dtype)
        return [g * (outer + inner * alpha * exp(below)), g * expm1(below)]


ultra_fast_scalar_sigmoid = UltraFastScalarSigmoid(name="ultra_fast_scalar_sigmoid")
scalar_softsign = ScalarSoftsign(name="scalar_softsign")

ultra_fast_sigmoid = Elemwise(ultra_fast_scalar_sigmoid, name="ultra_fast_sigmoid")
ultra_fast_sigmoid_inplace = Elemwise(
    ultra_fast_scalar_sigmoid, {0: 0}, name="ultra_fast_sigmoid_inplace"
)
softsign = Elemwise(scalar_softsign, name="softsign")
_relu = Elemwise(Relu(), name="relu")
_leaky_relu = Elemwise(LeakyRelu(), name="leaky_relu")
_elu = Elemwise(Elu(), name="elu")

# from Klambauer et al., "Self-Normalizing Neural Networks" (2017), to double precision
_SELU_ALPHA = 1.6732632423543772848170429916717
_SELU_SCALE = 1.0507009873554804934193349852946


def _slope(alpha: TensorLike) -> TensorLike:
    # a plain int would upcast float16 to float32
    small = isinstance(alpha, int) and abs(alpha) <= 2048
    return np.asarray(alpha, "float16") if small else alpha


@documented_in("theano.tensor.nnet.nnet")
def relu(x: TensorLike, alpha: TensorLike = 0) -> Any:
    """max(x, alpha * x): the rectifier, or its leaky form.

    If ``alpha`` is 0 and ``x`` is a number or a NumPy array, so is the result: not a variable.

    Parameters
    ----------
    x : tensor
    alpha : number or tensor
        The slope below 0. A tensor, for example one slope per column, is broadcast against ``x``.

    >>> import theano.tensor as T
    >>> T.nnet.relu([-2.0, 3.0]).eval(), T.nnet.relu([-2.0, 3.0], 0.1).eval()
    (array([0., 3.]), array([-0.2,  3. ]))
    """
    if isinstance(alpha, int | float | np.number | np.ndarray) and np.ndim(alpha) == 0 == alpha:
        # programs also call it on plain numbers
        if isinstance(x, int | float | np.number | np.ndarray) and np.isrealobj(x):
            return np.maximum(x, 0.0)
        return _relu(x)
    return _leaky_relu(x, _slope(alpha))


@documented_in("theano.tensor.nnet.nnet")
def elu(x: TensorLike, alpha: TensorLike = 1) -> TensorVariable:
    r"""x above 0, alpha * (exp(x) - 1) below: the exponential linear unit.

    .. math:: \mathrm{elu}(x) = \begin{cases} x & x > 0 \\ \alpha (e^x - 1) & x \le 0 \end{cases}

    Parameters
    ----------
    x : tensor
    alpha : number or tensor
        The limit far below 0 is ``-alpha``.

    >>> import theano.tensor as T
    >>> T.nnet.elu([-800.0, 3.0], alpha=2).eval()
    array([-2.,  3.])
    """
    return _elu(x, _slope(alpha))


@documented_in("theano.tensor.nnet.nnet")
def selu(x: TensorLike) -> TensorVariable:
    r"""The exponential linear unit, scaled so that layers keep mean 0 and variance 1.

    .. math:: \mathrm{selu}(x) = 1.0507 \ldots \cdot \mathrm{elu}(x, 1.6732 \ldots)

    Parameters
    ----------
    x : tensor

    >>> import theano.tensor as T
    >>> T.nnet.selu([-800.0, 1.0]).eval()
    array([-1.75809934,  1.05070099])
    """
    return mul(_SELU_SCALE, elu(x, _SELU_ALPHA))


@documented_in("theano.tensor.nnet.sigm")
def hard_sigmoid(x: TensorLike) -> TensorVariable:
    """clip(0.2 * x + 0.5, 0, 1): a piecewise linear sigmoid, exactly 0 and 1 at its ends.

    Parameters
    ----------
    x : tensor

    >>> import theano.tensor as T
    >>> T.nnet.hard_sigmoid([-9.0, 0.0, 1.0]).eval()
    array([0. , 0.5, 0.7])
    """
    x = as_tensor_variable(x)
    # the output dtype of sigmoid; constants of that dtype do not widen it
    dtype = upcast(x.dtype, "float16" if x.dtype == "float16" else "float32")
    slope, shift = np.asarray(0.2, dtype), np.asarray(0.5, dtype)
    return clip(add(mul(x, slope), shift), 0, 1)


def with_hard_sigmoid(node: Apply) -> list[Any] | None:
    """sigmoid(x) -> hard_sigmoid(x)"""
    out = hard_sigmoid(node.inputs[0])
    return [out] if out.type == node.outputs[0].type else None


def with_ultra_fast_sigmoid(node: Apply) -> list[Any]:
    """sigmoid(x) -> ultra_fast_sigmoid(x)"""
    return [ultra_fast_sigmoid(node.inputs[0])]


# the approximations run late, when sigmoids inside logarithms have been rewritten
# floats only: integers wrap, and complex numbers may come back on another branch
x = Hole("x", kind="f")
_STABLE = "stabilize specialize"

# fmt: off
RULES = (
    Rule("log1p_exp",             _STABLE, log1p(exp(x)),           softplus(x),
         tags=("log1pexp_to_softplus",)),
    Rule("log_sigmoid",           _STABLE, log(sigmoid(x)),         neg(softplus(neg(x))),
         tags=("logsigm_to_softplus",), ulp=3),
    Rule("one_minus_sigmoid",     _STABLE, sub(1, sigmoid(x)),      sigmoid(neg(x)),
         tags=("local_1msigmoid",), ulp=3),
    Rule("log_one_minus_sigmoid", _STABLE, log(sub(1, sigmoid(x))), neg(softplus(x)),
         tags=("log1msigm_to_softplus",), ulp=3),
    Rule("sigmoid_minus_one",     _STABLE, add(-1, sigmoid(x)),     neg(sigmoid(neg(x))), ulp=3),
    Rule("exp_softplus",          _STABLE, exp(softplus(x)),        add(1, exp(x))),
    Rule("exp_neg_softplus",      _STABLE, exp(neg(softplus(x))),   sigmoid(neg(x)), ulp=4),
    Rule("softplus_less_itself",  _STABLE, sub(softplus(x), x),     softplus(neg(x)),
         hazard="for infinite x the result is 0, not NaN", ulp=3),
    # the first two come before the third, which would leave a double negation
    Rule("sigmoid_form",          _STABLE, true_div(1, add(1, exp(neg(x)))), sigmoid(x),
         tags=("local_1_over_1_plus_exp",), ulp=4),
    Rule("sigmoid_inv_form",      _STABLE, inv(add(1, exp(neg(x)))),         sigmoid(x), ulp=4),
    Rule("sigmoid_neg_form",      _STABLE, true_div(1, add(1, exp(x))),      sigmoid(neg(x)),
         ulp=4),
    Rule("log1p_minus_sigmoid",   _STABLE, log1p(neg(sigmoid(x))),  neg(softplus(x)),
         tags=("log1p_neg_sigmoid",), ulp=3),
    FunctionRule(with_ultra_fast_sigmoid, "local_ultra_fast_sigmoid", "uncanonicalize",
                 [ScalarSigmoid], opt_in=True,
                 hazard="as far from the sigmoid as 0.028, and never below 0.0024"),
    FunctionRule(with_hard_sigmoid, "local_hard_sigmoid", "uncanonicalize",
                 [ScalarSigmoid], opt_in=True,
                 hazard="as far from the sigmoid as 0.076, and flat from 2.5 on"),
)
# fmt: on
