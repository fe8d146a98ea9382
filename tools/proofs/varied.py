"""Rules that are functions, on variations of their examples."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from tests.rules.examples import example_of
from theano._src.ops.shape.alloc import AllocEmpty
from theano._src.testing.proofs.bounded import prove_on
from theano._src.testing.proofs.world import NoReading, Undecided
from tools.proofs.forms import FORMS
from tools.proofs.graphs import APPROXIMATIONS
from tools.proofs.record import claim_of, functions, save, when
from tools.proofs.values import TooLong, applied, difference, limited
from tools.proofs.variations import Graph, variations

#: how many variations of an example are proved, at most
MOST = 12
#: the assignments that are tried, and the seconds for a question and for a graph
CASES, SECONDS, LIMIT = 16, 1.0, 10


RAISES = "the graph raises for all lengths"


def example_graph(rule: Any) -> Graph:
    inputs, outputs = example_of(rule)
    return Graph(list(inputs), list(outputs))


def outcome(rule: Any, graph: Graph) -> tuple[str, str]:
    """Return what is known of a rule on a graph, and where or why.

    ``"no"`` means that it does not fire, ``"raises"`` that both graphs raise for all that is tried,
    ``"fails"`` that the rule raises an error. The others are ``"proved"``, ``"refuted"``,
    ``"tried"`` for arrays of numbers alone, and ``"unknown"``.
    """
    try:
        with limited(LIMIT):
            new, uses = applied(rule, graph.inputs, graph.outputs)
            if not uses:
                return "no", ""
            wrong, count = difference(rule, graph.inputs, graph.outputs, new)
    except TooLong as error:
        return "unknown", str(error)
    except Exception as error:
        return "fails", f"{type(error).__name__}: {error}".splitlines()[0]
    if wrong:
        return "refuted", wrong
    try:
        with limited(LIMIT):
            # z3 does not end for three rows of some matrices
            longest = 2 if rule.name in FORMS else 3
            proof = prove_on(
                rule, graph.inputs, graph.outputs, longest=longest, most=CASES, seconds=SECONDS
            )
    except (NoReading, Undecided, TooLong) as reason:
        return ("tried" if count else "unknown"), str(reason)
    if not proof and any(isinstance(node.op, AllocEmpty) for node in graph.nodes):
        return "unknown", "numbers in memory that was not written"
    if proof.outcome in ("proved", "refuted"):
        return proof.outcome, proof.where or proof.empty
    if not count and proof.where == RAISES:
        return "raises", proof.where
    return ("tried" if count else "unknown"), f"{proof.outcome}: {proof.where}"


def fired(rule: Any) -> Iterator[tuple[int, Graph, str, str]]:
    """Yield how many variations were tried, and for those on which the rule fires the outcome."""
    for k, graph in enumerate(variations(example_graph(rule), rule.name)):
        what, why = outcome(rule, graph)
        if what not in ("no", "raises"):
            yield k + 1, graph, what, why


def tried(rule: Any, most: int = MOST) -> dict[str, Any]:
    """Return the entry of a rule: how many graphs were tried, and the outcomes by their names."""
    entry: dict[str, Any] = {"claim": claim_of(rule), "tried": 0, "outcomes": {}, "why": {}}
    for count, graph, what, why in islice(fired(rule), most):
        entry["tried"] = count
        entry["outcomes"][graph.name] = what
        if why:
            entry["why"][graph.name] = why
    return {**entry, **when()}


def varied_rules(only: str = "") -> list[Any]:
    """Return the rules that keep values: approximations do not."""
    return [r for r in functions(only) if r.name not in APPROXIMATIONS]


def record_variations(seen: dict[str, Any], rules: Sequence[Any], seconds: float) -> None:
    """Try rules on variations of their examples, those that were not tried yet."""
    until = time.monotonic() + seconds
    for rule in rules:
        if time.monotonic() > until:
            break
        if seen.get(rule.name, {}).get("claim") != claim_of(rule):
            started = time.process_time()
            seen[rule.name] = tried(rule)
            seen[rule.name]["seconds"] = round(time.process_time() - started, 1)
            save("variations", seen)


def wrong_on_variations(seen: dict[str, Any]) -> list[str]:
    """Return the variations on which a rule is wrong or raises."""
    return [
        f"{name}, {graph}: {row['why'][graph]}"
        for name, row in seen.items()
        for graph, what in row["outcomes"].items()
        if what in ("refuted", "fails")
    ]
