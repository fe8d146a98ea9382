"""Arrays joined, stacked, split, rolled and tiled; lists of variables as tensors."""

from __future__ import annotations

import numpy as np
import pytest

import theano._src.ops.numpy_api.operators  # noqa: F401
from theano._src.graph.graph import Constant
from theano._src.ops.arrays import split as P
from theano._src.ops.shape import join as J
from theano._src.ops.shape.dims import shape_padright
from theano._src.ops.shape.shape import reshape, shape
from theano._src.types.convert import as_tensor_variable, constant
from theano._src.types.tensor import tensor_type
from theano.testing import Case, OpSpec, Raises, evaluate, spec_tests

X = np.arange(6.0).reshape(2, 3)
Y = np.arange(10, 18.0).reshape(2, 4)
X3 = np.arange(24, dtype="int16").reshape(2, 3, 4)


def variable(dtype: str, *pattern: bool, name: str | None = None):
    return tensor_type(dtype, pattern)(name)


x = variable("float64", False, False, name="x")
y = variable("float64", False, False, name="y")
row = variable("float64", True, False, name="row")
col = variable("float64", False, True, name="col")
v = variable("float64", False, name="v")
n = variable("int64", False, name="n")
i = variable("int32", name="i")
s1, s2 = variable("float64", name="s1"), variable("float64", name="s2")


def joined(axis, *arrays):
    """Element by element: counted along the axis, then looked up in the array it falls into."""
    axis = int(axis) % arrays[0].ndim
    shape = list(arrays[0].shape)
    shape[axis] = sum(a.shape[axis] for a in arrays)
    out = np.empty(shape, np.result_type(*arrays))
    for place in np.ndindex(*shape):
        k, source = place[axis], 0
        while k >= arrays[source].shape[axis]:
            k -= arrays[source].shape[axis]
            source += 1
        out[place] = arrays[source][(*place[:axis], k, *place[axis + 1 :])]
    return out


def stacked(arrays, axis=0):
    arrays = [np.asarray(a) for a in arrays]
    axis %= arrays[0].ndim + 1
    shape = list(arrays[0].shape)
    shape.insert(axis, len(arrays))
    out = np.empty(shape, np.result_type(*arrays))
    for place in np.ndindex(*shape):
        out[place] = arrays[place[axis]][place[:axis] + place[axis + 1 :]]
    return out


def parts(a, splits, n_splits, axis=0):
    axis, found, start = int(axis) % a.ndim, [], 0
    for k in splits:
        found.append(np.take(a, range(start, start + int(k)), axis))
        start += int(k)
    return found


def rolled(a, shift, axis=None):
    shift = int(shift)
    if axis is None:
        return np.array([a.flat[(k - shift) % a.size] for k in range(a.size)], a.dtype).reshape(
            a.shape
        )
    out = np.empty_like(a)
    for place in np.ndindex(*a.shape):
        source = list(place)
        source[axis] = (source[axis] - shift) % a.shape[axis]
        out[place] = a[tuple(source)]
    return out


def tiled(a, reps, ndim=None):
    reps = [int(r) for r in np.atleast_1d(reps)]
    most = max(a.ndim, len(reps), ndim or 0)
    a = a[(None,) * (most - a.ndim)]
    reps = [1] * (most - len(reps)) + reps
    out = np.empty([r * k for r, k in zip(reps, a.shape, strict=True)], a.dtype)
    for place in np.ndindex(*out.shape):
        out[place] = a[tuple(p % k for p, k in zip(place, a.shape, strict=True))]
    return out


