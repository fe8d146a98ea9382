"""Passes: rewrites of whole graphs, in the form that the documents give."""

from __future__ import annotations

import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from theano._src.graph import trace as tracing
from theano._src.graph.destroy import DestroyHandler
from theano._src.graph.features import Feature, ReplaceValidate
from theano._src.graph.node import Apply
from theano._src.graph.variable import Variable
from theano._src.graph.walk import nodes_of
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import InconsistencyError
from theano._src.ground.utils import MethodNotDefined
from theano._src.rewrite.driver import Restore, Rewriter, RewriteWarning, inherit
from theano._src.rewrite.local import LocalOptGroup, LocalOptimizer, LocalRule, as_rule
from theano._src.rewrite.merge import merge
from theano._src.rewrite.rule import BaseRule
from theano._src.rewrite.trace import RewriteTrace, Step


@documented_in("theano.gof.opt")
class Optimizer:
    """A rewrite of a whole graph: a subclass gives ``apply``, and ``add_requirements`` if needed.

    >>> import theano, theano.tensor as T
    >>> class Double(theano.gof.Optimizer):
    ...     def add_requirements(self, fgraph):
    ...         fgraph.attach_feature(theano.gof.toolbox.ReplaceValidate())
    ...     def apply(self, fgraph):
    ...         fgraph.replace_validate(fgraph.outputs[0], fgraph.outputs[0] * 2)
    >>> x = T.dscalar("x")
    >>> g = theano.gof.FunctionGraph([x], [x.copy()], clone=False)
    >>> Double().optimize(g)
    >>> theano.pp(g.outputs[0])
    '(x * 2)'
    """

    name: str | None = None

    def apply(self, fgraph: Any, *args: Any, **kwargs: Any) -> Any:
        """Rewrite the graph, in place."""
        raise MethodNotDefined("apply", type(self), self.__class__.__name__)

    def add_requirements(self, fgraph: Any) -> None:
        """Attach to the graph the features that ``apply`` needs."""

    def optimize(self, fgraph: Any, *args: Any, **kwargs: Any) -> None:
        """Attach what is needed, and rewrite the graph in place."""
        self.add_requirements(fgraph)
        self.apply(fgraph, *args, **kwargs)

    def __call__(self, fgraph: Any) -> None:
        self.optimize(fgraph)

    def run(
        self, fgraph: Any, trace: RewriteTrace | None, times: dict[str, float] | None
    ) -> dict[str, int]:
        """As ``optimize``; what is replaced hands its line on, and the replacements are counted."""
        heir = HandOn(str(self), trace)
        fgraph.attach_feature(heir)
        try:
            with tracing.paused():
                self.optimize(fgraph)
        finally:
            fgraph.remove_feature(heir)
        if trace is not None:
            trace.settle()
        return {str(self): heir.count} if heir.count else {}

    def print_summary(self, stream: Any = None, level: int = 0, depth: int = -1) -> None:
        """Print what this is."""
        print(f"{' ' * level}{self}", file=stream or sys.stdout)

    def __str__(self) -> str:
        return self.name or getattr(self, "__name__", None) or type(self).__name__


class HandOn(Feature):
    """Gives new nodes the user's line of what they replace; counts and traces replacements."""

    def __init__(self, name: str, trace: RewriteTrace | None) -> None:
        self.name, self.trace = name, trace
        self._fresh: list[Apply] = []
        self._made: list[tuple[Variable, Variable, Step | None]] = []
        self._last: tuple[Variable, Variable] | None = None

    @property
    def count(self) -> int:
        """How many replacements stand."""
        return len(self._made)

    def on_import(self, fgraph: Any, node: Apply, reason: Any) -> None:
        if node.trace is None:
            self._fresh.append(node)

    def on_change_input(
        self, fgraph: Any, node: Any, i: int, old: Variable, new: Variable, reason: Any
    ) -> None:
        # what nothing computed is replaced for the sake of whoever uses it
        source = old.owner if old.owner is not None else node
        if source != "output":
            for made in self._fresh:
                inherit(made, source)
        self._fresh = []
        if self._last == (old, new):
            return  # one replacement is heard of once for each user of the variable
        self._last = (old, new)
        if reason == "Revert" and self._made and self._made[-1][:2] == (new, old):
            # the graph refused it
            _, _, step = self._made.pop()
            if self.trace is not None and step is not None:
                self.trace.take_back(step)
            return
        step = None
        if self.trace is not None and old.owner is not None:
            step = self.trace.step(str(reason or self.name), old.owner, [new])
            self.trace.note(step)
        self._made.append((old, new, step))


@documented_in("theano.gof.opt")
class FromFunctionOptimizer(Optimizer):
    """A pass made of a function of the graph."""

    def __init__(self, fn: Callable[[Any], Any], requirements: Iterable[Any] = ()) -> None:
        self.apply = fn  # type: ignore[assignment,method-assign]
        self.requirements = tuple(requirements)
        self.__name__ = fn.__name__
        self.__doc__ = fn.__doc__

    def add_requirements(self, fgraph: Any) -> None:
        for require in self.requirements:
            require(fgraph)


