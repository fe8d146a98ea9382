"""The history of rewriting a graph: which variables were replaced, and in which order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from theano._src.compile.debug.debugmode.errors import StochasticOrder
from theano._src.graph.features import Feature
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Variable
from theano._src.graph.walk import nodes_of
from theano._src.show.debugprint import debugprint

_LEVELS = 6  # depth of the graphs that are kept as text for each replacement


class Event(NamedTuple):
    """One change of a graph: a node is added or removed, or an input of it is replaced."""

    kind: str
    op: Any
    at: int | None
    reason: str

    def is_like(self, other: Event) -> bool:
        """Whether two events may be the same change, in two runs of the same rewrites."""
        if (self.kind, self.at, self.reason) != (other.kind, other.at, other.reason):
            return False
        if self.op == other.op:
            return True
        # a rewrite may create a new op each time, and its class may define no equality
        return type(self.op) is type(other.op) and str(self.op) == str(other.op)

    def __str__(self) -> str:
        where = "" if self.at is None else f" {self.at}"
        return f"{self.kind}{where} {self.op} ({self.reason})"


class Replacement(NamedTuple):
    """A replacement of one variable by another, with both graphs as they were then."""

    old: Variable
    new: Variable
    reason: str
    old_graph: str
    new_graph: str


class RewriteHistory(Feature):
    """A feature that records the changes of a graph while it is rewritten.

    Attributes
    ----------
    events : list of Event
    replacements : list of Replacement
        Without those that were reverted.
    reasons : dict
        For each node that was added, the name of the rewrite.
    """

    def __init__(self, keep_graphs: bool = True) -> None:
        self.keep_graphs = keep_graphs
        self.events: list[Event] = []
        self.replacements: list[Replacement] = []
        self.reasons: dict[Apply, str] = {}

    def on_import(self, fgraph: Any, node: Apply, reason: Any) -> None:
        self.events.append(Event("import", node.op, None, str(reason)))
        self.reasons.setdefault(node, str(reason))

    def on_prune(self, fgraph: Any, node: Apply, reason: Any) -> None:
        self.events.append(Event("prune", node.op, None, str(reason)))

    def on_change_input(
        self, fgraph: Any, node: Any, i: int, old: Variable, new: Variable, reason: Any
    ) -> None:
        op = "output" if node == "output" else node.op
        self.events.append(Event("change", op, i, str(reason)))
        last = self.replacements[-1] if self.replacements else None
        if reason == "Revert":
            if last is not None and (last.old, last.new) == (new, old):
                self.replacements.pop()
            return
        if last is not None and (last.old, last.new) == (old, new):
            return  # a replacement is reported once for each node that reads the variable
        shown = (_shown(old), _shown(new)) if self.keep_graphs else ("", "")
        self.replacements.append(Replacement(old, new, str(reason), *shown))

    def nodes(self, fgraph: FunctionGraph) -> list[Apply]:
        """Return all nodes of the graph and the replacements, in topological order."""
        wanted = [v for r in self.replacements for v in (r.old, r.new)]
        try:
            return nodes_of([*fgraph.outputs, *wanted], set(fgraph.inputs))
        except ValueError:
            # a replaced node whose inputs were changed later may now depend on itself
            return fgraph.toposort()


def history_of(fgraph: FunctionGraph) -> RewriteHistory | None:
    """The history of a graph; None if it was not recorded."""
    return next((f for f in fgraph._features if isinstance(f, RewriteHistory)), None)


def check_same(first: RewriteHistory, again: RewriteHistory, time: int) -> None:
    """Raise StochasticOrder if two histories differ."""
    for i, (a, b) in enumerate(zip(first.events, again.events, strict=False)):
        if not a.is_like(b):
            raise StochasticOrder(
                f"StochasticOrder: rewriting the graph a {_ordinal(time)} time made another change "
                f"than the first time, as change {i}: {b}; the first time: {a}. Rewrites must not "
                "depend on id(), on hashes that differ from run to run, or on state of their own."
            )
    if len(first.events) != len(again.events):
        longer = max((first.events, again.events), key=len)
        rest = longer[min(len(first.events), len(again.events))]
        raise StochasticOrder(
            f"StochasticOrder: rewriting the graph a {_ordinal(time)} time made "
            f"{len(again.events)} changes, and {len(first.events)} the first time; one that is "
            f"not in both: {rest}. Rewrites must not depend on id(), on hashes that differ from "
            "run to run, or on state of their own."
        )


def _ordinal(n: int) -> str:
    return {2: "second", 3: "third"}.get(n, f"{n}th")


def _shown(v: Variable) -> str:
    return str(debugprint(v, depth=_LEVELS, file="str"))


def in_order(replacements: Iterable[Replacement], order: list[Apply]) -> list[Replacement]:
    """Sort replacements by where the new variable is computed: the first wrong one comes first."""
    at = {node: i for i, node in enumerate(order)}
    return sorted(
        replacements, key=lambda r: -1 if r.new.owner is None else at.get(r.new.owner, len(order))
    )
