"""TensorType.filter: which values are taken as they are, which are cast, which are refused."""

import re
from fractions import Fraction

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.tensor import TensorType

DTYPES = "bool int8 int32 int64 uint8 float32 float64 complex64".split()

# One letter for each of DTYPES, as recorded from Theano 1.0.5 (where it refuses with several kinds
# of error there is TypeError here):
#   s taken, even with strict=True      t taken without loss, unless strict
#   c taken only if allow_downcast      - never taken
# fmt: off
TABLE = [
    # value                       bool  int: 8 32 64 u8   float: 32 64 c64
    (3,                           "c    t t t t    t t t"),
    (300,                         "c    c t t c    t t t"),
    (2**40,                       "c    c c t c    t t t"),
    (-3,                          "c    t t t c    t t t"),
    (True,                        "t    t t t t    t t t"),
    (1.5,                         "c    c c c c    t t t"),
    (0.1,                         "c    c c c c    c t c"),
    (1e300,                       "c    - - - -    c t c"),
    (float("nan"),                "c    - - - -    t t t"),
    (float("inf"),                "c    - - - -    t t t"),
    (1 + 2j,                      "c    - - - -    - - t"),
    (2**70,                       "c    - - - -    t t t"),
    (np.int8(3),                  "c    t t t t    t t t"),
    (np.int64(3),                 "c    t t t t    t t t"),
    (np.float32(1.5),             "c    c c c c    t t t"),
    (np.float64(1.5),             "c    c c c c    t t t"),
    (np.float64(0.1),             "c    c c c c    c t c"),
    (np.bool_(True),              "t    t t t t    t t t"),
    (np.array(3, "int8"),         "c    s t t c    t t t"),
    (np.array(3, "int64"),        "c    c c s c    c t c"),
    (np.array(3, "uint8"),        "c    c t t s    t t t"),
    (np.array(1.5, "float32"),    "c    c c c c    s t t"),
    (np.array(1.5, "float64"),    "c    c c c c    c s c"),
    (np.array(True),              "s    t t t t    t t t"),
    ([1, 2],                      "c    t t t t    t t t"),
    ([0.1, 0.2],                  "c    c c c c    c t c"),
    ([float("nan")],              "c    - - - -    t t t"),
    ([],                          "t    t t t t    t t t"),
    ([[1], [1, 2]],               "-    - - - -    - - -"),
    # refused here in every way; 1.0.5 takes some of them with allow_downcast (None as NaN)
    ("abc",                       "-    - - - -    - - -"),
    ("3",                         "-    - - - -    - - -"),
    (["a"],                       "-    - - - -    - - -"),
    (None,                        "-    - - - -    - - -"),
    ([1.0, None],                 "-    - - - -    - - -"),
    (object(),                    "-    - - - -    - - -"),
]
# fmt: on
WAYS = {
    "strict": {"strict": True},
    "downcast": {"allow_downcast": True},
    "exact": {"allow_downcast": False},
    "default": {},
}
TAKEN = {"s": set(WAYS), "t": set(WAYS) - {"strict"}, "c": {"downcast"}, "-": set()}


def is_taken(kind, value, how):
    try:
        with np.errstate(over="ignore"):
            made = kind.filter(value, **how)
    except TypeError:
        return False
    assert type(made) is np.ndarray and made.dtype == kind.dtype and made.ndim == kind.ndim
    if not how.get("allow_downcast"):
        np.testing.assert_array_equal(made, np.asarray(value, dtype=kind.dtype))
    return True


@pytest.mark.parametrize(
    "value, letters", TABLE, ids=lambda v: re.sub(" at 0x.*", "", repr(v)[:30])
)
def test_values_are_taken_where_nothing_is_lost_or_loss_is_allowed(value, letters):
    ndim = 1 if isinstance(value, list) else 0
    for dtype, letter in zip(DTYPES, letters.split(), strict=True):
        kind = TensorType(dtype, (False,) * ndim)
        taken = {way for way, how in WAYS.items() if is_taken(kind, value, how)}
        assert taken == TAKEN[letter], dtype


