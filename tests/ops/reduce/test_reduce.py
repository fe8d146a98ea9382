"""Reductions: values, dtypes, accumulators, NaN, ties, empty inputs, and what is refused."""

from __future__ import annotations

import functools
import math
import pickle
import statistics
from fractions import Fraction

import numpy as np
import pytest

from tests.ops.elements import ALL, DISCRETE, FLOATS, INTS, REALS
from tests.ops.reduce.folds import first_of, largest, over, smallest, total
from theano._src.graph.graph import Variable
from theano._src.ops.core.scalar import BinaryScalarOp
from theano._src.ops.elementwise import arithmetic as A, compare as C
from theano._src.ops.reduce import reduce as R
from theano._src.types.convert import as_tensor_variable, constant
from theano._src.types.tensor import tensor_type
from theano.testing import Case, OpSpec, Raises, evaluate, spec_tests

inf, nan = math.inf, math.nan
RNG = np.random.default_rng(12)
X = RNG.uniform(0.5, 1.5, (2, 3, 4)) * RNG.choice([-1, 1], (2, 3, 4))
AXES = [None, 0, 1, -1, [0, 2], (2, 0), [0, 1, 2], np.int64(1), [-1, -2]]
WIDE = {d: "uint64" if d.startswith("u") else "int64" for d in DISCRETE} | {
    d: d for d in ALL if d not in DISCRETE
}


def some(dtype: str, shape: tuple[int, ...] = (2, 3)) -> np.ndarray:
    rng = np.random.default_rng(len(dtype) * 7 + len(shape))
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype in DISCRETE:
        return rng.integers(0 if dtype[0] == "u" else -9, 10, shape).astype(dtype)
    out = rng.uniform(0.5, 2, shape)
    return (out + 1j * rng.uniform(0.5, 2, shape) if dtype[0] == "c" else out).astype(dtype)


def cases(dtypes=ALL, axes=AXES, alone=None, **kwargs) -> list[Case]:
    """Each axis on doubles, each dtype over one axis and over all, kept dimensions, 0-d.

    ``alone`` says why there is no gradient at a single number.
    """
    found = [Case(X, kwargs={"axis": a, **kwargs}, id=f"axis={a}") for a in axes]
    for d in dtypes:
        found.append(Case(some(d), kwargs={"axis": 1, **kwargs}, id=d))
        found.append(Case(some(d), kwargs=kwargs, id=f"{d}-all"))
    found.append(Case(X, kwargs={"axis": [0, 2], "keepdims": True, **kwargs}, id="keepdims"))
    found.append(Case(X, kwargs={"keepdims": True, **kwargs}, id="keepdims-all"))
    found.append(Case(np.array(2.5), kwargs=kwargs, id="0-d", grad=alone))
    found.append(Case(np.array([[2.5, 3.5]]), broadcastable={0: (True, False)}, id="row"))
    return found


EMPTY = [
    Case(np.zeros((0, 3)), kwargs={"axis": a}, id=f"empty-axis={a}") for a in (None, 0, 1, [0, 1])
] + [Case(np.zeros((3, 0), "int8"), kwargs={"axis": 1}, id="empty-int8")]
HOLLOW = [
    Case(np.zeros((0, 3)), kwargs={"axis": 1}, id="hollow-1"),
    Case(np.zeros((3, 0)), kwargs={"axis": 0}, id="hollow-0"),
    Case(np.zeros((3, 0, 2)), kwargs={"axis": [0, 2]}, id="hollow-0,2"),
]
NANS = [
    Case(np.array([1.0, nan, 3.0, nan]), id="nan"),
    Case(np.array([[1.0, nan], [3.0, -inf]]), kwargs={"axis": 1}, id="nan-line"),
    Case(np.array([nan, nan]), id="only-nan"),
    Case(np.array([-inf, inf, inf], "float32"), id="inf"),
]
TIES = [
    Case(np.array([[3, 1, 3, 1], [2, 2, 2, 2]], "int8"), kwargs={"axis": 1}, id="ties"),
    Case(np.array([[5.0, 5.0], [5.0, 5.0]]), id="ties-all"),
    Case(np.array([[1, 4], [4, 0]], "uint8"), kwargs={"axis": 0}, id="ties-uint8"),
    Case(np.array([3, -128, -128], "int8"), id="lowest-int8"),
    Case(np.array([-(2**63), 0, 2**63 - 1], "int64"), id="ends-int64"),
    Case(np.array([2**64 - 1, 0], "uint64"), id="ends-uint64"),
]

