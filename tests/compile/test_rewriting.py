"""A rewriting can be read, replayed step by step, and asked why a rule did not fire."""

import re

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano._src.graph.source_line import lines
from theano.compile import optdb
from theano.extend import rewrite_rule
from theano.gof import FunctionGraph, Query
from theano.gof.graph import equal_computations
from theano.printing import debugprint, rewriting, why_not

NUMPY = theano.Mode("numpy")
#: a few equations only, so that the rest of the pipeline may grow without touching these tests
FEW = theano.Mode("py", Query(["merge", "neg_neg", "log1p_exp", "log_exp", "stabilize", "shape"]))


def few():
    x = T.dvector("x")
    y = T.log1p(T.exp(x)) + T.log1p(T.exp(x))
    return x, y * T.log(T.exp(T.neg(T.neg(x))))


@pytest.fixture
def rule():
    """Registers rules for one test, and takes them out after it."""
    names = []

    def register(group, name, obj, *tags):
        optdb[group].register(name, obj, "fast_run", *tags)
        names.append((group, name))
        return obj

    yield register
    for group, name in names:
        optdb[group].remove(name)


def test_steps_say_number_pass_rule_change_and_line():
    _, y = few()
    steps = list(rewriting(y, FEW))
    assert [s.order for s in steps] == list(range(1, len(steps) + 1))
    assert ("merge1", "merge") in [(s.within, s.rule) for s in steps]
    (one,) = [s for s in steps if s.rule == "log1p_exp"]
    assert one.within == "stabilize" and one.after == "softplus(x)"
    assert one.before == "Elemwise{log1p,no_inplace}(Elemwise{exp,no_inplace}.0)"
    file, line = one.line.rsplit(":", 1)
    assert file == __file__ and int(line) == few.__code__.co_firstlineno + 2


def test_the_table_has_a_row_for_each_step():
    _, y = few()
    found = rewriting(y, FEW)
    rows = str(found).splitlines()
    assert rows[0].split() == ["step", "pass", "rule", "line", "change"]
    assert len(rows) == len(found) + 2
    column = rows[0].index("rule")
    for row, step in zip(rows[1:-1], found, strict=True):
        assert row[column:].startswith(step.rule) and row.endswith(step.after)
        assert f"{step.before} -> {step.after}" in row
    assert rows[-1] == f"{len(found)} steps, 10 nodes -> {len(found.graph().apply_nodes)}"
    assert repr(found) == f"<Rewriting: {rows[-1]}>"


def test_the_graph_after_each_step_differs_from_the_one_before_and_means_the_same():
    x, y = few()
    found = rewriting(y, FEW)
    value = np.array([-1.0, 0.5, 3.0])
    expected = y.eval({x: value})
    last = None
    for k in range(len(found) + 1):
        g = found.graph(k)
        g.check_integrity()
        shown = str(g)
        assert shown != last
        last = shown
        again = found.graph(k)
        assert again is not g and str(again) == shown
        ins, outs = list(g.inputs), list(g.outputs)
        run = theano.function(ins, theano.clone(outs), mode=theano.Mode("py", None))
        np.testing.assert_allclose(run(value)[0], expected, rtol=1e-14)


def test_the_first_graph_is_the_user_s_and_the_last_the_compiled_one():
    x, y = few()
    f = theano.function([x], y, mode=FEW)
    found = rewriting(f)
    first = found.graph(0)
    assert equal_computations(first.outputs, [y], first.inputs, [x])
    assert debugprint(found.graph(), file="str") == debugprint(f.maker.fgraph, file="str")
    assert debugprint(found.graph(len(found)), file="str") == debugprint(f.maker.fgraph, file="str")


def test_a_training_step_replays_to_the_very_graph_that_was_compiled():
    x = T.dmatrix("x")
    w = theano.shared(np.ones((3, 2)), "w")
    cost = T.log(1 + T.exp(-T.dot(x, w))).sum()
    f = theano.function([x], cost, updates=[(w, w - 0.1 * T.grad(cost, w))], mode=NUMPY)
    found = rewriting(f)
    # outputs that may share memory are copied after rewriting; there are none here
    assert debugprint(found.graph(), file="str") == debugprint(f.maker.fgraph, file="str")
    assert found.report.nodes_after == len(f.maker.fgraph.apply_nodes)
    before = w.get_value()
    for k in range(0, len(found), 7):
        found.graph(k).check_integrity()
    np.testing.assert_array_equal(w.get_value(), before)


