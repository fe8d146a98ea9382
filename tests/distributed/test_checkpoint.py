"""Checkpoints of one process: what is in them, what is seen of them, what is wrong with them."""

import numpy as np
import pytest

import theano
from theano import distributed as dist
from theano._src.engines import checkpoint_command
from theano._src.engines.checkpoint import checkpoints_in, problem_of
from theano.sandbox.rng_mrg import MRG_RandomStreams
from theano.tensor.shared_randomstreams import RandomStreams


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
