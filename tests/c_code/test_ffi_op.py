"""Ops whose meaning is the body of a C function, on both engines."""

import gc
import pickle
import threading

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.c_code.kernels import RunningSum
from theano._src.c_code import library_cache
from theano._src.c_code.compiler import CompileError, why_no_compiler
from theano.extend import Apply, FFIOp
from theano.gradient import verify_grad
from theano.ifelse import ifelse

pytestmark = [
    pytest.mark.skipif(why_no_compiler() is not None, reason=str(why_no_compiler())),
    pytest.mark.xla,
]
ENGINES = {"numpy": theano.Mode("numpy"), "xla": theano.Mode("xla")}


class Banded(FFIOp):
    """Column sums and row sums of a matrix, scaled; any dtype."""

    __props__ = ("scale", "weights", "word", "flag")
    inames, onames = ["x"], ["columns", "rows"]

    def __init__(self, scale=1, weights=(1.0, 2.0), word="ab", flag=True):
        self.scale, self.weights, self.word, self.flag = scale, weights, word, flag

    def make_node(self, x):
        x = T.as_tensor_variable(x)
        kind = T.TensorType(x.dtype, (False,))
        return Apply(self, [x], [kind(), kind()])

    def infer_shape(self, node, shapes):
        ((n, m),) = shapes
        return [(m + 1,), (2 * n,)]

    def c_kernel(self, node):
        return """
        const int64_t n = x_shape[0], m = x_shape[1];
        for (int64_t j = 0; j <= m; j++) columns[j] = 0;
        for (int64_t i = 0; i < 2 * n; i++) rows[i] = 0;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < m; j++) {
                const dtype_x v = (dtype_x) scale * x[i * m + j];
                columns[j] += v;
                rows[i] += v;
            }
        columns[m] = (dtype_columns) (weights[0] + weights[1] + (word[0] == 'a') + flag + x_ndim);
        """


def banded(x, scale):
    columns = np.append(scale * x.sum(0), 3 + 1 + 1 + 2).astype(x.dtype)
    rows = np.concatenate([scale * x.sum(1), np.zeros(len(x))]).astype(x.dtype)
    return columns, rows


@pytest.mark.parametrize("engine", ENGINES)
def test_a_kernel_runs_on_both_engines(engine):
    x = T.dvector()
    f = theano.function([x], RunningSum()(2 * x) + 1, mode=ENGINES[engine])
    assert f([1, 2, 3]).tolist() == [3, 7, 13]
    assert f(np.arange(8.0)[::-2]).tolist() == [15, 25, 31, 33]
    assert f([]).shape == (0,)


def test_a_kernel_is_part_of_the_compiled_program():
    x = T.dvector()
    f = theano.function([x], RunningSum()(2 * x) + 1, mode=ENGINES["xla"])
    f([1.0, 2.0])
    (stage,) = f.fn.stages
    _, made = stage.texts(stage.compiled_for[-1])
    assert "custom-call" in made and "theano_" in made
    assert not any(name.startswith("f") for name in f.fn.writer.space)  # no host step


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "uint16", "int64", "complex64"])
def test_kernels_take_numbers_of_many_dtypes_and_give_several_outputs(engine, dtype):
    x = T.TensorType(dtype, (False, False))()
    f = theano.function([x], Banded(3)(x), mode=ENGINES[engine])
    for shape in [(2, 3), (0, 3), (3, 0), (1, 1)]:
        at = np.arange(shape[0] * shape[1]).reshape(shape).astype(dtype)
        for made, right in zip(f(at), banded(at, 3), strict=True):
            assert made.dtype == dtype
            np.testing.assert_array_equal(made, right)
    turned = np.arange(6).reshape(3, 2).astype(dtype).T
    np.testing.assert_array_equal(f(turned)[0], banded(turned, 3)[0])


def test_new_shapes_need_no_new_library(monkeypatch):
    made = []
    real = library_cache._make
    monkeypatch.setattr(library_cache, "_make", lambda *args: (made.append(1), real(*args)))
    x = T.dmatrix()
    f = theano.function([x], Banded(17)(x)[0], mode=ENGINES["xla"])
    for n in range(1, 5):
        f(np.ones((n, n)))
    assert len(made) == 1
    assert f.fn.compilations == 4


