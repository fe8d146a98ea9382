"""The Bartlett window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.core.non_differentiable import NonDifferentiable
from theano._src.ops.elementwise.arithmetic import maximum
from theano._src.ops.shape.static_values import as_length
from theano._src.types.aliases import IntLike, TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import integer_dtypes
from theano._src.types.tensor import TensorCall, TensorVariable, tensor_type


@documented_in("theano.tensor.extra_ops")
class Bartlett(NonDifferentiable):
    """The Bartlett (triangular) window of M points; see ``bartlett``.

    >>> import theano.tensor as T
    >>> T.extra_ops.bartlett_(5).eval()
    array([0. , 0.5, 1. , 0.5, 0. ])
    """

    __call__: TensorCall

    __props__ = ()
    demand_only = (0,)

    def make_node(self, M: TensorLike) -> Apply:
        M = as_tensor_variable(M)
        if M.ndim != 0:
            raise TypeError(f"Bartlett takes a scalar, got {M} of type {M.type}")
        if M.dtype not in integer_dtypes:
            raise TypeError(f"Bartlett takes an integer, got {M} of type {M.type}")
        return Apply(self, [M], [tensor_type("float64", (False,))()])

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        return list(self.infer_shape(node, shapes)[0])

    def compute(self, xp: ArrayNamespace, M: Array) -> Any:
        return self._window(xp, int(M))

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], M: Array) -> Any:
        return self._window(xp, sizes[0])

    def _window(self, xp: ArrayNamespace, n: int) -> Any:
        if n <= 1:
            return xp.ones((max(n, 0),), dtype=np.dtype("float64"))
        i = xp.arange(n, dtype=np.dtype("float64"))
        return 2.0 / (n - 1) * xp.minimum(i, n - 1 - i)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        return [(maximum(as_length(node.inputs[0]), as_length(0)),)]


bartlett_ = Bartlett()


@documented_in("theano.tensor.extra_ops")
def bartlett(M: IntLike) -> TensorVariable:
    """The Bartlett window: a triangle over M points, 0 at both ends and at most 1 in the middle.

    Parameters
    ----------
    M : int or integer scalar
        The number of points; the result is empty for 0 and below. The middle is 1 if M is odd.

    >>> import theano.tensor as T
    >>> T.bartlett(5).eval().tolist()
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    return bartlett_(M)
