"""The exceptions of DebugMode: one for each kind of defect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply, Variable
from theano._src.graph.source_line import format_trace
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import BadOptimization as _BadOptimization
from theano._src.show.debugprint import debugprint


@documented_in("theano.compile.debugmode")
class DebugModeError(Exception):
    """The base class of the exceptions of DebugMode."""


@documented_in("theano.compile.debugmode")
class BadThunkOutput(DebugModeError):
    """Two computations of one node from the same inputs differ.

    These may be computations on the two engines, two calls of ``perform``, or two calls with
    different memory in the output storage.

    Attributes
    ----------
    r : Variable
        The output that differs.
    thunk1, thunk2 : str
        Descriptions of the computations.
    val1, val2 : values
        Their results; ``val2`` may be the exception that was raised.
    inputs_val : list of values
    """

    def __init__(
        self,
        r: Variable,
        thunk1: str,
        val1: Any,
        thunk2: str,
        val2: Any,
        inputs_val: Sequence[Any] = (),
    ) -> None:
        super().__init__(r, thunk1, val1, thunk2, val2, inputs_val)
        self.r = r
        self.thunk1, self.val1 = thunk1, val1
        self.thunk2, self.val2 = thunk2, val2
        self.inputs_val = list(inputs_val)

    def offending_op(self) -> Any:
        """Return the op whose computations differ."""
        return self.r.owner.op  # type: ignore[union-attr]

    def str_diagnostic(self) -> str:
        """Describe the values, their types, and how much they differ."""
        node = self.r.owner
        assert node is not None
        lines = [
            f"BadThunkOutput: {self.thunk1} and {self.thunk2} of one op give different values for "
            "the same inputs",
            f"  Op: {node.op}",
            f"  Apply node: {node}",
            f"  Output: {self.r.index}, of type {self.r.type}",
            f"  Inputs: {[_brief(x) for x in self.inputs_val]}",
            f"  {self.thunk1}: {_brief(self.val1)}",
            f"  {self.thunk2}: {_brief(self.val2)}",
            *_difference(self.val1, self.val2),
            *made_at(node),
        ]
        return "\n".join(lines)

    __str__ = str_diagnostic


@documented_in("theano.compile.debugmode")
class BadOptimization(DebugModeError, _BadOptimization):
    """A rewrite replaced a variable by one that has another value.

    ``reason`` is the name of the rewrite. ``old_r``, ``old_r_val`` and ``old_graph`` are the
    replaced variable, its value and its graph; ``new_r``, ``new_r_val`` and ``new_graph`` are
    those of the replacement.
    """

    def __str__(self) -> str:
        if self.new_r is None:
            return str(self.old_r)
        lines = [
            f"BadOptimization: the rewrite {self.reason} replaced a variable by one that has "
            "another value",
            f"  Variable: {self.new_r} of {self.new_r.type}",
            f"  Apply node: {self.new_r.owner}",
            f"  Old value: {_brief(self.old_r_val)}",
            f"  New value: {_brief(self.new_r_val)}",
            *_difference(self.old_r_val, self.new_r_val),
            "  Old graph:",
            *_indented(self.old_graph),
            "  New graph:",
            *_indented(self.new_graph),
            *(made_at(self.old_r.owner) if self.old_r.owner is not None else ()),
            f"Leave the rewrite out with mode.excluding({str(self.reason)!r}), or correct it; if "
            "it is right, a node in the new graph computes wrongly.",
        ]
        return "\n".join(lines)


@documented_in("theano.compile.debugmode")
class BadDestroyMap(DebugModeError):
    """An op changed an input that its ``destroy_map`` does not name.

    Attributes
    ----------
    node : Apply
    idx : int
        The position of the input.
    old_val, new_val : values
        The value of the input before and after.
    perform : str
        A description of the computation.
    """

    def __init__(self, node: Apply, idx: int, old_val: Any, new_val: Any, perform: str) -> None:
        super().__init__(node, idx, old_val, new_val, perform)
        self.node, self.idx = node, idx
        self.old_val, self.new_val = old_val, new_val
        self.perform = perform

    def __str__(self) -> str:
        lines = [
            f"BadDestroyMap: {self.perform} of {self.node.op} changes input {self.idx}, which its "
            "destroy_map does not name",
            f"  Apply node: {self.node}",
            f"  Input: {self.node.inputs[self.idx]} of {self.node.inputs[self.idx].type}",
            f"  destroy_map: {getattr(self.node.op, 'destroy_map', None) or {}}",
            f"  Before: {_brief(self.old_val)}",
            f"  After: {_brief(self.new_val)}",
            *_difference(self.old_val, self.new_val),
            *made_at(self.node),
            f"Work on a copy of the input, or name it: destroy_map = {{output: [{self.idx}]}}.",
        ]
        return "\n".join(lines)


class StaleInput(BadDestroyMap):
    """A node reads memory that an earlier node overwrote, as its ``destroy_map`` declares.

    The order of the nodes normally prevents this. It happens if a rewrite adds in-place ops
    without validation (``replace_validate``), or if the user sets the order.
    """

    def __init__(
        self, node: Apply, idx: int, old_val: Any, new_val: Any, destroyer: Apply | None
    ) -> None:
        super().__init__(node, idx, old_val, new_val, "an earlier node")
        self.destroyer = destroyer

    def __str__(self) -> str:
        lines = [
            f"BadDestroyMap: {self.node.op} reads input {self.idx} after it was overwritten",
            f"  Apply node: {self.node}",
            f"  Input: {self.node.inputs[self.idx]}",
            f"  Overwritten by: {self.destroyer}",
            f"  Right value: {_brief(self.old_val)}",
            f"  Value found: {_brief(self.new_val)}",
            *made_at(self.node),
            "Put in-place ops into a graph with replace_all_validate, which refuses this, and "
            "give linkers no order of your own for graphs with such ops.",
        ]
        return "\n".join(lines)


@documented_in("theano.compile.debugmode")
class BadViewMap(DebugModeError):
    """An output shares memory with an input or another output, without a ``view_map`` for it.

    Attributes
    ----------
    node : Apply
    output_idx : int
    out_storage : value
        The value of that output.
    in_alias_idx, out_alias_idx : list of int
        The inputs and outputs that it shares memory with.
    """

    def __init__(
        self,
        node: Apply,
        output_idx: int,
        out_storage: Any,
        in_alias_idx: Sequence[int] | None = None,
        out_alias_idx: Sequence[int] | None = None,
    ) -> None:
        super().__init__(node, output_idx, out_storage, in_alias_idx, out_alias_idx)
        self.node, self.output_idx, self.out_storage = node, output_idx, out_storage
        self.in_alias_idx = list(in_alias_idx or ())
        self.out_alias_idx = list(out_alias_idx or ())

    def __str__(self) -> str:
        shared = [f"input {i}" for i in self.in_alias_idx]
        shared += [f"output {i}" for i in self.out_alias_idx]
        do = f"Name it: view_map = {{{self.output_idx}: {self.in_alias_idx}}}; or give a copy."
        if not self.in_alias_idx:
            do = "Give each output memory of its own."
        lines = [
            f"BadViewMap: output {self.output_idx} of {self.node.op} shares memory with "
            f"{', '.join(shared)}, which its view_map does not say",
            f"  Apply node: {self.node}",
            f"  view_map: {getattr(self.node.op, 'view_map', None) or {}}",
            f"  destroy_map: {getattr(self.node.op, 'destroy_map', None) or {}}",
            f"  Output: {_brief(self.out_storage)}",
            *made_at(self.node),
            do,
        ]
        return "\n".join(lines)


@documented_in("theano.compile.debugmode")
class StochasticOrder(DebugModeError):
    """Rewriting the same graph again made different changes, or made them in another order."""


@documented_in("theano.compile.debugmode")
class InvalidValueError(DebugModeError):
    """A value does not fit the type of its variable, or is not finite where it must be.

    Attributes
    ----------
    r : Variable
    v : value
    client_node : Apply or None
        The node that would read it, if it is an input of the function.
    hint, specific_hint : str
        Where the value comes from, and what is wrong with it.
    """

    def __init__(
        self,
        r: Variable,
        v: Any = None,
        client_node: Apply | None = None,
        hint: str = "none",
        specific_hint: str = "none",
    ) -> None:
        super().__init__(r, v, client_node, hint, specific_hint)
        self.r, self.v, self.client_node = r, v, client_node
        self.hint, self.specific_hint = hint, specific_hint

    def __str__(self) -> str:
        node = self.r.owner
        who = f"{node.op} gives" if node is not None else f"{self.r} is given"
        lines = [
            f"InvalidValueError: {who} a value that is not valid for {self.r.type}: "
            f"{self.specific_hint}",
            f"  Variable: {self.r} of {self.r.type}",
            f"  Value: {_brief(self.v)}",
            f"  Value's type: {_kind(self.v)}",
            f"  From: {self.hint}",
            *([f"  Apply node: {node}"] if node is not None else []),
            *([f"  Read by: {self.client_node}"] if self.client_node is not None else []),
            *(made_at(node) if node is not None else ()),
        ]
        if node is not None:
            text = debugprint(node, depth=4, file="str", print_type=True)
            lines += ["  Graph:", *_indented(text)]
        return "\n".join(lines)


class BadStrides(DebugModeError, TypeError):
    """The strides of the two engines differ, and ``require_matching_strides`` is 2."""


def made_at(node: Apply) -> list[str]:
    """The source lines that created a node, as errors show them."""
    where = format_trace(node.trace)
    return ["Backtrace when the node is created:", where] if where else []


def _indented(text: str) -> list[str]:
    return [f"    {line}" for line in text.rstrip().split("\n")]


def _kind(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} with shape {value.shape}"
    return type(value).__name__


def _brief(value: Any) -> str:
    text = " ".join(repr(value).split())
    if len(text) > 160:
        text = text[:157] + "..."
    if isinstance(value, np.ndarray) and value.size > 1:
        text += f" (shape {value.shape}, strides {value.strides}, {value.dtype})"
    return text


def _difference(a: Any, b: Any) -> list[str]:
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray):
        return []
    if a.shape != b.shape:
        return [f"  Shapes differ: {a.shape} and {b.shape}"]
    if a.dtype != b.dtype:
        return [f"  Dtypes differ: {a.dtype} and {b.dtype}"]
    if not a.size or a.dtype.kind not in "fciub":
        return []
    with np.errstate(all="ignore"):
        gap = np.abs(np.subtract(a, b, dtype=None if a.dtype.kind in "fc" else "float64"))
        relative = gap / np.maximum(np.maximum(np.abs(a), np.abs(b)), 1e-30)
    places = int(np.count_nonzero(~(gap == 0)))
    return [
        f"  Differ in {places} of {a.size} places; by at most {np.nanmax(gap, initial=0):.4g}, "
        f"relative {np.nanmax(relative, initial=0):.4g}"
    ]
