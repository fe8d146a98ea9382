"""The log of a rewriting: the rule, the old node and the new one of each step."""

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
    """One rewrite: its number, the rule, the node before and after, and the user's line.

    ``within`` is the pass of the pipeline; empty if a rewriter ran on its own.
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
    """Raised when a trace has reached its limit of steps, to end the rewriting."""


class RewriteTrace:
    """The steps of a rewriting, in order; print it to read them.

    Parameters
    ----------
    echo : bool
        Whether to print each step at once.
    limit : int, optional
        The number of steps after which the rewriting ends. Rewriting is deterministic, so
        rewriting a graph again up to a step reproduces the graph at that step.
    """

    def __init__(self, echo: bool = False, limit: int | None = None) -> None:
        self.steps: list[Step] = []
        self.echo = echo
        self.limit = limit
        #: the pass that runs; set by the code that runs passes
        self.within = ""

    def step(self, rule: str, node: Apply, after: Any) -> Step:
        """Return a step without adding it; call this while ``node`` is still unchanged."""
        shown = ", ".join(_shown(v) for v in after)
        return Step(len(self.steps) + 1, rule, str(node), shown, user_line(node), self.within)

    def note(self, step: Step) -> None:
        """Add a step in the middle of a change, and print it if ``echo`` is set."""
        self.steps.append(step)
        if self.echo:
            print(step)

    def take_back(self, step: Step) -> None:
        """Remove the last step: the graph refused it."""
        if self.steps and self.steps[-1] is step:
            self.steps.pop()

    def add(self, step: Step) -> None:
        """Add a completed step; the graph must be consistent again."""
        self.note(step)
        self.settle()

    def settle(self) -> None:
        """Raise Enough if the limit of steps is reached."""
        if self.limit is not None and len(self.steps) >= self.limit:
            raise Enough

    def of(self, rule: str) -> list[Step]:
        """Return the steps of one rule."""
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
    """Return ``file:line`` relative to the current directory if the file is inside it."""
    return line.removeprefix(os.getcwd() + os.sep)


def user_line(node: Apply) -> str:
    """Return ``file:line`` of the user's code that created a node; empty if unknown."""
    if not node.trace:
        return ""
    code, offset = node.trace[0]
    return f"{code.co_filename}:{lines_of.line_of(code, offset)}"


def why_not(rule: BaseRule, node: Apply) -> str:
    """Explain in a sentence why a rule does not apply to a node: the part that does not match.

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
