"""The pipeline: which rewrites run, and in what order, on one screen."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from time import perf_counter
from types import ModuleType
from typing import Any

from theano._src.graph.destroy import DestroyHandler
from theano._src.graph.variable import Variable
from theano._src.ground.config import config
from theano._src.ops import arithmetic, explog, gradviews
from theano._src.ops.cast import cast
from theano._src.rewrite.database import Query, RuleSet
from theano._src.rewrite.driver import Rewriter
from theano._src.rewrite.merge import merge
from theano._src.rewrite.rule import BaseRule
from theano._src.rewrite.trace import RewriteTrace
from theano._src.rules import fold, shape
from theano._src.rules.shape import attach_shapes
from theano._src.types.dtypes import upcast
from theano._src.types.tensor import TensorType

#: the tables of rules; importing a module registers nothing, being listed here does
MODULES: tuple[ModuleType, ...] = (fold, shape, arithmetic, explog, gradviews)


@dataclass(frozen=True)
class Pass:
    """One step of the pipeline: a group of rules run until none fires, or a function of the graph.

    ``run`` takes the graph and the trace, returns how many changes it made.
    """

    name: str
    order: float
    tags: frozenset[str]
    run: Callable[[Any, RewriteTrace | None], int] | None = None


def _attach_destroy_handler(fgraph: Any, trace: RewriteTrace | None) -> int:
    fgraph.attach_feature(DestroyHandler())
    return 0


def _pass(name: str, order: float, tags: str, run: Any = None) -> Pass:
    return Pass(name, order, frozenset((name, *tags.split())), run)


# A rule runs in the pass of its group, and in those among its tags. In-place rewrites come
# after 49.5: from there on the order of nodes matters, and each change costs a check.
# fmt: off
PASSES = (
    _pass("merge1",               0.0, "fast_run fast_compile merge", merge),
    _pass("ShapeOpt",             0.1, "fast_run shape", attach_shapes),
    _pass("canonicalize",         1.0, "fast_run fast_compile"),
    _pass("merge1.2",             1.2, "fast_run fast_compile merge", merge),
    _pass("stabilize",            1.5, "fast_run"),
    _pass("specialize",           2.0, "fast_run"),
    _pass("merge2",              49.0, "fast_run merge", merge),
    _pass("add_destroy_handler", 49.5, "fast_run inplace", _attach_destroy_handler),
    _pass("inplace",             50.0, "fast_run"),
    _pass("merge3",             100.0, "fast_run fast_compile merge", merge),
)
# fmt: on


_GROUPS = frozenset(p.name for p in PASSES if p.run is None)


def _tags_in(p: Pass, rule: BaseRule) -> frozenset[str]:
    """A rule's tags in one pass: leaving another of its passes out leaves it in this one."""
    return rule.tags - _GROUPS | {p.name}


@dataclass
class Report:
    """What a rewriting did: seconds and changes by pass, uses and seconds by rule."""

    nodes_before: int = 0
    nodes_after: int = 0
    seconds: float = 0.0
    passes: dict[str, float] = field(default_factory=dict)
    changes: dict[str, int] = field(default_factory=dict)
    uses: dict[str, int] = field(default_factory=dict)
    rule_seconds: dict[str, float] = field(default_factory=dict)
    trace: RewriteTrace | None = None