@documented_in("theano.gof.opt")
def optimizer(f: Callable[[Any], Any]) -> FromFunctionOptimizer:
    """Make a pass of a function of the graph.

    >>> import theano
    >>> @theano.gof.optimizer
    ... def nothing(fgraph):
    ...     pass
    >>> print(nothing)
    nothing
    """
    return FromFunctionOptimizer(f)


@documented_in("theano.gof.opt")
def inplace_optimizer(f: Callable[[Any], Any]) -> FromFunctionOptimizer:
    """Make a pass of a function that puts in-place ops into the graph, each checked by it.

    >>> import theano
    >>> @theano.gof.inplace_optimizer
    ... def nothing_inplace(fgraph):
    ...     pass
    >>> theano.gof.FunctionGraph([], []) and print(nothing_inplace)
    nothing_inplace
    """
    return FromFunctionOptimizer(f, [lambda fgraph: fgraph.attach_feature(DestroyHandler())])


class FunctionPass(Optimizer):
    """A pass of our own: a function of the graph and the trace that counts its changes."""

    def __init__(self, name: str, fn: Callable[[Any, RewriteTrace | None], int]) -> None:
        self.name = name
        self.fn = fn

    def apply(self, fgraph: Any, *args: Any, **kwargs: Any) -> None:
        self.run(fgraph, None, None)

    def run(
        self, fgraph: Any, trace: RewriteTrace | None, times: dict[str, float] | None
    ) -> dict[str, int]:
        # what it makes names the lines of what that replaces, not whoever compiles
        with tracing.paused():
            n = self.fn(fgraph, trace)
        return {str(self): n} if n else {}


@documented_in("theano.gof.opt")
class MergeOptimizer(FunctionPass):
    """Makes equal constants one, and nodes that compute the same one.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> g = theano.gof.FunctionGraph([x], [T.exp(x) + T.exp(x)], clone=False)
    >>> theano.gof.MergeOptimizer().optimize(g); g
    [Elemwise{add,no_inplace}(*1 -> Elemwise{exp,no_inplace}(x), *1)]
    """

    def __init__(self, name: str = "MergeOptimizer") -> None:
        super().__init__(name, merge)


merge_optimizer = MergeOptimizer()


class _Newcomers(Feature):
    """Nodes that a rewrite brought in; they count only once it stands."""

    def __init__(self) -> None:
        self.nodes: list[Apply] = []

    def on_import(self, fgraph: Any, node: Apply, reason: Any) -> None:
        self.nodes.append(node)


@documented_in("theano.gof.opt")
class TopoOptimizer(Optimizer):
    """Applies one local optimizer to every node, once, and to the nodes that come of it.

    Parameters
    ----------
    local_opt : LocalOptimizer or rule
    order : {'in_to_out', 'out_to_in'}
    ignore_newtrees : bool
        Whether nodes that the optimizer makes are passed over.
    failure_callback : function, optional
        Called with (error, self, replacements, local_opt, node) when one fails; without it
        the error is raised.
    """

    def __init__(
        self,
        local_opt: Any,
        order: str = "in_to_out",
        ignore_newtrees: bool = False,
        failure_callback: Callable[..., Any] | None = None,
    ) -> None:
        if order not in ("in_to_out", "out_to_in"):
            raise ValueError(f"order must be 'in_to_out' or 'out_to_in', got {order!r}")
        self.local_opt = local_opt
        self.order = order
        self.ignore_newtrees = ignore_newtrees
        self.failure_callback = failure_callback
        rule = as_rule(local_opt)
        self._rewriter = Rewriter([rule], str(local_opt), on_failure=self._failed)
        self._rule = rule

    @staticmethod
    def warn(exc: Any, nav: Any, repl_pairs: Any, local_opt: Any, node: Any) -> None:
        """A failure_callback: warns, whatever the error."""
        Rewriter.complain(str(nav), as_rule(local_opt), node, exc)

    @staticmethod
    def warn_inplace(exc: Any, nav: Any, repl_pairs: Any, local_opt: Any, node: Any) -> None:
        """A failure_callback: warns, unless the graph refused the replacement."""
        if not isinstance(exc, InconsistencyError):
            TopoOptimizer.warn(exc, nav, repl_pairs, local_opt, node)

    @staticmethod
    def warn_ignore(exc: Any, nav: Any, repl_pairs: Any, local_opt: Any, node: Any) -> None:
        """A failure_callback: says nothing."""

    def _failed(self, where: str, rule: BaseRule, node: Apply, error: Exception) -> None:
        if self.failure_callback is None:
            raise error
        pairs = [(v, None) for v in node.outputs]
        self.failure_callback(error, self, pairs, self.local_opt, node)

    def add_requirements(self, fgraph: Any) -> None:
        fgraph.attach_feature(ReplaceValidate())
        if isinstance(self.local_opt, LocalOptimizer):
            self.local_opt.add_requirements(fgraph)

    def apply(self, fgraph: Any, start_from: Sequence[Variable] | None = None) -> None:
        self._visit(fgraph, None, start_from)

    def run(
        self, fgraph: Any, trace: RewriteTrace | None, times: dict[str, float] | None
    ) -> dict[str, int]:
        self.add_requirements(fgraph)
        begun = perf_counter()
        n = self._visit(fgraph, trace)
        if times is not None:
            times[self._rule.name] = times.get(self._rule.name, 0.0) + perf_counter() - begun
        return {self._rule.name: n} if n else {}

    def _visit(
        self,
        fgraph: Any,
        trace: RewriteTrace | None,
        start_from: Sequence[Variable] | None = None,
    ) -> int:
        forward = self.order == "in_to_out"
        order = fgraph.toposort()
        if start_from is not None:
            wanted = set(nodes_of(start_from))
            order = [node for node in order if node in wanted]
        queue = deque(order)
        most = self._rewriter.budget(fgraph)
        newcomers = _Newcomers()
        fgraph.attach_feature(newcomers)
        index, count = self._rewriter.index, 0
        try:
            with tracing.paused():
                while queue:
                    node = queue.popleft() if forward else queue.pop()
                    if node not in fgraph.apply_nodes or not index.of(node.op):
                        continue
                    newcomers.nodes.clear()
                    if not self._rewriter.attempt(self._rule, fgraph, node, trace):
                        continue
                    count += 1
                    if count > most:
                        self._rewriter.say_endless(self._rule, count, node)
                        break
                    if not self.ignore_newtrees:
                        queue.extend(newcomers.nodes)
        finally:
            fgraph.remove_feature(newcomers)
            index.forget()
        return count

    def __str__(self) -> str:
        return self.name or f"TopoOptimizer({self.local_opt})"


