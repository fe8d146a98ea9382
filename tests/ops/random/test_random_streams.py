"""RandomStreams: seeds, states shared by functions and engines, and what a failing call leaves."""

from __future__ import annotations

import copy
import pickle
import threading

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.engines.link import Job
from theano._src.engines.xla.linker import XlaProgram
from theano.tensor.raw_random import RandomStreamsBase, random_state_type
from theano.tensor.shared_randomstreams import RandomStreams, RandomVariable

RandomState = np.random.RandomState
MODES = {name: theano.Mode(name) for name in ("numpy", "xla", "py", "cvm")}
same_state = random_state_type.values_eq


def generator(seed, which=0):
    """The generator of the variable that is made as number ``which`` of streams with a seed."""
    seeds = RandomState(seed)
    return [RandomState(int(seeds.randint(2**30))) for _ in range(which + 1)][which]


# what 1.0.5 draws, for the methods in turn on one RandomStreams(2007)
# fmt: off
DRAWN = [
    (lambda r: r.uniform((2, 3)), [[0.006208070525182463, 0.32524245182653233, 0.22208490754324772], [0.09498194380152103, 0.6047026904555571, 0.4276208500408949]]),  # noqa: E501
    (lambda r: r.uniform((2,), -1, 4), [1.4889799338820944, 1.2694017619681448]),
    (lambda r: r.uniform(low=np.array([0., 10.]), high=20), [17.0918691927194, 17.459445203113297]),
    (lambda r: r.uniform((1, 3), dtype="float32"), [[0.49338841438293457, 0.0755774974822998, 0.020517144352197647]]),  # noqa: E501
    (lambda r: r.normal((3,)), [-0.5785081303273338, 1.2155859313623463, 0.7498024116655754]),
    (lambda r: r.normal((2,), 10., .5, dtype="float32"), [10.198366165161133, 9.881213188171387]),
    (lambda r: r.binomial((4,), 10, .3), [3, 4, 6, 3]),
    (lambda r: r.binomial((1, 4), 1, .5, dtype="float64"), [[1., 1., 1., 1.]]),
    (lambda r: r.random_integers((5,), 1, 6), [4, 6, 2, 1, 3]),
    (lambda r: r.random_integers(low=np.array([0, 100]), high=np.array([9, 109])), [2, 107]),
    (lambda r: r.choice((4,), 5), [3, 2, 2, 1]),
    (lambda r: r.choice((3,), [4, 5, 6], replace=False), [6, 5, 4]),
    (lambda r: r.choice((5,), 3, p=[.2, .3, .5]), [2, 0, 1, 2, 1]),
    (lambda r: r.poisson((4,), 3.5), [4, 5, 2, 4]),
    (lambda r: r.permutation((2,), 4), [[3, 1, 2, 0], [1, 3, 2, 0]]),
    (lambda r: r.permutation(n=5), [2, 1, 4, 0, 3]),
    (lambda r: r.multinomial((2,), 7, [.2, .3, .5]), [[1, 0, 6], [2, 3, 2]]),
    (lambda r: r.multinomial(n=3, pvals=np.array([[.5, .5], [.1, .9]])), [[2, 1], [1, 2]]),
    (lambda r: r.uniform(), 0.47022890052714716),
    (lambda r: r.uniform(()), 0.9408258208349298),
]
# fmt: on


@pytest.mark.parametrize("engine", ["numpy", "xla"])
def test_the_numbers_are_those_of_the_last_release(engine):
    rng = RandomStreams(seed=2007)
    made = theano.function([], [draw(rng) for draw, _ in DRAWN], mode=MODES[engine])()
    for i, (got, (_, want)) in enumerate(zip(made, DRAWN, strict=True)):
        assert got.tolist() == want, i


