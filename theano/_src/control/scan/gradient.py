"""The gradient of Scan: a Scan in the opposite direction (ADR 11)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.control.scan.structure import ScanOutputs, ScanStructure
from theano._src.grad.driver import grad
from theano._src.graph import source_line, testvalue
from theano._src.graph.clone import rebuild
from theano._src.graph.graph import Constant, Variable
from theano._src.graph.walk import nodes_of
from theano._src.ground.config import config
from theano._src.ground.errors import NotScalarConstantError
from theano._src.ops.core import cast
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.core.scalar import LogicalComparison
from theano._src.ops.elementwise import arithmetic, compare
from theano._src.ops.index.index import set_subtensor
from theano._src.ops.index.subtensor import IncSubtensor
from theano._src.ops.meta import misc
from theano._src.ops.shape.join import make_vector
from theano._src.ops.shape.shape import Shape, Shape_i, shape_i
from theano._src.ops.shape.static_values import get_scalar_constant_value, known_int
from theano._src.types.dtypes import continuous_dtypes, integer_dtypes
from theano._src.types.null import DisconnectedType, NullType, disconnected
from theano._src.types.scalar import Scalar
from theano._src.types.sparse import SparseType
from theano._src.types.tensor import TensorType

#: scalar ops that cost no more than reading their results from memory
_LIGHT = (
    arithmetic.Add,
    arithmetic.Mul,
    arithmetic.Sub,
    arithmetic.Neg,
    arithmetic.Sqr,
    arithmetic.Second,
    cast.Cast,
    LogicalComparison,
    compare.Switch,
)


def pattern(op: ScanStructure, inner: Sequence[Sequence[bool]]) -> list[list[bool]]:
    """Return, for each input and output of a loop, whether the output depends on the input."""
    rows = [sum(1 << k for k, one in enumerate(row) if one) for row in inner]
    states = [rows[op.n_sequences + j] for j in range(op.n_states)]
    for j in range(op.n_states):
        # transitive closure: all that affects state j affects what state j affects
        states = [row | states[j] if row >> j & 1 else row for row in states]
    for i, row in enumerate(rows):
        for j in range(op.n_states):
            if row >> j & 1:
                rows[i] |= states[j]
    lists = [[bool(row >> k & 1) for k in range(len(op.is_stacked))] for row in rows]
    finals = [row[: op.n_states] for row in lists]
    for j in range(op.n_states):
        finals[op.n_sequences + j][j] = True  # with no steps, the final state is the first
    n_kept = len(op.only_kept(op.split_outputs([None] * _n_outputs(op))))
    none = [False] * n_kept
    results = [_kept(op, row, last) for row, last in zip(lists, finals, strict=True)]
    return [none] * (1 + op.bounded) + results


def _n_outputs(op: ScanStructure) -> int:
    return sum(op.is_stacked) + sum(op.final) + op.until


def _kept(op: ScanStructure, row: list[bool], last: list[bool]) -> list[bool]:
    return [
        *(r for r, kept in zip(row, op.is_stacked, strict=True) if kept),
        *(r for r, kept in zip(last, op.final, strict=True) if kept),
        *([False] if op.until else []),
    ]


def _continuous(v: Any) -> bool:
    return getattr(v.type, "dtype", None) in continuous_dtypes


def _there(g: Any) -> bool:
    return g is not None and not isinstance(g.type, DisconnectedType)


def _reaching(op: ScanStructure, start: set[int], inner: Sequence[Sequence[bool]]) -> list[int]:
    """Return ``start`` and the states through which its gradients flow back."""
    result = {k for k in start if _continuous(op.outs[k])}
    todo = list(result)
    while todo:
        k = todo.pop()
        for j in range(op.n_states):
            if j not in result and _continuous(op.outs[j]) and inner[op.n_sequences + j][k]:
                result.add(j)
                todo.append(j)
    return sorted(result)


# the reverse pass


def pulled_back(
    op: ScanStructure, inputs: list[Any], outputs: list[Any], output_grads: list[Any]
) -> list[Any]:
    """Return the gradients of a loop's inputs, computed by a loop in the opposite direction."""
    from_outside, reads_last = _ends(op, op.split_outputs(output_grads))
    inner_pattern = op.inner_pattern()
    start = {k for k, g in enumerate(from_outside.stacked_outputs) if _there(g)}
    start |= {k for k, g in enumerate(from_outside.finals) if _there(g)}
    active = _reaching(op, start, inner_pattern)
    if not active:
        # the gradient through integers is zero
        first = 1 + op.bounded
        return [disconnected()] * first + [_still(x) for x in inputs[first:]]
    with testvalue.under("off"):
        results = _Backwards(op, inputs, from_outside, active, reads_last).gradients()
    testvalue.give(results, {*inputs, *outputs, *output_grads})
    return results


