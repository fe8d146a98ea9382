"""Packages written for Theano: the files that tell of them, and the lists of tests that pass."""

import argparse
import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from theano._src.ground.old_packages.corrections import CORRECTIONS
from tools.downstream import __main__ as command, environments, recipes, report, running
from tools.downstream.environments import Place
from tools.downstream.packages import ORIGINALS, Edit, Package, Script, read_package, read_packages
from tools.downstream.scripts import numbers_of, run_script
from tools.original.lists import ROOT, Group
from tools.original.running import Result
from tools.recipes import PAGES, commands_and_program, with_recipes

PACKAGES = read_packages()


@pytest.mark.parametrize("package", PACKAGES, ids=lambda p: p.name)
def test_a_file_says_where_a_package_comes_from_and_what_to_run(package):
    kind, *where = package.source.split()
    assert (kind, len(where)) in {("sdist", 1), ("wheel", 1), ("repository", 2)}
    assert (package.tests or package.scripts) and package.title
    assert all(edit.reason for edit in package.edits)
    assert not package.quick or kind != "repository"
    assert package.original in ORIGINALS


@pytest.mark.parametrize("package", PACKAGES, ids=lambda p: p.name)
def test_its_lists_are_sorted_and_hold_nothing_that_is_left_out(package):
    for name in ("passing", "sound"):
        path = package.folder / f"{package.name}.{name}.txt"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        assert lines == sorted(set(lines))
    assert all(not any(g.holds(test) for g in package.excluded) for test in package.passing)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda p: p.name)
def test_its_scripts_have_ids_of_their_own_and_numbers_with_a_tolerance(package):
    names = [script.name for script in package.scripts]
    assert len(set(names)) == len(names) and not any("::" in name for name in names)
    asked = {script.name for script in package.scripts if script.numbers}
    assert asked == {script.name for script in package.scripts if script.tolerance > 0}
    assert set(package.numbers) == asked & package.sound
    assert all((package.folder / "data" / maker.split()[0]).exists() for maker in package.prepare)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda p: p.name)
def test_an_exception_has_a_reason_and_passes_on_the_original_alone(package):
    for group in package.exceptions:
        assert group.reason
        assert not any(group.holds(test) for test in package.passing)
        # where the original was asked
        assert not package.sound or any(map(group.holds, package.counting()))


def test_asking_the_original_about_one_file_keeps_what_is_known_of_others(tmp_path):
    package = Package("p", "P", "wheel p==1", folder=tmp_path)
    package.hold_sound({"a.py::x", "a.py::y", "b.py::x"})
    package.hold_sound({"a.py::z"}, "a.py")
    assert package.sound == {"a.py::z", "b.py::x"}


def test_the_page_says_what_the_lists_say():
    text = report.PAGE.read_text(encoding="utf-8")
    assert report.with_sections(text, PACKAGES) == text


def test_the_shipped_recipes_are_those_of_the_files():
    """U1."""
    assert recipes.TABLE.read_text(encoding="utf-8") == recipes.text(PACKAGES)


@pytest.mark.parametrize("page", sorted(set(PAGES.values())), ids=lambda page: page.name)
def test_a_page_has_the_commands_of_the_recipes(page):
    """U1: what the gate follows is what `python -m theano recipe` prints."""
    assert with_recipes(page) == page.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_a_program_for_each_recipe_that_the_gate_follows(name):
    commands, program = commands_and_program(name)
    assert commands.endswith("python -m theano run train.py\n")
    assert PACKAGE_OF[name] in program and "assert " in program
    compile(program, name, "exec")


PACKAGE_OF = {"lasagne-0.1": "import lasagne", "keras-2.3.1": "keras", "pymc3-3.11.6": "pymc3"}


def test_every_shipped_correction_belongs_to_a_package_of_the_files():
    named = {module for package in PACKAGES for module in package.corrections()}
    assert named == CORRECTIONS.keys()


