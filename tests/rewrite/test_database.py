"""Queries choose by tags as documented."""

import pytest

from theano._src.ops.elementwise.arithmetic import neg
from theano._src.rewrite.database import EquilibriumDB, Query
from theano._src.rewrite.pattern import Hole
from theano._src.rewrite.rule import Rule

X = Hole("x")


def holding(*rules):
    db = EquilibriumDB()
    for rule in rules:
        db.register(rule.name, rule, *rule.tags)
    return db


@pytest.mark.parametrize(
    ("query", "tags", "chosen"),
    [
        (Query(["a"]), "a b", True),
        (Query(["a", "c"]), "c", True),
        (Query(["a"]), "b", False),
        (Query([]), "a", False),
        (Query(["a"], require=["b"]), "a", False),
        (Query(["a"], require=["b", "c"]), "a b c", True),
        (Query(["a"], require=["b", "c"]), "a b", False),
        (Query(["a"], exclude=["b"]), "a b", False),
        (Query(["a"], exclude=["b"]), "a c", True),
    ],
)
def test_a_query_takes_one_included_all_required_none_excluded(query, tags, chosen):
    assert query.selects(tags.split()) is chosen


def test_methods_of_a_query_give_new_ones():
    q = Query(["a"])
    assert q.including("b").include == {"a", "b"}
    assert q.excluding("b").exclude == {"b"}
    assert q.requiring("b").require == {"b"}
    assert q == Query(["a"]) and hash(q) == hash(Query(["a"]))
    assert q != q.excluding("b")


def test_a_subquery_is_asked_of_the_database_it_names():
    inner = Query(["b"])
    q = Query(["a"], subquery={"canonicalize": inner})
    assert q.sub("canonicalize") is inner and q.sub("specialize") is q
    assert q.excluding("c").sub("canonicalize") is inner


def test_a_string_for_tags_is_refused():
    with pytest.raises(TypeError, match="takes lists of tags"):
        Query("fast_run")


def test_a_rule_is_selected_by_name_group_alias_and_fast_run():
    rule = Rule("neg_neg", "canonicalize", neg(neg(X)), X, tags=("local_neg_neg",))
    rules = holding(rule)
    for tag in ("neg_neg", "canonicalize", "local_neg_neg", "fast_run"):
        assert rules.query(Query([tag])).rules == (rule,)
    assert rules.query(Query(["fast_run"]).excluding("local_neg_neg")).rules == ()


def test_a_rule_that_is_opt_in_is_not_in_fast_run():
    rules = holding(Rule("neg_neg", "canonicalize", neg(neg(X)), X, opt_in=True))
    assert rules.query(Query(["fast_run"])).rules == ()
    assert len(rules.query(Query(["fast_run"]).including("neg_neg")).rules) == 1


def test_two_rules_of_one_name_are_refused():
    rules = holding(Rule("neg_neg", "canonicalize", neg(neg(X)), X))
    with pytest.raises(ValueError, match="a rewrite called neg_neg is registered already"):
        rules.register("neg_neg", Rule("neg_neg", "specialize", neg(neg(X)), X))
