"""The benchmark beside other frameworks: programs complete and right, tables and plot readable."""

import ast
import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

PEERS = Path(__file__).parents[2] / "benchmarks" / "peers"


@pytest.fixture
def peers(monkeypatch):
    """The driver's modules, importable by their short names for one test."""
    names = "tasks", "envs", "report"
    monkeypatch.syspath_prepend(str(PEERS))
    for name in names:
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield [__import__(name) for name in names]
    for name in names:
        sys.modules.pop(name, None)


def defined(module: str) -> set[str]:
    """Names that a module of programs gives, read without importing its framework."""
    if module == "in_torch_compile":
        module = "in_torch"
    body = ast.parse((PEERS / f"{module}.py").read_text()).body
    functions = {n.name for n in body if isinstance(n, ast.FunctionDef)}
    assigned = {t.id for n in body if isinstance(n, ast.Assign) for t in n.targets}
    taken = {a.name for n in body if isinstance(n, ast.ImportFrom) for a in n.names}
    return functions | assigned | taken


def ask(module: str, scratch: Path, *requests: dict) -> list[dict]:
    """What a worker answers, in this interpreter."""
    lines = "".join(json.dumps(r) + "\n" for r in requests)
    done = subprocess.run(
        [sys.executable, "worker.py", module, str(scratch), "--quick"],
        cwd=PEERS,
        input=lines,
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_every_framework_has_every_program_it_is_measured_with(peers):
    tasks, envs, _ = peers
    for framework in envs.FRAMEWORKS:
        wanted = {t.program for t in tasks.TASKS if not t.only or framework.name in t.only}
        assert wanted <= defined(framework.module), framework.name


def test_the_same_seed_draws_the_same_inputs(peers):
    tasks, _, _ = peers
    one, two = (tasks.BY_NAME["lengths"].data(quick=True) for _ in range(2))
    assert [a[0].tolist() for a in one[1]] == [a[0].tolist() for a in two[1]]
    assert len(one[1]) == 8 * tasks.CALLS_A_SIZE


@pytest.mark.slow
def test_our_programs_give_what_numpy_gives(tmp_path):
    requests = [
        request
        for task in ("add_vector", "logistic", "mlp", "solve", "unrolled")
        for request in ({"do": "first", "task": task}, {"do": "check"})
    ]
    requests.append({"do": "sequence", "task": "lengths"})
    for module in ("in_numpy", "in_theano"):
        answers = ask(module, tmp_path, *requests)
        assert len(answers) == len(requests)
        assert not [a for a in answers if a.get("error") or a.get("wrong")]


def test_a_wrong_result_is_told_from_a_right_one(tmp_path):
    np.save(tmp_path / "add_scalar.npy", np.full(3, 2.5 + 1e-6))
    requests = {"do": "first", "task": "add_scalar"}, {"do": "check"}
    assert "off by 1e-06" in ask("in_theano", tmp_path, *requests)[1]["wrong"]


@pytest.fixture
def found():
    steady = {"cold": [0.1, 0.2], "build": [0.05, 0.1], "steady": [1e-6, 2e-6, 3e-6]}
    slower = {"cold": [2.0], "build": [1.0], "steady": [4e-6, 4e-6, 4e-6]}
    through = {"total": 2.0, "longest": 0.5, "calls": 40, "peak MB": 80.0, "build": 0.1}
    names = "ours", "jax", "numpy"
    return {
        "versions": {name: {name: "1"} for name in names},
        "imports": {name: [0.5] for name in names},
        "absent": {},
        "later": {"RNN": "scan"},
        "machine": {
            "python": "3",
            "processor": "one",
            "cores": 2,
            "load": [0.1, 0.2],
            "compiler": "no g++",
            "date": "today",
            "quick": True,
            "minutes": 1,
        },
        "tasks": {
            "add_vector": {"ours": steady, "jax": slower, "numpy": {"missing": "over 60 s"}},
            "lengths": {"ours": through, "jax": through, "numpy": through},
        },
    }


def test_ratios_stand_in_the_table_and_reasons_in_notes(peers, found):
    _, _, report = peers
    text = report.printed(found)
    assert "| 0.50 (0.38..0.62) |" in text
    assert "none (1)" in text
    assert "1. NumPy, `x + 1`, 10 numbers: over 60 s." in text
    assert "2.00 s, 500 ms, 80 MB" in text


def test_the_section_is_replaced_and_the_rest_of_the_page_is_not(peers, found, tmp_path):
    _, _, report = peers
    page = tmp_path / "performance" / "peers.md"
    page.parent.mkdir()
    page.write_text(f"before\n\n{report.BEGIN}\nlast year\n{report.END}\n\nafter\n")
    for _ in range(2):
        report.write_section(found, tmp_path)
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith("\nafter\n") and "last year" not in text
    ElementTree.fromstring((tmp_path / "figures" / "peers.svg").read_text())
    assert json.loads((tmp_path / "figures" / "peers.json").read_text())["tasks"].keys() == {
        "add_vector",
        "lengths",
    }


def test_a_page_without_marks_is_refused(peers, found, tmp_path):
    _, _, report = peers
    (tmp_path / "performance").mkdir()
    (tmp_path / "performance" / "peers.md").write_text("nothing\n")
    with pytest.raises(ValueError, match="takes the tables between"):
        report.write_section(found, tmp_path)
