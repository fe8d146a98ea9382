"""Rules that are functions, on their examples: proofs, and bounds of approximations."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

import theano.tensor as T
from tests.rules.examples import example_of
from theano._src.compile.function import function
from theano._src.compile.mode import Mode
from theano._src.graph.fg import FunctionGraph
from theano._src.rewrite.driver import Rewriter
from theano._src.testing.proofs.bounded import Bounded, prove_on, together
from theano._src.testing.proofs.floats import numbers
from tools.proofs.forms import FORMS
from tools.proofs.record import claim_of, save, when

#: rules that are approximations, and what they replace: the sides differ by a bound on float32
APPROXIMATIONS = {
    "local_ultra_fast_sigmoid": T.nnet.sigmoid,
    "local_hard_sigmoid": T.nnet.sigmoid,
}
#: rules about matrices of which z3 knows little if they have 3 rows
SHORT = frozenset(
    """
inverse_by_facts inverse_of_inverse scan_facts_into_loop slogdet_of_dot slogdet_of_kron
solve_definite solve_orthogonal times_inverse
""".split()
)
#: the assignments that are tried, and the seconds for a question
MOST, SECONDS = 60, 2.0


def graphs_of(rule: Any) -> list[Any]:
    """Return the graphs on which a rule is proved: its example, or all of its forms."""
    return [f.graph for f in FORMS.get(rule.name, ())] or [example_of(rule)]


def bounded(rule: Any) -> Bounded:
    graphs = graphs_of(rule)
    longest, most = 2 if rule.name in SHORT else 3, max(MOST // len(graphs), 20)
    return together(
        [prove_on(rule, *g, longest=longest, most=most, seconds=SECONDS) for g in graphs]
    )


def record_functions(seen: dict[str, Any], rules: Sequence[Any]) -> None:
    """Prove rules on their examples and forms."""
    for rule in rules:
        started = time.process_time()
        entry = approximated(rule) if rule.name in APPROXIMATIONS else asdict(bounded(rule))
        taken = round(time.process_time() - started, 1)
        seen[rule.name] = {"claim": claim_of(rule), **entry, "seconds": taken, **when()}
        save("functions", seen)


def sides_of(rule: Any) -> tuple[Any, Any]:
    """Return both sides of an approximation as functions of arrays of float32."""
    x = T.fvector("x")
    graph = FunctionGraph([x], [APPROXIMATIONS[rule.name](x)])
    before = function([x], APPROXIMATIONS[rule.name](x), Mode("numpy", None))
    assert Rewriter([rule]).rewrite(graph), rule
    return before, function(graph.inputs, graph.outputs[0], Mode("numpy", None))


def approximated(rule: Any, step: int = 4001) -> dict[str, Any]:
    """Return the largest difference of the two sides, on all float32 or every so many."""
    before, after = sides_of(rule)
    largest, count = 0.0, 0
    for x in numbers("float32", step=step):
        with np.errstate(all="ignore"):
            a, b = before(x), after(x)
        assert np.array_equal(np.isnan(a), np.isnan(b))
        largest = max(largest, float(np.nanmax(np.abs(a - b), initial=0.0)))
        count += x.size
    return {"outcome": "bounded", "cases": count, "bound": largest}
