"""Typed lists in functions: updates, loops, branches, in place, printed, pickled."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import theano
import theano.tensor as T
import theano.typed_list
from theano.ifelse import ifelse
from theano.tensor.raw_random import random_state_type, uniform
from theano.typed_list import TypedListType, append, basic, length, make_list

LINKERS = ["numpy", "xla", "py", "cvm"]
VECTORS = TypedListType(T.dvector)


def plain(values):
    return [v.tolist() for v in values]


def ops_of(f):
    return [type(node.op).__name__ for node in f.maker.fgraph.toposort()]


def state(values=(), name="s"):
    return theano.shared(list(values), type=VECTORS, name=name)


@pytest.mark.parametrize("use", ["import theano.typed_list", "theano.typed_list"])
def test_typed_lists_are_loaded_only_when_they_are_used(use):
    code = (
        "import theano, sys; assert not [m for m in sys.modules if 'typed_list' in m]; "
        f"{use}; theano.typed_list.TypedListType(theano.tensor.dvector)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# updates


@pytest.mark.parametrize("linker", LINKERS)
def test_a_shared_list_is_updated(linker):
    s, x = state(), T.dvector("x")
    f = theano.function([x], length(s), updates=[(s, s.append(x * 2))], mode=theano.Mode(linker))
    assert [int(f([n])) for n in range(3)] == [0, 1, 2]
    assert plain(s.get_value()) == [[0], [2], [4]]


@pytest.mark.parametrize("linker", LINKERS)
def test_an_update_copies_neither_the_elements_that_were_there_nor_shares_what_is_added(linker):
    s, x = state([[1.0]]), T.dvector("x")
    before = s.get_value(borrow=True)
    f = theano.function([x], updates=[(s, s.append(x))], mode=theano.Mode(linker))
    given = np.ones(2)
    f(given)
    after = s.get_value(borrow=True)
    assert after[0] is before[0] and not np.may_share_memory(after[1], given)
    assert len(before) == 1


@pytest.mark.parametrize("linker", LINKERS)
def test_what_a_function_returns_of_a_shared_list_is_the_callers(linker):
    s, x = state([[1.0]]), T.dvector("x")
    new = s.append(x)
    f = theano.function([x], [s, s[0], new, new[-1]], updates=[(s, new)], mode=theano.Mode(linker))
    for found in f([2.0]):
        for one in found if isinstance(found, list) else [found]:
            one[...] = 7
    assert plain(s.get_value()) == [[1], [2]]


@pytest.mark.parametrize("linker", LINKERS)
def test_lists_that_are_exchanged_share_nothing(linker):
    s, t = state([[1.0]]), state([[2.0]], "t")
    theano.function([], updates=[(s, t), (t, s.reverse())], mode=theano.Mode(linker))()
    assert plain(s.get_value()) == [[2]] and plain(t.get_value()) == [[1]]
    # both of one list
    theano.function([], updates=[(s, t[:]), (t, t.reverse())], mode=theano.Mode(linker))()
    s.get_value(borrow=True)[0][0] = 9
    assert plain(t.get_value()) == [[1]]


@pytest.mark.parametrize("linker", LINKERS)
def test_a_call_that_fails_leaves_lists_as_they_were(linker):
    s, x, i = state([[1.0]]), T.dvector("x"), T.lscalar("i")
    w = theano.shared(np.zeros(1), "w")
    f = theano.function([x, i], updates=[(s, s.append(x)), (w, w + s[i])], mode=theano.Mode(linker))
    with pytest.raises(IndexError, match="into a list of 1 elements, got 3"):
        f([2.0], 3)
    assert plain(s.get_value()) == [[1]] and w.get_value() == 0
    f([2.0], 0)
    assert plain(s.get_value()) == [[1], [2]] and w.get_value() == 1


@pytest.mark.parametrize("linker", LINKERS)
def test_so_does_one_that_its_author_made_work_in_place(linker):
    s, x, i = state([[1.0]]), T.dvector("x"), T.lscalar("i")
    new = basic.Append(inplace=True)(s, x)
    f = theano.function(
        [x, i], x[i], updates=[(s, new)], mode=theano.Mode(linker), accept_inplace=True
    )
    with pytest.raises(IndexError):
        f([2.0], 3)
    assert plain(s.get_value()) == [[1]]
    f([2.0], 0)
    assert plain(s.get_value()) == [[1], [2]]


@pytest.mark.parametrize("linker", LINKERS)
def test_an_input_may_be_a_list_with_a_value_and_an_update(linker):
    x, v = VECTORS("x"), T.dvector("v")
    held = theano.In(x, value=[], name="x", update=x.append(v))
    f = theano.function([v, held], length(x), mode=theano.Mode(linker))
    f([1.0])
    assert f([2.0]) == 1 and plain(f["x"]) == [[1], [2]]


def test_a_shared_list_is_put_in_by_givens():
    s, x = state([[1.0, 2.0]]), VECTORS()
    assert theano.function([], x[0].sum(), givens={x: s})() == 3


# loops and branches


@pytest.mark.parametrize("linker", LINKERS)
def test_the_documented_loop_over_a_list(linker):
    a = TypedListType(T.fvector)()
    found, _ = theano.scan(
        lambda i, tl: tl[i].sum(),
        non_sequences=[a],
        sequences=[T.arange(length(a), dtype="int64")],
    )
    f = theano.function([a], found, mode=theano.Mode(linker))
    assert f([[1, 2, 3], [4, 5]]).tolist() == [6, 9] and f([]).tolist() == []
    assert f([[1, 2, 3], [4, 5]]).dtype == "float32"


@pytest.mark.parametrize("linker", LINKERS)
def test_a_step_of_a_loop_that_changes_a_list_leaves_it_as_it_was_for_the_next(linker):
    x, v = VECTORS("x"), T.dvector("v")

    def step(i, x, v):
        longer = x.append(v * 2).reverse()
        return longer[0].sum() + length(longer) + longer[i].sum()

    found, _ = theano.scan(step, sequences=[T.arange(3)], non_sequences=[x, v])
    f = theano.function([x, v], found, mode=theano.Mode(linker))
    # 3 elements: [4, 6], [3], [1, 2]
    assert f([[1.0, 2.0], [3.0]], [2.0, 3.0]).tolist() == [23, 16, 16]


@pytest.mark.parametrize("linker", LINKERS)
def test_a_loop_may_update_what_a_list_gives(linker):
    x = VECTORS("x")
    found, _ = theano.scan(
        lambda i, total, x: total + x[i],
        sequences=[T.arange(length(x))],
        outputs_info=[T.zeros(2)],
        non_sequences=[x],
    )
    f = theano.function([x], found[-1], mode=theano.Mode(linker))
    assert f([[1.0, 2.0], [3.0, 4.0]]).tolist() == [4, 6]


def test_loops_take_lists_neither_as_sequences_nor_as_states_and_say_so():
    x, v = VECTORS("x"), T.dvector("v")
    with pytest.raises(TypeError, match="takes tensors, numbers and arrays, got x of type Typed"):
        theano.scan(lambda one: one, sequences=[x])
    with pytest.raises(TypeError, match="scan stacks tensors, got an output of TypedList"):
        theano.scan(lambda one: make_list([one]), sequences=[v])
    with pytest.raises(TypeError, match="scan stacks tensors, got an output of TypedList"):
        theano.scan(lambda one, s: s.append(one), sequences=[T.dmatrix()], outputs_info=[x])


@pytest.mark.parametrize("linker", LINKERS)
def test_a_branch_may_give_a_list_of_which_the_other_is_not_computed(linker):
    c, x, v = T.lscalar("c"), VECTORS("x"), T.dvector("v")
    f = theano.function([c, x, v], ifelse(c, x.append(v), x[:1]), mode=theano.Mode(linker))
    given = [np.ones(1), np.zeros(1)]
    for chosen, wanted in ((1, [[1], [0], [5]]), (0, [[1]])):
        found = f(chosen, given, [5.0])
        assert plain(found) == wanted
        found[0][:] = 9
        assert plain(given) == [[1], [0]]
    g = theano.function([c, x], ifelse(c, x[7], x[0]), mode=theano.Mode(linker))
    assert g(0, given).tolist() == [1]
    with pytest.raises(IndexError):
        g(1, given)


@pytest.mark.parametrize("linker", LINKERS)
def test_the_update_of_a_list_may_be_a_choice(linker):
    c, s, v = T.lscalar("c"), state(), T.dvector("v")
    new = ifelse(c, s.append(v), s[1:])
    f = theano.function([c, v], updates=[(s, new)], mode=theano.Mode(linker))
    for chosen in (1, 1, 0, 1):
        f(chosen, [float(len(s.get_value()))])
    assert plain(s.get_value()) == [[1], [1]]


@pytest.mark.parametrize("linker", LINKERS)
def test_an_op_from_a_graph_may_take_and_give_lists(linker):
    x, v = VECTORS("x"), T.dvector("v")
    op = theano.OpFromGraph([x, v], [x.append(v).reverse(), length(x)])
    longer, n = op(x, v + 1)
    f = theano.function([x, v], [longer, n, longer[0] * 2], mode=theano.Mode(linker))
    given = [np.ones(1)]
    longer, n, first = f(given, [2.0])
    assert plain(longer) == [[3], [1]] and n == 1 and first.tolist() == [6]
    assert plain(given) == [[1]]


# in place


def test_rewriting_lets_all_of_a_chain_work_in_place():
    a, b = T.dvectors("ab")
    made = make_list([a]).append(b).insert(0, a + b).extend(make_list([b])).remove(a).reverse()
    f = theano.function([a, b], made, mode=theano.Mode("numpy"))
    changed = [str(n.op) for n in f.maker.fgraph.toposort() if n.op.destroy_map]
    kinds = ("Append", "Insert", "Extend", "Remove", "Reverse")
    assert changed == [f"{kind}{{inplace}}" for kind in kinds]
    assert plain(f([1.0], [2.0])) == [[2], [2], [3]]


def test_rewriting_leaves_lists_alone_that_others_read():
    a, b = T.dvectors("ab")
    first = make_list([a])
    one, two = first.append(b), first.reverse().append(a)
    f = theano.function([a, b], [one, two, first[0] * 2, length(first)], mode=theano.Mode("numpy"))
    found = f([1.0], [2.0])
    assert [plain(found[0]), plain(found[1]), found[2].tolist(), int(found[3])] == [
        [[1], [2]],
        [[1], [1]],
        [2],
        1,
    ]
    assert not np.may_share_memory(found[0][0], found[1][0])


def test_a_list_that_an_argument_lends_is_changed_in_place():
    x, v = VECTORS("x"), T.dvector("v")
    f = theano.function([theano.In(x, mutable=True), v], append(x, v), mode=theano.Mode("numpy"))
    assert f.maker.fgraph.toposort()[0].op.inplace
    given = [np.ones(1)]
    assert plain(f(given, [2.0])) == [[1], [2]] and len(given) == 1


def test_state_shares_nothing_with_a_list_that_an_argument_lends():
    s, w = state(), theano.shared(np.zeros(1), "w")
    x, v = VECTORS("x"), T.dvector("v")
    longer = x.append(v).reverse()
    f = theano.function(
        [theano.In(x, mutable=True), v],
        updates=[(s, longer), (w, longer[-1])],
        mode=theano.Mode("numpy"),
    )
    assert f.maker.fgraph.toposort()[0].op.inplace
    given = [np.ones(1)]
    f(given, [2.0])
    given[0][0] = 9
    assert plain(s.get_value()) == [[2], [1]] and w.get_value() == 1


def test_the_rewrite_is_there_under_its_documented_name():
    mode = theano.Mode("numpy", "fast_run").excluding("typed_list_inplace_opt")
    x, v = VECTORS("x"), T.dvector("v")
    f = theano.function([theano.In(x, mutable=True), v], append(x, v), mode=mode)
    assert not f.maker.fgraph.toposort()[0].op.inplace
    rewrite = theano.typed_list.opt.typed_list_inplace_opt
    (made,) = rewrite.transform(append(x, v).owner)
    assert made.owner.op == basic.Append(inplace=True)
    assert rewrite.transform(made.owner) is False


def test_an_elementwise_op_may_write_into_an_element_of_a_list_that_nobody_else_has():
    a = T.dvector("a")
    f = theano.function([a], T.exp(make_list([a, a + 1])[0]), mode=theano.Mode("numpy"))
    given = np.zeros(2)
    assert f(given).tolist() == [1, 1] and given.tolist() == [0, 0]


def test_lists_of_constants_are_computed_when_the_function_is_made():
    made = make_list([T.ones(3), T.zeros(2)]).append([3.0])[0:2]
    f = theano.function([], [made, length(made)])
    assert "MakeList" not in ops_of(f) and "Append" not in ops_of(f)
    assert plain(f()[0]) == [[1, 1, 1], [0, 0]] and f()[1] == 2


# elements of other types


@pytest.mark.parametrize("linker", LINKERS)
def test_lists_of_states_of_generators_draw_and_stay(linker):
    states = TypedListType(random_state_type)("states")
    after, drawn = uniform(states[0], size=(2,))
    f = theano.function([states], [drawn, states.append(after)], mode=theano.Mode(linker))
    given = [np.random.RandomState(3)]
    first, again = f(given), f(given)
    wanted = np.random.RandomState(3)
    assert first[0].tolist() == again[0].tolist() == wanted.uniform(size=2).tolist()
    assert first[1][1].uniform() == wanted.uniform()
    assert given[0].uniform() == np.random.RandomState(3).uniform()


@pytest.mark.parametrize("linker", LINKERS)
def test_lists_of_lists_are_read_and_changed_at_every_depth(linker):
    x = TypedListType(T.dvector, 1)("x")
    y = x.append(x[0].append([5.0])).insert(0, make_list([x[0][0] * 2]))
    f = theano.function([x], [y, y[-1][1:], length(y[1])], mode=theano.Mode(linker))
    given = [[np.ones(1)], []]
    found, part, n = f(given)
    assert [plain(v) for v in found] == [[[2]], [[1]], [], [[1], [5]]]
    assert plain(part) == [[5]] and n == 1
    assert [plain(v) for v in given] == [[[1]], []]


# printed, pickled


def test_lists_are_printed(capsys):
    x, v = VECTORS("x"), T.dvector("v")
    made = x.append(v)[1:]
    theano.printing.debugprint(made, print_type=True)
    assert capsys.readouterr().out == (
        "GetItem [@A] <TypedList <TensorType(float64, vector)>> ''\n"
        " |Append [@B] <TypedList <TensorType(float64, vector)>> ''\n"
        " | |x [@C] <TypedList <TensorType(float64, vector)>>\n"
        " | |v [@D] <TensorType(float64, vector)>\n"
        " |SliceConstant{1, None, None} [@E] <slice>\n"
    )
    assert theano.pp(length(x.append(v))) == "Length(Append(x, v))"
    assert "append" in theano.printing.latex(made)
    assert theano.printing.draw(made).startswith("<svg")


def test_functions_of_lists_are_pickled_with_their_state():
    s, v = state([[1.0]]), T.dvector("v")
    f = theano.function([v], length(s), updates=[(s, s.append(v))])
    g = pickle.loads(pickle.dumps(f))
    assert (g([2.0]), g([2.0]), f([3.0])) == (1, 2, 1)
    made = pickle.loads(pickle.dumps(s.append(v)[0]))
    assert made.type == T.dvector and type(made.owner.inputs[0]) is basic.TypedListVariable


def test_a_list_has_test_values():
    with theano.change_flags(compute_test_value="raise"):
        x = VECTORS("x")
        x.tag.test_value = [np.ones(2)]
        assert (x[0] + 1).tag.test_value.tolist() == [2, 2]


def test_modes_that_look_and_time_take_lists():
    x, v = VECTORS("x"), T.dvector("v")
    guard = theano.compile.nanguardmode.NanGuardMode(True, True, True)
    f = theano.function([x, v], x.append(v)[0] * 2, mode=guard)
    assert f([[1.0]], [2.0]).tolist() == [2]
    with pytest.raises(AssertionError, match="NanGuardMode found NaN in output 0 of GetItem"):
        f([[np.nan]], [2.0])
    profile = theano.ProfileStats(atexit_print=False)
    g = theano.function([x, v], x.append(v)[0] * 2, profile=profile)
    assert g([[1.0]], [2.0]).tolist() == [2]


# in C


class Turned(theano.Op):
    """A list in the opposite order, by C code alone."""

    __props__ = ()
    view_map = {0: [0]}

    def make_node(self, x):
        return theano.Apply(self, [x], [x.type()])

    def c_code_cache_version(self):
        return (1,)

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        return f"""
        Py_XDECREF({z});
        {z} = (PyListObject*)PyList_GetSlice((PyObject*){x}, 0, PyList_GET_SIZE((PyObject*){x}));
        if (!{z} || PyList_Reverse((PyObject*){z})) {{ {sub["fail"]} }}
        """


@pytest.mark.parametrize("linker", ["numpy", "xla"])
def test_a_list_is_a_list_in_c(linker):
    x = VECTORS("x")
    f = theano.function([x], Turned()(x), mode=theano.Mode(linker))
    assert plain(f([[1.0], [2.0, 3.0]])) == [[2, 3], [1]] and f([]) == []
    given = [np.ones(1)]
    f(given)
    before = sys.getrefcount(given[0])
    for _ in range(5):
        f(given)
    after = sys.getrefcount(given[0])
    assert after == before


# DebugMode


class Leaking(basic.Append):
    """An Append that puts the element itself into the list."""

    def change(self, node, found, *others):
        found.append(others[0])


class Silent(basic.Append):
    """An Append that changes its list and does not say so."""

    def perform(self, node, inputs, output_storage):
        inputs[0].append(inputs[1].copy())
        output_storage[0][0] = inputs[0]


def test_debugmode_sees_what_lists_share_and_whether_they_change():
    errors = theano.compile.debugmode
    x, v = VECTORS("x"), T.dvector("v")
    f = theano.function([x, v], Leaking()(x, v), mode="DebugMode")
    with pytest.raises(errors.BadViewMap):
        f([[1.0]], [2.0])
    g = theano.function([x, v], Silent()(x, v), mode="DebugMode")
    with pytest.raises(errors.BadDestroyMap):
        g([[1.0]], [2.0])
