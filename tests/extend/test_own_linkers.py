"""Linkers and VMs that users write by the documented contract."""

import sys
import weakref

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano import gof
from theano.gof import Apply, Container, Linker, LocalLinker, Op, PerformLinker, WrapLinker
from theano.gof.link import add_clear_storage, gc_helper, map_storage, raise_with_op, streamline
from theano.gof.vm import VM, Loop, LoopGC, Stack, VM_Linker

x = T.dvector("x")


def containers(fgraph, ins, outs):
    return (
        [Container(v, cell) for v, cell in zip(fgraph.inputs, ins, strict=True)],
        [Container(v, cell) for v, cell in zip(fgraph.outputs, outs, strict=True)],
    )


def thunks_of(order, cells):
    computed = {v: [v.owner is None] for v in cells}
    found = []
    for node in order:
        node.op.prepare_node(node, cells, computed, "py")
        thunk = node.op.make_thunk(node, cells, computed, [])
        thunk.inputs = [cells[v] for v in node.inputs]
        thunk.outputs = [cells[v] for v in node.outputs]
        found.append(thunk)
    return found, computed


class Plain(Linker):
    """No more than the contract: accept, make_thunk; a function that returns nothing."""

    def __init__(self):
        self.fgraph = None

    def accept(self, fgraph, no_recycling=None):
        if self.fgraph is not None and self.fgraph is not fgraph:
            return type(self)().accept(fgraph, no_recycling)
        self.fgraph, self.no_recycling = fgraph, no_recycling or []
        return self

    def make_thunk(self, input_storage=None, output_storage=None, storage_map=None):
        order = self.schedule(self.fgraph)
        ins, outs, cells = map_storage(
            self.fgraph, order, input_storage, output_storage, storage_map
        )
        thunks, _ = thunks_of(order, cells)

        def run():
            for cell in [cells[v] for v in self.no_recycling]:
                cell[0] = None
            for thunk in thunks:
                thunk()

        return run, *containers(self.fgraph, ins, outs)


class Local(LocalLinker):
    """One thunk a node, in make_all, run by streamline."""

    def make_all(self, input_storage=None, output_storage=None, storage_map=None):
        order = self.schedule(self.fgraph)
        ins, outs, cells = map_storage(
            self.fgraph, order, input_storage, output_storage, storage_map
        )
        thunks, _ = thunks_of(order, cells)
        computed, last_user = gc_helper(order)
        dead = [
            [
                cells[v]
                for v in node.inputs
                if v in computed and v not in self.fgraph.outputs and last_user[v] is node
            ]
            for node in order
        ]
        kept = [cells[v] for v in self.no_recycling]
        run = streamline(self.fgraph, thunks, order, dead, no_recycling=kept)
        add_clear_storage(run, computed, cells)
        return run, *containers(self.fgraph, ins, outs), thunks, order


class Counting(PerformLinker):
    """Another linker's program, called through a function of one's own."""

    calls = 0

    def make_all(self, *args, **kwargs):
        program, *rest = super().make_all(*args, **kwargs)

        def run():
            Counting.calls += 1
            return program()

        return run, *rest


class ByVM(VM_Linker):
    """A VM of one's own: runs everything, last node first if it could."""

    kind = "stack"

    def make_vm(
        self,
        nodes,
        thunks,
        input_storage,
        output_storage,
        storage_map,
        post_thunk_clear,
        computed,
        compute_map,
        updated_vars,
    ):
        clear = [storage_map[v] for v in computed]
        if self.kind == "loop":
            return Loop(nodes, thunks, clear)
        if self.kind == "loopgc":
            return LoopGC(nodes, thunks, clear, post_thunk_clear)
        return Stack(nodes, thunks, clear, storage_map, compute_map, self.fgraph, self.allow_gc)


class ByLoop(ByVM):
    kind = "loop"


class ByLoopGC(ByVM):
    kind = "loopgc"


OWN = [Plain, Local, Counting, ByVM, ByLoop, ByLoopGC]


@pytest.fixture(params=OWN)
def linker(request):
    return request.param()


