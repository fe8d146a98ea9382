"""Scan: a graph run again and again, on sequences, with states carried along (ADR 11)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from theano._src.control import loop_grad, loop_rows
from theano._src.control.inner import evaluate_inner
from theano._src.control.innergraph import InnerGraph, Opened, connections, needs_host, one_or_all
from theano._src.control.loop_lower import Lowering
from theano._src.control.loop_names import LoopNames
from theano._src.control.loop_work import work_of
from theano._src.graph.node import Apply
from theano._src.graph.op import Op
from theano._src.graph.variable import Constant, Variable
from theano._src.graph.walk import nodes_of, view_roots
from theano._src.ground.documented import documented_in
from theano._src.ground.xp import numpy_xp
from theano._src.types.convert import as_tensor_variable
from theano._src.types.scalar import Scalar
from theano._src.types.tensor import TensorType, tensor_type

_COUNT = tensor_type("int64", ())


class Given(NamedTuple):
    """The inputs of a Scan, or anything that there is one of for each of them."""

    n: Any
    steps: Any
    sequences: list[Any]
    states: list[Any]
    others: list[Any]


class Made(NamedTuple):
    """The outputs of a Scan: for each inner output its trace, for each state its final value."""

    traces: list[Any]
    finals: list[Any]
    count: Any


@documented_in("theano.scan_module.scan_op")
class Scan(LoopNames, Op):
    """``outputs = f(sequences[t], states, others)`` for each step t; states come back in.

    A node takes the number of steps, with ``bounded`` how many of them are made, then the
    sequences, the states before the first step, and the others. It gives the traces of the inner
    outputs that are ``traced`` (row t is what step t gave), the last values of the states that are
    ``final``, and with ``until`` the number of steps that were made; rows of steps that were
    not are 0.

    Parameters
    ----------
    inputs, outputs : lists of Variables
        One step: from an element of each sequence, the states and the others to the new states,
        further outputs and, with ``until``, a condition that ends the loop after its step. The
        variables are kept, not copied: Scans over the same ones can be merged.
    n_sequences, n_states : int
    traced, final : sequences of bool
        Which outputs, which states.
    reverse : bool
        From the last step to the first.
    truncate : int
        How many steps gradients go back; -1 for all.
    recompute : bool
        Whether the reverse pass keeps nothing but the states before each step.
    nonempty : bool
        Whether no step at all is an error: a last row was asked for.
    """

    def __init__(
        self,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        n_sequences: int,
        n_states: int,
        traced: Iterable[bool] | None = None,
        final: Iterable[bool] | None = None,
        *,
        until: bool = False,
        bounded: bool = False,
        reverse: bool = False,
        truncate: int = -1,
        recompute: bool = False,
        nonempty: bool = False,
        name: str | None = None,
    ) -> None:
        self.inner_inputs, self.inner_outputs = tuple(inputs), tuple(outputs)
        self.n_sequences, self.n_states = n_sequences, n_states
        self.until, self.bounded, self.reverse = until, bounded, reverse
        self.truncate, self.recompute, self.nonempty = truncate, recompute, nonempty
        self.name = name
        n_outs = len(self.inner_outputs) - until
        self.traced = (True,) * n_outs if traced is None else tuple(traced)
        self.final = (False,) * n_states if final is None else tuple(final)
        self._forget()

    def _forget(self) -> None:
        self.graph = InnerGraph(self.inner_inputs, self.inner_outputs)
        self._key: Any = None
        self._where: str | None = None
        self._pattern: list[list[bool]] | None = None

    def __getstate__(self) -> dict[str, Any]:
        state = {k: v for k, v in self.__dict__.items() if k not in _CACHED}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()

    def changed(self, **values: Any) -> Scan:
        """A Scan like this one but for some attributes."""
        made = copy(self)
        made.__dict__.update(values)
        for name in ("inner_inputs", "inner_outputs", "traced", "final"):
            setattr(made, name, tuple(getattr(made, name)))
        made._forget()
        return made

    def rewritten(self, rewrite: Callable[[Any, Any], Any]) -> Scan:
        """The same loop, whose step is what ``rewrite(inputs, outputs)`` gives."""
        inputs, outputs = rewrite(self.inner_inputs, self.inner_outputs)
        kinds = [v.type for v in self.inner_outputs]
        whole = [t.filter_variable(v) for t, v in zip(kinds, outputs, strict=True)]
        return self.changed(inner_inputs=inputs, inner_outputs=whole)

    # names of the parts

    @property
    def inner(self) -> Given:
        """The inner inputs, by kind."""
        x, s = self.n_sequences, self.n_sequences + self.n_states
        v = list(self.inner_inputs)
        return Given(None, None, v[:x], v[x:s], v[s:])

    @property
    def outs(self) -> list[Variable]:
        """The inner outputs but for the condition: new states first."""
        return list(self.inner_outputs[: len(self.traced)])

    @property
    def condition(self) -> Variable | None:
        return self.inner_outputs[-1] if self.until else None

    def given(self, inputs: Sequence[Any]) -> Given:
        """A node's inputs, or what there is one of for each, by kind."""
        start = 1 + self.bounded
        x = start + self.n_sequences
        s = x + self.n_states
        ins = list(inputs)
        return Given(ins[0], ins[1] if self.bounded else None, ins[start:x], ins[x:s], ins[s:])

    def made(self, outputs: Sequence[Any]) -> Made:
        """A node's outputs, or what there is one of for each; None for what is not kept."""
        rest = iter(outputs)
        traces = [next(rest) if kept else None for kept in self.traced]
        finals = [next(rest) if kept else None for kept in self.final]
        return Made(traces, finals, next(rest) if self.until else None)

    def only_kept(self, made: Made) -> list[Any]:
        """What a node gives of all that could be kept, in its order."""
        return [
            *(v for v, kept in zip(made.traces, self.traced, strict=True) if kept),
            *(v for v, kept in zip(made.finals, self.final, strict=True) if kept),
            *([made.count] if self.until else []),
        ]

    @property
    def inner_graphs(self) -> tuple[InnerGraph, ...]:
        return (self.graph,)

    #: debugprint calls the graphs inside by these words
    inner_graphs_of = "scan ops"

    def inner_graph(self, node: Apply) -> tuple[list[Variable], dict[Variable, Variable]]:
        """The outputs of a step, and what stands for its inputs: for printing."""
        given = node.inputs[1 + self.bounded :]
        return self.graph.outputs, dict(zip(self.graph.inputs, given, strict=True))

    @property
    def order(self) -> list[Apply]:
        """The inner nodes, in an order in which they can run."""
        return self.graph.order

    # equality: two loops of the same steps are one

    def _signature(self) -> Any:
        if self._key is None:
            number: dict[Variable, Any] = {v: i for i, v in enumerate(self.inner_inputs)}

            def tell(v: Variable) -> Any:
                if isinstance(v, Constant):
                    return v.signature()
                return number.get(v, v)

            rows = []
            for k, node in enumerate(self.order):
                rows.append((node.op, tuple(map(tell, node.inputs))))
                number.update({v: (k, j) for j, v in enumerate(node.outputs)})
            self._key = (
                tuple(rows),
                tuple(v.type for v in self.inner_inputs),
                tuple(map(tell, self.inner_outputs)),
                tuple(getattr(self, name) for name in _FLAGS),
            )
        return self._key

    def __eq__(self, other: object) -> bool:
        return self is other or (
            type(self) is type(other) and self._signature() == other._signature()  # type: ignore[attr-defined]
        )

    def __hash__(self) -> int:
        return hash((type(self), len(self.order), *(getattr(self, name) for name in _FLAGS)))

    def __str__(self) -> str:
        return f"{'do_while' if self.until else 'for'}{{cpu,{self.name or 'scan_fn'}}}"

    # nodes

    def make_node(self, *inputs: Any) -> Apply:
        wanted = 1 + self.bounded + len(self.inner_inputs)
        if len(inputs) != wanted:
            raise ValueError(f"{self} takes {wanted} inputs, got {len(inputs)}")
        counts = [as_tensor_variable(v) for v in inputs[: 1 + self.bounded]]
        given = self.given(inputs)
        for x, v in zip(given.sequences, self.inner.sequences, strict=True):
            if x.type.ndim != v.type.ndim + 1 or x.type.dtype != v.type.dtype:
                raise TypeError(f"{self} takes a sequence of {v.type}, got {x} of {x.type}")
        whole = [
            v.type.filter_variable(x)
            for x, v in zip(
                (*given.states, *given.others), self.inner_inputs[self.n_sequences :], strict=True
            )
        ]
        for v, new in zip(self.inner.states, self.outs, strict=False):
            if v.type != new.type:
                raise TypeError(
                    f"{self} takes steps that give a state back as {v.type}, got {new.type}"
                )
        outs = Made(
            [_rows_of(v.type) if k else None for v, k in zip(self.outs, self.traced, strict=True)],
            [v.type for v in self.inner.states],
            _COUNT,
        )
        kept = [t() for t in self.only_kept(outs)]
        return Apply(self, [*counts, *given.sequences, *whole], kept)

    # sizes

    def opened(self) -> Opened:
        """The sizes of one step, in terms of its inputs and their lengths."""
        return self.graph.opened()

    @property
    def is_checked(self) -> bool:
        return self.nonempty or self.graph.is_checked

    @property
    def runs_on(self) -> str:  # type: ignore[override]
        if self._where is None:
            self._where = "any" if self._can_be_traced() else "host"
        return self._where

    def _can_be_traced(self) -> bool:
        if self.graph.needs_host:
            return False
        if not all(isinstance(v.type, TensorType | Scalar) for v in self.inner_inputs):
            return False
        return not self.hang_on_steps([e for es in self.opened().demands.values() for e in es])

    def why_host(self) -> str | None:
        """What keeps the loop on the host, if anything does: for printing."""
        if self.runs_on != "host":
            return None
        for node in self.order:
            if needs_host(node):
                inside = getattr(node.op, "why_host", None)
                return (inside() if inside else None) or f"{node.op} has no compiled form"
        for v in self.inner_inputs:
            if not isinstance(v.type, TensorType | Scalar):
                return f"{v} of {v.type} has no compiled form"
        return "; ".join(
            f"a size of {node} hangs on values of the step"
            for node, sizes in self.opened().demands.items()
            if self.hang_on_steps(sizes)
        )

    def hang_on_steps(self, sizes: Sequence[Any]) -> bool:
        """Whether sizes depend on values that change from step to step."""
        return self._depend(sizes, {*self.inner.sequences, *self.inner.states})

    def sizes_need_values(self) -> bool:
        """Whether the shapes of outputs hang on more than shapes of inputs."""
        free = range(self.n_states, len(self.traced))
        sizes = [e for k in free for e in self.opened().lengths[k] or ()]
        return self._depend(sizes, set(self.inner_inputs))

    def _depend(self, sizes: Sequence[Any], moving: set[Any]) -> bool:
        if any(v in moving for v in sizes):
            return True
        return any(v in moving for node in nodes_of(sizes, moving) for v in node.inputs)

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        found = [e for es in self.opened().demands.values() for e in es]
        return [node.inputs[0], *self._outside(found, node, shapes)]

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        given = self.given(shapes)
        rows: list[Any] = []
        for k, v in enumerate(self.outs):
            if k < self.n_states:
                rows.append(given.states[k])
                continue
            lengths = self.opened().lengths[k] if isinstance(v.type, TensorType) else None
            if lengths is None or self.hang_on_steps(lengths):
                rows.append(None)
            else:
                rows.append(self._outside(list(lengths), node, shapes))
        n = node.inputs[0]
        traces = [None if row is None else (n, *row) for row in rows]
        return self.only_kept(Made(traces, list(given.states), ()))

    def _outside(self, found: Sequence[Any], node: Apply, shapes: Sequence[Any]) -> list[Any]:
        """Inner sizes, with what stands outside in place of the inner inputs and lengths."""
        lengths = self.given(shapes)
        outside = [
            *(None if s is None else s[1:] for s in lengths.sequences),
            *lengths.states,
            *lengths.others,
        ]
        # sizes do not hang on what changes from step to step
        inner = self.inner
        given = [*inner.sequences, *inner.states, *self.given(node.inputs).others]
        return self.graph.outside(found, given, outside)

    def work(self, node: Apply, ins: Sequence[Any], outs: Sequence[Any]) -> Sequence[Any]:
        return work_of(self, ins, outs)

    # on NumPy

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        given = self.given(inputs)
        n = int(given.n)
        if n < 0:
            raise ValueError(
                f"{self} takes a number of steps that is not negative, got {n}; give a negative "
                "n_steps as a Python number, or go_backwards=True"
            )
        if n == 0 and self.nonempty:
            raise IndexError(f"the last of no steps of {self} was asked for: n_steps is 0")
        for x, v in zip(given.sequences, node.inputs[1 + self.bounded :], strict=False):
            if len(x) != n:
                raise ValueError(f"{self} takes sequences of {n} steps, got {len(x)} in {v}")

    def compute(self, xp: Any, *inputs: Any) -> Any:
        if xp.name != "numpy":
            return self.lower_xla(xp, [int(inputs[0])], *inputs)
        return one_or_all(self._on_numpy(self.given(inputs)))

    def _on_numpy(self, given: Given) -> list[Any]:
        n, step = int(given.n), self.graph.run
        steps = n if given.steps is None else min(int(given.steps), n)
        states, others = given.states, given.others
        traces: list[Any] = [None] * len(self.traced)
        count = 0
        for t in reversed(range(steps)) if self.reverse else range(steps):
            # the dots keep an element of a vector an array
            made = step(*[x[t, ...] for x in given.sequences], *states, *others)
            for k, kept in enumerate(self.traced):
                if kept:
                    self._keep(traces, k, n, t, made[k])
            new = made[: self.n_states]
            self._same_shapes(states, new)
            states = new
            count += 1
            if self.until and made[-1]:
                break
        if n == 0 or steps == 0:
            shapes = self.shapes_of_none(given)
            traces = [
                np.zeros((n, *shape), v.type.numpy_dtype) if kept else None  # type: ignore[attr-defined]
                for shape, v, kept in zip(shapes, self.outs, self.traced, strict=True)
            ]
        taken = [*given.states, *given.others, *given.sequences, *_constants(self.outs)]
        finals: list[Any] = [None] * self.n_states
        for k, kept in enumerate(self.final):
            if kept:
                finals[k] = _apart(states[k], taken)
                taken.append(finals[k])
        return self.only_kept(Made(traces, finals, np.asarray(count)))

    def _keep(self, traces: list[Any], k: int, n: int, t: int, value: Any) -> None:
        rows = traces[k]
        shape = np.shape(value)
        if rows is None:
            make = np.zeros if self.until or self.bounded else np.empty
            rows = traces[k] = make((n, *shape), self.outs[k].type.numpy_dtype)  # type: ignore[attr-defined]
        elif rows.shape[1:] != shape:
            raise ValueError(
                f"{self} takes steps whose outputs keep their shape, got {shape} after "
                f"{rows.shape[1:]} for output {k}; pad them to one shape"
            )
        rows[t] = value

    def _same_shapes(self, old: Sequence[Any], new: Sequence[Any]) -> None:
        for k, (a, b) in enumerate(zip(old, new, strict=True)):
            if a.__class__ is np.ndarray and a.shape != np.shape(b):
                raise self.other_shape(k, a.shape, np.shape(b))

    def other_shape(self, k: int, old: Any, new: Any) -> ValueError:
        return ValueError(
            f"{self} takes states that keep their shape from step to step, got shape {new} "
            f"after {old} for state {k}; start with an initial state of shape {new}"
        )

    def shapes_of_none(self, given: Given) -> list[Any]:
        """The shapes of a step's outputs where there is no step."""
        shapes: list[Any] = [np.shape(s) for s in given.states]
        if not any(self.traced[self.n_states :]):
            return [*shapes, *([()] * (len(self.traced) - self.n_states))]
        sizes = self.opened()
        known: dict[Variable, Any] = dict(zip(self.inner.others, given.others, strict=True))
        inside = [*(np.shape(x)[1:] for x in given.sequences), *map(np.shape, given.states)]
        inside += map(np.shape, given.others)
        for free, lengths in zip(sizes.free, inside, strict=True):
            known.update(
                (v, np.asarray(n, "int64")) for v, n in zip(free or (), lengths, strict=False)
            )
        for k in range(self.n_states, len(self.traced)):
            lengths = sizes.lengths[k]
            if lengths is None or self.hang_on_steps(lengths):
                shapes.append((0,) * self.outs[k].type.ndim)  # type: ignore[attr-defined]
                continue
            values = evaluate_inner(
                numpy_xp, nodes_of(lengths, known), list(known), lengths, list(known.values())
            )
            shapes.append(tuple(map(int, values)))
        return shapes

    # on XLA

    def lower_xla(self, xp: Any, known: Sequence[int], *inputs: Any) -> Any:
        return one_or_all(self.lower_checked(xp, known, *inputs)[0])

    def lower_checked(
        self, xp: Any, known: Sequence[int], *inputs: Any
    ) -> tuple[list[Any], list[Any]]:
        """The outputs, and the flags of the checks inside, all steps together."""
        made, flags = Lowering(self, xp, known, self.given(inputs)).run()
        return self.only_kept(Made(*made)), flags

    # derivatives

    def inner_pattern(self) -> list[list[bool]]:
        """For each inner input and output, whether the one matters to the other."""
        if self._pattern is None:
            self._pattern = connections(self.inner_inputs, self.outs)
        return self._pattern

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        return loop_grad.pattern(self, self.inner_pattern())

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        return loop_grad.pulled_back(self, inputs, outputs, output_grads)

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return loop_grad.pushed_forward(self, inputs, eval_points)

    def over_rows(
        self, node: Apply, inputs: Sequence[Any], moved: Sequence[bool]
    ) -> Sequence[Any] | None:
        return loop_rows.over_rows(self, node, inputs, moved)


_FLAGS = (
    "n_sequences",
    "n_states",
    "traced",
    "final",
    "until",
    "bounded",
    "reverse",
    "truncate",
    "recompute",
    "nonempty",
)
_CACHED = ("graph", "_key", "_where", "_pattern")


def _rows_of(kind: Any) -> TensorType:
    if not isinstance(kind, TensorType):
        raise TypeError(
            f"scan stacks tensors, got an output of {kind}; make a tensor of it, or update a "
            "shared variable with it"
        )
    return tensor_type(kind.dtype, (False, *kind.broadcastable))


def _constants(outputs: Sequence[Variable]) -> list[Any]:
    """The values of constants that outputs are, or are parts of."""
    return [r.data for v in outputs for r in view_roots(v) if isinstance(r, Constant)]


def _apart(value: Any, others: Sequence[Any]) -> Any:
    """A value in memory of its own."""
    if not isinstance(value, np.ndarray):
        return copy(value) if any(value is x for x in others) else value
    shared = any(isinstance(x, np.ndarray) and np.may_share_memory(value, x) for x in others)
    return value.copy() if shared else value
