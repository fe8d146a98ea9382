"""Graphs inside ops: expanded where they are declared inline, rewritten where they are not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

from theano._src.control.opfromgraph import OpFromGraph
from theano._src.graph.clone import clone, rebuild
from theano._src.graph.destroy import Supervisor
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.node import Apply
from theano._src.graph.variable import Variable
from theano._src.rewrite.driver import hand_on
from theano._src.rewrite.sequence import SeqOptimizer
from theano._src.rewrite.trace import RewriteTrace


def expand_inline(fgraph: Any, trace: RewriteTrace | None = None) -> int:
    """op(x), op made of the graph f with ``inline=True`` -> f(x)"""
    count = 0
    while found := [n for n in fgraph.toposort() if _is_inline(n)]:
        for node in found:
            given = dict(zip(node.op.local_inputs, node.inputs, strict=True))
            made = rebuild(node.op.local_outputs, given, share_inputs=True)
            _replace(fgraph, trace, "inline_ofg_expansion", node, made)
        count += len(found)
    return count


def _is_inline(node: Apply) -> bool:
    return isinstance(node.op, OpFromGraph) and node.op.is_inline


def within(
    name: str, choose: Callable[[Any], Any], *classes: type
) -> Callable[[Any, RewriteTrace | None], int]:
    """A pass that rewrites the graphs inside ops of these classes.

    ``choose`` gives the passes to run, from the graph around.
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
            # they are the values of other nodes
            graph.attach_feature(Supervisor(graph.inputs))
            chosen.rewrite(graph)
            return clone(graph.inputs, graph.outputs)

        done: dict[Any, Any] = {}
        for node in nodes:
            op = node.op
            if op not in done:
                done[op] = op.rewritten(rewrite)
            _replace(fgraph, trace, name, node, done[op].make_node(*node.inputs).outputs)
        return len(nodes)

    names = ", ".join(c.__name__ for c in classes)
    run.__doc__ = f"op of f -> op of f rewritten, for {names}"
    return run


def same_passes(after: float = -inf, before: float = inf) -> Callable[[Any], Any]:
    """Those passes at positions in between that the graph around is rewritten with."""

    def choose(fgraph: Any) -> SeqOptimizer | None:
        rewriter = getattr(fgraph, "rewriter", None)
        if rewriter is None:
            return None
        found = [(n, at, p) for n, at, p in rewriter.named() if after < at < before]
        names, positions, passes = zip(*found, strict=True) if found else ((), (), ())
        return SeqOptimizer(*passes, names=names, positions=positions)

    return choose


def _replace(
    fgraph: Any, trace: RewriteTrace | None, name: str, node: Apply, made: Sequence[Variable]
) -> None:
    step = None if trace is None else trace.step(name, node, list(made))
    for old, new in zip(list(node.outputs), made, strict=True):
        hand_on(node, old, new)
        if old in fgraph.variables:
            fgraph.replace(old, new, reason=name)
    if trace is not None and step is not None:
        trace.add(step)