SPECS = [
    OpSpec(
        J.join,
        joined,
        out_dtype=lambda axis, *ds: np.result_type(*ds).name,
        name="join by a symbolic axis",
        cases=[
            Case(1, X, Y),
            Case(np.array(-1, "int8"), X, Y),
            Case(0, X, X),
            Case(0, X[:1], X[:1], broadcastable={1: (True, False), 2: (True, False)}, id="rows"),
        ],
        errors=[
            Raises((5, X, Y), IndexError, "axis 5 is out of bounds", "run"),
            Raises((1.0, X, Y), TypeError, "integer scalar as axis"),
            Raises((np.array([1]), X, Y), TypeError, "integer scalar as axis"),
        ],
    ),
    OpSpec(
        J.concatenate,
        lambda arrays, axis=0: joined(axis, *arrays),
        cases=[
            Case([X, X], kwargs={"axis": 0}, id="rows"),
            Case([X, Y], kwargs={"axis": 1}, id="columns"),
            Case((X, Y), kwargs={"axis": -1}, id="tuple"),
            Case([np.arange(3), np.arange(2)], id="vectors"),
            Case([np.arange(3, dtype="int32"), np.arange(2, dtype="float32")], id="upcast"),
            Case([np.arange(3, dtype="uint8"), np.arange(2, dtype="int8")], id="uint8-int8"),
            Case([np.zeros(0), np.arange(2.0), np.zeros(0)], id="empty-parts"),
            Case([np.zeros((0, 2)), np.zeros((0, 2))], kwargs={"axis": 1}, id="all-empty"),
            Case([X3, X3, X3], kwargs={"axis": 1}, id="three"),
            Case([np.array([True]), np.array([False, True])], id="bool"),
            Case([X], id="one"),
        ],
        errors=[
            Raises(([X, Y],), ValueError, r"got shapes \(2, 3\), \(2, 4\)", "run"),
            Raises(([X, np.zeros((1, 1))],), ValueError, r"shapes \(2, 3\), \(1, 1\)", "run"),
            Raises((X,), TypeError, "list or tuple of tensors"),
            Raises(([],), ValueError, "empty list"),
            Raises(([X, np.zeros(2)],), TypeError, "same number of dimensions"),
            Raises(([np.array(1.0), np.array(2.0)],), TypeError, "use stack"),
            Raises(([X, X],), ValueError, "axis from -2 to 1 for x0, got 2", kwargs={"axis": 2}),
            Raises(([X, X],), IndexError, "got -3", kwargs={"axis": -3}),
        ],
    ),
    OpSpec(
        lambda a, b, c: J.concatenate([a, b[0], shape_padright(c)], axis=1),
        lambda a, b, c: np.array([[*p, *q, r] for p, q, r in zip(a, b[0], c, strict=True)]),
        name="concatenate of slices",
        cases=[Case(X.astype("float32"), Y[None].astype("float32"), np.array([7, 8], "float32"))],
    ),
    OpSpec(
        J.stack,
        stacked,
        name="stack",
        cases=[
            Case([X, X + 1]),
            Case([X, X + 1], kwargs={"axis": 1}),
            Case([X, X + 1], kwargs={"axis": -1}),
            Case([X, X + 1], 2, static=(1,), id="axis-by-place"),
            Case((np.array(1.5), np.array(2.5)), id="scalars"),
            Case([np.array(1, "int8"), np.array(2.5, "float32")], id="scalars-upcast"),
            Case([np.array(1.5)], id="one-scalar"),
            Case([X3], id="one"),
            Case([np.zeros(0), np.zeros(0)], id="empty"),
        ],
        errors=[
            Raises(([X, Y],), ValueError, "got shapes", "run"),
            Raises(([X, X],), IndexError, "axis from -3 to 2, got 3", kwargs={"axis": 3}),
            Raises(([np.array(1.0)],), IndexError, "axis 0, got 1", kwargs={"axis": 1}),
            Raises(([],), ValueError, "at least one tensor"),
            Raises((), ValueError, "at least one tensor"),
            Raises(([X],), TypeError, "takes tensors and axis", kwargs={"axes": 1}),
            Raises(([X, np.zeros(3)],), TypeError, "same number of dimensions"),
        ],
    ),
    OpSpec(
        lambda *tensors: J.stack(list(tensors)),
        lambda *arrays: stacked(arrays),
        name="stack of a list",
        cases=[Case(1.5, 2.5, 3.5), Case(X, X), Case(X)],
    ),
    OpSpec(
        lambda a, b: J.stacklists([[a, b], [b, a], [a, a]]),
        lambda a, b: stacked([stacked([a, b]), stacked([b, a]), stacked([a, a])]),
        name="stacklists",
        cases=[Case(1.0, 2.0), Case(X, X + 1), Case(np.array(1, "int8"), np.array(2, "int32"))],
    ),
    OpSpec(
        J.MakeVector("float64"),
        lambda *e: np.array([float(k) for k in e]),
        cases=[Case(1.5, np.array(2, "int8"), np.array(3, "float32")), Case(1.5), Case()],
        sizes="none: it has as many elements as the op has inputs",
        errors=[
            Raises((X,), TypeError, "takes scalars"),
            Raises((1j,), TypeError, "cannot hold x0"),
        ],
    ),
    OpSpec(
        J.vertical_stack,
        lambda *a: joined(0, *a),
        cases=[Case(X, X)],
        errors=[
            Raises((X,), TypeError, "two matrices or more"),
            Raises((np.zeros(2), np.zeros(2)), TypeError, "two matrices or more"),
        ],
    ),
    OpSpec(J.horizontal_stack, lambda *a: joined(1, *a), cases=[Case(X, Y)]),
    OpSpec(
        P.split,
        parts,
        out_dtype=lambda *ds: (ds[0], ds[0]),
        cases=[
            Case(X, np.array([1, 1]), 2, static=(2,)),
            Case(np.vstack([X, X]), np.array([3, 1]), 2, static=(2,), id="longer"),
            Case(X, np.array([1, 2], "int32"), 2, 1, static=(2, 3), id="axis=1"),
            Case(X, np.array([1, 2]), 2, -1, static=(2, 3), id="axis=-1"),
            Case(X, [1, 2], 2, static=(2,), kwargs={"axis": 1}, id="constant"),
            Case(X, (np.array(1), np.array(2)), 2, 1, static=(2, 3), id="scalars"),
            Case(X, [0, 2], 2, static=(2,), id="empty-part"),
            Case(np.zeros((0, 3)), [0, 0], 2, static=(2,), id="empty"),
            Case(X, [1, 2], 2, 1, static=(2,), id="symbolic-axis"),
            Case(X, [1, 1], 2, np.array(-2), static=(2,), id="symbolic-negative-axis"),
            Case(X3, [3, 1], 2, 2, static=(2, 3), id="last-of-3"),
        ],
        errors=[
            Raises((X, [1, 2], 2), ValueError, "splits sum to 3, expected 2", "run", static=(2,)),
            Raises(
                (X, [3, -1], 2), ValueError, r"lengths from 0, got \[3, -1\]", "run", static=(2,)
            ),
            Raises((X, np.array([1, 1, 0]), 2), ValueError, "2 lengths, got 3", "run", static=(2,)),
            Raises((X, [1, 1], 2, 7), ValueError, "no axis 7", "run", static=(2,)),
            Raises((X, [1, 1], 2, 7), ValueError, "axis from -2 to 1", static=(2, 3)),
            Raises((X, [1, 1], 3), ValueError, r"Split\{3\} takes 3 lengths, got 2", static=(2,)),
            Raises((X, [1.0, 1.0], 2), TypeError, "vector of integers", static=(2,)),
            Raises((X, 2, 2), TypeError, "vector of integers", static=(1, 2)),
            Raises((1.0, [1, 1], 2), TypeError, "with dimensions", static=(2,)),
            Raises((X, [1, 1], 0), ValueError, "at least one part", static=(2,)),
        ],
    ),
    OpSpec(
        P.split,
        lambda a, splits, n_splits: np.array(a),
        name="split in one",
        out_dtype=lambda *ds: ds[0],
        cases=[
            Case(X, np.array([2]), 1, static=(2,)),
            Case(np.vstack([X, X]), np.array([4]), 1, static=(2,)),
        ],
    ),
    OpSpec(
        P.roll,
        rolled,
        out_dtype=lambda *ds: ds[0],
        cases=[
            Case(X, 1),
            Case(X, -7),
            Case(X, 1, kwargs={"axis": 1}),
            Case(X, np.array(2, "int8"), kwargs={"axis": -1}),
            Case(X3, 5, kwargs={"axis": 0}),
            Case(X, 0, kwargs={"axis": 1}, id="zero"),
            Case(np.zeros(0), 1, id="empty"),
            Case(np.array(1.0), 1, id="0-d"),
            Case(X[:1], 1, broadcastable={0: (True, False)}, kwargs={"axis": 0}, id="row"),
        ],
        errors=[
            Raises((X, 1.5), TypeError, "integer scalar as shift"),
            Raises((X, np.array([1])), TypeError, "integer scalar as shift"),
            Raises((X, 1), IndexError, "axis from 0 to 1, got 5", kwargs={"axis": 5}),
        ],
    ),
    OpSpec(
        P.tile,
        tiled,
        out_dtype=lambda *ds: ds[0],
        cases=[
            Case(X, (2, 1)),
            Case(X, 2, static=(1,), id="int"),
            Case(X, 2, id="symbolic"),
            Case(X, (2,), id="fewer"),
            Case(X, (2, 3, 2), id="more"),
            Case(X, (np.array(2), 2), id="mixed"),
            Case(X, (2, 1), kwargs={"ndim": 3}, id="ndim"),
            Case(X, np.array([2, 1]), kwargs={"ndim": 2}, id="vector"),
            Case(X, np.array([3]), kwargs={"ndim": 3}, id="vector-fewer"),
            Case(X, np.zeros(0, "int8"), kwargs={"ndim": 2}, id="vector-empty"),
            Case(X, [], id="none"),
            Case(X, (0, 2), id="empty"),
            Case(np.zeros((0, 2)), (2, 2), id="empty-array"),
            Case(np.array(1.5), (2, 2), id="0-d"),
            Case(np.array(1.5), [], id="0-d-none"),
            Case(X[:1], (1, 2), broadcastable={0: (True, False)}, id="row"),
        ],
        errors=[
            Raises((X, (2, 1)), ValueError, "ndim from 2", kwargs={"ndim": 1}),
            Raises((X, np.array([2, 1])), ValueError, "ndim too if reps is a vector"),
            Raises((X, (2.0, 1)), ValueError, "integer scalars in reps"),
            Raises((X, 1.5), ValueError, "integer scalars in reps"),
            Raises((X, (1, 1, 1)), ValueError, "at most as many reps", kwargs={"ndim": 2}),
            Raises((X, np.array([1, 1, 1])), AssertionError, "reps", "run", kwargs={"ndim": 2}),
            Raises((X, (-1, 1)), ValueError, "negative", "run"),
        ],
    ),
]


