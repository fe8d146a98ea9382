"""One stage of a graph: the nodes of one compiled program, its operands and results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.engines.value_guard import Guard
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.types.sharding import Sharding

#: larger constants (in bytes) are passed as operands: as literals they slow down compilation
_LITERAL_BYTES = 1024


class Stage:
    """Nodes that are compiled together.

    Attributes
    ----------
    operands : list of Variables
        The inputs of the program: graph inputs, results of earlier programs, host values.
    results : list of Variables
    sizes : list of Variables
        The integers that nodes demand, in the order of a key's second part.
    state : list of pairs of positions
        ``(operand, result)``: results that replace the operand as state.
    donate : list of positions
        Operands that the results may overwrite.
    where : list of Shardings, optional
        On a mesh, the shardings of the results; None where XLA may choose.
    replicated : Sharding, optional
        On a mesh, the sharding of everything else.
    guard : Guard, optional
        Checks the values of the nodes.
    of : str
        The name of the function.
    """

    def __init__(
        self,
        number: int,
        nodes: Sequence[Apply],
        operands: Sequence[Variable],
        results: Sequence[Variable],
        demands: dict[Apply, tuple[Variable, ...]],
        state: Sequence[tuple[int, int]] = (),
        donate: Sequence[int] = (),
        where: Sequence[Sharding | None] | None = None,
        replicated: Sharding | None = None,
    ) -> None:
        self.where = where
        self.replicated = replicated
        self.guard: Guard | None = None
        self.of = "a function"
        self.number = number
        self.nodes = list(nodes)
        self.operands = list(operands)
        self.results = list(results)
        self.state = list(state)
        self.donate = list(donate)
        self.sizes: list[Variable] = []
        places: dict[Variable, int] = {}
        self.demanded: dict[Apply, list[int]] = {}
        for node in self.nodes:
            for e in demands.get(node, ()):
                if e not in places:
                    places[e] = len(self.sizes)
                    self.sizes.append(e)
            self.demanded[node] = [places[e] for e in demands.get(node, ())]
        self.large = large_constants(self.nodes)


def large_constants(nodes: Sequence[Apply]) -> list[Any]:
    result = {
        v: None
        for node in nodes
        for v in node.inputs
        if isinstance(v, Constant) and getattr(v.data, "nbytes", 0) > _LITERAL_BYTES
    }
    return list(result)
