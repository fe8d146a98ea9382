"""Shared variables and other state of functions that XLA runs: values, aliases, memory."""

import copy
import itertools
import pickle

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.engines.xla.interrupted import aligned

pytestmark = pytest.mark.xla

XLA = theano.Mode("xla")
NUMPY = theano.Mode("numpy")
MODES = pytest.mark.parametrize("mode", [XLA, NUMPY], ids=["xla", "numpy"])


def on_device(w):
    return not isinstance(w.container.storage[0], np.ndarray)


# updates and outputs that could be one buffer


def plain(w, v, x):
    return [w + x], {w: w + x}


def previous(w, v, x):
    return [], {v: w, w: w + x}


def bare_variable_out(w, v, x):
    return [w, w], {w: w + x}


def bare_input(w, v, x):
    return [x], {w: x, v: x}


def output_is_update(w, v, x):
    y = w * x
    return [y, y], {w: y}


def two_updates_of_one(w, v, x):
    y = w + x
    return [y], {w: y, v: y}


def exchanged(w, v, x):
    return [w, v], {w: v, v: w}


def unchanged(w, v, x):
    return [w + x], {w: w, v: v + x}


def constant(w, v, x):
    c = T.constant(np.array([7.0, 8.0, 9.0]))
    return [c, x + c], {w: c, v: c}


def views(w, v, x):
    return [w[::-1], w.reshape((3, 1)), x[::-1]], {w: w[::-1], v: x[::-1]}


def casts(w, v, x):
    return [T.cast(w, "float64"), T.cast(x, "float64")], {w: T.cast(x, "float64")}


def mixture(w, v, x):
    y = w + x
    return [w, y, x, v], {w: y, v: w}


def kept_beside_a_check(w, v, x):
    y = w[T.cast(x, "int64") % 3]
    return [y, w], {v: w, w: y}


SHARINGS = [
    plain,
    previous,
    bare_variable_out,
    bare_input,
    output_is_update,
    two_updates_of_one,
    exchanged,
    unchanged,
    constant,
    views,
    casts,
    mixture,
    kept_beside_a_check,
]

#: the same, written out in NumPy
W, V, X = np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0, 30.0]), np.array([4.0, 5.0, 7.0])
C = np.array([7.0, 8.0, 9.0])
EXPECTED = {
    plain: ([W + X], W + X, V),
    previous: ([], W + X, W),
    bare_variable_out: ([W, W], W + X, V),
    bare_input: ([X], X, X),
    output_is_update: ([W * X, W * X], W * X, V),
    two_updates_of_one: ([W + X], W + X, W + X),
    exchanged: ([W, V], V, W),
    unchanged: ([W + X], W, V + X),
    constant: ([C, X + C], C, C),
    views: ([W[::-1], W[:, None], X[::-1]], W[::-1], X[::-1]),
    casts: ([W, X], X, V),
    mixture: ([W, W + X, X, V], W + X, W),
    kept_beside_a_check: ([W[[1, 2, 1]], W], W[[1, 2, 1]], W),
}


def compiled(make, w, v, mode=XLA):
    x = T.dvector()
    outputs, updates = make(w, v, x)
    return theano.function(
        [x], outputs, updates=list(updates.items()), mode=mode, on_unused_input="ignore"
    )


def two_variables():
    return theano.shared(W.copy(), name="w"), theano.shared(V.copy(), name="v")


@MODES
@pytest.mark.parametrize("make", SHARINGS, ids=lambda f: f.__name__)
def test_outputs_and_updates_are_as_written_out(make, mode):
    w, v = two_variables()
    f = compiled(make, w, v, mode)
    for _ in range(3):
        w.set_value(W)
        v.set_value(V)
        outputs, new_w, new_v = EXPECTED[make]
        got = f(X)
        for out, expected in zip(got, outputs, strict=True):
            np.testing.assert_array_equal(out, expected)
        np.testing.assert_array_equal(w.get_value(), new_w)
        np.testing.assert_array_equal(v.get_value(), new_v)


@pytest.mark.parametrize("make", SHARINGS, ids=lambda f: f.__name__)
def test_ten_calls_in_a_row_give_what_the_numpy_engine_gives(make):
    found = []
    for mode in (XLA, NUMPY):
        w, v = two_variables()
        f = compiled(make, w, v, mode)
        found.append([[*f(X / 4 + k), w.get_value(), v.get_value()] for k in range(10)])
    for on_xla, on_numpy in zip(*found, strict=True):
        for a, b in zip(on_xla, on_numpy, strict=True):
            np.testing.assert_array_equal(a, b)


