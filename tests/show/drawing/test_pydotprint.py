"""pydotprint: the documented colours, labels, options and files."""

import re
import time
import xml.etree.ElementTree as ET

import pytest

import theano
import theano.tensor as T
from tests.show.drawing.graphs import condition, loop, training, wide
from theano._src.show.drawing import graphviz
from theano._src.show.drawing.description import describe
from theano._src.show.drawing.dot import dot, dot_with_places
from theano._src.show.drawing.layout import layout
from theano._src.show.drawing.theme import sheet_of
from theano.ifelse import ifelse
from theano.printing import default_colorCodes, pydotprint, pydotprint_variables

needs_graphviz = pytest.mark.skipif(graphviz.program() is None, reason="Graphviz is not installed")


class Graph:
    """The nodes and edges of a graph in DOT, as attributes by name."""

    def __init__(self, text):
        self.nodes, self.edges, self.text = {}, [], text
        for line in text.splitlines():
            found = re.match(r'^("[^"]+")(?: -> ("[^"]+"))? \[(.*)\]$', line)
            if not found:
                continue
            attributes = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', found[3]))
            if found[2]:
                self.edges.append((found[1], found[2], attributes))
            else:
                self.nodes[found[1]] = attributes

    def labelled(self, label):
        (found,) = [a for a in self.nodes.values() if a["label"] == label]
        return found

    def labels(self):
        return [a["label"] for a in self.nodes.values()]


@pytest.fixture
def drawn(monkeypatch):
    """pydotprint as the graph that Graphviz would be given."""
    monkeypatch.setattr(graphviz, "program", lambda: None)

    def draw(graph, **options):
        return Graph(pydotprint(graph, format="dot", return_image=True, **options).decode())

    return draw


def test_ellipses_are_ops_and_boxes_are_variables(drawn):
    x = T.dvector("x")
    graph = drawn(T.exp(x))
    assert graph.labelled("Elemwise{exp,no_inplace}")["shape"] == "ellipse"
    assert graph.labelled("name=x TensorType(float64, vector)")["shape"] == "box"


def test_variables_have_the_documented_colours(drawn):
    graph = drawn(training()[0], var_with_name_simple=True)
    assert graph.labelled("x")["fillcolor"] == "green"
    shared, new = [a for a in graph.nodes.values() if a["label"] == "w"]
    assert (shared["fillcolor"], new["fillcolor"]) == ("cyan", "blue")
    assert graph.labelled("TensorType(bool, vector)")["fillcolor"] == "blue"


def test_a_variable_that_nothing_uses_is_grey(drawn):
    x = T.dmatrix("x")
    graph = drawn(theano.gof.FunctionGraph([x], [T.max_and_argmax(x, 0)[0]]))
    assert "grey" in [a.get("fillcolor") for a in graph.nodes.values()]


@pytest.mark.parametrize(
    ("build", "colour"),
    [
        (lambda x: T.exp(x), "#FFAABB"),
        (lambda x: x[0], "#FFAAFF"),
        (lambda x: x.shape, "brown"),
        (lambda x: T.alloc(x[0, 0], 3), "#FFAA22"),
        (lambda x: ifelse(x.sum() > 0, x, -x), "magenta"),
        (lambda x: theano.scan(lambda v: v * 2, x)[0], "yellow"),
    ],
)
def test_ops_have_the_documented_colours(drawn, build, colour):
    graph = drawn(build(T.dmatrix("x")))
    assert colour in [a.get("fillcolor") for a in graph.nodes.values()]
    assert colour in default_colorCodes.values()


def test_colours_can_be_given(drawn):
    graph = drawn(T.exp(T.dscalar("x")), colorCodes={"Elemwise": "pink"})
    assert graph.labelled("Elemwise{exp,no_inplace}")["fillcolor"] == "pink"


def test_without_high_contrast_colours_are_those_of_borders(drawn):
    node = drawn(T.exp(T.dscalar("x")), high_contrast=False).labelled("Elemwise{exp,no_inplace}")
    assert node["color"] == "#FFAABB" and "fillcolor" not in node


def test_edges_have_the_number_of_the_input_and_the_type_between_ops(drawn):
    x = T.dvector("x")
    labels = [a.get("label") for _, _, a in drawn(T.exp(x) - T.sin(x)).edges]
    assert "0 TensorType(float64, vector)" in labels
    assert "1 TensorType(float64, vector)" in labels
    assert [a.get("label") for _, _, a in drawn(x - T.dvector("y")).edges] == ["0", "1", None]


