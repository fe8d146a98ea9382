"""Packages written for Theano: the files that tell of them, and the lists of tests that pass."""

import argparse

import pytest

from tools.downstream import __main__ as command, report
from tools.downstream.packages import Package, read_package, read_packages
from tools.original.lists import Group
from tools.original.running import Result

PACKAGES = read_packages()


@pytest.mark.parametrize("package", PACKAGES, ids=lambda p: p.name)
def test_a_file_says_where_a_package_comes_from_and_what_to_run(package):
    kind, *where = package.source.split()
    assert (kind, len(where)) in {("sdist", 1), ("wheel", 1), ("repository", 2)}
    assert package.tests and package.title
    assert all(edit.reason for edit in package.edits)
    assert not package.quick or kind != "repository"


@pytest.mark.parametrize("package", PACKAGES, ids=lambda p: p.name)
def test_its_lists_are_sorted_and_hold_nothing_that_is_left_out(package):
    for name in ("passing", "sound"):
        path = package.folder / f"{package.name}.{name}.txt"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        assert lines == sorted(set(lines))
    assert all(not any(g.holds(test) for g in package.excluded) for test in package.passing)


def test_the_page_says_what_the_lists_say():
    text = report.PAGE.read_text(encoding="utf-8")
    inside = text.partition(report.BEGIN)[2].partition(report.END)[0]
    assert inside.strip() == report.section(PACKAGES).strip()


@pytest.fixture
def package(tmp_path):
    path = tmp_path / "made.toml"
    path.write_text(
        'title = "Made up"\nsource = "sdist made==1"\ntests = ["tests"]\n'
        '[[group]]\nreason = "needs a GPU"\ntests = ["*gpu*"]\n'
        '[[edit]]\nfile = "a.py"\nold = "x"\nnew = "y"\nreason = "NumPy 2"\n'
    )
    return read_package(path)


def test_a_file_is_read_whole(package):
    assert (package.name, package.kind, package.tests) == ("made", "sdist", ("tests",))
    assert package.excluded == [Group("needs a GPU", ("*gpu*",))]
    assert package.edits[0].new == "y"


def test_lists_grow_and_leave_out_what_cannot_count(package):
    assert package.add({"t::b", "t::a", "t::gpu"}) == {"t::a", "t::b"}
    assert package.add({"t::c"}) == {"t::c"}
    assert package.passing == {"t::a", "t::b", "t::c"}
    package.hold_sound({"t::a", "t::b", "t::d", "t::gpu"})
    assert package.counting() == {"t::a", "t::b", "t::d"}
    assert "2 of 3 (66.7 %)" in report.section([package])
    assert "needs a GPU" in report.section([package])


@pytest.mark.parametrize("second", ["failed", "passed"])
def test_a_listed_test_is_lost_if_it_fails_twice(package, second, monkeypatch, capsys, tmp_path):
    package.add({"t::a", "t::b"})
    answers = [
        {"t::a": Result("passed"), "t::b": Result("failed", message="wrong")},
        {"t::b": Result(second, message="wrong")},
    ]
    monkeypatch.setattr(command, "run", lambda place, ids, limit: answers.pop(0))
    options = argparse.Namespace(sound=False, every=False, limit=1, results=None, write=False)
    lost = command.hold(command.Place(tmp_path, package, tmp_path), options)
    assert lost == ({"t::b"} if second == "failed" else set())
    assert ("no longer passes: t::b" in capsys.readouterr().out) == (second == "failed")


def test_a_package_whose_repository_is_not_there_is_said(monkeypatch, capsys, tmp_path):
    def refuse(self):
        raise FileNotFoundError("give a folder with copies of repositories by --mirrors")

    monkeypatch.setattr(command.Place, "ready", refuse)
    one = Package("far", "Far", "repository a/b c", ("tests",))
    options = argparse.Namespace(mirrors=None, folder=tmp_path, sound=False)
    assert command.made(one, tmp_path, options) is None
    assert "not run: give a folder" in capsys.readouterr().out
