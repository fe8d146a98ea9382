"""A device that a flag asks for is used, or its absence is told once."""

import os
import subprocess
import sys

import pytest

from theano._src.engines.jax import device

PROGRAM = """
import sys, theano, theano.tensor as T
assert "jax" not in sys.modules
x = T.dscalar("x")
for k in range(3):
    f = theano.function([x], x + k)
print(f(1))
"""


def ran(flags, tmp_path):
    flags = f"{flags},base_compiledir={tmp_path}"
    return subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "THEANO_FLAGS": flags, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
    )


def test_a_gpu_that_is_not_there_is_told_once_and_the_cpu_is_used(tmp_path):
    done = ran("device=gpu", tmp_path)
    assert done.returncode == 0 and done.stdout == "3.0\n"
    assert done.stderr.count("device=gpu cannot be used") == 1
    assert "functions run on the CPU" in done.stderr
    assert "<string>:6" in done.stderr  # the line that makes the first function


def test_a_gpu_that_is_not_there_is_an_error_where_it_is_forced(tmp_path):
    done = ran("device=cuda0,force_device=True", tmp_path)
    assert done.returncode == 1 and done.stdout == ""
    assert "OSError: device=cuda0 cannot be used" in done.stderr


def test_nothing_is_said_of_the_cpu(tmp_path):
    done = ran("device=cpu,force_device=True", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "3.0\n", "")


class Flags:
    def __init__(self, name, force=False):
        self.device, self.force_device, self.print_active_device = name, force, True


@pytest.fixture
def two_gpus(monkeypatch):
    """A machine that has two, of which none is chosen yet."""
    monkeypatch.setattr(device, "_settled", [False])
    monkeypatch.setattr(device, "_chosen", [None])
    monkeypatch.setattr(device, "_devices", lambda _: (["first", "second"], "there are two"))


@pytest.mark.parametrize(
    ("name", "which", "said"),
    [
        ("gpu", "first", "gpu device 0"),
        ("gpu0", "first", "gpu device 0"),
        ("cuda1", "second", "device cuda1"),
        ("tpu1", "second", "device tpu1"),
    ],
)
@pytest.mark.usefixtures("two_gpus")
def test_a_device_that_is_there_is_chosen_and_named(monkeypatch, capsys, name, which, said):
    monkeypatch.setattr(device, "config", Flags(name))
    device.use_device()
    device.use_device()
    assert device.chosen_device() == which
    assert capsys.readouterr().err == f"Using {said}: {which}\n"


def test_one_of_the_devices_of_the_cpu_is_used(tmp_path):
    program = PROGRAM.replace(
        "print(f(1))",
        (
            "import numpy as np\n"
            "s = theano.shared(np.zeros(3))\n"
            "g = theano.function([x], updates=[(s, s + x)], mode=theano.Mode('xla'))\n"
            "g(1)\n"
            "print(s.container.storage[0].devices())"
        ),
    )
    flags = f"device=cpu2,base_compiledir={tmp_path}"
    environ = {**os.environ, "THEANO_FLAGS": flags, "PYTHONPATH": os.pathsep.join(sys.path)}
    environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
    done = subprocess.run(
        [sys.executable, "-c", program], env=environ, capture_output=True, text=True
    )
    assert done.stdout == "{CpuDevice(id=2)}\n", done.stderr
    assert done.stderr == "Using device cpu2: cpu\n"


@pytest.mark.usefixtures("two_gpus")
def test_a_gpu_beyond_the_last_is_not_there(monkeypatch):
    monkeypatch.setattr(device, "config", Flags("gpu2", force=True))
    with pytest.raises(OSError, match="device=gpu2 cannot be used: there are"):
        device.use_device()
    assert device.chosen_device() is None
