"""Several processes train as one, and go on after any of them has died."""

import os
import re
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import pytest

from tests.distributed.launched import children_of, ends, launched, random_kills, run
from theano import distributed as dist

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@cache
def expected():
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        (end,) = ends(run(folder, n=1))
    return end


@pytest.mark.parametrize(("n", "program"), [(2, ()), (4, ()), (2, ("split",))])
def test_several_processes_print_what_one_does(tmp_path, n, program):
    (end,) = ends(run(tmp_path, *program, n=n, devices=2))
    assert end == pytest.approx(expected(), rel=1e-12)


def test_a_run_whose_coordinator_was_killed_ends_as_one_that_was_not(tmp_path):
    text = run(tmp_path, "split", "kill", 13, 0)
    assert "comes to grief at step 13" in text and "all start anew (2 left)" not in text
    assert text.count("begins at step 10") == 2
    (end,) = ends(text)
    assert end == pytest.approx(expected(), rel=1e-12)


def test_random_kills_change_nothing_and_cost_few_steps(tmp_path):
    assert random_kills(tmp_path, kills=2, steps=200, seed=1) == []


def test_a_checkpoint_is_read_by_another_number_of_processes(tmp_path):
    for n, program in ((3, ["kill", 12, 0]), (2, ["kill", 22, 1]), (4, [])):
        process = launched(tmp_path, "split", *program, n=n, options=["--restarts", "0"])
        text, _ = process.communicate(timeout=300)
    assert "begins at step 20 of process 3 of 4" in text
    (end,) = ends(text)
    assert end == pytest.approx(expected(), rel=1e-12)


def test_an_error_in_one_process_ends_all(tmp_path):
    with launched(tmp_path, "fail", 7, 1, options=["--restarts", "0"]) as process:
        _read_until(process, "comes to grief")
        grief = time.monotonic()
        process.communicate(timeout=60)
    assert process.returncode != 0 and time.monotonic() - grief < 2


def test_a_stalled_process_is_started_anew(tmp_path):
    text = run(tmp_path, "stall", 8, 1, options=["--stall", "5"])
    assert "no sign of life for 5 s" in text
    (end,) = ends(text)
    assert end == pytest.approx(expected(), rel=1e-12)


def test_sigterm_loses_no_step(tmp_path):
    with launched(tmp_path, "slowly") as process:
        limit = time.monotonic() + 60
        while dist.latest(tmp_path) is None and time.monotonic() < limit:
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        text, _ = process.communicate(timeout=60)
    (stopped,) = {int(found) for found in re.findall(r"stops after step (\d+)", text)}
    text = run(tmp_path)
    assert f"begins at step {stopped + 1} " in text
    (end,) = ends(text)
    assert end == pytest.approx(expected(), rel=1e-12)


def test_no_process_outlives_the_launcher(tmp_path):
    with launched(tmp_path, "slowly") as process:
        _read_until(process, "begins at step")
        children = children_of(process.pid)
        process.kill()
        process.communicate()
    limit = time.monotonic() + 10
    while any(map(_lives, children)) and time.monotonic() < limit:
        time.sleep(0.05)
    assert children and not any(map(_lives, children))


def _read_until(process, text):
    for line in process.stdout:
        if text in line:
            return
    raise AssertionError(f"the program ended without {text!r}")


def _lives(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


# processes that do not do the same


@pytest.mark.parametrize(
    ("case", "text"),
    [
        ("rows", "inputs of the same lengths"),
        ("value", "the value of W"),
        ("late", "not all others did"),
        ("host", "split over processes"),
        ("argument", "the argument rate"),
        ("seed", "takes a seed where several processes"),
        ("check", "IndexError: index 4 is out of bounds"),
    ],
)
def test_what_processes_do_not_do_alike_is_said_by_all(case, text, tmp_path):
    command = [sys.executable, "-m", "theano.distributed", "-n", "2", "--restarts", "0"]
    command += ["--grace", "30", str(HERE / "disagree.py"), case, str(tmp_path)]
    environ = dict(os.environ, PYTHONPATH=str(ROOT), THEANO_FLAGS="")
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120)
    said = [line for line in done.stdout.splitlines() if "raised" in line]
    assert {line[:3] for line in said} == {"[0]", "[1]"}, done.stdout[-3000:]
    assert all(text in line for line in said), said
