"""Databases choose passes by tags and positions, and what is registered reaches the modes."""

import io

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.rewrite.swaps import TO_COS, TO_SIN, Swaps, pp
from theano._src.rewrite.driver import RewriteWarning
from theano.compile import optdb
from theano.extend import Hole, Rule
from theano.gof import (
    DB,
    EquilibriumDB,
    FunctionGraph,
    LocalGroupDB,
    MergeOptimizer,
    OpRemove,
    OpSub,
    PatternSub,
    ProxyDB,
    Query,
    SequenceDB,
    TopoDB,
    TopoOptimizer,
    local_optimizer,
    optimizer,
)
from theano.gof.opt import in2out
from theano.tensor.opt import register_canonicalize, register_specialize


def test_a_database_within_a_sequence_gets_the_query_or_one_of_its_own(x):
    inner, outer = EquilibriumDB(), SequenceDB()
    inner.register("to_sin", TO_SIN, "a")
    inner.register("to_cos", TO_COS, "b")
    outer.register("inner", inner, 1, "a", "b")
    names = lambda *q, **k: [r.name for r in outer.query(*q, **k)[0].rules]
    assert names("+a") == ["to_sin"] and names("+a", "+b") == ["to_sin", "to_cos"]
    assert names("+a", "+b", "-to_cos") == ["to_sin"]
    assert names("+a", inner=Query(["b"])) == ["to_cos"]
    assert names(Query(["a"], subquery={"inner": Query(["b"])})) == ["to_cos"]


def test_words_of_a_query_begin_with_a_sign():
    db = SequenceDB()
    with pytest.raises(ValueError, match=r"words that begin with \+, & or -, got 'fast_run'"):
        db.query("fast_run")
    with pytest.raises(TypeError, match="takes one Query, or words, not both"):
        db.query(Query(["a"]), "+b")
    with pytest.raises(TypeError, match="takes one Query, or words, not both"):
        db.query(Query(["a"]), inner=Query(["b"]))


def test_required_words_must_all_be_there():
    db = EquilibriumDB()
    db.register("to_sin", TO_SIN, "a", "b")
    db.register("to_cos", TO_COS, "a")
    assert [r.name for r in db.query("+a", "&b").rules] == ["to_sin"]


def test_positions_order_a_sequence_and_ties_are_broken_by_registration():
    db = SequenceDB()
    for name, at in (("c", 3), ("a", 1), ("b1", 2), ("b2", 2)):
        db.register(name, MergeOptimizer(), at, "t")
    db.register("zero", MergeOptimizer(), "first", "t")
    db.register("end", MergeOptimizer(), "last", "t")
    assert db.query("+t").names == ["zero", "a", "b1", "b2", "c", "end"]
    assert db.__position__["zero"] == 0 and db.__position__["end"] == 4
    assert db.query(Query(["t"], position_cutoff=2)).names == ["zero", "a"]
    assert db.query("+t", position_cutoff=2).names == ["zero", "a"]
    with pytest.raises(TypeError, match="the position of wrong is a number, got 'middle'"):
        db.register("wrong", MergeOptimizer(), "middle", "t")
    with pytest.raises(TypeError, match="a SequenceDB takes Optimizers and databases"):
        db.register("wrong", TO_SIN, 1, "t")
    assert "wrong" not in db


def test_the_flag_cuts_the_pipeline_off(x):
    seq = SequenceDB()
    seq.register("one", in2out(TO_SIN), 1, "t")
    seq.register("two", in2out(TO_COS), 2, "t")
    g = FunctionGraph([x], [T.neg(x)])
    with theano.config.change_flags(**{"optdb.position_cutoff": 2}):
        seq.query("+t").optimize(g)
    assert pp(g) == "sin(x)"


def test_tags_can_be_added_and_taken_away():
    db = EquilibriumDB()
    db.register("to_sin", TO_SIN, "a")
    db.add_tags("to_sin", "b")
    assert len(db.query("+b").rules) == 1
    db.remove_tags("to_sin", "a")
    assert db.query("+a").rules == ()
    db.remove("to_sin")
    assert db.query("+b").rules == () and "to_sin" not in db
    with pytest.raises(KeyError, match="no rewrite called 'to_sin'"):
        db.remove("to_sin")


