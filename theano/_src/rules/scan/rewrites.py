"""Merge loops, remove unused outputs and inputs (ADR 11)."""

from __future__ import annotations

from typing import Any

from theano._src.control.scan.op import Scan
from theano._src.graph.graph import Apply, Constant
from theano._src.graph.walk import nodes_of
from theano._src.ops.index.subtensor import Subtensor
from theano._src.ops.shape.static_values import known_int
from theano._src.rewrite.driver import inherit, replace_recorded
from theano._src.rewrite.log import RewriteTrace
from theano._src.rewrite.rule import FunctionRule
from theano._src.rules.scan.builder import (
    ScanBuilder,
    ScanCarry,
    ScanInput,
    example_loop,
    example_of,
)

# merging of loops


def merge_loops(fgraph: Any, trace: RewriteTrace | None = None) -> int:
    """for(f; x), for(f and g; x) -> for(f and g; x): loops over the same inner graph are merged."""
    groups: dict[Any, list[Apply]] = {}
    for node in fgraph.toposort():
        if type(node.op) is Scan:
            op = node.op
            flags = (op.reverse, op.until, op.bounded, op.truncate, op.recompute)
            inside = (op.inner_inputs, op.inner_outputs[: op.n_states], op.condition, flags)
            groups.setdefault((*inside, tuple(node.inputs)), []).append(node)
    count = 0
    for group in groups.values():
        if len(group) > 1:
            _merge(fgraph, trace, group)
            count += 1
    return count


def _merge(fgraph: Any, trace: RewriteTrace | None, group: list[Apply]) -> None:
    first = group[0].op
    n = first.n_states
    outs = list(dict.fromkeys(v for node in group for v in node.op.outs[n:]))
    place = {v: n + k for k, v in enumerate(outs)}
    is_stacked = [any(node.op.is_stacked[k] for node in group) for k in range(n)] + [True] * len(
        outs
    )
    end = [first.condition] if first.until else []
    op = first.changed(
        inner_outputs=[*first.outs[:n], *outs, *end],
        is_stacked=is_stacked,
        final=[any(node.op.final[k] for node in group) for k in range(n)],
        nonempty=any(node.op.nonempty for node in group),
        name=first.name,
    )
    new = op.make_node(*group[0].inputs)
    new.trace = None
    inherit(new, group[0])
    result = op.split_outputs(new.outputs)
    for node in group:
        own = node.op.split_outputs(node.outputs)
        pairs = [(own.stacked_outputs[k], result.stacked_outputs[k]) for k in range(n)]
        pairs += [
            (t, result.stacked_outputs[place[v]])
            for t, v in zip(own.stacked_outputs[n:], node.op.outs[n:], strict=True)
        ]
        pairs += zip(own.finals, result.finals, strict=True)
        pairs.append((own.count, result.count))
        replace_recorded(fgraph, trace, "scan_merge", node, [p for p in pairs if p[0] is not None])


# rules


def last_only(fgraph: Any, node: Apply) -> dict[Any, Any] | None:
    """for(f; s)[-1] -> the final state: earlier ones need not be kept"""
    builder = ScanBuilder(node)
    lasts: list[tuple[Any, ScanCarry]] = []
    for s in builder.states:
        if s.stacked_output is None:
            continue
        rows = [s.stacked_output]
        rows += [u.outputs[0] for u, _ in s.stacked_output._clients if _is_cut(u, builder.count)]
        for v in rows:
            lasts += [(u.outputs[0], s) for u, _ in v._clients if _is_last(u)]
    if not lasts or (
        node.op.until and any(not _is_cut(v.owner.inputs[0].owner, builder.count) for v, _ in lasts)
    ):
        return None
    for _, s in lasts:
        s.kept = True
    builder.nonempty = True
    result, new_for = builder.built()
    place = {s: k for k, s in enumerate(builder.states)}
    new_for.update((v, result.finals[place[s]]) for v, s in lasts)
    return new_for


def _is_last(node: Any) -> bool:
    """Whether a node is ``x[-1]``."""
    return (
        not isinstance(node, str)
        and type(node.op) is Subtensor
        and len(node.op.idx_list) == 1
        and not isinstance(node.op.idx_list[0], slice)
        and known_int(node.inputs[1]) == -1
    )


def _is_cut(node: Any, count: Any) -> bool:
    """Whether a node is ``x[:count]``."""
    if count is None or node is None or isinstance(node, str) or type(node.op) is not Subtensor:
        return False
    ends = node.op.idx_list
    if len(ends) != 1 or not isinstance(ends[0], slice) or len(node.inputs) != 2:
        return False
    one = ends[0]
    if one.start is not None or one.stop is None or one.step is not None:
        return False
    v = node.inputs[1]
    while v is not count and v.owner is not None and len(v.owner.inputs) == 1:
        v = v.owner.inputs[0]  # conversion to a scalar
    return v is count


