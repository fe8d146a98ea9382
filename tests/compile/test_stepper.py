"""The page that steps through a rewriting: its steps, what they show, and how large it is."""

import json

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.show.page_reader import Page, loads_nothing
from theano._src.show.drawing import graphviz
from theano.printing import rewriting

x = T.dscalar("x")


def data_of(text):
    page = Page(text)
    assert page.faults == []
    (packed,) = [s for s in page.scripts if s.startswith('{"title"')]
    return json.loads(packed)


def labels(data, graph, keys):
    """The first words of the nodes of a graph that have some ids."""
    return sorted(
        data["shapes"][n[2]][6][0][0] for n in data["graphs"][graph]["nodes"] if n[1] in keys
    )


def softmax_regression():
    X, y = T.dmatrix("X"), T.lvector("y")
    W, b = theano.shared(np.ones((4, 3)), "W"), theano.shared(np.zeros(3), "b")
    p = T.nnet.softmax(T.dot(X, W) + b)
    cost = -T.mean(T.log(p)[T.arange(y.shape[0]), y])
    step = [(v, v - 0.1 * g) for v, g in zip((W, b), T.grad(cost, [W, b]))]
    return theano.function([X, y], cost, updates=step, name="train")


def test_a_step_shows_rule_equation_what_it_matched_and_what_it_made():
    data = data_of(rewriting(T.log(T.exp(x)) * 2).html())
    step = next(s for s in data["steps"] if s["rule"] == "log_exp")
    assert step["equation"] == "log(exp(x)) → x"
    assert (step["before"], step["after"]) == ("log(exp(x))", "x")
    assert labels(data, step["from"], step["matched"]) == ["exp", "log"]
    assert labels(data, step["to"], step["made"]) == ["x"]


def test_what_a_function_rule_looked_at_is_marked_though_others_use_it():
    data = data_of(rewriting(softmax_regression()).html())
    step = next(s for s in data["steps"] if s["rule"] == "log_softmax")
    assert labels(data, step["from"], step["matched"]) == ["Softmax", "log"]
    assert labels(data, step["to"], step["made"]) == ["LogSoftmax"]
    assert "Softmax" in labels(
        data, step["to"], {n[1] for n in data["graphs"][step["to"]]["nodes"]}
    )


def test_the_steps_are_those_of_the_rewriting_and_each_begins_where_the_last_ended():
    steps = rewriting(softmax_regression())
    data = data_of(steps.html())
    assert [s["rule"] for s in data["steps"]] == [s.rule for s in steps]
    for told, step in zip(data["steps"], steps, strict=True):
        assert step.line.endswith(told["line"])
        assert "test_stepper.py:" in told["line"]
    assert data["steps"][0]["from"] == 0
    for before, after in zip(data["steps"], data["steps"][1:]):
        assert after["from"] == before["to"]
    assert data["graphs"][0]["ops"] == steps.report.nodes_before
    assert data["graphs"][-1]["ops"] == steps.report.nodes_after


def test_what_is_marked_is_in_the_picture_and_every_step_marks_something():
    data = data_of(rewriting(softmax_regression()).html())
    for step in data["steps"]:
        assert labels(data, step["from"], step["matched"]), step
        assert labels(data, step["to"], step["made"]), step
        assert step["equation"], step["rule"]


def test_a_node_that_stays_keeps_its_id_so_that_it_can_be_followed():
    data = data_of(rewriting(softmax_regression()).html())
    for before, after in zip(data["graphs"], data["graphs"][1:]):
        same = {n[1] for n in before["nodes"]} & {n[1] for n in after["nodes"]}
        assert len(same) >= len(after["nodes"]) // 2


def test_edges_join_nodes_of_their_graph():
    data = data_of(rewriting(softmax_regression()).html())
    for graph in data["graphs"]:
        for source, target, *_, route in graph["edges"]:
            assert source != target
            assert max(source, target) < len(graph["nodes"])
            assert len(route) % 2 == 0 and len(route) >= 8


def test_the_page_is_one_file_that_loads_nothing(tmp_path):
    path = tmp_path / "steps.html"
    steps = rewriting(T.log(T.exp(x)))
    assert steps.html(path) == str(path)
    text = path.read_text(encoding="utf-8")
    assert text == steps.html()
    assert loads_nothing(text)
    page = Page(text)
    for name in ("first", "back", "on", "play", "slider", "fit"):
        assert any(a.get("id") == name for _, a in page.elements), name
    assert "ArrowRight" in text


def test_a_notebook_gets_the_page_in_a_frame():
    text = rewriting(T.log(T.exp(x)))._repr_html_()
    page = Page(text)
    ((tag, given),) = page.elements
    assert tag == "iframe"
    assert given["sandbox"] == "allow-scripts"
    assert data_of(given["srcdoc"])["steps"][0]["rule"] == "log_exp"


def test_steps_beyond_the_limit_are_left_out_with_a_sentence():
    steps = rewriting(softmax_regression())
    data = data_of(steps.html(limit=5))
    assert len(data["steps"]) == 5
    assert f"The first 5 of {len(steps)} steps" in data["note"]
    with pytest.raises(ValueError, match="takes a positive int as limit, got 0"):
        steps.html(limit=0)


def test_a_rewriting_that_changes_nothing_has_a_page_too():
    data = data_of(rewriting(x).html())
    assert data["steps"] == [] and len(data["graphs"]) == 1


def test_a_pass_of_a_users_that_makes_several_steps_is_drawn_at_its_end():
    class Twice(theano.gof.Optimizer):
        def add_requirements(self, fgraph):
            fgraph.attach_feature(theano.gof.toolbox.ReplaceValidate())

        def apply(self, fgraph):
            for v in list(fgraph.outputs):
                fgraph.replace_validate(v, v + 1, reason="twice")

    mode = theano.Mode("py", Twice())
    steps = rewriting([T.exp(x), T.sin(x)], mode=mode)
    data = data_of(steps.html())
    assert len(data["steps"]) == len(steps)


def test_names_cannot_end_the_script():
    evil = T.dscalar("</script><b>")
    text = rewriting(T.log(T.exp(evil))).html()
    assert "</script><b>" not in text
    assert "</script><b>" in json.dumps(data_of(text))


def test_a_page_of_many_steps_and_nodes_stays_small():
    v = T.dvector("v")
    total = sum(T.log(T.exp(v * k)) / T.sqrt(v + k) for k in range(25))
    steps = rewriting(total)
    text = steps.html()
    drawn = len(data_of(text)["graphs"])
    assert drawn > 50
    assert len(text) < 40_000 * drawn
    # our own layout leads edges through every layer that they pass
    assert len(text) < (6_000_000 if graphviz.program() is None else 5_000_000)
