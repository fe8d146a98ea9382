"""The driver comes to a fixpoint, in near linear time, and keeps lines, names and types."""

import numpy as np
import pytest

from tests.counting import lines_run
from theano._src.graph.features import ReplaceValidate
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.graph.source_line import lines
from theano._src.ground.config import config
from theano._src.ground.errors import InconsistencyError
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.elementwise.activations import sigmoid, softplus
from theano._src.ops.elementwise.arithmetic import Neg, abs_, add, inv, mul, neg, sqr
from theano._src.ops.elementwise.explog import (
    exp,
    log,
    log1p,
)
from theano._src.rewrite.driver import Rewriter, RewriteWarning, RuleIndex
from theano._src.rewrite.log import RewriteTrace, why_not
from theano._src.rewrite.pattern import Hole
from theano._src.rewrite.rule import FunctionRule, Rule, rewrite_rule
from theano._src.types.convert import constant
from theano._src.types.scalar import get_scalar_type
from theano._src.types.tensor import tensor_type

X = Hole("x")
NEG_NEG = Rule("neg_neg", "canonicalize", neg(neg(X)), X)
LOG1P_EXP = Rule("log1p_exp", "stabilize", log1p(exp(X)), softplus(X))


def vector(name=None, dtype="float64"):
    return tensor_type(dtype, (False,))(name)


def rewritten(inputs, outputs, *rules, **kwargs):
    g = FunctionGraph(inputs, outputs, clone=False)
    uses = Rewriter(rules, **kwargs).rewrite(g)
    g.check_integrity()
    return g, uses


def test_a_tower_is_taken_down_in_one_go():
    x = vector("x")
    v = x
    for _ in range(7):
        v = neg(v)
    g, uses = rewritten([x], [v], NEG_NEG)
    assert str(g) == "[Elemwise{neg,no_inplace}(x)]" and uses == {"neg_neg": 3}


def test_what_one_rule_makes_another_takes_up():
    x = vector("x")
    swap = Rule("swap", "g", abs_(X), log1p(exp(X)))
    g, uses = rewritten([x], [neg(neg(abs_(x)))], NEG_NEG, LOG1P_EXP, swap)
    assert str(g) == "[softplus(x)]" and uses == {"swap": 1, "log1p_exp": 1, "neg_neg": 1}


def test_a_change_deep_inside_wakes_the_node_whose_pattern_reaches_there():
    x = vector("x")
    deep = Rule("deep", "g", exp(neg(sigmoid(X))), softplus(X))
    # listed first, so that the sigmoid appears only after exp was looked at
    late = Rule("late", "g", abs_(X), sigmoid(X))
    g, _ = rewritten([x], [exp(neg(abs_(x)))], deep, late)
    assert str(g) == "[softplus(x)]"


def test_inputs_left_over_stay_in_the_sum():
    x, y = vector("x"), vector("y")
    g, _ = rewritten([x, y], [add(x, constant(0.0), y)], Rule("zero", "g", add(X, 0), X))
    assert str(g) == "[Elemwise{add,no_inplace}(x, y)]"


def test_an_equation_does_not_fire_where_the_type_would_change():
    x = vector("x", "float32")
    wide = mul(x, np.ones(1))
    assert wide.type.dtype == "float64"
    g, uses = rewritten([x], [wide], Rule("one", "g", mul(X, 1), X))
    assert uses == {} and g.outputs[0].type == wide.type


def test_a_type_can_be_restored_by_whoever_runs_the_driver():
    x = vector("x", "float32")
    wide = mul(x, np.ones(1))
    rule = Rule("one", "g", mul(X, 1), X)
    widen = lambda new, type: Elemwise(Widen())(new)
    g, uses = rewritten([x], [wide], rule, restore=widen)
    assert uses == {"one": 1} and g.outputs[0].type == wide.type


class Widen(Neg):
    def output_types(self, types):
        return [get_scalar_type("float64")]


def test_rules_are_found_by_op_class_and_scalar_class():
    def nothing(node):
        """f -> f"""

    by_op = FunctionRule(nothing, "by_op", "g", [neg])
    by_class = FunctionRule(nothing, "by_class", "g", [Elemwise])
    by_scalar = FunctionRule(nothing, "by_scalar", "g", [Neg])
    every = FunctionRule(nothing, "every", "g")
    index = RuleIndex([by_op, by_class, by_scalar, every])
    assert index.of(neg) == (by_op, by_class, by_scalar, every)
    assert index.of(exp) == (by_class, every)
    assert index.of(Elemwise(Neg(), {0: 0})) == (by_class, by_scalar, every)
    assert index.of(Op()) == (every,)


