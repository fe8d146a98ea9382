"""draw: the format that the ending says, in a file or returned; figures of the documents."""

import json

import pytest

import theano.tensor as T
from tests.architecture.sources import ROOT
from tests.show.drawing.graphs import loop, wide
from theano._src.show.drawing import graphviz
from theano.printing import draw


@pytest.mark.parametrize(
    ("format", "first"), [("svg", "<svg"), ("html", "<!doctype html>"), ("dot", "digraph {")]
)
def test_a_picture_is_returned_in_the_format_that_is_asked_for(format, first):
    assert draw(loop(), format=format).startswith(first)
    assert json.loads(draw(loop(), format="json"))["format"] == "theano picture"


@pytest.mark.parametrize("ending", ["svg", "html", "dot", "json"])
def test_the_ending_of_the_file_is_the_format(tmp_path, ending):
    assert draw(loop(), tmp_path / "new" / f"picture.{ending}") is None
    text = (tmp_path / "new" / f"picture.{ending}").read_text(encoding="utf-8")
    assert "mul" in text


def test_without_graphviz_no_picture_of_ours_fails(monkeypatch):
    monkeypatch.setattr(graphviz, "program", lambda: None)
    for format in ("svg", "html", "dot", "json"):
        assert "mul" in draw(loop(), format=format)
    with pytest.raises(RuntimeError, match="png is written by the program dot of Graphviz"):
        draw(loop(), format="png")


@pytest.mark.skipif(graphviz.program() is None, reason="Graphviz is not installed")
def test_graphviz_writes_what_is_not_ours(tmp_path):
    draw(loop(), tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_options_are_those_of_the_description():
    x = T.dvector("x")
    y = T.exp(x)
    text = draw(y, title="mine", times={y.owner: 1.0}, shapes={x: (3,)})
    assert ">mine</text>" in text and "1 s, 100 %" in text and "float64 (3)" in text
    assert "drawn are the 5 nearest" in draw(wide(20), limit=5)
    assert "each step" in draw(loop()) and "each step" not in draw(loop(), inner=0)


@pytest.mark.parametrize("name", ["prediction.svg", "train.svg", "power.svg", "d3viz.png"])
def test_the_figures_of_the_documents_are_small(name):
    assert 1_000 < (ROOT / "docs" / "figures" / name).stat().st_size < 60_000
