"""A staged graph as Python text for NumPy: its programs are recorded, not compiled (ADR 21)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from theano._src.engines.error_report import describe
from theano._src.engines.export.source_array import Recorded
from theano._src.engines.export.source_xp import SourceXp
from theano._src.engines.jax.arrays.symbolic_lengths import as_traced
from theano._src.engines.jax.private_jax import released
from theano._src.engines.jax.settings import for_tracing
from theano._src.engines.xla.as_jax import Flags, TracedGraph
from theano._src.engines.xla.stage import Stage
from theano._src.engines.xla.tracing import Env, Tracing
from theano._src.graph import source_line
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.types.checked import is_checked


class RecordedGraph(TracedGraph):
    """Records the text of a rewritten graph; jax provides shapes and dtypes."""

    def __init__(self, fgraph: FunctionGraph, xp: SourceXp) -> None:
        super().__init__(fgraph)
        self.xp = xp

    def record(
        self, held: dict[int, Recorded], names: dict[int, str], shapes: dict[int, Any]
    ) -> list[Any]:
        """The outputs, from the ``held`` inputs by position, and names and shapes of the others."""
        import jax

        results: list[Any] = []
        inputs = self.fgraph.inputs
        refs = {i: self.xp.recorder.given(name) for i, name in names.items()}
        self.arguments = list(refs.values())

        def run(*traced: Any) -> list[Any]:
            arrays = dict(zip(names, traced, strict=True))
            args = {i: Recorded(self.xp, refs[i], arrays[i]) for i in names}
            results[:] = self._run([args[i] if i in args else held[i] for i in range(len(inputs))])
            return []

        with for_tracing():
            specs = [jax.ShapeDtypeStruct(shapes[i], inputs[i].type.numpy_dtype) for i in names]
            jax.eval_shape(released(run), *specs)
        return results

    @staticmethod
    def _fitted(v: Variable, value: Any) -> Any:
        return value

    def _tracing(self, stage: Stage, sizes: Sequence[Any], operands: Sequence[Any]) -> Tracing:
        n = len(stage.operands)
        large = [
            self.xp.held(c.name or "constant", x)
            for c, x in zip(stage.large, operands[n:], strict=True)
        ]
        return _RecordedTracing(self.xp, stage, sizes, [*operands[:n], *large])

    def _checked(self, env: dict[Variable, Any], fine: list[Flags]) -> list[Any]:
        return [
            as_traced(self.xp, v.data if isinstance(v, Constant) else env[v])
            for v in self.fgraph.outputs
        ]


class _RecordedTracing(Tracing):
    """A stage while it is recorded: checks become lines that raise."""

    def __init__(
        self, xp: SourceXp, program: Stage, sizes: Sequence[Any], operands: Sequence[Any]
    ) -> None:
        super().__init__(program, sizes, operands)
        self.xp = self.folding = xp

    def run(self) -> list[Any]:
        for node in self.program.nodes:
            self.xp.recorder.where = _where(node)
            self._lower(node, self.env)
            if is_checked(node.op):
                self._check(node)
                self._raise(node)
        return [self.env[v] for v in self.program.results]

    def _lower(self, node: Apply, env: Env) -> None:
        try:
            super()._lower(node, env)
        except (NotImplementedError, AttributeError) as error:
            raise NotImplementedError(
                f"export: {node.op} cannot be written for NumPy: {error}\n{describe(node, None)}"
            ) from error
        for v in node.outputs:
            result = env[v]
            if v.name and isinstance(result, Recorded) and not result.ref.given:
                result.ref.name = result.ref.name or v.name

    def _raise(self, node: Apply) -> None:
        flags, self.flags = self.flags, []
        for flag in flags:
            whole = flag if np.ndim(getattr(flag, "value", flag)) == 0 else self.xp.all(flag)
            head = ["if not ", *self.xp.between_text(self.xp.asarray(whole)), ":"]
            with self.xp.recorder.indented(head):
                self.xp.recorder.do([f"raise ValueError({f'a check of {node.op} fails'!r})"])


def _where(node: Apply) -> str | None:
    """The user's line that created a node, as the text of a comment."""
    lines = source_line.lines(source_line.trace_of(node.outputs[0]))
    if not lines:
        return None
    name, number, _, text = lines[-1]
    return f"{Path(name).name}:{number}: {text or ''}".rstrip(": ")[:88]
