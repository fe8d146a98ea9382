"""A rule that is applied to a graph, and both graphs computed on arrays."""

from __future__ import annotations

import signal
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Variable
from theano._src.graph.walk import nodes_of
from theano._src.ops.shape.alloc import AllocEmpty
from theano._src.rewrite.driver import Rewriter
from theano._src.rules.pipeline import restore_type
from theano._src.rules.shape import attach_shapes
from theano._src.testing.evaluate import evaluate
from theano._src.testing.proofs.bounded import assignments
from theano._src.types.tensor import tensor_type

#: errors of ops that are given lengths or indices that do not fit
ERRORS = (ValueError, IndexError, AssertionError, TypeError, ZeroDivisionError)
#: by how much results may differ, in relation to the largest number
_CLOSE = {"float16": 2e-2, "float32": 1e-4, "complex64": 1e-4}


class TooLong(Exception):
    """A rule or a proof does not end in its time."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise TooLong after some seconds."""
    is_over = False

    def over(*_: Any) -> None:
        nonlocal is_over
        is_over = True
        raise TooLong

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except Exception as error:
        # ctypes, with which z3 is called, raises errors of its own for it
        raise (TooLong(f"more than {seconds:g} seconds") if is_over else error) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _raise(where: str, rule: Any, node: Any, error: Exception) -> None:
    raise error


def applied(
    rule: Any, inputs: Sequence[Variable], outputs: Sequence[Variable]
) -> tuple[FunctionGraph, int]:
    """Return the graph that a rule leaves, and how often it fired; raise what the rule raises."""
    graph = FunctionGraph(list(inputs), list(outputs))
    attach_shapes(graph, None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of rules that undo each other
        uses = Rewriter([rule], restore=restore_type, on_failure=_raise).rewrite(graph)
    return graph, uses.get(rule.name, 0)


def drawn(inputs: Sequence[Variable], most: int) -> Iterator[dict[Variable, Any]]:
    """Yield arrays for inputs: numbers of both signs, positive ones, and whole ones."""
    real = {"complex64": "float32", "complex128": "float64"}
    like = [tensor_type(real.get(v.type.dtype, v.type.dtype), v.type.broadcastable)()
            for v in inputs]  # fmt: skip
    rng = np.random.default_rng(0)
    for k, at in enumerate(assignments(like, 3, most)):
        values = {}
        for v, x in zip(inputs, at.values(), strict=True):
            if x.dtype.kind == "f":
                parts = [_numbers(rng, x.shape, k % 3) for _ in range(2)]
                data = parts[0] + 1j * parts[1] if v.type.dtype in real else parts[0]
                values[v] = np.asarray(data).astype(v.type.dtype)
            else:
                values[v] = x
        yield values


def _numbers(rng: np.random.Generator, shape: tuple[int, ...], kind: int) -> Any:
    if kind == 2:
        return rng.integers(-2, 3, size=shape).astype(float)
    x = rng.normal(size=shape)
    return np.abs(x) if kind else x


def computed(outputs: Sequence[Variable], givens: dict[Variable, Any]) -> list[Any] | None:
    """Return the values of outputs; None if an op raises."""
    try:
        return [np.asarray(y) for y in evaluate(outputs, givens)]
    except ERRORS:
        return None


def _is_finite(values: Sequence[Any]) -> bool:
    return all(np.isfinite(x).all() for x in values if x.dtype.kind in "fc")


def difference(
    rule: Any,
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    graph: FunctionGraph,
    most: int = 12,
) -> tuple[str, int]:
    """Return how two graphs differ on arrays, or "", and for how many draws both have values.

    Where a number is infinite or NaN on the way, nothing is claimed. A graph may raise no more
    where a rule states a hazard. For arrays without elements, only a lost
    error counts.
    """
    for old, new in zip(outputs, graph.outputs, strict=True):
        if old.type != new.type:
            return f"a result of {old.type} is of {new.type} after rewriting", 0
    if any(isinstance(node.op, AllocEmpty) for node in nodes_of(outputs)):
        return "", 0  # its numbers are any
    close = max(_CLOSE.get(d, 1e-7) for d in _dtypes(graph))
    inside = [v for n in nodes_of(outputs) for v in n.outputs]
    count = 0
    for at in drawn(inputs, most):
        before = computed(outputs, at)
        givens = {new: at[old] for old, new in zip(inputs, graph.inputs, strict=True)}
        after = computed(graph.outputs, givens)
        shown = ", ".join(f"{v} = {x.tolist()}" for v, x in at.items())
        if before is None:
            if after is not None and not rule.hazard:
                return f"no error after rewriting, for {shown}", count
            continue
        if after is None:
            if all(x.size for x in at.values()):
                return f"an error after rewriting, for {shown}", count
            continue
        if not _is_finite(computed(inside, at) or before):
            continue
        count += 1
        for old, p, q in zip(outputs, before, after, strict=True):
            how = unequal(p, q, close, old.type)
            if how and all(x.size for x in at.values()):
                return f"{how}, for {shown}", count
    return "", count


def _dtypes(graph: FunctionGraph) -> set[str]:
    """Return the dtypes of a graph; it has at least one."""
    return {getattr(v.type, "dtype", "float64") for v in (*graph.variables, *graph.outputs)}


def unequal(p: Any, q: Any, close: float, kind: Any) -> str:
    """Return how two values of a type differ, or ""."""
    if p.shape != q.shape:
        return f"a shape {p.shape} is {q.shape} after rewriting"
    fits = all(n == 1 or not one for one, n in zip(kind.broadcastable, p.shape, strict=True))
    if not fits:
        return ""  # the graph before has no value of its type
    if any(one and n != 1 for one, n in zip(kind.broadcastable, q.shape, strict=True)):
        return f"a value of shape {q.shape} is not of {kind}"
    if q.dtype != kind.dtype and p.dtype == kind.dtype:
        return f"a value of {q.dtype} is not of {kind}"
    if p.dtype.kind in "fc":
        same = np.allclose(p, q, rtol=close, atol=close * float(np.max(np.abs(p), initial=1.0)))
    else:
        same = np.array_equal(p, q)
    return "" if same else f"{p.tolist()} is {q.tolist()} after rewriting"
