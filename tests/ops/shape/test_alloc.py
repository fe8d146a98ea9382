"""Arrays from sizes and from formulas of the index: alloc, zeros, eye, tri, arange, grids."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import theano
import theano.tensor as T
from theano._src.ground.config import config
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.arithmetic import add
from theano._src.ops.shape import alloc as A, ranges as R
from theano._src.ops.shape.shape import shape, shape_i
from theano._src.types.convert import constant
from theano._src.types.tensor import tensor_type
from theano.testing import Case, OpSpec, Raises, evaluate, spec_tests

X = np.arange(6.0).reshape(2, 3)
INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")


def variable(dtype: str, *pattern: bool, name: str | None = None):
    return tensor_type(dtype, pattern)(name)


x = variable("float64", False, False, name="x")
v = variable("float64", False, name="v")
n = variable("int64", False, name="n")
i = variable("int32", name="i")
f32 = variable("float32", name="f32")
f64 = variable("float64", name="f64")


def filled(value, *lengths):
    """Each element by itself: the value's, at the same place counted from the right."""
    shape = tuple(int(k) for k in lengths)
    out = np.empty(shape, np.asarray(value).dtype)
    for place in np.ndindex(*shape):
        tail = place[len(place) - value.ndim :]
        out[place] = value[tuple(0 if s == 1 else p for p, s in zip(tail, value.shape))]
    return out


def on_grid(holds):
    def make(rows, columns=None, k=0, dtype="float64"):
        rows, k = int(rows), int(k)
        columns = rows if columns is None else int(columns)
        cells = [[holds(c - r, k) for c in range(columns)] for r in range(rows)]
        return np.array(cells, dtype).reshape(rows, columns)

    return make


def steps(start, stop, step, dtype="int64"):
    """Exact arithmetic: every value start + k * step that lies before stop."""
    a, b, s = (Fraction(p.item() if hasattr(p, "item") else p) for p in (start, stop, step))
    found, k = [], 0
    while (a + k * s < b) if s > 0 else (a + k * s > b):
        found.append(a + k * s)
        k += 1
    return np.array([int(p) if p.denominator == 1 else float(p) for p in found], dtype)


def grid_places(a, b):
    return [(r, c) for r in range(a) for c in range(1, b, 2)]


GRID = [
    Case(3, id="square"),
    Case(2, 3, id="wide"),
    Case(3, 2, 1, id="k=1"),
    Case(3, 4, -1, id="k=-1"),
    Case(2, 3, 9, id="k-far-right"),
    Case(2, 3, -9, id="k-far-left"),
    Case(0, 3, id="no-rows"),
    Case(2, 0, id="no-columns"),
    Case(np.array(2, "int8"), np.array(2, "uint8"), np.array(1, "int16"), id="narrow"),
]
GRID_ERRORS = [
    Raises((2.0,), TypeError, "takes integers as lengths"),
    Raises((np.array([2]),), TypeError, "takes scalars as lengths"),
    Raises((2, 2, 1.5), TypeError, "integer scalar as k"),
]