@pytest.mark.parametrize("engine", ["numpy", "xla"])
def test_the_printed_numbers_of_the_tutorial(engine):
    class Graph:
        def __init__(self, seed):
            self.rng = RandomStreams(seed)
            self.y = self.rng.uniform(size=(1,))

    one, two = Graph(seed=123), Graph(seed=987)
    f, g = (theano.function([], graph.y, mode=MODES[engine]) for graph in (one, two))
    assert (f"{f()[0]:.8f}", f"{g()[0]:.8f}") == ("0.72803009", "0.55056769")
    for (to, _), (of, _) in zip(two.rng.state_updates, one.rng.state_updates, strict=True):
        to.set_value(of.get_value())
    assert (f"{f()[0]:.8f}", f"{g()[0]:.8f}") == ("0.59044123", "0.59044123")


def test_each_variable_has_a_generator_of_its_own():
    rng = RandomStreams(42)
    a, b = rng.uniform((3,)), rng.uniform((3,))
    u, v = theano.function([], [a, b])()
    assert np.array_equal(u, generator(42).uniform(size=3))
    assert np.array_equal(v, generator(42, 1).uniform(size=3))
    assert isinstance(a, RandomVariable) and not isinstance(T.dvector(), RandomVariable)
    assert rng.updates() == rng.state_updates == [a.update, b.update]
    assert rng.updates() is not rng.state_updates
    assert a.update[0] is a.rng and a.rng.default_update is a.update[1]
    assert a.rng.tag.is_rng


def test_a_variable_is_drawn_once_a_call():
    u = RandomStreams(1).uniform((4,))
    f = theano.function([], [u, u * 2, u + u - 2 * u])
    one, twice, nothing = f()
    assert np.array_equal(twice, 2 * one) and not nothing.any()


def test_the_state_moves_on_unless_told_not_to():
    rng = RandomStreams(7)
    u, v = rng.uniform((2,)), rng.uniform((2,))
    want = generator(7)
    first, second, third = (want.uniform(size=2) for _ in range(3))
    f = theano.function([], u)
    assert np.array_equal(f(), first)
    for kept in (True, [u.rng], [u.rng, v.rng]):
        still = theano.function([], u, no_default_updates=kept)
        assert np.array_equal(still(), second) and np.array_equal(still(), second)
    g = theano.function([], [u, v], no_default_updates=[v.rng])
    assert np.array_equal(g()[0], second)
    # an update that is given stands in for the default one
    h = theano.function([], u, updates=[u.update], no_default_updates=True)
    assert np.array_equal(h(), third)
    assert np.array_equal(theano.function([], v)(), generator(7, 1).uniform(size=2))


def test_a_function_may_do_nothing_but_move_states_on():
    rng = RandomStreams(7)
    u = rng.uniform((2,))
    theano.function([], [], updates=rng.updates())()
    want = generator(7)
    want.uniform(size=2)
    assert same_state(u.rng.get_value(), want)


def test_seeds_can_be_given_anew():
    rng = RandomStreams(7)
    u, n = rng.uniform((2,)), rng.normal((3,))
    f = theano.function([], [u, n])
    first = f()
    f()
    assert rng.seed(902340) is None
    a, b = f()
    assert np.array_equal(a, generator(902340).uniform(size=2))
    assert np.array_equal(b, generator(902340, 1).normal(size=3))
    # the number kept for the next normal draw is forgotten too
    rng.seed()
    assert all(np.array_equal(x, y) for x, y in zip(f(), first, strict=True))
    # of one variable alone
    state = u.rng.get_value(borrow=True)
    state.seed(89234)
    u.rng.set_value(state, borrow=True)
    assert np.array_equal(f()[0], RandomState(89234).uniform(size=2))


def test_a_state_can_be_kept_and_put_back():
    u = RandomStreams(7).uniform((2,))
    f = theano.function([], u)
    f()
    kept = u.rng.get_value().get_state()
    v1 = f()
    state = u.rng.get_value(borrow=True)
    state.set_state(kept)
    u.rng.set_value(state, borrow=True)
    assert np.array_equal(f(), v1)


