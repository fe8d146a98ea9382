"""Pages of d3viz: one file that loads nothing, and does in a browser what it says."""

import json
import re
import shutil
import subprocess
import time
from html.parser import HTMLParser

import pytest

import theano
import theano.d3viz
import theano.tensor as T
from tests.show.drawing.graphs import condition, loop, training, wide
from theano._src.show.drawing.description import describe
from theano._src.show.drawing.html_form import html, viewer_data
from theano._src.show.drawing.json_form import to_dict, to_json
from theano.ifelse import ifelse

BROWSER = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chrome"))), None)
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no browser is installed")


def nested():
    """A scan, a condition and an op from a graph that holds a fused op."""
    k, a, x = T.iscalar("k"), T.dvector("a"), T.dmatrix("x")
    power, _ = theano.scan(lambda before, a: before * a, None, T.ones_like(a), a, k)
    u, v = T.dvectors("u", "v")
    op = theano.OpFromGraph([u, v], [T.exp(u) * v + u])
    chosen = ifelse(T.lt(k, 3), T.dot(x, x).sum(), (x**2).sum())
    return theano.function([k, a, x], [power[-1], chosen, op(a, a * 2)], name="three")


class Page(HTMLParser):
    """The elements of a page, and the text of its scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts, self.open = [], {}, None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.open = f"{tag} {dict(attrs).get('type', '')}".strip()

    def handle_data(self, data):
        self.texts[self.open] = self.texts.get(self.open, "") + data

    def handle_endtag(self, tag):
        self.open = None


def data_of(page):
    return json.loads(Page(page).texts["script application/json"])


@pytest.fixture(scope="module")
def page():
    return html(describe(nested()))


def test_a_page_loads_nothing(page):
    read = Page(page)
    for tag, attributes in read.elements:
        assert tag in ("html", "head", "meta", "title", "style", "body", "script")
        assert not {"src", "href", "data", "action", "srcset"} & set(attributes), tag
    (policy,) = [a["content"] for t, a in read.elements if t == "meta" and "http-equiv" in a]
    assert policy.startswith("default-src 'none';")
    assert "http" not in policy


def test_script_and_style_name_no_address_and_no_way_to_load(page):
    read = Page(page)
    script = read.texts["script"].replace('"http://www.w3.org/2000/svg"', "")
    code = script + read.texts["style"]
    for word in ("http", "//cdn", "url(", "@import", "fetch(", "XMLHttpRequest", "import(", ".src"):
        assert word not in code, word


def test_the_data_of_a_page_cannot_end_its_element():
    x = T.dvector("</script><script>alert(1)</script>")
    page = html(describe(T.exp(x), title="</title><b>"))
    assert [tag for tag, _ in Page(page).elements].count("script") == 2
    assert data_of(page)["graphs"][0]["shapes"][0]["texts"][0][0].startswith("</script>")


def test_every_node_and_edge_is_in_the_data(page):
    picture = describe(nested())
    graph = data_of(page)["graphs"][0]
    assert {s["of"] for s in graph["shapes"]} == {n.id for n in picture.nodes}
    assert len(graph["arrows"]) == len([e for e in picture.edges if e.kind != "update"])
    for arrow in graph["arrows"]:
        assert len(arrow["route"]) % 6 == 2, "a point, and three for each curve"


def test_ops_that_hold_graphs_name_them(page):
    graphs = data_of(page)["graphs"]
    held = [s["inner"] for g in graphs for s in g["shapes"] if "inner" in s]
    assert sorted(i for inner in held for i in inner) == list(range(1, len(graphs)))
    titles = [g["title"] for g in graphs]
    assert {"each step", "then", "else", "inside", "for each element"} <= set(titles)


def test_nodes_tell_type_shape_time_and_line():
    w = theano.shared([1.0, 2.0], name="w")
    y = T.exp(w)
    graph = viewer_data(describe(y, times={y.owner: 2e-6}))["graphs"][0]
    told = {s["kind"]: s["info"] for s in graph["shapes"]}
    assert "shape: 2" in told["shared"] and "type: TensorType(float64, vector)" in told["shared"]
    assert "time: 2 µs, 100 %" in told["apply"] and "made at test_pages.py:" in told["apply"]
    (heat,) = [s["heat"] for s in graph["shapes"] if "heat" in s]
    assert heat == 1.0


def test_a_page_says_what_is_left_out():
    assert "drawn are the 20 nearest" in data_of(html(describe(wide(50), limit=20)))["note"]


def test_two_thousand_ops_become_a_page_in_seconds():
    picture = describe(wide(2_000))
    began = time.perf_counter()
    html(picture)
    assert time.perf_counter() - began < 15


def test_d3viz_writes_one_file(tmp_path):
    theano.d3viz.d3viz(training()[0], tmp_path / "new" / "page.html", copy_deps=True)
    assert [p.name for p in (tmp_path / "new").iterdir()] == ["page.html"]
    text = (tmp_path / "new" / "page.html").read_text(encoding="utf-8")
    assert "<title>train</title>" in text


def test_d3viz_is_found_where_older_programs_look_for_it():
    from theano.d3viz.d3viz import d3viz, d3write

    assert (d3viz, d3write) == (theano.d3viz.d3viz, theano.d3viz.d3write)


def test_d3viz_shows_all_variables_when_asked_for(tmp_path):
    x = T.dvector("x")
    for compact in (True, False):
        theano.d3viz.d3viz(T.sin(T.exp(x)), str(tmp_path / f"{compact}.html"), compact=compact)
    few, all_ = (
        len(data_of((tmp_path / f"{c}.html").read_text(encoding="utf-8"))["graphs"][0]["shapes"])
        for c in (True, False)
    )
    assert all_ == few + 1


# In a browser: the script is followed by one that acts as a user does, and notes what it sees.

ACTS = """
const wait = () => new Promise((done) => setTimeout(done, 30));
const seen = {};
const nodes = () => [...document.querySelectorAll(".node")];
const box = (e) => e.getBoundingClientRect();
const event = (kind, type, target, at, more) => target.dispatchEvent(new kind(type, {
  bubbles: true, cancelable: true, button: 0, pointerId: 1,
  clientX: at[0], clientY: at[1], ...more }));
