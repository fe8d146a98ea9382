"""ifelse on the native engine: one branch runs, with the bits of the numpy engine."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.engines.native.common import both, finishes, is_native, needs_compiler
from theano.ifelse import ifelse

pytestmark = needs_compiler
x, y, m = T.dvector("x"), T.dvector("y"), T.dmatrix("m")
c, k = T.dscalar("c"), T.lscalar("k")


def value(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape)


PROGRAMS = {
    "values that are there": ([c, x, y], lambda: ifelse(c, x, y), [value(3), value(5, seed=1)]),
    "computed": (
        [c, x, y],
        lambda: ifelse(c, T.exp(x) * y, T.sqr(x) - y),
        [value(7), value(7, seed=1)],
    ),
    "lengths that differ": (
        [c, x],
        lambda: ifelse(c, T.exp(x), x[1:3] * 2).sum() + x,
        [value(6)],
    ),
    "numbers": ([c, x], lambda: ifelse(c, x.sum(), T.log(T.sqr(x).sum())), [value(4)]),
    "several": (
        [c, x, m],
        lambda: ifelse(c, [T.tanh(x), m + 1], [x * 2, T.dot(m, m)]),
        [value(3), value(3, 3)],
    ),
    "views": (
        [c, m],
        lambda: ifelse(c, T.exp(m[::2, 1:]), T.sin(m[::2, 1:]) * m[0, 1:]),
        [value(5, 4)],
    ),
    "one in the other": (
        [c, x],
        lambda: ifelse(c, ifelse(x.sum() > 0, T.exp(x), T.sin(x)), T.cos(x)),
        [value(4)],
    ),
    "gradient": (
        [c, x],
        lambda: T.grad(ifelse(c, T.exp(x).sum(), T.sqr(x).sum() * 2), x),
        [value(4)],
    ),
    "in a loop": (
        [c, x],
        lambda: theano.scan(
            lambda a, p: ifelse(a > c, T.tanh(p + a), p * T.exp(-a)), x, T.ones(())
        )[0],
        [value(9)],
    ),
    "a loop inside": (
        [c, x],
        lambda: ifelse(c, theano.scan(lambda a, p: p * a + 1, x, T.ones(()))[0], x),
        [value(9)],
    ),
    "called back": ([c, m], lambda: ifelse(c, T.nlinalg.matrix_inverse(m), m * 2), [value(3, 3)]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_both_branches_give_the_bits_of_numpy(name):
    inputs, build, values = PROGRAMS[name]
    outputs = build()
    for condition in (0.0, 1.0, -3.5, np.nan):
        f = both(inputs, outputs, [condition, *values])
        assert is_native(f)
        assert finishes(f, condition, *values)[0]


def test_the_other_branch_is_not_run():
    f = both([c, x, k], ifelse(c, T.exp(x), x[k] * x), [1.0, value(3), 7])
    assert finishes(f, 1.0, value(3), 7)[0]
    with pytest.raises(IndexError):
        f(0.0, value(3), 7)


def test_a_branch_that_needs_more_memory_gets_it():
    f = both([c, x], ifelse(c, T.exp(T.outer(x, x)).sum(0), x), [0.0, value(3)])
    assert finishes(f, 1.0, value(400))[0]


def test_updates_that_a_condition_chooses():
    total = theano.shared(np.zeros(3))
    given = T.dvector()
    f = both(
        [given], [], [value(3)], updates=[(total, ifelse(given.sum() > 0, total + given, total))]
    )
    before = total.get_value()
    f(np.ones(3))
    assert (total.get_value() == before + 1).all()
    f(-np.ones(3))
    assert (total.get_value() == before + 1).all()
