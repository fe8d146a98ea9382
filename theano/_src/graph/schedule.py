"""Node orders defined by users: comparisons in order of priority, after data dependences."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Variable
from theano._src.graph.walk import nodes_of
from theano._src.ground.documented import documented_in

T = TypeVar("T", bound=Hashable)
Compare = Callable[[Any, Any], float]


@documented_in("theano.gof.sched")
def make_depends() -> Callable[[tuple[Any, Any]], bool]:
    """Return a function of a pair ``(a, b)``: whether ``a`` depends on ``b``, at any distance.

    Each is a node or a variable.

    >>> import theano.tensor as T
    >>> from theano.gof.sched import make_depends
    >>> x = T.dscalar("x")
    >>> y = T.exp(x + 1)
    >>> depends = make_depends()
    >>> depends((y.owner, x)), depends((x, y.owner))
    (True, False)
    """
    beneath: dict[Any, set[Any]] = {}

    def needed(thing: Any) -> set[Any]:
        """Return all that a node or variable depends on; inputs come first, without recursion."""
        if thing in beneath:
            return beneath[thing]
        for node in nodes_of([thing] if isinstance(thing, Variable) else thing.outputs):
            if node not in beneath:
                result = set(node.inputs)
                for v in node.inputs:
                    result |= beneath.setdefault(v, set())
                beneath[node] = result
                for v in node.outputs:
                    beneath[v] = result | {node}
        return beneath.setdefault(thing, set())

    def depends(pair: tuple[Any, Any]) -> bool:
        a, b = pair
        return b in needed(a)

    return depends


@documented_in("theano.gof.sched")
def make_dependence_cmp() -> Callable[[Any, Any], int]:
    """Return a comparison of nodes: 1 if the first depends on the second, -1 if reversed, else 0.

    >>> import theano.tensor as T
    >>> from theano.gof.sched import make_dependence_cmp
    >>> x = T.dscalar("x")
    >>> a, b = T.exp(x), T.sin(T.exp(x))
    >>> make_dependence_cmp()(b.owner, b.owner.inputs[0].owner)
    1
    """
    depends = make_depends()

    def compare(a: Any, b: Any) -> int:
        if depends((a, b)):
            return 1
        return -1 if depends((b, a)) else 0

    return compare


def reverse_dict(d: Mapping[Any, Iterable[T]]) -> dict[T, tuple[Any, ...]]:
    """Reverse the edges of a graph.

    >>> from theano.gof.sched import reverse_dict
    >>> reverse_dict({"a": (1, 2), "b": (2, 3), "c": ()})
    {1: ('a',), 2: ('a', 'b'), 3: ('b',)}
    """
    result: dict[T, tuple[Any, ...]] = {}
    for key, values in d.items():
        for value in values:
            result[value] = (*result.get(value, ()), key)
    return result


def ordered(edges: Mapping[T, Iterable[T]]) -> list[T]:
    """Sort the nodes of ``{node: its successors}``, each before its successors.

    >>> ordered({1: {3}, 2: {1}})
    [2, 1, 3]
    """
    waits = {node: len(before) for node, before in reverse_dict(edges).items()}
    ready = [node for node in edges if node not in waits]
    order: list[T] = []
    for node in ready:  # grows during the loop
        order.append(node)
        for after in edges.get(node, ()):
            waits[after] -= 1
            if not waits[after]:
                ready.append(after)
    if len(order) < len({*edges, *waits}):
        raise ValueError("Input has cycles")
    return order


@documented_in("theano.gof.sched")
def posort(l: Sequence[T], *cmps: Compare) -> list[T]:
    """Sort by several comparisons, the first with the highest priority.

    A comparison returns a number below 0 if its first argument comes first, above 0 if the second
    does, and 0 if it leaves the order open. An order fixed by an earlier comparison is kept, also
    where it follows by transitivity.

    >>> from theano.gof.sched import posort
    >>> posort(range(6), lambda a, b: a % 2 - b % 2, lambda a, b: b - a)
    [4, 2, 0, 5, 3, 1]
    """
    items = list(l)
    before: dict[T, set[T]] = {x: set() for x in items}
    after: dict[T, set[T]] = {x: set() for x in items}
    for compare in cmps:
        for a in items:
            for b in items:
                if compare(a, b) < 0 and b not in after[a] and a not in after[b]:
                    for x in (a, *before[a]):
                        after[x] |= {b, *after[b]}
                    for y in (b, *after[b]):
                        before[y] |= {a, *before[a]}
    return ordered(after)


@documented_in("theano.gof.sched")
def sort_apply_nodes(
    inputs: Sequence[Variable], outputs: Sequence[Variable], cmps: Sequence[Compare]
) -> list[Apply]:
    """Return the nodes between inputs and outputs, ordered by comparisons.

    Data dependences have priority over ``cmps``, and earlier ``cmps`` over later ones.

    >>> import theano.tensor as T
    >>> from theano.gof.sched import sort_apply_nodes
    >>> x = T.dscalar("x")
    >>> by_name = lambda a, b: (str(a) > str(b)) - (str(a) < str(b))
    >>> [str(n.op) for n in sort_apply_nodes([x], [T.tan(x) + T.cos(x)], [by_name])]
    ['Elemwise{cos,no_inplace}', 'Elemwise{tan,no_inplace}', 'Elemwise{add,no_inplace}']
    """
    return posort(nodes_of(outputs, inputs), make_dependence_cmp(), *cmps)


@documented_in("theano.gof.sched")
def sort_schedule_fn(*cmps: Compare) -> Callable[[FunctionGraph], list[Apply]]:
    """Return a schedule for linkers, which orders the nodes of a graph by comparisons.

    Data dependences have the highest priority, then the order that in-place nodes require.

    >>> import theano, theano.tensor as T
    >>> from theano.gof.sched import sort_schedule_fn
    >>> by_name = lambda a, b: (str(a) > str(b)) - (str(a) < str(b))
    >>> linker = theano.gof.PerformLinker(schedule=sort_schedule_fn(by_name))
    >>> x = T.dscalar("x")
    >>> f = theano.function([x], T.tan(x) + T.cos(x), mode=theano.Mode(linker, None))
    >>> [str(node.op) for node in f.fn.nodes]
    ['Elemwise{cos,no_inplace}', 'Elemwise{tan,no_inplace}', 'Elemwise{add,no_inplace}']
    """

    def schedule(fgraph: FunctionGraph) -> list[Apply]:
        needs = make_dependence_cmp()
        first = fgraph.orderings()

        def overwrites(a: Apply, b: Apply) -> int:
            if b in first.get(a, ()):
                return 1
            return -1 if a in first.get(b, ()) else 0

        return posort(fgraph.toposort(), needs, overwrites, *cmps)

    return schedule


def key_to_cmp(key: Callable[[Any], Any]) -> Callable[[Any, Any], int]:
    """Return the comparison that sorts by a key.

    >>> from theano.gof.sched import key_to_cmp, posort
    >>> posort(["ccc", "a", "bb"], key_to_cmp(len))
    ['a', 'bb', 'ccc']
    """

    def compare(a: Any, b: Any) -> int:
        left, right = key(a), key(b)
        return int(left > right) - int(left < right)

    return compare
