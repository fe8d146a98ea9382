"""Casts between every two dtypes, and those that are refused."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

from tests.ops.elements import ALL, COMPLEX, DISCRETE, FLOATS, REALS, by_python
from theano._src.engines.numpy.lines import text_of
from theano._src.ground.config import config
from theano._src.ops.core import cast as K
from theano._src.types.scalar import get_scalar_type
from theano._src.types.tensor import tensor_type
from theano.testing import OpSpec, Raises, evaluate, spec_tests

inf, nan = math.inf, math.nan
Z = np.ones(2, "complex128")


def to(dtype):
    return lambda x: K.cast(x, dtype)


def number(dtype):
    if dtype == "bool":
        return bool
    if dtype in COMPLEX:
        return complex
    return float if dtype in FLOATS else math.trunc


# fmt: off
SPECS = [
    OpSpec(to(dtype), by_python(number(dtype), dtype), name=f"cast to {dtype}",
           dtypes=ALL if dtype in COMPLEX else REALS, out_dtype=lambda _, d=dtype: d,
           domain=(0, 100) if dtype.startswith("u") else (-100, 100),
           errors=[] if dtype in COMPLEX else [
               Raises(Z, TypeError, "Casting from complex to real is ambiguous: consider real")])
    for dtype in ALL
]
# fmt: on


def vector(dtype):
    return tensor_type(dtype, (False,))()


def computed(dtype, x):
    v = tensor_type(x.dtype.name, (False,) * x.ndim)()
    return evaluate([K.cast(v, dtype)], {v: x})[0]


# fmt: off
CORNERS = [
    # from, to, values, results
    ("int64",   "int8",    [300, -129, 128],         [44, 127, -128]),
    ("int64",   "uint8",   [-1, 256, 300],           [255, 0, 44]),
    ("int8",    "uint64",  [-1],                     [2**64 - 1]),
    ("uint64",  "int64",   [2**63],                  [-(2**63)]),
    ("float64", "int32",   [1.7, -1.7, 0.5, -0.5],   [1, -1, 0, 0]),
    ("float64", "bool",    [0.0, -0.0, 0.1, nan],    [False, False, True, True]),
    ("float64", "float32", [1e300, -1e300],          [inf, -inf]),
    ("float64", "float16", [70000.0, 1e-9],          [inf, 0.0]),
    ("float64", "complex64", [1.5],                  [1.5 + 0j]),
    ("bool",    "int8",    [True, False],            [1, 0]),
]
# fmt: on


@pytest.mark.parametrize(("source", "dtype", "values", "want"), CORNERS)
def test_casts_cut_fractions_and_wrap_integers(source, dtype, values, want):
    got = computed(dtype, np.array(values, source))
    assert (got.dtype, got.tolist()) == (dtype, want)


def test_a_cast_to_the_same_dtype_is_the_variable_itself():
    for dtype in ALL:
        x = vector(dtype)
        assert K.cast(x, dtype) is x


def test_a_cast_takes_floatX_and_numpy_dtypes():
    x = vector("int8")
    assert K.cast(x, "floatX").dtype == "float64"
    with config.change_flags(floatX="float32"):
        assert K.cast(x, "floatX").dtype == "float32"
    assert K.cast(x, np.float32).dtype == K.cast(x, np.dtype("float32")).dtype == "float32"
    assert K.cast([1, 2], "float32").dtype == "float32"


def test_a_cast_to_an_unknown_dtype_is_refused():
    with pytest.raises(TypeError, match="Unsupported dtype for TensorType: 'foo'"):
        K.cast(vector("int8"), "foo")
    with pytest.raises(TypeError, match="'S8'"):
        K.cast(vector("int8"), "S8")


def test_casts_print_their_dtype():
    assert str(K.cast(vector("int8"), "float64").owner.op) == "Elemwise{Cast{float64}}"
    assert str(K.convert_to_float32) == "Cast{float32}"


def test_casts_are_equal_when_their_dtype_is():
    assert K.Cast(get_scalar_type("int8")) == K.Cast("int8") == K.convert_to_int8
    assert hash(K.Cast("int8")) == hash(K.convert_to_int8)
    assert K.Cast("int8") != K.Cast("int16")
    assert pickle.loads(pickle.dumps(K.convert_to_int8)) == K.convert_to_int8


def test_scalars_are_cast_too():
    x = get_scalar_type("int8")()
    assert K.scalar_cast(x, "int8") is x
    assert K.scalar_cast(x, "float32").type.dtype == "float32"
    with pytest.raises(TypeError, match="ambiguous"):
        K.scalar_cast(get_scalar_type("complex64")(), "float32")


@pytest.mark.parametrize("source", DISCRETE)
@pytest.mark.parametrize("dtype", DISCRETE)
def test_host_text_gives_what_numpy_gives(source, dtype):
    if source == dtype:
        pytest.skip("no node")
    ends = (
        [False, True] if source == "bool" else [np.iinfo(source).min, -1, 0, np.iinfo(source).max]
    )
    values = np.array([e for e in ends if source[0] != "u" or e >= 0], source)
    node = K.cast(tensor_type(source, ())(), dtype).owner
    run = eval(f"lambda a: {text_of(node, 'a')}")
    for given, want in zip(values.tolist(), values.astype(dtype).tolist(), strict=True):
        assert run(given) == want
        assert type(run(given)) is type(want)


test_ops = spec_tests(SPECS)
