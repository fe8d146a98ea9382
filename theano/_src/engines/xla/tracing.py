"""One tracing of a stage: lowered nodes, checks, and state that is updated only if they hold."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Any

import numpy as np

from theano._src.control.lazy_branches import chooses
from theano._src.engines.error_report import describe
from theano._src.engines.jax import backend
from theano._src.engines.jax.arrays.jax_xp import folding_xp, jax_xp, outline
from theano._src.engines.jax.devices import target
from theano._src.engines.jax.mesh_devices import UnevenSplit
from theano._src.engines.undo import written_at
from theano._src.engines.value_guard import Guard
from theano._src.engines.xla.stage import Stage
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.op import Op
from theano._src.ground.errors import OnlyOnHost
from theano._src.ground.length_numbers import are_numbers
from theano._src.ground.xp import numpy_xp
from theano._src.ops.shape.ranges import ARange
from theano._src.types.checked import gives_flags, is_checked
from theano._src.types.run_node import lower_node, lowering_args

Env = dict[Variable, Any]

#: the longest range whose numbers are checked while tracing
_LONGEST_RANGE = 1 << 16


class CheckFailed(Exception):
    """A condition that was found false while tracing."""


class StateChangesShape(Exception):
    """A checked program's new value of a shared variable has another shape than the old one."""

    def __init__(self, held: Variable) -> None:
        super().__init__(f"{held} changes its shape")
        self.held = held


class RunsOnHost(Exception):
    """A node without a compiled form here: a choice with different branches, C code on a GPU."""

    def __init__(self, node: Apply) -> None:
        super().__init__(f"{node} is left to the host")
        self.node = node


