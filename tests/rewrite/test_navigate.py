"""Navigators: a local optimizer at the nodes of one op, at nodes a subclass chooses; and lines."""

import pytest

import theano
import theano.tensor as T
from theano.gof import (
    CheckStackTraceOptimization,
    DestroyHandler,
    FunctionGraph,
    InconsistencyError,
    LocalOptimizer,
    NavigatorOptimizer,
    OpKeyOptimizer,
    OpRemove,
    OpSub,
    PatternSub,
    TopoOptimizer,
)
from theano.gof.opt import check_stack_trace, inherit_stack_trace, pre_constant_merge
from theano.gof.toolbox import ReplaceValidate


def test_the_nodes_of_one_op_are_visited_and_no_others(x):
    seen = []

    class Watch(LocalOptimizer):
        def op_key(self):
            return [T.neg]

        def transform(self, node):
            seen.append(node.op)
            return False

    OpKeyOptimizer(Watch()).optimize(FunctionGraph([x], [T.exp(-T.log(-x))]))
    assert seen == [T.neg, T.neg]


@pytest.mark.parametrize(("ignore", "left"), [(False, "x"), (True, "(-x)")])
def test_nodes_of_the_op_that_come_are_visited_unless_told_not_to(x, ignore, left):
    class Peel(LocalOptimizer):
        """neg(exp(y)) -> y, made anew so that it is a newcomer"""

        def op_key(self):
            return T.neg

        def transform(self, node):
            (inner,) = node.inputs
            if inner.owner is None or inner.owner.op != T.exp:
                return False
            (y,) = inner.owner.inputs
            return [T.neg(T.exp(y.owner.inputs[0])) if y.owner else y]

    g = FunctionGraph([x], [-T.exp(T.sin(x))])
    OpKeyOptimizer(Peel(), ignore_newtrees=ignore).optimize(g)
    assert theano.pp(g.outputs[0]) == ("x" if not ignore else "(-exp(x))")


def test_an_optimizer_without_a_key_is_refused():
    class Keyless(LocalOptimizer):
        pass

    with pytest.raises(TypeError, match="op_key"):
        OpKeyOptimizer(Keyless())


def test_a_subclass_chooses_the_nodes(x):
    class Outputs(NavigatorOptimizer):
        def apply(self, fgraph):
            for v in list(fgraph.outputs):
                self.process_node(fgraph, v.owner)

    g = FunctionGraph([x], [-T.exp(-x)])
    Outputs(OpSub(T.neg, T.sin)).optimize(g)
    assert theano.pp(g.outputs[0]) == "sin(exp((-x)))"
    f = theano.function([x], -T.exp(-x), mode=theano.Mode("py", Outputs(OpSub(T.neg, T.sin))))
    assert [node.op for node in f.maker.fgraph.toposort()] == [T.neg, T.exp, T.sin]


def test_an_updater_hears_of_what_comes_goes_and_changes(x):
    came, went, changed = [], [], []
    navigator = NavigatorOptimizer(OpRemove(T.neg), ignore_newtrees=False)
    g = FunctionGraph([x], [T.exp(-x)])
    u = navigator.attach_updater(
        g, came.append, went.append, lambda node, i, old, new, reason: changed.append(node.op)
    )
    old = g.outputs[0].owner.inputs[0]
    g.replace(old, T.sin(g.inputs[0]))
    navigator.detach_updater(g, u)
    g.replace(g.outputs[0], g.inputs[0])
    assert [n.op for n in came] == [T.sin] and [n.op for n in went] == [T.neg]
    assert changed == [T.exp]


def test_a_refusal_is_handed_to_the_callback(x):
    refused = []

    def note(error, navigator, pairs, local_opt, node):
        refused.append((type(error), node.op))

    g = FunctionGraph([x], [T.exp(x) + T.sin(x)])
    for feature in (DestroyHandler(), ReplaceValidate()):
        g.attach_feature(feature)
    twice = [OpSub(T.exp, T.inplace.exp_inplace), OpSub(T.sin, T.inplace.sin_inplace)]
    for opt in twice:
        TopoOptimizer(opt, failure_callback=note).optimize(g)
    assert refused == [(InconsistencyError, T.sin)]


