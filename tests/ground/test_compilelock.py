"""The lock of a folder, between processes."""

import os
import subprocess
import sys
import threading

import pytest

from theano.gof import compilelock

_HOLDER = """
import sys
from theano.gof import compilelock
compilelock.get_lock(sys.argv[1], max_wait=0.02)
print("taken", flush=True)
sys.stdin.readline()
"""


def holder(folder):
    """A process that takes the lock, says so, and holds it until it gets a line."""
    return subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


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


def test_releasing_nothing_does_nothing():
    compilelock.release_lock()
