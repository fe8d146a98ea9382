"""Rewrites of loops: one loop for what several do, and nothing in it that need not be (ADR 11)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from theano._src.control.batching import batched
from theano._src.control.loop import Scan
from theano._src.graph.clone import rebuild
from theano._src.graph.node import Apply
from theano._src.graph.op import Op
from theano._src.graph.variable import Constant
from theano._src.graph.walk import nodes_of
from theano._src.ops import arithmetic
from theano._src.ops.careduce import CAReduce
from theano._src.ops.dot import Dot, dot
from theano._src.ops.elemwise import DimShuffle, Elemwise
from theano._src.ops.join import join
from theano._src.ops.known import known_int
from theano._src.ops.reduce import Sum
from theano._src.ops.scalar import ScalarOp
from theano._src.ops.shape import reshape
from theano._src.ops.subtensor import Subtensor
from theano._src.rewrite.driver import inherit
from theano._src.rewrite.rule import FunctionRule
from theano._src.rewrite.trace import RewriteTrace
from theano._src.types.constructors import CONSTRUCTORS


@dataclass(eq=False)
class Fed:
    """A sequence or another input: the variable inside, and what it is outside."""

    inner: Any
    outer: Any


@dataclass(eq=False)
class Carried:
    """A state: the variable inside, its first value outside, its new value inside."""

    inner: Any
    first: Any
    new: Any
    trace: Any  # the node's own outputs; None for what it does not give
    final: Any
    traced: bool
    kept: bool


@dataclass(eq=False)
class Free:
    """An output that does not feed back."""

    new: Any
    trace: Any
    traced: bool = True


class Draft:
    """A loop while it is rewritten."""

    def __init__(self, node: Apply) -> None:
        op = node.op
        self.node, self.op = node, op
        inner, given, made = op.inner, op.given(node.inputs), op.made(node.outputs)
        self.counts = node.inputs[: 1 + op.bounded]
        self.n = given.n
        self.sequences = [Fed(*p) for p in zip(inner.sequences, given.sequences, strict=True)]
        self.others = [Fed(*p) for p in zip(inner.others, given.others, strict=True)]
        n = op.n_states
        self.states = [
            Carried(*p)
            for p in zip(
                inner.states,
                given.states,
                op.outs[:n],
                made.traces[:n],
                made.finals,
                op.traced[:n],
                op.final,
                strict=True,
            )
        ]
        self.free = [
            Free(*p) for p in zip(op.outs[n:], made.traces[n:], op.traced[n:], strict=True)
        ]
        self.condition = op.condition
        self.count = made.count
        self.nonempty = op.nonempty

    @property
    def outs(self) -> list[Any]:
        """All inner outputs."""
        end = [] if self.condition is None else [self.condition]
        return [*(s.new for s in self.states), *(f.new for f in self.free), *end]

    @property
    def needed(self) -> list[Any]:
        """What goes round: new states and the condition."""
        end = [] if self.condition is None else [self.condition]
        return [*(s.new for s in self.states), *end]

    def put(self, outs: Sequence[Any]) -> None:
        """Other inner outputs in place of all."""
        rest = iter(outs)
        for part in (*self.states, *self.free):
            part.new = next(rest)
        if self.condition is not None:
            self.condition = next(rest)

    def replace(self, new_for: dict[Any, Any]) -> None:
        """Other inner variables in place of some."""
        self.put(rebuild(self.outs, new_for))

    def built(self) -> tuple[Any, dict[Any, Any]]:
        """The new node's outputs by kind, and what takes the place of the old outputs."""
        inputs = [
            *(x.inner for x in self.sequences),
            *(s.inner for s in self.states),
            *(w.inner for w in self.others),
        ]
        op = self.op.changed(
            inner_inputs=inputs,
            inner_outputs=self.outs,
            n_sequences=len(self.sequences),
            n_states=len(self.states),
            traced=[p.traced for p in (*self.states, *self.free)],
            final=[s.kept for s in self.states],
            nonempty=self.nonempty,
        )
        made = op.made(
            op(
                *self.counts,
                *(x.outer for x in self.sequences),
                *(s.first for s in self.states),
                *(w.outer for w in self.others),
                return_list=True,
            )
        )
        new_for = {
            p.trace: t
            for p, t in zip((*self.states, *self.free), made.traces, strict=True)
            if p.trace is not None and t is not None
        }
        new_for.update(
            (s.final, v)
            for s, v in zip(self.states, made.finals, strict=True)
            if s.final is not None and v is not None
        )
        if self.count is not None:
            new_for[self.count] = made.count
        return made, new_for

    def rebuilt(self) -> dict[Any, Any]:
        return self.built()[1]