def test_every_step_of_a_training_step_names_a_line_of_this_file():
    x = T.dmatrix("x")
    w = theano.shared(np.ones((3, 2)), "w")
    cost = T.log(1 + T.exp(-T.dot(x, w))).sum()
    f = theano.function([x], cost, updates=[(w, w - 0.1 * T.grad(cost, w))], mode=NUMPY)
    first = test_every_step_of_a_training_step_names_a_line_of_this_file.__code__.co_firstlineno
    for step in rewriting(f):
        file, line = step.line.rsplit(":", 1)
        assert file == __file__ and first + 1 < int(line) <= first + 4, step
    for node in f.maker.fgraph.apply_nodes:
        file, line, *_ = lines(node.trace)[-1]
        assert file == __file__ and first + 1 < line <= first + 4, node


def test_a_function_keeps_the_rewrites_it_was_compiled_with(rule):
    x = T.dscalar("x")
    f = theano.function([x], T.sin(T.arcsin(x)), mode=NUMPY)
    rule(
        "canonicalize",
        "sin_arcsin",
        theano.gof.PatternSub((T.sin, (T.arcsin, "x")), "x"),
    )
    assert not rewriting(f).of("sin_arcsin")
    assert len(rewriting(f, NUMPY).of("sin_arcsin")) == 1
    assert (
        len(rewriting(theano.function([x], T.sin(T.arcsin(x)), mode=NUMPY)).of("sin_arcsin")) == 1
    )


def test_asking_changes_neither_the_function_nor_the_user_s_graph():
    x, y = few()
    shown = theano.pp(y)
    f = theano.function([x], y, mode=NUMPY)
    compiled, nodes = str(f.maker.fgraph), list(f.maker.fgraph.apply_nodes)
    found = rewriting(f)
    found.diff(1)
    found.graph(2)
    found.why_not("log_exp", y)
    assert theano.pp(y) == shown and y.fgraph is None
    assert str(f.maker.fgraph) == compiled and list(f.maker.fgraph.apply_nodes) == nodes


def test_a_function_that_was_saved_can_be_asked():
    import pickle

    x, y = few()
    f = pickle.loads(pickle.dumps(theano.function([x], y, mode=NUMPY)))
    assert rewriting(f).of("log1p_exp")


def test_a_diff_shows_both_sides_and_gives_what_stays_one_id():
    _, y = few()
    found = rewriting(y, FEW)
    (step,) = found.of("log1p_exp")
    assert found.diff(step.order).splitlines() == [
        str(step),
        "    Elemwise{log1p,no_inplace} [@A] ''",
        "     |Elemwise{exp,no_inplace} [@B] ''",
        "       |x [@C]",
        "  becomes",
        "    softplus [@D] ''",
        "     |x [@C]",
    ]


def test_a_diff_stops_at_what_was_there_before():
    x = T.dvector("x")
    v = x
    for _ in range(200):
        v = T.tanh(v)
    found = rewriting(T.log1p(T.exp(v)), FEW)
    (step,) = found.of("log1p_exp")
    assert found.diff(step.order).count("tanh") == 3


def test_a_merge_shows_the_node_that_stays():
    _, y = few()
    found = rewriting(y, FEW)
    assert found.diff(found.of("merge")[0].order).splitlines()[1:] == [
        "    Elemwise{exp,no_inplace} [@A] ''",
        "     |x [@B]",
        "  becomes",
        "    Elemwise{exp,no_inplace} [@C] ''",
        "     |x [@B]",
    ]


def test_a_list_and_a_function_graph_are_taken_too():
    x, y = few()
    assert len(rewriting([y, x], FEW)) == len(rewriting(y, FEW))
    g = FunctionGraph([x], [y])
    found = rewriting(g, FEW)
    assert len(found) == len(rewriting(y, FEW)) and found.graph(0) is not g


def test_shared_variables_are_inputs():
    w = theano.shared(np.arange(3.0), "w")
    found = rewriting(T.log1p(T.exp(w)), FEW)
    assert str(found.graph()) == "[softplus(w)]"


