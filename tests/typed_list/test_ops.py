"""Ops of typed lists, each against Python's own lists, on every engine, in place and not."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import theano
import theano.tensor as T
import theano.typed_list
from theano.typed_list import basic
from theano.typed_list.basic import TypedListType

MODES = {
    "numpy": theano.Mode("numpy"),
    "xla": theano.Mode("xla"),
    "py": theano.Mode("py"),
    "default": None,
    "not rewritten": theano.Mode("numpy", None),
    "DebugMode": "DebugMode",
}
ELEMENTS = {
    "vectors": (T.dvector, [np.array([1.0, 2.0]), np.array([3.0]), np.array([1.0, 2.0])]),
    "numbers": (T.iscalar, [np.int32(1), np.int32(5), np.int32(1)]),
    "matrices": (T.fmatrix, [np.ones((2, 3), "f4"), np.zeros((0, 3), "f4"), np.ones((2, 3), "f4")]),
    "with NaN": (T.dvector, [np.array([np.nan]), np.array([1.0]), np.array([np.nan])]),
    "objects": (theano.generic, ["a", "b", "a"]),
    "lists": (
        TypedListType(T.dvector),
        [[np.array([1.0]), np.array([2.0, 3.0])], [], [np.array([1.0]), np.array([2.0, 3.0])]],
    ),
}


def same(a, b):
    """Whether two values hold equal arrays, objects, or lists of them."""
    if isinstance(a, list) or isinstance(b, list):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, str):
        return a == b
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=True)


def at(values, x):
    return next(i for i, y in enumerate(values) if same(x, y))


@dataclass
class Record:
    """What an op makes of a list x, another y, an element e of it and an index i."""

    build: Any
    plain: Any
    inplace: Any = None


def removed(x, e):
    found = list(x)
    if any(same(e, y) for y in x):
        del found[at(x, e)]
    return found


def inserted(x, i, e):
    found = list(x)
    found.insert(i, e)
    return found


def floating(n):
    return np.asarray(n, theano.config.floatX)


# fmt: off
RECORDS = {
    "append":   Record(lambda x, y, e, i: basic.append(x, e),
                       lambda x, y, e, i: [*x, e],
                       lambda x, y, e, i: basic.Append(inplace=True)(x, e)),
    "extend":   Record(lambda x, y, e, i: basic.extend(x, y),
                       lambda x, y, e, i: [*x, *y],
                       lambda x, y, e, i: basic.Extend(inplace=True)(x, y)),
    "insert":   Record(lambda x, y, e, i: basic.insert(x, i, e),
                       lambda x, y, e, i: inserted(x, i, e),
                       lambda x, y, e, i: basic.Insert(inplace=True)(x, i, e)),
    "remove":   Record(lambda x, y, e, i: basic.remove(x, e),
                       lambda x, y, e, i: removed(x, e),
                       lambda x, y, e, i: basic.Remove(inplace=True)(x, e)),
    "reverse":  Record(lambda x, y, e, i: basic.reverse(x),
                       lambda x, y, e, i: x[::-1],
                       lambda x, y, e, i: basic.Reverse(inplace=True)(x)),
    "getitem":  Record(lambda x, y, e, i: basic.getitem(x, i),
                       lambda x, y, e, i: x[i]),
    "constant": Record(lambda x, y, e, i: x[-1],
                       lambda x, y, e, i: x[-1]),
    "slice":    Record(lambda x, y, e, i: x[i:],
                       lambda x, y, e, i: x[i:]),
    "backward": Record(lambda x, y, e, i: x[::-2],
                       lambda x, y, e, i: x[::-2]),
    "index":    Record(lambda x, y, e, i: basic.index_(basic.append(x, e), e),
                       lambda x, y, e, i: floating(at([*x, e], e))),
    "count":    Record(lambda x, y, e, i: basic.count(x, e),
                       lambda x, y, e, i: floating(sum(same(e, z) for z in x))),
    "length":   Record(lambda x, y, e, i: basic.length(x),
                       lambda x, y, e, i: np.asarray(len(x))),
    "make":     Record(lambda x, y, e, i: basic.make_list((e, e)),
                       lambda x, y, e, i: [e, e]),
    "methods":  Record(lambda x, y, e, i: x.append(e).extend(y).insert(0, e).remove(e).reverse(),
                       lambda x, y, e, i: [*x, e, *y][::-1]),
    "numbers":  Record(lambda x, y, e, i: x.append(e).ind(e) + x.count(e) + y.__len__(),
                       lambda x, y, e, i: floating(at([*x, e], e) + sum(same(e, z) for z in x)
                                                   + len(y))),
}
# fmt: on

# element and index for each list
CASES = [(0, 0), (1, -1), (1, 2), (0, -3)]


def expected(record, values, e, i):
    return record.plain(list(values), list(values[:2]), e, i)


def variables(kind):
    return TypedListType(kind)("x"), TypedListType(kind)("y"), kind("e"), T.lscalar("i")


# DebugMode refuses NaN
PAIRS = [(e, m) for e in ELEMENTS for m in MODES if (e, m) != ("with NaN", "DebugMode")]


@pytest.mark.parametrize(("elements", "mode"), PAIRS)
@pytest.mark.parametrize("name", RECORDS)
def test_an_op_gives_what_python_gives(name, elements, mode):
    (kind, values), record = ELEMENTS[elements], RECORDS[name]
    x, y, e, i = variables(kind)
    f = theano.function(
        [x, y, e, i], record.build(x, y, e, i), mode=MODES[mode], on_unused_input="ignore"
    )
    for k, index in CASES[: 2 if mode == "DebugMode" else None]:
        given = kind.filter(values[k]) if kind is not theano.generic else values[k]
        found = f(values, values[:2], given, index)
        assert same(found, expected(record, values, given, index)), (k, index)


@pytest.mark.parametrize("mode", ["numpy", "xla"])
@pytest.mark.parametrize("elements", ["vectors", "numbers", "lists"])
@pytest.mark.parametrize("name", [n for n in RECORDS if n not in ("getitem", "constant")])
def test_an_op_takes_empty_lists(name, elements, mode):
    (kind, values), record = ELEMENTS[elements], RECORDS[name]
    x, y, e, i = variables(kind)
    f = theano.function(
        [x, y, e, i], record.build(x, y, e, i), mode=MODES[mode], on_unused_input="ignore"
    )
    given = kind.filter(values[0])
    assert same(f([], [], given, 0), record.plain([], [], given, 0))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", [n for n, record in RECORDS.items() if record.inplace])
def test_an_op_in_place_gives_the_same_in_the_memory_of_its_list(name, mode):
    (kind, values), record = ELEMENTS["vectors"], RECORDS[name]
    x, y, e, i = variables(kind)
    made = record.inplace(x, y, e, i)
    assert str(made.owner.op) == f"{type(made.owner.op).__name__}{{inplace}}"
    f = theano.function(
        [theano.In(x, mutable=True, borrow=True, strict=True), y, e, i],
        theano.Out(made, borrow=True),
        mode=MODES[mode],
        accept_inplace=True,
        on_unused_input="ignore",
    )
    given = [v.copy() for v in values]
    wanted = expected(record, values, values[1], 1)
    found = f(given, values[:2], values[1], 1)
    assert same(found, wanted)
    if mode != "DebugMode":  # which works on copies
        assert found is given


@pytest.mark.parametrize("mode", ["numpy", "xla", "default", "py"])
@pytest.mark.parametrize("name", RECORDS)
def test_what_is_given_stays_as_it_was_and_what_comes_back_is_the_callers(name, mode):
    (kind, values), record = ELEMENTS["vectors"], RECORDS[name]
    x, y, e, i = variables(kind)
    f = theano.function(
        [x, y, e, i], record.build(x, y, e, i), mode=MODES[mode], on_unused_input="ignore"
    )
    given = [v.copy() for v in values], [v.copy() for v in values], values[0].copy()
    found = f(*given, 1)
    for one in found if isinstance(found, list) else [found]:
        one[...] = 77
    assert same(given[0], values) and same(given[1], values) and same(given[2], values[0])
    assert same(f(*given, 1), record.plain(values, values, values[0], 1))


@pytest.mark.parametrize("mode", ["numpy", "xla", "default", "py"])
@pytest.mark.parametrize("index", [3, -4, 2**40])
def test_an_index_out_of_range_raises_with_the_line_of_the_user(index, mode):
    x, i = TypedListType(T.dvector)("x"), T.lscalar("i")
    f = theano.function([x, i], x[i] * 2, mode=MODES[mode])
    with pytest.raises(IndexError) as caught:
        f([[1.0], [2.0], [3.0]], index)
    text = str(caught.value)
    assert f"GetItem takes an index into a list of 3 elements, got {index}" in text
    assert "Apply node that caused the error: GetItem(x, i)" in text
    assert "f = theano.function([x, i], x[i] * 2, mode=MODES[mode])" in text


@pytest.mark.parametrize("mode", ["numpy", "xla"])
def test_the_index_of_what_is_not_in_the_list_is_an_error(mode):
    x, e = TypedListType(T.dvector)("x"), T.dvector("e")
    f = theano.function([x, e], x.ind(e), mode=MODES[mode])
    with pytest.raises(ValueError, match="which none of its 1 elements equals"):
        f([[1.0]], [2.0])


X, V = TypedListType(T.dvector)("x"), T.dvector("v")


@pytest.mark.parametrize(
    ("build", "error", "says"),
    [
        (lambda: basic.append(3, V), TypeError, "Append takes a typed list, got 3 of int"),
        (lambda: basic.reverse(V), TypeError, "Reverse takes a typed list, got v of TensorType"),
        (lambda: basic.append(X, T.dmatrix()), TypeError, "takes an element of TensorType"),
        (lambda: basic.append(X, "a"), TypeError, "as the list x has them, got 'a': "),
        (lambda: basic.count(X, T.fvector()), TypeError, "Count takes an element of TensorType"),
        (lambda: basic.extend(X, V), TypeError, "a variable of type TypedList"),
        (lambda: basic.extend(X, [[[1.0]]]), TypeError, "Wrong number of dimensions"),
        (lambda: X[1.5], TypeError, r"GetItem takes an integer as index, got 1\.5"),
        (lambda: X[V], TypeError, "GetItem takes a 0-d integer tensor as index, got v of"),
        (lambda: X[T.dscalar()], TypeError, "takes a 0-d integer tensor as index"),
        (lambda: X[1.5:], TypeError, "cannot be interpreted as an integer"),
        (lambda: basic.insert(X, "a", V), TypeError, "Insert takes an integer as index, got 'a'"),
        (lambda: basic.make_list([]), ValueError, "MakeList takes one variable or more"),
        (lambda: basic.make_list([V, T.fvector()]), TypeError, "takes variables of one type, got"),
        (lambda: list(X), TypeError, "has no elements before it runs: loop over it with theano"),
        (lambda: V in X, TypeError, "not iterable"),
        (lambda: len(X), TypeError, "has no value before it runs, so it is no integer"),
    ],
)
def test_what_an_op_does_not_take_is_refused_when_the_graph_is_built(build, error, says):
    with pytest.raises(error, match=says):
        build()


def test_values_become_constants_of_the_type_of_the_elements():
    found = X.append([1, 2]).insert(0, np.float32([3])).extend([[4]]).remove([1, 2])
    assert [v.tolist() for v in found.eval({X: []})] == [[3], [4]]


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "uint64"])
def test_integers_of_every_dtype_are_indices(dtype):
    i = T.scalar(dtype=dtype)
    assert X[i].eval({X: [[1.0], [2.0]], i: 1}).tolist() == [2]


def test_a_slice_may_be_a_variable_or_have_variables_for_its_parts():
    s, i = T.slicetype("s"), T.bscalar("i")
    values = [[1.0], [2.0], [3.0]]
    assert [v.tolist() for v in X[s].eval({X: values, s: slice(None, None, -1)})] == [[3], [2], [1]]
    assert [v.tolist() for v in X[1:i].eval({X: values, i: 2})] == [[2]]


def test_results_have_the_types_of_the_documents():
    assert basic.append(X, V).type == basic.reverse(X).type == X[1:].type == X.type
    assert X[0].type == T.dvector
    assert basic.length(X).type == T.lscalar
    assert basic.count(X, V).type == basic.index_(X, V).type == T.scalar().type
    assert basic.make_list([V, V]).type == X.type


def test_ops_are_equal_by_class_and_by_working_in_place():
    assert basic.Append() == basic.append != basic.Append(inplace=True) != basic.Extend(True)
    assert hash(basic.Append()) == hash(basic.append)
    assert basic.append.view_map == {0: [0]} and not basic.append.destroy_map
    assert basic.Append(True).destroy_map == {0: [0]} and not basic.Append(True).view_map
    assert basic.getitem.view_map == {0: [0]}


# derivatives


def test_no_gradient_goes_through_a_list_and_this_is_said():
    for made in (basic.make_list([V, V])[0], X.append(V)[-1], X.insert(0, V)[0]):
        with pytest.raises(theano.gradient.NullTypeGradError, match="do not go through typed list"):
            theano.grad(made.sum(), V)
        with pytest.raises(theano.gradient.NullTypeGradError, match="do not go through typed list"):
            theano.Rop(made, V, V)


def test_numbers_about_a_list_are_constant_to_gradients():
    made = basic.make_list([V, V])
    for number in (made.__len__(), made.count(V), made.ind(V) + 2):
        cost = number * V.sum()
        assert theano.grad(cost, V).eval({V: [1.0, 2.0]}).tolist() == [2, 2]
        assert theano.Rop(cost, V, V).eval({V: [1.0, 2.0]}) == 6
    with pytest.raises(theano.gradient.DisconnectedInputError):
        theano.grad(made.count(V), V)


def test_a_gradient_may_be_taken_with_respect_to_an_element():
    x = X[0]
    assert theano.grad((x**2).sum(), x).eval({X: [[1.0, 2.0]]}).tolist() == [2, 4]
