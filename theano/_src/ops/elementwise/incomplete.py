"""The incomplete beta function, and inverses of the incomplete gamma functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import cast
from theano._src.ops.core.elemwise import Elemwise, elemwise
from theano._src.ops.core.scalar import BinaryRealOp
from theano._src.ops.elementwise.explog import exp, log, log1p
from theano._src.ops.elementwise.quadrature import betainc_slope
from theano._src.ops.elementwise.special import (
    _NO_SHAPE,
    BinarySpecialOp,
    _density,
    _wide,
    betaln,
    gammainc_shape,
    psi,
)
from theano._src.types.null import grad_not_implemented
from theano._src.types.tensor import TensorVariable


class TernarySpecialOp(BinaryRealOp):
    """A special function of three real numbers; float16 is computed in float32."""

    nin = 3

    def loop_dtypes(self, dtypes: Sequence[str], outs: Sequence[str]) -> Sequence[str]:
        return _wide((outs[0],) * 3)


@documented_in("theano.scalar.basic_scipy")
class GammaIncInv(BinarySpecialOp):
    """The x for which gammainc(k, x) is y.

    >>> import theano.tensor as T
    >>> T.gammaincinv(2, [0.1, 0.9]).eval()
    array([0.53181161, 3.88972017])
    """

    name = "gammaincinv"
    runs_on = "host"

    def compute(self, xp: ArrayNamespace, k: Array, y: Array) -> Any:
        return xp.special.gammaincinv(k, y)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (k, _), (x,), (g,) = inputs, outputs, output_grads
        k = cast(k, x.dtype)
        slope = g / _density(k, x)
        return [-slope * gammainc_shape(k, x), slope]


@documented_in("theano.scalar.basic_scipy")
class GammaIncCInv(BinarySpecialOp):
    """The x for which gammaincc(k, x) is y, accurate where y is small.

    >>> import theano.tensor as T
    >>> T.gammainccinv(2, [0.1, 1e-30]).eval()
    array([ 3.88972017, 73.38683172])
    """

    name = "gammainccinv"
    runs_on = "host"

    def compute(self, xp: ArrayNamespace, k: Array, y: Array) -> Any:
        return xp.special.gammainccinv(k, y)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (k, _), (x,), (g,) = inputs, outputs, output_grads
        k = cast(k, x.dtype)
        slope = g / _density(k, x)
        return [-slope * gammainc_shape(k, x), -slope]


def _beta_density(a: TensorVariable, b: TensorVariable, x: TensorVariable) -> Any:
    """The beta density; 0 log(0) is not met within the interval."""
    return exp((a - 1) * log(x) + (b - 1) * log1p(-x) - betaln(a, b))


@documented_in("theano.scalar.basic_scipy")
class BetaInc(TernarySpecialOp):
    """The regularised incomplete beta function, the distribution function of a beta variable.

    >>> import theano.tensor as T
    >>> T.betainc(2, 3, [0.1, 0.5]).eval()
    array([0.0523, 0.6875])
    """

    name = "betainc"

    def compute(self, xp: ArrayNamespace, a: Array, b: Array, x: Array) -> Any:
        return xp.special.betainc(a, b, x)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (y,), (g,) = outputs, output_grads
        a, b, x = (cast(v, y.dtype) for v in inputs)
        of_a, of_b = betainc_shapes
        return [g * of_a(a, b, x), g * of_b(a, b, x), g * _beta_density(a, b, x)]


class _BetaIncShape(TernarySpecialOp):
    def _slope(self, xp: ArrayNamespace, a: Array, b: Array, x: Array, y: Array) -> Any:
        """The slope in a at x, inside its domain; 0 at its ends, NaN outside."""
        within = (x > 0) & (y > 0) & (a > 0) & (b > 0)
        at = [xp.where(within, v, xp.full_like(v, 0.5)) for v in (a, b, x, y)]
        ends = ((x == 0) | (y == 0)) & (a > 0) & (b > 0)
        other = xp.where(ends, xp.zeros_like(x), xp.full_like(x, float("nan")))
        return xp.where(within, betainc_slope(xp, *at), other)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (y,), (g,) = outputs, output_grads
        a, b, x = (cast(v, y.dtype) for v in inputs)
        gx = g * self.of_density(a, b, x) * _beta_density(a, b, x)
        return [*(grad_not_implemented(self, i, v, _NO_SHAPE) for i, v in enumerate((a, b))), gx]

    def of_density(self, a: TensorVariable, b: TensorVariable, x: TensorVariable) -> Any:
        """The derivative of the logarithm of the density in the parameter."""
        raise NotImplementedError(f"{type(self).__name__}.of_density")


class BetaIncA(_BetaIncShape):
    """The derivative of betainc in its first parameter."""

    name = "betainc_a"

    def compute(self, xp: ArrayNamespace, a: Array, b: Array, x: Array) -> Any:
        return self._slope(xp, a, b, x, 1 - x)

    def of_density(self, a: TensorVariable, b: TensorVariable, x: TensorVariable) -> Any:
        return log(x) - psi(a) + psi(a + b)


class BetaIncB(_BetaIncShape):
    """The derivative of betainc in its second parameter."""

    name = "betainc_b"

    def compute(self, xp: ArrayNamespace, a: Array, b: Array, x: Array) -> Any:
        # betainc(a, b, x) is 1 - betainc(b, a, 1 - x)
        return -self._slope(xp, b, a, 1 - x, x)

    def of_density(self, a: TensorVariable, b: TensorVariable, x: TensorVariable) -> Any:
        return log1p(-x) - psi(b) + psi(a + b)


scalar_gammaincinv = GammaIncInv()
scalar_gammainccinv = GammaIncCInv()
scalar_betainc = BetaInc()

gammaincinv = elemwise(scalar_gammaincinv)
gammainccinv = elemwise(scalar_gammainccinv)
betainc = elemwise(scalar_betainc)
betainc_shapes: tuple[Elemwise, Elemwise] = (elemwise(BetaIncA()), elemwise(BetaIncB()))
