"""What a picture says of a graph: kinds, types, lengths, times, lines, graphs inside."""

import time

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.show.drawing.graphs import condition, loop, training, wide
from theano._src.show.drawing.description import describe
from theano._src.show.drawing.families import FAMILIES
from theano._src.show.drawing.theme import FAMILY_COLOURS


def by_label(picture, label):
    (found,) = [n for n in picture.nodes if n.label == label]
    return found


def sources(picture, id):
    return [e.source for e in picture.edges if e.target == id and e.kind != "update"]


def test_each_node_comes_after_what_it_is_computed_from():
    picture = describe(training()[0])
    at = {n.id: i for i, n in enumerate(picture.nodes)}
    assert len(at) == len(picture.nodes)
    assert all(at[e.source] < at[e.target] for e in picture.edges if e.kind != "update")


def test_inputs_constants_shared_variables_and_outputs_are_told_apart():
    picture = describe(training()[0])
    kinds = {n.label: n.kind for n in picture.nodes if n.kind != "apply"}
    assert (kinds["x"], kinds["w"], kinds["new w"]) == ("input", "shared", "update")
    assert kinds["float64 scalar"] == "output" and "constant" in kinds.values()


def test_an_update_leads_to_its_shared_variable():
    picture = describe(training()[0])
    (edge,) = [e for e in picture.edges if e.kind == "update" and e.name == "w"]
    assert edge.source == by_label(picture, "new w").id
    assert edge.target == by_label(picture, "w").id


def test_types_and_lengths_are_those_of_the_variables():
    picture = describe(training()[0])
    assert by_label(picture, "w").shape == (7,)
    assert by_label(picture, "x").shape == (None, None)
    assert by_label(picture, "x").type == "TensorType(float64, matrix)"
    row = describe(T.exp(T.drow("r")))
    assert by_label(row, "r").shape == (1, None)


def test_lengths_can_be_given():
    x = T.dmatrix("x")
    assert by_label(describe(T.exp(x), shapes={x: (3, 4)}), "x").shape == (3, 4)


def test_the_line_that_made_a_node_is_named():
    x = T.dvector("x")
    node = by_label(describe(T.exp(x)), "exp")
    assert node.line.startswith("test_description.py:")
    assert 'T.exp(x)), "exp")' in node.source


def test_a_rewritten_node_says_what_the_user_wrote():
    x = T.dvector("x")
    f = theano.function([x], T.log(1 + T.exp(x)))
    (node,) = [n for n in describe(f).nodes if n.kind == "apply"]
    assert node.label == "softplus"
    assert "log" in node.rewritten_from
    assert not any(n.rewritten_from for n in describe(T.log(1 + T.exp(x))).nodes)


def test_times_are_given_by_node_and_become_shares():
    x = T.dvector("x")
    y = T.exp(x)
    picture = describe(y.sum(), times={y.owner: 0.003, y.sum().owner: 0.001})
    node = by_label(picture, "exp")
    assert (node.seconds, node.share) == (0.003, 0.75)


def test_the_times_of_a_profile_are_shown():
    x = T.dvector("x")
    profile = theano.compile.ProfileStats(atexit_print=False)
    f = theano.function([x], T.exp(x).sum(), profile=profile, mode=theano.Mode("py"))
    f(np.ones(1000))
    shown = [n for n in describe(f).nodes if n.kind == "apply"]
    assert [n.seconds for n in shown] == [
        profile.apply_time[node] for node in f.maker.fgraph.toposort()
    ]
    assert sum(n.share for n in shown) == pytest.approx(1.0)


def test_views_and_overwritten_inputs_are_marked():
    kinds = {e.kind for e in describe(training()[0]).edges}
    assert kinds == {"use", "view", "destroy", "update"}


def test_a_scan_holds_the_graph_of_its_step():
    picture = describe(loop())
    (node,) = [n for n in picture.nodes if n.family == "loop"]
    (inner,) = node.inner
    assert inner.title == "each step"
    assert "mul" in [n.label for n in inner.nodes]
    assert "a" in [n.label for n in inner.nodes], "an inner input has the name of the outer one"


def test_a_lazy_condition_holds_both_branches():
    out = condition()
    picture = describe(theano.function(picture_inputs(out), out))
    (node,) = [n for n in picture.nodes if n.family == "condition"]
    assert [p.title for p in node.inner] == ["then", "else"]


def picture_inputs(out):
    return [v for v in theano.gof.graph.inputs([out]) if v.name]


def test_the_inputs_of_a_condition_are_called_if_then_else():
    picture = describe(condition())
    (node,) = [n for n in picture.nodes if n.family == "condition"]
    assert [e.label for e in picture.edges if e.target == node.id] == ["if", "then", "else"]


