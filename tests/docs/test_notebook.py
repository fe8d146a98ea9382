"""The lecture notebooks run from beginning to end, and each cell shows what it is there for."""

import json
import os
import subprocess
import sys

import pytest

from tests.architecture.sources import ROOT
from tests.show.latex_grammar import faults
from tests.show.page_reader import Page

FOLDER = ROOT / "docs" / "tutorial"
NAMES = ["lecture1", "lecture2", "lecture3"]


@pytest.fixture(scope="module")
def lectures(tmp_path_factory):
    """For each notebook its cells by id, after a run in a new kernel; run once, when asked for."""
    done = {}

    def cells(name):
        if name not in done:
            done[name] = run(name, tmp_path_factory.mktemp(name))
        return done[name]

    return cells


def run(name, folder):
    env = {**os.environ, "PYTHONPATH": str(ROOT), "JUPYTER_PLATFORM_DIRS": "1"}
    env.pop("MPLBACKEND", None)  # the kernel has its own
    command = ["-m", "nbconvert", "--to", "notebook", "--execute", "--output-dir", str(folder)]
    made = subprocess.run(
        [sys.executable, *command, str(FOLDER / f"{name}.ipynb")],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr[-3000:]
    found = json.loads((folder / f"{name}.ipynb").read_text(encoding="utf-8"))
    return {cell["id"]: cell for cell in found["cells"]}


def shown(cells, name, kind):
    """What a cell shows, of one MIME type."""
    (text,) = [o["data"][kind] for o in cells[name]["outputs"] if kind in o.get("data", {})]
    return "".join(text)


def printed(cells, name):
    outputs = cells[name]["outputs"]
    return "".join("".join(o["text"]) for o in outputs if o["output_type"] == "stream")


def stored(name):
    return json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", NAMES)
def test_the_stored_notebook_has_no_outputs_and_no_machine_in_it(name):
    assert (FOLDER / f"{name}.ipynb").stat().st_size < 25_000
    for cell in stored(name)["cells"]:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
    assert set(stored(name)["metadata"]) == {"kernelspec", "language_info"}


@pytest.mark.parametrize("name", NAMES)
def test_every_exercise_has_a_folded_solution_after_it(name):
    cells = stored(name)["cells"]
    (text,) = ["".join(cell["source"]) for cell in cells if cell["id"] == "exercises"]
    asked = sum(line[:1].isdigit() for line in text.splitlines())
    solutions = [cell for cell in cells if "solution" in cell["metadata"].get("tags", ())]
    assert asked == len(solutions) > 3
    assert cells[-asked:] == solutions
    assert all(cell["metadata"]["jupyter"]["source_hidden"] for cell in solutions)


@pytest.mark.parametrize("name", NAMES)
def test_no_cell_complains(lectures, name):
    kinds = {
        (o["output_type"], o.get("name"))
        for cell in lectures(name).values()
        for o in cell.get("outputs", ())
    }
    assert kinds <= {("execute_result", None), ("display_data", None), ("stream", "stdout")}


@pytest.mark.parametrize("cell", ["variables", "formula", "model", "gradient"])
def test_expressions_are_formulas(lectures, cell):
    text = shown(lectures("lecture1"), cell, "text/latex")
    assert text.startswith("$") and text.endswith("$")
    assert faults(text.strip("$")) == []


def test_the_model_is_defined_by_its_names(lectures):
    text = shown(lectures("lecture1"), "model", "text/latex")
    assert r"p &= \operatorname{sigmoid}(X \, w + b)" in text
    assert r"\mathrm{cost} &= -\operatorname{mean}(t \odot \log(p)" in text


def test_graphs_and_functions_have_pictures(lectures):
    assert shown(lectures("lecture1"), "drawing", "image/svg+xml").startswith("<svg")
    page = Page(shown(lectures("lecture1"), "compiled", "text/html"))
    assert page.faults == []
    assert page.count("svg") == 2
    assert "updates w, b" in page.text


def test_training_lowers_the_cost_and_moves_the_weights(lectures):
    words = printed(lectures("lecture1"), "training").split()
    assert words[1] == "0.693" and float(words[4]) < 0.3
    assert "0 to 0" not in Page(shown(lectures("lecture1"), "training", "text/html")).text


def test_the_gradient_in_ten_lines_is_that_of_the_library(lectures):
    one, other = eval(shown(lectures("lecture1"), "own", "text/plain"), {"array": float})
    assert one == other == pytest.approx(2.58385316)  # y + cos(x) at 2, 3


def test_the_wrong_derivative_is_found(lectures):
    assert printed(lectures("lecture1"), "wrong").startswith("GradientError")
    assert "part of the computational graph" in printed(lectures("lecture1"), "stop")


def test_solutions_of_the_first_lecture_are_right(lectures):
    cells = lectures("lecture1")
    built, compiled = eval(shown(cells, "solution1", "text/plain"))
    assert built > 2 * compiled
    assert shown(cells, "solution2", "text/plain") == "True"
    assert shown(cells, "solution4", "text/plain") == "array([1., 1.])"
    assert printed(cells, "solution5").strip().endswith("Error")


def test_the_stepper_has_the_steps_that_the_text_speaks_of(lectures):
    ((_, given),) = Page(shown(lectures("lecture2"), "steps", "text/html")).elements
    assert '"rule":"log1p_exp"' in given["srcdoc"]
    ((_, given),) = Page(shown(lectures("lecture2"), "solution1", "text/html")).elements
    assert '"rule":"log_softmax"' in given["srcdoc"]


def test_formulas_are_wrong_as_written_and_right_as_rewritten(lectures):
    _, *rows = printed(lectures("lecture2"), "stability").splitlines()
    right = [1e-20, 1e-20, 4.24835426e-18, -800, 1001.3132616875182, 0.26894142, -46.05170186]
    assert len(rows) == len(right)
    for row, value in zip(rows, right, strict=True):
        written, rewritten = (row[at : at + 25].strip(" []").split()[0] for at in (20, 45))
        assert written in ("0.", "inf", "-inf", "nan")
        assert float(rewritten) == pytest.approx(value)
    assert len(shown(lectures("lecture2"), "picture", "image/png")) > 10_000


def test_the_rule_of_the_lecture_mends_its_formula(lectures):
    cells = lectures("lecture2")
    assert "-inf" in printed(cells, "rule-before")
    assert "-78.61370564" in printed(cells, "register") and "inf" not in printed(cells, "register")
    assert "arccos" not in printed(cells, "pattern")
    assert "inf" in printed(cells, "off") and "not among these" in printed(cells, "off")
    assert "values differ" in printed(cells, "solution2")


def test_only_what_was_given_away_is_overwritten(lectures):
    kept, taken = eval(shown(lectures("lecture2"), "mutable", "text/plain"), {"array": list})
    assert kept == [0, 0, 0] and taken == [1, 1, 1]


def test_a_loop_is_one_node_and_its_step_is_called_once(lectures):
    cells = lectures("lecture3")
    counts = [int(line.split()[2]) for line in printed(cells, "unrolled").splitlines()]
    assert counts == [3, 30, 300]
    called, nodes = printed(cells, "scan").splitlines()
    assert called.startswith("step is called") and nodes == "1 node"


def test_the_gradient_of_a_loop_is_the_product_of_its_steps(lectures):
    cells = lectures("lecture3")
    derivative, by_hand = eval(shown(cells, "gradient", "text/plain"))
    assert derivative == pytest.approx(by_hand, rel=1e-12) and by_hand > 1e5
    exponents = [float(line.split()[-1]) for line in printed(cells, "lyapunov").splitlines()]
    below, also_below, chaos, known, log_two = exponents
    assert max(below, also_below) < 0 < 0.4 < chaos < known == pytest.approx(log_two, abs=0.01)


def test_the_law_of_the_spring_is_learned(lectures):
    assert printed(lectures("lecture3"), "fit").startswith("k = 4.0")
    assert len(shown(lectures("lecture3"), "fit", "image/png")) > 10_000
    assert len(shown(lectures("lecture3"), "bifurcation", "image/png")) > 10_000


def test_checkpoints_keep_the_gradient_and_truncation_does_not(lectures):
    every, some, short = eval(shown(lectures("lecture3"), "memory", "text/plain"))
    assert some == pytest.approx(every, rel=1e-12) and short != pytest.approx(every, rel=0.1)


def test_the_loops_of_the_lecture_end_spread_and_are_compiled(lectures):
    cells = lectures("lecture3")
    for line in printed(cells, "until").splitlines():
        assert int(line.split()[0]) < 20 and abs(float(line.split()[-1])) < 1e-9
    words = printed(cells, "random").replace(",", "").split()
    assert 2.5 < float(words[3]) < 4 and 26 < float(words[-1]) < 38
    assert shown(cells, "engine", "text/plain").startswith("Runs on XLA")


def test_solutions_of_the_third_lecture_are_right(lectures):
    cells = lectures("lecture3")
    ratio, golden = eval(shown(cells, "solution1", "text/plain"))
    assert ratio == pytest.approx(golden, rel=1e-12)
    steps, predicted = eval(shown(cells, "solution2", "text/plain"))
    assert 0.5 < steps / predicted < 2
    assert eval(shown(cells, "solution3", "text/plain")) == [4.0, 0.5, 0.5, 1.0]
    assert len(shown(cells, "solution4", "image/png")) > 10_000

    def third(rate, x=0.3):
        for _ in range(3):
            x = rate * x * (1 - x)
        return x

    slope = (third(2.5 + 1e-6) - third(2.5 - 1e-6)) / 2e-6
    assert float(shown(cells, "solution5", "text/plain")) == pytest.approx(slope, rel=1e-6)
