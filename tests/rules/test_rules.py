"""Rules test themselves: each fires on its example, and keeps type and value."""

import warnings

import numpy as np
import pytest

import theano
from tests.rules import examples
from theano._src.graph.clone import clone
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
    check(rule, *example_of(rule))


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
        assert "->" in rule.equation and (
            rule.example is not None or rule.name in examples.EXAMPLES
        )


SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-30, -1e30, 0.5, -700.0, 89.0])


def rewritten(rule, inputs, outputs):
    g = FunctionGraph(inputs, outputs)
    attach_shapes(g)
    Rewriter([rule], restore=restore_type).rewrite(g)
    return g


def example_of(rule):
    """Inputs and outputs of a graph on which a rule fires: of an equation, on vectors."""
    if not isinstance(rule, Rule):
        return examples.example_of(rule)
    type = tensor_type("float64", (False,))
    leaves, lhs, _ = example_graph(
        rule, lambda h: constant(np.full(1, 2.0)) if h.constant else type(h.name)
    )
    return [v for v in leaves.values() if v.owner is None], [lhs]


def span_of(rule):
    return (rule.example or {}).get("x", (-5.0, 5.0)) if isinstance(rule, Rule) else (-5.0, 5.0)


# a rule that stabilizes is there to change what is lost at extremes: test_stability compares with
# the truth
EXACT = [r for r in RULES.values() if r.hazard is None and "stabilize" not in r.tags]


@pytest.mark.parametrize("rule", EXACT, ids=named)
def test_a_rule_that_states_no_hazard_keeps_infinities_nan_zeros_and_extremes(rule):
    inputs, outputs = example_of(rule)
    g = rewritten(rule, inputs, outputs)
    rng = np.random.default_rng(1)
    for _ in range(12):
        values = [drawn(rng, v.type, -5.0, 5.0) for v in inputs]
        values = [
            rng.choice(SPECIAL, x.shape).astype(x.dtype) if x.dtype.kind == "f" else x
            for x in values
        ]
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            before = evaluate(outputs, dict(zip(inputs, values)))
            after = evaluate(g.outputs, dict(zip(g.inputs, values)))
        for a, b in zip(before, after):
            tolerance = 64 * np.finfo(a.dtype).eps if a.dtype.kind == "f" else 0
            np.testing.assert_allclose(b, a, rtol=tolerance, atol=0, err_msg=f"{rule}: {values}")


def batches(rules, size=16):
    found = list(rules)
    return [found[i : i + size] for i in range(0, len(found), size)]


@pytest.mark.xla
@pytest.mark.parametrize("rules", batches(RULES.values()), ids=lambda rules: rules[0].name)
def test_rules_keep_values_on_xla(rules):
    ins, outs, values, wanted, whose = [], [], [], [], []
    rng = np.random.default_rng(2)
    for rule in rules:
        inputs, outputs = example_of(rule)
        g = rewritten(rule, inputs, outputs)
        low, high = span_of(rule)
        given = [drawn(rng, v.type, low, high) for v in inputs]
        wanted += evaluate(outputs, dict(zip(inputs, given)))
        made_in, made_out = clone(g.inputs, g.outputs)
        ins += made_in
        outs += made_out
        values += given
        whose += [rule] * len(outputs)
    f = theano.function(
        ins, outs, mode=theano.Mode("xla", optimizer=None), on_unused_input="ignore"
    )
    for rule, want, got in zip(whose, wanted, f(*values), strict=True):
        assert got.dtype == want.dtype and got.shape == want.shape, rule
        tolerance = 256 * np.finfo(want.dtype).eps if want.dtype.kind in "fc" else 0
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance, err_msg=str(rule))