BAD_AXES = [
    Raises((X,), ValueError, "axes from -3 to 2.*got axis 3", kwargs={"axis": 3}),
    Raises((X,), ValueError, "got axis -4", kwargs={"axis": -4}),
    Raises((X,), ValueError, "got axis 7", kwargs={"axis": [0, 7]}),
    Raises((np.array(1.0),), ValueError, "0-d", kwargs={"axis": 0}),
    Raises((np.array(1.0),), ValueError, "0-d", kwargs={"axis": -1}),
    Raises((X,), TypeError, "int or a list of ints as axis, got 1.5", kwargs={"axis": 1.5}),
    Raises((X,), TypeError, "int or a list of ints as axis, got 'a'", kwargs={"axis": "a"}),
    Raises((X,), TypeError, "constant axis", kwargs={"axis": tensor_type("int8", ())("a")}),
]


def none_left(who: str) -> list[Raises]:
    shapes = [((0,), None), ((0,), 0), ((0, 3), 0), ((0, 3), None), ((3, 0), 1), ((3, 0), [0, 1])]
    return [
        Raises((np.zeros(s),), ValueError, rf"{who}.*zero-size on axis", "run", kwargs={"axis": a})
        for s, a in shapes
    ]


def product(numbers):
    return math.prod(numbers)


def average(numbers):
    if not numbers:
        return nan
    if any(isinstance(n, complex) for n in numbers):
        return total(numbers) / len(numbers)
    return float(sum(Fraction(n) for n in numbers) / len(numbers))


def variance(numbers, ddof=0, corrected=False):
    if any(isinstance(n, complex) for n in numbers):
        return variance([n.real for n in numbers]) + variance([n.imag for n in numbers])
    exact = [Fraction(n) for n in numbers]
    middle = sum(exact) / len(exact)
    return float(sum((n - middle) ** 2 for n in exact) / (len(exact) - ddof))


def deviation(numbers, **more):
    return math.sqrt(variance(numbers, **more))


def to_float(dtype: str) -> str:
    return "float64" if dtype in DISCRETE else dtype


def real(dtype: str) -> str:
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, to_float(dtype))


# fmt: off
SPECS = [
    OpSpec(R.sum, over(total), out_dtype=WIDE, errors=BAD_AXES,
           cases=[*cases(), *EMPTY, *HOLLOW, Case(X, kwargs={"axis": [0, 0]}, id="repeated"),
                  Case(X, kwargs={"axis": []}, id="no-axis"),
                  Case(np.array(2.5), kwargs={"axis": ()}, id="0-d-no-axis")]),
    OpSpec(R.prod, over(product), out_dtype=WIDE, errors=BAD_AXES, rtol=1e-11,
           cases=[*cases(), *EMPTY, *HOLLOW]),
    OpSpec(R.max, over(largest), out_dtype=lambda d: d,
           errors=[*BAD_AXES, *none_left("Reduce{maximum}")],
           cases=[*cases(), *HOLLOW, *NANS, *TIES]),
    OpSpec(R.min, over(smallest), out_dtype=lambda d: d,
           errors=[*BAD_AXES, *none_left("Reduce{minimum}")],
           cases=[*cases(), *HOLLOW, *NANS, *TIES]),
    OpSpec(R.argmax, over(lambda n: first_of(n, lambda a, b: (a.real, a.imag) > (b.real, b.imag)),
                          "int64"),
           errors=[*BAD_AXES, *none_left("Argmax")], cases=[*cases(), *HOLLOW, *NANS, *TIES]),
    OpSpec(R.argmin, over(lambda n: first_of(n, lambda a, b: (a.real, a.imag) < (b.real, b.imag)),
                          "int64"),
           errors=[*BAD_AXES, *none_left("Argmin")], cases=[*cases(), *HOLLOW, *NANS, *TIES]),
    OpSpec(R.all, over(lambda n: 0 not in n, "bool"), errors=BAD_AXES,
           cases=[*cases(), *EMPTY, *HOLLOW, *NANS]),
    OpSpec(R.any, over(lambda n: n.count(0) < len(n), "bool"), errors=BAD_AXES,
           cases=[*cases(), *EMPTY, *HOLLOW, *NANS]),
    OpSpec(R.mean, over(average), out_dtype=to_float, errors=BAD_AXES,
           cases=[*cases(), *HOLLOW, *EMPTY]),
    OpSpec(R.var, over(variance), out_dtype=real, errors=BAD_AXES, cases=[
        *cases(), *HOLLOW,
        Case(X, kwargs={"axis": [0, 2], "ddof": 1}, id="ddof"),
        Case(X, kwargs={"axis": 1, "corrected": True}, id="corrected"),
        Case(X, kwargs={"axis": 1, "corrected": True, "ddof": 1}, id="corrected-ddof")]),
    OpSpec(R.std, over(deviation), out_dtype=real, errors=BAD_AXES, cases=[
        *cases(alone="none: the root of 0 has no slope"), *HOLLOW,
        Case(X, kwargs={"ddof": 2, "keepdims": True}, id="ddof")]),
    OpSpec(R.ptp, over(lambda n: largest(n) - smallest(n)), out_dtype=lambda d: d, cases=[
        Case(X), Case(X, kwargs={"axis": 1}), Case(np.array([1.0, nan])), Case(np.array(3.0)),
        Case(some("int8", (2, 3, 4)), kwargs={"axis": [0, 1]})],
        errors=[Raises(np.zeros(0), ValueError, "zero-size", "run")]),
    OpSpec(R.max_and_argmax, lambda x, **k: (over(largest)(x, **k), over(
               lambda n: first_of(n, lambda a, b: a > b), "int64")(x, **k)),
           out_dtype=lambda d: (d, "int64"), errors=[*BAD_AXES, *none_left("MaxAndArgmax")],
           cases=[*cases(REALS), *NANS, *TIES]),
    OpSpec(lambda x, axis=None: R.ProdWithoutZeros(axis)(x),
           over(lambda n: math.prod(v for v in n if v) if any(n) else 0),
           name="ProdWithoutZeros", out_dtype=WIDE, cases=[
        Case(np.array([2.0, 0, 3])), Case(np.zeros(3)), Case(np.zeros(0)),
        Case(np.array([[0, 5], [2, 0], [0, 0]], "int8"), kwargs={"axis": 1}), Case(np.array(0.0)),
        Case(np.array([[0, 5], [2, 0]], "bool"), kwargs={"axis": 0}),
        Case(np.array([0, 1j, 2j]))]),
]
# fmt: on


