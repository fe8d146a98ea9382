"""``f.native``: a function as a pointer that native code calls without the interpreter."""

import ctypes
import gc
import threading

import numpy as np
import pytest
from scipy import integrate, ndimage

import theano
import theano.tensor as T
from tests.engines.native.common import needs_compiler, turns_beside
from theano._src.engines.native.printers import c99, llvm

pytestmark = needs_compiler


def density():
    """A log-density of a vector, and its gradient."""
    q = T.dvector("q")
    value = -0.5 * T.sqr(T.exp(q) - 1).sum() + T.gammaln(q**2 + 1).sum()
    return theano.function([q], [value, T.grad(value, q)], name="density")


def called(f, *values):
    """Call the pointer of a function by ctypes, with memory for its outputs."""
    pointer, arguments = f.native, []
    for value in values:
        array = np.asarray(value)
        arguments += [array.item()] if not array.ndim else [array.ctypes.data, *array.shape]
    want = f(*values)
    want = want if isinstance(want, list) else [want]
    outputs = [np.full_like(np.asarray(x), 7) for x in want]
    sizes = np.zeros(1 + sum(x.ndim for x in outputs), "int64")
    kinds = pointer.ctypes.argtypes
    measure = ctypes.CFUNCTYPE(ctypes.c_int, *kinds[: len(arguments)], ctypes.c_void_p)
    measure(pointer.sizes_address)(*arguments, sizes.ctypes.data)
    assert sizes[1:].tolist() == [n for x in outputs for n in x.shape]
    scratch = np.zeros(sizes[0] + 16, "uint8")
    start = scratch.ctypes.data + -scratch.ctypes.data % 16
    code = pointer.ctypes(*arguments, *(x.ctypes.data for x in outputs), start)
    return code, outputs, want


@pytest.mark.parametrize("n", [0, 1, 7, 300])
def test_it_gives_the_bits_of_the_function(n):
    code, got, want = called(density(), np.linspace(-1, 1, n))
    assert code == 0
    assert [x.tobytes() for x in got] == [np.asarray(x).tobytes() for x in want]


def test_the_signature_is_that_of_the_exported_function(tmp_path):
    f = density()
    theano.export(f, tmp_path / "density.c")
    header = " ".join((tmp_path / "density.h").read_text().split())
    assert f"{f.native.signature};" in header
    assert f"{f.native.sizes_signature};" in header
    assert f.native.signature in repr(f.native)


def test_it_is_made_once_and_lives_as_long_as_its_views():
    f = density()
    assert f.native is f.native
    function = f.native.ctypes
    del f
    gc.collect()
    q, out, slope, scratch = np.zeros(3), np.zeros(1), np.ones(3), np.zeros(100)
    arrays = (out, slope, scratch)
    assert function(q.ctypes.data, 3, *(x.ctypes.data for x in arrays)) == 0
    assert out == 0 and slope.tolist() == [0, 0, 0]


@pytest.mark.parametrize("make", [lambda x: T.cast(x, "int32"), lambda x: T.cast(x.sum(), "int64")])
def test_a_cast_that_needs_the_numpy_engine_is_refused(make):
    x = T.dvector("x")
    with pytest.raises(NotImplementedError, match="cast to int"):
        theano.function([x], make(x)).native  # noqa: B018


def test_products_and_loops_are_native():
    w = theano.shared(np.arange(6.0).reshape(3, 2) / 6)
    x, h = T.dmatrix("x"), T.dvector("h")
    states, _ = theano.scan(lambda row, h: T.tanh(T.dot(row, w) + h), x, h)
    f = theano.function([x, h], states[-1])
    rows, first = np.linspace(-1, 1, 12).reshape(4, 3), np.zeros(2)
    code, (got,), (want,) = called(f, rows, first)
    assert code == 0
    np.testing.assert_array_equal(got, want)


def test_a_failed_check_is_a_code():
    x, i = T.dvector("x"), T.lscalar("i")
    f = theano.function([x, i], x[i])
    out, x = np.zeros(1), np.arange(3.0)
    assert f.native.ctypes(x.ctypes.data, 3, 2, out.ctypes.data, None) == 0 and out == 2
    assert f.native.ctypes(x.ctypes.data, 3, 3, out.ctypes.data, None) != 0


def test_shared_variables_are_a_state_of_its_own():
    w = theano.shared(np.array([1.0, 2.0]), name="w")
    f = theano.function([], w.sum(), updates=[(w, w * 2)])
    out, scratch = np.zeros(1), np.zeros(8)
    for expected in (3, 6, 12):
        assert f.native.ctypes(out.ctypes.data, scratch.ctypes.data) == 0
        assert out == expected
    assert f.native.state.w.tolist() == [8, 16]
    assert w.get_value().tolist() == [1, 2]


