"""x log x and x log y, defined as 0 where x is 0, as entropies need."""

from __future__ import annotations

from typing import Any

from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.cast import cast
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.core.grad_helpers import conjugated
from theano._src.ops.core.scalar import BinaryFloatOp, FloatOp
from theano._src.ops.elementwise.explog import log


@documented_in("theano.tensor.xlogx")
class XlogX(FloatOp):
    """x * log(x), which is 0 where x is 0; the slope there is -inf.

    >>> import theano.tensor as T
    >>> T.xlogx.xlogx([0.0, 1.0, 2.0]).eval()
    array([0.        , 0.        , 1.38629436])
    """

    pullback = staticmethod(lambda g, x, y: g * conjugated(1 + log(cast(x, y.dtype))))

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.where(x == 0, xp.zeros_like(x), x * xp.log(x))


@documented_in("theano.tensor.xlogx")
class XlogY0(BinaryFloatOp):
    """x * log(y), which is 0 where x is 0, whatever y is.

    >>> import theano.tensor as T
    >>> T.xlogx.xlogy0([0.0, 1.0], [0.0, 2.0]).eval()
    array([0.        , 0.69314718])
    """

    def compute(self, xp: ArrayNamespace, x: Array, y: Array) -> Any:
        return xp.where(x == 0, xp.zeros_like(x), x * xp.log(y))

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, y), (z,), (g,) = inputs, outputs, output_grads
        x, y = cast(x, z.dtype), cast(y, z.dtype)
        return [g * conjugated(log(y)), g * conjugated(x / y)]


scalar_xlogx = XlogX(name="scalar_xlogx")
scalar_xlogy0 = XlogY0(name="scalar_xlogy0")
xlogx = Elemwise(scalar_xlogx, name="xlogx")
xlogy0 = Elemwise(scalar_xlogy0, name="xlogy0")