@pytest.mark.parametrize("optimizer", ["fast_run", None])
def test_a_training_step_runs_on_a_linker_of_ones_own(linker, optimizer):
    w, n = theano.shared(np.ones(2)), theano.shared(0)
    y = T.tanh(x * w).sum()
    f = theano.function(
        [x],
        [y, T.grad(y, x)],
        updates=[(w, w + x), (n, n + 1)],
        mode=theano.Mode(linker, optimizer),
    )
    for k in range(3):
        held = 1 + k * np.array([0.25, 0.5])
        cost, slope = f([0.25, 0.5])
        np.testing.assert_allclose(cost, np.tanh([0.25, 0.5] * held).sum(), rtol=1e-12)
        np.testing.assert_allclose(slope, held / np.cosh([0.25, 0.5] * held) ** 2, rtol=1e-12)
    assert w.get_value().tolist() == [1.75, 2.5] and n.get_value() == 3


def test_what_a_call_gave_is_not_overwritten_by_the_next(linker):
    class Reuses(Op):
        def make_node(self, v):
            return Apply(self, [v], [v.type()])

        def perform(self, node, inputs, output_storage):
            (cell,) = output_storage
            if cell[0] is None or cell[0].shape != inputs[0].shape:
                cell[0] = np.empty_like(inputs[0])
            cell[0][...] = inputs[0] + 1

    f = theano.function([x], Reuses()(x), mode=theano.Mode(linker, None))
    first = f([1.0])
    f([5.0])
    assert first.tolist() == [2]


def test_state_is_as_it_was_after_a_call_that_fails(linker):
    s = theano.shared(np.zeros(2))
    f = theano.function([x], [], updates=[(s, s + x)], mode=theano.Mode(linker, "fast_run"))
    f([1, 2])
    with pytest.raises(ValueError, match=r"mis-match(.|\n)*"):
        f([1, 2, 3])
    assert s.get_value().tolist() == [1, 2]


def test_a_state_that_another_engine_left_on_its_device_is_read(linker):
    s = theano.shared(np.zeros(2))
    step = theano.function([], [], updates=[(s, s + 1)], mode=theano.Mode("xla", "fast_run"))
    mine = theano.function([], s * 2, updates=[(s, s * 3)], mode=theano.Mode(linker, "fast_run"))
    step()
    assert mine().tolist() == [2, 2]
    step()
    assert s.get_value().tolist() == [4, 4]


def test_a_linker_of_ones_own_makes_plain_functions_of_a_graph(linker):
    fgraph = gof.FunctionGraph([x], [T.exp(x) + 1])
    assert linker.accept(fgraph).make_function()([0.0]).tolist() == [2]


@pytest.mark.parametrize("name", ["py", "numpy", "xla", "vm", "cvm", "c|py"])
def test_every_linker_reads_and_fills_the_cells_it_is_given(name):
    y = T.dvector("y")
    fgraph = gof.FunctionGraph([x, y], [T.exp(x), x * y])
    bound = theano.compile.predefined_linkers[name].clone().accept(fgraph)
    ins, outs = [[np.zeros(1)], [np.full(1, 3.0)]], [[None], [None]]
    run, given, made = bound.make_thunk(input_storage=ins, output_storage=outs)
    run()
    assert [cell[0].tolist() for cell in outs] == [[1], [0]]
    given[0].data = [2]
    run()
    assert made[1].data.tolist() == [6] and len(bound.make_all()) == 5


def test_linkers_and_modes_are_registered_by_name():
    theano.compile.register_linker("local_thunks", Local())
    try:
        mode = theano.Mode("local_thunks", "fast_run")
        theano.compile.mode.register_mode("LOCAL_THUNKS", mode)
        assert theano.function([x], x + 1, mode="LOCAL_THUNKS")([1]).tolist() == [2]
        with pytest.raises(ValueError, match="already taken: local_thunks"):
            theano.compile.register_linker("local_thunks", Local())
    finally:
        del theano.compile.predefined_linkers["local_thunks"]
        theano.compile.predefined_modes.pop("LOCAL_THUNKS", None)


def test_an_error_of_a_thunk_names_its_node():
    f = theano.function([x], T.exp(x) + T.zeros(3), mode=theano.Mode(Local(), None))
    with pytest.raises(ValueError, match=r"Apply node that caused the error: Elemwise\{add") as e:
        f([1, 2])
    assert "Inputs shapes: [(2,), (3,)]" in str(e.value)


@pytest.mark.parametrize(
    "linkers", [[Local], [PerformLinker, Local], [Local, PerformLinker], [VM_Linker, Local]]
)
def test_linkers_of_ones_own_are_wrapped(linkers):
    seen = []

    def wrapper(i, node, *thunks):
        for thunk in thunks:
            thunk()
        values = [thunk.outputs[0][0] for thunk in thunks]
        assert all(np.array_equal(values[0], v) for v in values)
        seen.append(len(thunks))

    s = theano.shared(np.zeros(1))
    wrap = WrapLinker([kind() for kind in linkers], wrapper)
    f = theano.function([x], T.exp(x) + 1, updates=[(s, s + x)], mode=theano.Mode(wrap, None))
    assert f([0]).tolist() == [2] and s.get_value().tolist() == [0]
    f([1])
    assert s.get_value().tolist() == [1] and set(seen) == {len(linkers)}


