"""Equations hold over the real numbers, and nearly so on floats."""

import os

import mpmath
import numpy as np
import pytest

import theano.tensor as T
from tests.rules.mutants import TRUTH, is_wrong, mutants
from theano._src.rewrite.rule import Rule
from theano._src.rules.pipeline import RULES
from theano._src.testing.opspec import SEED
from theano._src.testing.proofs.floats import Sides, Sweep, Truth, numbers, pairs, sweep
from theano._src.testing.proofs.world import Real
from theano.extend import Elemwise, Hole, UnaryScalarOp, real_meaning, same_out
from theano.testing import prove
from tools.proofs.mutants import FEW, share_unequal

EQUATIONS = [r for r in RULES.values() if isinstance(r, Rule)]
FUNCTIONS = [r for r in RULES.values() if not isinstance(r, Rule)]
ALL = os.environ.get("THEANO_TEST_PROOFS") == "all"
#: each of so many numbers of float32
STEP = 100_003 if ALL else 4_000_037
x, y = Hole("x"), Hole("y")


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


def test_an_equation_takes_no_graph():
    with pytest.raises(TypeError, match="takes no graph"):
        prove(RULES["neg_neg"], [], [])


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


def test_both_sides_are_the_same_in_float64_at_all_float16():
    unequal = {rule.name: share_unequal(rule) for rule in EQUATIONS}
    assert not {name: share for name, share in unequal.items() if share > FEW}
    assert share_unequal(rule_of(T.log(T.exp(x)), T.neg(x))) > 0.5
    # nothing but the sign of some numbers is wrong
    assert share_unequal(rule_of(T.sqrt(T.sqr(x)), T.mul(1, x))) > 0.4


def swept(rule, *args, **kwargs):
    result = sweep(rule, *args, **kwargs)
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
    sides = Sides([rule])
    rng = np.random.default_rng(SEED)
    drawn = rng.uniform(0.0, 5.0, (len(sides.names), 12)) * rng.choice([-1, 1, 0.01, 1e-4], 12)
    inputs = [v.astype("float32") for v in drawn]
    for at, got in zip(zip(*inputs), sides.reference(*inputs)[repr(rule.rhs)], strict=True):
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


def test_sides_that_equations_share_are_computed_once_with_equal_results():
    rules = [RULES["exp_minus_one"], RULES["exp_less_one"]]
    drawn = np.arange(0, 1 << 32, 90_001).astype("uint32").view("float32")
    together = Sides(rules, "float32", ["numpy", "xla"]).sweep(drawn)
    for rule in rules:
        for linker in ("numpy", "xla"):
            alone = Sides([rule], "float32", [linker]).sweep(drawn)
            assert alone[rule.name, linker] == together[rule.name, linker]


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("flushes", [False, True])
def test_errors_are_in_units_in_the_last_place_of_numpy(dtype, flushes):
    bits = {"float16": "uint16", "float32": "uint32"}[dtype]
    step = {"float16": 1, "float32": 65_537}[dtype]
    numbers_ = np.arange(0, 1 << (8 * np.dtype(dtype).itemsize), step).astype(bits).view(dtype)
    numbers_ = numbers_[np.isfinite(numbers_)]
    side = np.roll(numbers_, 1)
    truth = Truth((numbers_,), numbers_.astype("float64"), flushes)
    # next to the largest number there is none
    unit = np.spacing(np.minimum(np.abs(numbers_), np.finfo(dtype).max / 2)).astype("float64")
    unit = np.where(np.abs(numbers_) > np.finfo(dtype).max / 2, 2 * unit, unit)
    if flushes:
        unit = np.maximum(unit, float(np.finfo(dtype).smallest_normal))
    wanted = np.abs(side.astype("float64") - numbers_.astype("float64")) / unit
    np.testing.assert_array_equal(truth.error(side), wanted)


def test_whole_chunks_are_compared_as_single_numbers_are():
    """Chunks of finite numbers, of NaN and of infinities have ways of their own."""
    rule = RULES["log_sigmoid"]
    sides = Sides([rule], "float32", ["numpy", "xla"])
    chunk = np.arange(0, 1 << 32, 2_000_003).astype("uint32").view("float32")
    together = sides.sweep(chunk)
    by_number = {key: Sweep() for key in together}
    for k in range(0, chunk.size, 7):
        for key, one in sides.sweep(chunk[k : k + 7]).items():
            by_number[key].merge(one)
    for key, one in together.items():
        for name in ("count", "old", "new", "worse", "most", "missing", "gained"):
            assert getattr(one, name) == getattr(by_number[key], name), (key, name)


@pytest.mark.parametrize(
    "name",
    [
        "add_zero",
        "pow_two",
        "log1p_exp",
        "one_minus_erf",
        "log_cosh",
        "arctanh_tanh",
        "over_own_sqrt",
    ],
)
def test_what_was_seen_before_spares_work_and_changes_no_result(name):
    sides = Sides([RULES[name]], "float32", ["numpy", "xla"])
    anew: dict[tuple[str, str], Sweep] = {(name, k): Sweep() for k in ("numpy", "xla")}
    seen: dict[tuple[str, str], Sweep] = {(name, k): Sweep() for k in ("numpy", "xla")}
    for start in range(0, 1 << 32, 20_000_003):
        chunk = np.arange(start, min(start + 500, 1 << 32)).astype("uint32").view("float32")
        for key, one in sides.sweep(chunk).items():
            anew[key].merge(one)
        for key, one in sides.sweep(chunk, seen=seen).items():
            seen[key].merge(one)
    assert seen == anew
