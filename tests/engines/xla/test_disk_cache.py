"""Programs kept on the disk: by many processes, on bad disks, and beside other users."""

import json
import logging
import os
import stat
import subprocess
import sys
import tempfile
import threading
import warnings
from pathlib import Path
from types import SimpleNamespace

import pytest

from theano._src.engines import disk_cache
from theano._src.engines.disk_cache import Entries
from theano._src.ground import private_folders

ROOT = Path(__file__).parents[3]
KEY = "jit_theano_0123-4567"
KILLS = int(os.environ.get("THEANO_TEST_KILLS", "8"))


# entries, without jax


@pytest.fixture
def entries(tmp_path):
    return Entries(str(tmp_path))


@pytest.fixture
def logged(caplog):
    caplog.set_level(logging.WARNING, "theano.xla")
    return caplog


def test_what_was_put_is_got_by_anyone_who_opens_the_folder(entries):
    assert entries.get(KEY) is None
    entries.put(KEY, b"a program")
    entries.put(KEY + "8", b"")
    assert Entries(entries.path).get(KEY) == b"a program"
    assert Entries(entries.path).get(KEY + "8") == b""


def test_an_entry_is_for_this_user_alone_whatever_the_umask(entries):
    before = os.umask(0)
    try:
        entries.put(KEY, b"a program")
    finally:
        os.umask(before)
    assert stat.S_IMODE(os.stat(entries.file(KEY)).st_mode) == 0o600