@pytest.mark.parametrize("engine", ENGINES)
def test_a_kernel_that_fails_raises_its_message_with_the_line_of_the_node(engine):
    x = T.dvector()
    y = RunningSum()(x)
    f = theano.function([x], y, mode=ENGINES[engine])
    with pytest.raises(ValueError, match="element 1 is negative: -2") as caught:
        f([1, -2])
    text = str(caught.value)
    assert "Apply node that caused the error: RunningSum" in text
    assert "y = RunningSum()(x)" in text
    assert f([1, 2]).tolist() == [1, 3]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_kernel_that_fails_leaves_state_as_it_was(engine):
    x, state = T.dvector(), theano.shared(np.ones(3))
    f = theano.function(
        [x], state.sum(), updates=[(state, state + RunningSum()(x))], mode=ENGINES[engine]
    )
    f([1, 1, 1])
    with pytest.raises(ValueError, match="negative"):
        f([1, -1, 1])
    assert state.get_value().tolist() == [2, 3, 4]
    assert f([1, 0, 0]) == 9
    assert state.get_value().tolist() == [3, 4, 5]


class Thrower(FFIOp):
    __props__ = ()
    itypes, otypes = [T.dscalar], [T.dscalar]
    c_headers = ["<stdexcept>"]
    c_error = KeyError
    c_kernel = """
        if (i0[0] > 1) throw std::runtime_error("thrown in C++");
        o0[0] = i0[0];
    """


@pytest.mark.parametrize("engine", ENGINES)
def test_exceptions_of_cpp_are_failures_and_the_op_says_of_which_class(engine):
    x = T.dscalar()
    f = theano.function([x], Thrower()(x), mode=ENGINES[engine])
    assert f(1) == 1
    with pytest.raises(KeyError, match="thrown in C"):
        f(2)


def test_an_exception_that_the_text_does_not_show_is_an_error_of_the_program():
    class Quiet(FFIOp):
        __props__ = ()
        itypes, otypes = [T.dscalar], [T.dscalar]
        c_headers = ["<string>"]
        c_kernel = 'o0[0] = std::string("abc").at((size_t) i0[0]);'

    x = T.dscalar()
    for mode in ENGINES.values():
        f = theano.function([x], Quiet()(x), mode=mode)
        assert f(1) == ord("b")
        with pytest.raises(ValueError, match="at"):
            f(9)


@pytest.mark.parametrize("engine", ENGINES)
def test_kernels_are_differentiated_by_the_gradient_of_their_op(engine):
    at = np.array([0.5, 1.0, 2.0])
    verify_grad(lambda x: RunningSum()(x) ** 2, [at], mode=ENGINES[engine], rng=np.random)


@pytest.mark.parametrize("engine", ENGINES)
def test_kernels_run_in_loops_branches_and_ops_of_graphs(engine):
    mode = ENGINES[engine]
    x, xs, c = T.dvector(), T.dmatrix(), T.bscalar()
    made, _ = theano.scan(lambda row, before: RunningSum()(row) + before, xs, [x])
    f = theano.function([xs, x], made, mode=mode)
    assert f([[1, 2], [3, 4]], [1, 1]).tolist() == [[2, 4], [5, 11]]
    with pytest.raises(ValueError, match="element 1 is negative"):
        f([[1, 2], [3, -4]], [1, 1])
    g = theano.function([c, x], ifelse(c, RunningSum()(x), x), mode=mode)
    assert g(1, [1, 2]).tolist() == [1, 3]
    assert g(0, [1, -2]).tolist() == [1, -2]
    with pytest.raises(ValueError, match="negative"):
        g(1, [1, -2])
    inner = theano.OpFromGraph([x], [RunningSum()(x) * 2])
    h = theano.function([x], inner(x) + 1, mode=mode)
    assert h([1, 2]).tolist() == [3, 7]
    with pytest.raises(ValueError, match="negative"):
        h([1, -2])


@pytest.mark.parametrize("engine", ENGINES)
def test_vectorize_runs_a_kernel_row_by_row(engine):
    x, xs = T.dvector(), T.dmatrix()
    f = theano.function([xs], theano.vectorize(RunningSum()(x), {x: xs}), mode=ENGINES[engine])
    assert f([[1, 2], [3, 4]]).tolist() == [[1, 3], [3, 7]]
    assert f(np.ones((0, 2))).shape == (0, 2)
    with pytest.raises(ValueError, match="element 0 is negative"):
        f([[1, 2], [-3, 4]])


class Repeated(FFIOp):
    """A number, as often as a value says."""

    __props__ = ()
    itypes, otypes = [T.dscalar, T.lscalar], [T.dvector]
    inames, onames = ["x", "n"], ["z"]
    c_kernel = "for (int64_t i = 0; i < z_size; i++) z[i] = *x;"

    def infer_shape(self, node, shapes):
        return [(T.maximum(node.inputs[1], 0),)]


