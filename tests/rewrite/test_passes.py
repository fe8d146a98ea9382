"""Passes as documented: navigators, fixpoints, sequences, merging, and databases of them."""

import gc
import io

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.rewrite.swaps import TO_COS, TO_SIN, Swaps, pp
from theano._src.graph.destroy import Supervisor
from theano._src.graph.source_line import lines
from theano._src.rewrite.driver import RewriteWarning
from theano._src.rewrite.log import RewriteTrace
from theano.compile import optdb
from theano.gof import (
    EquilibriumOptimizer,
    FunctionGraph,
    MergeOptimizer,
    OpRemove,
    Optimizer,
    PatternSub,
    Query,
    SeqOptimizer,
    SequenceDB,
    TopoOptimizer,
    inplace_optimizer,
    local_optimizer,
    optimizer,
)
from theano.gof.opt import copy_stack_trace, in2out, merge_optimizer, out2in
from theano.gof.toolbox import ReplaceValidate
from theano.gof.utils import MethodNotDefined

NEVER_ENDS = PatternSub((T.exp, "x"), (T.exp, (T.neg, "x")), name="never_ends")


# Optimizer


def test_optimize_meets_requirements_and_applies(x):
    g = FunctionGraph([x], [T.neg(x)])
    Swaps().optimize(g)
    assert pp(g) == "sin(x)" and hasattr(g, "replace_validate")
    h = FunctionGraph([x], [T.neg(x)])
    Swaps()(h)
    assert pp(h) == "sin(x)"
    with pytest.raises(MethodNotDefined):
        Optimizer().optimize(g)


def test_functions_become_passes(x):
    @optimizer
    def to_exp(fgraph):
        """neg -> exp"""
        for node in fgraph.toposort():
            if node.op == T.neg:
                fgraph.replace(node.outputs[0], T.exp(node.inputs[0]))

    assert isinstance(to_exp, Optimizer) and str(to_exp) == "to_exp"
    assert to_exp.__doc__ == "neg -> exp"
    g = FunctionGraph([x], [T.neg(x)])
    to_exp.optimize(g)
    assert pp(g) == "exp(x)"


def test_an_inplace_pass_gets_a_graph_that_keeps_order(x):
    @inplace_optimizer
    def overwrite(fgraph):
        assert hasattr(fgraph, "destroyers")

    g = FunctionGraph([x], [T.neg(x)])
    overwrite.optimize(g)
    assert hasattr(g, "destroyers")


def test_what_a_user_s_pass_makes_names_the_user_s_lines(x):
    out = T.neg(x)
    g = FunctionGraph([x], [T.exp(out)])
    assert Swaps().run(g, None, None) == {"Swaps": 1}
    (sin,) = (n for n in g.apply_nodes if n.op == T.sin)
    assert lines(sin.trace) == lines(out.owner.trace)


def test_what_replaces_an_input_names_the_line_of_its_user(x):
    class Scales(Optimizer):
        def apply(self, fgraph):
            (v,) = fgraph.inputs
            for node, i in list(v.clients):
                fgraph.change_input(node, i, v * 2, reason="scale")

    out = T.exp(x)
    g = FunctionGraph([x], [out])
    Scales().run(g, None, None)
    assert pp(g) == "exp((x * 2))"
    for node in g.apply_nodes:
        assert lines(node.trace) == lines(out.owner.trace)


def test_each_node_made_by_a_pass_names_the_line_of_what_it_replaced(x, y):
    first = T.neg(x)
    second = T.neg(y)
    g = FunctionGraph([x, y], [first * second])
    trace = RewriteTrace()
    assert Swaps().run(g, trace, None) == {"Swaps": 2}
    found = {n.inputs[0].name: lines(n.trace) for n in g.apply_nodes if n.op == T.sin}
    assert found == {"x": lines(first.owner.trace), "y": lines(second.owner.trace)}
    assert [s.rule for s in trace] == ["swap", "swap"]


def test_a_replacement_is_counted_once_however_many_use_it(x):
    n = T.neg(x)
    g = FunctionGraph([x], [T.exp(n) + n, T.sqr(n)])
    trace = RewriteTrace()
    assert Swaps().run(g, trace, None) == {"Swaps": 1} and len(trace) == 1


