"""Programs that are traced for a platform that this machine need not have."""

from concurrent.futures import ThreadPoolExecutor

import jax
import numpy as np
import pytest

from theano._src.engines.jax.arrays.jax_xp import jax_xp, x64
from theano._src.engines.jax.arrays.materialized import materialized
from theano._src.engines.jax.devices import compiling_for, platform, target
from theano._src.ground.convolution import Window
from theano._src.ground.errors import OnlyOnHost
from theano._src.types.topology import topology

IMAGES, FILTERS = np.zeros((2, 3, 8, 8), "float32"), np.zeros((4, 3, 3, 3), "float32")
WINDOW = Window(((0, 0),) * 2, (1, 1), (1, 1), 1)

TPU, GPU = topology("v5e:1x1"), topology("h100:1x1")

#: what has a form for CPUs, and an operation of StableHLO that is in that form alone
FORMS = {
    "nonzero": (lambda x: jax_xp.nonzero(x, size=3), [np.ones(9, "float32")], "while"),
    "sum_rows": (lambda x: jax_xp.sum_rows(x, "float64"), [np.ones((2, 64), "float32")], "while"),
    "materialized": (materialized, [np.ones(9, "float32")], "inlineable"),
}


def lowered(function, args):
    with x64():
        return jax.jit(lambda *args: function(*args)).lower(*args).as_text()


@pytest.mark.parametrize("name", FORMS)
def test_a_form_for_cpus_is_in_no_program_for_another_platform(name):
    function, args, operation = FORMS[name]
    assert operation in lowered(function, args)
    for other in (GPU, TPU):
        with compiling_for(other):
            assert operation not in lowered(function, args)


def test_convolutions_for_accelerators_are_xlas_own():
    def conv(x, w):
        return jax_xp.conv.forward(x, w, WINDOW)

    for other in (GPU, TPU):
        with compiling_for(other):
            assert "stablehlo.convolution" in lowered(conv, [IMAGES, FILTERS])


def test_c_code_is_left_to_the_host_where_programs_are_not_for_cpus():
    class Kernel:
        who = "an op"

    with compiling_for(TPU), pytest.raises(OnlyOnHost, match="runs on CPUs, not on tpu"):
        jax_xp.call_kernel(Kernel(), [], [])


def test_a_target_is_that_of_one_block_and_one_thread():
    here = platform()
    assert target() == here
    with compiling_for(TPU), ThreadPoolExecutor(1) as other:
        assert target() == "tpu"
        assert other.submit(target).result() == here
        with compiling_for(GPU):
            assert target() == "gpu"
        assert target() == "tpu"
        assert platform() == here
    assert target() == here
