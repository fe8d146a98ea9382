"""Checks of values for NaN, infinity and too large numbers, on every engine."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from theano._src.control.inner_run import run_inside, value_of
from theano._src.engines.error_report import describe, raise_with_op
from theano._src.engines.node_kinds import is_function
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.source_line import format_trace
from theano._src.ground.array_types import ArrayNamespace
from theano._src.ground.config import config
from theano._src.ops.shape.alloc import AllocEmpty
from theano._src.types.run_node import run_node
from theano._src.types.shared import on_host
from theano._src.types.tensor import TensorType

#: absolute values beyond this are too large
BIG = 1e10


class Guard:
    """Which values are errors, and how they are reported.

    Parameters
    ----------
    nan, inf, big : bool
        Whether NaN, infinity, and numbers beyond 1e10 are errors.
    """

    def __init__(self, nan: bool, inf: bool, big: bool) -> None:
        self.nan, self.inf, self.big = nan, inf, big

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Guard) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((self.nan, self.inf, self.big))

    # which variables

    def watches(self, v: Variable) -> bool:
        """Whether a variable can hold an erroneous value, and is not exempt."""
        if isinstance(v, Constant) or not isinstance(v.type, TensorType):
            return False
        if not getattr(v._tag, "nan_guard_mode_check", True) or getattr(v._tag, "is_rng", False):
            return False
        if _is_empty(v):
            return False
        kind = v.type.numpy_dtype
        if kind.kind in "fc":
            return self.nan or self.inf or self.big
        return self.big and kind.kind in "iu" and kind.itemsize >= 8

    def watched(self, node: Apply) -> list[int]:
        """The positions of a node's outputs that are checked."""
        return [
            i for i, v in enumerate(node.outputs) if self.watches(v) and not self._is_seen(node, i)
        ]

    def _is_seen(self, node: Apply, i: int) -> bool:
        """Whether an output is a view of checked values or of uninitialized memory."""
        # a view may reinterpret the bytes with another dtype
        dtype = node.outputs[i].type.dtype
        read = [node.inputs[k] for k in node.op.view_map.get(i, ())]
        return bool(read) and all(
            _is_empty(v) or (self.watches(v) and v.type.dtype == dtype) for v in read
        )

    # on the host

    def problem(self, value: Any) -> str | None:
        """The fault of a value: ``'NaN'``, ``'infinity'``, ``'a big value'``, or None."""
        value = on_host(value)
        if not isinstance(value, np.ndarray | np.generic) or not value.size:
            return None
        with np.errstate(all="ignore"):
            if np.max(np.abs(value)) <= largest_allowed(value.dtype):
                return None
            if self.nan and np.isnan(value).any():
                return "NaN"
            if self.inf and np.isinf(value).any():
                return "infinity"
            if self.big and (np.abs(value) > largest_allowed(value.dtype)).any():
                return "a big value"
        return None

    def check(self, node: Apply, i: int, value: Any) -> None:
        """Raise, warn or debug, as the flags say, if output ``i`` of a node is wrong."""
        if problem := self.problem(value):
            self._tell(_text(problem, f"output {i} of {node.op}", value))

    def check_all(self, node: Apply, values: Sequence[Any]) -> None:
        for i in self.watched(node):
            self.check(node, i, values[i])

    def check_given(self, inputs: Sequence[Variable], cells: Mapping[Variable, Any]) -> None:
        """Check all inputs of the function that some node reads."""
        for v in inputs:
            reader = reader_of(v)
            if reader is not None and self.watches(v):
                self.check_input(v, reader, cells[v][0])

    def check_input(self, v: Variable, reader: Apply | None, value: Any) -> None:
        """Check the value of one input of the function."""
        if problem := self.problem(value):
            text = _text(problem, f"the input {v}", value)
            if reader is not None:
                text += f"\nRead by: {reader}"
                where = format_trace(reader.trace)
                if where:
                    text += f"\nBacktrace when that node is created:\n{where}"
            self._tell(text)

    def _tell(self, text: str) -> None:
        match config.NanGuardMode.action:
            case "raise":
                error = AssertionError(text)
                error.found_by = self  # type: ignore[attr-defined]
                raise error
            case "warn":
                warnings.warn(text, RuntimeWarning, stacklevel=2)
            case "pdb":
                import pdb

                print(text)
                pdb.set_trace()

    # in compiled programs

    def flags(
        self,
        xp: ArrayNamespace,
        operands: Sequence[Variable],
        nodes: Sequence[Apply],
        value_of: Callable[[Variable], Any],
    ) -> list[Any]:
        """Conditions on the traced values of a program, one for each shape among them.

        Values of the same shape are checked in one loop, which reads memory once.
        """
        given = [v for v in operands if v.owner is None and self.watches(v)]
        computed = [node.outputs[i] for node in nodes for i in self.watched(node)]
        by_shape: dict[tuple[int, ...], Any] = {}
        for v in (*given, *computed):
            value = value_of(v)
            fine = self._fine(xp, value)
            before = by_shape.get(value.shape)
            by_shape[value.shape] = fine if before is None else before & fine
        return [xp.all(fine) for fine in by_shape.values()]

    def _fine(self, xp: ArrayNamespace, value: Any) -> Any:
        """The condition that each element of a traced value must meet."""
        if self.big:
            most = largest_allowed(value.dtype)
            # comparisons with NaN are false: if NaN is allowed, the condition is negated
            return xp.abs(value) <= most if self.nan else ~(xp.abs(value) > most)
        if self.nan and self.inf:
            return xp.isfinite(value)
        return ~(xp.isnan(value) if self.nan else xp.isinf(value))

    def guarded(self, node: Apply, call: Callable[..., Any]) -> Callable[..., Any]:
        """``call``, which computes a node on the host, with checks of its values."""
        outputs = self.watched(node)
        given = [(i, v) for i, v in enumerate(node.inputs) if v.owner is None and self.watches(v)]
        if not outputs and not given:
            return call
        many = len(node.outputs) > 1

        def run(*values: Any) -> Any:
            for i, v in given:
                self.check_input(v, node, values[i])
            function = call(*values)
            for i in outputs:
                self.check(node, i, function[i] if many else function)
            return function

        return run

    def not_found(self, nodes: Sequence[Apply]) -> NoReturn:
        """Raise: a compiled program has a bad value, but its nodes run on NumPy have none."""
        raise AssertionError(
            "NanGuardMode found NaN, infinity or a big value in a compiled program of "
            f"{len(nodes)} nodes, and none where NumPy computes the same; the linker 'numpy' runs "
            "without XLA\n" + describe(nodes[-1], None)
        )

    def rerun_check(
        self, node: Apply, inputs: Sequence[Any], outputs: Sequence[Any], position: int | None
    ) -> None:
        """Check the outputs of a node that was computed again; an error names the node."""
        try:
            self.check_all(node, outputs)
        except AssertionError as e:
            self.look_inside(node, inputs, e)
            raise_with_op(node, inputs, e, position)

    def look_inside(self, node: Apply, inputs: Sequence[Any], error: Exception) -> None:
        """Raise the error for the inner node of a loop that produced the bad value.

        Return without raising if this guard did not raise ``error``, or if the node must not run
        twice.
        """
        answer = getattr(error, "found_by", None) is self
        if not (answer and node.op.inner_graphs and is_function(node)):
            return
        try:
            with run_inside(node, self._checked), np.errstate(all="ignore"):
                run_node(node, [copy.copy(value) for value in inputs])
        except AssertionError as inner:
            inner.add_note(f"Inside of: {node}\n{format_trace(node.trace)}".rstrip())
            raise inner from None

    def _checked(self, graph: Any) -> Callable[..., list[Any]]:
        """An op's inner graph as a function of values, with checks of all that it computes."""

        def run(*values: Any) -> list[Any]:
            env: dict[Variable, Any] = dict(zip(graph.inputs, values, strict=True))
            for node in graph.order:
                args = [value_of(v, env) for v in node.inputs]
                result = run_node(node, args)
                self.rerun_check(node, args, result, None)
                env.update(zip(node.outputs, result, strict=True))
            return [value_of(v, env) for v in graph.outputs]

        return run


def largest_allowed(dtype: Any) -> float:
    """The largest number allowed; in float16, 1e10 would be infinity."""
    dtype = np.dtype(dtype)
    return min(BIG, float(np.finfo(dtype).max)) if dtype.kind in "fc" else BIG


def _is_empty(v: Variable) -> bool:
    """Whether a variable is uninitialized memory."""
    return v.owner is not None and isinstance(v.owner.op, AllocEmpty)


def reader_of(v: Variable) -> Apply | None:
    """A node that reads a variable, or None."""
    return next((user for user, _ in v._clients or () if user != "output"), None)


def _text(problem: str, where: str, value: Any) -> str:
    value = np.asarray(on_host(value))
    with np.errstate(all="ignore"):
        bad = ~(np.abs(value) <= largest_allowed(value.dtype))
    return (
        f"NanGuardMode found {problem} in {where}: {int(np.count_nonzero(bad))} of {value.size} "
        f"values, the first {value[bad][0].item()}; shape {value.shape}, {value.dtype}"
    )
