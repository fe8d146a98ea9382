"""The documented optimizations exist, by the names that select and exclude them."""

import pytest

from theano._src.rewrite.database import DB, Query
from theano._src.rules.pipeline import RULES, optdb

#: the documents' table in its order, and the further ones that the text names
DOCUMENTED = """
    merge constant_folding shape local_fill_cut local_fill_sink local_IncSubtensor_serialize
    local_reshape_chain local_mul_specialize local_add_canonizer local_mul_canonizer
    local_dot_to_dot22 local_sum_mul_by_scalar local_neg_neg local_neg_div_neg
    local_add_specialize local_pow_specialize local_inplace_setsubtensor gemm inplace_elemwise
    fusion FusionOptimizer GemmOptimizer local_log_softmax local_remove_all_assert
    local_elemwise_fusion BlasOpt inplace random_make_inplace
""".split()

#: rows of the table whose ops come with sparse matrices, or that are about devices that XLA
#: serves by itself
LATER = {"local_structured_dot", "gpu"}


def tags_of(db, found):
    for name, tags in db._tags.items():
        found |= {name, *tags}
        if isinstance(db._objects[name], DB):
            tags_of(db._objects[name], found)
    return found


@pytest.mark.parametrize("name", DOCUMENTED)
def test_a_documented_optimization_can_be_named(name):
    assert name in tags_of(optdb, set())


def test_what_comes_later_is_not_there_yet():
    assert not LATER & tags_of(optdb, set())


@pytest.mark.parametrize("name", ["local_neg_neg", "local_fill_sink", "fusion", "inplace"])
def test_excluding_a_name_leaves_something_out(name):
    def rules(query):
        return [r for p in optdb.query(query) for r in getattr(p, "rules", [p])]

    whole, less = Query(["fast_run"]), Query(["fast_run"]).excluding(name)
    assert len(rules(less)) < len(rules(whole))


def test_rules_are_many_and_those_with_a_hazard_say_so():
    assert len(RULES) >= 190
    stated = [r for r in RULES.values() if r.hazard]
    assert len(stated) >= 45 and all(len(r.hazard) > 10 for r in stated)
