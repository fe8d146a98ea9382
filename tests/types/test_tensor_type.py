"""TensorType: equality, text, conversion of variables, comparison of values."""

import copy
import itertools
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.scalar import upcast
from theano.tensor import TensorType

PATTERNS = [p for n in range(4) for p in itertools.product((False, True), repeat=n)]
ALL = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 "
    "float16 float32 float64 complex64 complex128"
).split()


def test_types_are_equal_exactly_when_dtype_and_pattern_are():
    kinds = [(d, p) for d in ("float32", "float64", "int64") for p in PATTERNS]
    for a, b in itertools.product(kinds, repeat=2):
        x, y = TensorType(*a), TensorType(*b)
        assert (x == y) is (a == b) and (x != y) is (a != b)
        if a == b:
            assert hash(x) == hash(y)


def test_the_name_of_a_type_does_not_count():
    named = TensorType("float64", (), name="number")
    assert named == T.dscalar and hash(named) == hash(T.dscalar)
    assert str(named) == repr(named) == "number"


def test_a_subclass_is_another_type():
    class Own(TensorType):
        pass

    assert Own("float64", ()) != T.dscalar
    assert Own("float64", ()) == Own("float64", ())
    assert T.dscalar != "float64"
    assert T.dscalar != theano.scalar.float64


@pytest.mark.parametrize(
    "dtype, pattern, text",
    [
        ("float64", (), "TensorType(float64, scalar)"),
        ("bool", (), "TensorType(bool, scalar)"),
        ("int8", (False,), "TensorType(int8, vector)"),
        ("float64", (True,), "TensorType(float64, (True,))"),
        ("float64", (True, False), "TensorType(float64, row)"),
        ("float64", (False, True), "TensorType(float64, col)"),
        ("float64", (False, False), "TensorType(float64, matrix)"),
        ("float64", (True, True), "TensorType(float64, (True, True))"),
        ("complex64", (False,) * 3, "TensorType(complex64, 3D)"),
        ("float32", (False,) * 6, "TensorType(float32, 6D)"),
        ("float64", (False, True, False), "TensorType(float64, (False, True, False))"),
        ("int8", (True,) * 4, "TensorType(int8, (True, True, True, True))"),
    ],
)
def test_types_are_written_as_documented(dtype, pattern, text):
    kind = TensorType(dtype, pattern)
    assert str(kind) == repr(kind) == text
    assert str(kind()) == f"<{text}>"


def test_the_pattern_may_be_any_iterable_of_truths():
    assert TensorType("float64", [0, 1]).broadcastable == (False, True)
    assert TensorType("float64", (n == 1 for n in (1, 5))).broadcastable == (True, False)


@pytest.mark.parametrize("dtype", ["float65", "S1", "object", "datetime64[D]", None, 3])
def test_unknown_dtypes_are_refused(dtype):
    with pytest.raises(
        TypeError, match=r"Unsupported dtype for TensorType: .*; tensors are of bool,"
    ):
        TensorType(dtype, ())


def test_dtypes_may_be_given_as_numpy_does_or_as_floatx():
    assert TensorType(np.float32, ()).dtype == TensorType(np.dtype("f4"), ()).dtype == "float32"
    assert TensorType("floatX", ()).dtype == "float64"
    with theano.config.change_flags(floatX="float32"):
        assert TensorType("floatX", ()).dtype == "float32"


def test_clone_changes_what_is_given():
    kind = TensorType("float64", (False, True))
    assert kind.clone() == kind
    assert kind.clone(dtype="int8") == TensorType("int8", (False, True))
    assert kind.clone(broadcastable=()) == T.dscalar


@pytest.mark.parametrize("remake", [lambda t: pickle.loads(pickle.dumps(t)), copy.deepcopy])
def test_copies_of_a_type_are_equal_to_it(remake):
    kind = TensorType("int16", (True, False, False), name="own")
    made = remake(kind)
    assert made == kind and hash(made) == hash(kind) and made.name == "own"


def test_warn_float64_tells_of_float64_variables():
    x, count = T.fvector("x"), T.lvector("count")
    with theano.config.change_flags(warn_float64="raise"):
        for make in (lambda: T.dvector("x"), lambda: x + count):
            with pytest.raises(Exception, match="TensorVariable with float64 dtype"):
                make()
        # types, constants and shared variables are not what is looked for
        TensorType("float64", ())
        assert T.constant(1.5, dtype="float64").dtype == "float64"
        assert theano.shared(np.ones(2)).dtype == "float64"
        theano.function([x], T.grad(T.nnet.sigmoid(x + 1.0).sum(), x))
    with (
        theano.config.change_flags(warn_float64="warn"),
        pytest.warns(UserWarning, match="TensorVariable with float64 dtype") as caught,
    ):
        x + count
    assert caught[0].filename == __file__


def test_a_type_without_a_dtype_may_have_tensor_variables():
    class Own(theano.gof.Type):
        Variable = T.TensorVariable

        def filter(self, data, strict=False, allow_downcast=None):
            return data

    assert type(Own()("v")) is T.TensorVariable


def test_a_program_can_be_started_with_warn_float64():
    code = "import theano; theano.tensor.fvector() + 1"
    flags = {"THEANO_FLAGS": "warn_float64=raise,floatX=float32"}
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, env=os.environ | flags)


