"""The compiled form of each node against its NumPy form: traced, with the demanded ints known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from theano._src.engines.jax_xp import jax_xp, jit, outline, x64
from theano._src.graph.node import Apply
from theano._src.graph.op import meaning_of
from theano._src.testing.checks import close, each_node, shape_variables, whole_numbers
from theano._src.testing.opspec import Case, OpSpec

# all nodes are traced, so many also compiled: XLA takes some 30 ms for each
_COMPILED_DRAWS = 4
_COMPILED_CASES = 12


@dataclass(frozen=True)
class _Step:
    """One node with what its compiled form is given, and what must come out."""

    case: Case
    node: Apply
    known: tuple[int, ...]
    operands: dict[int, Any]
    outputs: list[np.ndarray]

    def trace(self, operands: dict[int, Any]) -> list[Any]:
        node = self.node
        inputs = [operands.get(i) for i in range(len(node.inputs))]
        try:
            made = node.op.lower_xla(jax_xp, self.known, *inputs)
        except Exception as e:
            e.add_note(f"while jax traced {node.op} ({self.case}), known = {self.known}")
            raise
        return list(made) if len(node.outputs) > 1 else [made]


def on_host(node: Apply) -> bool:
    """Whether only the host can run a node."""
    return node.op.runs_on == "host" or meaning_of(node.op) != "compute"


def traced(spec: OpSpec) -> None:
    """compute, or lower_xla with what it demands, gives under jit what it gives on NumPy."""
    cases = spec.all_cases()
    if spec.elementwise:
        cases = list({case.dtypes: case for case in reversed(cases)}.values())[::-1]
    every = list(each_node(spec, cases))
    host = [node for _, node, _, _ in every if on_host(node)]
    if spec.xla is not True:
        if not host:
            raise AssertionError(
                f"the spec says {spec.xla!r}, but every op of it can be compiled; "
                "say xla=True, or set runs_on = 'host' on the op"
            )
        return
    if host:
        raise AssertionError(
            f"{host[0].op} runs on the host only; give it compute, or say xla='host: reason'"
        )
    steps = [_step(*found) for found in every]
    for step, made in _run(outline, steps):
        for i, (got, want) in enumerate(zip(made, step.outputs, strict=True)):
            if (got.dtype, got.shape) != (want.dtype, want.shape):
                raise AssertionError(
                    f"output {i} of {step.node.op} under jax came as {got.dtype}{got.shape}, "
                    f"expected {want.dtype}{want.shape} ({step.case})"
                )
    for step, made in _run(jit, _sample(spec, steps)):
        for i, (got, want) in enumerate(zip(made, step.outputs, strict=True)):
            rtol, atol = _tolerances(spec, want)
            where = f"output {i} of {step.node.op} under jax"
            close(where, np.asarray(got), want, rtol, step.case, atol)


def _step(case: Case, node: Apply, inputs: list[Any], outputs: list[Any]) -> _Step:
    shapes, givens = shape_variables(node, inputs)
    demanded = node.op.demands(node, shapes)
    known = whole_numbers(f"demands of {node.op}", node, demanded, givens)
    read = {i: np.asarray(x) for i, x in enumerate(inputs) if i not in node.op.demand_only}
    return _Step(case, node, known, read, [np.asarray(x) for x in outputs])


def _run(how: Callable[[Any], Any], steps: Sequence[_Step]) -> list[tuple[_Step, list[Any]]]:
    """All steps in one program: XLA's time is mostly per program."""

    def program(operands: list[dict[int, Any]]) -> list[list[Any]]:
        return [step.trace(given) for step, given in zip(steps, operands, strict=True)]

    with x64():
        return list(zip(steps, how(program)([step.operands for step in steps]), strict=True))


def _sample(spec: OpSpec, steps: Sequence[_Step]) -> list[_Step]:
    most = _COMPILED_DRAWS if spec.elementwise else _COMPILED_CASES
    if len(steps) <= most:
        return list(steps)
    return [steps[i] for i in np.linspace(0, len(steps) - 1, most).astype(int)]


def _tolerances(spec: OpSpec, want: np.ndarray) -> tuple[float, float]:
    rtol = spec.tolerance(want.dtype.name)
    if not rtol:
        return 0.0, 0.0
    # XLA's sums and approximations are exact to a few units of the largest result, not of each
    largest = float(np.max(np.abs(want[np.isfinite(want)]), initial=1.0))
    return max(rtol, spec.xla_rtol or 0.0), 4 * float(np.finfo(want.dtype).eps) * largest
