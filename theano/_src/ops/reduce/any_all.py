"""The reductions ``all`` and ``any``."""

from __future__ import annotations

# an op in this module is named Any
from typing import Any as Given

from theano._src.graph.graph import Apply
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.elemwise import zero_gradient
from theano._src.ops.elementwise.compare import neq, scalar_and_, scalar_or_
from theano._src.ops.reduce.careduce import CAReduce, reduced
from theano._src.types.aliases import Axis, TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.tensor import TensorVariable


class _OfBools(CAReduce):
    def make_node(self, x: TensorLike) -> Apply:
        x = as_tensor_variable(x)
        return CAReduce.make_node(self, x if x.dtype == "bool" else neq(x, 0))

    def L_op(
        self, inputs: list[Given], outputs: list[Given], output_grads: list[Given]
    ) -> list[Given]:
        return [zero_gradient(x) for x in inputs]

    def R_op(self, inputs: list[Given], eval_points: list[Given]) -> list[Given]:
        return [None]


@documented_in("theano.tensor.elemwise")
class All(_OfBools):
    """Whether every element is non-zero; True for no elements."""

    __props__ = ("axis",)

    _shown = "All"
    batch_rule = CAReduce.batch_rule

    def __init__(self, axis: Axis = None) -> None:
        CAReduce.__init__(self, scalar_and_, axis)

    def compute(self, xp: ArrayNamespace, x: Array) -> Given:
        return xp.all(x, axis=self.axis)


@documented_in("theano.tensor.elemwise")
class Any(_OfBools):
    """Whether some element is non-zero; False for no elements."""

    __props__ = ("axis",)

    _shown = "Any"
    batch_rule = CAReduce.batch_rule

    def __init__(self, axis: Axis = None) -> None:
        CAReduce.__init__(self, scalar_or_, axis)

    def compute(self, xp: ArrayNamespace, x: Array) -> Given:
        return xp.any(x, axis=self.axis)


@documented_in("theano.tensor.basic")
def all(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> TensorVariable:
    """Whether every element is non-zero, over dimensions, as bool; NaN is non-zero.

    Parameters
    ----------
    x : tensor or array
    axis : int or list of ints, optional
        The dimensions to reduce over; all by default.
    keepdims : bool
        Whether to keep the reduced dimensions with length 1.

    >>> import theano.tensor as T
    >>> T.all([[1, 0], [2, 3]], axis=1).eval().tolist()
    [False, True]
    """
    return reduced(All(axis), as_tensor_variable(x), keepdims)


@documented_in("theano.tensor.basic")
def any(x: TensorLike, axis: Axis = None, keepdims: bool = False) -> TensorVariable:
    """Whether some element is non-zero, over dimensions, as bool; NaN is non-zero.

    Parameters
    ----------
    x : tensor or array
    axis : int or list of ints, optional
        The dimensions to reduce over; all by default.
    keepdims : bool
        Whether to keep the reduced dimensions with length 1.

    >>> import theano.tensor as T
    >>> T.any([[1, 0], [0, 0]], axis=1).eval().tolist()
    [True, False]
    """
    return reduced(Any(axis), as_tensor_variable(x), keepdims)
