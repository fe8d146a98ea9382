"""Common subexpressions among sizes: ops state their demands independently of each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from theano._src.graph.graph import Apply, Constant, Variable


class Merged:
    """Merges expressions with each other and with a graph: equal ones become one variable.

    Parameters
    ----------
    inputs : variables that are not computed here
    nodes : the nodes of the graph, in order; they are not changed
    """

    def __init__(self, inputs: Collection[Variable], nodes: Iterable[Apply]) -> None:
        self._one: dict[Variable, Variable] = {v: v for v in inputs}
        self._seen: dict[Any, Any] = {}
        for node in nodes:
            for v in node.inputs:
                if v not in self._one:
                    self._one[v] = self._root(v)
            self._first([self._one[v] for v in node.inputs], node)
            self._one.update((v, v) for v in node.outputs)

    def __call__(self, expression: Variable) -> Variable:
        """The variable that represents ``expression`` and all equal expressions."""
        one = self._one
        stack = [expression]
        while stack:
            v = stack[-1]
            node = v.owner
            if v in one:
                stack.pop()
            elif node is None:
                one[v] = self._root(v)
            elif missing := [i for i in node.inputs if i not in one]:
                stack.extend(missing)
            else:
                first = self._first([one[i] for i in node.inputs], node)
                one.update(zip(node.outputs, first.outputs, strict=True))
                one.update((v, v) for v in first.outputs)
        return one[expression]

    def _root(self, v: Variable) -> Variable:
        if not isinstance(v, Constant):
            return v
        try:
            first: Any = self._seen.setdefault((Constant, v.merge_signature()), v)
        except TypeError:
            return v  # unhashable data is equal to no other
        return first if first.type == v.type else v

    def _first(self, inputs: list[Variable], node: Apply) -> Apply:
        """The first node that applies the same op to ``inputs``."""
        same = all(a is b for a, b in zip(inputs, node.inputs, strict=True))
        if getattr(node.op, "destroy_map", None):
            return node if same else node.clone_with_new_inputs(inputs)
        key = (node.op, *inputs)
        try:
            clone: Apply | None = self._seen.get(key)
        except TypeError:
            # an unhashable op is equal to no other
            return node if same else node.clone_with_new_inputs(inputs)
        if clone is None:
            clone = self._seen[key] = node if same else node.clone_with_new_inputs(inputs)
        elif [v.type for v in clone.outputs] != [v.type for v in node.outputs]:
            return node if same else node.clone_with_new_inputs(inputs)
        return clone