def test_views_are_blue_and_overwritten_inputs_red(drawn):
    colours = {a["color"] for _, _, a in drawn(training()[0]).edges}
    assert colours == {"black", "blue", "red"}


def test_an_update_has_an_edge_to_its_variable(drawn):
    found = [a for _, _, a in drawn(training()[0]).edges if a.get("label") == "UPDATE"]
    assert len(found) == 2


def test_compact_leaves_out_variables_without_a_name(drawn):
    x = T.dvector("x")
    a = T.exp(x)
    a.name = "a"
    out = T.sin(T.cos(a))
    named = drawn(out, var_with_name_simple=True)
    full = drawn(out, var_with_name_simple=True, compact=False)
    assert "a" in named.labels()
    assert len(full.nodes) == len(named.nodes) + 1


def test_with_ids_shows_the_order_of_computation(drawn):
    labels = drawn(T.sin(T.exp(T.dscalar("x"))), with_ids=True).labels()
    assert {"Elemwise{exp,no_inplace} id=0", "Elemwise{sin,no_inplace} id=1"} <= set(labels)


def test_ops_that_look_alike_are_told_apart(drawn):
    x = T.dscalar("x")
    labels = drawn(T.exp(T.exp(x))).labels()
    assert "Elemwise{exp,no_inplace}" in labels and "Elemwise{exp,no_inplace} id=1" in labels


def test_labels_are_cut(drawn):
    graph = drawn(training()[0], max_label_size=20)
    assert max(map(len, graph.labels())) == 20
    assert any(label.endswith("...") for label in graph.labels())
    with pytest.raises(ValueError, match="8 or more as max_label_size"):
        drawn(T.dscalar("x"), max_label_size=3)


def test_times_of_a_profile_are_in_the_labels(drawn):
    x = T.dvector("x")
    profile = theano.compile.ProfileStats(atexit_print=False)
    f = theano.function([x], T.exp(x), profile=profile, mode=theano.Mode("py"))
    f([1.0, 2.0])
    (label,) = [label for label in drawn(f).labels() if label.startswith("Elemwise{exp")]
    assert re.search(r"   \(\d+\.\d{3}s,100\.000%\)$", label)


def branches():
    c, x = T.bscalar("c"), T.dmatrix("x")
    both = T.exp(x)
    return [c, x], ifelse(c, both.sum(), T.sin(both).max(), name="mine")


def test_the_branches_of_a_condition_are_surrounded(drawn):
    _, out = branches()
    for which in ("mine", out.owner, True):
        text = drawn(out, cond_highlight=which).text
        clusters = re.findall(r'subgraph "cluster_(\w+)"', text)
        assert clusters == ["Left", "Right", "Middle"]


def test_the_branches_of_a_compiled_condition_are_opened(drawn):
    inputs, out = branches()
    text = drawn(theano.function(inputs, out), cond_highlight=True).text
    assert re.findall(r'subgraph "cluster_(\w+)"', text) == ["Left", "Right"]


def test_a_condition_that_is_not_there_is_warned_of(drawn):
    with pytest.warns(UserWarning, match="the graph has no such condition"):
        drawn(T.dscalar("x") + 1, cond_highlight="mine")


def test_the_number_of_labels_is_checked(drawn):
    x = T.dscalar("x")
    drawn(T.exp(x), assert_nb_all_strings=3)
    with pytest.raises(AssertionError, match="3 different labels, 4 are expected"):
        drawn(T.exp(x), assert_nb_all_strings=4)


def test_a_large_graph_says_what_is_left_out(drawn):
    assert "drawn are the 2,000 nearest to its outputs" in drawn(wide(2_100)).text


def test_svg_is_written_without_graphviz(monkeypatch):
    monkeypatch.setattr(graphviz, "program", lambda: None)
    image = pydotprint(T.exp(T.dscalar("x")), format="svg", return_image=True)
    root = ET.fromstring(image)
    assert len(list(root.iter("{http://www.w3.org/2000/svg}ellipse"))) == 1


