"""theano.d3viz.formatting: graphs of pydot in the documented form; counts as in Theano 1.0.5."""

from collections import Counter

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.show.drawing.graphs import condition, loop, training
from theano._src.show.drawing import pydot_formatter

pydot = pytest.importorskip("pydot", reason="pydot is not installed")
from theano.d3viz import formatting  # noqa: E402


def kinds(graph):
    return Counter(node.get_attributes()["node_type"] for node in graph.get_nodes())


def network():
    rng = np.random.RandomState(0)
    x = T.dmatrix("x")
    weights = [rng.normal(size=(100, 50)), np.zeros(50), rng.normal(size=(50, 10)), np.zeros(10)]
    wh, bh, wy, by = map(theano.shared, weights)
    return [x], [T.nnet.softmax(T.dot(T.nnet.sigmoid(T.dot(x, wh) + bh), wy) + by)]


def test_a_network_has_an_input_four_shared_variables_and_an_output():
    ins, outs = network()
    found = kinds(formatting.PyDotFormatter()(theano.function(ins, outs)))
    assert (found["input"], found["shared_input"], found["output"]) == (1, 4, 1)
    assert found["apply"] == 5


def test_ops_from_graphs_are_clusters():
    x, y, z = T.scalars("xyz")
    op = theano.OpFromGraph([x, y, z], [T.nnet.sigmoid((x + y + z) ** 2)])
    graph = formatting.PyDotFormatter()(theano.function([x, y, z], op(x, y, z) + op(z, y, x)))
    # three inputs, the two ops, their sum and its box
    assert len(graph.get_nodes()) == 7
    first, second = graph.get_subgraph_list()
    assert len(first.get_nodes()) == len(second.get_nodes()) == 5


def test_clusters_stand_in_clusters():
    x, y, z = T.scalars("xyz")
    op = theano.OpFromGraph([x, y], [x * y])
    op2 = theano.OpFromGraph([x, y, z], [op(x, y) + z])
    graph = formatting.PyDotFormatter()(theano.function([x, y, z], op2(x, y, z) + z))
    (outer,) = graph.get_subgraph_list()
    (inner,) = outer.get_subgraph_list()
    assert [len(g.get_nodes()) for g in (graph, outer, inner)] == [6, 6, 4]


def test_an_op_that_holds_a_graph_says_which_nodes_belong_together():
    x, y = T.dvectors("x", "y")
    op = theano.OpFromGraph([x, y], [x * y])
    graph = formatting.PyDotFormatter()(op(y, x))
    (node,) = [n for n in graph.get_nodes() if n.get_attributes()["node_type"] == "apply"]
    told = node.get_attributes()
    (cluster,) = graph.get_subgraph_list()
    assert told["subg"].strip('"') == cluster.get_name()
    assert len(eval(told["subg_map_inputs"].strip('"'))) == 2
    assert len(eval(told["subg_map_outputs"].strip('"'))) == 1


@pytest.mark.parametrize("graph", [lambda: training()[0], loop, condition])
def test_names_of_nodes_are_different_and_edges_join_them(graph):
    made = formatting.PyDotFormatter()(graph())
    todo = [made]
    names = []
    for each in todo:
        todo += each.get_subgraph_list()
        names += [n.get_name() for n in each.get_nodes()]
        for edge in each.get_edges():
            assert {edge.get_source(), edge.get_destination()} <= set(names)
    assert len(names) == len(set(names))


def test_colours_are_the_documented_ones():
    made = formatting.PyDotFormatter()(T.exp(T.dvector("x")))
    colours = {
        n.get_attributes()["node_type"]: n.get_attributes()["fillcolor"].strip('"')
        for n in made.get_nodes()
    }
    assert colours == {"input": "limegreen", "apply": "#FFAABB", "output": "dodgerblue"}


def test_colours_can_be_changed():
    formatter = formatting.PyDotFormatter()
    formatter.node_colors["input"] = "white"
    (node,) = [n for n in formatter(T.exp(T.dvector("x"))).get_nodes() if n.get_label() == "x"]
    assert node.get_attributes()["fillcolor"] == "white"


def test_nodes_are_added_to_a_graph_that_is_given():
    given = pydot.Dot()
    assert formatting.PyDotFormatter()(T.exp(T.dvector("x")), given) is given
    assert len(given.get_nodes()) == 3


def test_variables_between_ops_are_boxes_unless_compact():
    out = T.sin(T.exp(T.dvector("x")))
    few, all_ = (formatting.PyDotFormatter(compact)(out) for compact in (True, False))
    assert len(all_.get_nodes()) == len(few.get_nodes()) + 1


def test_a_profile_gives_times_of_nodes():
    x = T.dvector("x")
    profile = theano.compile.ProfileStats(atexit_print=False)
    f = theano.function([x], T.exp(x), profile=profile, mode=theano.Mode("py"))
    f(np.ones(3))
    (node,) = f.maker.fgraph.toposort()
    seconds = profile.apply_time[node]
    assert formatting.apply_profile(node, profile) == [seconds, profile.fct_call_time]


def test_d3write_writes_dot(tmp_path):
    theano.d3viz.d3write(loop(), tmp_path / "graph.dot")
    text = (tmp_path / "graph.dot").read_text(encoding="utf-8")
    assert text.startswith("digraph") and text.count("subgraph cluster_") == 1


def test_without_pydot_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(pydot_formatter, "pydot_imported", False)
    with pytest.raises(ImportError, match=r"takes pydot: .*; install it: pip install pydot$"):
        formatting.PyDotFormatter()
