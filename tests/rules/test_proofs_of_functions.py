"""Rules that are functions hold on their examples; passes keep memory; mistakes are seen."""

import os
import random
from dataclasses import asdict

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.control.scan.op import Scan
from theano._src.graph.destroy import DestroyHandler
from theano._src.ops.index.subtensor import Subtensor
from theano._src.ops.reduce.careduce import CAReduce
from theano._src.rewrite.rule import FunctionRule, Rule
from theano._src.rules import inplace
from theano._src.rules.pipeline import RULES
from theano._src.testing.opspec import SEED
from theano._src.testing.proofs.bounded import prove_on
from theano._src.testing.proofs.floats import Sides, Sweep
from theano._src.testing.proofs.memory import Meanings, misuse_of_memory
from theano.extend import Elemwise, rewrite_rule
from theano.testing import prove
from tools.proofs import graphs, mutants, page, passes, record, sweeps

FUNCTIONS = [r for r in RULES.values() if not isinstance(r, Rule)]
ALL = os.environ.get("THEANO_TEST_PROOFS") == "all"


def named(rule):
    return rule.name


# functions, on their examples


PROVED = [r for r in FUNCTIONS if r.name not in graphs.APPROXIMATIONS]


@pytest.mark.parametrize("rule", PROVED if ALL else PROVED[SEED % 12 :: 12], ids=named)
def test_a_function_that_was_proved_on_its_example_still_is(rule):
    recorded = record.load("functions")[rule.name]
    result = graphs.bounded(rule)
    assert result.outcome == recorded["outcome"], result
    assert result.cases == recorded["cases"]


def test_functions_are_proved_unless_they_are_listed():
    outcomes = record.load("functions")
    others = {r.name for r in FUNCTIONS if outcomes[r.name]["outcome"] != "proved"}
    assert others == {*graphs.APPROXIMATIONS}


@pytest.mark.parametrize("name", graphs.APPROXIMATIONS)
def test_an_approximation_is_as_close_as_was_seen(name):
    recorded = record.load("functions")[name]
    seen = graphs.approximated(RULES[name], 1_000_003)
    assert recorded["outcome"] == "bounded" and seen["bound"] <= recorded["bound"] < 0.1


def wrong_rule(function, example, **facts):
    rule = FunctionRule(function, "a_function", "canonicalize", **facts)
    return prove_on(rule, *example)


def test_a_sum_along_another_axis_is_refuted():
    def along_others(node):
        """sum(x, axis=0) -> sum(x, axis=1)"""
        return [T.sum(node.inputs[0], axis=1)] if node.op.axis == (0,) else None

    m = T.dmatrix("m")
    result = wrong_rule(along_others, ([m], [T.sum(m, axis=0)]), tracks=[CAReduce])
    assert result.outcome == "refuted"


def test_an_index_that_is_off_by_one_is_refuted():
    def later(node):
        """x[0] -> x[1]"""
        (x,) = node.inputs[:1]
        return [x[1]] if node.inputs[1].eval() == 0 else None

    v = T.dvector("v")
    result = wrong_rule(later, ([v], [v[0]]), tracks=[Subtensor])
    assert result.outcome == "refuted" and "v of shape (1,)" in result.where


def test_a_check_that_is_dropped_is_refuted_unless_a_hazard_says_so():
    def first(node):
        """x + 0 * y -> x"""
        return [node.inputs[0]]

    v, w = T.dvectors("v", "w")
    example = [v, w], [T.add(v, T.mul(0.0, w))]
    assert "does not raise" in wrong_rule(first, example, tracks=[T.add]).where
    assert wrong_rule(first, example, tracks=[T.add], hazard="errors are gone")


@pytest.mark.parametrize("name", [None, "x"])
def test_inputs_of_one_name_are_different_numbers(name):
    def twice(node):
        """x + y -> 2 * x"""
        x, _ = node.inputs
        return [T.mul(2.0, x)]

    v, w = T.dvector(name), T.dvector(name)
    result = wrong_rule(twice, ([v, w], [T.add(v, w)]), tracks=[T.add])
    assert result.outcome == "refuted"


