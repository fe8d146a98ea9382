"""Modes: passes of one's own at a position, the levels by name, clones with another linker."""

import copy

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano.compile.mode import AddFeatureOptimizer, Mode
from theano.gof import InconsistencyError, OpSub, TopoOptimizer
from theano.gof.toolbox import NoOutputFromInplace, PreserveNames, ReplaceValidate


def ops(f):
    return [node.op for node in f.maker.fgraph.toposort()]


@pytest.fixture
def x():
    return T.dvector("x")


def test_a_mode_takes_passes_of_ones_own_at_their_positions(x):
    first = TopoOptimizer(OpSub(T.sin, T.cos))
    second = TopoOptimizer(OpSub(T.cos, T.tan))
    mode = Mode("py", "merge").register((second, 20), (first, 10))
    assert ops(theano.function([x], T.sin(x), mode=mode)) == [T.tan]
    other = Mode("py", "merge").register((second, 10), (first, 20))
    assert ops(theano.function([x], T.sin(x), mode=other)) == [T.cos]
    assert ops(theano.function([x], T.sin(x), mode=Mode("py", "merge"))) == [T.sin]
    # what is included later keeps them
    assert ops(theano.function([x], T.sin(x), mode=mode.including("canonicalize"))) == [T.tan]


def test_a_pass_of_ones_own_runs_once(x):
    count = []

    class Count(theano.gof.Optimizer):
        def apply(self, fgraph):
            count.append(fgraph)

    theano.function([x], T.sin(x), mode=Mode("py", "fast_run").register((Count(), 1.1)))
    assert len(count) == 1


def test_register_takes_pairs():
    with pytest.raises(TypeError, match=r"pairs \(pass, position\)"):
        Mode("py", "merge").register(TopoOptimizer(OpSub(T.sin, T.cos)))


def test_an_output_is_not_written_in_place_where_a_feature_forbids_it():
    x, y = T.dmatrices("xy")
    b = T.tanh(T.dot(x, y))
    plain = theano.function([x, y], b, mode=Mode("py", "fast_run"))
    assert plain.maker.fgraph.outputs[0].owner.op.destroy_map
    feature = AddFeatureOptimizer(NoOutputFromInplace())
    f = theano.function([x, y], b, mode=Mode("py", "fast_run").register((feature, 49.9)))
    assert not f.maker.fgraph.outputs[0].owner.op.destroy_map
    a = np.arange(4.0).reshape(2, 2) / 9
    np.testing.assert_allclose(f(a, a), np.tanh(a @ a))


def test_which_outputs_may_be_written_in_place_can_be_chosen():
    x = T.dvector("x")
    outs = [T.inplace.exp_inplace(x), x + 1]
    for first, ok in ((0, False), (1, True)):
        g = theano.gof.FunctionGraph([x], outs)
        g.attach_feature(NoOutputFromInplace(first_output_idx=first))
        g.attach_feature(ReplaceValidate())
        assert g.consistent() is ok
    with pytest.raises(InconsistencyError, match="NoOutputFromInplace"):
        NoOutputFromInplace(last_output_idx=1).validate(theano.gof.FunctionGraph([x], outs))


def test_names_can_be_kept(x):
    named = T.sin(x)
    named.name = "height"
    g = theano.gof.FunctionGraph([x], [T.exp(named)])
    g.attach_feature(PreserveNames())
    g.replace(g.outputs[0].owner.inputs[0], T.cos(g.inputs[0]))
    assert g.outputs[0].owner.inputs[0].name == "height"


def test_the_query_of_a_mode_can_be_read_and_changed(x):
    mode = copy.copy(Mode("py", "fast_run"))
    mode._optimizer = mode._optimizer.excluding("canonicalize", "specialize")
    mode._optimizer.position_cutoff = 1.5
    names = mode.optimizer.names
    assert "merge1" in names and "stabilize" not in names and "canonicalize" not in names
    assert "stabilize" in Mode("py", "fast_run").optimizer.names


def test_levels_by_name_are_those_of_the_documents():
    def names(level):
        return Mode("py", level).optimizer.names

    assert "inplace_elemwise_optimizer" in names("o4")
    assert "inplace_elemwise_optimizer" not in names("o3")
    assert "elemwise_fusion" in names("o2") and "specialize" not in names("o2")
    assert names("o1") == names("fast_compile")


def test_unsafe_leaves_assertions_out(x):
    y = T.opt.Assert()(x, T.all(x > 0))
    f = theano.function([x], y + 1, mode=Mode("py", "unsafe"))
    assert f([-1.0]).tolist() == [0.0]
    with pytest.raises(AssertionError):
        theano.function([x], y + 1, mode=Mode("py", "o3"))([-1.0])


def test_a_clone_gives_its_linker_other_arguments():
    mode = Mode(theano.gof.PerformLinker(allow_gc=True), "merge")
    assert mode.clone().linker.allow_gc is True
    assert mode.clone(link_kwargs={"allow_gc": False}).linker.allow_gc is False
    assert mode.linker.allow_gc is True
