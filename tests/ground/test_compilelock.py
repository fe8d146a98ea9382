"""The lock of a folder, between processes."""

import os
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

from theano.gof import compilelock

_HOLDER = """
import sys
from theano.gof import compilelock
compilelock.get_lock(sys.argv[1], max_wait=0.02)
print("taken", flush=True)
sys.stdin.readline()
"""


def holder(folder, program=_HOLDER):
    """A process that takes the lock, says so, and holds it until it gets a line."""
    return subprocess.Popen(
        [sys.executable, "-c", program, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def can_take(folder):
    """Whether the operating system would give the lock to somebody else."""
    fcntl = pytest.importorskip("fcntl")
    with open(folder / "lock", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def ended(process):
    for pipe in (process.stdin, process.stdout):
        pipe.close()
    return process.wait(30)


def test_a_lock_is_waited_for_and_ends_with_its_holder(tmp_path):
    other = holder(tmp_path)
    assert other.stdout.readline() == "taken\n"
    taken = threading.Event()

    def take():
        with compilelock.lock_ctx(str(tmp_path), max_wait=0.02):
            taken.set()

    waiting = threading.Thread(target=take)
    waiting.start()
    assert not taken.wait(0.2)
    other.kill()  # it gives nothing back
    assert taken.wait(30)
    waiting.join(30)
    ended(other)


def test_another_process_gets_a_lock_when_it_was_released_as_often_as_taken(tmp_path):
    compilelock.get_lock(str(tmp_path))
    compilelock.get_lock(str(tmp_path))
    other = holder(tmp_path)
    said = []
    listening = threading.Thread(target=lambda: said.append(other.stdout.readline()))
    listening.start()
    compilelock.release_lock()
    listening.join(0.2)
    assert said == []
    compilelock.release_lock()
    listening.join(30)
    assert said == ["taken\n"]
    assert ended(other) == 0


def test_one_folder_is_locked_at_a_time(tmp_path):
    with (
        compilelock.lock_ctx(str(tmp_path / "a")),
        pytest.raises(ValueError, match="one folder at a time"),
    ):
        compilelock.get_lock(str(tmp_path / "b"))
    with compilelock.lock_ctx(str(tmp_path / "b")):
        pass


def test_locks_can_be_switched_off(tmp_path):
    compilelock.set_lock_status(False)
    try:
        with compilelock.lock_ctx(str(tmp_path / "a")):
            assert not os.path.exists(tmp_path / "a")
    finally:
        compilelock.set_lock_status(True)


def test_a_lock_is_taken_after_releasing_nothing(tmp_path):
    compilelock.release_lock()
    with compilelock.lock_ctx(str(tmp_path)):
        assert not can_take(tmp_path)
    assert can_take(tmp_path)


def test_a_broken_lock_goes_to_the_next_who_asks(tmp_path, monkeypatch):
    flags = SimpleNamespace(compiledir=str(tmp_path))
    monkeypatch.setattr("theano._src.ground.compilelock.config", flags)
    with compilelock.lock_ctx():
        assert not can_take(tmp_path)
        compilelock.force_unlock()
        assert can_take(tmp_path)


_FORKED = """
import os, sys
from theano.gof import compilelock
compilelock.get_lock(sys.argv[1])
if os.fork() == 0:
    compilelock.release_lock()
    sys.exit()
os.wait()
print("held", flush=True)
sys.stdin.readline()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_forked_child_does_not_release_the_lock_of_its_parent(tmp_path):
    parent = holder(tmp_path, _FORKED)
    assert parent.stdout.readline() == "held\n"
    assert not can_take(tmp_path)
    assert ended(parent) == 0
    assert can_take(tmp_path)