def _ends(op: ScanStructure, outside: ScanOutputs) -> tuple[ScanOutputs, bool]:
    """Return the gradients from outside, those of last rows as gradients of final states.

    The gradient of ``h[-1]`` is zero except for its last row. The reverse pass starts
    with that row instead of adding a row in each step. Also returns whether there was such a
    gradient: then no steps are an error.
    """
    if op.until or op.bounded or op.truncate >= 0:
        return outside, False  # which row is the last depends on values
    rows, finals = list(outside.stacked_outputs), list(outside.finals)
    for k in range(op.n_states):
        g = _only_row(rows[k], 0 if op.reverse else -1)
        if g is not None:
            rows[k] = None
            finals[k] = finals[k] + g if _there(finals[k]) else g
    return ScanOutputs(rows, finals, outside.count), rows != outside.stacked_outputs


def _only_row(g: Any, i: int) -> Any:
    """Return row ``i`` of an array that is 0 elsewhere; None if it is not written like that."""
    if g is None or g.owner is None or type(g.owner.op) is not IncSubtensor:
        return None
    x, row, *parts = g.owner.inputs
    one = [not isinstance(entry, slice) for entry in g.owner.op.idx_list]
    if one != [True] or known_int(parts[0]) != i:
        return None
    if row.type.broadcastable != g.type.broadcastable[1:]:
        return None
    try:
        return row if get_scalar_constant_value(x) == 0 else None
    except NotScalarConstantError:
        return None


def _still(x: Any) -> Any:
    if not hasattr(x, "zeros_like"):
        return disconnected()
    return x.zeros_like(dtype=x.type.dtype if _continuous(x) else config.floatX)


