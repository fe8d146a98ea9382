"""Loops together with other things: loops, choices, graphs as ops, Python ops, modes."""

from __future__ import annotations

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.control.test_scan import V, compiled, engines, h0, n, v
from theano import OpFromGraph
from theano.ifelse import ifelse
from theano.tensor.opt import Assert

MODES = {
    "FAST_COMPILE": "FAST_COMPILE",
    "FAST_RUN": "FAST_RUN",
    "py": theano.Mode("py"),
    "vm": theano.Mode("vm"),
    "c|py": theano.Mode("c|py"),
    "not rewritten": theano.Mode("cvm", optimizer=None),
    "the default": None,
}


class Failing(theano.Op):
    """Raises where its number is 3."""

    __props__ = ()

    def make_node(self, x):
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, storage):
        if inputs[0] == 3:
            raise RuntimeError("three is bad luck")
        storage[0][0] = inputs[0]


def nest(depth, h):
    """``tanh(1.1 h)``, 2 to the power of depth times."""
    if depth == 0:
        return T.tanh(h * 1.1)
    return theano.scan(lambda s: nest(depth - 1, s), outputs_info=h, n_steps=2)[0][-1]


@pytest.mark.parametrize(
    ("linker", "depth"), [("numpy", 6), pytest.param("xla", 3, marks=pytest.mark.xla)]
)
def test_loops_in_loops_in_loops_have_gradients(linker, depth):
    out = nest(depth, v)
    last, g = compiled(linker, [v], [out, theano.grad(out.sum(), v)])(V / 4)
    h, slope = V / 4, np.ones(4)
    for _ in range(2**depth):
        h = np.tanh(h * 1.1)
        slope = slope * 1.1 * (1 - h**2)
    np.testing.assert_allclose(last, h, rtol=1e-12)
    np.testing.assert_allclose(g, slope, rtol=1e-10)


@pytest.mark.parametrize("name", MODES)
def test_a_loop_and_its_gradient_are_the_same_in_every_mode(name):
    out, _ = theano.scan(lambda a, h: h * 2 + a, sequences=v, outputs_info=h0)
    f = theano.function([v, h0], [out, theano.grad(out.sum(), v)], mode=MODES[name])
    rows, g = f(V, 1.0)
    np.testing.assert_array_equal(rows, [3, 8, 19, 42])
    np.testing.assert_array_equal(g, [15, 7, 3, 1])


@engines
def test_a_choice_within_a_step_computes_one_branch(linker):
    def step(a, h):
        return ifelse(T.gt(a, 2), h + a, Assert("too large")(h * 10, T.lt(a, 3)))

    out, _ = theano.scan(step, sequences=v, outputs_info=h0)
    rows, g = compiled(linker, [v, h0], [out, theano.grad(out[-1], v)])(V, 1.0)
    np.testing.assert_array_equal(rows, [10, 100, 103, 107])
    np.testing.assert_array_equal(g, [0, 0, 1, 1])


@engines
def test_a_loop_in_a_branch_that_is_not_taken_does_not_run(linker):
    checked, _ = theano.scan(lambda a: Assert("not now")(a, T.lt(a, 0)), sequences=v)
    f = compiled(linker, [v, n], ifelse(n, checked, v * 2))
    np.testing.assert_array_equal(f(V, 0), V * 2)
    with pytest.raises(AssertionError, match="not now"):
        f(V, 1)


@engines
def test_a_graph_as_an_op_may_hold_a_loop_and_be_in_one(linker):
    a = T.dvector("a")
    op = OpFromGraph([a], [theano.scan(lambda e, s: s * 2 + e, a, T.constant(np.asarray(0.0)))[0]])
    out, _ = theano.scan(lambda h: op(h) * 0.5, outputs_info=v, n_steps=2)
    rows, g = compiled(linker, [v], [out, theano.grad(out[-1].sum(), v)])(V)
    step = 0.5 * np.array([[2.0 ** (i - j) if i >= j else 0 for j in range(4)] for i in range(4)])
    np.testing.assert_allclose(rows, [step @ V, step @ step @ V])
    np.testing.assert_allclose(g, (step @ step).sum(axis=0))


@engines
def test_an_op_that_raises_in_a_step_is_named_with_its_line(linker):
    out, _ = theano.scan(lambda a: Failing()(a) + 1, sequences=v)
    f = compiled(linker, [v], out)
    np.testing.assert_array_equal(f(V[:2]), V[:2] + 1)
    with pytest.raises(RuntimeError, match="three is bad luck") as e:
        f(V)
    assert "lambda a: Failing()(a) + 1" in str(e.value)


@engines
def test_what_a_step_prints_is_printed_step_by_step(linker, capsys):
    shown = theano.printing.Print("at")
    out, _ = theano.scan(lambda a: shown(a) * 2, sequences=v)
    np.testing.assert_array_equal(compiled(linker, [v], out)(V[:3]), V[:3] * 2)
    assert capsys.readouterr().out.split("\n")[:3] == [f"at __str__ = {a}" for a in (1.0, 2.0, 3.0)]


@engines
def test_states_may_swap_places_and_outputs_may_be_inputs(linker):
    outs, _ = theano.scan(
        lambda a, x, y: [y, x, a, x], sequences=v, outputs_info=[h0, h0 * 2, None, None]
    )
    x, y, a, before = compiled(linker, [v, h0], outs)(V, 1.0)
    np.testing.assert_array_equal(x, [2, 1, 2, 1])
    np.testing.assert_array_equal(y, [1, 2, 1, 2])
    np.testing.assert_array_equal(a, V)
    np.testing.assert_array_equal(before, [1, 2, 1, 2])


@engines
def test_a_call_changes_none_of_its_arguments(linker):
    out, _ = theano.scan(
        lambda i, h: T.set_subtensor(h[i], i * 1.0), sequences=T.arange(4), outputs_info=v
    )
    given = V.copy()
    f = compiled(linker, [v], [out, out[-1]])
    rows, last = f(given)
    np.testing.assert_array_equal(given, V)
    np.testing.assert_array_equal(last, np.arange(4.0))
    np.testing.assert_array_equal(rows[0], [0, 2, 3, 4])
    last[:] = 9
    np.testing.assert_array_equal(f(given)[0], rows)
