"""Equations hold over the real numbers, and nearly so on floats."""

import os
from collections import Counter

import mpmath
import numpy as np
import pytest

import theano.tensor as T
from tests.rules.mutants import mutants
from theano._src.ops.index.subtensor import Subtensor
from theano._src.ops.reduce.careduce import CAReduce
from theano._src.rewrite.rule import FunctionRule, Rule
from theano._src.rules.pipeline import RULES
from theano._src.testing.opspec import SEED
from theano._src.testing.proofs.bounded import prove_on
from theano._src.testing.proofs.floats import Sides, numbers, pairs, sweep
from theano._src.testing.proofs.world import Real
from theano.extend import Elemwise, Hole, UnaryScalarOp, real_meaning, same_out
from theano.testing import prove
from tools import proofs

EQUATIONS = [r for r in RULES.values() if isinstance(r, Rule)]
FUNCTIONS = [r for r in RULES.values() if not isinstance(r, Rule)]
ALL = os.environ.get("THEANO_TEST_PROOFS") == "all"
#: each of so many numbers of float32
STEP = 100_003 if ALL else 4_000_037
x, y = Hole("x"), Hole("y")


TRUTH = {name: getattr(mpmath, name) for name in ("exp", "expm1", "log", "log1p", "sqrt", "erf",
         "erfc", "sinh", "cosh", "tanh", "sin", "cos", "hypot", "conj")}  # fmt: skip
TRUTH |= {
    "add": lambda *v: mpmath.fsum(v),
    "sub": lambda a, b: a - b,
    "mul": lambda *v: mpmath.fprod(v),
    "true_div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "inv": lambda a: 1 / a,
    "abs_": abs,
    "sqr": lambda a: a * a,
    "sgn": mpmath.sign,
    "pow": mpmath.power,
    "maximum": max,
    "minimum": min,
    "deg2rad": mpmath.radians,
    "rad2deg": mpmath.degrees,
    "arcsinh": mpmath.asinh,
    "arccosh": mpmath.acosh,
    "arctanh": mpmath.atanh,
    "sigmoid": lambda a: 1 / (1 + mpmath.exp(-a)),
    "softplus": lambda a: mpmath.log1p(mpmath.exp(a)),
    "log1mexp": lambda a: mpmath.log(1 - mpmath.exp(a)),
    "log_expm1": lambda a: mpmath.log(mpmath.exp(a) - 1),
    "log_cosh": lambda a: mpmath.log(mpmath.cosh(a)),
    "log_erfc": lambda a: mpmath.log(mpmath.erfc(a)),
}


def named(rule):
    return rule.name


def rule_of(left, right):
    return Rule("a_rule", "stabilize", left, right)


# over the real numbers


@pytest.mark.parametrize("rule", EQUATIONS, ids=named)
def test_an_equation_is_proved_over_the_real_numbers(rule):
    proof = prove(rule)
    assert proof, proof
    # a value where there was none is seen by users
    assert proof.domain == "the same" or rule.hazard


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (T.true_div(1, T.add(1, T.exp(T.neg(x)))), T.nnet.sigmoid(T.neg(x))),
        (T.sqrt(T.sqr(x)), x),
        (T.log(T.add(1, x)), T.log1p(T.neg(x))),
        (T.true_div(x, T.abs_(x)), T.abs_(x)),
        (T.tanh(T.arctanh(x)), T.neg(x)),
        (T.sub(1, T.cos(x)), T.mul(2, T.sqr(T.cos(T.mul(0.5, x))))),
        (T.conj(T.conj(x)), T.conj(x)),
    ],
)
def test_a_wrong_equation_is_refuted(left, right):
    assert prove(rule_of(left, right)).outcome == "refuted"


def test_a_proof_names_numbers_at_which_the_sides_differ():
    assert str(prove(rule_of(T.sqrt(T.sqr(x)), x))).endswith("is refuted: x = -1")


