"""State is written in place, whatever is checked in the same function, or left as it was."""

import time

import numpy as np
import pytest

import theano
import theano.tensor as T

pytestmark = pytest.mark.xla
XLA = theano.Mode("xla")

x, g, i, j = T.dvector("x"), T.dmatrix("g"), T.lscalar("i"), T.lscalar("j")
idx, other = T.lvector("idx"), T.lvector("other")
START = np.arange(40.0).reshape(10, 4)
ROWS = np.array([[1.0, 2, 3, 4], [5, 6, 7, 8]])


def into(a, rows, values):
    a = a.copy()
    np.add.at(a, rows, values)
    return a


def written(a, rows, values):
    a = a.copy()
    a[rows] = values
    return a


# name: inputs, new state, arguments, what NumPy makes of it, arguments that fail a check
UPDATES = {
    "no check": ([g], lambda w: w + g.sum(), (ROWS,), lambda w: w + 36, None),
    "elementwise after an index": (
        [x, i],
        lambda w: w * x[i] + 1,
        (np.array([2.0, 3]), 1),
        lambda w: w * 3 + 1,
        (np.array([2.0, 3]), 2),
    ),
    "rows added": (
        [g, idx],
        lambda w: T.inc_subtensor(w[idx], g),
        (ROWS, [3, 3]),
        lambda w: into(w, [3, 3], ROWS),
        (ROWS, [3, 10]),
    ),
    "rows set, then others added": (
        [g, idx, other],
        lambda w: T.inc_subtensor(T.set_subtensor(w[idx], g)[other], g),
        (ROWS, [3, -1], [3, 0]),
        lambda w: into(written(w, [3, -1], ROWS), [3, 0], ROWS),
        (ROWS, [3, -1], [3, -11]),
    ),
    "one element": (
        [i, j],
        lambda w: T.inc_subtensor(w[i, j], 5),
        (-1, 2),
        lambda w: into(w, (-1, 2), 5),
        (-1, 4),
    ),
    "a slice": (
        [g, i],
        lambda w: T.set_subtensor(w[i : i + 2], g),
        (ROWS, 4),
        lambda w: written(w, slice(4, 6), ROWS),
        None,
    ),
    "a check of the new state itself": (
        [i],
        lambda w: T.opt.assert_op(w - i, T.ge((w - i).sum(), 0)),
        (1,),
        lambda w: w - 1,
        (1000,),
    ),
    "an index that only state needs": (
        [idx, other],
        lambda w: T.inc_subtensor(w[idx[other] + 1], 1.0),
        ([1, 2, 3], [0, 2]),
        lambda w: into(w, [2, 4], 1.0),
        ([1, 2, 3], [0, 3]),
    ),
}


@pytest.mark.parametrize("name", UPDATES)
def test_an_update_is_written_in_place_or_not_at_all(name):
    inputs, new, good, expected, bad = UPDATES[name]
    w = theano.shared(START, "w")
    f = theano.function(inputs, updates=[(w, new(w))], mode=XLA)
    want, places = START, []
    for _ in range(3):
        f(*good)
        want = expected(want)
        places.append(w.container.storage[0].unsafe_buffer_pointer())
    np.testing.assert_array_equal(w.get_value(), want)
    assert len(set(places)) == 1
    if bad is not None:
        with pytest.raises((IndexError, AssertionError)):
            f(*bad)
        np.testing.assert_array_equal(w.get_value(), want)
        f(*good)
        np.testing.assert_array_equal(w.get_value(), expected(want))


def test_a_length_leaves_a_shared_variable_on_the_device():
    w = theano.shared(START, "w")
    f = theano.function([i], w[i : i + 2], mode=XLA)
    f(0)
    held = w.container.storage[0]
    assert not isinstance(held, np.ndarray)
    np.testing.assert_array_equal(f(7), START[7:9])
    assert w.container.storage[0] is held


@pytest.mark.parametrize(
    "made", [g[1], g[-1:, 0], T.cast(g, "int64") ** 2, T.repeat(g, 2), T.arange(0, 9, 2) + i]
)
def test_what_constants_decide_is_not_checked_at_run_time(made):
    f = theano.function([g, i], made, mode=XLA, on_unused_input="ignore")
    f(ROWS, 1)
    assert all(p.flagged == {key: [] for key in p.table} for p in f.fn.stages)


def test_a_constant_index_out_of_range_is_still_an_error():
    f = theano.function([g], g[2], mode=XLA)
    with pytest.raises(IndexError, match="index 2 is out of bounds for axis 0 with size 2"):
        f(ROWS)
    assert f(np.ones((3, 1))).tolist() == [1]


def test_state_may_change_its_shape_beside_a_check():
    w = theano.shared(np.arange(3.0), "w")
    f = theano.function([x, i], updates=[(w, T.concatenate([w, x * x[i]]))], mode=XLA)
    with pytest.raises(IndexError):
        f([2.0], 1)
    np.testing.assert_array_equal(w.get_value(), [0, 1, 2])
    f([2.0], 0)
    np.testing.assert_array_equal(w.get_value(), [0, 1, 2, 4])


def row_step(table, index):
    """A function that reads rows of a table, and updates them."""
    w = theano.shared(table.copy())
    rows = w[index]
    new = T.inc_subtensor(rows, -2 * rows)
    return w, theano.function([index], rows.sum(), updates=[(w, new)], mode=XLA)


@pytest.mark.parametrize("index", [i, idx], ids=["number", "vector"])
def test_one_row_that_is_read_and_updated(index):
    table = np.arange(400_000.0).reshape(50_000, 8)
    w, step = row_step(table, index)
    for at in (3, -1):
        given = at if index is i else [at]
        assert step(given) == table[at].sum()
        np.testing.assert_array_equal(w.get_value()[at], -table[at])
    before = w.get_value()
    with pytest.raises(IndexError):
        step(50_000 if index is i else [50_000])
    np.testing.assert_array_equal(w.get_value(), before)


@pytest.mark.parametrize("index", [i, idx], ids=["number", "vector"])
def test_one_row_is_updated_without_a_copy_of_the_table(index):
    # a copy takes a hundred times as long as all the rest
    table = np.ones((200_000, 16))
    one, two = row_step(table, index)[1], row_step(table, idx)[1]

    def least(step, given):
        step(given)
        times = []
        for _ in range(20):
            start = time.perf_counter()
            step(given)
            times.append(time.perf_counter() - start)
        return min(times)

    assert least(one, 3 if index is i else [3]) < 10 * least(two, [3, 4])