def test_a_difference_without_elements_is_told():
    """0 / 0 in place of a sum of nothing."""
    result = graphs.bounded(RULES["sum_of_quotient"])
    assert result and "y_0 = 0" in result.empty


def test_a_loop_is_its_steps_one_after_another():
    def first_state(node):
        """for(f; s) -> for(f; 2 * s)"""
        n, x, s = node.inputs
        return (
            None
            if s.owner
            else [Scan(node.op.inner_inputs, node.op.inner_outputs, 1, 1)(n, x, s + s)]
        )

    x, s = T.dvector("x"), T.dscalar("s")
    e, h = T.dscalars("eh")
    example = [x, s], [Scan([e, h], [e * h], 1, 1)(x.shape[0], x, s)]
    result = wrong_rule(first_state, example, tracks=[Scan], depth=1)
    assert result.outcome == "refuted" and "x of shape (1,)" in result.where


def test_each_order_of_numbers_is_a_case_where_the_greatest_is_asked_for():
    def of_negative(node):
        """argmax(x) -> argmax(-x)"""
        (m,) = node.inputs
        return None if m.owner else [T.argmax(-m, axis=1)]

    def of_double(node):
        """argmax(x) -> argmax(2 * x)"""
        (m,) = node.inputs
        return None if m.owner else [T.argmax(m + m, axis=1)]

    m = T.dmatrix("m")
    example = [m], [T.argmax(m, axis=1)]
    tracks = [type(example[1][0].owner.op)]
    assert wrong_rule(of_double, example, tracks=tracks)
    assert wrong_rule(of_negative, example, tracks=tracks).outcome == "refuted"


def test_unknown_exponentials_prove_and_do_not_refute():
    def double(node):
        """exp(x) * exp(y) -> exp(x + y)"""
        x, y = (v.owner.inputs[0] for v in node.inputs)
        return [T.exp(x + y)]

    def other(node):
        """exp(x) * exp(y) -> exp(x * y)"""
        x, y = (v.owner and v.owner.inputs[0] for v in node.inputs)
        return None if x is None else [T.exp(x * y)]

    v, w = T.dvectors("v", "w")
    example = [v, w], [T.mul(T.exp(v), T.exp(w))]
    assert wrong_rule(double, example, tracks=[T.mul])
    assert wrong_rule(other, example, tracks=[T.mul]).outcome == "undecided"


def test_an_author_proves_a_function():
    @rewrite_rule("neg_of_sum", "canonicalize", [T.neg])
    def neg_of_sum(node):
        "-sum(x) -> sum(-x)"
        total = node.inputs[0].owner
        return None if total is None else [T.sum(-total.inputs[0])]

    v = T.dvector("v")
    proof = prove(neg_of_sum, [v], [-T.sum(v)])
    assert proof and str(proof) == f"proved for {proof.cases} assignments"
    with pytest.raises(ValueError, match="has no example"):
        prove(neg_of_sum)
    assert prove(RULES["scan_inputs"])


# defects that proofs brought to light


def test_a_gradient_of_one_element_is_spread_over_all_classes():
    m, g, y = T.dmatrix("m"), T.dvector("g"), T.lvector("y")
    sm = T.nnet.softmax(m)
    h = T.inc_subtensor(T.zeros_like(sm)[T.arange(y.shape[0]), y], g)
    out = h - T.sum(h, axis=1, keepdims=True) * sm
    values = np.random.default_rng(SEED).normal(size=(3, 2)), np.ones(1), np.array([1, 0])
    fast, plain = (
        theano.function([m, g, y], out, mode=mode)(*values)
        for mode in (theano.Mode("numpy"), theano.Mode("numpy", None))
    )
    np.testing.assert_allclose(fast, plain, rtol=1e-12)


