"""Graphs that run twice, and whose results are compared."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano import gof, scalar


def test_a_graph_of_numbers_runs_twice():
    x, y = scalar.ints("xy")
    f = gof.DualLinker().accept(gof.FunctionGraph([x, y], [x % y, x | y])).make_function()
    assert [int(v) for v in f(-5, 3)] == [1, -5 | 3]


def test_a_function_may_use_it_and_keeps_its_state():
    x, s = T.dvector("x"), theano.shared(np.zeros(2))
    mode = theano.Mode(gof.DualLinker())
    f = theano.function([x], T.exp(x) + s, updates=[(s, s + x)], mode=mode)
    np.testing.assert_allclose(f([0.0, 1.0]), [1, np.e])
    np.testing.assert_allclose(f([0.0, 1.0]), [1, np.e + 1])
    assert s.get_value().tolist() == [0, 2]


def test_results_are_handed_to_a_checker():
    x = T.dvector("x")
    seen = []
    linker = gof.DualLinker(lambda a, b: seen.append((a[0].tolist(), b[0].tolist())))
    theano.function([x], x * 2, mode=theano.Mode(linker, None))([1.0])
    assert seen == [([2.0], [2.0])]


def test_results_that_differ_are_an_error():
    x = T.dvector("x")

    def differ(a, b):
        raise RuntimeError("they differ")

    f = theano.function([x], x * 2, mode=theano.Mode(gof.DualLinker(differ), None))
    with pytest.raises(RuntimeError, match="they differ"):
        f([1.0])