def test_a_graph_without_an_order_can_be_repaired(x):
    # the first input of the sum is overwritten while the second still reads it
    g = FunctionGraph([x], [T.inplace.exp_inplace(x) * T.inplace.sin_inplace(x)], clone=False)
    g.attach_feature(DestroyHandler())
    g.attach_feature(ReplaceValidate())
    assert not g.consistent()
    TopoOptimizer(OpSub(T.inplace.exp_inplace, T.exp)).optimize(g)
    OpKeyOptimizer(OpSub(T.inplace.sin_inplace, T.sin)).optimize(g)
    assert g.consistent() and theano.pp(g.outputs[0]) == "(exp(x) * sin(x))"


def test_equal_nodes_without_inputs_become_one():
    class Dice(theano.Op):
        __props__ = ("n",)

        def __init__(self, n):
            self.n = n

        def make_node(self):
            return theano.Apply(self, [], [T.dscalar()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = 4.0

    g = FunctionGraph([], [Dice(1)(), Dice(1)(), Dice(2)()])
    theano.gof.MergeOptimizer().optimize(g)
    assert len(g.apply_nodes) == 2


def test_equal_constants_become_one_before_a_graph_is_made():
    y = T.dscalar() * T.constant(2.5).clone() + T.constant(2.5).clone()
    assert pre_constant_merge([y]) == [y]
    first, second = y.owner.inputs[0].owner.inputs[1], y.owner.inputs[1]
    assert first is second


# lines


@pytest.mark.parametrize(
    "asked", ["all", "last", T.sin, [T.sin, T.cos], theano.gof.Op, lambda node: True]
)
def test_a_rewritten_function_names_lines_of_the_user(x, asked):
    f = theano.function([x], T.cos(T.sin(x)), mode="FAST_RUN")
    assert check_stack_trace(f, asked, bug_print="ignore")


def test_a_node_that_lost_its_line_is_found(x):
    g = FunctionGraph([x], [T.cos(T.sin(x))])
    g.outputs[0].owner.trace = None
    assert not check_stack_trace(g) and check_stack_trace(g, T.sin)


def test_asking_for_what_is_not_there_is_said(x):
    g = FunctionGraph([x], [T.sin(x)])
    with pytest.raises(Exception, match="no node to check"):
        check_stack_trace(g, T.cos)
    with pytest.warns(UserWarning, match="no node to check"):
        check_stack_trace(g, T.cos, bug_print="warn")
    with pytest.raises(ValueError, match="got 3"):
        check_stack_trace(g, 3)
    with pytest.raises(ValueError, match="FunctionGraph"):
        check_stack_trace(x)


def test_what_is_built_inside_inherits_a_line(x):
    a = T.sin(x)
    with inherit_stack_trace(a):
        b = T.cos(x)
    c = T.cos(x)
    assert b.owner.trace == a.owner.trace != c.owner.trace


@pytest.mark.parametrize("how", ["raise", "warn", "off"])
def test_a_pass_that_loses_lines_can_be_caught(x, how):
    g = FunctionGraph([x], [T.sin(x)])
    CheckStackTraceOptimization().optimize(g)
    lost = T.cos(g.inputs[0])
    lost.owner.trace = None
    with theano.config.change_flags(check_stack_trace=how):
        if how == "raise":
            with pytest.raises(AssertionError, match="careless"):
                g.replace(g.outputs[0], lost, reason="careless")
        elif how == "warn":
            with pytest.warns(UserWarning, match="careless"):
                g.replace(g.outputs[0], lost, reason="careless")
        else:
            g.replace(g.outputs[0], lost, reason="careless")


def test_a_pattern_works_at_the_nodes_of_its_op(x):
    g = FunctionGraph([x], [T.log(T.exp(T.log(T.exp(x))))])
    OpKeyOptimizer(PatternSub((T.log, (T.exp, "z")), "z")).optimize(g)
    assert g.outputs == g.inputs
