"""Advice in run-time errors, where the node and its inputs show what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.index.subtensor import Subtensor
from theano._src.ops.linalg import blas, dot
from theano._src.types.shared import SharedVariable

#: the names of the operands in the errors of products
_OPERANDS: dict[type, str] = {
    blas.Gemm: "z a x y b",
    blas.Gemv: "y alpha A x beta",
    blas.Ger: "A alpha x y",
    blas.Dot22: "x y",
    dot.Dot: "x y",
    dot.BatchedDot: "a b",
}


def advice(node: Apply, inputs: Sequence[Any] | None, error: BaseException) -> list[str]:
    """Sentences to append to the text of an error; an empty list if there is no advice."""
    shapes = [getattr(x, "shape", None) for x in inputs or ()]
    if len(shapes) != len(node.inputs):
        return []
    text = str(error)
    if isinstance(node.op, Elemwise) and "mis-match" in text and None not in shapes:
        return _not_broadcastable(node, shapes)
    if "Shape mismatch" in text:
        return _operands(node, shapes)
    if isinstance(error, IndexError) and isinstance(node.op, Subtensor):
        return _initial_rows(node, shapes)
    return []


def called(v: Variable) -> str:
    """The name of a variable, or a description: an argument of scan's step, a transpose."""
    if v.name is not None:
        return str(v.name)
    argument = getattr(v._tag, "step_argument", None)
    if argument is not None:
        return f"{argument} (an argument of scan's step)"
    if v.owner is not None and isinstance(v.owner.op, DimShuffle):
        order = v.owner.op.new_order
        if tuple(order) == (1, 0):
            return f"the transpose of {called(v.owner.inputs[0])}"
    return str(v)


def _not_broadcastable(node: Apply, shapes: Sequence[Any]) -> list[str]:
    """Name the inputs whose length 1 is not broadcastable, and how to make it so."""
    texts = []
    for v, shape in zip(node.inputs, shapes, strict=True):
        pattern = v.type.broadcastable
        axes = [
            d
            for d, n in enumerate(shape)
            if n == 1 and not pattern[d] and any(s[d] != 1 for s in shapes)
        ]
        if not axes:
            continue
        wanted = tuple(b or d in axes for d, b in enumerate(pattern))
        where = ", ".join(map(str, axes))
        cure = f"theano.tensor.addbroadcast({v.name or 'x'}, {where})"
        if isinstance(v, SharedVariable):
            cure = f"theano.shared(value, broadcastable={wanted}), or {cure}"
        elif v.owner is None and wanted in ((True, False), (False, True)):
            cure = f"declare it as theano.tensor.{'row' if wanted[0] else 'col'}, or use {cure}"
        texts.append(
            f"{called(v)} has length 1 in dimension {where}, but it does not stretch: its type, "
            f"{v.type}, is not broadcastable there. To stretch it: {cure}."
        )
    return texts


def _operands(node: Apply, shapes: Sequence[Any]) -> list[str]:
    letters = next((text for kind, text in _OPERANDS.items() if isinstance(node.op, kind)), "")
    parts = [
        f"{letter} is {called(v)} of shape {tuple(shape)}"
        for letter, v, shape in zip(letters.split(), node.inputs, shapes)
        if shape and not isinstance(v, Constant)
    ]
    return [f"Here {', '.join(parts)}."] if parts else []


def _initial_rows(node: Apply, shapes: Sequence[Any]) -> list[str]:
    """Say how many rows the initial value of a scan state needs, if it has fewer."""
    back = getattr(node.outputs[0]._tag, "steps_back", None)
    if back is None:
        return []
    return [
        f"{called(node.inputs[0])} is the initial value of a state whose taps reach {back} steps "
        f"back: scan needs {back} rows of it, got {shapes[0][0]}."
    ]