def test_files_of_one_package_have_one_recipe():
    one = Package("a", "A 1, some", "wheel a==1", recipe="a-1", needs=("b<2",))
    made = recipes.table([one, replace(one, name="b", title="A 1, the rest")])
    assert made == {
        "a-1": {
            "title": "A 1",
            "commands": [
                'pip install "b<2"',
                "pip install --no-deps a==1",
                "python -m theano run PROGRAM.py",
            ],
            "corrected": [],
            "edited": [],
        }
    }
    with pytest.raises(ValueError, match="is called a-1, as another one is"):
        recipes.table([one, replace(one, name="b", needs=())])


def test_a_recipe_says_which_edits_a_user_needs():
    edits = (
        Edit("a.py", "1", "2", "no GPU"),
        Edit("a.py", "1", "2", "fewer epochs", for_tests=True),
        Edit("tests/a.py", "1", "2", "pytest 7"),
    )
    package = Package("a", "A", "repository o/a c", edits=edits, python2=("*.py",))
    (recipe,) = recipes.table([package]).values()
    assert recipe["edited"] == ["a.py: no GPU"]
    assert recipe["commands"] == [
        "git clone https://github.com/o/a",
        "git -C a checkout c",
        "python -m theano run --python2 PROGRAM.py",
    ]
    assert "| a | converted from Python 2 | no GPU | fewer epochs; pytest 7 |" in (
        report.edits_section([package])
    )


@pytest.fixture
def package(tmp_path):
    path = tmp_path / "made.toml"
    path.write_text(
        'title = "Made up"\nsource = "sdist made==1"\ntests = ["tests"]\n'
        '[[group]]\nreason = "needs a GPU"\ntests = ["*gpu*"]\n'
        '[[exception]]\nreason = "ours is right"\ntests = ["t::d"]\n'
        '[[edit]]\nfile = "a.py"\nold = "x"\nnew = "y"\nreason = "NumPy 2"\n'
    )
    return read_package(path)


def test_a_file_is_read_whole(package):
    assert (package.name, package.kind, package.tests) == ("made", "sdist", ("tests",))
    assert package.excluded == [Group("needs a GPU", ("*gpu*",))]
    assert package.exceptions == [Group("ours is right", ("t::d",))]
    assert package.edits[0].new == "y"


def test_a_package_names_the_original_that_is_asked(package, tmp_path):
    other = replace(package, original="theano-pymc")
    here = Place(tmp_path, other, tmp_path)
    there = Place(tmp_path, other, tmp_path, on_oracle=True)
    assert there.env != Place(tmp_path, package, tmp_path, on_oracle=True).env
    assert here.env == Place(tmp_path, package, tmp_path).env
    assert "blas__ldflags=" in there.environment()["THEANO_FLAGS"]
    assert "ldflags" not in here.environment()["THEANO_FLAGS"]
    other.hold_sound({"t::a"})
    other.add({"t::a"})
    assert "1 of 1 (100.0 %), Theano-PyMC 1.1.2" in report.section([other])


def test_the_original_that_is_named_takes_the_place_of_theano(package, tmp_path, monkeypatch):
    place = Place(tmp_path, replace(package, original="theano-pymc"), tmp_path, on_oracle=True)
    place.env.mkdir()
    asked = []
    monkeypatch.setattr(Place, "_pip", lambda self, *arguments: asked.append(arguments))
    monkeypatch.setattr(Place, "_install", lambda self, *wanted: asked.append(wanted))
    monkeypatch.setattr(environments, "make_oracle", lambda shared, folder: folder)
    monkeypatch.setattr(environments.subprocess, "check_output", lambda *a, **k: "numpy==1.23.5")
    place._make_environment()
    assert asked[0] == ("uninstall", "-y", "Theano")
    assert asked[1][-1] == "Theano-PyMC==1.1.2"
    assert "filelock" in asked[2]
    assert (place.env / "constraints.txt").read_text() == "numpy==1.23.5"


def test_lists_grow_and_leave_out_what_cannot_count(package):
    assert package.add({"t::b", "t::a", "t::gpu"}) == {"t::a", "t::b"}
    assert package.add({"t::c"}) == {"t::c"}
    assert package.passing == {"t::a", "t::b", "t::c"}
    package.hold_sound({"t::a", "t::b", "t::d", "t::gpu"})
    assert package.counting() == {"t::a", "t::b", "t::d"}
    assert "2 of 3 (66.7 %)" in report.section([package])
    assert "needs a GPU" in report.section([package])
    assert "| Made up | d | ours is right |" in report.section([package])


