"""Complex numbers: their parts, and construction from parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.elemwise import elemwise, zero_gradient
from theano._src.ops.core.grad_helpers import conjugated
from theano._src.ops.core.scalar import BinaryScalarOp, UnaryScalarOp
from theano._src.ops.core.upcast import upgrade_to_float
from theano._src.ops.elementwise.arithmetic import fill, real_part_out, sqr, upcast_out_min8
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable, constant
from theano._src.types.dtypes import complex_dtypes, upcast
from theano._src.types.scalar import Scalar, get_scalar_type
from theano._src.types.tensor import TensorVariable


@documented_in("theano.scalar.basic")
class Real(UnaryScalarOp):
    """The real part; a real x unchanged."""

    name = "real"
    pullback = staticmethod(lambda g, x, y: g)
    output_types_preference = staticmethod(real_part_out)

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        # NOTE: NumPy returns a view of x, which an output must not be
        return xp.copy(xp.real(x))


@documented_in("theano.scalar.basic")
class Imag(UnaryScalarOp):
    """The imaginary part; 0 for a real x."""

    name = "imag"
    pullback = staticmethod(
        lambda g, x, y: (
            complex(g.zeros_like(), g) if x.type.dtype in complex_dtypes else zero_gradient(x)
        )
    )
    output_types_preference = staticmethod(real_part_out)

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.copy(xp.imag(x)) if x.dtype.kind == "c" else xp.zeros_like(x)


def _angle_out(x: Scalar) -> tuple[Scalar, ...]:
    return (get_scalar_type("float32" if x.dtype in ("float32", "complex64") else "float64"),)


@documented_in("theano.scalar.basic")
class Angle(UnaryScalarOp):
    """The angle of x in the complex plane, in (-pi, pi]; float32 for float32 and complex64.

    >>> import theano.tensor as T
    >>> T.angle([1, 1j, -1]).eval()
    array([0.        , 1.57079633, 3.14159265])
    """

    name = "angle"
    output_types_preference = staticmethod(_angle_out)

    def loop_dtypes(self, dtypes: Sequence[str], outs: Sequence[str]) -> Sequence[str]:
        return dtypes if dtypes[0] in complex_dtypes else outs

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        if x.dtype.kind == "c":
            return xp.arctan2(xp.imag(x), xp.real(x))
        pi, zero = (xp.asarray(v, x.dtype) for v in (np.pi, 0))
        return xp.where(xp.isnan(x), x, xp.where(x < 0, pi, zero))

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (g,) = inputs, output_grads
        if x.type.dtype not in complex_dtypes:
            return [zero_gradient(x)]
        across = g / sqr(abs(x))
        return [complex(-x.imag * across, x.real * across)]


@documented_in("theano.scalar.basic")
class Conj(UnaryScalarOp):
    """The complex conjugate; a real x unchanged.

    >>> import theano.tensor as T
    >>> T.conj([1 + 2j, 3]).eval()
    array([1.-2.j, 3.-0.j])
    """

    name = "conj"
    nfunc = "conjugate"
    pullback = staticmethod(lambda g, x, y: conjugated(g))
    output_types_preference = staticmethod(upcast_out_min8)

    def loop_dtypes(self, dtypes: Sequence[str], outs: Sequence[str]) -> Sequence[str]:
        return outs

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.conjugate(x) if x.dtype.kind == "c" else xp.copy(x)


def complex_out(*types: Scalar) -> tuple[Scalar, ...]:
    """One output: complex64 if float32 holds the inputs, else complex128."""
    return (get_scalar_type(upcast("complex64", upgrade_to_float(*types)[0].dtype)),)


class _FromParts(BinaryScalarOp):
    """A complex number from two real ones."""

    output_types_preference = staticmethod(complex_out)

    def output_types(self, types: Sequence[Scalar]) -> list[Scalar]:
        for t in types:
            if t.dtype in complex_dtypes:
                raise TypeError(f"{self} takes two real numbers, got {t.dtype}; see real, imag")
        return super().output_types(types)

    def loop_dtypes(self, dtypes: Sequence[str], outs: Sequence[str]) -> Sequence[str]:
        return ("float32" if outs[0] == "complex64" else "float64",) * 2


@documented_in("theano.scalar.basic")
class Complex(_FromParts):
    """a + 1j * b.

    >>> import theano.tensor as T
    >>> T.complex([1.0, 2.0], [3.0, 4.0]).eval()
    array([1.+3.j, 2.+4.j])
    """

    name = "complex"

    def compute(self, xp: ArrayNamespace, a: Array, b: Array) -> Any:
        return xp.join_complex(a, b)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (g,) = output_grads
        return [real(g), imag(g)]


@documented_in("theano.scalar.basic")
class ComplexFromPolar(_FromParts):
    """r * exp(1j * theta).

    >>> import theano.tensor as T
    >>> T.complex_from_polar([1.0, 2.0], [0.0, 0.0]).eval()
    array([1.+0.j, 2.+0.j])
    """

    name = "complex_from_polar"

    def compute(self, xp: ArrayNamespace, r: Array, theta: Array) -> Any:
        return xp.join_complex(r * xp.cos(theta), r * xp.sin(theta))

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (r, theta), (g,) = inputs, output_grads
        a, b, cos, sin = real(g), imag(g), theta.cos(), theta.sin()
        return [a * cos + b * sin, r * (b * cos - a * sin)]


scalar_real = Real()
scalar_imag = Imag()
scalar_angle = Angle()
scalar_conj = Conj()
scalar_complex = Complex()
scalar_complex_from_polar = ComplexFromPolar()

_real = elemwise(scalar_real)
_imag = elemwise(scalar_imag)
angle = elemwise(scalar_angle)
conj = elemwise(scalar_conj)
complex = elemwise(scalar_complex)
complex_from_polar = elemwise(scalar_complex_from_polar)


@documented_in("theano.tensor.basic")
def real(z: TensorLike) -> TensorVariable:
    """The real part of ``z``; ``z`` itself if it is not complex.

    Examples
    --------
    >>> import theano.tensor as T
    >>> z = T.zvector("z")
    >>> T.real(z).eval({z: [1 + 2j]}).tolist()
    [1.0]
    """
    z = as_tensor_variable(z)
    return _real(z) if z.type.dtype in complex_dtypes else z


@documented_in("theano.tensor.basic")
def imag(z: TensorLike) -> TensorVariable:
    """The imaginary part of ``z``; zeros if it is not complex.

    Examples
    --------
    >>> import theano.tensor as T
    >>> z = T.zvector("z")
    >>> T.imag(z).eval({z: [1 + 2j]}).tolist()
    [2.0]
    """
    z = as_tensor_variable(z)
    if z.type.dtype in complex_dtypes:
        return _imag(z)
    return fill(z, constant(np.zeros((), z.type.dtype)))
