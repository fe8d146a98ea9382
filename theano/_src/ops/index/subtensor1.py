"""Indexing of the first dimension by a vector of integers: embeddings and minibatches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace, Arrays
from theano._src.ground.documented import documented_in
from theano._src.ops.index.add_rows import add_rows
from theano._src.ops.index.index_grad import (
    last_written_rows,
    unstretched,
    writeable,
    written_forward,
    zero_like,
)
from theano._src.ops.index.index_list import (
    as_array_index,
    bounds_hold,
    checked_unsigned,
    refuse_complex,
    take_checked,
)
from theano._src.ops.shape.dims import dimshuffle
from theano._src.ops.shape.ranges import arange
from theano._src.ops.shape.shape import shape_i
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import integer_dtypes
from theano._src.types.null import disconnected
from theano._src.types.tensor import TensorCall, TensorVariable, tensor_type


def _as_vector_index(op: Op, index: TensorLike) -> TensorVariable:
    out = as_array_index(index)
    if out.type.dtype not in integer_dtypes:
        raise TypeError(f"{op} takes integers as index, got {out} of {out.type.dtype}")
    if out.ndim != 1:
        raise TypeError(f"{op} takes a vector as index, got {out} of {out.type}")
    return out


@documented_in("theano.tensor.subtensor")
class AdvancedSubtensor1(Op):
    """``x[i]`` for a vector ``i`` of integers: the rows of ``x`` in that order.

    >>> import theano.tensor as T
    >>> x = T.constant([10, 20, 30])
    >>> T.advanced_subtensor1(x, [2, 0]).eval()
    array([30, 10])
    """

    __call__: TensorCall

    __props__ = ()
    linear_in = (0,)
    nondiff_inputs = slice(1, None)

    def __init__(self, sparse_grad: bool = False) -> None:
        self.sparse_grad = sparse_grad

    def make_node(self, x: TensorLike, ilist: TensorLike) -> Apply:
        x, ilist = as_tensor_variable(x), _as_vector_index(self, ilist)
        if x.ndim == 0:
            raise TypeError(f"{self} takes at least one dimension, got {x}, a scalar")
        pattern = (ilist.broadcastable[0], *x.broadcastable[1:])
        return Apply(self, [x, ilist], [tensor_type(x.dtype, pattern)()])

    def compute(self, xp: ArrayNamespace, x: Array, i: Array) -> Any:
        return x[checked_unsigned(i)]

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], x: Array, i: Array) -> Any:
        return take_checked(xp, x, i, 0)

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        x, i = inputs
        return [bounds_hold(xp, i, x.shape[0])]

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [(shapes[1][0], *shapes[0][1:])]

    def batch_rule(
        self, node: Apply, inputs: Sequence[Any], is_batched: Sequence[bool]
    ) -> Sequence[Any] | None:
        x, i = inputs
        if not is_batched[1]:
            return [x[:, i]]
        n = shape_i(i, 0)
        return [x[dimshuffle(arange(n), 0, "x"), i] if is_batched[0] else x[i]]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (x, i), (g,) = inputs, output_grads
        if not self.sparse_grad:
            return [advanced_inc_subtensor1(x.zeros_like(dtype=g.dtype), g, i), disconnected()]
        if not SPARSE_ROWS:
            raise RuntimeError(f"the gradient of {self} is sparse; import theano.sparse first")
        return [SPARSE_ROWS[0](x, g, i), disconnected()]


#: builds a sparse gradient from rows; the sparse ops register their function here
SPARSE_ROWS: list[Callable[[Any, Any, Any], Any]] = []


@documented_in("theano.tensor.subtensor")
class AdvancedIncSubtensor1(Op):
    """A copy of ``x`` with ``y`` written or added to ``x[i]``, for a vector ``i`` of integers.

    >>> import theano.tensor as T
    >>> x = T.constant([10, 20, 30])
    >>> T.advanced_inc_subtensor1(x, [1, 2], [2, 0]).eval()
    array([12, 20, 31])
    """

    __call__: TensorCall

    __props__ = ("inplace", "set_instead_of_inc")
    shape_like = 0
    nondiff_inputs = slice(2, None)

    def __init__(self, inplace: bool = False, set_instead_of_inc: bool = False) -> None:
        self.inplace = bool(inplace)
        self.set_instead_of_inc = bool(set_instead_of_inc)
        self.destroy_map = {0: [0]} if inplace else {}

    def clone_inplace(self) -> AdvancedIncSubtensor1:
        return type(self)(True, self.set_instead_of_inc)

    def make_node(self, x: TensorLike, y: TensorLike, ilist: TensorLike) -> Apply:
        x, y = as_tensor_variable(x), as_tensor_variable(y)
        ilist = _as_vector_index(self, ilist)
        if x.ndim == 0:
            raise TypeError(f"{self} takes at least one dimension, got {x}, a scalar")
        if y.ndim > x.ndim:
            raise TypeError(
                f"{self} puts at most {x.ndim} dimensions into {x}, got {y} of {y.type}"
            )
        refuse_complex(self, x, y)
        return Apply(self, [x, y, ilist], [x.type()])

    def compute(self, xp: ArrayNamespace, x: Array, y: Array, i: Array) -> Any:
        y = xp.astype(y, x.dtype)
        return xp.index_set(x, i, y) if self.set_instead_of_inc else xp.index_add(x, i, y)

    def bind(self, node: Apply) -> Callable[..., Any]:
        put, inplace = self.set_instead_of_inc, self.inplace

        def run(x: np.ndarray[Any, Any], y: np.ndarray[Any, Any], i: np.ndarray[Any, Any]) -> Any:
            i = checked_unsigned(i)
            out = writeable(x, inplace)
            y = np.asarray(y)
            y = y if y.dtype == x.dtype else y.astype(x.dtype)
            if put:
                out[i] = y
            else:
                add_rows(out, i, y)
            return out

        return run

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = self.bind(node)(*inputs)

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        return [bounds_hold(xp, inputs[2], inputs[0].shape[0])]

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (_, y, i), (g,) = inputs, output_grads
        if not self.set_instead_of_inc:
            return [g, unstretched(advanced_subtensor1(g, i), y), disconnected()]
        gx = advanced_set_subtensor1(g, zero_like(g), i)
        part = last_written_rows(advanced_set_subtensor1, advanced_subtensor1, g, i)
        return [gx, unstretched(part, y), disconnected()]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        op = advanced_set_subtensor1 if self.set_instead_of_inc else advanced_inc_subtensor1
        return written_forward(op, inputs, eval_points)

    def __str__(self) -> str:
        where = "inplace" if self.inplace else "no_inplace"
        return f"AdvancedIncSubtensor1{{{where},{'set' if self.set_instead_of_inc else 'inc'}}}"


advanced_subtensor1 = AdvancedSubtensor1()
advanced_inc_subtensor1 = AdvancedIncSubtensor1()
advanced_set_subtensor1 = AdvancedIncSubtensor1(set_instead_of_inc=True)
