"""Check the XLA engine against the reference: all cases of a spec in one compiled function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.walk import nodes_of
from theano._src.testing.checks import close, run, same_kind
from theano._src.testing.opspec import Built, Case, OpSpec
from theano._src.types.run_node import has_compiled_form

# XLA takes up to half a second for one drawn case of a special function
_MOST_DRAWS = 8


def compiled(spec: OpSpec) -> None:
    """Check values, dtypes and shapes on XLA against the reference, without rewrites.

    One function computes all cases: XLA's time is mostly per program, not per node.
    """
    cases = _sample(spec)
    built = [case.build(spec.fn) for case in cases]
    _host_is_announced(spec, built)
    for case, one, result in zip(cases, built, _run_all(cases, built), strict=True):
        expected = spec.expected(case, spec.dtypes_out(case))
        for i, (out, got, want) in enumerate(zip(one.outputs, result, expected, strict=True)):
            where = f"output {i} of {spec.name} (xla)"
            same_kind(f"{where} of {case}", out, got)
            close(where, got, want, spec.tolerance_on_xla(want.dtype.name), case)


def _sample(spec: OpSpec) -> list[Case]:
    """Return all listed cases, or all drawn cases with only floats and some others."""
    cases = spec.all_cases()
    if not spec.elementwise or len(cases) <= _MOST_DRAWS:
        return cases
    some = set(np.linspace(0, len(cases) - 1, _MOST_DRAWS).astype(int))
    return [
        case
        for i, case in enumerate(cases)
        if i in some or all(np.dtype(d).kind in "fc" for d in case.dtypes)
    ]


def _host_is_announced(spec: OpSpec, built: Sequence[Built]) -> None:
    nodes = [node for one in built for node in nodes_of(one.outputs)]
    host = [node for node in nodes if not has_compiled_form(node)]
    if spec.xla is True and host:
        raise AssertionError(
            f"{host[0].op} runs on the host only; give it compute, or say xla='host: reason'"
        )
    if spec.xla is not True and not host:
        raise AssertionError(
            f"the spec says {spec.xla!r}, but every op of it can be compiled; "
            "say xla=True, or set runs_on = 'host' on the op"
        )


def _run_all(cases: Sequence[Case], built: Sequence[Built]) -> list[list[Any]]:
    try:
        result = iter(run(_joined(built), "xla", None))
    except Exception:
        # run the cases one by one to find the one that fails, if it fails alone
        for case, one in zip(cases, built, strict=True):
            try:
                run(one, "xla", None)
            except Exception as e:
                e.add_note(f"while XLA ran {case} alone")
                raise
        raise
    return [[next(result) for _ in one.outputs] for one in built]


def _joined(built: Sequence[Built]) -> Built:
    return Built(
        [v for one in built for v in one.inputs],
        [x for one in built for x in one.values],
        [v for one in built for v in one.outputs],
        True,
    )
