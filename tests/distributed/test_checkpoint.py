"""Checkpoints of one process: what is in them, what is seen of them, what is wrong with them."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

import theano
from theano import distributed as dist
from theano._src.engines.mesh import checkpoint as checkpoint_module, checkpoint_command
from theano._src.engines.mesh.checkpoint_reader import checkpoints_in, problem_of
from theano.sandbox.rng_mrg import MRG_RandomStreams
from theano.tensor.shared_randomstreams import RandomStreams

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "value",
    [
        np.arange(6.0).reshape(2, 3),
        np.arange(6, dtype="float32"),
        np.array(3),
        np.array([True, False]),
        np.array([[1 + 2j, 3 - 1j]]),
        np.zeros((0, 3)),
        np.arange(8).reshape(2, 4).T,
    ],
    ids=lambda value: f"{value.dtype}{value.shape}",
)
def test_a_value_comes_back_as_it_was(value, tmp_path):
    v = theano.shared(value, "v")
    dist.save(tmp_path, 3, [v], note={"loss": 0.5}, wait=True)
    v.set_value(np.zeros_like(value))
    assert dist.load(tmp_path, [v]) == (3, {"loss": 0.5})
    found = v.get_value()
    assert found.dtype == value.dtype and np.array_equal(found, value)


@pytest.mark.parametrize("kind", [RandomStreams, MRG_RandomStreams])
def test_random_streams_go_on_where_they_were(kind, tmp_path):
    streams = kind(3)
    f = theano.function([], streams.normal((3,)))
    f()
    states = {f"stream {i}": held for i, (held, *_) in enumerate(streams.state_updates)}
    dist.save(tmp_path, 1, states, wait=True)
    drawn = f()
    dist.load(tmp_path, states)
    assert np.array_equal(f(), drawn)


def test_the_last_ones_are_kept(tmp_path):
    v = theano.shared(0.0, "v")
    for step in (5, 10, 15, 20):
        v.set_value(float(step))
        dist.save(tmp_path, step, [v], keep=2, wait=True)
    assert [c.step for c in checkpoints_in(tmp_path)] == [15, 20]
    assert dist.load(tmp_path, [v], step=15) == (15, None) and v.get_value() == 15


def test_one_that_was_cut_off_is_not_seen(tmp_path):
    v = theano.shared(np.ones(4), "v")
    dist.save(tmp_path, 1, [v], wait=True)
    (part,) = (tmp_path / "step-0000000001").iterdir()
    later = tmp_path / "step-0000000002"
    later.mkdir()
    # one part of two, and one that was not renamed
    (later / "part-0-of-2.run.safetensors").write_bytes(part.read_bytes())
    (later / "part-1-of-2.run.safetensors.unfinished").write_bytes(b"")
    assert dist.latest(tmp_path) == 1 and dist.load(tmp_path, [v]) == (1, None)
    assert problem_of(checkpoints_in(tmp_path)[1]) == "not all parts are there"


def test_a_damaged_file_is_found(tmp_path):
    v = theano.shared(np.ones(400), "v")
    dist.save(tmp_path, 1, [v], wait=True)
    (found,) = checkpoints_in(tmp_path)
    assert problem_of(found) is None
    (part,) = (tmp_path / "step-0000000001").iterdir()
    part.write_bytes(part.read_bytes()[:-8])
    assert "cannot be read" in problem_of(found)


def test_what_does_not_fit_is_said_and_changes_nothing(tmp_path):
    v, w = theano.shared(np.ones(2), "v"), theano.shared(np.ones(3), "w")
    dist.save(tmp_path, 1, [v], wait=True)
    v.set_value(np.zeros(2))
    with pytest.raises(KeyError, match="has no 'w'; it has"):
        dist.load(tmp_path, [v, w])
    assert v.get_value().tolist() == [0, 0]
    with pytest.raises(ValueError, match="'v' holds TensorType"):
        dist.load(tmp_path, {"v": theano.shared(np.ones((2, 2)))})
    with pytest.raises(ValueError, match="different names, got 2 called 'v'"):
        dist.save(tmp_path, 2, [theano.shared(1, "v"), theano.shared(2, "v")])
    with pytest.raises(ValueError, match="which has none; name it, or give a dict"):
        dist.save(tmp_path, 2, [theano.shared(1)])
    with pytest.raises(TypeError, match="takes shared variables"):
        dist.save(tmp_path, 2, {"v": 3})


def test_an_error_of_writing_is_raised(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError):
        dist.save(tmp_path / "file", 1, [theano.shared(1, "v")], wait=True)


def test_what_was_saved_is_the_value_of_that_moment(tmp_path):
    v = theano.shared(np.zeros(100_000), "v")
    step = theano.function([], updates=[(v, v + 1)])
    for k in range(5):
        step()
        dist.save(tmp_path, k, [v], keep=10)
        step()
    dist.load(tmp_path, [v], step=3) or dist.save(tmp_path, 9, [v], wait=True)
    for k in range(5):
        assert dist.load(tmp_path, [v], step=k) is not None
        assert set(v.get_value()) == {2.0 * k + 1}


def test_the_command_lists_and_verifies(tmp_path, capsys):
    assert checkpoint_command.main([str(tmp_path)]) == 1
    assert "no checkpoints in" in capsys.readouterr().out
    v = theano.shared(np.ones((2, 3)), "v")
    for step in (1, 2):
        dist.save(tmp_path, step, {"v": v, "r": RandomStreams(1).normal().rng}, wait=True)
    assert checkpoint_command.main([str(tmp_path), "--verify", "--contents"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[1:3] == ["    v  float64[2, 3]", "    r  random state"]
    assert said[0].startswith("step          1     1 parts") and said[0].endswith("  verified")
    (part,) = (tmp_path / "step-0000000002").iterdir()
    part.write_bytes(part.read_bytes()[:-8])
    assert checkpoint_command.main([str(tmp_path), "--verify"]) == 0  # there is another one
    assert "cannot be read" in capsys.readouterr().out.splitlines()[1]


# what is there stays there


def test_a_sweep_removes_only_what_was_saved(tmp_path):
    """A12: folders that are called like ours, and files of others in those that are."""
    notes = tmp_path / "step-0000000001" / "notes.txt"
    lookalike = tmp_path / "step-3" / "part-0-of-1.model.safetensors"
    link, elsewhere = tmp_path / "step-0000000002", tmp_path / "elsewhere"
    for folder in (notes.parent, lookalike.parent, elsewhere):
        folder.mkdir()
    safetensors.numpy.save_file({"w": np.ones(2)}, lookalike, metadata={"theano": "none"})
    (elsewhere / "part-0-of-1.0123456789ab.safetensors.unfinished").write_text("")
    link.symlink_to(elsewhere)
    notes.write_text("mine")
    v = theano.shared(0.0, "v")
    for step in (4, 5):
        dist.save(tmp_path, step, [v], keep=1, wait=True)
        mine = tmp_path / f"step-{step:010d}" / "plot.png"
        mine.write_text("mine")
    cut = tmp_path / "step-0000000005" / "part-1-of-2.0123456789ab.safetensors.unfinished"
    cut.write_text("")
    dist.save(tmp_path, 6, [v], keep=1, wait=True)
    left = {str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file()}
    (last,) = (tmp_path / "step-0000000006").iterdir()
    assert left - {str(last.relative_to(tmp_path))} == {
        "step-0000000001/notes.txt",
        "step-3/part-0-of-1.model.safetensors",
        "elsewhere/part-0-of-1.0123456789ab.safetensors.unfinished",
        "step-0000000004/plot.png",
        "step-0000000005/plot.png",
    }
    assert link.is_symlink() and dist.latest(tmp_path) == 6


FULL = """
import errno, resource, signal, sys
import numpy as np, theano
from theano import checkpoint

