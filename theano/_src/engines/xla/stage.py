"""One stage of a graph: nodes that run in one compiled program, what comes in and what goes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.engines.value_guard import Guard
from theano._src.graph.graph import Apply, Constant, Variable

#: constants above this many bytes are operands: as literals they slow compilation down
_LITERAL_BYTES = 1024


class Stage:
    """Nodes that are compiled together.

    Attributes
    ----------
    operands : list of Variables
        What comes in: inputs, results of earlier programs, host values.
    results : list of Variables
    sizes : list of Variables
        The demanded integers, in the order of a key's second part.
    state : list of pairs of positions
        ``(operand, result)``: results that replace an operand for good.
    donate : list of positions
        Operands that the results overwrite.
    guard : Guard, optional
        What looks at the values of the nodes.
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
    ) -> None:
        self.guard: Guard | None = None
        #: whether its flags ask no more than they must
        self.exact_guard = False
        self.number = number
        self.nodes = list(nodes)
        self.operands = list(operands)
        self.results = list(results)
        self.state = list(state)
        self.donate = list(donate)
        self.sizes: list[Variable] = []
        where: dict[Variable, int] = {}
        self.demanded: dict[Apply, list[int]] = {}
        for node in self.nodes:
            for e in demands.get(node, ()):
                if e not in where:
                    where[e] = len(self.sizes)
                    self.sizes.append(e)
            self.demanded[node] = [where[e] for e in demands.get(node, ())]
        self.large = large_constants(self.nodes)


def large_constants(nodes: Sequence[Apply]) -> list[Any]:
    found = {
        v: None
        for node in nodes
        for v in node.inputs
        if isinstance(v, Constant) and getattr(v.data, "nbytes", 0) > _LITERAL_BYTES
    }
    return list(found)
