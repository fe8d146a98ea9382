"""Ops with C code: what runs, on which linker, and what happens when it fails."""

import gc
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.c_code.c_ops import LIKE, Both, MatVec, Scaled, scaled, scaled_in_c, strided
from theano._src.c_code import node_module
from theano._src.c_code.compiler import why_no_compiler
from theano._src.engines.jax.backend import missing
from theano._src.graph import c_op
from theano._src.graph.op import meaning_of
from theano.gof.cmodule import CompileError, MissingGXX

ROOT = Path(__file__).parents[2]
LINKERS = ["numpy", "cvm", "c", "c|py", *([] if missing() else ["xla"])]

pytestmark = pytest.mark.skipif(
    why_no_compiler(python=True) is not None, reason=str(why_no_compiler(python=True))
)

x, y, a = T.dvector("x"), T.dscalar("y"), T.dmatrix("a")


def mode(linker):
    return theano.Mode(linker, "fast_run")


# what runs


@pytest.mark.parametrize("linker", LINKERS)
def test_c_code_runs_wherever_perform_would(linker):
    f = theano.function([x, y], T.exp(scaled_in_c(x + 1, y)) - 1, mode=mode(linker))
    for n in (0, 1, 7):
        expected = np.exp((strided(n) + 1) * 0.1) - 1
        np.testing.assert_allclose(f(strided(n), 0.1), expected, rtol=1e-13)


@pytest.mark.parametrize("linker", LINKERS)
def test_a_c_op_in_the_middle_of_a_graph_has_gradients(linker):
    cost = T.sum(T.tanh(scaled_in_c(T.sin(x), y)) ** 2)
    f = theano.function([x, y], theano.grad(cost, [x, y]), mode=mode(linker))
    plain = T.sum(T.tanh(T.sin(x) * y) ** 2)
    g = theano.function([x, y], theano.grad(plain, [x, y]), mode=mode("numpy"))
    for ours, theirs in zip(f(strided(5), 0.7), g(strided(5), 0.7), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@pytest.mark.parametrize("linker", LINKERS)
def test_support_code_of_the_node_and_cleanup_make_a_matrix_vector_product(linker):
    f = theano.function([a, x], MatVec()(a * 2, x), mode=mode(linker))
    matrix = np.arange(24.0).reshape(4, 6)[:, ::2]
    np.testing.assert_allclose(f(matrix, [1, 2, 3]), matrix * 2 @ [1, 2, 3])
    with pytest.raises(ValueError, match="3 columns and 2 numbers"):
        f(matrix, [1, 2])
    cost = T.sum(T.sqr(MatVec()(a, x)))
    g = theano.function([a, x], theano.grad(cost, [a, x]), mode=mode(linker))
    ga, gx = g(matrix, [1, 2, 3])
    np.testing.assert_allclose(ga, np.outer(2 * matrix @ [1, 2, 3], [1, 2, 3]))
    np.testing.assert_allclose(gx, 2 * matrix.T @ (matrix @ [1, 2, 3]))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "int32", "uint64"])
def test_dtype_names_in_c_are_those_of_the_node(dtype):
    v, k = T.vector(dtype=dtype), T.scalar(dtype=dtype)
    f = theano.function([v, k], scaled_in_c(v, k))
    made = f(strided(4, dtype), np.asarray(3, dtype))
    assert made.dtype == dtype
    assert made.tolist() == (strided(4, dtype) * 3).tolist()


def test_complex_numbers_have_arithmetic_in_c():
    class Squared(theano.Op):
        __props__ = ()

        def make_node(self, z):
            return theano.Apply(self, [z], [z.type()])

        def c_support_code(self):
            return LIKE

        def c_code(self, node, name, inputs, outputs, sub):
            (z,), (w,) = inputs, outputs
            return f"""
            if (like(&{w}, {z})) {{ {sub["fail"]} }}
            for (npy_intp i = 0; i < PyArray_DIM({z}, 0); i++) {{
                dtype_{z} u = *(dtype_{z}*)PyArray_GETPTR1({z}, i);
                *(dtype_{w}*)PyArray_GETPTR1({w}, i) = (u * u - u) / (u + 2);
            }}
            """

    z = T.zvector("z")
    values = np.array([1 + 2j, -3j, 0.5])
    expected = (values * values - values) / (values + 2)
    np.testing.assert_allclose(theano.function([z], Squared()(z))(values), expected)


def test_a_node_of_numbers_runs_by_the_c_code_of_its_scalar_op():
    class Third(theano.scalar.UnaryScalarOp):
        def impl(self, v):
            raise AssertionError("the C code must run")

        def c_code(self, node, name, inputs, outputs, sub):
            return f"{outputs[0]} = {inputs[0]} / 3;"

    v = theano.scalar.float64("v")
    made = theano.function([v], Third(theano.scalar.upgrade_to_float, "third")(v))(6.0)
    assert made == 2
    assert type(made) is np.float64


