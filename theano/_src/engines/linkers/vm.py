"""VM, Loop, LoopGC, Stack: the documented ways to run thunks, for users' linkers."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from typing import Any

from theano._src.engines.error_report import raise_with_thunk
from theano._src.engines.link import Cells
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Variable
from theano._src.ground.documented import documented_in


@documented_in("theano.gof.vm")
class VM:
    """Runs the thunks of a graph once per call; a subclass defines ``__call__``.

    Parameters
    ----------
    nodes, thunks : lists
        A thunk for each node, in an order in which they can run.
    pre_call_clear : list of cells
        Emptied before each call, so that values a caller may hold are not overwritten.

    Attributes
    ----------
    call_counts, call_times : lists
        For each node the number of runs, and the seconds, if ``time_thunks`` is set.
    need_update_inputs : bool
        Whether the function must store updates after a call; False if the VM has done it.
    """

    need_update_inputs = True

    def __init__(
        self, nodes: Sequence[Apply], thunks: Sequence[Any], pre_call_clear: Sequence[list[Any]]
    ) -> None:
        if len(nodes) != len(thunks):
            raise ValueError(
                f"a VM takes a thunk for each node, got {len(nodes)} nodes, {len(thunks)} thunks"
            )
        self.nodes, self.thunks = list(nodes), list(thunks)
        self.pre_call_clear = list(pre_call_clear)
        self.call_counts = [0] * len(self.nodes)
        self.call_times = [0.0] * len(self.nodes)
        self.time_thunks = False

    def __call__(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not say how thunks run")

    def clear_storage(self) -> None:
        """Empty the cells of ``pre_call_clear``."""
        for cell in self.pre_call_clear:
            cell[0] = None

    def run_thunk(self, i: int) -> Any:
        """Run the ``i``-th thunk; its errors name the node."""
        begun = time.perf_counter() if self.time_thunks else 0.0
        try:
            requested = self.thunks[i]()
        except Exception as error:
            raise_with_thunk(self.nodes[i], self.thunks[i], (type(error), error, None))
        self.call_counts[i] += 1
        if self.time_thunks:
            self.call_times[i] += time.perf_counter() - begun
        return requested


@documented_in("theano.gof.vm")
class Loop(VM):
    """Runs all thunks one after the other, and keeps their results.

    >>> import theano, theano.tensor as T
    >>> from theano.gof.link import map_storage
    >>> x = T.dscalar("x")
    >>> graph = theano.gof.FunctionGraph([x], [T.exp(x) + 1])
    >>> nodes = graph.toposort()
    >>> ins, outs, cells = map_storage(graph, nodes, None, None)
    >>> thunks = [node.op.make_thunk(node, cells, {v: [0] for v in cells}, []) for node in nodes]
    >>> ins[0][0] = 0.0
    >>> theano.gof.vm.Loop(nodes, thunks, [])()
    >>> float(outs[0][0])
    2.0
    """

    allow_gc = False

    def __call__(self) -> None:
        self.clear_storage()
        for i in range(len(self.nodes)):
            self.run_thunk(i)


@documented_in("theano.gof.vm")
class LoopGC(VM):
    """Like Loop; ``post_thunk_clear`` lists for each thunk the cells to empty after it."""

    allow_gc = True

    def __init__(
        self,
        nodes: Sequence[Apply],
        thunks: Sequence[Any],
        pre_call_clear: Sequence[list[Any]],
        post_thunk_clear: Sequence[Sequence[list[Any]]],
    ) -> None:
        super().__init__(nodes, thunks, pre_call_clear)
        if len(post_thunk_clear) != len(self.nodes):
            raise ValueError(
                f"LoopGC takes a list of cells for each of {len(self.nodes)} nodes, got "
                f"{len(post_thunk_clear)}"
            )
        self.post_thunk_clear = [list(cells) for cells in post_thunk_clear]

    def __call__(self) -> None:
        self.clear_storage()
        for i, dead in enumerate(self.post_thunk_clear):
            self.run_thunk(i)
            for cell in dead:
                cell[0] = None


@documented_in("theano.gof.vm")
class Stack(VM):
    """Runs only what the outputs need, and for lazy thunks only the inputs that they request.

    Parameters
    ----------
    nodes, thunks, pre_call_clear : as for ``VM``
    storage_map, compute_map : dicts
        The cell of each variable, and the cell with its state: 0 for not computed, 1 for computed,
        2 for computed and dropped.
    fgraph : FunctionGraph
    allow_gc : bool
        Whether values are dropped when all nodes that read them have run.
    dependencies : dict, optional
        Accepted; the readers of a variable are taken from ``fgraph``.
    callback : function, optional
        Called as ``callback(node=, thunk=, storage_map=, compute_map=)`` after each thunk.
    callback_input : function, optional
        Called as ``callback_input(variable, value)`` for each input before a run.
    """

    def __init__(
        self,
        nodes: Sequence[Apply],
        thunks: Sequence[Any],
        pre_call_clear: Sequence[list[Any]],
        storage_map: Cells,
        compute_map: Cells,
        fgraph: FunctionGraph,
        allow_gc: bool,
        dependencies: Any = None,
        callback: Callable[..., Any] | None = None,
        callback_input: Callable[..., Any] | None = None,
    ) -> None:
        super().__init__(nodes, thunks, pre_call_clear)
        self.storage_map, self.compute_map = storage_map, compute_map
        self.fgraph, self.allow_gc = fgraph, allow_gc
        self.callback, self.callback_input = callback, callback_input
        self.node_idx = {node: i for i, node in enumerate(self.nodes)}
        self.outputs_size = len(fgraph.outputs)
        self._orderings = fgraph.orderings()

    def run_thunk_of_node(self, node: Apply) -> Any:
        """Run the thunk of a node; return the inputs that it requests, if it is lazy."""
        i = self.node_idx[node]
        requested = self.run_thunk(i)
        if self.callback is not None and not requested:
            self.callback(
                node=node,
                thunk=self.thunks[i],
                storage_map=self.storage_map,
                compute_map=self.compute_map,
            )
        return requested

    def __call__(self, output_subset: Collection[int] | None = None) -> None:
        self.clear_storage()
        computed = self.compute_map
        for v in computed:
            computed[v][0] = 1 if v.owner is None else 0
        if self.callback_input is not None:
            for v in self.storage_map:
                if v.owner is None:
                    self.callback_input(v, self.storage_map[v][0])
        wanted = [
            v
            for i, v in enumerate(self.fgraph.outputs)
            if output_subset is None or i in output_subset
        ]
        done: set[Apply] = set()
        for v in wanted:
            self._compute(v, done)
        if self.allow_gc:
            self._drop([v for node in done for v in node.outputs])

    def _compute(self, v: Variable, done: set[Apply]) -> None:
        """Compute a variable, and first what it needs, without recursion."""
        stack = [] if v.owner is None else [v.owner]
        while stack:
            node = stack[-1]
            if node in done:
                stack.pop()
                continue
            lazy = getattr(self.thunks[self.node_idx[node]], "lazy", False)
            # nodes that must come before this one run first, whether it reads them or not
            first = [other for other in self._orderings.get(node, ()) if other not in done]
            if not lazy:
                first += self._owners(node.inputs)
            if first:
                stack.extend(first)
                continue
            requested = self.run_thunk_of_node(node)
            if requested:
                needed = self._owners([node.inputs[i] for i in requested])
                if not needed:
                    raise ValueError(
                        f"the thunk of {node.op} asks for its inputs {list(requested)}, "
                        "which it has"
                    )
                stack.extend(needed)
                continue
            for out in node.outputs:
                self.compute_map[out][0] = 1
            done.add(node)
            stack.pop()
            if self.allow_gc:
                self._drop(
                    [
                        x
                        for x in node.inputs
                        if all(user in done for user, _ in x._clients or () if user != "output")
                    ]
                )

    def _owners(self, variables: Sequence[Variable]) -> list[Apply]:
        """The nodes that still have to run for these variables."""
        return [x.owner for x in variables if x.owner is not None and not self.compute_map[x][0]]

    def _drop(self, variables: Sequence[Variable]) -> None:
        kept = set(self.fgraph.outputs)
        for v in variables:
            if v.owner is not None and v not in kept and self.compute_map[v][0] == 1:
                self.storage_map[v][0] = None
                self.compute_map[v][0] = 2
