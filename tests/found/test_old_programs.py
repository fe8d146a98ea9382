"""What real packages written for Theano do, each found by running one of them here."""

import copy
import operator
import pathlib
import pickle
import re
import tomllib

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.ground.config import TheanoConfigParser

# flags


def the_record_of(flag):
    return next(p for p in theano.configparser._config_var_list if p.fullname == flag)


def test_the_record_of_a_flag_reads_and_sets_it_as_a_descriptor():
    record = the_record_of("floatX")
    with theano.config.change_flags(floatX="float64"):
        assert record.__get__(True, None) == "float64"
        record.__set__(None, "float32")
        assert theano.config.floatX == record.__get__(True, None) == "float32"
        with pytest.raises(ValueError, match="floatX takes one of"):
            record.__set__(None, "float31")
    assert record.__get__(None, type(theano.config)) is record


def test_the_record_of_a_computed_flag_reads_it_too():
    record = the_record_of("compiledir")
    assert record.__get__(True, None) == theano.config.compiledir
    with pytest.raises(AttributeError, match="takes its value when theano is imported"):
        record.__set__(None, "elsewhere")


def test_a_record_without_a_config_object_says_so():
    record = theano.configparser.IntParam(3)
    with pytest.raises(AttributeError, match="AddConfigVar"):
        record.__get__(True, None)
    mine = TheanoConfigParser({})
    theano.configparser.AddConfigVar("mine", "A number.", record, root=mine)
    record.__set__(None, "4")
    assert mine.mine == record.__get__(True, None) == 4


def test_flags_that_are_given_back_twice_are_those_of_before():
    before = theano.config.compute_test_value
    change = theano.config.change_flags(compute_test_value="ignore")
    change.__enter__()
    change.__exit__()
    change.__exit__()
    assert theano.config.compute_test_value == before
    with change:
        assert theano.config.compute_test_value == "ignore"
        with change:
            pass
        assert theano.config.compute_test_value == "ignore"
    assert theano.config.compute_test_value == before


def test_flags_that_were_never_taken_are_not_given_back():
    change = theano.config.change_flags(compute_test_value="ignore")
    with pytest.raises(RuntimeError, match="before __enter__"):
        change.__exit__()


@pytest.mark.parametrize(
    "remade", [copy.copy, copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))]
)
def test_changes_of_flags_are_copied_and_pickled_whether_they_are_made_or_not(remade):
    change = theano.config.change_flags(floatX="float32")
    before = theano.config.floatX
    with change:
        inside = remade(change)
        with pytest.raises(RuntimeError, match="before __enter__"):
            inside.__exit__()
        assert theano.config.floatX == "float32"
    assert theano.config.floatX == before
    for again in (inside, remade(change)):
        with again:
            assert theano.config.floatX == "float32"
        assert theano.config.floatX == before


# versions


def test_the_version_is_that_of_the_language_with_a_label_of_ours():
    # pymc3 parses it as semver; others compare numbers, or texts
    number, plus, label = theano.__version__.partition("+")
    assert plus and re.fullmatch(r"\d+\.\d+\.\d+", number)
    assert re.fullmatch(r"[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*", label)
    assert theano.__version__ > "0.9" and tuple(map(int, number.split("."))) >= (1, 0, 5)
    assert theano.version.version == theano.version.full_version == theano.__version__
    assert theano.version.short_version == number


def test_the_label_of_the_version_is_the_release_that_is_packaged():
    root = pathlib.Path(__file__).parents[2]
    project = tomllib.loads((root / "pyproject.toml").read_text())
    said = project["tool"]["hatch"]["version"]
    packaged = re.search(said["pattern"], (root / said["path"]).read_text())["version"]
    assert "version" in project["project"]["dynamic"]
    assert theano.__version__.endswith(f"+xla.{packaged}")


# names


def test_the_package_holds_its_own_name():
    from theano import theano as itself

    assert itself is theano


def test_tensor_is_another_name_of_the_type():
    assert T.Tensor is T.TensorType


def test_the_op_of_join_has_a_name():
    x = T.dvector("x")
    assert T.join_ == T.join(0, x, x).owner.op
    assert T.join_(0, x, x).eval({x: [1.0, 2.0]}).tolist() == [1, 2, 1, 2]