# fmt: off
@pytest.mark.parametrize(("made", "text"), [
    (J.Join(),                "Join"),
    (J.MakeVector("int64"),   "MakeVector{dtype='int64'}"),
    (J.MakeVector(),          "MakeVector{dtype='int64'}"),
    (P.Split(2),              "Split{2}"),
])
def test_ops_print_as_documented(made, text):
    assert str(made) == text


@pytest.mark.parametrize(("made", "dtype", "pattern"), [
    (lambda: J.join(1, x, row),               "float64", (True, False)),
    (lambda: J.join(0, x, row),               "float64", (False, False)),
    (lambda: J.join(0, row, row),             "float64", (False, False)),
    (lambda: J.join(-1, row, row),            "float64", (True, False)),
    (lambda: J.join(0, col, col),             "float64", (False, True)),
    (lambda: J.join(constant(1), row, row),   "float64", (True, False)),
    (lambda: J.join(i, row, row),             "float64", (False, False)),
    (lambda: J.Join()(0, row),                "float64", (True, False)),
    (lambda: J.join(0, [1, 2], v),            "float64", (False,)),
    (lambda: J.stack([s1]),                   "float64", (False,)),
    (lambda: J.stack([1, 2]),                 "int8",    (False,)),
    (lambda: J.stack([i, n[0]]),              "int64",   (False,)),
    (lambda: J.stack([row, row]),             "float64", (False, True, False)),
    (lambda: J.stack([x]),                    "float64", (True, False, False)),
    (lambda: P.tile(row, (1, 2)),             "float64", (True, False)),
    (lambda: P.tile(row, (2, 1)),             "float64", (False, False)),
    (lambda: P.tile(x, (2, 1), ndim=3),       "float64", (True, False, False)),
    (lambda: P.split(row, [1, 1], 2, 1)[0],   "float64", (True, False)),
    (lambda: P.split(row, [1, 0], 2, 0)[0],   "float64", (False, False)),
    (lambda: P.split(row, [1, 0], 2, i)[0],   "float64", (False, False)),
])
def test_types_of_what_is_joined_and_split(made, dtype, pattern):
    out = made()
    assert (out.dtype, out.broadcastable) == (dtype, pattern)


