"""The plan of a profiled function: reads the clock at the end of every line."""

from __future__ import annotations

from functools import cache
from time import perf_counter as clock
from typing import Any

from theano._src.engines.node_times import NodeTimes
from theano._src.engines.numpy.plan import Line, PlanWriter
from theano._src.graph.graph import Apply
from theano._src.types.tensor import TensorType


class TimedLines(PlanWriter):
    """Adds clock readings to the lines of a plan writer.

    The time of a line includes dropping its dead values. The sizes of values are recorded in calls
    whose input shapes are new.
    """

    numbers = False

    def begin(self) -> list[str]:
        named = [
            v
            for i, v in enumerate(self.fgraph.inputs)
            if isinstance(v.type, TensorType)
            and (i in self.params or v in self._users or v in self._outputs)
        ]
        self.space["seen_inputs"] = named
        names = [self.names[v] for v in named]
        # an input may be None
        shapes = "".join(f"getattr({name}, 'shape', None), " for name in names)
        return [
            f"see = look(({shapes}))",
            f"see and inputs({', '.join(names)})",
            "ticks = [clock()]",
            "tick = ticks.append",
        ]

    def after(self, line: Line) -> str:
        return "; tick(clock())"

    def end(self) -> list[str]:
        return ["note(ticks)"]

    def _node(self, i: int, node: Apply) -> list[Line]:
        lines = super()._node(i, node)
        values = ", ".join(self._name(v) for v in node.outputs)
        return [line._replace(text=f"{line.text}; see and see({i}, {values})") for line in lines]


@cache
def timed(writer: type[PlanWriter]) -> type[PlanWriter]:
    """The subclass of ``writer`` that writes timed plans."""
    return type(f"Timed{writer.__name__}", (TimedLines, writer), {})


def listen(writer: PlanWriter, times: NodeTimes) -> None:
    """Make the plan of a timed writer record into ``times``."""
    for i, node in enumerate(writer.order):
        run = writer.space.get(f"f{i}")
        if run is not None and node.op.inner_graphs:
            writer.space[f"f{i}"] = times.inside_of(node, run)
    positions = [i for _, i in sorted(writer.node_at.items())]
    inputs = writer.space["seen_inputs"]

    def note(ticks: list[float]) -> None:
        times.note(positions, ticks)

    def see_inputs(*values: Any) -> None:
        for v, value in zip(inputs, values, strict=True):
            times.sized(v, getattr(value, "shape", None), getattr(value, "nbytes", 0))

    writer.space.update(clock=clock, look=times.look, note=note, inputs=see_inputs)
