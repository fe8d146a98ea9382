"""Functions on a mesh: in processes of their own, as the number of devices is said before jax."""

import json
import os
import pickle
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano import distributed as dist

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

#: what the devices send each other in a step, by kind: how many times, and bytes in all
COLLECTIVES = {
    "logistic regression": {"all-reduce": [3, 62_810]},
    "perceptron, data parallel": {"all-reduce": [3, 3_256_410]},
    "perceptron, tensor parallel": {"all-reduce": [1, 20_480]},
    "perceptron, data and tensor parallel": {"all-reduce": [4, 1_633_370]},
    "perceptron, fully sharded": {
        "all-gather": [4, 3_297_280],
        "all-reduce": [3, 3_256_410],
    },
    "recurrent network, data parallel": {"all-reduce": [3, 206_858]},
    "convolutional network with dropout": {
        "all-gather": [1, 368_640],  # the streams of MRG, which are split when they draw
        "all-reduce": [3, 47_690],
        "collective-permute": [3, 24_576],
    },
}


def on_devices(count, file, *arguments):
    """What a program prints last, as JSON, in a process with so many devices."""
    environ = dict(os.environ, PYTHONPATH=str(ROOT), THEANO_FLAGS="")
    environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={count}"
    command = [sys.executable, str(HERE / file), *arguments]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@cache
def trained(name, dtype):
    return on_devices(8, "programs.py", name, dtype)


@pytest.mark.parametrize("name", COLLECTIVES)
def test_a_step_sends_no_more_than_it_must(name):
    assert trained(name, "float64")["collectives"] == COLLECTIVES[name]


@pytest.mark.parametrize("name", COLLECTIVES)
def test_parameters_are_those_of_one_device(name):
    assert trained(name, "float64")["difference"] <= 1e-12


@pytest.mark.parametrize("name", COLLECTIVES)
def test_parameters_are_those_of_one_device_in_float32(name):
    assert trained(name, "float32")["difference"] <= 1e-6


@pytest.mark.parametrize("name", COLLECTIVES)
def test_a_step_writes_its_state_in_place(name):
    said = trained(name, "float64")
    assert said["in place"] >= sum(said["state"])


@cache
def cases():
    return on_devices(8, "cases.py")


def names_of_cases():
    source = (HERE / "cases.py").read_text(encoding="utf-8")
    names = [line[4:].partition("(")[0] for line in source.splitlines() if line.startswith("def ")]
    return [name for name in names if name.count("_") > 1]


@pytest.mark.parametrize("name", names_of_cases())
def test_on_eight_devices(name):
    assert cases()[name] == ""


# the language, without devices


def test_a_sharding_says_over_which_axes_each_dimension_is_split():
    mesh = dist.mesh({"data": 4, "model": 2})
    assert mesh["data", None].spec == (("data",),)
    assert mesh[None, "model"].spec == ((), ("model",))
    assert mesh["data+model"].spec == (("data", "model"),)
    assert mesh.replicated == mesh[None] and mesh.replicated.is_replicated
    assert repr(mesh[None, "data+model"]) == "mesh(data=4, model=2)[None, 'data+model']"
    for thing in (mesh, mesh["model"]):
        assert pickle.loads(pickle.dumps(thing)) == thing and hash(thing) == hash(thing)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: dist.mesh({}), "a dict with the length"),
        (lambda: dist.mesh({"a b": 1}), "letters and digits"),
        (lambda: dist.mesh({"a": 0}), "takes a length, or -1"),
        (lambda: dist.mesh({"a": -1, "b": -1}), "one axis"),
        (lambda: dist.mesh({"data": 1})["dat"], "did you mean 'data'"),
        (lambda: dist.mesh({"data": 1})[0], "names of its axes"),
        (lambda: dist.mesh({"data": 1})["data", "data"], "named twice"),
        (lambda: theano.In(T.vector("v"), sharding=dist.mesh({"a": 1})[None, "a"]), "1 dimensions"),
        (lambda: dist.constrain(T.scalar("s"), dist.mesh({"a": 1})["a"]), "0 dimensions"),
        (lambda: dist.shard(T.vector("v"), dist.mesh({"a": 1})["a"]), "shared variable"),
        (lambda: dist.shard(theano.shared(np.ones(2)), "a"), "takes a Sharding"),
        (lambda: theano.shared("text", sharding=dist.mesh({"a": 1})["a"]), "holds an array"),
    ],
)
def test_what_is_no_mesh_or_sharding_is_said(make, text):
    with pytest.raises((TypeError, ValueError), match=text):
        make()


def test_a_function_without_a_mesh_has_nothing_of_it_in_its_call_path():
    x, w = T.dvector("x"), theano.shared(np.zeros(3), "w")
    f = theano.function([x], x.sum(), updates=[(w, w + x)], mode=theano.Mode("xla"))
    f([1, 2, 3])
    words = ("joined", "same(", "placed", "own_part", "one_at_a_time")
    assert not any(word in f.fn.source for word in words) and "on_mesh" in f.fn.source


def test_a_mesh_loads_no_engine():
    code = (
        "import sys, numpy, theano; from theano import distributed as d; m = d.mesh({'a': -1}); "
        "theano.shared(numpy.ones(4), sharding=m['a']); print('jax' in sys.modules)"
    )
    environ = dict(os.environ, PYTHONPATH=str(ROOT))
    said = subprocess.check_output([sys.executable, "-c", code], env=environ, text=True)
    assert said.strip() == "False"