def test_an_op_from_a_graph_and_a_fused_op_hold_graphs():
    x = T.dvector("x")
    op = theano.OpFromGraph([x], [T.exp(x) + 1])
    (node,) = [n for n in describe(op(x)).nodes if n.kind == "apply"]
    assert [n.label for n in node.inner[0].nodes if n.kind == "apply"] == [
        "exp",
        "DimShuffle{x}",
        "add",
    ]
    f = theano.function([x], T.exp(x) * 2 + x)
    (node,) = [n for n in describe(f).nodes if n.kind == "apply"]
    assert node.family == "fused" and node.inner[0].total == 3


def test_graphs_inside_graphs_are_described_once():
    x = T.dscalar("x")
    op = theano.OpFromGraph([x], [x + x])
    for _ in range(30):
        # each level uses the one below it twice: 2 ** 30 copies, were each use described
        op = theano.OpFromGraph([x], [op(x) * op(x + 1)])
    depth, pictures = 0, [describe(op(x))]
    while inner := [p for n in pictures[0].nodes for p in n.inner]:
        assert all(p is inner[0] for p in inner)
        depth, pictures = depth + 1, inner
    assert depth == 31


def test_ids_are_the_same_for_the_same_part_in_pictures_that_share_them():
    x = T.dvector("x")
    a = T.exp(x)
    ids = {}
    first, second = describe(a, ids=ids), describe(a + 1, ids=ids)
    assert first.ids[a.owner] == second.ids[a.owner]
    assert len({n.id for p in (first, second) for n in p.nodes}) == len(ids)


def test_the_same_graph_has_the_same_ids():
    labels = [[(n.id, n.label) for n in describe(condition()).nodes] for _ in range(2)]
    assert labels[0] == labels[1]


@pytest.mark.parametrize(("boxes", "count"), [("ends", 0), ("named", 1), ("all", 2)])
def test_variables_between_ops_have_boxes_when_asked_for(boxes, count):
    x = T.dvector("x")
    a = T.exp(x)
    a.name = "a"
    picture = describe(T.tanh(T.sin(a)), boxes=boxes)
    assert [n.kind for n in picture.nodes].count("variable") == count


def test_an_output_that_is_an_input_has_both_boxes():
    x = T.dvector("x")
    picture = describe([x])
    assert [n.kind for n in picture.nodes] == ["input", "output"]
    assert sources(picture, picture.nodes[1].id) == [picture.nodes[0].id]


def test_an_output_that_nothing_uses_is_marked():
    x = T.dmatrix("x")
    picture = describe(theano.gof.FunctionGraph([x], [T.max_and_argmax(x, 0)[0]]))
    assert "unused" in [n.kind for n in picture.nodes]


def test_every_family_of_the_graphs_is_known():
    for graph in (training()[0], loop(), condition()):
        assert {n.family for n in describe(graph).nodes if n.kind == "apply"} <= set(FAMILIES)


@pytest.mark.parametrize(
    ("build", "family"),
    [
        (lambda x: T.dot(x, x), "product"),
        (lambda x: theano.tensor.slinalg.cholesky(x), "product"),
        (lambda x: T.nnet.softmax(x), "network"),
        (lambda x: x[0], "indexing"),
        (lambda x: x.reshape((4,)), "shape"),
        (lambda x: x.max(), "reduction"),
        (lambda x: T.shared_randomstreams.RandomStreams(1).normal(), "random"),
        (lambda x: T.sort(x), "other"),
    ],
)
def test_ops_belong_to_families(build, family):
    picture = describe(build(T.dmatrix("x")))
    assert family in [n.family for n in picture.nodes]


def test_every_family_has_a_colour():
    assert set(FAMILIES) == set(FAMILY_COLOURS)


def test_a_large_graph_is_cut_with_a_sentence():
    picture = describe(wide(600), limit=100)
    assert picture.total == 600
    assert picture.note == "The graph has 600 ops: drawn are the 100 nearest to its outputs."
    assert [n.kind for n in picture.nodes].count("apply") == 100
    assert "more" in [n.kind for n in picture.nodes]


def test_describing_is_linear_in_the_nodes():
    seconds = []
    for n in (2_000, 16_000):
        out = wide(n)
        # processor time, the least of some: other work on the machine is not counted
        times = []
        for _ in range(3):
            began = time.process_time()
            describe(out, limit=n)
            times.append(time.process_time() - began)
        seconds.append(min(times))
    assert seconds[1] < 30 * seconds[0] + 0.5


def test_a_deep_graph_is_described():
    x = T.dscalar("x")
    y = x
    for _ in range(5_000):
        y = T.sin(y)
    assert len(describe(y, limit=10_000).nodes) == 5_002


@pytest.mark.parametrize("thing", [3, [3], None, np.ones(2)])
def test_what_is_no_graph_is_refused(thing):
    with pytest.raises(TypeError, match="a picture is drawn of a compiled function"):
        describe(thing)


def test_wrong_options_are_refused():
    x = T.dscalar("x")
    with pytest.raises(ValueError, match="positive int as limit"):
        describe(x, limit=0)
    with pytest.raises(ValueError, match="ends, named, all as boxes"):
        describe(x, boxes="some")
