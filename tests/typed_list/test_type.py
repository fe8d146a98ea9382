"""TypedListType: what values it takes, when types and values are equal, constants, shared lists."""

import copy
import pickle

import jax
import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.typed_list.basic import TypedListConstant, TypedListSharedVariable, TypedListVariable
from theano.typed_list.type import TypedListType

VECTORS = TypedListType(T.fvector)


def same(a, b):
    """Whether two nested lists hold equal arrays of equal dtypes."""
    if isinstance(a, list) or isinstance(b, list):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and bool((a == b).all())


@pytest.mark.parametrize(
    "given",
    [
        [[1, 2, 3], [4, 5]],
        ([1, 2, 3], (4, 5)),
        [np.array([1, 2, 3], "float32"), np.array([4, 5], "int8")],
        [jax.numpy.array([1.0, 2.0, 3.0], "float32"), range(4, 6)],
        iter([[1, 2, 3], [4, 5]]),
    ],
)
def test_lists_and_other_sequences_become_lists_of_arrays(given):
    assert same(VECTORS.filter(given), [np.float32([1, 2, 3]), np.float32([4, 5])])


def test_arrays_of_the_right_type_are_taken_as_they_are_into_a_new_list():
    given = [np.ones(2, "float32")]
    found = VECTORS.filter(given)
    assert found is not given and found[0] is given[0]


def test_strictly_only_lists_of_values_of_the_type_are_taken_and_none_is_copied():
    given = [np.ones(2, "float32")]
    assert VECTORS.filter(given, strict=True) is given and VECTORS.is_valid_value(given)
    for wrong in ((np.ones(2, "float32"),), [np.ones(2)], [[1.0]]):
        assert not VECTORS.is_valid_value(wrong)
        with pytest.raises(TypeError):
            VECTORS.filter(wrong, strict=True)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (4, r"TypedList <TensorType\(float32, vector\)> takes a list, got int: 4"),
        ([4], r"Wrong number of dimensions: expected 1, got 0"),
        ([[0.1]], r"cannot hold \[0\.1\] exactly"),
        ([np.ones(2)], r"cannot store a value of dtype float64 without risking loss"),
        (T.fvector("x"), r"takes lists as values, got the symbolic variable x"),
    ],
)
def test_what_is_no_list_of_the_type_is_refused(given, says):
    with pytest.raises(TypeError, match=says):
        VECTORS.filter(given)


def test_elements_are_cast_where_precision_may_be_lost():
    assert same(VECTORS.filter([np.array([0.1])], allow_downcast=True), [np.float32([0.1])])
    x = VECTORS()
    f = theano.function([x], x, allow_input_downcast=True)
    assert same(f([[0.1]]), [np.float32([0.1])])


def test_types_are_equal_if_those_of_their_elements_are():
    assert TypedListType(T.fvector) == VECTORS != TypedListType(T.dvector)
    assert hash(TypedListType(T.fvector)) == hash(VECTORS)
    assert TypedListType(VECTORS) == TypedListType(T.fvector, 1) != VECTORS
    assert T.fvector != VECTORS
    assert pickle.loads(pickle.dumps(VECTORS)) == VECTORS


def test_depth_counts_the_lists_around():
    deep = TypedListType(T.fvector, 3)
    assert deep.get_depth() == 3 and VECTORS.get_depth() == 0
    assert deep.ttype.ttype.ttype == VECTORS
    assert str(TypedListType(T.fvector, 1)) == "TypedList <TypedList <TensorType(float32, vector)>>"
    assert same(deep.filter([[[[[1]]], []]]), [[[[np.float32([1])]], []]])


def test_a_type_takes_a_type_and_a_depth():
    with pytest.raises(TypeError, match="takes the Type of its elements, got None"):
        TypedListType(None)
    with pytest.raises(ValueError, match="takes a depth of 0 or more, got -1"):
        TypedListType(T.fvector, -1)


def test_values_are_equal_if_their_elements_are():
    one, two = np.float32([1, np.nan]), np.float32([1, np.nan])
    assert VECTORS.values_eq([one], [two]) and VECTORS.values_eq([], [])
    assert not VECTORS.values_eq([one], [one, two])
    assert not VECTORS.values_eq([one], [np.float32([2, np.nan])])
    assert not VECTORS.values_eq([np.float32([1])], [np.float32([1.0000001])])
    assert VECTORS.values_eq_approx([np.float32([1])], [np.float32([1.0000001])])
    assert not VECTORS.values_eq_approx([np.float32([1])], [np.float32([1.1])])


