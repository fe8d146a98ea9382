"""Rules about inverses, determinants and factors hold on random matrices, and mistakes are seen."""

import os
from dataclasses import replace

import mpmath as mp
import numpy as np
import pytest

import theano.tensor as T
from theano._src.ground.xp import NumpyXp
from theano._src.ops.linalg.facts import facts_of_hints, failures
from theano._src.ops.linalg.inverse import Det, MatrixInverse
from theano._src.rewrite.rule import FunctionRule
from theano._src.rules.linalg import determinants, systems
from theano._src.rules.pipeline import RULES
from theano._src.rules.scan import facts as scan_facts
from theano._src.testing.opspec import SEED
from theano._src.testing.proofs import bounded
from tools.proofs import cases, page, record
from tools.proofs.forms import FORMS, GENERAL
from tools.proofs.graphs import graphs_of
from tools.proofs.matrices import FACTS, Lengths, draw
from tools.proofs.readings import Bounds, Exact, Value, shares

ALL = os.environ.get("THEANO_TEST_PROOFS") == "all"
KINDS = sorted({k for forms in (*FORMS.values(), GENERAL) for f in forms for k in f.kinds})


# the rules


@pytest.mark.parametrize("name", sorted(FORMS))
def test_a_rule_keeps_values_on_random_matrices(name):
    # chunks that the record does not have
    first = 10_000 + SEED % 1000 * 10
    for number in range(first, first + len(FORMS[name])):
        largest, exact, worst = cases.try_chunk(name, number, 2500 if ALL else 50)
        assert largest <= 1 and exact <= 1, f"case {worst} of chunk {number}"


@pytest.mark.parametrize("name", sorted(FORMS))
def test_a_rule_fires_on_all_outputs_of_its_forms(name):
    for form in FORMS[name]:
        before, after = form.rewritten(None), form.rewritten(RULES[name])
        for k in range(len(before.outputs)):
            kept = [replace(form, outputs=lambda *a, k=k, f=form: [f.outputs(*a)[k]])]
            one = kept[0].rewritten(RULES[name])
            assert not cases.mixes(one, [kept[0].rewritten(None)]), (form.kinds, k)
        assert not cases.mixes(after, [before])


@pytest.mark.parametrize("name", sorted(FORMS))
def test_a_rule_leaves_expressions_that_do_not_fit(name):
    for form in GENERAL:
        assert cases.mixes(form.rewritten(RULES[name]), [form.rewritten(None)])


# proofs for few rows


@pytest.mark.parametrize("name", sorted(FORMS))
def test_all_forms_are_proved_where_all_lengths_are_two(monkeypatch, name):
    monkeypatch.setattr(bounded, "assignments", of_length(2))
    for inputs, outputs in graphs_of(RULES[name]):
        result = bounded.prove_on(RULES[name], inputs, outputs)
        assert result and result.cases == len(outputs) and not result.errors + result.skipped


@pytest.mark.parametrize("name", sorted(FORMS))
def test_a_negated_result_is_refuted(monkeypatch, name):
    monkeypatch.setattr(bounded, "assignments", of_length(2))
    wrong = dict(cases.broken_results(RULES[name]))["result: negated"]
    form = FORMS[name][SEED % len(FORMS[name])]
    assert bounded.prove_on(wrong, *form.graph).outcome == "refuted"


def of_length(n):
    def assignments(inputs, longest, most):
        return [{v: np.zeros([n] * v.ndim) for v in inputs}]

    return assignments


@pytest.mark.parametrize(
    ("fact", "outcome"),
    [("orthogonal", "proved"), ("lower", "refuted"), ("positive_definite", "refuted")],
)
def test_a_fact_is_what_a_proof_may_use(fact, outcome):
    def turned(node):
        """inv(Q) -> Q.T"""
        return [T.transpose(node.inputs[0])]

    rule = FunctionRule(turned, "turned", "canonicalize", [MatrixInverse])
    A = T.dmatrix("A")
    result = bounded.prove_on(rule, [A], [T.nlinalg.matrix_inverse(T.assume(A, fact))], longest=2)
    assert result.outcome == outcome


def test_a_fact_that_does_not_follow_is_refuted():
    def stated(node):
        """det(A) -> det(hint(A))"""
        (A,) = node.inputs
        return None if A.owner else [T.nlinalg.det(T.assume(A, "symmetric"))]

    rule = FunctionRule(stated, "stated", "canonicalize", [Det])
    A = T.dmatrix("A")
    assert bounded.prove_on(rule, [A], [T.nlinalg.det(A)]).outcome == "refuted"


