"""Programs of the native engine: calls, checks, state, memory, threads, and what they refuse."""

import gc
import weakref
from functools import partial

import numpy as np
import pytest
import scipy.sparse

import theano
import theano.sparse
import theano.tensor as T
from tests.engines.native.common import (
    bits,
    both,
    finishes,
    in_threads,
    native_mode,
    needs_compiler,
)
from theano._src.engines.native.program import NativeProgram

pytestmark = needs_compiler
x, y = T.dvector("x"), T.dvector("y")
a = T.dmatrix("a")
LENGTHS = [0, 1, 2, 7, 8, 9, 127, 128, 129, 511, 512, 513, 1000, 5003]


def value(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape)


@pytest.mark.parametrize("n", LENGTHS)
def test_sums_within_loops_are_added_in_numpys_order(n):
    cost = T.exp(-T.sqr(x)).sum() * T.tanh(x).sum()
    f = both([x], [cost, T.grad(cost, x)], [value(n)])
    assert finishes(f, value(n, seed=1))[0]


def test_one_program_runs_arrays_of_every_length():
    f = both([x, y], (x + y) * T.log1p(T.exp(x)), [value(3), value(3)])
    for n in LENGTHS:
        done, outputs = finishes(f, value(n), value(n, seed=1))
        assert done and outputs.shape == (n,)


@pytest.mark.parametrize("dtype", sorted(set(T.all_dtypes) - {"float16"}))
def test_arithmetic_in_every_dtype(dtype):
    u, v = [T.TensorType(dtype, (False, False))() for _ in range(2)]
    b, c = [(value(3, 70, seed=s) * 50).astype(dtype) for s in (0, 1)]
    outputs = [u + v, u * v, T.maximum(u, v) if "complex" not in dtype else u, T.sqr(u)]
    assert finishes(both([u, v], outputs, [b, c]), c, b)[0]


def test_rows_and_columns_stretch():
    r, c, s = T.drow(), T.dcol(), T.dscalar()
    values = [value(4, 600), value(1, 600), value(4, 1), 2.0]
    f = both([a, r, c, s], [a * r + c, r + c, T.exp(c) * s], values)
    assert finishes(f, value(2, 3), value(1, 3), value(2, 1), np.array(1.0))[0]


def test_views_are_no_work():
    f = both([a], [a[1:, :2] * 2, a[0] + 1, a[-1, 3], a[:, 1].sum(), a[2:].sum()], [value(5, 6)])
    assert finishes(f, value(7, 4))[0]
    assert f(value(2, 4))[4] == 0


@pytest.mark.parametrize("level", [0, 1, 2])
def test_indices_gather_and_scatter(level):
    i = T.lvector("i")
    cost = T.sqr(x[i] - 1).sum()
    at = np.array([0, -1, 2, 2, 1])
    f = both([x, i], [x[i] * 2, T.grad(cost, x)], [value(4), at], level)
    assert finishes(f, value(9), np.array([-9, 8, 8]))[0]
    assert not f.fn.called_back


