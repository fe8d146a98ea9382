"""Rules test themselves: each fires on its example, and keeps type and value."""

import numpy as np
import pytest

from theano._src.graph.fg import FunctionGraph
from theano._src.rewrite.driver import Rewriter
from theano._src.rewrite.rule import Rule, example_graph
from theano._src.rules.pipeline import RULES, restore_type
from theano._src.rules.shape import attach_shapes
from theano._src.testing.evaluate import evaluate
from theano._src.types.convert import constant
from theano._src.types.tensor import tensor_type

EQUATIONS = [r for r in RULES.values() if isinstance(r, Rule)]
FUNCTIONS = [r for r in RULES.values() if not isinstance(r, Rule)]
FLOATS = ("float32", "float64")
PATTERNS = {"scalar": (), "vector": (False,), "row": (True, False), "matrix": (False, False)}


def named(rule):
    return rule.name


def drawn(rng, type, low, high):
    shape = tuple(1 if b else 3 for b in type.broadcastable)
    return rng.uniform(low, high, shape).astype(type.dtype)


def check(rule, inputs, outputs, low=-5.0, high=5.0):
    """The rule fires on the graph; types, and values at drawn inputs, stay as they were."""
    rng = np.random.default_rng(0)
    g = FunctionGraph(inputs, outputs)
    attach_shapes(g)
    types = [v.type for v in g.outputs]
    uses = Rewriter([rule], restore=restore_type).rewrite(g)
    assert uses.get(rule.name), f"{rule!r} does not fire on its example"
    g.check_integrity()
    assert [v.type for v in g.outputs] == types
    values = [drawn(rng, v.type, low, high) for v in inputs]
    before = evaluate(outputs, dict(zip(inputs, values)))
    after = evaluate(g.outputs, dict(zip(g.inputs, values)))
    for a, b in zip(before, after):
        assert a.dtype == b.dtype and a.shape == b.shape
        # the two sides round differently: a few units in the last place of the largest step
        tolerance = 64 * np.finfo(a.dtype).eps if a.dtype.kind == "f" else 0
        np.testing.assert_allclose(b, a, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("rule", EQUATIONS, ids=named)
def test_an_equation_fires_on_its_left_side_and_keeps_type_and_value(rule, dtype, pattern):
    def leaf(hole):
        type = tensor_type(dtype, PATTERNS[pattern])
        return constant(np.full([1] * type.ndim, 2, dtype)) if hole.constant else type(hole.name)

    leaves, lhs, rhs = example_graph(rule, leaf)
    assert lhs.type == rhs.type
    low, high = (rule.example or {}).get("x", (-5.0, 5.0))
    check(rule, [v for v in leaves.values() if v.owner is None], [lhs], low, high)


@pytest.mark.parametrize("rule", FUNCTIONS, ids=named)
def test_a_function_rule_fires_on_its_example_and_keeps_type_and_value(rule):
    check(rule, *rule.example())


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "bool", "complex64"])
@pytest.mark.parametrize("rule", EQUATIONS, ids=named)
def test_an_equation_keeps_values_of_other_dtypes_or_does_not_fire(rule, dtype):
    type = tensor_type(dtype, (False,))
    try:
        leaves, lhs, _ = example_graph(rule, lambda hole: type(hole.name))
    except (TypeError, NotImplementedError):
        return  # an op of it does not take that dtype
    inputs = list(leaves.values())
    g = FunctionGraph(inputs, [lhs])
    Rewriter([rule], restore=restore_type).rewrite(g)
    assert g.outputs[0].type == lhs.type
    # extremes: where integers wrap
    values = [np.array([-128, -1, 0, 1, 127, 200]).astype(dtype) for _ in inputs]
    (before,) = evaluate([lhs], dict(zip(inputs, values)))
    (after,) = evaluate(g.outputs, dict(zip(g.inputs, values)))
    np.testing.assert_allclose(after, before, rtol=1e-6)


def test_rules_state_an_equation_and_have_names_of_their_own():
    names = list(RULES)
    assert len(set(names)) == len(names)
    for rule in FUNCTIONS:
        assert "->" in rule.equation and rule.example is not None