def test_facts_that_no_matrix_has_prove_nothing(monkeypatch):
    def summed(node):
        """det(A) -> sum(A)"""
        return [T.sum(node.inputs[0])]

    monkeypatch.setattr(bounded, "assignments", of_length(2))
    rule = FunctionRule(summed, "summed", "canonicalize", [Det])
    A = T.dmatrix("A")
    B = T.assume(-T.assume(A, "positive_definite"), "positive_definite")
    result = bounded.prove_on(rule, [A], [T.nlinalg.det(B)])
    assert result.outcome == "no reading" and not result.cases


# the record


def test_each_rule_about_matrices_has_its_cases():
    seen = record.load("cases")
    modules = (systems, determinants, scan_facts)
    about = {rule.name for module in modules for rule in module.RULES}
    # these only move elements, and their proofs have no determinants or inverses
    assert set(FORMS) == set(seen) == about - {"transpose_of_symmetric", "diagonal_of_dot"}
    assert min(record.cases_of(seen, RULES[name]) for name in FORMS) >= 100_000
    assert not list(cases.wrong_in(seen))
    assert all(max(e["seen"]["largest"], e["seen"]["exact"]) <= 1 for e in seen.values())


def test_a_rule_without_its_cases_is_lacking(monkeypatch):
    seen = record.load("cases")
    seen["det_of_dot"]["seen"]["cases"] = 99_750
    seen["det_of_kron"]["claim"] = "another"
    seen["solve_definite"]["seen"]["wrong"] = ["case 3 of chunk 1"]
    monkeypatch.setattr(page, "load", lambda kind: seen if kind == "cases" else record.load(kind))
    assert {
        "det_of_dot was tried on 99,750 of 100,000 cases",
        "det_of_kron was tried on 0 of 100,000 cases",
        "solve_definite is wrong in case 3 of chunk 1",
    } <= set(page.lacking())


def test_cases_are_continued_until_there_are_enough(monkeypatch):
    monkeypatch.setattr(cases, "save", lambda kind, seen: None)
    monkeypatch.setattr(cases, "mutants_of", lambda name: [])
    monkeypatch.setattr(cases, "CASES", 3 * cases.AT_ONCE)
    seen, names = {}, ["dot_with_diagonal", "solve_diagonal"]
    cases.record_cases(seen, names, 0)  # the first chunk is over the time
    assert [record.cases_of(seen, RULES[n]) for n in names] == [cases.AT_ONCE, 0]
    cases.record_cases(seen, names, 60)
    assert [seen[n]["seen"]["chunks"] for n in names] == [3, 3]
    assert not list(cases.wrong_in(seen))


def test_a_wrong_case_is_recorded(monkeypatch):
    _, wrong = next(cases.broken_results(RULES["det_of_dot"]))
    form = FORMS["det_of_dot"][0]
    monkeypatch.setattr(cases, "after", lambda name: [form.compiled(wrong)])
    seen = {}
    cases.record_chunk(seen, "det_of_dot", 20)
    ((name, line),) = cases.wrong_in(seen)
    assert name == "det_of_dot" and "of chunk 0" in line


# mistakes


def test_mutants_are_seen_as_recorded():
    recorded = {
        (name, what): layer
        for name, entry in record.load("cases").items()
        for what, layer in entry["mutants"].items()
    }
    counted = [layer for layer in recorded.values() if layer not in page.LEFT_OUT]
    assert len(counted) >= 120 and set(counted) == {"cases"}
    some = set(list(recorded) if ALL else list(recorded)[SEED % 12 :: 12])
    tried = {
        (name, what): cases.layer_of(name, mutant)
        for name in FORMS
        for what, mutant in cases.mutants_of(name)
        if (name, what) in some
    }
    assert tried == {key: recorded[key] for key in some}


@pytest.mark.parametrize("name", sorted(FORMS))
def test_an_error_in_the_ninth_digit_is_seen(name):
    wrong = dict(cases.broken_results(RULES[name]))["result: 1e-9 more"]
    assert cases.layer_of(name, wrong) == "cases"


def test_a_wrong_fact_within_a_loop_is_seen(monkeypatch):
    right = scan_facts.facts_of
    monkeypatch.setattr(scan_facts, "facts_of", lambda fgraph, v: right(fgraph, v).turned)
    (form,) = [f for f in FORMS["scan_facts_into_loop"] if f.kinds == ("lower", "rows")]
    many, _ = form.compiled(RULES["scan_facts_into_loop"])
    with pytest.raises(AssertionError, match="assumed to be upper"):
        cases.difference(form, many, form.draw(np.random.default_rng(SEED), 20))


