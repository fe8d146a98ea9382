"""Local optimizers as documented: written by hand, by decorator, by pattern, and in groups."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.graph.destroy import Supervisor
from theano._src.graph.source_line import lines
from theano._src.rewrite.driver import Rewriter
from theano._src.rewrite.local import LocalRule, as_rule
from theano.gof import (
    Apply,
    FunctionGraph,
    LocalOptGroup,
    LocalOptimizer,
    Op,
    OpRemove,
    OpSub,
    PatternSub,
    TopoOptimizer,
    local_optimizer,
)
from theano.gof.opt import pre_greedy_local_optimizer
from theano.gof.utils import MethodNotDefined


def done(opt, inputs, outputs, **options):
    """The graph after one visit of every node."""
    g = FunctionGraph(inputs, outputs)
    TopoOptimizer(opt, **options).optimize(g)
    g.check_integrity()
    return g


def shown(opt, inputs, outputs, **options):
    return ", ".join(theano.pp(v) for v in done(opt, inputs, outputs, **options).outputs)


class Pair(Op):
    """(x + 1, x + 2)"""

    __props__ = ()

    def make_node(self, x):
        return Apply(self, [x], [x.type(), x.type()])

    def perform(self, node, inputs, output_storage):
        for k, cell in enumerate(output_storage):
            cell[0] = inputs[0] + k + 1


pair = Pair()


# LocalOptimizer


class Counting(LocalOptimizer):
    def __init__(self, tracks=None):
        self.seen = []
        self._tracks = tracks

    def tracks(self):
        return self._tracks

    def transform(self, node):
        self.seen.append(node.op)
        return False


def test_a_local_optimizer_sees_the_nodes_that_it_tracks(x):
    out = [T.exp(T.neg(x)) + T.neg(x)]
    every = Counting()
    done(every, [x], out)
    assert len(every.seen) == 4
    by_op = Counting([T.neg])
    done(by_op, [x], out)
    assert by_op.seen == [T.neg, T.neg]
    by_class = Counting([T.elemwise.Elemwise])
    done(by_class, [x], out)
    assert len(by_class.seen) == 4
    other = Counting([T.elemwise.DimShuffle])
    done(other, [x], out)
    assert other.seen == []


def test_transform_must_be_given(x):
    with pytest.raises(MethodNotDefined):
        done(LocalOptimizer(), [x], [T.neg(x)])


def test_replacements_may_be_a_list_a_tuple_or_a_dict(x):
    for give in (
        lambda node: [T.exp(node.inputs[0])],
        lambda node: (T.exp(node.inputs[0]),),
        lambda node: {node.outputs[0]: T.exp(node.inputs[0])},
    ):
        opt = local_optimizer([T.neg])(give)
        assert shown(opt, [x], [T.neg(x)]) == "exp(x)"


@pytest.mark.parametrize("nothing", [False, None, [], {}], ids=str)
def test_nothing_may_be_said_in_several_ways(x, nothing):
    opt = local_optimizer([T.neg])(lambda node: nothing)
    assert shown(opt, [x], [T.neg(x)]) == "(-x)"


def test_an_output_that_nobody_uses_may_be_given_none(x):
    @local_optimizer([Pair])
    def second_only(node):
        return [None, node.inputs[0] + 2]

    assert shown(second_only, [x], [pair(x)[1]]) == "(x + 2)"
    with pytest.raises(ValueError, match=r"rule second_only drops Pair.*, which is still used"):
        done(second_only, [x], pair(x))


def test_a_wrong_number_of_replacements_is_refused(x):
    opt = local_optimizer([Pair])(lambda node: [node.inputs[0]])
    with pytest.raises(TypeError, match="takes 2 replacements for the outputs"):
        done(opt, [x], pair(x))


def test_a_replacement_of_another_type_is_refused(x):
    opt = local_optimizer([T.neg])(lambda node: [T.cast(node.inputs[0], "int8")])
    with pytest.raises(TypeError, match="the type of the replacement must be that of the variable"):
        done(opt, [x], [T.neg(x)])


def test_giving_back_the_same_variable_changes_nothing(x):
    opt = local_optimizer([T.neg])(lambda node: list(node.outputs))
    assert shown(opt, [x], [T.neg(x)]) == "(-x)"


# local_optimizer


def test_the_decorator_keeps_name_and_docstring():
    @local_optimizer([T.neg])
    def local_nothing(node):
        """x -> x"""

    assert isinstance(local_nothing, LocalOptimizer)
    assert str(local_nothing) == local_nothing.__name__ == "local_nothing"
    assert local_nothing.__doc__ == "x -> x" and local_nothing.tracks() == [T.neg]


def test_the_decorator_refuses_tracks_that_say_nothing():
    with pytest.raises(ValueError, match="give None for every node"):
        local_optimizer([])
    with pytest.raises(ValueError, match=r"takes a list of ops and classes of ops, got 'neg'"):
        local_optimizer(["neg"])


def test_requirements_are_met_before_the_first_node_is_seen(x):
    finder = theano.gof.toolbox.NodeFinder

    @local_optimizer([T.neg], requirements=[lambda fgraph: fgraph.attach_feature(finder())])
    def needs(node):
        assert node.fgraph.get_nodes(T.neg) == [node]
        return [T.exp(node.inputs[0])]

    assert shown(needs, [x], [T.neg(x)]) == "exp(x)"
    g = FunctionGraph([x], [T.neg(x)])
    theano.gof.EquilibriumOptimizer([needs], max_use_ratio=10).optimize(g)
    assert theano.pp(g.outputs[0]) == "exp(x)"


def test_requirements_are_met_for_what_is_registered_in_a_database(x):
    met = []
    opt = local_optimizer([T.neg], requirements=[met.append])(lambda node: False)
    db = theano.gof.EquilibriumDB()
    db.register("opt", opt, "any")
    g = FunctionGraph([x], [T.neg(x)])
    db.query("+any").run(g, None, None)
    assert met == [g]


def test_an_inplace_optimizer_is_refused_where_it_would_overwrite_an_input(x):
    @local_optimizer([T.exp], inplace=True)
    def local_exp_inplace(node):
        return [T.inplace.exp_inplace(node.inputs[0])]

    g = FunctionGraph([x], [T.exp(x), T.exp(T.neg(x))])
    g.attach_feature(Supervisor(g.inputs))
    TopoOptimizer(local_exp_inplace, ignore_newtrees=True).optimize(g)
    first, second = (v.owner.op for v in g.outputs)
    assert not getattr(first, "destroy_map", None) and second.destroy_map == {0: [0]}


# OpSub, OpRemove


def test_op_sub_puts_one_op_for_another_everywhere(x, y):
    assert shown(OpSub(T.add, T.mul), [x, y], [(x + y) + y]) == "((x * y) * y)"


def test_op_sub_hands_tags_on_or_not(x, y):
    z = x + y
    z.tag.note = "kept"
    assert done(OpSub(T.add, T.mul), [x, y], [z]).outputs[0].tag.note == "kept"
    bare = done(OpSub(T.add, T.mul, transfer_tags=False), [x, y], [z]).outputs[0]
    assert not hasattr(bare.tag, "note")


def test_op_sub_says_what_it_does():
    assert str(OpSub(T.add, T.mul)) == "Elemwise{add,no_inplace} -> Elemwise{mul,no_inplace}"
    assert OpSub(T.add, T.mul).op_key() == T.add


def test_op_sub_to_an_op_of_another_type_is_refused(x):
    with pytest.raises(TypeError, match="the type of the replacement"):
        done(OpSub(T.add, T.eq), [x], [x + x])


def test_op_remove_takes_every_one_out(x):
    assert shown(OpRemove(T.neg), [x], [T.exp(T.neg(T.neg(x))), T.neg(x)]) == "exp(x), x"
    assert str(OpRemove(T.neg)) == "Elemwise{neg,no_inplace}(x) -> x"


def test_op_remove_of_an_op_with_more_inputs_than_outputs_is_refused(x, y):
    with pytest.raises(TypeError, match="takes 1 replacements"):
        done(OpRemove(T.add), [x, y], [x + y])


# PatternSub


def test_the_documented_pattern(x, y):
    opt = PatternSub((T.true_div, (T.mul, "x", "y"), "y"), "x")
    assert shown(opt, [x, y], [(x * y) / y]) == "x"
    z = T.dvector("z")
    assert shown(opt, [x, y, z], [(x * y) / z]) == "((x * y) / z)"
    # inputs in the order they are written
    assert shown(opt, [x, y], [(x * y) / x]) == "((x * y) / x)"


def test_the_same_string_stands_for_the_same_variable(x, y):
    opt = PatternSub((T.sub, "x", "x"), (T.zeros_like, "x"))
    assert shown(opt, [x], [x - x]) != "(x - x)"
    assert shown(opt, [x, y], [x - y]) == "(x - y)"
    same = PatternSub((T.add, "c", "c"), "c")
    one = lambda v: T.constant(np.array([v]))
    assert done(same, [], [one(2.0) + one(2.0)]).outputs[0].owner is None
    assert done(same, [], [one(2.0) + one(3.0)]).outputs[0].owner is not None


def test_numbers_and_constants_are_matched_by_value():
    x = T.dscalar("x")
    assert shown(PatternSub((T.mul, "x", 1), "x"), [x], [x * 1.0]) == "x"
    assert shown(PatternSub((T.mul, "x", 1), "x"), [x], [x * 2.0]) == "(x * 2.0)"
    two = T.constant(2.0)
    assert shown(PatternSub((T.mul, "x", two), "x"), [x], [x * 2.0]) == "x"
    assert shown(PatternSub((T.mul, "x", two), "x"), [x], [x * 3.0]) == "(x * 3.0)"


def test_an_array_matches_a_number_only_if_all_of_it_does(x):
    opt = PatternSub((T.mul, "x", 1), "x")
    assert shown(opt, [x], [x * np.ones(3)]) == "x"
    assert done(opt, [x], [x * np.array([1.0, 2.0])]).outputs[0].owner is not None
    # nothing at all is not one
    assert done(opt, [x], [x * np.ones(0)]).outputs[0].owner is not None


def test_a_constraint_is_asked_of_the_variable(x):
    m = T.dmatrix("m")
    of_matrices = {"pattern": "x", "constraint": lambda v: v.ndim == 2}
    opt = PatternSub((T.neg, of_matrices), "x")
    assert shown(opt, [x, m], [T.neg(x), T.neg(m)]) == "(-x), m"
    deep = {"pattern": (T.exp, "x"), "constraint": lambda v: v.ndim == 2}
    assert shown(PatternSub((T.neg, deep), "x"), [m], [T.neg(T.exp(m))]) == "m"


def test_the_right_side_may_hold_numbers_and_further_ops(x):
    opt = PatternSub((T.neg, "x"), (T.mul, (T.exp, "x"), 2.0))
    assert shown(opt, [x], [T.neg(x)]) == "(exp(x) * 2.0)"


def test_parts_that_are_used_elsewhere_keep_a_pattern_from_firing(x):
    inner = T.exp(x)
    opt = PatternSub((T.log, (T.exp, "x")), "x")
    assert shown(opt, [x], [T.log(inner), inner]) == "log(exp(x)), exp(x)"
    free = PatternSub((T.log, (T.exp, "x")), "x", allow_multiple_clients=True)
    assert shown(free, [x], [T.log(inner), inner]) == "x, exp(x)"


def test_the_root_may_be_used_as_often_as_it_likes(x):
    out = T.log(T.exp(x))
    opt = PatternSub((T.log, (T.exp, "x")), "x")
    assert shown(opt, [x], [out + out, out]) == "(x + x), x"


def test_identities_can_be_looked_through(x):
    def through_copies(node):
        return node.inputs[0] if node.op == T.tensor_copy else None

    plain = PatternSub((T.log, (T.exp, "x")), "x")
    looking = PatternSub((T.log, (T.exp, "x")), "x", skip_identities_fn=through_copies)
    out = T.log(T.tensor_copy(T.exp(x)))
    assert done(plain, [x], [out]).outputs[0].owner is not None
    assert shown(looking, [x], [out]) == "x"


def test_a_replacement_of_another_type_does_not_fire():
    f = T.fvector("f")
    opt = PatternSub((T.mul, "x", 1.0), "x")
    wide = f * np.ones(1)
    assert wide.dtype == "float64" and done(opt, [f], [wide]).outputs[0].dtype == "float64"


def test_a_part_stands_for_the_main_output_of_its_op(x):
    opt = PatternSub((T.neg, (pair, "x")), "x")
    first, second = pair(x)
    assert shown(opt, [x], [T.neg(first)]) == "x"
    assert done(opt, [x], [T.neg(second)]).outputs[0].owner.op == T.neg


def test_a_pattern_may_start_elsewhere_with_get_nodes(x):
    # looks at exp nodes, and rewrites the log above
    opt = PatternSub(
        (T.log, (T.exp, "x")),
        "x",
        tracks=[T.exp],
        get_nodes=lambda node: [c for c, _ in node.outputs[0].clients],
    )
    assert opt.tracks() == [T.exp]
    assert shown(opt, [x], [T.log(T.exp(x))]) == "x"
    assert shown(opt, [x], [T.exp(x)]) == "exp(x)"
    with pytest.raises(ValueError, match="takes tracks and get_nodes together"):
        PatternSub((T.log, "x"), "x", tracks=[T.exp])


def test_a_pattern_that_is_no_op_is_refused():
    with pytest.raises(TypeError, match=r"takes \(op, ...\) as the pattern to look for, got 'x'"):
        PatternSub("x", "x")


def test_a_pattern_says_what_it_does_or_its_name():
    opt = PatternSub((T.neg, (T.neg, "x")), "x")
    assert str(opt) == "Elemwise{neg,no_inplace}(Elemwise{neg,no_inplace}(x)) -> x"
    assert str(PatternSub((T.neg, "x"), "x", name="mine")) == "mine"
    assert opt.op_key() == T.neg


def test_values_eq_approx_goes_to_the_new_variable(x):
    loose = lambda a, b: True
    opt = PatternSub((T.neg, "x"), (T.exp, "x"), values_eq_approx=loose)
    assert done(opt, [x], [T.neg(x)]).outputs[0].tag.values_eq_approx is loose


def test_a_deep_pattern_is_looked_at_again_when_its_bottom_changes(x):
    deep = PatternSub((T.exp, (T.neg, (T.tanh, (T.sin, "x")))), "x")
    assert as_rule(deep).depth == 4
    late = PatternSub((T.cos, "x"), (T.sin, "x"))
    g = FunctionGraph([x], [T.exp(T.neg(T.tanh(T.cos(x))))])
    Rewriter([as_rule(deep), as_rule(late)]).rewrite(g)
    assert theano.pp(g.outputs[0]) == "x"


# LocalOptGroup


def test_of_a_group_the_first_that_fires_is_heard(x):
    to_exp = PatternSub((T.neg, "x"), (T.exp, "x"))
    to_sin = PatternSub((T.neg, "x"), (T.sin, "x"))
    nothing = Counting([T.neg])
    assert shown(LocalOptGroup(nothing, to_exp, to_sin), [x], [T.neg(x)]) == "exp(x)"
    assert nothing.seen == [T.neg]
    assert shown(LocalOptGroup([to_sin, to_exp]), [x], [T.neg(x)]) == "sin(x)"


def test_a_group_tracks_what_its_members_do(x):
    one, two = Counting([T.neg]), Counting([T.exp])
    assert LocalOptGroup(one, two).tracks() == [T.neg, T.exp]
    assert LocalOptGroup(one, Counting()).tracks() is None
    done(LocalOptGroup(one, two), [x], [T.neg(T.sin(x))])
    assert one.seen == [T.neg]


def test_a_group_meets_the_requirements_of_its_members(x):
    met = []
    opt = local_optimizer([T.neg], requirements=[met.append])(lambda node: False)
    g = done(LocalOptGroup(opt, OpRemove(T.exp)), [x], [T.neg(x)])
    assert met == [g]


# as the driver takes them


def test_the_driver_takes_rules_local_optimizers_and_what_looks_like_one(x):
    rule = as_rule(OpRemove(T.neg), "no_neg", "canonicalize", ["brave"])
    assert isinstance(rule, LocalRule) and rule.tracks == (T.neg,)
    assert rule.tags == {"no_neg", "canonicalize", "brave"}
    assert as_rule(rule) is rule

    class Alike:
        def tracks(self):
            return [T.neg]

        def transform(self, node):
            return [node.inputs[0]]

    assert shown(Alike(), [x], [T.neg(x)]) == "x"
    for wrong in (lambda node: None, 3, OpRemove):
        with pytest.raises(TypeError, match="a pass takes rules and local optimizers, got"):
            as_rule(wrong)


def test_new_nodes_name_the_line_of_what_they_replace(x):
    out = T.neg(x)
    g = done(PatternSub((T.neg, "x"), (T.exp, (T.sin, "x"))), [x], [out])
    assert len(g.apply_nodes) == 2
    for node in g.apply_nodes:
        assert lines(node.trace) == lines(out.owner.trace)


def test_an_expression_can_be_rewritten_by_itself(x):
    opts = [OpRemove(T.neg), PatternSub((T.log, (T.exp, "x")), "x", allow_multiple_clients=True)]
    assert pre_greedy_local_optimizer(opts, T.log(T.neg(T.exp(x)))) is x
    out = T.sin(x)
    assert pre_greedy_local_optimizer(opts, out) is out
    assert pre_greedy_local_optimizer(opts, x) is x