def test_a_proof_says_how_the_domain_changes():
    assert prove(rule_of(T.true_div(x, x), T.true_div(x, x))).domain == "the same"
    wider = prove(rule_of(T.mul(x, T.inv(x)), T.add(1, T.mul(0, x))))
    assert wider.domain == "wider" and wider.where == "x = 0"
    narrower = prove(rule_of(T.log(T.sqr(x)), T.mul(2, T.log(x))))
    assert narrower.domain == "narrower" and narrower.where == "x = -1" and not narrower
    other = prove(rule_of(T.log(T.mul(-1, x, x, x)), T.mul(3, T.log(x))))
    assert other.outcome == "undecided" and "no number" in other.where


def test_an_equation_without_numbers_in_its_domain_is_not_proved():
    empty = prove(rule_of(T.sqrt(T.sub(-1, T.sqr(x))), T.sqrt(T.sub(-2, T.sqr(x)))))
    assert empty.outcome == "undecided" and "no number" in empty.where


def test_an_op_without_a_meaning_is_named():
    proof = prove(rule_of(T.gamma(T.neg(T.neg(x))), T.gamma(x)))
    assert (
        proof.outcome == "no reading" and "gamma" in proof.where and "real_meaning" in proof.where
    )


def test_an_author_gives_an_op_a_meaning():
    class Double(UnaryScalarOp):
        def compute(self, xp, x):
            return x + x

    real = Hole("x", kind="f")
    double = Elemwise(Double(same_out, name="double"))
    real_meaning[Double] = lambda world, value: Real(value.term + value.term)
    assert prove(rule_of(double(real), T.mul(2, real)))
    assert not prove(rule_of(double(real), T.mul(3, real)))


def test_a_function_is_no_equation():
    with pytest.raises(TypeError, match="prove takes an equation"):
        prove(RULES["log_softmax"])


def is_wrong(rule):
    """Whether the sides of an equation differ at some numbers, by mpmath."""
    rng = np.random.default_rng(0)
    for at in zip(*(rng.uniform(-3, 3, 40) for _ in rule.lhs.holes())):
        holes = dict(zip([h.name for h in rule.lhs.holes()], map(mpmath.mpf, at)))
        try:
            left, right = (
                eval(repr(side), {"__builtins__": {}}, TRUTH | holes)
                for side in (rule.lhs, rule.rhs)
            )
        except (ZeroDivisionError, ValueError):
            continue
        real = not mpmath.im(left) and mpmath.isfinite(left)
        if real and not mpmath.almosteq(left, right, rel_eps=1e-9, abs_eps=1e-9):
            return True
    return False


def test_mutants_of_equations_are_not_proved():
    survivors, count = [], 0
    for rule in EQUATIONS if ALL else EQUATIONS[SEED % 4 :: 4]:
        for mutant in filter(is_wrong, mutants(rule)):
            count += 1
            if prove(mutant):
                survivors.append(repr(mutant))
    assert count > (200 if ALL else 40)
    assert not survivors, f"{len(survivors)} of {count}:\n" + "\n".join(survivors)


# on floats


def swept(rule, *args, **kwargs):
    result = sweep(rule, *args, room=rule.ulp, **kwargs)
    assert result.count
    assert result.holds, result


@pytest.mark.parametrize("rule", EQUATIONS, ids=named)
def test_an_equation_keeps_the_digits_of_float32_on_numpy(rule):
    swept(rule, step=STEP, start=SEED % STEP, count=100_000 if ALL else 5_000)


@pytest.mark.xla
@pytest.mark.parametrize("rule", EQUATIONS if ALL else EQUATIONS[SEED % 8 :: 8], ids=named)
def test_an_equation_keeps_the_digits_of_float32_on_xla(rule):
    swept(rule, "float32", "xla", step=STEP, start=SEED % STEP, count=100_000 if ALL else 5_000)


@pytest.mark.parametrize("rule", EQUATIONS if ALL else EQUATIONS[SEED % 4 :: 4], ids=named)
def test_an_equation_keeps_the_digits_of_every_float16(rule):
    swept(rule, "float16", count=1 << 16)


