"""Ops with thunks of their own: what a lazy thunk does not ask for is not computed."""

import pickle

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.gof import Apply, Op

LINKERS = ["py", "numpy", "xla", "cvm", "vm"]


@pytest.fixture(params=LINKERS)
def mode(request):
    return theano.Mode(request.param, "fast_run")


class Choose(Op):
    """The second input where the first holds, else the third; it asks for what it needs."""

    __props__ = ()

    def make_node(self, c, a, b):
        return Apply(self, [c, a, b], [a.type()])

    def make_thunk(self, node, storage_map, compute_map, no_recycling, impl=None):
        cells = [storage_map[v] for v in node.inputs]
        there = [compute_map[v] for v in node.inputs]
        (out,) = node.outputs

        def thunk():
            if not there[0][0]:
                return [0]
            k = 1 if cells[0][0] else 2
            if not there[k][0]:
                return [k]
            storage_map[out][0] = cells[k][0].copy()
            compute_map[out][0] = 1
            return []

        thunk.lazy = True
        thunk.inputs, thunk.outputs = cells, [storage_map[out]]
        return thunk

    def grad(self, inputs, output_grads):
        c, (g,) = inputs[0], output_grads
        return [c.zeros_like().astype("float64"), self(c, g, g * 0), self(c, g * 0, g)]

    def infer_shape(self, node, shapes):
        return [shapes[1]]


choose = Choose()
RAN = []


class Noted(Op):
    """Twice its input; notes that it ran."""

    __props__ = ("tag", "fails")

    def __init__(self, tag, fails=False):
        self.tag, self.fails = tag, fails

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        RAN.append(self.tag)
        if self.fails:
            raise ValueError(f"{self.tag} was computed")
        output_storage[0][0] = inputs[0] * 2

    def grad(self, inputs, output_grads):
        return [output_grads[0] * 2]

    def infer_shape(self, node, shapes):
        return shapes


def ran(f, *args):
    """What a call gives, and the tags of what it computed."""
    RAN.clear()
    made = f(*args)
    return np.asarray(made).tolist(), sorted(RAN)


c, x = T.bscalar("c"), T.dvector("x")


def test_only_what_is_asked_for_is_computed(mode):
    y = choose(c, Noted("a")(x) + 1, Noted("b")(x) * 3)
    f = theano.function([c, x], T.sqr(y), mode=mode)
    assert ran(f, 1, [1, 2]) == ([9, 25], ["a"])
    assert ran(f, 0, [1, 2]) == ([36, 144], ["b"])


def test_the_condition_is_computed_only_when_asked_for(mode):
    y = choose(T.gt(Noted("c")(x).sum(), 0), Noted("a")(x), x)
    f = theano.function([x], y, mode=mode)
    assert ran(f, [1]) == ([2], ["a", "c"])
    assert ran(f, [-1]) == ([-1], ["c"])


def test_an_input_that_would_fail_is_left_alone_until_it_is_asked_for(mode):
    f = theano.function([c, x], choose(c, x, Noted("b", fails=True)(x)), mode=mode)
    assert f(1, [3]).tolist() == [3]
    with pytest.raises(ValueError, match=r"b was computed(.|\n)*Noted\{tag='b', fails=True\}"):
        f(0, [3])
    assert f(1, [4]).tolist() == [4]


def test_what_others_need_too_is_computed_once(mode):
    shared = Noted("shared")(x)
    y = choose(c, shared + Noted("a")(x), shared - Noted("b")(x))
    f = theano.function([c, x], y + shared, mode=mode)
    assert ran(f, 1, [1]) == ([6], ["a", "shared"])
    assert ran(f, 0, [1]) == ([2], ["b", "shared"])


def test_choices_within_choices_are_lazy(mode):
    d = T.bscalar("d")
    inner = choose(d, Noted("aa")(x), Noted("ab")(x))
    f = theano.function([c, d, x], choose(c, inner, Noted("b")(x)), mode=mode)
    assert ran(f, 1, 1, [1])[1] == ["aa"]
    assert ran(f, 1, 0, [1])[1] == ["ab"]
    assert ran(f, 0, 1, [1])[1] == ["b"]