@MODES
@pytest.mark.parametrize("borrowed", [False, True], ids=["copied", "borrowed"])
@pytest.mark.parametrize("make", SHARINGS, ids=lambda f: f.__name__)
def test_writing_into_an_output_input_or_value_changes_nothing_else(make, borrowed, mode):
    w, v = two_variables()
    f = compiled(make, w, v, mode)
    x = aligned((3,))
    x[...] = X
    f(x)
    w.set_value(W)
    v.set_value(V)
    arrays = [x, *f(x), w.get_value(borrow=borrowed), v.get_value(borrow=borrowed)]
    for one, other in itertools.combinations(arrays, 2):
        assert not np.shares_memory(one, other)
    for k, array in enumerate(arrays):
        held = w.get_value(), v.get_value()
        kept = [a.copy() for a in arrays]
        array[...] = -100 - k
        for j, other in enumerate(arrays):
            if j != k:
                np.testing.assert_array_equal(other, kept[j])
        for n, (shared, was) in enumerate(zip((w, v), held, strict=True)):
            lent = borrowed and k == len(arrays) - 2 + n
            np.testing.assert_array_equal(shared.get_value(), array if lent else was)


@MODES
def test_outputs_are_arrays_that_the_caller_owns(mode):
    x = T.dmatrix()
    w = theano.shared(np.ones((3, 2)))
    n = theano.shared(3)
    f = theano.function(
        [x],
        [x, x.T, x.sum(), x + 1, w, x.shape[0], n, x[0], x[:, 1:], T.exp(x)[x > 1], x.argmax()],
        mode=mode,
    )
    for _ in range(2):
        for out in f(np.arange(6.0).reshape(3, 2)):
            assert type(out) is np.ndarray
            assert out.flags.writeable
            out[...] = 0
    one = f(np.ones((3, 2)))
    two = f(np.ones((3, 2)))
    for a in one:
        for b in two:
            assert not np.shares_memory(a, b)


@pytest.mark.parametrize("mode", [XLA], ids=["xla"])
def test_outputs_of_xla_are_c_contiguous_and_own_their_memory(mode):
    x = T.dmatrix()
    f = theano.function([x], [x.T, x + 1, x.sum(), x[:, ::2], x], mode=mode)
    for out in f(np.arange(6.0).reshape(2, 3)):
        assert out.flags.c_contiguous and out.flags.owndata


# memory


def pointer(w):
    return w.container.storage[0].unsafe_buffer_pointer()


def in_place(w, x, i):
    return {}, {w: w + x}


def beside_a_check(w, x, i):
    return {"outputs": w[i].sum()}, {w: w + x}


def of_a_row(w, x, i):
    return {}, {w: T.inc_subtensor(w[i], 1.0)}


def with_an_output(w, x, i):
    return {"outputs": w.sum() + x}, {w: w * 0.5 + x}


@pytest.mark.parametrize(
    "make", [in_place, beside_a_check, of_a_row, with_an_output], ids=lambda f: f.__name__
)
def test_an_update_of_a_large_variable_is_in_place(make):
    w = theano.shared(np.zeros(1_000_000))
    x, i = T.dscalar(), T.lvector()
    kwargs, updates = make(w, x, i)
    f = theano.function(
        [x, i], updates=list(updates.items()), mode=XLA, on_unused_input="ignore", **kwargs
    )
    indices = np.array([3, 5])
    f(1.0, indices)
    f(1.0, indices)
    where = pointer(w)
    for _ in range(5):
        f(1.0, indices)
        assert pointer(w) == where


def test_an_update_stays_in_place_after_a_check_failed_or_the_value_was_read():
    w = theano.shared(np.zeros(1_000_000))
    i = T.lvector()
    f = theano.function([i], w[i].sum(), updates=[(w, w + 1)], mode=XLA)
    f(np.array([1]))
    with pytest.raises(IndexError):
        f(np.array([10**6]))
    assert w.get_value().max() == 1
    f(np.array([1]))
    where = pointer(w)
    w.get_value()
    f(np.array([1]))
    assert pointer(w) == where
    assert set(w.get_value()) == {3.0}


@theano.compile.as_op([T.dscalar], [T.dscalar])
def positive(x):
    if x <= 0:
        raise ValueError("not positive")
    return np.asarray(x)


def test_an_update_is_in_place_after_a_host_step_that_reads_the_state_and_undone_if_it_fails():
    w = theano.shared(np.ones(1_000_000))
    x = T.dscalar()
    f = theano.function([x], positive(w.sum() * x), updates=[(w, w * 2)], mode=XLA)
    assert f(1.0) == 1_000_000 and f(1.0) == 2_000_000
    where = pointer(w)
    assert f(1.0) == 4_000_000
    assert pointer(w) == where
    with pytest.raises(ValueError, match="not positive"):
        f(-1.0)
    assert set(w.get_value()) == {8.0}
    assert f(1.0) == 8_000_000
    assert pointer(w) == where


