"""What units apply to each element: values by mpmath, corners as Theano 1.0.5 has them."""

import math
import pickle

import mpmath as mp
import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.ops.exact import by_mpmath, to_float
from theano.tensor import nnet
from theano.testing import OpSpec, Raises, spec_tests

inf, nan = math.inf, math.nan


def ultra_fast(x):
    size = abs(x) / 2
    if size < mp.mpf("1.7"):
        z = mp.mpf("1.5") * size / (1 + size)
    elif size < 3:
        z = mp.mpf("0.935409070603099") + mp.mpf("0.0458812946797165") * (size - mp.mpf("1.7"))
    else:
        z = mp.mpf("0.99505475368673")
    return (1 + mp.sign(x) * z) / 2


def elu(x, alpha):
    return x if x > 0 else alpha * mp.expm1(x)


def selu(x):
    return mp.mpf("1.0507009873554804934") * elu(x, mp.mpf("1.6732632423543772848"))


def leaky(x, alpha):
    return x if x > 0 else alpha * x


def leaky_relu(x, alpha):
    return nnet.relu(x, alpha)


FLOATS = ("float16", "float32", "float64", "int8", "int32")
NO_COMPLEX = [Raises((np.ones(2, "complex128"),), TypeError, "real numbers")]

# fmt: off
SPECS = [
    OpSpec(nnet.ultra_fast_sigmoid, by_mpmath(ultra_fast), dtypes=FLOATS, out_dtype=to_float,
           domain=(-3.3, 3.3), errors=NO_COMPLEX,
           special=[(0.0, 0.5), (-inf, 0.002472623156635), (inf, 0.997527376843365), (nan, nan),
                    (-6.0, 0.002472623156635), (1e6, 0.997527376843365)]),
    OpSpec(nnet.hard_sigmoid, by_mpmath(lambda x: min(max(x / 5 + mp.mpf(1) / 2, 0), 1)),
           dtypes=FLOATS, out_dtype=to_float, domain=(-2.4, 2.4), errors=NO_COMPLEX,
           special=[(0.0, 0.5), (-inf, 0.0), (inf, 1.0), (nan, nan), (-3.0, 0.0), (3.0, 1.0)]),
    OpSpec(nnet.softsign, by_mpmath(lambda x: x / (1 + abs(x))), dtypes=FLOATS,
           out_dtype=to_float, domain=(0.1, 9), errors=NO_COMPLEX,
           special=[(0.0, 0.0), (-0.0, -0.0), (nan, nan), (-1.0, -0.5), (1e308, 1.0)]),
    OpSpec(nnet.relu, by_mpmath(lambda x: max(x, 0)), dtypes=FLOATS, out_dtype=to_float,
           domain=(0.5, 9), errors=NO_COMPLEX,
           special=[(0.0, 0.0), (-3.0, 0.0), (-inf, 0.0), (inf, inf), (nan, nan)]),
    OpSpec(leaky_relu, by_mpmath(leaky), nin=2, dtypes=("float32", "float64"), out_dtype=to_float,
           domain=[(-9, -0.5), (0.1, 0.9)],
           special=[((0.0, 0.5), 0.0), ((3.0, 0.5), 3.0), ((-inf, 0.5), -inf), ((nan, 0.5), nan)]),
    OpSpec(nnet.elu, by_mpmath(elu), nin=2, dtypes=("float32", "float64"), out_dtype=to_float,
           domain=[(-5, -0.1), (0.5, 2)],
           special=[((0.0, 1.0), 0.0), ((800.0, 1.0), 800.0), ((-inf, 2.0), -2.0),
                    ((inf, 2.0), inf), ((nan, 1.0), nan)]),
    OpSpec(nnet.selu, by_mpmath(selu), dtypes=("float64",), domain=(-5, -0.1),
           special=[(0.0, 0.0), (inf, inf), (nan, nan)]),
]
# fmt: on

E3, E1 = math.exp(-3), math.exp(-1)
ROW = [-inf, -1000.0, -3.0, -1.0, -0.0, 0.0, 1.0, 800.0, 1e308, inf, nan]


