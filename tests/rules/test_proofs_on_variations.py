"""Rules that are functions hold on variations of their examples, and wrong ones do not."""

import os

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.control.scan.op import Scan
from theano._src.ops.reduce.careduce import Sum
from theano._src.rewrite.rule import FunctionRule
from theano._src.rules.pipeline import RULES
from theano._src.testing.opspec import SEED
from tools.proofs import page, record, varied
from tools.proofs.values import applied, difference
from tools.proofs.variations import KINDS, Graph, changed, changes, variations

RECORDED = record.load("variations")
ALL = os.environ.get("THEANO_TEST_PROOFS") == "all"
RULES_VARIED = varied.varied_rules()
#: rules of which one variation is tried each time, of all that were recorded
SLICE = RULES_VARIED if ALL else RULES_VARIED[SEED % 6 :: 6]


def named(rule):
    return rule.name


def rule_of(function, **facts):
    return FunctionRule(function, "a_function", "canonicalize", **facts)


# the record


@pytest.mark.parametrize("rule", SLICE, ids=named)
def test_what_was_proved_on_a_variation_still_is(rule, monkeypatch):
    monkeypatch.setattr(varied, "LIMIT", 120)
    outcomes = RECORDED[rule.name]["outcomes"]
    names = list(outcomes)
    some = names if ALL else names[SEED % 7 :: 7][:1]
    graphs = variations(varied.example_graph(rule), rule.name)
    left = set(some)
    for graph in graphs:
        if graph.name in left:
            left.remove(graph.name)
            what, why = varied.outcome(rule, graph)
            assert what == outcomes[graph.name] or what == "proved", (graph.name, why)
        if not left:
            break
    assert not left


def test_every_rule_was_tried_on_variations_and_is_wrong_on_none():
    assert not [r.name for r in RULES_VARIED if not RECORDED[r.name]["outcomes"]]
    assert not varied.wrong_on_variations(RECORDED)


def test_nearly_all_variations_are_proved():
    outcomes = [v for row in RECORDED.values() for v in row["outcomes"].values()]
    assert len(outcomes) > 1500
    assert outcomes.count("proved") >= 0.8 * len(outcomes)
    assert outcomes.count("unknown") <= 0.02 * len(outcomes)


# variations


def graph_of_sums():
    x, y, c = T.dmatrix("x"), T.dmatrix("y"), T.dscalar("c")
    return Graph([x, y, c], [T.sum(T.exp(x) * y * c, axis=0), T.max(x - 2.5, axis=1)])


def test_variations_are_the_same_each_time_and_differ():
    first, second = (list(variations(graph_of_sums(), "seed")) for _ in range(2))
    assert [g.name for g in first] == [g.name for g in second]
    assert [g.text() for g in first] == [g.text() for g in second]
    assert len({g.text() for g in first}) == len(first) > 50
    assert len({g.name for g in first}) == len(first)
    assert graph_of_sums().text() not in {g.text() for g in first}


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.__name__)
def test_each_kind_of_change_gives_graphs_that_run(kind):
    ran = 0
    for name, build in kind(graph_of_sums()):
        try:
            graph = build()
        except (TypeError, ValueError):
            continue  # no such graph can be written
        assert name in graph.name
        f = theano.function(
            graph.inputs, graph.outputs, mode=theano.Mode("numpy", None), on_unused_input="ignore"
        )
        shapes = [[2] * v.ndim for v in graph.inputs]
        for shape, v in zip(shapes, graph.inputs, strict=True):
            shape[:] = [1 if one else n for one, n in zip(v.broadcastable, shape, strict=True)]
        values = [np.ones(s, v.dtype) for s, v in zip(shapes, graph.inputs, strict=True)]
        f(*values)
        ran += 1
        if ran == 4:
            break
    assert ran


def test_the_default_dtype_of_a_sum_is_that_of_its_new_input():
    x = T.dvector("x")
    y = T.bvector("y")
    new = changed(Graph([x], [T.sum(x), T.sum(x, dtype="float32")]), "", givens={x: y})
    assert [v.dtype for v in new.outputs] == ["int64", "float32"]


def test_a_step_takes_what_the_new_sequence_has():
    x, w = T.dmatrix("x"), T.dvector("w")
    row, state = T.dvector(), T.dvector()
    loop = Scan([row, state], [state + T.sum(row)], 1, 1)(x.shape[0], x, w)
    new = changed(Graph([x, w], [loop]), "", givens={x: T.TensorType("float32", (False, True))()})
    (step_input, _) = new.outputs[0].owner.op.inner_inputs
    assert step_input.type == T.TensorType("float32", (True,))
    assert new.text() != Graph([x, w], [loop]).text()