SPECS = [
    OpSpec(
        A.alloc,
        filled,
        name="alloc",
        out_dtype=lambda *ds: ds[0],
        cases=[
            Case(np.array(7.0), 2, 3, id="scalar"),
            Case(np.array(7, "int8"), id="no-lengths"),
            Case(np.arange(3.0), 2, 3, id="vector"),
            Case(np.arange(2.0)[:1], 2, 3, id="length-1-stretches"),
            Case(X[:1], 4, 3, broadcastable={0: (True, False)}, id="row"),
            Case(X, 2, 2, 3, id="matrix"),
            Case(np.array(7.0), 0, 3, id="empty"),
            Case(np.zeros((0, 2)), 3, 0, 2, id="empty-value"),
            Case(np.array(1 + 2j), np.array(2, "int8"), 1, static=(2,), id="complex"),
            Case(np.array(True), np.array(2, "uint8"), id="bool"),
        ],
        errors=[
            Raises((np.array(0), -1), ValueError, "negative dimensions", "run"),
            Raises(
                (np.arange(2), 2, 3), ValueError, r"fill shape \(2, 3\) with .* shape \(2,\)", "run"
            ),
            Raises((X, 2, 1), ValueError, r"shape \(2, 3\)", "run"),
            Raises((X, 3), TypeError, "at most as many dimensions as lengths"),
            Raises((np.array(0), 2.0), TypeError, "integers as lengths, got x1"),
            Raises((np.array(0), True), TypeError, "integers as lengths"),
            Raises((np.array(0), np.array([2])), TypeError, "scalars as lengths"),
        ],
    ),
    OpSpec(
        lambda *lengths: shape(A.AllocEmpty("float32")(*lengths)),
        lambda *lengths: np.array(lengths, "int64"),
        name="shape of AllocEmpty",
        cases=[Case(2, 3), Case(0), Case(4)],
        sizes="none: the shape of an array that is never made",
    ),
    OpSpec(
        A.zeros_like,
        lambda a, dtype=None: (a != a) * np.array(0, dtype or a.dtype),
        cases=[
            Case(X),
            Case(X.astype("int8")),
            Case(X, kwargs={"dtype": "int32"}),
            Case(np.zeros(0)),
        ],
        out_dtype=None,
    ),
    OpSpec(
        A.ones_like,
        lambda a: np.array([1] * a.size, a.dtype).reshape(a.shape),
        cases=[Case(X), Case(X.astype("int8")), Case(np.zeros((0, 2)))],
    ),
    OpSpec(
        R.eye, on_grid(lambda d, k: d == k), cases=GRID, errors=GRID_ERRORS, out_dtype="float64"
    ),
    OpSpec(
        R.tri, on_grid(lambda d, k: d <= k), cases=GRID, errors=GRID_ERRORS, out_dtype="float64"
    ),
    OpSpec(
        lambda a, b: R.eye(a, b, dtype="int8"),
        lambda a, b: on_grid(lambda d, k: d == k)(a, b, dtype="int8"),
        name="eye of int8",
        cases=[Case(2, 3), Case(4, 2)],
        errors=[Raises((-1, 2), ValueError, "negative dimensions", "run")],
    ),
    OpSpec(
        R.identity_like,
        lambda a: on_grid(lambda d, k: d == k)(*a.shape, dtype=a.dtype),
        cases=[Case(X), Case(X.astype("int16").T), Case(np.zeros((0, 2)))],
        errors=[Raises(np.zeros(3), TypeError, "takes a matrix")],
    ),
    OpSpec(
        R.tril,
        lambda a, k=0: np.array(
            [[e if c - r <= k else 0 for c, e in enumerate(row)] for r, row in enumerate(a)],
            a.dtype,
        ).reshape(a.shape),
        out_dtype=lambda *ds: ds[0],
        cases=[
            Case(X),
            Case(X, 1),
            Case(X.astype("int8"), -1),
            Case(np.array([[1.0, np.inf], [np.nan, 2.0]]), id="not-finite"),
            Case(np.zeros((0, 3))),
        ],
        errors=[Raises(np.zeros(3), TypeError, "takes a matrix")],
    ),
    OpSpec(
        R.triu,
        lambda a, k=0: np.array(
            [[e if c - r >= k else 0 for c, e in enumerate(row)] for r, row in enumerate(a)],
            a.dtype,
        ).reshape(a.shape),
        out_dtype=lambda *ds: ds[0],
        cases=[
            Case(X),
            Case(X, 1),
            Case(X.astype("float32"), -1),
            Case(np.array([[True, True], [True, True]]), id="bool"),
            Case(np.array([[1.0, np.inf], [np.nan, 2.0]]), id="not-finite"),
        ],
    ),
    OpSpec(
        R.arange,
        steps,
        name="arange",
        out_dtype="int64",
        cases=[
            Case(0, 5, 1),
            Case(2, 9, 3),
            Case(5, 0, 1, id="empty"),
            Case(3, 3, 1, id="equal"),
            Case(5, 0, -2, id="down"),
            Case(5, 0, -5, id="down-to-the-end"),
            Case(0, 5, -1, id="empty-down"),
            Case(-3, 4, 2, id="negative-start"),
            *[Case(*np.array([1, 7, 2], d), id=d) for d in INTS[:4]],
            Case(0, np.array(5, "int8"), 1, static=(0, 2), id="constants"),
            Case(np.array(250, "uint8"), np.array(260, "int16"), np.array(3, "int8"), id="mixed"),
        ],
        errors=[
            Raises((0, 5, 0), ZeroDivisionError, "step that is not zero", "run"),
            Raises((np.array([0]), 5, 1), TypeError, "scalar as start"),
            Raises((0, 1j, 1), TypeError, "real numbers"),
        ],
    ),
    OpSpec(
        R.arange,
        lambda a, b, s: steps(a, b, s, "float64"),
        name="arange of floats",
        out_dtype=lambda *ds: np.result_type(*ds).name,
        cases=[
            Case(0.0, 3.0, 0.5),
            Case(0.0, 1.0, 0.25),
            Case(1.5, -1.0, -0.75),
            Case(2.0, 1.0, 0.5, id="empty"),
            Case(0.0, 4, 1.5, id="mixed"),
            Case(*np.array([0, 2.75, 0.25], "float32"), id="float32"),
            Case(*np.array([0, 2.75, 0.25], "float16"), id="float16"),
            Case(
                np.array(1, "int8"), np.array(2.5, "float32"), np.array(0.5, "float32"), id="int8"
            ),
        ],
        errors=[
            Raises((0.0, math.nan, 1.0), ValueError, "cannot compute length", "run"),
            Raises((0.0, 5.0, 0.0), ZeroDivisionError, "not zero", "run"),
        ],
    ),
    OpSpec(
        R.arange,
        lambda stop, dtype: np.array(list(range(int(stop))), dtype),
        name="arange of one number",
        out_dtype=None,
        cases=[
            *[Case(5, kwargs={"dtype": d}) for d in ("int8", "uint64", "float32", "float64")],
            Case(-5, kwargs={"dtype": "int64"}, id="negative"),
            Case(9, kwargs={"dtype": "int8"}, id="longer"),
            Case(np.array(127, "int8"), kwargs={"dtype": "int8"}, id="full-int8"),
        ],
    ),
    OpSpec(
        lambda a, b: R.mgrid[0:a, 1:b:2],
        lambda a, b: [
            np.array([k[w] for k in grid_places(a, b)], "int64").reshape(a, -(-(b - 1) // 2))
            for w in (0, 1)
        ],
        name="mgrid",
        cases=[Case(2, 6), Case(0, 3)],
    ),
    OpSpec(
        lambda a, b: R.ogrid[0:a, 1:b],
        lambda a, b: [np.array([[r] for r in range(a)]), np.array([list(range(1, b))])],
        name="ogrid",
        cases=[Case(2, 6), Case(3, 4)],
    ),
    OpSpec(
        A.Tile(2),
        lambda a, reps: np.array(
            [[a[r % 2, c % 3] for c in range(3 * reps[1])] for r in range(2 * reps[0])]
        ).reshape(2 * reps[0], 3 * reps[1]),
        out_dtype=lambda *ds: ds[0],
        cases=[
            Case(X, np.array([2, 1])),
            Case(X, np.array([1, 3], "int8")),
            Case(X, np.array([0, 2])),
        ],
        errors=[
            Raises((X, np.array([2])), ValueError, "takes 2 counts", "run"),
            Raises((X, np.array([2, -1])), ValueError, "counts from 0", "run"),
            Raises((np.zeros(3), np.array([2])), TypeError, "array of 2 dimensions"),
            Raises((X, 2), TypeError, "vector of integers"),
        ],
    ),
]


# fmt: off
@pytest.mark.parametrize(("made", "text"), [
    (A.Alloc(),               "Alloc"),
    (A.AllocEmpty("float32"), "AllocEmpty{dtype='float32'}"),
    (A.Tile(2),               "Tile{ndim=2}"),
    (R.Eye("int8"),           "Eye{dtype='int8'}"),
    (R.Tri(),                 "Tri{dtype='float64'}"),
    (R.ARange("int64"),       "ARange{dtype='int64'}"),
])
def test_ops_print_as_documented(made, text):
    assert str(made) == text


@pytest.mark.parametrize(("made", "dtype", "pattern"), [
    (lambda: A.alloc(0, 2, 3),            "int8",    (False, False)),
    (lambda: A.alloc(0.0, i),             "float32", (False,)),
    (lambda: A.alloc(v, i, 1),            "float64", (False, True)),
    (lambda: A.alloc(f32, 1, i),          "float32", (True, False)),
    (lambda: A.alloc(0),                  "int8",    ()),
    (lambda: A.zeros(3),                  "float64", (False,)),
    (lambda: A.zeros((i, 1)),             "float64", (False, True)),
    (lambda: A.zeros(()),                 "float64", ()),
    (lambda: A.zeros([]),                 "float64", ()),
    (lambda: A.zeros(i),                  "float64", (False,)),
    (lambda: A.ones((2,), "bool"),        "bool",    (False,)),
    (lambda: A.ones(shape(x)),            "float64", (False, False)),
    (lambda: A.zeros(np.array([2, 1])),   "float64", (False, True)),
    (lambda: A.AllocEmpty("int8")(1, i),  "int8",    (True, False)),
    (lambda: R.eye(1),                    "float64", (False, False)),
    (lambda: R.arange(1),                 "int64",   (False,)),
])
def test_types_follow_from_values_and_known_lengths(made, dtype, pattern):
    out = made()
    assert (out.dtype, out.broadcastable) == (dtype, pattern)


# recorded from the last release
ARANGE = [
    # arguments                 custom/32  custom/64  floatX/32  floatX/64
    ((9,),                      "int64",   "int64",   "int64",   "int64"),
    ((9.0,),                    "float32", "float32", "float32", "float64"),
    ((i,),                      "int64",   "int64",   "int64",   "int64"),
    (("int8",),                 "int64",   "int64",   "int64",   "int64"),
    (("uint8",),                "int64",   "int64",   "int64",   "int64"),
    (("uint64",),               "float64", "float64", "float32", "float64"),
    (("float16",),              "float16", "float16", "float32", "float64"),
    ((f32,),                    "float32", "float32", "float32", "float64"),
    ((f64,),                    "float64", "float64", "float64", "float64"),
    ((0, 9, 0.5),               "float32", "float32", "float32", "float64"),
    ((0, 1, 0.1),               "float32", "float64", "float32", "float64"),
    ((i, 9.0),                  "float64", "float64", "float32", "float64"),
    (("int8", f32),             "float32", "float32", "float32", "float64"),
    ((0, "int64", f32),         "float64", "float64", "float32", "float64"),
    ((np.float32(3),),          "float32", "float32", "float32", "float64"),
]
# fmt: on


@pytest.mark.parametrize(("args", "dtypes"), [(row[0], row[1:]) for row in ARANGE])
def test_the_dtype_of_arange_follows_cast_policy_and_floatx(args, dtypes):
    found = []
    saved = config.cast_policy, config.floatX
    try:
        for policy in ("custom", "numpy+floatX"):
            for floatX in ("float32", "float64"):
                config.cast_policy, config.floatX = policy, floatX
                given = [variable(a) if isinstance(a, str) else a for a in args]
                found.append(R.arange(*given).dtype)
    finally:
        config.cast_policy, config.floatX = saved
    assert tuple(found) == dtypes


@given(start=st.integers(-20, 20), stop=st.integers(-20, 20), step=st.integers(-7, 7).filter(bool))
def test_the_length_of_an_integer_range_is_that_of_pythons(start, stop, step):
    a, b, s = variable("int16"), variable("int64"), variable("int8")
    for given_ in ((a, b, s), (a, b, constant(step)), (constant(start), b, s)):
        values = {a: np.int16(start), b: np.int64(stop), s: np.int8(step)}
        (found,) = evaluate([R.range_length(*given_)], values)
        assert found == len(range(start, stop, step)) and found.dtype == "int64"
    assert R.range_length(*map(constant, (start, stop, step))).data == len(range(start, stop, step))


@pytest.mark.parametrize(
    "floats", [(0.0, 0.3, 0.1), (0.0, 1.0, 0.1), (1.0, 0.0, -0.3), (0, 1, 3.0)]
)
def test_the_length_of_a_range_of_floats_is_numpys(floats):
    a, b, s = variable("float64"), variable("float64"), variable("float64")
    (found,) = evaluate([R.range_length(a, b, s)], dict(zip((a, b, s), map(np.float64, floats))))
    known = R.range_length(*[constant(np.float64(p)) for p in floats])
    assert found == known.data == np.arange(*floats).size


def test_a_range_over_a_dimension_has_its_length():
    node = R.arange(shape_i(x, 0)).owner
    ((length,),) = node.op.infer_shape(node, [(), (), ()])
    assert str(length.owner.op) == "Shape_i{0}"


def test_a_step_of_zero_gives_the_length_zero_and_fails_the_check():
    assert R.range_length(constant(0), constant(5), constant(0)).data == 0
    (ok,) = R.ARange("int64").checks(np, (), (np.array(0), None, np.array(0)), ())
    assert not ok


def test_a_float_step_in_an_integer_range_is_taken_from_its_first_two_values():
    # recorded from the last release
    assert evaluate([R.arange(0, 3, 0.5, dtype="int32")], {})[0].tolist() == [0] * 6
    assert evaluate([R.arange(0.5, 3, dtype="int32")], {})[0].tolist() == [0, 1, 2]


def test_zeros_of_a_vector_of_unknown_length_is_an_error():
    with pytest.raises(ValueError, match="zeros takes a shape of known length"):
        A.zeros(n)
    with pytest.raises(TypeError):
        A.zeros(3, 4)


def test_filled_like_a_constant_may_be_a_constant():
    assert A.zeros_like(constant(5), opt=True).data == 0
    assert A.ones_like(constant([5, 6]), dtype="float32", opt=True).data.tolist() == [1, 1]
    assert isinstance(A.zeros_like(x, opt=True).owner.op, Elemwise)


def test_an_alloc_that_would_be_written_to_is_not_folded():
    class Client:
        pass

    writer, reader = Client(), Client()
    writer.op = type("IncSubtensor", (), {})()
    reader.op = add
    out = A.alloc(0, 2)
    for clients, folds in [
        ({}, False),
        ({("output", 0): None}, False),
        ({(writer, 0): None}, False),
        ({(writer, 1): None}, True),
        ({(reader, 0): None}, True),
        ({(reader, 0): None, (writer, 0): None}, False),
    ]:
        out._clients = clients
        assert out.owner.op.do_constant_folding(out.owner) is folds
    assert A.AllocEmpty("int8").do_constant_folding(A.AllocEmpty("int8")(2).owner) is False


def test_grids_of_one_slice_and_grids_that_are_refused():
    assert evaluate([R.mgrid[:5:2]], {})[0].tolist() == [0, 2, 4]
    assert [g.dtype for g in R.mgrid[0:5.0, 1:3]] == ["float64", "float64"]
    assert [g.dtype for g in R.ogrid[0:5.0, 1:3]] == ["float32", "int64"]
    assert [g.broadcastable for g in R.ogrid[0:2, 0:3]] == [(False, True), (True, False)]
    with pytest.raises(NotImplementedError, match="complex"):
        R.mgrid[0:3:2j, 0:2]
    with pytest.raises(TypeError, match="slices with a stop"):
        R.mgrid[5]
    with pytest.raises(TypeError, match="slices with a stop"):
        R.mgrid[:, 1:3]


test_ops = spec_tests(SPECS)


def test_an_empty_allocation_of_a_negative_length_is_refused():
    n = T.lscalar()
    f = theano.function([n], A.AllocEmpty("float32")(n) * 0)
    with pytest.raises(ValueError, match="negative"):
        f(-1)


@pytest.mark.parametrize("make", [T.eye, T.tri])
def test_an_identity_or_triangle_says_which_of_its_arguments_is_none(make):
    """D10: None stands for as many columns as rows, and for floatX; elsewhere it is a mistake."""
    assert make(3, None).eval().shape == (3, 3)
    assert make(3, 4, 0, None).dtype == theano.config.floatX
    for args, what in (((None,), "rows"), ((3, 4, None), "k")):
        with pytest.raises(TypeError, match=f"takes an integer scalar as {what}, got None"):
            make(*args)
