"""theano.scan: the public loop function, which builds Scan nodes (ADR 11)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from theano._src.control.scan.args import (
    Output,
    Returned,
    Sequence_,
    as_list,
    as_output,
    as_sequence,
    as_state,
    as_type,
    first_value,
    placeholder,
    read_returned,
    refuse_step,
    step_arguments,
)
from theano._src.control.scan.op import Scan
from theano._src.graph import testvalue
from theano._src.graph.clone import rebuild
from theano._src.graph.graph import Constant, Variable
from theano._src.graph.walk import nodes_of, roots_of
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import MissingInputError
from theano._src.ops.core.cast import cast
from theano._src.ops.core.dimshuffle import pad_left
from theano._src.ops.elementwise.arithmetic import maximum, minimum
from theano._src.ops.index.index import set_subtensor
from theano._src.ops.shape.dims import patternbroadcast
from theano._src.ops.shape.static_values import known_int
from theano._src.types.convert import as_tensor_variable
from theano._src.types.shared import SharedVariable
from theano._src.types.sparse import FORMATS, PARTS, SparseType
from theano._src.types.tensor import tensor_type
from theano._src.types.updates import OrderedUpdates

#: outputs with taps further back than this use one ring buffer instead of one state per step back
_MOST_STATES = 16


@documented_in("theano")
def scan(
    fn: Callable[..., Any],
    sequences: Any = None,
    outputs_info: Any = None,
    non_sequences: Any = None,
    n_steps: Any = None,
    truncate_gradient: int = -1,
    go_backwards: bool = False,
    mode: Any = None,
    name: str | None = None,
    profile: bool | str = False,
    allow_gc: bool | None = None,
    strict: bool = False,
    return_list: bool = False,
) -> tuple[Any, OrderedUpdates]:
    """Apply a step function along sequences, feeding its outputs back into the next step.

    Parameters
    ----------
    fn : function
        Builds one step. It is called once, with variables: the elements of each sequence at its
        taps, then the earlier values of each output at its taps, then the non-sequences. It returns
        outputs (one or a list), updates of shared variables (a dict or a list of pairs), or both,
        optionally followed by ``until(condition)``.
    sequences : Variable, dict or list of them
        Iterated over along the first dimension. A dict has an ``input`` and its ``taps``: offsets
        from step t of the elements that the step gets, 0 by default. The shortest sequence
        determines the number of steps.
    outputs_info : Variable, dict, None or list of them
        The value of each output before the first step; None for an output that does not feed
        back. A dict has ``initial`` and ``taps``, negative offsets; with taps below -1,
        ``initial`` has one row for each step back, the earliest first.
    non_sequences : Variable or list of them
        Passed unchanged to every step. Other variables that the step uses need not be listed.
    n_steps : int or scalar Variable
        The number of steps; with ``until``, the maximum. A negative constant runs backwards.
    truncate_gradient : int
        The number of steps that gradients go back; -1 for all.
    go_backwards : bool
        Whether to iterate over the sequences from last to first.
    mode, profile, allow_gc : optional
        Accepted for compatibility; a loop is compiled with the function that contains it.
    name : str, optional
        Shown when the loop is printed.
    strict : bool
        Whether shared variables that a step uses but does not update must be listed in
        ``non_sequences``.
    return_list : bool
        Whether to return a list even for a single output.

    Returns
    -------
    outputs : Variable, list of Variables, or None
        Each output, with one row per step.
    updates : OrderedUpdates
        New values of the shared variables that the steps update, for ``theano.function``.

    >>> import theano, theano.tensor as T
    >>> x, k = T.dvector("x"), T.iscalar("k")
    >>> powers, updates = theano.scan(lambda p, x: p * x, outputs_info=T.ones_like(x),
    ...                               non_sequences=x, n_steps=k)
    >>> theano.function([x, k], powers[-1], updates=updates)([1, 2, 3], 4).tolist()
    [1.0, 16.0, 81.0]
    """
    loop = Loop(fn, sequences, outputs_info, non_sequences, n_steps, go_backwards, name, strict)
    outputs, updates = loop.run(truncate=truncate_gradient)
    if not outputs:
        return None, updates
    return (outputs[0] if len(outputs) == 1 and not return_list else outputs), updates


class Loop:
    """One call of scan."""

    def __init__(
        self,
        fn: Callable[..., Any],
        sequences: Any = None,
        outputs_info: Any = None,
        non_sequences: Any = None,
        n_steps: Any = None,
        go_backwards: bool = False,
        name: str | None = None,
        strict: bool = False,
        default_updates: bool = True,
    ) -> None:
        refuse_step(fn)
        self.name, self.strict, self.default_updates = name, strict, default_updates
        self.sequences = [as_sequence(s) for s in as_list(sequences)]
        self.infos = [as_output(o) for o in as_list(outputs_info)]
        self.non_sequences = [
            v if isinstance(v, Variable) else as_tensor_variable(v) for v in as_list(non_sequences)
        ]
        self.backwards = go_backwards
        self.n = self._steps(n_steps)
        #: whether the number of steps is the length of the one sequence
        self.whole = n_steps is None and [s.taps for s in self.sequences] == [[0]]
        self.elements = [[placeholder(s.input, k, True) for k in s.taps] for s in self.sequences]
        # for each output, the values 1, 2, ... steps back
        self.earlier = [
            [placeholder(o.initial, -d, o.taps != [-1]) for d in range(1, o.depth + 1)]
            for o in self.infos
        ]
        args = [
            *(v for taps in self.elements for v in taps),
            *(
                back[-k - 1]
                for o, back in zip(self.infos, self.earlier, strict=True)
                for k in o.taps
            ),
            *self.non_sequences,
        ]
        refuse_step(fn, args)
        #: names of step arguments, for errors about unnamed variables
        self.called = step_arguments(fn, args)
        for v in self._placeholders():
            if v in self.called:
                v.tag.step_argument = self.called[v]
        self.returned = read_returned(fn, fn(*args))
        self._match()

    # how many steps

    def _steps(self, n_steps: Any) -> Any:
        if n_steps is not None:
            n = as_tensor_variable(n_steps)
            if n.ndim != 0 or np.dtype(n.dtype).kind not in "iu":
                raise ValueError(f"scan takes a whole number as n_steps, got {n_steps} of {n.type}")
            known = known_int(n)
            if known is not None and known < 0:
                self.backwards = not self.backwards
                n = as_tensor_variable(np.asarray(-known))
            return cast(n, "int64")
        if not self.sequences:
            raise ValueError(
                "scan takes n_steps, or a sequence whose length tells how many steps there are; "
                "got neither"
            )
        around = [s.before + s.after for s in self.sequences]
        lengths = [
            s.input.shape[0] - k if k else s.input.shape[0]
            for s, k in zip(self.sequences, around, strict=True)
        ]
        n = lengths[0]
        for other in lengths[1:]:
            n = minimum(n, other)
        # a sequence too short for its taps gives 0 steps, not a negative number
        return n if all(s.taps == [0] for s in self.sequences) else maximum(n, 0)

    def _rows(self, s: Sequence_, k: int) -> Any:
        """Return the elements of a sequence at tap ``k``, one per step."""
        x, n = s.input, self.n
        if not self.backwards:
            if self.whole:
                return x
            return x[s.before + k : s.before + k + n]
        if self.whole:
            return x[::-1]
        last = x.shape[0] - s.after + k
        return x[s.before + k : last][::-1][:n]

    # results of the step

    def _match(self) -> None:
        outs = self.returned.outputs
        if not self.infos:
            self.infos, self.earlier = [Output(None, []) for _ in outs], [[] for _ in outs]
        if len(outs) != len(self.infos):
            raise ValueError(
                f"scan takes outputs_info for each of the {len(outs)} outputs of the step, got "
                f"{len(self.infos)}; give None for an output that does not feed back"
            )
        again = known_int(self.n) != 1 or self.returned.condition is not None
        for k, (out, info, back) in enumerate(zip(outs, self.infos, self.earlier, strict=True)):
            if back:
                outs[k] = as_state(out, back[0], info, again)

    def _updated(self) -> dict[Any, Any]:
        """Return the shared variables that the step updates, with their new values."""
        updates = dict(self.returned.updates)
        if not self.default_updates:
            return updates
        stop = {*self._placeholders(), *self.non_sequences}
        todo = [*self.returned.outputs, *updates.values()]
        if self.returned.condition is not None:
            todo.append(self.returned.condition)
        while todo:
            results = []
            for v in roots_of(todo, stop):
                new = getattr(v, "default_update", None)
                if isinstance(v, SharedVariable) and new is not None and v not in updates:
                    if v in stop:
                        continue
                    updates[v] = v.type.filter_variable(new)
                    results.append(updates[v])
                    if any(u in stop for u in roots_of([new], self._placeholders())):
                        # the update is only meaningful inside this loop
                        v.default_update = None
            todo = results
        return updates

    def _placeholders(self) -> list[Any]:
        return [v for taps in (*self.elements, *self.earlier) for v in taps]

    # the loop

    def run(
        self, truncate: int = -1, within: Any = None, recompute: bool = False
    ) -> tuple[list[Any], OrderedUpdates]:
        """Return the outputs and updates.

        With ``within``, only that many steps run, and each output is its last value.
        """
        updated = self._updated()
        for v, new in updated.items():
            updated[v] = as_type(v, new)
        n = known_int(self.n)
        whole = within is None or known_int(within) == n
        if n == 1 and self.returned.condition is None and whole:
            values, updates = self._one_step(updated)
            return [_row_of(v) for v in values] if within is None else values, updates
        condition = self.returned.condition
        with testvalue.under("off"):
            ring = _Rings(self)
            outs = [*ring.states(self), *updated.values(), *ring.free(self)]
        if condition is not None:
            outs.append(condition)
        moving = {*self._placeholders(), *updated, *ring.own}
        non_sequences = _constant_in(outs, moving, self.non_sequences)
        non_sequences += _without_use(self.non_sequences, [*non_sequences, *moving])
        self._check_strict(outs, moving)
        joined, non_sequences = _by_parts(outs, moving, non_sequences)
        fresh = {v: v.type(name=v.name) for v in (*updated, *non_sequences)}
        for v in non_sequences:
            if v in self.called:
                fresh[v].tag.step_argument = self.called[v]
        parts = {v: join(*(fresh[p] for p in ps)) for v, (ps, join) in joined.items()}
        inner_outs = rebuild(outs, {**fresh, **parts})
        states = ring.places(self)
        n_states = len(states) + len(updated)
        op = Scan(
            [
                *(v for taps in self.elements for v in taps),
                *states,
                *(fresh[v] for v in (*updated, *non_sequences)),
            ],
            inner_outs,
            n_sequences=sum(len(taps) for taps in self.elements),
            n_states=n_states,
            is_stacked=[
                *ring.is_stacked(self),
                *([False] * len(updated)),
                *([True] * len(ring.free(self))),
            ],
            final=[within is not None] * len(states) + [True] * len(updated),
            until=condition is not None,
            bounded=within is not None,
            truncate=truncate,
            recompute=recompute,
            name=self.name,
        )
        counts = [self.n] if within is None else [self.n, within]
        rows = [self._rows(s, k) for s in self.sequences for k in s.taps]
        result = op.split_outputs(
            op(*counts, *rows, *ring.first(self), *updated, *non_sequences, return_list=True)
        )
        if updated:
            result.finals[-1].owner.tag.scan_updates = tuple(updated)  # read by functions
        outputs = result.finals[: len(states)] if within is not None else ring.outputs(self, result)
        return outputs, OrderedUpdates(zip(updated, result.finals[len(states) :], strict=True))

    def _check_strict(self, outs: Sequence[Any], moving: set[Any]) -> None:
        if not self.strict:
            return
        stop = {*moving, *self.non_sequences}
        for v in roots_of(outs, stop):
            if v not in stop and isinstance(v, SharedVariable):
                raise MissingInputError(
                    "scan with strict=True takes the shared variables that a step uses in "
                    f"non_sequences, and {v} is missing; add it"
                )

    def _one_step(self, updated: dict[Any, Any]) -> tuple[list[Any], OrderedUpdates]:
        """Return the values and updates of a single step, without a loop."""
        replace: dict[Any, Any] = {}
        for s, taps in zip(self.sequences, self.elements, strict=True):
            for k, v in zip(s.taps, taps, strict=True):
                replace[v] = self._rows(s, k)[0]
        for info, back in zip(self.infos, self.earlier, strict=True):
            for d, v in enumerate(back, 1):
                replace[v] = v.type.filter_variable(first_value(info, d))
        result = rebuild([*self.returned.outputs, *updated.values()], replace)
        n = len(self.returned.outputs)
        return result[:n], OrderedUpdates(zip(updated, result[n:], strict=True))


def _row_of(v: Any) -> Any:
    """Return the rows of a loop of one step."""
    return patternbroadcast(pad_left(v, v.type.ndim + 1), (False, *v.type.broadcastable))


class _Rings:
    """The states through which the outputs of a loop feed back.

    An output with taps up to ``d`` steps back needs ``d`` states, the most recent first; each step
    shifts them by one. If ``d`` is large, it is one ring buffer of ``d`` rows and a counter.
    """

    def __init__(self, loop: Loop) -> None:
        self.own: list[Any] = []
        self.rings: dict[int, Any] = {}
        self.counter: Any = None
        for k, info in enumerate(loop.infos):
            if info.depth > _MOST_STATES:
                if self.counter is None:
                    self.counter = tensor_type("int64", ())("step")
                    self.own.append(self.counter)
                one = loop.earlier[k][0].type
                ring = tensor_type(one.dtype, (False, *one.broadcastable))(name=info.initial.name)
                self.rings[k] = ring
                self.own.append(ring)
                read = {
                    v: ring[(self.counter - d) % info.depth]
                    for d, v in enumerate(loop.earlier[k], 1)
                }
                r = loop.returned
                result = rebuild(
                    [*r.outputs, *([r.condition] if r.condition is not None else [])], read
                )
                n = len(r.outputs)
                loop.returned = Returned(
                    result[:n], r.updates, result[n] if r.condition is not None else None
                )
                loop.earlier[k] = []

    def _chained(self, loop: Loop) -> list[tuple[int, list[Any]]]:
        return [(k, back) for k, back in enumerate(loop.earlier) if back]

    def places(self, loop: Loop) -> list[Any]:
        """Return the inner variables of the states."""
        return [*(v for _, back in self._chained(loop) for v in back), *self.own]

    def states(self, loop: Loop) -> list[Any]:
        """Return the new values of the states."""
        outs = loop.returned.outputs
        new: list[Any] = []
        for k, back in self._chained(loop):
            new += [outs[k], *back[:-1]]
        if self.counter is not None:
            new.append(self.counter + 1)
            for k, ring in self.rings.items():
                at = self.counter % loop.infos[k].depth
                new.append(ring.type.filter_variable(set_subtensor(ring[at], outs[k])))
        return new

    def is_stacked(self, loop: Loop) -> list[bool]:
        flags: list[bool] = []
        for _, back in self._chained(loop):
            flags += [True] + [False] * (len(back) - 1)
        return flags + [False] * len(self.own)

    def first(self, loop: Loop) -> list[Any]:
        """Return the values of the states before the first step."""
        results: list[Any] = []
        for k, back in self._chained(loop):
            results += [
                v.type.filter_variable(first_value(loop.infos[k], d)) for d, v in enumerate(back, 1)
            ]
        if self.counter is not None:
            results.append(as_tensor_variable(np.asarray(0)))
            for k, ring in self.rings.items():
                info = loop.infos[k]
                results.append(ring.type.filter_variable(info.initial[: info.depth]))
        return results

    def free(self, loop: Loop) -> list[Any]:
        """Return the outputs that are not states."""
        return [v for v, back in zip(loop.returned.outputs, loop.earlier, strict=True) if not back]

    def outputs(self, loop: Loop, out: Any) -> list[Any]:
        """Return the rows of each output, in the order of the step's outputs."""
        result: dict[int, Any] = {}
        at = 0
        for k, back in self._chained(loop):
            result[k] = out.stacked_outputs[at]
            at += len(back)
        free = [k for k, back in enumerate(loop.earlier) if not back]
        if free:
            result.update(zip(free, out.stacked_outputs[-len(free) :], strict=True))
        rows = [result[k] for k in range(len(loop.returned.outputs))]
        return rows if out.count is None else [v[: out.count] for v in rows]


