"""Pooling in the form that is compiled for TPUs, computed on the processor."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.engines.jax.arrays import windows
from theano.tensor.signal.pool import pool_2d

pytestmark = pytest.mark.xla

pytest.importorskip("jax")


@pytest.fixture
def as_on_a_tpu(monkeypatch):
    monkeypatch.setattr(windows, "target", lambda: "tpu")


def results(linker, mode, ws, stride, pad, ignore_border, value):
    x = T.TensorType(str(value.dtype), (False,) * 4)("x")
    pooled = pool_2d(x, ws, ignore_border=ignore_border, stride=stride, pad=pad, mode=mode)
    outputs = [pooled]
    if value.dtype.kind == "f":
        weights = T.arange(pooled.size).reshape(pooled.shape).astype("float32")
        outputs.append(T.grad((pooled * weights).sum(), x))
    return theano.function([x], outputs, mode=theano.Mode(linker))(value)


WINDOWS = [
    ((2, 2), None, (0, 0), True),
    ((2, 2), None, (0, 0), False),
    ((3, 2), (3, 2), (1, 0), True),
    ((2, 3), (3, 4), (0, 0), True),
    ((3, 3), (2, 1), (0, 0), True),
    ((3, 3), (2, 2), (1, 2), True),
    ((5, 1), (5, 1), (0, 0), False),
]


MODES = ["max", "sum", "average_inc_pad", "average_exc_pad"]


@pytest.mark.parametrize(
    ("mode", "ws", "stride", "pad", "ignore_border"),
    # sums take no padding
    [(mode, *w) for mode in MODES for w in WINDOWS if mode != "sum" or w[2] == (0, 0)],
)
def test_values_and_gradients_are_those_of_numpy(as_on_a_tpu, mode, ws, stride, pad, ignore_border):
    numbers = np.random.default_rng(0)
    # few different numbers: several cells of a window are its maximum
    value = numbers.integers(-3, 3, (2, 3, 11, 13)).astype("float32")
    value[0, 0, :4, :4] = -np.inf if mode == "max" else 0
    args = (mode, ws, stride, pad, ignore_border, value)
    for ours, by_numpy in zip(results("xla", *args), results("numpy", *args), strict=True):
        np.testing.assert_allclose(ours, by_numpy, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "float16"])
def test_other_dtypes_have_the_maxima_of_numpy(as_on_a_tpu, dtype):
    value = np.random.default_rng(0).integers(0, 100, (1, 1, 6, 6)).astype(dtype)
    args = ("max", (2, 2), None, (0, 0), True, value)
    np.testing.assert_array_equal(results("xla", *args)[0], results("numpy", *args)[0])


def test_one_operation_does_it_where_numbers_have_32_bits(as_on_a_tpu):
    x = T.ftensor4("x")
    cost = T.sqr(pool_2d(x, (2, 2), ignore_border=True)).sum()
    f = theano.function([x], T.grad(cost, x), mode=theano.Mode("xla"))
    f(np.ones((1, 1, 4, 4), "float32"))
    text = theano.printing.hlo(f, before=True, file="str")
    assert text.count('"stablehlo.reduce_window"') == 3
