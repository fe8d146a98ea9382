"""Move work out of loops: done once, or for all steps at once (ADR 11)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from theano._src.control.batching import batched
from theano._src.control.scan.op import Scan
from theano._src.graph.clone import rebuild
from theano._src.graph.graph import Apply, Constant
from theano._src.graph.walk import nodes_of
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise import arithmetic
from theano._src.ops.elementwise.compare import gt
from theano._src.ops.linalg.dot import Dot, TensorDot, dot
from theano._src.ops.meta.misc import Assert
from theano._src.ops.reduce.careduce import CAReduce
from theano._src.ops.reduce.reduce import Sum
from theano._src.ops.shape.check_lengths import CheckLengths
from theano._src.ops.shape.dims import patternbroadcast
from theano._src.ops.shape.join import join
from theano._src.rewrite.rule import FunctionRule
from theano._src.rules.lengths import has_length
from theano._src.rules.scan.builder import (
    ScanBuilder,
    ScanCarry,
    ScanInput,
    ScanOutput,
    loop_example,
)
from theano._src.types.checked import is_checked


def hoisted(fgraph: Any, node: Apply) -> dict[Any, Any] | None:
    """for(f(x, g(w)); x, w) -> for(f(x, y); x, g(w)): loop invariants are computed once"""
    builder = ScanBuilder(node)
    same = {w.inner for w in builder.non_sequences}
    edge = _edge(builder, same, _plain)
    if not edge:
        return None
    given = {w.inner: w.outer for w in builder.non_sequences}
    new_for = {}
    for v, value in zip(edge, rebuild(edge, given), strict=True):
        inner = v.type()
        new_for[v] = inner
        builder.non_sequences.append(ScanInput(inner, value))
    builder.replace(new_for)
    return builder.rebuilt()


def _plain(node: Apply) -> bool:
    """Whether a node may run once, or for all steps at once: it checks and prints nothing."""
    return node.op.runs_on == "any" and not is_checked(node.op)


def _edge(
    builder: ScanBuilder,
    start: set[Any],
    may: Callable[[Apply], bool],
    wanted: Sequence[Any] | None = None,
) -> list[Any]:
    """Return the values that nodes depending only on ``start`` pass to others or outside."""
    outs = builder.outs if wanted is None else list(wanted)
    inside = set(start)
    nodes: set[Apply] = set()
    order = nodes_of(outs)
    for n in order:
        alone = all(v in inside or isinstance(v, Constant) for v in n.inputs)
        if alone and any(v in inside for v in n.inputs) and may(n):
            inside.update(n.outputs)
            nodes.add(n)
    result: dict[Any, None] = {}
    for n in order:
        if n not in nodes:
            result.update((v, None) for v in n.inputs if v.owner in nodes)
    result.update((v, None) for v in outs if v.owner in nodes)
    return list(result)


def before_the_loop(fgraph: Any, node: Apply) -> dict[Any, Any] | None:
    """for(f(h, dot(x, w)); x) -> for(f(h, y); dot(x, w) of all steps): one product for all steps"""
    builder = ScanBuilder(node)
    start = {p.inner for p in (*builder.sequences, *builder.non_sequences)}
    moving = {x.inner for x in builder.sequences}
    edge = [
        v for v in _edge(builder, start, lambda n: _plain(n) and _grows_not(n)) if _worth(v, moving)
    ]
    if not edge:
        return None
    rows = {x.inner: x.outer for x in builder.sequences}
    plain = {w.inner: w.outer for w in builder.non_sequences}
    new_for = {}
    for v, value in zip(edge, batched(edge, rows, plain), strict=True):
        inner = v.type()
        new_for[v] = inner
        builder.sequences.append(ScanInput(inner, value))
    builder.replace(new_for)
    return builder.rebuilt()


def _grows_not(node: Apply) -> bool:
    """Whether a node's output has about as many elements as its inputs."""
    if isinstance(node.op, Elemwise):
        full = node.outputs[0].type.broadcastable
        return any(v.type.broadcastable == full for v in node.inputs)
    if isinstance(node.op, Dot):
        return all(v.type.ndim >= 1 for v in node.inputs) and node.outputs[0].type.ndim >= 1
    return isinstance(node.op, DimShuffle | CAReduce)


def _worth(v: Any, moving: set[Any]) -> bool:
    """Whether ``v`` depends on a dot with exactly one operand that changes from step to step."""
    nodes = nodes_of([v])
    changing = set(moving)
    result = False
    for n in nodes:
        if any(u in changing for u in n.inputs):
            changing.update(n.outputs)
            if isinstance(n.op, Dot):
                # a dot of two changing operands is not one product for all steps
                result = result or not all(u in changing for u in n.inputs)
                if all(u in changing for u in n.inputs):
                    return False
    return result and v in changing