@pytest.mark.parametrize("engine", ["numpy", "xla"])
@pytest.mark.parametrize(
    ("fn", "slopes"),
    [
        (nnet.relu, [0, 0, 0, 0, 0.5, 0.5, 1, 1, 1, 1, nan]),
        (lambda x: nnet.relu(x, 0.1), [0.1, 0.1, 0.1, 0.1, 0.55, 0.55, 1, 1, 1, 1, nan]),
        (nnet.elu, [0, 0, E3, E1, 1, 1, 1, 1, 1, 1, nan]),
        (lambda x: nnet.elu(x, 2), [0, 0, 2 * E3, 2 * E1, 2, 2, 1, 1, 1, 1, nan]),
        (nnet.softsign, [0, 1001.0**-2, 1 / 16, 0.25, 1, 1, 0.25, 801.0**-2, 0, 0, nan]),
    ],
    ids=["relu", "leaky relu", "elu", "elu of 2", "softsign"],
)
def test_slopes_are_those_of_theano_at_corners_and_far_out(fn, slopes, engine):
    x = T.dvector("x")
    f = theano.function([x], T.grad(fn(x).sum(), x), mode=theano.Mode(engine))
    np.testing.assert_allclose(f(ROW), slopes, rtol=1e-14, atol=1e-300)


def test_a_tensor_of_slopes_is_broadcast_and_learned():
    x, alpha = T.dmatrix("x"), T.dvector("alpha")
    y = nnet.relu(x, alpha)
    f = theano.function([x, alpha], [y, *T.grad(y.sum(), [x, alpha])])
    made = f([[1.0, -2.0, 0.0]], [0.1, 0.2, 0.3])
    for got, want in zip(made, [[[1, -0.4, 0]], [[1, 0.2, 0.65]], [0, -2, 0]], strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-15)


def test_the_slope_of_ultra_fast_sigmoid_is_that_of_its_pieces():
    x = T.dvector("x")
    f = theano.function([x], T.grad(nnet.ultra_fast_sigmoid(x).sum(), x))
    at = np.array([-7.0, -5.0, -1.0, 0.5, 2.0, 4.0, 9.0])
    g = theano.function([x], nnet.ultra_fast_sigmoid(x))
    h = 1e-6
    np.testing.assert_allclose(f(at), (g(at + h) - g(at - h)) / (2 * h), rtol=1e-8, atol=1e-12)


def test_ultra_fast_sigmoid_stays_between_the_documented_ends():
    x = np.linspace(-20, 20, 1001)
    y = nnet.ultra_fast_sigmoid(x).eval()
    assert f"{y.min():.14f}" == "0.00247262315663" and f"{y.max():.12f}" == "0.997527376843"
    assert abs(y - 1 / (1 + np.exp(-x))).max() < 0.028


@pytest.mark.parametrize("alpha", [0, 0.0, np.float32(0), np.asarray(0, "float32")])
def test_relu_of_numbers_and_arrays_is_a_number_or_an_array(alpha):
    assert nnet.relu(-10, alpha) == 0 and nnet.relu(10, alpha) == 10
    values = np.array([-1, 2, nan], "float32")
    found = nnet.relu(values, alpha)
    np.testing.assert_array_equal(found, np.array([0, 2, nan], "float32"), strict=True)
    assert isinstance(nnet.relu(10, 0.1), theano.Variable)


@pytest.mark.parametrize(
    ("dtype", "alpha", "wanted"),
    [
        ("float32", 0, "float32"),
        ("float32", 0.0, "float32"),
        ("float32", 0.5, "float32"),
        ("float32", 0.1, "float64"),
        ("float32", np.float32(0.1), "float32"),
        ("int8", 0, "float32"),
        ("int32", 0, "float64"),
        ("bool", 0, "float32"),
    ],
    ids=str,
)
def test_dtypes_of_relu_are_those_of_theano(dtype, alpha, wanted):
    assert nnet.relu(T.vector(dtype=dtype), alpha).dtype == wanted


def test_float16_stays_float16():
    x = T.vector(dtype="float16")
    for fn in (nnet.relu, nnet.elu, nnet.hard_sigmoid, nnet.ultra_fast_sigmoid, nnet.softsign):
        assert fn(x).dtype == "float16"


def test_selu_widens_float32_as_its_constants_do():
    assert nnet.selu(T.fvector("x")).dtype == "float64"


def test_ops_print_as_theano_does_and_can_be_pickled():
    for name in ("ultra_fast_sigmoid", "softsign"):
        op = getattr(nnet, name)
        assert str(op) == name and pickle.loads(pickle.dumps(op)) == op
    x = T.dvector("x")
    assert theano.pp(nnet.softsign(x)) == "softsign(x)"
    f = theano.function([x], nnet.relu(x))
    assert pickle.loads(pickle.dumps(f))([-1.0, 2.0]).tolist() == [0.0, 2.0]


def test_sigmoid_inplace_faces_are_there():
    x = T.dvector("x")
    assert nnet.sigm.ultra_fast_sigmoid_inplace(x).owner.op.destroy_map == {0: [0]}


test_ops = spec_tests(SPECS)
