"""The documented names of rewrites are things: usable alone, in passes, databases and modes."""

import pickle

import numpy as np
import pytest

import theano
import theano.tensor as T
import theano.tensor.blas
import theano.tensor.nnet.nnet
import theano.tensor.nnet.sigm
import theano.tensor.opt as opt
import theano.tensor.opt_uncanonicalize
from tests.rules.examples import example_of
from theano._src.rewrite.rule import Rule
from theano._src.rules.named import NamedRewrite, Overwriting, rewrite_called
from theano._src.rules.pipeline import RULES
from theano.gof import EquilibriumDB, FunctionGraph, LocalOptimizer, Query, TopoOptimizer
from theano.gof.opt import Optimizer, in2out, out2in

PUBLIC = [
    opt,
    theano.tensor.opt_uncanonicalize,
    theano.tensor.blas,
    theano.tensor.nnet.sigm,
    theano.tensor.nnet.nnet,
]
NAMED = [
    pytest.param(thing, name, id=f"{module.__name__}.{name}")
    for module in PUBLIC
    for name, thing in vars(module).items()
    if isinstance(thing, NamedRewrite | Overwriting)
]


def test_there_are_as_many_names_as_programs_know():
    assert len(NAMED) >= 135


@pytest.mark.parametrize(("thing", "name"), NAMED)
def test_a_name_is_a_local_optimizer_that_knows_its_name(thing, name):
    assert isinstance(thing, LocalOptimizer) and str(thing) == name == thing.__name__
    assert str(out2in(thing)) == name
    assert isinstance(TopoOptimizer(thing), Optimizer)


@pytest.mark.parametrize(
    ("thing", "name"), [p for p in NAMED if isinstance(p.values[0], NamedRewrite)]
)
def test_what_a_name_stands_for_fires_on_the_examples_of_its_rules(thing, name):
    assert isinstance(pickle.loads(pickle.dumps(thing)), NamedRewrite)
    for rule in thing.rules:
        if isinstance(rule, Rule):
            continue  # an equation: others test both of its sides
        inputs, outputs = example_of(rule)
        g = FunctionGraph(inputs, outputs)
        before = str(g)
        in2out(thing).optimize(g)
        if str(g) != before:
            return
    assert all(isinstance(rule, Rule) for rule in thing.rules) or needs_lengths(thing)


def needs_lengths(thing):
    """Rules that ask for lengths fire once a ShapeFeature is there."""
    for rule in thing.rules:
        if not isinstance(rule, Rule):
            g = FunctionGraph(*example_of(rule))
            g.attach_feature(opt.ShapeFeature())
            before = str(g)
            in2out(thing).optimize(g)
            if str(g) != before:
                return True
    return False


def test_one_node_can_be_asked_about():
    x = T.dscalar("x")
    assert opt.local_neg_neg.transform(T.neg(T.neg(x)).owner) == [x]
    assert opt.local_neg_neg.transform(T.exp(x).owner) is False


def test_a_name_gives_replacements_of_the_type_it_replaces():
    s = T.constant(0, dtype="int64") + T.constant(1, dtype="int32")
    (new,) = opt.local_add_specialize.transform(s.owner)
    assert new.type == s.type


def test_a_name_can_be_registered_in_a_database_of_ones_own():
    db = EquilibriumDB()
    db.register("mine", opt.local_neg_neg, "brave")
    x = T.dscalar("x")
    g = FunctionGraph([x], [T.neg(T.neg(x))])
    db.query(Query(["brave"])).optimize(g)
    assert g.outputs == g.inputs


def test_help_of_a_name_tells_its_rules():
    assert opt.local_neg_neg.__doc__ == "<Rule neg_neg: neg(neg(x)) -> x>"


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="no rule is called local_magic"):
        rewrite_called("local_magic")


def test_canonizers_are_passes():
    x, y = T.dscalars("xy")
    g = FunctionGraph([x, y], [(x * y) / y])
    opt.mul_canonizer.optimize(g)
    assert g.outputs == [g.inputs[0]]
    g = FunctionGraph([x, y], [(x + y) - y])
    opt.add_canonizer.optimize(g)
    assert g.outputs == [g.inputs[0]]


def test_constants_are_folded_by_name():
    g = FunctionGraph([], [T.constant(2.0) * T.constant(3.0)])
    opt.topo_constant_folding.optimize(g)
    assert g.outputs[0].data == 6