class _Backwards:
    """The reverse pass of one loop."""

    def __init__(
        self,
        op: ScanStructure,
        inputs: list[Any],
        from_outside: ScanOutputs,
        active: list[int],
        nonempty: bool,
    ) -> None:
        self.op, self.nonempty = op, nonempty
        self.given = op.given(inputs)
        self.inputs = inputs
        self.outside = from_outside
        self.active = active
        inner, outs = op.inner, op.outs
        self.states = [j for j in active if j < op.n_states]
        now = [_now(v) for v in inner.states] + [None] * len(outs)
        self.carried = {j: outs[j].type(name=_called("g_", now[j])) for j in self.states}
        self.rows = {
            k: outs[k].type(name=_called("gs_", now[k]))
            for k in active
            if _there(from_outside.stacked_outputs[k])
        }
        known = {}
        for k in active:
            terms = [v[k] for v in (self.carried, self.rows) if k in v]
            # a view of each: an output may be listed twice, or be computed from another
            known[misc.view_op(outs[k])] = terms[0] if len(terms) == 1 else terms[0] + terms[1]
        self.wrt = [
            v
            for v in (
                *inner.sequences,
                *(inner.states[j] for j in self.states),
                *inner.non_sequences,
            )
            if _continuous(v)
        ]
        result = grad(
            None,
            self.wrt,
            known_grads=known,
            disconnected_inputs="ignore",
            return_disconnected="disconnected",
            null_gradients="return",
            add_names=False,
        )
        self.grads = dict(zip(self.wrt, result, strict=True))

    def gradients(self) -> list[Any]:
        op, inner, result = self.op, self.op.inner, self.grads
        for j in self.states:
            g = result[inner.states[j]]
            if isinstance(g.type, NullType):
                # all earlier gradients depend on it
                return self._all(g)
        gains = [v for v in inner.sequences if _there(result.get(v)) and not _null(result[v])]
        sums = [v for v in inner.non_sequences if _there(result.get(v)) and not _null(result[v])]
        self._write(gains, sums)
        out = self._run()
        by_sequence = dict(
            zip(gains, out.stacked_outputs[len(self.states) + len(sums) :], strict=True)
        )
        finals = iter(out.finals)
        by_state = {j: next(finals) for j in self.states}
        by_other = dict(zip(sums, finals, strict=False))
        return [
            *([disconnected()] * (1 + op.bounded)),
            *(
                self._for_sequence(v, x, by_sequence)
                for v, x in zip(inner.sequences, self.given.sequences, strict=True)
            ),
            *(self._for_state(j, by_state) for j in range(op.n_states)),
            *(
                self._or_nothing(v, x, by_other)
                for v, x in zip(inner.non_sequences, self.given.non_sequences, strict=True)
            ),
        ]

    def _all(self, null: Any) -> list[Any]:
        counts = 1 + self.op.bounded
        return [disconnected() if i < counts else null.type() for i in range(len(self.inputs))]

    def _or_nothing(self, v: Variable, x: Any, result: dict[Any, Any]) -> Any:
        if v in result:
            return result[v]
        g = self.grads.get(v)
        if g is not None:
            return g.type() if _null(g) else disconnected()
        if hasattr(x, "zeros_like"):
            return x.zeros_like(dtype=config.floatX)  # an integer
        return disconnected()

    def _for_sequence(self, v: Variable, x: Any, result: dict[Any, Any]) -> Any:
        if v not in result or self.op.truncate < 0:
            return self._or_nothing(v, x, result)
        return set_subtensor(x.zeros_like()[self.first : self.first + self.n], result[v])

    def _for_state(self, j: int, result: dict[int, Any]) -> Any:
        if j not in result:
            v = self.given.states[j]
            return disconnected() if _continuous(v) else self._or_nothing(v, v, {})
        if self.op.truncate < 0:
            return result[j]
        # truncated gradients do not reach the initial state
        return compare.switch(self.cut, result[j].zeros_like(), result[j])

    # the step

    def _write(self, gains: Sequence[Any], sums: Sequence[Any]) -> None:
        """Build one step of the reverse pass, and the values of the forward pass that it reads."""
        op, inner, result = self.op, self.op.inner, self.grads
        totals = {v: v.type(name=_called("g_", v.name)) for v in sums}
        back = {j: result[inner.states[j]] for j in self.states}
        states = [
            _as(self.carried[j], back[j] if _there(back[j]) else self.carried[j].zeros_like())
            for j in self.states
        ]
        added = [_as(totals[v], totals[v] + result[v]) for v in sums]
        outs = [*states, *added, *(_as(v, result[v]) for v in gains)]
        own = [*self.carried.values(), *totals.values(), *self.rows.values()]
        sizes = _by_lengths(op, outs)
        forward = {v for node in op.order for v in node.outputs}
        outs = rebuild(outs, sizes, memo={v: v for v in forward if v not in sizes})
        saved = [] if op.recompute else self._saved(outs, own, sizes)
        outs = rebuild(outs, sizes, memo={v: v for v in saved})
        stop = {*saved, *inner.sequences, *inner.states, *inner.non_sequences, *own}
        read = _read(outs, stop)
        before = [s for s in inner.states if s in read and s not in saved]
        saved = [*saved, *before]
        xs = [v for v in inner.sequences if v in read]
        ws = [v for v in inner.non_sequences if v in read]
        named = {new: _now(v) for v, new in zip(inner.states, op.outs, strict=False)}
        fresh = {v: v.type(name=v.name or named.get(v)) for v in (*xs, *saved, *ws)}
        self.full = self._extended(saved)
        kept = self.full.split_outputs(self.full(*self.inputs, return_list=True))
        place = {v: k for k, v in reversed(list(enumerate(self.full.outs)))}
        # the reverse pass reads states of the step from their stacked rows
        stacked_outputs = [kept.stacked_outputs[place[v]] for v in saved]
        outer = dict(zip(inner.sequences, self.given.sequences, strict=True))
        non_sequences = dict(zip(inner.non_sequences, self.given.non_sequences, strict=True))
        self.count = kept.count
        self.sequences = [*(outer[v] for v in xs), *stacked_outputs]
        self.sequences += [self.outside.stacked_outputs[k] for k in self.rows]
        self.first_states = [self._start(j) for j in self.states]
        self.first_states += [non_sequences[v].zeros_like() for v in sums]
        self.non_sequences = [non_sequences[v] for v in ws]
        inputs = [
            *(fresh[v] for v in (*xs, *saved)),
            *self.rows.values(),
            *self.carried.values(),
            *totals.values(),
            *(fresh[v] for v in ws),
        ]
        n_states = len(self.states) + len(sums)
        self.step = op.changed(
            inner_inputs=inputs,
            inner_outputs=rebuild(outs, fresh),
            n_sequences=len(self.sequences),
            n_states=n_states,
            is_stacked=[False] * n_states + [True] * len(gains),
            final=[True] * n_states,
            until=False,
            bounded=op.bounded or op.until,
            reverse=not op.reverse,
            truncate=-1,
            nonempty=self.nonempty,
            name=f"grad_of_{op.name or 'scan_fn'}",
        )

    def _start(self, j: int) -> Any:
        g = self.outside.finals[j]
        return _as(self.carried[j], g if _there(g) else self.given.states[j].zeros_like())

    def _saved(self, outs: Sequence[Any], own: Sequence[Any], sizes: Any) -> list[Any]:
        """Return the forward values to keep; cheap functions of kept values are recomputed."""
        op = self.op
        at_hand = {*op.inner_inputs, *own}
        forward = {v for node in op.order for v in node.outputs}
        wanted = [v for v in _read(outs, at_hand | forward) if v in forward]
        results = set(op.outs)
        kept: dict[Variable, None] = {}
        while wanted:
            v = wanted.pop()
            if v in kept or v in sizes:
                continue
            if isinstance(v.type, SparseType):
                # sparse matrices cannot be stacked: rebuild them from their parts
                wanted.extend(u for u in v.owner.inputs if u in forward)
            elif v in results or _drawn(v) or not (_light(v.owner) or _varies(op, v)):
                kept[v] = None
            else:
                wanted.extend(u for u in v.owner.inputs if u in forward)
        return list(kept)

    def _extended(self, saved: Sequence[Any]) -> ScanStructure:
        """Return the forward loop that also stacks ``saved``."""
        op = self.op
        outs = op.outs
        place = {v: k for k, v in reversed(list(enumerate(outs)))}
        is_stacked = list(op.is_stacked)
        for v in saved:
            if v in place:
                is_stacked[place[v]] = True
            else:
                place[v] = len(outs)
                outs.append(v)
                is_stacked.append(True)
        end = [op.condition] if op.until else []
        return op.changed(inner_outputs=[*outs, *end], is_stacked=is_stacked)

    # the loop

    def _run(self) -> Any:
        op, given = self.op, self.given
        steps = given.steps if op.bounded else self.count
        counts = [given.n] if steps is None else [given.n, steps]
        if op.truncate < 0:
            result = self.step(
                *counts, *self.sequences, *self.first_states, *self.non_sequences, return_list=True
            )
            return self.step.split_outputs(result)
        total = counts[-1]
        self.cut = total > op.truncate
        self.n = compare.switch(self.cut, op.truncate, total)
        self.first = 0 if op.reverse else total - self.n
        rows = [x[self.first : self.first + self.n] for x in self.sequences]
        step = self.step.changed(bounded=False)
        return step.split_outputs(
            step(self.n, *rows, *self.first_states, *self.non_sequences, return_list=True)
        )


