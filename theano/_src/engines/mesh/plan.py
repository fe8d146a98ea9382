"""The mesh that a function runs on, and the shardings of its values there (ADR 18)."""

from __future__ import annotations

from collections.abc import Container, Sequence

from theano._src.engines.link import Cells
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Variable
from theano._src.ops.meta.constrain import Constrain
from theano._src.types.sharding import Mesh, Sharding
from theano._src.types.shared import Cell
from theano._src.types.tensor import TensorType


def mesh_of(fgraph: FunctionGraph, cells: Cells) -> Mesh | None:
    """The mesh that a function runs on; None if it runs only in this process.

    It runs on a mesh if an input, an output or a value in it has a sharding, if it reads a shared
    variable that is split, or if it updates one that has a sharding.
    """
    updated = {fgraph.inputs[i] for i in (fgraph.update_mapping or {}).values()}
    result = {s.mesh: None for s in fgraph.shardings.values()}
    for v in fgraph.inputs:
        sharding = getattr(cells[v], "sharding", None)
        if sharding is not None and (not sharding.is_replicated or v in updated):
            result[sharding.mesh] = None
    todo = [fgraph.apply_nodes]
    while todo:
        for node in todo.pop():
            if isinstance(node.op, Constrain):
                result[node.op.sharding.mesh] = None
            todo.extend(g.order for g in node.op.inner_graphs)
    if len(result) > 1:
        raise ValueError(
            f"a function runs on one mesh, and this one has values on {len(result)}: "
            f"{', '.join(map(str, result))}"
        )
    return next(iter(result), None)


class MeshPlan:
    """The shardings of the values of one function on its mesh.

    Attributes
    ----------
    given : dict
        Shardings of the inputs that are split.
    held : dict
        Shardings of all shared variables.
    shown : dict
        Shardings of the outputs that are split.
    """

    def __init__(self, fgraph: FunctionGraph, cells: Cells, mesh: Mesh) -> None:
        self.mesh = mesh
        self.replicated = mesh.replicated
        self.given: dict[Variable, Sharding] = {
            fgraph.inputs[i]: s for (kind, i), s in fgraph.shardings.items() if kind == "in"
        }
        updates = fgraph.update_mapping or {}
        updated = {fgraph.inputs[i] for i in updates.values()}
        self.held: dict[Variable, Sharding] = {}
        for v in fgraph.inputs:
            cell = cells[v]
            if isinstance(cell, Cell) and isinstance(v.type, TensorType):
                if cell.sharding is None and v in updated:
                    cell.sharding = self.replicated  # from now on it lives on the mesh
                self.held[v] = cell.sharding or self.replicated
        self.shown: dict[Variable, Sharding] = {}
        self._shardings: dict[Variable, Sharding] = {}
        for o, v in enumerate(fgraph.outputs):
            if o in updates:
                held = self.held.get(fgraph.inputs[updates[o]])
                if held is not None:
                    self._shardings.setdefault(v, held)
            elif ("out", o) in fgraph.shardings:
                self.shown[v] = self._shardings[v] = fgraph.shardings["out", o]
            else:
                self._shardings[v] = self.replicated

    def of_results(
        self,
        results: Sequence[Variable],
        state: dict[int, Variable],
        to_host: Container[Variable],
    ) -> list[Sharding | None]:
        """The shardings of a program's results; None where XLA may choose.

        ``state`` maps results to the shared variables that they replace; ``to_host`` holds the
        variables that the host reads.
        """
        result: list[Sharding | None] = []
        for r, v in enumerate(results):
            if r in state and state[r] in self.held:
                result.append(self.held[state[r]])
            elif v in to_host:
                result.append(self.replicated)
            else:
                result.append(self._shardings.get(v))
        return result
