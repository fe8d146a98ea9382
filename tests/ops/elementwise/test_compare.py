"""Comparisons, logic and choice on each element."""

from __future__ import annotations

import itertools
import math
import operator

import numpy as np
import pytest

from tests.ops.elements import ALL, DISCRETE, INTS, REALS, by_python, promoted
from theano._src.engines.numpy.lines import text_of
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise import compare as C
from theano._src.types.tensor import tensor_type
from theano.testing import Case, OpSpec, Raises, evaluate, spec_tests

inf, nan = math.inf, math.nan
F = np.ones(2)
# 64-bit integers of either sign have no dtype in common, which draws would only meet by rounding
ORDERED = [d for d in REALS if d != "uint64"]
# what switch chooses from
CHOSEN = ["int8", "float32", "float64", "complex64", "complex128"]
# two dtypes that an integer dtype holds together
BITS = {(a, b): promoted(a, b) for a in DISCRETE for b in DISCRETE if promoted(a, b) in DISCRETE}


def close(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    if math.isnan(a) or math.isnan(b):
        return equal_nan and math.isnan(a) and math.isnan(b)
    if math.isinf(a) or math.isinf(b):
        return a == b
    return abs(a - b) <= atol + rtol * abs(b)


# fmt: off
SPECS = [
    OpSpec(C.lt, by_python(operator.lt, "bool"), nin=2, dtypes=ORDERED,
           special={(1, 2): True, (2, 2): False, (nan, 1): False, (-inf, inf): True}),
    OpSpec(C.gt, by_python(operator.gt, "bool"), nin=2, dtypes=ORDERED,
           special={(2, 1): True, (2, 2): False, (nan, 1): False, (-inf, inf): False}),
    OpSpec(C.le, by_python(operator.le, "bool"), nin=2, dtypes=ORDERED,
           special={(2, 2): True, (3, 2): False, (nan, nan): False, (0.0, -0.0): True}),
    OpSpec(C.ge, by_python(operator.ge, "bool"), nin=2, dtypes=ORDERED,
           special={(2, 2): True, (1, 2): False, (nan, nan): False, (inf, inf): True}),
    OpSpec(C.eq, by_python(operator.eq, "bool"), nin=2, dtypes=ALL, domain=(0, 2),
           special={(nan, nan): False, (inf, inf): True, (0.0, -0.0): True}),
    OpSpec(C.neq, by_python(operator.ne, "bool"), nin=2, dtypes=ALL, domain=(0, 2),
           special={(nan, nan): True, (inf, inf): False, (0.0, -0.0): False}),
    OpSpec(C.isnan, by_python(lambda x: x != x, "bool"), dtypes=ALL,
           special={nan: True, inf: False, 0: False}),
    OpSpec(C.isinf, by_python(lambda x: x in (inf, -inf), "bool"), dtypes=ALL,
           special={inf: True, -inf: True, nan: False, 0: False}),
    OpSpec(C.switch, by_python(lambda c, a, b: a if c else b), name="switch", nin=3,
           dtypes=[ALL, CHOSEN, CHOSEN],
           domain=[(0, 1), (1, 3), (-3, -1)], out_dtype=lambda c, a, b: promoted(a, b),
           special={(nan, 1, 2): 1, (0, 1, nan): nan, (0, nan, 2): 2, (-0.0, 1, 2): 2}),
    OpSpec(C.or_, by_python(operator.or_), name="or", nin=2, dtypes=DISCRETE, domain=(-100, 100),
           out_dtype=BITS,
           errors=[Raises((F, F), TypeError, "takes integers or bools, got float64"),
                   Raises((np.uint64(1), np.int64(1)), TypeError,
                          "no integer dtype holds uint64 and int64; cast one")]),
    OpSpec(C.and_, by_python(operator.and_), name="and", nin=2, dtypes=DISCRETE,
           domain=(-100, 100), out_dtype=BITS,
           errors=[Raises((F, F), TypeError, "takes integers or bools, got float64")]),
    OpSpec(C.xor, by_python(operator.xor), name="xor", nin=2, dtypes=DISCRETE, domain=(-100, 100),
           out_dtype=BITS, errors=[Raises((F, F), TypeError, "takes integers or bools")]),
    OpSpec(C.invert, by_python(operator.inv), name="invert", dtypes=INTS, out_dtype=str,
           errors=[Raises(F, TypeError, "takes integers or bools, got float64")]),
    OpSpec(C.invert, by_python(operator.not_), name="invert of bools", dtypes=("bool",)),
    OpSpec(C.isclose, by_python(close, "bool"), nin=2, dtypes=("bool", "int8", "uint8", "float64"),
           domain=(0, 3), special={(1, 1 + 1e-9): True, (1, 1.1): False, (inf, inf): True,
                                   (inf, -inf): False, (1, inf): False, (inf, 1): False,
                                   (nan, nan): False, (0, 1e-9): True, (1e-9, 0): True}),
    OpSpec(lambda a, b: C.isclose(a, b, equal_nan=True),
           by_python(lambda a, b: close(a, b, equal_nan=True), "bool"),
           name="isclose with equal NaN", cases=[
               Case(np.array([nan, nan, 1.0, inf, 2.0]), np.array([nan, 1.0, nan, inf, 2.0]))]),
]
# fmt: on


def vector(dtype):
    return tensor_type(dtype, (False,))()


def computed(op, *arrays):
    arrays = [np.asarray(a) for a in arrays]
    inputs = [tensor_type(a.dtype.name, (False,) * a.ndim)() for a in arrays]
    return evaluate([op(*inputs)], dict(zip(inputs, arrays, strict=True)))[0]


def test_isclose_takes_tolerances():
    near = lambda a, b: C.isclose(a, b, rtol=0, atol=0.5)
    assert computed(near, [1.0, 1.0], [1.4, 1.6]).tolist() == [True, False]
    near = lambda a, b: C.isclose(a, b, rtol=0.5, atol=0)
    # relative to the second
    assert computed(near, [2.0, 1.0], [1.0, 2.0]).tolist() == [False, True]


def test_complex_numbers_compare_by_real_part_then_imaginary():
    a, b = np.array([1 + 2j, 1 + 1j, 2 - 1j]), np.array([1 + 1j, 1 + 1j, 1 + 5j])
    assert computed(C.lt, a, b).tolist() == [False, False, False]
    assert computed(C.ge, a, b).tolist() == [True, True, True]


RANGES = [(True, True, [0, 1, 0, 0]), (False, False, [1, 1, 1, 0]), (True, False, [0, 1, 1, 0])]


@pytest.mark.parametrize(("openlow", "openhi", "want"), RANGES)
def test_a_range_has_open_or_closed_ends(openlow, openhi, want):
    op = Elemwise(C.InRange(openlow, openhi))
    got = computed(op, [0.0, 0.5, 1.0, nan], [0.0] * 4, [1.0] * 4)
    assert (got.dtype, got.tolist()) == (bool, [bool(w) for w in want])
    assert str(op) == f"Elemwise{{InRange{{openlow={openlow}, openhi={openhi}}}}}"


def test_ranges_are_equal_when_their_ends_are():
    assert C.InRange(True, True) == C.inopenrange != C.inclosedrange
    assert hash(C.InRange(True, True)) == hash(C.inopenrange)


PRINTED = {
    "lt": "LT", "gt": "GT", "le": "LE", "ge": "GE", "eq": "EQ", "neq": "NEQ", "switch": "Switch",
    "or_": "OR", "and_": "AND", "xor": "XOR", "invert": "Invert",
}  # fmt: skip


@pytest.mark.parametrize(("name", "scalar"), PRINTED.items())
def test_ops_print_by_their_documented_names(name, scalar):
    assert str(getattr(C, name)) == f"Elemwise{{{name},no_inplace}}"
    assert str(getattr(C, f"scalar_{name}")) == scalar


def test_questions_print_by_their_documented_names():
    x = vector("float64")
    assert str(C.isnan(x).owner.op) == "Elemwise{isnan,no_inplace}"
    assert str(C.isinf(x).owner.op) == "Elemwise{isinf,no_inplace}"


def test_other_spellings_are_the_same_ops():
    assert C.where is C.switch
    assert C.bitwise_and is C.and_
    assert C.bitwise_or is C.or_
    assert C.bitwise_xor is C.xor
    assert C.bitwise_not is C.invert


@pytest.mark.parametrize("name", ["lt", "gt", "le", "ge", "eq", "neq", "or_", "and_", "xor"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64"])
def test_host_text_gives_what_python_gives(name, dtype):
    op = getattr(C, name)
    x = tensor_type(dtype, ())()
    run = eval(f"lambda a, b: {text_of(op.make_node(x, x), 'a', 'b')}")
    same = getattr(operator, {"neq": "ne"}.get(name, name))
    ends = (False, True) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    for a, b in itertools.product([int(e) if dtype != "bool" else e for e in ends], repeat=2):
        assert run(a, b) == same(a, b)
        assert type(run(a, b)) is type(same(a, b))


def test_host_text_of_choice_and_inversion():
    flag, i, u = (tensor_type(d, ())() for d in ("bool", "int8", "uint8"))
    choose = eval(f"lambda c, a, b: {text_of(C.switch.make_node(flag, i, i), *'cab')}")
    assert (choose(True, 3, 4), choose(False, 3, 4)) == (3, 4)
    invert = [eval(f"lambda a: {text_of(C.invert.make_node(v), 'a')}") for v in (flag, i, u)]
    assert [f(x) for f, x in zip(invert, (True, 5, 5), strict=True)] == [False, -6, 250]


test_ops = spec_tests(SPECS)