def test_a_linker_of_perform_takes_perform():
    f = theano.function([x, y], scaled(x, y), mode=theano.Mode("py"))
    assert f([1, 2], 2).tolist() == [2, 4]
    with pytest.raises(AssertionError, match="the C code must run"):
        theano.function([x, y], scaled_in_c(x, y), mode=theano.Mode("py"))([1, 2], 2)


def test_make_thunk_takes_the_documented_impl():
    for impl, op in ((None, scaled_in_c), ("c", scaled_in_c), ("py", scaled)):
        node = op(x, y).owner
        storage = {x: [strided(3)], y: [np.array(2.0)], node.outputs[0]: [None]}
        done = {v: [True] for v in node.inputs} | {node.outputs[0]: [False]}
        thunk = op.make_thunk(node, storage, done, [], impl=impl)
        thunk()
        assert storage[node.outputs[0]][0].tolist() == [0, 4, 8]
        assert done[node.outputs[0]] == [True]
        assert thunk.lazy is False
        assert thunk.outputs == [storage[node.outputs[0]]]


def test_a_class_below_with_compute_does_not_run_the_c_code_above():
    class Newer(Scaled):
        def compute(self, xp, x, y):
            return x * y

    assert meaning_of(scaled) == "c_code"
    assert meaning_of(Newer()) == "compute"
    assert theano.function([x, y], Newer()(x, y))([1, 2], -1).tolist() == [-1, -2]


def test_an_op_may_have_c_code_for_some_types_only():
    class Some(Scaled):
        def c_code(self, node, *args):
            if node.inputs[0].dtype == "float32":
                raise NotImplementedError("float64 only")
            return super().c_code(node, *args)

    v = T.fvector()
    assert theano.function([v], Some()(v, np.float32(2)))([1, 2]).tolist() == [2, 4]


def test_hidec_takes_c_code_away():
    class Plain(theano.gof.HideC, Scaled):
        pass

    assert meaning_of(Plain()) == "perform"
    assert theano.function([x, y], Plain()(x, y))([1, 2], 2).tolist() == [2, 4]


