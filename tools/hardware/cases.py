"""The cases of the tests as programs for chips that are not there."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

import theano
from theano import tensor as T
from theano._src.compile.planning.plan import _job_of
from theano._src.engines.planning.dry_call import DryCall, dry_call
from theano._src.graph.graph import Apply
from theano._src.testing.opspec import Case, OpSpec
from theano._src.types.topology import Topology
from tools.hardware.lists import ROOT

#: the complex dtype that belongs to a dtype
_COMPLEX = {"float32": "complex64", "float64": "complex128"}


@cache
def specs() -> dict[str, OpSpec]:
    """Every OpSpec of the tests, by the file's module and its name."""
    result = {}
    for path in sorted(ROOT.glob("tests/ops/**/test_*.py")):
        name = f"{path.parent.name}.{path.stem}"
        for spec in getattr(importlib.import_module(f"tests.ops.{name}"), "SPECS", ()):
            if isinstance(spec, OpSpec):
                result[f"{name}::{spec.name}"] = spec
    return result


class Item(NamedTuple):
    """A spec in one dtype, or its gradient.

    >>> str(Item("elementwise.test_explog::exp", "float32", True))
    'elementwise.test_explog::exp float32 gradient'
    """

    spec: str
    dtype: str
    gradient: bool

    def __str__(self) -> str:
        return f"{self.spec} {self.dtype}{' gradient' if self.gradient else ''}"


def items() -> list[Item]:
    """Everything that is compiled for a topology."""
    return [
        Item(name, dtype, gradient)
        for name, spec in specs().items()
        for dtype in ("float32", "float64")
        for gradient in (False, True)
        if not (gradient and spec.grad.startswith("none: "))
    ]


def case_of(spec: OpSpec, dtype: str) -> Case | None:
    """A case without empty arrays whose floats have this dtype; None if there is none."""
    cases = [c for c in spec.all_cases() if all(v.size for v in c.values)]
    wanted = {dtype, _COMPLEX[dtype]}
    for case in cases:
        floats = {d for d in case.dtypes if np.dtype(d).kind in "fc"}
        if floats and floats <= wanted:
            return case
    for case in cases:
        if not any(np.dtype(d).kind in "fc" for d in case.dtypes):
            return case if dtype == "float32" else None
    if spec.elementwise or not cases:
        return None
    kinds = {"f": dtype, "c": _COMPLEX[dtype]}
    return cases[0].with_floats(lambda a: a.astype(kinds[a.dtype.kind]))


def function_of(item: Item) -> tuple[Any, list[Any]] | None:
    """The function of an item and its arguments; None if it has no such case or no gradient."""
    spec = specs()[item.spec]
    case = case_of(spec, item.dtype)
    if case is None or (item.gradient and case.grad is not None):
        return None
    built = case.build(spec.fn)
    outputs: list[Any] = built.outputs
    if item.gradient:
        costs = [v for v in outputs if str(getattr(v, "dtype", "")).startswith("float")]
        fixed = {built.inputs[i] for i in spec.fixed}
        wrt = [
            v
            for v in built.inputs
            if v not in fixed and str(getattr(v.type, "dtype", "")).startswith("float")
        ]
        if not costs or not wrt:
            return None
        outputs = T.grad(costs[0].sum(), wrt, disconnected_inputs="ignore")
    f = theano.function(built.inputs, outputs, mode=theano.Mode("xla"), on_unused_input="ignore")
    return f, built.values


def lowered(item: Item, there: Topology) -> DryCall | None:
    """The programs of an item as they are passed to the compiler; None if there is no such case."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = function_of(item)
        if result is None:
            return None
        f, values = result
        return dry_call(_job_of(f), there, [np.asarray(v) for v in values])


def hidden_float64(call: DryCall) -> list[str]:
    """Programs that compute in float64 though no node has such a value or asked for it."""
    return [
        f"{program.title}: {', '.join(str(node.op) for node in program.nodes[:8])}"
        for program in call.programs
        if program.is_wide and not any(map(_asks, nodes_inside(program.nodes)))
    ]


_WIDE = ("float64", "complex128")


def _asks(node: Apply) -> bool:
    """Whether a node has values of float64, or accumulates in it because the program said so."""
    op = node.op
    if getattr(op, "acc_given", False) and op.acc_dtype in _WIDE:
        return True
    return any(getattr(v.type, "dtype", None) in _WIDE for v in (*node.inputs, *node.outputs))


def nodes_inside(nodes: Iterable[Apply]) -> Iterator[Apply]:
    """Nodes, and those of the graphs that their ops hold."""
    stack = list(nodes)
    while stack:
        node = stack.pop()
        yield node
        for graph in node.op.inner_graphs:
            stack.extend(graph.order)
