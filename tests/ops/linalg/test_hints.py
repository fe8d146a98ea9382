"""Hints: they leave values alone, are remembered, and go; bounds on eigenvalues."""

from __future__ import annotations

import numpy as np
import pytest

import theano
import theano.tensor as T
from tests.rules.examples import example_of
from theano._src.ops.linalg import hints as H
from theano._src.rules.linalg import facts as F
from theano.testing import Case, OpSpec, Raises, spec_tests

rng = np.random.default_rng(19)


def symmetric(n):
    made = rng.normal(size=(n, n))
    return made + made.T


def semidefinite(n):
    made = rng.normal(size=(n, n))
    return made @ made.T


def bound_of(x, k):
    """The 2^k-norm of the eigenvalues."""
    return (np.linalg.eigvalsh(x) ** (2**k)).sum() ** (1 / 2**k)


# fmt: off
SPECS = [
    OpSpec(H.psd, lambda x: x.copy(),
           grad="none: nearby values are not symmetric, and the hint tests them",
           cases=[Case(semidefinite(n), id=f"of_{n}") for n in (2, 3)]),
    OpSpec(H.spectral_radius_bound, bound_of,
           cases=[Case(symmetric(n), k, static=[1], id=f"of_{n}_{k}")
                  for n, k in ((2, 1), (3, 1), (3, 2), (3, 5))],
           errors=[Raises((np.ones(3), 1), TypeError, "takes a matrix", static=[1]),
                   Raises((np.ones((2, 2)), 1.0), TypeError, "a Python integer", static=[1]),
                   Raises((np.ones((2, 2)), 0), ValueError, "a positive log2_exponent, got 0",
                          static=[1])]),
]
# fmt: on


def test_a_hint_is_known_before_and_after_its_node_is_replaced():
    x = T.dmatrix("x")
    graph = theano.gof.FunctionGraph([x], [H.psd(x) * 2], clone=False)
    F.HintsOptimizer().optimize(graph)
    (node,) = [n for n in graph.toposort() if isinstance(n.op, H.Hint)]
    assert F.is_psd(node.outputs[0])
    assert not F.is_psd(x)
    other = x.copy()
    graph.replace(node.outputs[0], other)
    assert F.hints(other) == {"psd": True, "symmetric": True}
    assert F.is_symmetric(other)


def test_a_graph_has_one_feature_of_hints_which_can_go():
    x = T.dmatrix()
    graph = theano.gof.FunctionGraph([x], [x + 1], clone=False)
    first = F.HintsFeature()
    graph.attach_feature(first)
    graph.attach_feature(F.HintsFeature())
    assert graph.hints_feature is first
    graph.remove_feature(first)
    assert not hasattr(graph, "hints_feature")


def test_without_a_graph_only_a_hint_itself_is_known():
    x = T.dmatrix()
    assert F.is_psd(H.psd(x))
    assert not F.is_psd(x)
    assert F.hints(x + 1) == {}


def test_the_rule_takes_hints_out_of_the_graph():
    (rule,) = H.RULES
    inputs, (out,) = example_of(rule)
    assert H.hint_removed(out.owner.inputs[0].owner) == inputs


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_the_bound_holds(k):
    x = T.dmatrix()
    value = symmetric(5)
    bound = theano.function([x], H.spectral_radius_bound(x, k))(value)
    assert bound >= np.abs(np.linalg.eigvalsh(value)).max()


def test_the_older_path_gives_the_same_linear_algebra():
    import theano.sandbox.linalg as older

    modules = (T.nlinalg, T.slinalg)
    names = {name for name in vars(older.ops) if not name.startswith("_")}
    for name in names - set(vars(H)) - set(vars(F)):
        assert any(getattr(older.ops, name) is getattr(m, name, None) for m in modules), name
    assert older.det is T.nlinalg.det
    assert older.kron.kron is T.slinalg.kron


test_ops = spec_tests(SPECS)