def test_the_linker_c_refuses_ops_of_users_without_c_code():
    @theano.as_op([T.dvector], [T.dvector])
    def python(v):
        return v + 1

    class Python(theano.Op):
        def make_node(self, v):
            return theano.Apply(self, [v], [v.type()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0]

    with pytest.raises(NotImplementedError, match="cannot produce C code"):
        theano.function([x], Python()(x * 2), mode=theano.Mode("c"))
    linker = theano.gof.OpWiseCLinker(fallback_on_perform=False)
    with pytest.raises(NotImplementedError, match="cannot produce C code"):
        theano.function([x], Python()(x * 2), mode=theano.Mode(linker))
    assert theano.function([x], Python()(x * 2), mode=theano.Mode("c|py"))([1]).tolist() == [2]


# values


@pytest.mark.parametrize("linker", LINKERS)
def test_results_do_not_share_memory_with_later_calls(linker):
    f = theano.function([x, y], scaled_in_c(x, y), mode=mode(linker))
    first = f([1, 2], 2)
    f([3, 4], 2)
    assert first.tolist() == [2, 4]


@pytest.mark.parametrize("linker", LINKERS)
@pytest.mark.parametrize("inplace", [False, True])
def test_an_op_that_writes_into_its_input_leaves_callers_values_and_state_alone(linker, inplace):
    given, state = np.arange(3.0), theano.shared(np.arange(3.0))
    doubled = x * 2
    total, difference = Both(inplace)(doubled, state)
    outs = [total, difference, doubled + 1]
    f = theano.function([x], outs, mode=mode(linker), accept_inplace=True)
    made = [r.tolist() for r in f(given)]
    assert made == [[0, 3, 6], [0, 1, 2], [1, 3, 5]]
    assert given.tolist() == [0, 1, 2]
    total, _ = Both(inplace)(state, x)
    g = theano.function([x], [], updates=[(state, total)], mode=mode(linker), accept_inplace=True)
    g([1, 1, 1])
    g([1, 1, 1])
    assert state.get_value().tolist() == [2, 3, 4]


def test_numbers_unaligned_arrays_and_subclasses_are_taken():
    f = theano.function([x, y], scaled_in_c(x, y))
    record = np.zeros(3, dtype=[("byte", "i1"), ("number", "f8")])
    record["number"] = [1, 2, 3]
    assert not record["number"].flags.aligned
    node = scaled_in_c(x, y).owner
    run = c_op.in_c(node)
    assert run(record["number"], np.float64(2), None).tolist() == [2, 4, 6]
    matrix = np.arange(3.0).view(type("Own", (np.ndarray,), {}))
    assert f(matrix, 2).tolist() == [0, 2, 4]
    with pytest.raises(TypeError, match="an array of float64 is needed"):
        run(np.arange(3, dtype="float32"), np.array(2.0), None)


def test_what_c_makes_of_another_dtype_or_shape_is_refused():
    class Wrong(Scaled):
        def make_node(self, v, k):
            return theano.Apply(self, [v, k], [T.ivector()])

    with pytest.raises(TypeError, match="gives TensorType"):
        theano.function([x, y], Wrong()(x, y))([1.5], 2)


def test_an_output_that_c_leaves_empty_is_an_error():
    class Empty(Scaled):
        def c_code(self, *args):
            return ";"

    with pytest.raises(ValueError, match="left output 0 empty"):
        theano.function([x, y], Empty()(x, y))([1], 2)


# failing


@pytest.mark.parametrize("linker", LINKERS)
def test_a_failing_op_raises_its_exception_with_the_users_line_and_leaves_state(linker):
    state, count = theano.shared(np.ones(2)), theano.shared(0)
    line = sys._getframe().f_lineno + 1
    out = scaled_in_c(state + x, y)
    f = theano.function([x, y], out * 2, updates=[(state, out), (count, count + 1)],
                        mode=mode(linker))  # fmt: skip
    with pytest.raises(ValueError, match="factors are positive") as e:
        f([1, 1], -1)
    told = str(e.value) + "".join(getattr(e.value, "__notes__", ()))
    assert "Apply node that caused the error: ScaledInC" in told
    assert f'test_node_code.py", line {line}' in told
    assert state.get_value().tolist() == [1, 1]
    assert count.get_value() == 0
    assert f([1, 1], 2).tolist() == [8, 8]
    assert (state.get_value().tolist(), count.get_value()) == ([4, 4], 1)


def test_a_fail_without_an_exception_says_so():
    class Silent(Scaled):
        def c_code(self, node, name, inputs, outputs, sub):
            return sub["fail"]

    with pytest.raises(RuntimeError, match="set no exception"):
        theano.function([x, y], Silent()(x, y))([1], 2)


def test_failing_often_leaks_no_references():
    run = c_op.in_c(scaled_in_c(x, y).owner)
    value, factor = np.arange(1000.0), np.array(-1.0)
    before = sys.getrefcount(value), sys.getrefcount(factor), sys.getrefcount(None)
    for _ in range(50):
        with pytest.raises(ValueError, match="positive"):
            run(value, factor, None)
    gc.collect()
    after = sys.getrefcount(value), sys.getrefcount(factor)
    assert after == before[:2]
    made = run(value, np.array(1.0), None)
    assert sys.getrefcount(made) == 2


@pytest.mark.parametrize("linker", LINKERS)
def test_c_code_that_does_not_compile_says_which_line_of_c_and_whose(linker):
    class Broken(Scaled):
        def c_code(self, *args):
            return "int n = 1;\nn = nothing;"

    line = sys._getframe().f_lineno + 1
    out = Broken()(x, y)
    with pytest.raises(CompileError) as e:
        theano.function([x, y], out, mode=mode(linker))([1], 2)
    told = str(e.value) + "".join(getattr(e.value, "__notes__", ()))
    assert told.startswith("Compilation failed (return status=1)")
    assert "n = nothing;" in told
    assert "Apply node that caused the error: Broken" in told
    assert f'test_node_code.py", line {line}' in told


# without a compiler


PROGRAM = """
import warnings
import theano, theano.tensor as T
from tests.c_code.c_ops import scaled, ScaledInC
class OnlyC(theano.Op):
    def make_node(self, v):
        return theano.Apply(self, [v], [v.type()])
    def c_code(self, *args):
        return ""
x, y = T.dvector(), T.dscalar()
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    for linker in ("numpy", "cvm", "py"):
        f = theano.function([x, y], scaled(x * 2, y), mode=theano.Mode(linker))
        assert f([1, 2], 2).tolist() == [4, 8]
print(len([w for w in told if "config.cxx is empty" in str(w.message)]))
for make in (lambda: theano.function([x], OnlyC()(x)),
             lambda: theano.function([x, y], scaled(x, y), mode=theano.Mode("c"))):
    try:
        make()
    except theano.gof.cmodule.MissingGXX as e:
        print(str(e).splitlines()[0])
"""


def test_without_a_compiler_perform_runs_with_one_warning_and_c_alone_is_an_error(tmp_path):
    flags = f"cxx=,base_compiledir={tmp_path}"
    env = os.environ | {"THEANO_FLAGS": flags, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=env, cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    once, alone, linker = done.stdout.splitlines()
    assert once == "1"
    assert alone.startswith(
        "OnlyC runs by its C code, and that needs a compiler: config.cxx is empty"
    )
    assert linker.startswith("C code needs a compiler: config.cxx is empty")


def test_missinggxx_is_the_documented_class():
    with theano.config.change_flags(cxx=""), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(MissingGXX):
            scaled_in_c.make_c_thunk(scaled_in_c(x, y).owner, {}, {}, [])


def test_the_same_node_text_is_compiled_once():
    before = node_module._module.cache_info().misses
    for _ in range(3):
        theano.function([x, y], scaled(x, y) + 1, mode=theano.Mode("numpy"))
    assert node_module._module.cache_info().misses <= before + 1