def test_a_graph_that_nothing_rewrites_has_no_steps():
    x = T.dvector("x")
    found = rewriting(T.tanh(x), FEW)
    assert len(found) == 0 and str(found.graph(0)) == str(found.graph())
    assert str(found).endswith("0 steps, 1 nodes -> 1")


def test_steps_out_of_range_are_refused():
    _, y = few()
    found = rewriting(y, FEW)
    for k in (-1, len(found) + 1):
        with pytest.raises(IndexError, match=f"there are {len(found)} steps, got {k}"):
            found.graph(k)
    with pytest.raises(IndexError, match="steps count from 1"):
        found.diff(0)


@pytest.mark.parametrize("what", [3, "x", [], [1]], ids=str)
def test_what_is_no_graph_is_refused(what):
    with pytest.raises(TypeError, match="rewriting takes a compiled function, Variables"):
        rewriting(what)


def test_a_copy_with_other_state_shows_how_its_own_graph_is_rewritten():
    a, b = theano.shared(1.0, "a"), theano.shared(2.0, "b")
    f = theano.function([], T.log1p(T.exp(a)), mode=NUMPY)
    found = rewriting(f.copy(swap={a: b}).copy())
    assert found.of("log1p_exp") and found.graph(0).inputs[0].name == "b"


def test_a_user_s_own_pass_is_replayed_as_one():
    class Doubles(theano.gof.Optimizer):
        def add_requirements(self, fgraph):
            fgraph.attach_feature(theano.gof.toolbox.ReplaceValidate())

        def apply(self, fgraph):
            for node in fgraph.toposort():
                if node.op == T.tanh:
                    fgraph.replace_validate(node.outputs[0], node.inputs[0] * 2, reason="double")

    x = T.dvector("x")
    mode = theano.Mode("py", theano.gof.SeqOptimizer(Doubles()))
    found = rewriting(T.tanh(T.tanh(x)), mode)
    assert [s.rule for s in found] == ["double", "double"]
    assert [s.within for s in found] == ["Doubles", "Doubles"]
    # the graph is whole only at the end of such a pass
    assert theano.pp(found.graph(1).outputs[0]) == theano.pp(found.graph(2).outputs[0])
    assert "mul" in found.diff(1) and "mul" in found.diff(2)


# why_not


def test_why_not_names_the_part_of_an_equation():
    x = T.dvector("x")
    said = why_not("log1p_exp", T.log1p(T.sin(x)))
    assert said == ("log1p_exp: exp(x) of log1p(exp(x)) is needed, got Elemwise{sin,no_inplace}.0")
    assert why_not("log1p_exp", T.log1p(T.exp(x))) == "log1p_exp applies"
    assert why_not("log1p_exp", T.log1p(T.exp(x)).owner) == "log1p_exp applies"


def test_why_not_takes_a_tag_and_answers_for_each_rule_of_it(rule):
    x = T.dvector("x")
    rule("canonicalize", "sin_asin", theano.gof.PatternSub((T.sin, (T.arcsin, "x")), "x"), "arcs")
    rule("specialize", "no_sin", theano.gof.OpRemove(T.sin), "arcs")
    assert why_not("arcs", T.sin(x)).splitlines() == [
        "sin_asin: Elemwise{arcsin,no_inplace}(x) is needed, got x",
        "no_sin applies",
    ]


def test_why_not_tells_the_line_where_a_local_optimizer_gave_up():
    @theano.gof.local_optimizer([T.sin])
    def local_sin(node):
        inner = node.inputs[0].owner
        if inner is None:
            return False
        return [inner.inputs[0]]

    x = T.dvector("x")
    first = local_sin.transform.__code__.co_firstlineno
    assert why_not(local_sin, T.sin(x)) == (
        "local_sin does not apply to Elemwise{sin,no_inplace}(x); "
        f"test_rewriting.py:{first + 4}: if inner is None: return False"
    )
    assert why_not(local_sin, T.cos(x)) == (
        "local_sin is asked about nodes of Elemwise{sin,no_inplace}, got "
        "Elemwise{cos,no_inplace}(x)"
    )
    assert why_not(local_sin, T.sin(T.cos(x))) == "local_sin applies"