# one loop for what several do


def merge_loops(fgraph: Any, trace: RewriteTrace | None = None) -> int:
    """for(f; x), for(f and g; x) -> for(f and g; x): loops over the same inner graph are one."""
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
    traced = [any(node.op.traced[k] for node in group) for k in range(n)] + [True] * len(outs)
    end = [first.condition] if first.until else []
    op = first.changed(
        inner_outputs=[*first.outs[:n], *outs, *end],
        traced=traced,
        final=[any(node.op.final[k] for node in group) for k in range(n)],
        nonempty=any(node.op.nonempty for node in group),
        name=first.name,
    )
    new = op.make_node(*group[0].inputs)
    new.trace = None
    inherit(new, group[0])
    made = op.made(new.outputs)
    for node in group:
        own = node.op.made(node.outputs)
        pairs = [(own.traces[k], made.traces[k]) for k in range(n)]
        pairs += [
            (t, made.traces[place[v]])
            for t, v in zip(own.traces[n:], node.op.outs[n:], strict=True)
        ]
        pairs += zip(own.finals, made.finals, strict=True)
        pairs.append((own.count, made.count))
        _replace(fgraph, trace, "scan_merge", node, [p for p in pairs if p[0] is not None])


def _replace(
    fgraph: Any, trace: RewriteTrace | None, name: str, node: Apply, pairs: Iterable[Any]
) -> None:
    pairs = list(pairs)
    step = None if trace is None else trace.step(name, node, [new for _, new in pairs])
    for old, new in pairs:
        if new.name is None:
            new.name = old.name
        if old._clients:
            fgraph.replace(old, new, reason=name)
    if trace is not None and step is not None:
        trace.add(step)


# rules


def last_only(fgraph: Any, node: Apply) -> dict[Any, Any] | None:
    """for(f; s)[-1] -> the final state: earlier ones need not be kept"""
    draft = Draft(node)
    lasts: list[tuple[Any, Carried]] = []
    for s in draft.states:
        if s.trace is None:
            continue
        rows = [s.trace]
        rows += [u.outputs[0] for u, _ in s.trace._clients if _is_cut(u, draft.count)]
        for v in rows:
            lasts += [(u.outputs[0], s) for u, _ in v._clients if _is_last(u)]
    if not lasts or (
        node.op.until and any(not _is_cut(v.owner.inputs[0].owner, draft.count) for v, _ in lasts)
    ):
        return None
    for _, s in lasts:
        s.kept = True
    draft.nonempty = True
    made, new_for = draft.built()
    place = {s: k for k, s in enumerate(draft.states)}
    new_for.update((v, made.finals[place[s]]) for v, s in lasts)
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
        v = v.owner.inputs[0]  # as a scalar
    return v is count


def drop_unused(fgraph: Any, node: Apply) -> dict[Any, Any] | None:
    """for(f and g; x) -> for(f; x) where nobody reads g; inputs that no step reads go too"""
    draft = Draft(node)
    changed = False
    for p in (*draft.states, *draft.free):
        if p.traced and not p.trace._clients:
            p.traced, changed = False, True
    for s in draft.states:
        if s.kept and not s.final._clients:
            s.kept, changed = False, True
    if any(not f.traced for f in draft.free):
        draft.free, changed = [f for f in draft.free if f.traced], True
    alive = _alive(draft)
    if len(alive) < len(draft.states):
        draft.states, changed = alive, True
    read = _inputs_read(draft)
    for name in ("sequences", "others"):
        parts = getattr(draft, name)
        kept = [p for p in parts if p.inner in read]
        if len(kept) < len(parts):
            setattr(draft, name, kept)
            changed = True
    return draft.rebuilt() if changed else None