def test_a_database_finds_by_name_or_by_the_one_that_has_a_tag():
    db = EquilibriumDB()
    db.register("to_sin", TO_SIN, "a", "c")
    db.register("to_cos", TO_COS, "b", "c")
    assert db["to_sin"].name == "to_sin" and db["b"].name == "to_cos"
    with pytest.raises(KeyError, match="2 rewrites are called or tagged 'c'"):
        db["c"]
    assert set(db.__db__) == {"to_sin", "to_cos", "a", "b", "c"}


def test_the_name_of_a_database_selects_what_is_in_it_unless_told_not_to():
    db = EquilibriumDB(name="mine")
    db.register("to_sin", TO_SIN)
    db.register("to_cos", TO_COS, use_db_name_as_tag=False)
    assert [r.name for r in db.query("+mine").rules] == ["to_sin"]
    with pytest.raises(TypeError, match=r"EquilibriumDB.register takes no use_db_name_as_tg"):
        db.register("third", OpRemove(T.exp), use_db_name_as_tg=False)


def test_two_of_one_name_are_refused():
    db = EquilibriumDB()
    db.register("to_sin", TO_SIN)
    with pytest.raises(ValueError, match="a rewrite called to_sin is registered already"):
        db.register("to_sin", TO_COS)


def test_a_proxy_puts_a_database_at_a_second_place(x):
    inner, outer = EquilibriumDB(), SequenceDB()
    inner.register("to_sin", TO_SIN, "t")
    outer.register("inner", inner, 1, "t")
    outer.register("swap", in2out(OpSub(T.cos, T.neg)), 2, "t")
    outer.register("again", ProxyDB(inner), 3, "t")
    g = FunctionGraph([x], [T.neg(x) + T.cos(x)])
    outer.query("+t").optimize(g)
    assert pp(g) == "(sin(x) + sin(x))"
    with pytest.raises(TypeError, match="ProxyDB takes a database, got"):
        ProxyDB(TO_SIN)


def test_a_topo_db_visits_every_node_once(x):
    group = LocalGroupDB()
    group.register("to_sin", TO_SIN, "t")
    group.register("to_cos", TO_COS, "t")
    topo = TopoDB(group, order="out_to_in", ignore_newtrees=True)
    found = topo.query("+t")
    assert isinstance(found, TopoOptimizer) and found.order == "out_to_in"
    g = FunctionGraph([x], [T.exp(T.neg(x))])
    found.optimize(g)
    assert pp(g) == "exp(sin(x))"


def test_a_group_database_takes_the_first_that_fires_by_position(x):
    group = LocalGroupDB()
    group.register("to_sin", PatternSub((T.neg, "x"), (T.sin, "x")), "t")
    group.register("to_exp", PatternSub((T.neg, "x"), (T.exp, "x")), "t", position=0)
    g = FunctionGraph([x], [T.neg(x)])
    TopoOptimizer(group.query("+t")).optimize(g)
    assert pp(g) == "exp(x)"


def test_fixpoints_within_fixpoints_are_one(x):
    inner, outer = EquilibriumDB(), EquilibriumDB()
    inner.register("to_sin", TO_SIN, "t")
    outer.register("inner", inner, "t")
    outer.register("to_cos", TO_COS, "t")
    outer.register("last", PatternSub((T.cos, "x"), (T.tan, "x")), "t", final_opt=True)
    found = outer.query("+t")
    assert [r.name for r in found.rules] == ["to_sin", "to_cos"]
    g = FunctionGraph([x], [T.neg(x)])
    found.optimize(g)
    assert pp(g) == "tan(x)"


def test_an_answer_is_kept_until_something_is_registered_anywhere():
    outer, inner = SequenceDB(), EquilibriumDB()
    outer.register("inner", inner, 1, "t")
    inner.register("to_sin", TO_SIN, "t")
    first = outer.query("+t")
    assert outer.query("+t") is first
    inner.register("to_cos", TO_COS, "t")
    assert len(outer.query("+t")[0].rules) == 2 and len(first[0].rules) == 1


def test_databases_print_what_they_hold(capsys):
    db = SequenceDB()
    db.register("late", MergeOptimizer(), 2, "t", "u")
    db.register("early", MergeOptimizer(), 1, "t")
    db.print_summary()
    assert capsys.readouterr().out == "     1 early: t\n     2 late: t u\n"
    stream = io.StringIO()
    rules = EquilibriumDB()
    rules.register("to_sin", TO_SIN, "t")
    rules.print_summary(stream=stream)
    assert stream.getvalue() == "to_sin: t\n"


