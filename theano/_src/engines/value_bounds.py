"""How large the results of a node can be, when its inputs are no larger than known bounds.

Where a bound shows that a value is finite and small, nobody has to look at it: reading a gradient
once more takes as long as making it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, prod
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.linalg.blas import Dot22
from theano._src.ops.linalg.dot import BatchedDot, Dot
from theano._src.ops.nnet.softmax import Softmax, SoftmaxWithBias
from theano._src.ops.reduce.careduce import CAReduce
from theano._src.ops.shape.alloc import Alloc

Bounds = Sequence[float]

#: scalar ops whose results are no larger than their inputs, or than one, and no NaN of theirs
TAME = {
    "AND", "Abs", "Cast", "Ceil", "Clip", "Cos", "EQ", "Floor", "GE", "GT", "Identity", "InRange",
    "Invert", "IsFinite", "IsInf", "IsNan", "LE", "LT", "Maximum", "Minimum", "NEQ", "Neg", "OR",
    "Relu", "ScalarSigmoid", "Second", "Sgn", "Sin", "Switch", "Tanh", "Trunc", "XOR",
}  # fmt: skip

#: what others make of bounds
_ELEMENTWISE: dict[str, Callable[[Bounds], float]] = {
    "Add": sum,
    "Sub": sum,
    "Mul": prod,
    "Sqr": lambda b: b[0] * b[0],
    "Tanh": lambda b: 1.0,
    "Sin": lambda b: 1.0,
    "Cos": lambda b: 1.0,
    "ScalarSigmoid": lambda b: 1.0,
}


def is_tame(node: Apply) -> bool:
    """Whether a node's outputs are small and finite wherever its inputs are."""
    op = node.op
    if isinstance(op, Elemwise):
        return _kind(op) in TAME and not _narrows(node)
    if isinstance(op, DimShuffle | Alloc):
        return True
    views = getattr(op, "view_map", None) or {}
    return all(i in views for i in range(len(node.outputs)))


def own_bound(v: Variable) -> float:
    """The bound that a variable has by itself: of a constant its data, of others their dtype."""
    if isinstance(v, Constant):
        data = np.asarray(v.data)
        if data.dtype.kind not in "fciub" or not data.size:
            return 0.0 if not data.size else inf
        largest = float(np.max(np.abs(data)))
        return largest if np.isfinite(largest) else inf
    dtype = getattr(v.type, "numpy_dtype", None)
    if dtype is None or dtype.kind in "fc":
        return inf
    return 1.0 if dtype.kind == "b" else float(np.iinfo(dtype).max)


def bound_of(node: Apply, inputs: Bounds, ins: Sequence[Any], out: Sequence[int]) -> float:
    """A bound of the outputs of a node; infinity where nothing is known.

    ``inputs`` are bounds of its inputs, ``ins`` their shapes, ``out`` that of the first output.
    """
    if inf in inputs:
        return inf  # one of them may be NaN
    found = _bound(node, inputs, ins, out)
    dtypes = [v.type.numpy_dtype for v in node.outputs if hasattr(v.type, "numpy_dtype")]
    # float16 ends at 65504
    most = min((float(np.finfo(t).max) for t in dtypes if t.kind in "fc"), default=inf)
    return found if found <= most else inf


def _bound(node: Apply, inputs: Bounds, ins: Sequence[Any], out: Sequence[int]) -> float:
    op = node.op
    if isinstance(op, Elemwise):
        made = _ELEMENTWISE.get(_kind(op))
        if made is not None and not _narrows(node):
            return made(inputs)
        return max(1.0, *inputs) if is_tame(node) else inf
    if is_tame(node):
        return max(inputs, default=inf)
    if isinstance(op, Dot | Dot22 | BatchedDot):
        length: int = ins[0][-1] if ins[0] else 1
        return length * inputs[0] * inputs[1]
    if isinstance(op, Softmax | SoftmaxWithBias):
        return 1.0
    if isinstance(op, CAReduce):
        match _kind(op):
            case "Add":
                return float(inputs[0] * (prod(ins[0]) / max(1, prod(out))))
            case "Maximum" | "Minimum":
                return inputs[0]
    return inf


def _kind(op: Any) -> str:
    """The name of a scalar op of ours; a user's may have the same one."""
    kind = type(op.scalar_op)
    return kind.__name__ if kind.__module__.startswith("theano.") else ""


def _narrows(node: Apply) -> bool:
    """Whether a cast may turn a number into infinity: to a shorter float, or to float16."""
    given = [v.type.numpy_dtype for v in node.inputs]
    made = [v.type.numpy_dtype.itemsize for v in node.outputs if v.type.numpy_dtype.kind in "fc"]
    if not made:
        return False
    floats = [t.itemsize for t in given if t.kind in "fc"]
    whole = any(t.kind in "iu" and t.itemsize > 1 for t in given)
    return max(floats, default=0) > min(made) or (whole and min(made) == 2)
