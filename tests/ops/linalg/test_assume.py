"""`assume`: what it takes, that values and derivatives pass, and what wrong facts cost."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.ops.linalg.facts import NOTHING, Facts, facts_of_hints
from theano._src.ops.linalg.hints import Hint

MODES = [theano.Mode(linker, "fast_run") for linker in ("numpy", "xla", "native")]
UNREWRITTEN = theano.Mode("numpy", optimizer=None)
TRUE = {
    "symmetric": [[1.0, 2.0], [2.0, -3.0]],
    "psd": [[1.0, 1.0], [1.0, 1.0]],
    "positive_definite": [[2.0, 1.0], [1.0, 2.0]],
    "orthogonal": [[0.6, 0.8], [-0.8, 0.6]],
    "lower": [[1.0, 0.0], [5.0, 2.0]],
    "upper": [[1.0, 5.0], [0.0, 2.0]],
    "diagonal": [[3.0, 0.0], [0.0, 2.0]],
}
FALSE = {
    "symmetric": [[1.0, 2.0], [2.1, 1.0]],
    "psd": [[1.0, 2.0], [2.0, 1.0]],
    "positive_definite": [[1.0, 1.0], [1.0, 1.0 - 1e-12]],
    "orthogonal": [[1.0, 1e-3], [0.0, 1.0]],
    "lower": [[1.0, 1e-3], [5.0, 2.0]],
    "upper": [[1.0, 5.0], [1e-3, 2.0]],
    "diagonal": [[3.0, 0.0], [1e-3, 2.0]],
}


def unrewritten(x, y):
    return theano.function([x], y, mode=UNREWRITTEN)


@pytest.mark.parametrize("fact", TRUE)
def test_values_and_derivatives_pass(fact):
    x = T.dmatrix("x")
    y = T.assume(x, fact)
    f = theano.function([x], [y, T.grad((y**2).sum(), x), T.Rop(y, x, 2 * x)])
    value = np.array(TRUE[fact])
    for got, wanted in zip(f(value), (value, 2 * value, 2 * value), strict=True):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("mode", MODES, ids=("numpy", "xla", "native"))
@pytest.mark.parametrize("fact", TRUE)
def test_the_flag_tests_facts_on_every_engine(fact, mode):
    x = T.dmatrix("x")
    with theano.config.change_flags(check_assumptions=True):
        f = theano.function([x], T.assume(x, fact) * 2, mode=mode)
    np.testing.assert_array_equal(f(TRUE[fact]), 2 * np.array(TRUE[fact]))
    with pytest.raises(AssertionError, match=f"x is assumed to be {fact}"):
        f(FALSE[fact])


@pytest.mark.parametrize("fact", TRUE)
def test_debug_mode_tests_facts(fact):
    x = T.dmatrix("x")
    f = theano.function([x], T.assume(x, fact) * 2, mode="DebugMode")
    np.testing.assert_array_equal(f(TRUE[fact]), 2 * np.array(TRUE[fact]))
    with pytest.raises(AssertionError, match=f"x is assumed to be {fact}"):
        f(FALSE[fact])


def test_a_compiled_function_has_no_node_for_a_fact():
    x = T.dmatrix("x")
    for mode in ("FAST_RUN", "FAST_COMPILE"):
        f = theano.function([x], T.assume(x, "symmetric") * 2, mode=mode)
        assert not any(isinstance(n.op, Hint) for n in f.maker.fgraph.apply_nodes)


def test_rounding_does_not_contradict_a_fact():
    rng = np.random.default_rng(3)
    for dtype in ("float32", "float64"):
        m = rng.normal(size=(20, 20)).astype(dtype)
        q, _ = np.linalg.qr(m)
        x = T.matrix("x", dtype=dtype)
        cases = [("orthogonal", q), ("symmetric", (m @ np.diag(m[0])) @ m.T), ("psd", m @ m.T)]
        for fact, value in cases:
            unrewritten(x, T.assume(x, fact))(value)


@pytest.mark.parametrize(("below", "above"), [(0, 1), (1, 0), (1, 1), (2, 0)])
def test_bands_are_tested_on_values(below, above):
    x = T.dmatrix("x")
    y = T.assume(x, banded=(below, above))
    value = np.triu(np.tril(np.ones((5, 5)), above), -below)
    np.testing.assert_array_equal(unrewritten(x, y)(value), value)
    with pytest.raises(AssertionError, match="assumed to be"):
        unrewritten(x, y)(np.ones((5, 5)))


def test_facts_of_a_stack_are_those_of_each_matrix():
    x = T.dtensor3("x")
    y = T.assume(x, "lower")
    stack = np.tril(np.ones((2, 3, 3)))
    np.testing.assert_array_equal(unrewritten(x, y)(stack), stack)
    stack[1, 0, 2] = 1
    with pytest.raises(AssertionError, match="x is assumed to be lower"):
        unrewritten(x, y)(stack)


def test_a_matrix_that_is_not_square_contradicts_an_assumption():
    x = T.dmatrix("x")
    with pytest.raises(AssertionError, match="assumed to be square"):
        unrewritten(x, T.assume(x, "lower"))(np.ones((2, 3)))


@pytest.mark.parametrize(
    ("args", "kwargs", "error", "text"),
    [
        (("symetric",), {}, ValueError, "did you mean 'symmetric'"),
        (("banded",), {}, ValueError, "assume takes facts of"),
        ((), {}, TypeError, "one fact or more"),
        ((), {"banded": 3}, ValueError, "numbers of diagonals below and above"),
        ((), {"banded": (1, -1)}, ValueError, "numbers of diagonals below and above"),
    ],
)
def test_errors_say_what_it_takes(args, kwargs, error, text):
    with pytest.raises(error, match=text):
        T.assume(T.dmatrix(), *args, **kwargs)


def test_it_takes_matrices_and_real_ones_for_definiteness():
    with pytest.raises(TypeError, match="assume takes a matrix"):
        T.assume(T.dvector(), "lower")
    with pytest.raises(TypeError, match="takes a real matrix for 'psd'"):
        T.assume(T.zmatrix(), "psd")
    assert T.assume(T.zmatrix(), "lower").dtype == "complex128"


def test_facts_imply_others():
    assert Facts(positive_definite=True).symmetric
    assert Facts(symmetric=True, above=0).diagonal
    assert Facts(orthogonal=True).square
    assert not Facts(above=0, below=0).diagonal  # it may have more rows than columns
    assert Facts(below=1, above=2).turned == Facts(below=2, above=1)
    assert Facts(below=1) | Facts(below=3, square=True) == Facts(below=1, square=True)
    assert NOTHING.hints() == {}
    hints = {"banded": (1, 1), "seen": 3}
    assert facts_of_hints(hints).hints() == hints


def test_nan_where_zero_is_assumed_contradicts_a_fact_and_elsewhere_does_not():
    x = T.dmatrix("x")
    for fact in FALSE:
        f = unrewritten(x, T.assume(x, fact))
        with pytest.raises(AssertionError, match="assumed to be"):
            f([[1.0, np.nan], [2.0, 1.0]] if fact != "upper" else [[1.0, 2.0], [np.nan, 1.0]])
    for fact in ("symmetric", "lower", "upper", "diagonal"):
        unrewritten(x, T.assume(x, fact))([[np.nan, 0.0], [0.0, np.inf]])