def test_streams_give_their_generators_by_state_and_by_variable():
    rng = RandomStreams(7)
    u = rng.uniform((2,))
    assert rng[u.rng] is rng[u] is u.rng.get_value(borrow=True)
    for key in (u, u.rng):
        rng[key] = RandomState(3)
        assert np.array_equal(theano.function([], u)(), RandomState(3).uniform(size=2))


def test_the_users_generators_are_never_drawn_from():
    mine = RandomState(3)
    for borrow in (False, True):
        state = theano.shared(mine, borrow=borrow)
        new, u = theano.tensor.raw_random.uniform(state, (2,))
        state.default_update = new
        f = theano.function([], u)
        assert np.array_equal(f(), RandomState(3).uniform(size=2))
        assert same_state(mine, RandomState(3))
    given = state.get_value()
    before = f()
    state.set_value(given)
    given.seed(99)
    assert np.array_equal(f(), before)


@pytest.mark.parametrize(
    ("distribution", "args"), [("uniform", (2.0, 5.0)), ("normal", ()), ("binomial", (9, 0.3))]
)
def test_ten_functions_on_all_engines_share_one_sequence(distribution, args):
    rng = RandomStreams(11)
    made = getattr(rng, distribution)((3,), *args)
    x = T.dvector("x")
    modes = [*MODES.values()]
    outs = [made, made + x, (made * x).sum(), [made, x], made[::-1]] * 2
    functions = [
        theano.function([x], out, mode=modes[i % len(modes)], on_unused_input="ignore")
        for i, out in enumerate(outs)
    ]
    alone = generator(11)
    order = np.random.default_rng(0).integers(0, 10, 60)
    values = np.array([1.0, 10.0, 100.0])
    for i in order:
        got = functions[i](values)
        drawn = np.array([getattr(alone, distribution)(*args) for _ in range(3)], made.dtype)
        want = [drawn, drawn + values, (drawn * values).sum(), drawn, drawn[::-1]][i % 5]
        assert np.allclose(got[0] if i % 5 == 3 else got, want, rtol=1e-15), i
    assert same_state(made.rng.get_value(), alone)


@pytest.mark.parametrize("engine", ["numpy", "xla", "py", "cvm"])
def test_a_call_that_fails_leaves_the_states_as_they_were(engine):
    rng = RandomStreams(5)
    u, n, x = rng.uniform((3,)), rng.normal((3,)), T.dvector("x")
    again = T.raw_random.normal(n.update[1], (2,))[1]  # a second draw from one state
    index = T.lscalar("i")
    f = theano.function([x, index], [(u + n + x)[index], again], mode=MODES[engine])
    states = [u.rng.get_value(), n.rng.get_value()]
    for bad in (([1.0, 2.0], 0), ([1.0, 2.0, 3.0], 7)):
        for _ in range(2):
            with pytest.raises((ValueError, IndexError)):
                f(*bad)
            held = [u.rng.get_value(), n.rng.get_value()]
            assert all(map(same_state, held, states))
    one, two = generator(5), generator(5, 1)
    for _ in range(2):
        got, _ = f([1.0, 2.0, 3.0], 1)
        assert np.allclose(got, (one.uniform(size=3) + two.normal(size=3))[1] + 2, rtol=1e-15)


def test_a_state_is_the_same_whichever_engine_drew_last():
    rng = RandomStreams(5)
    n = rng.normal((3,))  # an odd number: one is kept for the next draw
    alone = generator(5)
    for engine in ("numpy", "xla", "numpy", "py", "xla"):
        got = theano.function([], n, mode=MODES[engine])()
        assert np.array_equal(got, alone.normal(size=3))
        assert type(n.rng.get_value(borrow=True)) is RandomState


