"""Reference evaluation: a graph as it was built, node by node on NumPy, without rewrites."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import meaning_of
from theano._src.graph.testvalue import thunk_of
from theano._src.graph.walk import nodes_of
from theano._src.types.scalar import Scalar
from theano._src.types.tensor import TensorType


def evaluate(outputs: Sequence[Variable], givens: Mapping[Variable, Any]) -> list[Any]:
    """Return the values of ``outputs``, for the values of variables in ``givens``.

    >>> import theano.tensor as T
    >>> x = T.dvector("x")
    >>> evaluate([x + x], {x: np.array([1.0, 2.0])})[0].tolist()
    [2.0, 4.0]
    """
    values: dict[Variable, Any] = dict(givens)
    for node in nodes_of(outputs, values):
        result = run_node(node, [root_value(values, v) for v in node.inputs])
        values.update(zip(node.outputs, result, strict=True))
    return [root_value(values, v) for v in outputs]


def root_value(values: dict[Variable, Any], v: Variable) -> Any:
    """Return the value of a variable that is computed already, a constant, or shared."""
    if v in values:
        return values[v]
    if isinstance(v, Constant):
        values[v] = v.data
    elif hasattr(v, "get_value"):
        values[v] = v.get_value(borrow=True)
    else:
        raise ValueError(f"evaluate takes a value for each input, got none for {v} of {v.type}")
    return values[v]


def run_node(node: Apply, inputs: Sequence[Any]) -> list[Any]:
    """Return the outputs of one node as its op returns them, not cast to their types."""
    with np.errstate(all="ignore"):
        if meaning_of(node.op) == "compute":
            results = node.op.bind(node)(*inputs)
            results = results if len(node.outputs) > 1 else [results]
            # NumPy returns scalars for arrays without dimensions
            return [
                np.asarray(m) if isinstance(v.type, TensorType | Scalar) else m
                for v, m in zip(node.outputs, results, strict=True)
            ]
        storage = {v: [None] for v in node.outputs}
        storage |= {v: [x] for v, x in zip(node.inputs, inputs, strict=True)}
        computed = {v: [v not in node.outputs] for v in storage}
        thunk_of(node.op, node, storage, computed)()
        return [storage[v][0] for v in node.outputs]
