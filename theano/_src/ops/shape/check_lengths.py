"""CheckLengths: the length check of an elementwise op that rewriting removed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace, Arrays
from theano._src.ops.shape.static_values import as_length
from theano._src.types.aliases import IntLike, TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.null import disconnected
from theano._src.types.tensor import TensorCall


class CheckLengths(Op):
    """Return the first input, and check that its dimensions ``dims`` have the given lengths.

    ``(x - y) + y`` is x only if x and y have the same lengths. Rewrites that remove y use this op
    to keep the error for a mismatch; it does no other work.
    """

    __call__: TensorCall

    __props__ = ("dims",)
    view_map = {0: [0]}
    shape_like = 0
    nondiff_inputs = slice(1, None)

    def __init__(self, dims: Sequence[int]) -> None:
        self.dims = tuple(dims)

    def make_node(self, x: TensorLike, *lengths: IntLike) -> Apply:
        x = as_tensor_variable(x)
        results = [as_length(n) for n in lengths]
        if len(results) != len(self.dims):
            raise ValueError(f"{self} takes {len(self.dims)} lengths, got {len(results)}")
        if any(d >= x.type.ndim for d in self.dims):
            raise TypeError(f"{self} takes a tensor that has these dimensions, got {x} of {x.type}")
        return Apply(self, [x, *results], [x.type()])

    def compute(self, xp: ArrayNamespace, x: Array, *lengths: Array) -> Any:
        self._compare(x.shape, lengths)
        return x

    def bind(self, node: Apply) -> Callable[..., Any]:
        compare = self._compare

        def run(x: Array, *lengths: Array) -> Any:
            compare(x.shape, lengths)
            return x

        return run

    def _compare(self, shape: Sequence[int], lengths: Sequence[Any]) -> None:
        for d, n in zip(self.dims, lengths, strict=True):
            if shape[d] != n:
                raise ValueError(
                    f"Input dimension mis-match. (input[0].shape[{d}] = {shape[d]}, another "
                    f"input's shape[{d}] = {int(n)})"
                )

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        return node.inputs[1:]

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], x: Array, *lengths: Array) -> Any:
        return x

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        shape = inputs[0].shape
        if all(shape[d] == n for d, n in zip(self.dims, sizes, strict=True)):
            return ()
        return (xp.asarray(False),)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return [*output_grads, *(disconnected() for _ in inputs[1:])]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return eval_points[:1]

    def __str__(self) -> str:
        return f"CheckLengths{{{','.join(map(str, self.dims))}}}"
