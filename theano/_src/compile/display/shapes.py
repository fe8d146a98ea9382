"""Compute the shapes of a whole graph from the shapes of its inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from theano._src.compile.function import function
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Constant, Variable
from theano._src.graph.walk import ancestors
from theano._src.ground.documented import documented_in
from theano._src.ground.lazy import at_first_use
from theano._src.types.tensor import tensor_type

_mode = at_first_use("theano._src.compile.mode:Mode")
_shape_feature = at_first_use("theano._src.rules.shape:ShapeFeature")


@documented_in("theano.tensor.utils")
def shape_of_variables(
    fgraph: FunctionGraph, input_shapes: Mapping[Variable, Sequence[int]]
) -> dict[Variable, tuple[int, ...]]:
    """Compute the shapes of all variables of a graph from the shapes of its inputs.

    The graph itself is not computed. A ``ShapeFeature`` is attached to it if it has none.

    Parameters
    ----------
    fgraph : FunctionGraph
    input_shapes : dict
        The shape of each input of the graph.

    Returns
    -------
    dict
        A tuple of ints for each variable that has a shape.

    >>> import theano, theano.tensor as T
    >>> x = T.matrix("x")
    >>> y = x[512:]
    >>> y.name = "y"
    >>> fgraph = theano.FunctionGraph([x], [y], clone=False)
    >>> shapes = theano.tensor.utils.shape_of_variables(fgraph, {x: (1024, 1024)})
    >>> shapes[y], shapes[x]
    ((512, 1024), (1024, 1024))
    """
    if not hasattr(fgraph, "shape_feature"):
        fgraph.attach_feature(_shape_feature()())
    shape_of = fgraph.shape_feature.shape_of  # type: ignore[attr-defined]
    given: dict[Variable, int] = {}
    for v in fgraph.inputs:
        given.update(_lengths_given(v, shape_of[v], input_shapes))
    result = {v: shape_of[v] for v in fgraph.variables if shape_of[v] is not None}
    lengths = [n for each in result.values() for n in each]
    unknown = _unknown(lengths, given)
    if unknown is not None:
        raise ValueError(
            f"shape_of_variables takes graphs whose shapes follow from those of their inputs, got "
            f"one that depends on the value of {unknown}; give it as a constant"
        )
    numbers = [tensor_type("int64", ())() for _ in given]
    run = function(
        numbers,
        lengths,
        givens=list(zip(given, numbers, strict=True)),
        mode=_mode()("numpy", None),
        on_unused_input="ignore",
    )
    out = iter(run(*given.values()))
    return {v: tuple(int(next(out)) for _ in each) for v, each in result.items()}


def _lengths_given(
    v: Variable, lengths: Sequence[Any] | None, shapes: Mapping[Variable, Sequence[int]]
) -> dict[Variable, int]:
    if not lengths:
        return {}
    shape = shapes.get(v)
    if shape is None or len(shape) != len(lengths):
        raise ValueError(
            f"shape_of_variables takes {len(lengths)} lengths for the input {v} of {v.type}, "
            f"got {shape}"
        )
    # a length that is known from the type is already a constant
    return {n: int(k) for n, k in zip(lengths, shape, strict=True) if not isinstance(n, Constant)}


def _unknown(lengths: Sequence[Variable], given: Mapping[Variable, int]) -> Variable | None:
    for v in ancestors(lengths[::-1], given):
        if v.owner is None and v not in given and not isinstance(v, Constant):
            return v
    return None