w = theano.shared(np.arange(1000.0), "w")
checkpoint.save(sys.argv[1], 1, w, wait=True)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
w.set_value(np.zeros(1000))
for wait in (True, False):
    try:
        checkpoint.save(sys.argv[1], 2, w, wait=wait)
        checkpoint.latest(sys.argv[1])
    except OSError as error:
        assert error.errno == errno.EFBIG and error.filename.endswith(".unfinished"), error
        print("OSError")
assert checkpoint.load(sys.argv[1], w) == (1, None) and w.get_value()[-1] == 999
"""


def test_a_full_disk_is_an_oserror_and_leaves_nothing(tmp_path):
    """A13: what the system refuses to write; the checkpoint before stays, no half file is left."""
    environ = dict(os.environ, PYTHONPATH=str(ROOT), THEANO_FLAGS="")
    command = [sys.executable, "-c", FULL, str(tmp_path)]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["OSError", "OSError"]
    assert [p.name for p in tmp_path.rglob("part*")] == [
        p.name for p in (tmp_path / "step-0000000001").iterdir()
    ]


@pytest.mark.parametrize("error", ["No space left on device (os error 28)", "what is that"])
def test_what_safetensors_cannot_write_is_an_oserror(error, tmp_path, monkeypatch):
    """A13: errors of safetensors are no OSErrors, and hold the number as text."""

    def save_file(pieces, path, metadata):
        raise safetensors.SafetensorError(f"Error while serializing: I/O error: {error}")

    monkeypatch.setattr(safetensors.numpy, "save_file", save_file)
    with pytest.raises(OSError, match=r"No space left|what is that") as caught:
        dist.save(tmp_path, 1, [theano.shared(1, "v")], wait=True)
    assert caught.value.errno == (errno.ENOSPC if "28" in error else None)


# what is damaged


def saved(folder, *steps, keep=0):
    v = theano.shared(np.zeros(6), "v")
    for step in steps:
        v.set_value(np.full(6, float(step)))
        dist.save(folder, step, [v], keep=keep, wait=True)
    return v


def part_of(folder, step):
    (part,) = (folder / f"step-{step:010d}").glob("part*")
    return part


def written(part, pieces, **facts):
    """A part with other contents than ``save`` would write."""
    facts = {"note": None, "shapes": {"v": [6]}, "dtypes": {"v": "float64"}, "streams": {}} | facts
    part.parent.mkdir(exist_ok=True)
    safetensors.numpy.save_file(pieces, part, metadata={"theano": json.dumps(facts)})


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ({"v@0:2": np.ones(2), "v@4:6": np.ones(2)}, "'v' lacks 2 of 6 elements"),
        ({"v@0:4": np.ones(4), "v@1:3": np.ones(2)}, "'v' lacks 2 of 6 elements"),
        ({}, "'v' lacks 6 of 6 elements"),
        ({"v@0:6": np.ones(5)}, "cannot be read"),
        ({"v@0:6": np.ones(6, "float32")}, "cannot be read"),
        ({"v@0:6,0:1": np.ones((6, 1))}, "cannot be read"),
        ({"v@zero": np.ones(6)}, "cannot be read"),
    ],
)
def test_pieces_that_do_not_cover_are_no_values(pieces, text, tmp_path):
    """A13: memory that nothing was written to was given for what is missing."""
    v = saved(tmp_path, 3)
    written(part_of(tmp_path, 3), pieces, step=3)
    v.set_value(np.full(6, 7.0))
    with pytest.raises(OSError, match=text):
        dist.load(tmp_path, [v])
    assert v.get_value().tolist() == [7.0] * 6
    assert text in problem_of(checkpoints_in(tmp_path)[0])


def cut_off(part):
    part.write_bytes(part.read_bytes()[:-8])


def emptied(part):
    part.write_bytes(b"")


def without_facts(part):
    safetensors.numpy.save_file({"v@0:6": np.ones(6)}, part)


def of_another_step(part):
    written(part, {"v@0:6": np.ones(6)}, step=9)


def with_a_gap(part):
    written(part, {"v@0:4": np.ones(4)}, step=3)


@pytest.mark.parametrize("damage", [cut_off, emptied, without_facts, of_another_step, with_a_gap])
def test_a_damaged_step_is_passed_over_and_said(damage, tmp_path):
    """A13: the one before it is loaded, and a run goes on from there."""
    v = saved(tmp_path, 1, 2, 3)
    damage(part_of(tmp_path, 3))
    with pytest.warns(RuntimeWarning, match=r"step-0000000003.* is damaged.*step 2 is loaded"):
        assert dist.load(tmp_path, [v]) == (2, None)
    assert v.get_value().tolist() == [2.0] * 6 and dist.latest(tmp_path) == 2
    with pytest.raises(OSError, match="is damaged"):
        dist.load(tmp_path, [v], step=3)
    # the damaged one does not count: what is saved next is neither refused nor swept
    damage(part_of(tmp_path, 1))
    dist.save(tmp_path, 2, [v], keep=1, wait=True)
    assert dist.latest(tmp_path) == 2
    damage(part_of(tmp_path, 2))
    with pytest.raises(OSError, match=r"step-0000000003.* is damaged"):
        dist.load(tmp_path, [v])


def test_the_later_of_two_runs_of_a_step_is_known_by_what_it_wrote(tmp_path, monkeypatch):
    """A13: a copy or a restored backup has other times."""
    names = iter(["ffffffffffff", "000000000000", "888888888888"])
    for value in (1.0, 2.0, 3.0):
        name = next(names)
        monkeypatch.setattr(checkpoint_module, "run_name", lambda name=name: name)
        dist.save(tmp_path, 5, [theano.shared(value, "v")], wait=True)
    for k, part in enumerate(sorted((tmp_path / "step-0000000005").iterdir())):
        os.utime(part, (1000 + k, 1000 + k))
    v = theano.shared(0.0, "v")
    assert dist.load(tmp_path, [v]) == (5, None) and v.get_value() == 3.0
    cut_off(tmp_path / "step-0000000005" / "part-0-of-1.888888888888.safetensors")
    with pytest.warns(RuntimeWarning, match=r"888888888888.* is damaged"):
        assert dist.load(tmp_path, [v]) == (5, None) and v.get_value() == 2.0
