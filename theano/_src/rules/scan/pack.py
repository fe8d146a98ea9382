"""Vectorise scalar loop state: states of equal form become one vector."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from theano._src.control.scan.op import Scan
from theano._src.graph.graph import Apply, Constant
from theano._src.graph.walk import nodes_of
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.core.scalar import ScalarOp
from theano._src.ops.index.static_take import StaticTake, runs_of
from theano._src.ops.shape.join import MakeVector, join
from theano._src.rewrite.rule import FunctionRule
from theano._src.rules.factoring import is_rounded
from theano._src.rules.scan.builder import ScanBuilder, ScanCarry, ScanInput, ScanOutput
from theano._src.rules.stack_alike import columns, element_of, stacked
from theano._src.types.convert import constant
from theano._src.types.tensor import TensorType, tensor_type

# the least number of states that are worth packing, and the least length of a vector
LEAST_STATES, LEAST = 8, 4
# the factor by which packing must reduce the number of nodes
GAIN = 3


def packed(fgraph: Any, node: Apply) -> dict[Any, Any] | None:
    """for(f(s), f(t); s, t) -> for(f(v); v = [s, t]): scalars computed alike become a vector

    The step is rewritten as well: expressions of the same form become one, on the vectors of
    their inputs.
    """
    kinds = Counter(v.type.dtype for v in node.op.inner.states if _is_number(v))
    wanted = {kind for kind, count in kinds.items() if count >= LEAST_STATES}
    if not wanted:
        return None
    builder = ScanBuilder(node)
    # outputs without readers are neither kept nor packed
    for p in builder.parts:
        p.is_stacked = p.is_stacked and bool(p.stacked_output._clients)
    for s in builder.states:
        s.kept = s.kept and bool(s.final._clients)
    builder.outputs_only = [f for f in builder.outputs_only if f.is_stacked]
    step = _Step(builder, wanted)
    return step.rebuilt() if step.pays() else None


def _is_number(v: Any) -> bool:
    return isinstance(v.type, TensorType) and v.type.ndim == 0


@dataclass(eq=False)
class _Group:
    """Scalars inside the loop that become entries of one vector."""

    number: int
    members: list[Any]
    args: dict[Any, list[Any]] = field(default_factory=dict)  # node inputs by member
    op: Any = None
    vector: Any = None
    place: dict[Any, int] = field(default_factory=dict)
    read: bool = False

    def settle(self, members: Sequence[Any], vector: Any) -> None:
        self.members, self.vector = list(members), vector
        self.place = {v: k for k, v in enumerate(self.members)}

    def pick(self, at: Any) -> Any:
        self.read = True
        whole = len(self.members)
        if at == list(range(whole)):
            return self.vector
        return StaticTake(at, whole)(self.vector)


class _Step:
    """The step of a loop, with some of its scalars packed into vectors."""

    def __init__(self, builder: ScanBuilder, dtypes: set[str]) -> None:
        self.builder = builder
        self.groups: list[_Group] = []
        self.of: dict[Any, _Group] = {}
        self.now: dict[Any, Any] = {}  # replacements of inner variables in the new step
        self._inputs(dtypes)
        self._nodes()

    def _group(self, members: Sequence[Any]) -> _Group:
        group = _Group(len(self.groups), list(members))
        self.groups.append(group)
        self.of.update(dict.fromkeys(members, group))
        return group

    # grouping

    def _inputs(self, dtypes: set[str]) -> None:
        builder = self.builder
        states: dict[Any, list[ScanCarry]] = {}
        for s in builder.states:
            if _is_number(s.inner) and s.inner.type.dtype in dtypes:
                states.setdefault(s.inner.type.dtype, []).append(s)
        fed: dict[Any, list[ScanInput]] = {}
        for x in builder.sequences:
            if _is_number(x.inner):
                # columns of one array are grouped together
                element = element_of(x.outer)
                owner = x.outer.owner
                source = element[0] if element else owner and owner.op
                fed.setdefault((True, x.inner.type.dtype, source), []).append(x)
        for w in builder.non_sequences:
            if _is_number(w.inner):
                fed.setdefault((False, w.inner.type.dtype), []).append(w)
        self.states = {self._group([s.inner for s in item]): item for item in states.values()}
        self.fed: dict[_Group, tuple[bool, list[ScanInput]]] = {}
        for key, inputs in fed.items():
            if len(inputs) >= LEAST:
                at = [e[1] for x in inputs if (e := element_of(x.outer)) is not None]
                if len(at) == len(inputs):
                    inputs = [inputs[k] for k in sorted(range(len(at)), key=at.__getitem__)]
                self.fed[self._group([x.inner for x in inputs])] = (key[0], inputs)

    def _nodes(self) -> None:
        height: dict[Any, int] = {}
        self.levels: dict[int, list[Any]] = {}
        self.alike = 0
        by_height: dict[int, list[Apply]] = {}
        for n in nodes_of(self.builder.outs):
            h = 1 + max((height.get(v, 0) for v in n.inputs), default=0)
            height.update(dict.fromkeys(n.outputs, h))
            by_height.setdefault(h, []).append(n)
        self.reads = 0
        for h in sorted(by_height):
            forms: dict[Any, list[Any]] = {}
            units = self.levels[h] = []
            for n in by_height[h]:
                if _is_plain(n):
                    self.alike += 1
                    args = self._args(n)
                    form = (n.op, tuple(self._class(v) for v in args))
                    forms.setdefault(form, []).append((n, args))
                else:
                    units.append(n)
            for (op, _), result in forms.items():
                # nodes of one height do not read each other
                if len(result) >= LEAST and len({tuple(map(_same, a)) for _, a in result}) > 1:
                    out = self._group([n.outputs[0] for n, _ in result])
                    out.op = op
                    out.args = {n.outputs[0]: args for n, args in result}
                    units.append(out)
                else:
                    units.extend(n for n, _ in result)

    def _args(self, node: Apply) -> list[Any]:
        """Return the inputs of a node, sorted by class if their order does not matter."""
        op, inputs = node.op.scalar_op, node.inputs
        if not op.commutative or (len(inputs) > 2 and not op.associative):
            return list(inputs)
        if len(inputs) > 2 and op.rounds and sum(not is_rounded(v) for v in inputs) > 1:
            return list(inputs)
        return sorted(node.inputs, key=lambda v: self._class(v)[:2])

    def _class(self, v: Any) -> tuple[int, str]:
        if isinstance(v, Constant):
            return (-2, v.type.dtype)
        group = self.of.get(v)
        return (-1 if group is None else group.number, v.type.dtype)

    def pays(self) -> bool:
        """Whether packing reduces the number of nodes enough."""
        before = self.alike + sum(len(item) for item in self.states.values())
        loose = [n for units in self.levels.values() for n in units if isinstance(n, Apply)]
        read = {v for n in loose for v in n.inputs if v in self.of}
        result = sum(g.op is not None for g in self.groups)
        if not result:
            return False
        after = result + len(read) + sum(map(_is_plain, loose))
        for item in self.states.values():
            after += sum(s.new not in self.of for s in item)
        return after * GAIN <= before

    # the new step

    def rebuilt(self) -> dict[Any, Any]:
        builder = self.builder
        for group, item in self.states.items():
            # states whose new values are in one vector are placed side by side
            order = sorted(item, key=lambda s: self._class(s.new)[0] % (1 << 30))
            self.states[group] = order
            group.settle([s.inner for s in order], _vector_like(order[0].inner))
        for group, (_, fed) in self.fed.items():
            group.settle([x.inner for x in fed], _vector_like(fed[0].inner))
        self._home = {s.new: k for item in self.states.values() for k, s in enumerate(item)}
        for h in sorted(self.levels):
            for unit in self.levels[h]:
                if isinstance(unit, _Group):
                    self._build(unit)
                else:
                    self._copy(unit)
        return self._in_place(builder)

    def _copy(self, node: Apply) -> None:
        ins = [self.one(v) for v in node.inputs]
        if any(a is not b for a, b in zip(ins, node.inputs, strict=True)):
            clone = node.clone_with_new_inputs(ins)
            self.now.update(zip(node.outputs, clone.outputs, strict=True))

    def _build(self, group: _Group) -> None:
        order = self._order(group)
        slots = zip(*[group.args[v] for v in order], strict=True)
        operands = []
        for slot in slots:
            alike = len({_same(v) for v in slot}) == 1
            operands.append(self.one(slot[0]) if alike else self.vector(slot))
        group.settle(order, group.op(*operands))

    def _order(self, group: _Group) -> list[Any]:
        """Return the order of members that splits their inputs into the fewest pieces."""
        members = group.members
        slots = []
        for slot in zip(*[group.args[v] for v in members], strict=True):
            if all(v in self.of for v in slot) and len(set(slot)) == len(slot):
                slots.append([self.of[v].place[v] for v in slot])
        if all(v in self._home for v in members):
            slots.append([self._home[v] for v in members])
        best, fewest = list(range(len(members))), np.inf
        for by in [best, *(sorted(best, key=s.__getitem__) for s in slots[-3:])]:
            pieces = sum(len(runs_of([s[k] for k in by])) for s in slots)
            if pieces < fewest:
                best, fewest = by, pieces
        return [members[k] for k in best]

    def one(self, v: Any) -> Any:
        """Return the replacement of a scalar, or of a variable that is not packed."""
        group = self.of.get(v)
        if group is None:
            return self.now.get(v, v)
        result = self.now.get(v)
        if result is None:
            result = self.now[v] = group.pick(group.place[v])
        return result

    def vector(self, vs: Sequence[Any]) -> Any:
        """Return scalars as a vector."""
        dtype = vs[0].type.dtype
        if all(isinstance(v, Constant) for v in vs):
            return constant(np.array([v.data for v in vs], dtype))
        sources: dict[Any, dict[Any, int]] = {}
        for v in vs:
            known = sources.setdefault(self.of.get(v), {})
            known.setdefault(v, len(known))
        if len(sources) == 1 and None not in sources:
            (group,) = sources
            return group.pick([group.place[v] for v in vs])
        parts: list[Any] = []
        at: dict[Any, int] = {}
        start = 0
        for group, known in sources.items():
            if group is None:
                parts.append(MakeVector(dtype)(*map(self.one, known)))
            else:
                parts.append(group.pick([group.place[v] for v in known]))
            at.update((v, start + k) for v, k in known.items())
            start += len(known)
        places = [at[v] for v in vs]
        whole = join(0, *parts)
        return whole if places == list(range(start)) else StaticTake(places, start)(whole)

    # the outer loop

    def _in_place(self, builder: ScanBuilder) -> dict[Any, Any]:
        gone = {s for item in self.states.values() for s in item}
        packs: list[tuple[Any, list[Any]]] = []  # a packed part, and its members
        outputs_only: list[ScanOutput] = []
        states = [s for s in builder.states if s not in gone]
        for s in states:
            s.new = self.one(s.new)
        finals: list[tuple[ScanCarry, list[ScanCarry]]] = []
        rows: list[Any] = list(builder.outputs_only)
        for group, item in self.states.items():
            new = self.vector([s.new for s in item])
            kept, is_stacked = any(s.kept for s in item), all(s.is_stacked for s in item)
            one = ScanCarry(
                group.vector, stacked([s.first for s in item]), new, None, None, is_stacked, kept
            )
            states.append(one)
            finals.append((one, item))
            if is_stacked:
                packs.append((one, item))
            else:
                # stack only the states that are read
                rows += [s for s in item if s.is_stacked]
        by_group: dict[Any, list[Any]] = {}
        for f in rows:
            by_group.setdefault(self.of.get(f.new), []).append(f)
        for group, item in by_group.items():
            if group is None or len(item) < LEAST:
                outputs_only += [ScanOutput(self.one(f.new), f.stacked_output) for f in item]
                continue
            item.sort(key=lambda f: group.place[f.new])
            out = ScanOutput(self.vector([f.new for f in item]), None)
            outputs_only.append(out)
            packs.append((out, item))
        if builder.condition is not None:
            builder.condition = self.one(builder.condition)
        builder.states, builder.outputs_only = states, outputs_only
        for group, (is_sequence, fed) in self.fed.items():
            parts = builder.sequences if is_sequence else builder.non_sequences
            parts[:] = [p for p in parts if p not in fed]
            if group.read:
                outer = [p.outer for p in fed]
                parts.append(
                    ScanInput(group.vector, columns(outer) if is_sequence else stacked(outer))
                )
        result, new_for = builder.built()
        at = {p: k for k, p in enumerate((*states, *outputs_only))}
        for part, item in packs:
            stacked_output = result.stacked_outputs[at[part]]
            for k, p in enumerate(item):
                if p.stacked_output is not None and p.is_stacked:
                    new_for[p.stacked_output] = StaticTake(k, len(item))(stacked_output)
        for part, item in finals:
            for k, s in enumerate(item):
                if s.final is not None and s.kept:
                    new_for[s.final] = StaticTake(k, len(item))(result.finals[at[part]])
        return new_for


def _vector_like(v: Any) -> Any:
    return tensor_type(v.type.dtype, (False,))()


def _same(v: Any) -> Any:
    """Return a key that is equal only for the same variable, or constants with equal bits."""
    return (v.type.dtype, v.data.tobytes()) if isinstance(v, Constant) else v


def _is_plain(node: Apply) -> bool:
    """Whether a node is an elementwise function of scalars that checks nothing."""
    op = node.op
    return (
        type(op) is Elemwise
        and not op.inplace_items
        and len(node.outputs) == 1
        and all(v.type.ndim == 0 for v in node.inputs)
        and op.runs_on == "any"
        and type(op.scalar_op).checks is ScalarOp.checks
    )


# fmt: off
RULES = (
    FunctionRule(packed, "scan_pack_states", "scan_pack", [Scan]),
)
# fmt: on
