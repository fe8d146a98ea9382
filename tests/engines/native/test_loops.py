"""Loops on the native engine: one function for a step, with the bits of the numpy engine."""

import signal
import time
import tracemalloc

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.engines.native.common import (
    bits,
    both,
    finishes,
    native_mode,
    needs_compiler,
    turns_beside,
)

pytestmark = needs_compiler
x, h, c = T.dmatrix("x"), T.dvector("h"), T.dvector("c")
n = T.lscalar("n")


def value(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape)


def scan(step, *args, **kwargs):
    outputs, updates = theano.scan(step, *args, **kwargs)
    assert not updates
    return outputs


W = theano.shared(value(4, 4) / 2, "W")
PROGRAMS = {
    "no state": ([c], lambda: scan(lambda a: T.exp(a) * 2, c), [value(5)]),
    "numbers": ([c], lambda: scan(lambda a, p: a * p + 1, c, T.ones(())), [value(9)]),
    "rows": (
        [x, h],
        lambda: scan(lambda r, p: T.tanh(T.dot(p, W) + r), x, h),
        [value(6, 4), value(4, seed=1)],
    ),
    "last": ([x, h], lambda: scan(lambda r, p: r * p, x, h)[-1], [value(6, 4), value(4)]),
    "several": (
        [x, h],
        lambda: scan(lambda r, p, q: [p + r, q * T.sum(p), r[1:] * 2], x, [h, T.ones(()), None]),
        [value(6, 4), value(4)],
    ),
    "taps": (
        [c],
        lambda: scan(
            lambda a, b, p, q: a * b + p - q,
            [{"input": c, "taps": [0, -1]}],
            [{"initial": T.zeros(2), "taps": [-1, -2]}],
        ),
        [value(8)],
    ),
    "backwards": (
        [x, h],
        lambda: scan(lambda r, p: p + T.sin(r), x, h, go_backwards=True),
        [value(5, 4), value(4)],
    ),
    "until": (
        [h, n],
        lambda: scan(
            lambda p: (p * 2, theano.scan_module.until(p.sum() > 100)),
            outputs_info=h,
            n_steps=n,
        ),
        [np.ones(3), 50],
    ),
    "a loop in a loop": (
        [x],
        lambda: scan(lambda r: scan(lambda a, p: a + p, r, T.zeros(())), x),
        [value(4, 3)],
    ),
    "indices": (
        [c, x],
        lambda: scan(lambda i, p: x[i % 2] * p, T.arange(5), c),
        [value(3), value(2, 3)],
    ),
    "largest": ([x], lambda: scan(lambda r: [r.max(), T.argmax(r)], x), [value(4, 3)]),
}


@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize("name", PROGRAMS)
def test_loops_give_the_bits_of_numpy(name, level):
    inputs, make, values = PROGRAMS[name]
    outputs = make()
    f = both(inputs, outputs, values, level)
    assert finishes(f, *[np.asarray(v, t.dtype) for v, t in zip(values, inputs, strict=True)])[0]
    assert not f.fn.called_back


@pytest.mark.parametrize("name", ["numbers", "rows", "several", "taps", "backwards"])
def test_gradients_through_loops_give_the_bits_of_numpy(name):
    inputs, make, values = PROGRAMS[name]
    outputs = make()
    cost = sum(T.sqr(v).sum() for v in (outputs if isinstance(outputs, list) else [outputs]))
    f = both(inputs, [cost, *T.grad(cost, inputs)], values)
    assert not any("Scan" in str(type(node.op)) for node in f.fn.called_back)


def test_loops_of_every_number_of_steps():
    f = both([h, n], scan(lambda p: p * 2 + 1, outputs_info=h, n_steps=n), [value(3), 4])
    g = theano.function(
        [h, n], scan(lambda p: p * 2 + 1, outputs_info=h, n_steps=n), mode=theano.Mode("numpy")
    )
    for k in (1, 2, 3, 64, 65, 200, 0):
        done, got = finishes(f, value(3), np.array(k))
        assert bits(got) == bits(g(value(3), k))
        assert done == (k > 0)  # no steps are left to NumPy, and are no surprise
    assert finishes(f, value(3), np.array(7))[0]


