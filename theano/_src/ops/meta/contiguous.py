"""CpuContiguous: arrays that are contiguous in C order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.documented import documented_in
from theano._src.ops.meta.misc import _Same
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable


@documented_in("theano.tensor.extra_ops")
class CpuContiguous(_Same):
    """``x`` itself if it is contiguous in C order, else a copy that is.

    >>> import theano.tensor as T
    >>> T.extra_ops.cpu_contiguous(T.constant([[1, 2], [3, 4]]).T).eval().flags.c_contiguous
    True
    """

    __props__ = ()
    view_map = {0: [0]}
    batch_rule = _Same.batch_rule
    shape_like = 0

    def make_node(self, x: TensorLike) -> Apply:
        x = as_tensor_variable(x)
        return Apply(self, [x], [x.type()])

    def compute(self, xp: ArrayNamespace, x: Array) -> Any:
        return x

    def bind(self, node: Apply) -> Callable[..., Any]:
        def run(x: np.ndarray[Any, Any]) -> Any:
            # np.ascontiguousarray would turn a 0-d array into a vector
            return x if x.flags.c_contiguous else np.ascontiguousarray(x)

        return run

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = self.bind(node)(inputs[0])


cpu_contiguous = CpuContiguous()
