"""In-place ops: order, and what is refused."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.gof import FunctionGraph, destroyhandler
from theano.gof.fg import InconsistencyError
from theano.tensor.inplace import add_inplace, exp_inplace


def handled(inputs, outputs):
    g = FunctionGraph(inputs, outputs, clone=False)
    handler = destroyhandler.DestroyHandler()
    g.attach_feature(handler)
    return g, handler


def test_readers_run_before_the_node_that_overwrites():
    x, y = T.dvectors("xy")
    late, read, view = add_inplace(x, y), T.log(x), T.sin(x[::-1])
    g, handler = handled([x, y], [late, read, view])
    handler.validate(g)
    order = [str(n.op) for n in g.toposort()]
    assert order[-1] == str(add_inplace)


def test_what_reads_the_result_runs_after():
    x, y = T.dvectors("xy")
    g, handler = handled([x, y], [T.log(add_inplace(x, y))])
    handler.validate(g)
    assert [str(n.op) for n in g.toposort()] == [str(add_inplace), str(T.log)]


def test_two_nodes_cannot_overwrite_one_memory():
    x, y = T.dvectors("xy")
    g, handler = handled([x, y], [add_inplace(x, y), exp_inplace(x)])
    with pytest.raises(InconsistencyError, match="Multiple destroyers"):
        handler.validate(g)


def test_a_reader_that_needs_the_result_makes_a_cycle():
    x, y = T.dvectors("xy")
    after = add_inplace(x, y)
    g, handler = handled([x, y], [after * x])
    with pytest.raises(InconsistencyError, match="cycle"):
        handler.validate(g)


def test_a_constant_is_never_overwritten():
    c = T.constant(np.ones(3))
    g, handler = handled([], [exp_inplace(c)])
    with pytest.raises(InconsistencyError, match="indestructible"):
        handler.validate(g)


def test_an_output_is_never_overwritten():
    x, y = T.dvectors("xy")
    g, handler = handled([x, y], [x[1:], add_inplace(x, y)])
    with pytest.raises(InconsistencyError, match="output"):
        handler.validate(g)


def test_one_memory_read_twice_by_the_node_that_overwrites_it_is_refused():
    x = T.dvector("x")
    g, handler = handled([x], [add_inplace(x, x[::-1])])
    with pytest.raises(InconsistencyError, match="same memory"):
        handler.validate(g)


def test_functions_refuse_in_place_ops_unless_told():
    x, y = T.dvectors("xy")
    with pytest.raises(TypeError, match="accept_inplace"):
        theano.function([x, y], add_inplace(x, y))


def test_only_what_the_graph_itself_overwrites_is_not_protected():
    x, y = T.dvectors("xy")
    f = theano.function([x, y], add_inplace(x, T.exp(y)), accept_inplace=True)
    a, b = np.array([1.0, 2.0]), np.zeros(2)
    assert f(a, b).tolist() == a.tolist() == [2, 3]
    assert b.tolist() == [0, 0]
    f = theano.function([theano.In(x, mutable=True), y], add_inplace(x, y), accept_inplace=True)
    assert f([1, 2], [10, 20]).tolist() == [11, 22]


def test_fast_inplace_check_leaves_out_what_may_not_be_touched():
    x, y = T.dvectors("xy")
    a, b = T.exp(x), T.log(y)
    handled([x, y], [a, exp_inplace(b)])
    assert destroyhandler.fast_inplace_check([a, b, x]) == [x]


def test_a_view_of_either_of_two_inputs_is_overwritten_after_the_readers_of_both():
    c = T.iscalar("c")
    x, y = T.dvectors("xy")
    chosen = theano.ifelse.IfElse(1, as_view=True)(c, x, y)
    late, one, other = exp_inplace(chosen), T.log(x), T.sin(y)
    g, handler = handled([c, x, y], [late, one, other])
    assert str(g.toposort()[-1].op) == str(exp_inplace)
    assert handler.destroyers_of(x) == handler.destroyers_of(y) == [late.owner]
