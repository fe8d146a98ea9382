"""The log of a rewriting: which rule changed which node into what."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from theano._src.graph import source_line as lines_of
from theano._src.graph.graph import Apply
from theano._src.rewrite.rule import BaseRule


@dataclass(frozen=True, slots=True)
class Step:
    """One rewrite: its number, the rule, the node before, what came of it, the user's line.

    ``within`` is the pass of the pipeline; empty where a rewriter ran by itself.
    """

    order: int
    rule: str
    before: str
    after: str
    line: str
    within: str = ""

    def __str__(self) -> str:
        at = f"  ({self.line})" if self.line else ""
        return f"{self.order:4d} {self.rule}: {self.before} -> {self.after}{at}"


class Enough(Exception):
    """A trace has as many steps as it was made for: the rewriting ends here."""


class RewriteTrace:
    """The steps of a rewriting, in order; print it to read them.

    Parameters
    ----------
    echo : bool
        Whether each step is printed when it is made.
    limit : int, optional
        After how many steps the rewriting ends. Rewriting is deterministic, so a graph that is
        rewritten again up to a step is that graph at that step.
    """

    def __init__(self, echo: bool = False, limit: int | None = None) -> None:
        self.steps: list[Step] = []
        self.echo = echo
        self.limit = limit
        #: the pass that runs; whoever runs passes says so
        self.within = ""

    def step(self, rule: str, node: Apply, after: Any) -> Step:
        """A step, not yet added: made while ``node`` is still as it was."""
        shown = ", ".join(_shown(v) for v in after)
        return Step(len(self.steps) + 1, rule, str(node), shown, user_line(node), self.within)

    def note(self, step: Step) -> None:
        """Add a step in the middle of a change, and print it if this trace echoes."""
        self.steps.append(step)
        if self.echo:
            print(step)

    def take_back(self, step: Step) -> None:
        """Drop the last step: the graph refused what it did."""
        if self.steps and self.steps[-1] is step:
            self.steps.pop()

    def add(self, step: Step) -> None:
        """Add a step that was made, the graph being whole again."""
        self.note(step)
        self.settle()

    def settle(self) -> None:
        """End the rewriting here if there are steps enough."""
        if self.limit is not None and len(self.steps) >= self.limit:
            raise Enough

    def of(self, rule: str) -> list[Step]:
        """The steps of one rule."""
        return [s for s in self.steps if s.rule == rule]

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __str__(self) -> str:
        return "\n".join(map(str, self.steps))


def _shown(v: Any) -> str:
    return str(v) if v is None or v.owner is None else str(v.owner)


def near_line(line: str) -> str:
    """A place in a file, from the current directory if the file is below it."""
    return line.removeprefix(os.getcwd() + os.sep)


def user_line(node: Apply) -> str:
    """``file:line`` of the user's code that made a node; empty if unknown."""
    if not node.trace:
        return ""
    code, offset = node.trace[0]
    return f"{code.co_filename}:{lines_of.line_of(code, offset)}"


def why_not(rule: BaseRule, node: Apply) -> str:
    """Why a rule leaves a node alone, in a sentence: which part of its pattern does not fit.

    >>> import theano.tensor as T
    >>> from theano._src.rewrite.pattern import Hole
    >>> from theano._src.rewrite.rule import Rule
    >>> x = Hole("x")
    >>> rule = Rule("neg_neg", "canonicalize", T.neg(T.neg(x)), x)
    >>> why_not(rule, T.neg(T.exp(T.dscalar("y"))).owner)
    'neg_neg: neg(x) of neg(neg(x)) is needed, got Elemwise{exp,no_inplace}.0'
    """
    with lines_of.paused():
        return rule.why_not(node)