@pytest.mark.parametrize("optimizer", [None, "fast_run"])
def test_a_parameter_of_batch_normalization_is_as_long_as_x_before_and_after(optimizer):
    from theano.tensor.nnet import bn

    row = T.TensorType("float64", (True, False))
    m, s, b, u, v = T.dmatrix("m"), *(row(name) for name in "sbuv")
    out = bn.AbstractBatchNormInference((0,))(m, s, b, u, v, 0.01)
    f = theano.function([m, s, b, u, v], out, mode=theano.Mode("numpy", optimizer))
    three, one = np.ones((1, 3)), np.ones((1, 1))
    assert f(np.ones((2, 3)), three, three, three, three).shape == (2, 3)
    with pytest.raises(ValueError, match=r"as long as x|mis-match"):
        f(np.ones((2, 3)), three, one, three, three)


# passes


def test_all_programs_of_two_steps_keep_their_memory():
    programs = [p for n in (1, 2) for p in passes.programs(n)]
    assert len(programs) == 720
    sample = programs if ALL else programs[SEED % 3 :: 3]
    assert not [wrong for p in sample if (wrong := passes.wrong_in(p))]


def test_random_programs_keep_their_memory():
    seeds = range(SEED, SEED + (20_000 if ALL else 100))
    drawn = (passes.random_program(random.Random(seed)) for seed in seeds)
    assert not [wrong for p in drawn if (wrong := passes.wrong_in(p))]


def test_nothing_was_wrong_in_the_programs_that_were_tried():
    seen = record.load("passes")
    assert all(row["done"] and not row["wrong"] for row in seen.values())
    tried = {kind: row["tried"] for kind, row in seen.items()}
    assert tried == {"all of 1": 16, "all of 2": 704, "all of 3": 47_040, "random": 20_000}


def test_memory_that_is_read_too_late_is_seen():
    x = T.dvector("x")
    a = T.exp(x)
    written, read = T.inplace.sin_inplace(a), T.cos(a)
    order = [a.owner, written.owner, read.owner]
    assert "after it was overwritten" in misuse_of_memory(order, [x], [read, written])
    order = [a.owner, read.owner, written.owner]
    assert misuse_of_memory(order, [x], [read, written]) is None
    assert "an input" in misuse_of_memory([T.inplace.exp_inplace(x).owner], [x], [])
    assert "was overwritten" in misuse_of_memory([a.owner, written.owner], [x], [a, written])
    assert "before it is computed" in misuse_of_memory([read.owner], [x], [read])
    view = a[::-1]
    late = T.cos(view)
    order = [a.owner, view.owner, written.owner, late.owner]
    assert "after it was overwritten" in misuse_of_memory(order, [x], [written, late])


def test_expressions_are_compared_without_where_results_are_written():
    x = T.dvector("x")
    a, b = T.exp(x), T.cos(x)
    meanings = Meanings([x])
    outs = [T.sin(a), Elemwise(T.sin.scalar_op, {0: 0})(a), T.sin(b)]
    first, second, third = meanings.of([v.owner for v in (a, b, *outs)], [x], outs)
    assert first == second != third


def first_wrong():
    programs = [p for n in (1, 2) for p in passes.programs(n)]
    programs += [passes.random_program(random.Random(seed)) for seed in range(40)]
    return next((wrong for p in programs if (wrong := passes.wrong_in(p))), None)


def test_a_pass_that_ignores_readers_is_seen(monkeypatch):
    monkeypatch.setattr(inplace, "_free", lambda *_: True)
    with pytest.raises(Exception, match=r"overwrit|destroy"):
        assert first_wrong() is None, first_wrong()


def test_an_order_without_its_constraints_is_seen(monkeypatch):
    monkeypatch.setattr(DestroyHandler, "orderings", lambda self, fgraph: {})
    assert "overwritten" in first_wrong()


