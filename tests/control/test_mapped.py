"""Graphs with variables replaced one by one, also inside loops; names of the parts of loops."""

import itertools

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.scan_module import scan_op
from theano.scan_module.scan_utils import (
    equal_computations,
    expand_empty,
    forced_replace,
    get_updates_and_outputs,
    hash_listsDictsTuples,
    isNaN_or_Inf_or_None,
    map_variables,
    reconstruct_graph,
    safe_new,
)


def by_tag(v):
    return getattr(v.tag, "replacement", v)


def test_inputs_and_computed_variables_are_replaced():
    a, b, c = T.dscalars("abc")
    b.tag.replacement = c
    made, again = map_variables(by_tag, [a + b, T.exp(b)])
    assert made.owner.inputs == [a, c] and again.owner.inputs == [c]
    whole = a * b
    whole.tag.replacement = a - c
    (made,) = map_variables(by_tag, [whole + 1])
    assert made.eval({a: 5.0, c: 2.0}) == 4


def test_what_is_put_there_has_its_own_parts_replaced_but_not_itself():
    a, b, c = T.dscalars("abc")
    asked = []

    def replacer(v):
        asked.append(v)
        return {a: b * c, b: c}.get(v, v)

    (made,) = map_variables(replacer, [a + 1])
    assert made.eval({c: 3.0}) == 10
    assert len(asked) == len(set(asked))


def test_a_replacement_may_be_computed_from_what_it_replaces():
    a, k = T.dscalars("ak")
    b = T.exp(a)
    (made,) = map_variables(lambda v: {a: a + k, b: b * 10}.get(v, v), [b + a])
    np.testing.assert_allclose(made.eval({a: 1.0, k: 2.0}), 10 * np.exp(3) + 3)


def test_a_graph_in_which_nothing_changes_is_itself():
    x = T.dvector("x")
    sums, _ = theano.scan(
        lambda e, s: s + e, sequences=x, outputs_info=T.constant(0.0, dtype="float64")
    )
    assert map_variables(lambda v: v, [sums, x]) == [sums, x]


@pytest.mark.parametrize("linker", ["numpy", "xla"])
def test_replacements_inside_a_loop_bring_their_inputs_along(linker):
    x, outer = T.dvector("x"), T.dscalar("outer")
    shared = theano.shared(1.0, name="shared")
    factor = outer * (shared + 1)

    def step(e, a):
        r = a + e
        r.tag.replacement = factor * (a - e)
        return r

    sums, _ = theano.scan(step, sequences=x, outputs_info=T.constant(0.0, dtype="float64"))
    (changed,) = map_variables(by_tag, [factor * sums])
    f = theano.function([x, outer], [factor * sums, changed], mode=theano.Mode(linker))
    np.testing.assert_array_equal(f([1.0, 2.0, 3.0], 0.5), [[1, 3, 6], [-1, -3, -6]])
    shared.set_value(3.0)
    np.testing.assert_array_equal(f([1.0, 2.0], 0.5)[1], [-4, -16])


def test_an_outer_variable_that_a_loop_reads_is_replaced_in_it():
    x, y, z = T.dvector("x"), T.dscalar("y"), T.dscalar("z")
    y.tag.replacement = z
    products, _ = theano.scan(lambda e: e * y, sequences=x)
    (changed,) = map_variables(by_tag, [products])
    np.testing.assert_array_equal(changed.eval({x: [1.0, 2.0], z: 3.0}), [3, 6])


def test_loops_within_loops_are_reached():
    x, k = T.dmatrix("x"), T.dscalar("k")

    def inner(e):
        r = e * 2
        r.tag.replacement = e * k
        return r

    doubled, _ = theano.scan(lambda row: theano.scan(inner, sequences=row)[0], sequences=x)
    (changed,) = map_variables(by_tag, [doubled])
    np.testing.assert_array_equal(changed.eval({x: np.ones((2, 3)), k: 5.0}), np.full((2, 3), 5))


def test_a_shared_variable_with_updates_is_not_put_into_a_loop():
    x, counter = T.dvector("x"), theano.shared(0.0)
    counter.default_update = counter + 1

    def step(e):
        r = e + 1
        r.tag.replacement = e + counter
        return r

    made, _ = theano.scan(step, sequences=x)
    with pytest.raises(NotImplementedError, match="which has an update"):
        map_variables(by_tag, [made])


def test_graphs_inside_ops_from_graphs_are_mapped():
    a, b, c, d, outer = T.dscalars("abcde")
    shared = theano.shared(1.0)
    r = a + b
    r.tag.replacement = outer * (shared + 1) * (a - b)
    (changed,) = map_variables(by_tag, [theano.OpFromGraph([a, b], [r], name="sum")(c, d)])
    assert changed.owner.op.name == "sum"
    f = theano.function([c, d, outer], changed)
    for m, n in itertools.combinations(range(4), 2):
        assert f(m, n, 0.5) == m - n


def test_new_inputs_do_not_fit_derivatives_that_were_given():
    a, b, k = T.dscalars("abk")
    r = a + b
    r.tag.replacement = k * a
    op = theano.OpFromGraph([a, b], [r], lop_overrides=lambda ins, outs, gs: [gs[0], gs[0]])
    with pytest.raises(NotImplementedError, match="derivatives are given"):
        map_variables(by_tag, [op(a, b)])