def test_every_new_node_names_the_line_of_the_node_it_replaces():
    x = vector("x")
    rule = Rule("log_sigmoid", "g", log(sigmoid(X)), neg(softplus(neg(X))))
    v = log(sigmoid(x))
    g, _ = rewritten([x], [exp(v)], rule)
    assert len(g.apply_nodes) == 4
    for node in g.apply_nodes:
        assert node.trace, node
        assert lines(node.trace)[-1][0] == __file__
    written = lines(v.owner.trace)[-1][1]
    assert {lines(n.trace)[-1][1] for n in g.apply_nodes if n.op in (neg, softplus)} == {written}


def test_a_function_rule_hands_on_the_line_too():
    @rewrite_rule("twice", "g", [sqr])
    def twice(node):
        """sqr(x) -> x * x"""
        (x,) = node.inputs
        return [mul(x, x)]

    x = vector("x")
    v = sqr(x)
    g, _ = rewritten([x], [v], twice)
    assert g.outputs[0].owner.op == mul and g.outputs[0].owner.trace == v.owner.trace
    assert g.outputs[0].tag.trace


def test_the_name_goes_over_to_a_replacement_that_has_none():
    x = vector("x")
    y, z = log1p(exp(x)), neg(neg(x))
    y.name, z.name = "y", "z"
    g, _ = rewritten([x], [y, z], NEG_NEG, LOG1P_EXP)
    assert g.outputs[0].name == "y" and g.outputs[0].owner.op == softplus
    assert g.outputs[1] is x and x.name == "x"


def test_a_rule_that_never_ends_is_reported_by_name_and_left_out():
    x = vector("x")
    there = Rule("there", "g", exp(X), inv(X))
    back = Rule("back", "g", inv(X), exp(X))
    with pytest.warns(RewriteWarning, match="rule (there|back) was used 24 times"):
        _, uses = rewritten([x], [sqr(neg(exp(x)))], there, back)
    assert sum(uses.values()) <= 2 * 24


def test_a_rule_that_grows_the_graph_is_stopped_too():
    x = vector("x")
    grow = Rule("grow", "g", exp(X), exp(neg(X)))
    with pytest.warns(RewriteWarning, match="rule grow was used 8 times"):
        rewritten([x], [exp(x)], grow)


def failing(what):
    def fail(node):
        """exp(x) -> an error"""
        if what == "raises":
            raise KeyError("no such thing")
        return [vector(dtype="int8")] if what == "another type" else [neg(node.inputs[0])] * 2

    return FunctionRule(fail, "fail", "g", [exp])


@pytest.mark.parametrize("what", ["raises", "another type", "too many"])
def test_a_rule_that_fails_leaves_the_node_and_warns(what):
    x = vector("x")
    with pytest.warns(RewriteWarning, match="rule fail failed on Elemwise{exp"):
        g, uses = rewritten([x], [exp(x)], failing(what))
    assert uses == {} and str(g) == "[Elemwise{exp,no_inplace}(x)]"


def test_on_opt_error_chooses_between_warning_raising_and_silence():
    x = vector("x")
    with config.change_flags(on_opt_error="raise"), pytest.raises(KeyError) as caught:
        rewritten([x], [exp(x)], failing("raises"))
    assert "applied rule fail to Elemwise{exp" in caught.value.__notes__[0]
    y = vector("y")
    with config.change_flags(on_opt_error="ignore"):
        rewritten([y], [exp(y)], failing("raises"))


def test_a_replacement_that_a_feature_refuses_is_undone():
    class NoSoftplus(ReplaceValidate):
        def validate(self, fgraph):
            if any(n.op == softplus for n in fgraph.apply_nodes):
                raise InconsistencyError("no softplus here")

    x = vector("x")
    g = FunctionGraph([x], [log1p(exp(x))], features=[NoSoftplus()], clone=False)
    log = RewriteTrace()
    assert Rewriter([LOG1P_EXP]).rewrite(g, log) == {}
    assert len(g.apply_nodes) == 2 and len(log) == 0
    g.check_integrity()


class Two(Op):
    __props__ = ()

    def make_node(self, x):
        return Apply(self, [x], [x.type(), x.type()])


def test_outputs_that_nothing_uses_may_be_dropped_and_others_not():
    def first_only(node):
        """two(x) -> neg(x), nothing"""
        return [neg(node.inputs[0]), None]

    rule = FunctionRule(first_only, "first_only", "g", [Two])
    x = vector("x")
    g, uses = rewritten([x], [Two()(x)[0]], rule)
    assert str(g) == "[Elemwise{neg,no_inplace}(x)]" and uses == {"first_only": 1}
    y = vector("y")
    with pytest.warns(RewriteWarning, match="which is still used"):
        rewritten([y], Two()(y), rule)


