"""Arithmetic on each element: sums, products, quotients, powers, signs, bounds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import accumulate
from typing import Any

from theano._src.ground.array_types import Array, ArrayNamespace, Arrays
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in, short_traceback
from theano._src.ops.core.cast import cast
from theano._src.ops.core.elemwise import Elemwise, elemwise, zero_gradient
from theano._src.ops.core.grad_helpers import conjugated
from theano._src.ops.core.scalar import BinaryScalarOp, FloatOp, ScalarOp, UnaryScalarOp
from theano._src.ops.core.upcast import transfer_type, upcast_out, upcast_out_nobool
from theano._src.rewrite.pattern import Hole
from theano._src.rewrite.rule import Rule
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import complex_dtypes, discrete_dtypes, upcast
from theano._src.types.null import disconnected
from theano._src.types.scalar import Scalar, get_scalar_type
from theano._src.types.tensor import TensorVariable


@documented_in("theano.scalar.basic")
class ComplexError(NotImplementedError):
    """Raised when an op that takes real numbers gets complex ones."""


def _no_complex(op: ScalarOp, types: Sequence[Scalar]) -> None:
    if any(t.dtype in complex_dtypes for t in types):
        raise ComplexError(
            f"{op} takes real numbers, got {', '.join(t.dtype for t in types)}; "
            "use real(), imag() or abs() first"
        )


@documented_in("theano.scalar.basic")
def upcast_out_min8(*types: Scalar) -> tuple[Scalar, ...]:
    """As ``upcast_out``; bools give int8.

    >>> import theano.scalar as ts
    >>> ts.upcast_out_min8(ts.bool_, ts.bool_)
    (Scalar(int8),)
    """
    result = upcast_out(*types)
    return (get_scalar_type("int8"),) if result[0].dtype == "bool" else result


def _numbers_only(op: ScalarOp, types: Sequence[Scalar]) -> None:
    for t in types:
        if t.dtype == "bool":
            raise TypeError(f"{op} takes numbers, got a bool input; cast it to an integer first")


def floatX_of_integers(*types: Scalar) -> tuple[Scalar, ...]:
    """As ``upcast_out``, but floatX if all inputs are integers or bools."""
    if all(t.dtype in discrete_dtypes for t in types):
        return (get_scalar_type(str(config.floatX)),)
    return upcast_out(*types)


def real_part_out(type: Scalar) -> tuple[Scalar, ...]:
    """One output: the dtype of the parts of a complex input, or of a real input itself."""
    parts = {"complex64": "float32", "complex128": "float64"}
    return (get_scalar_type(parts.get(type.dtype, type.dtype)),)


@documented_in("theano.scalar.basic")
class Add(ScalarOp):
    """The sum of all inputs.

    >>> import theano.tensor as T
    >>> T.add([1, 2], [10, 20], 100).eval()
    array([111, 122])
    """

    name = "add"
    operator = "+"
    nfunc = "add"
    commutative = associative = rounds = True
    identity = 0
    output_types_preference = staticmethod(upcast_out)

    def compute(self, xp: ArrayNamespace, *inputs: Array) -> Any:
        return reduce(xp.add, inputs) if len(inputs) > 1 else xp.copy(inputs[0])

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (g,) = output_grads
        return [g] * len(inputs)


@documented_in("theano.scalar.basic")
class Sub(BinaryScalarOp):
    """a - b; not for two bools.

    >>> import theano.tensor as T
    >>> T.sub([5, 6], [1, 2]).eval()
    array([4, 4])
    """

    rounds = True
    name = "sub"
    operator = "-"
    nfunc = "subtract"
    output_types_preference = staticmethod(upcast_out_nobool)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (g,) = output_grads
        return [g, -g]


@documented_in("theano.scalar.basic")
class Mul(ScalarOp):
    """The product of all inputs.

    >>> import theano.tensor as T
    >>> T.mul([1, 2], [3, 4]).eval()
    array([3, 8])
    """

    name = "mul"
    operator = "*"
    nfunc = "multiply"
    commutative = associative = rounds = True
    identity = 1
    output_types_preference = staticmethod(upcast_out)

    def compute(self, xp: ArrayNamespace, *inputs: Array) -> Any:
        return reduce(xp.multiply, inputs) if len(inputs) > 1 else xp.copy(inputs[0])

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (g,) = output_grads
        xs = [conjugated(x) for x in inputs]
        if len(xs) > 2:
            # products of integers alone would wrap
            xs = [cast(x, outputs[0].type.dtype) for x in xs]
        before = list(accumulate(xs[:-1], mul, initial=g))
        after = list(accumulate(xs[:0:-1], lambda a, b: mul(b, a)))[::-1]
        return [*map(mul, before, after), before[-1]]


@documented_in("theano.scalar.basic")
class TrueDiv(BinaryScalarOp):
    """a / b; integers and bools are divided in floatX.

    >>> import theano.tensor as T
    >>> T.true_div([7, -7], 2).eval()
    array([ 3.5, -3.5])
    """

    rounds = True
    name = "true_div"
    operator = "/"
    nfunc = "true_divide"
    output_types_preference = staticmethod(floatX_of_integers)

    def loop_dtypes(self, dtypes: Sequence[str], outs: Sequence[str]) -> Sequence[str]:
        # float32 does not hold large integers: divide in float64, store in floatX
        if all(d in discrete_dtypes for d in dtypes):
            return ("float64", "float64")
        return (outs[0], outs[0])

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (_, y), (z,), (g,) = inputs, outputs, output_grads
        y, z = conjugated(y), conjugated(z)
        return [g / y, -(g * z) / y]


class _Floored(BinaryScalarOp):
    """Quotient or remainder: bools are computed as int8, complex numbers refused."""

    def output_types(self, types: Sequence[Scalar]) -> list[Scalar]:
        _no_complex(self, types)
        return super().output_types(types)

    def loop_dtypes(self, dtypes: Sequence[str], outs: Sequence[str]) -> Sequence[str]:
        loop = upcast("int8", *dtypes) if outs[0] == "bool" else upcast(*dtypes, *outs)
        return (loop, loop)


@documented_in("theano.scalar.basic")
class IntDiv(_Floored):
    """floor(a / b), exactly; an integer divided by zero gives 0.

    >>> import theano.tensor as T
    >>> T.int_div([7, -7], 2).eval()
    array([ 3, -4])
    """

    name = "int_div"
    operator = "//"
    nfunc = "floor_divide"

    def compute(self, xp: ArrayNamespace, a: Array, b: Array) -> Any:
        zero = b == 0
        if a.dtype.kind != "f":
            safe = xp.where(zero, xp.ones_like(b), b)
            return xp.where(zero, xp.zeros_like(b), xp.floor_divide(a, safe))
        rest = xp.fmod(a, b)
        low = (rest != 0) & ((rest < 0) != (b < 0))
        exact = (a - rest) / b
        # whole up to rounding errors: take the nearest integer
        whole = xp.rint(xp.where(low, exact - 1, exact))
        ratio = a / b
        whole = xp.where(whole == 0, xp.copysign(xp.zeros_like(whole), ratio), whole)
        return xp.where(zero, ratio, whole)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return [zero_gradient(x) for x in inputs]


@documented_in("theano.scalar.basic")
class Mod(_Floored):
    """a - b * floor(a / b), with the sign of b; an integer modulo zero is 0.

    >>> import theano.tensor as T
    >>> T.mod([7, -7], 3).eval()
    array([1, 2])
    """

    name = "mod"
    operator = "%"
    nfunc = "remainder"

    def compute(self, xp: ArrayNamespace, a: Array, b: Array) -> Any:
        if a.dtype.kind != "f":
            zero = b == 0
            safe = xp.where(zero, xp.ones_like(b), b)
            return xp.where(zero, xp.zeros_like(b), xp.remainder(a, safe))
        rest = xp.fmod(a, b)
        low = (rest != 0) & ((rest < 0) != (b < 0))
        return xp.where(rest == 0, xp.copysign(rest, b), xp.where(low, rest + b, rest))

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, y), (g,) = inputs, output_grads
        return [g, -(g * (x // y))]


@documented_in("theano.scalar.basic")
class Pow(BinaryScalarOp):
    """a ** b; raises at run time for an integer to a negative integer power.

    >>> import theano.tensor as T
    >>> T.pow([1.0, 2.0, 3.0], 2).eval()
    array([1., 4., 9.])
    """

    name = "pow"
    operator = "**"
    nfunc = "power"
    output_types_preference = staticmethod(upcast_out_min8)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, y), (g,) = inputs, output_grads
        gx = g * conjugated(y) * conjugated(x ** (y - 1))
        # 0 where x is 0, whatever y is; replacing x by 1 there avoids infinities
        zero = abs(x) <= 0
        safe = x + zero
        return [gx, g * ~zero * conjugated(safe**y * safe.log())]

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        a, b = inputs
        if a.dtype.kind in "biu" and b.dtype.kind == "i":
            return (xp.all(b >= 0),)
        return ()


@documented_in("theano.scalar.basic")
class Neg(UnaryScalarOp):
    """-x; unsigned integers wrap.

    >>> import theano.tensor as T
    >>> T.neg([1, -2]).eval()
    array([-1,  2])
    """

    name = "neg"
    operator = "-"
    nfunc = "negative"
    pullback = staticmethod(lambda g, x, y: -g)

    def output_types(self, types: Sequence[Scalar]) -> list[Scalar]:
        _numbers_only(self, types)
        return super().output_types(types)


@documented_in("theano.scalar.basic")
class Abs(UnaryScalarOp):
    """The absolute value; real for complex numbers.

    >>> import theano.tensor as T
    >>> T.abs_([-2, 3]).eval()
    array([2, 3])
    """

    nfunc = "absolute"
    output_types_preference = staticmethod(real_part_out)

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.copy(x) if x.dtype.kind in "bu" else xp.absolute(x)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x,), (y,), (g,) = inputs, outputs, output_grads
        if x.type.dtype in complex_dtypes:
            return [g * x / (y + (y <= 0))]
        return [g * sgn(x)]


@documented_in("theano.scalar.basic")
class Sgn(UnaryScalarOp):
    """-1, 0 or 1 by the sign of x; NaN stays NaN.

    >>> import theano.tensor as T
    >>> T.sgn([-2.5, 0.0, 7.0]).eval()
    array([-1.,  0.,  1.])
    """

    name = "sgn"
    nfunc = "sign"
    pullback = staticmethod(lambda g, x, y: zero_gradient(x))

    def output_types(self, types: Sequence[Scalar]) -> list[Scalar]:
        _numbers_only(self, types)
        if types[0].dtype in complex_dtypes:
            raise TypeError(f"{self} takes real numbers, got {types[0].dtype}; see abs and angle")
        return super().output_types(types)

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], x: Array) -> Any:
        # XLA keeps the sign of a zero
        return xp.where(x == 0, xp.zeros_like(x), xp.sign(x))


@documented_in("theano.scalar.basic")
class Inv(FloatOp):
    """1 / x.

    >>> import theano.tensor as T
    >>> T.inv([2.0, 4.0]).eval()
    array([0.5 , 0.25])
    """

    name = "inv"
    nfunc = "reciprocal"
    pullback = staticmethod(lambda g, x, y: -g * conjugated(sqr(y)))

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return 1 / x


@documented_in("theano.scalar.basic")
class Sqr(UnaryScalarOp):
    """x * x.

    >>> import theano.tensor as T
    >>> T.sqr([-2, 3]).eval()
    array([4, 9])
    """

    name = "sqr"
    nfunc = "square"
    pullback = staticmethod(lambda g, x, y: g * conjugated(x) * 2)

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.multiply(x, x)


@documented_in("theano.scalar.basic")
class Sqrt(FloatOp):
    """The square root; NaN for negative real numbers.

    >>> import theano.tensor as T
    >>> T.sqrt([4.0, 2.0]).eval()
    array([2.        , 1.41421356])
    """

    name = "sqrt"
    nfunc = "sqrt"
    pullback = staticmethod(lambda g, x, y: g / (conjugated(y) * 2))


@documented_in("theano.scalar.basic")
class Maximum(BinaryScalarOp):
    """The larger of a and b; NaN if either is.

    >>> import theano.tensor as T
    >>> T.maximum([1, 5], [3, 2]).eval()
    array([3, 5])
    """

    name = "maximum"
    nfunc = "maximum"
    commutative = associative = True

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, y), (g,) = inputs, output_grads
        first = x >= y
        return [g * first, g * ~first]


@documented_in("theano.scalar.basic")
class Minimum(BinaryScalarOp):
    """The smaller of a and b; NaN if either is.

    >>> import theano.tensor as T
    >>> T.minimum([1, 5], [3, 2]).eval()
    array([1, 2])
    """

    name = "minimum"
    nfunc = "minimum"
    commutative = associative = True

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, y), (g,) = inputs, output_grads
        first = x <= y
        return [g * first, g * ~first]


@documented_in("theano.scalar.basic")
class Second(BinaryScalarOp):
    """b, broadcast to the common shape of a and b.

    >>> import theano.tensor as T
    >>> x = T.dvector("x")
    >>> T.fill(x, x.sum()).eval({x: [1.0, 2.0, 3.0]})
    array([6., 6., 6.])
    """

    name = "second"
    output_types_preference = transfer_type(1)
    nondiff_inputs = (0,)

    def loop_dtypes(self, dtypes: Sequence[str], outs: Sequence[str]) -> Sequence[str]:
        return dtypes

    def compute(self, xp: ArrayNamespace, a: Array, b: Array) -> Any:
        return xp.copy(xp.broadcast_to(b, xp.broadcast_shapes(a.shape, b.shape)))

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (g,) = output_grads
        return [disconnected(), g]


@documented_in("theano.scalar.basic")
class Identity(UnaryScalarOp):
    """A copy of x.

    >>> import theano.tensor as T
    >>> T.tensor_copy([1, 2]).eval()
    array([1, 2])
    """

    name = "identity"
    pullback = staticmethod(lambda g, x, y: g)

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.copy(x)


@documented_in("theano.scalar.basic")
class Clip(ScalarOp):
    """x limited to the range from ``low`` to ``high``.

    For tensors a bound may be None, as in NumPy: that side is not limited.

    >>> import theano.tensor as T
    >>> T.clip([-5, 0, 5], -1, 1).eval()
    array([-1,  0,  1])
    """

    name = "clip"
    nin = 3
    output_types_preference = staticmethod(upcast_out)

    def output_types(self, types: Sequence[Scalar]) -> list[Scalar]:
        if any(t.dtype in complex_dtypes for t in types):
            raise TypeError(f"{self} takes real numbers, got {[t.dtype for t in types]}")
        return super().output_types(types)

    def compute(self, xp: ArrayNamespace, x: Array, low: Array, high: Array) -> Any:
        return xp.where(x < low, low, xp.where(x > high, high, x))

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, low, high), (g,) = inputs, output_grads
        below = x < low
        above = (x > high) & ~below
        return [g * ((x >= low) & (x <= high)), g * below, g * above]


scalar_add = Add()
scalar_sub = Sub()
scalar_mul = Mul()
scalar_true_div = TrueDiv()
scalar_int_div = IntDiv()
scalar_mod = Mod()
scalar_pow = Pow()
scalar_neg = Neg()
scalar_abs_ = Abs()
scalar_sgn = Sgn()
scalar_inv = Inv()
scalar_sqr = Sqr()
scalar_sqrt = Sqrt()
scalar_maximum = Maximum()
scalar_minimum = Minimum()
scalar_second = Second()
scalar_identity = Identity()
scalar_clip = Clip()
scalar_floor_div = scalar_int_div

add = elemwise(scalar_add)
sub = elemwise(scalar_sub)
mul = elemwise(scalar_mul)
true_div = truediv = elemwise(scalar_true_div)
int_div = intdiv = floor_div = elemwise(scalar_int_div)
mod = elemwise(scalar_mod)
pow = elemwise(scalar_pow)
neg = elemwise(scalar_neg)
abs_ = elemwise(scalar_abs_, "abs_")
sgn = elemwise(scalar_sgn)
inv = reciprocal = elemwise(scalar_inv)
sqr: Elemwise = elemwise(scalar_sqr)
sqrt = elemwise(scalar_sqrt)
maximum = elemwise(scalar_maximum)
minimum = elemwise(scalar_minimum)
second = fill = elemwise(scalar_second)
tensor_copy = Elemwise(scalar_identity)


class _Clip(Elemwise):
    # a bound may be None, as in NumPy; then maximum or minimum is enough
    __doc__ = Elemwise.__dict__["__doc__"]

    @short_traceback
    def __call__(  # type: ignore[override]  # three inputs, not any number
        self, x: TensorLike, low: TensorLike = None, high: TensorLike = None, **options: Any
    ) -> TensorVariable:
        if low is None:
            return as_tensor_variable(x) if high is None else minimum(x, high)
        if high is None:
            return maximum(x, low)
        out: TensorVariable = super().__call__(x, low, high, **options)
        return out


clip = _Clip(scalar_clip, name="Elemwise{clip,no_inplace}")


@documented_in("theano.tensor.basic")
def mod_check(x: TensorLike, y: TensorLike) -> TensorVariable:
    """``mod(x, y)``, for real numbers.

    Raises
    ------
    ComplexError
        If either is complex.

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.mod_check(T.constant(-7), 3).eval().item()
    2
    """
    return mod(as_tensor_variable(x), as_tensor_variable(y))


@documented_in("theano.scalar.basic")
def scalar_mod_check(x: TensorLike, y: TensorLike) -> Any:
    """``mod(x, y)`` of scalar variables, for real numbers.

    >>> from theano.scalar import int8
    >>> scalar_mod_check(int8("x"), 3).type
    Scalar(int8)
    """
    return scalar_mod(x, y)


x = Hole("x")
number, signed = Hole("x", kind="iufc"), Hole("x", kind="ifc")
real, dividend, divisor = Hole("x", kind="f"), Hole("x", kind="fc"), Hole("y", kind="fc")
_FIRST, _LATER = "canonicalize specialize", "specialize"
_POW, _LAST_BIT = ("local_pow_specialize",), "the last bit may differ"

# fmt: off
RULES = (
    Rule("neg_neg",  _FIRST, neg(neg(x)),       x,      tags=("local_neg_neg",)),
    Rule("inv_inv",  _FIRST, inv(inv(real)),    real,   hazard=_LAST_BIT),
    Rule("inv_of_div", _FIRST, inv(true_div(dividend, divisor)), true_div(divisor, dividend),
         tags=("local_inv_canon",), hazard=_LAST_BIT),
    Rule("abs_abs",  _FIRST, abs_(abs_(x)),     abs_(x)),
    Rule("abs_neg",  _FIRST, abs_(neg(signed)), abs_(signed)),
    Rule("sqr_neg",  _FIRST, sqr(neg(x)),       sqr(x)),
    Rule("sqr_abs",  _FIRST, sqr(abs_(real)),   sqr(real)),
    Rule("mul_one",  _FIRST, mul(x, 1),         x,      tags=("local_mul_specialize",)),
    Rule("add_zero", _FIRST, add(x, 0),         x,      tags=("local_add_specialize",),
         hazard="-0.0 + 0 is 0.0, the replacement -0.0"),
    Rule("sub_zero", _FIRST, sub(x, 0),         x,      tags=("local_sub_zero",)),
    Rule("div_one",  _FIRST, true_div(x, 1),    x),
    Rule("pow_one",  _FIRST, pow(x, 1),         x,      tags=("local_pow_canonicalize",)),
    Rule("neg_div_neg", _FIRST, true_div(neg(dividend), neg(divisor)), true_div(dividend, divisor),
         tags=("local_neg_div_neg",)),
    Rule("div_by_abs", _FIRST, true_div(real, abs_(real)), sgn(real), tags=("X_over_absX",),
         hazard="for 0 the result is 0, and for infinities 1 or -1, not NaN"),
    Rule("maximum_self", _FIRST, maximum(x, x), x, tags=("local_useless_elemwise_comparison",)),
    Rule("minimum_self", _FIRST, minimum(x, x), x, tags=("local_useless_elemwise_comparison",)),
    Rule("mul_self", _LATER, mul(number, number), sqr(number), tags=("local_mul_to_sqr",)),
    Rule("one_div",  _LATER, true_div(1, dividend), inv(dividend), tags=("local_div_to_inv",)),
    Rule("pow_half", _LATER, pow(real, 0.5),    sqrt(real), tags=_POW, example={"x": (0.1, 9.0)},
         hazard="for -inf the result is NaN, not inf; for -0.0 it is -0.0"),
    Rule("pow_minus_half", _LATER, pow(real, -0.5), inv(sqrt(real)), example={"x": (0.1, 9.0)},
         tags=_POW, hazard="for -0.0 the result is -inf, not inf; for -inf NaN, not 0"),
    Rule("pow_two",  _LATER, pow(x, 2),         sqr(x), tags=_POW),
    Rule("sqrt_sqr", _LATER, sqrt(sqr(real)),   abs_(real), tags=("local_sqrt_sqr",),
         hazard="finite, and not 0, where the square would be out of range"),
)
# fmt: on