def test_a_replacement_that_the_graph_refused_is_not_counted(x):
    n = T.exp(x)
    g = FunctionGraph([x], [n + n, T.sqr(n), T.exp(n)])
    g.attach_feature(Supervisor(g.inputs))
    before = str(g)
    (exp,) = (v for v in g.apply_nodes if v.op == T.exp and v.inputs[0] is g.inputs[0])
    trace = RewriteTrace()

    class Overwrites(Optimizer):
        def add_requirements(self, fgraph):
            fgraph.attach_feature(ReplaceValidate())
            fgraph.attach_feature(theano.gof.DestroyHandler())

        def apply(self, fgraph):
            with pytest.raises(theano.gof.InconsistencyError):
                fgraph.replace_validate(exp.outputs[0], T.inplace.exp_inplace(fgraph.inputs[0]))

    assert Overwrites().run(g, trace, None) == {}
    assert str(g) == before and len(trace) == 0
    g.check_integrity()


# TopoOptimizer


def test_every_node_is_visited_in_the_order_asked_for(x):
    seen = []

    @local_optimizer(None)
    def look(node):
        seen.append(node.op)
        return False

    out = T.exp(T.sin(T.neg(x)))
    TopoOptimizer(look).optimize(FunctionGraph([x], [out]))
    assert seen == [T.neg, T.sin, T.exp]
    seen.clear()
    TopoOptimizer(look, order="out_to_in").optimize(FunctionGraph([x], [out]))
    assert seen == [T.exp, T.sin, T.neg]
    with pytest.raises(ValueError, match="order must be 'in_to_out' or 'out_to_in', got 'random'"):
        TopoOptimizer(look, order="random")


def test_a_visit_may_start_from_some_outputs_only(x):
    g = FunctionGraph([x], [T.neg(x), T.exp(T.neg(T.sqr(x)))])
    opt = TopoOptimizer(TO_SIN)
    opt.add_requirements(g)
    opt.apply(g, start_from=[g.outputs[1]])
    assert pp(g) == "(-x), exp(sin(sqr(x)))"


def test_nodes_that_come_are_visited_unless_told_not_to(x):
    both = theano.gof.LocalOptGroup(TO_SIN, TO_COS)
    for order in ("in_to_out", "out_to_in"):
        g = FunctionGraph([x], [T.exp(T.neg(x))])
        TopoOptimizer(both, order).optimize(g)
        assert pp(g) == "exp(cos(x))"
        g = FunctionGraph([x], [T.exp(T.neg(x))])
        TopoOptimizer(both, order, ignore_newtrees=True).optimize(g)
        assert pp(g) == "exp(sin(x))"


def test_a_failure_is_raised_or_handed_to_the_callback(x):
    @local_optimizer([T.neg])
    def broken(node):
        raise RuntimeError("no luck")

    g = FunctionGraph([x], [T.exp(T.neg(x))])
    with pytest.raises(RuntimeError, match="no luck"):
        TopoOptimizer(broken).optimize(g)
    told = []
    opt = TopoOptimizer(broken, failure_callback=lambda *what: told.append(what))
    opt.optimize(g)
    ((error, nav, pairs, lopt, node),) = told
    assert str(error) == "no luck" and nav is opt and lopt is broken
    assert node.op == T.neg and pairs == [(node.outputs[0], None)]
    TopoOptimizer(broken, failure_callback=TopoOptimizer.warn_ignore).optimize(g)
    with pytest.warns(RewriteWarning, match="rule broken failed on .* and is passed over"):
        TopoOptimizer(broken, failure_callback=TopoOptimizer.warn).optimize(g)
    with pytest.warns(RewriteWarning, match="rule broken failed"):
        in2out(broken).optimize(g)
    assert pp(g) == "exp((-x))"


def test_a_change_that_the_graph_refuses_is_tried_once(x):
    tried = []

    @local_optimizer([T.exp], inplace=True)
    def exp_inplace(node):
        tried.append(node)
        return [T.inplace.exp_inplace(node.inputs[0])]

    g = FunctionGraph([x], [T.exp(x), T.sqr(x)])
    g.attach_feature(Supervisor(g.inputs))
    before = str(g)
    for order in ("in_to_out", "out_to_in"):
        tried.clear()
        TopoOptimizer(exp_inplace, order).optimize(g)
        assert len(tried) == 1 and str(g) == before


def test_a_visit_that_feeds_itself_is_stopped_and_reported(x):
    g = FunctionGraph([x], [T.exp(x)])
    with pytest.warns(RewriteWarning, match="rule never_ends was used .* it is left out"):
        TopoOptimizer(NEVER_ENDS).optimize(g)
    g.check_integrity()