def after_the_loop(fgraph: Any, node: Apply) -> dict[Any, Any] | None:
    """for(h, dot(h, w)) -> for(h), dot(rows of h, w): values no step needs come after"""
    builder = ScanBuilder(node)
    if node.op.until or node.op.bounded:
        return None  # rows of steps that did not run would be computed too
    in_loop = {v for n in nodes_of(builder.needed) for v in n.outputs}
    moved = []
    for f in builder.outputs_only:
        late = nodes_of([f.new], in_loop)
        if not late or not any(isinstance(n.op, Dot) for n in late):
            continue
        if not all(_plain(n) and _grows_not(n) for n in late):
            continue
        moved.append(f)
    if not moved:
        return None
    inner_states = {s.inner: s for s in builder.states}
    late = nodes_of([f.new for f in moved], in_loop)
    read = dict.fromkeys(v for n in late for v in n.inputs if v in in_loop or v in inner_states)
    rows: dict[Any, Any] = {}
    new_states = {s.new: s for s in builder.states}
    extra: dict[Any, ScanOutput] = {}
    for v in read:
        if v in new_states:
            new_states[v].is_stacked = True
        else:
            extra[v] = ScanOutput(v, None)
    builder.outputs_only = [f for f in builder.outputs_only if f not in moved] + list(
        extra.values()
    )
    result, new_for = builder.built()
    at = {p: k for k, p in enumerate(builder.parts)}
    for v in read:
        part = new_states[v] if v in new_states else extra[v]
        rows[v] = result.stacked_outputs[at[part]]
    rows.update({x.inner: x.outer for x in builder.sequences})
    plain = {w.inner: w.outer for w in builder.non_sequences}
    values = batched([f.new for f in moved], rows, plain)
    new_for.update((f.stacked_output, value) for f, value in zip(moved, values, strict=True))
    return new_for


def summed_after(fgraph: Any, node: Apply) -> dict[Any, Any] | None:
    """for(s + dot(a.T, b)) -> for(a, b), s + dot(rows of a, rows of b): one product, not a sum"""
    builder = ScanBuilder(node)
    if node.op.until or node.op.bounded:
        return None
    readers = _readers(builder)
    added = [(s, _added(s, readers)) for s in builder.states]
    results = [
        (s, how) for s, term in added if term is not None and (how := _summed(term)) is not None
    ]
    at_hand = {p.inner: p.outer for p in builder.sequences}
    kept: dict[Any, Any] = {p.new: p for p in builder.parts if p.is_stacked}
    factors = {v for _, how in results if how.few for v in how.read}
    # rows kept only for a sum may take more memory than the loop was meant to take
    results = [
        (s, how)
        for s, how in results
        if how.few or all(v in at_hand or v in kept or v in factors for v in how.read)
    ]
    if not results:
        return None
    gone = {s for s, _ in results}
    builder.states = [s for s in builder.states if s not in gone]
    for v in dict.fromkeys(v for _, how in results for v in how.read):
        if v not in at_hand and v not in kept:
            kept[v] = ScanOutput(v, None)
            builder.outputs_only.append(kept[v])
    result, new_for = builder.built()
    at = {p: k for k, p in enumerate(builder.parts)}
    for s, how in results:
        values = [
            _of_all_steps(fgraph, at_hand[v], builder.n)
            if v in at_hand
            else result.stacked_outputs[at[kept[v]]]
            for v in how.read
        ]
        if s.final is not None:
            # rows that are declared longer or shorter than in the loop are not repeated
            ones = s.inner.type.broadcastable
            # a loop that is still read says itself that it has no steps
            alone = builder.nonempty and all(v in at_hand for v in how.read)
            first = _with_a_step(s.first, builder.n) if alone else s.first
            total = patternbroadcast(how.total(*values), ones)
            new_for[s.final] = s.final.type.filter_variable(patternbroadcast(first, ones) + total)
    return new_for


def _of_all_steps(fgraph: Any, rows: Any, n: Any) -> Any:
    """Return a sequence that has one row for each step: the loop no longer says so."""
    return rows if has_length(fgraph, rows, 0, n) else CheckLengths((0,))(rows, n)


def _with_a_step(first: Any, n: Any) -> Any:
    """Return the first state where there is a step: without one, reading the last is an error."""
    if isinstance(n, Constant) and n.data > 0:
        return first
    return Assert("a loop has no last step: n_steps is not positive")(first, gt(n, 0))


def _readers(builder: ScanBuilder) -> dict[Any, list[Any]]:
    """Return the nodes that read each inner variable, with None for the outside."""
    result: dict[Any, list[Any]] = {}
    for node in nodes_of(builder.outs):
        for v in dict.fromkeys(node.inputs):
            result.setdefault(v, []).append(node)
    for v in builder.outs:
        result.setdefault(v, []).append(None)
    return result


def _added(s: ScanCarry, readers: dict[Any, list[Any]]) -> Any:
    """Return the term that each step adds to a state that nothing else reads; else None."""
    n = s.new.owner
    if s.is_stacked or n is None or not isinstance(n.op, Elemwise):
        return None
    if not isinstance(n.op.scalar_op, arithmetic.Add) or list(n.inputs).count(s.inner) != 1:
        return None
    non_sequences = [v for v in n.inputs if v is not s.inner]
    if len(non_sequences) != 1 or non_sequences[0].type != s.new.type or readers[s.inner] != [n]:
        return None
    return non_sequences[0]