def test_with_floatx_float32_a_python_float_is_of_float32():
    with theano.config.change_flags(floatX="float32"):
        made = T.fscalar.filter(0.1)
        assert made.dtype == np.float32 and made == np.float32(0.1)
        for value in (np.float64(0.1), np.array(0.1), [0.1]):
            with pytest.raises(TypeError, match="TensorType"):
                TensorType("float32", (False,) * np.ndim(value)).filter(value)
        with pytest.raises(TypeError):
            T.fscalar.filter(0.1, allow_downcast=False)


def test_with_numpy_floatx_casting_int32_arrays_fit_float32():
    ints = np.array([1, 2], "int32")
    with pytest.raises(TypeError, match="without risking loss of precision"):
        T.fvector.filter(ints)
    with theano.config.change_flags(floatX="float32", cast_policy="numpy+floatX"):
        assert T.fvector.filter(ints).dtype == np.float32


@pytest.mark.parametrize(
    "value, made", [(300, 44), (2**40 + 1, 1), (-1, 255), ([-1, 257], [255, 1])]
)
def test_downcast_ints_wrap(value, made):
    kind = TensorType("uint8", (False,) * np.ndim(value))
    assert kind.filter(value, allow_downcast=True).tolist() == made


def test_a_float_that_becomes_infinite_warns():
    with pytest.warns(RuntimeWarning, match="overflow"):
        assert T.fscalar.filter(1e300, allow_downcast=True) == np.inf


def test_downcast_floats_are_cut_toward_zero():
    assert T.bvector.filter([1.9, -1.9], allow_downcast=True).tolist() == [1, -1]


def test_an_array_of_the_type_is_taken_itself():
    a = np.zeros((2, 3))
    assert T.dmatrix.filter(a) is a
    assert T.dmatrix.filter(a, strict=True) is a
    assert T.dmatrix.filter(a.T).strides == a.T.strides


def test_a_memmap_is_not_copied(tmp_path):
    m = np.memmap(tmp_path / "values", dtype="float64", shape=(3,), mode="w+")
    assert T.dvector.filter(m, strict=True) is m
    made = T.dvector.filter(m)
    m[1] = 5
    assert type(made) is np.ndarray and made[1] == 5


def test_numpys_matrix_becomes_an_array():
    m = np.ones((1, 2)).view(np.matrix)
    assert type(T.dmatrix.filter(m)) is np.ndarray


def test_masked_arrays_are_refused():
    m = np.ma.array([1.0, 2.0], mask=[0, 1])
    with pytest.raises(TypeError, match=r"takes arrays without a mask.*filled\(\)"):
        T.dvector.filter(m)


def test_arrays_of_the_other_byte_order_are_swapped():
    made = T.dvector.filter(np.array([1.0, 2.0], ">f8" if np.little_endian else "<f8"))
    assert made.dtype.isnative and made.tolist() == [1, 2]


def unaligned():
    a = np.frombuffer(b"\0" * 17, dtype=np.uint8)[1:].view(np.float64)
    assert not a.flags.aligned
    return a


def test_unaligned_arrays_are_copied():
    made = T.dvector.filter(unaligned())
    assert made.flags.aligned and made.tolist() == [0, 0]


def test_unaligned_arrays_are_refused_if_strict():
    with pytest.raises(TypeError, match="takes aligned arrays"):
        T.dvector.filter(unaligned(), strict=True)


def test_fractions_are_numbers():
    assert T.dscalar.filter(Fraction(1, 4)) == 0.25
    with pytest.raises(TypeError, match="cannot hold"):
        T.lscalar.filter(Fraction(1, 4))


def test_other_sequences_of_numbers_are_taken():
    assert T.dvector.filter(range(3)).tolist() == [0, 1, 2]
    assert T.dmatrix.filter(((1, 2), [3, 4])).tolist() == [[1, 2], [3, 4]]
    assert T.dvector.filter([np.array(1.0), 2]).tolist() == [1, 2]


@pytest.mark.parametrize("value", [{1, 2}, (x for x in (1, 2)), {"a": 1}])
def test_containers_without_order_are_refused(value):
    with pytest.raises(TypeError, match="takes arrays, numbers and nested lists of numbers"):
        T.dvector.filter(value, allow_downcast=True)