@pytest.mark.parametrize(
    ("local", "build"),
    [
        (opt.local_inplace_setsubtensor, lambda x: T.set_subtensor(T.exp(x)[1:], 1.0)),
        (opt.local_inplace_incsubtensor1, lambda x: T.inc_subtensor(T.exp(x)[[1, 0]], 1.0)),
        (
            theano.tensor.blas.local_inplace_gemm,
            lambda x: theano.tensor.blas.gemm_no_inplace(T.exp(x), 1.0, x, x, 1.0),
        ),
    ],
)
def test_what_works_in_place_is_checked_by_the_graph(local, build):
    x = T.dmatrix("x")
    free, held = FunctionGraph([x], [build(x)]), FunctionGraph([x], [build(x)])
    (node,) = [n for n in held.apply_nodes if isinstance(n.op, tuple(local.classes))]
    held.outputs.append(node.inputs[0])  # an output must not be overwritten
    held = FunctionGraph(held.inputs, list(held.outputs))
    for g, written in ((free, True), (held, False)):
        in2out(local).optimize(g)
        assert any(n.op.destroy_map for n in g.apply_nodes) is written


def test_elementwise_ops_are_joined_by_name():
    x = T.dvector("x")
    g = FunctionGraph([x], [T.exp(T.sin(x) + T.cos(x))])
    opt.FusionOptimizer(opt.local_elemwise_fusion).optimize(g)
    assert len(g.apply_nodes) == 1
    value = np.arange(3.0)
    f = theano.function([x], g.outputs[0].owner.op(x), mode=theano.Mode("py", None))
    np.testing.assert_allclose(f(value), np.exp(np.sin(value) + np.cos(value)))


def test_sums_within_sums_are_joined_by_name():
    x, y, z = T.dvectors("xyz")
    g = FunctionGraph([x, y, z], [(x + y) + z])
    opt.FusionOptimizer(opt.local_add_mul_fusion).optimize(g)
    assert [len(n.inputs) for n in g.apply_nodes] == [3]


def test_outputs_of_a_composite_that_nothing_uses_are_left_out():
    x = theano.scalar.float64("x")
    both = T.Elemwise(theano.scalar.Composite([x], [x + 1, x - 1]))
    v = T.dvector("v")
    f = theano.function([v], both(v)[1], mode=theano.Mode("py", "fast_run"))
    (node,) = f.maker.fgraph.apply_nodes
    assert len(node.outputs) == 1 and f([1.0, 2.0]).tolist() == [0.0, 1.0]


def test_a_dimshuffle_that_moves_only_ones_is_left_out():
    x = T.TensorType("float64", (True, False, True))("x")
    y = T.TensorType("float64", (False, False, True))("y")
    g = FunctionGraph(
        [x, y], [x.dimshuffle(2, 1, 0), y.dimshuffle(2, 1, 0), x.dimshuffle("x", 1, "x")]
    )
    in2out(opt.local_dimshuffle_lift).optimize(g)
    assert g.outputs[0] is g.outputs[2] is g.inputs[0]
    assert g.outputs[1] is not g.inputs[1]


def test_rules_that_must_be_asked_for_can_be():
    w, g = T.dmatrices("wg")
    y = T.sqr(w.dimshuffle("x", 0, 1) * g.dimshuffle(0, "x", 1)).sum(axis=(1, 2))
    mode = theano.Mode("py", "fast_run")
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(4, 3)
    plain = theano.function([w, g], y, mode=mode)
    quick = theano.function([w, g], y, mode=mode.including("local_sumsqr2dot"))
    assert all(v.ndim < 3 for n in quick.maker.fgraph.apply_nodes for v in n.outputs)
    np.testing.assert_allclose(plain(a, b), quick(a, b))
    # a product with a column is no dot: it repeats the column
    column = T.dcol("column")
    y = T.sqr(w.dimshuffle("x", 0, 1) * column.dimshuffle(0, "x", 1)).sum(axis=(1, 2))
    f = theano.function([w, column], y, mode=mode.including("local_sumsqr2dot"))
    np.testing.assert_allclose(f(a, b[:, :1]), b[:, 0] ** 2 * (a**2).sum())
    assert "fast_run" not in RULES["sum_of_squared_products"].tags