def test_a_float_of_no_complex_numbers():
    ts = theano.scalar
    assert ts.upgrade_to_float_no_complex(ts.int8) == (ts.float32,)
    assert ts.upgrade_to_float_no_complex(ts.float32, ts.int64) == (ts.float64,)
    with pytest.raises(TypeError, match="complex argument not supported"):
        ts.upgrade_to_float_no_complex(ts.float32, ts.complex64)


def test_the_name_that_pymc3_compares_with_that_of_pydot_is_there():
    assert hasattr(theano.printing, "Node")


def test_programs_ask_whether_a_variable_is_sparse():
    import theano.sparse as sparse

    x = T.dmatrix("x")
    assert not isinstance(x.type, sparse.SparseType)
    assert not isinstance(x.type, sparse.type.SparseType)
    assert not isinstance(x, sparse.basic.SparseVariable)
    assert isinstance(sparse.csr_matrix("y").type, sparse.type.SparseType)
    assert sparse.enable_sparse


# the language


M = np.arange(12.0).reshape(3, 4)


@pytest.mark.parametrize(
    "index",
    [
        [slice(None), slice(0, 2)],
        [0, slice(0, 2)],
        [np.int64(0), slice(1)],
        [slice(None)],
        [[0, 1], slice(None)],
    ],
)
def test_a_list_that_holds_slices_is_an_index_for_each_dimension(index):
    assert T.constant(M)[index].eval().tolist() == M[tuple(index)].tolist()


def test_a_list_without_slices_picks_rows():
    assert T.constant(M)[[0, 1]].eval().tolist() == M[[0, 1]].tolist()
    assert T.constant(M)[[[0, 1], [0, 1]]].eval().shape == (2, 2, 4)


def test_a_list_that_holds_slices_says_where_to_write():
    made = T.set_subtensor(T.constant(M)[[slice(None), slice(0, 2)]], 0)
    assert (made.eval()[:, :2] == 0).all() and (made.eval()[:, 2:] == M[:, 2:]).all()


def test_roots_of_several_variables_begin_with_the_last():
    # Lasagne numbers parameters by this order
    a, b, c, d = T.dscalars("abcd")
    graph = theano.gof.graph
    middle = a + b
    f, h = middle * c, d - b
    assert graph.inputs([a, b, c]) == [c, b, a]
    assert graph.inputs([f]) == [a, b, c]
    assert graph.inputs([f, h]) == [d, b, a, c]
    assert graph.inputs([h, f]) == [a, b, c, d]
    assert graph.inputs([f, h], [middle]) == [d, b, c]
    assert graph.ancestors([f, h]) == [h, d, b, f, middle, a, c]
    assert graph.ancestors([a, b]) == [b, a]


@pytest.mark.parametrize("axes", [range(2), {0, 1}, np.arange(2), (0, 1)])
@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod", "std", "var", "any", "all"])
def test_axes_may_be_any_iterable_of_integers(name, axes):
    x = T.constant(np.arange(24.0).reshape(2, 3, 4))
    assert getattr(x, name)(axis=axes).ndim == 1
    np.testing.assert_allclose(
        getattr(x, name)(axis=axes).eval(), getattr(x.data, name)(axis=(0, 1)), rtol=1e-12
    )


def test_axes_may_be_an_iterator():
    x = T.constant(M)
    assert x.sum(axis=iter([0, 1])).eval() == M.sum()
    assert x.std(axis=(i for i in [0])).eval().shape == (4,)
    assert x.norm(2, axis=range(2)).ndim == 0


def test_dimensions_may_be_given_as_a_range():
    x = T.dtensor3("x")
    assert x.transpose(range(3)).ndim == x.dimshuffle(range(3)).ndim == 3
    assert T.expand_dims(x, range(2)).broadcastable == (True, True, False, False, False)
    assert T.flip(T.constant(M), range(2)).eval().tolist() == M[::-1, ::-1].tolist()
    # one number in an array of its own is one number
    assert T.flip(T.constant(M), np.array(1)).eval().tolist() == M[:, ::-1].tolist()


class Kernel:
    """Something that is no array, and knows what to do beside one."""

    def answer(self, other):
        return "mine"

    __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rfloordiv__ = __rmod__ = __rpow__ = answer
    __rmatmul__ = __rand__ = __ror__ = __rxor__ = __rdivmod__ = answer
    __lt__ = __le__ = __gt__ = __ge__ = answer