def test_why_not_tells_where_a_function_rule_gave_up():
    @rewrite_rule("sum_all", "canonicalize", [T.elemwise.Sum])
    def sum_all(fgraph, node):
        """sum(x, every axis) -> sum(x)"""
        axis = node.op.axis
        if axis is None or len(axis) < node.inputs[0].ndim:
            return None
        return [T.sum(node.inputs[0])]

    x = T.dmatrix("x")
    said = why_not(sum_all, x.sum(axis=0))
    assert said.startswith("sum_all (sum(x, every axis) -> sum(x)) does not apply to Sum{0}(x)")
    assert said.endswith(": if axis is None or len(axis) < node.inputs[0].ndim: return None")
    assert why_not(sum_all, x.sum(axis=(0, 1))) == "sum_all applies"


def test_why_not_says_that_a_rule_fails_and_how():
    @theano.gof.local_optimizer([T.sin])
    def broken(node):
        raise RuntimeError("no luck")

    @theano.gof.local_optimizer([T.sin])
    def retyped(node):
        return [T.cast(node.inputs[0], "float32")]

    x = T.dvector("x")
    assert why_not(broken, T.sin(x)).endswith("(x): RuntimeError: no luck")
    assert "BadOptimization: the type of the replacement must be that" in why_not(retyped, T.sin(x))


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ((T.add, "x", "x"), "x stands for a already, got Elemwise{sin,no_inplace}.0"),
        ((T.add, "x", (T.cos, "y")), "Elemwise{cos,no_inplace}(y) is needed, got "),
        ((T.add, 1, "y"), "1 is needed, got a"),
        ((T.add, "x", "y", "z"), "another number of inputs"),
        (
            (T.add, {"pattern": "x", "constraint": lambda v: v.ndim == 2}, "y"),
            "the constraint refuses a",
        ),
        ((T.add, "x", (T.sin, "y")), "is used elsewhere too: allow_multiple_clients=True"),
    ],
    ids=["twice", "op", "number", "count", "constraint", "clients"],
)
def test_why_not_names_the_part_of_a_pattern_sub(pattern, said):
    a = T.dvector("a")
    s = T.sin(a)
    g = FunctionGraph([a], [a + s, s], clone=False)
    sub = theano.gof.PatternSub(pattern, "x", name="sub")
    assert said in why_not(sub, g.outputs[0])
    assert str(g) == "[Elemwise{add,no_inplace}(a, *1 -> Elemwise{sin,no_inplace}(a)), *1]"


def test_why_not_helps_with_a_name_that_it_does_not_know():
    x = T.dvector("x")
    with pytest.raises(KeyError, match=r"no rule of optdb .* 'log1p_exq'; is it log1p_exp"):
        why_not("log1p_exq", T.log1p(x))
    with pytest.raises(TypeError, match="why_not takes a node, or a variable that a node computes"):
        why_not("log1p_exp", x)


def test_a_rewriting_says_that_its_mode_leaves_a_rule_out():
    x = T.dvector("x")
    y = T.log1p(T.exp(x))
    without = rewriting(y, NUMPY.excluding("log1p_exp"))
    said = without.why_not("log1p_exp", y)
    assert said.startswith("log1p_exp is not among these rewrites; its tags are ")
    assert "stabilize" in said
    assert rewriting(y, NUMPY).why_not("log1p_exp", y) == "log1p_exp applies"


def test_optimizer_verbose_prints_each_step_when_it_is_made(capsys):
    x = T.dvector("x")
    with theano.config.change_flags(optimizer_verbose=True):
        theano.function([x], T.log1p(T.exp(x)), mode=FEW)
    said = capsys.readouterr().out
    assert "log1p_exp: Elemwise{log1p,no_inplace}(" in said and "-> softplus(x)" in said


def test_the_rewrites_of_a_mode_and_of_a_database_are_printed(capsys):
    theano.compile.FAST_RUN.optimizer.print_summary()
    said = capsys.readouterr().out
    assert re.search(r"^ +1 canonicalize$", said, re.M) and "log1p_exp: log1p(exp(x))" in said
    theano.compile.FAST_COMPILE.optimizer.print_summary()
    assert "canonicalize" in capsys.readouterr().out
    optdb.print_summary()
    assert re.search(r"^ +0 merge1: .*fast_run", capsys.readouterr().out, re.M)