def drop_unused(fgraph: Any, node: Apply) -> dict[Any, Any] | None:
    """for(f and g; x) -> for(f; x) where g is not read; inputs that no step reads go too"""
    builder = ScanBuilder(node)
    changed = False
    for p in builder.parts:
        if p.is_stacked and not p.stacked_output._clients:
            p.is_stacked, changed = False, True
    for s in builder.states:
        if s.kept and not s.final._clients:
            s.kept, changed = False, True
    if any(not f.is_stacked for f in builder.outputs_only):
        builder.outputs_only, changed = [f for f in builder.outputs_only if f.is_stacked], True
    alive = _alive(builder)
    if len(alive) < len(builder.states):
        builder.states, changed = alive, True
    read = _inputs_read(builder)
    for name in ("sequences", "non_sequences"):
        parts = getattr(builder, name)
        kept = [p for p in parts if p.inner in read]
        if len(kept) < len(parts):
            setattr(builder, name, kept)
            changed = True
    return builder.rebuilt() if changed else None


def _alive(builder: ScanBuilder) -> list[ScanCarry]:
    """Return the states that are read outside, or by another live state."""
    place = {s.inner: s for s in builder.states}
    end = [] if builder.condition is None else [builder.condition]
    result: dict[ScanCarry, None] = {s: None for s in builder.states if s.is_stacked or s.kept}
    todo = [*(f.new for f in builder.outputs_only), *end, *(s.new for s in result)]
    while todo:
        read = {v for n in nodes_of(todo, set(place)) for v in n.inputs if v in place}
        read |= {v for v in todo if v in place}
        new = [place[v] for v in read if place[v] not in result]
        result.update(dict.fromkeys(new))
        todo = [s.new for s in new]
    return [s for s in builder.states if s in result]


def _inputs_read(builder: ScanBuilder) -> set[Any]:
    outs = builder.outs
    results = set(outs)
    for n in nodes_of(outs):
        results.update(n.inputs)
    return results


def same_inputs(fgraph: Any, node: Apply) -> dict[Any, Any] | None:
    """for(f; x, x, 2) -> for(f; x): equal inputs are merged, constants move into the step"""
    builder = ScanBuilder(node)
    new_for: dict[Any, Any] = {}
    for name in ("sequences", "non_sequences"):
        seen: dict[Any, Any] = {}
        kept = []
        for p in getattr(builder, name):
            value = p.outer
            if (
                name == "non_sequences"
                and isinstance(value, Constant)
                and value.type == p.inner.type
            ):
                new_for[p.inner] = value
            elif value in seen and seen[value].type == p.inner.type:
                new_for[p.inner] = seen[value]
            else:
                seen[value] = p.inner
                kept.append(p)
        setattr(builder, name, kept)
    fixed = [s for s in builder.states if s.new is s.inner and not s.is_stacked]
    for s in fixed:
        builder.non_sequences.append(ScanInput(s.inner, s.first))
    builder.states = [s for s in builder.states if s not in fixed]
    if not new_for and not fixed:
        return None
    builder.replace(new_for)
    result = builder.rebuilt()
    result.update((s.final, s.first) for s in fixed if s.final is not None)
    return result


def _last(x: Any, h: Any, w: Any) -> Any:
    (rows,) = example_loop(lambda x, h, w: [x * h + w], 1, [True], [False])(x, h, w)
    return [rows[-1]]


def _some(x: Any, h: Any, w: Any) -> Any:
    return example_loop(lambda x, h, w: [x * h, w + h], 1, [True, True], [False])(x, h, w)[:1]


def _twice(x: Any, h: Any, w: Any) -> Any:
    inner = [v.type() for v in (x[0], h, w, w)]
    a, b, c, d = inner
    return Scan(inner, [a * b + c * d], 1, 1)(x.shape[0], x, h, w, w, return_list=True)


# fmt: off
RULES = (
    FunctionRule(last_only, "scan_save_mem", "scan", [Scan],
                 tags=("scan_last",), example=example_of(_last)),
    FunctionRule(drop_unused, "remove_constants_and_unused_inputs_scan", "scan scan_pack", [Scan],
                 tags=("scan_drop_unused",), example=example_of(_some),
                 hazard="no error where g has one, as it is not computed"),
    FunctionRule(same_inputs, "scan_inputs", "scan", [Scan], tags=("scan_merge_inouts",),
                 example=example_of(lambda x, h, w: _twice(x, h, w))),
)
# fmt: on
