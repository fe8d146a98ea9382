"""Special functions of each element: error functions and gamma functions.

Values are SciPy's. Where ``jax.scipy.special`` lacks the function, or differs at a singular
point, ``lower_xla`` uses a closed form.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import cast
from theano._src.ops.core.elemwise import Elemwise, elemwise
from theano._src.ops.core.grad_helpers import const_like
from theano._src.ops.core.scalar import BinaryRealOp, RealOp
from theano._src.ops.core.upcast import specific_out
from theano._src.ops.elementwise.arithmetic import add, sqr
from theano._src.ops.elementwise.compare import eq, lt, switch
from theano._src.ops.elementwise.explog import exp, log
from theano._src.ops.elementwise.quadrature import gammainc_slope
from theano._src.types.aliases import TensorLike
from theano._src.types.null import grad_not_implemented
from theano._src.types.scalar import float64
from theano._src.types.tensor import TensorVariable

_TWO_OVER_ROOT_PI = 2 / math.sqrt(math.pi)
_NO_SHAPE = "A slope in a shape parameter has none in that parameter."
_NO_ORDER = "It has no closed form in the order."


def _wide(dtypes: Sequence[str]) -> Sequence[str]:
    # neither SciPy nor XLA has float16 forms of most of these
    return tuple("float32" if d == "float16" else d for d in dtypes)


class SpecialOp(RealOp):
    """A special function of one real number; float16 is computed in float32."""

    def loop_dtypes(self, dtypes: Sequence[str], outs: Sequence[str]) -> Sequence[str]:
        return _wide(outs)


class BinarySpecialOp(BinaryRealOp):
    """A special function of two real numbers; float16 is computed in float32."""

    def loop_dtypes(self, dtypes: Sequence[str], outs: Sequence[str]) -> Sequence[str]:
        return _wide((outs[0], outs[0]))


@documented_in("theano.scalar.basic_scipy")
class Erf(SpecialOp):
    """The error function, 2/sqrt(pi) * integral of exp(-t**2) from 0 to x.

    >>> import theano.tensor as T
    >>> T.erf([0.0, 0.5]).eval()
    array([0.        , 0.52049988])
    """

    name = "erf"
    pullback = staticmethod(
        lambda g, x, y: g * const_like(_TWO_OVER_ROOT_PI, g) * exp(-sqr(cast(x, y.dtype)))
    )

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.special.erf(x)


@documented_in("theano.scalar.basic_scipy")
class Erfc(SpecialOp):
    """1 - erf(x), accurate in the right tail.

    >>> import theano.tensor as T
    >>> T.erfc([0.0, 0.5]).eval()
    array([1.        , 0.47950012])
    """

    name = "erfc"
    pullback = staticmethod(
        lambda g, x, y: -g * const_like(_TWO_OVER_ROOT_PI, g) * exp(-sqr(cast(x, y.dtype)))
    )

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.special.erfc(x)


@documented_in("theano.scalar.basic_scipy")
class Erfcx(SpecialOp):
    """exp(x**2) * erfc(x), which neither overflows nor underflows for large x.

    >>> import theano.tensor as T
    >>> T.erfcx([0.0, 100.0]).eval()
    array([1.        , 0.00564161])
    """

    name = "erfcx"
    pullback = staticmethod(
        lambda g, x, y: g * (2 * cast(x, y.dtype) * y - const_like(_TWO_OVER_ROOT_PI, g))
    )

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.special.erfcx(x)

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], x: Array) -> Any:
        # the trapezoidal rule with step 1/2 for (1/pi) * integral of x*exp(-t**2)/(x**2+t**2),
        # and the residue of its pole, which matters left of 2*pi (Matta and Reichel 1971)
        far = xp.maximum(x, xp.ones_like(x))
        total = xp.ones_like(x)
        for n in range(1, 14):
            total = total + 2 * math.exp(-n * n / 4) / (1 + (n / 2 / far) ** 2)
        near_pole = xp.minimum(far, xp.full_like(x, 2 * math.pi))
        residue = 2 * xp.exp(near_pole * (near_pole - 4 * math.pi))
        residue = residue / -xp.expm1(-4 * math.pi * near_pole)
        right = total / (2 * math.pi) / far - xp.where(far < 2 * math.pi, residue, xp.zeros_like(x))
        left = xp.minimum(x, xp.ones_like(x))
        return xp.where(x < 1, xp.exp(left * left) * xp.special.erfc(left), right)


@documented_in("theano.scalar.basic_scipy")
class Erfinv(SpecialOp):
    """The inverse of erf on [-1, 1]; nan outside.

    >>> import theano.tensor as T
    >>> T.erfinv([0.0, 0.5]).eval()
    array([0.        , 0.47693628])
    """

    name = "erfinv"
    pullback = staticmethod(lambda g, x, y: g * const_like(1 / _TWO_OVER_ROOT_PI, g) * exp(sqr(y)))

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.special.erfinv(x)


@documented_in("theano.scalar.basic_scipy")
class Erfcinv(SpecialOp):
    """The inverse of erfc on [0, 2], accurate for small x; nan outside.

    >>> import theano.tensor as T
    >>> T.erfcinv([0.5, 1.5]).eval()
    array([ 0.47693628, -0.47693628])
    """

    name = "erfcinv"
    pullback = staticmethod(lambda g, x, y: -g * const_like(1 / _TWO_OVER_ROOT_PI, g) * exp(sqr(y)))

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.special.erfcinv(x)

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], x: Array) -> Any:
        return xp.special.ndtri(x / 2) * -math.sqrt(0.5)


@documented_in("theano.scalar.basic_scipy")
class Gamma(SpecialOp):
    """The gamma function: inf at 0.0, -inf at -0.0, nan at negative integers.

    >>> import theano.tensor as T
    >>> T.gamma([0.5, 5.0]).eval()
    array([ 1.77245385, 24.        ])
    """

    name = "gamma"
    pullback = staticmethod(lambda g, x, y: g * y * psi(x))

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.special.gamma(x)


@documented_in("theano.scalar.basic_scipy")
class GammaLn(SpecialOp):
    """log(abs(gamma(x))); inf at 0 and the negative integers.

    >>> import theano.tensor as T
    >>> T.gammaln([0.5, 200.0]).eval()
    array([5.72364943e-01, 8.57933670e+02])
    """

    name = "gammaln"
    pullback = staticmethod(lambda g, x, y: g * psi(x))

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.special.gammaln(x)

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], x: Array) -> Any:
        return xp.where(xp.isneginf(x), x, xp.special.gammaln(x))


@documented_in("theano.scalar.basic_scipy")
class Psi(SpecialOp):
    """The digamma function, the slope of gammaln; nan at negative integers.

    >>> import theano.tensor as T
    >>> T.psi([1.0, 2.5]).eval()
    array([-0.57721566,  0.70315664])
    """

    name = "psi"
    pullback = staticmethod(lambda g, x, y: g * tri_gamma(x))

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.special.digamma(x)

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], x: Array) -> Any:
        at_zero = xp.copysign(xp.full_like(x, math.inf), -x)
        return xp.where(x == 0, at_zero, xp.special.digamma(x))


@documented_in("theano.scalar.basic_scipy")
class TriGamma(SpecialOp):
    """The slope of psi; inf at 0 and the negative integers.

    >>> import theano.tensor as T
    >>> T.tri_gamma([1.0, 2.5]).eval()
    array([1.64493407, 0.49035776])
    """

    name = "tri_gamma"
    pullback = staticmethod(lambda g, x, y: g * polygamma(const_like(2, g), x))

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.special.zeta(xp.full_like(x, 2), x)

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], x: Array) -> Any:
        return xp.where(xp.isposinf(x), xp.zeros_like(x), self.compute(xp, x))


@documented_in("theano.scalar.basic_scipy")
class PolyGamma(BinarySpecialOp):
    """The n-th derivative of psi, for integers n >= 0; nan for other n.

    >>> import theano.tensor as T
    >>> T.polygamma([0, 1, 2], 1.0).eval().round(6)
    array([-0.577216,  1.644934, -2.404114])
    """

    name = "polygamma"

    def compute(self, xp: ArrayNamespace, n: Array, x: Array) -> Any:
        # DLMF 5.15.1 and 25.11.12
        sign = xp.where(n % 2 == 1, xp.ones_like(x), -xp.ones_like(x))
        # at poles of odd order XLA has no value, SciPy the limit from the right
        pole = (x <= 0) & (x == xp.floor(x))
        total = xp.where(pole, xp.full_like(x, math.inf), xp.special.zeta(n + 1, x))
        higher = sign * xp.special.gamma(n + 1) * total
        higher = xp.where(xp.isposinf(x), xp.zeros_like(x), higher)
        result = xp.where(n == 0, scalar_psi.lower_xla(xp, (), x), higher)
        return xp.where((n >= 0) & (n == xp.floor(n)), result, xp.full_like(result, math.nan))

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (n, x), (y,), (g,) = inputs, outputs, output_grads
        return [grad_not_implemented(self, 0, n, _NO_ORDER), g * polygamma(cast(n, y.dtype) + 1, x)]


def _log_power(k: TensorVariable, x: TensorVariable) -> TensorVariable:
    """log(x**(k - 1)), which is 0 for k = 1 even where x is 0."""
    return switch(eq(k, 1), 0, (k - 1) * log(x))


def _density(k: TensorVariable, x: TensorVariable) -> TensorVariable:
    """The gamma density x**(k - 1) * exp(-x) / gamma(k), without overflow of its factors."""
    return exp(_log_power(k, x) - x - gammaln(k))


class GammaIncShape(BinarySpecialOp):
    """The derivative of gammainc(k, x) in k."""

    name = "gammainc_k"

    def compute(self, xp: ArrayNamespace, k: Array, x: Array) -> Any:
        within = (k > 0) & (x > 0) & (x < math.inf)
        at = [xp.where(within, v, xp.ones_like(v)) for v in (k, x)]
        ends = (k > 0) & ((x == 0) | (x == math.inf))
        other = xp.where(ends, xp.zeros_like(x), xp.full_like(x, math.nan))
        return xp.where(within, gammainc_slope(xp, *at), other)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (y,), (g,) = outputs, output_grads
        k, x = (cast(v, y.dtype) for v in inputs)
        gx = g * (log(x) - psi(k)) * _density(k, x)
        return [grad_not_implemented(self, 0, inputs[0], _NO_SHAPE), gx]


@documented_in("theano.scalar.basic_scipy")
class Chi2SF(BinarySpecialOp):
    """The probability that a chi2 variable with ``df`` degrees of freedom exceeds x; float64.

    >>> import theano.tensor as T
    >>> T.chi2sf([1.0, 4.0], 2).eval()
    array([0.60653066, 0.13533528])
    """

    name = "chi2sf"
    output_types_preference = staticmethod(specific_out(float64))

    def compute(self, xp: ArrayNamespace, x: Array, df: Array) -> Any:
        zero = xp.zeros_like(x)
        tail = xp.special.gammaincc(df / 2, xp.maximum(x, zero) / 2)
        return xp.where(df > 0, tail, xp.full_like(zero, math.nan))

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, df), (y,), (g,) = inputs, outputs, output_grads
        half, k = cast(x, y.dtype) / 2, cast(df, y.dtype) / 2
        slopes = (_density(k, half), gammainc_shape(k, half))
        return [g * switch(lt(x, 0), 0, slope / -2) for slope in slopes]


@documented_in("theano.scalar.basic_scipy")
class GammaInc(BinarySpecialOp):
    """The regularised lower incomplete gamma function P(k, x).

    >>> import theano.tensor as T
    >>> T.gammainc(2, [0.5, 3.0]).eval()
    array([0.09020401, 0.80085173])
    """

    name = "gammainc"

    def compute(self, xp: ArrayNamespace, k: Array, x: Array) -> Any:
        return xp.special.gammainc(k, x)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (k, x), (y,), (g,) = inputs, outputs, output_grads
        k, x = cast(k, y.dtype), cast(x, y.dtype)
        return [g * gammainc_shape(k, x), g * _density(k, x)]


@documented_in("theano.scalar.basic_scipy")
class GammaIncC(BinarySpecialOp):
    """The regularised upper incomplete gamma function, 1 - P(k, x).

    >>> import theano.tensor as T
    >>> T.gammaincc(2, [0.5, 3.0]).eval()
    array([0.90979599, 0.19914827])
    """

    name = "gammaincc"

    def compute(self, xp: ArrayNamespace, k: Array, x: Array) -> Any:
        return xp.special.gammaincc(k, x)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (k, x), (y,), (g,) = inputs, outputs, output_grads
        k, x = cast(k, y.dtype), cast(x, y.dtype)
        return [-g * gammainc_shape(k, x), -g * _density(k, x)]


@documented_in("theano.scalar.basic_scipy")
class GammaU(BinarySpecialOp):
    """The upper incomplete gamma function, gammaincc(k, x) * gamma(k).

    >>> import theano.tensor as T
    >>> T.gammau(3, [0.5, 3.0]).eval()
    array([1.97122464, 0.84638016])
    """

    name = "gammau"

    def compute(self, xp: ArrayNamespace, k: Array, x: Array) -> Any:
        return xp.special.gammaincc(k, x) * xp.special.gamma(k)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (k, x), (y,), (g,) = inputs, outputs, output_grads
        k, x = cast(k, y.dtype), cast(x, y.dtype)
        of_k = y * psi(k) - gamma(k) * gammainc_shape(k, x)
        return [g * of_k, -g * exp(_log_power(k, x) - x)]


@documented_in("theano.scalar.basic_scipy")
class GammaL(BinarySpecialOp):
    """The lower incomplete gamma function, gammainc(k, x) * gamma(k).

    >>> import theano.tensor as T
    >>> T.gammal(3, [0.5, 3.0]).eval()
    array([0.02877536, 1.15361984])
    """

    name = "gammal"

    def compute(self, xp: ArrayNamespace, k: Array, x: Array) -> Any:
        return xp.special.gammainc(k, x) * xp.special.gamma(k)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (k, x), (y,), (g,) = inputs, outputs, output_grads
        k, x = cast(k, y.dtype), cast(x, y.dtype)
        of_k = y * psi(k) + gamma(k) * gammainc_shape(k, x)
        return [g * of_k, g * exp(_log_power(k, x) - x)]


scalar_erf = Erf()
scalar_erfc = Erfc()
scalar_erfcx = Erfcx()
scalar_erfinv = Erfinv()
scalar_erfcinv = Erfcinv()
scalar_gamma = Gamma()
scalar_gammaln = GammaLn()
scalar_psi = Psi()
scalar_tri_gamma = TriGamma()
scalar_polygamma = PolyGamma()
scalar_gammainc_shape = GammaIncShape()
scalar_chi2sf = Chi2SF()
scalar_gammainc = GammaInc()
scalar_gammaincc = GammaIncC()
scalar_gammau = GammaU()
scalar_gammal = GammaL()

erf = elemwise(scalar_erf)
erfc = elemwise(scalar_erfc)
erfcx = elemwise(scalar_erfcx)
erfinv = elemwise(scalar_erfinv)
erfcinv = elemwise(scalar_erfcinv)
gamma = elemwise(scalar_gamma)
gammaln = elemwise(scalar_gammaln)
psi: Elemwise = elemwise(scalar_psi)
tri_gamma: Elemwise = elemwise(scalar_tri_gamma)
polygamma: Elemwise = elemwise(scalar_polygamma)
gammainc_shape: Elemwise = elemwise(scalar_gammainc_shape)
chi2sf = elemwise(scalar_chi2sf)
gammainc = elemwise(scalar_gammainc)
gammaincc = elemwise(scalar_gammaincc)
gammau = elemwise(scalar_gammau)
gammal = elemwise(scalar_gammal)


@documented_in("theano.tensor")
def betaln(a: TensorLike, b: TensorLike) -> Any:
    """The logarithm of the beta function, computed from three values of gammaln.

    Where ``a`` and ``b`` differ much, these cancel and digits are lost.

    Parameters
    ----------
    a, b : tensors, of positive numbers

    >>> import theano.tensor as T
    >>> T.exp(-T.betaln(2.0, 3.0)).eval().round(3)
    np.float32(12.0)
    """
    return gammaln(a) + gammaln(b) - gammaln(add(a, b))
