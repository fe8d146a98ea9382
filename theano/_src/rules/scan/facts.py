"""Facts about the matrices that a loop is given hold within its steps."""

from __future__ import annotations

from typing import Any

from theano._src.control.scan.op import Scan
from theano._src.graph.graph import Apply
from theano._src.ops.linalg.facts import NOTHING, Facts
from theano._src.ops.linalg.hints import Hint
from theano._src.rewrite.rule import FunctionRule
from theano._src.rules.linalg.facts import READERS, facts_of
from theano._src.rules.scan.builder import ScanBuilder


def facts_into_loop(fgraph: Any, node: Apply) -> dict[Any, Any] | None:
    """for(f(x, w); hint(w)) -> for(f(x, hint(w)); hint(w)), if f solves or inverts"""
    steps = node.op.graph.order
    if not any(isinstance(n.op, READERS) for n in steps):
        return None
    stated = {n.inputs[0] for n in steps if isinstance(n.op, Hint)}
    builder = ScanBuilder(node)
    new_for: dict[Any, Any] = {}
    for given in (*builder.non_sequences, *builder.sequences):
        facts = _facts(fgraph, given)
        if facts is not NOTHING and given.inner not in stated:
            fresh = given.inner.type()
            hints = {**facts.hints(), "square": facts.square}
            new_for[given.inner] = Hint(**hints)(fresh)
            given.inner = fresh
    if not new_for:
        return None
    builder.replace(new_for)
    return builder.rebuilt()


def _facts(fgraph: Any, given: Any) -> Facts:
    # those of a stack hold for each matrix
    return facts_of(fgraph, given.outer) if given.inner.type.ndim > 1 else NOTHING


RULES = (
    FunctionRule(facts_into_loop, "scan_facts_into_loop", "scan_facts", [Scan], tags=("scan",)),
)
