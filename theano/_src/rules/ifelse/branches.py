"""Rewrites of ifelse: known or shared conditions, and lazy branches."""

from __future__ import annotations

from typing import Any

from theano._src.control.ifelse import IfElse
from theano._src.control.lazy_branches import Region, Regions, is_lazy, lazy, with_lazy_branches
from theano._src.control.scan.op import Scan
from theano._src.graph.clone import rebuild
from theano._src.graph.graph import Apply, Variable, owner_of
from theano._src.rewrite.driver import inherit, replace_recorded
from theano._src.rewrite.log import RewriteTrace
from theano._src.rewrite.rule import FunctionRule
from theano._src.rules.ifelse.share_across_branches import hand_over
from theano._src.rules.useless import number_of
from theano._src.types.constructors import CONSTRUCTORS


def lazy_branches(fgraph: Any, trace: RewriteTrace | None = None) -> int:
    """ifelse(c, f(x), g(x)) -> if{lazy}(c, x), with f and g inside, where nothing else needs them.

    Ifelse nodes with the same condition are merged first, so that shared work is lazy too. A
    user's op whose thunk requests its inputs also holds the work that only one of them needs.
    """
    count = _inside_loops(fgraph, trace)
    if not any(map(is_lazy, fgraph.apply_nodes)):
        return count
    while result := _drop_unused(fgraph, trace) + _settle_inside(fgraph):
        count += result  # with fewer users, a node may belong to one branch and be settled there
    count += merge_conditions(fgraph, trace)
    count += hand_over(fgraph, trace)
    for node, new_for in lazy(fgraph.toposort(), fgraph.outputs):
        replace_recorded(fgraph, trace, "lazy_branches", node, new_for.items())
        count += 1
    return count


def _inside_loops(fgraph: Any, trace: RewriteTrace | None) -> int:
    count = 0
    for node in [n for n in fgraph.apply_nodes if isinstance(n.op, Scan)]:
        op = _with_lazy_steps(node.op)
        if op is not None:
            new = op.make_node(*node.inputs)
            new.trace = None
            inherit(new, node)
            new_for = dict(zip(node.outputs, new.outputs, strict=True))
            replace_recorded(fgraph, trace, "lazy_branches", node, new_for.items())
            count += 1
    return count


def _with_lazy_steps(op: Scan) -> Scan | None:
    """Return a loop whose steps compute one branch of each ifelse; None if there is no ifelse."""
    within: dict[Variable, Variable] = {}
    for node in op.order:
        inner = _with_lazy_steps(node.op) if isinstance(node.op, Scan) else None
        if inner is not None:
            result = inner.make_node(*node.inputs)
            result.trace = None
            inherit(result, node)
            within.update(zip(node.outputs, result.outputs, strict=True))
    if not within and not any(map(is_lazy, op.order)):
        return None
    outs = rebuild(op.inner_outputs, within)
    return op.changed(inner_outputs=with_lazy_branches(op.inner_inputs, outs))


def _settle_inside(fgraph: Any) -> int:
    """ifelse(c, f(ifelse(c, a, x)), b) -> ifelse(c, f(a), b)"""
    result = Regions(fgraph.toposort(), fgraph.outputs).settled
    for (node, i), v in result.items():
        fgraph.change_input(node, i, v, reason="cond_merge_ifs")
    return len(result)


def _drop_unused(fgraph: Any, trace: RewriteTrace | None) -> int:
    """ifelse(c, [a, x], [b, y])[0] -> ifelse(c, a, b)"""
    count = 0
    for node in reversed(fgraph.toposort()):
        if type(node.op) is not IfElse or node not in fgraph.apply_nodes:
            continue
        n = node.op.n_outs
        kept = [i for i, v in enumerate(node.outputs) if v._clients]
        if len(kept) < n:
            c, *values = node.inputs
            result = _fewer(node, c, [values[i] for i in kept], [values[n + i] for i in kept])
            new_node = owner_of(result[0])
            new_node.trace = None
            inherit(new_node, node)
            new_for = {node.outputs[i]: new for i, new in zip(kept, result, strict=True)}
            replace_recorded(fgraph, trace, "lazy_branches", node, new_for.items())
            count += 1
    return count


def merge_conditions(fgraph: Any, trace: RewriteTrace | None = None) -> int:
    """ifelse(c, a, b), ifelse(c, x, y) -> ifelse(c, [a, x], [b, y]), where both run together.

    Only nodes with equally many ifelse nodes before them are merged, which cannot create a cycle.
    Nodes within their own branches do not count.
    """
    order = fgraph.toposort()
    regions = Regions(order, fgraph.outputs)
    levels: dict[Apply, int] = {}
    groups: dict[Any, list[Apply]] = {}
    for node in order:
        here = regions.of[node]
        for _, _, v, _ in regions.uses(node):
            # nodes inside its own branches have been counted already
            if v.owner is not None and regions.of[v.owner].depth <= here.depth:
                within = regions.of[v.owner]
                user = node if within is here else _user_in(within, here)
                before = levels[v.owner] + (type(v.owner.op) is IfElse)
                levels[user] = max(levels.get(user, 0), before)
        level = levels.setdefault(node, 0)
        if type(node.op) is IfElse:
            groups.setdefault((node.inputs[0], level, here), []).append(node)
    count = 0
    for group in groups.values():
        if len(group) > 1:
            _merge(fgraph, trace, group)
            count += 1
    return count


