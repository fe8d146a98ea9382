"""A stage's compiled program: traced and compiled for each key, kept in a bounded table."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from theano._src.engines.jax_xp import jax_xp
from theano._src.engines.xla import backend
from theano._src.graph.node import Apply
from theano._src.graph.op import Op
from theano._src.graph.variable import Constant, Variable
from theano._src.ground.config import config

log = logging.getLogger("theano.xla")

#: constants above this many bytes are operands: as literals they slow compilation down
_LITERAL_BYTES = 1024


class CheckFailed(Exception):
    """A condition that tracing itself found broken."""


class ChecksBroken(Exception):
    """A flag of a program that has run is down."""

    def __init__(self, program: DeviceProgram, node: Apply) -> None:
        super().__init__(f"{node} fails a check")
        self.program = program
        self.node = node
        self.made = {v for n in program.nodes for v in n.outputs}


class DeviceProgram:
    """The nodes of one stage, compiled for each key.

    Attributes
    ----------
    operands : list of Variables
        What comes in: inputs, results of earlier programs, host values.
    results : list of Variables
    sizes : list of Variables
        The demanded integers, in the order of a key's second part.
    state : list of pairs of positions
        ``(operand, result)``: results that replace an operand for good.
    compilations : list of str
        Why each compilation was needed.
    """

    def __init__(
        self,
        number: int,
        nodes: Sequence[Apply],
        operands: Sequence[Variable],
        results: Sequence[Variable],
        demands: dict[Apply, tuple[Variable, ...]],
        state: Sequence[tuple[int, int]] = (),
    ) -> None:
        self.number = number
        self.nodes = list(nodes)
        self.operands = list(operands)
        self.results = list(results)
        self.state = list(state)
        self.sizes: list[Variable] = []
        where: dict[Variable, int] = {}
        self._known: dict[Apply, list[int]] = {}
        for node in self.nodes:
            for e in demands.get(node, ()):
                if e not in where:
                    where[e] = len(self.sizes)
                    self.sizes.append(e)
            self._known[node] = [where[e] for e in demands.get(node, ())]
        self.large = _large_constants(self.nodes)
        self._on_device: list[Any] | None = None
        self.table: OrderedDict[Any, Any] = OrderedDict()
        self.guard: Any = None
        #: the key of the last call and its compiled form, for the next call to try first
        self.key: Any = None
        self.last: Any = None
        self.many_keys = False
        self.flagged: dict[Any, list[Apply]] = {}
        self.compilations: list[str] = []
        self.keys_seen: dict[Any, None] = {}
        made = {v for node in self.nodes for v in node.outputs}
        self.passed_through = [v for v in self.results if v not in made]

    # running

    def constants(self) -> list[Any]:
        """The large constants, put on the device once."""
        if self._on_device is None:
            self._on_device = [backend.put(c.data) for c in self.large]
        return self._on_device

    def find(self, key: Any) -> Any:
        """The compiled form for ``key``, made if need be."""
        found = self.table.get(key)
        if found is not None:
            self.table.move_to_end(key)
            self.key, self.last = key, found
            return found
        reason = self._reason(key)
        self.compilations.append(reason)
        self.keys_seen[key] = None
        log.info("program %d: compiling %d nodes: %s", self.number, len(self.nodes), reason)
        _, sizes = key
        donate = [i for i, _ in self.state]
        found = self.table[key] = backend.compiled(self._body(key, sizes), donate)
        if self.state:
            # the first call runs Python code of jax's after the program has started
            self.guard = backend.hold_interrupts()
        if len(self.table) > config.xla.max_keys:
            old, _ = self.table.popitem(last=False)
            self.flagged.pop(old, None)
        self.many_keys = bool(self.sizes) and len(self.keys_seen) > config.xla.volatile_after
        self.key, self.last = key, found
        return partial(backend.first_call, found)

    def calm(self) -> None:
        """Let interrupts come again."""
        guard, self.guard = self.guard, None
        guard.release()

    def packed(self) -> list[tuple[Any]]:
        """The large constants, each as an iterable of one."""
        return [(c,) for c in self.constants()]

    def broken(self, key: Any, flags: Any) -> None:
        """Raise for the first flag that is down."""
        raise ChecksBroken(self, self.flagged[key][int(np.flatnonzero(~flags)[0])])

    def moving_sizes(self) -> list[Variable]:
        """The demanded integers that differ from key to key, where there have been many keys."""
        if not self.many_keys:
            return []
        most = config.xla.volatile_after // 2
        return [
            e
            for j, e in enumerate(self.sizes)
            if len({sizes[j] for _, sizes in self.keys_seen}) > most
        ]

    def forget(self, key: Any) -> None:
        """Drop the compiled form for a key whose tracing failed."""
        self.key = self.last = None
        self.table.pop(key, None)
        self.flagged.pop(key, None)
        self.keys_seen.pop(key, None)
        if self.compilations:
            self.compilations.pop()

    def _reason(self, key: Any) -> str:
        shapes, sizes = key
        if not self.keys_seen:
            return "first call"
        last_shapes, last_sizes = next(reversed(self.keys_seen))
        if key in self.keys_seen:
            return "dropped from the table before"
        parts = [
            f"{v} of shape {old} is now {new}"
            for v, old, new in zip(self.operands, last_shapes, shapes, strict=True)
            if old != new
        ]
        parts += [
            f"size {v} was {old}, is now {new}"
            for v, old, new in zip(self.sizes, last_sizes, sizes, strict=True)
            if old != new
        ]
        return "; ".join(parts) or "a new combination of shapes"

    # tracing

    def _body(self, key: Any, sizes: Sequence[int]) -> Callable[..., Any]:
        """The function that jax traces: operands and large constants in, results and flags out."""
        n = len(self.operands)
        late = self._only_for_state()

        def body(*args: Any) -> Any:
            env: dict[Variable, Any] = dict(zip(self.operands, args[:n], strict=True))
            env.update(zip(self.large, args[n:], strict=True))
            flags: list[Any] = []
            flagged: list[Apply] = []
            for node in self.nodes:
                if node not in late:
                    self._apply(node, env, sizes, flags, flagged)
            self.flagged[key] = flagged
            if not flags:
                self._finish(env, sizes, late)
                return [self._own(v, env) for v in self.results]
            vector = jax_xp.stack([jax_xp.all(jax_xp.asarray(f)) for f in flags])
            stored = {r: i for i, r in self.state}
            results = [
                None if r in stored else self._own(v, env) for r, v in enumerate(self.results)
            ]
            if stored:
                new = backend.cond(
                    vector.all(),
                    lambda: self._new_state(dict(env), sizes, late, list(stored)),
                    lambda: [args[i] for i in stored.values()],
                )
                for r, value in zip(stored, new, strict=True):
                    results[r] = value
            return [*results, vector]

        return body

    def _new_state(
        self, env: dict[Variable, Any], sizes: Sequence[int], late: set[Apply], which: list[int]
    ) -> list[Any]:
        self._finish(env, sizes, late)
        return [self._own(self.results[r], env) for r in which]

    def _finish(self, env: dict[Variable, Any], sizes: Sequence[int], late: set[Apply]) -> None:
        for node in self.nodes:
            if node in late:
                self._apply(node, env, sizes, None, None)

    def _apply(
        self,
        node: Apply,
        env: dict[Variable, Any],
        sizes: Sequence[int],
        flags: list[Any] | None,
        flagged: list[Apply] | None,
    ) -> None:
        op = node.op
        only = getattr(op, "demand_only", ())
        args = [None if i in only else _value(v, env) for i, v in enumerate(node.inputs)]
        known = [sizes[i] for i in self._known[node]]
        if type(op).validate is not Op.validate:
            try:
                op.validate(node, args)
            except backend.traced_only():
                pass  # it asks for values: `checks` states the same for them
        made = op.lower_xla(jax_xp, known, *args)
        outs = [made] if len(node.outputs) == 1 else list(made)
        env.update(zip(node.outputs, outs, strict=True))
        if flags is None or flagged is None or type(op).checks is Op.checks:
            return
        for flag in op.checks(jax_xp, known, args, outs):
            settled = _settled(flag)
            if settled is None:
                flags.append(flag)
                flagged.append(node)
            elif not settled:
                raise CheckFailed(f"{node} fails a check")

    def _only_for_state(self) -> set[Apply]:
        """Nodes that nothing but the new state needs, and that have no check of their own."""
        stored = {r for _, r in self.state}
        if not stored:
            return set()
        kept = {v for r, v in enumerate(self.results) if r not in stored}
        late: set[Apply] = set()
        for node in reversed(self.nodes):
            checked = type(node.op).checks is not Op.checks
            if checked or any(v in kept for v in node.outputs):
                kept.update(node.inputs)
            else:
                late.add(node)
        return late

    def _own(self, v: Variable, env: dict[Variable, Any]) -> Any:
        """A result in a buffer that has no other name."""
        value = _value(v, env)
        return jax_xp.array(value, copy=True) if v in self.passed_through else value


def _value(v: Variable, env: dict[Variable, Any]) -> Any:
    found = env.get(v)
    if found is None and isinstance(v, Constant):
        return v.data
    return found


def _settled(flag: Any) -> bool | None:
    """The value of a flag that is known while tracing; None of one that is not."""
    try:
        return bool(np.all(flag))
    except backend.traced_only():
        return None


def _large_constants(nodes: Sequence[Apply]) -> list[Any]:
    found = {
        v: None
        for node in nodes
        for v in node.inputs
        if isinstance(v, Constant) and getattr(v.data, "nbytes", 0) > _LITERAL_BYTES
    }
    return list(found)
