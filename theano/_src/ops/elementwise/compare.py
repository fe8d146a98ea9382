"""Comparisons, logic and choice on each element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import in_floats
from theano._src.ops.core.elemwise import elemwise, zero_gradient
from theano._src.ops.core.scalar import (
    BinaryBitOp,
    LogicalComparison,
    Predicate,
    ScalarOp,
    UnaryBitOp,
)
from theano._src.ops.core.upcast import specific_out, upcast_out
from theano._src.ops.elementwise.arithmetic import abs_, add, fill, mul, sub
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable, constant
from theano._src.types.dtypes import discrete_dtypes, upcast
from theano._src.types.scalar import Scalar, get_scalar_type
from theano._src.types.tensor import TensorVariable


@documented_in("theano.scalar.basic")
class LT(LogicalComparison):
    """a < b.

    >>> import theano.tensor as T
    >>> T.lt([1, 2, 3], 2).eval()
    array([ True, False, False])
    """

    nfunc = "less"


@documented_in("theano.scalar.basic")
class GT(LogicalComparison):
    """a > b.

    >>> import theano.tensor as T
    >>> T.gt([1, 2, 3], 2).eval()
    array([False, False,  True])
    """

    nfunc = "greater"


@documented_in("theano.scalar.basic")
class LE(LogicalComparison):
    """a <= b.

    >>> import theano.tensor as T
    >>> T.le([1, 2, 3], 2).eval()
    array([ True,  True, False])
    """

    nfunc = "less_equal"


@documented_in("theano.scalar.basic")
class GE(LogicalComparison):
    """a >= b.

    >>> import theano.tensor as T
    >>> T.ge([1, 2, 3], 2).eval()
    array([False,  True,  True])
    """

    nfunc = "greater_equal"


@documented_in("theano.scalar.basic")
class EQ(LogicalComparison):
    """a == b; NaN equals nothing.

    >>> import theano.tensor as T
    >>> T.eq([1, 2], [1, 3]).eval()
    array([ True, False])
    """

    nfunc = "equal"
    commutative = True


@documented_in("theano.scalar.basic")
class NEQ(LogicalComparison):
    """a != b.

    >>> import theano.tensor as T
    >>> T.neq([1, 2], [1, 3]).eval()
    array([False,  True])
    """

    nfunc = "not_equal"
    commutative = True


@documented_in("theano.scalar.basic")
class IsNan(Predicate):
    """Whether x is not a number.

    >>> import theano.tensor as T
    >>> T.isnan_([1.0, float("nan")]).eval().tolist()
    [False, True]
    """

    nfunc = "isnan"

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.not_equal(x, x)


@documented_in("theano.scalar.basic")
class IsInf(Predicate):
    """Whether x, or a part of a complex x, is infinite.

    >>> import theano.tensor as T
    >>> T.isinf_([1.0, float("-inf")]).eval().tolist()
    [False, True]
    """

    nfunc = "isinf"

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.isinf(x) if x.dtype.kind in "fc" else xp.zeros_like(x, dtype="bool")


@documented_in("theano.scalar.basic")
class InRange(ScalarOp):
    """Whether x lies between ``low`` and ``high``; ``openlow`` and ``openhi`` exclude a bound."""

    nin = 3
    output_types_preference = staticmethod(specific_out(get_scalar_type("bool")))

    def __init__(self, openlow: bool, openhi: bool) -> None:
        super().__init__()
        self.openlow, self.openhi = openlow, openhi

    def loop_dtypes(self, dtypes: Sequence[str], outs: Sequence[str]) -> Sequence[str]:
        return (upcast(*dtypes),) * 3

    def compute(self, xp: ArrayNamespace, x: Array, low: Array, high: Array) -> Any:
        above = xp.greater(x, low) if self.openlow else xp.greater_equal(x, low)
        below = xp.less(x, high) if self.openhi else xp.less_equal(x, high)
        return xp.logical_and(above, below)

    def _own_props(self) -> tuple[Any, ...]:
        return (self.openlow, self.openhi)

    def __str__(self) -> str:
        return f"InRange{{openlow={self.openlow}, openhi={self.openhi}}}"


def branches_out(condition: Scalar, *types: Scalar) -> tuple[Scalar, ...]:
    """One output, of the upcast dtype of all inputs but the first."""
    return upcast_out(*types)


@documented_in("theano.scalar.basic")
class Switch(ScalarOp):
    """a where the condition is not 0, b where it is; both are computed.

    >>> import theano.tensor as T
    >>> T.switch([True, False], [1, 2], [10, 20]).eval()
    array([ 1, 20])
    """

    nin = 3
    output_types_preference = staticmethod(branches_out)

    def loop_dtypes(self, dtypes: Sequence[str], outs: Sequence[str]) -> Sequence[str]:
        return (dtypes[0], outs[0], outs[0])

    def compute(self, xp: ArrayNamespace, condition: Array, a: Array, b: Array) -> Any:
        if condition.dtype.kind != "b":
            condition = condition != 0
        return xp.where(condition, a, b)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (condition, _, _), (g,) = inputs, output_grads
        return [zero_gradient(condition), switch(condition, g, 0), switch(condition, 0, g)]


@documented_in("theano.scalar.basic")
class OR(BinaryBitOp):
    """Bitwise a | b; logical for bools.

    >>> import theano.tensor as T
    >>> T.or_([6, 5], 3).eval()
    array([7, 7])
    """

    nfunc = "bitwise_or"
    commutative = associative = True
    identity = 0


@documented_in("theano.scalar.basic")
class AND(BinaryBitOp):
    """Bitwise a & b; logical for bools.

    >>> import theano.tensor as T
    >>> T.and_([6, 5], 3).eval()
    array([2, 1])
    """

    nfunc = "bitwise_and"
    commutative = associative = True
    identity = -1


@documented_in("theano.scalar.basic")
class XOR(BinaryBitOp):
    """Bitwise a ^ b; logical for bools.

    >>> import theano.tensor as T
    >>> T.xor([6, 5], 3).eval()
    array([5, 6])
    """

    nfunc = "bitwise_xor"
    commutative = associative = True
    identity = 0


@documented_in("theano.scalar.basic")
class Invert(UnaryBitOp):
    """Bitwise ~x; logical not for bools.

    >>> import theano.tensor as T
    >>> T.invert([0, 6]).eval()
    array([-1, -7])
    """

    nfunc = "invert"


scalar_lt = LT()
scalar_gt = GT()
scalar_le = LE()
scalar_ge = GE()
scalar_eq = EQ()
scalar_neq = NEQ()
scalar_isnan = IsNan()
scalar_isinf = IsInf()
scalar_switch = Switch()
scalar_or_ = OR()
scalar_and_ = AND()
scalar_xor = XOR()
scalar_invert = Invert()
inopenrange = InRange(True, True)
inclosedrange = InRange(False, False)

lt = elemwise(scalar_lt, "lt")
gt = elemwise(scalar_gt, "gt")
le = elemwise(scalar_le, "le")
ge = elemwise(scalar_ge, "ge")
eq = elemwise(scalar_eq, "eq")
neq = elemwise(scalar_neq, "neq")
switch = where = elemwise(scalar_switch, "switch")
or_ = bitwise_or = elemwise(scalar_or_, "or_")
and_ = bitwise_and = elemwise(scalar_and_, "and_")
xor = bitwise_xor = elemwise(scalar_xor, "xor")
invert = bitwise_not = elemwise(scalar_invert, "invert")
isnan_ = elemwise(scalar_isnan, "isnan")
isinf_ = elemwise(scalar_isinf, "isinf")

_FALSE = constant(np.asarray(False))


@documented_in("theano.tensor.basic")
def isnan(a: TensorLike) -> TensorVariable:
    """Whether each element of ``a`` is NaN; False for integers.

    Examples
    --------
    >>> import theano.tensor as T
    >>> x = T.dvector("x")
    >>> T.isnan(x).eval({x: [1.0, float("nan")]}).tolist()
    [False, True]
    """
    a = as_tensor_variable(a)
    return fill(a, _FALSE) if a.type.dtype in discrete_dtypes else isnan_(a)


@documented_in("theano.tensor.basic")
def isinf(a: TensorLike) -> TensorVariable:
    """Whether each element of ``a`` is infinite, of either sign; False for integers.

    Examples
    --------
    >>> import theano.tensor as T
    >>> x = T.dvector("x")
    >>> T.isinf(x).eval({x: [1.0, float("-inf")]}).tolist()
    [False, True]
    """
    a = as_tensor_variable(a)
    return fill(a, _FALSE) if a.type.dtype in discrete_dtypes else isinf_(a)


@documented_in("theano.tensor.basic")
def isclose(
    a: TensorLike,
    b: TensorLike,
    rtol: TensorLike = 1e-05,
    atol: TensorLike = 1e-08,
    equal_nan: bool = False,
) -> TensorVariable:
    """Where ``|a - b| <= atol + rtol * |b|``; infinities are close to themselves only.

    Parameters
    ----------
    a, b : tensors
    rtol, atol : numbers or tensors
        Tolerances relative to ``b``, and absolute.
    equal_nan : bool
        Whether NaN is close to NaN.

    Examples
    --------
    >>> import theano.tensor as T
    >>> x = T.dvector("x")
    >>> T.isclose(x, 1.0).eval({x: [1.000001, 1.1]}).tolist()
    [True, False]
    """
    a, b = in_floats(a), in_floats(b)
    near = le(abs_(sub(a, b)), add(atol, mul(rtol, abs_(b))))
    # an infinite b would make the tolerance infinite
    close = or_(and_(near, invert(isinf_(b))), eq(a, b))
    return or_(close, and_(isnan_(a), isnan_(b))) if equal_nan else close


@documented_in("theano.tensor.basic")
def allclose(
    a: TensorLike,
    b: TensorLike,
    rtol: TensorLike = 1e-05,
    atol: TensorLike = 1e-08,
    equal_nan: bool = False,
) -> TensorVariable:
    """Whether ``a`` is close to ``b`` everywhere; arguments as for ``isclose``.

    Examples
    --------
    >>> import theano.tensor as T
    >>> x = T.dvector("x")
    >>> T.allclose(x, 1.0).eval({x: [1.000001, 1.1]}).item()
    False
    """
    return isclose(a, b, rtol, atol, equal_nan).all()
