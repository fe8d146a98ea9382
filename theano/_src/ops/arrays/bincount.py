"""Counts of integers: bincount."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace, Arrays
from theano._src.ground.documented import documented_in
from theano._src.ops.core.non_differentiable import NonDifferentiable
from theano._src.ops.elementwise.arithmetic import maximum
from theano._src.ops.shape.dims import patternbroadcast
from theano._src.ops.shape.static_values import as_length
from theano._src.types.aliases import IntLike, TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import discrete_dtypes, integer_dtypes, uint_dtypes
from theano._src.types.null import disconnected
from theano._src.types.tensor import TensorCall, TensorVariable, tensor_type


class BinCountLength(NonDifferentiable):
    """The number of bins for a vector of non-negative integers: its largest element plus 1."""

    __props__ = ()

    def make_node(self, x: Variable) -> Apply:
        return Apply(self, [x], [tensor_type("int64", ())()])

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return xp.max(xp.astype(x, np.dtype("int64")), initial=-1) + 1

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        return [()]


@documented_in("theano.tensor.extra_ops")
class BinCountOp(Op):
    """How often each of 0, 1, ... ``length - 1`` occurs in ``x``, or the sum of its weights.

    The inputs are ``x``, ``weights`` if ``weighted``, and ``length``.
    """

    __call__: TensorCall

    __props__ = ("weighted", "assert_nonneg")

    def __init__(self, weighted: bool = False, assert_nonneg: bool = False) -> None:
        self.weighted = bool(weighted)
        self.assert_nonneg = bool(assert_nonneg)
        self.demand_only = (1 + self.weighted,)

    def make_node(self, x: TensorLike, *rest: TensorLike) -> Apply:
        x = as_tensor_variable(x)
        if x.ndim != 1:
            raise TypeError(f"bincount takes a vector, got {x} of type {x.type}")
        if x.dtype not in integer_dtypes:
            raise TypeError(f"bincount takes integers, got {x} of type {x.type}; cast it first")
        inputs = [x, *map(as_tensor_variable, rest)]
        dtype = "int64"
        if self.weighted:
            weights = inputs[1]
            if weights.ndim > 1:
                raise TypeError(
                    f"bincount takes a vector of weights, got {weights} of type {weights.type}"
                )
            dtype = _summed(weights.dtype)
        return Apply(self, inputs, [tensor_type(dtype, (False,))()])

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        x = inputs[0]
        # lengths first: a compiled program knows these, but not the values
        if self.weighted and inputs[1].ndim and len(inputs[1]) != len(x):
            raise ValueError(
                f"bincount takes as many weights as elements, got {len(inputs[1])} for {len(x)}"
            )
        if x.size and x.min() < 0:
            error = AssertionError if self.assert_nonneg else ValueError
            raise error(
                f"bincount takes non-negative integers, got {x.min()}: "
                "Input to bincount has negative values!"
            )

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        return [node.inputs[-1]]

    def compute(self, xp: ArrayNamespace, x: Array, *rest: Array) -> Any:
        return self._counted(xp, int(rest[-1]), x, *rest[:-1])

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], x: Array, *rest: Array) -> Any:
        return self._counted(xp, sizes[0], x, *rest[:-1])

    def _counted(
        self, xp: ArrayNamespace, length: int, x: Array, weights: Array | None = None
    ) -> Any:
        dtype = np.dtype("int64" if weights is None else _summed(weights.dtype.name))
        one = np.ones((), dtype) if weights is None else xp.astype(weights, dtype)
        x = xp.astype(x, np.dtype("int64"))
        return xp.index_add(xp.zeros((length,), dtype=dtype), x, one)

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        return (xp.all(inputs[0] >= 0),)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        return [(node.inputs[-1],)]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        if not self.weighted:
            return [disconnected(), disconnected()]
        (x, weights, _), (g,) = inputs, output_grads
        gw = g[x] if weights.ndim else g[x].sum()
        return [disconnected(), patternbroadcast(gw, weights.broadcastable), disconnected()]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        dw = eval_points[1] if self.weighted else None
        return [None if dw is None else self(inputs[0], dw, inputs[2])]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return [[self.weighted and i == 1] for i in range(len(node.inputs))]


def _summed(dtype: str) -> str:
    """The dtype of a sum of weights, as for ``sum``."""
    if dtype in discrete_dtypes:
        return "uint64" if dtype in uint_dtypes else "int64"
    return dtype


@documented_in("theano.tensor.extra_ops")
def bincount(
    x: TensorLike,
    weights: TensorLike = None,
    minlength: IntLike | None = None,
    assert_nonneg: bool = False,
) -> TensorVariable:
    """How often each of 0, 1, 2 ... occurs in a vector of non-negative integers.

    Parameters
    ----------
    x : integer vector
        A negative element raises ValueError at run time.
    weights : vector, optional
        As long as ``x``: the weights of equal elements are summed instead of counted.
    minlength : int or integer scalar, optional
        The least length of the result, which by default is one more than the largest element.
    assert_nonneg : bool
        Raise AssertionError for a negative element instead.

    Returns
    -------
    int64 vector, or a vector with the dtype of the sum of the weights

    >>> import theano.tensor as T
    >>> T.bincount([1, 1, 4]).eval().tolist()
    [0, 2, 0, 0, 1]
    >>> T.bincount([1, 1, 4], weights=[0.5, 0.25, 3]).eval().tolist()
    [0.0, 0.75, 0.0, 0.0, 3.0]
    """
    x = as_tensor_variable(x)
    if x.ndim != 1 or x.dtype not in integer_dtypes:
        raise TypeError(f"bincount takes a vector of integers, got {x} of type {x.type}")
    length = BinCountLength()(x)
    if minlength is not None:
        least = as_tensor_variable(minlength)
        if least.ndim != 0 or least.dtype not in integer_dtypes:
            raise TypeError(f"bincount takes an integer as minlength, got {minlength!r:.80}")
        length = maximum(length, as_length(least))
    op = BinCountOp(weights is not None, assert_nonneg)
    return op(x, length) if weights is None else op(x, weights, length)
