"""In-place rewrites: an op writes its result into an input that is not read later."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from math import inf
from typing import Any

from theano._src.graph.destroy import DestroyHandler, Supervisor, indestructible, views_of
from theano._src.graph.features import ReplaceValidate
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import Op
from theano._src.graph.op_facts import arguments_of
from theano._src.graph.op_table import OpTable
from theano._src.graph.walk import view_roots
from theano._src.ground.errors import InconsistencyError
from theano._src.ops.core.elemwise import Elemwise
from theano._src.rewrite.driver import copy_provenance
from theano._src.rewrite.log import RewriteTrace

Forms = Iterable[tuple[int, Op]]


def _elementwise(op: Any, node: Apply) -> Forms:
    for o, out in enumerate(node.outputs):
        for i, v in enumerate(node.inputs):
            if v.type == out.type and not isinstance(v, Constant):
                yield i, Elemwise(op.scalar_op, {o: i})


def _inc_subtensor(op: Any, node: Apply) -> Forms:
    # destroyhandler_tolerate_aliased is dropped: it applies to the form that overwrites nothing
    return ((0, type(op)(op.idx_list, True, op.set_instead_of_inc)),)


def _ger(op: Any, node: Apply) -> Forms:
    return ((0, type(op)(destructive=True)),)


#: How an op overwrites an input: the position of the input that it overwrites with the argument
#: ``inplace=True``, or a function of the op and a node that returns positions, each with the op
#: that writes its result there, the best first.
# fmt: off
inplace_forms: OpTable[int | Callable[[Any, Apply], Forms]] = OpTable({
    "theano.tensor.elemwise.Elemwise":                   _elementwise,
    "theano.tensor.subtensor.IncSubtensor":              _inc_subtensor,
    "theano.tensor.subtensor.AdvancedIncSubtensor1":     0,
    "theano.tensor.subtensor.BaseAdvancedIncSubtensor":  0,
    "theano.tensor.blas.Gemm":                           0,
    "theano.tensor.blas.Gemv":                           0,
    "theano.tensor.blas.Ger":                            _ger,
    "theano.tensor.nnet.blocksparse.SparseBlockGemv":    0,
    "theano.tensor.nnet.blocksparse.SparseBlockOuter":   0,
    "theano.tensor.raw_random.RandomFunction":           0,
    "theano.sparse.basic.Usmm":                          3,
    "theano._src.ops.sparse.stored_products.AddProduct": 0,
    "theano._src.ops.typed_list.editing._Edit":          0,
}, by_meaning=True)
# fmt: on


def forms_of(node: Apply) -> Forms:
    """Return positions of inputs, each with the form of the op that writes its result there."""
    op = node.op
    row = inplace_forms.get(op)
    if row is None or getattr(op, "destroy_map", None):
        return ()
    if callable(row):
        return row(op, node)
    arguments = {name: getattr(op, name) for name in arguments_of(type(op))}
    return ((row, type(op)(**arguments | {"inplace": True})),)


def overwriting(
    name: str, *classes: type[Op], late: bool = False
) -> Callable[[Any, RewriteTrace | None], int]:
    """Return a pass that lets nodes of these ops overwrite an input, wherever that is correct.

    ``inplace_forms`` has the forms of ops that overwrite an input. The present order of nodes is
    kept: an input may be overwritten if everything else that reads its memory comes before. All
    constraints then agree with one order, so no check of the whole graph is needed for each change,
    and the pass is linear. With ``late``, nodes of these ops are first ordered as late as possible.
    A user's feature that may reject changes is consulted.
    """

    def run(fgraph: Any, trace: RewriteTrace | None = None) -> int:
        order = fgraph.toposort()
        if late and any(isinstance(node.op, classes) for node in order):
            order = _others_first(order, fgraph.orderings(), classes)
        at = {node: i for i, node in enumerate(order)}
        taken = {root for node in order for v in _overwritten(node) for root in view_roots(v)}
        kept = {v for f in fgraph._features for v in getattr(f, "protected", ())}
        kept |= _whole_state(fgraph)
        last: dict[Any, float] = {}
        requested = any(_may_refuse(f) for f in fgraph._features)
        if requested:
            fgraph.attach_feature(ReplaceValidate())
        count = 0
        for i, node in enumerate(order):
            if not isinstance(node.op, classes):
                continue
            for k, op in forms_of(node):
                roots = view_roots(node.inputs[k])
                if not all(_free(root, node, at, last, taken, kept) for root in roots):
                    continue
                result = op.make_node(*node.inputs)
                step = None if trace is None else trace.step(name, node, result.outputs)
                pairs = list(zip(node.outputs, result.outputs, strict=True))
                for old, new in pairs:
                    copy_provenance(node, old, new)
                    if old in fgraph.variables and not requested:
                        fgraph.replace(old, new, reason=name)
                if requested and not _allowed(fgraph, pairs, name):
                    continue
                taken.update(roots)
                at[result] = i
                count += 1
                if trace is not None and step is not None:
                    trace.add(step)
                break
        return count

    run.__doc__ = f"op(x) -> op_inplace(x), of {', '.join(c.__name__ for c in classes)}"
    return run


def _others_first(
    order: Sequence[Apply], before: Mapping[Apply, Sequence[Apply]], classes: tuple[type, ...]
) -> list[Apply]:
    """Order the nodes so that those of ``classes`` come only when no other node is ready."""
    place = {node: i for i, node in enumerate(order)}
    users: dict[Apply, list[Apply]] = {}
    waiting: dict[Apply, int] = {}
    ready: list[tuple[bool, int]] = []
    for i, node in enumerate(order):
        needed = {v.owner for v in node.inputs if v.owner is not None}.union(before.get(node, ()))
        waiting[node] = len(needed)
        for n in needed:
            users.setdefault(n, []).append(node)
        if not needed:
            ready.append((isinstance(node.op, classes), i))
    heapify(ready)
    nodes = []
    while ready:
        node = order[heappop(ready)[1]]
        nodes.append(node)
        for user in users.get(node, ()):
            waiting[user] -= 1
            if not waiting[user]:
                heappush(ready, (isinstance(user.op, classes), place[user]))
    return nodes


def _whole_state(fgraph: Any) -> set[Variable]:
    """Return state that holds values: a failing call must not change it, and a copy is costly."""
    held = (fgraph.inputs[i] for i in (getattr(fgraph, "update_mapping", None) or {}).values())
    return {v for v in held if v.type.holds_values}


def _may_refuse(feature: Any) -> bool:
    """Whether a feature may reject changes for reasons that this pass does not know."""
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
    at: dict[Apply, int],
    last: dict[Any, float],
    taken: set[Variable],
    kept: set[Variable],
) -> bool:
    """Whether ``node`` may overwrite the memory of ``root``: nothing reads it later.

    The last read of a root is found once, so many readers cost no more than few: a node that
    works in place takes the position of the node that it replaces.
    """
    if indestructible(root) or root in taken or root in kept:
        return False
    # the node's own views of the root are its result once it is written
    own = node if getattr(node.op, "view_map", None) else None
    if (root, own) not in last:
        last[root, own] = _last_read(root, at, own)
    # a node that reads it twice would read what it wrote
    return last[root, own] == at[node] and sum(root in view_roots(v) for v in node.inputs) == 1


def _last_read(root: Variable, at: dict[Apply, int], own: Apply | None) -> float:
    """Return the last position that reads ``root`` or a view not by ``own``; inf for outputs."""
    users = [user for view in views_of(root, own) for user, _ in view._clients or ()]
    return max((inf if user == "output" else at[user] for user in users), default=-1)