def test_a_linker_that_gives_no_function_is_told():
    class Nothing(Plain):
        def make_thunk(self, **kwargs):
            return None, *super().make_thunk(**kwargs)[1:]

    with pytest.raises(TypeError, match="make_thunk of a linker gives a function of no arguments"):
        theano.function([x], x, mode=theano.Mode(Nothing(), None))


def test_what_authors_put_on_their_function_is_found_on_fn():
    class Named(Local):
        def make_all(self, *args, **kwargs):
            run, *rest = super().make_all(*args, **kwargs)
            run.title = "mine"
            return run, *rest

    f = theano.function([x], T.exp(x), mode=theano.Mode(Named(), None))
    f([1])
    assert f.fn.title == "mine"
    f.fn.clear_storage()
    f.free()
    with pytest.raises(AttributeError):
        _ = f.fn.no_such_thing


# helpers


def test_streamline_drops_what_it_is_told_after_each_thunk():
    a, b, kept = [1], [2], [3]
    fgraph = gof.FunctionGraph([x], [T.exp(x) + 1])
    order = fgraph.toposort()
    seen = []
    thunks = [lambda: seen.append((a[0], b[0], kept[0])) for _ in order]
    dead = [[a], *([[b]] * (len(order) - 1))]
    streamline(fgraph, thunks, order, dead, no_recycling=[kept])()
    assert seen[0] == (1, 2, None) and seen[1] == (None, 2, None) and b == [None]
    with pytest.raises(ValueError, match=f"got 1 thunks, {len(order)} nodes"):
        streamline(fgraph, thunks[:1], order)
    with pytest.raises(ValueError, match="got 1"):
        streamline(fgraph, thunks, order, dead[:1])


def test_streamline_leaves_errors_as_they_are_if_asked():
    fgraph = gof.FunctionGraph([x], [T.exp(x)])

    def fails():
        raise KeyError("mine")

    with pytest.raises(KeyError) as plain:
        streamline(fgraph, [fails], fgraph.toposort(), nice_errors=False)()
    assert not hasattr(plain.value, "__notes__")
    with pytest.raises(KeyError) as told:
        streamline(fgraph, [fails], fgraph.toposort())()
    assert "Apply node that caused the error" in "".join(told.value.__notes__)


@pytest.mark.parametrize("how", ["thunk", "exc_info", "storage_map"])
def test_raise_with_op_takes_the_documented_arguments(how):
    node = gof.FunctionGraph([x], [T.exp(x)]).toposort()[0]

    class Thunk:
        inputs = [[np.ones(2)]]

    with pytest.raises(ValueError, match=r"boo\nApply node that caused the error") as e:
        try:
            raise ValueError("boo")
        except ValueError:
            if how == "thunk":
                raise_with_op(node, Thunk)
            if how == "exc_info":
                raise_with_op(node, Thunk, sys.exc_info())
            raise_with_op(node, storage_map={node.inputs[0]: [np.ones(2)]})
    assert "Inputs shapes: [(2,)]" in str(e.value) and "Toposort index: 0" in str(e.value)


def test_raise_with_op_without_an_error_says_so():
    with pytest.raises(TypeError, match="raise_with_op takes exc_info"):
        raise_with_op(T.exp(x).owner)


# VMs


def graph_of(outputs, inputs=(x,)):
    fgraph = gof.FunctionGraph(list(inputs), outputs)
    order = fgraph.toposort()
    ins, outs, cells = map_storage(fgraph, order, None, None)
    return fgraph, order, ins, outs, cells


def test_a_vm_counts_and_times_its_thunks():
    _, order, ins, _, cells = graph_of([T.exp(T.sqr(x))])
    vm = Loop(order, thunks_of(order, cells)[0], [])
    ins[0][0] = np.ones(1)
    vm.time_thunks = True
    vm()
    vm()
    assert vm.call_counts == [2, 2] and all(t > 0 for t in vm.call_times)


