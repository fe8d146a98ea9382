"""What notebooks show: formulas, cards and tables, escaped, and loaded only when asked for."""

import html
import os
import subprocess
import sys

import numpy as np
import pytest
from IPython.core.formatters import DisplayFormatter
from IPython.lib.pretty import pretty

import theano
import theano.tensor as T
from tests.architecture.sources import ROOT
from tests.show.latex_grammar import faults
from tests.show.page_reader import Page, loads_nothing

EVIL = "<script>alert(1)</script>"


def formats(thing):
    """What IPython makes of an object, by MIME type."""
    found, _ = DisplayFormatter().format(thing)
    return found


def checked(text):
    page = Page(text)
    assert page.faults == []
    assert loads_nothing(text)
    assert not page.count("script")
    return page


def python(code):
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_variable_is_its_formula_with_its_type():
    x, W = T.dvector("x"), T.fmatrix("W")
    text = formats(T.dot(W, x))["text/latex"]
    assert text == (r"$\displaystyle W \, x \qquad {\color{gray}{\small\mathtt{float64\ vector}}}$")
    assert faults(text.strip("$")) == []
    assert "text/html" not in formats(x)


def test_a_variable_with_a_name_is_an_equation():
    x = T.dscalar("x")
    y = x**2
    y.name = "y"
    assert r"y &= x^{2}" in y._repr_latex_()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: T.dscalar("x"), r"float64\ scalar"),
        (lambda: T.row("x", dtype="int8"), r"int8\ row"),
        (lambda: T.tensor4("x", dtype="float32"), r"float32\ 4\text{-}d\ tensor"),
        (lambda: theano.scalar.float64("x"), "float64"),
        (lambda: theano.generic.make_variable(), "Generic"),
        (lambda: T.constant(3), r"int8\ scalar"),
    ],
)
def test_the_type_of_a_leaf_is_said(make, words):
    text = make()._repr_latex_()
    assert words in text
    assert faults(text.strip("$")) == []


def test_a_formula_that_nobody_would_read_is_not_shown():
    v = x = T.dscalar("x")
    for _ in range(3000):
        v = v + x
    assert v._repr_latex_() is None
    assert "text/latex" not in formats(v)


def test_a_shared_variable_shows_shape_dtype_and_a_corner_of_its_value():
    W = theano.shared(np.arange(200.0).reshape(20, 10), "W")
    page = checked(formats(W)["text/html"])
    for word in ("W", "float64 matrix", "20 × 10", "1,600 bytes", "0 to 199, mean 99.5", "…", "⋮"):
        assert word in page.text
    cells = [float(t) for t in page.words if t.isdigit()]
    assert max(cells) == 57, "six rows of eight columns"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (3.5, "3.5"),
        (np.zeros((0, 4)), "0 × 4"),
        (np.array([True, False]), "True"),
        (np.ones((2, 3, 4), "complex64"), "1+0j"),
        (np.random.default_rng(3), "Generator"),
        (np.array([np.nan, 1.0]), "nan"),
        (np.ones(5000), "40 kB"),
    ],
)
def test_a_value_of_any_kind_can_be_looked_at(value, words):
    assert words in checked(theano.shared(value, "v")._repr_html_()).text


def test_looking_at_a_shared_variable_neither_copies_nor_lends_its_value():
    v = theano.shared(np.ones(4), "v")
    before = v.container.storage[0]
    v._repr_html_()
    assert v.container.storage[0] is before
    assert v.container.storage.borrowed is False


@pytest.mark.xla
def test_a_value_that_xla_holds_can_be_looked_at():
    v = theano.shared(np.ones(1000), "v")
    f = theano.function([], updates={v: v + 1}, mode=theano.Mode("xla"))
    f()
    assert "2 to 2, mean 2" in checked(v._repr_html_()).text


def make_function():
    X, y = T.dmatrix("X"), T.dvector("y")
    W = theano.shared(np.ones((3, 1)), "W")
    cost = T.sum(T.sqr(T.dot(X, W).sum(axis=1) - y))
    step = [(W, W - 0.1 * T.grad(cost, W))]
    return theano.function([X, y], cost, updates=step, name="train")


def test_a_function_shows_signature_engine_calls_and_both_pictures():
    f = make_function()
    f(np.ones((2, 3)), np.ones(2))
    page = checked(f._repr_html_())
    signature = "train(X: float64 matrix, y: float64 vector) -> float64 scalar, updates W"
    assert signature in page.text
    assert "Runs on NumPy" in page.text
    assert "1 on NumPy" in page.text
    assert page.count("svg") == 2
    assert page.count("input", type="radio") == 2
    before = len(theano.printing.rewriting(f).graph(0).apply_nodes)
    assert f"as written: {before} ops" in page.text
    assert f"after rewriting: {len(f.maker.fgraph.apply_nodes)} ops" in page.text


def test_a_default_is_part_of_the_signature():
    x, n = T.dscalar("x"), T.lscalar("n")
    f = theano.function([x, theano.In(n, value=2)], x + n)
    assert "(x: float64 scalar, n: int64 scalar = 2) -> float64 scalar" in pretty(f)


def test_a_graph_is_its_picture():
    x = T.dvector("x")
    graph = theano.gof.FunctionGraph([x], [T.exp(x).sum()])
    page = checked(formats(graph)["image/svg+xml"])
    assert page.count("svg") == 1 and "Sum" in page.text
    v = x
    for _ in range(130):
        v = T.sin(v)
    assert "image/svg+xml" not in formats(theano.gof.FunctionGraph([x], [v]))


