"""Elementwise functions of NumPy that Theano lacks: sums of logarithms, signs, shifts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import cast
from theano._src.ops.core.elemwise import Elemwise, elemwise
from theano._src.ops.core.grad_helpers import const_like
from theano._src.ops.core.scalar import (
    BinaryBitOp,
    BinaryRealOp,
    BinaryScalarOp,
    RealOp,
)
from theano._src.ops.elementwise.arithmetic import (
    int_div,
    inv,
    maximum,
    minimum,
    mod,
    pow,
    sgn,
    sqr,
)
from theano._src.ops.elementwise.compare import (
    eq,
    gt,
    isnan,
    lt,
    switch,
)
from theano._src.ops.elementwise.explog import exp, exp2
from theano._src.ops.elementwise.logic import isneginf, isposinf
from theano._src.ops.elementwise.rounding import trunc
from theano._src.ops.elementwise.trig import cos
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import complex_dtypes, discrete_dtypes, upcast
from theano._src.types.tensor import TensorVariable


class Hypot(BinaryRealOp):
    """sqrt(a**2 + b**2), without overflow of the squares.

    >>> import theano.tensor as T
    >>> T.hypot([3.0, 5.0], [4.0, 12.0]).eval()
    array([ 5., 13.])
    """

    name = nfunc = "hypot"
    commutative = True

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, y), (z,), (g,) = inputs, outputs, output_grads
        # at the origin: 0, the mean of the slopes around it
        length = switch(eq(z, 0), const_like(1, z), z)
        return [g * x / length, g * y / length]


class LogAddExp(BinaryRealOp):
    """log(exp(a) + exp(b)), without overflow; infinities as in NumPy.

    >>> import theano.tensor as T
    >>> T.logaddexp([0.0, 1000.0], [0.0, 1000.0]).eval()
    array([6.93147181e-01, 1.00069315e+03])
    """

    name = nfunc = "logaddexp"
    commutative = True

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, y), (z,), (g,) = inputs, outputs, output_grads
        return [g * exp(_below(x, z)), g * exp(_below(y, z))]


class LogAddExp2(BinaryRealOp):
    """log2(2**a + 2**b), without overflow; infinities as in NumPy.

    >>> import theano.tensor as T
    >>> T.logaddexp2([0.0, 1000.0], [0.0, 1000.0]).eval()
    array([1.000e+00, 1.001e+03])
    """

    name = nfunc = "logaddexp2"
    commutative = True

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, y), (z,), (g,) = inputs, outputs, output_grads
        return [g * exp2(_below(x, z)), g * exp2(_below(y, z))]


def _below(x: TensorVariable, z: TensorVariable) -> TensorVariable:
    """x - z, 0 where both are the same infinity."""
    same = eq(x, z)
    return switch(same, const_like(0, z), x - switch(same, const_like(0, z), z))


class FMod(BinaryScalarOp):
    """The remainder of x / y truncated towards 0, with the sign of x.

    >>> import theano.tensor as T
    >>> T.fmod([7, -7], 3).eval()
    array([ 1, -1])
    """

    name = nfunc = "fmod"

    def compute(self, xp: ArrayNamespace, x: Array, y: Array) -> Any:
        if x.dtype.kind in "fb":
            return xp.fmod(x, y)
        # NumPy returns 0 for an integer modulo 0; XLA may not
        one = xp.ones_like(y)
        return xp.where(y == 0, xp.zeros_like(x), xp.fmod(x, xp.where(y == 0, one, y)))

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, y), (g,) = inputs, output_grads
        return [g, -g * trunc(x / y)]


class CopySign(BinaryRealOp):
    """The magnitude of a with the sign of b; -0.0 is negative.

    >>> import theano.tensor as T
    >>> T.copysign([1.0, -2.0], [-0.0, 3.0]).eval()
    array([-1.,  2.])
    """

    name = nfunc = "copysign"

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, y), (z,), (g,) = inputs, outputs, output_grads
        return [g * sgn(x) * sgn(z), y.zeros_like()]


class NextAfter(BinaryRealOp):
    """The next float after a in the direction of b.

    >>> import theano.tensor as T
    >>> (T.nextafter([1.0], [2.0]) - 1).eval()
    array([2.22044605e-16])
    """

    name = nfunc = "nextafter"

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (_, y), (g,) = inputs, output_grads
        return [g, y.zeros_like()]


class Cbrt(RealOp):
    """The cube root, negative for negative numbers.

    >>> import theano.tensor as T
    >>> T.cbrt([27.0, -8.0]).eval()
    array([ 3., -2.])
    """

    name = nfunc = "cbrt"
    pullback = staticmethod(lambda g, x, y: g / (3 * sqr(y)))


class Sinc(RealOp):
    """sin(pi x) / (pi x), and 1 at 0.

    >>> import theano.tensor as T
    >>> T.sinc([0.0, 0.5]).eval()
    array([1.        , 0.63661977])
    """

    name = nfunc = "sinc"

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (y,), (g,) = inputs, outputs, output_grads
        t = sqr(const_like(math.pi, y) * x)
        # near 0 the difference below would lose every digit: use its series
        near = -x * const_like(math.pi**2 / 3, y) * (1 - t / 10 * (1 - t / 28))
        small = lt(t, const_like(1e-4, y))
        away = switch(small, const_like(1, y), x)
        return [g * switch(small, near, (cos(const_like(math.pi, y) * x) - y) / away)]


class LeftShift(BinaryBitOp):
    """x shifted left by y bits; 0 if y is negative or at least the width of the dtype.

    >>> import theano.tensor as T
    >>> T.left_shift([1, 3], 2).eval()
    array([ 4, 12])
    """

    name, nfunc = "left_shift", "left_shift"

    def compute(self, xp: ArrayNamespace, x: Array, y: Array) -> Any:
        width = np.iinfo(x.dtype).bits
        far = (y < 0) | (y >= width)
        inside = xp.where(far, xp.zeros_like(y), y)
        return xp.where(far, xp.zeros_like(x), xp.left_shift(x, inside))


class RightShift(BinaryBitOp):
    """x shifted right by y bits, filled with the sign bit.

    >>> import theano.tensor as T
    >>> T.right_shift([8, -8], 2).eval()
    array([ 2, -2])
    """

    name, nfunc = "right_shift", "right_shift"

    def compute(self, xp: ArrayNamespace, x: Array, y: Array) -> Any:
        last = xp.full_like(y, np.iinfo(x.dtype).bits - 1)
        far = (y < 0) | (y > last)
        moved = xp.right_shift(x, xp.where(far, last, y))
        # NOTE: an unsigned number shifted out entirely is 0, not its highest bit
        return moved if x.dtype.kind == "i" else xp.where(far, xp.zeros_like(x), moved)


hypot = elemwise(Hypot(name="hypot"))
logaddexp = elemwise(LogAddExp(name="logaddexp"))
logaddexp2 = elemwise(LogAddExp2(name="logaddexp2"))
fmod = elemwise(FMod(name="fmod"))
copysign = elemwise(CopySign(name="copysign"))
nextafter = elemwise(NextAfter(name="nextafter"))
cbrt = elemwise(Cbrt(name="cbrt"))
sinc = elemwise(Sinc(name="sinc"))
left_shift = elemwise(LeftShift(name="left_shift"))
right_shift = elemwise(RightShift(name="right_shift"))


@documented_in("theano.tensor")
def fmax(x1: TensorLike, x2: TensorLike) -> TensorVariable:
    """The larger of two numbers; if one is NaN, the other.

    >>> import theano.tensor as T
    >>> T.fmax([1.0, float("nan")], [0.0, 2.0]).eval().tolist()
    [1.0, 2.0]
    """
    return _but_nan(maximum, x1, x2)


@documented_in("theano.tensor")
def fmin(x1: TensorLike, x2: TensorLike) -> TensorVariable:
    """The smaller of two numbers; if one is NaN, the other.

    >>> import theano.tensor as T
    >>> T.fmin([1.0, float("nan")], [0.0, 2.0]).eval().tolist()
    [0.0, 2.0]
    """
    return _but_nan(minimum, x1, x2)


def _but_nan(op: Elemwise, a: TensorLike, b: TensorLike) -> TensorVariable:
    a, b = as_tensor_variable(a), as_tensor_variable(b)
    if a.dtype in discrete_dtypes and b.dtype in discrete_dtypes:
        return op(a, b)
    return switch(isnan(b), a, switch(isnan(a), b, op(a, b)))


@documented_in("theano.tensor")
def heaviside(x1: TensorLike, x2: TensorLike) -> TensorVariable:
    """0 where ``x1`` is negative, 1 where it is positive, ``x2`` where it is 0; NaN for NaN.

    >>> import theano.tensor as T
    >>> T.heaviside([-2.0, 0.0, 3.0], 0.5).eval().tolist()
    [0.0, 0.5, 1.0]
    """
    x, at = as_tensor_variable(x1), as_tensor_variable(x2)
    dtype = upcast(x.dtype, at.dtype)
    if dtype in discrete_dtypes:
        dtype = "float64"
    x, at = cast(x, dtype), cast(at, dtype)
    step = cast(gt(x, 0), dtype)
    return switch(eq(x, 0), at, switch(isnan(x), x, step))


@documented_in("theano.tensor")
def float_power(x1: TensorLike, x2: TensorLike) -> TensorVariable:
    """``x1 ** x2`` in float64 or complex128, so that integers may have negative powers.

    >>> import theano.tensor as T
    >>> T.float_power(2, -1).eval().item()
    0.5
    """
    x, y = as_tensor_variable(x1), as_tensor_variable(x2)
    wide = "complex128" if {x.dtype, y.dtype} & set(complex_dtypes) else "float64"
    return pow(cast(x, wide), cast(y, wide))


@documented_in("theano.tensor")
def reciprocal(x: TensorLike) -> TensorVariable:
    """1 / x, in the dtype of ``x``; integers use floor division.

    >>> import theano.tensor as T
    >>> T.reciprocal([2.0, 4.0]).eval().tolist()
    [0.5, 0.25]
    """
    x = as_tensor_variable(x)
    return int_div(cast(1, x.dtype), x) if x.dtype in discrete_dtypes else inv(x)


@documented_in("theano.tensor")
def divmod(x1: TensorLike, x2: TensorLike) -> tuple[Any, Any]:
    """``x1 // x2`` and ``x1 % x2``.

    >>> import theano.tensor as T
    >>> [v.eval().item() for v in T.divmod(7, -2)]
    [-4, -1]
    """
    return int_div(x1, x2), mod(x1, x2)


@documented_in("theano.tensor")
def nan_to_num(
    x: TensorLike,
    copy: bool = True,
    nan: TensorLike = 0.0,
    posinf: TensorLike = None,
    neginf: TensorLike = None,
) -> TensorVariable:
    """``x`` with numbers in place of NaN and infinities.

    Parameters
    ----------
    x : tensor or array
    copy : bool
        Accepted as in NumPy; a variable is never changed.
    nan, posinf, neginf : numbers
        Replacements; infinities become the largest and lowest number of the dtype by default.

    >>> import theano.tensor as T
    >>> T.nan_to_num([float("nan"), 1.0, float("inf")], posinf=9.0).eval().tolist()
    [0.0, 1.0, 9.0]
    """
    x = as_tensor_variable(x)
    if x.dtype in discrete_dtypes:
        return x
    if x.dtype in complex_dtypes:
        raise TypeError(f"nan_to_num takes real numbers, got {x} of {x.type}; use real and imag")
    ends = np.finfo(x.dtype)
    high = cast(ends.max if posinf is None else posinf, x.dtype)
    low = cast(ends.min if neginf is None else neginf, x.dtype)
    out = switch(isnan(x), cast(nan, x.dtype), x)
    return switch(isposinf(x), high, switch(isneginf(x), low, out))