def test_a_vm_takes_as_many_thunks_as_nodes():
    _, order, _, _, cells = graph_of([T.exp(T.sqr(x))])
    thunks, _ = thunks_of(order, cells)
    with pytest.raises(ValueError, match="got 2 nodes, 1 thunks"):
        Loop(order, thunks[:1], [])
    with pytest.raises(ValueError, match="for each of 2 nodes, got 1"):
        LoopGC(order, thunks, [], [[]])
    with pytest.raises(NotImplementedError, match="VM does not say how thunks run"):
        VM(order, thunks, [])()


def test_a_stack_computes_only_the_outputs_that_are_asked_for():
    fgraph, order, ins, outs, cells = graph_of([T.exp(x), T.log(x)])
    thunks, computed = thunks_of(order, cells)
    vm = Stack(order, thunks, outs, cells, computed, fgraph, allow_gc=True)
    ins[0][0] = np.ones(1)
    vm(output_subset=[1])
    assert outs[0][0] is None and outs[1][0].tolist() == [0]
    vm()
    assert outs[0][0].tolist() == [np.e]


def test_a_stack_computes_what_lazy_thunks_ask_for():
    c, y = T.bscalar("c"), T.dvector("y")

    class First(Op):
        """The second input; never asks for the third."""

        def make_node(self, *inputs):
            return Apply(self, inputs, [inputs[1].type()])

        def make_thunk(self, node, storage_map, compute_map, no_recycling, impl=None):
            def thunk():
                if not compute_map[node.inputs[1]][0]:
                    return [1]
                storage_map[node.outputs[0]][0] = storage_map[node.inputs[1]][0]

            thunk.lazy = True
            return thunk

    fgraph, order, ins, outs, cells = graph_of([First()(c, T.exp(x), T.log(y))], [c, x, y])
    thunks, computed = thunks_of(order, cells)
    seen, given = [], []
    vm = Stack(
        order,
        thunks,
        [],
        cells,
        computed,
        fgraph,
        True,
        callback=lambda node, thunk, storage_map, compute_map: seen.append(str(node.op)),
        callback_input=lambda v, value: given.append(v.name),
    )
    ins[0][0], ins[1][0], ins[2][0] = 1, np.zeros(1), np.ones(1)
    vm()
    assert outs[0][0].tolist() == [1]
    assert seen == ["Elemwise{exp,no_inplace}", "First"] and sorted(given) == ["c", "x", "y"]


@pytest.mark.parametrize("allow_gc", [True, False])
def test_a_stack_drops_values_when_it_may(allow_gc):
    y = T.exp(x)
    fgraph, order, ins, outs, cells = graph_of([T.sqr(y) + y])
    thunks, computed = thunks_of(order, cells)
    ins[0][0] = np.zeros(1)
    Stack(order, thunks, [], cells, computed, fgraph, allow_gc)()
    inner = [v for v in cells if v.owner is not None and v not in fgraph.outputs]
    assert outs[0][0].tolist() == [2]
    assert all((cells[v][0] is None) == allow_gc for v in inner)
    assert {computed[v][0] for v in inner} == ({2} if allow_gc else {1})


def test_callbacks_see_nodes_and_inputs():
    seen, given = [], []
    vm = VM_Linker(
        use_cloop=False,
        callback=lambda node, thunk, storage_map, compute_map: seen.append(
            (str(node.op), thunk.outputs[0][0].tolist())
        ),
        callback_input=lambda v, value: given.append((v.name, value.tolist())),
    )
    f = theano.function([x], T.sqr(T.exp(x)), mode=theano.Mode(vm, None))
    f([0])
    assert seen == [("Elemwise{exp,no_inplace}", [1]), ("Elemwise{sqr,no_inplace}", [1])]
    assert given == [("x", [0])]


# containers


def test_a_container_filters_what_it_is_given():
    cell = [None]
    box = Container(x, cell)
    box.data = [1, 2]
    assert cell[0].dtype == np.float64 and box.value is cell[0]
    box.value = None
    assert cell == [None]
    with pytest.raises(TypeError, match="strict=True"):
        Container(x, [None], strict=True).data = [1, 2]
    with pytest.raises(Exception, match="Cannot set readonly storage: n"):
        Container(x, [np.ones(1)], readonly=True, name="n").data = [1.0]
    with pytest.raises(TypeError, match="list of one element"):
        Container(x, None)


def test_a_linker_does_not_keep_the_arguments_of_a_call():
    f = theano.function([x], T.exp(x), mode=theano.Mode(Plain(), None))
    value = np.ones(3)
    alive = weakref.ref(value)
    f(value)
    del value
    assert alive() is None
