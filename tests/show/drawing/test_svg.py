"""Pictures as SVG: by structure, laid out by either engine, nothing over anything."""

import time
import xml.etree.ElementTree as ET

import pytest

import theano.tensor as T
from tests.show.drawing.graphs import condition, loop, training, wide
from theano._src.show.drawing import graphviz
from theano._src.show.drawing.description import describe
from theano._src.show.drawing.layout import layout
from theano._src.show.drawing.svg import svg
from theano._src.show.drawing.theme import sheet_of

ENGINES = [
    "layered",
    pytest.param(
        "graphviz",
        marks=pytest.mark.skipif(graphviz.program() is None, reason="Graphviz is not installed"),
    ),
]
NAMESPACE = "{http://www.w3.org/2000/svg}"


def groups(text, kind):
    root = ET.fromstring(text)
    return [g for g in root.iter(f"{NAMESPACE}g") if kind in g.get("class", "").split()]


def overlap(a, b):
    across = (a.width + b.width) / 2 - abs(a.x - b.x)
    down = (a.height + b.height) / 2 - abs(a.y - b.y)
    return across > 0.5 and down > 0.5


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("graph", [lambda: training()[0], loop, condition])
def test_each_node_and_each_edge_has_its_group(graph, engine):
    picture = describe(graph())
    text = svg(picture, engine=engine, inner=0)
    assert {g.get("data-node") for g in groups(text, "node")} == {n.id for n in picture.nodes}
    shown = [(g.get("data-source"), g.get("data-target")) for g in groups(text, "edge")]
    want = [(e.source, e.target) for e in picture.edges if e.kind != "update"]
    assert sorted(shown) == sorted(want)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("graph", [lambda: training()[0], loop, condition, lambda: wide(100)])
def test_no_shape_covers_another(graph, engine):
    laid = layout(sheet_of(describe(graph()), 150, True), engine)
    shapes = laid.shapes
    assert laid.by == engine
    assert not [(a, b) for i, a in enumerate(shapes) for b in shapes[:i] if overlap(a, b)]


def inside(point, placed):
    return (
        abs(point[0] - placed.x) < placed.width / 2 - 1
        and abs(point[1] - placed.y) < placed.height / 2 - 1
    )


def on_curve(route):
    for i in range(0, len(route) - 1, 3):
        p, q, r, s = route[i : i + 4]
        for k in range(21):
            t, u = k / 20, 1 - k / 20
            a, b, c, d = u**3, 3 * u * u * t, 3 * u * t * t, t**3
            yield tuple(a * p[j] + b * q[j] + c * r[j] + d * s[j] for j in (0, 1))


@pytest.mark.parametrize("graph", [lambda: training()[0], loop, condition, lambda: wide(60)])
def test_no_edge_runs_over_the_text_of_a_shape(graph):
    laid = layout(sheet_of(describe(graph()), 150, True), "layered")
    for arrow, route in laid.arrows:
        others = [s for s in laid.shapes if s.shape.id not in (arrow.source, arrow.target)]
        assert not [s.shape.id for p in on_curve(route) for s in others if inside(p, s)], arrow


@pytest.mark.parametrize("engine", ENGINES)
def test_edges_end_at_their_shapes(engine):
    laid = layout(sheet_of(describe(training()[0])), engine)
    places = {s.shape.id: s for s in laid.shapes}
    for arrow, route in laid.arrows:
        for point, id in ((route[0], arrow.source), (route[-1], arrow.target)):
            s = places[id]
            assert abs(point[0] - s.x) <= s.width / 2 + 2
            assert abs(point[1] - s.y) <= s.height / 2 + 2


def test_highlighted_nodes_have_a_class_of_their_own():
    picture = describe(condition())
    (node,) = [n for n in picture.nodes if n.family == "condition"]
    (lit,) = groups(svg(picture, highlight=frozenset({node.id})), "highlight")
    assert lit.get("data-node") == node.id


def test_graphs_inside_are_drawn_with_ids_joined_by_dots():
    picture = describe(loop())
    (node,) = [n for n in picture.nodes if n.family == "loop"]
    found = {g.get("data-node") for g in groups(svg(picture), "node")}
    assert {f"{node.id}.{n.id}" for n in node.inner[0].nodes} <= found


def test_fused_ops_are_opened_when_asked_for():
    picture = describe(training()[0])
    closed, opened = (svg(picture, fused=fused) for fused in (False, True))
    assert "." not in "".join(g.get("data-node") for g in groups(closed, "node"))
    assert any("." in g.get("data-node") for g in groups(opened, "node"))


def test_hovering_tells_type_line_and_time():
    x = T.dvector("x")
    y = T.exp(x)
    (node,) = groups(svg(describe(y, times={y.owner: 0.25})), "apply")
    told = node.find(f"{NAMESPACE}title").text
    assert "Elemwise{exp" in told and "type: TensorType(float64, vector)" in told
    assert "time: 250 ms, 100 %" in told and "made at test_svg.py:" in told


def test_the_legend_names_what_is_in_the_picture():
    (legend,) = groups(svg(describe(loop())), "legend")
    texts = {t.text for t in legend.iter(f"{NAMESPACE}text")}
    assert {"input", "output", "scan", "elementwise"} <= texts
    assert "random numbers" not in texts
    assert not groups(svg(describe(loop()), legend=False), "legend")


def test_names_are_escaped():
    x = T.dvector("<b>&\x00\"'")
    text = svg(describe(T.exp(x), title="</svg><script>"))
    ET.fromstring(text)
    assert "<script" not in text and "<b>" not in text


def test_a_constant_stands_beside_each_use():
    x = T.dvector("x")
    c = T.constant(2.5)
    picture = describe(T.outer(x * c, x + c))
    (node,) = [n for n in picture.nodes if n.label == "2.5"]
    found = [g for g in groups(svg(picture), "node") if g.get("data-node") == node.id]
    assert len(found) == 2


def test_a_sentence_of_what_is_left_out_stands_in_the_picture():
    text = svg(describe(wide(300), limit=50))
    assert "The graph has 300 ops: drawn are the 50 nearest to its outputs." in text


def test_an_empty_graph_and_a_lone_variable_are_drawn():
    assert svg(describe([])).endswith("</svg>")
    assert len(groups(svg(describe(T.dscalar("x")), engine="layered"), "node")) == 2


def test_two_thousand_ops_are_drawn_in_seconds():
    picture = describe(wide(2_000))
    began = time.perf_counter()
    text = svg(picture)
    assert time.perf_counter() - began < 15
    assert len(groups(text, "apply")) == 2_000


def test_edges_across_thousands_of_layers_are_drawn_in_seconds():
    x = T.dvector("x")
    past = [x]
    for _ in range(700):
        past.append(T.sin(past[-1]))
    out = past[-1]
    for v in reversed(past[:-1]):
        # as a gradient does: the first used last
        out = out * v
    began = time.perf_counter()
    svg(describe(out))
    assert time.perf_counter() - began < 15


def test_an_engine_that_is_none_is_refused():
    with pytest.raises(ValueError, match="'graphviz', 'layered' or None as engine"):
        svg(describe(T.dscalar("x")), engine="neato")