@pytest.mark.parametrize("second", ["failed", "passed"])
def test_a_listed_test_is_lost_if_it_fails_twice(package, second, monkeypatch, capsys, tmp_path):
    package.add({"t::a", "t::b"})
    answers = [
        {"t::a": Result("passed"), "t::b": Result("failed", message="wrong")},
        {"t::b": Result(second, message="wrong")},
    ]
    monkeypatch.setattr(command, "run", lambda *asked: answers.pop(0))
    options = argparse.Namespace(
        sound=False, every=False, limit=1, results=None, write=False, part=""
    )
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


@pytest.fixture
def place(tmp_path):
    """A place with a program of a package, that needs no environment of its own."""

    class Here(Place):
        python = sys.executable

    package = Package("made", "Made up", "sdist made==1", folder=tmp_path / "lists")
    here = Here(tmp_path, package, tmp_path)
    (here.suite / "code").mkdir(parents=True)
    (here.path / "lib").mkdir()
    (here.path / "lib" / "tools").symlink_to(ROOT / "tools", target_is_directory=True)
    (package.folder / "data").mkdir(parents=True)
    return here


def script_in(place, text, **facts):
    (place.suite / "code" / "train.py").write_text(text)
    return Script("train", "train.py 3", "code", **({"limit": 30} | facts))


def test_a_script_that_ends_with_0_passes_and_runs_with_the_shim_and_its_arguments(place):
    text = "import sys, os\nassert long(sys.argv[1]) == 3 and os.getcwd().endswith('code')\n"
    result = run_script(place, script_in(place, text))
    assert result.passed and 0 < result.seconds < 30


def test_a_script_that_raises_fails_with_the_last_line_that_it_printed(place):
    result = run_script(place, script_in(place, "raise ValueError('no data')"))
    assert (result.outcome, result.kind) == ("failed", "ended with 1")
    assert result.message == "ValueError: no data"


def test_a_script_that_takes_too_long_is_ended(place):
    result = run_script(place, script_in(place, "while True: pass", limit=1))
    assert result.outcome == "timeout"


def test_a_script_of_ours_imports_from_the_folder_in_which_it_runs(place):
    (place.suite / "code" / "model.py").write_text("size = 4\n")
    (place.package.folder / "data" / "drive.py").write_text("import model\nassert model.size == 4")
    assert run_script(place, Script("drive", "drive.py", "code")).passed


def test_a_script_may_have_a_module_of_the_name_of_ours(place):
    (place.suite / "code" / "tools.py").write_text("size = 4\n")
    assert run_script(place, script_in(place, "import tools\nassert tools.size == 4")).passed


def test_a_script_may_be_a_text_that_calls_a_function_of_the_package(place):
    (place.suite / "code" / "model.py").write_text("def train(epochs):\n    print(epochs)\n")
    assert run_script(place, Script("c", "-c 'import model; model.train(epochs=2)'", "code")).passed
    assert (place.path / "output" / "c.txt").read_text() == "2\n"


def test_a_script_that_seeds_nothing_prints_the_same_each_time(place):
    script = script_in(place, "import random, numpy\nprint(random.random(), numpy.random.rand())")
    printed = {
        (run_script(place, script), (place.path / "output" / "train.txt").read_text())[1]
        for _ in range(2)
    }
    assert len(printed) == 1


def test_the_numbers_of_a_script_are_compared_with_those_of_the_original(place):
    script = script_in(
        place, "print('cost 5.0, then')\nprint('cost 2.02')", numbers=r"cost ([\d.]+)"
    )
    place.package.scripts = (script,)
    assert run_script(place, script).passed
    assert numbers_of(place, {"train"}) == {"train": [5.0, 2.02]}
    place.package.hold_numbers({"train": [5.0, 2.0]})
    assert place.package.numbers == {"train": [5.0, 2.0]}
    assert run_script(place, replace(script, tolerance=0.02)).passed
    result = run_script(place, replace(script, tolerance=0.001))
    assert (result.outcome, result.kind) == ("failed", "numbers")
    assert result.message == "number 2 is 2.02, on Theano 1.0.5 2.0"