def test_a_database_has_no_answer_of_its_own():
    with pytest.raises(NotImplementedError):
        DB().query("+a")


# registering in the modes


@pytest.fixture
def registered():
    """Takes out what a test registers in the passes."""
    before = {name: set(db._names) for name, db in optdb._objects.items() if isinstance(db, DB)}
    names = set(optdb._names)
    yield
    for name in optdb._names - names:
        optdb.remove(name)
    for name, there in before.items():
        for added in optdb[name]._names - there:
            optdb[name].remove(added)


@pytest.mark.usefixtures("registered")
def test_functions_that_exist_are_left_alone(x):
    mode = theano.Mode("numpy")
    out = T.sin(T.arcsin(x))
    before = theano.function([x], out, mode=mode)
    shown = str(before.maker.fgraph)
    register_canonicalize(PatternSub((T.sin, (T.arcsin, "x")), "x", name="sin_arcsin"))
    after = theano.function([x], out, mode=mode)
    assert str(before.maker.fgraph) == shown and "sin" in shown
    assert str(after.maker.fgraph) != shown and "sin" not in str(after.maker.fgraph)
    assert np.isnan(before([2.0])[0]) and after([2.0])[0] == 2.0
    kept = theano.function([x], out, mode=mode.excluding("sin_arcsin"))
    assert str(kept.maker.fgraph) == shown


@pytest.mark.usefixtures("registered")
def test_registering_is_a_decorator_with_or_without_tags(x):
    @register_canonicalize
    @local_optimizer([T.tan])
    def local_tan(node):
        return False

    @register_specialize("brave", "bold")
    @local_optimizer([T.tan])
    def local_tan_brave(node):
        return [T.sin(node.inputs[0])]

    assert str(local_tan) == "local_tan" and str(local_tan_brave) == "local_tan_brave"
    assert {"fast_run", "brave", "bold"} <= optdb["specialize"]._tags["local_tan_brave"]
    numpy = theano.Mode("numpy")
    assert theano.function([x], T.tan(x), mode=numpy)([1.0])[0] == np.sin(1.0)
    assert theano.function([x], T.tan(x), mode=numpy.excluding("bold"))([1.0])[0] == np.tan(1.0)


@pytest.mark.usefixtures("registered")
def test_a_rule_is_registered_under_its_own_name_and_tags(x):
    h = Hole("x")
    rule = Rule("tan_sin", "specialize", T.tan(h), T.sin(h), tags=("mine",))
    shy = Rule("cosh_sinh", "specialize", T.cosh(h), T.sinh(h), opt_in=True)
    assert register_specialize(rule) is rule and register_specialize(shy) is shy
    numpy = theano.Mode("numpy")
    value = lambda f, mode: theano.function([x], f(x), mode=mode)([1.0])[0]
    assert value(T.tan, numpy) == np.sin(1.0)
    for word in ("tan_sin", "mine"):
        assert value(T.tan, numpy.excluding(word)) == np.tan(1.0)
    assert value(T.cosh, numpy) == np.cosh(1.0)
    assert value(T.cosh, numpy.including("cosh_sinh")) == np.sinh(1.0)


@pytest.mark.usefixtures("registered")
def test_a_pass_can_be_registered_at_a_position(x):
    optdb.register("swaps", Swaps(), 1.7, "fast_run", "brave")
    numpy = theano.Mode("numpy")
    names = numpy.optimizer.names
    assert names.index("stabilize") < names.index("swaps") < names.index("specialize")
    assert theano.function([x], T.neg(x), mode=numpy)([1.0])[0] == np.sin(1.0)
    assert theano.function([x], T.neg(x), mode=numpy.excluding("brave"))([1.0])[0] == -1.0


@pytest.mark.usefixtures("registered")
def test_a_pass_that_fails_leaves_a_function_that_works(x):
    @optimizer
    def broken(fgraph):
        raise RuntimeError("no luck")

    optdb.register("broken", broken, 1.7, "fast_run")
    with pytest.warns(RewriteWarning, match="broken failed and is passed over"):
        f = theano.function([x], T.neg(x), mode=theano.Mode("numpy"))
    assert f([1.0])[0] == -1.0