def test_switches_of_two_functions_do_not_move_each_other():
    f = make_function()
    names = [
        {a["name"] for t, a in Page(f._repr_html_()).elements if t == "input"} for _ in range(2)
    ]
    assert len(names[0]) == len(names[1]) == 1
    assert names[0] != names[1]


def test_a_function_in_the_terminal_is_its_signature_and_engine():
    x = T.dscalar("x")
    n = T.lscalar()
    f = theano.function([x, theano.In(n, value=2)], [x, x + n])
    f(1.0)
    text = pretty(f)
    assert text.startswith("<theano function function(x: float64 scalar, input1: int64 scalar) ->")
    assert "[float64 scalar, float64 scalar]" in text
    assert "Runs on NumPy" in text


def test_outputs_of_a_function_are_said_as_they_are_returned():
    x = T.dscalar("x")
    assert "-> {a: float64 scalar}" in pretty(theano.function([x], {"a": x}))
    assert "-> [float64 scalar]" in pretty(theano.function([x], [x]))
    assert "-> []" in pretty(theano.function([x], [], on_unused_input="ignore"))


def test_a_large_graph_is_not_drawn_in_a_card():
    v = x = T.dvector("x")
    for _ in range(130):
        v = T.dot(v, T.outer(x, x))
    f = theano.function([x], v, mode=theano.Mode("py", None))
    page = checked(f._repr_html_())
    assert page.count("svg") == 0
    assert "ops is not drawn here" in page.text


def test_a_profile_counts_calls_in_the_card():
    x = T.dscalar("x")
    profile = theano.compile.ProfileStats(atexit_print=False)
    f = theano.function([x], x + 1, profile=profile)
    for _ in range(3):
        f(1.0)
    assert "3 calls in" in Page(f._repr_html_()).text


def test_a_profile_is_a_table_of_nodes_with_bars():
    x = T.dvector("x")
    profile = theano.compile.ProfileStats(atexit_print=False, message=EVIL)
    f = theano.function([x], T.exp(x).sum(), profile=profile)
    f(np.ones(1000))
    page = checked(formats(profile)["text/html"])
    assert EVIL in page.text and "calls 1" in page.text
    assert page.count("span", class_="bar") == len(f.maker.fgraph.apply_nodes)
    assert "test_notebook_reprs.py:" in page.text


def test_the_configuration_is_a_table_with_what_was_changed_first():
    with theano.change_flags(floatX="float32"):
        page = checked(formats(theano.config)["text/html"])
    assert page.text.index("changed") < page.text.index("floatX") < page.text.index("meaning")
    assert page.count("details") > 5
    assert "profiling.n_apply" in page.text


def test_explain_prints_text_where_there_is_no_notebook(capsys):
    x = T.dscalar("x")
    f = theano.function([x], x + 1, mode=theano.Mode("py"))
    assert theano.printing.explain(f) is None
    assert capsys.readouterr().out.startswith("Runs on NumPy")


@pytest.mark.xla
def test_explain_shows_a_table_in_a_notebook(monkeypatch, capsys):
    import IPython.display

    class Shell:
        kernel = object()

    shown = []
    monkeypatch.setattr(IPython, "get_ipython", Shell)
    monkeypatch.setattr(IPython.display, "display", lambda data, raw: shown.append(data))
    x, n = T.dvector(EVIL), T.lscalar("n")
    f = theano.function([x, n], x + T.arange(n), mode=theano.Mode("xla"))
    f([1, 2, 3], 3)
    theano.printing.explain(f)
    assert capsys.readouterr().out == ""
    (data,) = shown
    page = checked(data["text/html"])
    for word in ("Runs on XLA", "host section 0", "program 0", "compiled", "for shapes (3,)"):
        assert word in page.text
    assert data["text/plain"] == theano.printing.explain(f, "str")


def test_names_are_escaped_everywhere():
    x = T.dvector(EVIL)
    shared = theano.shared(np.ones(2), EVIL)
    f = theano.function([x], (x + shared).sum(), name=EVIL)
    pages = [f._repr_html_(), shared._repr_html_(), theano.printing.rewriting(f)._repr_html_()]
    for text in pages:
        assert "<script>alert" not in text
        assert Page(text).faults == []
    assert EVIL in Page(pages[0]).text
    assert "<" not in (x + 1)._repr_latex_()


def test_importing_theano_loads_nothing_of_this():
    code = (
        "import sys, theano\n"
        "x = theano.tensor.dvector('x')\n"
        "assert hasattr(x, '_repr_latex_') and hasattr(theano.config, '_repr_html_')\n"
        "print(*[m for m in sys.modules if '._src.show' in m or 'stepper' in m or m == 'html'])"
    )
    assert python(code) == ""


def test_no_class_of_a_user_gains_a_method_that_hides_its_own():
    class Mine(T.TensorType):
        pass

    v = Mine("float64", (False,))("v")
    assert "float64" in v._repr_latex_()


@pytest.mark.parametrize("name", ["$a$ and $b$", "a<b>&c", 'it\'s "so"', "`x`", "two\nlines"])
def test_names_are_shown_as_they_are(name):
    """A13: a notebook takes text between two `$` for a formula, except in these classes."""
    x, w = T.dvector(name), theano.shared(np.ones(2), name)
    f = theano.function([x], x + w, updates=[(w, w * 2)], name=name)
    for thing in (f, w):
        text = formats(thing)["text/html"]
        page = checked(text)
        card = text.index('<div class="theano-card tex2jax_ignore mathjax_ignore">')
        assert "$" not in text[:card]
        assert html.unescape(text).count(name) >= 2 - (thing is w), page