@documented_in("theano.gof.opt")
def in2out(*local_opts: Any, **kwargs: Any) -> TopoOptimizer:
    """A pass that applies local optimizers from the inputs to the outputs.

    >>> import theano, theano.tensor as T
    >>> print(theano.gof.opt.in2out(theano.gof.OpRemove(T.neg), name="no_neg"))
    no_neg
    """
    return _topo("in_to_out", local_opts, kwargs)


@documented_in("theano.gof.opt")
def out2in(*local_opts: Any, **kwargs: Any) -> TopoOptimizer:
    """A pass that applies local optimizers from the outputs to the inputs.

    >>> import theano, theano.tensor as T
    >>> theano.gof.opt.out2in(theano.gof.OpRemove(T.neg)).order
    'out_to_in'
    """
    return _topo("out_to_in", local_opts, kwargs)


def _topo(order: str, local_opts: Sequence[Any], kwargs: dict[str, Any]) -> TopoOptimizer:
    opt = local_opts[0] if len(local_opts) == 1 else LocalOptGroup(*local_opts)
    name = kwargs.pop("name", None)
    made = TopoOptimizer(opt, order, failure_callback=TopoOptimizer.warn_inplace, **kwargs)
    made.name = name or str(opt)
    return made


@documented_in("theano.gof.opt")
def copy_stack_trace(from_var: Any, to_var: Any) -> Any:
    """Give variables the lines of the user's program that made other ones; returns ``to_var``.

    The driver does that for whatever it replaces: only code that builds graphs elsewhere needs it.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> a, b = x + 1, x * 2
    >>> theano.gof.opt.copy_stack_trace(a, b) is b, b.owner.trace == a.owner.trace
    (True, True)
    """
    sources = from_var if isinstance(from_var, (list, tuple)) else [from_var]
    targets = to_var if isinstance(to_var, (list, tuple)) else [to_var]
    found = next((v.owner for v in sources if v.owner is not None), None)
    for v in targets:
        if found is not None and v.owner is not None:
            v.owner.trace = found.trace
    return to_var


@documented_in("theano.gof.opt")
class EquilibriumOptimizer(Optimizer):
    """Applies rewrites until none of them changes the graph.

    Parameters
    ----------
    optimizers : sequence
        Local optimizers and rules, in this order on each node; passes run when those are done.
    max_use_ratio : float, optional
        How often, for each node of the graph, one rewrite may be used before it is set aside with
        a warning; by default ``config.optdb.max_use_ratio``.
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
        # where nodes overwrite, each change has to be checked, whoever makes it
        if self.local or self.passes or hasattr(fgraph, "destroyers"):
            self.add_requirements(fgraph)
        return self._until_still(fgraph, trace, times)

    def _until_still(
        self, fgraph: Any, trace: RewriteTrace | None, times: dict[str, float] | None
    ) -> dict[str, int]:
        uses = self._rewriter.rewrite(fgraph, trace, times)
        rounds, most = 0, self._rewriter.budget(fgraph)
        while self.passes:
            made: dict[str, int] = {}
            for each in self.passes:
                add_uses(made, each.run(fgraph, trace, times))
            add_uses(uses, made)
            rounds += 1
            if not made:
                break
            if rounds > most:
                warnings.warn(
                    f"{self.name}: {', '.join(made)} changed the graph {rounds} times over and is "
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


def add_uses(uses: dict[str, int], more: dict[str, int]) -> None:
    """Add counts to counts."""
    for name, n in more.items():
        uses[name] = uses.get(name, 0) + n


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