def _alive(draft: Draft) -> list[Carried]:
    """The states that somebody outside, or another state that is alive, reads."""
    place = {s.inner: s for s in draft.states}
    end = [] if draft.condition is None else [draft.condition]
    found: dict[Carried, None] = {s: None for s in draft.states if s.traced or s.kept}
    todo = [*(f.new for f in draft.free), *end, *(s.new for s in found)]
    while todo:
        read = {v for n in nodes_of(todo, set(place)) for v in n.inputs if v in place}
        read |= {v for v in todo if v in place}
        new = [place[v] for v in read if place[v] not in found]
        found.update(dict.fromkeys(new))
        todo = [s.new for s in new]
    return [s for s in draft.states if s in found]


def _inputs_read(draft: Draft) -> set[Any]:
    outs = draft.outs
    found = set(outs)
    for n in nodes_of(outs):
        found.update(n.inputs)
    return found


def same_inputs(fgraph: Any, node: Apply) -> dict[Any, Any] | None:
    """for(f; x, x, 2) -> for(f; x): inputs given twice are one, constants are part of the step"""
    draft = Draft(node)
    new_for: dict[Any, Any] = {}
    for name in ("sequences", "others"):
        seen: dict[Any, Any] = {}
        kept = []
        for p in getattr(draft, name):
            value = p.outer
            if name == "others" and isinstance(value, Constant) and value.type == p.inner.type:
                new_for[p.inner] = value
            elif value in seen and seen[value].type == p.inner.type:
                new_for[p.inner] = seen[value]
            else:
                seen[value] = p.inner
                kept.append(p)
        setattr(draft, name, kept)
    fixed = [s for s in draft.states if s.new is s.inner and not s.traced]
    for s in fixed:
        draft.others.append(Fed(s.inner, s.first))
    draft.states = [s for s in draft.states if s not in fixed]
    if not new_for and not fixed:
        return None
    draft.replace(new_for)
    found = draft.rebuilt()
    found.update((s.final, s.first) for s in fixed if s.final is not None)
    return found


def hoisted(fgraph: Any, node: Apply) -> dict[Any, Any] | None:
    """for(f(x, g(w)); x, w) -> for(f(x, y); x, g(w)): what does not change is computed once"""
    draft = Draft(node)
    same = {w.inner for w in draft.others}
    edge = _edge(draft, same, _plain)
    if not edge:
        return None
    given = {w.inner: w.outer for w in draft.others}
    new_for = {}
    for v, value in zip(edge, rebuild(edge, given), strict=True):
        inner = v.type()
        new_for[v] = inner
        draft.others.append(Fed(inner, value))
    draft.replace(new_for)
    return draft.rebuilt()


def _plain(node: Apply) -> bool:
    """Whether a node may run once or all steps at once: it checks and prints nothing."""
    op = node.op
    if getattr(op, "runs_on", "host") != "any" or getattr(op, "is_checked", False):
        return False
    if isinstance(op, Elemwise):
        return type(op.scalar_op).checks is ScalarOp.checks
    return type(op).checks is Op.checks


