"""The compiled form of each node against its NumPy form: traced, with the demanded ints known."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np

from theano._src.engines.jax_xp import jax_xp, jit, x64
from theano._src.graph.node import Apply
from theano._src.graph.op import meaning_of
from theano._src.testing.checks import close, each_node, same_kind, shape_variables, whole_numbers
from theano._src.testing.opspec import OpSpec

_NODES = 24  # in one traced program; more take longer than they tell


def on_host(node: Apply) -> bool:
    """Whether only the host can run a node."""
    return node.op.runs_on == "host" or meaning_of(node.op) != "compute"


def traced(spec: OpSpec) -> None:
    """compute, or lower_xla with what it demands, gives under jit what it gives on NumPy."""
    every = list(islice(each_node(spec, spec.all_cases()), _NODES))
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
    operands: list[list[Any]] = []
    steps = []
    for case, node, inputs, outputs in every:
        shapes, givens = shape_variables(node, inputs)
        known = whole_numbers(f"demands of {node.op}", node, node.op.demands(node, shapes), givens)
        read = [i for i in range(len(inputs)) if i not in node.op.demand_only]
        operands.append([np.asarray(inputs[i]) for i in read])
        steps.append((case, node, known, read, outputs))

    def program(operands: list[list[Any]]) -> list[list[Any]]:
        made = []
        for (case, node, known, read, _), values in zip(steps, operands, strict=True):
            inputs: list[Any] = [None] * len(node.inputs)
            for i, x in zip(read, values, strict=True):
                inputs[i] = x
            try:
                out = node.op.lower_xla(jax_xp, known, *inputs)
            except Exception as e:
                e.add_note(f"while jax traced {node.op} ({case}), known = {known}")
                raise
            made.append(list(out) if len(node.outputs) > 1 else [out])
        return made

    with x64():
        results = [[np.asarray(x) for x in out] for out in jit(program)(operands)]
    for (case, node, _, _, outputs), made in zip(steps, results, strict=True):
        for i, (var, got, want) in enumerate(zip(node.outputs, made, outputs, strict=True)):
            where = f"output {i} of {node.op} under jax"
            want = np.asarray(want)
            same_kind(f"{where} ({case})", var, got)
            dtype = want.dtype.name
            rtol = max(spec.xla_rtol or 0.0, spec.tolerance(dtype))
            largest = np.max(np.abs(want[np.isfinite(want)]), initial=1.0) if rtol else 0.0
            atol = 4 * float(np.finfo(want.dtype).eps) * float(largest) if rtol else 0.0
            close(where, got, want, rtol, case, atol)