@pytest.mark.parametrize(
    "kind, value, text",
    [
        (T.dvector, 3.0, r"Wrong number of dimensions: expected 1, got 0 with shape \(\)\."),
        (T.dscalar, [[1]], r"Wrong number of dimensions: expected 0, got 2 with shape \(1, 1\)\."),
        (
            T.drow,
            [[1], [2]],
            r"Non-unit value.*row\) has length 1 in dimension 0, got shape \(2, 1",
        ),
        (T.dcol, np.ones((1, 2)), r"Non-unit value.*col\) has length 1 in dimension 1, got shape"),
        (T.dcol, np.ones((1, 0)), r"Non-unit value.*got shape \(1, 0\)"),
        (
            T.fvector,
            np.ones(2),
            r"float32, vector\) cannot store a value of dtype float64 without ",
        ),
        (T.lscalar, 1.5, r"int64, scalar\) cannot hold 1\.5 exactly: .*allow_input_downcast=True"),
        (T.dscalar, 1j, r"takes real numbers, got complex ones: 1j"),
        (T.dscalar, "abc", r"nested lists of numbers, got str: 'abc'"),
        (T.dvector, [T.dscalar("a")], r"nested lists of numbers, got list: \[a\]"),
        (T.dscalar, T.dscalar("a"), r"got the symbolic variable a; compile a function of it"),
        (T.dscalar, 10**400, r"cannot make an array of 1000.*: int too large"),
        (T.dvector, np.array([1], "longdouble"), r"cannot store a value of dtype .*float"),
        (T.lvector, np.array(["2020-01-01"], "M8[D]"), r"datetime64"),
    ],
)
def test_a_refusal_says_what_was_wanted_and_what_came(kind, value, text):
    with pytest.raises(TypeError, match=text):
        kind.filter(value)


def test_strict_says_what_it_takes():
    with pytest.raises(TypeError, match=r"strict=True takes a numpy.ndarray, got float"):
        T.dscalar.filter(1.0, strict=True)
    with pytest.raises(TypeError, match=r"strict=True takes arrays of float64, got float32"):
        T.dscalar.filter(np.array(1, "float32"), strict=True)


def test_complex_arrays_lose_their_imaginary_part_only_with_numpys_warning():
    with pytest.raises(TypeError):
        T.dvector.filter(np.array([1j]))
    with pytest.warns(np.exceptions.ComplexWarning):
        assert T.dvector.filter(np.array([1 + 2j]), allow_downcast=True).tolist() == [1]


def test_a_type_may_ask_for_finite_values():
    kind = TensorType("float64", (False,))
    kind.filter_checks_isfinite = True
    kind.filter([1, 2])
    with pytest.raises(ValueError, match="non-finite"):
        kind.filter([1, np.inf])


def test_is_valid_value_is_what_strict_takes():
    assert T.dvector.is_valid_value(np.ones(2))
    assert not T.dvector.is_valid_value([1.0, 2.0])
    assert not T.dvector.is_valid_value(np.ones(2, "float32"))
    assert T.dvector.value_validity_msg(np.ones(2)) == "value is valid"
    assert "got list" in T.dvector.value_validity_msg([1.0])


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16"])
def test_python_ints_are_kept_at_the_ends_of_a_dtype_and_refused_beyond(dtype):
    kind, ends = theano.tensor.TensorType(dtype, ()), np.iinfo(dtype)
    for value in (ends.min, ends.max, 0):
        found = kind.filter(int(value))
        assert (found.dtype, found.shape, int(found)) == (dtype, (), value)
    for value in (int(ends.min) - 1, int(ends.max) + 1):
        with pytest.raises(TypeError):
            kind.filter(value)


@pytest.mark.parametrize("dtype, most", [("float16", 2**11), ("float32", 2**24)])
def test_python_ints_are_kept_by_floats_that_hold_them(dtype, most):
    kind = theano.tensor.TensorType(dtype, ())
    for value in (most, -most, most + 2):
        assert int(kind.filter(value)) == value
    with pytest.raises(TypeError, match="exactly"):
        kind.filter(most + 1)


def test_a_number_of_numpys_becomes_an_array_of_its_own():
    found = theano.tensor.iscalar().type.filter(np.int32(3))
    assert (type(found), found.dtype, found.shape) == (np.ndarray, np.int32, ())
    with pytest.raises(TypeError):
        theano.tensor.ivector().type.filter(np.int32(3))


def test_a_list_with_an_int_of_more_than_64_bits_is_refused():
    with pytest.raises(TypeError, match="exactly"):
        theano.tensor.lvector().type.filter([1, -(2**63) - 1])
