"""One node on XLA by itself: for modes that check each node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from theano._src.engines.jax import backend
from theano._src.engines.link import Job, map_storage
from theano._src.engines.xla.linker import XlaProgram
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Constant
from theano._src.types.run_node import has_compiled_form


def compiled_call(node: Apply) -> Callable[[Sequence[Any]], list[Any]] | None:
    """A function that computes the outputs of a node on XLA from its input values.

    None for a node without a compiled form, or if jax is not installed. Work that is left to the
    host, such as arithmetic on single numbers, may be done in place.
    """
    if not has_compiled_form(node) or backend.missing(to_load=False):
        return None
    copies = {v: v.type() for v in node.inputs if not isinstance(v, Constant)}
    alone = node.clone_with_new_inputs([copies.get(v, v) for v in node.inputs])
    fgraph = FunctionGraph(list(copies.values()), list(alone.outputs))
    order = fgraph.toposort()
    ins, _, cells = map_storage(fgraph, order, None, None)
    program = XlaProgram(Job(fgraph, cells, order, gc=False))

    def run(values: Sequence[Any]) -> list[Any]:
        of = dict(zip(node.inputs, values, strict=True))
        for v, cell in zip(copies, ins, strict=True):
            cell[0] = of[v]
        try:
            return program()
        finally:
            for cell in ins:
                cell[0] = None

    return run


def compiled_thunk(node: Apply, cells: Any) -> Callable[[], Any] | None:
    """The same as a thunk, which reads and writes the cells of the node's variables."""
    call = compiled_call(node)
    if call is None:
        return None
    inputs = [cells[v] for v in node.inputs]
    outputs = [cells[v] for v in node.outputs]

    def thunk() -> None:
        for cell, value in zip(outputs, call([cell[0] for cell in inputs]), strict=True):
            cell[0] = value

    thunk.inputs = inputs  # type: ignore[attr-defined]
    thunk.outputs = outputs  # type: ignore[attr-defined]
    thunk.lazy = False  # type: ignore[attr-defined]
    return thunk
