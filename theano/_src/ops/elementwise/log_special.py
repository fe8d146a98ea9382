"""Logarithms of special functions, accurate in the tails where the plain formula is not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.core.grad_helpers import const_like
from theano._src.ops.core.scalar import RealOp
from theano._src.ops.elementwise.explog import expm1
from theano._src.ops.elementwise.special import SpecialOp, erfcx
from theano._src.ops.elementwise.trig import tanh


class Log1mexp(RealOp):
    """log(1 - exp(x)) for x below 0; -inf at 0, nan above.

    >>> import theano.tensor as T
    >>> log1mexp([-1e-20, -50.0]).eval()
    array([-4.60517019e+01, -1.92874985e-22])
    """

    name = "log1mexp"
    pullback = staticmethod(lambda g, x, y: -g / expm1(-x))

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        # each form where it is accurate (Maechler 2012, who switches at -log(2)).
        # NOTE: XLA's log1p loses two digits between -0.5 and -0.3: avoid it there
        near = x > -1.4
        return xp.where(near, xp.log(-xp.expm1(x)), xp.log1p(-xp.exp(x)))


class LogExpm1(RealOp):
    """log(exp(x) - 1), the inverse of softplus; -inf at 0, nan below.

    >>> import theano.tensor as T
    >>> log_expm1([1e-20, 800.0]).eval()
    array([-46.05170186, 800.        ])
    """

    name = "log_expm1"
    pullback = staticmethod(lambda g, x, y: -g / expm1(-x))

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        # exp would overflow; log(1 - exp(-x)) is small compared with x there
        edge = xp.full_like(x, 1.4)
        far = x + xp.log1p(-xp.exp(-xp.maximum(x, edge)))
        return xp.where(x > edge, far, xp.log(xp.expm1(xp.minimum(x, edge))))


class LogCosh(RealOp):
    """log(cosh(x)): even, about x**2 / 2 near 0 and abs(x) - log(2) for large x.

    >>> import theano.tensor as T
    >>> log_cosh([1e-10, 800.0]).eval()
    array([5.00000000e-21, 7.99306853e+02])
    """

    name = "log_cosh"
    pullback = staticmethod(lambda g, x, y: g * tanh(x))

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        size = xp.abs(x)
        small = xp.minimum(size, 2 * xp.ones_like(x))
        # the series of cosh(x) - 1: no digits cancel, and the term left out is below 1e-16
        square, rest = small * small, xp.ones_like(x)
        for n in range(22, 2, -2):
            rest = 1 + square * rest / (n * (n - 1))
        near = xp.log1p(square * rest / 2)
        far = size + xp.log1p(xp.exp(-2 * size)) - math.log(2)
        return xp.where(size < 2, near, far)


class LogErfc(SpecialOp):
    """log(erfc(x)), also where erfc underflows.

    >>> import theano.tensor as T
    >>> log_erfc([0.5, 30.0]).eval()
    array([-7.35011130e-01, -9.03974117e+02])
    """

    name = "log_erfc"
    pullback = staticmethod(lambda g, x, y: -g * const_like(2 / math.sqrt(math.pi), g) / erfcx(x))

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        one = xp.ones_like(x)
        left, right = xp.minimum(x, one), xp.maximum(x, one)
        far = xp.log(self._scaled(xp, right)) - right * right
        middle = xp.log(xp.special.erfc(left))
        near = xp.log1p(-xp.special.erf(xp.minimum(x, one / 5)))
        return xp.where(x < 0.2, near, xp.where(x < 1, middle, far))

    def _scaled(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.special.erfcx(x)

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], x: Array) -> Any:
        return _OnXla().compute(xp, x)


class _OnXla(LogErfc):
    def _scaled(self, xp: ArrayNamespace, x: Array) -> Any:
        return erfcx.scalar_op.lower_xla(xp, (), x)


scalar_log1mexp = Log1mexp(name="log1mexp")
scalar_log_expm1 = LogExpm1(name="log_expm1")
scalar_log_cosh = LogCosh(name="log_cosh")
scalar_log_erfc = LogErfc(name="log_erfc")
log1mexp = Elemwise(scalar_log1mexp, name="log1mexp")
log_expm1 = Elemwise(scalar_log_expm1, name="log_expm1")
log_cosh = Elemwise(scalar_log_cosh, name="log_cosh")
log_erfc = Elemwise(scalar_log_erfc, name="log_erfc")
