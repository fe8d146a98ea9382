"""Several processes train as one, and go on after any of them has died."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from functools import cache
from pathlib import Path

import pytest

from tests.distributed.launched import children_of, ends, launched, random_kills, run
from theano import distributed as dist
from theano._src.engines.mesh.peers import Peers

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
    assert "comes to grief at step 13" in text and "all restart (2 left)" not in text
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
    # without the launcher, jax notices after 10 seconds
    assert process.returncode != 0 and time.monotonic() - grief < 8


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

#: what is run of `disagreements.py`; THEANO_TEST_DISAGREE says how many runs of all its cases
CHOSEN = [
    "a_length_that_is_new_to_one",
    "a_call_left_out_in_between",
    "another_order:3",
    "an_error_that_ends_the_first",
    "another_value",
    "another_argument",
]
ALL = [
    *CHOSEN,
    "another_length",
    "another_program:4",
    "another_order",
    "a_call_left_out_at_the_end",
    "a_call_left_out_by_one_that_waits",
    "a_call_left_out_by_one_that_waits:4",
    "a_step_left_out",
    "an_argument_that_one_refuses",
    "a_call_that_raises_in_one:3",
    "an_error_that_ends_one",
    "an_error_that_ends_the_first:4",
    "one_that_ends_early:3",
    "one_that_is_killed",
    "a_gather_left_out",
]
RUNS = int(os.environ.get("THEANO_TEST_DISAGREE", "0"))
DISAGREE = [ALL[k % len(ALL)] for k in range(RUNS)] or CHOSEN


@cache
def disagreements():
    command = [sys.executable, str(HERE / "disagreements.py"), *DISAGREE]
    command.append("all_raise_alike_and_go_on")
    environ = dict(os.environ, PYTHONPATH=str(ROOT), THEANO_FLAGS="")
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=3600)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("run", range(len(DISAGREE)), ids=lambda run: f"{run} {DISAGREE[run]}")
def test_processes_that_disagree_all_raise_and_none_is_aborted_or_hangs(run):
    """A11: each names another process, in time, with its state as it was; none ends by a signal."""
    case = DISAGREE[run]
    for k, process in enumerate(disagreements()[run]):
        if case.startswith("one_that_is_killed") and k:
            assert process["code"] == -signal.SIGKILL
            continue
        assert process["code"] in (0, 1), (k, process)
        raised = process["raised"][-1]
        if not raised.startswith("ArithmeticError: made up"):
            assert raised.startswith("Disagreement: "), (k, process)
            assert set(re.findall(r"process (\d)", raised)) - {str(k)}, (k, process)
        assert process["seconds"] < 20 and process["state"], (k, process)


def test_an_error_of_all_processes_is_no_disagreement():
    """What all raise alike changes nothing, and they go on together."""
    for process in disagreements()[-1]:
        check, host, seed, shapes = process["raised"]
        assert "IndexError: index 4 is out of bounds" in check
        assert "split over processes" in host and "takes a seed where several processes" in seed
        assert shapes.startswith("ValueError: ") and process["code"] == 0


# ports


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_processes_of_one_machine_listen_on_the_loopback_alone():
    """A6: jax's coordinator, gloo, and what processes compare notes by; others reach none of it."""
    command = [sys.executable, "-m", "theano.distributed", "-n", "3", "--restarts", "0"]
    environ = dict(os.environ, PYTHONPATH=str(ROOT), THEANO_FLAGS="")
    command.append(str(HERE / "ports.py"))
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    addresses = re.findall(r"^\[\d\] listens at (\S+)", done.stdout, re.M)
    # each process has gloo's, the first one the coordinator too; the ports of the tree are closed
    assert len(addresses) == 4, done.stdout
    assert set(addresses) <= {"127.0.0.1", "::1", "::ffff:127.0.0.1"}


def test_a_coordinator_is_bound_to_what_is_named(monkeypatch):
    """A6: the address that was named, unless the user binds it elsewhere."""
    import jax

    given = []

    def initialize(*arguments, coordinator_bind_address, **options):
        given.append(coordinator_bind_address)
        raise RuntimeError("far enough")

    monkeypatch.setattr(jax.distributed, "initialize", initialize)
    monkeypatch.delenv("JAX_COORDINATOR_BIND_ADDRESS", raising=False)
    for more in ({}, {"bind": "10.0.0.7:1"}):
        with pytest.raises(RuntimeError, match="far enough"):
            dist.initialize("10.0.0.1:1234", 2, 0, **more)
    monkeypatch.setenv("JAX_COORDINATOR_BIND_ADDRESS", "[::]:1234")
    with pytest.raises(RuntimeError, match="far enough"):
        dist.initialize("10.0.0.1:1234", 2, 0)
    assert given == ["10.0.0.1:1234", "10.0.0.7:1", "[::]:1234"]
    with pytest.raises(ValueError, match=r"host and a port, as 10\.0\.0\.1:1234, got 'machine'"):
        dist.initialize("machine", 2, 0)


def test_a_stranger_cannot_take_the_place_of_a_process():
    """A6: who does not know the token, which the coordinator has, is not listened to."""
    told = {}

    class Client:
        def key_value_set(self, key, value):
            told[key] = value

        def blocking_key_value_get(self, key, _):
            while key not in told:
                time.sleep(0.01)
            return told[key]

    made = {}

    def join(k):
        made[k] = Peers(k, 2, "127.0.0.1", Client(), 30)

    first = threading.Thread(target=join, args=(0,))
    first.start()
    host, port, token = Client().blocking_key_value_get("theano/peers/0", 0).split()
    with socket.create_connection((host, int(port))) as stranger:
        stranger.sendall(b"x" * len(token) + (1).to_bytes(4, "big"))
        assert stranger.recv(1) == b""
    join(1)
    first.join(30)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, int(port)))
    other = threading.Thread(target=made[1].compare, args=(b"m" * 16, 30))
    other.start()
    made[0].compare(b"m" * 16, 30)
    other.join(30)
    for peers in made.values():
        peers.close()
