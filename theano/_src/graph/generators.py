"""Graph traversals that are generators; none of them is recursive."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from typing import Any, TypeVar

from theano._src.graph.graph import Apply, Variable
from theano._src.ground.documented import documented_in

T = TypeVar("T")


@documented_in("theano.graph.basic")
def walk(
    nodes: Iterable[T],
    expand: Callable[[T], Iterable[T] | None],
    bfs: bool = True,
    return_children: bool = False,
    hash_fn: Callable[[T], Hashable] = id,
) -> Iterator[Any]:
    """Yield each object that is reachable from ``nodes`` through ``expand``, once.

    Parameters
    ----------
    nodes
        The objects to start from.
    expand
        Called with each object; returns its successors, or None.
    bfs
        Breadth first; otherwise depth first, starting with the last object.
    return_children
        Yield pairs of an object and the result of ``expand`` for it.
    hash_fn
        Objects with the same key count as one; by default, the key is the identity.

    >>> from theano.graph.basic import walk
    >>> list(walk([1], lambda n: [2 * n, 3 * n] if n < 4 else None))
    [1, 2, 3, 4, 6, 9]
    >>> list(walk([1], lambda n: [2 * n, 3 * n] if n < 4 else None, bfs=False))
    [1, 3, 9, 6, 2, 4]
    """
    waiting = deque(nodes)
    seen: set[Hashable] = set()
    while waiting:
        thing = waiting.popleft() if bfs else waiting.pop()
        key = hash_fn(thing)
        if key in seen:
            continue
        seen.add(key)
        after = expand(thing)
        if after is not None:
            after = list(after)
            waiting.extend(after)
        yield (thing, after) if return_children else thing


@documented_in("theano.graph.basic")
def ancestors(
    graphs: Iterable[Variable], blockers: Collection[Variable] | None = None
) -> Iterator[Variable]:
    """Yield ``graphs`` and the variables they are computed from; those of the last one come first.

    The walk does not go past ``blockers``.

    >>> import theano.tensor as T
    >>> from theano.graph.basic import ancestors
    >>> x, y = T.dscalars("x", "y")
    >>> list(ancestors([x, y]))
    [y, x]
    """
    stop = set(blockers) if blockers else set()
    variables: set[Variable] = set()
    waiting = list(graphs)
    while waiting:
        v = waiting.pop()
        if v in variables:
            continue
        variables.add(v)
        yield v
        if v.owner is not None and v not in stop:
            waiting.extend(reversed(v.owner.inputs))


@documented_in("theano.graph.basic")
def graph_inputs(
    graphs: Iterable[Variable], blockers: Collection[Variable] | None = None
) -> Iterator[Variable]:
    """Yield the variables without owner among the ``ancestors`` of ``graphs``.

    The walk does not go past ``blockers``.

    >>> import theano.tensor as T
    >>> from theano.graph.basic import graph_inputs
    >>> x, y = T.dscalars("x", "y")
    >>> list(graph_inputs([T.exp(x) + y]))
    [x, y]
    """
    return (v for v in ancestors(graphs, blockers) if v.owner is None)


@documented_in("theano.graph.basic")
def vars_between(ins: Collection[Variable], outs: Iterable[Variable]) -> Iterator[Variable]:
    """Yield the variables from ``outs`` back to ``ins``, both included, breadth first.

    All outputs of a node are yielded, including unused ones.

    >>> import theano.tensor as T
    >>> from theano.graph.basic import vars_between
    >>> x = T.dscalar("x")
    >>> [str(v) for v in vars_between([x], [T.exp(x)])]
    ['Elemwise{exp,no_inplace}.0', 'x']
    """
    stop = set(ins)

    def expand(v: Variable) -> list[Variable] | None:
        if v.owner is None or v in stop:
            return None
        return [*v.owner.inputs, *v.owner.outputs][::-1]

    yield from walk(outs, expand)


@documented_in("theano.graph.basic")
def orphans_between(ins: Collection[Variable], outs: Iterable[Variable]) -> Iterator[Variable]:
    """Yield variables without owner that ``outs`` need and ``ins`` do not list: mostly constants.

    >>> import theano.tensor as T
    >>> from theano.graph.basic import orphans_between
    >>> x = T.dscalar("x")
    >>> list(orphans_between([x], [x + 1.5]))
    [TensorConstant{1.5}]
    """
    given = set(ins)
    return (v for v in vars_between(ins, outs) if v.owner is None and v not in given)


@documented_in("theano.graph.basic")
def applys_between(ins: Collection[Variable], outs: Iterable[Variable]) -> Iterator[Apply]:
    """Yield each node between ``ins`` and ``outs`` once, those near ``outs`` first.

    >>> import theano.tensor as T
    >>> from theano.graph.basic import applys_between
    >>> x = T.dscalar("x")
    >>> [str(node.op) for node in applys_between([x], [T.exp(T.sin(x))])]
    ['Elemwise{exp,no_inplace}', 'Elemwise{sin,no_inplace}']
    """
    given, result = set(ins), set()
    for v in vars_between(ins, outs):
        if v.owner is not None and v not in given and v.owner not in result:
            result.add(v.owner)
            yield v.owner