@pytest.mark.parametrize("n", [0, 1, 5, 128, 700])
def test_several_scatters_share_a_loop(n):
    z, i, j = T.dvector("z"), T.lvector("i"), T.lvector("j")
    cost = (T.sqr(x[i] - 1) * y[i] * z[j]).sum()
    rng = np.random.RandomState(1)
    values = [value(9), value(9, seed=1), value(4), rng.randint(-9, 9, n), rng.randint(0, 4, n)]
    f = both([x, y, z, i, j], [cost, *T.grad(cost, [x, y, z])], values)
    assert finishes(f, *values)[0]
    assert any(len(kernel.alone) > 1 for kernel in f.fn.lowering.kernels)
    if n:
        values[4][n // 2] = 4
        with pytest.raises(IndexError, match="out of bounds"):
            f(*values)


@pytest.mark.parametrize("n", [0, 1, 5, 130, 1000])
def test_a_number_that_is_repeated_is_added_up(n):
    s, m = T.dscalar("s"), T.lscalar("m")
    total = T.alloc(T.exp(s), m).sum()
    mode = theano.Mode("numpy", None), theano.Mode(native_mode().linker, None)
    plain, native = [theano.function([s, m], total, mode=each) for each in mode]
    assert bits(native(0.1, n)) == bits(plain(0.1, n))


@pytest.mark.parametrize("index", [[4], [-5], [0, 1, 2, 9]])
def test_an_index_out_of_bounds_is_the_error_of_numpy(index):
    i = T.lvector("i")
    twice = x[i] * 2
    plain = theano.function([x, i], twice, mode=theano.Mode("numpy"))
    f = theano.function([x, i], twice, mode=native_mode())
    with pytest.raises(IndexError) as want:
        plain(value(4), index)
    with pytest.raises(IndexError) as got:
        f(value(4), index)
    assert str(got.value) == str(want.value)
    assert f(value(4), [1, 2]).shape == (2,)


def test_lengths_that_differ_are_the_error_of_numpy():
    f = theano.function([x, y], x + y, mode=native_mode())
    for _ in range(4):  # an error is no surprise: the program stays
        with pytest.raises(ValueError, match="mis"):
            f(value(3), value(4))
    assert finishes(f, value(3), value(3))[0]


def test_state_is_stored_after_a_call_and_kept_by_one_that_fails():
    w = theano.shared(value(3), "w")
    f = theano.function([x], (w * x).sum(), updates=[(w, w - 0.1 * x)], mode=native_mode())
    before = w.get_value()
    assert bits(f(value(3, seed=1))) == bits((before * value(3, seed=1)).sum())
    assert bits(w.get_value()) == bits(before - 0.1 * value(3, seed=1))
    kept = w.get_value()
    with pytest.raises(ValueError):
        f(value(4))
    assert bits(w.get_value()) == bits(kept)


def test_outputs_are_the_callers_own():
    f = theano.function([x], [x, x[1:], x, T.exp(x)], mode=native_mode())
    given = value(5)
    outputs = f(given)
    for out in outputs:
        assert out.flags.writeable and out.flags.owndata
        out[...] = 0
    assert bits(given) == bits(value(5))
    assert len({out.ctypes.data for out in outputs}) == 4


@pytest.mark.parametrize(
    "given",
    [
        value(4, 6).T,
        value(6, 8)[:, ::2],
        np.asfortranarray(value(6, 4)),
        value(6, 4).astype("float32"),
        np.require(value(6, 4), requirements="C").tolist(),
    ],
    ids=["transposed", "strided", "Fortran", "float32", "list"],
)
def test_arguments_of_other_kinds_go_the_general_way(given):
    f = theano.function([a], T.exp(a).sum(axis=0), mode=native_mode())
    g = theano.function([a], T.exp(a).sum(axis=0), mode=theano.Mode("numpy"))
    assert bits(f(given)) == bits(g(given))


def test_memory_grows_with_the_arrays():
    f = both([a], T.dot(T.exp(a), T.tanh(a).T).sum(), [value(3, 3)])
    for n in (10, 300, 50):
        assert finishes(f, value(n, n))[0]


def test_nodes_without_a_native_form_are_called_back():
    f = both([a], T.nlinalg.matrix_inverse(T.dot(a, a.T) + T.eye(3)) * 2, [value(3, 3)])
    assert any("MatrixInverse" in str(node.op) for node in f.fn.called_back)
    with pytest.raises(np.linalg.LinAlgError):
        theano.function([a], T.nlinalg.matrix_inverse(a) + 1, mode=native_mode())(np.zeros((2, 2)))


@pytest.mark.parametrize("n", [14, 1024, 4000])
def test_what_a_node_called_back_leaves_is_added_in_numpys_order(n):
    b, c = T.dmatrices("bc")
    # the sum is over memory: is the result in that of the transposed matrix, or new?
    total = T.sum(T.concatenate([a, b], axis=0).T * T.cos(c))
    for seed in range(20):
        values = [value(*s, seed=seed + k) for k, s in enumerate([(n // 2, 3)] * 2 + [(3, n)])]
        f = both([a, b, c], total, values)
    assert f.fn.called_back


def test_what_a_node_called_back_overwrites_is_a_copy():
    f = both([x], [T.set_subtensor(x[::2], 0.0), x * 2], [value(5)])
    given = value(5)
    f(given)
    assert bits(given) == bits(value(5))


def test_functions_that_the_engine_does_not_take_run_on_numpy():
    matrix = theano.sparse.csr_matrix("m")
    f = theano.function([matrix], theano.sparse.sp_sum(matrix), mode=theano.Mode("native"))
    assert not isinstance(f.fn, NativeProgram) and "no native form" in f.fn.why
    assert f(scipy.sparse.csr_matrix(np.eye(3))) == 3


def test_the_linker_has_a_name():
    f = theano.function([x], x + 1, mode=theano.Mode("native"))
    assert isinstance(f.fn, NativeProgram) and f([1.0]).tolist() == [2.0]


def test_threads_call_one_program_at_a_time():
    f = theano.function([a], T.dot(T.exp(a), a).sum(axis=0), mode=native_mode())
    g = theano.function([a], T.dot(T.exp(a), a).sum(axis=0), mode=theano.Mode("numpy"))
    given = [value(n, n, seed=n) for n in (2, 5, 11, 23)]
    want = [bits(g(v)) for v in given]
    wrong = []

    def work(k):
        for _ in range(200):
            if bits(f(given[k])) != want[k]:
                wrong.append(k)

    in_threads(*[partial(work, k) for k in range(4)])
    assert not wrong


def test_a_program_that_nothing_holds_is_freed():
    f = theano.function([x], T.exp(x), mode=native_mode())
    f(value(3))
    gone = weakref.ref(f.fn.lowering)
    del f
    gc.collect()
    assert gone() is None


def test_results_and_failures_leave_no_references():
    import sys

    f = theano.function([x, y], [x + y, T.sort(x)], mode=native_mode())
    f(value(3), value(3))
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(300):
        f(value(3), value(3))
        with pytest.raises(ValueError):
            f(value(3), value(2))
    gc.collect()
    assert sys.getallocatedblocks() - before < 200