def test_lists_share_memory_if_some_of_their_elements_do():
    x, y = np.ones(3, "float32"), np.ones(3, "float32")
    share = VECTORS.may_share_memory
    assert share([y, x], [x[1:]]) and share([x], x) and share(x, [y, x])
    assert share([], []) is False and share([x], [y]) is False and share([x], []) is False
    here = []
    assert share(here, here)
    deep = TypedListType(T.fvector, 1)
    assert deep.may_share_memory([[y], [x]], [[x]]) and not deep.may_share_memory([[y]], [[x]])


def test_variables_say_what_their_elements_are():
    x = VECTORS("x")
    assert isinstance(x, TypedListVariable) and x.name == "x"
    assert (x.ttype, x.dtype, x.ndim) == (T.fvector, "float32", 2)
    deep = TypedListType(T.fvector, 1)()
    assert (deep.ttype, deep.ndim) == (VECTORS, 3)


def test_a_constant_is_a_copy_and_equal_ones_are_merged():
    given = [np.float32([1, 2]), np.float32([3])]
    one, two = TypedListConstant(VECTORS, given), TypedListConstant(VECTORS, given)
    given[0][0] = 9
    assert same(one.data, [np.float32([1, 2]), np.float32([3])])
    other = TypedListConstant(VECTORS, given)
    assert one.equals(two) and one.equals(one.clone()) and not one.equals(other)
    assert one.clone().data is one.data
    i = T.lscalar()
    f = theano.function([i], [one[i], two[i], other[i]])
    assert len(f.maker.fgraph.apply_nodes) <= 5
    assert [x.tolist() for x in f(0)] == [[1, 2], [1, 2], [9, 2]]
    assert one.equals(pickle.loads(pickle.dumps(one)))


def test_what_a_function_gives_of_a_constant_is_the_callers():
    c = TypedListConstant(VECTORS, [[1, 2]])
    f, g = theano.function([], c), theano.function([], c[0])
    f()[0][:] = 7
    g()[:] = 7
    assert f()[0].tolist() == g().tolist() == [1, 2]


def test_a_shared_list_is_a_copy_unless_it_is_lent():
    given = [np.float32([1, 2])]
    s = theano.shared(given, type=VECTORS, name="s")
    given[0][0] = 9
    assert isinstance(s, TypedListSharedVariable) and s.type == VECTORS and s.name == "s"
    assert same(s.get_value(), [np.float32([1, 2])])
    s.get_value()[0][0] = 9
    assert same(s.get_value(), [np.float32([1, 2])])
    s.get_value(borrow=True)[0][0] = 5
    assert same(s.get_value(), [np.float32([5, 2])])
    lent = theano.shared(given, type=VECTORS, borrow=True)
    given[0][0] = 4
    assert lent.get_value()[0][0] == 4
    assert s[0].eval().tolist() == [5, 2] and s.__len__().eval() == 1


def test_a_shared_list_takes_values_of_its_type():
    s = theano.shared([], type=VECTORS, name="s")
    s.set_value([[1, 2]])
    assert same(s.get_value(), [np.float32([1, 2])])
    with pytest.raises(TypeError, match="set_value of s takes TypedList"):
        s.set_value([1])
    with pytest.raises(TypeError, match=r"has no zero; set_value\(\[\]\) makes it empty"):
        s.zero()
    assert same(copy.deepcopy(s).get_value(), s.get_value())


def test_shared_makes_arrays_of_lists_unless_it_is_told_the_type():
    assert theano.shared([[1.0, 2.0]]).type == T.dmatrix
    with pytest.raises(TypeError, match="the type of a typed list is needed, got TensorType"):
        theano.shared([1.0], type=T.dvector)


def test_a_plain_shared_variable_of_the_type_is_a_list_too():
    s = theano.SharedVariable("s", VECTORS, [[1, 2]], strict=False)
    x = T.fvector()
    f = theano.function([x], updates=[(s, theano.typed_list.append(s, x))])
    f([3])
    assert same(s.get_value(), [np.float32([1, 2]), np.float32([3])])
