"""FunctionGraph: clients, replacement, pruning, features, order."""

import pytest

import theano
import theano.tensor as T
from theano.gof import FunctionGraph, toolbox
from theano.gof.fg import InconsistencyError, MissingInputError


def graph(*outputs, inputs):
    return FunctionGraph(list(inputs), list(outputs), clone=False)


def test_clients_list_each_use_of_a_variable():
    x, y = T.dscalars("xy")
    out = x + x * y
    g = graph(out, inputs=(x, y))
    product = out.owner.inputs[1].owner
    assert x.clients == [(product, 0), (out.owner, 0)]
    assert y.clients == [(product, 1)]
    assert out.clients == [("output", 0)]
    g.check_integrity()


def test_cloning_leaves_the_users_graph_alone():
    x = T.dscalar("x")
    out = x * 2
    g = FunctionGraph([x], [out])
    assert x.fgraph is None and out.owner.fgraph is None
    assert g.inputs[0] is not x and g.inputs[0].name == "x"


def test_a_replaced_variable_and_all_it_alone_needed_are_pruned():
    x, y = T.dscalars("xy")
    out = T.exp(x * y) + y
    g = graph(out, inputs=(x, y))
    assert len(g.apply_nodes) == 3
    g.replace(out.owner.inputs[0], x)
    assert [str(n.op) for n in g.toposort()] == ["Elemwise{add,no_inplace}"]
    assert y.clients == [(g.outputs[0].owner, 1)]
    g.check_integrity()


def test_a_replacement_of_another_type_is_refused():
    x, y = T.dscalar("x"), T.fscalar("y")
    out = x + 1
    g = graph(out, inputs=(x, y))
    with pytest.raises(TypeError, match="float32"):
        g.replace(x, y)


def test_an_undeclared_input_is_named():
    x, y = T.dscalars("xy")
    with pytest.raises(MissingInputError, match="y"):
        FunctionGraph([x], [x + y])


def test_a_variable_of_another_graph_is_refused_without_clone():
    x = T.dscalar("x")
    graph(x + 1, inputs=(x,))
    with pytest.raises(ValueError, match="clone=True"):
        graph(x + 2, inputs=(x,))


def test_history_goes_back_to_a_checkpoint():
    x, y = T.dscalars("xy")
    g = graph(T.exp(x) + y, inputs=(x, y))
    g.attach_feature(toolbox.History())
    before = str(g)
    point = g.checkpoint()
    g.replace(g.outputs[0].owner.inputs[0], y)
    g.replace(g.outputs[0], x)
    assert str(g) == "[x]"
    g.revert(point)
    assert str(g) == before
    g.check_integrity()


def test_replace_validate_undoes_what_a_feature_refuses():
    class NoExp(toolbox.Feature):
        def validate(self, fgraph):
            if any("exp" in str(n.op) for n in fgraph.apply_nodes):
                raise InconsistencyError("no exp here")

    x = T.dscalar("x")
    g = graph(x + 1, inputs=(x,))
    g.attach_feature(toolbox.ReplaceValidate())
    g.attach_feature(NoExp())
    before = str(g)
    with pytest.raises(InconsistencyError):
        g.replace_validate(g.outputs[0], T.exp(x))
    assert str(g) == before
    g.replace_validate(g.outputs[0], T.log(x))
    assert str(g) == "[Elemwise{log,no_inplace}(x)]"


def test_attaching_a_second_replace_validate_changes_nothing():
    x = T.dscalar("x")
    g = graph(x + 1, inputs=(x,))
    g.attach_feature(toolbox.ReplaceValidate())
    g.attach_feature(toolbox.ReplaceValidate())
    assert len(g._features) == 1


def test_node_finder_follows_the_graph():
    x, y = T.dscalars("xy")
    g = graph(T.exp(x) + T.exp(y), inputs=(x, y))
    g.attach_feature(toolbox.NodeFinder())
    assert len(g.get_nodes(T.exp)) == 2
    g.replace(g.outputs[0].owner.inputs[0], y)
    assert len(g.get_nodes(T.exp)) == 1
    assert g.get_nodes(T.log) == []


def test_print_listener_tells_each_change(capsys):
    x = T.dscalar("x")
    g = graph(T.exp(x), inputs=(x,))
    g.attach_feature(toolbox.PrintListener())
    g.replace(g.outputs[0], T.log(x), reason="test")
    said = capsys.readouterr().out
    assert "importing" in said and "pruning" in said and "reason: test" in said


def test_the_order_is_the_same_every_time():
    x, y = T.dscalars("xy")
    out = [T.exp(x) * T.log(y), T.sin(x) + T.cos(y)]
    texts = {str(FunctionGraph([x, y], out).toposort()) for _ in range(5)}
    assert len(texts) == 1


def test_a_shared_part_is_written_once():
    x, y = T.dscalars("xy")
    s = x + y
    assert str(FunctionGraph([x, y], [s * s])) == (
        "[Elemwise{mul,no_inplace}(*1 -> Elemwise{add,no_inplace}(x, y), *1)]"
    )


def test_graphs_deeper_than_the_recursion_limit_work():
    x = T.dscalar("x")
    y = x
    for _ in range(5_000):
        y = T.exp(y)
    g = FunctionGraph([x], [y])
    assert len(g.toposort()) == 5_000
    assert len(str(g)) > 5_000
    g.replace(g.toposort()[2_500].outputs[0], g.inputs[0])
    assert len(g.toposort()) == 2_499
    h = g.clone()
    assert theano.gof.graph.is_same_graph(h.outputs[0], g.outputs[0], {h.inputs[0]: g.inputs[0]})
