"""CheckLengths: the length check of an elementwise op that rewriting removed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op import Op
from theano._src.graph.walk import same_computations
from theano._src.ground.array_types import Array, ArrayNamespace, Arrays
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.shape.shape import shape_i_op
from theano._src.ops.shape.static_values import as_length
from theano._src.types.aliases import IntLike, TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.null import disconnected
from theano._src.types.tensor import TensorCall, TensorVariable


class CheckLengths(Op):
    """Its first input, whose dimensions ``dims`` must be as long as the further inputs say.

    ``(x - y) + y`` is x, but only where x and y are equally long: rewrites that leave y out keep
    that error by this op, which costs nothing else.
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
        made = [as_length(n) for n in lengths]
        if len(made) != len(self.dims):
            raise ValueError(f"{self} takes {len(self.dims)} lengths, got {len(made)}")
        return Apply(self, [x, *made], [x.type()])

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


def same_length(fgraph: FunctionGraph | None, x: TensorVariable, y: TensorVariable, d: int) -> bool:
    """Whether dimension ``d`` of both is known to be equally long, or 1 in both by type."""
    a, b = x.type.broadcastable[d], y.type.broadcastable[d]
    if a or b:
        return bool(a and b)
    if x is y:
        return True
    feature = getattr(fgraph, "shape_feature", None)
    return feature is not None and bool(feature.same_shape(x, y, d, d))


def same_lengths(fgraph: FunctionGraph | None, x: TensorVariable, y: TensorVariable) -> bool:
    """Whether two variables are known to have one shape."""
    if x is y:
        return True
    if x.type.broadcastable != y.type.broadcastable:
        return False
    return all(b or same_length(fgraph, x, y, d) for d, b in enumerate(x.type.broadcastable))


def has_length(fgraph: FunctionGraph | None, x: Variable, d: int, n: Variable) -> bool:
    """Whether dimension ``d`` of ``x`` is ``n`` long, or computing ``x`` fails.

    Elementwise ops compare the lengths of their inputs: the length of any of those will do.
    """
    feature = getattr(fgraph, "shape_feature", None)
    todo, seen = [x], 0
    while todo and seen < _MOST_SEEN:
        v = todo.pop()
        if v.type.broadcastable[d]:
            continue
        seen += 1
        lengths = (shape_i_op(d)(v),) * (d + 1) if feature is None else feature.shape(v)
        if lengths is not None and (lengths[d] is n or same_computations([lengths[d]], [n])):
            return True
        node = v.owner
        if node is None:
            continue
        if isinstance(node.op, Elemwise):
            todo.extend(node.inputs)
        elif isinstance(node.op, CheckLengths):
            checked = dict(zip(node.op.dims, node.inputs[1:], strict=True))
            if d in checked and same_computations([checked[d]], [n]):
                return True
            todo.append(node.inputs[0])
    return False


#: so many variables are asked for their length before it is called unknown
_MOST_SEEN = 12


def with_length_check(fgraph: FunctionGraph | None, x: Variable, model: Variable) -> Any:
    """``x``, checked to be as long as ``model`` in each dimension in which neither stretches."""
    if x is model:
        return x
    lengths = {}
    for d, b in enumerate(model.type.broadcastable):
        if b or x.type.broadcastable[d]:
            continue
        n = length_of(fgraph, model, d)
        if not has_length(fgraph, x, d, n):
            lengths[d] = n
    return CheckLengths(tuple(lengths))(x, *lengths.values()) if lengths else x


def length_of(fgraph: FunctionGraph | None, x: Variable, d: int) -> Any:
    """The length of a dimension, in terms of the inputs where the graph knows it so."""
    if x.type.broadcastable[d]:
        return as_length(1)
    feature = getattr(fgraph, "shape_feature", None)
    lengths = None if feature is None else feature.shape(x)
    return shape_i_op(d)(x) if lengths is None else lengths[d]
