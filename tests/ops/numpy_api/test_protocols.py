"""NumPy's functions on symbolic variables: all of them, equal to NumPy, refused where they must."""

import re
import warnings

import numpy as np
import pytest
import scipy.special

import theano
import theano.tensor as T
from tests.ops.numpy_api import numpy_calls, numpy_programs
from theano._src.ops.numpy_api.np_refused import REFUSED
from theano._src.ops.numpy_api.protocols import OF_OBJECTS, dispatched, function_table, ufunc_table

SPACES = {"numpy": np, "numpy.linalg": np.linalg, "numpy.fft": np.fft}


def variable(name, value):
    value = np.asarray(value)
    return T.TensorType(value.dtype.name, (False,) * value.ndim)(name)


def parts(result):
    """The arrays, variables or plain values of a result, in a row."""
    if isinstance(result, (list, tuple)):
        return [part for entry in result for part in parts(entry)]
    return [result]


def run(linker, inputs, values, wanted):
    """``wanted`` with each variable replaced by its value."""
    outputs = [v for v in wanted if isinstance(v, theano.Variable)]
    f = theano.function(inputs, outputs, mode=theano.Mode(linker), on_unused_input="ignore")
    found = iter(f(*values))
    return [next(found) if isinstance(v, theano.Variable) else v for v in wanted]


def same(found, expected, tell=""):
    if len(found) == 1 < len(expected):  # a shape is a tuple there and a vector here
        expected = [np.asarray(expected)]
    assert len(found) == len(expected), tell
    for one, other in zip(found, expected):
        if isinstance(other, np.dtype):
            assert one == other, tell
            continue
        one, other = np.asarray(one), np.asarray(other)
        assert (one.dtype, one.shape) == (other.dtype, other.shape), tell
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12, err_msg=tell)


NAMES = list(numpy_calls.ARRAYS)
VALUES = list(numpy_calls.ARRAYS.values())


