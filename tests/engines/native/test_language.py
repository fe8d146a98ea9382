"""The language of native programs, its printers, and the loops of NumPy by address."""

import ctypes

import numpy as np
import pytest
import scipy.special

import theano
import theano.tensor as T
from tests.engines.native.common import is_native, native_mode, needs_compiler, needs_llvm
from theano._src.engines.native import loops
from theano._src.engines.native.ir import ZERO, Function, Number, integer
from theano._src.engines.native.loops import NotNative, check_layouts, loop_address
from theano._src.engines.native.printers import c99, llvm
from theano._src.engines.native.steps import formula_of

F8 = np.dtype("float64")


def summed():
    """The sum of an array's elements that are above 0."""
    f = Function("summed", [("x", "p"), ("n", "i64")], "f64")
    x, n = f.params
    total = f.declare(Number("f64", 0.0))
    with f.loop(n) as i:
        each = f.load("f64", x, i)
        with f.when(f.compare("gt", each, Number("f64", 0.0))):
            f.put(total, f.add(f.get(total), each))
    f.give(f.get(total))
    return f


def test_arithmetic_on_known_lengths_writes_no_instruction():
    f = Function("f", [("n", "i64")])
    (n,) = f.params
    assert f.add(n, ZERO) is n and f.mul(n, integer(1)) is n
    assert f.mul(integer(3), integer(4)) == integer(12)
    assert f.body == []


@needs_llvm
@pytest.mark.parametrize("level", [0, 2])
def test_llvm_runs_a_loop_with_a_condition(level):
    module = llvm.Module(llvm.module_text([summed()], 0, {"summed"}), level, {"summed"})
    call = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p, ctypes.c_int64)(
        module.address("summed")
    )
    x = np.array([1.0, -2.0, 3.0])
    assert call(x.ctypes.data, 3) == 4.0


def test_c_has_the_same_functions():
    text = c99.module_text([summed()], 0, {"summed"})
    assert "double summed(char* x, int64_t n)" in text
    assert "for (int64_t" in text and "if (" in text


@needs_llvm
def test_a_module_that_is_not_valid_is_refused():
    with pytest.raises(RuntimeError):
        llvm.Module("define i64 @f() { ret double 0.0 }", 0, {"f"})


def test_layouts_are_as_they_are_assumed():
    check_layouts()


@pytest.fixture
def checked_again():
    check_layouts.cache_clear()
    yield
    check_layouts.cache_clear()


@needs_compiler
@pytest.mark.usefixtures("checked_again")
@pytest.mark.parametrize("by", [8, -8])
@pytest.mark.parametrize(
    ("where", "name"),
    [
        *((loops.ArrayFields, name) for name in "data ndim lengths strides dtype flags".split()),
        *((loops, name) for name in ("LIST_ITEMS", "TUPLE_ITEMS", "TYPE")),
    ],
)
def test_a_layout_that_differs_is_refused_and_functions_run_on_numpy(monkeypatch, where, name, by):
    x = T.dvector("x")
    monkeypatch.setattr(where, name, getattr(where, name) + by)
    with pytest.raises(NotNative, match="lie in memory"):
        check_layouts()
    f = theano.function([x], x + 1, mode=native_mode())
    assert not is_native(f) and "lie in memory" in f.fn.why
    assert f(np.ones(2)).tolist() == [2, 2]


@needs_compiler
@pytest.mark.usefixtures("checked_again")
def test_a_lock_that_lies_elsewhere_keeps_the_call_that_takes_it(monkeypatch):
    monkeypatch.setattr(loops, "HEAD", loops.HEAD + 64)
    loops.lock_fields.cache_clear()
    try:
        with pytest.raises(NotNative, match="locks lie in memory"):
            loops.lock_fields()
    finally:
        monkeypatch.undo()
        loops.lock_fields.cache_clear()
    loops.lock_fields()


@pytest.mark.parametrize("ufunc", [np.exp, np.add, scipy.special.gammaln, scipy.special.psi])
def test_loops_are_those_that_the_ufunc_says(ufunc):
    loop, _ = loop_address(ufunc, (F8,) * ufunc.nargs)
    assert loop
    with pytest.raises(NotNative, match="has no loop"):
        loop_address(ufunc, (np.dtype("M8[s]"),) * ufunc.nargs)


def test_steps_are_what_numpy_would_compute():
    formula = formula_of(theano.scalar.basic.sigmoid, [F8])
    assert [s.name for s in formula.steps] == [
        "absolute", "negative", "exp", "less", "where", "add", "divide",
    ]  # fmt: skip
    assert all(s.dtype == F8 for s in formula.steps if s.name not in ("less",))


def test_numbers_of_python_do_not_widen():
    formula = formula_of(theano.scalar.basic.sigmoid, [np.dtype("float32")])
    assert {s.dtype.name for s in formula.steps} == {"float32", "bool"}


def test_an_op_on_the_host_has_no_steps():
    class Odd(theano.scalar.UnaryScalarOp):
        def impl(self, x):
            return x + 1

    with pytest.raises(NotNative):
        formula_of(Odd(theano.scalar.upgrade_to_float), [F8])


@pytest.mark.skipif(c99.why_not() is not None, reason=str(c99.why_not()))
def test_programs_are_compiled_by_the_c_compiler_without_llvmlite(monkeypatch):
    import theano.tensor as T
    from tests.engines.native.common import both, finishes

    monkeypatch.setattr(llvm, "has_llvm", lambda: False)
    x, i = T.dvector("x"), T.lvector("i")
    cost = T.sqr(T.exp(-x)[i]).sum()
    values = [np.linspace(-1, 1, 300), np.arange(-200, 200)]
    f = both([x, i], [cost, T.grad(cost, x), T.nnet.sigmoid(x) > 0.3], values)
    assert finishes(f, *values)[0]
    # two programs of the same text have tables of their own
    v, w = theano.shared(np.arange(3.0)), theano.shared(np.arange(5.0))
    g, h = (theano.function([], s * 2, mode=theano.Mode("native")) for s in (v, w))
    assert g().tolist() == [0, 2, 4] and h().tolist() == [0, 2, 4, 6, 8]
    assert g().tolist() == [0, 2, 4]
