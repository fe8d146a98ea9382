"""Estimate the shapes of values inside a loop from the shapes of its inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from theano._src.control.scan.structure import ScanStructure
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.linalg.blas import Dot22
from theano._src.ops.linalg.dot import Dot

Shape = tuple[int, ...]


def largest_in(op: ScanStructure, inside: Sequence[Shape]) -> int:
    """Estimate the number of elements of the largest array that a step computes."""
    sizes = [prod(s) for _, _, result in shapes_inside(op, inside) for s in result]
    return max([1, *sizes])


def shapes_inside(
    op: ScanStructure, inside: Sequence[Shape]
) -> Iterator[tuple[Apply, list[Shape], list[Shape]]]:
    """Yield each inner node with estimated input and output shapes; ``inside``: inner inputs'."""
    shapes: dict[Variable, Shape] = dict(zip(op.inner_inputs, inside, strict=True))
    for node in op.order:
        here = [_shape(v, shapes) for v in node.inputs]
        results = [_output_shape(node, here, k) for k in range(len(node.outputs))]
        shapes.update(zip(node.outputs, results, strict=True))
        yield node, here, results


def _shape(v: Variable, shapes: dict[Variable, Shape]) -> Shape:
    if isinstance(v, Constant):
        return tuple(getattr(v.data, "shape", ()))
    return shapes.get(v) or (1,) * getattr(v.type, "ndim", 0)


def _output_shape(node: Apply, ins: Sequence[Shape], k: int) -> Shape:
    ndim = getattr(node.outputs[k].type, "ndim", 0)
    if isinstance(node.op, Elemwise):
        return tuple(max((s[d] for s in ins if len(s) == ndim), default=1) for d in range(ndim))
    if isinstance(node.op, DimShuffle):
        return tuple(1 if d == "x" else ins[0][d] for d in node.op.new_order)
    if isinstance(node.op, Dot | Dot22):
        return (*ins[0][:-1], *ins[1][1:])
    alike = [s for s in ins if len(s) == ndim]
    return max(alike, key=prod, default=(1,) * ndim)