@pytest.mark.parametrize(("given", "op", "type_"), [
    (lambda: [x, y],             "Join",                          ("float64", 3)),
    (lambda: [s1, s2],           "MakeVector{dtype='float64'}",   ("float64", 1)),
    (lambda: (i, 1),             "MakeVector{dtype='int32'}",     ("int32", 1)),
    (lambda: [i, 2.5],           "MakeVector{dtype='float64'}",   ("float64", 1)),
    (lambda: [v, [1, 2]],        "Join",                          ("float64", 2)),
    (lambda: [[s1, s2], [1, 2]], "Join",                          ("float64", 2)),
    (lambda: [1, constant(2)],   "MakeVector{dtype='int8'}",      ("int8", 1)),
])
def test_a_list_that_holds_variables_is_stacked(given, op, type_):
    out = as_tensor_variable(given())
    assert str(out.owner.op) == op and (out.dtype, out.ndim) == type_
# fmt: on


def test_lists_of_numbers_stay_constants_and_ragged_lists_are_refused():
    assert isinstance(as_tensor_variable([1, [2]][:1]), Constant)
    for ragged in ([x, s1], [1, [s1]]):
        with pytest.raises(TypeError):
            as_tensor_variable(ragged)


def test_joining_one_array_gives_it_back():
    assert J.join(0, x) is x
    assert J.concatenate([x]) is x
    assert J.join(i, x) is x
    assert J.stacklists(x) is x


def test_the_axis_is_the_first_input_of_a_join():
    node = J.join(0, x, y).owner
    assert str(node.inputs[0]) == "TensorConstant{0}" and node.inputs[1:] == [x, y]
    assert str(node) == "Join(TensorConstant{0}, x, y)"


def test_the_shape_of_a_join_is_told_without_a_look_at_the_other_inputs():
    node = J.join(0, x, y).owner
    a, b, c, d = (variable("int64") for _ in range(4))
    ((rows, columns),) = node.op.infer_shape(node, [(), (a, b), (c, d)])
    assert columns is b
    (found,) = evaluate([rows], {a: np.int64(5), c: np.int64(3)})
    assert found == 8


def test_lengths_in_a_joined_vector_are_seen():
    out = reshape(x, J.join(0, shape(x), [1]))
    assert out.broadcastable == (False, False, True)
    (made,) = evaluate([out], {x: X})
    assert made.shape == (2, 3, 1)


def test_the_parts_of_a_split_are_views():
    outs = P.split(x, [1, 2], 2, axis=1)
    assert outs[0].owner.op.view_map == {0: [0], 1: [0]}
    for made in evaluate(outs, {x: X}):
        assert np.shares_memory(made, X)


test_ops = spec_tests(SPECS)