def test_scipy_integrates_it_without_python():
    x, a = T.dscalars("x", "a")
    bell = theano.function([x], T.exp(-x * x))
    value, _ = integrate.quad(bell.native.low_level_callable(), -np.inf, np.inf)
    np.testing.assert_allclose(value, np.sqrt(np.pi), rtol=1e-10)
    of_two = theano.function([x, a], T.exp(-a * x * x))
    value, _ = integrate.quad(of_two.native.low_level_callable(), -np.inf, np.inf, args=(2.0,))
    np.testing.assert_allclose(value, np.sqrt(np.pi / 2), rtol=1e-10)
    for signature in ("double (double, void *)", "double (double)"):
        again = bell.native.low_level_callable(signature)
        np.testing.assert_allclose(integrate.quad(again, 0, 1)[0], 0.7468241328124271, rtol=1e-12)


def test_a_filter_of_ndimage():
    window = T.dvector("window")
    f = theano.function([window], T.sqr(window - window[4]).sum())
    picture = np.random.RandomState(0).rand(12, 15)
    filter_ = f.native(shapes={window: (9,)}).low_level_callable(
        "int (double *, intptr_t, double *, void *)"
    )
    got = ndimage.generic_filter(picture, filter_, size=3)
    want = ndimage.generic_filter(picture, lambda w: ((w - w[4]) ** 2).sum(), size=3)
    np.testing.assert_allclose(got, want, rtol=1e-12)
    with pytest.raises(RuntimeError):
        ndimage.generic_filter(picture, filter_, size=2)  # it has another length


def test_a_failed_check_in_a_callback_is_nan():
    x = T.dvector("x")
    f = theano.function([x], x[1] + x[0])
    call = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int, ctypes.c_void_p)
    callback = f.native.low_level_callable("double (int, double *)")
    address = ctypes.cast(callback.function, ctypes.c_void_p).value
    values = np.array([1.0, 2.0])
    assert call(address)(2, values.ctypes.data) == 3
    assert np.isnan(call(address)(1, values.ctypes.data))


@pytest.mark.parametrize(
    ("inputs", "outputs", "why"),
    [
        ([T.dmatrix("m"), T.dscalar("s")], lambda m, s: m.sum() + s, "more than float64 numbers"),
        ([T.fscalar("s")], lambda s: s * 2, "more than float64 numbers"),
        ([T.dscalar("s")], lambda s: [s, s * 2], "more than float64 numbers"),
        ([T.dvector("v")], lambda v: T.cumsum(v).sum(), "CumOp"),
    ],
)
def test_what_is_no_callback_is_refused(inputs, outputs, why):
    f = theano.function(inputs, outputs(*inputs))
    with pytest.raises(NotImplementedError, match=why):
        f.native.low_level_callable()


def test_an_unknown_signature_names_the_known_ones():
    x = T.dscalar("x")
    f = theano.function([x], x * 2)
    with pytest.raises(ValueError, match=r"takes 'double \(double\)'"):
        f.native.low_level_callable("float (float)")


def test_cffi_calls_it():
    cffi = pytest.importorskip("cffi")
    x = T.dscalar("x")
    f = theano.function([x], T.exp(x))
    ffi = cffi.FFI()
    out = ffi.new("double *")
    for pointer in (f.native.cffi(ffi), f.native.cffi()):
        assert pointer(1.0, out, ffi.NULL) == 0
        assert out[0] == float(f(1.0))


def test_numba_calls_it():
    numba = pytest.importorskip("numba")
    x = T.dscalar("x")
    f = theano.function([x], x * x + 1)
    function = f.native.ctypes

    @numba.njit
    def total(n, out):
        result = 0.0
        for i in range(n):
            function(float(i), out.ctypes, out.ctypes)
            result += out[0]
        return result

    assert total(4, np.zeros(1)) == 18


def test_threads_call_it_at_the_same_time():
    f = density()
    points = [np.linspace(-1, 1, 50) * k for k in range(1, 5)]
    want = [f(q)[1].tobytes() for q in points]
    call, wrong = f.native.ctypes, []

    def work(k):
        out, slope, scratch = np.zeros(1), np.zeros(50), np.zeros(1000)
        for _ in range(500):
            code = call(
                points[k].ctypes.data, 50, out.ctypes.data, slope.ctypes.data, scratch.ctypes.data
            )
            if code or slope.tobytes() != want[k]:
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_the_interpreter_is_free_while_it_runs():
    x = T.dvector("x")
    f = theano.function([x], T.exp(T.sin(x)))
    values, out = np.zeros(5_000_000), np.zeros(5_000_000)
    call = f.native.ctypes
    assert turns_beside(lambda: call(values.ctypes.data, len(values), out.ctypes.data, None)) > 10


@pytest.mark.skipif(c99.why_not() is not None, reason=str(c99.why_not()))
def test_the_c_compiler_does_the_same_without_llvmlite(monkeypatch):
    monkeypatch.setattr(llvm, "has_llvm", lambda: False)
    code, got, want = called(density(), np.linspace(-1, 1, 40))
    assert code == 0
    assert [x.tobytes() for x in got] == [np.asarray(x).tobytes() for x in want]