DAMAGES = {
    "empty": lambda data: b"",
    "cut": lambda data: data[: len(data) // 2],
    "one byte cut": lambda data: data[:-1],
    "one byte more": lambda data: data + b"\0",
    "one bit changed": lambda data: data[:-1] + bytes([data[-1] ^ 1]),
    "digest changed": lambda data: data[:20] + bytes([data[20] ^ 1]) + data[21:],
    "other": lambda data: b"not a program",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_is_removed_and_can_be_put_again(entries, logged, damage):
    entries.put(KEY, b"a program")
    path = Path(entries.file(KEY))
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    assert entries.get(KEY) is None
    assert not path.exists()
    assert "damaged" in logged.text
    entries.put(KEY, b"a program")
    assert entries.get(KEY) == b"a program"


def test_an_entry_under_the_name_of_another_is_not_taken(entries, logged):
    entries.put(KEY, b"a program")
    os.rename(entries.file(KEY), entries.file("jit_other-89"))
    assert entries.get("jit_other-89") is None
    assert "damaged" in logged.text


def test_a_file_that_others_may_have_written_is_not_taken(entries, logged):
    entries.put(KEY, b"a program")
    os.chmod(entries.file(KEY), 0o620)
    assert entries.get(KEY) is None
    assert not os.path.exists(entries.file(KEY))


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no such owner here")
def test_a_file_of_another_user_is_not_taken(entries, logged, monkeypatch):
    entries.put(KEY, b"a program")
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert entries.get(KEY) is None


def test_a_link_is_not_followed(entries, logged, tmp_path_factory):
    entries.put(KEY, b"a program")
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "file"
    os.rename(entries.file(KEY), elsewhere)
    os.symlink(elsewhere, entries.file(KEY))
    assert entries.get(KEY) is None
    assert elsewhere.exists()


def test_a_pipe_in_place_of_an_entry_does_not_keep_us_waiting(entries, logged):
    os.mkfifo(entries.file(KEY), 0o600)
    assert entries.get(KEY) is None


def test_a_folder_that_is_removed_meanwhile_is_made_again(entries):
    os.rmdir(entries.path)
    assert entries.get(KEY) is None
    entries.put(KEY, b"a program")
    assert entries.get(KEY) == b"a program"
    assert stat.S_IMODE(os.stat(entries.path).st_mode) == 0o700


@pytest.mark.parametrize("error", [28, 30, 13, 122], ids=["full", "read-only", "denied", "quota"])
def test_a_disk_that_refuses_is_told_of_once_and_leaves_nothing(
    entries, logged, monkeypatch, error
):
    def refuse(*args):
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(os, "replace", refuse)
    for k in range(3):
        entries.put(f"{KEY}{k}", b"a program")
    assert len(logged.records) == 1
    assert os.strerror(error) in logged.text
    assert os.listdir(entries.path) == []


def test_readers_see_nothing_or_all_while_threads_write_the_same_entry(entries, logged):
    value = os.urandom(300_000)
    seen = set()

    def write():
        for _ in range(30):
            entries.put(KEY, value)

    def read():
        for _ in range(100):
            seen.add(entries.get(KEY))

    threads = [threading.Thread(target=t) for t in (write, write, read, read)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert seen <= {None, value}
    assert entries.get(KEY) == value
    assert not logged.records
    assert len(os.listdir(entries.path)) == 1


def test_programs_for_another_processor_are_other_entries(entries, monkeypatch):
    entries.put(KEY, b"a program")
    monkeypatch.setattr(disk_cache, "processor", lambda: "another")
    assert entries.get(KEY) is None
    entries.put(KEY, b"another program")
    assert len(entries.all()) == 2


# the choice of a folder


@pytest.fixture
def places(tmp_path, monkeypatch):
    """The configured folder, and the two private ones."""
    found = [tmp_path / name / "compiledir_x" for name in ("set", "home", "room")]
    monkeypatch.setattr(private_folders, "config", SimpleNamespace(compiledir=str(found[0])))
    monkeypatch.setattr(private_folders, "default_base_compiledir", lambda: str(found[1].parent))
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
    found[2] = tmp_path / "temporary" / f"theano-{os.geteuid()}" / "compiledir_x"
    (tmp_path / "temporary").mkdir()
    return found


def test_the_folder_is_made_under_compiledir_for_this_user_alone(places):
    before = os.umask(0)
    try:
        assert disk_cache.open_entries().path == str(places[0] / "xla")
    finally:
        os.umask(before)
    for folder in (places[0].parent, places[0], places[0] / "xla"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("level", ["", "xla"], ids=["around", "itself"])
@pytest.mark.parametrize("mode", [0o777, 0o770], ids=oct)
def test_a_folder_that_others_may_write_to_is_left_for_a_private_one(places, level, mode):
    folder = places[0] / level
    folder.mkdir(parents=True)
    folder.chmod(mode)
    with pytest.warns(RuntimeWarning, match=f"others may write to {folder}") as said:
        found = disk_cache.open_entries()
    assert len(said) == 1
    assert found.path == str(places[1] / "xla")
    # and if that is no better, for one among temporary files
    (places[1] / "xla").chmod(mode)
    with pytest.warns(RuntimeWarning) as said:
        found = disk_cache.open_entries()
    assert len(said) == 1
    assert found.path == str(places[2] / "xla")
    # and then for none
    (places[2] / "xla").chmod(mode)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert disk_cache.open_entries() is None


def test_a_folder_of_another_user_is_left(places, monkeypatch):
    (places[0] / "xla").mkdir(parents=True, mode=0o700)
    path, complaints = disk_cache.choose()
    assert (path, complaints) == (str(places[0] / "xla"), [])
    here = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: here)
    path, complaints = disk_cache.choose()
    assert path == str(places[1] / "xla")
    assert complaints == [f"{places[0] / 'xla'} belongs to user {here - 1}"]


def test_a_sticky_folder_of_all_may_be_around_ours(places):
    places[0].mkdir(parents=True)
    places[0].chmod(0o1777)
    assert disk_cache.open_entries().path == str(places[0] / "xla")


def test_a_file_in_the_way_means_no_cache_and_no_other_folder(places, logged):
    places[0].parent.mkdir()
    places[0].write_text("in the way")
    assert disk_cache.open_entries() is None
    assert "not kept" in logged.text
    assert not places[1].exists()


# processes


def process(what, count, folder, **environment):
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "tests.engines.xla.cached", what, str(count)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "THEANO_FLAGS": f"base_compiledir={folder}",
            **environment,
        },
    )


def answer(started, seconds=60):
    out, err = started.communicate(timeout=seconds)
    assert started.returncode == 0, err[-3000:]
    return json.loads(out.splitlines()[-1])


def cached(what, count, folder, seconds=60, **environment):
    return answer(process(what, count, folder, **environment), seconds)


def files(folder):
    return sorted(folder.rglob("xla/*-cache"))


def parts(folder):
    return sorted(folder.rglob("xla/*.part"))


@pytest.mark.xla
def test_two_processes_that_compile_the_same_at_once_are_both_right(tmp_path):
    both = [process("check", 2, tmp_path) for _ in range(2)]
    for found in [answer(p) for p in both]:
        assert (found["right"], found["warnings"], found["logged"]) == (2, [], [])
    assert len(files(tmp_path)) == 2
    assert parts(tmp_path) == []


@pytest.mark.xla
@pytest.mark.parametrize(
    "gone", ["jax.experimental.serialize_executable", "theano._src.engines.jax.private_jax:_READ"]
)
def test_a_jax_that_cannot_tell_all_of_a_program_keeps_none_and_is_right(tmp_path, gone):
    found = cached("check", 2, tmp_path, WITHOUT=gone)
    assert (found["right"], found["warnings"], found["logged"]) == (2, [], [])
    assert not files(tmp_path)


@pytest.mark.xla
def test_an_entry_that_is_whole_and_no_program_is_compiled_and_written_again(tmp_path):
    assert cached("check", 1, tmp_path)["right"] == 1
    (path,) = files(tmp_path)
    key = path.name.removesuffix("-cache").rpartition("-")[0]
    Entries(str(path.parent)).put(key, b"not a program")
    found = cached("check", 1, tmp_path)
    assert (found["right"], found["warnings"], len(found["logged"])) == (1, [], 1)
    assert "cannot load" in found["logged"][0]
    assert path.stat().st_size > 1000


@pytest.mark.xla
def test_a_truncated_entry_is_compiled_and_written_again_and_the_others_are_kept(tmp_path):
    assert cached("check", 2, tmp_path)["right"] == 2
    whole = files(tmp_path)
    assert len(whole) == 2
    held = [tmp_path / f"held{k}" for k in range(2)]
    for path, other in zip(whole, held, strict=True):
        os.link(path, other)  # its number stays taken
    os.truncate(whole[1], 1000)
    found = cached("check", 2, tmp_path)
    assert (found["right"], found["warnings"], len(found["logged"])) == (2, [], 1)
    assert "damaged" in found["logged"][0]
    same = [os.path.samefile(path, other) for path, other in zip(whole, held, strict=True)]
    assert same == [True, False]
    assert whole[1].stat().st_size > 1000


@pytest.mark.xla
def test_a_full_disk_is_no_reason_to_fail(tmp_path):
    found = cached("check", 2, tmp_path, FULL="1000")
    assert (found["right"], found["warnings"], len(found["logged"])) == (2, [], 1)
    assert "cannot write" in found["logged"][0]
    assert files(tmp_path) == parts(tmp_path) == []


@pytest.mark.xla
def test_a_folder_that_cannot_be_written_is_no_reason_to_fail(tmp_path):
    (tmp_path / "file").write_text("in the way")
    found = cached("check", 1, tmp_path / "file")
    assert (found["right"], found["warnings"], len(found["logged"])) == (1, [], 1)
    assert "not kept" in found["logged"][0]


@pytest.mark.xla
def test_a_folder_of_everybodys_is_left_with_one_warning_and_used_by_nobody(tmp_path):
    compiledir = tmp_path / "open"
    compiledir.mkdir()
    compiledir.chmod(0o777)
    flags = f"compiledir={compiledir}"
    found = cached("check", 1, tmp_path, THEANO_FLAGS=flags, HOME=str(tmp_path / "home"))
    assert (found["right"], len(found["warnings"])) == (1, 1)
    assert "others may write" in found["warnings"][0]
    assert list(compiledir.iterdir()) == []
    (entry,) = files(tmp_path)
    assert entry.is_relative_to(tmp_path / "home")


@pytest.mark.slow
@pytest.mark.xla
def test_a_cache_works_after_processes_were_killed_while_writing_to_it(tmp_path):
    assert cached("kill", KILLS, tmp_path, seconds=200) == {"died": KILLS}
    assert files(tmp_path) == []
    assert len(parts(tmp_path)) == KILLS
    first = cached("check", KILLS, tmp_path, seconds=200)
    assert (first["right"], first["warnings"], first["logged"]) == (KILLS, [], [])
    assert len(files(tmp_path)) == KILLS
    second = cached("check", KILLS, tmp_path, seconds=200)
    assert (second["right"], second["warnings"], second["logged"]) == (KILLS, [], [])


_PROGRAM = """
import numpy as np, theano, theano.tensor as T
x = T.dmatrix()
f = theano.function([x], T.exp(x) + T.tanh(x[:, ::-1]) + T.sort(x, axis=1), mode=theano.Mode("xla"))
f(np.ones((30, 30)))
"""


@pytest.mark.xla
def test_a_process_that_reads_a_program_from_the_disk_prints_nothing(tmp_path):
    """XLA's loader would report features of the processor that are none."""
    flags = {"THEANO_FLAGS": f"base_compiledir={tmp_path}", "PYTHONPATH": str(ROOT)}
    for _ in range(2):
        run = subprocess.run(
            [sys.executable, "-c", _PROGRAM],
            env={**os.environ, **flags},
            capture_output=True,
            text=True,
            check=True,
        )
        assert (run.stdout, run.stderr) == ("", "")
    assert list(tmp_path.rglob("*jit_theano*"))