def test_both_engines_run_a_graph_that_draws_in_place():
    rng = RandomStreams(5)
    first = rng.normal((3,))
    state, (new, second) = first.rng, T.raw_random.normal(first.update[1], (2,))
    f = theano.function([], [first * 2, second], updates=[(state, new)], mode=MODES["numpy"])
    draws = [n for n in f.maker.fgraph.toposort() if hasattr(n.op, "ndim_added")]
    assert [n.op.inplace for n in draws] == [True, True]
    # as a function does that moves from one engine to the other
    compiled = XlaProgram(Job(f.maker.fgraph, f.fn.storage_map, f.fn.nodes))
    alone = generator(5)
    for run in (f, compiled, compiled, f, f, compiled):
        one, two = run()
        assert np.allclose(one, 2 * alone.normal(size=3), rtol=1e-15)
        assert np.array_equal(two, alone.normal(size=2))
        assert same_state(state.get_value(), alone)


def test_a_generator_that_somebody_holds_is_not_drawn_from_again():
    u = RandomStreams(5).uniform((2,))
    f = theano.function([], u)
    f()
    held = []
    for _ in range(3):
        f()
        held.append(u.rng.get_value(borrow=True))
    assert len({id(state) for state in held}) == 3
    told = [state.get_state()[2] for state in held]
    f()
    f()
    assert [state.get_state()[2] for state in held] == told


def test_functions_and_streams_can_be_pickled_and_copied():
    rng = RandomStreams(5)
    u = rng.uniform((2,))
    f = theano.function([], [u, u + 1])
    f()
    before = u.rng.get_value()
    for other in (pickle.loads(pickle.dumps(f)), copy.deepcopy(f)):
        assert np.array_equal(other()[0], copy.deepcopy(before).uniform(size=2))
        assert same_state(u.rng.get_value(), before)
    again, v = pickle.loads(pickle.dumps((rng, u)))
    assert again.updates() == [v.update] and v.rng is v.update[0]
    one, two = theano.function([], u), theano.function([], v)
    assert np.array_equal(one(), two())


def test_threads_draw_one_sequence():
    u = RandomStreams(5).uniform((1,))
    f = theano.function([], u)
    made, alone = [], generator(5)

    def work():
        made.extend(float(f()[0]) for _ in range(100))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(made) == sorted(alone.uniform(size=400).tolist())


@pytest.mark.parametrize("engine", ["numpy", "xla", "cvm"])
def test_a_stream_in_a_loop_draws_on_from_step_to_step(engine):
    rng = RandomStreams(5)
    x, w = T.dvector("x"), T.dvector("w")

    def step(a, w):
        return a * w * (1 + rng.binomial(a.shape, 1, 0.5, dtype="float64"))

    steps, updates = theano.scan(step, outputs_info=x, non_sequences=w, n_steps=3)
    gw = T.grad(steps[-1].sum(), w)
    f = theano.function([x, w], [steps[-1], gw], updates=updates, mode=MODES[engine])
    alone, at, by = generator(5), np.array([1.0, 2.0]), np.array([0.5, 3.0])
    for _ in range(2):
        factor = np.prod(1.0 + alone.binomial(1, 0.5, (3, 2)), axis=0)
        last, slope = f(at, by)
        # the gradient is that of the numbers which were drawn
        assert np.allclose(last, at * by**3 * factor)
        assert np.allclose(slope, at * 3 * by**2 * factor)
    (state,) = updates
    assert same_state(state.get_value(), alone)


@pytest.mark.parametrize("engine", ["numpy", "xla", "cvm"])
def test_a_loop_that_fails_after_some_draws_leaves_the_state_as_it_was(engine):
    rng = RandomStreams(5)
    x, rows = T.dvector("x"), T.lvector("rows")
    made, updates = theano.scan(lambda i: x[i] + rng.normal(()), sequences=rows)
    f = theano.function([x, rows], made, updates=updates, mode=MODES[engine])
    (state,) = updates
    with pytest.raises(IndexError):
        f([1.0, 2.0], [0, 1, 7, 0])
    assert same_state(state.get_value(), generator(5))
    assert np.allclose(f([1.0, 2.0], [0, 1]), generator(5).normal(size=2) + [1, 2])


