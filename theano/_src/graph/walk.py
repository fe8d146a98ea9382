"""Graph traversals; all are iterative and linear in nodes and edges."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from theano._src.graph import generators
from theano._src.graph.graph import Apply, Constant, Variable


def nodes_of(
    outputs: Iterable[Variable],
    blockers: Collection[Variable] = (),
    extra: Mapping[Apply, Iterable[Apply]] | None = None,
    last_first: bool = False,
) -> list[Apply]:
    """Return the nodes that compute ``outputs`` in topological order.

    The walk stops at ``blockers``. ``extra`` maps a node to further nodes that must precede it.
    The nodes that a node needs come in the order of its inputs, or in reverse (``last_first``).
    Raises ValueError on a cycle.
    """
    stop = blockers if isinstance(blockers, (set, frozenset, dict)) else set(blockers)
    order: list[Apply] = []
    state: dict[Apply, bool] = {}  # False while a node is open, True once it is in the order
    for out in outputs:
        if out.owner is None or out in stop:
            continue
        stack = [out.owner]
        while stack:
            node = stack[-1]
            seen = state.get(node)
            if seen is True:
                stack.pop()
                continue
            if seen is False:
                stack.pop()
                state[node] = True
                order.append(node)
                continue
            state[node] = False
            before = [v.owner for v in node.inputs if v.owner is not None and v not in stop]
            if extra is not None:
                before.extend(extra.get(node, ()))
            # reversed: inputs are then visited in the order they are written
            for parent in before if last_first else reversed(before):
                done = state.get(parent)
                if done is None:
                    stack.append(parent)
                elif done is False:
                    raise ValueError("the graph contains cycles")
    return order


def ancestors(
    variables: Iterable[Variable], blockers: Collection[Variable] | None = None
) -> list[Variable]:
    """Return ``variables`` and all that they are computed from; those of the last one come first.

    >>> import theano.tensor as T
    >>> x, y = T.dscalars("x", "y")
    >>> ancestors([x, y])
    [y, x]
    """
    return list(generators.ancestors(variables, blockers))


def inputs(
    variable_list: Iterable[Variable], blockers: Collection[Variable] | None = None
) -> list[Variable]:
    """Return the variables without owner that the list depends on, as ordered by ``ancestors``.

    The order begins with those of the last variable; programs name parameters by it.

    >>> import theano, theano.tensor as T
    >>> from theano.gof import graph
    >>> x, y = T.dscalars("x", "y")
    >>> graph.inputs([T.exp(x) + y]), graph.inputs([x, y])
    ([x, y], [y, x])
    """
    return [v for v in ancestors(variable_list, blockers) if v.owner is None]


def roots_of(variables: Iterable[Variable], blockers: Collection[Variable] = ()) -> list[Variable]:
    """Return the blockers and variables without owner that ``variables`` depend on, in order."""
    stop = set(blockers)
    result = generators.ancestors(list(variables)[::-1], stop)
    return [v for v in result if v.owner is None or v in stop]


def variables_and_orphans(
    i: Collection[Variable], o: Iterable[Variable]
) -> tuple[list[Variable], list[Variable]]:
    """Return all variables between ``i`` and ``o``, and the orphans among them.

    >>> import theano, theano.tensor as T
    >>> from theano.gof import graph
    >>> x = T.dscalar("x")
    >>> [len(found) for found in graph.variables_and_orphans([x], [x + 1.5])]
    [3, 1]
    """
    ins = set(i)
    result: dict[Variable, None] = dict.fromkeys(ancestors(o, i))
    for node in nodes_of(o, ins):
        result.update(dict.fromkeys(node.outputs))
    return list(result), [v for v in result if v.owner is None and v not in ins]


def variables(i: Collection[Variable], o: Iterable[Variable]) -> list[Variable]:
    """Return all variables between inputs ``i`` and outputs ``o``, both included.

    >>> import theano, theano.tensor as T
    >>> from theano.gof import graph
    >>> x = T.dscalar("x")
    >>> len(graph.variables([x], [T.exp(x) + x]))
    3
    """
    return variables_and_orphans(i, o)[0]


def orphans(i: Collection[Variable], o: Iterable[Variable]) -> list[Variable]:
    """Return variables without owner that ``o`` needs and ``i`` does not list: mostly constants.

    >>> import theano, theano.tensor as T
    >>> from theano.gof import graph
    >>> x = T.dscalar("x")
    >>> graph.orphans([x], [x + 1.5])
    [TensorConstant{1.5}]
    """
    return variables_and_orphans(i, o)[1]


def ops(i: Collection[Variable], o: Iterable[Variable]) -> set[Apply]:
    """Return the nodes between inputs ``i`` and outputs ``o``.

    >>> import theano, theano.tensor as T
    >>> from theano.gof import graph
    >>> x = T.dscalar("x")
    >>> len(graph.ops([x], [T.exp(x) + x]))
    2
    """
    return set(nodes_of(o, i))


def list_of_nodes(i: Collection[Variable], o: Iterable[Variable]) -> list[Apply]:
    """Return the nodes between inputs ``i`` and outputs ``o`` in topological order.

    >>> import theano, theano.tensor as T
    >>> from theano.gof import graph
    >>> x = T.dscalar("x")
    >>> len(graph.list_of_nodes([x], [T.exp(x) + x]))
    2
    """
    return nodes_of(o, i)


def io_toposort(
    inputs: Collection[Variable],
    outputs: Iterable[Variable],
    orderings: Mapping[Apply, Iterable[Apply]] | None = None,
    clients: Any = None,
) -> list[Apply]:
    """Return the nodes between ``inputs`` and ``outputs`` in topological order.

    The nodes that a node's last input needs come first: programs that list parameters in this
    order rely on it.

    >>> import theano, theano.tensor as T
    >>> from theano.gof import graph
    >>> x = T.dscalar("x")
    >>> [str(node.op) for node in graph.io_toposort([x], [T.exp(x) + x])]
    ['Elemwise{exp,no_inplace}', 'Elemwise{add,no_inplace}']
    """
    return nodes_of(outputs, inputs, orderings, last_first=True)


def general_toposort(
    r_out: Iterable[Any], deps: Callable[[Any], Iterable[Any]], **ignored: Any
) -> list[Any]:
    """Return the objects reachable from ``r_out`` through ``deps``, each after its dependencies.

    >>> from theano.gof import graph
    >>> graph.general_toposort([3], lambda n: [n - 1] if n else [])
    [0, 1, 2, 3]
    """
    order: list[Any] = []
    state: dict[Any, bool] = {}
    for root in r_out:
        stack = [root]
        while stack:
            thing = stack[-1]
            seen = state.get(thing)
            if seen is not None:
                stack.pop()
                if seen is False:
                    state[thing] = True
                    order.append(thing)
                continue
            state[thing] = False
            for d in reversed(list(deps(thing) or ())):
                done = state.get(d)
                if done is None:
                    stack.append(d)
                elif done is False:
                    raise ValueError("the dependencies contain cycles")
    return order


def stack_search(
    start: Iterable[Any],
    expand: Callable[[Any], Iterable[Any] | None],
    mode: str = "bfs",
    build_inv: bool = False,
) -> Any:
    """Return the objects reachable from ``start`` through ``expand``, in the order of the search.

    With ``build_inv``, also return a dict from each object to those whose expansion contains it.

    >>> stack_search([1], lambda n: [2 * n, 3 * n] if n < 4 else None)
    [1, 2, 3, 4, 6, 9]
    """
    if mode not in ("bfs", "dfs"):
        raise ValueError(f"stack_search takes 'bfs' or 'dfs' as mode, got {mode!r}")
    result = list(generators.walk(start, expand, mode == "bfs", True, hash_fn=lambda thing: thing))
    things = [thing for thing, _ in result]
    if not build_inv:
        return things
    before: dict[Any, list[Any]] = {}
    for thing, after in result:
        for one in after or ():
            before.setdefault(one, []).append(thing)
    return things, before


def is_in_ancestors(l_node: Apply, f_node: Apply) -> bool:
    """Whether ``f_node`` must run before ``l_node``.

    >>> import theano, theano.tensor as T
    >>> from theano.gof import graph
    >>> x = T.dscalar("x")
    >>> y = T.exp(x)
    >>> z = y + 1
    >>> graph.is_in_ancestors(z.owner, y.owner), graph.is_in_ancestors(y.owner, z.owner)
    (True, False)
    """
    return f_node in set(nodes_of(l_node.inputs)) or l_node is f_node


def view_roots(r: Variable) -> list[Variable]:
    """Return the variables whose memory ``r`` may be a view of.

    >>> import theano, theano.tensor as T
    >>> from theano.gof import graph
    >>> x = T.dmatrix("x")
    >>> graph.view_roots(x.T[0])
    [x]
    """
    variables: list[Variable] = []
    seen: set[Variable] = set()
    stack = [r]
    while stack:
        v = stack.pop()
        if v in seen:
            continue
        seen.add(v)
        view_map = getattr(v.owner.op, "view_map", {}) if v.owner is not None else {}
        if v.owner is not None and v.index in view_map:
            stack.extend(v.owner.inputs[i] for i in view_map[v.index])
        else:
            variables.append(v)
    return variables


def same_computations(
    xs: Iterable[Variable],
    ys: Iterable[Variable],
    given: Mapping[Variable, Variable] | None = None,
) -> bool:
    """Whether two lists of variables are computed by equal ops from the same roots.

    Constants are the same if their signatures are equal. ``given`` maps roots of ``xs`` to roots
    of ``ys`` that count as the same.
    """
    xs, ys = list(xs), list(ys)
    if len(xs) != len(ys):
        return False
    pairs: set[tuple[Variable, Variable]] = set((given or {}).items())
    stack = list(zip(xs, ys, strict=True))
    while stack:
        pair = stack.pop()
        x, y = pair
        if x is y or pair in pairs:
            continue
        pairs.add(pair)
        if isinstance(x, Constant) and isinstance(y, Constant):
            if not x.equals(y):
                return False
            continue
        if x.owner is None or y.owner is None or x.index != y.index or x.type != y.type:
            return False
        a, b = x.owner, y.owner
        if a.op != b.op or len(a.inputs) != len(b.inputs):
            return False
        stack.extend(zip(a.inputs, b.inputs, strict=True))
    return True


def equal_computations(
    xs: list[Variable],
    ys: list[Variable],
    in_xs: list[Variable] | None = None,
    in_ys: list[Variable] | None = None,
) -> bool:
    """Whether ``xs`` are computed from ``in_xs`` exactly as ``ys`` from ``in_ys``.

    >>> import theano, theano.tensor as T
    >>> from theano.gof import graph
    >>> x, y = T.dscalars("xy")
    >>> graph.equal_computations([x + 1], [y + 1], [x], [y])
    True
    >>> graph.equal_computations([x + 1], [x + 2])
    False
    """
    return same_computations(xs, ys, dict(zip(in_xs or (), in_ys or (), strict=True)))


def is_same_graph(var1: Variable, var2: Variable, givens: Any = None, debug: bool = False) -> bool:
    """Whether two variables are the same computation after replacing ``givens``.

    >>> import theano.tensor as T
    >>> x, y = T.dscalars("xy")
    >>> is_same_graph(x + y, x + y), is_same_graph(x + y, y + x)
    (True, False)
    """
    given = dict(givens or {})
    both = given | {v: k for k, v in given.items()}
    return same_computations([var1], [var2], both)