def value(out: Variable):
    (found,) = evaluate([out], {})
    return found


def of(x, dtype=None):
    return as_tensor_variable(np.asarray(x, dtype))


class Nim(BinaryScalarOp):
    """Associative, but not one of the folds that arrays have; no identity."""

    name = "nim"
    associative = True

    def compute(self, xp, x, y):
        return x * y + x + y


@pytest.mark.parametrize(
    ("scalar_op", "fold", "empty"),
    [
        (A.scalar_add, lambda a, b: a + b, 0),
        (A.scalar_mul, lambda a, b: a * b, 1),
        (A.scalar_maximum, max, None),
        (A.scalar_minimum, min, None),
        (A.scalar_sub, lambda a, b: a - b, None),
        (C.scalar_or_, lambda a, b: a | b, 0),
        (C.scalar_and_, lambda a, b: a & b, -1),
        (C.scalar_xor, lambda a, b: a ^ b, 0),
        (Nim(), lambda a, b: a * b + a + b, None),
    ],
    ids=lambda v: str(v) if isinstance(v, A.ScalarOp) else "",
)
def test_careduce_folds_any_scalar_op_and_keeps_the_dtype(scalar_op, fold, empty):
    x = np.array([[3, 1, 2, 5, 4], [1, 7, 0, 2, 6]], "int64")
    for axis in (0, 1, [1]):
        want = over(lambda n: functools.reduce(fold, n))(x, axis)
        out = R.CAReduce(scalar_op, axis)(of(x))
        assert out.dtype == "int64" and value(out).tolist() == want.tolist()
    small = R.CAReduce(scalar_op)(of([100, 27, 1], "int8"))
    assert small.dtype == "int8" and value(small).dtype == "int8"
    nothing = R.CAReduce(scalar_op)(of([], "int64"))
    if empty is None:
        with pytest.raises(ValueError, match=f"{scalar_op}.*zero-size on axis 0"):
            value(nothing)
    else:
        assert value(nothing) == empty


def test_careduce_of_and_over_nothing_is_all_ones_in_unsigned_dtypes():
    assert value(R.CAReduce(C.scalar_and_)(of([], "uint8"))) == 255


def test_careduce_of_add_wraps_in_the_input_dtype():
    assert value(R.CAReduce(A.scalar_add)(of([100, 100], "int8"))) == -56


