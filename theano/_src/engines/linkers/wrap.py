"""WrapLinker: call a function around every thunk."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from theano._src.engines.link import Cells, Job, Linker, LocalLinker, ThunkProgram, map_storage
from theano._src.engines.linkers.one_node import compiled_thunk
from theano._src.engines.xla.linker import XlaLinker
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply
from theano._src.ground.documented import documented_in


@documented_in("theano.gof.link")
class WrapLinker(LocalLinker):
    """Runs node by node through a user's function, on one linker or several side by side.

    Parameters
    ----------
    linkers : list of Linkers
        Each creates a thunk for every node. The function returns the values of the first one; the
        others compute on copies of its inputs.
    wrapper : function
        Called as ``wrapper(i, node, *thunks)`` for the ``i``-th node, one thunk for each linker. A
        thunk has ``inputs`` and ``outputs``, lists of one-element cells; calling it computes.

    >>> import theano, theano.tensor as T
    >>> def show(i, node, thunk):
    ...     thunk()
    ...     print(i, node, [float(cell[0]) for cell in thunk.outputs])
    >>> linker = theano.gof.WrapLinker([theano.gof.PerformLinker()], show)
    >>> x = T.dscalar("x")
    >>> f = theano.function([x], T.sqr(x) + 1, mode=theano.Mode(linker, None))
    >>> f(3).item()
    0 Elemwise{sqr,no_inplace}(x) [9.0]
    1 Elemwise{add,no_inplace}(Elemwise{sqr,no_inplace}.0, TensorConstant{1}) [10.0]
    10.0
    """

    def __init__(self, linkers: Sequence[Linker], wrapper: Callable[..., Any]) -> None:
        self.linkers = list(linkers)
        if not self.linkers:
            raise ValueError("WrapLinker takes at least one linker, got none")
        self.wrapper = wrapper
        self.fgraph = None  # type: ignore[assignment]

    @property
    def leaves_out(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.linkers[0].leaves_out

    @property
    def allow_gc(self) -> bool:
        return self.linkers[0].allow_gc

    @allow_gc.setter
    def allow_gc(self, value: bool) -> None:
        for linker in self.linkers:
            linker.allow_gc = value

    def clone(self, allow_gc: bool | None = None) -> WrapLinker:
        result = copy.copy(self)
        result.linkers = [linker.clone(allow_gc=allow_gc) for linker in self.linkers]
        result.fgraph = None  # type: ignore[assignment]
        return result

    def schedule(self, fgraph: FunctionGraph) -> list[Apply]:
        return self.linkers[0].schedule(fgraph)

    def pre(self, f: Any, inputs: list[Any], order: list[Apply], thunk_groups: list[Any]) -> None:
        """Called before each run with the inputs, the nodes and their thunks; does nothing."""

    def make_program(self, cells: Cells, order: list[Apply]) -> WrappedProgram:
        return WrappedProgram(self, cells, order)


class WrappedProgram(ThunkProgram):
    """The thunks of several linkers for each node, passed to a wrapper."""

    def __init__(self, linker: WrapLinker, cells: Cells, order: list[Apply]) -> None:
        fgraph = linker.fgraph
        # the wrapper may look at any value afterwards
        super().__init__(Job(fgraph, cells, order, gc=False))
        self._linker = linker
        self._inputs = [cells[v] for v in fgraph.inputs]
        groups = [_own_thunks(linker.linkers[0], fgraph, cells, order) or self.thunks]
        self._copies: list[list[list[Any]]] = []
        for other in linker.linkers[1:]:
            inputs, _, own = map_storage(fgraph, order, None, None)
            self._copies.append(inputs)
            result = _own_thunks(other, fgraph, own, order)
            groups.append(result or ThunkProgram(Job(fgraph, own, order, gc=False)).thunks)
        self.thunk_groups = list(zip(*groups, strict=True))
        self.around = self._wrapped

    def _run_thunks(self) -> None:
        for copies in self._copies:
            for mine, theirs in zip(self._inputs, copies, strict=True):
                theirs[0] = copy.copy(mine[0])
        values = [cell[0] for cell in self._inputs]
        self._linker.pre(self._linker, values, self.nodes, self.thunk_groups)
        super()._run_thunks()

    def _wrapped(self, i: int, node: Apply, thunk: Any) -> None:
        self._linker.wrapper(i, node, *self.thunk_groups[i])


def _own_thunks(
    linker: Linker, fgraph: FunctionGraph, cells: Cells, order: list[Apply]
) -> list[Any] | None:
    """The thunks that a user's linker creates; None for our linkers, which need not create any.

    With the XLA linker, each node that has a compiled form is compiled by itself.
    """
    if isinstance(linker, XlaLinker):
        plain = ThunkProgram(Job(fgraph, cells, order, gc=False)).thunks
        return [compiled_thunk(n, cells) or thunk for n, thunk in zip(order, plain, strict=True)]
    if type(linker).make_all is Linker.make_all:
        return None
    bound = copy.copy(linker).accept(fgraph)
    result = bound.make_all(input_storage=[cells[v] for v in fgraph.inputs], storage_map=cells)
    return list(result[3]) if len(result[3]) == len(order) else None


@documented_in("theano.gof.link")
def WrapLinkerMany(linkers: Sequence[Linker], wrappers: Sequence[Callable[..., Any]]) -> WrapLinker:
    """Create a ``WrapLinker`` with several functions that are called one after the other.

    >>> import theano, theano.tensor as T
    >>> seen = []
    >>> wrappers = [lambda i, node, thunk: thunk(), lambda i, node, thunk: seen.append(node.op)]
    >>> linker = theano.gof.WrapLinkerMany([theano.gof.PerformLinker()], wrappers)
    >>> x = T.dscalar("x")
    >>> theano.function([x], T.sqr(x), mode=theano.Mode(linker, None))(3).item()
    9.0
    >>> seen == [T.sqr]
    True
    """

    def wrapper(*args: Any) -> None:
        for each in wrappers:
            each(*args)

    return WrapLinker(linkers, wrapper)
