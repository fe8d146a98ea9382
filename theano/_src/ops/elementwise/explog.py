"""Exponentials and logarithms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import cast
from theano._src.ops.core.elemwise import Elemwise, elemwise
from theano._src.ops.core.grad_helpers import conjugated, const_like
from theano._src.ops.core.scalar import FloatOp
from theano._src.ops.elementwise.arithmetic import add, neg, sub
from theano._src.rewrite.pattern import Hole
from theano._src.rewrite.rule import Rule


@documented_in("theano.scalar.basic")
class Exp(FloatOp):
    """e**x.

    >>> import theano.tensor as T
    >>> T.exp([0.0, 1.0]).eval()
    array([1.        , 2.71828183])
    """

    name = nfunc = "exp"
    pullback = staticmethod(lambda g, x, y: g * conjugated(y))


@documented_in("theano.scalar.basic")
class Exp2(FloatOp):
    """2**x.

    >>> import theano.tensor as T
    >>> T.exp2([0, 3, -1]).eval()
    array([1. , 8. , 0.5])
    """

    name = nfunc = "exp2"
    pullback = staticmethod(lambda g, x, y: g * conjugated(y) * const_like(math.log(2), g))


@documented_in("theano.scalar.basic")
class Expm1(FloatOp):
    """e**x - 1, accurate near 0.

    >>> import theano.tensor as T
    >>> T.expm1([0.0, 1e-20]).eval()
    array([0.e+00, 1.e-20])
    """

    name = nfunc = "expm1"
    pullback = staticmethod(lambda g, x, y: g * conjugated(exp(x)))


@documented_in("theano.scalar.basic")
class Log(FloatOp):
    """The natural logarithm: nan below 0, -inf at 0.

    >>> import theano.tensor as T
    >>> T.log([1.0, 0.5]).eval()
    array([ 0.        , -0.69314718])
    """

    name = nfunc = "log"
    pullback = staticmethod(lambda g, x, y: g / conjugated(cast(x, y.dtype)))


@documented_in("theano.scalar.basic")
class Log2(FloatOp):
    """The logarithm to base 2.

    >>> import theano.tensor as T
    >>> T.log2([8, 1]).eval()
    array([3., 0.])
    """

    name = nfunc = "log2"
    pullback = staticmethod(
        lambda g, x, y: g / (conjugated(cast(x, y.dtype)) * const_like(math.log(2), g))
    )


@documented_in("theano.scalar.basic")
class Log10(FloatOp):
    """The logarithm to base 10.

    >>> import theano.tensor as T
    >>> T.log10([1000, 1]).eval()
    array([3., 0.])
    """

    name = nfunc = "log10"
    pullback = staticmethod(
        lambda g, x, y: g / (conjugated(cast(x, y.dtype)) * const_like(math.log(10), g))
    )


@documented_in("theano.scalar.basic")
class Log1p(FloatOp):
    """log(1 + x), accurate near 0.

    >>> import theano.tensor as T
    >>> T.log1p([0.0, 1e-20]).eval()
    array([0.e+00, 1.e-20])
    """

    name = nfunc = "log1p"
    pullback = staticmethod(lambda g, x, y: g / (1 + conjugated(cast(x, y.dtype))))

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], x: Array) -> Any:
        if x.dtype != "float64":
            return xp.log1p(x)
        # XLA's log1p loses two digits between -0.5 and -0.3, where log loses none
        left = xp.minimum(x, xp.full_like(x, -0.25))
        return xp.where(x < -0.25, xp.log(1 + left), xp.log1p(x))


scalar_exp = Exp()
scalar_exp2 = Exp2()
scalar_expm1 = Expm1()
scalar_log = Log()
scalar_log2 = Log2()
scalar_log10 = Log10()
scalar_log1p = Log1p()

exp: Elemwise = elemwise(scalar_exp)
exp2 = elemwise(scalar_exp2)
expm1 = elemwise(scalar_expm1)
log = elemwise(scalar_log)
log2 = elemwise(scalar_log2)
log10 = elemwise(scalar_log10)
log1p = elemwise(scalar_log1p)

# floats only: integers wrap, and complex numbers may come back on another branch
x = Hole("x", kind="f")
_STABLE = "stabilize specialize"

# fmt: off
RULES = (
    Rule("exp_minus_one",         _STABLE, add(-1, exp(x)),         expm1(x),
         tags=("local_expm1",), ulp=6),
    Rule("exp_less_one",          _STABLE, sub(exp(x), 1),          expm1(x),
         tags=("local_expm1",), ulp=6),
    Rule("one_minus_exp",         _STABLE, sub(1, exp(x)),          neg(expm1(x)),
         tags=("local_expm1",), ulp=6),
    Rule("log_exp",               _STABLE, log(exp(x)),             x),
    Rule("log1p_expm1",           _STABLE, log1p(expm1(x)),         x),
    Rule("log_one_plus",          _STABLE, log(add(1, x)),          log1p(x), tags=("local_log1p",),
         example={"x": (0.1, 9.0)}),
)
# fmt: on