def test_a_state_given_out_is_the_one_before_the_draw_and_a_copy():
    u = RandomStreams(5).uniform((2,))
    for engine in ("numpy", "xla", "py"):
        f = theano.function([], [u, u.rng, u.update[1]], mode=MODES[engine])
        want = u.rng.get_value()
        drawn, before, after = f()
        assert same_state(before, want) and np.array_equal(drawn, want.uniform(size=2))
        assert same_state(after, want) and same_state(u.rng.get_value(), want)
        before.uniform()
        after.uniform()
        assert same_state(u.rng.get_value(), want)


def test_a_function_can_be_copied_to_another_state():
    u = RandomStreams(5).uniform((2,))
    f = theano.function([], u)
    other = theano.shared(RandomState(3))
    g = f.copy(swap={u.rng: other})
    assert np.array_equal(g(), RandomState(3).uniform(size=2))
    assert np.array_equal(f(), generator(5).uniform(size=2))
    still = f.copy(delete_updates=True)
    assert np.array_equal(still(), still())


def test_only_a_state_can_update_a_state():
    state = theano.shared(RandomState(3))
    with pytest.raises(TypeError, match="same type as the original shared variable"):
        theano.function([], [], updates=[(state, T.constant(3.0))])
    theano.function([], [], updates=[(state, RandomState(9))])()
    assert same_state(state.get_value(), RandomState(9))


def test_drawing_in_place_can_be_left_out():
    u = RandomStreams(5).uniform((2,))
    usual = theano.compile.get_default_mode()
    modes = [usual, usual.excluding("random_make_inplace"), usual.excluding("inplace")]
    (nodes,) = zip(*(theano.function([], u, mode=m).maker.fgraph.toposort() for m in modes))
    assert [n.op.inplace for n in nodes] == [True, False, False]
    assert [n.op.destroy_map for n in nodes] == [{0: [0]}, {}, {}]


def test_test_values_are_drawn_without_moving_the_state():
    rng = RandomStreams(5)
    with theano.config.change_flags(compute_test_value="raise"):
        u = rng.uniform((2,)) + 1
    assert np.array_equal(u.tag.test_value, generator(5).uniform(size=2) + 1)
    assert same_state(rng.state_updates[0][0].get_value(), generator(5))


@pytest.mark.parametrize("shape", [(5,), (3, 8), (2, 3, 4)])
def test_rows_are_shuffled_each_by_itself(shape):
    x = T.TensorType("float64", [False] * len(shape))("x")
    y = RandomStreams(5).shuffle_row_elements(x)
    values = np.arange(float(np.prod(shape))).reshape(shape)
    out, orders = theano.function([x], [y, y.permutation])(values)
    assert np.array_equal(np.sort(out), values) and (out != values).any()
    assert np.array_equal(out, np.take_along_axis(values, orders, -1))


def test_integers_below_a_bound_are_drawn_as_numpy_draws_them():
    rng = RandomStreams(5)
    f = theano.function([], [rng.randint(3, 9, size=(20,)), rng.randint(4, size=(20,))])
    a, b = f()
    assert np.array_equal(a, generator(5).randint(3, 9, 20))
    assert np.array_equal(b, generator(5, 1).randint(4, size=20))


def test_a_base_has_no_states():
    with pytest.raises(NotImplementedError, match="where states come from"):
        RandomStreamsBase().uniform((2,))


def test_the_documented_modules_are_attributes_of_tensor():
    assert T.shared_randomstreams.RandomStreams is RandomStreams
    assert T.randomstreams.RandomStreams is RandomStreams
    assert T.raw_random.RandomStreamsBase is RandomStreamsBase