const middle = (e) => [box(e).left + box(e).width / 2, box(e).top + box(e).height / 2];
const overlaps = () => {
  let found = 0;
  const level = nodes().filter((e) => !e.parentNode.closest(".node"))
    .map((e) => box(e.querySelector(".outline")));
  for (const a of level) for (const b of level) {
    if (a !== b && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
      && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1) found++;
  }
  return found;
};
const crossings = () => {
  const found = [];
  const level = nodes().filter((e) => !e.parentNode.closest(".node"));
  for (const edge of document.querySelectorAll(".edge")) {
    if (edge.closest(".node")) continue;
    const line = edge.querySelector(".line"), to = line.getScreenCTM();
    const ends = [edge.dataset.source, edge.dataset.target];
    for (let at = 0; at < line.getTotalLength(); at += 3) {
      const p = line.getPointAtLength(at).matrixTransform(to);
      for (const e of level) {
        const b = box(e.querySelector(".outline"));
        if (!ends.includes(e.dataset.node) && p.x > b.left + 2 && p.x < b.right - 2
          && p.y > b.top + 2 && p.y < b.bottom - 2) found.push([...ends, e.dataset.node].join(" "));
      }
    }
  }
  return [...new Set(found)];
};
(async () => {
  SVGElement.prototype.setPointerCapture = () => {};
  const svg = document.querySelector("svg.graph"), stage = svg.firstChild;
  const label = (e) => e.querySelector("text").textContent;
  const named = (text) => nodes().find((e) => label(e).startsWith(text));
  seen.closed = nodes().length;
  const scan = () => named("for{");
  event(MouseEvent, "click", scan().querySelector(".switch"), [0, 0]);
  await wait();
  seen.opened = nodes().length;
  seen.inside = [...scan().querySelectorAll(".node")].map(label);
  seen.overlaps = overlaps();
  event(MouseEvent, "dblclick", scan(), [0, 0]);
  seen.closedAgain = nodes().length;
  document.querySelectorAll("header button")[1].click();
  await wait();
  seen.all = nodes().length;
  seen.overlapsOfAll = overlaps();
  seen.crossings = crossings();
  document.querySelectorAll("header button")[2].click();
  const before = stage.getAttribute("transform");
  event(PointerEvent, "pointerdown", svg, [5, 300]);
  event(PointerEvent, "pointermove", svg, [25, 330]);
  event(PointerEvent, "pointerup", svg, [25, 330]);
  seen.panned = stage.getAttribute("transform") !== before;
  const scale = () => Number(/scale\\(([^)]*)\\)/.exec(stage.getAttribute("transform"))[1]);
  const small = scale();
  event(WheelEvent, "wheel", svg, [300, 300], { deltaY: -200 });
  seen.zoomed = scale() > small;
  const k = named("k"), from = middle(k);
  event(PointerEvent, "pointermove", k.querySelector(".outline"), from);
  seen.hovered = document.querySelector(".tip").textContent;
  seen.near = document.querySelectorAll(".edge.near").length;
  event(PointerEvent, "pointerdown", k.querySelector(".outline"), from);
  event(PointerEvent, "pointermove", svg, [from[0] + 40, from[1] + 10]);
  event(PointerEvent, "pointerup", svg, [from[0] + 40, from[1] + 10]);
  seen.dragged = Math.round(middle(named("k"))[0] - from[0]);
  const field = document.querySelector("input");
  field.value = "condition"; field.dispatchEvent(new Event("input"));
  field.value = "int32"; field.dispatchEvent(new Event("input"));
  seen.found = [...document.querySelectorAll(".node.lit")].map(label);
  seen.count = document.querySelector(".found").textContent;
  document.body.replaceChildren();
  document.title = "seen " + JSON.stringify(seen);
})().catch((e) => { document.body.replaceChildren(); document.title = "failed " + e + e.stack; });
"""


@needs_browser
def test_a_page_does_in_a_browser_what_it_says(page, tmp_path):
    path = tmp_path / "page.html"
    acting = page.replace("</body>", f"<script>{ACTS}</script></body>")
    path.write_text(acting, encoding="utf-8")
    done = subprocess.run(
        [
            *(BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1200,900"),
            *("--virtual-time-budget=6000", f"--user-data-dir={tmp_path / 'profile'}"),
            *("--dump-dom", path.as_uri()),
        ],
        capture_output=True,
        timeout=120,
        check=True,
    )
    title = re.search(r"<title>(.*?)</title>", done.stdout.decode(), re.DOTALL)[1]
    assert title.startswith("seen "), title
    seen = json.loads(title.removeprefix("seen ").replace("&amp;", "&"))
    graphs = data_of(page)["graphs"]
    assert seen["closed"] == seen["closedAgain"] == len(graphs[0]["shapes"])
    assert seen["opened"] > seen["closed"] and "mul" in seen["inside"]
    assert seen["all"] == sum(len(g["shapes"]) for g in graphs)
    assert seen["overlaps"] == seen["overlapsOfAll"] == 0
    assert seen["crossings"] == [], "edges over nodes that they do not join"
    assert seen["panned"] and seen["zoomed"] and seen["dragged"] == 40
    assert "TensorType(int32, scalar)" in seen["hovered"] and seen["near"] == 2
    assert "k" in seen["found"] and seen["count"] == f"{len(seen['found'])} found"


# JSON


@pytest.mark.parametrize("graph", [lambda: training()[0], loop, condition])
def test_json_holds_the_whole_picture(graph):
    picture = describe(graph())
    made = json.loads(to_json(picture))
    assert made == json.loads(json.dumps(to_dict(picture)))
    top = made["pictures"][0]
    assert [n["id"] for n in top["nodes"]] == [n.id for n in picture.nodes]
    assert [(e["source"], e["target"], e["kind"]) for e in top["edges"]] == [
        (e.source, e.target, e.kind) for e in picture.edges
    ]


def test_json_lists_graphs_inside_ops_once():
    made = to_dict(describe(nested()))
    numbers = sorted(i for p in made["pictures"] for n in p["nodes"] for i in n.get("inner", ()))
    assert numbers == list(range(1, len(made["pictures"])))