def test_a_rule_may_name_what_it_replaces():
    def swap(fgraph, node):
        """exp(neg(x)) -> exp(abs(x))"""
        inner = node.inputs[0]
        return {inner: abs_(inner.owner.inputs[0])} if inner.owner.op == neg else None

    x = vector("x")
    g, _ = rewritten([x], [exp(neg(x))], FunctionRule(swap, "swap", "g", [exp]))
    assert g.outputs[0].owner.inputs[0].owner.op == abs_


def test_the_trace_tells_rule_node_replacement_and_line():
    x = vector("x")
    log = RewriteTrace()
    g = FunctionGraph([x], [log1p(exp(x))], clone=False)
    Rewriter([LOG1P_EXP]).rewrite(g, log)
    (step,) = log
    assert step.rule == "log1p_exp" and step.after == "softplus(x)"
    assert step.before == "Elemwise{log1p,no_inplace}(Elemwise{exp,no_inplace}.0)"
    assert step.line.startswith(__file__ + ":")
    assert str(log).count("\n") == 0 and "log1p_exp" in str(log)


def test_optimizer_verbose_prints_each_step(capsys):
    x = vector("x")
    with config.change_flags(optimizer_verbose=True):
        rewritten([x], [neg(neg(x))], NEG_NEG)
    assert "neg_neg: Elemwise{neg,no_inplace}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        (lambda x: exp(x), "another op"),
        (lambda x: neg(exp(x)), "neg(x) of neg(neg(x)) is needed"),
        (lambda x: neg(neg(x)), "neg_neg applies"),
    ],
)
def test_why_not_names_the_part_that_does_not_fit(expression, reason):
    assert reason in why_not(NEG_NEG, expression(vector("x")).owner)


def test_why_not_tells_of_conditions_and_types():
    never = Rule("never", "g", neg(X), X, when=lambda m: False)
    assert "condition refuses x = a" in why_not(never, neg(vector("a")).owner)
    narrow = Rule("narrow", "g", mul(X, 1), X)
    assert "replacement is of" in why_not(narrow, mul(vector("a", "float32"), np.ones(1)).owner)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: Rule("r", "g", X, X), "op called on Holes as left side"),
        (lambda: Rule("r", "g", neg(X), 0), "a number alone has no shape"),
        (lambda: Rule("r", "g", neg(X), Hole("y")), r"uses \['y'\] on the right"),
        (lambda: Rule("r", "g", neg(X), X, tags="fast_run"), "takes a tuple of tags"),
        (lambda: FunctionRule(lambda node: None, "r", "g"), "docstring begins with its equation"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused_when_made(make, error):
    with pytest.raises((TypeError, ValueError), match=error):
        make()


def chain(x, n):
    v = x
    for _ in range(n // 4):
        v = neg(neg(log1p(exp(v))))
    return v


def tree(x, n):
    level = [log1p(exp(x)) for _ in range(n // 4)]
    while len(level) > 1:
        level = [add(a, b) for a, b in zip(level[::2], level[1::2])] + level[len(level) & ~1 :]
    return level[0]


@pytest.mark.slow
@pytest.mark.parametrize("shape", [chain, tree])
def test_work_for_a_node_hardly_grows_with_the_graph(shape):
    def lines_a_node(n):
        x = vector("x")
        g = FunctionGraph([x], [shape(x, n)], clone=False)
        size = len(g.apply_nodes)
        return lines_run(lambda: Rewriter([NEG_NEG, LOG1P_EXP]).rewrite(g)) / size

    small, large = lines_a_node(1_000), lines_a_node(10_000)
    assert large < 1.1 * small, f"{small:.1f} lines a node, then {large:.1f}"


def test_a_node_far_from_every_change_is_looked_at_once():
    looked = []

    @rewrite_rule("look", "g", [sqr])
    def look(node):
        """sqr(x) -> sqr(x)"""
        looked.append(node)

    x, y = vector("x"), vector("y")
    far = y
    for _ in range(50):
        far = sqr(far)
    tower = x
    for _ in range(20):
        tower = neg(tower)
    _, uses = rewritten([x, y], [far, tower], NEG_NEG, look)
    assert uses == {"neg_neg": 10}
    assert len(looked) == 50


def test_a_part_that_loses_its_other_user_is_looked_at_again():
    @rewrite_rule("log_exp_alone", "g", [log])
    def alone(node):
        """log(exp(x)) -> x, where nothing else uses exp(x)"""
        inner = node.inputs[0].owner
        if inner is None or inner.op != exp or len(node.inputs[0].clients) > 1:
            return None
        return [inner.inputs[0]]

    x = vector("x")
    e = exp(x)
    # the log is passed before the other user of exp(x) goes
    last = Rule("last", "g", inv(exp(X)), X)
    g, uses = rewritten([x], [log(e), inv(e)], alone, last)
    assert uses == {"last": 1, "log_exp_alone": 1}
    assert g.outputs[0] is x
