"""The list of passing examples only grows, and a loss is reported."""

import json
import sys

import pytest

from tools import conformance

RUN = """
import json, sys
answer = sys.argv[sys.argv.index("--json") + 1]
json.dump(RESULTS, open(answer, "w"))
"""


@pytest.fixture
def tool(tmp_path, monkeypatch):
    """A call of the tool on a made-up conformance folder: (exit code, the list afterwards)."""

    def call(results, needs, listed, *options, deviations=""):
        folder = tmp_path / "conformance"
        folder.mkdir()
        answers = {
            name: {"ok": ok, "why": "" if ok else "it broke"} for name, ok in results.items()
        }
        (folder / "run.py").write_text(f"RESULTS = {answers!r}\n{RUN}")
        entries = [{"id": name, "needs": needs[name]} for name in results]
        (folder / "all.json").write_text(json.dumps(entries))
        passing = tmp_path / "passing.txt"
        passing.write_text("\n".join(listed))
        page = tmp_path / "deviations.md"
        page.write_text(deviations)
        monkeypatch.setattr(conformance, "PASSING", passing)
        monkeypatch.setattr(conformance, "DEVIATIONS", page)
        monkeypatch.setattr(sys, "argv", ["conformance.py", "--shared", str(tmp_path), *options])
        return conformance.main(), passing.read_text().split()

    return call


NEEDS = {"tut-a-1": ["core"], "tut-b-1": ["core", "not built"], "tut-c-1": ["not built"]}


def test_the_list_is_sorted_and_has_no_example_twice():
    listed = conformance.PASSING.read_text(encoding="utf-8").split()
    assert listed == sorted(set(listed))


def test_a_listed_example_that_fails_is_a_failure(tool, capsys):
    results = {"tut-a-1": True, "tut-b-1": False, "tut-c-1": False}
    code, _ = tool(results, NEEDS, ["tut-a-1", "tut-b-1"])
    assert code == 1
    assert "tut-b-1" in capsys.readouterr().out


def test_an_example_that_needs_something_unbuilt_may_fail(tool):
    results = {"tut-a-1": True, "tut-b-1": False, "tut-c-1": False}
    assert tool(results, NEEDS, ["tut-a-1"])[0] == 0


def test_an_example_that_needs_only_what_is_built_must_pass(tool):
    results = {"tut-a-1": False, "tut-b-1": True, "tut-c-1": True}
    assert tool(results, NEEDS, ["tut-b-1"])[0] == 1


def test_an_example_with_its_reason_in_the_deviations_is_excused(tool):
    results = {"tut-a-1": False, "tut-b-1": True, "tut-c-1": True}
    page = f"{conformance.EXCUSED}\n\n| `tut-a-1` | asks for two things at once |\n"
    assert tool(results, NEEDS, [], deviations=page)[0] == 0


def test_an_example_named_elsewhere_on_the_page_is_not_excused(tool):
    results = {"tut-a-1": False, "tut-b-1": True, "tut-c-1": True}
    page = f"see `tut-a-1`\n\n{conformance.EXCUSED}\n\nNone.\n"
    assert tool(results, NEEDS, [], deviations=page)[0] == 1


def test_update_adds_and_never_removes(tool):
    results = {"tut-a-1": True, "tut-b-1": False, "tut-c-1": True}
    code, listed = tool(results, NEEDS, ["tut-b-1"], "--update")
    assert code == 1
    assert listed == ["tut-a-1", "tut-b-1", "tut-c-1"]


def test_without_the_folder_it_says_so_and_passes(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["conformance.py", "--shared", str(tmp_path)])
    assert conformance.main() == 0
    assert "absent" in capsys.readouterr().out
