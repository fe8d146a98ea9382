"""Arrays of other libraries go in as NumPy's of the same dtype do, and results go out to them."""

import array
import subprocess
import sys

import jax
import numpy as np
import pytest

import theano
import theano.sparse
import theano.tensor as T
from tests.other_arrays import OnlyDLPack, of_jax

ENGINES = ["py", "numpy", "xla"]


class OnDevice(OnlyDLPack):
    def __dlpack_device__(self):
        return (2, 1)


class OnlyArray:
    """What gives an array that it keeps."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return self.values


class OnlyInterface:
    def __init__(self, values):
        self.values = values
        self.__array_interface__ = values.__array_interface__


def of_pandas(values):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(values) if values.ndim == 2 else pandas.Series(values)


def of_xarray(values):
    return pytest.importorskip("xarray").DataArray(values)


def of_torch(values):
    return pytest.importorskip("torch").from_numpy(values)


OF = {
    "dlpack": OnlyDLPack,
    "array": OnlyArray,
    "interface": OnlyInterface,
    "memoryview": memoryview,
    "jax": of_jax,
    "pandas": of_pandas,
    "xarray": of_xarray,
    "torch": of_torch,
}
#: in whose memory NumPy's arrays stay, so that a change of theirs is seen
SHARE = [name for name in OF if name not in ("jax", "pandas")]
of_each = pytest.mark.parametrize("made", OF.values(), ids=OF)
of_those_that_share = pytest.mark.parametrize("made", [OF[n] for n in SHARE], ids=SHARE)


@pytest.fixture(params=ENGINES)
def mode(request):
    return theano.Mode(linker=request.param)


# in


@of_each
def test_an_array_goes_into_functions_constants_and_shared_variables(made, mode):
    values = np.arange(6.0).reshape(2, 3)
    x = T.dmatrix("x")
    given = made(values)
    expected = (values * 2).tolist()
    assert theano.function([x], x * 2, mode=mode)(given).tolist() == expected
    assert theano.function([x], x * 2, mode=mode)(x=given).tolist() == expected
    assert theano.function([], x * 2, givens={x: given}, mode=mode)().tolist() == expected
    assert T.as_tensor_variable(given).type == T.dmatrix
    assert T.constant(given).data.tolist() == values.tolist()
    shared = theano.shared(given)
    assert shared.type == T.dmatrix and type(shared.get_value(borrow=True)) is np.ndarray
    shared.set_value(np.zeros((1, 1)))
    shared.set_value(given)
    assert shared.get_value().tolist() == values.tolist()


#: numbers that narrower dtypes do not hold
WIDE = {"int64": [2**24 + 1, 2**31 + 5], "float32": [1 / 3, 2.5], "float64": [1 / 3, 2.5]}


@of_each
@pytest.mark.parametrize("dtype", ["int64", "float32", "float64"])
def test_dtypes_are_cast_and_refused_as_those_of_numpy(made, dtype):
    values = np.array(WIDE[dtype], dtype)
    given = made(values)
    for name in ("int32", "float32", "float64", "complex64"):
        kind = T.TensorType(name, (False,))
        for how in ({}, {"allow_downcast": True}, {"allow_downcast": False}):
            try:
                expected = kind.filter(values, **how)
            except TypeError as error:
                with pytest.raises(TypeError) as caught:
                    kind.filter(given, **how)
                assert str(caught.value) == str(error)
                continue
            found = kind.filter(given, **how)
            assert type(found) is np.ndarray and found.dtype == name
            assert found.tolist() == expected.tolist()
        with pytest.raises(TypeError, match=r"strict=True takes a numpy\.ndarray"):
            kind.filter(given, strict=True)


@of_each
@pytest.mark.parametrize("dtype", ["int64", "float32", "float64"])
def test_values_that_a_narrower_dtype_holds_are_taken_as_by_theano_1(made, dtype):
    given = made(np.array([1, 2], dtype))
    for name in ("int8", "int32", "float32", "float64", "complex64"):
        found = T.TensorType(name, (False,)).filter(given)
        assert type(found) is np.ndarray and found.dtype == name
        assert found.tolist() == [1, 2]


@of_each
def test_dimensions_and_lengths_are_checked(made):
    f = theano.function([x := T.drow("x")], x * 2)
    with pytest.raises(TypeError, match="Wrong number of dimensions: expected 2, got 1"):
        f(made(np.ones(3)))
    with pytest.raises(TypeError, match="length 1 in dimension 0, got shape \\(2, 3\\)"):
        f(made(np.ones((2, 3))))
    assert f(made(np.ones((1, 3)))).tolist() == [[2, 2, 2]]


@of_those_that_share
def test_what_goes_in_is_seen_where_it_is(made):
    values = np.ones((3, 2))
    assert np.shares_memory(T.dmatrix.filter(made(values)), values)


def test_an_array_of_jax_is_seen_where_it_is():
    given = of_jax(np.ones(100))
    seen = T.dvector.filter(given)
    assert seen.ctypes.data == given.unsafe_buffer_pointer() and not seen.flags.writeable


def test_a_table_of_one_dtype_is_seen_where_it_is():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(np.ones((3, 2)))
    assert np.shares_memory(T.dmatrix.filter(table), table.to_numpy(copy=False))


@of_those_that_share
def test_what_is_kept_is_a_copy_unless_it_is_borrowed(made):
    values = np.ones(2)
    x = T.dvector("x")
    shared, other = theano.shared(made(values)), theano.shared(np.zeros(2))
    other.set_value(made(values))
    constant = theano.function([], x + 0, givens={x: made(values)})
    stored = theano.function([theano.In(x, value=made(values), update=x + 1)], x + 0)
    values[0] = 5
    assert shared.get_value().tolist() == other.get_value().tolist() == [1, 1]
    assert constant().tolist() == stored().tolist() == [1, 1]
    values[0] = 1
    shared, other = theano.shared(made(values), borrow=True), theano.shared(np.zeros(2))
    other.set_value(made(values), borrow=True)
    for held in (shared, other):
        assert np.shares_memory(held.get_value(borrow=True), values)


@pytest.mark.parametrize("made", [of_jax, of_pandas], ids=["jax", "pandas"])
def test_memory_that_its_owner_protects_is_not_borrowed(made, mode):
    given = made(np.ones(3))
    before = np.array(given)
    shared = theano.shared(np.zeros(3))
    shared.set_value(given, borrow=True)
    theano.function([], updates=[(shared, T.inc_subtensor(shared[0], 1))], mode=mode)()
    assert shared.get_value().tolist() == [2, 1, 1]
    assert np.array_equal(np.asarray(given), before)


def test_an_input_that_may_be_overwritten_is_copied_where_its_owner_protects_it(mode):
    x = T.dvector("x")
    f = theano.function([theano.In(x, mutable=True)], T.inc_subtensor(x[0], 1), mode=mode)
    given = of_jax(np.zeros(2))
    assert f(given).tolist() == [1, 0]
    assert np.from_dlpack(given).tolist() == [0, 0]


def test_buffers_of_python_are_arrays():
    doubles = array.array("d", [1.0, 2.0])
    assert theano.shared(doubles).type == T.dvector
    assert T.bvector.filter(memoryview(array.array("b", [1, 2]))).tolist() == [1, 2]
    shared = theano.shared(np.zeros(2))
    shared.set_value(doubles)
    doubles[0] = 7
    assert shared.get_value().tolist() == [1, 2]
    assert theano.shared(b"text").type is theano.generic
    assert theano.shared(bytearray(b"ab")).get_value().tolist() == [97, 98]


def test_a_list_of_arrays_is_an_array_of_them():
    given = [OnlyArray(np.ones(2)), OnlyArray(np.zeros(2))]
    assert T.dmatrix.filter(given).tolist() == [[1, 1], [0, 0]]


def test_nothing_is_imported_to_look_at_an_array():
    code = (
        "import sys, array, theano, theano.tensor as T\n"
        "x = T.dvector(); f = theano.function([x], x + 1, mode='FAST_COMPILE')\n"
        "f(array.array('d', [1.0])); theano.shared(memoryview(b'ab'))\n"
        "print([m for m in ('jax', 'torch', 'pandas', 'xarray', 'cupy') if m in sys.modules])"
    )
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert made.stdout == "[]\n"


# refusals


@pytest.fixture(params=["input", "set_value", "shared", "constant", "givens", "operator"])
def give(request):
    """Each place where a value goes in."""
    x = T.dmatrix("x")
    return {
        "input": theano.function([x], x + 1, allow_input_downcast=True),
        "set_value": theano.shared(np.zeros((1, 1))).set_value,
        "shared": theano.shared,
        "constant": T.as_tensor_variable,
        "givens": lambda value: theano.function([], x + 1, givens={x: value}),
        "operator": lambda value: x + value,
    }[request.param]


def test_what_is_on_a_device_is_told_to_come_to_the_host(give):
    with pytest.raises(TypeError, match=r"is on a device \(CUDA 1\).*value\.cpu\(\)"):
        give(OnDevice(np.ones((2, 2))))


def test_what_requires_a_gradient_is_told_to_be_detached(give):
    class Tensor(OnlyDLPack):
        requires_grad = True

    with pytest.raises(TypeError, match=r"requires a gradient, .* give value\.detach\(\)"):
        give(Tensor(np.ones((2, 2))))


def test_dtypes_that_numpy_lacks_are_refused(give):
    given = jax.numpy.ones((2, 2), "bfloat16")
    text = r"shape \(2, 2\) and dtype bfloat16; convert it first, to float32"
    with pytest.raises(TypeError, match=text):
        give(given)
    with pytest.raises(TypeError, match=text):
        T.fmatrix.filter(np.asarray(given), allow_downcast=True)


def test_arrays_of_objects_are_refused(give):
    with pytest.raises(TypeError, match=r"got .*OnlyArray of dtype object; make numbers"):
        give(OnlyArray(np.array([[None, "a"]], object)))


def test_what_cannot_be_read_says_why(give):
    class Broken:
        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("not today.")

    with pytest.raises(TypeError, match=r"NumPy cannot read .*\.Broken: not today"):
        give(Broken())


def test_columns_that_hold_no_numbers_are_named(give):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(
        {"weight": [1.0, 2.0], "name": ["a", "b"], "kind": pandas.Categorical(["u", "v"])}
    )
    with pytest.raises(TypeError, match=r"other things in 'name' \(.*\), 'kind' \(category\)"):
        give(table)


def test_missing_integers_are_named(give):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"a": [1, 2], "b": [1, None]}).astype("Int64")
    with pytest.raises(TypeError, match=r"missing values in 'b', and int64 has none"):
        give(table)


def test_a_sparse_matrix_for_a_dense_variable_is_told_where_it_goes():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TypeError, match=r"theano\.sparse, or dense, as value\.toarray\(\)"):
        T.dmatrix.filter(sparse.csr_matrix(np.eye(2)))


# tables


def test_columns_that_may_be_missing_are_numbers_where_none_is():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"a": [1, 2], "b": [True, False]}).astype({"a": "Int32"})
    assert T.imatrix.filter(table).tolist() == [[1, 1], [2, 0]]
    floats = pandas.Series([1.5, None], dtype="Float64")
    np.testing.assert_array_equal(T.dvector.filter(floats), [1.5, np.nan])
    assert theano.shared(pandas.Series([1, 2], dtype="Int16")).dtype == "int16"


def test_any_object_can_still_be_shared_as_it_is():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"name": ["a"]})
    shared = theano.compile.sharedvalue.generic_constructor(table)
    assert type(shared.get_value()) is pandas.DataFrame and shared.get_value().equals(table)


# sparse


def test_sparse_inputs_take_any_array_of_two_dimensions():
    sparse = pytest.importorskip("scipy.sparse")
    x = theano.sparse.csr_matrix("x", dtype="float64")
    f = theano.function([x], theano.sparse.dense_from_sparse(x) * 2)
    values = np.eye(2)
    for given in (sparse.csc_matrix(values), sparse.coo_array(values), OnlyDLPack(values)):
        assert f(given).tolist() == [[2, 0], [0, 2]]


# out


@pytest.mark.parametrize("length", [3, 40_000])
def test_results_are_arrays_that_others_take_without_a_copy(length, mode):
    x = T.fvector("x")
    made = theano.function([x], x * 2, mode=mode)(np.ones(length, "float32"))
    assert type(made) is np.ndarray and made.flags.writeable
    np.from_dlpack(made)[0] = 7
    assert made[0] == 7
    assert jax.dlpack.from_dlpack(made).tolist() == made.tolist()


def test_results_go_into_tables_and_labelled_arrays(mode):
    pandas, xarray = pytest.importorskip("pandas"), pytest.importorskip("xarray")
    x = T.dmatrix("x")
    made = theano.function([x], x * 2, mode=mode)(np.ones((2, 3)))
    assert pandas.DataFrame(made, columns=list("abc")).sum().tolist() == [4, 4, 4]
    assert xarray.DataArray(made, dims=("u", "v")).sum("u").values.tolist() == [4, 4, 4]


def test_results_go_to_torch_and_back(mode):
    torch = pytest.importorskip("torch")
    x = T.dmatrix("x")
    f = theano.function([x], x * 2, mode=mode)
    made = f(np.ones((2, 3)))
    tensor = torch.from_dlpack(made)
    tensor[0, 0] = 5
    assert made[0, 0] == 5
    assert f(tensor).tolist() == [[10, 4, 4], [4, 4, 4]]
    w = theano.shared(np.ones(2))
    copied, borrowed = torch.from_dlpack(w), torch.from_dlpack(w, copy=False)
    borrowed[0] = 3
    assert copied.tolist() == [1, 1] and w.get_value().tolist() == [3, 1]


def test_what_torch_cannot_hand_over_is_refused(give):
    torch = pytest.importorskip("torch")
    ones = torch.ones(2, 2, dtype=torch.float64)
    for given, text in [
        (ones.clone().requires_grad_(), r"give value\.detach\(\)"),
        (ones.bfloat16(), r"dtype torch\.bfloat16: .*convert it first, to float32"),
        (ones.to("meta"), r"NumPy cannot read torch\.Tensor .*cpu"),
        (ones.to_sparse(), r"to_dense\(\)"),
        (ones.to(torch.complex128).conj(), r"resolve_conj\(\)"),
    ]:
        with pytest.raises(TypeError, match=text):
            give(given)


def test_shared_variables_hand_out_a_copy_by_dlpack_unless_asked_not_to(mode):
    w = theano.shared(np.ones(2))
    theano.function([], updates=[(w, w + 1)], mode=mode)()
    copied = np.from_dlpack(w)
    assert copied.tolist() == [2, 2] and not np.shares_memory(copied, w.get_value(borrow=True))
    if np.lib.NumpyVersion(np.__version__) >= "2.1.0":
        borrowed = np.from_dlpack(w, copy=False)
        assert np.shares_memory(borrowed, w.get_value(borrow=True))
    assert jax.dlpack.from_dlpack(theano.shared(np.ones(2, "float32"))).tolist() == [1, 1]


def test_shared_variables_stay_symbolic_for_numpy():
    w = theano.shared(np.ones(2))
    assert isinstance(np.add(w, 1), theano.Variable)
    assert isinstance(np.exp(w), theano.Variable)
    assert np.asarray(w, dtype="float64").tolist() == [1, 1]


def test_the_internal_value_is_given_where_it_is():
    w = theano.shared(np.ones(2))
    assert w.get_value(borrow=True, return_internal_type=True) is w.get_value(borrow=True)
    step = theano.function([], updates=[(w, w + 1)], mode=theano.Mode(linker="xla"))
    step()
    held = w.get_value(borrow=True, return_internal_type=True)
    assert isinstance(held, jax.Array) and held.tolist() == [2, 2]
    assert w.get_value(borrow=True, return_internal_type=True) is held
    assert type(w.get_value(return_internal_type=True)) is np.ndarray
    step()
    assert w.get_value().tolist() == [3, 3]