@pytest.mark.parametrize("engine", ENGINES)
def test_lengths_of_outputs_may_depend_on_values(engine):
    x, n = T.dscalar(), T.lscalar()
    f = theano.function([x, n], Repeated()(x * 2, n) + 1, mode=ENGINES[engine])
    assert f(3, 2).tolist() == [7, 7]
    assert f(1, 4).tolist() == [3] * 4
    assert f(1, -1).tolist() == []


class Shortened(FFIOp):
    """All but the last three elements."""

    __props__ = ()
    itypes, otypes = [T.dvector], [T.dvector]
    c_kernel = "for (int64_t i = 0; i < o0_size; i++) o0[i] = i0[i];"

    def infer_shape(self, node, shapes):
        return [(shapes[0][0] - 3,)]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_negative_length_is_told_with_the_shapes_of_the_inputs(engine):
    x = T.dvector()
    f = theano.function([x], Shortened()(x), mode=ENGINES[engine])
    assert f([1, 2, 3, 4]).tolist() == [1]
    assert f([1, 2, 3]).tolist() == []
    with pytest.raises(
        ValueError, match=r"gives the lengths \[-1\] for inputs of shapes \[\(2,\)\]"
    ):
        f([1, 2])


def test_an_op_without_lengths_for_its_outputs_says_what_to_give():
    class Shapeless(FFIOp):
        __props__ = ()
        itypes, otypes = [T.dvector], [T.dvector]
        c_kernel = ""

    x = T.dvector()
    f = theano.function([x], Shapeless()(x), mode=ENGINES["numpy"])
    with pytest.raises(Exception, match="give it infer_shape"):
        f([1.0])


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"inames": ["x", "y"]}, "inames of .* gives 1 names"),
        ({"inames": ["2x"]}, "it is not a name in C"),
        ({"inames": ["size"], "__props__": ("size",), "size": 3}, "a prop has that name"),
        ({"c_kernel": None}, "takes C code as c_kernel"),
    ],
)
def test_an_op_with_faults_says_which(facts, words):
    kind = type(
        "Faulty",
        (FFIOp,),
        {
            "__props__": (),
            "itypes": [T.dvector],
            "otypes": [T.dvector],
            "shape_like": 0,
            "c_kernel": "",
            **facts,
        },
    )
    x = T.dvector()
    with pytest.raises((ValueError, TypeError), match=words):
        theano.function([x], kind()(x), mode=ENGINES["numpy"])([1.0])


@pytest.mark.parametrize("engine", ENGINES)
def test_c_that_does_not_compile_is_shown_with_its_line(engine):
    class Wrong(FFIOp):
        __props__ = ()
        itypes, otypes = [T.dvector], [T.dvector]
        shape_like = 0
        c_kernel = "o0[0] = nothing_of_that_name;"

    x = T.dvector()
    f = theano.function([x], Wrong()(x), mode=ENGINES[engine])
    with pytest.raises(CompileError, match="nothing_of_that_name") as caught:
        f([1.0])
    assert "Line " in str(caught.value)
    assert "Wrong" in str(caught.value)


def test_float16_is_refused_with_what_to_do():
    x = T.TensorType("float16", (False, False))()
    with pytest.raises(TypeError, match=r"float16 for x; cast it first"):
        theano.function([x], Banded()(x), mode=ENGINES["numpy"])(np.ones((1, 1), "float16"))


def test_ops_and_functions_of_kernels_are_pickled():
    x = T.dvector()
    f = theano.function([x], RunningSum()(x))
    f([1.0])
    again = pickle.loads(pickle.dumps(RunningSum()))
    assert again == RunningSum()
    assert theano.function([x], again(x))([1, 2]).tolist() == [1, 3]


def test_kernels_run_beside_each_other():
    class Waiting(FFIOp):
        """Waits until two threads are in it, and says how many there were."""

        __props__ = ()
        itypes, otypes = [T.dscalar], [T.dscalar]
        c_headers = ["<unistd.h>"]
        c_support_code = "static int inside = 0;"
        c_kernel = """
            __atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST);
            for (int k = 0; k < 2000 && __atomic_load_n(&inside, __ATOMIC_SEQ_CST) < 2; k++)
                usleep(5000);
            o0[0] = __atomic_load_n(&inside, __ATOMIC_SEQ_CST);
        """

    run = Waiting().bind(Waiting().make_node(T.dscalar()))
    found = []
    threads = [threading.Thread(target=lambda: found.append(run(np.float64(0)))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [2, 2]


def test_an_op_keeps_nothing_of_nodes_that_are_gone():
    op, x = RunningSum(), T.dvector()
    for k in range(5):
        theano.function([x], op(x + k), mode=ENGINES["numpy"])([1.0])
    gc.collect()
    assert len(op._prepared) <= 1
    assert len(op._kernels) == 1
