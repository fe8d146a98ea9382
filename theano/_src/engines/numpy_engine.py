"""The numpy engine: a graph as one generated Python function of straight-line calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from theano._src.engines.blame import last_frame, raise_with_op
from theano._src.engines.link import (
    Cells,
    Linker,
    Program,
    dead_after,
    error_state,
    fitted,
    make_thunk,
    overwritten_state,
)
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.node import Apply
from theano._src.graph.op import meaning_of, perform_of
from theano._src.graph.variable import Constant, Variable
from theano._src.ground.config import config
from theano._src.types.shared import Cell
from theano._src.types.tensor import TensorType


class NumpyLinker(Linker):
    """Runs every node on NumPy, with no compilation to wait for: the linker called ``numpy``."""

    def __init__(self, allow_gc: bool | None = None, schedule: Any = None) -> None:
        self.allow_gc = bool(config.allow_gc) if allow_gc is None else allow_gc
        self.fgraph = None  # type: ignore[assignment]

    def make_program(self, cells: Cells, order: list[Apply]) -> Program:
        return NumpyProgram(self.fgraph, cells, order, self.allow_gc)


class NumpyProgram(Program):
    """The plan of a graph: one line a node, values in local names.

    Nothing is recorded while it runs. When a line raises, its number tells the node and the
    frame's locals are the values it got.
    """

    def __init__(self, fgraph: FunctionGraph, cells: Cells, order: list[Apply], gc: bool) -> None:
        super().__init__(fgraph, cells, order)
        self._names: dict[Variable, str] = {}
        self._space: dict[str, Any] = {}
        self._first_line = 0
        self.source = self._write(fgraph, cells, order, gc)
        self._space["peek"] = peek
        self._space["copy"] = np.array
        exec(compile(self.source, "<numpy plan>", "exec"), self._space)
        self._run: Callable[[], list[Any]] = self._space["run"]

    def _write(self, fgraph: FunctionGraph, cells: Cells, order: list[Apply], gc: bool) -> str:
        names, space = self._names, self._space
        body = []
        spare = overwritten_state(fgraph)
        wanted = {v for node in order for v in node.inputs} | set(fgraph.outputs)
        for v in cells:
            if v not in wanted or v.owner is not None:
                continue
            name = names[v] = f"v{len(names)}"
            if isinstance(v, Constant):
                space[name] = v.data
                continue
            space[f"c{name}"] = cells[v]
            # a shared value may be where the other engine left it
            read = f"peek(c{name}[0])" if isinstance(cells[v], Cell) else f"c{name}[0]"
            if v in spare:
                read = f"copy({read})"
            body.append(f"    {name} = {read}")
        self._first_line = len(body) + 2  # after the def line
        dead = dead_after(fgraph, order, cells) if gc else [[] for _ in order]
        owner_of = {id(cell): v for v, cell in cells.items()}
        for i, node in enumerate(order):
            for v in node.outputs:
                names[v] = f"v{len(names)}"
            space[f"f{i}"] = call_of(node, cells)
            args = ", ".join(names[v] for v in node.inputs)
            outs = ", ".join(names[v] for v in node.outputs)
            gone = [names[owner_of[id(cell)]] for cell in dead[i]]
            drop = f"; del {', '.join(gone)}" if gone else ""
            body.append(f"    {outs} = f{i}({args}){drop}")
        # no call between two of these: an interrupt cannot part them
        for o, i in (fgraph.update_mapping or {}).items():
            space[f"u{i}"] = cells[fgraph.inputs[i]]
            body.append(f"    u{i}[0] = {names[fgraph.outputs[o]]}")
        results = [names[v] for v in fgraph.outputs[: self._n_results]]
        for k, (name, v) in enumerate(zip(results, fgraph.outputs, strict=False)):
            space[f"o{k}"] = cells[v]
            body.append(f"    o{k}[0] = {name}")
        return "def run():\n" + "\n".join([*body, f"    return [{', '.join(results)}]"]) + "\n"

    def __call__(self, n_calls: int = 1) -> list[Any]:
        run = self._run
        results: list[Any] = []
        try:
            with np.errstate(**error_state()):
                for _ in range(n_calls):
                    results = run()
        except Exception as e:
            self._blame(e)
        return results

    def _blame(self, error: Exception) -> None:
        at = last_frame(error, self._run.__code__)
        i = -1 if at is None else at.tb_lineno - self._first_line
        if not 0 <= i < len(self.nodes):
            raise error
        self.position_of_error = i
        node, space = self.nodes[i], at.tb_frame.f_locals
        values = [
            v.data if isinstance(v, Constant) else space.get(self._names[v]) for v in node.inputs
        ]
        raise_with_op(node, values, error, i)


def peek(value: Any) -> Any:
    """A shared value for reading: what the other engine keeps is looked at where it is."""
    if value.__class__ is np.ndarray or not hasattr(value, "__array__"):
        return value
    return np.asarray(value)


def call_of(node: Apply, cells: Cells) -> Callable[..., Any]:
    """A function of the node's input values that gives its output values."""
    match meaning_of(node.op):
        case "compute":
            return _of_compute(node)
        case "perform":
            return _of_perform(node)
        case _:
            return _of_thunk(node, cells)


def _of_compute(node: Apply) -> Callable[..., Any]:
    if not type(node.op).__module__.startswith("theano."):
        return _of_perform(node)  # casts and checks; our own ops are tested to need neither
    run: Callable[..., Any] = node.op.bind(node)
    flat = [isinstance(v.type, TensorType) and v.type.ndim == 0 for v in node.outputs]
    if not any(flat):
        return run
    asarray = np.asarray
    if len(flat) == 1:
        # NumPy gives scalars where arrays have no dimension
        return lambda *values: asarray(run(*values))
    return lambda *values: [asarray(x) if f else x for x, f in zip(run(*values), flat, strict=True)]


def _of_perform(node: Apply) -> Callable[..., Any]:
    perform, n = perform_of(node.op), len(node.outputs)

    def run(*values: Any) -> Any:
        storage: list[list[Any]] = [[None] for _ in range(n)]
        perform(node, list(values), storage)
        made = [fitted(node, i, cell[0]) for i, cell in enumerate(storage)]
        return made[0] if n == 1 else made

    return run


def _of_thunk(node: Apply, cells: Cells) -> Callable[..., Any]:
    own: Cells = {v: [None] for v in (*node.inputs, *node.outputs)}
    computed: Cells = {v: [v.owner is None or v in node.inputs] for v in own}
    thunk = make_thunk(node, own, computed)
    ins = [own[v] for v in node.inputs]
    outs = [own[v] for v in node.outputs]
    done = [computed[v] for v in node.outputs]

    def run(*values: Any) -> Any:
        for cell, value in zip(ins, values, strict=True):
            cell[0] = value
        for cell, flag in zip(outs, done, strict=True):
            cell[0], flag[0] = None, False
        thunk()
        made = [fitted(node, i, cell[0]) for i, cell in enumerate(outs)]
        for cell in (*ins, *outs):
            cell[0] = None
        return made[0] if len(made) == 1 else made

    return run