# values


@MODES
def test_what_is_written_into_a_borrowed_value_is_seen_by_the_next_call(mode):
    w = theano.shared(np.zeros(3))
    step = theano.function([], w.sum(), updates=[(w, w + 1)], mode=mode)
    look = theano.function([], w * 1, mode=mode)
    step()
    value = w.get_value(borrow=True)
    assert type(value) is np.ndarray and value.flags.writeable
    for k in range(3):
        value[...] = 10 * k
        assert look().tolist() == [10 * k] * 3
    assert step() == 60
    assert w.get_value().tolist() == [21, 21, 21]
    assert look().tolist() == [21, 21, 21]


@pytest.mark.parametrize("reader", [XLA, NUMPY], ids=["read-on-xla", "read-on-numpy"])
@pytest.mark.parametrize("writer", [XLA, NUMPY], ids=["made-on-xla", "made-on-numpy"])
def test_a_borrowed_value_is_seen_by_both_engines(writer, reader):
    w = theano.shared(np.zeros(3))
    theano.function([], updates=[(w, w + 1)], mode=writer)()
    look = theano.function([], w + 0, mode=reader)
    look()
    w.get_value(borrow=True)[1] = 5
    assert look().tolist() == [1, 5, 1]
    w.get_value(borrow=True)[2] = 6
    assert look().tolist() == [1, 5, 6]


@MODES
def test_a_value_is_a_copy_unless_borrowed(mode):
    w = theano.shared(np.zeros(3))
    step = theano.function([], updates=[(w, w + 1)], mode=mode)
    step()
    value = w.get_value()
    value[...] = 50
    assert w.get_value().tolist() == [1, 1, 1]
    step()
    assert value.tolist() == [50, 50, 50]
    assert w.get_value().tolist() == [2, 2, 2]


@MODES
def test_set_value_replaces_what_xla_holds_and_copies_it(mode):
    w = theano.shared(np.zeros(3))
    step = theano.function([], w * 1, updates=[(w, w + 1)], mode=mode)
    step()
    mine = np.array([5.0, 6.0, 7.0])
    w.set_value(mine)
    mine[...] = 0
    assert step().tolist() == [5, 6, 7]
    w.set_value(np.ones(5))
    assert step().tolist() == [1] * 5
    w.set_value(np.array([1, 2]), borrow=True)
    assert step().tolist() == [1, 2]
    assert w.get_value().tolist() == [2, 3]


@MODES
def test_the_users_array_behind_a_borrowing_variable_is_seen_when_it_changes(mode):
    mine = aligned((4,))
    mine[...] = 1
    w = theano.shared(mine, borrow=True)
    v = theano.shared(np.zeros(4))
    look = theano.function([], w * 2, mode=mode)
    add = theano.function([], updates=[(v, v + w)], mode=mode)
    for k in range(4):
        mine[...] = k
        assert look().tolist() == [2 * k] * 4
        add()
    assert v.get_value().tolist() == [6] * 4
    assert mine.tolist() == [3] * 4


@MODES
def test_a_borrowed_array_given_to_set_value_is_not_changed_by_later_updates_of_others(mode):
    mine = aligned((4,))
    mine[...] = 1
    w, v = theano.shared(np.zeros(4)), theano.shared(np.zeros(4))
    w.set_value(mine, borrow=True)
    step = theano.function([], [w + 0], updates=[(v, w), (w, w + 1)], mode=mode)
    assert step()[0].tolist() == [1] * 4
    mine[...] = 77
    assert v.get_value().tolist() == [1] * 4


def test_engines_in_turns_give_what_one_engine_gives():
    def train(modes):
        rng = np.random.default_rng(4)
        w, m = theano.shared(rng.normal(size=(5, 3))), theano.shared(np.zeros((5, 3)))
        x = T.dmatrix()
        g = 2 * T.dot(x.T, T.dot(x, w)) / 12  # of (x w)**2, on the average
        steps = [
            theano.function([x], updates=[(m, 0.9 * m + g), (w, w - 0.1 * m)], mode=mode)
            for mode in modes
        ]
        for k in range(12):
            steps[k % len(steps)](rng.normal(size=(4, 5)))
        return w.get_value()

    alone = train([NUMPY])
    np.testing.assert_allclose(train([XLA]), alone, rtol=1e-12)
    np.testing.assert_allclose(train([XLA, NUMPY]), alone, rtol=1e-12)
    np.testing.assert_allclose(train([NUMPY, NUMPY, XLA, XLA]), alone, rtol=1e-12)


