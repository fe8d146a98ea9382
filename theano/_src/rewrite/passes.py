"""Passes: rewrites of whole graphs, as Theano documents them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from theano._src.graph import source_line as tracing
from theano._src.graph.destroy import DestroyHandler
from theano._src.graph.features import Feature
from theano._src.graph.graph import Apply, Variable
from theano._src.ground.documented import documented_in
from theano._src.ground.utils import MethodNotDefined
from theano._src.rewrite.driver import inherit
from theano._src.rewrite.log import RewriteTrace, Step
from theano._src.rewrite.merge import merge


@documented_in("theano.gof.opt")
class Optimizer:
    """A rewrite of a whole graph: a subclass defines ``apply`` and maybe ``add_requirements``.

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
        """Rewrite the graph in place."""
        raise MethodNotDefined("apply", type(self), self.__class__.__name__)

    def add_requirements(self, fgraph: Any) -> None:
        """Attach the features that ``apply`` needs to the graph."""

    def optimize(self, fgraph: Any, *args: Any, **kwargs: Any) -> None:
        """Attach the required features and rewrite the graph in place."""
        self.add_requirements(fgraph)
        self.apply(fgraph, *args, **kwargs)

    def __call__(self, fgraph: Any) -> None:
        self.optimize(fgraph)

    def run(
        self, fgraph: Any, trace: RewriteTrace | None, times: dict[str, float] | None
    ) -> dict[str, int]:
        """As ``optimize``; new nodes inherit the user's line, and replacements are counted."""
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
        """Print the name."""
        print(f"{' ' * level}{self}", file=stream or sys.stdout)

    def __str__(self) -> str:
        return self.name or getattr(self, "__name__", None) or type(self).__name__


class HandOn(Feature):
    """Copies the user's line to new nodes; counts and logs replacements."""

    def __init__(self, name: str, trace: RewriteTrace | None) -> None:
        self.name, self.trace = name, trace
        self._fresh: list[Apply] = []
        self._replacements: list[tuple[Variable, Variable, Step | None]] = []
        self._last: tuple[Variable, Variable] | None = None

    @property
    def count(self) -> int:
        """The number of replacements that were not reverted."""
        return len(self._replacements)

    def on_import(self, fgraph: Any, node: Apply, reason: Any) -> None:
        if node.trace is None:
            self._fresh.append(node)

    def on_change_input(
        self, fgraph: Any, node: Any, i: int, old: Variable, new: Variable, reason: Any
    ) -> None:
        # a replaced variable without owner: take the line of the node that uses it
        source = old.owner if old.owner is not None else node
        if source != "output":
            for item in self._fresh:
                inherit(item, source)
        self._fresh = []
        if self._last == (old, new):
            return  # one replacement is reported once per user of the variable
        self._last = (old, new)
        if reason == "Revert" and self._replacements and self._replacements[-1][:2] == (new, old):
            # the graph refused it
            _, _, step = self._replacements.pop()
            if self.trace is not None and step is not None:
                self.trace.take_back(step)
            return
        step = None
        if self.trace is not None and old.owner is not None:
            step = self.trace.step(str(reason or self.name), old.owner, [new])
            self.trace.note(step)
        self._replacements.append((old, new, step))


@documented_in("theano.gof.opt")
class FromFunctionOptimizer(Optimizer):
    """A pass defined by a function of the graph."""

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
    """Decorator that makes a function of the graph a pass.

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
    """Decorator that makes a function a pass which may insert in-place ops; the graph checks each.

    >>> import theano
    >>> @theano.gof.inplace_optimizer
    ... def nothing_inplace(fgraph):
    ...     pass
    >>> theano.gof.FunctionGraph([], []) and print(nothing_inplace)
    nothing_inplace
    """
    return FromFunctionOptimizer(f, [lambda fgraph: fgraph.attach_feature(DestroyHandler())])


@documented_in("theano.compile.mode")
class AddFeatureOptimizer(Optimizer):
    """A pass that attaches a feature to the graph and changes nothing.

    >>> import theano
    >>> g = theano.gof.FunctionGraph([], [])
    >>> feature = theano.gof.toolbox.NoOutputFromInplace()
    >>> theano.compile.mode.AddFeatureOptimizer(feature).optimize(g)
    >>> feature in g._features
    True
    """

    def __init__(self, feature: Any) -> None:
        self.feature = feature

    def add_requirements(self, fgraph: Any) -> None:
        fgraph.attach_feature(self.feature)

    def apply(self, fgraph: Any, *args: Any, **kwargs: Any) -> None:
        pass


@documented_in("theano.compile.mode")
class AddDestroyHandler(Optimizer):
    """A pass that attaches a DestroyHandler: from here on nodes may overwrite their inputs.

    >>> import theano
    >>> g = theano.gof.FunctionGraph([], [])
    >>> theano.compile.mode.AddDestroyHandler().optimize(g)
    >>> hasattr(g, "destroyers")
    True
    """

    def add_requirements(self, fgraph: Any) -> None:
        fgraph.attach_feature(DestroyHandler())

    def apply(self, fgraph: Any, *args: Any, **kwargs: Any) -> None:
        pass


class FunctionPass(Optimizer):
    """A pass defined by a function of graph and trace that returns its number of changes."""

    def __init__(self, name: str, fn: Callable[[Any, RewriteTrace | None], int]) -> None:
        self.name = name
        self.fn = fn

    def apply(self, fgraph: Any, *args: Any, **kwargs: Any) -> None:
        self.run(fgraph, None, None)

    def run(
        self, fgraph: Any, trace: RewriteTrace | None, times: dict[str, float] | None
    ) -> dict[str, int]:
        # new nodes get the lines of the nodes that they replace, not the line that compiles
        with tracing.paused():
            n = self.fn(fgraph, trace)
        return {str(self): n} if n else {}


@documented_in("theano.gof.opt")
class MergeOptimizer(FunctionPass):
    """Merges equal constants and nodes that compute the same.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> g = theano.gof.FunctionGraph([x], [T.exp(x) + T.exp(x)], clone=False)
    >>> theano.gof.MergeOptimizer().optimize(g); g
    [Elemwise{add,no_inplace}(*1 -> Elemwise{exp,no_inplace}(x), *1)]
    """

    def __init__(self, name: str = "MergeOptimizer") -> None:
        super().__init__(name, merge)


merge_optimizer = MergeOptimizer()


def add_uses(uses: dict[str, int], more: dict[str, int]) -> None:
    for name, n in more.items():
        uses[name] = uses.get(name, 0) + n


@dataclass
class Report:
    """Statistics of a rewriting: seconds and changes by pass, uses and seconds by rule."""

    nodes_before: int = 0
    nodes_after: int = 0
    seconds: float = 0.0
    passes: dict[str, float] = field(default_factory=dict)
    changes: dict[str, int] = field(default_factory=dict)
    uses: dict[str, int] = field(default_factory=dict)
    rule_seconds: dict[str, float] = field(default_factory=dict)
    trace: RewriteTrace | None = None
