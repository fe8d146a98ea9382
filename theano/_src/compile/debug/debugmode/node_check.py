"""Run one node by itself, and check its effects on its inputs, and its outputs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from theano._src.compile.debug.debugmode.errors import (
    BadDestroyMap,
    BadStrides,
    BadThunkOutput,
    BadViewMap,
    InvalidValueError,
)
from theano._src.compile.debug.debugmode.output_memory import output_memory
from theano._src.compile.debug.debugmode.values import (
    are_equal,
    is_unchanged,
    problem_of,
    share_memory,
)
from theano._src.engines.link import make_thunk
from theano._src.engines.linkers.one_node import compiled_call
from theano._src.graph.c_op import gives_perform, in_c
from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op import Op, meaning_of
from theano._src.ground.config import config
from theano._src.types.memory import own_copy
from theano._src.types.tensor import TensorType

log = logging.getLogger("theano.compile.debugmode")

Values = dict[Variable, Any]


class NodeCheck:
    """Run one node once for each check, each time on copies of its inputs.

    Parameters
    ----------
    mode : DebugMode
    node : Apply
    active : bool
        Whether the node is in the rewritten graph; False if a rewrite replaced it.
    """

    def __init__(self, mode: Any, node: Apply, active: bool) -> None:
        self.mode, self.node, self.active = mode, node, active
        self._cells: dict[Variable, list[Any]] = {
            v: [None] for v in dict.fromkeys((*node.inputs, *node.outputs))
        }
        self._computed = {v: [v in node.inputs] for v in self._cells}
        self._thunks: dict[str, Callable[[], Any]] = {}
        self._compiled: Any = _NOT_MADE
        self._reported: set[str] = set()

    def run(self, values: Values, initial: Sequence[Any]) -> list[Any]:
        """Return the outputs for these values; raise if the node has a defect."""
        compiled = self._on_xla() if self.active and self.mode.check_c_code else None
        if compiled is not None and not self.mode.check_py_code:
            return self._outputs_of_xla(compiled, values)
        ways = self._ways()
        kept: list[Any] = []
        for impl in ways:
            what = _WAYS[impl]
            outputs = self._perform(values, what, impl)
            if kept:
                self._compare(_WAYS[ways[0]], kept, what, outputs, values)
                self._compare_strides(kept, outputs, "C")
            else:
                kept = [own_copy(x) for x in outputs]
            if _is_users(self.node):
                again = self._perform(values, f"{what}, called again", impl)
                self._compare(what, kept, f"{what}, called again", again, values)
            if meaning_of(self.node.op) != "compute" and self.mode.check_preallocated_output:
                self._with_memory(values, kept, initial, impl)
        if compiled is not None:
            other = self._outputs_of_xla(compiled, values, kept)
            self._compare("perform", kept, "xla", other, values)
            self._compare_strides(kept, other, "XLA")
        return kept

    def _ways(self) -> list[str]:
        """The ways to run the node: ``perform``, then C code, if the op has them."""
        op = self.node.op
        if meaning_of(op) != "c_code":
            return ["py"]
        ways = ["py"] if self.mode.check_py_code and gives_perform(op) else []
        if self.mode.check_c_code or not ways:
            if in_c(self.node) is not None:
                ways.append("c")
            elif not ways:
                ways.append("py")
        return ways

    # on the host

    def _perform(
        self, values: Values, what: str, impl: str, memory: Sequence[Any] | None = None
    ) -> list[Any]:
        node, cells = self.node, self._cells
        thunk = self._thunks.get(impl)
        if thunk is None:
            prepare = getattr(node.op, "prepare_node", None)
            if prepare is not None:
                prepare(node, cells, self._computed, impl)
            thunk = self._thunks[impl] = make_thunk(node, cells, self._computed, impl)
        for v in node.inputs:
            cells[v][0] = own_copy(values[v])
        for i, v in enumerate(node.outputs):
            cells[v][0] = None if memory is None else memory[i]
            self._computed[v][0] = False
        args = {v: cells[v][0] for v in node.inputs}
        thunk()
        outputs = [_as_array(v, cells[v][0]) for v in node.outputs]
        for v in node.outputs:
            cells[v][0] = None
        self._check_inputs(values, args, what)
        self._check_views(args, outputs)
        self._check_valid(outputs, f"{what} output")
        if memory is None:
            self._say_not_reused(values, args, outputs)
        return outputs

    def _check_valid(self, outputs: Sequence[Any], hint: str) -> None:
        finite = bool(self.mode.check_isfinite) and self.active
        for v, value in zip(self.node.outputs, outputs, strict=True):
            if problem := problem_of(v, value, finite):
                raise InvalidValueError(v, value, hint=hint, specific_hint=problem)

    def _check_inputs(self, values: Values, args: Values, what: str) -> None:
        may = {self.node.inputs[i] for i in _positions(self.node.op, "destroy_map")}
        for i, v in enumerate(self.node.inputs):
            if v not in may and not is_unchanged(v, values[v], args[v]):
                raise BadDestroyMap(self.node, i, own_copy(values[v]), args[v], what)

    def _check_views(self, args: Values, outputs: Sequence[Any]) -> None:
        node = self.node
        declared = [self._sources(o) for o in range(len(outputs))]
        for o, value in enumerate(outputs):
            silent = [
                i
                for i, v in enumerate(node.inputs)
                if v not in declared[o] and share_memory(value, args[v])
            ]
            if silent:
                raise BadViewMap(node, o, value, in_alias_idx=silent)
        for o, value in enumerate(outputs):
            silent = [
                p
                for p in range(o + 1, len(outputs))
                if declared[o].isdisjoint(declared[p])
                and share_memory(value, outputs[p])
                and _is_read(node.outputs[o])
                and _is_read(node.outputs[p])
            ]
            if silent:
                raise BadViewMap(node, o, value, out_alias_idx=silent)

    def _sources(self, o: int) -> set[Variable]:
        """The inputs whose memory an output may use."""
        op = self.node.op
        return {
            self.node.inputs[i]
            for name in ("view_map", "destroy_map")
            for i in (getattr(op, name, None) or {}).get(o, ())
        }

    def _say_not_reused(self, values: Values, args: Values, outputs: Sequence[Any]) -> None:
        if not config.DebugMode.warn_input_not_reused or not _is_users(self.node):
            return
        for name in ("view_map", "destroy_map"):
            for o, positions in (getattr(self.node.op, name, None) or {}).items():
                for i in positions:
                    v = self.node.inputs[i]
                    reused = share_memory(outputs[o], args[v])
                    if not reused and is_unchanged(v, values[v], args[v]):
                        self._say(
                            f"{self.node.op}: {name} says that output {o} uses input {i}, and the "
                            "op gave new memory and left the input as it was"
                        )

    def _with_memory(
        self, values: Values, expected: Sequence[Any], initial: Sequence[Any], impl: str
    ) -> None:
        """Run again with memory in the output storage, and check that results are the same."""
        reusing = {o for o in range(len(expected)) if self._sources(o)}
        for kind, memory in output_memory(
            self.node,
            self.mode.check_preallocated_output,
            expected,
            initial,
            lambda: self._perform(values, _WAYS[impl], impl),
        ):
            given = [None if o in reusing else m for o, m in enumerate(memory)]
            what = f"{_WAYS[impl]} with {kind} output memory"
            result = self._perform(values, what, impl, given)
            self._compare(_WAYS[impl], expected, what, result, values)

    # on XLA

    def _on_xla(self) -> Any:
        if self._compiled is _NOT_MADE:
            self._compiled = compiled_call(self.node)
        return self._compiled

    def _outputs_of_xla(
        self, compiled: Any, values: Values, expected: Sequence[Any] | None = None
    ) -> list[Any]:
        args = [own_copy(values[v]) for v in self.node.inputs]
        try:
            results: list[Any] = compiled(args)
        except Exception as error:
            if expected is None:
                raise
            inputs = [values[v] for v in self.node.inputs]
            raise BadThunkOutput(
                self.node.outputs[0], "perform", expected[0], "xla", error, inputs
            ) from error
        self._check_inputs(values, dict(zip(self.node.inputs, args, strict=True)), "xla")
        outputs = [_as_array(v, x) for v, x in zip(self.node.outputs, results, strict=True)]
        self._check_valid(outputs, "xla output")
        return outputs

    # both

    def _compare(
        self,
        first: str,
        expected: Sequence[Any],
        second: str,
        results: Sequence[Any],
        values: Values,
    ) -> None:
        for v, a, b in zip(self.node.outputs, expected, results, strict=True):
            if not are_equal(v, a, b):
                inputs = [values[u] for u in self.node.inputs]
                raise BadThunkOutput(v, first, a, second, own_copy(b), inputs)

    def _compare_strides(self, ours: Sequence[Any], theirs: Sequence[Any], where: str) -> None:
        level = self.mode.require_matching_strides
        if not level:
            return
        for o, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            if self._sources(o) or not isinstance(a, np.ndarray) or a.size < 2:
                continue
            if a.shape == b.shape and a.strides != b.strides and not a.flags.c_contiguous:
                text = (
                    f"{self.node.op}: output {o} of shape {a.shape} has strides {a.strides} on "
                    f"NumPy and {b.strides} in {where}"
                )
                if level >= 2:
                    raise BadStrides(
                        f"BadStrides: {text}; DebugMode(require_matching_strides=1) only warns"
                    )
                self._say(text)

    def _say(self, text: str) -> None:
        if text not in self._reported:
            self._reported.add(text)
            log.warning("%s", text)


_NOT_MADE: Any = object()
#: documented name: programs append to it, but here every ``make_thunk`` runs, listed or not
default_make_thunk = [Op.make_thunk]

#: the documented names of the ways to run an op, by the ``impl`` of ``make_thunk``
_WAYS = {"py": "perform", "c": "c_code"}


def _positions(op: Any, name: str) -> Iterable[int]:
    return [i for where in (getattr(op, name, None) or {}).values() for i in where]


def _as_array(v: Variable, value: Any) -> Any:
    """Convert a NumPy scalar to a 0-d array, as engines do."""
    return np.asarray(value) if isinstance(v.type, TensorType) and _is_number(value) else value


def _is_number(value: Any) -> bool:
    return isinstance(value, np.generic)


def _is_users(node: Apply) -> bool:
    return not type(node.op).__module__.startswith("theano.")


def _is_read(v: Variable) -> bool:
    """Whether a node, which may write to it, reads a variable; outputs alone do not count."""
    return any(user != "output" for user, _ in v._clients or ())