def test_scripts_and_tests_of_a_package_run_together(place, monkeypatch):
    place.package.scripts = (script_in(place, "pass"),)
    place.package.tests = ("tests",)
    asked = []

    def tests(process, ids):
        asked.append(ids)
        return {"t::a": Result("passed")}

    monkeypatch.setattr(running, "run_through", tests)
    assert set(running.run(place)) == {"train", "t::a"}
    assert set(running.run(place, {"t::a"})) == {"t::a"}
    assert asked == [None, {"t::a"}]


def test_a_copy_of_a_repository_may_lack_large_files(tmp_path):
    work = tmp_path / "mirrors" / "a+b"
    git = ["git", "-C", str(work), "-c", "user.name=a", "-c", "user.email=a@b"]
    work.mkdir(parents=True)
    (work / "small.py").write_text("1")
    (work / "large.bin").write_text("2")
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "both"]):
        subprocess.run([*git, *words], check=True)
    named = subprocess.check_output([*git, "rev-parse", "HEAD:large.bin"], text=True).strip()
    (work / ".git" / "objects" / named[:2] / named[2:]).unlink()
    package = Package("made", "Made up", "repository a/b HEAD")
    place = Place(tmp_path, package, tmp_path, tmp_path / "mirrors")
    place.path.mkdir()
    place._take_sources(package.source, place.suite)
    assert [path.name for path in place.suite.iterdir()] == ["small.py"]


def test_sources_in_python_2_are_converted_data_are_made_and_packages_stand_beside(tmp_path):
    folder = tmp_path / "lists"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "make.py").write_text(
        "import sys, pathlib\npathlib.Path(sys.argv[1]).write_text('3')\n"
    )

    class Near(Place):
        python = sys.executable
        env = tmp_path / "env"

        def _make_environment(self):
            self.env.mkdir()

        def _take_sources(self, source, target):
            target.mkdir()
            text = "print 'epochs', 100" if source == self.package.source else "count = 1"
            (target / ("old.py" if target == self.suite else "other.py")).write_text(text + "\n")

    new = "int(open('data').read()) + __import__('other').count"
    edit = Edit("old.py", "100", new, "fewer epochs")
    package = Package(
        "made", "Made up", "sdist made==1", prepare=("make.py data",), python2=("*.py",),
        beside=("sdist other==1",),
        edits=(edit,), scripts=(Script("old", "old.py"),), folder=folder,
    )  # fmt: skip
    place = Near(tmp_path, package, tmp_path).ready()
    assert running.run(place)["old"].passed
    printed = (place.path / "output" / "old.txt").read_text()
    assert printed.endswith("old.py is Python 2: converted\nepochs 4\n")


def test_the_original_is_asked_with_a_copy_of_the_shipped_names(package, tmp_path):
    place = Place(tmp_path, package, tmp_path, on_oracle=True)
    place._copy_shim()
    code = "import old_packages.hook as h, sys; h.enable(); print('theano' in sys.modules, long)"
    printed = subprocess.check_output(
        [sys.executable, "-c", code], cwd=place.path / "lib", text=True, env={"PATH": "/bin"}
    )
    assert printed == "False <class 'int'>\n"


def test_a_function_that_yields_tests_is_one_test_that_runs_each(tmp_path):
    text = """
def test_all():
    for i in range(3):
        yield check, i, 3

def test_some():
    yield check, 1, 3
    yield check, 3, 3

def check(a, b):
    assert a < b
"""
    (tmp_path / "test_yields.py").write_text(text)
    record = tmp_path / "record"
    subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tools.downstream.plugin", "-c", "/dev/null", "-q",
         "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(tmp_path)],
        env={**os.environ, "DOWNSTREAM_RECORD": str(record), "DOWNSTREAM_LIMIT": "60"},
        cwd=ROOT, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    lines = map(json.loads, record.read_text().splitlines())
    found = {line["id"]: line["outcome"] for line in lines if "id" in line}
    assert found == {
        "test_yields.py::test_all": "passed",
        "test_yields.py::test_some": "failed",
    }
