"""Constants: the dtype that Python numbers get, equality, copies, text."""

import copy
import pickle

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.tensor.var import AsTensorError

SETTINGS = [(p, x) for p in ("custom", "numpy+floatX") for x in ("float64", "float32", "float16")]

# As recorded from Theano 1.0.5: one dtype for each of SETTINGS. NaN alone differs in the first: it
# is float64 there because it equals no cast of itself, but float32 holds it.
# fmt: off
DTYPES = [
    (1,              "int8    int8    int8    int64   int64   int64"),
    (127,            "int8    int8    int8    int64   int64   int64"),
    (128,            "int16   int16   int16   int64   int64   int64"),
    (-128,           "int8    int8    int8    int64   int64   int64"),
    (-129,           "int16   int16   int16   int64   int64   int64"),
    (32767,          "int16   int16   int16   int64   int64   int64"),
    (32768,          "int32   int32   int32   int64   int64   int64"),
    (2**31 - 1,      "int32   int32   int32   int64   int64   int64"),
    (2**31,          "int64   int64   int64   int64   int64   int64"),
    (-2**31,         "int32   int32   int32   int64   int64   int64"),
    (2**63 - 1,      "int64   int64   int64   int64   int64   int64"),
    (2**63,          "uint64  uint64  uint64  uint64  uint64  uint64"),
    (0.5,            "float32 float32 float16 float64 float32 float16"),
    (0.1,            "float64 float32 float16 float64 float32 float16"),
    (-0.0,           "float32 float32 float16 float64 float32 float16"),
    (1e-300,         "float64 float32 float16 float64 float32 float16"),
    (16777217.0,     "float64 float32 float16 float64 float32 float16"),
    (float("inf"),   "float32 float32 float16 float64 float32 float16"),
    (float("nan"),   "float32 float32 float16 float64 float32 float16"),
    ([],             "float64 float32 float16 float64 float32 float16"),
]
# fmt: on


@pytest.mark.parametrize("value, dtypes", DTYPES, ids=lambda v: repr(v)[:24])
def test_python_numbers_take_the_documented_dtype(value, dtypes):
    for (policy, floatx), dtype in zip(SETTINGS, dtypes.split(), strict=True):
        with (
            theano.config.change_flags(cast_policy=policy, floatX=floatx),
            np.errstate(over="ignore"),
        ):
            makers = [T.constant, T.as_tensor_variable, theano.scalar.as_scalar]
            for make in makers[: 2 if isinstance(value, list) else 3]:
                assert make(value).dtype == dtype, (policy, floatx, make)


@pytest.mark.parametrize(
    "value",
    [np.int8(1), np.uint16(1), np.float16(1), np.float32(0.1), np.float64(0.5), np.bool_(True)]
    + [np.array(1), np.array(0.5), np.array([True]), [1, 2], [0.5], [True], 1j, (1, 2.5)],
    ids=repr,
)
def test_what_has_a_dtype_in_numpy_keeps_it(value):
    for policy, floatx in SETTINGS:
        with theano.config.change_flags(cast_policy=policy, floatX=floatx):
            assert T.constant(value).dtype == np.asarray(value).dtype.name


