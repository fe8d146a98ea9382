"""What a compiled program gives is the caller's: in its own memory, which nothing else has."""

import gc

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.properties import views
from tests.properties.programs.checking import check_program
from tests.properties.programs.drawing import drawn
from theano._src.engines.jax import backend

pytestmark = pytest.mark.xla
N = 50_000
MODES = [theano.Mode(linker="xla"), theano.Mode(linker="xla", optimizer=None)]


def aligned(n=N):
    """An array that jax takes without a copy."""
    memory = np.empty(8 * n + 64, "uint8")
    start = -memory.ctypes.data % 64
    x = memory[start : start + 8 * n].view("float64")
    x[:] = np.arange(n)
    return x


def is_kept(x):
    return isinstance(x.base, backend._Buffer)


@pytest.mark.parametrize("mode", MODES)
def test_a_large_result_is_not_copied_and_can_be_written(mode):
    x = T.dvector("x")
    f = theano.function([x], [x + 1, x.sum()], mode=mode)
    y, total = f(aligned())
    assert is_kept(y) and y.flags.writeable and y.flags.c_contiguous
    y[:] = 3
    again, _ = f(aligned())
    assert np.array_equal(again, np.arange(N) + 1.0) and total == np.arange(N).sum()


def test_a_small_result_is_copied():
    x = T.dvector("x")
    assert not is_kept(theano.function([x], x + 1, mode=MODES[0])(np.ones(10)))


def test_the_memory_of_a_result_lives_as_long_as_the_array():
    x = T.dvector("x")
    f = theano.function([x], x * 2, mode=MODES[0])
    y = f(aligned())
    part = y[1000:2000]
    del f, y
    gc.collect()
    others = [np.full(N, 7.0) for _ in range(20)]
    assert np.array_equal(part, 2.0 * np.arange(1000, 2000)) and len(others) == 20


@pytest.mark.parametrize("mode", MODES)
def test_no_output_has_the_memory_of_an_argument(mode):
    x = T.dvector("x")
    outputs = [x.reshape((x.shape[0],)), x[:], T.as_tensor_variable(x), x.dimshuffle("x", 0)]
    f = theano.function([x], outputs, mode=mode)
    given = aligned()
    for k in range(3):
        for y in f(given):
            assert not np.shares_memory(y, given), k
            y[...] = -1
        assert np.array_equal(given, np.arange(N))


@pytest.mark.parametrize("mode", MODES)
def test_no_two_outputs_have_the_same_memory(mode):
    x = T.dvector("x")
    y = x * 2
    outputs = [y, y, y.reshape((y.shape[0],)), y[:], y.dimshuffle(0), x * 2]
    f = theano.function([x], outputs, mode=mode)
    made = f(aligned())
    for i, a in enumerate(made):
        assert not any(np.shares_memory(a, b) for b in made[:i])
        a[...] = i
    assert [float(a.ravel()[5]) for a in made] == list(range(len(made)))


@pytest.mark.parametrize("mode", MODES)
def test_writing_to_outputs_changes_no_shared_variable(mode):
    x = T.dvector("x")
    s, r = theano.shared(np.zeros(N)), theano.shared(np.ones(N))
    new = s + x
    f = theano.function(
        [x],
        [s, new, new[:], r.reshape((r.shape[0],)), r, s * 1],
        updates=[(s, new), (r, x)],
        mode=mode,
    )
    total, given = np.zeros(N), aligned()
    for _ in range(4):
        for y in f(given):
            y[...] = 99
        total = total + given
        assert np.array_equal(s.get_value(), total)
        assert np.array_equal(r.get_value(), given)
        given = given + 1


@pytest.mark.parametrize("mode", MODES)
def test_writing_to_outputs_changes_no_constant(mode):
    x = T.dscalar("x")
    held = T.constant(np.arange(float(N)))
    f = theano.function([x], [held, held[:], held.reshape((N,)), held + x], mode=mode)
    for _ in range(3):
        for y in f(0.0):
            assert np.array_equal(y, np.arange(N))
            y[...] = -5


def test_random_programs_are_right_where_every_result_keeps_its_memory(monkeypatch):
    monkeypatch.setattr(backend, "_WORTH_KEEPING", 1)
    seeds = range(31_000_000, 31_000_020)
    print(f"programs {seeds}")
    for seed in seeds:
        program = drawn(seed)
        if program is not None:
            _, failures = check_program(program, ["xla"])
            assert not failures, failures[0].report()


def test_random_views_are_right_where_every_result_keeps_its_memory(monkeypatch):
    monkeypatch.setattr(backend, "_WORTH_KEEPING", 1)
    seeds = range(31_000_000, 31_000_060)
    print(f"views {seeds}")
    failures = views.check_all(list(seeds), ["xla"])
    assert not failures, next(iter(failures.values()))
