"""The program of a function in DebugMode: run each node separately, then the whole graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from theano._src.compile.debug.debugmode.errors import (
    BadOptimization,
    BadThunkOutput,
    DebugModeError,
    InvalidValueError,
    StaleInput,
)
from theano._src.compile.debug.debugmode.history import RewriteHistory, history_of, in_order
from theano._src.compile.debug.debugmode.node_check import NodeCheck
from theano._src.compile.debug.debugmode.values import (
    are_equal,
    is_unchanged,
    problem_of,
    share_memory,
    stands_for,
)
from theano._src.engines.error_report import raise_with_op, with_text
from theano._src.engines.errstate import error_state
from theano._src.engines.link import Cells, Job, LocalLinker, Program, ThunkProgram, map_storage
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.types.memory import own_copy
from theano._src.types.shared import on_host


class DebugLinker(LocalLinker):
    """The linker of a DebugMode; its programs read the mode's checks at each call."""

    def __init__(self, mode: Any) -> None:
        super().__init__()
        self.mode = mode

    def make_program(self, cells: Cells, order: list[Apply]) -> Program:
        return DebugProgram(self.mode, self.fgraph, cells, order)


class DebugProgram(Program):
    """Run a graph and its history node by node, with checks.

    ``checked`` are the nodes to run: those of the graph, and those that rewrites replaced.
    """

    def __init__(self, mode: Any, fgraph: FunctionGraph, cells: Cells, order: list[Apply]) -> None:
        super().__init__(fgraph, cells, order)
        self.mode, self.fgraph = mode, fgraph
        history = history_of(fgraph)
        self.history = RewriteHistory() if history is None else history
        self.checked = self.history.nodes(fgraph)
        self._replacements = in_order(self.history.replacements, self.checked)
        active = set(order)
        self._checks = {node: NodeCheck(mode, node, node in active) for node in self.checked}
        self._positions = {node: i for i, node in enumerate(order)}
        self._whole = self._made_whole(order) if _overwrites(order) else None

    def _made_whole(self, order: list[Apply]) -> tuple[list[list[Any]], ThunkProgram]:
        """A program of the whole graph with its own memory, as other modes run it."""
        inputs, _, cells = map_storage(self.fgraph, order, None, None)
        return inputs, ThunkProgram(Job(self.fgraph, cells, order, gc=False))

    def run_nodes(self) -> None:
        values: dict[Variable, Any] = {}
        for v in self.fgraph.inputs:
            values[v] = own_copy(self.storage_map[v][0])
        self._check_given(values)
        with np.errstate(**error_state()):
            for node in self.checked:
                self._run(node, values)
            self._check_replacements(values)
            if self._whole is not None:
                self._check_whole(values)
        for v, cell in zip(self.fgraph.outputs, self._outputs, strict=True):
            cell[0] = v.data if isinstance(v, Constant) else values[v]

    def _check_given(self, values: dict[Variable, Any]) -> None:
        """Check that inputs fit their types, and are finite if ``check_isfinite`` is set."""
        for v in self.fgraph.inputs:
            readers = [user for user, _ in v._clients or () if user != "output"]
            if not readers or values[v] is None:
                continue
            problem = problem_of(v, values[v], bool(self.mode.check_isfinite))
            if problem:
                raise InvalidValueError(
                    v, values[v], readers[0], hint="Graph Input", specific_hint=problem
                )

    def _run(self, node: Apply, values: dict[Variable, Any]) -> None:
        for v in node.inputs:
            if isinstance(v, Constant):
                values[v] = v.data
        initial = [self.storage_map.get(v, [None])[0] for v in node.outputs]
        try:
            outputs = self._checks[node].run(values, initial)
        except DebugModeError:
            self.position_of_error = self._positions.get(node, -1)
            raise
        except Exception as error:
            self.position_of_error = self._positions.get(node, -1)
            text = self._told_of_rewrite(node, error)
            raise_with_op(node, [values[v] for v in node.inputs], text, self._positions.get(node))
        values.update(zip(node.outputs, outputs, strict=True))

    def _told_of_rewrite(self, node: Apply, error: Exception) -> Exception:
        """Add the name of the rewrite that added the node, if there is one, to the error."""
        reason = self.history.reasons.get(node, "None")
        if reason in ("None", "init", "on_attach"):
            return error
        text = f"The node was put into the graph by the rewrite {reason}."
        message = with_text(error, text)
        if message is None:
            error.add_note(text)
            return error
        message.__dict__.update(error.__dict__)
        result: Exception = message.with_traceback(error.__traceback__)
        return result

    def _check_replacements(self, values: dict[Variable, Any]) -> None:
        for r in self._replacements:
            old, new = (_value(v, values) for v in (r.old, r.new))
            if r.new is r.old or old is _NONE or new is _NONE:
                continue
            if not stands_for(r.old, r.new, old, new):
                raise BadOptimization(r.old, r.new, old, new, r.reason, r.old_graph, r.new_graph)

    def _check_whole(self, values: dict[Variable, Any]) -> None:
        """Run the graph in order, with in-place ops in place, and check that values are equal."""
        assert self._whole is not None
        inputs, program = self._whole
        for v, cell in zip(self.fgraph.inputs, inputs, strict=True):
            cell[0] = own_copy(self.storage_map[v][0])
        written: list[tuple[Apply, Any]] = []

        def around(i: int, node: Apply, thunk: Any) -> None:
            for k, (v, cell) in enumerate(zip(node.inputs, thunk.inputs, strict=True)):
                if isinstance(v, Constant) or is_unchanged(v, values[v], cell[0]):
                    continue
                if not are_equal(v, values[v], cell[0]):
                    by = [n for n, memory in written if share_memory(memory, cell[0])]
                    raise StaleInput(node, k, values[v], own_copy(cell[0]), by[-1] if by else None)
            kept = [own_copy(on_host(cell[0])) for cell in thunk.inputs]
            for where in (getattr(node.op, "destroy_map", None) or {}).values():
                written.extend((node, thunk.inputs[k][0]) for k in where)
            thunk()
            for v, cell in zip(node.outputs, thunk.outputs, strict=True):
                if not are_equal(v, values[v], _fit(cell[0])):
                    raise BadThunkOutput(
                        v, "the node by itself", values[v], "the node in its graph", cell[0], kept
                    )

        program.around = around
        program.run_nodes()
        for o, v in enumerate(self.fgraph.outputs):
            if isinstance(v, Constant):
                continue
            result = program.storage_map[v][0]
            if v.owner is not None and not are_equal(v, values[v], result):
                by = [n for n, memory in written if share_memory(memory, result)]
                raise StaleOutput(v, o, values[v], own_copy(result), by[-1] if by else None)


class StaleOutput(StaleInput):
    """An output of the function was overwritten after it was computed."""

    def __init__(
        self, v: Variable, o: int, old_val: Any, new_val: Any, destroyer: Apply | None
    ) -> None:
        assert v.owner is not None
        DebugModeError.__init__(self, v, o, old_val, new_val, destroyer)
        self.node, self.idx, self.perform = v.owner, o, "a later node"
        self.old_val, self.new_val, self.destroyer = old_val, new_val, destroyer

    def __str__(self) -> str:
        return (
            f"BadDestroyMap: output {self.idx} of the function was overwritten by {self.destroyer} "
            f"after {self.node} had computed it\n  Right value: {self.old_val!r:.160}\n"
            f"  Value found: {self.new_val!r:.160}"
        )


_NONE: Any = object()


def _value(v: Variable, values: dict[Variable, Any]) -> Any:
    return v.data if isinstance(v, Constant) else values.get(v, _NONE)


def _fit(value: Any) -> Any:
    return np.asarray(value) if isinstance(value, np.generic) else value


def _overwrites(order: list[Apply]) -> bool:
    return any(getattr(node.op, "destroy_map", None) for node in order)