def test_other_formats_say_that_graphviz_is_needed(monkeypatch):
    monkeypatch.setattr(graphviz, "program", lambda: None)
    with pytest.raises(RuntimeError, match="install Graphviz, or draw with format='svg'"):
        pydotprint(T.dscalar("x"), format="png", return_image=True)


@needs_graphviz
@pytest.mark.parametrize(
    ("format", "first"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_graphviz_writes_the_image(format, first):
    image = pydotprint(condition(), format=format, return_image=True)
    assert image.startswith(first)


@needs_graphviz
@pytest.mark.parametrize(("format", "first"), [("png", b"\x89PNG"), ("svg", b"<svg")])
def test_a_large_graph_is_drawn_in_seconds(format, first):
    out = wide(1_900)
    began = time.perf_counter()
    image = pydotprint(out, format=format, return_image=True)
    assert time.perf_counter() - began < 30
    assert image.startswith(first)


@needs_graphviz
def test_places_that_are_given_to_graphviz_are_kept():
    sheet = sheet_of(describe(T.exp(T.dvector("x"))))
    laid = layout(sheet, "layered")
    lines = graphviz.run(dot_with_places(laid), "plain", has_places=True).decode().splitlines()
    found = [tuple(map(float, line.split()[2:4])) for line in lines if line.startswith("node")]
    want = [(s.x / 72, -s.y / 72) for s in laid.shapes]
    apart = [(a - found[0][0], b - found[0][1]) for a, b in found]
    assert apart == [pytest.approx((a - want[0][0], b - want[0][1]), abs=0.01) for a, b in want]


@needs_graphviz
def test_a_format_that_graphviz_does_not_know_is_refused():
    with pytest.raises(RuntimeError, match="dot made no theano of the graph"):
        pydotprint(T.dscalar("x"), format="theano", return_image=True)


@needs_graphviz
def test_graphviz_reads_names_of_any_kind():
    x = T.dvector('a "b" \\n <c>\x07 é')
    image = pydotprint(T.exp(x), format="svg", return_image=True, var_with_name_simple=True)
    texts = "".join(ET.fromstring(image).itertext())
    assert 'a "b" \\n <c> é' in texts


def test_the_file_is_written_and_named(tmp_path, capsys):
    x = T.dscalar("x")
    assert pydotprint(T.exp(x), str(tmp_path / "new" / "one"), format="svg") is None
    path = tmp_path / "new" / "one.svg"
    assert path.stat().st_size > 0
    assert capsys.readouterr().out == f"The output file is available at {path}\n"
    pydotprint(T.exp(x), tmp_path / "two.svg", format="svg", print_output_file=False)
    assert (tmp_path / "two.svg").exists() and not capsys.readouterr().out


def test_without_a_name_the_file_is_in_the_directory_of_compiled_code(capsys):
    pydotprint(T.exp(T.dscalar("x")), format="svg")
    path = capsys.readouterr().out.split()[-1]
    assert path.startswith(str(theano.config.compiledir))
    assert path.endswith(f"theano.pydotprint.{theano.config.device}.svg")


def test_the_step_of_a_scan_has_a_file_of_its_own(tmp_path):
    pydotprint(loop(), tmp_path / "all.svg", format="svg", scan_graphs=True)
    (step,) = tmp_path.glob("all_*.svg")
    assert "mul" in step.read_text()


def test_variables_are_drawn_as_deep_as_asked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(graphviz, "program", lambda: None)
    x = T.dvector("x")
    out = T.sin(T.exp(T.cos(x)))
    found = []
    for depth in (-1, 2, 0):
        path = tmp_path / f"{depth}.dot"
        pydotprint_variables(out, path, format="dot", depth=depth)
        shapes = [a["shape"] for a in Graph(path.read_text()).nodes.values()]
        found.append(shapes.count("ellipse"))
    assert found == [3, 2, 0]


def test_the_calm_picture_in_dot_has_clusters_for_inner_graphs():
    text = dot(describe(loop()), inner=100)
    assert len(re.findall(r'subgraph "cluster_', text)) == 1
    assert text.count("{") == text.count("}")


@needs_graphviz
@pytest.mark.parametrize("graph", [lambda: training()[0], loop, condition])
def test_graphviz_takes_the_calm_picture(graph):
    text = dot(describe(graph()), inner=100, fused=True)
    assert b"</svg>" in graphviz.run(text, "svg")
