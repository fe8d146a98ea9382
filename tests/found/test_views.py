"""Writing into a view of what is read in another order, through every way to name one array."""

import numpy as np
import pytest

import theano
import theano.tensor as T

pytestmark = pytest.mark.xla
START = np.arange(16.0).reshape(4, 4)
ORDER = np.array([2, 0, 3, 1])


def written(flat, block, at=4):
    out = START.ravel().copy() if flat is None else flat.copy()
    out[at : at + len(block)] = block
    return out


# name: the program on a matrix x, and what NumPy makes of it
PROGRAMS = {
    "the reverse of a row, into the flat array": (
        lambda x: T.set_subtensor(x.flatten()[4:8], x[1, ::-1]),
        lambda: written(None, START[1, ::-1]),
    ),
    "a row moved round": (
        lambda x: T.set_subtensor(x.flatten()[4:8], T.roll(x[1], 1)),
        lambda: written(None, np.roll(START[1], 1)),
    ),
    "a row in the order of a constant index": (
        lambda x: T.set_subtensor(x.flatten()[4:8], x[1][ORDER]),
        lambda: written(None, START[1][ORDER]),
    ),
    "through a reshape": (
        lambda x: T.set_subtensor(x.reshape((2, 8))[0, 4:], x[1, ::-1]),
        lambda: written(None, START[1, ::-1]).reshape(2, 8),
    ),
    "through an added dimension": (
        lambda x: T.set_subtensor(x.dimshuffle("x", 0, 1)[0, 1], x[1, ::-1]),
        lambda: written(None, START[1, ::-1]).reshape(1, 4, 4),
    ),
    "added, not stored": (
        lambda x: T.inc_subtensor(x.flatten()[4:8], x[1, ::-1]),
        lambda: written(None, START[1] + START[1, ::-1]),
    ),
    "a neighbouring part, in the same order": (
        lambda x: T.set_subtensor(x.flatten()[3:9], (x + 1).flatten()[2:8]),
        lambda: written(None, START.ravel()[2:8] + 1, 3),
    ),
    "the transpose": (
        lambda x: T.set_subtensor(x.flatten()[2:9], x.T.flatten()[1:8]),
        lambda: written(None, START.T.ravel()[1:8], 2),
    ),
    "a number from inside the block": (
        lambda x: T.set_subtensor(x.flatten()[4:8], x[1, 1] * 2),
        lambda: written(None, np.full(4, 10.0)),
    ),
    "an intermediate array": (
        lambda x: T.set_subtensor(T.exp(x).flatten()[4:8], T.exp(x)[1, ::-1]),
        lambda: written(np.exp(START).ravel(), np.exp(START)[1, ::-1]),
    ),
    "two arrays that are equal, computed in two ways": (
        lambda x: T.set_subtensor((x * 2 * 2).flatten()[4:8], (x * 4)[1, ::-1]),
        lambda: written(4 * START.ravel(), 4 * START[1, ::-1]),
    ),
    "one row by a vector of one index": (
        lambda x: T.set_subtensor(x[[1]], x[[1], ::-1]),
        lambda: written(None, START[1, ::-1]).reshape(4, 4),
    ),
    "a part of the flat array, one row of a stack": (
        lambda x: T.set_subtensor(x.flatten().dimshuffle("x", 0)[[0], 4:8], x[1:2, ::-1]),
        lambda: written(None, START[1, ::-1]).reshape(1, 16),
    ),
}
MODES = {
    "xla": theano.Mode("xla"),
    "xla, nothing rewritten": theano.Mode("xla", None),
    "numpy": theano.Mode("numpy"),
    "default": theano.Mode(),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_written_is_what_was_there_before_the_write(name, mode):
    x = T.dmatrix("x")
    make, expected = PROGRAMS[name]
    f = theano.function([x], make(x), mode=MODES[mode])
    np.testing.assert_allclose(f(START), expected(), rtol=1e-14)


@pytest.mark.parametrize("mode", MODES)
def test_all_of_it_in_one_function(mode):
    x = T.dmatrix("x")
    f = theano.function([x], [make(x) for make, _ in PROGRAMS.values()], mode=MODES[mode])
    for got, (_, expected) in zip(f(START), PROGRAMS.values(), strict=True):
        np.testing.assert_allclose(got, expected(), rtol=1e-14)


@pytest.mark.parametrize("mode", MODES)
def test_two_inputs_of_an_inner_graph_may_be_one_array(mode):
    a, b, x = T.dvector("a"), T.dmatrix("b"), T.dmatrix("x")
    inner = theano.OpFromGraph([a, b], [T.set_subtensor(a[4:8], b[1, ::-1])])
    f = theano.function([x], inner(x.flatten(), x), mode=MODES[mode])
    np.testing.assert_array_equal(f(START), written(None, START[1, ::-1]))


# the step of a loop on a vector of 64
STEPS = {
    "the reverse of a row": (
        lambda c: T.set_subtensor(c.reshape((8, 8))[2], c[16:24][::-1]).flatten(),
        lambda c: written(c, c[16:24][::-1], 16),
    ),
    "a row into a column": (
        lambda c: T.set_subtensor(c.reshape((8, 8))[:, 1], c[0:8]).flatten(),
        lambda c: np.column_stack([c.reshape(8, 8)[:, :1], c[:8], c.reshape(8, 8)[:, 2:]]).ravel(),
    ),
    "a part that is moved by one": (
        lambda c: T.set_subtensor(c[1:], c.reshape((8, 8)).flatten()[:-1]),
        lambda c: np.concatenate([c[:1], c[:-1]]),
    ),
}


@pytest.mark.parametrize("kept", ["all", "last"])
@pytest.mark.parametrize("steps", [1, 3])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", STEPS)
def test_a_loop_writes_into_views_of_its_state(name, mode, steps, kept):
    step, expected = STEPS[name]
    start = T.dvector("start")
    made, _ = theano.scan(step, outputs_info=[start], n_steps=steps)
    f = theano.function([start], made if kept == "all" else made[-1], mode=MODES[mode])
    want = [np.arange(64.0)]
    for _ in range(steps):
        want.append(expected(want[-1]))
    np.testing.assert_array_equal(f(want[0]), want[1:] if kept == "all" else want[-1])


@pytest.mark.parametrize("mode", MODES)
def test_an_update_writes_into_a_view_of_the_old_value(mode):
    w = theano.shared(START, "w")
    new = T.set_subtensor(w.flatten()[4:8], w[1, ::-1]).reshape((4, 4))
    f = theano.function([], w.T, updates=[(w, new)], mode=MODES[mode])
    want = START
    for _ in range(3):
        np.testing.assert_array_equal(f(), want.T)
        want = written(want.ravel(), want[1, ::-1]).reshape(4, 4)
        np.testing.assert_array_equal(w.get_value(), want)


def test_a_block_of_large_state_is_still_written_without_a_copy_of_the_rest():
    w = theano.shared(np.zeros((1000, 1000)), "w")
    f = theano.function([], updates=[(w, T.set_subtensor(w[3], w[3, ::-1] + 1))], mode=MODES["xla"])
    f()
    (program,) = f.fn.stages
    (run,) = program.table.values()
    memory = run.compiled.memory_analysis()
    assert memory.temp_size_in_bytes < 100_000
    assert w.get_value()[3].tolist() == [1] * 1000
