"""Check a rule: it fires on an example, and keeps types and values there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Constant, Variable
from theano._src.rewrite.driver import Rewriter
from theano._src.rewrite.local import as_rule
from theano._src.rewrite.pattern import Hole
from theano._src.rewrite.rule import Rule, example_graph
from theano._src.rules.pipeline import restore_type
from theano._src.rules.shape import attach_shapes
from theano._src.testing.evaluate import evaluate
from theano._src.types.convert import constant
from theano._src.types.tensor import TensorType, tensor_type

Span = tuple[float, float]


def check_rule(
    rule: Any,
    inputs: Sequence[Variable] | None = None,
    outputs: Sequence[Variable] | None = None,
    *,
    span: Span | None = None,
    shape: int = 3,
    seed: int = 0,
) -> FunctionGraph:
    """Check that a rule fires on a graph, and that types and values stay the same.

    The graph as it was written and the rewritten one are evaluated node by node.

    Parameters
    ----------
    rule : rule or LocalOptimizer
    inputs, outputs : lists of Variables, optional
        The graph; by default the rule's own example: for an equation its left side on vectors.
    span : (low, high), optional
        The range from which values are drawn, those of integers too. By default the ``example`` of
        an equation for each hole, or (-5, 5).
    shape : int
        The length of dimensions that are not broadcastable.
    seed : int

    Returns
    -------
    FunctionGraph
        The rewritten graph.

    >>> import theano.tensor as T
    >>> from theano.testing import check_rule
    >>> from theano.gof import OpRemove, PatternSub
    >>> x = T.dvector("x")
    >>> check_rule(PatternSub((T.neg, (T.neg, "x")), "x"), [x], [T.neg(T.neg(x))])
    [x]
    >>> check_rule(OpRemove(T.neg), [x], [T.neg(x)])
    Traceback (most recent call last):
    AssertionError: ...values differ...
    """
    one = as_rule(rule)
    if inputs is None or outputs is None:
        inputs, outputs = _example(one)
    graph = FunctionGraph(inputs, outputs)
    attach_shapes(graph, None)
    types = [v.type for v in graph.outputs]
    uses = Rewriter([one], restore=restore_type, on_failure=_raise).rewrite(graph)
    if not uses:
        raise AssertionError(f"{one!r} does not fire on {list(outputs)}; why_not says why")
    graph.check_integrity()
    for old, new in zip(types, graph.outputs, strict=True):
        if old != new.type:
            raise AssertionError(f"{one!r} changes the type {old} to {new.type}")
    rng = np.random.default_rng(seed)
    spans = one.example if isinstance(one, Rule) and one.example else {}
    values = [_drawn(rng, v, span or spans.get(v.name, (-5.0, 5.0)), shape) for v in inputs]
    before = evaluate(outputs, dict(zip(inputs, values, strict=True)))
    after = evaluate(graph.outputs, dict(zip(graph.inputs, values, strict=True)))
    for a, b in zip(before, after, strict=True):
        if a.dtype != b.dtype or a.shape != b.shape:
            raise AssertionError(
                f"{one!r} makes {b.dtype} of shape {b.shape} of {a.dtype} of shape {a.shape}"
            )
        # the two sides round differently: allow some units in the last place of the largest step
        room = 64 * np.finfo(a.dtype).eps if a.dtype.kind in "fc" else 0
        message = f"{one!r}: values differ"
        np.testing.assert_allclose(b, a, rtol=room, atol=room, err_msg=message)
    return graph


def _raise(where: str, rule: Any, node: Any, error: Exception) -> None:
    raise error


def _example(rule: Any) -> tuple[Sequence[Variable], Sequence[Variable]]:
    if isinstance(rule, Rule):
        leaves, left, _ = example_graph(rule, _leaf)
        return [v for v in leaves.values() if not isinstance(v, Constant)], [left]
    if rule.example is None:
        raise ValueError(f"check_rule takes inputs and outputs of a graph: {rule!r} has no example")
    inputs, outputs = rule.example()
    return inputs, outputs


def _leaf(hole: Hole) -> Any:
    dtype = hole.dtype or "float64"
    if hole.constant:
        return constant(np.full(1, 2, dtype))
    return tensor_type(dtype, (False,))(hole.name)


def _drawn(rng: np.random.Generator, v: Variable, span: Span, length: int) -> Any:
    if not isinstance(v.type, TensorType):
        raise TypeError(f"check_rule draws values of tensors, got {v} of {v.type}")
    shape = tuple(1 if b else length for b in v.type.broadcastable)
    return np.asarray(rng.uniform(*span, shape)).astype(v.type.dtype)