def _now(v: Any) -> str | None:
    """Return the name of the new value of a state."""
    return v.name.replace("[t-1]", "[t]") if v.name else None


def _called(prefix: str, name: str | None) -> str | None:
    return prefix + name if name else None


def _null(g: Any) -> bool:
    return isinstance(g.type, NullType)


def _as(v: Any, g: Any) -> Any:
    """Convert ``g`` to the type of ``v``."""
    return v.type.filter_variable(g if g.type.dtype == v.type.dtype else cast.cast(g, v.type.dtype))


def _by_lengths(op: ScanStructure, outs: Sequence[Any]) -> dict[Any, Any]:
    """Express the sizes in a step, and shapes that ``outs`` read, by lengths of the step's inputs.

    Otherwise they would be stacked as if they differed between steps, and values would be kept
    only for their shapes.
    """
    forward = dict.fromkeys(v for node in op.order for v in node.outputs)
    with source_line.paused():
        opened = op.opened()
        inside = {v: opened.copy_of(v) for v in forward if _is_size(v)}
        for node in nodes_of(outs, forward):
            if isinstance(node.op, Shape | Shape_i) and node.inputs[0] in forward:
                lengths = opened.of(node.inputs[0])
                if lengths is not None:
                    i = node.op.i if isinstance(node.op, Shape_i) else None
                    inside[node.outputs[0]] = make_vector(*lengths) if i is None else lengths[i]
        fixed = {v: c for v, c in inside.items() if not op.depend_on_steps([c])}
        lengths_of = {
            n: shape_i(v, i)
            for v, ns in zip(op.inner_inputs, opened.free, strict=True)
            for i, n in enumerate(ns or ())
        }
        return dict(zip(fixed, rebuild(list(fixed.values()), lengths_of), strict=True))


def _is_size(v: Any) -> bool:
    kind = v.type
    return isinstance(kind, TensorType | Scalar) and kind.ndim < 2 and kind.dtype in integer_dtypes


def _drawn(v: Any) -> bool:
    """Whether a value is computed from a non-tensor, which cannot be stacked: a random draw."""
    return not all(isinstance(u.type, TensorType | Scalar) for u in v.owner.inputs)


def _varies(op: ScanStructure, v: Any) -> bool:
    """Whether the shape of an inner variable depends on the step, so it cannot be stacked."""
    if op.runs_on != "host":
        return False
    with source_line.paused():
        lengths = op.opened().of(v)
    return lengths is None or op.depend_on_steps(lengths)


def _light(node: Any) -> bool:
    op = node.op
    return isinstance(op, DimShuffle) or (
        isinstance(op, Elemwise) and isinstance(op.scalar_op, _LIGHT)
    )


def _read(outs: Sequence[Any], stop: set[Any]) -> dict[Any, None]:
    """Return the members of ``stop`` from which ``outs`` are computed directly, in their order."""
    results = dict.fromkeys(v for v in outs if v in stop)
    for node in nodes_of(outs, stop):
        results |= dict.fromkeys(
            v for v in node.inputs if v in stop and not isinstance(v, Constant)
        )
    return results
