"""Test values are computed where the user builds, and nowhere else: all of pymc3 sets 'raise'."""

import threading

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.engines.choice.background import finish
from theano._src.graph import source_line, testvalue


@pytest.fixture(autouse=True)
def test_values_are_asked_for():
    with theano.config.change_flags(compute_test_value="raise"):
        yield


def given(kind, value, name):
    made = kind(name)
    made.tag.test_value = value
    return made


def rows_of_a_gradient():
    x = given(T.dvector, np.ones(2), "x")
    y = T.flatten(T.log(x) * 2)
    J, _ = theano.map(lambda i: T.flatten(T.grad(y[i], x)), T.arange(y.shape[0]))
    return [x], T.nlinalg.det(J), [np.array([1.0, 2.0])], 2.0


def products_and_powers():
    x = given(T.dmatrix, np.full((2, 3), 0.5), "x")
    y = given(T.dvector, np.full(3, 2.0), "y")
    cost = (x * y * x / (y * 2) + T.exp(x) ** 2 / T.exp(-y)).sum()
    g = T.grad(cost, x).sum()
    a, b = np.full((2, 3), 0.25), np.full(3, 1.5)
    return [x, y], g, [a, b], (a + 2 * np.exp(2 * a) * np.exp(b)).sum()


def steps_of_a_loop():
    x = given(T.dvector, np.arange(3.0), "x")
    w = theano.shared(0.5)
    step = lambda e, h: T.tanh(e * w + h * w) * 2 + e
    h, _ = theano.scan(step, sequences=x, outputs_info=T.constant(0.0, dtype="float64"))
    h0, total = 0.0, 0.0
    for e in range(5):
        h0 = np.tanh(e * 0.5 + h0 * 0.5) * 2 + e
        total += h0
    return [x], h.sum() + 0 * T.grad(h.sum(), w), [np.arange(5.0)], total


def lengths_that_are_asked():
    x = given(T.dmatrix, np.ones((2, 3)), "x")
    n = given(T.lscalar, 2, "n")
    out = T.concatenate([T.zeros((n, x.shape[1])), x[:n], T.alloc(1.0, n, 3)]).sum() + x.size
    return [x, n], out, [np.ones((4, 3)), 3], 9 + 9 + 12


def branches_and_masks():
    x = given(T.dvector, np.arange(3.0), "x")
    out = theano.ifelse.ifelse(x.sum() > 1, x[x > 1].sum(), T.sort(-x)[0])
    return [x], out, [np.arange(4.0)], 5.0


PROGRAMS = [
    rows_of_a_gradient,
    products_and_powers,
    steps_of_a_loop,
    lengths_that_are_asked,
    branches_and_masks,
]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("linker", ["py", "numpy", "xla", "cvm"])
def test_neither_rewriting_nor_an_engine_computes_test_values(program, linker):
    inputs, out, values, want = program()
    f = theano.function(inputs, out, mode=theano.Mode(linker))
    for _ in range(40 if linker == "cvm" else 2):
        np.testing.assert_allclose(f(*values), want)


def test_a_function_that_moves_to_xla_computes_no_test_value():
    one = theano.function([], T.constant(1.0) + theano.shared(1.0), mode=theano.Mode("xla"))
    assert one() == 2  # what XLA itself takes to start is paid for
    x = given(T.dmatrix, np.ones((2, 3)), "x")
    y = x[: x.shape[0] - 1]
    for k in range(15):
        y = y * x[1:] + 1.0 / (k + 1)
    with theano.config.change_flags(native__enabled=False):  # machine code may be as fast
        f = theano.function([x], y)
    for _ in range(60):
        f(np.ones((1000, 1000)) * 0.5)
        finish()
    assert "1 of 1 keys run on XLA" in f.fn.choice()


def test_a_function_is_rewritten_as_without_test_values():
    inputs, out, _, _ = products_and_powers()
    with_values = theano.function(inputs, out).maker.fgraph
    with theano.config.change_flags(compute_test_value="off"):
        without = theano.function(inputs, out).maker.fgraph
    ops = lambda g: [str(n.op) for n in g.toposort()]
    assert ops(with_values) == ops(without)


def test_rewriting_computes_test_values_where_it_is_told_to():
    x = given(T.dvector, np.arange(3.0), "x")
    y = T.log(T.exp(x) * T.exp(x)) + x.sum()
    has = lambda g: [hasattr(v.tag, "test_value") for n in g.toposort() for v in n.outputs]
    with theano.config.change_flags(compute_test_value_opt="raise"):
        told = theano.function([x], y).maker.fgraph
    assert all(has(told))
    assert not all(has(theano.function([x], y).maker.fgraph))


def test_what_one_thread_makes_aside_is_no_matter_of_another():
    inside, done, found = threading.Event(), threading.Event(), []

    def rewrite():
        with source_line.paused():
            inside.set()
            done.wait(10)

    thread = threading.Thread(target=rewrite)
    thread.start()
    inside.wait(10)
    x = T.dscalar("x")
    x.tag.test_value = 2.0
    y = x + 1
    found = testvalue.policy()
    done.set()
    thread.join()
    assert found == "raise" and y.tag.test_value == 3
    assert y.owner.trace is not None


def test_assertions_on_test_values_are_silent_while_a_graph_is_rewritten():
    x = given(T.dscalar, 2.0, "x")
    with source_line.paused():
        assert theano.gof.op.get_debug_values(x, T.dscalar("y")) == []
    assert theano.gof.op.get_debug_values(x, x) == [(2.0, 2.0)]
