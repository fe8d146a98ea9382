"""Parts of state that the numpy engine overwrites are as they were if the call fails after."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.engines.costs import rates

NUMPY = theano.Mode("numpy")
START = np.arange(24.0).reshape(6, 4)

i, j, n, y = T.lvector("i"), T.lvector("j"), T.lscalar("n"), T.dscalar("y")
mask = T.bvector("mask")


class Interrupts(theano.Op):
    """Gives its first input, unless its second is positive: then it does as Ctrl-C does."""

    __props__ = ()

    def make_node(self, x, stop):
        return theano.Apply(self, [x, stop], [x.type()])

    def perform(self, node, inputs, output_storage):
        x, stop = inputs
        if stop > 0:
            raise KeyboardInterrupt
        output_storage[0][0] = x.copy()


def refuses(x, limit):
    return T.opt.Assert("too much")(x, T.lt(limit, 1))


# name: inputs, new state, arguments
WRITES = {
    "rows": ([i], lambda w: T.inc_subtensor(w[i], y), ([1, 1, -2],)),
    "rows set": ([i], lambda w: T.set_subtensor(w[i], y), ([1, 1, -2],)),
    "a slice": ([n], lambda w: T.inc_subtensor(w[n : n + 2, ::2], y), (3,)),
    "one row": ([n], lambda w: T.inc_subtensor(w[n], y), (-1,)),
    "elements": ([i, j], lambda w: T.inc_subtensor(w[i, j], y), ([0, 0, 2], [1, 1, -1])),
    "a mask": ([mask], lambda w: T.inc_subtensor(w[T.eq(mask, 1)], y), ([1, 0, 0, 1, 0, 1],)),
    "the same place twice": (
        [i],
        lambda w: T.set_subtensor(T.inc_subtensor(w[i], y)[i[:1]], y),
        ([1, 2],),
    ),
}


def step(name, after):
    """State, and a function that updates it, then looks at what it has written by ``after``."""
    inputs, write, args = WRITES[name]
    w = theano.shared(START.copy(), "w")
    new = write(w)
    f = theano.function([*inputs, y], after(new.sum(), y), updates=[(w, new)], mode=NUMPY)
    return w, f, args


def held(w):
    return w.get_value(borrow=True)


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize(
    "after, error", [(refuses, AssertionError), (Interrupts(), KeyboardInterrupt)]
)
def test_a_call_that_fails_after_writing_leaves_state_as_it_was(name, after, error):
    w, f, args = step(name, after)
    array = held(w)
    with pytest.raises(error):
        f(*args, 5.0)
    assert held(w) is array
    np.testing.assert_array_equal(array, START)
    f(*args, -5.0)
    assert held(w) is array
    assert (array != START).any()


@pytest.mark.parametrize("name", WRITES)
def test_the_whole_of_state_is_not_copied(name):
    f = step(name, refuses)[1]
    assert "copy(" not in f.fn.source and "put_back(journal)" in f.fn.source


def test_two_states_are_put_back_together():
    w, v = (theano.shared(START.copy(), name) for name in "wv")
    new = T.inc_subtensor(w[i], y), T.inc_subtensor(v[i], 2 * y)
    out = refuses(new[0].sum() + new[1].sum(), y)
    f = theano.function([i, y], out, updates=list(zip((w, v), new, strict=True)), mode=NUMPY)
    with pytest.raises(AssertionError):
        f([1, 2], 5.0)
    with pytest.raises(IndexError):
        f([1, 6], -5.0)
    np.testing.assert_array_equal(held(w), START)
    np.testing.assert_array_equal(held(v), START)
    f([1, 1], -5.0)
    assert (held(w)[1] == START[1] - 10).all() and (held(v)[1] == START[1] - 20).all()


def test_what_is_overwritten_as_a_whole_after_a_part_is_copied_first():
    w = theano.shared(START.copy(), "w")
    new = T.tanh(T.inc_subtensor(w[i], y))
    f = theano.function([i, y], refuses(new.sum(), y), updates=[(w, new)], mode=NUMPY)
    array = held(w)
    with pytest.raises(AssertionError):
        f([1], 5.0)
    assert held(w) is array
    np.testing.assert_array_equal(array, START)


def test_an_index_that_is_itself_overwritten_does_not_lead_astray():
    w = theano.shared(START.copy(), "w")
    at = i * 2
    new = T.inc_subtensor(w[at], y)
    last = refuses(new.sum() + T.clip(at + 1, 0, 3).sum(), y)
    f = theano.function([i, y], last, updates=[(w, new)], mode=NUMPY)
    with pytest.raises(AssertionError):
        f([1, 2], 5.0)
    np.testing.assert_array_equal(held(w), START)


def test_what_is_kept_is_a_part_of_the_estimate_and_a_copy_of_the_whole_is_not():
    large = np.zeros((300_000, 16))

    def estimated(change):
        w = theano.shared(large, "w")
        f = theano.function([i], updates=[(w, change(w))], mode=theano.Mode("cvm"))
        f([1, 2])
        (record,) = f.fn.policy.records.values()
        return record.estimate.numpy

    rows = estimated(lambda w: T.inc_subtensor(w[i], 1.0))
    whole = estimated(lambda w: T.tanh(T.inc_subtensor(w[i], 1.0)))
    kinds = rates().kinds
    assert 2 * 16 * (kinds["scatter"].numpy + kinds["gather"].numpy) < rows < 1e-4
    assert whole > large.size * kinds["copy"].numpy


def test_state_that_cannot_be_written_to_is_copied():
    lent = START.copy()
    lent.flags.writeable = False
    w = theano.shared(START.copy(), "w")
    w.set_value(lent, borrow=True)
    new = T.inc_subtensor(w[i], y)
    f = theano.function([i, y], refuses(new.sum(), y), updates=[(w, new)], mode=NUMPY)
    with pytest.raises(AssertionError):
        f([1], 5.0)
    f([1], -5.0)
    np.testing.assert_array_equal(lent, START)
    assert (w.get_value()[1] == START[1] - 5).all()
    first = held(w)
    f([1], -5.0)
    assert held(w) is first and (first[1] == START[1] - 10).all()


def test_results_share_no_memory_with_state_that_stays_in_its_place():
    w = theano.shared(START.copy(), "w")
    new = T.inc_subtensor(w[i], y)
    f = theano.function([i, y], [w, new, w[1], new[1]], updates=[(w, new)], mode=NUMPY)
    outs = f([1], 1.0)
    kept = [x.copy() for x in outs]
    assert not any(np.shares_memory(x, held(w)) for x in outs)
    f([1], 1.0)
    assert all(map(np.array_equal, outs, kept))