class Pipeline:
    """Passes in their order, each with its rules; a query makes a smaller one.

    >>> import theano
    >>> [p.name for p, _ in PIPELINE.query(Query(["merge"])).passes]
    ['merge1', 'merge1.2', 'merge2', 'merge3']
    """

    def __init__(
        self,
        passes: Iterable[tuple[Pass, tuple[BaseRule, ...]]],
        whole: Pipeline | None = None,
        asked: Query | None = None,
    ) -> None:
        self.passes = tuple(passes)
        self._whole = whole or self
        self._asked = asked
        self._answers: dict[Query, Pipeline] = {}
        self._rewriters = {
            p.name: Rewriter(rules, p.name, restore_type)
            for p, rules in self.passes
            if p.run is None
        }

    def query(self, query: Query) -> Pipeline:
        """The passes that ``query`` selects, with the rules that it selects."""
        found = self._answers.get(query)
        if found is None:
            found = self._answers[query] = Pipeline(self._chosen(query), self._whole, query)
        return found

    def _chosen(self, query: Query) -> Iterator[tuple[Pass, tuple[BaseRule, ...]]]:
        for p, rules in self.passes:
            if p.order >= query.position_cutoff or not query.selects(p.tags):
                continue
            within = query.sub(p.name)
            rules = tuple(r for r in rules if within.selects(_tags_in(p, r)))
            if rules or p.run is not None:
                yield p, rules

    def including(self, *tags: str) -> Pipeline:
        """This selection, and what has one of ``tags``."""
        return self._again("including", tags)

    def excluding(self, *tags: str) -> Pipeline:
        """This selection without what has one of ``tags``."""
        return self._again("excluding", tags)

    def requiring(self, *tags: str) -> Pipeline:
        """That part of this selection which has all ``tags``."""
        return self._again("requiring", tags)

    def _again(self, how: str, tags: tuple[str, ...]) -> Pipeline:
        if self._asked is None:
            raise ValueError(
                f"{how} changes a query, and this is the whole pipeline; query it first"
            )
        return self._whole.query(getattr(self._asked, how)(*tags))

    def rewrite(
        self, fgraph: Any, trace: RewriteTrace | None = None, timed: bool | None = None
    ) -> Report:
        """Rewrite ``fgraph`` in place.

        Parameters
        ----------
        fgraph : FunctionGraph
        trace : RewriteTrace, optional
            Receives every step; with ``config.optimizer_verbose`` steps are printed.
        timed : bool, optional
            Whether to measure each rule; by default as ``config.profile_optimizer`` says.
        """
        if trace is None and config.optimizer_verbose:
            trace = RewriteTrace(echo=True)
        timed = bool(config.profile_optimizer) if timed is None else timed
        report = Report(nodes_before=len(fgraph.apply_nodes), trace=trace)
        start = perf_counter()
        for p, _ in self.passes:
            if p.order >= config.optdb.position_cutoff:
                break
            begun = perf_counter()
            if p.run is not None:
                report.changes[p.name] = p.run(fgraph, trace)
            else:
                times = report.rule_seconds if timed else None
                uses = self._rewriters[p.name].rewrite(fgraph, trace, times)
                for name, n in uses.items():
                    report.uses[name] = report.uses.get(name, 0) + n
                report.changes[p.name] = sum(uses.values())
            report.passes[p.name] = perf_counter() - begun
        report.seconds = perf_counter() - start
        report.nodes_after = len(fgraph.apply_nodes)
        return report

    optimize = rewrite
    __call__ = rewrite

    def print_summary(self, stream: Any = None, level: int = 0, depth: int = -1) -> None:
        """Print the passes in their order, each with its rules."""
        stream = sys.stdout if stream is None else stream
        for p, rules in self.passes:
            print(f"{' ' * level}{p.order:6g} {p.name}", file=stream)
            for rule in rules if depth else ():
                print(f"{' ' * level}         {rule!r}", file=stream)


def restore_type(new: Any, wanted: Any) -> Variable | None:
    """``new`` cast to the dtype of ``wanted`` where no value changes by it; None elsewhere.

    Only variables that were there before are cast: a new expression that computes in a smaller
    dtype and is cast after may have overflowed on the way.
    """
    if not isinstance(new, Variable) or (new.owner is not None and new.fgraph is None):
        return None
    have = new.type
    if (
        isinstance(have, TensorType)
        and isinstance(wanted, TensorType)
        and have.broadcastable == wanted.broadcastable
        and upcast(have.dtype, wanted.dtype) == wanted.dtype
    ):
        made: Variable = cast(new, wanted.dtype)
        return made
    return None


RULES = RuleSet(rule for module in MODULES for rule in module.RULES)
PIPELINE = Pipeline((p, () if p.run else RULES.in_group(p.name)) for p in PASSES)


def rewrite(fgraph: Any, query: Query, trace: RewriteTrace | None = None) -> Report:
    """Rewrite a graph in place with what ``query`` selects; say what was done.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> g = theano.gof.FunctionGraph([x], [T.log(1 + T.exp(x))], clone=False)
    >>> rewrite(g, Query(["fast_run"])).uses["log1p_exp"], g
    (1, [softplus(x)])
    """
    return PIPELINE.query(query).rewrite(fgraph, trace)
