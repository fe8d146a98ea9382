"""Shared libraries in the compile directory."""

import ctypes
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import theano
from theano._src.c_code import compiler, library_cache
from theano._src.c_code.compiler import CompileError, MissingGXX, Options, why_no_compiler
from theano._src.c_code.library_cache import DIGEST, LIBRARY, library, opened
from theano._src.ground import private_folders

KILLS = int(os.environ.get("THEANO_TEST_KILLS", "30"))
ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(why_no_compiler() is not None, reason=str(why_no_compiler()))


def returning(k):
    return f'extern "C" int value(void) {{ return {k}; }}'


def value_of(path):
    return ctypes.CDLL(str(path)).value()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache of this test alone."""
    place = str(tmp_path / "libraries")
    monkeypatch.setattr(library_cache, "_place_in", lambda compiledir: place)
    return Path(place)


def compiled(monkeypatch):
    """The list of sources compiled from now on."""
    sources = []
    real = compiler.compile_library

    def note(source, target, options):
        sources.append(source)
        real(source, target, options)

    monkeypatch.setattr(compiler, "compile_library", note)
    return sources


def test_the_same_text_is_compiled_once(folder, monkeypatch):
    made = compiled(monkeypatch)
    first, again = library(returning(1)), library(returning(1))
    assert first == again
    assert value_of(first) == 1
    assert len(made) == 1
    assert [p.name for p in folder.iterdir()] == [first.parent.name]


@pytest.mark.parametrize(
    "options",
    [
        Options(args=["-DX=2"]),
        Options(libraries=["m"]),
        Options(lib_dirs=["/tmp"]),
        Options(header_dirs=["/tmp"]),
        Options(without=["-O3"]),
        Options(python=True),
    ],
)
def test_other_options_are_another_library(folder, options):
    assert library(returning(1), options) != library(returning(1))


def test_another_compiler_version_processor_or_flag_is_another_library(folder, monkeypatch):
    found = {library(returning(1))}
    with theano.config.change_flags(gcc__cxxflags="-DY=1"):
        found.add(library(returning(1)))
    with theano.config.change_flags(cmodule__debug=True):
        found.add(library(returning(1)))
    monkeypatch.setattr(compiler, "version", lambda cxx: "g++ of tomorrow")
    found.add(library(returning(1)))
    monkeypatch.setattr(private_folders, "processor", lambda: "another")
    found.add(library(returning(1)))
    assert len(found) == 5


def test_a_changed_header_of_the_author_is_another_library(folder, tmp_path):
    (tmp_path / "own.h").write_text('#include "inner.h"\n')
    (tmp_path / "inner.h").write_text("#define NUMBER 1\n")
    text = '#include <own.h>\nextern "C" int value(void) { return NUMBER; }'
    options = Options(header_dirs=[str(tmp_path)])
    assert value_of(library(text, options)) == 1
    (tmp_path / "inner.h").write_text("#define NUMBER 2\n")
    assert value_of(library(text, options)) == 2


@pytest.mark.parametrize("keep", [0, 1, 100, 5000])
def test_a_truncated_library_is_compiled_again(folder, keep):
    path = library(returning(7))
    path.write_bytes(path.read_bytes()[:keep])
    assert value_of(library(returning(7))) == 7


@pytest.mark.parametrize("name", [LIBRARY, DIGEST])
def test_a_library_without_one_of_its_files_is_compiled_again(folder, name):
    path = library(returning(8))
    os.remove(path.parent / name)
    assert value_of(library(returning(8))) == 8
    assert [p.name for p in folder.iterdir()] == [path.parent.name]


def test_a_library_that_does_not_load_is_compiled_again(folder):
    path = library(returning(9))
    path.write_bytes(b"no library")
    (path.parent / DIGEST).write_text(library_cache._digest(path))
    assert opened(returning(9), ctypes.CDLL).value() == 9


def test_what_never_loads_raises_what_the_loader_says(folder):
    text = 'extern "C" int nowhere(void); extern "C" int value(void) { return nowhere(); }'
    with pytest.raises(OSError, match="nowhere"):
        opened(text, lambda path: ctypes.CDLL(path, os.RTLD_NOW))


def test_a_folder_that_cannot_be_made_is_replaced_by_one_of_the_process(tmp_path, monkeypatch):
    monkeypatch.setattr(private_folders, "choose", lambda *args, **kwargs: (None, ["full"]))
    place = library_cache._place_in.__wrapped__(str(tmp_path))
    assert os.path.isdir(place)
    os.rmdir(place)


# errors


def test_an_error_of_the_compiler_shows_its_message_and_the_lines_of_c(folder):
    text = "int a;\nint b;\nint c = nothing;\nint d;\n"
    with pytest.raises(CompileError) as e:
        library(text)
    shown = str(e.value)
    assert shown.startswith("Compilation failed (return status=1):")
    assert "nothing" in shown
    assert ">     3  int c = nothing;" in shown
    assert "      2  int b;" in shown
    assert list(folder.iterdir()) == []


def test_nocleanup_keeps_the_files_of_what_does_not_compile(folder):
    with theano.config.change_flags(nocleanup=True), pytest.raises(CompileError):
        library("broken")
    (left,) = folder.glob("*/code.cpp")
    assert left.read_text() == "broken"


def test_without_a_compiler_the_reason_can_be_asked(folder, monkeypatch):
    assert why_no_compiler() is None
    with theano.config.change_flags(cxx=""):
        assert "config.cxx is empty" in why_no_compiler()
        with pytest.raises(MissingGXX, match="set the flag cxx"):
            library(returning(3))
    with theano.config.change_flags(cxx="/nowhere/g++"):
        assert "no such program" in why_no_compiler()
    monkeypatch.setattr(compiler, "python_dirs", lambda: ("/nowhere", "/nowhere"))
    assert why_no_compiler() is None
    assert "Python.h is not in /nowhere" in why_no_compiler(python=True)


def test_a_compiler_may_be_a_command_with_arguments(folder):
    with theano.config.change_flags(cxx=f"env {theano.config.cxx}"):
        assert value_of(library(returning(11))) == 11


def test_warnings_of_the_compiler_are_printed_where_asked(folder, capfd):
    text = 'extern "C" int value(void) { int unused; return 1; }'
    library(text)
    assert capfd.readouterr().err == ""
    with theano.config.change_flags(cmodule__compilation_warning=True):
        library(text)
    assert "unused" in capfd.readouterr().err


# theano-cache


def test_libraries_are_listed_cleaned_up_and_cleared(folder):
    old, damaged, good = (library(returning(k)).parent for k in (1, 2, 3))
    os.utime(old, (time.time() - 100,) * 2)
    (damaged / LIBRARY).write_bytes(b"")
    (folder / "part-left").mkdir()
    place = str(folder)
    assert {kept.path for kept in library_cache.all_kept(place)} == {
        str(old), str(damaged), str(good)
    }  # fmt: skip
    gone = library_cache.clean_up(place, 50)
    assert {kept.path for kept in gone} == {str(old), str(damaged)}
    os.utime(folder / "part-left", (time.time() - 4000,) * 2)
    library_cache.clean_up(place, 50)
    assert [p.name for p in folder.iterdir()] == [good.name]
    assert library_cache.clear(place) == []
    assert list(folder.iterdir()) == []


# many processes


def run(tmp_path, *words):
    env = os.environ | {"THEANO_FLAGS": f"base_compiledir={tmp_path}", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.c_code.compiling", *map(str, words)]
    done = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check_many(tmp_path, processes, texts):
    found = run(tmp_path, "many", processes, texts)
    assert found == {"failed": 0, "kept": texts, "damaged": 0, "parts": 0}


def check_kills(tmp_path, rounds):
    found = run(tmp_path, "kill", rounds)
    assert found["unsound"] == 0
    assert found["before"]["parts"] > 0  # some were killed while they compiled
    assert found["failed"] == 0
    assert found["after"]["kept"] == rounds // 2 + 40
    assert found["after"]["damaged"] == 0


def test_processes_that_compile_the_same_at_once_lose_nothing(tmp_path):
    check_many(tmp_path, 4, 6)


def test_a_process_that_is_killed_leaves_nothing_that_counts(tmp_path):
    check_kills(tmp_path, 12)


@pytest.mark.slow
def test_compilations_in_8_processes_at_once_lose_nothing(tmp_path):
    check_many(tmp_path, 8, 2 * KILLS)


@pytest.mark.slow
def test_kills_leave_the_folder_sound_each_time(tmp_path):
    check_kills(tmp_path, KILLS)
