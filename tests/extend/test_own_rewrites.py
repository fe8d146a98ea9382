"""Rewrites, features and databases of users: the tutorial of optimisations, end to end."""

import numpy as np
import pytest

import theano
import theano.tensor as T
from theano import gof
from theano.compile import optdb
from theano.extend import Hole, Rule
from theano.gof import toolbox
from theano.gof.opt import OpRemove, OpSub, PatternSub, merge_optimizer
from theano.testing import check_rule


class Double(gof.Type):
    """The type of the tutorial: Python's floats."""

    def filter(self, value, strict=False, allow_downcast=None):
        if strict and not isinstance(value, float):
            raise TypeError("Expected a float!")
        return float(value)

    def values_eq_approx(self, a, b, tolerance=1e-4):
        return abs(a - b) <= tolerance * max(abs(a), abs(b))

    def __str__(self):
        return "double"


double = Double()


class BinaryDoubleOp(gof.Op):
    __props__ = ("name", "fn")

    def __init__(self, name, fn):
        self.name, self.fn = name, fn

    def make_node(self, a, b):
        a, b = (gof.Constant(double, v) if isinstance(v, int | float) else v for v in (a, b))
        return gof.Apply(self, [a, b], [double()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = self.fn(*inputs)

    def __str__(self):
        return self.name


class Identity(gof.Op):
    __props__ = ()
    itypes, otypes = [double], [double]

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0]


add = BinaryDoubleOp("add", lambda a, b: a + b)
mul = BinaryDoubleOp("mul", lambda a, b: a * b)
div = BinaryDoubleOp("div", lambda a, b: a / b)
identity = Identity()


@pytest.fixture
def xyz():
    return double("x"), double("y"), double("z")


class Simplify(gof.Optimizer):
    """x * y / y -> x, over a whole graph."""

    def add_requirements(self, fgraph):
        fgraph.attach_feature(toolbox.ReplaceValidate())

    def nodes(self, fgraph):
        return [n for n in fgraph.toposort() if n.op == div]

    def apply(self, fgraph):
        for node in self.nodes(fgraph):
            x, y = node.inputs
            if x.owner and x.owner.op == mul:
                a, b = x.owner.inputs
                if y is a:
                    fgraph.replace_validate(node.outputs[0], b, reason="simplify")
                elif y is b:
                    fgraph.replace_validate(node.outputs[0], a, reason="simplify")


class SimplifyByFinder(Simplify):
    """The exercise of the tutorial: the nodes come from a NodeFinder."""

    def add_requirements(self, fgraph):
        super().add_requirements(fgraph)
        fgraph.attach_feature(toolbox.NodeFinder())

    def nodes(self, fgraph):
        return list(fgraph.get_nodes(div))


class LocalSimplify(gof.LocalOptimizer):
    def transform(self, node):
        if node.op == div:
            x, y = node.inputs
            if x.owner and x.owner.op == mul:
                a, b = x.owner.inputs
                if y is a:
                    return [b]
                if y is b:
                    return [a]
        return False

    def tracks(self):
        return [div]


PATTERNS = [
    PatternSub((div, (mul, "x", "y"), "y"), "x"),
    PatternSub((div, (mul, "x", "y"), "x"), "y"),
]
FORMS = {
    "global": Simplify(),
    "by finder": SimplifyByFinder(),
    "local": gof.TopoOptimizer(LocalSimplify()),
    "local, outputs first": gof.TopoOptimizer(LocalSimplify(), order="out_to_in"),
    "patterns": gof.TopoOptimizer(gof.LocalOptGroup(*PATTERNS)),
    "to a fixpoint": gof.EquilibriumOptimizer(PATTERNS, max_use_ratio=10),
    "by op": gof.OpKeyOptimizer(PATTERNS[1]),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_tutorials_simplification_in_every_form(form, xyz):
    x, y, z = xyz
    g = gof.FunctionGraph([x, y, z], [add(z, mul(div(mul(y, x), y), div(z, x)))])
    assert str(g) == "[add(z, mul(div(mul(y, x), y), div(z, x)))]"
    FORMS[form].optimize(g)
    assert str(g) == "[add(z, mul(x, div(z, x)))]"


def test_equal_parts_are_merged_before_a_pattern_sees_them_as_one(xyz):
    x, y, z = xyz
    g = gof.FunctionGraph([x, y, z], [div(mul(add(y, z), x), add(y, z))])
    Simplify().optimize(g)
    assert str(g) == "[div(mul(add(y, z), x), add(y, z))]"
    merge_optimizer.optimize(g)
    assert str(g) == "[div(mul(*1 -> add(y, z), x), *1)]"
    Simplify().optimize(g)
    assert str(g) == "[x]"


def test_op_sub_and_op_remove(xyz):
    x, y, _ = xyz
    g = gof.FunctionGraph([x, y], [add(identity(add(x, y)), y)])
    gof.TopoOptimizer(OpRemove(identity)).optimize(g)
    assert str(g) == "[add(add(x, y), y)]"
    gof.TopoOptimizer(OpSub(add, mul)).optimize(g)
    assert str(g) == "[mul(mul(x, y), y)]"


# in a mode


@pytest.fixture
def registered():
    """Registers in optdb, or in a pass of it, and takes it out again."""
    done = []

    def register(name, what, *args, group=None):
        place = optdb if group is None else optdb[group]
        place.register(name, what, *args)
        done.append((place, name))

    yield register
    for place, name in done:
        place.remove(name)


@pytest.mark.parametrize("linker", ["py", "numpy", "xla"])
def test_a_registered_rewrite_is_part_of_modes_from_then_on(linker, xyz, registered):
    x, y, _ = xyz
    out = div(mul(x, y), y)
    before = theano.function([x, y], out, mode=theano.Mode(linker, "fast_run"))
    registered("double_simplify", PATTERNS[0], "fast_run", "doubles", group="canonicalize")
    mode = theano.Mode(linker, "fast_run")
    after = theano.function([x, y], out, mode=mode, on_unused_input="ignore")
    without = theano.function([x, y], out, mode=mode.excluding("doubles"))
    ops = [[n.op for n in f.maker.fgraph.toposort()] for f in (before, after, without)]
    assert ops[0] == ops[2] == [mul, div] and div not in ops[1]
    assert [f(3.0, 2.0) for f in (before, after, without)] == [3.0, 3.0, 3.0]


def test_tags_choose_by_include_exclude_and_require(registered):
    registered("simplify_doubles", Simplify(), 2.1, "doubles", "safe")
    registered("simplify_doubles_more", SimplifyByFinder(), 2.2, "doubles")
    query = gof.Query(include=["doubles"])

    def chosen(query):
        return optdb.query(query).names

    assert chosen(query) == ["simplify_doubles", "simplify_doubles_more"]
    assert chosen(query.requiring("safe")) == ["simplify_doubles"]
    assert chosen(query.excluding("safe")) == ["simplify_doubles_more"]
    assert chosen(query.excluding("simplify_doubles_more")) == ["simplify_doubles"]
    assert chosen(gof.Query(include=["safe"]).including("simplify_doubles_more")) == chosen(query)
    mode = theano.Mode("numpy", "fast_run")
    assert "simplify_doubles" not in mode.optimizer.names
    assert "simplify_doubles" in mode.including("doubles").optimizer.names
    assert mode.including("doubles").requiring("safe").optimizer.names == ["simplify_doubles"]


def test_databases_of_ones_own_stand_inside_optdb(xyz, registered):
    x, y, z = xyz
    local = gof.EquilibriumDB()
    for i, pattern in enumerate(PATTERNS):
        local.register(f"simplify_{i}", pattern, "fast_run")
    sequence = gof.SequenceDB()
    sequence.register("remove", gof.TopoOptimizer(OpRemove(identity)), 1, "fast_run")
    sequence.register("locals", local, 2, "fast_run")
    registered("doubles_db", sequence, 2.3, "fast_run")
    out = div(mul(identity(y), x), identity(y))
    f = theano.function(
        [x, y],
        add(out, z),
        mode=theano.Mode("numpy", "fast_run"),
        givens={z: x},
        on_unused_input="ignore",
    )
    assert [n.op for n in f.maker.fgraph.toposort()] == [add] and f(2.0, 5.0) == 4.0
    group = gof.LocalGroupDB()
    group.register("first", PATTERNS[0], "fast_run", position=1)
    group.register("second", PATTERNS[1], "fast_run", position=2)
    g = gof.FunctionGraph([x, y], [div(mul(y, x), y)])
    gof.TopoOptimizer(group.query(gof.Query(["fast_run"]))).optimize(g)
    assert str(g) == "[x]"


def test_the_tutorials_fibonacci_op_and_its_rule():
    from theano.tensor.opt import (
        NotScalarConstantError,
        get_scalar_constant_value,
        register_specialize,
    )

    class Fibby(theano.Op):
        __props__ = ()

        def make_node(self, x):
            x = T.as_tensor_variable(x)
            return theano.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, output_storage):
            y = output_storage[0][0] = inputs[0].copy()
            for i in range(2, len(y)):
                y[i] = y[i - 1] * y[i - 2] + inputs[0][i]

        def infer_shape(self, node, shapes):
            return shapes

    fibby = Fibby()

    @register_specialize
    @gof.local_optimizer([fibby])
    def fibby_of_zero(node):
        if node.op == fibby:
            (x,) = node.inputs
            try:
                if np.all(get_scalar_constant_value(x) == 0):
                    return [x]
            except NotScalarConstantError:
                pass

    try:
        x, n = T.dvector("x"), T.lscalar("n")
        mode = theano.Mode("cvm", "fast_run")
        f = theano.function([x], fibby(x), mode=mode)
        zero = theano.function([], fibby(T.zeros([5])), mode=mode)
        zeros = theano.function([n], fibby(T.zeros([n])), mode=mode)
    finally:
        optdb["specialize"].remove("fibby_of_zero")
    assert [n.op for n in f.maker.fgraph.toposort()] == [fibby]
    assert f([1, 2, 3, 4]).tolist() == [1, 2, 5, 14]
    (only,) = zero.maker.fgraph.toposort()
    assert isinstance(only.op, theano.compile.ops.DeepCopyOp)
    assert fibby not in [n.op for n in zeros.maker.fgraph.toposort()]
    assert zeros(3).tolist() == [0, 0, 0]


def test_a_stability_rule_of_ones_own_is_tested_and_shown(registered):
    """log(1 - tanh(x)**2) is -inf where tanh rounds to 1; it is 2 (log 2 - x - softplus(-2x))."""
    a = T.dvector("a")
    expression = T.log(1 - T.sqr(T.tanh(a)))
    # by the time that rules of stability run, log(1 - z) is log1p(-z): printing.rewriting tells
    x = Hole("x")
    shifted = T.sub(T.sub(np.log(2.0), x), T.nnet.softplus(T.mul(-2.0, x)))
    rule = Rule(
        "log1p_neg_sqr_tanh",
        "stabilize",
        T.log1p(T.neg(T.sqr(T.tanh(x)))),
        T.mul(2.0, shifted),
        example={"x": (-1, 1)},  # further out it is the left side that is wrong
    )
    check_rule(rule)
    registered(rule.name, rule, "fast_run", "fast_compile", group="stabilize")
    for linker in ("numpy", "xla"):
        f = theano.function([a], expression, mode=theano.Mode(linker, "fast_run"))
        far = 2 * np.log(2) - 80
        np.testing.assert_allclose(
            f([0, 1, 40, -40]), [0, np.log(1 - np.tanh(1) ** 2), far, far], rtol=1e-12, atol=1e-12
        )
    steps = theano.printing.rewriting(expression)
    (step,) = steps.of("log1p_neg_sqr_tanh")
    assert "log1p_neg_sqr_tanh" in str(steps) and step.order > 1
    mode = theano.Mode("numpy", "fast_run").excluding("log1p_neg_sqr_tanh")
    assert np.isinf(theano.function([a], expression, mode=mode)([40])).all()


# features


class Recorder(gof.Feature):
    """Notes all that it is told."""

    def __init__(self):
        self.told = []

    def on_attach(self, fgraph):
        self.told.append("attach")
        fgraph.recorded = self

    def on_detach(self, fgraph):
        self.told.append("detach")
        del fgraph.recorded

    def on_import(self, fgraph, node, reason):
        self.told.append(("import", str(node.op), reason))

    def on_prune(self, fgraph, node, reason):
        self.told.append(("prune", str(node.op), reason))

    def on_change_input(self, fgraph, node, i, r, new_r, reason=None):
        self.told.append(("change", "output" if node == "output" else str(node.op), i, reason))

    def on_setup_node(self, fgraph, node):
        self.told.append("setup")


def test_a_feature_hears_of_every_change_until_it_is_removed(xyz):
    x, y, _ = xyz
    g = gof.FunctionGraph([x, y], [add(mul(x, y), y)])
    recorder = Recorder()
    g.attach_feature(recorder)
    g.attach_feature(recorder)
    assert recorder.told == ["attach"] and g.recorded is recorder
    product = g.outputs[0].owner.inputs[0]
    g.replace(product, div(*g.inputs), reason="why")
    assert recorder.told[1:] == [
        "setup",
        ("import", "div", "why"),
        ("change", "add", 0, "why"),
        ("prune", "mul", "why"),
    ]
    del recorder.told[:]
    g.replace(g.outputs[0], g.inputs[0], reason="end")
    assert recorder.told[0] == ("change", "output", 0, "end")
    assert sorted(t[1] for t in recorder.told[1:]) == ["add", "div"]
    g.remove_feature(recorder)
    assert recorder.told[-1] == "detach" and not hasattr(g, "recorded")
    told = len(recorder.told)
    g.replace(g.outputs[0], add(*g.inputs))
    g.remove_feature(recorder)
    assert len(recorder.told) == told


def test_a_feature_may_call_what_its_base_does(xyz):
    x, y, _ = xyz
    told = []

    class Polite(gof.Feature):
        def on_import(self, fgraph, node, reason):
            super().on_import(fgraph, node, reason)
            told.append(("import", node.op))

        def on_prune(self, fgraph, node, reason):
            gof.Feature.on_prune(self, fgraph, node, reason)
            told.append(("prune", node.op))

        def on_change_input(self, fgraph, node, i, r, new_r, reason=None):
            super().on_change_input(fgraph, node, i, r, new_r, reason)
            told.append(("change", i))

    g = gof.FunctionGraph([x, y], [mul(x, y)])
    g.attach_feature(gof.Feature())
    g.attach_feature(Polite())
    g.replace(g.outputs[0], add(*g.inputs))
    assert told == [("import", add), ("change", 0), ("prune", mul)]


def test_features_are_removed_with_the_methods_they_gave(xyz):
    x, y, _ = xyz
    g = gof.FunctionGraph([x, y], [mul(x, y)])
    features = [toolbox.ReplaceValidate(), toolbox.NodeFinder()]
    for feature in features:
        g.attach_feature(feature)
    given = ["replace_validate", "replace_all_validate", "checkpoint", "revert", "get_nodes"]
    assert all(hasattr(g, name) for name in given) and len(list(g.get_nodes(mul))) == 1
    for feature in features:
        g.remove_feature(feature)
    assert not any(hasattr(g, name) for name in given)
    g.attach_feature(toolbox.ReplaceValidate())
    assert hasattr(g, "replace_validate")


class Refuses(gof.Feature):
    """No graph with a division is valid."""

    def validate(self, fgraph):
        if any(n.op == div for n in fgraph.apply_nodes):
            raise gof.InconsistencyError("no divisions")


def test_a_replacement_that_a_feature_of_ones_own_refuses_is_undone(xyz):
    x, y, _ = xyz
    g = gof.FunctionGraph([x, y], [add(mul(x, y), y)])
    g.attach_feature(toolbox.ReplaceValidate())
    g.attach_feature(Refuses())
    product = g.outputs[0].owner.inputs[0]
    with pytest.raises(gof.InconsistencyError, match="no divisions"):
        g.replace_validate(product, div(*g.inputs), reason="mine")
    assert str(g) == "[add(mul(x, y), y)]"
    g.replace_all_validate([(product, add(*g.inputs))], reason="mine")
    assert str(g) == "[add(add(x, y), y)]"


def test_replace_all_validate_remove_tells_of_what_stayed(xyz):
    x, y, _ = xyz
    g = gof.FunctionGraph([x, y], [add(mul(x, y), y), mul(x, y)])
    merge_optimizer.optimize(g)
    g.attach_feature(toolbox.ReplaceValidate())
    product = g.outputs[1]
    stays = add(product, g.inputs[0])
    with pytest.raises(toolbox.ReplacementDidntRemovedError):
        g.replace_all_validate_remove([(product, stays)], [product], reason="keeps", warn=False)
    assert str(g) == "[add(*1 -> mul(x, y), y), *1]"
    g.replace_all_validate_remove([(product, add(*g.inputs))], [product], reason="goes")
    assert mul not in [n.op for n in g.apply_nodes]


def test_a_history_goes_back_to_any_point(xyz):
    x, y, _ = xyz
    g = gof.FunctionGraph([x, y], [add(mul(x, y), y)])
    g.attach_feature(toolbox.History())
    texts, points = [str(g)], [g.checkpoint()]
    for op in (div, mul):
        g.replace(g.outputs[0].owner.inputs[0], op(*g.inputs))
        texts.append(str(g))
        points.append(g.checkpoint())
    g.replace(g.outputs[0], g.inputs[1])
    for text, point in reversed(list(zip(texts, points, strict=True))):
        g.revert(point)
        assert str(g) == text


def test_a_print_listener_tells_what_happens(xyz, capsys):
    x, y, _ = xyz
    g = gof.FunctionGraph([x, y], [mul(x, y)])
    g.attach_feature(toolbox.PrintListener())
    g.replace(g.outputs[0], add(*g.inputs))
    text = capsys.readouterr().out
    assert "attaching" in text and "importing" in text and "changing" in text
