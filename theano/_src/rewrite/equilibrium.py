"""Rewrites that are applied together until none of them changes the graph."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from theano._src.graph.features import ReplaceValidate
from theano._src.graph.graph import Apply
from theano._src.ground.documented import documented_in
from theano._src.rewrite.driver import Restore, Rewriter, RewriteWarning
from theano._src.rewrite.local import LocalRule, as_rule
from theano._src.rewrite.log import RewriteTrace
from theano._src.rewrite.navigate import TopoOptimizer
from theano._src.rewrite.passes import Optimizer, add_uses
from theano._src.rewrite.rule import BaseRule


@documented_in("theano.gof.opt")
class EquilibriumOptimizer(Optimizer):
    """Applies rewrites until none of them changes the graph.

    Parameters
    ----------
    optimizers : sequence
        Local optimizers and rules, in this order on each node; passes run after them.
    max_use_ratio : float, optional
        How often one rewrite may be used per node of the graph before it is disabled with a
        warning; by default ``config.optdb.max_use_ratio``.
    restore : function, optional
        As for ``Rewriter``.
    """

    def __init__(
        self,
        optimizers: Sequence[Any],
        failure_callback: Callable[..., Any] | None = None,
        ignore_newtrees: bool = True,
        tracks_on_change_inputs: bool = False,
        max_use_ratio: float | None = None,
        final_optimizers: Sequence[Any] | None = None,
        cleanup_optimizers: Sequence[Any] | None = None,
        name: str = "EquilibriumOptimizer",
        restore: Restore | None = None,
    ) -> None:
        self.name = name
        self.failure_callback = failure_callback
        every = [*optimizers, *(cleanup_optimizers or ())]
        self.optimizers = tuple(every)
        self.rules = tuple(as_rule(o) for o in every if not isinstance(o, Optimizer))
        self.passes = [o for o in every if isinstance(o, Optimizer)]
        for last in final_optimizers or ():
            self.passes.append(last if isinstance(last, Optimizer) else TopoOptimizer(last))
        self.local = [rule.opt for rule in self.rules if isinstance(rule, LocalRule)]
        self._rewriter = Rewriter(
            self.rules, name, restore, max_use_ratio, failure_callback and self._failed
        )

    def _failed(self, where: str, rule: BaseRule, node: Apply, error: Exception) -> None:
        assert self.failure_callback is not None
        opt = rule.opt if isinstance(rule, LocalRule) else rule
        self.failure_callback(error, self, [(v, None) for v in node.outputs], opt, node)

    def add_requirements(self, fgraph: Any) -> None:
        fgraph.attach_feature(ReplaceValidate())
        for local in self.local:
            local.add_requirements(fgraph)
        for each in self.passes:
            each.add_requirements(fgraph)

    def apply(self, fgraph: Any, *args: Any, **kwargs: Any) -> None:
        self._until_still(fgraph, None, None)

    def run(
        self, fgraph: Any, trace: RewriteTrace | None, times: dict[str, float] | None
    ) -> dict[str, int]:
        # in a graph with in-place nodes, every change must be checked
        if self.local or self.passes or hasattr(fgraph, "destroyers"):
            self.add_requirements(fgraph)
        return self._until_still(fgraph, trace, times)

    def _until_still(
        self, fgraph: Any, trace: RewriteTrace | None, times: dict[str, float] | None
    ) -> dict[str, int]:
        uses = self._rewriter.rewrite(fgraph, trace, times)
        rounds, most = 0, self._rewriter.budget(fgraph)
        while self.passes:
            result: dict[str, int] = {}
            for each in self.passes:
                add_uses(result, each.run(fgraph, trace, times))
            add_uses(uses, result)
            rounds += 1
            if not result:
                break
            if rounds > most:
                warnings.warn(
                    f"{self.name}: {', '.join(result)} changed the graph {rounds} times over and "
                    "is "
                    "stopped; it may undo another rewrite: exclude one of them by name, or raise "
                    "config.optdb.max_use_ratio",
                    RewriteWarning,
                    stacklevel=2,
                )
                break
            add_uses(uses, self._rewriter.rewrite(fgraph, trace, times))
        return uses

    def print_summary(self, stream: Any = None, level: int = 0, depth: int = -1) -> None:
        stream = stream or sys.stdout
        print(f"{' ' * level}{self}", file=stream)
        for each in (*self.rules, *self.passes) if depth else ():
            print(f"{' ' * level}  {each!r}", file=stream)