def _edge(
    draft: Draft,
    start: set[Any],
    may: Callable[[Apply], bool],
    wanted: Sequence[Any] | None = None,
) -> list[Any]:
    """What nodes that depend on ``start`` alone give to others, or to the outside."""
    outs = draft.outs if wanted is None else list(wanted)
    inside = set(start)
    nodes: set[Apply] = set()
    order = nodes_of(outs)
    for n in order:
        alone = all(v in inside or isinstance(v, Constant) for v in n.inputs)
        if alone and any(v in inside for v in n.inputs) and may(n):
            inside.update(n.outputs)
            nodes.add(n)
    found: dict[Any, None] = {}
    for n in order:
        if n not in nodes:
            found.update((v, None) for v in n.inputs if v.owner in nodes)
    found.update((v, None) for v in outs if v.owner in nodes)
    return list(found)


def before_the_loop(fgraph: Any, node: Apply) -> dict[Any, Any] | None:
    """for(f(h, dot(x, w)); x) -> for(f(h, y); dot(x, w) of all steps): one product for all"""
    draft = Draft(node)
    start = {p.inner for p in (*draft.sequences, *draft.others)}
    moving = {x.inner for x in draft.sequences}
    edge = [
        v for v in _edge(draft, start, lambda n: _plain(n) and _grows_not(n)) if _worth(v, moving)
    ]
    if not edge:
        return None
    rows = {x.inner: x.outer for x in draft.sequences}
    plain = {w.inner: w.outer for w in draft.others}
    new_for = {}
    for v, value in zip(edge, batched(edge, rows, plain), strict=True):
        inner = v.type()
        new_for[v] = inner
        draft.sequences.append(Fed(inner, value))
    draft.replace(new_for)
    return draft.rebuilt()


def _grows_not(node: Apply) -> bool:
    """Whether a node's output has about as many elements as what it is computed from."""
    if isinstance(node.op, Elemwise):
        full = node.outputs[0].type.broadcastable
        return any(v.type.broadcastable == full for v in node.inputs)
    if isinstance(node.op, Dot):
        return all(v.type.ndim >= 1 for v in node.inputs) and node.outputs[0].type.ndim >= 1
    return isinstance(node.op, DimShuffle | CAReduce)


def _worth(v: Any, moving: set[Any]) -> bool:
    """Whether a product of what changes from step to step is behind a variable."""
    nodes = nodes_of([v])
    changing = set(moving)
    found = False
    for n in nodes:
        if any(u in changing for u in n.inputs):
            changing.update(n.outputs)
            if isinstance(n.op, Dot):
                # two that change are no one product
                found = found or not all(u in changing for u in n.inputs)
                if all(u in changing for u in n.inputs):
                    return False
    return found and v in changing


def after_the_loop(fgraph: Any, node: Apply) -> dict[Any, Any] | None:
    """for(h, dot(h, w)) -> for(h), dot(rows of h, w): what no step needs is computed at the end"""
    draft = Draft(node)
    if node.op.until or node.op.bounded:
        return None  # rows of steps that were not made would be computed too
    in_loop = {v for n in nodes_of(draft.needed) for v in n.outputs}
    moved = []
    for f in draft.free:
        late = nodes_of([f.new], in_loop)
        if not late or not any(isinstance(n.op, Dot) for n in late):
            continue
        if not all(_plain(n) and _grows_not(n) for n in late):
            continue
        moved.append(f)
    if not moved:
        return None
    inner_states = {s.inner: s for s in draft.states}
    late = nodes_of([f.new for f in moved], in_loop)
    read = dict.fromkeys(v for n in late for v in n.inputs if v in in_loop or v in inner_states)
    rows: dict[Any, Any] = {}
    new_states = {s.new: s for s in draft.states}
    extra: dict[Any, Free] = {}
    for v in read:
        if v in new_states:
            new_states[v].traced = True
        else:
            extra[v] = Free(v, None)
    draft.free = [f for f in draft.free if f not in moved] + list(extra.values())
    made, new_for = draft.built()
    at = {p: k for k, p in enumerate((*draft.states, *draft.free))}
    for v in read:
        part = new_states[v] if v in new_states else extra[v]
        rows[v] = made.traces[at[part]]
    rows.update({x.inner: x.outer for x in draft.sequences})
    plain = {w.inner: w.outer for w in draft.others}
    values = batched([f.new for f in moved], rows, plain)
    new_for.update((f.trace, value) for f, value in zip(moved, values, strict=True))
    return new_for