def test_integers_and_exact_floats_in_turns_are_equal_bit_for_bit():
    w, n = theano.shared(np.arange(4.0)), theano.shared(np.int32(0))
    functions = [
        theano.function([], [w, n], updates=[(w, w * 2 + 1), (n, n + 1)], mode=mode)
        for mode in (XLA, NUMPY)
    ]
    expected = np.arange(4.0)
    for k in range(10):
        value, count = functions[k % 2]()
        assert value.tobytes() == expected.tobytes()
        assert (count, count.dtype) == (k, np.int32)
        expected = expected * 2 + 1


@pytest.mark.parametrize(
    "value",
    [
        np.array([True, False]),
        np.arange(3, dtype="int8"),
        np.arange(3, dtype="uint64"),
        np.arange(3, dtype="float16"),
        np.arange(3, dtype="float32"),
        np.arange(3, dtype="complex64"),
        np.zeros((0, 3)),
        np.array(2.5),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    ],
    ids=lambda v: f"{v.dtype}{v.shape}",
)
def test_a_variable_of_any_dtype_and_shape_keeps_both(value):
    w = theano.shared(value)
    f = theano.function(
        [], w, updates=[(w, T.concatenate([w[1:], w[:1]]) if w.ndim else w)], mode=XLA
    )
    out = f()
    assert (out.dtype, out.shape) == (value.dtype, value.shape)
    np.testing.assert_array_equal(out, value)
    expected = np.concatenate([value[1:], value[:1]]) if value.ndim else value
    got = w.get_value()
    assert (type(got), got.dtype, got.shape) == (np.ndarray, value.dtype, value.shape)
    np.testing.assert_array_equal(got, expected)


def test_a_variable_on_the_device_is_pickled_and_copied_by_value():
    w = theano.shared(np.arange(4.0), name="w")
    f = theano.function([], updates=[(w, w + 1)], mode=XLA)
    f()
    assert on_device(w)
    again = pickle.loads(pickle.dumps(w))
    deep = copy.deepcopy(w)
    f()
    for other in (again, deep):
        assert type(other.container.storage[0]) is np.ndarray or on_device(other)
        assert other.name == "w"
        assert other.get_value().tolist() == [1, 2, 3, 4]
        theano.function([], updates=[(other, other * 2)], mode=XLA)()
        assert other.get_value().tolist() == [2, 4, 6, 8]
    assert w.get_value().tolist() == [2, 3, 4, 5]


def test_a_pickle_of_a_variable_on_the_device_needs_numpy_alone():
    w = theano.shared(np.arange(4.0))
    theano.function([], updates=[(w, w + 1)], mode=XLA)()
    assert b"jax" not in pickle.dumps(w)


def test_a_function_with_state_on_the_device_is_pickled():
    x = T.dscalar()
    w = theano.shared(np.zeros(2))
    f = theano.function([x], w + x, updates=[(w, w + x)], mode=XLA)
    f(1.0)
    g = pickle.loads(pickle.dumps(f))
    assert g(2.0).tolist() == [3, 3]
    assert f(5.0).tolist() == [6, 6]
    assert g(0.0).tolist() == [3, 3]


# state of functions


def test_a_copy_with_another_variable_swapped_in_leaves_the_first_alone():
    x = T.dvector()
    w, other = theano.shared(np.zeros(3)), theano.shared(np.full(3, 100.0))
    f = theano.function([x], w.sum(), updates=[(w, w + x)], mode=XLA)
    f(np.ones(3))
    g = f.copy(swap={w: other})
    assert (g(np.ones(3)), f(np.ones(3))) == (300, 3)
    assert (g(np.ones(3)), f(np.ones(3))) == (303, 6)
    assert (w.get_value().tolist(), other.get_value().tolist()) == ([3] * 3, [102] * 3)
    still = f.copy(delete_updates=True)
    assert (still(np.ones(3)), still(np.ones(3))) == (9, 9)
    assert w.get_value().tolist() == [3] * 3


def test_default_updates_happen_on_xla():
    w = theano.shared(np.zeros(3))
    w.default_update = w + 1
    f = theano.function([], w * 2, mode=XLA)
    assert [f().tolist() for _ in range(3)] == [[0] * 3, [2] * 3, [4] * 3]
    g = theano.function([], w * 2, mode=XLA, no_default_updates=True)
    assert (g().tolist(), g().tolist()) == ([6] * 3, [6] * 3)


