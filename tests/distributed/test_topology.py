"""Chips that this machine need not have, as plain data, and meshes of them."""

import pickle

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano import In, distributed as dist
from theano._src.engines.jax.devices import compiling_for
from theano._src.engines.jax.mesh_devices import arranged, lengths_of, named_sharding


@pytest.mark.parametrize(
    ("name", "chips", "platform"),
    [
        ("v5e:16x16", 256, "tpu"),
        ("v5p:8x8x8", 512, "tpu"),
        ("v5p:16x16x24", 6144, "tpu"),
        ("h100:128x8", 1024, "gpu"),
        ("a100:1x8", 8, "gpu"),
        ("cpu:8", 8, "cpu"),
    ],
)
def test_a_topology_has_its_chips(name, chips, platform):
    there = dist.topology(name)
    assert (there.chips, there.platform, there.name) == (chips, platform, name)
    assert repr(there) == f"topology({name!r})"
    assert pickle.loads(pickle.dumps(there)) == there
    assert hash(dist.topology(name)) == hash(there)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("h10:2x2", "the kinds are v5e, v5p, a100, h100, cpu; did you mean 'h100'"),
        ("v5e", "takes 2 lengths of v5e, as in 'v5e:16x16', got 'v5e'"),
        ("v5e:2x2x2", "takes 2 lengths of v5e"),
        ("v5p:8x8", "takes 3 lengths of v5p"),
        ("cpu:0", "takes 1 length of cpu, as in 'cpu:8', got 'cpu:0'"),
        ("h100:1xx8", "takes 2 lengths of h100"),
    ],
)
def test_a_text_that_is_no_topology_is_refused(name, why):
    with pytest.raises(ValueError, match=why.replace("(", r"\(")):
        dist.topology(name)


def test_a_mesh_on_a_topology_is_another_mesh():
    here, there = dist.mesh({"data": 4}), dist.mesh({"data": 4}, dist.topology("cpu:4"))
    assert here != there and there == dist.mesh({"data": 4}, topology=dist.topology("cpu:4"))
    assert repr(there["data"]) == "mesh(data=4) on cpu:4['data']"
    assert pickle.loads(pickle.dumps(there["data"])) == there["data"]
    with pytest.raises(TypeError, match=r"mesh takes a topology .* got 'cpu:4'"):
        dist.mesh({"data": 4}, "cpu:4")


def test_a_function_on_a_topology_raises_when_it_is_called():
    mesh = dist.mesh({"data": -1}, dist.topology("v5e:16x16"))
    x = T.fmatrix("x")
    f = theano.function([In(x, sharding=mesh["data"])], x.sum())
    why = r"^mesh\(data=-1\) was planned for v5e:16x16, which this machine does not have: "
    with pytest.raises(RuntimeError, match=why):
        f(np.ones((256, 2), "float32"))


def test_lengths_are_those_of_the_chips_that_are_planned_for():
    mesh = dist.mesh({"data": -1, "model": 8})
    with compiling_for(dist.topology("h100:128x8")):
        assert lengths_of(mesh) == {"data": 128, "model": 8}
        assert named_sharding(mesh["data"]).mesh.shape == {"data": 128, "model": 8}
        with pytest.raises(ValueError, match="takes 4 devices, and h100:128x8 has 1024"):
            lengths_of(dist.mesh({"data": 4}))


class Chip:
    """A device of a torus, as jax's meshes look at one."""

    platform, device_kind, process_index, slice_index, core_on_chip = "tpu", "TPU v5", 0, 0, 0

    def __init__(self, number, coords):
        self.id, self.coords = number, coords


def test_a_mesh_may_split_axes_of_a_torus(monkeypatch):
    import jax

    # 24 x 2 of 4 x 4 x 3: no axis of the torus, nor a product of some, is 24 long
    grid = [Chip(k, tuple(map(int, at))) for k, at in enumerate(np.ndindex(4, 4, 3))]
    monkeypatch.setattr(jax.sharding, "Mesh", lambda devices, names, **_: (devices, names))
    devices, names = arranged({"data": 24, "model": 2}, grid)
    assert devices.shape == (24, 2) and tuple(names) == ("data", "model")
    assert len({chip.id for chip in devices.flat}) == 48