def test_the_time_of_nested_choices_does_not_grow_with_their_number(mode):
    y = x
    for k in range(8):
        y = choose(c, Noted(f"a{k}")(y), Noted(f"b{k}")(y))
    f = theano.function([c, x], y, mode=mode)
    assert ran(f, 1, [1]) == ([256], [f"a{k}" for k in range(8)])


def test_gradients_go_through_a_lazy_op(mode):
    y = choose(c, T.exp(Noted("a")(x)), Noted("b")(x) ** 3).sum()
    f = theano.function([c, x], T.grad(y, x), mode=mode)
    np.testing.assert_allclose(f(1, [0.5]), 2 * np.exp(1.0), rtol=1e-12)
    np.testing.assert_allclose(f(0, [0.5]), 6, rtol=1e-12)


def test_lazy_ops_run_inside_loops_and_branches(mode):
    def step(v):
        return choose(T.gt(v, 0), Noted("a")(v) + 1, Noted("b")(v) - 1)

    outs, _ = theano.scan(step, sequences=x)
    f = theano.function([x], outs, mode=mode)
    assert ran(f, [1, -1, 2]) == ([3, -3, 5], ["a", "a", "b"])
    y = theano.ifelse.ifelse(c, choose(c, Noted("a")(x), Noted("b")(x)), Noted("c")(x))
    f = theano.function([c, x], y, mode=mode)
    assert ran(f, 1, [1]) == ([2], ["a"])
    assert ran(f, 0, [1]) == ([2], ["c"])


def test_updates_go_through_a_lazy_op(mode):
    s = theano.shared(np.zeros(1))
    f = theano.function(
        [c, x], s, updates=[(s, choose(c, s + x, Noted("b", fails=True)(x)))], mode=mode
    )
    f(1, [2])
    with pytest.raises(ValueError, match="b was computed"):
        f(0, [2])
    assert s.get_value().tolist() == [2]
    f(1, [3])
    assert s.get_value().tolist() == [5]


def test_values_that_are_no_arrays_are_asked_for_too(mode):
    one, other = theano.gof.generic("one"), theano.gof.generic("other")

    class Upper(Op):
        __props__ = ("tag",)
        itypes, otypes = [theano.gof.generic], [theano.gof.generic]

        def __init__(self, tag):
            self.tag = tag

        def perform(self, node, inputs, output_storage):
            RAN.append(self.tag)
            output_storage[0][0] = inputs[0].upper()

    class ChooseText(Choose):
        def make_thunk(self, node, storage_map, compute_map, no_recycling, impl=None):
            out = node.outputs[0]

            def thunk():
                k = 1 if storage_map[node.inputs[0]][0] else 2
                if not compute_map[node.inputs[k]][0]:
                    return [k]
                storage_map[out][0] = storage_map[node.inputs[k]][0]
                compute_map[out][0] = 1

            thunk.lazy = True
            return thunk

    y = ChooseText()(c, Upper("a")(one), Upper("b")(other))
    f = theano.function([c, one, other], y, mode=mode)
    RAN.clear()
    assert f(0, "x", "y") == "Y"
    assert RAN == ["b"]


def test_a_thunk_that_asks_again_for_what_it_has_is_told(mode):
    class Asks(Choose):
        def make_thunk(self, node, storage_map, compute_map, no_recycling, impl=None):
            def thunk():
                return [1]

            thunk.lazy = True
            return thunk

    f = theano.function([c, x], Asks()(c, Noted("a")(x), x), mode=mode)
    with pytest.raises(ValueError, match=r"asks for its inputs \[1\], which it has"):
        f(1, [1])


def test_an_op_of_no_module_is_lazy_too(mode):
    class Nowhere(Choose):
        def make_thunk(self, *args):
            return Choose.make_thunk(self, *args)

    Nowhere.make_thunk.__module__ = None
    f = theano.function([c, x], Nowhere()(c, Noted("a")(x), Noted("b")(x)), mode=mode)
    assert ran(f, 0, [1]) == ([2], ["b"])


def test_debug_mode_runs_lazy_ops():
    f = theano.function([c, x], choose(c, Noted("a")(x), Noted("b")(x)), mode="DebugMode")
    assert f(1, [1]).tolist() == [2]


