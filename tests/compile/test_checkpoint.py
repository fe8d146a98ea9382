"""`theano.checkpoint` in one process: of functions, all or nothing, and never torn."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
import scipy.sparse

import theano
import theano.tensor as T
from tests.compile.nightly_checkpoint import kills
from theano import checkpoint
from theano._src.engines.mesh.checkpoint_reader import Reader, checkpoints_in
from theano.tensor.shared_randomstreams import RandomStreams

ROOT = Path(__file__).parents[2]


def in_another_process(code, *arguments, hash_seed="1"):
    environ = {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": hash_seed, "PATH": ""}
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


PROGRAM = """
import sys
import numpy as np, theano, theano.tensor as T
from theano import checkpoint
from theano.sandbox.rng_mrg import MRG_RandomStreams
from theano.tensor.shared_randomstreams import RandomStreams

def program():
    W, b = theano.shared(np.zeros((3, 3)), "W"), theano.shared(np.zeros(3), "W")
    velocity = theano.shared(np.zeros((3, 3)))
    noise = RandomStreams(5).normal((3, 3)) + MRG_RandomStreams(6).uniform((3, 3))
    step = theano.function([], W.sum(), updates=[(W, W + noise), (velocity, velocity - W)])
    return step, theano.function([], T.dot(W, b) + velocity, updates=[(b, b + W.sum(0))])
"""

RESUMED = (
    PROGRAM
    + """
