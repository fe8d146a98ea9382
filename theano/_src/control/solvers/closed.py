"""Cut expressions at the variables to solve for: inner inputs, parameters, one flat vector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from theano._src.graph import source_line, testvalue
from theano._src.graph.clone import rebuild
from theano._src.graph.graph import Constant, Variable
from theano._src.graph.walk import nodes_of
from theano._src.ops.shape.join import concatenate
from theano._src.ops.shape.shape import reshape, shape_i
from theano._src.ops.shape.static_values import product
from theano._src.types.convert import as_tensor_variable
from theano._src.types.tensor import TensorType, tensor_type


class Closed(NamedTuple):
    """Expressions on fresh variables, and the outer variables that are their parameters.

    ``inputs`` are the fresh variables to solve for, then one per parameter.
    """

    inputs: list[Variable]
    outputs: list[Variable]
    parameters: list[Variable]


def closed(expressions: Sequence[Variable], variables: Sequence[Variable]) -> Closed:
    """Return the part of ``expressions`` that depends on ``variables``.

    What does not depend on them is computed outside, once, and becomes a parameter.
    """
    depends = set(variables)
    parameters: dict[Variable, None] = {}
    for node in nodes_of(expressions, depends):
        if not depends.isdisjoint(node.inputs):
            depends.update(node.outputs)
            parameters.update(dict.fromkeys(node.inputs))
    parameters.update(dict.fromkeys(expressions))
    outer = [v for v in parameters if v not in depends and not isinstance(v, Constant)]
    with source_line.paused(), testvalue.under("off"):
        fresh = {v: v.type(name=v.name) for v in (*variables, *outer)}
        return Closed(list(fresh.values()), rebuild(expressions, fresh), outer)


class Flat:
    """Several tensors as one vector.

    Attributes
    ----------
    vector : Variable
        A fresh vector that has the elements of all tensors; the only tensor itself if it is one
        vector.
    """

    def __init__(self, variables: Sequence[Any], who: str) -> None:
        self.variables = list(variables)
        for v in self.variables:
            if not isinstance(v, Variable) or not isinstance(v.type, TensorType):
                raise TypeError(f"{who} takes tensor variables, got {v!r}")
            if v.type.numpy_dtype.kind != "f":
                raise TypeError(f"{who} takes variables of floats, got {v} of {v.type}; cast it")
        if len(set(map(id, self.variables))) != len(self.variables) or not self.variables:
            raise ValueError(f"{who} takes different variables, got {self.variables}")
        self.is_plain = len(self.variables) == 1 and self.variables[0].type == tensor_type(
            self.variables[0].type.dtype, (False,)
        )
        if self.is_plain:
            self.vector = self.variables[0]
            return
        self._lengths = [[shape_i(v, i) for i in range(v.type.ndim)] for v in self.variables]
        self.vector = tensor_type(self.start().type.dtype, (False,))()

    def start(self) -> Any:
        """Return the values of the variables as one vector."""
        return flattened(self.variables)

    def given(self, expressions: Sequence[Any]) -> list[Any]:
        """Return ``expressions`` in terms of the vector instead of the variables."""
        if self.is_plain:
            return list(expressions)
        with source_line.paused(), testvalue.under("off"):
            new = dict(zip(self.variables, self.split(self.vector), strict=True))
            # the lengths stay those of the variables' values
            kept = {n: n for ns in self._lengths for n in ns}
            return rebuild(expressions, new, memo=kept)

    def split(self, vector: Any) -> list[Any]:
        """Return the tensors whose elements are in a vector."""
        if self.is_plain:
            return [vector]
        at: Any = 0
        results = []
        for v, lengths in zip(self.variables, self._lengths, strict=True):
            if v.type.ndim == 0:
                part = vector[at]
            else:
                part = reshape(vector[at : at + product(lengths)], lengths, ndim=v.type.ndim)
            results.append(v.type.filter_variable(part.astype(v.type.dtype)))
            at = at + product(lengths)
        return results


def flattened(variables: Sequence[Any]) -> Any:
    """Return the elements of tensors as one vector."""
    parts = [as_tensor_variable(v).flatten() for v in variables]
    return parts[0] if len(parts) == 1 else concatenate(parts)
