"""XlaLinker: stages a graph, and runs its host sections and programs in turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from theano._src.engines.blame import describe, raise_with_op
from theano._src.engines.link import Cells, Linker, Program, error_state
from theano._src.engines.numpy_engine import NumpyProgram, call_of
from theano._src.engines.xla import backend
from theano._src.engines.xla.program import CheckFailed, DeviceProgram
from theano._src.engines.xla.staging import Staging
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.node import Apply
from theano._src.graph.variable import Constant, Variable
from theano._src.ground.config import config
from theano._src.ops.shape import Shape, Shape_i
from theano._src.types.scalar import Scalar
from theano._src.types.shared import Cell, SharedVariable, on_host
from theano._src.types.tensor import TensorType


class XlaLinker(Linker):
    """Compiles every graph with XLA: the linker called ``xla``."""

    def __init__(self, allow_gc: bool | None = None, schedule: Any = None) -> None:
        self.allow_gc = bool(config.allow_gc) if allow_gc is None else allow_gc
        self.fgraph = None  # type: ignore[assignment]

    def make_program(self, cells: Cells, order: list[Apply]) -> Program:
        return XlaProgram(self.fgraph, cells, order, self.allow_gc)


class XlaProgram(Program):
    """A staged graph.

    ``stages`` are its compiled programs; ``compilations`` counts theirs.
    """

    def __init__(self, fgraph: FunctionGraph, cells: Cells, order: list[Apply], gc: bool) -> None:
        super().__init__(fgraph, cells, order)
        self.fgraph = fgraph
        self._gc = gc
        self._numpy: NumpyProgram | None = None
        self._volatile: dict[Variable, None] = {}
        self._retired = 0
        self._held = [
            (v, cell)
            for v, cell in ((v, cells[v]) for v in fgraph.inputs)
            if isinstance(cell, Cell)
        ]
        self._stage()

    @property
    def compilations(self) -> int:
        """How many times XLA has compiled for this function."""
        return self._retired + sum(len(p.compilations) for p in self.stages)

    # plan

    def _stage(self) -> None:
        staging = self.staging = Staging(self.fgraph, self._volatile)
        fgraph = self.fgraph
        outputs = list(fgraph.outputs)
        at = {v: k for k, nodes in enumerate(staging.programs) for n in nodes for v in n.outputs}
        read_later: dict[Variable, int] = {}  # the last program that reads a variable
        for k, nodes in enumerate(staging.programs):
            for node in nodes:
                only = getattr(node.op, "demand_only", ())
                for i, v in enumerate(node.inputs):
                    if i not in only:
                        read_later[v] = k
        fetched = {v for v in at if v in staging.on_host and v.owner not in staging.by_host}
        lengths = {
            n.inputs[0]
            for nodes in staging.sections
            for n in nodes
            if isinstance(n.op, Shape | Shape_i)
        }
        self.stages: list[DeviceProgram] = []
        last = len(staging.programs) - 1
        late = len(staging.sections) > len(staging.programs) and bool(staging.sections[-1])
        for k, nodes in enumerate(staging.programs):
            made = {v for n in nodes for v in n.outputs}
            operands: dict[Variable, None] = {}
            for node in nodes:
                only = getattr(node.op, "demand_only", ())
                for i, v in enumerate(node.inputs):
                    if i not in only and v not in made and not isinstance(v, Constant):
                        operands[v] = None
            results = [
                v
                for v in made
                if v in outputs or v in fetched or v in lengths or read_later.get(v, -1) > k
            ]
            state: list[tuple[int, int]] = []
            if k == last and not late:
                state = self._donations(list(operands), results, nodes)
            self.stages.append(
                DeviceProgram(k, nodes, list(operands), results, staging.demands, state)
            )
        self._calls = {n: call_of(n, self.storage_map) for ns in staging.sections for n in ns}

    def _donations(
        self, operands: list[Variable], results: list[Variable], nodes: list[Apply]
    ) -> list[tuple[int, int]]:
        """Shared variables that the last program may overwrite: ``(operand, result)``."""
        pairs = []
        outputs = self.fgraph.outputs
        for o, i in (self.fgraph.update_mapping or {}).items():
            held, new = self.fgraph.inputs[i], outputs[o]
            if (
                isinstance(held, SharedVariable)
                and held in operands
                and new in results
                and outputs.count(new) == 1
                and held not in outputs
                and isinstance(held.type, TensorType)
            ):
                pairs.append((operands.index(held), results.index(new)))
        return pairs

    # running

    def run_nodes(self) -> None:
        raise NotImplementedError("an XlaProgram is called")

    def __call__(self, n_calls: int = 1) -> list[Any]:
        outputs: list[Any] = []
        for _ in range(n_calls):
            if backend.child.forked:
                backend.child.warn_once()
                return self._on_numpy(n_calls)
            outputs = self._run()
        return outputs

    def _on_numpy(self, n_calls: int) -> list[Any]:
        if self._numpy is None:
            self._numpy = NumpyProgram(self.fgraph, self.storage_map, self.nodes, self._gc)
        return self._numpy(n_calls)

    def _run(self) -> list[Any]:
        env = _Values(self.storage_map)
        with np.errstate(**error_state()):
            for k, program in enumerate(self.stages):
                self._host_section(k, env)
                self._device_program(program, env)
            for k in range(len(self.stages), len(self.staging.sections)):
                self._host_section(k, env)
        return self._finish(env)

    def _host_section(self, k: int, env: _Values) -> None:
        for node in self.staging.sections[k]:
            if isinstance(node.op, Shape | Shape_i):
                values = [env.shape_only(node.inputs[0])]
            else:
                values = [env.host(v) for v in node.inputs]
            try:
                made = self._calls[node](*values)
            except Exception as e:
                raise_with_op(node, values, e, self._position(node))
            env.put_host(node, made)

    def _device_program(self, program: DeviceProgram, env: _Values) -> None:
        args = [env.device(v) for v in program.operands]
        sizes = tuple(int(env.host(v)) for v in program.sizes)
        key = (tuple(a.shape for a in args), sizes)
        operands = [*args, *program.constants()]
        with backend.x64():
            run = program.find(key)
            try:
                results, flags = run(*operands)
            except Exception as e:
                program.forget(key)
                self._blame(program, env, e, None)
        env.dev.update(zip(program.results, results, strict=True))
        if program.state:
            self._store(program, results)
        if flags is not None:
            broken = np.flatnonzero(~np.asarray(flags))
            if broken.size:
                node = program.flagged[key][int(broken[0])]
                self._blame(program, env, None, node)
        if len(program.keys_seen) > config.xla.volatile_after and program.sizes:
            self._look_for_volatile(program)

    def _store(self, program: DeviceProgram, results: list[Any]) -> None:
        """Put new state where it belongs: its old buffers are gone."""
        cells = self.storage_map
        for i, r in program.state:
            cells[program.operands[i]][0] = results[r]

    def _finish(self, env: _Values) -> list[Any]:
        fgraph, cells = self.fgraph, self.storage_map
        mapping = fgraph.update_mapping or {}
        stored = {p.operands[i] for p in self.stages for i, _ in p.state}
        updates = []
        for o, i in mapping.items():
            held = fgraph.inputs[i]
            if held not in stored:
                updates.append((cells[held], env.result(fgraph.outputs[o], held)))
        results = [env.owned(v) for v in fgraph.outputs[: self._n_results]]
        env.wait(self.stages)
        for cell, value in updates:
            cell[0] = value
        return results

    # failures

    def _position(self, node: Apply) -> int | None:
        return self.nodes.index(node) if node in self.nodes else None

    def _blame(
        self, program: DeviceProgram, env: _Values, error: Exception | None, flagged: Apply | None
    ) -> None:
        """Run the stage again on NumPy, node by node, for the exception that it should raise."""
        for node in program.nodes:
            values = [env.replayed(v) for v in node.inputs]
            try:
                made = call_of(node, self.storage_map)(*values)
            except Exception as e:
                self.position_of_error = self._position(node) or 0
                raise_with_op(node, values, e, self._position(node))
            env.put_replayed(node, made)
        if error is not None and not isinstance(error, CheckFailed):
            raise error
        node = flagged or program.nodes[0]
        raise ValueError(
            f"a check of {node.op} failed in the compiled program, and not on NumPy\n"
            + describe(node, None, self._position(node))
        )

    # many keys

    def _look_for_volatile(self, program: DeviceProgram) -> None:
        """Stage anew with the sizes that differ from key to key kept out of programs."""
        seen = list(program.keys_seen)
        moving = [
            e
            for j, e in enumerate(program.sizes)
            if len({sizes[j] for _, sizes in seen}) > config.xla.volatile_after // 2
        ]
        if not moving or all(e in self._volatile for e in moving):
            return
        self._volatile.update(dict.fromkeys(moving))
        self._retired = self.compilations
        self._stage()


class _Values:
    """The values of one call: where each variable is, and how it gets to the other place."""

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        self.here: dict[Variable, Any] = {}
        self.dev: dict[Variable, Any] = {}
        self.again: dict[Variable, Any] = {}

    def host(self, v: Variable) -> Any:
        found = self.here.get(v)
        if found is None:
            if v in self.dev:
                found = np.asarray(self.dev[v])
            elif isinstance(v, Constant):
                return v.data
            else:
                found = on_host(self.cells[v][0])
            if isinstance(v.type, Scalar):
                found = found[()]
            self.here[v] = found
        return found

    def shape_only(self, v: Variable) -> Any:
        """Something with the shape of ``v``: a length needs no value, and waits for none."""
        if v in self.here:
            return self.here[v]
        if v in self.dev:
            return _Shaped(self.dev[v].shape)
        return self.host(v)

    def device(self, v: Variable) -> Any:
        found = self.dev.get(v)
        if found is not None:
            return found
        if v in self.here:
            found = np.asarray(self.here[v])
        else:
            cell = self.cells[v]
            found = cell[0]
            if isinstance(cell, Cell) and isinstance(found, np.ndarray):
                with backend.x64():
                    found = backend.put(found)
                if not cell.lent:
                    cell[0] = found
        self.dev[v] = found
        return found

    def put_host(self, node: Apply, made: Any) -> None:
        outs = [made] if len(node.outputs) == 1 else made
        self.here.update(zip(node.outputs, outs, strict=True))

    def result(self, v: Variable, held: Variable) -> Any:
        """The value of an update: on the device if it was made there."""
        if v is held:
            return self.cells[held][0]
        if v in self.dev:
            return self.dev[v]
        return self.host(v)

    def owned(self, v: Variable) -> Any:
        """The value of an output, as an array of the caller's."""
        if v in self.dev and v not in self.here:
            return backend.owned(self.dev[v])
        value = self.host(v)
        return value if v.owner is not None else np.array(value)

    def wait(self, stages: list[DeviceProgram]) -> None:
        """Return when no program can still be reading the caller's arrays."""
        for program in stages:
            for v in program.results[:1]:
                value = self.dev.get(v)
                if hasattr(value, "block_until_ready") and not _gone(value):
                    value.block_until_ready()

    def replayed(self, v: Variable) -> Any:
        """The value of ``v`` on the host, computed again where no stage has kept it."""
        stack = [v]
        while stack:
            top = stack[-1]
            if top in self.again or top in self.here or isinstance(top, Constant):
                stack.pop()
            elif top in self.dev and not _gone(self.dev[top]):
                self.again[top] = np.asarray(self.dev[top])
            elif top.owner is None:
                self.again[top] = on_host(self.cells[top][0])
            else:
                missing = [
                    i
                    for i in top.owner.inputs
                    if i not in self.again and i not in self.here and not isinstance(i, Constant)
                ]
                if missing:
                    stack.extend(missing)
                    continue
                values = [self._kept(i) for i in top.owner.inputs]
                self.put_replayed(top.owner, call_of(top.owner, self.cells)(*values))
        return self._kept(v)

    def _kept(self, v: Variable) -> Any:
        if isinstance(v, Constant):
            return v.data
        return self.here[v] if v in self.here else self.again[v]

    def put_replayed(self, node: Apply, made: Any) -> None:
        outs = [made] if len(node.outputs) == 1 else made
        self.again.update(zip(node.outputs, outs, strict=True))


def _gone(value: Any) -> bool:
    deleted = getattr(value, "is_deleted", None)
    return deleted is not None and bool(deleted())


class _Shaped:
    """What ``Shape_i`` needs of an array."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape
        self.ndim = len(shape)