def test_careduce_takes_binary_functions_only():
    with pytest.raises(NotImplementedError, match="two numbers with one result, got neg"):
        R.CAReduce(A.scalar_neg)
    with pytest.raises(TypeError, match="ScalarOp"):
        R.CAReduce(A.add)


@pytest.mark.parametrize(
    ("op", "text"),
    [
        (R.Sum(), "Sum"),
        (R.Sum(0), "Sum{0}"),
        (R.Sum([2, 0], "float32", "float64"), "Sum{0, 2}"),
        (R.Sum(-1), "Sum{2}"),
        (R.Sum([]), "Sum{}"),
        (R.Prod(), "Prod"),
        (R.Prod([0, 1]), "Prod{0, 1}"),
        (R.ProdWithoutZeros(1), "ProdWithoutZeros{1}"),
        (R.All(), "All"),
        (R.Any((0, 1)), "Any{0, 1}"),
        (R.Max(), "Reduce{maximum}"),
        (R.Min(0), "Reduce{minimum}{0}"),
        (R.CAReduce(A.scalar_add, 0), "Reduce{add}{0}"),
        (R.CAReduceDtype(A.scalar_add, 0), "ReduceDtype{add}{0}"),
        (R.Argmax([0]), "Argmax{axis=(0,)}"),
        (R.MaxAndArgmax([0, 1]), "MaxAndArgmax{axis=(0, 1)}"),
    ],
    ids=str,
)
def test_reductions_print_as_documented(op, text):
    x = tensor_type("float32", (False,) * 3)("x")
    assert str(op.make_node(x).op) == text


def test_a_full_sum_prints_as_in_the_documents():
    x = tensor_type("float64", (False,))("x")
    assert str(R.sum(A.add(x, x)).owner) == "Sum(Elemwise{add,no_inplace}.0)"


def test_results_are_named_as_users_know_them():
    x = tensor_type("float64", (False,))("x")
    made = [R.max(x), R.argmax(x), *R.max_and_argmax(x), R.mean(x), R.var(x), R.std(x), R.sum(x)]
    names = ["max", "argmax", "max", "argmax", "mean", "var", "std", None]
    assert [m.name for m in made] == names


@pytest.mark.parametrize("reduce", [R.sum, R.prod], ids=["sum", "prod"])
@pytest.mark.parametrize("dtype", ALL)
def test_sums_and_products_settle_their_dtypes(reduce, dtype):
    op = reduce(tensor_type(dtype, (False,))("x")).owner.op
    acc = {"float16": "float32", "float32": "float64", "complex64": "complex128"}
    assert (op.dtype, op.acc_dtype) == (WIDE[dtype], acc.get(dtype, WIDE[dtype]))


# (input, acc_dtype, whether it is taken): as Theano 1.0.5 answers
ACC = [
    ("bool", "bool", True), ("bool", "int8", True), ("bool", "float16", True),
    ("int8", "bool", False), ("int8", "int8", True), ("int8", "uint8", False),
    ("int8", "uint64", False), ("int8", "float16", True), ("int8", "complex64", True),
    ("int64", "int8", False), ("int64", "float16", True), ("int64", "float32", True),
    ("uint64", "int8", False), ("uint64", "uint64", True), ("uint64", "float32", True),
    ("float16", "float16", True), ("float16", "uint64", False), ("float32", "float16", False),
    ("float32", "float32", True), ("float32", "complex64", True), ("complex64", "float32", False),
    ("complex64", "complex64", True), ("float64", "float32", False),
]  # fmt: skip


@pytest.mark.parametrize(("dtype", "acc", "taken"), ACC)
def test_an_accumulator_that_loses_precision_is_refused(dtype, acc, taken):
    x = tensor_type(dtype, (False,))("x")
    for reduce in (R.sum, R.prod, R.mean):
        if taken:
            assert reduce(x, acc_dtype=acc) is not None
        else:
            with pytest.raises(TypeError, match=f"acc_dtype={acc} for an input of {dtype}"):
                reduce(x, acc_dtype=acc)