def test_a_long_chain_is_taken_down_by_one_visit(x):
    v = x
    for _ in range(500):
        v = T.neg(v)
    g = FunctionGraph([x], [v])
    TopoOptimizer(OpRemove(T.neg)).optimize(g)
    assert pp(g) == "x"


def test_in2out_and_out2in_take_several_and_a_name(x):
    for make, order in ((in2out, "in_to_out"), (out2in, "out_to_in")):
        opt = make(TO_SIN, TO_COS, name="both", ignore_newtrees=True)
        assert str(opt) == "both" and opt.order == order and opt.ignore_newtrees
        g = FunctionGraph([x], [T.neg(x)])
        opt.optimize(g)
        assert pp(g) == "sin(x)"
    assert str(in2out(TO_SIN)) == "to_sin"


def test_a_visit_traces_and_counts(x):
    g = FunctionGraph([x], [T.neg(x) + T.neg(T.exp(x))])
    trace, times = RewriteTrace(), {}
    assert in2out(TO_SIN).run(g, trace, times) == {"to_sin": 2}
    assert [s.rule for s in trace] == ["to_sin"] * 2 and times["to_sin"] > 0


# EquilibriumOptimizer


def test_a_fixpoint_is_reached_by_local_rewrites_and_passes_together(x):
    g = FunctionGraph([x], [T.neg(T.neg(x))])
    EquilibriumOptimizer([TO_COS, Swaps()], max_use_ratio=10).optimize(g)
    assert pp(g) == "cos(cos(x))"


def test_final_rewrites_come_when_the_others_are_done(x):
    order = []

    def noting(name, op):
        @local_optimizer([op])
        def note(node):
            order.append(name)
            return False

        note.name = name
        return note

    g = FunctionGraph([x], [T.neg(T.exp(x))])
    final = [noting("final", T.exp)]
    EquilibriumOptimizer([noting("first", T.neg)], final_optimizers=final).optimize(g)
    assert order[-1] == "final" and "first" in order


def test_cleanup_rewrites_run_too(x):
    g = FunctionGraph([x], [T.neg(x)])
    EquilibriumOptimizer([TO_SIN], cleanup_optimizers=[TO_COS]).optimize(g)
    assert pp(g) == "cos(x)"


def test_a_rewrite_that_never_ends_is_set_aside_by_name(x):
    g = FunctionGraph([x], [T.exp(x)])
    with pytest.warns(RewriteWarning, match="rule never_ends was used 5 times"):
        EquilibriumOptimizer([NEVER_ENDS], max_use_ratio=5).optimize(g)
    g.check_integrity()


def test_a_pass_that_never_ends_is_stopped_and_named(x):
    class Restless(Optimizer):
        def apply(self, fgraph):
            fgraph.replace(fgraph.outputs[0], T.exp(fgraph.outputs[0].owner.inputs[0]))

    g = FunctionGraph([x], [T.exp(x)])
    with pytest.warns(RewriteWarning, match="Restless changed the graph 6 times over"):
        EquilibriumOptimizer([Restless()], max_use_ratio=5).optimize(g)


def test_the_budget_is_that_of_the_configuration(x):
    g = FunctionGraph([x], [T.exp(x)])
    few = theano.config.change_flags(**{"optdb.max_use_ratio": 3})
    with few, pytest.warns(RewriteWarning, match="was used 3 times"):
        EquilibriumOptimizer([NEVER_ENDS]).optimize(g)


def test_a_failure_inside_a_fixpoint_is_warned_of_or_handed_over(x):
    @local_optimizer([T.neg])
    def broken(node):
        raise RuntimeError("no luck")

    g = FunctionGraph([x], [T.neg(x)])
    with pytest.warns(RewriteWarning, match="rule broken failed"):
        EquilibriumOptimizer([broken]).optimize(g)
    told = []
    EquilibriumOptimizer([broken], failure_callback=lambda *what: told.append(what)).optimize(g)
    assert told[0][3] is broken and told[0][2] == [(g.outputs[0], None)]
    with theano.config.change_flags(on_opt_error="raise"), pytest.raises(RuntimeError):
        EquilibriumOptimizer([broken]).optimize(g)


# MergeOptimizer


def test_equal_nodes_become_one_but_not_what_only_commutes(x, y):
    g = FunctionGraph([x, y], [(x + y) * 2, (x + y) * 3, y + x])
    merge_optimizer.optimize(g)
    adds = [n for n in g.apply_nodes if n.op == T.add]
    assert len(adds) == 2
    assert MergeOptimizer().run(g, None, None) == {}