def test_changes_of_two_kinds_are_drawn_in_turn():
    first = [name for name, _ in zip((n for n, _ in changes(graph_of_sums(), "s")), range(3))]
    assert "as" in first[0] or "of" in first[0]
    assert "pattern" in first[1] and "constant" in first[2]


# rules that are right on an example, and wrong on a variation


def one_of(what, rule, graph):
    found = (varied.outcome(rule, g) for g in variations(graph, rule.name, 30, 3))
    return next((why for outcome, why in found if outcome == what), None)


def test_a_rule_that_forgets_other_axes_is_refuted_on_a_variation():
    def of_rows(node):
        """sum(-x) -> -sum(x), which has axis 0 only"""
        inner = node.inputs[0].owner
        return inner and inner.op == T.neg and [-T.sum(inner.inputs[0], axis=0)]

    def of_axes(node):
        """sum(-x) -> -sum(x)"""
        inner = node.inputs[0].owner
        if inner is None or inner.op != T.neg or inner.inputs[0].dtype[0] == "u":
            return None  # 0 - 1 is 255 in uint8
        return [-node.op(inner.inputs[0])]

    x = T.dmatrix("x")
    graph = Graph([x], [T.sum(-x, axis=0)])
    wrong = rule_of(of_rows, tracks=[Sum])
    assert varied.outcome(wrong, graph)[0] == "proved"
    assert one_of("refuted", wrong, graph)
    assert one_of("fails", wrong, graph)  # of another number of dimensions
    right = rule_of(of_axes, tracks=[Sum])
    assert not one_of("refuted", right, graph) and one_of("proved", right, graph) is not None


def test_a_rule_that_forgets_dtypes_is_seen_on_arrays():
    def halved(node):
        """x / 2 -> 0.5 * x"""
        x, two = node.inputs
        return [T.mul(x, 0.5)] if getattr(two, "data", None) == 2 else None

    x = T.lscalar("x")
    rule = rule_of(halved, tracks=[T.int_div, T.true_div])
    assert one_of("fails", rule, Graph([x], [T.int_div(x, 2)]))
    y = T.dscalar("y")
    assert one_of("refuted", rule, Graph([y], [T.true_div(y, 2)]))


def test_complex_numbers_are_compared_on_arrays():
    def of_squares(node):
        """|x|**2 -> x**2"""
        inner = node.inputs[0].owner
        return (
            inner
            and inner.op == T.abs_
            and inner.inputs[0].dtype[0] == "c"
            and [T.real(T.sqr(inner.inputs[0]))]
        )

    z = T.zvector("z")
    rule = rule_of(of_squares, tracks=[T.sqr])
    inputs, outputs = [z], [T.sqr(T.abs_(z))]
    graph, uses = applied(rule, inputs, outputs)
    assert uses == 1 and "after rewriting" in difference(rule, inputs, outputs, graph)[0]


def test_a_value_that_is_not_chosen_refutes_nothing():
    def inside(node):
        """switch(c, a, b) / switch(c, d, e) -> switch(c, a / d, b / e)"""
        one, two = (v.owner for v in node.inputs)
        if one is None or two is None or one.op != T.switch or two.op != T.switch:
            return None
        (c, a, b), (_, d, e) = one.inputs, two.inputs
        return [T.switch(c, a / d, b / e)]

    c, (x, y) = T.TensorType("bool", (False,))("c"), T.dvectors("x", "y")
    graph = Graph([c, x, y], [T.switch(c, x, y) / T.switch(c, y, x)])
    what, why = varied.outcome(rule_of(inside, tracks=[T.true_div]), graph)
    assert what == "tried" and "not chosen" in why


def test_the_page_counts_variations():
    rows = page.variation_rows({"r": {"tried": 9, "outcomes": {"a": "proved", "b": "tried"},
                                      "why": {"b": "arrays of complex numbers"}}})  # fmt: skip
    assert "| proved | 1 |" in rows and "| complex numbers, which are tried on arrays | 1 |" in rows
    text = page.on_variations({"outcomes": {"a": "proved", "b": "tried"}})
    assert text == "; on 1 of 2 variations"
    assert RULES