class Total(NamedTuple):
    """A sum over all steps: the variables read in each, and the sum as a function of their rows."""

    read: list[Any]
    total: Callable[..., Any]
    few: bool  # whether the variables read are no larger than the term added


def _summed(term: Any) -> Total | None:
    """Return how to sum the terms of all steps after the loop, or None."""
    n = term.owner
    if n is None:
        return None
    if isinstance(n.op, Dot) and all(v.type.ndim == 2 for v in n.inputs):
        a, b = n.inputs
        if _is_shuffled(a, (1, 0)):
            return Total([a.owner.inputs[0], b], _products, True)
    if _is_outer(n):
        read = [v.owner.inputs[0] for v in n.inputs]
        if _is_shuffled(n.inputs[0], ("x", 0)):
            read.reverse()
        return Total(read, lambda a, b: dot(a.T, b), True)
    if isinstance(n.op, DimShuffle):
        inner = _summed(n.inputs[0])
        if inner is not None:
            return inner._replace(total=lambda *rows: n.op(inner.total(*rows)))
    if isinstance(n.op, Sum) and n.inputs[0].type.ndim:
        (x,) = n.inputs
        axes = n.op.axis
        if axes is None:
            axes = tuple(range(x.type.ndim))
        elif isinstance(axes, int):
            axes = (axes,)
        over = [0, *(k + 1 for k in axes)]
        kind = n.outputs[0].type.dtype
        return Total([x], lambda rows: rows.sum(axis=over, dtype=kind), False)
    return None


def _is_outer(node: Apply) -> bool:
    """Whether a node multiplies a column and a row made from vectors of one dtype."""
    if not isinstance(node.op, Elemwise) or not isinstance(node.op.scalar_op, arithmetic.Mul):
        return False
    if len(node.inputs) != 2 or len({v.type.dtype for v in node.inputs}) != 1:
        return False
    a, b = node.inputs
    return any(
        _is_shuffled(column, (0, "x")) and _is_shuffled(row, ("x", 0))
        for column, row in ((a, b), (b, a))
    )


def _is_shuffled(v: Any, order: tuple[Any, ...]) -> bool:
    node = v.owner
    return (
        node is not None
        and isinstance(node.op, DimShuffle)
        and tuple(node.op.new_order) == order
        and node.inputs[0].type.ndim == sum(k != "x" for k in order)
    )


def _products(a: Any, b: Any) -> Any:
    """Return the sum over steps of a.T b, as one product over all rows of all steps.

    NOTE: no reshape: on a mesh, merging steps with rows that are sharded would gather them.
    """
    return TensorDot((0, 1), (0, 1))(a, b)


def rows_before(fgraph: Any, node: Apply) -> dict[Any, Any] | None:
    """for(s', s) -> for(s'), [first, s'[:-1]]: before a step is after the previous one"""
    builder = ScanBuilder(node)
    if node.op.until or node.op.bounded:
        return None
    place = {s.inner: s for s in builder.states}
    results = [f for f in builder.outputs_only if f.new in place and place[f.new].is_stacked]
    if not results:
        return None
    builder.outputs_only = [f for f in builder.outputs_only if f not in results]
    result, new_for = builder.built()
    at = {s: k for k, s in enumerate(builder.states)}
    for f in results:
        s = place[f.new]
        rows, first = result.stacked_outputs[at[s]], s.first.dimshuffle("x", *range(s.first.ndim))
        # without steps there is no row before one
        parts = (
            [rows[1:], first[: builder.n]] if node.op.reverse else [first[: builder.n], rows[:-1]]
        )
        new_for[f.stacked_output] = f.stacked_output.type.filter_variable(join(0, *parts))
    return new_for


# fmt: off
RULES = (
    FunctionRule(hoisted, "scan_pushout_nonseqs_ops", "scan", [Scan],
                 tags=("scanOp_pushout_nonseqs_ops", "scan_pushout"),
                 example=loop_example(lambda x, h, w: [x * h + w * w], 1, [True], [False])),
    FunctionRule(before_the_loop, "scan_pushout_seqs_ops", "scan", [Scan],
                 tags=("scanOp_pushout_seqs_ops", "scan_pushout"),
                 example=loop_example(lambda x, h, w: [dot(x, w) * h], 1, [True], [False])),
    FunctionRule(after_the_loop, "scan_pushout_output", "scan", [Scan],
                 tags=("scanOp_pushout_output", "scan_pushout"),
                 example=loop_example(lambda x, h, w: [x * h, dot(h, w)], 1, [True, True],
                                        [False])),
    FunctionRule(summed_after, "scan_pushout_dot1", "scan", [Scan],
                 tags=("scanOp_pushout_dot1", "scan_pushout"),
                 example=loop_example(lambda x, h, w: [h + dot(x.T, x)], 1, [False], [True])),
    FunctionRule(rows_before, "scan_rows_before", "scan", [Scan],
                 example=loop_example(lambda x, h, w: [x * h, h], 1, [True, True], [False])),
)
# fmt: on