class Tracing:
    """A stage while jax traces it, for one key.

    Nodes that only the new state needs are *late*: if something is checked, they are lowered inside
    a conditional, which returns the old state when a check fails. Their own checks are computed
    before, from what is known about their inputs.

    On TPUs and GPUs a conditional keeps an update from fusing with the gradient that it takes, so
    each element of the old or the new state is selected; only state that is written by index
    remains in a conditional, where no other copy of it is needed.
    """

    #: the array namespaces for lowering nodes and for checks
    xp: Any = jax_xp
    folding: Any = folding_xp

    def __init__(self, program: Stage, sizes: Sequence[int], operands: Sequence[Any]) -> None:
        self.program = program
        self.sizes = sizes
        self.operands = operands
        self.env: Env = dict(zip((*program.operands, *program.large), operands, strict=True))
        self.late = only_for_state(program)
        self.flags: list[Any] = []
        self.flagged: list[Apply | None] = []  # None for the guard
        #: for each node, the bytes of its outputs
        self.bytes_made: dict[Apply, int] = {}
        self._outlines: Env = {}
        self._ranges: dict[Apply, Any] = {}
        self._stated: dict[Apply, list[Any]] = {}  # flags that were computed with the outputs
        self._order = {node: i for i, node in enumerate(program.nodes)}

    def run(self) -> list[Any]:
        """Return the results, followed by the vector of flags if there are any."""
        program, env = self.program, self.env
        for node in program.nodes:
            if node not in self.late:
                self._lower(node, env)
            if is_checked(node.op):
                self._check(node)
        if program.guard is not None:
            self._guard(program.guard)
        if not self.flags:
            self._finish(env)
            # results can overwrite only memory of the same size
            self._same_shapes({r: i for i, r in program.state if i in program.donate})
            return [_value(v, env) for v in program.results]
        fine = jax_xp.stack([jax_xp.all(jax_xp.asarray(f)) for f in self.flags])
        stored = {r: i for i, r in program.state}
        results = [None if r in stored else _value(v, env) for r, v in enumerate(program.results)]
        if stored:
            self._same_shapes(stored)
            for r, value in self._state_if(fine.all(), stored).items():
                results[r] = value
        return [*results, fine]

    def _state_if(self, fine: Any, stored: dict[int, int]) -> dict[int, Any]:
        """For each position among the results, the new state if ``fine`` holds, else the old."""
        results, operands = self.program.results, self.program.operands
        late = stored
        if target() != "cpu":
            late = {r: i for r, i in stored.items() if _writes_by_index(results[r], operands[i])}
        state = {
            r: jax_xp.where(fine, self._now(results[r]), self.operands[i])
            for r, i in stored.items()
            if r not in late
        }
        if late:
            new = backend.cond(
                fine,
                lambda: self._new_state(list(late)),
                lambda: [self.operands[i] for i in late.values()],
            )
            state.update(zip(late, new, strict=True))
        return state

    def _guard(self, guard: Guard) -> None:
        """Add one flag for all values of the program; a replay finds the value that is wrong."""
        program = self.program
        result = guard.flags(jax_xp, program.operands, program.nodes, self._now)
        if result:
            self.flags.append(jax_xp.stack(result))
            self.flagged.append(None)

    def _now(self, v: Variable) -> Any:
        """The value of a variable; late nodes that it needs are computed now."""
        for n in self._late_until([v]):
            self._lower(n, self.env)
            self.late.discard(n)
        return _value(v, self.env)

    def _same_shapes(self, stored: dict[int, int]) -> None:
        """Check that the new state has the old shapes: a conditional returns one of the two."""
        for r, i in stored.items():
            v = self.program.results[r]
            value = _value(v, self.env)
            shape = self.shape(v) if value is None else value.shape
            if tuple(shape) != tuple(self.operands[i].shape):
                raise StateChangesShape(self.program.operands[i])

    def _new_state(self, which: Sequence[int]) -> list[Any]:
        env = dict(self.env)
        self._finish(env)
        return [_value(self.program.results[r], env) for r in which]

    def _finish(self, env: Env) -> None:
        for node in self.program.nodes:
            if node in self.late:
                self._lower(node, env)

    def _sizes_of(self, node: Apply) -> list[int]:
        return [self.sizes[i] for i in self.program.demanded[node]]

    def _lower(self, node: Apply, env: Env) -> None:
        args = lowering_args(self.xp, node, [_value(v, env) for v in node.inputs])
        try:
            result, self._stated[node] = lower_node(self.xp, node, self._sizes_of(node), args)
        except Exception as e:
            if chooses(node.op) or isinstance(e, OnlyOnHost):
                raise RunsOnHost(node) from e
            if isinstance(e, UnevenSplit):
                e.add_note(describe(node, None))
                raise
            e.add_note(
                f"{node.op} raised this while XLA traced it: its compiled form may not ask for "
                f"values; write it with xp alone, or set runs_on = 'host'\n{describe(node, None)}"
            )
            raise
        env.update(zip(node.outputs, result, strict=True))
        self.bytes_made[node] = sum(getattr(x, "nbytes", 0) for x in result)

    # checks

    def _check(self, node: Apply) -> None:
        try:
            result = self._flags(node)
        except (TypeError, AttributeError):
            if node not in self.late:
                raise
            # the check needs more than the shapes of late values
            for n in self._late_until(node.outputs):
                self._lower(n, self.env)
                self.late.discard(n)
            result = self._flags(node)
        for flag, settled in result:
            if settled is None:
                self.flags.append(flag)
                self.flagged.append(node)
            elif not settled:
                raise CheckFailed(f"{node} fails a check")

    def _flags(self, node: Apply) -> list[tuple[Any, bool | None]]:
        """Each flag of a node, and its value if that is known while tracing, else None."""
        stated: list[tuple[Any, bool | None]] = []
        if gives_flags(node.op):
            if node in self.late:
                raise TypeError("flags come with the outputs, which are not computed yet")
            stated = [(flag, None) for flag in self._stated[node]]
        if type(node.op).checks is Op.checks:
            return stated
        only = node.op.demand_only
        args = [None if i in only else self._seen(v) for i, v in enumerate(node.inputs)]
        outs = [self._seen(v) for v in node.outputs]
        result = node.op.checks(self.folding, self._sizes_of(node), args, outs)
        return [*stated, *((flag, _settled(flag)) for flag in result)]

    def _seen(self, v: Variable) -> Any:
        if v.owner is not None and isinstance(v.owner.op, ARange):
            result = self._range(v.owner)
            if result is not None:
                return result
        value = _value(v, self.env)
        return AbstractValue(self, v) if value is None else value

    def _range(self, node: Apply) -> Any:
        """The numbers of a range that depends on no traced value: its checks are settled now."""
        start, _, step = node.inputs
        if node not in self._ranges:
            result = None
            # the range of an earlier stage is an operand here, its numbers are unknown
            demanded = (
                self._sizes_of(node) if node in self.program.demanded else [_LONGEST_RANGE + 1]
            )
            if (
                isinstance(start, Constant)
                and isinstance(step, Constant)
                and are_numbers(demanded[0])
                and demanded[0] <= _LONGEST_RANGE
            ):
                with np.errstate(all="ignore"):
                    result = node.op.lower_xla(numpy_xp, demanded, start.data, None, step.data)
            self._ranges[node] = result
        return self._ranges[node]

    def shape(self, v: Variable) -> tuple[int, ...]:
        """The shape of a variable that is late."""
        result = self._outlines
        for node in self._late_until([v], result):
            late = [u for u in dict.fromkeys(node.inputs) if u in result]

            def trace(*values: Any, node: Apply = node, late: Sequence[Variable] = late) -> Any:
                env = {u: self.env.get(u) for u in node.inputs}
                env.update(zip(late, values, strict=True))
                self._lower(node, env)
                return [env[u] for u in node.outputs]

            out = outline(trace)(*[result[u] for u in late])
            result.update(zip(node.outputs, out, strict=True))
        shape: tuple[int, ...] = result[v].shape
        return shape

    def _late_until(
        self, wanted: Iterable[Variable], have: Container[Variable] = ()
    ) -> list[Apply]:
        """The late nodes that ``wanted`` needs and ``have`` lacks, in the order they run."""
        needed: set[Apply] = set()
        stack = [v.owner for v in wanted]
        while stack:
            node = stack.pop()
            if node not in self.late or node in needed or node.outputs[0] in have:
                continue
            needed.add(node)
            stack.extend(v.owner for v in node.inputs)
        return sorted(needed, key=self._order.__getitem__)


