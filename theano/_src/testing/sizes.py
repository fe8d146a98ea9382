"""Check that sizes are symbolic: one function, called with arrays of different lengths."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from theano._src.compile.function import function
from theano._src.compile.mode import Mode
from theano._src.graph.walk import equal_computations
from theano._src.testing.checks import close, same_kind
from theano._src.testing.opspec import Built, Case, OpSpec


def sizes(spec: OpSpec, engine: str) -> None:
    """Check that a function compiled for one case is correct for another with other lengths."""
    result = two_sizes(spec)
    if result is None:
        raise AssertionError(
            f"no two cases of {spec.name} are one graph at two sizes; add a case that is as "
            "another except for the lengths of its arrays, or say sizes='none: reason'"
        )
    built = result[0].build(spec.fn)
    f = function(built.inputs, built.outputs, mode=Mode(engine, None), on_unused_input="ignore")
    # back to the first size at the end: nothing may be kept from the other
    for case in (*result, result[0]):
        expected = spec.expected(case, spec.dtypes_out(case))
        for i, (out, got, want) in enumerate(
            zip(built.outputs, f(*case.values), expected, strict=True)
        ):
            where = f"output {i} of {spec.name}, made for {result[0]} ({engine})"
            same_kind(where, out, got)
            tolerance = spec.tolerance_on_xla if engine == "xla" else spec.tolerance
            close(where, got, want, tolerance(want.dtype.name), case)


def two_sizes(spec: OpSpec) -> tuple[Case, Case] | None:
    """Return two cases that are one graph at two sizes: two of the spec's, or one and a larger."""
    cases = spec.all_cases()
    built = {case: case.build(spec.fn) for case in cases}
    kinds: dict[Any, list[Case]] = {}
    for case, one in built.items():
        kinds.setdefault(tuple(v.type for v in one.inputs), []).append(case)
    for alike in kinds.values():
        for a, b in combinations(alike, 2):
            if _same_graph(built[a], built[b]) and _sizes_of(spec, a) != _sizes_of(spec, b):
                return a, b
    for case in cases:
        for larger in _larger(case):
            if _stands(spec, built[case], case, larger):
                return case, larger
    return None


def _same_graph(a: Built, b: Built) -> bool:
    return equal_computations(a.outputs, b.outputs, a.inputs, b.inputs)


def _sizes_of(spec: OpSpec, case: Case) -> list[tuple[int, ...]]:
    """Return the shapes of inputs and, since a number may be a length, of outputs."""
    results = spec.expected(case, spec.dtypes_out(case))
    return [x.shape for x in (*case.values, *results)]


def _stands(spec: OpSpec, built: Built, case: Case, larger: Case) -> bool:
    """Whether a larger case has the same graph, and the reference's results fit its types."""
    try:
        results = spec.expected(larger, spec.dtypes_out(larger))
        if not _same_graph(built, larger.build(spec.fn)):
            return False
    except Exception:
        return False
    if _sizes_of(spec, larger) == _sizes_of(spec, case):
        return False
    return len(results) == len(built.outputs) and all(
        r.ndim == v.type.ndim
        and all(n == 1 for n, b in zip(r.shape, v.type.broadcastable, strict=True) if b)
        for r, v in zip(results, built.outputs, strict=True)
    )


def _larger(case: Case) -> Iterator[Case]:
    """Yield the case with its arrays twice as long: along all dimensions, or along one."""
    deepest = max((x.ndim for x in case.values), default=0)
    for axes in [range(deepest), *[[i] for i in range(deepest)]]:
        for kinds in ("biufc", "fc"):
            yield case.with_arrays(_doubled(axes, kinds))


def _doubled(axes: Sequence[int], kinds: str) -> Callable[[np.ndarray], np.ndarray]:
    def change(x: np.ndarray) -> np.ndarray:
        if x.dtype.kind not in kinds:
            return x
        # a dimension of length 1 may be broadcastable
        return np.tile(x, [2 if i in axes and n > 1 else 1 for i, n in enumerate(x.shape)])

    return change
