"""Queries choose by tags as documented."""

import pytest

from theano._src.ops.arithmetic import neg
from theano._src.rewrite.database import Query, RuleSet
from theano._src.rewrite.pattern import Hole
from theano._src.rewrite.rule import Rule

X = Hole("x")


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
    rules = RuleSet([rule])
    for tag in ("neg_neg", "canonicalize", "local_neg_neg", "fast_run"):
        assert rules.select(Query([tag])) == (rule,)
    assert rules.select(Query(["fast_run"]).excluding("local_neg_neg")) == ()


def test_a_rule_that_is_opt_in_is_not_in_fast_run():
    rules = RuleSet([Rule("neg_neg", "canonicalize", neg(neg(X)), X, opt_in=True)])
    assert rules.select(Query(["fast_run"])) == ()
    assert len(rules.select(Query(["fast_run"]).including("neg_neg"))) == 1


def test_two_rules_of_one_name_are_refused():
    rules = RuleSet([Rule("neg_neg", "canonicalize", neg(neg(X)), X)])
    with pytest.raises(ValueError, match="two rules are called neg_neg"):
        rules.add(Rule("neg_neg", "specialize", neg(neg(X)), X))
