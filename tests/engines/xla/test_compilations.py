"""How often XLA compiles, in how many stages, and how much is kept."""

import gc
import os
import time

import jax
import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.engines.xla.dynamic import XLA, same, vector

pytestmark = pytest.mark.xla

NUMPY = theano.Mode("numpy")


def test_an_epoch_of_minibatches_compiles_at_most_twice():
    data = np.random.default_rng(0).normal(size=(23, 3))
    shared, w = theano.shared(data, "data"), theano.shared(np.zeros(3), "w")
    i, b, x = T.lscalar("i"), 5, T.dmatrix("x")
    f = theano.function(
        [i],
        T.dot(x, w).sum() + x.sum(),
        updates=[(w, w + x.mean(axis=0))],
        givens={x: shared[i * b : (i + 1) * b]},
        mode=XLA,
    )
    now = np.zeros(3)
    for _ in range(2):
        for k in range(5):  # the last batch has 3 rows
            batch = data[k * b : (k + 1) * b]
            same(f(k), (batch @ now).sum() + batch.sum(), 1e-11)
            now = now + batch.mean(axis=0)
    np.testing.assert_allclose(w.get_value(), now, rtol=1e-12)
    assert f.fn.compilations == 2
    assert len(f.fn.stages) == 1


def test_a_second_call_with_the_same_key_never_compiles():
    x, n = T.dvector("x"), T.lscalar("n")
    f = theano.function([x, n], [T.exp(x[:n]), x[x > 0].sum()], mode=XLA)
    sizes = [(vector(6), 2), (vector(6), 3), (vector(7), 2)]
    for args in sizes:
        f(*args)
    before = f.fn.compilations
    for args in [*sizes, *reversed(sizes)]:
        f(args[0].copy(), args[1])
    assert f.fn.compilations == before