def test_the_numbers_of_a_dtype_are_all_there_once():
    bits = np.concatenate([part.view("uint16") for part in numbers("float16")])
    assert np.array_equal(np.sort(bits), np.arange(1 << 16))
    assert sum(part.size for part in numbers("float32", step=STEP)) == -(-(1 << 32) // STEP)


def test_pairs_have_all_exponents_and_special_numbers():
    drawn = np.concatenate([np.stack(pair) for pair in pairs("float32", 1 << 18)], axis=1)
    assert drawn.shape == (2, 1 << 18)
    assert np.unique(drawn.view("uint32") >> 23).size == 512
    assert (drawn == 0).any() and np.isinf(drawn).any() and np.isnan(drawn).any()
    assert np.mean(drawn[0] == -drawn[1]) > 0.001


def test_a_lost_number_and_a_worse_digit_are_seen():
    overflows = sweep(rule_of(T.abs_(x), T.sqrt(T.sqr(x))), step=STEP)
    assert overflows.missing and np.isfinite(overflows.missing_where[0]) and not overflows.holds
    worse = sweep(rule_of(T.abs_(x), T.exp(T.log(T.abs_(x)))), step=STEP)
    assert worse.worse and worse.new > 20 > worse.old


@pytest.mark.parametrize("rule", EQUATIONS, ids=named)
def test_the_reference_of_float64_is_the_left_side_with_more_digits(rule):
    """Of what mpmath finds for the left side it is within a hundredth of a unit of float32."""
    sides = Sides(rule)
    rng = np.random.default_rng(SEED)
    drawn = rng.uniform(0.0, 5.0, (len(sides.names), 12)) * rng.choice([-1, 1, 0.01, 1e-4], 12)
    inputs = [v.astype("float32") for v in drawn]
    for at, got in zip(zip(*inputs), sides.reference(*inputs), strict=True):
        numbers = dict(zip(sides.names, (mpmath.mpf(float(v)) for v in at)))
        with mpmath.workdps(60):
            try:
                wanted = eval(repr(rule.lhs), {"__builtins__": {}}, TRUTH | numbers)
            except (ZeroDivisionError, ValueError):
                continue  # the left side has no value here
            if mpmath.im(wanted) or abs(wanted) < 1e-30:
                continue
            error = abs(mpmath.mpf(float(got)) - wanted) / abs(wanted)
        assert error < 0.01 * np.finfo("float32").eps, (at, got, wanted)


# functions of graphs, on their examples


@pytest.mark.parametrize("rule", FUNCTIONS if ALL else FUNCTIONS[SEED % 12 :: 12], ids=named)
def test_a_function_that_was_proved_on_its_example_still_is(rule):
    recorded = proofs.load()[rule.name]
    result = proofs.bounded(rule)
    assert result.outcome == recorded["outcome"], result
    assert result.cases == recorded["cases"]


def test_few_functions_are_not_proved_and_none_is_refuted():
    outcomes = Counter(proofs.load()[rule.name]["outcome"] for rule in FUNCTIONS)
    assert outcomes["refuted"] == 0
    assert outcomes["proved"] >= 138


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


def test_a_difference_without_elements_is_told():
    """0 / 0 in place of a sum of nothing."""
    result = proofs.bounded(RULES["sum_of_quotient"])
    assert result and "y_0 = 0" in result.empty


# the record and the page


def test_what_was_seen_is_of_equations_as_they_are_and_nothing_was_lost():
    seen = proofs.load()
    assert {name: entry["equation"] for name, entry in seen.items()} == {
        name: proofs.equation_text(rule) if isinstance(rule, Rule) else rule.equation
        for name, rule in RULES.items()
    }
    assert not list(proofs.broken(seen, EQUATIONS))


def test_the_page_has_a_row_for_every_rule():
    """`python -m tools.proofs --write` writes it."""
    text = proofs.PAGE.read_text(encoding="utf-8")
    assert proofs.page_with(text, proofs.load()) == text
    assert all(f"| `{name}` |" in text for name in RULES)


def test_parts_of_a_sweep_are_recorded_one_after_another():
    rule, seen = RULES["neg_neg"], {}
    sides = Sides(rule, "float16", "numpy")
    proofs.record_part(seen, rule, "float16", "numpy", sides)
    row = seen["neg_neg"]["sweeps"]["float16 numpy"]
    assert row["parts"] == proofs.parts_of(rule, "float16") and row["seen"]["count"] == 1 << 16
    assert proofs.sweep_cell(row, 1) == "all: 0.0 → 0.0"
    seen["neg_neg"]["equation"] = "another"
    assert proofs.row_of(seen, rule, "float16", "numpy") == {"parts": 0}