class AbstractValue:
    """The shape and dtype of a value that is not computed yet, as passed to ``checks``.

    Everything else raises, even the operators that Python defines for every object.
    """

    __slots__ = ("_tracing", "_variable")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, tracing: Tracing, variable: Variable) -> None:
        self._tracing = tracing
        self._variable = variable

    @property
    def shape(self) -> tuple[int, ...]:
        return self._tracing.shape(self._variable)

    @property
    def ndim(self) -> int:
        return int(self._variable.type.ndim)

    @property
    def dtype(self) -> Any:
        return self._variable.type.numpy_dtype

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    def _refuse(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("this value is not computed yet")

    __eq__ = __ne__ = __bool__ = __array__ = _refuse


def only_for_state(program: Stage) -> set[Apply]:
    """The nodes that only the new state needs."""
    stored = {r for _, r in program.state}
    if not stored:
        return set()
    kept = {v for r, v in enumerate(program.results) if r not in stored}
    late: set[Apply] = set()
    for node in reversed(program.nodes):
        if any(v in kept for v in node.outputs):
            kept.update(node.inputs)
        else:
            late.add(node)
    return late


def _writes_by_index(new: Variable, old: Variable) -> bool:
    """Whether the new value of a shared variable is the old one with parts of it overwritten."""
    v = new
    while v is not old and v.owner is not None and written_at.get(v.owner.op) is not None:
        v = v.owner.inputs[0]
    return v is old and v is not new


def _value(v: Variable, env: Env) -> Any:
    result = env.get(v)
    if result is None and isinstance(v, Constant):
        return v.data
    return result


def _settled(flag: Any) -> bool | None:
    """The value of a flag if it is known while tracing, else None."""
    try:
        return bool(np.all(flag))
    except backend.traced_only():
        return None
