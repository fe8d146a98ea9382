"""Sums and products as they are written: what may be taken out, moved and merged (ADR 22)."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.rewrite.driver import Rewriter
from theano._src.rules.pipeline import RULES
from theano._src.types.convert import constant

A, B, C, D = T.dvectors("abcd")
N, M = T.lvectors("nm")


def form(expression):
    """How an expression prints once the canonical form is made."""
    mode = theano.Mode(theano.Mode("numpy").linker, None).including("canonicalize", "merge")
    given = [v for v in theano.gof.graph.inputs([expression]) if v.name]
    (out,) = theano.function(given, expression, mode=mode).maker.fgraph.outputs
    # what was taken out has the length of the others
    while out.owner is not None and type(out.owner.op).__name__ in ("DeepCopyOp", "CheckLengths"):
        out = out.owner.inputs[0]
    return theano.pp(out).replace("(1,) of ", "")


KEPT = [
    (A / B) * (C / D),
    (A / B) * C,
    A / (B / C),
    (A / B) / C,
    A * (B * C),
    (A - B) + C,
    A + (B - C),
    (A + B) - (C + D),
    ((A - B) + C) + (D - A),
    (((A * B) * C) * D) / A,
    ((A * B) * C) / (A * D),
    (A + 1000.0) + 1e-3,
    (A + 1.0) + (B + 2.0),
]


@pytest.mark.parametrize("expression", KEPT, ids=theano.pp)
def test_what_would_make_other_partial_results_stays_as_it_is_written(expression):
    """A1, A2."""
    x = np.array([2.0, 3.0])
    given = [v for v in theano.gof.graph.inputs([expression]) if v.name]
    plain = theano.function(given, expression, mode=theano.Mode("numpy", optimizer=None))
    f = theano.function(given, expression, mode="FAST_RUN")
    rng = np.random.default_rng(34)
    for _ in range(20):
        values = [10.0 ** rng.uniform(-150, 150, 2) * x for _ in given]
        with np.errstate(all="ignore"):
            assert np.array_equal(f(*values), plain(*values), equal_nan=True)


@pytest.mark.parametrize(
    "expression, text",
    [
        ((A + B) - A, "b"),
        (A * B / A, "b"),
        ((A + B) - (A + C), "(b - c)"),
        ((A * B) / (A * C), "(b / c)"),
        ((A / B) * (B / C) * (C / D), "(a / d)"),
        (((A + B) + C) - A, "(b + c)"),
        (A * (1 / B), "(a / b)"),
        (A / (1 / B), "(a * b)"),
        ((A * B) * C, "(a * b * c)"),
        (-A + B, "(b - a)"),
        ((-A - B) + C, "(c - (a + b))"),
        (A - (-B), "(a + b)"),
        ((A + 1) + 2, "(3.0 + a)"),
        ((3 + A) - 5 + B + 2, "(a + b)"),
        ((2 * A) * (B * 3), "(6.0 * a * b)"),
        (A / (2 * B), "((0.5 * a) / b)"),
        (A * 1e20 * 1e-20, "a"),
        (N + (M - N), "m"),
        (N * (M * 2) * 3, "(6 * n * m)"),
    ],
    ids=lambda v: v if isinstance(v, str) else theano.pp(v),
)
def test_what_changes_no_partial_result_is_brought_into_one_form(expression, text):
    assert form(expression) == text


def test_signs_and_constants_of_a_factor_that_is_used_elsewhere_count():
    e = T.exp(A)
    below = -(3 * e)
    f = theano.function([A, B], [B * e / below, below], mode="FAST_RUN")
    first, second = f([0.5, -1.0], [3.0, 6.0])
    np.testing.assert_allclose(first, [-1.0, -2.0], rtol=1e-15)
    np.testing.assert_allclose(second, -3 * np.exp([0.5, -1.0]), rtol=1e-15)


@pytest.mark.parametrize("deep", [1, 300, 3000])
def test_chains_and_brackets_may_be_long_and_deep(deep):
    left, right = A, A
    for _ in range(deep):
        left, right = left + B, B / right
    f = theano.function([A, B], [left, right], mode=theano.Mode("numpy"))
    first, second = f([1.0], [2.0])
    assert first == 1 + 2 * deep and second in (1, 2)


def test_a_constant_that_stands_twice_is_left_out_twice():
    zero = constant(np.zeros(1))
    graph = theano.gof.FunctionGraph([A], [T.add(zero, zero, A)], clone=False)
    Rewriter([RULES["add_zero"]]).rewrite(graph)
    assert graph.outputs == [A]


def test_a_small_constant_stays_inside_a_sum_of_products_and_a_moderate_one_does_not():
    """A1: sum(x * 1e-20 * y) is in range where sum(x * y) is not."""
    x, y = T.fvectors("xy")
    small = np.float32(1e-20)
    f = theano.function([x, y], [((x * small) * y).sum(), (2 * x * y).sum()], mode="FAST_RUN")
    first, second = f(np.float32([1e25]), np.float32([1e25]))
    np.testing.assert_allclose(first, 1e30, rtol=1e-6)
    assert np.isinf(second)