def test_equal_parts_of_a_graph_are_replaced():
    x, y = T.dscalars("xy")
    made = forced_replace(T.exp(x) * (1 - T.exp(x)), T.exp(x), y)
    assert equal_computations([made], [y * (1 - y)])
    assert forced_replace(made, T.cos(x), y) is made
    assert forced_replace(None, x, y) is None


def test_new_variables_are_like_the_old_ones():
    x = T.dvector("x")
    new = safe_new(x, "_copy")
    assert new is not x and new.name == "x_copy" and new.type == x.type
    assert safe_new(T.dvector()).name is None
    assert safe_new(theano.scalar.float64("s"), dtype="int8").type == theano.scalar.int8
    five = safe_new(T.constant(5), dtype="float32")
    assert five.dtype == "float32" and five.data == 5
    rng = theano.tensor.raw_random.random_state_type("rng")
    assert safe_new(rng, "2").name == "rng2"
    (fresh,), (out,) = reconstruct_graph([x], [x + 1])
    assert fresh is not x and out.owner.inputs[0] is fresh


def test_new_variables_have_the_test_value(monkeypatch):
    monkeypatch.setattr(theano.config, "compute_test_value", "raise")
    x = T.dscalar("x")
    x.tag.test_value = np.array(3.0)
    assert safe_new(x, dtype="float32").tag.test_value == 3


def test_what_a_step_returns_is_read():
    x, s = T.dscalar("x"), theano.shared(0.0)
    condition, outs, updates = get_updates_and_outputs(
        ([x, x], {s: x}, theano.scan_module.until(x > 3))
    )
    assert condition is not None and outs == [x, x] and list(updates.items()) == [(s, x)]
    assert get_updates_and_outputs(x)[:2] == (None, [x])
    with pytest.raises(ValueError, match="a step that returns"):
        get_updates_and_outputs(object())


def test_small_helpers_of_loops():
    rows = T.constant(np.ones((2, 3)))
    made = expand_empty(rows, 2).eval()
    assert made.shape == (4, 3) and (made[:2] == 1).all()
    assert expand_empty(rows, 0) is rows
    found = [isNaN_or_Inf_or_None(v) for v in (None, np.nan, T.constant(np.inf), "a", 1, rows)]
    assert found == [True, True, True, True, False, False]
    assert hash_listsDictsTuples([1, (2, 3)]) == hash_listsDictsTuples({1: [3, 2]})


def test_parts_of_a_loop_have_the_names_of_theano():
    x, w = T.dvector("x"), T.dscalar("w")
    (_, twice), _ = theano.scan(
        lambda e, s, w: [s + e * w, e * 2],
        sequences=x,
        outputs_info=[T.constant(0.0, dtype="float64"), None],
        non_sequences=w,
    )
    node = twice.owner
    op = node.op
    assert isinstance(op, scan_op.Scan)
    facts = (op.n_seqs, op.n_mit_mot, op.n_mit_sot, op.n_sit_sot, op.n_nit_sot, op.n_shared_outs)
    assert facts == (1, 0, 0, 1, 1, 0) and not op.as_while
    assert op.info["n_sit_sot"] == 1 and op.info["tap_array"] == [[-1]]
    e, s, k = op.inputs
    assert op.inner_seqs(op.inputs) == [e] and op.inner_sitsot(op.inputs) == [s]
    assert op.inner_non_seqs(op.inputs) == [k] and op.outer_non_seqs(node) == [w]
    assert (
        [v.type for v in op.outer_seqs(node)]
        == [x.type]
        == [v.type for v in op.outer_seqs(node.inputs)]
    )
    assert op.outer_sitsot_outs(node) == node.outputs[:1]
    assert (
        op.outer_nitsot_outs(node) == [twice] and op.inner_nitsot_outs(op.outputs) == op.outputs[1:]
    )
    assert op.inner_mitmot(op.inputs) == op.outer_shared(node) == op.mitsot_taps() == []
    assert [float(v) for v in op.fn(2.0, 10.0, 3.0)] == [16, 4]


def test_the_function_of_a_compiled_step_can_be_looked_at():
    x, w = T.dvector("x"), T.dmatrix("w")
    states, _ = theano.scan(lambda s: T.tanh(T.dot(w, s)), outputs_info=x, n_steps=4)
    f = theano.function([x, w], states)
    (loop,) = (n.op for n in f.maker.fgraph.toposort() if isinstance(n.op, scan_op.Scan))
    assert any("tanh" in str(n.op) for n in loop.fn.maker.fgraph.toposort())


@pytest.mark.parametrize(
    ("taps", "words"), [([0], "below 0"), ([-1, -1], "each tap of an output once")]
)
def test_taps_of_outputs_are_checked(taps, words):
    x = T.dvector()
    with pytest.raises(ValueError, match=words):
        theano.scan(lambda e, y: [e], x, {"initial": x, "taps": taps})


def test_checkpoints_take_initial_states_without_taps():
    x = T.dvector("x")
    initial = T.constant(0.0, dtype="float64")
    made, _ = theano.scan_checkpoints(
        lambda e, s: s + e, sequences=x, outputs_info={"initial": initial}, save_every_N=2
    )
    assert made.eval({x: [1.0, 2.0, 3.0]}).tolist() == [3, 6]
    with pytest.raises(RuntimeError, match="doesn't work with taps"):
        theano.scan_checkpoints(lambda s: s, outputs_info={"initial": x, "taps": [-2]}, n_steps=3)