# variables


def test_a_variable_becomes_one_of_a_type_that_promises_less():
    for have, want in itertools.product(PATTERNS, repeat=2):
        v = TensorType("float64", have)("v")
        kind = TensorType("float64", want)
        may = len(have) == len(want) and all(h or not w for h, w in zip(have, want))
        if may:
            made = kind.filter_variable(v)
            assert made.type == kind
            assert (made is v) is (have == want)
        else:
            with pytest.raises(
                TypeError, match=r"Cannot convert Type .* \(of Variable v\) into Typ"
            ):
                kind.filter_variable(v)


def test_no_other_dtype_is_converted():
    with pytest.raises(
        TypeError, match=r"float32, matrix\) \(of Variable x\) into .*float64, matrix"
    ):
        T.dmatrix.filter_variable(T.fmatrix("x"))


def test_conversion_can_be_forbidden():
    with pytest.raises(TypeError, match="Cannot convert"):
        T.dmatrix.filter_variable(T.drow(), allow_convert=False)


def test_a_value_becomes_a_constant_of_the_type():
    made = T.dmatrix.filter_variable([[1, 2]])
    assert made.type == T.dmatrix and made.data.tolist() == [[1, 2]]
    with pytest.raises(TypeError, match="Wrong number of dimensions"):
        T.dmatrix.filter_variable([1, 2])


# values


def test_values_eq_is_exact_and_takes_nan_for_equal():
    a = np.array([1, np.nan])
    assert T.dvector.values_eq(a, a.copy())
    assert not T.dvector.values_eq(a, np.array([1 + 1e-15, np.nan]))
    assert not T.dvector.values_eq(np.ones(2), np.ones(2, "float32"))
    assert T.dvector.values_eq(np.ones(2), np.ones(2, "float32"), force_same_dtype=False)
    assert not T.dvector.values_eq(np.ones(1), np.ones(2))
    assert not T.dvector.values_eq(np.ones(1), np.ones((1, 1)))


# as Theano 1.0.5 answers
@pytest.mark.parametrize(
    "a, b, dtype, equal",
    [
        (1, 1 + 1e-6, "float64", True),
        (1, 1 + 1e-4, "float64", False),
        (1, 1 + 1e-5, "float32", True),
        (1, 1.01, "float32", False),
        (1, 1.001, "float16", True),
        (np.nan, np.nan, "float64", True),
        (np.nan, 1, "float64", False),
        (np.inf, np.inf, "float64", True),
        (np.inf, -np.inf, "float64", False),
        (np.inf, 1, "float64", False),
        (1, 2, "int64", False),
        (2, 2, "int64", True),
        (1j, 1j + 1e-7, "complex128", True),
    ],
)
def test_values_eq_approx(a, b, dtype, equal):
    assert T.dscalar.values_eq_approx(np.array(a, dtype), np.array(b, dtype)) is equal


def test_values_eq_approx_compares_shape_and_dtype_and_can_forgive():
    close = T.dvector.values_eq_approx
    assert not close(np.ones(2), np.ones(2, "float32"))
    assert not close(np.ones(1), np.ones(2))
    assert close(np.array([np.nan]), np.ones(1), allow_remove_nan=True)
    assert not close(np.array([np.inf]), np.ones(1), allow_remove_nan=True)
    assert close(np.array([np.inf]), np.ones(1), allow_remove_inf=True)
    assert close(np.ones(1), np.full(1, 1.1), rtol=0.2)
    assert close(np.zeros(1), np.full(1, 1e-3), atol=0.01)


def test_may_share_memory_looks_at_arrays():
    a = np.zeros(4)
    assert T.dvector.may_share_memory(a, a[1:])
    assert not T.dvector.may_share_memory(a, a.copy())
    assert not T.dvector.may_share_memory(a, 3)


def test_sizes_are_bytes():
    a = np.zeros((2, 3), "float32")
    assert T.fmatrix.get_size(T.fmatrix.get_shape_info(a)) == a.nbytes
    assert T.dscalar.get_size(()) == 8
    assert T.dmatrix.get_size((0, 3)) == 0
    assert T.fvector.value_zeros((2,)).dtype == np.float32


# dtypes


@pytest.mark.parametrize("a", ALL)
def test_two_dtypes_give_what_numpy_promotes_them_to(a):
    for b in ALL:
        assert upcast(a, b) == upcast(b, a) == np.promote_types(a, b).name


def test_several_dtypes_are_promoted_from_left_to_right():
    assert upcast("int8") == "int8"
    assert upcast("int8", "uint8", "float32") == "float32"
    assert upcast("bool", "int8", "complex64", "float64") == "complex128"


def test_numpy_floatx_keeps_float32_unless_float64_comes_in():
    with theano.config.change_flags(cast_policy="numpy+floatX", floatX="float32"):
        for a, b in itertools.product(ALL, repeat=2):
            made = np.promote_types(a, b).name
            if made == "float64" and "float64" not in (a, b):
                made = "float32"
            assert upcast(a, b) == made
    with theano.config.change_flags(cast_policy="numpy+floatX", floatX="float64"):
        assert upcast("int32", "float32") == "float64"