@pytest.mark.parametrize("dtype", ["float32", "int64", "int8", "complex64", "bool"])
def test_states_of_other_dtypes(dtype):
    state, rows = T.TensorType(dtype, (False,))("s"), T.TensorType(dtype, (False, False))("r")
    step = (lambda r, p: r ^ p) if dtype == "bool" else (lambda r, p: r * p + r)
    given = (value(5, 3) * 3).astype(dtype)
    both([rows, state], scan(step, rows, state), [given, given[0]])


def test_a_state_that_changes_its_shape_is_the_error_of_numpy():
    i = T.lscalar("i")
    step = scan(lambda p: T.concatenate([p, p])[i:], outputs_info=h, n_steps=3)
    texts = []
    for mode in (native_mode(), theano.Mode("numpy")):
        f = theano.function([h, i], step, mode=mode)
        assert f(value(2), 2).shape == (3, 2)
        with pytest.raises(ValueError) as error:
            f(value(2), 1)
        texts.append(str(error.value).partition("Apply node")[0])
    assert texts[0] == texts[1]


def test_lengths_that_change_from_step_to_step_are_left_to_numpy():
    step = scan(lambda k: T.arange(k).sum(), T.arange(6))
    both([], step, [])


def test_state_is_stored_after_the_loop():
    w = theano.shared(value(4), "w")
    new = scan(lambda r, p: p - 0.1 * r, x, w)[-1]
    f = theano.function([x], new.sum(), updates=[(w, new)], mode=native_mode())
    want = value(4)
    for row in value(5, 4, seed=1):
        want = want - 0.1 * row
    f(value(5, 4, seed=1))
    assert bits(w.get_value()) == bits(want)
    with pytest.raises(ValueError):
        f(value(5, 3))
    assert bits(w.get_value()) == bits(want)


def test_memory_grows_with_the_rows():
    f = both([x, h], scan(lambda r, p: T.tanh(r) * p, x, h), [value(3, 4), value(4)])
    for k in (10, 3000, 5):
        assert finishes(f, value(20, k), value(k))[0]


def long_loop(within=False):
    """A loop of ``n`` steps; with ``within`` each of two steps of a loop is one."""

    def loop(state):
        return scan(lambda p: T.cos(p), outputs_info=state, n_steps=n)[-1]

    result = scan(loop, outputs_info=h, n_steps=2)[-1] if within else loop(h)
    return theano.function([h, n], result, mode=native_mode(2))


@pytest.mark.parametrize("within", [False, True])
def test_an_interrupt_ends_a_long_loop(within):
    f = long_loop(within)
    f(value(100), 10)
    old = signal.signal(signal.SIGALRM, signal.default_int_handler)
    start = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            f(value(100), 10**9)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert time.monotonic() - start < 20  # it would take minutes
    assert finishes(f, value(100), np.array(10))[0]


def test_other_threads_run_beside_a_long_loop():
    f = long_loop()
    assert turns_beside(lambda: f(value(100), 10**6)) > 20


def test_views_are_read_in_loops_as_they_lie():
    w, t = T.dmatrix(), T.dtensor3()

    def step(row, state, matrix):
        return T.tanh(row + T.dot(state, matrix))

    out = scan(step, sequences=t[:, :, 1:], outputs_info=T.zeros((2, 4)), non_sequences=w.T)
    f = both([t, w], [out, *T.grad(out.sum(), [t, w])], [value(6, 2, 5), value(4, 4)])
    assert not f.fn.called_back


def test_nodes_without_a_native_form_are_called_back_in_loops():
    def step(state, given):
        return T.nlinalg.matrix_inverse(state + given) + T.sort(state, axis=1)

    m = T.dmatrix()
    out = scan(step, outputs_info=T.eye(3), non_sequences=m, n_steps=200)
    f = both([m], [out, out[-1].sum()], [5 * np.eye(3) + value(3, 3)])
    assert {type(node.op).__name__ for node in f.fn.called_back} == {"MatrixInverse", "SortOp"}
    with pytest.raises(np.linalg.LinAlgError):
        f(-np.eye(3))


def test_nodes_that_are_called_back_in_loops_leave_no_objects():
    m = T.dmatrix()
    out = scan(lambda s: T.sort(s, axis=1) + 1, outputs_info=m, n_steps=50)
    f = both([m], out[-1], [value(40, 50)])
    tracemalloc.start()
    try:
        f(value(40, 50))
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(20):
            f(value(40, 50))
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 40 * 50 * 8 * 5