functions = program()
assert checkpoint.load(sys.argv[1], functions) == (7, {"loss": 0.5})
print([f().tolist() for _ in range(3) for f in functions])
assert "jax" not in sys.modules
"""
)


def test_functions_go_on_bit_for_bit_in_another_process(tmp_path):
    made = {"__name__": "program"}
    exec(PROGRAM, made)
    functions = made["program"]()
    for f in functions * 2:
        f()
    checkpoint.save(tmp_path, 7, functions, note={"loss": 0.5}, wait=True)
    expected = [f().tolist() for _ in range(3) for f in functions]
    for seed in ("1", "77"):
        assert in_another_process(RESUMED, tmp_path, hash_seed=seed) == f"{expected}\n"


def test_variables_of_functions_have_their_names_or_numbers(tmp_path):
    w, v = theano.shared(np.ones(2), "w"), theano.shared(np.ones(2))
    alone, both = theano.shared(np.ones(2), "w"), RandomStreams(1).normal((2,))
    f = theano.function([], w + v)
    path = checkpoint.save(tmp_path, 0, f, wait=True)
    (found,) = checkpoints_in(tmp_path)
    assert found.path == path
    assert sorted(Reader(found).contents()) == ["<TensorType(float64, vector)>#1", "w"]
    g = theano.function([], alone * w + both)
    checkpoint.save(tmp_path, 1, [f, g], wait=True)
    names = set(Reader(checkpoints_in(tmp_path)[1]).contents())
    assert names == {"<TensorType(float64, vector)>#1", "w#1", "w#2", "<RandomStateType>#1"}
    # given by itself and found in a function it is one variable
    checkpoint.save(tmp_path, 2, [w, f], wait=True)
    assert len(Reader(checkpoints_in(tmp_path)[1]).contents()) == 2


def test_a_number_that_may_mean_another_variable_is_refused(tmp_path):
    w, v, u = (theano.shared(np.full(2, float(k)), "w") for k in range(3))
    checkpoint.save(tmp_path, 0, theano.function([], w + v), wait=True)
    f = theano.function([], w * v * u)
    for strict in (True, False):
        with pytest.raises(ValueError, match=r"3 variables w .* has 2; give a dict, with names as"):
            checkpoint.load(tmp_path, f, strict=strict)
    checkpoint.load(tmp_path, {"w#1": u, "w#2": w})
    assert u.get_value().tolist() == [0.0, 0.0] and w.get_value().tolist() == [1.0, 1.0]


def test_a_function_that_holds_state_of_its_own_is_refused(tmp_path):
    s = T.dscalar("s")
    f = theano.function([theano.In(s, value=0.0, update=s + 1)], s)
    with pytest.raises(TypeError, match="holds that of its input s itself; make it a shared"):
        checkpoint.save(tmp_path, 0, f)


@pytest.mark.parametrize(
    "value", [scipy.sparse.csr_matrix(np.eye(2)), {"a": 1}], ids=["sparse", "object"]
)
def test_what_is_no_array_is_refused_by_name_and_nothing_is_written(value, tmp_path):
    v = theano.shared(value, "odd")
    with pytest.raises(TypeError, match=f"'odd' holds {type(value).__name__}"):
        checkpoint.save(tmp_path, 0, [theano.shared(1.0, "w"), v], wait=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (theano.shared(np.zeros(3), "w"), r"'w' has shape \(3,\).*strict=False takes it"),
        (theano.shared(np.zeros(2, "float32"), "w"), "float32.*has float64 of shape"),
        (theano.shared(np.zeros((2, 1)), "w"), "matrix.*has float64 of shape"),
        (theano.shared(np.zeros(1), "w", broadcastable=[True]), "has float64 of shape"),
        (theano.shared(np.random.RandomState(1), "w"), "RandomStateType.*has float64 of shape"),
        (theano.shared({}, "w"), "Generic.*has float64 of shape"),
    ],
    ids=["shape", "dtype", "ndim", "broadcastable", "stream", "object"],
)
def test_one_that_does_not_fit_leaves_all_as_they_are(other, said, tmp_path):
    a = theano.shared(np.zeros(2), "a")
    w = theano.shared(np.ones(2), "w")
    checkpoint.save(tmp_path, 0, [a, w], wait=True)
    a.set_value(np.full(2, 9.0))
    with pytest.raises(ValueError, match=said):
        checkpoint.load(tmp_path, [a, other])
    assert a.get_value().tolist() == [9.0, 9.0]


def test_a_state_does_not_become_an_array(tmp_path):
    checkpoint.save(tmp_path, 0, {"r": RandomStreams(1).normal().rng}, wait=True)
    with pytest.raises(ValueError, match=r"'r' holds TensorType.* has a random state"):
        checkpoint.load(tmp_path, [theano.shared(1.0, "r")])


def test_without_strict_what_is_there_is_taken_in_any_shape(tmp_path):
    w = theano.shared(np.arange(2.0), "w")
    checkpoint.save(tmp_path, 0, w, wait=True)
    longer, new = theano.shared(np.zeros(3), "w"), theano.shared(5.0, "new")
    assert checkpoint.load(tmp_path, [longer, new], strict=False) == (0, None)
    assert longer.get_value().tolist() == [0.0, 1.0] and new.get_value() == 5.0


def test_a_step_before_the_last_one_is_refused(tmp_path):
    w = theano.shared(0.0, "w")
    checkpoint.save(tmp_path, 10, w, wait=True)
    with pytest.raises(ValueError, match="has a checkpoint of step 10, which is later than step 9"):
        checkpoint.save(tmp_path, 9, w)
    w.set_value(1.0)
    checkpoint.save(tmp_path, 10, w, wait=True)
    w.set_value(2.0)
    assert checkpoint.load(tmp_path, w) == (10, None) and w.get_value() == 1.0
    for step in (-1, 2.5):
        with pytest.raises((ValueError, TypeError)):
            checkpoint.save(tmp_path, step, w)


def test_steps_are_numbers_and_all_may_be_kept(tmp_path):
    w = theano.shared(0.0, "w")
    for step in (9, 9_999_999_999, 10_000_000_000, 10_000_000_001):
        checkpoint.save(tmp_path, np.int64(step), w, keep=0, wait=True)
        assert checkpoint.latest(tmp_path) == step
    assert len(list(tmp_path.iterdir())) == 4


def test_older_files_without_numbers_are_read(tmp_path):
    folder = tmp_path / "step-0000000003"
    folder.mkdir()
    facts = (
        '{"step": 3, "note": null, "shapes": {"w": [2]}, "dtypes": {"w": "float64"}, "streams": {}}'
    )
    part = folder / "part-0-of-1.abc.safetensors"
    safetensors.numpy.save_file({"w@0:2": np.arange(2.0)}, part, metadata={"theano": facts})
    w = theano.shared(np.zeros(2), "w")
    assert checkpoint.load(tmp_path, w) == (3, None) and w.get_value().tolist() == [0.0, 1.0]


def test_names_reach_the_disk_before_older_ones_are_removed(tmp_path, monkeypatch):
    """Each flush and each removal, in the order in which they are made."""
    w = theano.shared(0.0, "w")
    checkpoint.save(tmp_path, 0, w, keep=1, wait=True)
    seen = []
    fsync, replace, rmdir = os.fsync, os.replace, os.rmdir

    def flush(handle):
        seen.append(("flush", Path(os.readlink(f"/proc/self/fd/{handle}")).name.split(".")[-1]))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", flush)
    monkeypatch.setattr(os, "replace", lambda a, b: (seen.append(("rename", "")), replace(a, b)))
    monkeypatch.setattr(os, "rmdir", lambda p: (seen.append(("remove", "")), rmdir(p)))
    checkpoint.save(tmp_path, 1, w, keep=1, wait=True)
    assert seen == [
        ("flush", "unfinished"),
        ("rename", ""),
        ("flush", "step-0000000001"),
        ("flush", tmp_path.name),
        ("remove", ""),
    ]


def test_a_file_cut_off_at_any_byte_is_not_read_as_another(tmp_path):
    w = theano.shared(np.arange(4.0), "w")
    checkpoint.save(tmp_path, 0, w, wait=True)
    (part,) = (tmp_path / "step-0000000000").iterdir()
    whole = part.read_bytes()
    for n in range(0, len(whole), 7):
        part.write_bytes(whole[:n])
        w.set_value(np.zeros(4))
        with pytest.raises(Exception, match=r"(?i)header|safetensor|empty|mmap|metadata|file"):
            checkpoint.load(tmp_path, w)
        assert w.get_value().tolist() == [0.0] * 4


def test_ten_kills_leave_whole_checkpoints(tmp_path):
    found = kills(tmp_path, 10, seed=0)
    assert found.wrong == [] and found.steps > 10