def test_a_function_with_a_lazy_op_is_pickled(mode):
    f = theano.function([c, x], choose(c, Noted("a")(x), Noted("b")(x)), mode=mode)
    g = pickle.loads(pickle.dumps(f))
    assert ran(g, 1, [1]) == ([2], ["a"])


def test_the_graph_shows_what_is_asked_for_inside():
    f = theano.function([c, x], choose(c, Noted("a")(x), x), mode=theano.Mode("numpy", "fast_run"))
    text = theano.printing.debugprint(f, file="str")
    assert "Choose{lazy}" in text and "Noted{tag='a', fails=False}" in text


# thunks that are not lazy


class AddsOne(Op):
    """Its thunk has four arguments, as in Theano 0.7."""

    __props__ = ()

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def make_thunk(self, node, storage_map, compute_map, no_recycling):
        (given,), (made,) = node.inputs, node.outputs

        def thunk():
            storage_map[made][0] = storage_map[given][0] + 1
            compute_map[made][0] = True

        return thunk

    def grad(self, inputs, output_grads):
        return output_grads

    def infer_shape(self, node, shapes):
        return shapes


class AddsOneByPerform(AddsOne):
    """Its thunk is the one that Op makes of ``perform``."""

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] + 1

    def make_thunk(self, node, storage_map, compute_map, no_recycling, impl=None):
        return Op.make_thunk(self, node, storage_map, compute_map, no_recycling, impl)


@pytest.mark.parametrize("op", [AddsOne(), AddsOneByPerform()])
def test_a_thunk_runs_between_compiled_nodes_with_gradients(mode, op):
    y = T.tanh(op(T.exp(x))) * 2
    f = theano.function([x], [y, T.grad(y.sum(), x), op(op(x)).shape], mode=mode)
    value = np.array([0.0, 0.1])
    made, slope, shape = f(value)
    inner = np.exp(value) + 1
    np.testing.assert_allclose(made, 2 * np.tanh(inner), rtol=1e-12)
    np.testing.assert_allclose(slope, 2 * np.exp(value) / np.cosh(inner) ** 2, rtol=1e-10)
    assert shape.tolist() == [2]


def test_a_thunk_is_made_a_few_times_for_a_function_not_for_a_call(mode):
    made = []

    class Noting(Choose):
        def make_thunk(self, *args):
            made.append(args[0])
            return Choose.make_thunk(self, *args)

    f = theano.function([c, x], Noting()(c, Noted("a")(x), x), mode=mode)
    f(1, [1])
    before = len(made)
    for k in range(5):
        f(k % 2, [1])
    assert len(made) == before <= 4


def test_copies_of_a_function_have_thunks_of_their_own(mode):
    s, t = theano.shared(np.ones(1)), theano.shared(np.full(1, 5.0))
    f = theano.function([c], choose(c, Noted("a")(s), s), mode=mode)
    g = f.copy(swap={s: t})
    assert [float(f(1)[0]), float(g(1)[0]), float(f(0)[0]), float(g(0)[0])] == [2, 10, 1, 5]


def test_an_op_made_of_a_graph_is_lazy_inside_and_has_gradients(mode):
    op = theano.OpFromGraph([c, x], [choose(c, T.exp(Noted("a")(x)), Noted("b")(x))])
    f = theano.function([c, x], T.grad(op(c, x).sum(), x), mode=mode)
    np.testing.assert_allclose(f(1, [0.5]), 2 * np.exp(1.0), rtol=1e-12)
    f = theano.function([c, x], op(c, x), mode=mode)
    assert ran(f, 0, [1]) == ([2], ["b"])


def test_a_make_thunk_that_raises_names_its_node(mode):
    class Broken(AddsOne):
        def make_thunk(self, node, storage_map, compute_map, no_recycling, impl=None):
            raise NotImplementedError("no thunk today")

    with pytest.raises(NotImplementedError, match="no thunk today"):
        theano.function([x], Broken()(x), mode=mode)([1.0])


def test_a_thunk_set_on_an_instance_is_used(mode):
    op = AddsOneByPerform()
    op.make_thunk = lambda node, storage_map, compute_map, no_recycling: AddsOne.make_thunk(
        op, node, storage_map, compute_map, no_recycling
    )
    assert theano.function([x], op(x) * 2, mode=mode)([1]).tolist() == [4]