# what is drawn


def test_all_facts_are_drawn():
    assert {word for kind in KINDS for word in kind.split()} >= set(FACTS)


@pytest.mark.parametrize("kind", KINDS)
def test_operands_have_the_facts_of_their_kind(kind):
    rng = np.random.default_rng(SEED)
    for n in (1, 2, 5):
        several = draw(rng, kind, 200, Lengths(n, 3, 2), 8.0)
        stated = [word for word in kind.split() if word in FACTS]
        facts = facts_of_hints(dict.fromkeys(stated, True))
        assert not [name for name, wrong in failures(NumpyXp(), facts, several) if wrong]
        assert several.dtype == "float64" and len(several) == 200


def test_determinants_of_all_signs_and_condition_numbers_occur():
    rng = np.random.default_rng(SEED)
    for kind in ("any square", "any lower", "any diagonal"):
        several = draw(rng, kind, 1000, Lengths(4, 1, 1), 8.0)
        least, most = np.linalg.svd(several, compute_uv=False)[:, [3, 0]].T
        sign = np.where(least > 1e-12 * most, np.sign(np.linalg.det(several)), 0)
        assert min(np.sum(sign == s) for s in (-1, 0, 1)) > 50
        condition = most[sign != 0] / least[sign != 0]
        assert np.sum(condition < 100) > 50 and np.sum(condition > 1e6) > 20


# readings


def test_the_exact_reading_is_exact():
    with mp.workdps(60):
        m = Exact()
        hilbert = np.array([[mp.mpf(1) / (i + j + 1) for j in range(6)] for i in range(6)])
        assert abs(1 / m.det(hilbert) - 186_313_420_339_200_000) < mp.mpf("1e-30")
        assert abs(m.inverse(hilbert)[5, 5] - 698_544) < mp.mpf("1e-40")
        x = m.solve(hilbert, m.dot(hilbert, np.arange(6)))
        assert max(abs(x - np.arange(6))) < mp.mpf("1e-45")
        singular = m.operand(np.array([[1.0, 2.0], [2.0, 4.0]]))
        assert m.slogdet(singular) == (0, mp.mpf("-inf"))
        turned = m.operand(np.array([[0.0, 1.0], [1.0, 0.0]]))
        assert m.det(turned) == -1 and mp.isnan(m.log(m.det(turned)))


def test_bounds_grow_with_the_condition_number():
    m = Bounds()
    A = m.operand(np.array([np.diag([1.0, 1.0]), np.diag([1.0, 1e-6])]))
    b = m.operand(np.ones((2, 2)))
    well, badly = m.solve(A, b).error / np.array([1.0, 1e6])
    assert 2 <= well < 4 and 2e6 <= badly < 4e6
    well, badly = m.det(A).error / np.array([1.0, 1e-6])
    assert 2 <= well < 4 and 2e6 <= badly < 4e6
    twice = m.inverse(m.inverse(A))
    np.testing.assert_allclose(twice.value, A.value)
    assert twice.error[1] > 1e6 * twice.error[0]


def test_differences_are_shares_of_what_they_may_be():
    array = Value(np.zeros((3, 2)), np.array([1.0, 1.0, 1e6]))
    a = np.ones((3, 2))
    off = a + np.array([[0.0], [1e-12], [1e-12]])
    same, large, small = shares(array, a, off)
    assert same == 0 and large > 100 and small < 1
    assert np.isinf(shares(array, a, np.full((3, 2), np.nan))).all()
    assert not shares(array, a * np.nan, a * np.nan).any()
    assert not shares(array, a * np.inf, a * np.inf).any()


def test_the_sign_of_a_determinant_counts_unless_it_may_be_zero():
    m = Bounds()
    A = m.operand(np.array([[[1.0, 2.0], [2.0, 4.0]], [[1.0, 2.0], [2.0, 5.0]]]))
    sign, log = m.slogdet(A)
    assert shares(sign, [1, 1], [-1, -1]).tolist() == [0, np.inf]
    assert (shares(log, [-np.inf, 0.0], [-40.0, 1e-15]) <= 1).all()
    assert (shares(log, [-np.inf, 0.0], [-20.0, 1e-9]) > 1).all()
    det = m.det(A)
    assert (shares(det, [0.0, 1.0], [1e-15, 1.0]) <= 1).all()
    assert (shares(det, [0.0, 1.0], [1e-9, -1.0]) > 1).all()
