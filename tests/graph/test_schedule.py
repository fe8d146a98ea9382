"""Orders of nodes by comparisons."""

from itertools import pairwise

import pytest

import theano.tensor as T
from theano.gof import DestroyHandler, FunctionGraph
from theano.gof.sched import (
    _toposort,
    key_to_cmp,
    make_dependence_cmp,
    make_depends,
    posort,
    reverse_dict,
    sort_apply_nodes,
    sort_schedule_fn,
)

by_text = key_to_cmp(str)


def test_a_node_depends_on_what_it_needs_near_or_far():
    x, y = T.dscalars("xy")
    a = T.exp(x)
    b = T.sin(a) + y
    depends, compare = make_depends(), make_dependence_cmp()
    assert depends((b.owner, a.owner)) and depends((b.owner, x)) and depends((a, x))
    assert not depends((a.owner, b.owner)) and not depends((a.owner, y)) and not depends((x, x))
    assert compare(b.owner, a.owner) == 1 and compare(a.owner, b.owner) == -1
    assert compare(a.owner, T.cos(y).owner) == 0


def test_a_deep_graph_is_asked_without_recursion():
    x = y = T.dscalar("x")
    for _ in range(3000):
        y = T.exp(y)
    assert make_depends()((y, x))


def test_edges_are_reversed_and_ordered():
    assert reverse_dict({"a": (1, 2), "b": (2, 3), "c": ()}) == {
        1: ("a",),
        2: ("a", "b"),
        3: ("b",),
    }
    edges = {1: {4, 6, 7}, 2: {4, 6, 7}, 3: {5, 7}, 4: {6, 7}, 5: {7}}
    order = _toposort(edges)
    assert sorted(order) == list(range(1, 8))
    assert all(order.index(a) < order.index(b) for a in edges for b in edges[a])
    with pytest.raises(ValueError, match="cycles"):
        _toposort({1: {2}, 2: {1}})


def test_the_first_comparison_weighs_most():
    numbers = range(1, 20)
    tens = [lambda a, b: a % 10 - b % 10, lambda a, b: a // 10 - b // 10]
    assert posort(numbers, *tens) == sorted(numbers, key=lambda a: (a % 10, a // 10))
    assert posort("asdfghjkl", by_text) == sorted("asdfghjkl")


def test_what_is_decided_through_others_stands():
    # 1 < 2 and 2 < 3 are decided; that 3 should come before 1 is then too late
    first = lambda a, b: -1 if (a, b) in {(1, 2), (2, 3)} else 0
    assert posort([3, 1, 2], first, lambda a, b: b - a) == [1, 2, 3]


def test_nodes_come_after_what_they_need_and_else_as_asked():
    x = T.dmatrix("x")
    nodes = sort_apply_nodes([x], [T.dot(x * 2, x + 1)], cmps=[by_text])
    depends = make_depends()
    for a, b in pairwise(nodes):
        assert depends((b, a)) or str(a) <= str(b)


def test_a_schedule_keeps_readers_before_what_overwrites():
    x = T.dvector("x")
    written = T.inplace.exp_inplace(x)
    g = FunctionGraph([x], [written, T.tan(x)], clone=False)
    g.attach_feature(DestroyHandler())
    order = sort_schedule_fn(by_text)(g)
    assert [n.op for n in order] == [T.tan, T.inplace.exp_inplace]
