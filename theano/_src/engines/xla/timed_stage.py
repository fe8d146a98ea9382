"""A stage of a profiled function: its program is timed as a whole, its nodes one by one.

XLA fuses nodes, so a compiled program has no time for a single node. The time of the program is
measured; once for each key its nodes run one by one, and its time is divided in proportion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter as clock
from typing import Any

import numpy as np

from theano._src.engines.jax import backend
from theano._src.engines.jax.arrays.jax_xp import jax_xp
from theano._src.engines.jax.progress import first_call
from theano._src.engines.node_times import NodeTimes, ProgramTimes
from theano._src.engines.xla.program import DeviceProgram
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.types.run_node import call_of, lower_node, lowering_args

#: the most runs of a single node, and seconds after which they stop
_RUNS, _LONGEST = 5, 0.05
#: the seconds that are assumed for a node that takes no time by itself
_NOTHING = 1e-9


class TimedStage(DeviceProgram):
    """A stage that records its compilations and runs in ``times``."""

    def __init__(self, times: NodeTimes, *stage: Any, **options: Any) -> None:
        super().__init__(*stage, **options)
        self._times = times
        self._at = [times.add(node) for node in self.nodes]

    def find(self, key: Any) -> Any:
        known = key in self.needs
        super().find(key)
        run = self._timed(key, self.table[key]) if known else partial(self._first, key)
        self.last = run if known else None
        self.key = key if known else None
        return run

    def _first(self, key: Any, *args: Any) -> Any:
        begin = clock()
        program = self.table[key]
        first_call(str(self), self.of, program.made_for, args)
        self._times.compiled(self._record(key), clock() - begin)
        self._measure(key, program, args)
        self.key, self.last = key, self._timed(key, program)
        return self.last(*args)

    def _record(self, key: Any) -> ProgramTimes:
        programs = self._times.programs
        name = (self.number, key, tuple(self._at))
        if name not in programs:
            programs[name] = ProgramTimes(self.number, key, self._at)
        return programs[name]

    def _timed(self, key: Any, program: Any) -> Callable[..., Any]:
        times = self._times

        def run(*args: Any) -> Any:
            record = self._record(key)
            if record.shares is None:
                since = clock()
                record.memory = backend.memory_of(program.compiled)
                record.flops = backend.operations_of(program.compiled)
                self._share(record, key[1], args)
                times.add_overhead(since)
            begin = clock()
            function = program(*args)
            backend.wait(function)
            times.program(record, begin, clock())
            if record.calls == 1:
                for v, value in zip(self.results, function, strict=False):
                    times.sized(v, value.shape, value.nbytes)
            return function

        return run

    def _share(self, record: ProgramTimes, sizes: Sequence[int], args: Sequence[Any]) -> None:
        n = len(self.nodes)
        record.shares, record.shared_by = [1 / n] * n, "evenly"
        if not self._times.read:
            return
        if n == 1:
            record.shared_by = "whole"
            for v, value in zip(self.operands, args, strict=False):
                self._times.sized(v, value.shape, value.nbytes)
            return
        try:
            seconds = self._one_by_one(sizes, args)
        except Exception as error:
            # a node by itself may behave differently from the same node in the program
            record.why = f"{type(error).__name__}: {error}"
            return
        whole = sum(seconds)
        record.shares = [s / whole for s in seconds]
        record.shared_by = "node by node"

    def _one_by_one(self, sizes: Sequence[int], args: Sequence[Any]) -> list[float]:
        """The seconds of each node, run by itself on the values of this call."""
        env: dict[Variable, Any] = {
            v: backend.put(x) for v, x in zip((*self.operands, *self.large), args, strict=True)
        }
        for v, value in env.items():
            self._times.sized(v, value.shape, value.nbytes)
        last = {v: i for i, node in enumerate(self.nodes) for v in node.inputs}
        idle = _least(backend.compiled(lambda x: x, ()), [backend.put(0.0)])[1]
        forms: dict[Any, Any] = {}
        seconds = []
        for i, node in enumerate(self.nodes):
            result, took = self._alone(node, sizes, env, forms)
            for v, value in zip(node.outputs, result, strict=True):
                self._times.sized(v, value.shape, value.nbytes)
            if node.op.inner_graphs:
                self._look_inside(node, sizes, env)
            env.update(zip(node.outputs, result, strict=True))
            is_view = bool(getattr(node.op, "view_map", None))
            seconds.append(_NOTHING if is_view else max(took - idle, _NOTHING))
            for v in {*node.inputs, *node.outputs}:
                if last.get(v, -1) <= i:
                    env.pop(v, None)
        return seconds

    def _look_inside(self, node: Apply, sizes: Sequence[int], env: dict[Variable, Any]) -> None:
        """Time the inner nodes of a node in a run on NumPy, if all input values are available."""
        i, look = self._times.add(node), self._times.look_inside
        if look is None or i in self._times.inside:
            return
        own = iter([sizes[k] for k in self.demanded[node]])
        values = []
        for k, v in enumerate(node.inputs):
            if isinstance(v, Constant):
                values.append(v.data)
            elif v in env:
                values.append(np.array(env[v]))
            elif k in getattr(node.op, "demand_only", ()):
                # the number of steps is the first integer that a loop demands
                values.append(np.array(next(own, 0), v.type.numpy_dtype))
            else:
                return
        self._times.inside[i] = look(node, call_of(node), values)

    def _alone(
        self, node: Apply, sizes: Sequence[int], env: dict[Variable, Any], forms: dict[Any, Any]
    ) -> tuple[list[Any], float]:
        own = [sizes[i] for i in self.demanded[node]]
        only = getattr(node.op, "demand_only", ())
        read = [i for i, v in enumerate(node.inputs) if i not in only and v in env]
        fixed = [v.data if isinstance(v, Constant) else None for v in node.inputs]

        def body(*given: Any) -> list[Any]:
            values = list(fixed)
            for i, x in zip(read, given, strict=True):
                values[i] = x
            return lower_node(jax_xp, node, own, lowering_args(jax_xp, node, values))[0]

        values = [env[node.inputs[i]] for i in read]
        alike = (
            node.op,
            tuple(v.type for v in node.inputs),
            tuple(x.shape for x in values),
            tuple(own),
            tuple(v for v in node.inputs if isinstance(v, Constant)),
        )
        if alike not in forms:
            forms[alike] = backend.compiled(body, ())
        return _least(forms[alike], values)


def _least(run: Callable[..., Any], values: Sequence[Any]) -> tuple[Any, float]:
    """The result of a compiled function, and the least seconds of a few runs."""
    result = run(*values)
    backend.wait(result)
    best, spent = float("inf"), 0.0
    for _ in range(_RUNS):
        begin = clock()
        backend.wait(run(*values))
        took = clock() - begin
        best, spent = min(best, took), spent + took
        if spent > _LONGEST:
            break
    return result, best
