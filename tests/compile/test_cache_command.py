"""The command theano-cache."""

import dataclasses
import json
import os
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from theano._src.c_code import library_cache
from theano._src.compile.commands import cache_command
from theano._src.engines import costs, disk_cache
from theano._src.engines.disk_cache import Entries
from theano._src.ground import compilelock, private_folders

ROOT = Path(__file__).parents[2]
KEYS = ("jit_theano_a1-0123456789abcdef", "jit_theano_b2-fedcba9876543210")


@pytest.fixture
def base(tmp_path, monkeypatch):
    """A base_compiledir with one folder of two programs, and flags that lead there."""
    flags = SimpleNamespace(
        device="cpu",
        base_compiledir=str(tmp_path / "base"),
        compiledir=str(tmp_path / "base" / "compiledir_here"),
        cmodule=SimpleNamespace(age_thresh_use=24 * 86400),
        compile=SimpleNamespace(wait=5.0),
    )
    for module in (cache_command, private_folders, costs, compilelock):
        monkeypatch.setattr(module, "config", flags)
    monkeypatch.setattr(private_folders, "default_base_compiledir", lambda: str(tmp_path / "home"))
    monkeypatch.setattr(costs, "_known", [])
    entries = disk_cache.open_entries()
    for k, key in enumerate(KEYS):
        entries.put(key, bytes(1000 * (k + 1)))
    return tmp_path / "base"


@pytest.fixture
def say(capsys):
    """What a command prints, by line, after the code it returns."""

    def command(*words):
        code = cache_command.main(words)
        return code, *capsys.readouterr().out.splitlines()

    return command


def programs(base):
    return Entries(str(base / "compiledir_here" / "xla")).all()


def test_without_a_word_the_folder_is_printed(base, say):
    assert say() == (0, str(base / "compiledir_here"))
    assert say("basecompiledir") == (0, str(base))


def test_help_names_every_command(say):
    code, *lines = say("help")
    assert code == 0
    named = {tuple(line[:36].split()[1:]) for line in lines}
    assert named == set(cache_command._COMMANDS) - {("-h",), ("--help",)}


@pytest.mark.parametrize("word", ["-h", "--help"])
def test_options_for_help_are_answered(say, word):
    """U3.7: `theano-cache --help` was refused."""
    assert say(word) == say("help")


@pytest.mark.parametrize("words", ["bogus", "list all", "basecompiledir bogus", "clear purge"])
def test_a_word_it_does_not_know_prints_help_and_fails(base, say, words):
    code, first, *rest = say(*words.split())
    assert code == 1
    assert repr(words) in first
    assert ("theano-cache " + "help") in " ".join(rest)
    assert len(programs(base)) == 2


def test_list_prints_each_program_with_size_and_age_and_the_total(base, say):
    files = {e.program: e for e in programs(base)}
    now = time.time()
    os.utime(files["jit_theano_a1-01234567"].path, (now - 7300, now - 7300))
    os.utime(files["jit_theano_b2-fedcba98"].path, (now - 86401, now - 86401))
    code, folder, first, second, total = say("list")
    assert (code, folder) == (0, str(base / "compiledir_here" / "xla"))
    assert first.split() == "jit_theano_a1-01234567 1.0 kB used 2 hours ago".split()
    assert second.split() == "jit_theano_b2-fedcba98 2.0 kB used 1 day ago".split()
    assert total == "2 programs, 3.1 kB"


def test_list_of_an_empty_cache_says_so(base, say):
    say("purge")
    assert say("list") == (0, str(base / "compiledir_here" / "xla"), "0 programs, 0 B")
    assert not (base / "compiledir_here").exists()


def test_clear_removes_programs_and_what_writing_left_and_nothing_else(base, say):
    folder = base / "compiledir_here"
    (folder / "rates.json").write_text("{}")
    (folder / "xla" / "dead.part").write_text("half")
    (folder / "xla" / "notes").write_text("mine")
    assert say("clear") == (0, "removed 2 programs, 3.1 kB")
    assert programs(base) == []
    assert [p.name for p in (folder / "xla").iterdir()] == ["notes"]
    assert (folder / "rates.json").exists()
    assert say("clear") == (0, "removed 0 programs, 0 B")


def test_cleanup_removes_the_damaged_the_old_and_the_abandoned(base, say):
    old, damaged = (Path(e.path) for e in programs(base))
    entries = Entries(str(base / "compiledir_here" / "xla"))
    entries.put("jit_theano_c3-00", b"good")
    for name, age in (("dead.part", 4000), ("alive.part", 0)):
        path = Path(entries.path, name)
        path.write_text("half")
        os.utime(path, (time.time() - age,) * 2)
    os.utime(old, (time.time() - 25 * 86400,) * 2)
    os.truncate(damaged, 100)
    code, line = say("cleanup")
    assert (code, line.split(",")[0]) == (0, "removed 2 programs")
    assert entries.get("jit_theano_c3-00") == b"good"
    assert sorted(os.listdir(entries.path))[0] == "alive.part"
    assert len(os.listdir(entries.path)) == 2


def test_purge_removes_the_folder_and_keeps_those_of_other_platforms(base, say):
    (base / "compiledir_other" / "xla").mkdir(parents=True)
    assert say("purge") == (0,)
    assert [p.name for p in base.iterdir()] == ["compiledir_other"]
    assert say("purge") == (0,)


def test_purge_of_a_folder_with_a_name_of_the_users_leaves_their_files(base, say):
    chosen = base / "mine"
    cache_command.config.compiledir = str(chosen)
    disk_cache.open_entries().put(KEYS[0], b"a program")
    (chosen / "rates.json").write_text("{}")
    (chosen / "thesis.tex").write_text("years of work")
    assert say("purge") == (0,)
    assert [p.name for p in chosen.iterdir()] == ["thesis.tex"]
    (chosen / "thesis.tex").unlink()
    assert say("purge") == (0,)
    assert not chosen.exists()