# the same question asked of expressions: custom with float64 and float32, then numpy+floatX
@pytest.mark.parametrize(
    "make, dtypes",
    [
        (lambda x, i, f: x * 0.1, "float64 float32 float64 float32"),
        (lambda x, i, f: i + 1, "int32 int32 int64 int64"),
        (lambda x, i, f: i * 0.5, "float64 float64 float64 float32"),
        (lambda x, i, f: i / 2, "float64 float32 float64 float32"),
        (lambda x, i, f: i // 2, "int32 int32 int64 int64"),
        (lambda x, i, f: f * 0.1, "float64 float32 float64 float32"),
        (lambda x, i, f: f * i, "float64 float64 float64 float32"),
        (lambda x, i, f: x + np.float64(1), "float64 float64 float64 float64"),
        (lambda x, i, f: f + np.float32(0.1), "float32 float32 float32 float32"),
        (lambda x, i, f: f + np.array(0.1), "float64 float64 float64 float64"),
        (lambda x, i, f: f * 1j, "complex128 complex128 complex128 complex128"),
    ],
)
def test_numbers_in_expressions_cast_as_in_theano(make, dtypes):
    settings = [s for s in SETTINGS if s[1] != "float16"]
    for (policy, floatx), dtype in zip(settings, dtypes.split(), strict=True):
        with theano.config.change_flags(cast_policy=policy, floatX=floatx):
            assert make(T.scalar(), T.iscalar(), T.fscalar()).dtype == dtype, (policy, floatx)


def test_autocast_float_as_decides_within_a_block():
    f = T.fvector()
    assert (f + 1.1).dtype == "float64"
    with T.autocast_float_as("float32"):
        assert (f + 1.1).dtype == "float32"
        with T.autocast_float_as("float64"):
            assert (f + 1.1).dtype == "float64"
        assert (f + 1.1).dtype == "float32"
    with pytest.raises(KeyError), T.autocast_float_as("float16"):
        assert T.constant(0.5).dtype == "float16"
        raise KeyError
    assert (f + 1.1).dtype == "float64"


# making


def test_a_constant_is_a_copy():
    a = np.zeros(3)
    c, d = T.constant(a), T.as_tensor_variable(a)
    a[...] = 7
    assert not c.data.any() and not d.data.any()


def test_an_array_that_another_object_lends_is_copied_too():
    class Holder:
        data = np.zeros(2)

        def __array__(self, dtype=None, copy=None):
            return self.data.copy() if copy else self.data

    c = T.constant(Holder())
    Holder.data[...] = 7
    assert c.data.tolist() == [0, 0]


def test_dimensions_of_length_one_are_broadcastable():
    assert T.constant(np.ones((1, 2, 1))).broadcastable == (True, False, True)
    assert T.constant(np.ones((0, 1))).broadcastable == (False, True)


def test_ndim_pads_on_the_left():
    c = T.constant([1.0, 2.0], ndim=3)
    assert c.data.shape == (1, 1, 2) and c.broadcastable == (True, True, False)
    with pytest.raises(ValueError, match="ndim=1 got 2 dimensions"):
        T.constant([[1.0]], ndim=1)


def test_ndim_of_a_variable_pads_and_drops_broadcastable_dimensions():
    assert T.as_tensor_variable(T.dvector(), ndim=3).broadcastable == (True, True, False)
    assert T.as_tensor_variable(T.drow(), ndim=1).type == T.dvector
    with pytest.raises(ValueError, match="could not be cast to have 1 dimensions"):
        T.as_tensor_variable(T.dmatrix(), ndim=1)


def test_the_dtype_of_a_constant_can_be_told():
    assert T.constant([1, 2], dtype="float32").data.dtype == np.float32
    with theano.config.change_flags(floatX="float32"):
        assert T.constant(3, dtype="floatX").dtype == "float32"
    with pytest.raises(TypeError, match="Unsupported dtype"):
        T.constant(3, dtype="S1")


@pytest.mark.parametrize(
    "value, text",
    [
        ("abc", "Could not convert 'abc' of type str"),
        (None, "Could not convert None of type NoneType"),
        (object, "of type type to TensorType"),
        ([[1], [1, 2]], r"cannot make a constant of \[\[1\], \[1, 2\]\]"),
        (2**70, "of type int to TensorType"),
        (True, r"got True: == on variables compares identity, use theano.tensor.eq"),
        (np.datetime64("2020-01-01"), "to TensorType"),
        (theano.generic("g"), "got g of type Generic"),
    ],
)
def test_what_is_no_tensor_is_refused(value, text):
    with pytest.raises(AsTensorError, match=text):
        T.as_tensor_variable(value)
    assert issubclass(AsTensorError, TypeError)


def test_long_double_is_no_dtype_of_tensors():
    with pytest.raises(TypeError, match="Unsupported dtype"):
        T.constant(np.ones(2, np.longdouble))


def test_an_equality_of_variables_used_as_a_condition_is_caught():
    x, y = T.dscalars("x", "y")
    with (
        pytest.warns(UserWarning, match=r"theano\.tensor\.eq"),
        pytest.raises(TypeError, match=r"theano\.tensor\.eq"),
    ):
        T.switch(x == y, x, y)


def test_a_variable_is_no_constant():
    with pytest.raises(TypeError, match="got the symbolic variable x"):
        T.constant(T.dscalar("x"))


def test_a_node_stands_for_its_only_output():
    x = T.dscalar()
    node = (x + 1).owner
    assert T.as_tensor_variable(node) is node.outputs[0]


def test_a_tensor_variable_stays_itself():
    for v in (T.dscalar(), T.constant(1), theano.shared(1.0)):
        assert T.as_tensor_variable(v) is v


def test_an_object_may_say_how_it_becomes_a_tensor():
    class Own:
        def _as_TensorVariable(self):
            return T.constant(5)

    assert (T.lscalar() + Own()).owner.inputs[1].data == 5


# equality


def same(a, b):
    assert a.equals(b) == (a.signature() == b.signature()) == b.equals(a)
    if a.signature() == b.signature():
        assert hash(a.signature()) == hash(b.signature())
    return a.equals(b)


@pytest.mark.parametrize(
    "value", [0, 0.1, float("nan"), True, 1j, [], [1.0, float("nan")], np.arange(10**4), [[1], [2]]]
)
def test_constants_of_equal_values_are_equal(value):
    assert same(T.constant(value), T.constant(copy.deepcopy(value)))


@pytest.mark.parametrize(
    "a, b",
    [
        (1, 2),
        (1, 1.0),
        (np.int8(1), np.int16(1)),
        (0.0, -0.0),  # 1 / x tells them apart
        ([0.0, 1.0], [-0.0, 1.0]),
        ([1.0], [[1.0]]),
        (np.zeros((2, 3)), np.zeros((3, 2))),
        (np.zeros((0, 3)), np.zeros((0, 2))),
        (np.arange(10**4), np.arange(10**4)[::-1]),
        (np.eye(100), np.eye(100) + 1e-16 * (np.arange(100) == 99)),
        (float("nan"), 0.0),
    ],
)
def test_constants_that_differ_are_not_equal(a, b):
    assert not same(T.constant(a), T.constant(b))


def test_strides_do_not_count_in_equality():
    a = np.arange(6.0).reshape(2, 3)
    assert same(T.constant(a), T.constant(np.asfortranarray(a)))


def test_a_constant_equals_nothing_but_constants():
    assert not T.constant(1).equals(1)
    assert not T.constant(1).equals(T.lscalar())


def test_merging_keeps_the_zeros_apart():
    x = T.dscalar()
    f = theano.function([x], [x / T.constant(0.0), x / T.constant(-0.0)])
    assert f(1) == [np.inf, -np.inf]


def test_equal_constants_are_merged():
    x = T.dvector()
    f = theano.function([x], [x + np.array([1.0, np.nan]), x * np.array([1.0, np.nan])])
    constants = {v for n in f.maker.fgraph.toposort() for v in n.inputs if hasattr(v, "data")}
    assert len(constants) == 1


# text and copies


@pytest.mark.parametrize(
    "value, text",
    [
        (1, "TensorConstant{1}"),
        (1.5, "TensorConstant{1.5}"),
        ([1.0, 2.0], "TensorConstant{[1. 2.]}"),
        (np.ones((2, 2)), "TensorConstant{(2, 2) of 1.0}"),
        ([2.0], "TensorConstant{(1,) of 2.0}"),
        (np.arange(100), "TensorConstant{[ 0  1  2 .. 97 98 99]}"),
        (1j, "TensorConstant{1j}"),
        ([], "TensorConstant{[]}"),
        (float("nan"), "TensorConstant{nan}"),
        ([float("nan")] * 2, "TensorConstant{[nan nan]}"),
    ],
)
def test_constants_are_written_as_documented(value, text):
    assert str(T.constant(value)) == text
    assert str(T.constant(value, name="c")) == "c"


def test_unique_value_is_the_one_value_of_all_elements():
    assert T.constant(np.full((3, 4), 7)).unique_value() == 7
    assert T.constant([1, 2]).unique_value() is None
    assert T.constant(7).unique_value() is None
    assert T.constant([]).unique_value() is None


def test_copies_of_a_constant_are_equal_to_it():
    c = T.constant(np.arange(5.0), name="c")
    for made in (c.clone(), copy.copy(c), pickle.loads(pickle.dumps(c))):
        assert type(made) is type(c) and made is not c
        assert made.name == "c" and made.type == c.type and same(made, c)


def test_the_value_of_a_constant_cannot_be_set_through_value():
    c = T.constant(1)
    assert c.value == 1
    with pytest.raises(AttributeError):
        c.value = 2