def _without_use(non_sequences: Sequence[Any], used: Sequence[Any]) -> list[Any]:
    """Return the non-sequences that share no root with the variables in ``used``.

    The loop keeps them as inputs until it is rewritten: a function may have them as inputs.
    """
    read = set(used)
    left = [
        v
        for v in dict.fromkeys(non_sequences)
        if v not in read and not isinstance(v, (Constant, SharedVariable))
    ]
    known = set(roots_of(used)) if left else set()
    return [v for v in left if not known.intersection(roots_of([v]))]


def _constant_in(outs: Sequence[Any], moving: set[Any], non_sequences: Sequence[Any]) -> list[Any]:
    """Return the variables that the step reads and that do not depend on ``moving``.

    ``non_sequences`` keep their value from before the loop, whatever they depend on.
    """
    moved = set(moving)
    result: dict[Any, None] = {}
    for node in nodes_of(outs, {*moving, *non_sequences}):
        if any(v in moved for v in node.inputs):
            moved.update(node.outputs)
            result.update(
                (v, None) for v in node.inputs if v not in moved and not isinstance(v, Constant)
            )
    result.update((v, None) for v in outs if v not in moved and not isinstance(v, Constant))
    return list(result)


def _by_parts(
    outs: Sequence[Any], moving: set[Any], non_sequences: list[Any]
) -> tuple[dict[Any, Any], list[Any]]:
    """Split the sparse matrices that a loop reads into tensors.

    Returns the parts of each matrix with the function that rebuilds it, and the new non-sequences.
    A loop over tensors can be compiled and differentiated; one with sparse matrices cannot.
    """
    if not PARTS:
        return {}, non_sequences
    read = dict.fromkeys(non_sequences)
    nodes = nodes_of(outs, {*moving, *non_sequences})
    read.update((v, None) for node in nodes for v in node.inputs if isinstance(v, Constant))
    whole = [v for v in read if isinstance(v.type, SparseType) and v.type.format in FORMATS]
    joined = {v: PARTS[0](v) for v in whole}
    rest = [v for v in non_sequences if v not in joined]
    return joined, [*rest, *(p for ps, _ in joined.values() for p in ps)]
