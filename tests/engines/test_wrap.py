"""Linkers that hand each thunk to a function, callbacks, and orders of a user's own."""

import gc
import weakref

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.gof import Linker, PerformLinker, WrapLinker, WrapLinkerMany
from theano.gof.sched import key_to_cmp, sort_schedule_fn
from theano.gof.vm import VM_Linker

LINKERS = [PerformLinker, VM_Linker, theano.gof.OpWiseCLinker]


@pytest.fixture
def x():
    return T.dvector("x")


def call(i, node, *thunks):
    for thunk in thunks:
        thunk()


@pytest.mark.parametrize("kind", LINKERS)
def test_every_node_passes_through_the_wrapper(kind, x):
    seen = []

    def wrapper(i, node, thunk):
        before = [cell[0] for cell in thunk.inputs]
        thunk()
        seen.append((i, node.op, [v.tolist() for v in before], thunk.outputs[0][0].tolist()))

    f = theano.function([x], T.sqr(T.exp(x)), mode=theano.Mode(WrapLinker([kind()], wrapper), None))
    assert f([0.0]).tolist() == [1.0]
    assert seen == [(0, T.exp, [[0.0]], [1.0]), (1, T.sqr, [[1.0]], [1.0])]


def test_a_wrapper_may_leave_a_thunk_uncalled(x):
    graph = theano.gof.FunctionGraph([x], [T.exp(x)])
    nodes = []
    linker = WrapLinker([PerformLinker()], lambda i, node, th: nodes.append(node.op))
    program, ins, outs = linker.accept(graph).make_thunk()
    ins[0].data = np.ones(2)
    program()
    assert nodes == [T.exp] and outs[0].data is None


def test_several_linkers_compute_side_by_side(x):
    pairs = []

    def compare(i, node, one, two):
        one()
        two()
        assert one.outputs[0] is not two.outputs[0]
        pairs.append((one.outputs[0][0].tolist(), two.outputs[0][0].tolist()))

    linker = WrapLinker([PerformLinker(), VM_Linker()], compare)
    f = theano.function([x], T.exp(x) + 1, mode=theano.Mode(linker, "fast_run"))
    assert f([0.0]).tolist() == [2.0]
    assert pairs and all(a == b for a, b in pairs)


def test_with_the_linker_of_xla_each_node_is_compiled_by_itself(x):
    pairs = []

    def compare(i, node, one, two):
        one()
        two()
        pairs.append((node.op, one.outputs[0][0], two.outputs[0][0]))

    xla = theano.compile.predefined_linkers["xla"]
    linker = WrapLinker([PerformLinker(), xla], compare)
    f = theano.function([x], T.exp(x) + 1, mode=theano.Mode(linker, None))
    np.testing.assert_allclose(f([0.0, 1.0]), [2.0, np.e + 1])
    assert [pairs[0][0], pairs[-1][0]] == [T.exp, T.add]
    for _, on_numpy, on_xla in pairs:
        np.testing.assert_allclose(on_numpy, on_xla)
        assert on_numpy is not on_xla
    alone = WrapLinker([xla], call)
    assert "fusion" in alone.leaves_out
    assert theano.function([x], T.exp(x), mode=theano.Mode(alone, None))([0.0]).tolist() == [1.0]


def test_several_wrappers_are_called_in_their_order(x):
    told = []
    linker = WrapLinkerMany([PerformLinker()], [call, lambda i, node, th: told.append(i)])
    f = theano.function([x], T.exp(T.sin(x)), mode=theano.Mode(linker, None))
    f([1.0])
    assert told == [0, 1]


def test_updates_are_stored_and_an_error_names_its_node(x):
    s = theano.shared(np.zeros(2))
    mode = theano.Mode(WrapLinker([PerformLinker()], call), None)
    f = theano.function([x], s + x, updates=[(s, s + x)], mode=mode)
    f([1.0, 2.0])
    assert s.get_value().tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="Apply node that caused the error"):
        f([1.0, 2.0, 3.0])
    assert s.get_value().tolist() == [1.0, 2.0]


def test_pre_is_called_before_each_run(x):
    runs = []

    class Told(WrapLinker):
        def pre(self, f, inputs, order, thunk_groups):
            runs.append((inputs[0].tolist(), len(order), len(thunk_groups)))

    f = theano.function([x], T.exp(x), mode=theano.Mode(Told([PerformLinker()], call), None))
    f([1.0])
    f([2.0])
    assert runs == [([1.0], 1, 1), ([2.0], 1, 1)]


def test_thunks_of_a_users_linker_are_used(x):
    made = []

    class Loud(PerformLinker):
        def make_all(self, *args, **kwargs):
            found = super().make_all(*args, **kwargs)
            made.append(found[3])
            return found

    seen = []
    linker = WrapLinker([Loud()], lambda i, node, th: seen.append(th) or th())
    f = theano.function([x], T.exp(x), mode=theano.Mode(linker, None))
    assert f([0.0]).tolist() == [1.0] and seen == made[0]


def test_a_wrapper_needs_a_linker():
    with pytest.raises(ValueError, match="at least one linker"):
        WrapLinker([], call)


def test_a_clone_of_a_wrapper_has_linkers_of_its_own():
    linker = WrapLinker([PerformLinker(allow_gc=True)], call)
    assert linker.clone(allow_gc=False).allow_gc is False and linker.allow_gc is True


def test_a_callback_is_called_after_each_node(x):
    seen = []

    def callback(node, thunk, storage_map, compute_map):
        seen.append((node.op, storage_map[node.outputs[0]][0].tolist()))

    f = theano.function([x], T.exp(x) + 1, mode=theano.Mode(VM_Linker(callback=callback), None))
    for _ in range(2):
        assert f([0.0]).tolist() == [2.0]
    assert len(seen) == 2 * len(f.maker.fgraph.apply_nodes)
    assert seen[-1][1] == [2.0]


@pytest.mark.parametrize("kind", LINKERS)
def test_nodes_run_in_the_order_of_a_schedule(kind):
    x = T.dmatrix("x")
    parts = [T.tan(x), T.cos(x), T.exp(x)]
    # the last by its text comes first
    schedule = sort_schedule_fn(key_to_cmp(lambda node: [-ord(c) for c in str(node)]))
    f = theano.function([x], parts, mode=theano.Mode(kind(schedule=schedule), None))
    assert [n.op for n in f.fn.nodes] == [T.tan, T.exp, T.cos]
    value = np.arange(4.0).reshape(2, 2)
    for found, wanted in zip(f(value), (np.tan, np.cos, np.exp), strict=True):
        np.testing.assert_allclose(found, wanted(value))
    # a clone keeps it
    assert kind(schedule=schedule).clone(allow_gc=False).order_by is schedule


def test_a_mode_keeps_no_graph_of_its_functions(x):
    class Mark:
        pass

    mode = theano.Mode("py", None)
    f = theano.function([x], T.exp(x), mode=mode)
    mark = f.maker.fgraph.mark = Mark()
    alive = weakref.ref(mark)
    assert getattr(mode.linker, "fgraph", None) is None
    del f, mark
    gc.collect()
    assert alive() is None


def test_a_linker_of_ones_own_needs_no_clone(x):
    class Mine(Linker):
        def __init__(self, secret):
            self.secret = secret

        def make_program(self, cells, order):
            assert self.secret == 42
            return PerformLinker().accept(self.fgraph).make_program(cells, order)

    mode = theano.Mode(Mine(42), None)
    for _ in range(2):
        assert theano.function([x], T.exp(x), mode=mode)([0.0]).tolist() == [1.0]
