"""The notebook of the docs runs from beginning to end, and each cell shows what it is there for."""

import json
import os
import subprocess
import sys

import pytest

from tests.architecture.sources import ROOT
from tests.show.latex_grammar import faults
from tests.show.page_reader import Page

NOTEBOOK = ROOT / "docs" / "tutorial" / "notebook.ipynb"


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    """The cells by id, after a run in a new kernel."""
    folder = tmp_path_factory.mktemp("notebook")
    env = {**os.environ, "PYTHONPATH": str(ROOT), "JUPYTER_PLATFORM_DIRS": "1"}
    command = ["-m", "nbconvert", "--to", "notebook", "--execute", "--output-dir", str(folder)]
    done = subprocess.run(
        [sys.executable, *command, str(NOTEBOOK)],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads((folder / NOTEBOOK.name).read_text(encoding="utf-8"))
    return {cell["id"]: cell for cell in found["cells"]}


def shown(cells, name, kind):
    """What a cell shows, of one MIME type."""
    (text,) = [o["data"][kind] for o in cells[name]["outputs"] if kind in o.get("data", {})]
    return "".join(text)


def test_the_stored_notebook_has_no_outputs_and_no_machine_in_it():
    stored = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert NOTEBOOK.stat().st_size < 20_000
    for cell in stored["cells"]:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
    assert set(stored["metadata"]) == {"kernelspec", "language_info"}


def test_no_cell_complains(cells):
    kinds = {
        (o["output_type"], o.get("name")) for c in cells.values() for o in c.get("outputs", ())
    }
    assert kinds == {("execute_result", None), ("display_data", None), ("stream", "stdout")}


@pytest.mark.parametrize("name", ["formula", "model", "gradient"])
def test_expressions_are_formulas(cells, name):
    text = shown(cells, name, "text/latex")
    assert text.startswith("$") and text.endswith("$")
    assert faults(text.strip("$")) == []


def test_the_model_is_defined_by_its_names(cells):
    text = shown(cells, "model", "text/latex")
    assert r"p &= \operatorname{sigmoid}(X \, w + b)" in text
    assert r"\mathrm{cost} &= -\operatorname{mean}(y \odot \log(p)" in text


def test_the_function_has_two_pictures(cells):
    page = Page(shown(cells, "function", "text/html"))
    assert page.faults == []
    assert page.count("svg") == 2
    assert "updates w, b" in page.text


def test_training_lowers_the_cost_and_moves_the_weights(cells):
    (stream,) = [o for o in cells["training"]["outputs"] if o["output_type"] == "stream"]
    words = "".join(stream["text"]).split()
    assert words[1] == "0.693" and float(words[4]) < 0.3
    assert "0 to 0" in Page(shown(cells, "shared", "text/html")).text
    assert "0 to 0" not in Page(shown(cells, "training", "text/html")).text


def test_explain_and_the_settings_are_tables(cells):
    page = Page(shown(cells, "explain", "text/html"))
    assert page.text.startswith("Runs on") and page.count("table")
    assert Page(shown(cells, "config", "text/html")).count("table") > 5


def test_the_stepper_has_the_step_that_the_text_speaks_of(cells):
    ((_, given),) = Page(shown(cells, "rewriting", "text/html")).elements
    assert '"rule":"log_softmax"' in given["srcdoc"]