def test_purge_does_not_follow_links(base, say, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "thesis.tex").write_text("years of work")
    (base / "compiledir_link").symlink_to(elsewhere)
    (base / "compiledir_here" / "xla" / "link").symlink_to(elsewhere)
    assert say("basecompiledir", "purge") == (0,)
    assert (elsewhere / "thesis.tex").exists()
    assert [p.name for p in base.iterdir()] == ["compiledir_link"]


def test_basecompiledir_lists_and_purges_the_folders_of_all_platforms(base, say):
    (base / "compiledir_other" / "tmp123").mkdir(parents=True)
    (base / "notes").mkdir()
    expected = (0, str(base), "  compiledir_here", "  compiledir_other")
    assert say("basecompiledir", "list") == expected
    assert say("basecompiledir", "purge") == (0,)
    assert [p.name for p in base.iterdir()] == ["notes"]
    assert say("basecompiledir", "list") == (0, str(base))


def test_what_cannot_be_removed_is_named_and_fails(base, say, monkeypatch):
    def refuse(path, **kwargs):
        raise PermissionError(13, "no", path)

    paths = sorted(e.path for e in programs(base))
    monkeypatch.setattr(os, "remove", refuse)
    code, *lines = say("clear")
    assert code == 1
    assert lines[0] == "removed 0 programs, 0 B"
    assert sorted(lines[1:]) == [f"could not remove {path}" for path in paths]


def test_commands_work_on_the_private_folder_that_is_used_instead(base, say, tmp_path):
    (base / "compiledir_here").chmod(0o777)
    with pytest.warns(RuntimeWarning, match="others may write"):
        disk_cache.open_entries().put(KEYS[0], b"a program")
    code, why, folder, _, total = say("list")
    assert (code, why) == (0, f"not used: others may write to {base / 'compiledir_here'}")
    assert folder == str(tmp_path / "home" / "compiledir_here" / "xla")
    assert total.startswith("1 program, ")
    assert say("purge") == (0,)
    assert not (tmp_path / "home" / "compiledir_here").exists()
    assert not (base / "compiledir_here").exists()


def test_unlock_breaks_the_lock(base, say):
    compilelock.get_lock()
    try:
        assert (base / "compiledir_here" / "lock").exists()
        assert say("unlock") == (0, "the folder is not locked")
        assert not (base / "compiledir_here" / "lock").exists()
    finally:
        compilelock.release_lock()
    assert say("unlock")[0] == 0


def test_calibrate_measures_and_keeps_the_rates_of_this_machine(base, say):
    code, *lines = say("calibrate")
    assert code == 0
    kept = json.loads((base / "compiledir_here" / "rates.json").read_text())
    kinds = kept.pop("kinds")
    assert [line.split()[0] for line in lines] == [*kept, *(k.split()[0] for k in kinds)]
    assert all(rate > 0 for rate in kept.values())


def test_another_device_has_rates_of_its_own(base, say, monkeypatch):
    folder = base / "compiledir_here"
    folder.mkdir(parents=True, exist_ok=True)
    monkeypatch.setattr(costs, "_known", [])
    slow = dataclasses.asdict(costs.rates()) | {"xla_call": 0.25}
    (folder / "rates-cuda.json").write_text(json.dumps(slow))
    for device, seconds in (("cpu", costs.Rates().xla_call), ("cuda0", 0.25), ("cuda1", 0.25)):
        monkeypatch.setattr(costs.config, "device", device)
        monkeypatch.setattr(costs, "_known", [])
        assert costs.rates().xla_call == seconds


def test_calibrate_makes_a_folder_that_programs_can_be_kept_in_too(base, say):
    say("purge")
    before = os.umask(0)
    try:
        assert say("calibrate")[0] == 0
    finally:
        os.umask(before)
    assert disk_cache.open_entries().path == str(base / "compiledir_here" / "xla")


def test_calibrate_fails_with_words_where_nothing_can_be_kept(base, say):
    say("purge")
    (base / "compiledir_here").write_text("in the way")
    code, line = say("calibrate")
    assert code == 1
    assert line.startswith("what was measured cannot be kept: ")


def test_it_is_a_command_of_the_distribution_and_loads_no_jax(tmp_path):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, function = project["scripts"]["theano-cache"].split(":")
    program = (
        f"import sys; from {module} import {function}\n"
        f"codes = [{function}([w]) for w in ('list', 'clear', 'cleanup', 'purge', 'unlock')]\n"
        "print(codes, 'jax' in sys.modules, 'scipy' in sys.modules)"
    )
    found = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, "THEANO_FLAGS": f"base_compiledir={tmp_path}"},
    )
    assert found.returncode == 0, found.stderr
    assert found.stdout.splitlines()[-1] == "[0, 0, 0, 0, 0] False False"
    assert os.listdir(tmp_path) == []


def test_compiled_c_code_is_listed_and_removed_with_the_programs(base, say):
    library = base / "compiledir_here" / library_cache.FOLDER / "0123456789abcdef"
    library.mkdir(parents=True)
    (library / "library.so").write_bytes(bytes(3000))
    assert [line.split()[0] for line in say("list")[2:-1]][-1] == "c-01234567"
    assert say("cleanup") == (0, "removed 1 program, 3.0 kB")  # it has no digest
    library.mkdir()
    assert say("clear") == (0, "removed 3 programs, 3.1 kB")
    assert not library.exists()
