"""Fusion: neighbouring elementwise ops become one, which the numpy engine runs piece by piece."""

from __future__ import annotations

from typing import Any

from theano._src.graph.graph import Apply, Variable, owner_of
from theano._src.ground.config import config
from theano._src.ops.core.composite import Composite
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.arithmetic import Add, Mul
from theano._src.rewrite.driver import replace_recorded
from theano._src.rewrite.log import RewriteTrace
from theano._src.rewrite.rule import FunctionRule
from theano._src.types.checked import is_checked
from theano._src.types.dtypes import discrete_dtypes

#: the most steps in a composite; longer ones are no faster, and too long to read when printed
_MOST = 32


def fuse(fgraph: Any, trace: RewriteTrace | None = None) -> int:
    """f(g(x)), both elementwise -> (f of g)(x), where nothing else uses g(x) and g(x) is as large.

    One walk from the outputs: a node joins the group of its users if these are all in one.
    """
    if not config.tensor.local_elemwise_fusion:
        return 0
    group_of: dict[Apply, Apply] = {}  # to the last node of the group
    members: dict[Apply, list[Apply]] = {}
    order = fgraph.toposort()
    for node in reversed(order):
        if not _fusable(node):
            continue
        root = _one_group(node, group_of)
        if root is None or len(members[root]) >= _MOST:
            root = node
            members[root] = []
        group_of[node] = root
        members[root].append(node)
    count = 0
    for node in order:
        group = members.get(node, ())
        if len(group) < 2:
            continue
        new = _composite(list(reversed(group)))
        replace_recorded(fgraph, trace, "elemwise_fusion", node, [(node.outputs[0], new)])
        count += 1
    return count


def fused(node: Apply) -> list[Any] | None:
    """f(g(x), y), all elementwise -> (f of g)(x, y): a node with the inputs that it alone uses."""
    if not _fusable(node):
        return None
    group = [node]
    for v in dict.fromkeys(node.inputs):
        inner = v.owner
        if inner is None or not _fusable(inner) or any(u is not node for u, _ in v._clients or ()):
            continue
        if v.type.broadcastable == node.outputs[0].type.broadcastable:
            group.append(inner)
    return [_composite(group[::-1])] if len(group) > 1 else None


def add_mul_fused(node: Apply) -> list[Any] | None:
    """(x + y) + z -> add(x, y, z), and products likewise, where nothing else uses x + y."""
    op = node.op
    if not isinstance(op, Elemwise) or not isinstance(op.scalar_op, Add | Mul):
        return None
    inner = [
        v.owner.inputs
        if v.owner is not None and v.owner.op == op and len(v._clients or ()) <= 1
        else None
        for v in node.inputs
    ]
    if not any(inner):
        return None
    parts = [x for v, xs in zip(node.inputs, inner, strict=True) for x in xs or [v]]
    result = op(*parts)
    return [result] if result.type == node.outputs[0].type else None


def _fusable(node: Apply) -> bool:
    op = node.op
    if not isinstance(op, Elemwise) or op.inplace_items or len(node.outputs) != 1:
        return False
    scalar = op.scalar_op
    if op.runs_on != "any" or not scalar.has_compute or is_checked(scalar) or scalar.in_c:
        return False
    # arithmetic on sizes runs separately, before the arrays exist
    out = node.outputs[0].type
    return bool(out.ndim or out.dtype not in discrete_dtypes)


def _one_group(node: Apply, group_of: dict[Apply, Apply]) -> Apply | None:
    """Return the group of all users of a node's output if it is as large as theirs; else None."""
    out = node.outputs[0]
    result: Apply | None = None
    for user, _ in out._clients or ():
        root = None if user == "output" else group_of.get(user)
        if root is None or (result is not None and root is not result):
            return None
        if user.outputs[0].type.broadcastable != out.type.broadcastable:
            return None
        result = root
    return result


def useful_outputs(node: Apply) -> list[Any] | None:
    """composite(x), of which only some outputs are used -> a composite with only these"""
    scalar = node.op.scalar_op
    used = [i for i, v in enumerate(node.outputs) if v._clients]
    if node.op.inplace_items or not used or len(used) == len(node.outputs):
        return None
    smaller = Composite.of(scalar.dtypes, scalar.steps, [scalar.outs[i] for i in used])
    outputs = Elemwise(smaller).make_node(*node.inputs).outputs
    new: list[Any] = [None] * len(node.outputs)
    for i, v in zip(used, outputs, strict=True):
        new[i] = v
    return new


def _composite(group: list[Apply]) -> Any:
    """One node for several, which come in their order."""
    inside = {n.outputs[0] for n in group}
    inputs: dict[Variable, int] = {}  # in the order of the formula, from left to right
    stack = [group[-1].outputs[0]]
    seen: set[Variable] = set()
    while stack:
        v = stack.pop()
        if v in seen:
            continue
        seen.add(v)
        if v in inside:
            stack.extend(reversed(owner_of(v).inputs))
        else:
            inputs[v] = len(inputs)
    place: dict[Variable, int] = dict(inputs)
    steps = []
    for n in group:
        steps.append((n.op.scalar_op, tuple(place[v] for v in n.inputs)))
        place[n.outputs[0]] = len(inputs) + len(steps) - 1
    dtypes = [v.type.dtype for v in inputs]
    return Elemwise(Composite.of(dtypes, steps, [len(inputs) + len(steps) - 1]))(*inputs)


RULES = (
    FunctionRule(
        useful_outputs,
        "useful_outputs",
        "canonicalize",
        [Composite],
        tags=("local_useless_composite",),
        depth=1,
    ),
)
