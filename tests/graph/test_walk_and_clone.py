"""Walks, copies, replacement, and whether two graphs compute the same."""

import pytest

import theano
import theano.tensor as T
from theano.gof import graph


def test_nodes_come_after_what_they_need():
    x, y = T.dscalars("xy")
    out = T.exp(x) + T.exp(x) * y
    order = graph.io_toposort([x, y], [out])
    place = {node: i for i, node in enumerate(order)}
    for node in order:
        for v in node.inputs:
            assert v.owner is None or place[v.owner] < place[node]


def test_what_the_last_input_needs_comes_first():
    x = T.dmatrix("x")
    weights = [T.dmatrix(f"w{i}") for i in range(2)]
    biases = [T.dvector(f"b{i}") for i in range(2)]
    out = x
    for w, b in zip(weights, biases, strict=True):
        out = T.tanh(T.dot(out, w) + b)
    order = graph.io_toposort([x, *weights, *biases], [out])
    # a parameter each, in the order that Theano 1.0.5 gives: biases get a dimension first
    met = dict.fromkeys(v for node in order for v in node.inputs if v.owner is None)
    assert list(met) == [biases[1], biases[0], x, weights[0], weights[1]]


def test_inputs_stop_at_blockers():
    x, y = T.dscalars("xy")
    middle = x * y
    assert graph.inputs([middle + 1])[:2] == [x, y]
    (one,) = graph.inputs([middle + 1], [middle])
    assert one.data == 1


def test_orphans_are_the_constants():
    x = T.dscalar("x")
    (found,) = graph.orphans([x], [x + 3])
    assert found.data == 3


def test_equal_computations_compare_ops_and_roots():
    x, y = T.dscalars("xy")
    a, b = T.dscalars("ab")
    assert graph.equal_computations([x + y * 2], [a + b * 2], [x, y], [a, b])
    assert not graph.equal_computations([x + y * 2], [a + b * 3], [x, y], [a, b])
    assert not graph.equal_computations([x + y], [b + a], [x, y], [a, b])


def test_same_graph_with_givens():
    x, y = T.dscalars("xy")
    assert graph.is_same_graph(x + 1, x + 1)
    assert not graph.is_same_graph(x + 1, y + 1)
    assert graph.is_same_graph(x + 1, y + 1, givens={x: y})


def test_a_clone_has_its_own_nodes():
    x = T.dscalar("x")
    out = T.exp(x) + 1
    ins, outs = graph.clone([x], [out])
    assert ins[0] is not x and outs[0].owner is not out.owner
    assert graph.equal_computations([out], outs, [x], ins)


def test_theano_clone_replaces_and_keeps_other_inputs():
    x, y = T.dscalars("xy")
    out = theano.clone(x * y + x, replace={x: y + 1})
    assert graph.is_same_graph(out, (y + 1) * y + (y + 1))
    assert float(out.eval({y: 2.0})) == 3.0 * 2.0 + 3.0
    assert theano.clone([x, x * 2], {x: y})[0] is y


def test_theano_clone_can_make_new_inputs():
    x = T.dscalar("x")
    out = theano.clone(x * 2, share_inputs=False)
    assert x not in graph.ancestors([out])


def test_a_replacement_of_another_type_needs_strict_false():
    x, v = T.dscalar("x"), T.dvector("v")
    with pytest.raises(TypeError):
        theano.clone(x * 2, {x: v})
    assert theano.clone(x * 2, {x: v}, strict=False).ndim == 1


def test_a_cycle_is_found():
    x = T.dscalar("x")
    a = T.exp(x)
    b = T.log(a)
    a.owner.inputs[0] = b
    with pytest.raises(ValueError, match="cycle"):
        graph.io_toposort([x], [b])


def test_view_roots_look_through_views():
    x = T.dmatrix("x")
    assert graph.view_roots(x.T.dimshuffle(0, "x", 1)) == [x]
    y = x + 1
    assert graph.view_roots(y.T) == [y]


def test_theano_clone_replaces_all_at_once():
    x, y, z = T.dscalars("xyz")
    e = x * y
    assert theano.pp(theano.clone(x - y, {x: y, y: x})) == "(y - x)"
    assert theano.pp(theano.clone(x - y, {x: y + 1, y: z})) == "((y + 1) - z)"
    assert theano.pp(theano.clone(T.exp(e), [(e, e * 2)])) == "exp(((x * y) * 2))"
    assert theano.pp(theano.clone(T.exp(e), {e: e + 1, x: z})) == "exp(((x * y) + 1))"


def test_a_copy_with_inputs_of_its_own_has_one_for_each():
    x, y = T.dscalars("xy")
    s = theano.shared(2.0, "s")
    out = theano.clone(x - y * s, {x: y}, share_inputs=False)
    own = graph.inputs([out])
    assert len(own) == 2 and not {x, y, s} & set(own)
    s.set_value(5.0)
    other = next(v for v in own if v.name == "s")
    assert other.get_value() == 5.0


def test_theano_clone_says_what_it_takes():
    x, y = T.dscalars("xy")
    with pytest.raises(ValueError, match="clone takes a dictionary, a list or a tuple"):
        theano.clone(x, y)
    with pytest.raises(TypeError, match="clone copies Variables, got None of NoneType"):
        theano.clone([x, None], {x: y})


def test_a_swap_in_every_step_shares_memory_with_two_roots():
    a, b = x, y = T.dvectors("xy")
    c = T.iscalar()
    for _ in range(60):
        a, b = theano.ifelse.IfElse(2, as_view=True)(c, a, b, b, a)
    assert set(graph.view_roots(a)) == {x, y}
