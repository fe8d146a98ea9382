"""Sequences of passes, which modes run, and their report."""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import Any

from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.rewrite.driver import RewriteWarning
from theano._src.rewrite.log import Enough, RewriteTrace
from theano._src.rewrite.passes import Optimizer, Report, add_uses


@documented_in("theano.gof.opt")
class SeqOptimizer(Optimizer, list[Any]):
    """A list of passes that run one after another.

    >>> import theano
    >>> from theano.compile import optdb
    >>> [str(p) for p in optdb.query(theano.gof.Query(["merge"]))]
    ['merge1', 'merge1.1', 'merge1.2', 'merge2', 'merge3']
    """

    def __init__(
        self,
        *opts: Any,
        failure_callback: Any = None,
        names: Sequence[str] | None = None,
        positions: Sequence[float] | None = None,
        again: Callable[[str, tuple[str, ...]], SeqOptimizer] | None = None,
    ) -> None:
        if len(opts) == 1 and isinstance(opts[0], (list, tuple)):
            opts = tuple(opts[0])
        for opt in opts:
            if not isinstance(opt, Optimizer):
                raise TypeError(
                    f"SeqOptimizer takes Optimizers, got {opt!r}; wrap a local optimizer in "
                    "TopoOptimizer or EquilibriumOptimizer"
                )
        list.__init__(self, opts)
        self.failure_callback = failure_callback
        self.names = list(names) if names is not None else [str(o) for o in opts]
        self.positions = list(positions) if positions is not None else [0.0] * len(opts)
        self._again = again

    def named(self) -> Iterator[tuple[str, float, Any]]:
        """Return ``(name, position, pass)`` of each pass, in order."""
        if len(self.names) != len(self):  # a list may be appended to
            return iter([(str(o), 0.0, o) for o in self])
        return zip(self.names, self.positions, self, strict=True)

    def rewrite(
        self, fgraph: Any, trace: RewriteTrace | None = None, timed: bool | None = None
    ) -> Report:
        """Rewrite ``fgraph`` in place; return a report.

        Parameters
        ----------
        fgraph : FunctionGraph
        trace : RewriteTrace, optional
            Receives every step; with ``config.optimizer_verbose`` steps are printed.
        timed : bool, optional
            Whether to measure each rule; the default is ``config.profile_optimizer``.
        """
        if trace is None and config.optimizer_verbose:
            trace = RewriteTrace(echo=True)
        timed = bool(config.profile_optimizer) if timed is None else timed
        report = Report(nodes_before=len(fgraph.apply_nodes), trace=trace)
        times = report.rule_seconds if timed else None
        start = perf_counter()
        fgraph.rewriter = self  # inner graphs of ops are rewritten in the same way
        try:
            for name, position, each in self.named():
                if position >= config.optdb.position_cutoff:
                    break
                begun = perf_counter()
                if trace is not None:
                    trace.within = name
                uses = self._run(each, fgraph, trace, times)
                add_uses(report.uses, uses)
                report.changes[name] = sum(uses.values())
                report.passes[name] = perf_counter() - begun
        except Enough:
            pass  # a replay has reached its step limit
        report.seconds = perf_counter() - start
        report.nodes_after = len(fgraph.apply_nodes)
        return report

    def apply(self, fgraph: Any, *args: Any, **kwargs: Any) -> None:
        self.rewrite(fgraph)

    def run(
        self, fgraph: Any, trace: RewriteTrace | None, times: dict[str, float] | None
    ) -> dict[str, int]:
        uses: dict[str, int] = {}
        for each in self:
            add_uses(uses, self._run(each, fgraph, trace, times))
        return uses

    def _run(
        self,
        each: Optimizer,
        fgraph: Any,
        trace: RewriteTrace | None,
        times: dict[str, float] | None,
    ) -> dict[str, int]:
        try:
            return each.run(fgraph, trace, times)
        except Enough:
            raise
        except Exception as error:
            if self.failure_callback is None:
                raise
            self.failure_callback(error, self, each)
            return {}

    @staticmethod
    def warn(exc: Exception, seq: Any, opt: Any) -> None:
        """A failure_callback: raise, warn or ignore, depending on ``config.on_opt_error``."""
        if config.on_opt_error == "raise":
            exc.add_note(f"while {opt} rewrote a graph")
            raise exc
        if config.on_opt_error != "ignore":
            shown = "".join(traceback.format_exception(exc))
            warnings.warn(
                f"{opt} failed and is passed over (config.on_opt_error='raise' stops instead):\n"
                f"{shown}",
                RewriteWarning,
                stacklevel=2,
            )

    def including(self, *tags: str) -> SeqOptimizer:
        """Return this selection with the rewrites that have one of ``tags``."""
        return self._select("including", tags)

    def excluding(self, *tags: str) -> SeqOptimizer:
        """Return this selection without the rewrites that have one of ``tags``."""
        return self._select("excluding", tags)

    def requiring(self, *tags: str) -> SeqOptimizer:
        """Return the rewrites of this selection that have all ``tags``."""
        return self._select("requiring", tags)

    def _select(self, how: str, tags: tuple[str, ...]) -> SeqOptimizer:
        if self._again is None:
            raise ValueError(
                f"{how} changes a query, and this sequence was not made by one; query a SequenceDB"
            )
        return self._again(how, tags)

    def print_summary(self, stream: Any = None, level: int = 0, depth: int = -1) -> None:
        """Print the passes in order, each with its rules."""
        stream = stream or sys.stdout
        for name, position, each in self.named():
            print(f"{' ' * level}{position:6g} {name}", file=stream)
            rules = getattr(each, "rules", ()) if depth else ()
            for rule in rules:
                print(f"{' ' * level}         {rule!r}", file=stream)

    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __repr__(self) -> str:
        return f"SeqOptimizer({', '.join(self.names)})"

    __str__ = __repr__
