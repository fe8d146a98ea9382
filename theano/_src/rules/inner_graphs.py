"""Graphs inside ops: expanded if declared inline, otherwise rewritten."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import Any

from theano._src.control.op_from_graph import OpFromGraph
from theano._src.graph.clone import clone, rebuild
from theano._src.graph.destroy import Supervisor
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Variable
from theano._src.rewrite.driver import replace_recorded
from theano._src.rewrite.log import RewriteTrace
from theano._src.rewrite.sequence import SeqOptimizer

#: how deep ops may be nested and stay ops: each level is a call, and recursion is limited
_NESTED = 16


def expand_inline(fgraph: Any, trace: RewriteTrace | None = None) -> int:
    """op(x) -> f(x), where op has the graph f and is declared inline or nested too deeply"""
    count = 0
    while results := [n for n in fgraph.toposort() if _is_inline(n)]:
        for node in results:
            given = dict(zip(node.op.local_inputs, node.inputs, strict=True))
            result = rebuild(node.op.local_outputs, given, share_inputs=True)
            pairs = zip(node.outputs, result, strict=True)
            replace_recorded(fgraph, trace, "inline_ofg_expansion", node, pairs)
        count += len(results)
    return count


def _is_inline(node: Apply) -> bool:
    op = node.op
    return isinstance(op, OpFromGraph) and (op.is_inline or op.nesting > _NESTED)


def within(
    name: str, choose: Callable[[Any], Any], *classes: type, from_inside: bool = False
) -> Callable[[Any, RewriteTrace | None], int]:
    """Return a pass that rewrites the graphs inside ops of these classes.

    ``choose`` returns the passes to run, given the outer graph. With ``from_inside``, nested ops
    are rewritten first, however deep they are, and the passes need not reach them.
    """

    def run(fgraph: Any, trace: RewriteTrace | None = None) -> int:
        nodes = [n for n in fgraph.toposort() if isinstance(n.op, classes)]
        chosen = choose(fgraph) if nodes else None
        if chosen is None:
            return 0

        def rewrite(
            inputs: Sequence[Variable], outputs: Sequence[Variable]
        ) -> tuple[list[Variable], list[Variable]]:
            graph = FunctionGraph(inputs, outputs)
            for node in graph.toposort() if from_inside else ():
                if isinstance(node.op, classes):
                    _exchange(graph, None, name, node, done[node.op])
            # the inputs are values of other nodes and must not be overwritten
            graph.attach_feature(Supervisor(graph.inputs))
            chosen.rewrite(graph)
            return clone(graph.inputs, graph.outputs)

        done: dict[Any, Any] = {}
        ops = dict.fromkeys(n.op for n in nodes)
        for op in _from_inside(ops, classes) if from_inside else ops:
            done[op] = op.rewritten(rewrite)
        for node in nodes:
            _exchange(fgraph, trace, name, node, done[node.op])
        return len(nodes)

    names = ", ".join(c.__name__ for c in classes)
    run.__doc__ = f"op of f -> op of f rewritten, for {names}"
    return run


def _from_inside(ops: Iterable[Any], classes: tuple[type, ...]) -> list[Any]:
    """Return the ops and the ops nested in them, innermost first."""
    result: dict[Any, None] = {}
    stack = [(op, False) for op in ops]
    while stack:
        op, ready = stack.pop()
        if op in result:
            continue
        if ready:
            result[op] = None
            continue
        stack.append((op, True))
        inner = [node.op for graph in op.inner_graphs for node in graph.order]
        stack.extend((each, False) for each in inner if isinstance(each, classes))
    return list(result)


def same_passes(
    after: float = -inf, before: float = inf, but: str | None = None
) -> Callable[[Any], Any]:
    """Select the passes of the outer graph at positions between ``after`` and ``before``."""

    def choose(fgraph: Any) -> SeqOptimizer | None:
        rewriter = getattr(fgraph, "rewriter", None)
        if rewriter is None:
            return None
        results = [(n, at, p) for n, at, p in rewriter.named() if after < at < before and n != but]
        names, positions, passes = zip(*results, strict=True) if results else ((), (), ())
        return SeqOptimizer(*passes, names=names, positions=positions)

    return choose


def _exchange(fgraph: Any, trace: RewriteTrace | None, name: str, node: Apply, op: Any) -> None:
    """Replace a node by another op on the same inputs."""
    new = op.make_node(*node.inputs)
    replace_recorded(fgraph, trace, name, node, zip(node.outputs, new.outputs, strict=True))