def summed_after(fgraph: Any, node: Apply) -> dict[Any, Any] | None:
    """for(s + dot(a.T, b)) -> for(a, b), s + dot(rows of a, rows of b): one product, not a sum"""
    draft = Draft(node)
    found: list[tuple[Carried, Any, Any]] = []
    for s in draft.states:
        term = _added(draft, s)
        if term is not None:
            how = _summed(term)
            if how is not None:
                found.append((s, how[0], how[1]))
    if not found or node.op.until or node.op.bounded:
        return None
    gone = [s for s, _, _ in found]
    draft.states = [s for s in draft.states if s not in gone]
    rows: dict[Any, Any] = {}
    at_hand = {p.inner: p.outer for p in draft.sequences}
    for _, read, _ in found:
        for v in read:
            if v in at_hand:
                rows[v] = at_hand[v]
            elif v not in rows:
                rows[v] = Free(v, None)
                draft.free.append(rows[v])
    made, new_for = draft.built()
    at = {p: k for k, p in enumerate((*draft.states, *draft.free))}
    for s, read, total in found:
        values = [made.traces[at[rows[v]]] if isinstance(rows[v], Free) else rows[v] for v in read]
        if s.final is not None:
            new_for[s.final] = s.final.type.filter_variable(s.first + total(*values))
    return new_for


def _added(draft: Draft, s: Carried) -> Any:
    """What each step adds to a state of which nothing else is known."""
    n = s.new.owner
    if s.traced or n is None or not isinstance(n.op, Elemwise):
        return None
    if not isinstance(n.op.scalar_op, arithmetic.Add) or list(n.inputs).count(s.inner) != 1:
        return None
    others = [v for v in n.inputs if v is not s.inner]
    if len(others) != 1 or others[0].type != s.new.type:
        return None
    # read nowhere else
    for m in nodes_of(draft.outs):
        if m is not n and s.inner in m.inputs:
            return None
    if any(p.new is s.inner for p in (*draft.states, *draft.free)):
        return None
    return others[0]


def _summed(term: Any) -> Any:
    """What is read in each step, and the sum over all steps in terms of its rows."""
    n = term.owner
    if n is None:
        return None
    if isinstance(n.op, Dot) and all(v.type.ndim == 2 for v in n.inputs):
        a, b = n.inputs
        if (
            a.owner is not None
            and isinstance(a.owner.op, DimShuffle)
            and tuple(a.owner.op.new_order) == (1, 0)
        ):
            return [a.owner.inputs[0], b], _products
    if isinstance(n.op, DimShuffle):
        inner = _summed(n.inputs[0])
        if inner is not None:
            read, total = inner
            return read, lambda *rows: n.op(total(*rows))
    if isinstance(n.op, Sum) and n.inputs[0].type.ndim:
        (x,) = n.inputs
        axes = n.op.axis
        if axes is None:
            axes = tuple(range(x.type.ndim))
        elif isinstance(axes, int):
            axes = (axes,)
        over = [0, *(k + 1 for k in axes)]
        kind = n.outputs[0].type.dtype
        return [x], lambda rows: rows.sum(axis=over, dtype=kind)
    return None


def _products(a: Any, b: Any) -> Any:
    """The sum over steps of a.T b, for all rows of all steps at once."""
    return dot(_flat(a).T, _flat(b))


def _flat(x: Any) -> Any:
    return reshape(x, [x.shape[0] * x.shape[1], x.shape[2]], ndim=2)


