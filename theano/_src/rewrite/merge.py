"""Merging of equal constants and of nodes that compute the same."""

from __future__ import annotations

from typing import Any

from theano._src.graph.clone import clone_replace
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.walk import inputs as roots_of, nodes_of, view_roots
from theano._src.ground.documented import documented_in
from theano._src.rewrite.log import RewriteTrace


def merge(fgraph: Any, trace: RewriteTrace | None = None) -> int:
    """Merge equal constants and nodes in place, in one pass; return how many were removed.

    Two nodes are equal if their ops are equal and their inputs identical. The earlier of the two
    stays and takes the other's name if it has none. Inputs of the graph are never merged, nor
    nodes that overwrite an input, nor nodes whose memory another node overwrites.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> g = theano.gof.FunctionGraph([x], [T.exp(x) + T.exp(x)])
    >>> merge(g)
    1
    """
    gone = _merge_constants(fgraph)
    overwritten = _overwritten(fgraph)
    seen: dict[Any, Apply] = {}
    for node in fgraph.toposort():
        if getattr(node.op, "destroy_map", None):
            continue
        key = (node.op, *map(id, node.inputs))
        try:
            first = seen.setdefault(key, node)
        except TypeError:
            continue  # an op without a hash equals no other op
        if first is node or not _interchangeable(first, node, overwritten):
            continue
        for keep, drop in zip(first.outputs, node.outputs, strict=True):
            if keep.name is None:
                keep.name = drop.name
        step = None if trace is None else trace.step("merge", node, first.outputs)
        pairs = zip(node.outputs, first.outputs, strict=True)
        # filtered lazily: replacing the last used output removes the node with all its outputs
        fgraph.replace_all((p for p in pairs if p[0] in fgraph.variables), "merge")
        gone += 1
        if trace is not None and step is not None:
            trace.add(step)
    return gone


def _merge_constants(fgraph: Any) -> int:
    gone = 0
    seen: dict[Any, Constant] = {}
    inputs = set(fgraph.inputs)
    for v in list(fgraph.variables):
        if not isinstance(v, Constant) or v in inputs:
            continue
        try:
            first = seen.setdefault(v.merge_signature(), v)
        except TypeError:
            continue  # data without hash
        if first is v or first.type != v.type:
            continue
        if first.name is None:
            first.name = v.name
        fgraph.replace_all([(v, first)], "merge")
        gone += 1
    return gone


@documented_in("theano.gof.opt")
def pre_constant_merge(vars: list[Variable]) -> list[Variable]:
    """Merge equal constants in expressions that are not part of a FunctionGraph yet.

    Changes the expressions and returns them; nodes of a FunctionGraph are not changed.

    >>> import theano, theano.tensor as T
    >>> x, a, b = T.dscalar("x"), T.constant(2.5), T.constant(2.5)
    >>> y = (x + a.clone()) * b.clone()
    >>> [y] == theano.gof.opt.pre_constant_merge([y])
    True
    >>> y.owner.inputs[1] is y.owner.inputs[0].owner.inputs[1]
    True
    """
    seen: dict[Any, Constant] = {}

    def one(v: Variable) -> Variable:
        if not isinstance(v, Constant):
            return v
        try:
            first = seen.setdefault(v.signature(), v)
        except TypeError:
            return v  # data without hash
        return first if first.type == v.type else v

    given = list(vars) if isinstance(vars, (list, tuple)) else [vars]
    for node in nodes_of([one(v) for v in given]):
        if node.fgraph is None:
            node.inputs = [one(v) for v in node.inputs]
    return [one(v) for v in given]


@documented_in("theano.gof.opt")
def is_same_graph_with_merge(var1: Variable, var2: Variable, givens: Any = None) -> bool:
    """Return whether two expressions are the same after merging.

    Parameters
    ----------
    var1, var2 : Variable
    givens : dict or list of pairs, optional
        ``{variable: replacement}``, applied to both first.

    >>> import theano.tensor as T
    >>> from theano.gof.opt import is_same_graph_with_merge
    >>> x, y, z = T.dvectors("xyz")
    >>> is_same_graph_with_merge(x + y, x + y), is_same_graph_with_merge(x + y, x + z)
    (True, False)
    >>> is_same_graph_with_merge(x + y, x + z, givens={z: y})
    True
    """
    replace = dict(givens or {})
    # copy each of them, so that they share no nodes before merging
    copies = [clone_replace(v, replace) for v in (var1, var2)]
    fgraph = FunctionGraph(roots_of(copies), copies)
    merge(fgraph)
    return fgraph.outputs[0] is fgraph.outputs[1]


def _overwritten(fgraph: Any) -> set[Variable]:
    """Return the variables whose memory some node of the graph overwrites."""
    variables: set[Variable] = set()
    for node in fgraph.apply_nodes:
        for positions in (getattr(node.op, "destroy_map", None) or {}).values():
            for i in positions:
                variables.update(view_roots(node.inputs[i]))
    return variables


def _interchangeable(a: Apply, b: Apply, overwritten: set[Variable]) -> bool:
    for x, y in zip(a.outputs, b.outputs, strict=True):
        if x.type != y.type:
            return False
        if overwritten and not overwritten.isdisjoint([*view_roots(x), *view_roots(y)]):
            return False
    return True