# (function, values, input dtype, keywords, result, its dtype)
ACCUMULATED = [
    (R.sum, [1e8, 1, -1e8], "float32", {}, 1.0, "float32"),
    (R.sum, [1e8, 1, -1e8], "float32", {"acc_dtype": "float32"}, 0.0, "float32"),
    (R.sum, [0.1, 0.2], "float32", {"dtype": "float64"}, 0.30000000447034836, "float64"),
    (R.sum, [60000, 60000, -60000], "float16", {}, 60000.0, "float16"),
    (R.sum, [60000, 60000], "float16", {}, inf, "float16"),
    (R.sum, [100, 100], "int8", {}, 200, "int64"),
    (R.sum, [100, 100], "int8", {"acc_dtype": "int8"}, -56, "int64"),
    (R.sum, [100, 100], "int8", {"dtype": "int8"}, -56, "int8"),
    (R.sum, [100, 100], "int8", {"dtype": "bool"}, True, "bool"),
    (R.sum, [1, 2], "int8", {"dtype": "float32"}, 3.0, "float32"),
    (R.sum, [1, 2], "int8", {"acc_dtype": "float32"}, 3, "int64"),
    (R.sum, [1.5, 2.25], "float64", {"dtype": "int64"}, 3, "int64"),
    (R.sum, [1 + 1j, 1], "complex128", {"dtype": "float64"}, 2.0, "float64"),
    (R.sum, [1.5, 2], "float64", {"dtype": "complex64"}, 3.5, "complex64"),
    (R.sum, [True, True, False], "bool", {}, 2, "int64"),
    (R.sum, [True, True], "bool", {"dtype": "bool"}, True, "bool"),
    (R.sum, [200, 200], "uint8", {}, 400, "uint64"),
    (R.sum, [2**63, 2**63 + 1], "uint64", {}, 1, "uint64"),
    (R.sum, [2**63 - 1, 1], "int64", {}, -(2**63), "int64"),
    (R.prod, [100, 100], "int8", {}, 10000, "int64"),
    (R.prod, [1e30, 1e30, 1e-30, 1e-20], "float32", {}, np.float32(1e10), "float32"),
    (R.prod, [1e30, 1e30, 1e-30, 1e-20], "float32", {"acc_dtype": "float32"}, inf, "float32"),
    (R.prod, [2, 3], "int32", {"dtype": "int32"}, 6, "int32"),
    (R.prod, [2.0, 3], "float64", {"no_zeros_in_input": True}, 6.0, "float64"),
    (R.prod, [True, True], "bool", {}, 1, "int64"),
    (R.mean, [60000, 60000], "float16", {}, 60000.0, "float16"),
    (R.mean, [100, 101], "int8", {}, 100.5, "float64"),
    (R.mean, [100, 101], "int8", {"dtype": "float32"}, 100.5, "float32"),
    (R.mean, [100, 101], "int8", {"acc_dtype": "float64"}, 100.5, "float64"),
    (R.mean, [1, 2.5], "float64", {"dtype": "int64"}, 1.5, "float64"),
    (R.mean, [1, 2.5], "float64", {"dtype": "complex64"}, 1.75, "complex64"),
    (R.mean, [1, 2.5], "float64", {"op": True}, 1.75, "float64"),
    (R.mean, [1e8, 1, -1e8], "float32", {}, np.float32(1 / 3), "float32"),
    (R.mean, [True, False], "bool", {}, 0.5, "float64"),
    (R.mean, [1, 2], "float32", {"dtype": "float64"}, 1.5, "float64"),
    (R.mean, [60000, 60000], "float64", {"dtype": "float16"}, 60000.0, "float16"),
    (R.var, [1, 2], "int8", {}, 0.25, "float64"),
    (R.var, [1j, 2], "complex128", {}, 1.25, "float64"),
    (R.var, [1, 2, 4], "float64", {"ddof": 3}, inf, "float64"),
    (R.var, [1, 2, 4], "float64", {"ddof": 5}, inf, "float64"),
    (R.var, [300, -300], "float16", {}, inf, "float16"),
    (R.std, [300, -300], "float16", {}, inf, "float16"),
]


@pytest.mark.parametrize(
    ("fn", "values", "dtype", "kwargs", "want", "out"),
    ACCUMULATED,
    ids=lambda a: getattr(a, "__name__", None),
)
def test_what_is_added_up_in_which_dtype(fn, values, dtype, kwargs, want, out):
    made = fn(of(np.array(values).astype(dtype)), **kwargs)
    got = value(made)
    assert (made.dtype, got.dtype.name) == (out, out)
    assert got == want


@pytest.mark.parametrize("dtype", [*FLOATS, "int8", "complex64"])
def test_mean_variance_and_deviation_of_nothing_are_nan(dtype):
    for fn in (R.mean, R.var, R.std):
        assert np.isnan(value(fn(of([], dtype))))


