"""Find the error of a failed stage by running its nodes again, one by one, on NumPy (ADR 6)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from theano._src.engines.error_report import describe, raise_with_op
from theano._src.engines.errstate import error_state
from theano._src.engines.link import Cells
from theano._src.engines.value_guard import Guard
from theano._src.engines.xla.tracing import CheckFailed
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.types.run_node import call_of
from theano._src.types.scalar import Scalar
from theano._src.types.shared import on_host


class Replay:
    """The values of a call on the host: those still available, and others computed again."""

    def __init__(
        self,
        at_hand: Mapping[Variable, Any],
        cells: Cells,
        bring: Callable[[Any], Any] = on_host,
    ) -> None:
        self._bring = bring
        self._values: dict[Variable, Any] = {
            v: self._as_host(v, value) for v, value in at_hand.items() if not gone(value)
        }
        self._cells = cells

    def value(self, wanted: Variable) -> Any:
        """The value of a variable; nodes whose results were not kept run again."""
        stack = [wanted]
        while stack:
            v = stack[-1]
            if v in self._values or isinstance(v, Constant):
                stack.pop()
            elif v.owner is None:
                self._values[v] = self._as_host(v, self._cells[v][0])
            else:
                missing = [i for i in v.owner.inputs if not self._has(i)]
                if missing:
                    stack.extend(missing)
                else:
                    self.run(v.owner, [self._get(i) for i in v.owner.inputs])
        return self._get(wanted)

    def run(self, node: Apply, values: Sequence[Any]) -> None:
        result = call_of(node)(*values)
        outs = [result] if len(node.outputs) == 1 else result
        self._values.update(zip(node.outputs, outs, strict=True))

    def _as_host(self, v: Variable, value: Any) -> Any:
        here = self._bring(value)
        if isinstance(v.type, Scalar):
            return np.asarray(here)[()]
        # the call path has sizes as Python numbers
        return np.asarray(here, v.type.numpy_dtype) if isinstance(here, int) else here

    def _has(self, v: Variable) -> bool:
        return v in self._values or isinstance(v, Constant)

    def _get(self, v: Variable) -> Any:
        return v.data if isinstance(v, Constant) else self._values[v]


def rerun(
    nodes: Iterable[Apply],
    replay: Replay,
    positions: Mapping[Apply, int],
    guard: Guard | None = None,
) -> None:
    """Run nodes on NumPy; raise the error of the first one that fails."""
    for node in nodes:
        values = [replay.value(v) for v in node.inputs]
        try:
            with np.errstate(**error_state()):
                replay.run(node, values)
        except Exception as e:
            raise_with_op(node, values, e, positions.get(node))
        if guard is not None:
            for v, value in zip(node.inputs, values, strict=True):
                if v.owner is None and guard.watches(v):
                    guard.check_input(v, node, value)
            results = [replay.value(v) for v in node.outputs]
            guard.rerun_check(node, values, results, positions.get(node))


def blame(
    nodes: Sequence[Apply],
    replay: Replay,
    positions: Mapping[Apply, int],
    error: Exception | None,
    flagged: Apply | None,
) -> NoReturn:
    """Raise the error that the first failing node of a stage raises on NumPy.

    If none fails there, raise the error of tracing, or name the node whose flag was false.
    """
    rerun(nodes, replay, positions)
    if error is not None and not isinstance(error, CheckFailed):
        raise error
    name(flagged or nodes[0], positions, "and holds on NumPy")


def name(node: Apply, positions: Mapping[Apply, int], why: str) -> NoReturn:
    """Raise an error that names the node whose check failed, if a replay gives no better one."""
    raise ValueError(
        f"a check of {node.op} failed in the compiled program, {why}\n"
        + describe(node, None, positions.get(node))
    )


def gone(value: Any) -> bool:
    """Whether a device array was overwritten."""
    deleted = getattr(value, "is_deleted", None)
    return deleted is not None and bool(deleted())
