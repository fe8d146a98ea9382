"""A copied, swapped, pickled or saved function is the function of its own graph."""

import copy
import os
import pickle

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.compile.function_families import MODES, Family
from theano import In, function, shared
from theano.compile import SharedVariable
from theano.gof import Apply, Constant, Op, generic

#: how many families of functions are drawn; fewer of those that compile at each step
FAMILIES = int(os.environ.get("THEANO_TEST_COPIES", "60"))
COUNTS = {"xla": FAMILIES // 15, "moving": FAMILIES // 10}
for _mode in sorted(MODES.keys() - COUNTS.keys()):
    COUNTS[_mode] = (FAMILIES - sum(COUNTS.values())) // (len(MODES) - len(COUNTS))
ENGINES = [
    pytest.param(mode, marks=pytest.mark.xla) if mode in ("xla", "moving") else mode
    for mode in MODES
]
modes = pytest.mark.parametrize("mode", [m for m in ENGINES if "moving" not in str(m)])
x = T.dvector("x")
ones = np.ones(3)


def through_pickle(thing):
    return pickle.loads(pickle.dumps(thing))


def without_rewriting(thing):
    with theano.config.change_flags(reoptimize_unpickled_function=False):
        return through_pickle(thing)


@pytest.fixture
def through_file(tmp_path):
    def saved_and_loaded(thing):
        path = tmp_path / "functions.theano"
        theano.save(path, thing)
        return theano.load(path)

    return saved_and_loaded


@pytest.mark.parametrize("mode", ENGINES)
def test_families_of_copies_do_what_the_model_in_numpy_does(mode, tmp_path):
    """A4, A5, A9: copy, swap, delete_updates, share_memory, deepcopy, pickle, save and load."""
    steps = 8 if mode == "xla" else 16
    with theano.config.change_flags({"xla.background": False}):
        for seed in range(COUNTS[mode]):
            Family(seed, mode, tmp_path).live(steps)


# updates that are deleted


@modes
@pytest.mark.parametrize("again", [copy.copy, through_pickle, without_rewriting, copy.deepcopy])
def test_a_copy_without_updates_leaves_state_as_it_is(mode, again):
    """A4: nodes that overwrite what is updated are not in the copy."""
    w = shared(np.zeros(3), "w")
    f = function([x], w + x, updates=[(w, w + x)], mode=MODES[mode]())
    peek = f.copy(delete_updates=True)
    for g in (peek, again(peek)):
        assert g(ones).tolist() == g(ones).tolist() == [1, 1, 1]
        assert [v.get_value().tolist() for v in (w, *g.get_shared())] == [[0, 0, 0]] * 2
    f(ones)
    assert w.get_value().tolist() == [1, 1, 1] and peek(ones).tolist() == [2, 2, 2]


@modes
def test_a_copy_without_updates_has_no_state_of_its_own_either(mode):
    """A4, for state that is an input: the value that it has is its default from then on."""
    s = T.dvector("s")
    new = T.inc_subtensor(s[0], x[0])
    f = function([x, In(s, value=np.zeros(3), update=new)], s.sum(), mode=MODES[mode]())
    assert [f(ones).item() for _ in range(3)] == [0, 1, 2]
    peek = f.copy(delete_updates=True)
    assert [peek(ones).item() for _ in range(3)] == [3, 3, 3]
    assert peek(ones, s=2 * ones) == 6 and peek(ones) == 3
    given = np.zeros(3)
    peek(ones, given)
    assert given.tolist() == [0, 0, 0]
    assert f(ones) == 3


# the order of nodes


@modes
@pytest.mark.parametrize("again", [lambda f: f.copy(), without_rewriting, copy.deepcopy])
def test_a_copy_reads_values_before_it_overwrites_them(mode, again):
    """What was pickled as rewritten, and every copy, had lost the order of its nodes."""
    a, b = shared(np.ones(3), "a"), shared(np.ones(3), "b")
    updates = [(a, T.inc_subtensor(a[0], 1.0)), (b, b + a)]
    g = again(function([], [], updates=updates, mode=MODES[mode]()))
    g()
    assert [v.get_value().tolist() for v in g.get_shared()] == [[2, 1, 1], [2, 2, 2]]


@modes
def test_a_variable_and_its_clone_in_one_function_are_one_value(mode):
    """A9: each was read, overwritten and given away by itself."""
    a, b = shared(np.ones(3), "a"), shared(np.ones(3), "b")
    updates = [(a, T.inc_subtensor(a[0], 1.0)), (b, b + a.clone())]
    f = function([], [a, a.clone()], updates=updates, mode=MODES[mode]())
    results = [f() for _ in range(3)]
    for i, (one, other) in enumerate(results):
        assert one.tolist() == other.tolist() == [i + 1, 1, 1]
        assert not np.shares_memory(one, other)
    assert b.get_value().tolist() == [7, 4, 4]


def test_a_variable_and_its_clone_have_one_update():
    a = shared(np.ones(3), "a")
    with pytest.raises(ValueError, match="already has an update expression"):
        function([], [], updates=[(a, a + 1), (a.clone(), a + 2)])


# variables that are swapped


@modes
def test_a_swapped_function_is_saved_and_pickled_with_its_own_variables(mode, through_file):
    """A5: the file had the variable of the first function, and the pickle could not be read."""
    a, b = shared(ones.copy(), "a"), shared(10 * ones, "b")
    f = function([x], a * 2 + x, updates=[(a, a + 1)], mode=MODES[mode]())
    g = f.copy(swap={a: b})
    for again in (through_file, through_pickle, without_rewriting, copy.deepcopy):
        h = again(g)
        assert [h(ones).tolist(), h(ones).tolist()] == [[21] * 3, [23] * 3]
        (held,) = h.get_shared()
        assert held.name == "b" and held.get_value().tolist() == [12] * 3
        assert again(g.copy(delete_updates=True))(ones).tolist() == [21] * 3
    assert a.get_value().tolist() == [1] * 3 and b.get_value().tolist() == [10] * 3


def test_a_swapped_function_shows_its_own_variables():
    a, b = shared(1.0, "a"), shared(10.0, "b")
    g = function([], a * 2).copy(swap={a: b})
    assert "|b " in theano.printing.debugprint(g, file="str")
    steps = theano.printing.rewriting(g)
    assert steps.graph(0).inputs[0].name == "b"
    assert g.copy(swap={b: a})() == 2


@modes
def test_a_variable_may_be_swapped_for_one_that_the_function_has(mode):
    """Both are one from then on; Theano 1.0.5 overwrites it before it is read."""
    a, b = shared(ones.copy(), "a"), shared(10 * ones, "b")
    updates = [(a, T.inc_subtensor(a[0], 1.0))]
    f = function([], a * 100 + b, updates=updates, mode=MODES[mode]())
    for other in (b, b.clone()):
        b.set_value(10 * ones)
        g = f.copy(swap={a: other})
        assert [g().tolist(), g().tolist()] == [[1010] * 3, [1111, 1010, 1010]]
        assert b.get_value().tolist() == [12, 10, 10] and a.get_value().tolist() == [1] * 3
    b.set_value(10 * ones)
    exchanged = f.copy(swap={a: b, b: a})
    assert exchanged().tolist() == [1001] * 3 and b.get_value().tolist() == [11, 10, 10]
    both = function([], [], updates=[(a, a + 1), (b, b + 2)], mode=MODES[mode]())
    for other in (b, b.clone()):
        with pytest.raises(ValueError, match="update"):
            both.copy(swap={a: other})
    both.copy(swap={a: b}, delete_updates=True)()
    assert b.get_value().tolist() == [11, 10, 10]


@modes
def test_one_of_a_variable_and_its_clone_may_be_swapped(mode):
    a, b = shared(ones.copy(), "a"), shared(10 * ones, "b")
    twin = a.clone()
    f = function([], [a * 2, twin * 3], mode=MODES[mode]())
    assert [v[0] for v in f.copy(swap={twin: b})()] == [2, 30]
    assert [v[0] for v in f.copy(swap={a: b})()] == [20, 3]


def test_what_cannot_be_swapped_is_refused():
    a, m = shared(ones.copy(), "a"), shared(np.ones((3, 3)), "m")
    f = function([x], a + x)
    with pytest.raises(TypeError, match="swap takes shared variables, got x of TensorVariable"):
        f.copy(swap={x: a})
    with pytest.raises(TypeError, match=r"swap takes shared variables, got \[1. 1. 1.\] of ndarr"):
        f.copy(swap={a: ones})
    with pytest.raises(TypeError, match=r"of one type, got .*vector.* and .*matrix"):
        f.copy(swap={a: m})
    with pytest.raises(ValueError, match="that the function uses"):
        f.copy(swap={shared(ones.copy()): a})


# copies of copies


@modes
def test_a_deep_copy_goes_on_apart_whatever_is_made_of_it(mode, through_file):
    w = shared(np.zeros(3), "w")
    f = function([], w * 2, updates=[(w, T.inc_subtensor(w[0], 1.0))], mode=MODES[mode]())
    deep, w2 = copy.deepcopy((f, w))
    assert deep.get_shared() == [w2]
    deep()
    for again in (lambda g: g.copy(), copy.copy):
        again(deep)()
    assert w.get_value()[0] == 0 and w2.get_value()[0] == 3
    for again in (through_file, through_pickle, without_rewriting, copy.deepcopy):
        assert again(deep)()[0] == 6
    other = shared(9 * ones)
    assert deep.copy(swap={w2: other})()[0] == 18
    assert w.get_value()[0] == 0 and f()[0] == 0


def test_a_copy_is_called_as_documented():
    f = function([x], x, name="f")
    assert f.copy().name == "f copy" and f.copy().maker.fgraph.name == "f copy"
    assert f.copy(name="g").name == "g" and copy.deepcopy(f).name == "f"


def test_a_copy_has_a_profile_only_if_it_is_given_one():
    f = function([x], x + 1, profile=True)
    assert f.copy().profile is None and f.copy(profile=True).profile is not None


# values that functions hold


def test_a_value_set_for_one_call_is_for_one_call_in_copies_too(through_file):
    d = T.dscalar("d")
    f = function([x, In(d, value=2.0)], x[0] * d)
    f[d] = 5.0
    made = [f.copy(), through_pickle(f), copy.deepcopy(f), through_file(f), f]
    for g in made:
        assert [g(ones).item() for _ in range(3)] == [5, 2, 2]


@pytest.mark.parametrize("declared", [{}, {"borrow": True}, {"mutable": True}], ids=str)
def test_the_array_that_state_begins_with_is_overwritten_only_if_it_is_lent(declared):
    s, begin = T.dvector("s"), np.zeros(3)
    f = function([In(s, value=begin, update=T.inc_subtensor(s[0], 1.0), **declared)], s.sum())
    assert [f().item(), f().item()] == [0, 1]
    assert (begin[0] == 0) == (not declared)


def test_functions_compiled_from_one_file_have_state_of_their_own(tmp_path):
    s, path = T.dvector("s"), tmp_path / "f.theano"
    new = T.inc_subtensor(s[0], 1.0)
    theano.save(path, function([In(s, value=np.zeros(3), update=new)], s[0]))
    loaded = theano.load(path)
    for f in (loaded.compile(), loaded.compile(), loaded, copy.copy(theano.load(path))):
        assert [f().item(), f().item()] == [0, 1]
    assert loaded["s"].tolist() == [2, 0, 0] and "s" in loaded and "t" not in loaded
    loaded["s"] = 7 * ones
    assert copy.copy(loaded)() == 7 and loaded() == 7


def test_state_that_two_inputs_hold_is_pickled_as_one_and_not_saved(tmp_path):
    s, t = T.dvectors("st")
    f = function([In(s, value=np.zeros(3), update=s + 1)], s)
    g = function([In(t, value=f.container["s"])], t * 10)
    for again in (through_pickle, copy.deepcopy):
        f2, g2 = again((f, g))
        f2()
        assert g2()[0] == 10 and g()[0] == 0
    path = tmp_path / "f.theano"
    for both in ((f, g), [f, f]):
        with pytest.raises(TypeError, match="has its value in common with another function"):
            theano.save(path, both)
    w = shared(ones.copy(), "w")
    with pytest.raises(TypeError, match="make it a shared variable"):
        theano.save(path, [function([In(t, value=w)], t), w])
    theano.save(path, g)
    assert theano.load(path)()[0] == 0


def test_a_shared_variable_as_a_default_is_read_at_every_call():
    t, w = T.dvector("t"), shared(ones.copy(), "w")
    f = function([In(t, value=w)], t * 2, updates=[(w, w + 1)])
    assert [f()[0], f()[0], f.copy()()[0]] == [2, 4, 6]


# values of any kind in files


class Repeat(Op):
    """As many times as a Python object says."""

    __props__ = ()

    def make_node(self, v, times):
        return Apply(self, [v, times], [v.type()])

    def perform(self, node, inputs, outputs):
        v, times = inputs
        outputs[0][0] = v * float(np.sum(times["n"]))


PLAIN = [
    None,
    True,
    3,
    -2.5,
    float("inf"),
    1 + 2j,
    "text",
    [1, [2.0, "three"]],
    (1, None, slice(1, None, 2)),
    {"a": {"b": (np.arange(20.0),)}, 3: [True]},
    np.float32(1.5),
    np.arange(6).reshape(2, 3),
    np.dtype("int8"),
]


@pytest.mark.parametrize("value", PLAIN, ids=lambda v: type(v).__name__)
def test_objects_of_plain_data_are_saved_and_loaded(value, through_file):
    """A13: graphs with Generic constants were written, and could not be read."""
    constant, variable, held = through_file(
        [Constant(generic, value), generic("g"), SharedVariable("s", generic, value, strict=False)]
    )
    assert constant.type == variable.type == held.type == generic
    for got in (constant.data, held.get_value()):
        assert type(got) is type(value)
        np.testing.assert_equal(got, value)


def test_a_function_with_an_object_in_its_graph_is_saved_and_loaded(tmp_path):
    """A13."""
    path = tmp_path / "f.theano"
    f = function([x], Repeat()(x, Constant(generic, {"n": [1, 2, 3]})))
    theano.save(path, f.copy())
    assert theano.load(path, classes=[Repeat])(ones).tolist() == f(ones).tolist() == [6, 6, 6]


@pytest.mark.parametrize(
    "value", [object(), {1, 2}, b"bytes", len, np.array(["a"])], ids=lambda v: type(v).__name__
)
def test_an_object_that_files_do_not_hold_is_refused_when_it_is_saved(value, tmp_path):
    path = tmp_path / "f.theano"
    with pytest.raises(TypeError, match="graph files hold"):
        theano.save(path, Constant(generic, [value]))
    assert not path.exists()