def test_the_value_of_an_integer_that_no_shape_needs_never_compiles():
    x, i, n = T.dvector("x"), T.lscalar("i"), T.lscalar("n")
    out = [x * i, x[i] + x[-i], x[i : i + 3], T.switch(i > 2, x, -x), T.arange(n) * i, i // 2]
    f = theano.function([x, i, n], out, mode=XLA)
    a = np.arange(12.0)
    for k in range(1, 7):
        wanted = [a * k, a[k] + a[-k], a[k : k + 3], a if k > 2 else -a, np.arange(4) * k]
        same(f(a, k, 4), [*wanted, np.int64(k // 2)])
    assert f.fn.compilations == 1


def test_each_compilation_says_what_is_new():
    x, n = T.dvector("x"), T.lscalar("n")
    f = theano.function([x, n], T.exp(x[:n]), mode=XLA)
    for args in [(vector(5), 2), (vector(5), 3), (vector(6), 3), (vector(6), 3)]:
        f(*args)
    first, second, third = f.fn.stages[0].compilations
    assert first == "first call"
    assert "was 2, is now 3" in second
    assert "x of shape (5,) is now (6,)" in third


def _training(mode, rows, columns, hidden):
    """A step of a small network on the rows that a mask chooses; its gradient by hand."""
    rng = np.random.default_rng(0)
    X = theano.shared(rng.normal(size=(rows, columns)), "X")
    Y = theano.shared(rng.normal(size=rows), "Y")
    W = theano.shared(rng.normal(size=(columns, hidden)) / columns**0.5, "W")
    v = theano.shared(rng.normal(size=hidden) / hidden**0.5, "v")
    mask = T.vector("mask", dtype="bool")
    x, y = X[mask], Y[mask]
    h = T.tanh(T.dot(x, W))
    error = T.dot(h, v) - y
    count = T.cast(x.shape[0], "float64")
    gv = T.dot(h.T, error) / count
    gW = T.dot(x.T, T.outer(error, v) * (1 - h**2)) / count
    updates = [(W, W - 0.1 * gW), (v, v - 0.1 * gv)]
    return theano.function([mask], T.mean(error**2), updates=updates, mode=mode), W, v


def _masks(rows):
    """50 masks, no two of which choose equally many rows."""
    found = [np.arange(rows) % 2 == 0 for _ in range(50)]
    for k, mask in enumerate(found):
        mask[: 2 * k] = True
    assert len({mask.sum() for mask in found}) == 50
    return found


def test_fifty_steps_with_fifty_counts_compile_at_most_12_programs():
    step, *weights = _training(XLA, 120, 6, 4)
    plain, *wanted = _training(NUMPY, 120, 6, 4)
    for mask in _masks(120):
        same(step(mask), plain(mask), 1e-10)
    for w, reference in zip(weights, wanted, strict=True):
        np.testing.assert_allclose(w.get_value(), reference.get_value(), rtol=1e-9)
    assert step.fn.compilations <= 12


@pytest.mark.slow
def test_fifty_steps_with_fifty_counts_take_at_most_three_times_those_of_a_fixed_count_on_numpy():
    # a measurement: the machine may be busy with something else, so the best of three counts;
    # each with other shapes, for what was compiled once is on disk. A step takes 50 ms or more:
    # nine compilations, before the count is found to change all the time, take some seconds
    ratios = []
    for rows in (100_000, 100_200, 100_400):
        plain, *_ = _training(NUMPY, rows, 100, 60)
        fixed = np.arange(rows) % 2 == 0
        plain(fixed)
        start = time.perf_counter()
        for _ in range(50):
            plain(fixed)
        wanted = time.perf_counter() - start
        step, *_ = _training(XLA, rows, 100, 60)
        masks = _masks(rows)
        start = time.perf_counter()
        for mask in masks:
            step(mask)
        ratios.append((time.perf_counter() - start) / wanted)
        assert step.fn.compilations <= 12
        if ratios[-1] <= 3:
            return
    pytest.fail(f"took {min(ratios):.1f} times as long")


def test_a_thousand_slices_deep():
    x = y = T.dvector("x")
    for _ in range(1000):
        y = y[1:]
    f = theano.function([x], [y, y.shape[0]], mode=XLA)
    for size in (1500, 1001, 30):
        a = np.arange(float(size))
        same(f(a), [a[1000:], np.int64(max(size - 1000, 0))])
    assert len(f.fn.stages) == 1


def test_a_thousand_slices_deep_with_symbolic_bounds():
    x, n = T.dvector("x"), T.lscalar("n")
    y = x
    for k in range(1000):
        y = y[:-n] if k % 2 else y[1:]
    f = theano.function([x, n], [y, T.arange(y.shape[0])], mode=XLA)
    for size, by in ((1500, 1), (2200, 3)):
        a = np.arange(float(size))
        same(f(a, by), [a[500 : size - 500 * by], np.arange(size - 500 * by - 500)])
    assert len(f.fn.stages) == 1


def test_a_hundred_slices_deep_with_symbolic_starts():
    x, n = T.dvector("x"), T.lscalar("n")
    y = x
    for k in range(100):
        y = y[n:] if k % 2 else y[1:]
    f = theano.function([x, n], y, mode=XLA)
    a = np.arange(400.0)
    same(f(a, 1), a[100:])
    same(f(a, 3), a[200:])
    assert len(f.fn.stages) == 1


@pytest.fixture
def compiled():
    """The names of the programs that jax compiles, as it compiles them."""
    names = []

    def note(event, seconds, fun_name="", **more):
        if event.endswith("backend_compile_duration"):
            names.append(fun_name)

    jax.monitoring.register_event_duration_secs_listener(note)
    yield names
    jax.monitoring.unregister_event_duration_listener(note)


def test_a_first_call_compiles_its_program_and_nothing_to_bring_state_to_the_device(compiled):
    large = np.random.default_rng(0).normal(size=(17, 31))  # a constant that is an operand
    w = theano.shared(np.arange(31.0), "w")
    b = theano.shared(np.asfortranarray(large), "b")
    x = T.dvector("x")
    f = theano.function([x], T.dot(large, w) + T.dot(b, x), updates=[(w, w + x)], mode=XLA)
    same(f(np.ones(31)), large @ np.arange(31.0) + large.sum(axis=1), 1e-12)
    assert len(compiled) == 1
    same(w.get_value(), np.arange(31.0) + 1)


def _rows_of(mode):
    """The sum of one element a row, rows counted by arange; its gradient is added to state."""
    x, t = T.dmatrix("x"), T.lvector("t")
    w = theano.shared(np.zeros(4), "w")
    cost = x[T.arange(t.shape[0]), t].sum()
    return theano.function(
        [x, t], cost, updates=[(w, w + T.grad(cost, x).sum(axis=0))], mode=mode
    ), w


def test_the_rows_that_arange_counts_are_checked_while_tracing():
    f, w = _rows_of(XLA)
    same(f(np.arange(12.0).reshape(3, 4), [1, 0, 3]), np.float64(1 + 4 + 11))
    (flagged,) = f.fn.stages[0].flagged.values()
    assert len(flagged) == 2  # the columns, read and written
    same(w.get_value(), np.array([1.0, 1, 0, 1]))


@pytest.mark.parametrize("mode", [XLA, NUMPY], ids=["xla", "numpy"])
def test_more_rows_than_there_are_raise_and_leave_state_as_it_was(mode):
    f, w = _rows_of(mode)
    for _ in range(2):
        with pytest.raises(IndexError, match="out of bounds"):
            f(np.ones((2, 4)), [1, 0, 3])
    same(w.get_value(), np.zeros(4))
    same(f(np.ones((3, 4)), [1, 0, 3]), np.float64(3))


def _resident():
    """The memory of this process that is in use, in bytes."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_compiled_forms_are_kept_up_to_the_bound_the_last_used_ones():
    x = T.dvector("x")
    f = theano.function([x], T.tanh(x), mode=XLA)
    with theano.config.change_flags(**{"xla.max_keys": 3}):
        for size in (1, 2, 3, 1, 4):
            f(vector(size))
        (stage,) = f.fn.stages
        assert len(stage.table) == 3
        before = f.fn.compilations
        for size in (1, 3, 4):  # 2 was used the longest ago
            f(vector(size))
        assert f.fn.compilations == before
        same(f(vector(2)), np.tanh(vector(2)), 1e-15)
        assert f.fn.compilations == before + 1


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="reads Linux's own counts")
def test_a_hundred_shapes_keep_no_more_than_the_bound_in_memory():
    x = T.dvector("x")
    f = theano.function([x], T.tanh(x) * 2, mode=XLA)
    used = {}
    with theano.config.change_flags(**{"xla.max_keys": 8}):
        for size in range(1, 101):
            f(np.zeros(size))
            assert len(f.fn.stages[0].table) <= 8
            if size in (50, 100):
                gc.collect()
                used[size] = _resident()
    # one compiled form takes 0.4 MB or more: 50 of them, kept, would be 20 MB
    assert used[100] - used[50] < 10e6
