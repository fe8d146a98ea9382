"""Shapes asked for, stated and changed; dimensions reordered; what graphs tell before they run."""

from __future__ import annotations

import math

import numpy as np
import pytest

import theano._src.ops.numpy_api.operators  # noqa: F401
from theano._src.graph.graph import Constant
from theano._src.ground.errors import EmptyConstantError, NotScalarConstantError
from theano._src.ops.core.cast import cast
from theano._src.ops.elementwise.arithmetic import add, fill, int_div, mul, neg
from theano._src.ops.elementwise.compare import eq, switch
from theano._src.ops.elementwise.explog import exp
from theano._src.ops.shape import (
    alloc as A,
    dims as D,
    join as J,
    ranges as R,
    shape as S,
    static_values as K,
)
from theano._src.types.convert import as_tensor_variable, constant
from theano._src.types.tensor import tensor_type
from theano.testing import Case, OpSpec, Raises, evaluate, spec_tests

X = np.arange(6.0).reshape(2, 3)
X3 = np.arange(24, dtype="int16").reshape(2, 3, 4)


def variable(dtype: str, *pattern: bool, name: str | None = None):
    return tensor_type(dtype, pattern)(name)


x = variable("float64", False, False, name="x")
row = variable("float64", True, False, name="row")
t3 = variable("float64", False, False, False, name="t3")
n = variable("int64", False, name="n")
i = variable("int32", name="i")


