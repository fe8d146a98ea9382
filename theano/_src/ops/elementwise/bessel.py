"""Bessel functions of each element; those of arbitrary order run on the host."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import cast
from theano._src.ops.core.elemwise import Elemwise, elemwise
from theano._src.ops.core.grad_helpers import const_like
from theano._src.ops.elementwise.arithmetic import sgn
from theano._src.ops.elementwise.special import _NO_ORDER, BinarySpecialOp, SpecialOp
from theano._src.types.null import grad_not_implemented


@documented_in("theano.scalar.basic_scipy")
class J0(SpecialOp):
    """The Bessel function of the first kind of order 0.

    >>> import theano.tensor as T
    >>> T.j0([0.0, 1.5]).eval()
    array([1.        , 0.51182767])
    """

    name = "j0"
    pullback = staticmethod(lambda g, x, y: -g * j1(x))

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.special.j0(x)

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], x: Array) -> Any:
        return _bessel_j(xp, x, 0)


@documented_in("theano.scalar.basic_scipy")
class J1(SpecialOp):
    """The Bessel function of the first kind of order 1.

    >>> import theano.tensor as T
    >>> T.j1([0.0, 1.5]).eval()
    array([0.        , 0.55793651])
    """

    name = "j1"
    # not j0 - j1 / x, which is undefined at 0
    pullback = staticmethod(lambda g, x, y: g * (j0(x) - jv(const_like(2, g), x)) / 2)

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.special.j1(x)

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], x: Array) -> Any:
        return _bessel_j(xp, x, 1)


_NEAR = 25.0  # below, the mean of 80 points is exact; above, 26 terms of the series are


_QUARTER = 20


def _bessel_j(xp: ArrayNamespace, x: Array, order: int) -> Any:
    """Bessel's integral by the trapezoidal rule near 0, Hankel's expansion far from it."""
    ax = xp.abs(x)
    near = xp.minimum(ax, xp.full_like(x, _NEAR))
    # mean over the circle of cos(x sin t), or of sin(x sin t) sin t: four equal quarters
    angles = [math.pi * i / (2 * _QUARTER) for i in range(_QUARTER + 1)]
    sines = xp.asarray([math.sin(t) for t in angles], dtype=x.dtype)
    ends = [0.5] + [1.0] * (_QUARTER - 1) + [0.5]
    weights = xp.asarray([w / _QUARTER for w in ends], dtype=x.dtype)
    phase = xp.expand_dims(near, -1) * sines
    waves = xp.sin(phase) * sines if order else xp.cos(phase)
    total = xp.sum(waves * weights, -1)
    far = xp.maximum(ax, xp.full_like(x, _NEAR))
    p, q, term = xp.ones_like(x), xp.zeros_like(x), xp.ones_like(x)
    for k in range(1, 27):
        # DLMF 10.17.1
        term = term * ((4 * order**2 - (2 * k - 1) ** 2) / (8 * k)) / far
        sign = 1 if k % 4 in (0, 1) else -1
        if k % 2:
            q = q + sign * term
        else:
            p = p + sign * term
    # cos and sin of far - pi/4 - order*pi/2, without rounding the difference
    c, s = xp.cos(far), xp.sin(far)
    cos_phase, sin_phase = (s - c, -s - c) if order else (c + s, s - c)
    wave = (p * cos_phase - q * sin_phase) / xp.sqrt(math.pi * far)
    result = xp.where(ax < _NEAR, total, wave)
    return xp.where(x < 0, -result, result) if order else result


@documented_in("theano.scalar.basic_scipy")
class Jv(BinarySpecialOp):
    """The Bessel function of the first kind of real order v.

    >>> import theano.tensor as T
    >>> T.jv(0.5, [1.0, 1.5]).eval()
    array([0.67139671, 0.64983807])
    """

    name = "jv"
    runs_on = "host"

    def compute(self, xp: ArrayNamespace, v: Array, x: Array) -> Any:
        return xp.special.jv(v, x)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (v, x), (y,), (g,) = inputs, outputs, output_grads
        w = cast(v, y.dtype)
        return [grad_not_implemented(self, 0, v, _NO_ORDER), g * (jv(w - 1, x) - jv(w + 1, x)) / 2]


@documented_in("theano.scalar.basic_scipy")
class I0(SpecialOp):
    """The modified Bessel function of the first kind of order 0.

    >>> import theano.tensor as T
    >>> T.i0([0.0, 1.5]).eval()
    array([1.        , 1.64672319])
    """

    name = "i0"
    pullback = staticmethod(lambda g, x, y: g * i1(x))

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.special.i0(x)


@documented_in("theano.scalar.basic_scipy")
class I1(SpecialOp):
    """The modified Bessel function of the first kind of order 1.

    >>> import theano.tensor as T
    >>> T.i1([0.0, 1.5]).eval()
    array([0.        , 0.98166643])
    """

    name = "i1"
    pullback = staticmethod(lambda g, x, y: g * (i0(x) + iv(const_like(2, g), x)) / 2)

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.special.i1(x)


@documented_in("theano.scalar.basic_scipy")
class Iv(BinarySpecialOp):
    """The modified Bessel function of the first kind of real order v.

    >>> import theano.tensor as T
    >>> T.iv(0.5, [1.0, 1.5]).eval()
    array([0.93767489, 1.38716172])
    """

    name = "iv"
    runs_on = "host"

    def compute(self, xp: ArrayNamespace, v: Array, x: Array) -> Any:
        return xp.special.iv(v, x)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (v, x), (y,), (g,) = inputs, outputs, output_grads
        w = cast(v, y.dtype)
        return [grad_not_implemented(self, 0, v, _NO_ORDER), g * (iv(w - 1, x) + iv(w + 1, x)) / 2]


@documented_in("theano.scalar.basic_scipy")
class Ive(BinarySpecialOp):
    """exp(-abs(x)) * iv(v, x), which does not overflow.

    >>> import theano.tensor as T
    >>> T.ive(0.5, [1.0, 1000.0]).eval()
    array([0.34495131, 0.01261566])
    """

    name = "ive"
    runs_on = "host"

    def compute(self, xp: ArrayNamespace, v: Array, x: Array) -> Any:
        return xp.special.ive(v, x)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (v, x), (y,), (g,) = inputs, outputs, output_grads
        w = cast(v, y.dtype)
        gx = g * ((ive(w - 1, x) + ive(w + 1, x)) / 2 - sgn(cast(x, y.dtype)) * y)
        return [grad_not_implemented(self, 0, v, _NO_ORDER), gx]


@documented_in("theano.scalar.basic_scipy")
class Kv(BinarySpecialOp):
    """The modified Bessel function of the second kind of real order v, for x > 0.

    >>> import theano.tensor as T
    >>> T.kv(0.5, [1.0, 1.5]).eval().round(6)
    array([0.461069, 0.228335])
    """

    name = "kv"
    runs_on = "host"

    def compute(self, xp: ArrayNamespace, v: Array, x: Array) -> Any:
        return xp.special.kv(v, x)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (v, x), (y,), (g,) = inputs, outputs, output_grads
        w = cast(v, y.dtype)
        return [grad_not_implemented(self, 0, v, _NO_ORDER), -g * (kv(w - 1, x) + kv(w + 1, x)) / 2]


@documented_in("theano.scalar.basic_scipy")
class Kve(BinarySpecialOp):
    """exp(x) * kv(v, x), which does not underflow.

    >>> import theano.tensor as T
    >>> T.kve(0.5, [1.0, 1000.0]).eval()
    array([1.25331414, 0.03963327])
    """

    name = "kve"
    runs_on = "host"

    def compute(self, xp: ArrayNamespace, v: Array, x: Array) -> Any:
        return xp.special.kve(v, x)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (v, x), (y,), (g,) = inputs, outputs, output_grads
        w = cast(v, y.dtype)
        gx = g * (y - (kve(w - 1, x) + kve(w + 1, x)) / 2)
        return [grad_not_implemented(self, 0, v, _NO_ORDER), gx]


scalar_j0 = J0()
scalar_j1 = J1()
scalar_jv = Jv()
scalar_i0 = I0()
scalar_i1 = I1()
scalar_iv = Iv()
scalar_ive = Ive()
scalar_kv = Kv()
scalar_kve = Kve()

j0: Elemwise = elemwise(scalar_j0)
j1: Elemwise = elemwise(scalar_j1)
jv: Elemwise = elemwise(scalar_jv)
i0: Elemwise = elemwise(scalar_i0)
i1: Elemwise = elemwise(scalar_i1)
iv: Elemwise = elemwise(scalar_iv)
ive: Elemwise = elemwise(scalar_ive)
kv: Elemwise = elemwise(scalar_kv)
kve: Elemwise = elemwise(scalar_kve)