def test_a_merge_of_different_nodes_is_seen(monkeypatch):
    def swapped(inputs, outputs):
        graph = rewritten(inputs, outputs)
        node = next((n for n in graph.toposort() if len(n.inputs) == 2), None)
        if node is not None and node.inputs[0].type == node.inputs[1].type:
            graph.change_input(node, 0, node.inputs[1])
        return graph

    rewritten = passes.rewritten
    monkeypatch.setattr(passes, "rewritten", swapped)
    assert first_wrong()


# mutants


def counted(layer):
    return None if layer in page.LEFT_OUT else layer


def test_mutants_are_seen_by_the_layer_that_is_recorded():
    layers = record.load("mutants")["layers"]
    some = list(layers) if ALL else list(layers)[SEED % 150 :: 150]
    tried = {key: layer() for key, layer in mutants.of_names(some)}
    assert len(tried) == len(some)
    # a slow machine may give up a graph, which is why mutants that are left out are not told apart
    assert {k: counted(v) for k, v in tried.items()} == {k: counted(layers[k]) for k in some}


def test_nearly_all_mutants_are_seen_and_most_by_proof():
    count, caught, proved = page.shares(record.load("mutants")["layers"])
    assert count >= 350
    assert caught >= page.CAUGHT * count
    assert proved >= page.BY_PROOF * count


# the record and the page


def test_every_rule_has_its_certificate():
    assert not list(page.lacking())


def test_the_page_is_that_of_the_record():
    """`python -m tools.proofs --write` writes it."""
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.page_with(text) == text


def test_all_float32_of_each_equation_of_one_variable_were_tried():
    seen = record.load("floats")
    equations = [rule for rule in RULES.values() if isinstance(rule, Rule)]
    assert sum(sweeps.is_done(seen, rule) for rule in equations) >= 76
    assert sweeps.lots(seen, equations) == []
    assert list(sweeps.broken(seen, equations)) == []


def test_a_rule_without_a_row_or_with_another_claim_is_lacking(monkeypatch):
    def new(node):
        """x -> y"""

    rule = FunctionRule(new, "a_new_rule", "canonicalize")
    monkeypatch.setitem(page.RULES, "a_new_rule", rule)
    assert "a_new_rule has no row of its claim" in list(page.lacking())


def test_parts_of_a_sweep_are_recorded_one_after_another():
    rule, seen = RULES["neg_neg"], {}
    sides = Sides([rule], "float16", ["numpy"])
    sweeps.record_part(seen, rule, "float16", "numpy", sides)
    row = seen["neg_neg"]["sweeps"]["float16 numpy"]
    assert row["parts"] == sweeps.parts_of(rule, "float16") and row["seen"]["count"] == 1 << 16
    assert page.sweep_cell(row, 1) == "all: 0.0 → 0.0"
    seen["neg_neg"]["claim"] = "another"
    assert sweeps.row_of(seen, rule, "float16", "numpy") == {"parts": 0}


def test_all_numbers_are_tried_in_blocks_and_continued(monkeypatch):
    monkeypatch.setattr(sweeps, "BLOCK", 1 << 12)
    monkeypatch.setattr(sweeps, "BLOCKS", 2)
    monkeypatch.setattr(sweeps, "save", lambda kind, seen: None)
    rules, seen = [RULES["sqr_neg"], RULES["sqr_abs"]], {}
    for rule in rules:
        sweeps.row_of(seen, rule, "float16", "numpy").update(parts=1, seen=asdict(Sweep()))
    assert sweeps.lots(seen, rules) == [rules]
    monkeypatch.setattr(sweeps, "BLOCKS", 3)
    sweeps._exhaust_lot(seen, rules, -1)  # no time: nothing is tried
    assert seen["sqr_neg"]["running"]["blocks"] == 0
    sweeps.exhaust(seen, rules, 60)
    assert "running" not in seen["sqr_neg"] and sweeps.is_done(seen, rules[0])
    row = sweeps.row_of(seen, rules[1], "float32", "xla")
    assert row["seen"]["count"] == 3 << 12 and not list(sweeps.broken(seen, rules))