def on_arrays(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # logarithms of 0, empty slices
        warnings.simplefilter("ignore", DeprecationWarning)  # np.fix, from NumPy 2.5 on
        return parts(eval(call, {"np": np, **numpy_calls.ARRAYS}))


def on_variables(call, variables):
    return parts(eval(call, {"np": np, **dict(zip(NAMES, variables))}))


@pytest.mark.parametrize("call", numpy_calls.CALLS)
def test_a_call_on_variables_gives_what_it_gives_on_arrays(call):
    variables = [variable(*item) for item in numpy_calls.ARRAYS.items()]
    same(run("numpy", variables, VALUES, on_variables(call, variables)), on_arrays(call), call)


@pytest.mark.xla
@pytest.mark.parametrize("first", range(0, len(numpy_calls.CALLS), 40))
def test_calls_give_on_xla_what_they_give_on_arrays(first):
    calls = numpy_calls.CALLS[first : first + 40]
    variables = [variable(*item) for item in numpy_calls.ARRAYS.items()]
    made = [on_variables(call, variables) for call in calls]
    found = iter(run("xla", variables, VALUES, [v for one in made for v in one]))
    for call, one in zip(calls, made):
        same([next(found) for _ in one], on_arrays(call), call)


def called(call):
    """The functions of NumPy that a call names."""
    paths = re.findall(r"np((?:\.[a-z]\w*)+)\(", call)
    for path in paths:
        thing = np
        for name in path.split(".")[1:]:
            thing = getattr(thing, name)
        yield thing


def test_every_function_of_numpy_has_a_symbolic_form_or_a_reason_for_none():
    forgotten = []
    for space, module in SPACES.items():
        for name in module.__all__:
            thing = getattr(module, name)
            if isinstance(thing, np.ufunc):
                known = thing in ufunc_table() or f"numpy.{thing.__name__}" in REFUSED
            else:
                known = (
                    not dispatched(thing)
                    or thing in function_table()
                    or thing in OF_OBJECTS
                    or f"{space}.{name}" in REFUSED
                )
            if not known:
                forgotten.append(f"{space}.{name}")
    assert forgotten == []


def test_every_symbolic_form_is_called_here():
    seen = {thing for call in numpy_calls.CALLS for thing in called(call)}
    table = [*ufunc_table(), *function_table()]
    assert [t.__name__ for t in table if t not in seen] == []
    assert len(table) > 300


def test_what_has_a_reason_has_no_form():
    forms = {f"{t.__module__}.{t.__name__}" for t in function_table()}
    forms |= {f"numpy.{u.__name__}" for u in ufunc_table()}
    assert forms & set(REFUSED) == set()
    assert [name for name in REFUSED if not hasattr(np, name.removeprefix("numpy."))] == []


@pytest.mark.parametrize("program", numpy_programs.PROGRAMS, ids=lambda p: p[0].__name__)
def test_a_program_of_plain_numpy_takes_variables(program):
    function, *values = program
    given = [v if isinstance(v, list) else variable(f"v{i}", v) for i, v in enumerate(values)]
    inputs = [v for v in given if isinstance(v, theano.Variable)]
    made = parts(function(*given))
    assert all(isinstance(v, theano.Variable) for v in made)
    arrays = [v for v in values if not isinstance(v, list)]
    same(run("numpy", inputs, arrays, made), parts(function(*values)))


@pytest.mark.xla
@pytest.mark.parametrize("first", range(0, len(numpy_programs.PROGRAMS), 12))
def test_programs_of_plain_numpy_run_on_xla(first):
    inputs, arrays, made, expected = [], [], [], []
    for function, *values in numpy_programs.PROGRAMS[first : first + 12]:
        given = [v if isinstance(v, list) else variable(f"v{i}", v) for i, v in enumerate(values)]
        inputs += [v for v in given if isinstance(v, theano.Variable)]
        arrays += [v for v in values if not isinstance(v, list)]
        made += parts(function(*given))
        expected += parts(function(*values))
    same(run("xla", inputs, arrays, made), expected)


def slope(function, values, step=1e-6):
    """Of the sum of what ``function`` gives, by differences in its first argument."""
    first, *rest = values
    found = np.empty_like(first)
    for place in np.ndindex(first.shape):
        ends = []
        for sign in (1, -1):
            moved = first.copy()
            moved[place] += sign * step
            ends.append(np.sum(function(moved, *rest)))
        found[place] = (ends[0] - ends[1]) / (2 * step)
    return found


@pytest.mark.parametrize(
    "name",
    (
        "log_sum_exp layer_norm rbf_kernel gaussian_log_density logistic_loss cross_entropy "
        "attention huber ridge mahalanobis gelu perceptron newton_root smoothed second_derivative "
        "best_plane"
    ).split(),
)
def test_a_program_of_plain_numpy_is_differentiated(name):
    function, *values = next(p for p in numpy_programs.PROGRAMS if p[0].__name__ == name)
    inputs = [variable(f"v{i}", v) for i, v in enumerate(values)]
    g = theano.grad(np.sum(function(*inputs)), inputs[0])
    (found,) = run("numpy", inputs, values, [g])
    np.testing.assert_allclose(found, slope(function, values), rtol=1e-6, atol=1e-8)


x, y = T.dvector("x"), T.dvector("y")
M = T.dmatrix("M")
a = np.ones(3)

# what Theano 1.0.5 built for an array or a NumPy number on the left
BUILT = {
    "a + x": "Elemwise{add,no_inplace}(TensorConstant{(3,) of 1.0}, x)",
    "a - x": "Elemwise{sub,no_inplace}(TensorConstant{(3,) of 1.0}, x)",
    "a / x": "Elemwise{true_div,no_inplace}(TensorConstant{(3,) of 1.0}, x)",
    "a // x": "Elemwise{int_div,no_inplace}(TensorConstant{(3,) of 1.0}, x)",
    "a % x": "Elemwise{mod,no_inplace}(TensorConstant{(3,) of 1.0}, x)",
    "a < x": "Elemwise{gt,no_inplace}(x, TensorConstant{(3,) of 1.0})",
    "a >= x": "Elemwise{le,no_inplace}(x, TensorConstant{(3,) of 1.0})",
    "np.float64(2) * x": "Elemwise{mul,no_inplace}(InplaceDimShuffle{x}.0, x)",
    "np.float32(2) ** x": "Elemwise{pow,no_inplace}(InplaceDimShuffle{x}.0, x)",
    "x ** np.float32(2)": "Elemwise{pow,no_inplace}(x, InplaceDimShuffle{x}.0)",
    "np.float64(1) < x": "Elemwise{gt,no_inplace}(x, InplaceDimShuffle{x}.0)",
    "np.array([1, 2]) + x": "Elemwise{add,no_inplace}(TensorConstant{[1 2]}, x)",
    "np.sum([x, y])": "Elemwise{add,no_inplace}(x, y)",
}


@pytest.mark.parametrize("text", BUILT)
def test_an_operator_with_an_array_on_the_left_builds_what_it_always_built(text):
    built = eval(text, {"np": np, "a": a, "x": x, "y": y})
    assert str(built.owner) == BUILT[text]


@pytest.mark.filterwarnings("ignore:Variables are compared")
def test_equality_is_that_of_objects_whichever_side_the_array_is_on():
    two = np.float64(2)
    assert (a == x) is False and (x == a) is False
    assert (a != x) is True and (x != a) is True
    assert (two == x) is False and (x == two) is False
    assert x not in [a, two] and a not in [x]
    assert [a, two] != [x, x]
    assert x in [y, x] and [y, x].index(x) == 1


def test_equality_of_elements_is_a_function():
    for built in (np.equal(a, x), np.equal(x, a)):
        assert built.dtype == "bool" and built.eval({x: [1.0, 2.0, 1.0]}).tolist() == [1, 0, 1]
    assert np.not_equal(a, x).eval({x: [1.0, 2.0, 1.0]}).tolist() == [0, 1, 0]


@pytest.mark.filterwarnings("ignore:NumPy makes an array of objects")
def test_a_variable_is_still_one_object_to_an_array():
    assert np.asarray(x).dtype == object and np.asarray(x).shape == ()
    pair = np.array([x, y], dtype=object)
    assert pair.shape == (2,) and pair[0] is x and pair[1] is y
    assert (pair + 1)[1].owner.inputs[0] is y
    assert np.isscalar(x) is False and np.ndim(x) == 1


def test_an_array_added_to_in_place_is_a_new_expression():
    total = given = np.zeros(3)
    total += x
    assert isinstance(total, theano.Variable) and given.tolist() == [0, 0, 0]
    total = np.eye(3)
    total @= M
    assert total.eval({M: np.ones((3, 3))}).tolist() == np.ones((3, 3)).tolist()


def test_an_array_cannot_be_written_to():
    out = np.zeros(3)
    for call in (lambda: np.add(a, x, out=out), lambda: np.add(out, x, out=out)):
        with pytest.raises(TypeError, match="symbolic variables takes its operands, got out"):
            call()
    with pytest.raises(TypeError, match=r"numpy.sum .* takes a, axis, dtype, keepdims, got out="):
        np.sum(x, out=out)
    with pytest.raises(TypeError, match="keep what it returns"):
        np.add.at(x, [0], 1)
    assert out.tolist() == [0, 0, 0]


def test_every_kind_of_variable_answers():
    shared, constant = theano.shared(np.arange(3.0), "w"), T.constant([1.0, 2.0, 4.0])
    for v in (shared, constant, shared + constant, theano.shared(2.0), T.iscalar()):
        assert isinstance(np.exp(v), T.TensorVariable)
        assert isinstance(np.sum(v), T.TensorVariable)
    assert np.dot(shared, constant).eval() == 10
    assert np.multiply(np.ones(3), shared).eval().tolist() == [0, 1, 2]


def test_the_module_of_scipys_special_functions_answers_too():
    point = np.array([0.3, 1.5, 2.5])
    for name in "expit erf erfc gammaln psi gamma j0 i0 erfcx".split():
        function = getattr(scipy.special, name)
        np.testing.assert_allclose(function(x).eval({x: point}), function(point), rtol=1e-12)
    with pytest.raises(TypeError, match=r"scipy.special.\w+ takes arrays, got symbolic variables"):
        scipy.special.ellipk(x)


OPTIONS = {
    "np.add(x, y, where=x > 0)": "numpy.add of symbolic variables takes its operands, got where=",
    "np.add(x, y, dtype='float32')": "takes its operands, got dtype='float32'; leave it out: cast",
    "np.add(x, y, casting='unsafe')": "got casting='unsafe'",
    "np.matmul(M, M, axes=[(0, 1), (0, 1), (0, 1)])": "got axes=",
    "np.add.reduce(x, initial=3)": "numpy.add.reduce .* takes array, axis, got initial=3",
    "np.add.reduce(x, where=x > 0)": "got where=",
    "np.sum(x, where=x > 0)": "numpy.sum of symbolic .* takes a, axis, dtype, keepdims, got where=",
    "np.sum(x, initial=1)": "got initial=1; leave it out",
    "np.std(M, dtype='float32')": "numpy.std .* takes a, axis, ddof, keepdims, got dtype='float32",
    "np.cumsum(x, dtype='float32')": "numpy.cumsum .* takes a, axis, got dtype='float32'",
    "np.concatenate([x, y], dtype='float32')": "takes arrays, axis, got dtype='float32'",
    "np.reshape(M, (6,), order='F')": "takes order='C', got 'F'; transpose first",
    "np.zeros_like(x, shape=(3,))": "takes a, dtype, got shape=",
    "np.linalg.pinv(M, hermitian=True)": "numpy.linalg.pinv .* takes a, got hermitian=True",
    "np.linalg.svd(M, hermitian=True)": "takes a, full_matrices, compute_uv, got hermitian",
    "np.fft.rfft(x, out=a)": "numpy.fft.rfft .* takes a, n, axis, norm, got out=.*keep what it",
    "np.gradient(M, edge_order=2)": "takes a step for each axis",
}


@pytest.mark.parametrize("text", OPTIONS)
def test_an_option_that_no_op_has_is_refused_by_name(text):
    with pytest.raises(TypeError, match=OPTIONS[text]):
        eval(text, {"np": np, "x": x, "y": y, "M": M, "a": a})


@pytest.mark.parametrize(
    "text",
    [
        "np.add(x, y, where=True, dtype=None, casting='same_kind')",
        "np.sum(x, None, None, None)",
        "np.add.reduce(x, 0, None, None)",
        "np.std(x, dtype=None, out=None)",
        "np.copy(x, order='K')",
    ],
)
def test_an_option_at_its_default_changes_nothing(text):
    assert isinstance(eval(text, {"np": np, "x": x, "y": y}), T.TensorVariable)


ABSENT = {
    "np.put(x, [0], [1.0])": "numpy.put takes arrays, got .*: variables never change; use set_sub",
    "np.copyto(a, x)": "numpy.copyto takes arrays, got .*set_subtensor",
    "np.fill_diagonal(M, 1)": "numpy.fill_diagonal takes arrays",
    "np.savez('file', x)": "numpy.savez takes arrays, .*only values can be written to a file",
    "np.array_repr(x)": "theano.printing shows expressions",
    "np.histogram2d(x, y)": "numpy.histogram2d takes arrays, got .*theano.as_op",
    "np.apply_along_axis(len, 0, M)": "numpy.apply_along_axis .*theano.scan",
    "np.gcd(x, y)": "numpy.gcd takes arrays, got symbolic variables: .*theano.as_op",
    "np.spacing(x)": "numpy.spacing takes arrays",
    "np.add.reduceat(x, [0, 1])": "numpy.add.reduceat takes arrays, .*has nothing of that meaning",
    "np.arctan2.reduce(x)": "numpy.arctan2.reduce takes arrays",
    "np.maximum.accumulate(x)": "numpy.maximum.accumulate takes arrays",
    "np.zeros(3, like=x)": "numpy.zeros takes arrays",
    "np.frompyfunc(abs, 1, 1)(x)": r"abs \(vectorized\) takes arrays",
}


@pytest.mark.parametrize("text", ABSENT)
def test_what_has_no_symbolic_form_says_so_and_what_to_do(text):
    with pytest.raises(TypeError, match=ABSENT[text]):
        eval(text, {"np": np, "x": x, "y": y, "M": M, "a": a.copy()})


def test_an_index_outside_is_not_passed_over():
    for made in (np.delete(x, 3), np.delete(x, -4), np.insert(x, 4, 0.0)):
        with pytest.raises(AssertionError, match="takes an index within the axis"):
            made.eval({x: [1.0, 2.0, 3.0]})


def test_a_transform_of_numpy_is_differentiated():
    # the squares of the frequencies sum to those of the numbers, times their number
    power = np.sum(np.abs(np.fft.fft(x)) ** 2)
    point = np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(theano.grad(power, x).eval({x: point}), 6 * point, rtol=1e-12)


def test_an_array_of_another_library_is_asked_in_its_turn():
    class Other:
        def __array_function__(self, function, types, args, kwargs):
            return function.__name__

    assert np.concatenate([x, Other()]) == "concatenate"


def test_the_table_is_made_when_it_is_first_needed():
    import subprocess
    import sys

    code = (
        "import numpy as np, theano.tensor as T\n"
        "from theano._src.ops.numpy_api.protocols import ufunc_table\n"
        "assert ufunc_table.cache_info().currsize == 0\n"
        "np.exp(T.dvector())\n"
        "assert ufunc_table.cache_info().currsize == 1\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