def rows_before(fgraph: Any, node: Apply) -> dict[Any, Any] | None:
    """for(s', s) -> for(s'), [first, s'[:-1]]: before a step is after the one before"""
    draft = Draft(node)
    if node.op.until or node.op.bounded:
        return None
    place = {s.inner: s for s in draft.states}
    found = [f for f in draft.free if f.new in place and place[f.new].traced]
    if not found:
        return None
    draft.free = [f for f in draft.free if f not in found]
    made, new_for = draft.built()
    at = {s: k for k, s in enumerate(draft.states)}
    for f in found:
        s = place[f.new]
        rows, first = made.traces[at[s]], s.first.dimshuffle("x", *range(s.first.ndim))
        # of no steps, there is no row before one
        parts = [rows[1:], first[: draft.n]] if node.op.reverse else [first[: draft.n], rows[:-1]]
        new_for[f.trace] = f.trace.type.filter_variable(join(0, *parts))
    return new_for


def _example(build: Callable[..., Any]) -> Callable[[], Any]:
    def make() -> Any:
        x = CONSTRUCTORS["dtensor3"]("x")
        h, w = CONSTRUCTORS["dmatrix"]("h"), CONSTRUCTORS["dmatrix"]("w")
        return [x, h, w], build(x, h, w)

    return make


def _loop(
    step: Callable[..., Any], n_states: int, traced: Sequence[bool], final: Sequence[bool]
) -> Callable[..., Any]:
    """A loop over x with h as state and w beside; of square matrices."""

    def build(x: Any, h: Any, w: Any) -> Any:
        inner = [v.type() for v in (x[0], h, w)]
        op = Scan(inner, step(*inner), 1, n_states, traced, final)
        return op(x.shape[0], x, h, w, return_list=True)

    return build


def _last(x: Any, h: Any, w: Any) -> Any:
    (rows,) = _loop(lambda x, h, w: [x * h + w], 1, [True], [False])(x, h, w)
    return [rows[-1]]


def _some(x: Any, h: Any, w: Any) -> Any:
    return _loop(lambda x, h, w: [x * h, w + h], 1, [True, True], [False])(x, h, w)[:1]


# fmt: off
RULES = (
    FunctionRule(last_only, "scan_save_mem", "scan", [Scan],
                 tags=("scan_last",), example=_example(_last)),
    FunctionRule(drop_unused, "remove_constants_and_unused_inputs_scan", "scan", [Scan],
                 tags=("scan_drop_unused",), example=_example(_some)),
    FunctionRule(same_inputs, "scan_inputs", "scan", [Scan], tags=("scan_merge_inouts",),
                 example=_example(lambda x, h, w: _twice(x, h, w))),
    FunctionRule(hoisted, "scan_pushout_nonseqs_ops", "scan", [Scan],
                 tags=("scanOp_pushout_nonseqs_ops", "scan_pushout"),
                 example=_example(_loop(lambda x, h, w: [x * h + w * w], 1, [True], [False]))),
    FunctionRule(before_the_loop, "scan_pushout_seqs_ops", "scan", [Scan],
                 tags=("scanOp_pushout_seqs_ops", "scan_pushout"),
                 example=_example(_loop(lambda x, h, w: [dot(x, w) * h], 1, [True], [False]))),
    FunctionRule(after_the_loop, "scan_pushout_output", "scan", [Scan],
                 tags=("scanOp_pushout_output", "scan_pushout"),
                 example=_example(_loop(lambda x, h, w: [x * h, dot(h, w)], 1, [True, True],
                                        [False]))),
    FunctionRule(summed_after, "scan_pushout_dot1", "scan", [Scan],
                 tags=("scanOp_pushout_dot1", "scan_pushout"),
                 example=_example(_loop(lambda x, h, w: [h + dot(x.T, x)], 1, [False], [True]))),
    FunctionRule(rows_before, "scan_rows_before", "scan", [Scan],
                 example=_example(_loop(lambda x, h, w: [x * h, h], 1, [True, True], [False]))),
)
# fmt: on


def _twice(x: Any, h: Any, w: Any) -> Any:
    inner = [v.type() for v in (x[0], h, w, w)]
    a, b, c, d = inner
    return Scan(inner, [a * b + c * d], 1, 1)(x.shape[0], x, h, w, w, return_list=True)
