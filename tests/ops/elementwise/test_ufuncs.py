"""NumPy's functions of elements beyond Theano's: values, special numbers, logic, choices."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.ops.elements import COMPLEX, FLOATS, by_python
from tests.ops.exact import by_mpmath, to_float
from theano.testing import OpSpec, Raises, spec_tests

inf, nan = math.inf, math.nan
FEW = ("int8", "int32", "float16", "float32", "float64")
NARROW = ("int8", "uint16", "float32", "float64")
Z = np.ones(2, "complex128")
FLAT = "none: piecewise constant"


def signed_fmod(x, y):
    return (
        0
        if y == 0
        else int(math.copysign(abs(x) % abs(y), x))
        if isinstance(x, int)
        else (math.fmod(x, y))
    )


def shifted(x, y):
    return x << y if 0 <= y < 64 else 0


def log2add(x, y):
    return mp.log(mp.power(2, x) + mp.power(2, y)) / mp.log(2)


# fmt: off
SPECS = [
    OpSpec(T.hypot, by_mpmath(mp.hypot), nin=2, dtypes=FEW, out_dtype=to_float,
           special={(3, 4): 5, (0.0, 0.0): 0, (1e300, 1e300): math.hypot(1e300, 1e300),
                    (inf, nan): inf, (nan, 1): nan, (-inf, 1): inf},
           errors=[Raises((Z, Z), TypeError, "hypot takes real numbers")]),
    OpSpec(T.logaddexp, by_mpmath(lambda x, y: mp.log(mp.exp(x) + mp.exp(y))), nin=2, dtypes=FEW,
           out_dtype=to_float,
           special={(1000, 1000): 1000 + math.log(2), (-inf, -inf): -inf, (inf, inf): inf,
                    (inf, -inf): inf, (-inf, 3): 3, (nan, 1): nan}),
    OpSpec(T.logaddexp2, by_mpmath(log2add), nin=2, dtypes=FEW, out_dtype=to_float, domain=(1, 9),
           special={(5000, 5000): 5001, (-inf, -inf): -inf, (inf, inf): inf, (-inf, 3): 3}),
    OpSpec(T.fmod, by_python(signed_fmod), nin=2, dtypes=("int8", "int32"), domain=(-9, 9),
           name="fmod of integers", grad="none: integers"),
    OpSpec(T.fmod, by_python(signed_fmod), nin=2, dtypes=("float32", "float64"),
           domain=[(-9, 9), (1.3, 3)],
           special={(5, 0.0): nan, (-7, 3): -1, (7, -3): 1, (5, inf): 5, (inf, 2): nan}),
    OpSpec(T.copysign, by_python(math.copysign), nin=2, dtypes=("float32", "float64"),
           special={(3, -0.0): -3, (-3, 0.0): 3, (nan, 1): nan, (inf, -2): -inf}),
    OpSpec(T.nextafter, by_python(math.nextafter), nin=2, dtypes=("float64",),
           grad="none: its steps are smaller than any difference",
           special={(0.0, 1): 5e-324, (1, 1): 1, (1, inf): math.nextafter(1, 2), (nan, 1): nan}),
    OpSpec(T.cbrt, by_mpmath(lambda x: mp.sign(x) * mp.cbrt(abs(x))), dtypes=FEW,
           out_dtype=to_float, domain=(0.5, 9),
           special=[(-27, -3), (0.0, 0.0), (-0.0, -0.0), (inf, inf), (nan, nan)]),
    OpSpec(T.sinc, by_mpmath(mp.sincpi), dtypes=("float32", "float64"),
           out_dtype=to_float, domain=(0.1, 0.9),
           special={0: 1, nan: nan}),
    OpSpec(T.isfinite, by_python(math.isfinite, "bool"), dtypes=NARROW, out_dtype="bool",
           special={inf: False, -inf: False, nan: False, 1: True}, grad=FLAT),
    OpSpec(T.isposinf, by_python(lambda x: x == inf, "bool"), dtypes=NARROW, out_dtype="bool",
           special={inf: True, -inf: False, nan: False}, grad=FLAT),
    OpSpec(T.isneginf, by_python(lambda x: x == -inf, "bool"), dtypes=NARROW, out_dtype="bool",
           special={inf: False, -inf: True, nan: False}, grad=FLAT),
    OpSpec(T.signbit, by_python(lambda x: math.copysign(1, x) < 0, "bool"), dtypes=NARROW,
           out_dtype="bool", special=[(0.0, False), (-0.0, True), (-inf, True)], grad=FLAT),
    OpSpec(T.isreal, by_python(lambda x: x.imag == 0, "bool"), dtypes=("int8", *COMPLEX),
           out_dtype="bool", grad=FLAT),
    OpSpec(T.iscomplex, by_python(lambda x: x.imag != 0, "bool"), dtypes=("float32", *COMPLEX),
           out_dtype="bool", grad=FLAT),
    *(
        OpSpec(fn, by_python(ref, "bool"), nin=nin, dtypes=("bool", "int8", "float64"),
               domain=(-1, 1), out_dtype="bool", grad=FLAT)
        for fn, ref, nin in [
            (T.logical_and, lambda x, y: bool(x) and bool(y), 2),
            (T.logical_or, lambda x, y: bool(x) or bool(y), 2),
            (T.logical_xor, lambda x, y: bool(x) != bool(y), 2),
            (T.logical_not, lambda x: not x, 1),
        ]
    ),
    OpSpec(T.left_shift, by_python(shifted), nin=2, dtypes=("int32", "int64"), domain=(0, 9),
           grad="none: integers"),
    OpSpec(T.right_shift, by_python(lambda x, y: x >> y), nin=2, dtypes=("int8", "int64"),
           domain=[(-99, 99), (0, 6)], grad="none: integers"),
    OpSpec(T.fmax, by_python(max), nin=2, dtypes=NARROW,
           special={(nan, 1): 1, (1, nan): 1, (nan, nan): nan, (inf, 1): inf}),
    OpSpec(T.fmin, by_python(min), nin=2, dtypes=NARROW,
           special={(nan, 1): 1, (1, nan): 1, (nan, nan): nan, (-inf, 1): -inf}),
    OpSpec(T.heaviside, by_python(lambda x, y: 0 if x < 0 else 1 if x > 0 else y), nin=2,
           dtypes=("float32", "float64"), grad=FLAT,
           special={(0.0, 0.5): 0.5, (-0.0, 7): 7, (nan, 1): nan, (inf, 3): 1, (-inf, 3): 0}),
    OpSpec(T.float_power, by_python(lambda x, y: float(x) ** y, "float64"), nin=2,
           dtypes=("int8", "float64"), domain=[(1, 4), (-2, 2)], out_dtype="float64"),
    OpSpec(T.reciprocal, by_mpmath(lambda x: 1 / x), dtypes=FLOATS, out_dtype=to_float,
           domain=(0.5, 3), special={inf: 0, nan: nan}),
    OpSpec(T.nan_to_num, by_python(lambda x: x), dtypes=("int8", "float64"),
           special={nan: 0, inf: np.finfo("float64").max, -inf: np.finfo("float64").min, 2: 2},
           errors=[Raises(Z, TypeError, "nan_to_num takes real numbers")]),
]
# fmt: on

# what NumPy gives where Python has no word for it
SHIFTS = [
    (T.left_shift, np.left_shift, "int8", [1, 1, -1, 3], [7, 8, 3, 100]),
    (T.left_shift, np.left_shift, "uint64", [1, 1], [63, 64]),
    (T.right_shift, np.right_shift, "int8", [-128, 127, -1], [100, 100, 8]),
    (T.right_shift, np.right_shift, "uint8", [255, 255], [7, 8]),
]


@pytest.mark.parametrize("linker", ["numpy", "xla"])
@pytest.mark.parametrize("which", range(len(SHIFTS)))
def test_shifts_by_the_width_and_more_are_numpys(which, linker):
    fn, ref, dtype, a, b = SHIFTS[which]
    a, b = np.array(a, dtype), np.array(b, dtype)
    x, y = (T.TensorType(dtype, (False,))() for _ in range(2))
    f = theano.function([x, y], fn(x, y), mode=theano.Mode(linker=linker))
    np.testing.assert_array_equal(f(a, b), ref(a, b))


def test_integers_divide_without_rest_in_reciprocal_and_divmod():
    x = np.array([1, 2, -1], "int32")
    assert T.reciprocal(x).dtype == "int32"
    assert T.reciprocal(x).eval().tolist() == [1, 0, -1]
    assert [v.eval().tolist() for v in T.divmod(np.array([7, -7]), 2)] == [[3, -4], [1, 1]]


def test_sinc_has_its_derivatives_at_zero():
    x = T.dscalar()
    first = T.grad(T.sinc(x), x)
    second = T.grad(first, x)
    f = theano.function([x], [first, second])
    assert f(0.0)[0] == 0
    np.testing.assert_allclose(f(0.0)[1], -(math.pi**2) / 3, rtol=1e-12)
    # both sides of where the series takes over, against 40 digits
    with mp.workdps(40):
        for v in (3.1e-3, 3.3e-3):
            np.testing.assert_allclose(f(v)[0], float(mp.diff(mp.sincpi, v)), rtol=1e-9)


def test_gradients_at_infinities_of_logaddexp_are_shares():
    x, y = T.dscalars("xy")
    f = theano.function([x, y], T.grad(T.logaddexp(x, y), [x, y]))
    assert [float(v) for v in f(-inf, 3.0)] == [0.0, 1.0]
    assert all(np.isfinite(f(-inf, -inf)))


def test_hypot_has_a_gradient_at_zero():
    x, y = T.dscalars("xy")
    f = theano.function([x, y], T.grad(T.hypot(x, y), [x, y]))
    assert [float(v) for v in f(0.0, 0.0)] == [0.0, 0.0]
    assert [float(v) for v in f(3.0, 4.0)] == [0.6, 0.8]


def test_where_is_switch_and_numpys_takes_a_condition_alone():
    c, x, y = np.array([1, 0, 2]), np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])
    assert T.where is T.switch
    assert T.where(c, x, y).eval().tolist() == [1.0, 5.0, 3.0]
    alone = np.where(T.constant(np.array([[0, 3], [4, 0]])))
    assert [i.eval().tolist() for i in alone] == [[0, 1], [1, 0]]


EQUALS = [
    ([1, 2], [1, 2], False, True),
    ([1, 2], [1, 3], False, False),
    ([1, 2], [1, 2, 3], False, False),
    ([[1, 2]], [1, 2], False, False),
    ([], [], False, True),
    ([1.0, nan], [1.0, nan], False, False),
    ([1.0, nan], [1.0, nan], True, True),
]


@pytest.mark.parametrize("linker", ["numpy", "xla"])
def test_array_equal_asks_for_shape_and_elements(linker):
    for a, b, equal_nan, expected in EQUALS:
        a, b = np.array(a, "float64"), np.array(b, "float64")
        x, y = (T.TensorType("float64", (False,) * v.ndim)() for v in (a, b))
        out = T.array_equal(x, y, equal_nan)
        mode = theano.Mode(linker=linker)
        f = theano.function([x, y], out, mode=mode, on_unused_input="ignore")
        assert bool(f(a, b)) is expected


def test_select_takes_the_first_condition_that_holds():
    x = np.arange(6.0)
    conditions, choices = [x < 3, x > 3, x < 100], [x, x * 10, x * 0 - 1]
    made = T.select([T.constant(c) for c in conditions], [T.constant(c) for c in choices])
    np.testing.assert_array_equal(made.eval(), [0, 1, 2, -1, 40, 50])
    assert T.select([x < 3], [x]).eval().tolist() == [0, 1, 2, 0, 0, 0]
    with pytest.raises(ValueError, match="as many choices as conditions, got 2 for 1"):
        T.select([x < 3], [x, x])


def test_aliases_are_theanos_own_functions():
    for alias, own in {
        "absolute": "abs_", "multiply": "mul", "subtract": "sub", "divide": "true_div",
        "floor_divide": "int_div", "remainder": "mod", "negative": "neg", "sign": "sgn",
        "equal": "eq", "less": "lt", "greater_equal": "ge", "acos": "arccos", "atan2": "arctan2",
        "degrees": "rad2deg", "radians": "deg2rad", "amax": "max", "amin": "min",
        "conjugate": "conj", "concat": "concatenate", "rint": "round_half_to_even", "fix": "trunc",
    }.items():  # fmt: skip
        assert getattr(T, alias) is getattr(T, own), alias


test_ops = spec_tests(SPECS)
