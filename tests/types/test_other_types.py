"""Types that are not tensors: Scalar, Generic, CDataType."""

import copy
import pickle

import numpy as np
import pytest

import theano
import theano.scalar as scalar
from theano.gof.type import CDataType, Generic, generic

ALL = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 "
    "float16 float32 float64 complex64 complex128"
).split()


@pytest.mark.parametrize("dtype", ALL)
def test_a_scalar_type_is_known_by_its_dtype(dtype):
    kind = scalar.Scalar(dtype)
    assert kind == scalar.get_scalar_type(dtype) and hash(kind) == hash(scalar.Scalar(dtype))
    assert str(kind) == dtype and repr(kind) == f"Scalar({dtype})"
    assert kind.ndim == 0 and kind("x").dtype == dtype
    assert pickle.loads(pickle.dumps(kind)) == kind
    assert sum(kind == scalar.Scalar(other) for other in ALL) == 1


@pytest.mark.parametrize("value", [1, True, np.int8(1), np.float32(1), np.array(1.0), 1.0])
def test_a_scalar_value_is_a_numpy_scalar(value):
    made = scalar.float32.filter(value)
    assert type(made) is np.float32 and made == 1


@pytest.mark.parametrize(
    "kind, value, text",
    [
        (scalar.float32, 0.1, "float32 cannot hold 0.1 exactly"),
        (scalar.int8, 300, "int8 cannot hold 300 exactly"),
        (scalar.int8, 1.5, "int8 cannot hold 1.5 exactly"),
        (scalar.int8, float("nan"), "int8 cannot hold nan"),
        (scalar.int64, float("inf"), "int64 cannot hold inf"),
        (scalar.float64, 1j, "float64 takes real numbers, got 1j"),
        (scalar.float64, [1, 2], "float64 takes one number, got"),
        (scalar.float64, "abc", "float64 takes one number, got 'abc'"),
        (scalar.float64, None, "float64 takes one number, got None"),
    ],
)
def test_scalars_that_do_not_fit_are_refused(kind, value, text):
    with pytest.raises(TypeError, match=text):
        kind.filter(value)


def test_scalars_are_cut_if_allowed():
    assert scalar.int8.filter(1.5, allow_downcast=True) == 1
    assert scalar.int8.filter(300, allow_downcast=True) == 44
    assert scalar.float32.filter(0.1, allow_downcast=True) == np.float32(0.1)


def test_strict_scalars_are_of_the_very_type():
    one = np.int8(1)
    assert scalar.int8.filter(one, strict=True) is one
    for value in (1, np.int16(1), np.array(1, "int8")):
        with pytest.raises(TypeError, match="int8 takes a"):
            scalar.int8.filter(value, strict=True)


def test_nan_is_a_float():
    assert np.isnan(scalar.float32.filter(float("nan")))


def test_as_scalar_keeps_variables_and_wraps_numbers():
    x = scalar.float64("x")
    assert scalar.as_scalar(x) is x
    c = scalar.as_scalar(3, name="three")
    assert c.type == scalar.int8 and c.data == 3 and c.name == "three"
    with pytest.raises(TypeError, match="as_scalar takes"):
        scalar.as_scalar(theano.tensor.dvector())


def test_scalar_types_upcast():
    assert scalar.int8.upcast(scalar.float32) == "float32"
    assert scalar.int32.upcast(scalar.float32, scalar.complex64) == "complex128"


def test_scalar_constants_are_equal_by_value():
    assert scalar.as_scalar(3).equals(scalar.as_scalar(3))
    assert not scalar.as_scalar(3).equals(scalar.as_scalar(3.0))
    assert scalar.as_scalar(float("nan")).equals(scalar.as_scalar(float("nan")))
    assert not scalar.as_scalar(0.0).equals(scalar.as_scalar(-0.0))


# Generic


def test_generic_takes_any_object_as_it_is():
    for value in (None, "text", [1], object, {"a": 1}):
        assert generic.filter(value) is value
        assert generic.filter(value, strict=True, allow_downcast=True) is value
        assert generic.is_valid_value(value)


def test_there_is_one_generic_type():
    assert Generic() is generic is theano.generic
    assert str(generic) == repr(generic) == "Generic"
    assert pickle.loads(pickle.dumps(generic)) is generic
    assert copy.deepcopy(generic) is generic


def test_a_generic_value_goes_through_a_function():
    class Join(theano.Op):
        __props__ = ()

        def make_node(self, x, y):
            return theano.Apply(self, [x, y], [theano.generic()])

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = inputs[0] + inputs[1]

    x, y = theano.generic("x"), theano.generic("y")
    for linker in ("py", "numpy"):
        f = theano.function([x, y], Join()(x, y), mode=theano.Mode(linker))
        assert f("ab", "cd") == "abcd"
        assert f([1], [2]) == [1, 2]


# CDataType


def test_a_c_type_is_known_by_its_name_and_how_it_is_freed():
    a = CDataType("void*")
    assert a == CDataType("void*") and hash(a) == hash(CDataType("void*"))
    assert a != CDataType("int*") and a != CDataType("void*", "free")
    assert str(a) == "CDataType{void*}"
    with pytest.raises(TypeError, match="takes the C type of a pointer, got 'int'"):
        CDataType("int")


def test_a_c_pointer_is_a_capsule_or_nothing():
    a = CDataType("void*")
    assert a.filter(None) is None
    with pytest.raises(TypeError, match="takes None or a PyCapsule, got int"):
        a.filter(3)
