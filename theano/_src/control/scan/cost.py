"""Cost of a loop: the work of the nodes of its step, from input shapes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from theano._src.control.scan.structure import ScanStructure
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import Op
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.linalg.blas import Dot22
from theano._src.ops.linalg.dot import Dot

Shape = tuple[int, ...]
# assumed, not measured: the steps of a loop whose length is no constant and no length of an array
_USUAL_STEPS = 10


def work_of(
    op: ScanStructure, node: Apply, ins: Sequence[Any], outs: Sequence[Any]
) -> list[tuple[str, float]]:
    """Kinds and amounts of the work of all steps, where inputs have shapes ``ins``.

    The number of steps is the length of the first trace or sequence, or the constant that says it;
    shapes inside are told by rule of thumb where an op has no simple rule.
    """
    given = op.given(ins)
    rows = [s for s in (*given.sequences, *outs[: sum(op.is_stacked)]) if s]
    said = op.given(node.inputs).n
    n = rows[0][0] if rows else int(said.data) if isinstance(said, Constant) else _USUAL_STEPS
    inside = [*(s[1:] for s in given.sequences), *given.states, *given.non_sequences]
    found: dict[str, float] = {"call": float(n * len(op.order))}
    for node, here, made in _shapes_inside(op, inside):
        if isinstance(node.op, Op):
            for kind, amount in node.op.work(node, here, made):
                found[kind] = found.get(kind, 0.0) + n * amount
    found["copy"] = found.get("copy", 0.0) + sum(map(prod, outs))
    return list(found.items())


def largest_in(op: ScanStructure, inside: Sequence[Shape]) -> int:
    """About how many elements the largest array has that a step makes."""
    sizes = [prod(s) for _, _, made in _shapes_inside(op, inside) for s in made]
    return max([1, *sizes])


def _shapes_inside(
    op: ScanStructure, inside: Sequence[Shape]
) -> Iterator[tuple[Apply, list[Shape], list[Shape]]]:
    """For each inner node about what shapes it reads and makes, given those of inner inputs."""
    shapes: dict[Variable, Shape] = dict(zip(op.inner_inputs, inside, strict=True))
    for node in op.order:
        here = [_shape(v, shapes) for v in node.inputs]
        made = [_made(node, here, k) for k in range(len(node.outputs))]
        shapes.update(zip(node.outputs, made, strict=True))
        yield node, here, made


def _shape(v: Variable, shapes: dict[Variable, Shape]) -> Shape:
    if isinstance(v, Constant):
        return tuple(getattr(v.data, "shape", ()))
    return shapes.get(v) or (1,) * getattr(v.type, "ndim", 0)


def _made(node: Apply, ins: Sequence[Shape], k: int) -> Shape:
    """About what shape an output has."""
    ndim = getattr(node.outputs[k].type, "ndim", 0)
    if isinstance(node.op, Elemwise):
        return tuple(max((s[d] for s in ins if len(s) == ndim), default=1) for d in range(ndim))
    if isinstance(node.op, DimShuffle):
        return tuple(1 if d == "x" else ins[0][d] for d in node.op.new_order)
    if isinstance(node.op, Dot | Dot22):
        return (*ins[0][:-1], *ins[1][1:])
    alike = [s for s in ins if len(s) == ndim]
    return max(alike, key=prod, default=(1,) * ndim)
