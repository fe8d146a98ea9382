"""Trigonometric and hyperbolic functions and their inverses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import cast
from theano._src.ops.core.elemwise import Elemwise, elemwise
from theano._src.ops.core.grad_helpers import conjugated, const_like
from theano._src.ops.core.scalar import BinaryRealOp, FloatOp, RealOp
from theano._src.ops.elementwise.arithmetic import sqr, sqrt


@documented_in("theano.scalar.basic")
class Sin(FloatOp):
    """The sine.

    >>> import theano.tensor as T
    >>> T.sin([0.0, 0.5]).eval()
    array([0.        , 0.47942554])
    """

    name = nfunc = "sin"
    pullback = staticmethod(lambda g, x, y: g * conjugated(cos(x)))


@documented_in("theano.scalar.basic")
class Cos(FloatOp):
    """The cosine.

    >>> import theano.tensor as T
    >>> T.cos([0.0, 0.5]).eval()
    array([1.        , 0.87758256])
    """

    name = nfunc = "cos"
    pullback = staticmethod(lambda g, x, y: -g * conjugated(sin(x)))


@documented_in("theano.scalar.basic")
class Tan(FloatOp):
    """The tangent.

    >>> import theano.tensor as T
    >>> T.tan([0.0, 0.5]).eval()
    array([0.        , 0.54630249])
    """

    name = nfunc = "tan"
    pullback = staticmethod(lambda g, x, y: g * (1 + sqr(conjugated(y))))


def _root(x: Any) -> Any:
    """sqrt(1 - x**2)."""
    return sqrt(1 - x) * sqrt(1 + x)


@documented_in("theano.scalar.basic")
class ArcSin(FloatOp):
    """The angle in [-pi/2, pi/2] whose sine is x; nan outside [-1, 1].

    >>> import theano.tensor as T
    >>> T.arcsin([0.0, 1.0]).eval()
    array([0.        , 1.57079633])
    """

    name = nfunc = "arcsin"
    pullback = staticmethod(lambda g, x, y: g / _root(conjugated(cast(x, y.dtype))))


@documented_in("theano.scalar.basic")
class ArcCos(FloatOp):
    """The angle in [0, pi] whose cosine is x; nan outside [-1, 1].

    >>> import theano.tensor as T
    >>> T.arccos([1.0, 0.0]).eval()
    array([0.        , 1.57079633])
    """

    name = nfunc = "arccos"
    pullback = staticmethod(lambda g, x, y: -g / _root(conjugated(cast(x, y.dtype))))


@documented_in("theano.scalar.basic")
class ArcTan(FloatOp):
    """The angle in [-pi/2, pi/2] whose tangent is x.

    >>> import theano.tensor as T
    >>> T.arctan([0.0, 1.0]).eval()
    array([0.        , 0.78539816])
    """

    name = nfunc = "arctan"
    pullback = staticmethod(lambda g, x, y: g / (1 + sqr(conjugated(cast(x, y.dtype)))))


@documented_in("theano.scalar.basic")
class Sinh(FloatOp):
    """(exp(x) - exp(-x)) / 2.

    >>> import theano.tensor as T
    >>> T.sinh([0.0, 1.0]).eval()
    array([0.        , 1.17520119])
    """

    name = nfunc = "sinh"
    pullback = staticmethod(lambda g, x, y: g * conjugated(cosh(x)))

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], x: Array) -> Any:
        if x.dtype not in ("float32", "float64"):
            return xp.sinh(x)
        # XLA computes exp(x - log(2)) for large x, where the difference loses digits
        size = xp.abs(x)
        half = xp.exp(size / 2)
        small = xp.expm1(xp.minimum(size, xp.full_like(x, 20)))
        near = (small + small / (small + 1)) / 2
        return xp.copysign(xp.where(size < 20, near, half / 2 * half), x)


@documented_in("theano.scalar.basic")
class Cosh(FloatOp):
    """(exp(x) + exp(-x)) / 2.

    >>> import theano.tensor as T
    >>> T.cosh([0.0, 1.0]).eval()
    array([1.        , 1.54308063])
    """

    name = nfunc = "cosh"
    pullback = staticmethod(lambda g, x, y: g * conjugated(sinh(x)))

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], x: Array) -> Any:
        if x.dtype not in ("float32", "float64"):
            return xp.cosh(x)
        # XLA computes exp(x - log(2)) for large x, where the difference loses digits
        half = xp.exp(xp.abs(x) / 2)
        return half / 2 * half + 1 / half / half / 2


@documented_in("theano.scalar.basic")
class Tanh(FloatOp):
    """sinh(x) / cosh(x).

    >>> import theano.tensor as T
    >>> T.tanh([0.0, 1.0]).eval()
    array([0.        , 0.76159416])
    """

    name = nfunc = "tanh"
    pullback = staticmethod(lambda g, x, y: g * (1 - sqr(conjugated(y))))


@documented_in("theano.scalar.basic")
class ArcSinh(FloatOp):
    """The inverse of sinh.

    >>> import theano.tensor as T
    >>> T.arcsinh([0.0, 1.0]).eval()
    array([0.        , 0.88137359])
    """

    name = nfunc = "arcsinh"
    pullback = staticmethod(lambda g, x, y: g / sqrt(1 + sqr(conjugated(cast(x, y.dtype)))))


@documented_in("theano.scalar.basic")
class ArcCosh(FloatOp):
    """The inverse of cosh, at least 0; nan below 1.

    >>> import theano.tensor as T
    >>> T.arccosh([1.0, 2.0]).eval()
    array([0.       , 1.3169579])
    """

    name = nfunc = "arccosh"

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (y,), (g,) = inputs, outputs, output_grads
        x = conjugated(cast(x, y.dtype))
        # one root of the product would be on the wrong branch left of the imaginary axis
        return [g / (sqrt(x - 1) * sqrt(x + 1))]


@documented_in("theano.scalar.basic")
class ArcTanh(FloatOp):
    """The inverse of tanh; infinite at -1 and 1, nan outside.

    >>> import theano.tensor as T
    >>> T.arctanh([0.0, 0.5]).eval()
    array([0.        , 0.54930614])
    """

    name = nfunc = "arctanh"

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (y,), (g,) = inputs, outputs, output_grads
        x = conjugated(cast(x, y.dtype))
        return [g / ((1 - x) * (1 + x))]


@documented_in("theano.scalar.basic")
class Deg2Rad(RealOp):
    """Degrees to radians.

    >>> import theano.tensor as T
    >>> T.deg2rad([0, 180]).eval()
    array([0.        , 3.14159265])
    """

    name = nfunc = "deg2rad"
    pullback = staticmethod(lambda g, x, y: g * const_like(math.pi / 180, g))


@documented_in("theano.scalar.basic")
class Rad2Deg(RealOp):
    """Radians to degrees.

    >>> import theano.tensor as T
    >>> T.rad2deg([0.0, 0.5]).eval()
    array([ 0.        , 28.64788976])
    """

    name = nfunc = "rad2deg"
    pullback = staticmethod(lambda g, x, y: g * const_like(180 / math.pi, g))


@documented_in("theano.scalar.basic")
class ArcTan2(BinaryRealOp):
    """The angle in [-pi, pi] of the point (x, y); the sign of a zero selects the side.

    >>> import theano.tensor as T
    >>> T.arctan2([1.0, 0.0], [0.0, -1.0]).eval()
    array([1.57079633, 3.14159265])
    """

    name = nfunc = "arctan2"

    def compute(self, xp: ArrayNamespace, y: Array, x: Array) -> Any:
        return xp.arctan2(y, x)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (y, x), (angle,), (g,) = inputs, outputs, output_grads
        y, x = cast(y, angle.dtype), cast(x, angle.dtype)
        scaled = g / (sqr(x) + sqr(y))
        return [scaled * x, -scaled * y]


scalar_sin = Sin()
scalar_cos = Cos()
scalar_tan = Tan()
scalar_arcsin = ArcSin()
scalar_arccos = ArcCos()
scalar_arctan = ArcTan()
scalar_sinh = Sinh()
scalar_cosh = Cosh()
scalar_tanh = Tanh()
scalar_arcsinh = ArcSinh()
scalar_arccosh = ArcCosh()
scalar_arctanh = ArcTanh()
scalar_deg2rad = Deg2Rad()
scalar_rad2deg = Rad2Deg()
scalar_arctan2 = ArcTan2()

sin: Elemwise = elemwise(scalar_sin)
cos: Elemwise = elemwise(scalar_cos)
tan = elemwise(scalar_tan)
arcsin = elemwise(scalar_arcsin)
arccos = elemwise(scalar_arccos)
arctan = elemwise(scalar_arctan)
sinh: Elemwise = elemwise(scalar_sinh)
cosh: Elemwise = elemwise(scalar_cosh)
tanh = elemwise(scalar_tanh)
arcsinh = elemwise(scalar_arcsinh)
arccosh = elemwise(scalar_arccosh)
arctanh = elemwise(scalar_arctanh)
deg2rad = elemwise(scalar_deg2rad)
rad2deg = elemwise(scalar_rad2deg)
arctan2 = elemwise(scalar_arctan2)