OPERATORS = "add sub mul truediv floordiv mod pow matmul and_ or_ xor lt le gt ge".split()


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_leaves_what_is_no_array_to_its_own_method(name):
    # pymc3 multiplies variables by covariance functions
    for x in (T.dvector("x"), T.lscalar("i")):
        assert getattr(operator, name)(x, Kernel()) == "mine"
        assert divmod(x, Kernel()) == "mine"


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("other", [object(), None, "a", {}, [1, None]])
def test_an_operator_says_what_it_cannot_take(name, other):
    with pytest.raises(TypeError, match="TensorType"):
        getattr(operator, name)(T.dvector("x"), other)


# test values


def test_a_test_value_is_stored_as_an_array_of_the_type():
    x = T.dscalar("x")
    x.tag.test_value = np.float64(2)
    assert isinstance(x.tag.test_value, np.ndarray) and x.tag.test_value == 2
    v = T.dvector("v")
    given = np.ones(2)
    v.tag.test_value = given
    assert v.tag.test_value is given
    v.tag.test_value = [1, 2]
    assert v.tag.test_value.dtype == "float64"


def test_a_test_value_that_does_not_fit_is_refused_when_it_is_used():
    x = T.fscalar("x")
    x.tag.test_value = np.ones(2)  # nobody asks for it
    assert x.tag.test_value.shape == (2,)
    with theano.config.change_flags(compute_test_value="raise"):
        x.tag.test_value = np.ones(2, "float32")
        with pytest.raises(TypeError, match="Wrong number of dimensions"):
            T.exp(x)
        x.tag.test_value = np.float64(0.1)
        with pytest.raises(TypeError, match="float32"):
            T.exp(x)


def test_a_test_value_goes_with_copies_and_pickles():
    x = T.dscalar("x")
    x.tag.test_value = 3
    for y in (x.clone(), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert y.tag.test_value == 3 and y.tag.test_value.dtype == "float64"
        y.tag.test_value = 4
        assert y.tag.test_value == 4 and x.tag.test_value == 3


def test_what_is_no_variable_is_its_own_test_value():
    get = theano.gof.op.get_test_value
    assert get(np.ones(2)).tolist() == [1, 1]
    assert get(3).item() == 3
    assert get([1, 2]).tolist() == [1, 2]
    with pytest.raises(TypeError, match="TensorType"):
        get(None)


# NumPy's functions


def held(array, *variables):
    """Whether an array of objects holds just these variables."""
    return array.dtype == object and all(
        a is v for a, v in zip(array.ravel().tolist(), variables, strict=True)
    )


def test_at_least_so_many_dimensions_of_a_variable_are_an_array_of_one_object():
    # pymc3's step methods make a list of what may be one variable
    x, s = T.dvector("x"), T.dscalar("s")
    for n, function in enumerate((np.atleast_1d, np.atleast_2d, np.atleast_3d), 1):
        assert held(function(x), x) and function(x).shape == (1,) * n
        one, other = function(x, s)
        assert held(one, x) and held(other, s)
    assert held(np.atleast_1d([x, s]), x, s)
    assert T.atleast_2d(x).broadcastable == (True, False)


@pytest.mark.filterwarnings("ignore:NumPy makes an array of objects")
def test_a_variable_is_appended_to_a_list_of_variables_as_an_object():
    x, s = T.dvector("x"), T.dscalar("s")
    assert held(np.append([x], s), x, s)
    assert held(np.append(np.array([x, s]), s), x, s, s)


def test_elements_are_appended_to_elements():
    x = T.constant([1.0, 2.0])
    for made in (np.append(x, 3.0), np.append([1.0, 2.0], T.constant(3.0))):
        assert made.eval().tolist() == [1, 2, 3]


@pytest.mark.filterwarnings("ignore:NumPy makes an array of objects")
def test_a_variable_is_an_element_of_arrays_of_objects():
    x, w = T.dvector("x"), theano.shared(np.ones(2))
    for v in (x, w, T.constant([1.0])):
        assert held(np.asarray(v), v) and held(np.array(v), v)
        assert held(np.asarray([v, v]), v, v)
        assert held(np.array([[v, v]] * 2), v, v, v, v)
        assert held(np.array(v, dtype=object), v)
    assert np.array([x, 1.0]).tolist() == [x, 1.0]
    assert np.sum([w, w]).owner.op == T.add