def refill(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The elements of an array, in order, one by one into another shape."""
    assert values.size == math.prod(shape)
    out = np.empty(shape, values.dtype)
    for place, v in zip(np.ndindex(*shape), values.flat, strict=True):
        out[place] = v
    return out


def permuted(values: np.ndarray, order: tuple[int, ...]) -> np.ndarray:
    """out[i, j, ...] is the element whose index has these numbers in the places of ``order``."""
    out = np.empty([values.shape[o] for o in order], values.dtype)
    for place in np.ndindex(*out.shape):
        source = [0] * values.ndim
        for k, o in zip(place, order, strict=True):
            source[o] = k
        out[place] = values[tuple(source)]
    return out


def sizes(a):
    found = []
    while a.ndim:
        found.append(len(a))
        a = a[0] if len(a) else np.zeros(a.shape[1:])
    return np.array(found, "int64")


def lengths(*ns: int):
    return tuple(np.array(k) for k in ns)


RESHAPES = [
    Case(X, (3, 2), (3, 2), id="plain"),
    Case(X, (3, -1), (3, 2), id="minus-one"),
    Case(X, (-1,), (6,), id="flat"),
    Case(X, (1, -1, 1), (1, 6, 1), id="ones"),
    Case(X3, (4, -1), (4, 6), id="3-d"),
    Case(np.array(2.5), (1, 1), (1, 1), id="from-0-d"),
    Case(np.array([[2.5]]), (), (), id="to-0-d"),
    Case(np.array([2.5]), [], (), id="to-0-d-list"),
    Case(np.zeros((0, 2)), (-1, 2), (0, 2), id="empty-minus-one"),
    Case(np.zeros((0, 2)), (4, 0, 3), (4, 0, 3), id="empty"),
    Case(np.zeros((3, 0), "int8"), (-1,), (0,), id="empty-flat"),
    Case(X, lengths(3, 2), (3, 2), id="symbolic"),
    Case(X, lengths(-1, 2), (3, 2), id="symbolic-minus-one"),
    Case(X, (np.array(2, "int32"), -1), (2, 3), id="mixed"),
    Case(X, (-1, np.array(2, "int8"), 1), (3, 2, 1), id="mixed-one"),
    Case(np.zeros((0, 5)), lengths(0, 7), (0, 7), id="symbolic-empty"),
    Case(np.array([True, False]), (2, 1), (2, 1), id="bool"),
    Case(X.astype("complex64"), (6, 1), (6, 1), id="complex"),
]
BY_VECTOR = [
    Case(X, np.array([3, 2]), (3, 2), id="vector"),
    Case(X, np.array([-1, 2], "int32"), (3, 2), id="vector-minus-one"),
    Case(X, np.array([6, 1], "uint8"), (6, 1), id="vector-uint8"),
    Case(np.zeros((2, 0)), np.array([-1, 5]), (0, 5), id="vector-empty"),
]


def by_vector(a, shape, want):
    return S.reshape(a, shape, ndim=len(want))


SPECS = [
    OpSpec(
        S.shape,
        sizes,
        cases=[
            Case(X),
            Case(X3),
            Case(np.array(1)),
            Case(np.zeros((0, 3))),
            Case(np.zeros(4, bool)),
        ],
        name="Shape",
    ),
    OpSpec(
        lambda a: [S.shape_i(a, k) for k in range(3)],
        lambda a: list(sizes(a)),
        name="Shape_i",
        cases=[Case(X3), Case(np.zeros((2, 0, 1)))],
        errors=[Raises(X, TypeError, r"Shape_i\{2\} takes a Variable with more dimensions")],
    ),
    OpSpec(
        lambda a, shape, want: S.reshape(a, shape),
        lambda a, shape, want: refill(a, want),
        name="reshape",
        out_dtype=lambda *ds: ds[0],
        cases=RESHAPES,
        errors=[
            Raises((X, 6, ()), TypeError, "takes a vector, or a list or tuple", static=(1,)),
            Raises((X, np.array([2, 3]), ()), ValueError, "keyword ndim"),
            Raises((X, (2.0, 3.0), ()), TypeError, "integers as lengths"),
            Raises((X, (-1, -1), ()), ValueError, r"shape \(2, 3\) to shape \(-1, -1\)", "run"),
            Raises((X, (4, -1), ()), ValueError, r"shape \(2, 3\) to shape \(4, -1\)", "run"),
            Raises((X, (4, 2), ()), ValueError, r"Cannot reshape input of shape", "run"),
            Raises(
                (X, (-2, 3), ()), ValueError, r"lengths from 0, or one -1, got \(-2, 3\)", "run"
            ),
            Raises((np.zeros((0, 2)), (0, -1), ()), ValueError, "Cannot reshape", "run"),
        ],
    ),
    OpSpec(
        by_vector,
        lambda a, shape, want: refill(a, want),
        name="reshape by a vector",
        out_dtype=lambda *ds: ds[0],
        cases=BY_VECTOR,
        errors=[
            Raises(
                (X, np.array([6]), (3, 2)),
                ValueError,
                r"Reshape\{2\} takes 2 lengths, got 1",
                "run",
            ),
            Raises((X, (2, 3), (2, 3, 1)), ValueError, r"Reshape\{3\} takes 3 lengths, got 2"),
        ],
    ),
    OpSpec(
        lambda a: S.reshape(a, S.shape(a)),
        lambda a: np.array(a),
        name="reshape to its own shape",
        cases=[Case(X), Case(X[:1], broadcastable={0: (True, False)}), Case(np.zeros((0, 2)))],
    ),
    OpSpec(
        S.flatten,
        lambda a, ndim=1, outdim=None: refill(
            a, (*a.shape[: (outdim or ndim) - 1], math.prod(a.shape[(outdim or ndim) - 1 :]))
        ),
        cases=[
            Case(X3),
            Case(X3, kwargs={"ndim": 2}),
            Case(X3, kwargs={"outdim": 3}),
            Case(np.array(3.0), id="0-d"),
            Case(np.zeros((2, 0, 3)), kwargs={"ndim": 2}, id="empty"),
            Case(np.zeros((0, 2, 3)), kwargs={"ndim": 2}, id="empty-first"),
            Case(X[:1], kwargs={"ndim": 2}, broadcastable={0: (True, False)}, id="row"),
        ],
        errors=[
            Raises(X, ValueError, "ndim from 1 to 2 for x0, got 3", kwargs={"ndim": 3}),
            Raises(X, ValueError, "got 0", kwargs={"ndim": 0}),
            Raises(X, ValueError, "got both", kwargs={"ndim": 1, "outdim": 1}),
        ],
    ),
    OpSpec(
        S.Flatten(2),
        lambda a: refill(a, (a.shape[0], math.prod(a.shape[1:]))),
        cases=[Case(X3), Case(X), Case(np.zeros((0, 2, 3))), Case(np.zeros((2, 0, 3)))],
        errors=[Raises(np.zeros(3), ValueError, r"Flatten\{2\} takes at least 2 dimensions")],
    ),
    OpSpec(
        S.specify_shape,
        lambda a, shape: np.array(a),
        out_dtype=lambda *ds: ds[0],
        name="specify_shape",
        cases=[
            Case(X, (2, 3)),
            Case(X, lengths(2, 3)),
            Case(X, np.array([2, 3])),
            Case(np.ones((4, 5)), np.array([4, 5])),
            Case(np.zeros((0, 1)), (0, 1)),
            Case(np.array(1.0), np.zeros(0, "int64"), static=(1,), id="0-d"),
        ],
        errors=[
            Raises((X, (3, 2)), AssertionError, r"Got shape \(2, 3\), expected \(3, 2\)", "run"),
            Raises(
                (X, np.array([2])), AssertionError, r"Got shape \(2, 3\), expected \(2,\)", "run"
            ),
            Raises((X, (2,)), AssertionError, "one length for each of the 2 dimensions"),
            Raises((X, (2, None)), TypeError, "the length of every dimension"),
            Raises((X, 2), TypeError, "vector of lengths", static=(1,)),
            Raises((X, (2.0, 3.0)), TypeError, "integers as lengths"),
        ],
    ),
    OpSpec(
        D.addbroadcast,
        lambda a, *axes: np.array(a),
        cases=[Case(X[:1], 0, static=(1,)), Case(X[:1, :1], 0, -1, static=(1, 2))],
        errors=[
            Raises((X, 0), ValueError, r"supposed to be 1 \(got 2 instead\)", "run", static=(1,)),
            Raises((X, 5), ValueError, "no such dimension", static=(1,)),
            Raises((X, -3), ValueError, "no such dimension", static=(1,)),
        ],
    ),
    OpSpec(
        D.unbroadcast,
        lambda a, *axes: np.array(a),
        cases=[Case(X[:1], 0, static=(1,), broadcastable={0: (True, False)})],
    ),
    OpSpec(
        D.patternbroadcast,
        lambda a, pattern: np.array(a),
        cases=[
            Case(X[:1], (True, False)),
            Case(X[:1], (False, False), broadcastable={0: (True, False)}),
        ],
        errors=[Raises((X, (True, False)), ValueError, "supposed to be 1", "run")],
    ),
    OpSpec(
        D.transpose,
        lambda a, axes=None: permuted(
            a, [k % a.ndim for k in (axes or range(a.ndim - 1, -1, -1))] if a.ndim else []
        ),
        cases=[
            Case(X),
            Case(X3),
            Case(np.arange(3.0), id="vector"),
            Case(np.array(1.0), id="0-d"),
            Case(X3, (2, 0, 1)),
            Case(X3, (-1, 0, 1)),
        ],
        errors=[Raises((X, (0,)), ValueError, "drop a non-broadcastable")],
    ),
    OpSpec(
        D.swapaxes,
        lambda a, j, k: permuted(a, [{j: k, k: j}.get(o, o) for o in range(a.ndim)]),
        cases=[Case(X3, 0, 2, static=(1, 2)), Case(X, 1, 0, static=(1, 2))],
        errors=[Raises((X, 0, 5), IndexError, "axis from -2 to 1, got 5", static=(1, 2))],
    ),
    OpSpec(
        D.dimshuffle,
        lambda a, *pattern: refill(
            permuted(a, [o for o in pattern if o != "x"]),
            tuple(1 if o == "x" else a.shape[o] for o in pattern),
        ),
        cases=[
            Case(X, 1, "x", 0, static=(1, 2, 3)),
            Case(np.arange(3), "x", 0, static=(1, 2)),
        ],
        errors=[Raises((X, 0), ValueError, "drop a non-broadcastable", static=(1,))],
    ),
    OpSpec(
        D.squeeze,
        lambda a: refill(a, tuple(k for k in a.shape if k != 1)),
        cases=[
            Case(X[:1], broadcastable={0: (True, False)}),
            Case(X),
            Case(X3[:1, :, :1], broadcastable={0: (True, False, True)}),
        ],
    ),
    OpSpec(
        D.shape_padleft,
        lambda a, n_ones=1: refill(a, (1,) * n_ones + a.shape),
        cases=[Case(X), Case(X, kwargs={"n_ones": 2}), Case(np.array(1.0))],
    ),
    OpSpec(
        D.shape_padright,
        lambda a, n_ones=1: refill(a, a.shape + (1,) * n_ones),
        cases=[Case(X), Case(X, kwargs={"n_ones": 2}), Case(X, kwargs={"n_ones": 0})],
    ),
    OpSpec(
        D.shape_padaxis,
        lambda a, axis: refill(
            a, a.shape[: axis % (a.ndim + 1)] + (1,) + a.shape[axis % (a.ndim + 1) :]
        ),
        cases=[Case(X, k, static=(1,), id=str(k)) for k in (0, 1, 2, -1, -2, -3)],
        errors=[
            Raises((X, 3), IndexError, "axis from -3 to 2, got 3", static=(1,)),
            Raises((X, -4), IndexError, "got -4", static=(1,)),
        ],
    ),
]


# fmt: off
@pytest.mark.parametrize(("made", "text"), [
    (S.Shape(),                               "Shape"),
    (S.Shape_i(0),                            "Shape_i{0}"),
    (S.SpecifyShape(),                        "SpecifyShape"),
    (D.Rebroadcast((1, True)),                "Rebroadcast{?,1}"),
    (D.Rebroadcast((0, True), (1, False)),    "Rebroadcast{1,0}"),
    (D.Rebroadcast(),                         "Rebroadcast{}"),
    (S.Reshape(2),                            "Reshape{2}"),
    (S.Flatten(2),                            "Flatten{2}"),
])
def test_ops_print_as_documented(made, text):
    assert str(made) == text


@pytest.mark.parametrize(("made", "pattern"), [
    (lambda: S.reshape(x, (1, -1)),               (True, False)),
    (lambda: S.reshape(x, (i, 1)),                (False, True)),
    (lambda: S.reshape(x, (constant(1), i)),      (True, False)),
    (lambda: S.reshape(x, n, ndim=2),             (False, False)),
    (lambda: S.reshape(row, S.shape(row)),        (True, False)),
    (lambda: S.reshape(5, (1, 1)),                (True, True)),
    (lambda: S.flatten(row),                      (False,)),
    (lambda: S.flatten(row, 2),                   (True, False)),
    (lambda: S.flatten(constant(3.0)),            (True,)),
    (lambda: D.addbroadcast(x, 1),                (False, True)),
    (lambda: D.addbroadcast(x, 0, 1),             (True, True)),
    (lambda: D.addbroadcast(x, -1),               (False, True)),
    (lambda: D.unbroadcast(row, 0),               (False, False)),
    (lambda: D.patternbroadcast(x, (True, True)), (True, True)),
    (lambda: D.squeeze(row),                      (False,)),
    (lambda: S.specify_shape(x, (1, 2)),          (False, False)),
    (lambda: S.shape(row),                        (False,)),
])
def test_a_dimension_is_broadcastable_where_the_graph_says_so(made, pattern):
    assert made().broadcastable == pattern
# fmt: on


def test_a_pattern_that_is_there_already_returns_the_variable_itself():
    assert D.addbroadcast(row, 0) is row
    assert D.unbroadcast(x, 0) is x
    assert D.patternbroadcast(row, (True, False)) is row
    assert D.addbroadcast(x) is x
    assert D.squeeze(x) is x


def test_rebroadcast_takes_pairs_of_an_integer_and_a_bool():
    with pytest.raises(TypeError, match=r"bool for new broadcast pattern. Got 1"):
        D.Rebroadcast((0, 1))
    with pytest.raises(TypeError, match=r"integer axes. Got a"):
        D.Rebroadcast(("a", True))
    assert D.Rebroadcast((1, True), (0, False)) == D.Rebroadcast((0, False), (1, True))


def test_a_tensor_type_converts_a_variable_by_a_rebroadcast():
    """P2: AgentNet converts a column to the matrix that the state before it is."""
    made = row.type.convert_variable(x)
    assert made.type == row.type and isinstance(made.owner.op, D.Rebroadcast)
    made = x.type.convert_variable(row)
    assert made.type == x.type and isinstance(made.owner.op, D.Rebroadcast)
    assert row.type.convert_variable(row.T) is None
    made = x.type.filter_variable(row)
    assert made.type == x.type and isinstance(made.owner.op, D.Rebroadcast)
    with pytest.raises(TypeError, match="Cannot convert"):
        row.type.filter_variable(x)


def test_the_transpose_of_a_named_variable_is_named_after_it():
    assert D.transpose(x).name == "x.T"
    assert D.transpose(x, (1, 0)).name == "x.T"
    assert D.transpose(x, (0, 1)).name is None
    assert D.transpose(add(x, x)).name is None


def test_the_shape_of_a_specified_shape_is_what_was_specified():
    node = S.specify_shape(x, (3, i)).owner
    lengths = (variable("int64"), variable("int64"))
    (found,) = node.op.infer_shape(node, [lengths, None])
    assert found[0].data == 3 and found[1] is lengths[1]


def test_lengths_that_cannot_be_minus_one_need_no_switch():
    node = S.reshape(t3, (mul(S.shape_i(t3, 0), S.shape_i(t3, 1)), S.shape_i(t3, 2))).owner
    (found,) = node.op.infer_shape(node, [(variable("int64"),) * 3, None])
    assert str(found[0].owner.op) == "Elemwise{mul,no_inplace}"


def test_shape_i_asks_the_shape_feature_of_a_graph():
    class Feature:
        shape_of = {x: ("a", "b")}

    class Graph:
        shape_feature = Feature()

    assert S.shape_i(x, 1, fgraph=Graph()) == "b"
    assert str(S.shape_i(t3, 1, fgraph=Graph()).owner.op) == "Shape_i{1}"


def test_a_reshaped_array_is_a_view():
    out = S.reshape(x, (3, 2))
    (made,) = evaluate([out], {x: X})
    assert np.shares_memory(made, X) and out.owner.op.view_map == {0: [0]}


def test_reshape_takes_no_name():
    with pytest.raises(TypeError, match="name its output"):
        S.Reshape(2, name="r")
    with pytest.raises(ValueError, match="number of dimensions"):
        S.Reshape(-1)


# fmt: off
@pytest.mark.parametrize(("made", "value"), [
    (lambda: 5,                                              5),
    (lambda: 5.0,                                            5.0),
    (lambda: np.array([5]),                                  [5]),
    (lambda: constant(5),                                    5),
    (lambda: constant([5, 5]),                               5),
    (lambda: constant(np.array(True)),                       True),
    (lambda: A.alloc(5, i),                                  5),
    (lambda: A.zeros((3,)),                                  0.0),
    (lambda: A.zeros_like(x),                                0.0),
    (lambda: fill(x, 3),                                     3),
    (lambda: add(A.ones_like(x), constant(2)),               3.0),
    (lambda: mul(constant(2), constant(3)),                  6),
    (lambda: neg(constant(3)),                              -3),
    (lambda: int_div(constant(7), constant(2)),              3),
    (lambda: int_div(constant(7), constant(0)),              0),
    (lambda: cast(constant(2), "float32"),                   2.0),
    (lambda: switch(constant(1), 2, 3),                      2),
    (lambda: eq(constant(1), 1),                             True),
    (lambda: S.shape_i(row, 0),                              1),
    (lambda: S.shape_i(constant([1, 2]), 0),                 2),
    (lambda: D.dimshuffle(constant(4), "x"),                 4),
    (lambda: D.Rebroadcast((0, False))(constant([4])),       4),
    (lambda: S.Flatten(1)(constant([[4, 4]])),               4),
])
def test_a_scalar_constant_is_seen_through_ops(made, value):
    found = K.get_scalar_constant_value(made())
    assert isinstance(found, np.ndarray)
    assert found.tolist() == value and type(found.tolist()) is type(value)


@pytest.mark.parametrize("made", [
    lambda: None,
    lambda: "a",
    lambda: i,
    lambda: constant([5, 6]),
    lambda: np.array([5, 5]),
    lambda: S.shape_i(x, 0),
    lambda: exp(constant(2)),
    lambda: A.alloc(constant([5, 6]), 3, 2),
    lambda: add(x, constant(1)),
    lambda: S.shape(x),
])
def test_what_the_graph_does_not_tell_is_no_scalar_constant(made):
    with pytest.raises(NotScalarConstantError):
        K.get_scalar_constant_value(made())
# fmt: on


def test_an_empty_constant_has_no_scalar_value():
    for empty in (np.array([]), constant(np.zeros((0, 3)))):
        with pytest.raises(EmptyConstantError):
            K.get_scalar_constant_value(empty)


def test_how_far_to_look_for_a_constant_can_be_limited():
    product = mul(constant(2), constant(3))
    with pytest.raises(NotScalarConstantError):
        K.get_scalar_constant_value(product, elemwise=False)
    assert K.get_scalar_constant_value(fill(x, 3), elemwise=False) == 3
    with pytest.raises(NotScalarConstantError):
        K.get_scalar_constant_value(A.alloc(3, 2), only_process_constants=True)
    with pytest.raises(NotScalarConstantError):
        K.get_scalar_constant_value(add(product, 1), max_recur=1)


def test_looking_for_a_constant_in_a_shared_graph_stays_cheap():
    deep = constant(1)
    for _ in range(200):
        deep = add(deep, deep)
    with pytest.raises(NotScalarConstantError):
        K.get_scalar_constant_value(deep)
    assert K.get_scalar_constant_value(deep, max_recur=400).dtype == "int8"


def test_extract_constant_returns_what_is_none():
    assert K.extract_constant(A.alloc(3, 2)) == 3
    assert K.extract_constant(i) is i
    same = A.alloc(3, 2)
    assert K.extract_constant(same, only_process_constants=True) is same
    assert K.extract_constant(None) is None


# fmt: off
@pytest.mark.parametrize(("made", "length"), [
    (lambda: [1, 2],                                       2),
    (lambda: (i, 1),                                       2),
    (lambda: S.shape(t3),                                  3),
    (lambda: constant([1, 2]),                             2),
    (lambda: variable("int64", True),                      1),
    (lambda: J.MakeVector("int64")(1, i),                  2),
    (lambda: J.join(0, S.shape(x), [1], S.shape(t3)),      6),
    (lambda: A.zeros(3),                                   3),
    (lambda: R.arange(2, 9, 3),                            3),
])
def test_the_length_of_a_vector_is_seen_in_the_graph(made, length):
    assert K.get_vector_length(made()) == length
# fmt: on


def test_a_vector_length_that_only_running_tells_is_an_error():
    for unknown in (n, add(n, 1), A.zeros(i), R.arange(i), J.join(0, n, [1])):
        with pytest.raises(ValueError, match="length not known"):
            K.get_vector_length(unknown)
    for no_vector in (x, i, 5):
        with pytest.raises(TypeError, match="takes a vector"):
            K.get_vector_length(no_vector)


def test_known_factors_and_terms_are_taken_together():
    a, b = variable("int64"), variable("int64")
    assert K.product([]).data == 1 and K.total([]).data == 0
    assert K.product([a]) is a and K.total([a, K.as_length(0)]) is a
    assert K.product([K.as_length(2), K.as_length(3)]).data == 6
    left = K.product([K.as_length(2), a, b, K.as_length(5)])
    assert [v.data for v in left.owner.inputs if isinstance(v, Constant)] == [10]
    assert K.as_length(i).dtype == "int64" and K.as_length(as_tensor_variable(3)).dtype == "int64"


test_ops = spec_tests(SPECS)
