"""Gradients of graphs of scalars, from the gradients of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.graph import testvalue
from theano._src.graph.clone import rebuild
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import PureOp
from theano._src.graph.walk import nodes_of
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.meta.misc import ScalarFromTensor, TensorFromScalar
from theano._src.types.null import DisconnectedType, NullType
from theano._src.types.scalar import Scalar, as_scalar
from theano._src.types.tensor import TensorType, TensorVariable, tensor_type

_to_tensor, _to_number = TensorFromScalar(), ScalarFromTensor()


def of_numbers(node: Apply) -> bool:
    """Whether a node computes scalars from scalars, not tensors."""
    return bool(getattr(node.op, "of_numbers", False))


def slopes_of_numbers(node: Apply, gs: Sequence[Any]) -> list[Any]:
    """Return the gradients of a node's inputs, as scalars, given those of its outputs.

    Ops define their gradients for tensors. Here a gradient is built for 0-d tensors, and each
    Elemwise node in it is replaced by a node of its scalar op.
    """
    op = node.op
    if type(op).L_op is PureOp.L_op and type(op).grad is not PureOp.grad:
        return list(op.grad(node.inputs, list(gs)))
    stands_for: dict[Variable, Any] = {}

    def tensor(v: Variable) -> Any:
        if isinstance(v.type, DisconnectedType | NullType):
            return v
        results = tensor_type(v.type.dtype, ())()
        stands_for[results] = v if isinstance(v.type, Scalar) else _to_number(v)
        return results

    with testvalue.under("off"):
        ins, outs = [tensor(v) for v in node.inputs], [tensor(v) for v in node.outputs]
        result = Elemwise(op)._each(ins, outs, [tensor(g) for g in gs])
    return as_numbers(result, stands_for)


def as_numbers(results: Sequence[Any], stands_for: dict[Variable, Any]) -> list[Any]:
    """Rewrite expressions of 0-d tensors with the scalars that ``stands_for`` maps them to."""
    known = dict(stands_for)
    for node in nodes_of([v for v in results if isinstance(v, Variable)], stands_for):
        plain = isinstance(node.op, Elemwise) or (
            isinstance(node.op, DimShuffle) and not node.op.new_order
        )
        args = [_number(v, known) for v in node.inputs] if plain else [None]
        if any(a is None for a in args):
            continue
        if isinstance(node.op, DimShuffle):
            known[node.outputs[0]] = args[0]
        else:
            result = node.op.scalar_op(*args, return_list=True)
            known.update(zip(node.outputs, result, strict=True))
    return [_last(v, known, stands_for) for v in results]


def _number(v: Variable, sizes: dict[Variable, Any]) -> Any:
    if v not in sizes and isinstance(v, Constant) and v.type.ndim == 0:
        return as_scalar(v.data)
    return sizes.get(v)


def _last(v: object, sizes: dict[Variable, Any], stands_for: dict[Variable, Any]) -> Any:
    if not isinstance(v, Variable) or not isinstance(v.type, TensorType):
        return v
    number = _number(v, sizes)
    if number is not None:
        return number
    # an op in the expression has no scalar form
    return _to_number(rebuild([v], {k: _to_tensor(x) for k, x in stands_for.items()})[0])


def fitting(v: TensorVariable, g: TensorVariable) -> Any:
    """Return the gradient ``g`` as a scalar if ``v`` is a scalar, as a tensor if it is a tensor."""
    if isinstance(v.type, Scalar) and isinstance(g.type, TensorType) and g.type.ndim == 0:
        return _to_number(g)
    if isinstance(v.type, TensorType) and isinstance(g.type, Scalar):
        return _to_tensor(g)
    return g
