"""Powers, signs, sums and products are the same numbers however they are written."""

import numpy as np
import pytest

import theano
import theano.tensor as T

ENGINES = ["numpy", pytest.param("xla", marks=pytest.mark.xla)]
PLAIN = theano.Mode("numpy").excluding("fusion", "inplace")
x, y, z = T.dvectors("x", "y", "z")


def ops(inputs, output, mode=PLAIN):
    f = theano.function(inputs, output, mode=mode)
    shown = [str(node.op) for node in f.maker.fgraph.toposort()]
    return [name for name in shown if name != "DeepCopyOp"]  # outputs that are inputs are copied


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_powers_to_known_exponents_are_those_of_numpy(engine, dtype):
    exponents = [0, 1, 2, 3, 4, 5, 7, 8, 9, -1, -2, -3, -4, 0.5, -0.5, 1.5]
    v = T.TensorType(dtype, (False,))("v")
    outputs = [v ** np.asarray(e, dtype) for e in exponents]
    got = theano.function([v], outputs, mode=theano.Mode(engine))
    data = np.array([0.25, 0.9, 1.0, 1.1, 3.0, 1000.0], dtype)
    for e, value in zip(exponents, got(data)):
        want = data.astype("float64") ** e
        assert value.dtype == dtype
        np.testing.assert_allclose(value, want, rtol=4 * np.finfo(dtype).eps, err_msg=str(e))


def test_small_powers_are_products():
    assert ops([x], x**3) == ["Elemwise{sqr,no_inplace}", "Elemwise{mul,no_inplace}"]
    assert ops([x], x**8) == ["Elemwise{sqr,no_inplace}"] * 3
    assert ops([x], x**9) == ["Elemwise{pow,no_inplace}"]
    assert ops([x], x**-1) == ["Elemwise{inv,no_inplace}"]


@pytest.mark.parametrize("engine", ENGINES)
def test_powers_of_integers_wrap_as_they_do_unrewritten(engine):
    k = T.bvector("k")
    f = theano.function([k], [k**7, k**2, k**0, k**1], mode=theano.Mode(engine))
    data = np.array([-128, -3, 0, 1, 5, 127], "int8")
    for got, want in zip(f(data), [data**7, data**2, data**0, data]):
        assert got.dtype == "int8" and got.tolist() == want.tolist()


@pytest.mark.parametrize("engine", ENGINES)
def test_negative_powers_of_integers_are_refused(engine):
    k = T.lvector("k")
    with pytest.raises(ValueError, match="negative integer powers"):
        theano.function([k], k**-2, mode=theano.Mode(engine))(np.array([2]))


def test_no_node_is_added_for_a_minus_one_among_several_factors():
    assert ops([x, y], -1 * x * y) == ["Elemwise{mul,no_inplace}"]
    assert ops([x], -1 * x) == ["Elemwise{neg,no_inplace}"]


def test_a_quotient_by_its_absolute_value_is_a_sign():
    assert ops([x], x / abs(x)) == ["Elemwise{sgn,no_inplace}"]
    assert ops([x, y], abs(x * y)) == ["Elemwise{mul,no_inplace}", "Elemwise{abs_,no_inplace}"]


def test_absolute_values_of_integer_products_stay_outside():
    k, m = T.bvectors("k", "m")
    f = theano.function([k, m], abs(k * m), mode=PLAIN)
    a, b = np.array([-128, 16, -7], "int8"), np.array([3, 8, 21], "int8")
    assert f(a, b).tolist() == abs(a * b).tolist()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_product_of_constants_out_of_range_is_not_taken_first(engine):
    out = (x * 1e-200) * y * 1e-200 * 1e300
    f = theano.function([x, y], out, mode=theano.Mode(engine))
    np.testing.assert_allclose(f([1e200], [1.0]), [1e100], rtol=1e-15)


@pytest.mark.parametrize("engine", ENGINES)
def test_sums_and_products_in_one_form_give_what_they_say(engine):
    outputs = [
        (x - y) + (z - x) + y,
        (x / y) * (z / x) * y,
        2 * x / (3 * y) * 6,
        x - (y - (z - 1.0)) + 1,
        -(-x * -y) / -z,
    ]
    f = theano.function([x, y, z], outputs, mode=theano.Mode(engine))
    a, b, c = np.array([1.0, -2.0]), np.array([4.0, 0.5]), np.array([-3.0, 8.0])
    want = [c, c, 4 * a / b, a - b + c, a * b / c]
    for got, w in zip(f(a, b, c), want):
        np.testing.assert_allclose(got, w, rtol=1e-14)


def test_constants_of_other_dtypes_are_written_in_the_dtype_of_the_op():
    assert ops([x], [x + 1, x + np.float32(1)]) == ["Elemwise{add,no_inplace}"]
    k = T.ivector("k")
    g = theano.function([k], k / 2, mode=PLAIN)
    assert g(np.array([2**31 - 1], "int32")).tolist() == [(2**31 - 1) / 2]
