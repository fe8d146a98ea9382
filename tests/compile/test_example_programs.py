"""`python -m theano examples` lists the example programs, and writes them (U5.13)."""

import subprocess
import sys
import tomllib

from tests.architecture.sources import ROOT
from theano._src.compile.commands import example_programs
from theano._src.compile.commands.command import main
from tools import gallery


def test_all_programs_of_the_gallery_are_listed_with_a_sentence_each(capsys):
    assert main(["examples"]) == 0
    printed = capsys.readouterr().out
    rows = dict(line.split(maxsplit=1) for line in printed.split("\n\n")[0].splitlines())
    assert {*gallery.listed(), "from_scratch", "sklearn_classifier"} <= rows.keys()
    assert not {"digits", "drawing"} & rows.keys()
    assert all(text.rstrip(".") for text in rows.values())
    assert f"They are in {ROOT / 'examples'}." in printed


def test_a_program_is_written_with_what_it_imports_and_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["examples", "char_lstm.py"]) == 0
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"char_lstm.py", "digits.py", "drawing.py", "optimizers.py"}
    for name in names:
        assert (tmp_path / name).read_bytes() == (ROOT / "examples" / name).read_bytes()
    assert "Run it: python char_lstm.py" in capsys.readouterr().out
    call = [sys.executable, "char_lstm.py", "--help"]
    environ = {"PYTHONPATH": str(ROOT), "PATH": ""}
    assert (
        "--figure"
        in subprocess.run(call, env=environ, capture_output=True, text=True, check=True).stdout
    )


def test_a_program_is_written_with_the_files_of_c_that_it_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["examples", "native_sampler"]) == 0
    names = {
        path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()
    }
    programs = {"native_sampler.py", "digits.py", "drawing.py"}
    assert names == programs | {"nuts/nuts.c", "nuts/nuts.h", "nuts/target.c"}
    for name in names:
        assert (tmp_path / name).read_bytes() == (ROOT / "examples" / name).read_bytes()


def test_files_of_other_contents_are_kept_and_equal_ones_are_no_obstacle(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "digits.py").write_text("mine = 1\n")
    assert main(["examples", "lenet"]) == 1
    assert (
        "digits.py: there already, and not the same; nothing is written" in capsys.readouterr().out
    )
    assert [path.name for path in tmp_path.iterdir()] == ["digits.py"]
    (tmp_path / "digits.py").unlink()
    assert (
        main(["examples", "lenet"])
        == main(["examples", "ode_fit"])
        == main(["examples", "lenet"])
        == 0
    )
    assert (tmp_path / "ode_fit.py").exists()


def test_a_program_that_is_not_there_is_answered_by_those_that_are(capsys):
    assert main(["examples", "alexnet"]) == 1
    assert "no example called alexnet; there are adversarial, " in capsys.readouterr().out


def test_without_the_programs_the_command_says_where_they_are(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(example_programs, "_FOLDERS", (tmp_path,))
    assert main(["examples"]) == 1
    assert "not part of this installation" in capsys.readouterr().out


def test_the_wheel_has_the_programs_where_the_command_looks_for_them():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert included == {"examples": "theano/_examples"}
    assert example_programs._FOLDERS[0] == ROOT / included["examples"]