def test_variance_over_several_dimensions_counts_all_their_elements():
    want = statistics.variance(X.ravel().tolist())
    assert value(R.var(of(X), ddof=1)) == pytest.approx(want, rel=1e-12)


def test_the_corrected_variance_takes_back_the_error_of_the_mean():
    x = np.array([1e8 + 1, 1e8 + 2, 1e8 + 4])
    assert value(R.std(of(x), corrected=True)) == pytest.approx(math.sqrt(14 / 9), rel=1e-9)


def test_a_bool_as_third_argument_of_var_and_std_is_keepdims():
    for fn in (R.var, R.std):
        kept = fn(tensor_type("float64", (False, False))("x"), 0, True)
        assert kept.broadcastable == (True, False)


@pytest.mark.parametrize(
    "axis", [1, -2, [1], np.int8(1), np.array(1), np.array([1]), constant(1), constant([1]), True]
)
def test_an_axis_may_be_any_kind_of_constant_integer(axis):
    x = tensor_type("float64", (False,) * 3)("x")
    for fn in (R.sum, R.prod, R.max, R.min, R.argmax, R.argmin, R.any, R.all, R.mean, R.var, R.std):
        assert fn(x, axis).ndim == 2, fn
    assert R.sum(x, axis).owner.op == R.sum(x, 1).owner.op
    assert R.max_and_argmax(x, axis)[1].owner.op.axis == (1,)


def test_no_axes_reduce_nothing_in_sums_and_everything_in_extremes():
    # the answers of Theano 1.0.5
    for axis in ([], ()):
        assert R.sum(of(X), axis).ndim == R.any(of(X), axis).ndim == R.mean(of(X), axis).ndim == 3
        assert R.max(of(X), axis).ndim == R.min(of(X), axis).ndim == 0
        assert R.argmax(of(X), axis).ndim == R.max_and_argmax(of(X), axis)[0].ndim == 0


def test_argmax_over_several_dimensions_counts_along_them_in_c_order():
    x = np.arange(24.0).reshape(2, 3, 4) % 7
    for axis in ([0, 2], [2, 0]):
        assert value(R.argmax(of(x), axis)).tolist() == [5, 2, 4]


def test_integer_sums_of_broadcastable_dimensions_keep_the_pattern_of_the_rest():
    x = tensor_type("int8", (True, False, True))("x")
    assert R.sum(x, 1).broadcastable == (True, True)
    assert R.max(x, [0]).broadcastable == (False, True)
    assert R.argmax(x, 2, keepdims=True).broadcastable == (True, False, True)


def test_make_keep_dims_puts_reduced_dimensions_back():
    x = tensor_type("float64", (False,) * 3)("x")
    assert R.makeKeepDims(x, R.sum(x, [0, -1]), [0, -1]).broadcastable == (True, False, True)
    assert R.makeKeepDims(x, R.sum(x), None).broadcastable == (True, True, True)


def test_products_that_promise_no_zeros_are_another_op():
    assert R.Prod(0) != R.Prod(0, no_zeros_in_input=True)
    assert R.Prod(0) == R.Prod([0]) and hash(R.Prod(0)) == hash(R.Prod([0]))
    assert R.Sum(0) != R.Prod(0) and R.Sum(0) != R.Sum(1)


def test_any_and_all_compare_what_is_not_bool_with_zero():
    x = tensor_type("int8", (False,))("x")
    assert str(R.any(x).owner) == "Any(Elemwise{neq,no_inplace}.0)"
    b = tensor_type("bool", (False,))("b")
    assert R.all(b).owner.inputs == [b]


def test_lists_of_numbers_are_taken():
    assert value(R.sum([1, 2])) == 3 and value(R.max([[1, 2]])) == 2


@pytest.mark.parametrize("dtype", INTS)
def test_extremes_of_integers_keep_their_dtype(dtype):
    info = np.iinfo(dtype)
    x = of([info.max, 0, info.min], dtype)
    assert value(R.max(x)) == info.max and value(R.min(x)) == info.min
    assert R.max(x).dtype == R.min(x).dtype == dtype
    assert value(R.argmin(x)) == (1 if info.min == 0 else 2)


def test_resolved_ops_survive_pickling():
    op = R.sum(tensor_type("float32", (False,))("x"), -1).owner.op
    again = pickle.loads(pickle.dumps(op))
    assert again == op and str(again) == "Sum{0}" and again.acc_dtype == "float64"


test_ops = spec_tests(SPECS)