# SeqOptimizer


def test_a_sequence_runs_its_passes_in_order(x):
    seq = SeqOptimizer(in2out(TO_SIN), in2out(TO_COS))
    g = FunctionGraph([x], [T.neg(x)])
    seq.optimize(g)
    assert pp(g) == "cos(x)"
    back = SeqOptimizer([in2out(TO_COS), in2out(TO_SIN)])
    g = FunctionGraph([x], [T.neg(x)])
    back.optimize(g)
    assert pp(g) == "sin(x)" and len(back) == 2 and isinstance(back, list)


def test_a_sequence_is_a_list_that_can_grow(x):
    seq = SeqOptimizer(in2out(TO_SIN))
    seq.append(in2out(TO_COS))
    g = FunctionGraph([x], [T.neg(x)])
    report = seq.rewrite(g)
    assert pp(g) == "cos(x)" and report.uses == {"to_sin": 1, "to_cos": 1}
    assert report.changes == {"to_sin": 1, "to_cos": 1}


def test_a_sequence_takes_passes_only():
    with pytest.raises(TypeError, match="SeqOptimizer takes Optimizers, got"):
        SeqOptimizer(TO_SIN)


def test_a_pass_that_fails_is_raised_or_handed_to_the_callback(x):
    class Broken(Optimizer):
        def apply(self, fgraph):
            raise RuntimeError("no luck")

    g = FunctionGraph([x], [T.neg(x)])
    with pytest.raises(RuntimeError, match="no luck"):
        SeqOptimizer(Broken()).optimize(g)
    told = []
    seq = SeqOptimizer(Broken(), in2out(TO_SIN), failure_callback=lambda *what: told.append(what))
    seq.optimize(g)
    assert pp(g) == "sin(x)" and told[0][1] is seq and isinstance(told[0][2], Broken)
    db = SequenceDB()
    db.register("broken", Broken(), 1, "any")
    with pytest.warns(RewriteWarning, match="broken failed and is passed over"):
        db.query("+any").optimize(g)
    strict = theano.config.change_flags(on_opt_error="raise")
    with strict, pytest.raises(RuntimeError, match="no luck"):
        db.query("+any").optimize(g)


def test_a_sequence_made_by_a_query_can_be_changed_by_tags():
    fast = optdb.query(Query(["fast_run"]))
    assert "merge2" in fast.names and "merge2" not in fast.excluding("merge").names
    merges = {"merge1", "merge1.1", "merge1.2", "merge2", "merge3"}
    assert set(fast.requiring("merge").names) == merges
    few = optdb.query(Query(["merge"]))
    assert "canonicalize" in few.including("canonicalize").names
    with pytest.raises(ValueError, match="this sequence was not made by one"):
        SeqOptimizer().excluding("merge")


def test_a_mode_takes_any_optimizer(x):
    f = theano.function([x], T.neg(x), mode=theano.Mode("py", in2out(TO_SIN)))
    np.testing.assert_array_equal(f([0.5]), np.sin([0.5]))
    f = theano.function([x], T.neg(x), mode=theano.Mode("py", Swaps()))
    np.testing.assert_array_equal(f([0.5]), np.sin([0.5]))


def test_lines_can_be_copied_by_hand(x):
    a = T.exp(x)
    b = T.sin(x)
    assert copy_stack_trace([x, a], [b, x])[0] is b
    assert b.owner.trace == a.owner.trace


@pytest.mark.parametrize(
    "opt",
    [Swaps(), in2out(TO_SIN), EquilibriumOptimizer([TO_SIN]), SeqOptimizer(in2out(TO_SIN))],
    ids=["optimizer", "topo", "equilibrium", "sequence"],
)
def test_every_pass_prints_a_summary(opt):
    stream = io.StringIO()
    opt.print_summary(stream=stream)
    assert ("to_sin" in stream.getvalue()) is not isinstance(opt, Swaps)
    assert stream.getvalue().endswith("\n")


def test_rewriting_leaves_no_cycle_to_the_old_graph(x):
    # a database keeps its answers for long: they must not keep graphs
    g = FunctionGraph([x], [T.neg(x)])
    opt = EquilibriumOptimizer([TO_SIN])
    opt.optimize(g)
    node = g.outputs[0].owner
    assert not any(node is held for held in gc.get_referrers(opt))
    assert opt._rewriter.index._rules_by_op == {}