@MODES
def test_an_input_with_an_update_is_state_of_the_function(mode):
    x, s = T.dvector(), T.dvector("s")
    f = theano.function([x, theano.In(s, value=np.zeros(3), update=s + x)], [s, s.sum()], mode=mode)
    assert f(np.ones(3))[0].tolist() == [0, 0, 0]
    assert f(np.ones(3))[0].tolist() == [1, 1, 1]
    assert f["s"].tolist() == [2, 2, 2]
    mine = aligned((3,))
    mine[...] = 10
    out, total = f(np.ones(3), mine)
    assert (out.tolist(), total) == ([10, 10, 10], 30)
    mine[...] = 0
    assert np.asarray(f["s"]).tolist() == [11, 11, 11]
    f["s"] = np.full(3, 5.0)
    assert f(np.zeros(3))[0].tolist() == [5, 5, 5]


@pytest.mark.parametrize(
    "mode",
    [XLA, NUMPY],
    ids=["xla", "numpy"],
)
def test_the_state_of_an_input_is_a_numpy_array(mode):
    x, s = T.dvector(), T.dvector("s")
    f = theano.function([x, theano.In(s, value=np.zeros(3), update=s + x)], mode=mode)
    f(np.ones(3))
    assert type(f["s"]) is np.ndarray
    assert type(f.container["s"].value) is np.ndarray


@MODES
def test_a_program_called_three_times_updates_three_times(mode):
    w, n = theano.shared(np.zeros(3)), theano.shared(0)
    f = theano.function([], w.sum(), updates=[(w, w + 1), (n, n + 1)], mode=mode)
    (out,) = f.fn(n_calls=3)
    assert out == 6  # what the last of them gave
    assert (w.get_value().tolist(), n.get_value()) == ([3, 3, 3], 3)


@MODES
def test_zero_and_the_value_attribute_work_on_what_xla_left(mode):
    w = theano.shared(np.ones(3))
    f = theano.function([], w * 1, updates=[(w, w + 1)], mode=mode)
    f()
    assert w.value.tolist() == [2, 2, 2]
    w.zero()
    assert f().tolist() == [0, 0, 0]
    w.zero(borrow=True)
    assert f().tolist() == [0, 0, 0]
    w.value = np.full(3, 8.0)
    assert f().tolist() == [8, 8, 8]


def test_one_variable_in_two_places_of_a_function_is_read_once_and_updated_once():
    w = theano.shared(np.ones(3))
    f = theano.function([], [w + w, w * w], updates=[(w, w + w)], mode=XLA)
    f()
    two, four = f()
    assert (two.tolist(), four.tolist()) == ([4] * 3, [4] * 3)
    assert w.get_value().tolist() == [4] * 3


def test_an_update_may_change_the_shape():
    w = theano.shared(np.zeros(1))
    f = theano.function([], w.sum(), updates=[(w, T.concatenate([w, w + 1]))], mode=XLA)
    for _ in range(4):
        f()
    assert sorted(w.get_value()) == sorted(bin(k).count("1") for k in range(16))


def test_generic_and_scalar_variables_are_used_beside_arrays():
    n, w = theano.shared(3), theano.shared(np.ones(5))
    f = theano.function([], w[:n] * n, updates=[(n, n - 1)], mode=XLA)
    assert [f().tolist() for _ in range(3)] == [[3] * 3, [2] * 2, [1]]
    n.set_value(2)
    assert f().tolist() == [2, 2]


def test_arguments_go_to_the_program_without_being_kept():
    x, y = T.dvector("x"), T.dscalar("y")
    w = theano.shared(np.zeros(3))
    f = theano.function([x, y], (x * y).sum(), updates=[(w, w + x)], mode=XLA)
    run = f.fn.direct([0, 1])
    a = np.arange(3.0)
    assert run(a, np.array(2.0))[0] == 6
    assert f(a, 3) == 9
    assert w.get_value().tolist() == [0, 2, 4]
    held = [f.input_storage[i].storage[0] for i in (0, 1)]
    assert held == [None, None]
    assert f.fn.direct([1, 0]) is None
    # by name it goes through the cells
    assert f(y=3, x=a) == 9


def test_a_call_that_fails_names_its_node_and_goes_on_with_the_next():
    x, i = T.dvector("x"), T.lscalar("i")
    w = theano.shared(np.zeros(()))
    f = theano.function([x, i], x[i] * 2, updates=[(w, w + x[i])], mode=XLA)
    for _ in range(2):
        with pytest.raises(IndexError, match="Apply node that caused the error: Subtensor"):
            f(np.ones(3), 5)
        assert f(np.ones(3), 1) == 2
    assert w.get_value() == 2
