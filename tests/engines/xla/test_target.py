"""Programs that are traced for a platform that this machine need not have."""

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import jax
import numpy as np
import pytest

from theano._src.engines.jax.arrays.jax_xp import jax_xp, x64
from theano._src.engines.jax.arrays.materialized import materialized
from theano._src.engines.jax.devices import compiling_for, platform, target
from theano._src.engines.jax.settings import for_programs
from theano._src.ground.config import config
from theano._src.ground.convolution import Window
from theano._src.ground.errors import OnlyOnHost
from theano._src.ops.nnet.softmax import SoftmaxGrad
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


def test_the_mean_in_the_gradient_of_softmax_is_computed_once_on_tpus_alone():
    softmax_grad = SoftmaxGrad((-1,))

    def gradient(g, y):
        return softmax_grad.lower_xla(jax_xp, (), g, y)

    args = [np.ones((2, 3, 4), "float32")] * 2
    barrier = "optimization_barrier"
    assert barrier not in lowered(gradient, args)
    with compiling_for(GPU):
        assert barrier not in lowered(gradient, args)
    with compiling_for(TPU):
        assert barrier in lowered(gradient, args)


def test_convolutions_for_accelerators_are_xlas_own():
    def conv(x, w):
        return jax_xp.conv.forward(x, w, WINDOW)

    for other in (GPU, TPU):
        with compiling_for(other):
            assert "stablehlo.convolution" in lowered(conv, [IMAGES, FILTERS])


def test_images_of_integers_are_convolved_without_what_accelerators_lack():
    def conv(x, w):
        return jax_xp.conv.forward(x, w, WINDOW)

    images, filters = (a.astype("int64") for a in (IMAGES, FILTERS))
    for other in (GPU, TPU):
        with compiling_for(other):
            assert "stablehlo.convolution" not in lowered(conv, [images, filters])
    with compiling_for(TPU):  # no products of 64-bit integers either
        assert "dot_general" not in lowered(conv, [images, filters])


def test_c_code_is_left_to_the_host_where_programs_are_not_for_cpus():
    class Kernel:
        who = "an op"

    with compiling_for(TPU), pytest.raises(OnlyOnHost, match="runs on CPUs, not on tpu"):
        jax_xp.call_kernel(Kernel(), [], [])


@pytest.mark.parametrize(
    "name, function, dtype",
    [
        ("svd", lambda x: jax_xp.linalg.svd(x), "float32"),
        ("pinv", lambda x: jax_xp.linalg.pinv(x), "float32"),
        ("eig", lambda x: jax_xp.linalg.eig(x), "float32"),
        ("svd", lambda x: jax_xp.slinalg.svd(x), "float64"),
        ("transform of complex128", lambda x: jax_xp.fft.fft(x), "complex128"),
        ("transform of float64", lambda x: jax_xp.fft.rfft(x), "float64"),
    ],
)
def test_what_tpus_lack_is_left_to_the_host(name, function, dtype):
    x = np.eye(3, dtype=dtype)
    lowered(function, [x])
    with compiling_for(TPU), pytest.raises(OnlyOnHost, match=f"XLA has no {name} on tpu"):
        lowered(function, [x])
    with compiling_for(TPU):
        lowered(jax_xp.linalg.qr, [x])
        lowered(jax_xp.fft.fft, [x.astype("complex64")])


A, B = (np.arange(n, dtype="int64").reshape(s) - 3 for n, s in ((12, (3, 4)), (20, (4, 5))))
STACK = np.arange(24).reshape(2, 3, 4)

#: products of integers in their forms
INTEGERS = {
    "dot": (jax_xp.dot, np.dot, [A, B]),
    "dot of vectors": (jax_xp.dot, np.dot, [A[0], B[:, 0]]),
    "dot with a vector": (jax_xp.dot, np.dot, [A, B[:, 0]]),
    "dot of stacks": (jax_xp.dot, np.dot, [STACK, STACK.reshape(3, 4, 2)]),
    "matmul": (jax_xp.matmul, np.matmul, [STACK, B]),
    "tensordot": (
        lambda x, y: jax_xp.tensordot(x, y, ((2, 0), (0, 1))),
        lambda x, y: np.tensordot(x, y, ((2, 0), (0, 1))),
        [STACK, STACK.reshape(4, 2, 3)],
    ),
    "einsum": (
        lambda x, y: jax_xp.einsum("abc,cd->dab", x, y),
        lambda x, y: np.einsum("abc,cd->dab", x, y),
        [STACK, B],
    ),
    "einsum that sums one": (
        lambda x, y: jax_xp.einsum("abc,cd->a", x, y),
        lambda x, y: np.einsum("abc,cd->a", x, y),
        [STACK, B],
    ),
    "unsigned": (jax_xp.dot, np.dot, [(A + 3).astype("uint64"), (B + 3).astype("uint64")]),
}


@pytest.mark.parametrize("name", INTEGERS)
def test_products_of_integers_for_tpus_are_sums(name):
    function, reference, args = INTEGERS[name]
    assert "dot_general" in lowered(function, args)
    with compiling_for(TPU):
        assert "dot_general" not in lowered(function, args)
        with x64():
            result = np.asarray(function(*map(jax.numpy.asarray, args)))
    expected = reference(*args)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize(
    "flag, where, precision",
    [
        ("float32", TPU, "HIGHEST"),
        ("float32", GPU, "HIGHEST"),
        ("high", TPU, "HIGH"),
        ("fast", TPU, None),
        ("float32", None, None),
    ],
)
def test_products_and_convolutions_have_the_precision_of_the_flag(flag, where, precision):
    def both(x, y, images, filters):
        return jax_xp.dot(x, y), jax_xp.conv.forward(images, filters, WINDOW)

    args = [np.eye(3, dtype="float32"), np.eye(3, dtype="float32"), IMAGES, FILTERS]
    place = nullcontext() if where is None else compiling_for(where)
    with config.change_flags(**{"xla.precision": flag}), place, for_programs():
        text = jax.jit(both).lower(*args).as_text()
    if precision is None:
        assert "HIGH" not in text
    else:
        for operation in ("stablehlo.dot_general", "stablehlo.convolution"):
            (line,) = (line for line in text.splitlines() if operation in line)
            assert re.search(rf"\b{precision}\b", line)


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