def _user_in(within: Region, here: Region) -> Apply:
    """Return the lazy node in the region ``within`` that has the region ``here`` inside."""
    while here.parent is not within:
        assert here.parent is not None
        here = here.parent
    assert here.node is not None
    return here.node


def _merge(fgraph: Any, trace: RewriteTrace | None, group: list[Apply]) -> None:
    counts = [node.op.n_outs for node in group]
    thens = [v for node, n in zip(group, counts, strict=True) for v in node.inputs[1 : 1 + n]]
    others = [v for node, n in zip(group, counts, strict=True) for v in node.inputs[1 + n :]]
    names = [node.op.name for node in group if node.op.name]
    new = IfElse(sum(counts), name=",".join(names) or None).make_node(
        group[0].inputs[0], *thens, *others
    )
    new.trace = None
    inherit(new, group[0])
    result = iter(new.outputs)
    for node in group:
        new_for = {old: next(result) for old in node.outputs}
        replace_recorded(fgraph, trace, "cond_merge", node, new_for.items())


def known_choice(node: Apply) -> list[Variable] | None:
    """ifelse(1, a, b) -> a; ifelse(0, a, b) -> b; ifelse(c, a, a) -> a"""
    if type(node.op) is not IfElse:
        return None
    c, n = node.inputs[0], node.op.n_outs
    thens, others = node.inputs[1 : 1 + n], node.inputs[1 + n :]
    known = number_of(c)
    if known is not None:
        return list(thens if known else others)
    if any(a is b for a, b in zip(thens, others, strict=True)):
        kept = [i for i in range(n) if thens[i] is not others[i]]
        result = iter(_fewer(node, c, [thens[i] for i in kept], [others[i] for i in kept]))
        return [a if a is b else next(result) for a, b in zip(thens, others, strict=True)]
    return None


def _fewer(node: Apply, c: Variable, thens: Any, others: Any) -> list[Variable]:
    if not thens:
        return []
    variables: list[Variable] = IfElse(len(thens), node.op.as_view, name=node.op.name)(
        c, *thens, *others, return_list=True
    )
    return variables


def _same_condition_within(node: Apply, side: int) -> list[Variable] | None:
    """Settle an ifelse with the same condition in branch ``side``; None if there is none."""
    if type(node.op) is not IfElse:
        return None
    c, n = node.inputs[0], node.op.n_outs
    sides = [list(node.inputs[1 : 1 + n]), list(node.inputs[1 + n :])]
    result = False
    for i, v in enumerate(sides[side]):
        inner = v.owner
        if inner is not None and type(inner.op) is IfElse and inner.inputs[0] is c:
            sides[side][i] = inner.inputs[1 + side * inner.op.n_outs + inner.outputs.index(v)]
            result = True
    return _fewer(node, c, *sides) if result else None


def merge_ifs_true(node: Apply) -> list[Variable] | None:
    """ifelse(c, ifelse(c, a, x), b) -> ifelse(c, a, b)"""
    return _same_condition_within(node, 0)


def merge_ifs_false(node: Apply) -> list[Variable] | None:
    """ifelse(c, a, ifelse(c, x, b)) -> ifelse(c, a, b)"""
    return _same_condition_within(node, 1)


def _example(build: Any) -> Any:
    def make() -> Any:
        c = CONSTRUCTORS["iscalar"]("c")
        x, y, z = (CONSTRUCTORS["dvector"](name) for name in "xyz")
        return [c, x, y, z], [build(c, x, y, z)]

    return make


def _if(c: Any, a: Any, b: Any) -> Any:
    return IfElse(1)(c, a, b)


# fmt: off
RULES = (
    FunctionRule(known_choice, "ifelse_settled", "canonicalize", [IfElse],
                 tags=("cond_remove_identical", "ifelse"),
                 example=_example(lambda c, x, y, z: _if(c, x, x) + y)),
    FunctionRule(merge_ifs_true, "cond_merge_ifs_true", "canonicalize", [IfElse],
                 tags=("ifelse_sameCondTrue", "ifelse"),
                 example=_example(lambda c, x, y, z: _if(c, _if(c, x, y), z))),
    FunctionRule(merge_ifs_false, "cond_merge_ifs_false", "canonicalize", [IfElse],
                 tags=("ifelse_sameCondFalse", "ifelse"),
                 example=_example(lambda c, x, y, z: _if(c, x, _if(c, y, z)))),
)
# fmt: on
