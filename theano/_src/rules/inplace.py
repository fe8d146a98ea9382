"""Working in place: an op writes its result into the memory of an input that nobody reads later."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from theano._src.graph.destroy import DestroyHandler, Supervisor, indestructible, views_of
from theano._src.graph.features import ReplaceValidate
from theano._src.graph.node import Apply
from theano._src.graph.variable import Variable
from theano._src.graph.walk import view_roots
from theano._src.ground.errors import InconsistencyError
from theano._src.rewrite.driver import hand_on
from theano._src.rewrite.trace import RewriteTrace


def overwriting(name: str, *classes: type) -> Callable[[Any, RewriteTrace | None], int]:
    """A pass that lets nodes of these ops overwrite an input, wherever that is right.

    An op says which of its forms overwrite which input by ``inplace_forms(node)``. The order of
    the nodes as they stand is kept: an input may go if everything else that reads its memory
    comes before. All demands then agree with one order, so no check of the whole graph is needed
    for each change, and the pass is linear. Where a user's feature wants to be asked, it is.
    """

    def run(fgraph: Any, trace: RewriteTrace | None = None) -> int:
        order = fgraph.toposort()
        at = {node: i for i, node in enumerate(order)}
        taken = {root for node in order for v in _overwritten(node) for root in view_roots(v)}
        kept = {v for f in fgraph._features for v in getattr(f, "protected", ())}
        asked = any(_may_refuse(f) for f in fgraph._features)
        if asked:
            fgraph.attach_feature(ReplaceValidate())
        count = 0
        for i, node in enumerate(order):
            if not isinstance(node.op, classes) or getattr(node.op, "destroy_map", None):
                continue
            for k, op in node.op.inplace_forms(node):
                roots = view_roots(node.inputs[k])
                if not all(_free(root, node, i, at, taken, kept) for root in roots):
                    continue
                made = op.make_node(*node.inputs)
                step = None if trace is None else trace.step(name, node, made.outputs)
                pairs = list(zip(node.outputs, made.outputs, strict=True))
                for old, new in pairs:
                    hand_on(node, old, new)
                    if old in fgraph.variables and not asked:
                        fgraph.replace(old, new, reason=name)
                if asked and not _allowed(fgraph, pairs, name):
                    continue
                taken.update(roots)
                at[made] = i
                count += 1
                if trace is not None and step is not None:
                    trace.add(step)
                break
        return count

    run.__doc__ = f"op(x) -> op_inplace(x), of {', '.join(c.__name__ for c in classes)}"
    return run


def _may_refuse(feature: Any) -> bool:
    """Whether a feature has a say in what the graph becomes that this pass does not know of."""
    known = isinstance(feature, (DestroyHandler, Supervisor))
    return not known and callable(getattr(feature, "validate", None))


def _allowed(fgraph: Any, pairs: list[tuple[Variable, Variable]], name: str) -> bool:
    try:
        fgraph.replace_all_validate(pairs, reason=name, verbose=False)
    except InconsistencyError:
        return False
    return True


def _overwritten(node: Apply) -> Iterator[Variable]:
    for positions in (getattr(node.op, "destroy_map", None) or {}).values():
        for i in positions:
            yield node.inputs[i]


def _free(
    root: Variable,
    node: Apply,
    i: int,
    at: dict[Apply, int],
    taken: set[Variable],
    kept: set[Variable],
) -> bool:
    """Whether the memory of ``root`` may be overwritten by ``node``, the ``i``-th in order."""
    if indestructible(root) or root in taken or root in kept:
        return False
    reads = 0
    for view in views_of(root):
        for user, _ in view._clients or ():
            if user == "output":
                return False
            if user is node:
                reads += 1
            elif at[user] > i:
                return False
    return reads == 1  # a node that reads it twice would read what it wrote
