"""Helpers for users' linkers: run thunks in order, know when values are dead."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from theano._src.engines.error_report import raise_with_thunk
from theano._src.engines.link import Cells
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Variable
from theano._src.ground.documented import documented_in


@documented_in("theano.gof.link")
def streamline(
    fgraph: FunctionGraph,
    thunks: Sequence[Callable[[], Any]],
    order: Sequence[Apply],
    post_thunk_old_storage: Sequence[Sequence[list[Any]]] | None = None,
    no_recycling: Collection[list[Any]] | None = None,
    nice_errors: bool = True,
) -> Callable[[], None]:
    """Return a function without arguments that runs thunks one after the other.

    Parameters
    ----------
    fgraph : FunctionGraph
        The graph that the thunks compute.
    thunks, order : lists
        A thunk for each node, and the nodes.
    post_thunk_old_storage : list of lists of cells, optional
        For each thunk, the cells to empty after it.
    no_recycling : list of cells, optional
        Emptied before each run.
    nice_errors : bool
        Whether an error names the node that raised it.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> graph = theano.gof.FunctionGraph([x], [T.exp(x)])
    >>> done = []
    >>> theano.gof.link.streamline(graph, [lambda: done.append(1)], graph.toposort())()
    >>> done
    [1]
    """
    if len(thunks) != len(order):
        raise ValueError(
            f"streamline takes a thunk for each node, got {len(thunks)} thunks, {len(order)} nodes"
        )
    dead = post_thunk_old_storage
    if dead is not None and len(dead) != len(thunks):
        raise ValueError(
            f"streamline takes cells to empty after each of {len(thunks)} thunks, got {len(dead)}"
        )
    cleared = list(no_recycling or ())
    steps = list(zip(thunks, order, dead or [()] * len(thunks), strict=True))

    def run() -> None:
        for cell in cleared:
            cell[0] = None
        for thunk, node, old in steps:
            try:
                thunk()
            except Exception as error:
                if not nice_errors:
                    raise
                raise_with_thunk(node, thunk, (type(error), error, None))
            for cell in old:
                cell[0] = None

    return run


@documented_in("theano.gof.link")
def gc_helper(node_list: Sequence[Apply]) -> tuple[set[Variable], dict[Variable, Apply]]:
    """Return the computed variables, and for each variable that is read its last reader.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> y = T.exp(x)
    >>> z = T.sqr(y)
    >>> computed, last_user = theano.gof.link.gc_helper([y.owner, z.owner])
    >>> computed == {y, z}, last_user[y] is z.owner
    (True, True)
    """
    computed: set[Variable] = set()
    last_user: dict[Variable, Apply] = {}
    for node in node_list:
        for v in node.inputs:
            last_user[v] = node
        computed.update(node.outputs)
    return computed, last_user


@documented_in("theano.gof.link")
def add_clear_storage(f: Any, computed: Collection[Variable], storage_map: Cells) -> None:
    """Give ``f`` a method ``clear_storage`` that empties the cells of computed variables.

    >>> import theano, theano.tensor as T
    >>> y = T.exp(T.dscalar("x"))
    >>> cells = {y: [3.0]}
    >>> def run():
    ...     pass
    >>> theano.gof.link.add_clear_storage(run, {y}, cells)
    >>> run.clear_storage()
    >>> cells[y]
    [None]
    """

    def clear_storage() -> None:
        for v in computed:
            storage_map[v][0] = None

    f.clear_storage = clear_storage
