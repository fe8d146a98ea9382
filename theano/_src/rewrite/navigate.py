"""Passes that apply one local optimizer to all nodes of a graph, or to the nodes of one op."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import Any

from theano._src.graph import source_line as tracing
from theano._src.graph.features import Feature, NodeFinder, ReplaceValidate
from theano._src.graph.graph import Apply, Variable
from theano._src.graph.walk import nodes_of
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import InconsistencyError
from theano._src.rewrite.driver import Rewriter
from theano._src.rewrite.local import LocalOptGroup, LocalOptimizer, as_rule
from theano._src.rewrite.log import RewriteTrace
from theano._src.rewrite.passes import Optimizer
from theano._src.rewrite.pattern import same_op
from theano._src.rewrite.rule import BaseRule


class _Newcomers(Feature):
    """Records the nodes that a rewrite adds; they are visited only if the rewrite is kept."""

    def __init__(self) -> None:
        self.nodes: list[Apply] = []

    def on_import(self, fgraph: Any, node: Apply, reason: Any) -> None:
        self.nodes.append(node)


@documented_in("theano.gof.opt")
class Updater(Feature):
    """Calls functions when nodes are added, removed or changed; each function may be None."""

    def __init__(self, importer: Any, pruner: Any, chin: Any, name: str | None = None) -> None:
        self.importer, self.pruner, self.chin, self.name = importer, pruner, chin, name

    def on_import(self, fgraph: Any, node: Apply, reason: Any) -> None:
        if self.importer is not None:
            self.importer(node)

    def on_prune(self, fgraph: Any, node: Apply, reason: Any) -> None:
        if self.pruner is not None:
            self.pruner(node)

    def on_change_input(
        self, fgraph: Any, node: Any, i: int, old: Variable, new: Variable, reason: Any
    ) -> None:
        if self.chin is not None:
            self.chin(node, i, old, new, reason)

    def __str__(self) -> str:
        return f"Updater{{{self.name}}}"


@documented_in("theano.gof.opt")
class NavigatorOptimizer(Optimizer):
    """Applies a local optimizer to nodes; a subclass chooses the nodes in ``apply``.

    Parameters
    ----------
    local_opt : LocalOptimizer or rule
    ignore_newtrees : bool or 'auto'
        Whether to skip nodes that the optimizer creates; ``'auto'`` skips them if its attribute
        ``reentrant`` (True by default) is false.
    failure_callback : function, optional
        Called with (error, self, replacements, local_opt, node) when the optimizer fails or the
        graph refuses its result. Without it, an error is raised and a refusal is ignored.

    >>> import theano, theano.tensor as T
    >>> class FirstNode(theano.gof.NavigatorOptimizer):
    ...     def apply(self, fgraph):
    ...         self.process_node(fgraph, fgraph.toposort()[0])
    >>> x = T.dscalar("x")
    >>> g = theano.gof.FunctionGraph([x], [-T.exp(-x)], clone=False)
    >>> FirstNode(theano.gof.OpRemove(T.neg)).optimize(g); g
    [Elemwise{neg,no_inplace}(Elemwise{exp,no_inplace}(x))]
    """

    def __init__(
        self,
        local_opt: Any,
        ignore_newtrees: bool | str = "auto",
        failure_callback: Callable[..., Any] | None = None,
    ) -> None:
        self.local_opt = local_opt
        if ignore_newtrees == "auto":
            ignore_newtrees = not getattr(local_opt, "reentrant", True)
        self.ignore_newtrees = bool(ignore_newtrees)
        self.failure_callback = failure_callback
        self._rule = as_rule(local_opt)
        self._rewriter = Rewriter(
            [self._rule],
            str(local_opt),
            on_failure=self._failed,
            on_refusal=None if failure_callback is None else self._failed,
        )

    @staticmethod
    def warn(exc: Any, nav: Any, repl_pairs: Any, local_opt: Any, node: Any) -> None:
        """A failure_callback: handle every error as ``config.on_opt_error`` says."""
        Rewriter.complain(str(nav), as_rule(local_opt), node, exc)

    @staticmethod
    def warn_inplace(exc: Any, nav: Any, repl_pairs: Any, local_opt: Any, node: Any) -> None:
        """A failure_callback: as ``warn``, but ignore replacements that the graph refused."""
        if not isinstance(exc, InconsistencyError):
            NavigatorOptimizer.warn(exc, nav, repl_pairs, local_opt, node)

    @staticmethod
    def warn_ignore(exc: Any, nav: Any, repl_pairs: Any, local_opt: Any, node: Any) -> None:
        """A failure_callback: ignore every error."""

    def _failed(self, where: str, rule: BaseRule, node: Apply, error: Exception) -> None:
        if self.failure_callback is None:
            raise error
        pairs = [(v, None) for v in node.outputs]
        self.failure_callback(error, self, pairs, self.local_opt, node)

    def add_requirements(self, fgraph: Any) -> None:
        fgraph.attach_feature(ReplaceValidate())
        if isinstance(self.local_opt, LocalOptimizer):
            self.local_opt.add_requirements(fgraph)

    def attach_updater(
        self, fgraph: Any, importer: Any, pruner: Any, chin: Any = None, name: str | None = None
    ) -> Updater | None:
        """Call functions for nodes added (``importer``), removed, and for changed inputs.

        ``importer`` is not called if new nodes are skipped (``ignore_newtrees``). Pass the result
        to ``detach_updater``.
        """
        if self.ignore_newtrees:
            importer = None
        if importer is None and pruner is None:
            return None
        updater = Updater(importer, pruner, chin, name)
        fgraph.attach_feature(updater)
        return updater

    def detach_updater(self, fgraph: Any, u: Updater | None) -> None:
        """Detach the updater that ``attach_updater`` returned."""
        if u is not None:
            fgraph.remove_feature(u)

    def process_node(self, fgraph: Any, node: Apply, lopt: Any = None) -> bool:
        """Apply the local optimizer, or ``lopt``, to one node; return whether the graph changed."""
        rule = self._rule if lopt is None else as_rule(lopt)
        with tracing.paused():
            return self._rewriter.attempt(rule, fgraph, node)

    def run(
        self, fgraph: Any, trace: RewriteTrace | None, times: dict[str, float] | None
    ) -> dict[str, int]:
        begun = perf_counter()
        if type(self)._visit is NavigatorOptimizer._visit:
            result = super().run(fgraph, trace, times)
        else:
            self.add_requirements(fgraph)
            n = self._visit(fgraph, trace)
            result = {self._rule.name: n} if n else {}
        if times is not None:
            times[self._rule.name] = times.get(self._rule.name, 0.0) + perf_counter() - begun
        return result

    def _visit(self, fgraph: Any, trace: RewriteTrace | None) -> int:
        """Traverse the graph; return how often the optimizer changed it."""
        raise NotImplementedError(f"{type(self).__name__}.apply")

    def _through(
        self,
        fgraph: Any,
        nodes: Iterable[Apply],
        first: bool,
        trace: RewriteTrace | None,
        wanted: Callable[[Apply], Any],
    ) -> int:
        """Apply the rule to queued nodes, from the front or the back, until the queue is empty."""
        queue = deque(nodes)
        most = self._rewriter.budget(fgraph)
        newcomers = _Newcomers()
        fgraph.attach_feature(newcomers)
        count = 0
        try:
            with tracing.paused():
                while queue:
                    node = queue.popleft() if first else queue.pop()
                    if node not in fgraph.apply_nodes or not wanted(node):
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
            self._rewriter.index.forget()
        return count

    def __str__(self) -> str:
        return self.name or f"{type(self).__name__}({self.local_opt})"


@documented_in("theano.gof.opt")
class TopoOptimizer(NavigatorOptimizer):
    """Applies one local optimizer once to every node, and to the nodes that it creates.

    Parameters
    ----------
    local_opt : LocalOptimizer or rule
    order : {'in_to_out', 'out_to_in'}
    ignore_newtrees : bool
        Whether to skip nodes that the optimizer creates.
    failure_callback : function, optional
        As for ``NavigatorOptimizer``.
    """

    def __init__(
        self,
        local_opt: Any,
        order: str = "in_to_out",
        ignore_newtrees: bool | str = False,
        failure_callback: Callable[..., Any] | None = None,
    ) -> None:
        if order not in ("in_to_out", "out_to_in"):
            raise ValueError(f"order must be 'in_to_out' or 'out_to_in', got {order!r}")
        super().__init__(local_opt, ignore_newtrees, failure_callback)
        self.order = order

    def apply(self, fgraph: Any, start_from: Sequence[Variable] | None = None) -> None:
        self._visit(fgraph, None, start_from)

    def _visit(
        self,
        fgraph: Any,
        trace: RewriteTrace | None,
        start_from: Sequence[Variable] | None = None,
    ) -> int:
        # by data only: a graph whose nodes overwrite memory that others still read has no order
        order = nodes_of(fgraph.outputs if start_from is None else start_from, fgraph.inputs)
        index = self._rewriter.index
        forward = self.order == "in_to_out"
        return self._through(fgraph, order, forward, trace, lambda node: index.of(node.op))


@documented_in("theano.gof.opt")
class OpKeyOptimizer(NavigatorOptimizer):
    """Applies a local optimizer to the nodes of the op that its method ``op_key`` returns.

    Parameters
    ----------
    local_opt : LocalOptimizer
        Its ``op_key()`` returns an op or a list of ops.
    ignore_newtrees : bool
        Whether to skip nodes that the optimizer creates.
    failure_callback : function, optional
        As for ``NavigatorOptimizer``.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> g = theano.gof.FunctionGraph([x], [T.exp(-(-x))], clone=False)
    >>> theano.gof.OpKeyOptimizer(theano.gof.OpRemove(T.neg)).optimize(g); g
    [Elemwise{exp,no_inplace}(x)]
    """

    def __init__(
        self,
        local_opt: Any,
        ignore_newtrees: bool | str = False,
        failure_callback: Callable[..., Any] | None = None,
    ) -> None:
        if not hasattr(local_opt, "op_key"):
            raise TypeError(
                f"OpKeyOptimizer takes a local optimizer that has a method op_key, got {local_opt};"
                " TopoOptimizer takes any"
            )
        super().__init__(local_opt, ignore_newtrees, failure_callback)

    def add_requirements(self, fgraph: Any) -> None:
        super().add_requirements(fgraph)
        fgraph.attach_feature(NodeFinder())

    def apply(self, fgraph: Any, *args: Any, **kwargs: Any) -> None:
        self._visit(fgraph, None)

    def _visit(self, fgraph: Any, trace: RewriteTrace | None) -> int:
        result = self.local_opt.op_key()
        keys = result if isinstance(result, (list, tuple)) else [result]
        nodes = [node for key in keys for node in fgraph.get_nodes(key)]

        def wanted(node: Apply) -> bool:
            return any(same_op(node.op, key) for key in keys)

        return self._through(fgraph, nodes, False, trace, wanted)


@documented_in("theano.gof.opt")
def in2out(*local_opts: Any, **kwargs: Any) -> TopoOptimizer:
    """Return a pass that applies local optimizers from the inputs to the outputs.

    >>> import theano, theano.tensor as T
    >>> print(theano.gof.opt.in2out(theano.gof.OpRemove(T.neg), name="no_neg"))
    no_neg
    """
    return _topo("in_to_out", local_opts, kwargs)


@documented_in("theano.gof.opt")
def out2in(*local_opts: Any, **kwargs: Any) -> TopoOptimizer:
    """Return a pass that applies local optimizers from the outputs to the inputs.

    >>> import theano, theano.tensor as T
    >>> theano.gof.opt.out2in(theano.gof.OpRemove(T.neg)).order
    'out_to_in'
    """
    return _topo("out_to_in", local_opts, kwargs)


def _topo(order: str, local_opts: Sequence[Any], kwargs: dict[str, Any]) -> TopoOptimizer:
    opt = local_opts[0] if len(local_opts) == 1 else LocalOptGroup(*local_opts)
    name = kwargs.pop("name", None)
    optimizer = TopoOptimizer(opt, order, failure_callback=TopoOptimizer.warn_inplace, **kwargs)
    optimizer.name = name or str(opt)
    return optimizer


def check_chain(r: Any, *chain: Any) -> bool:
    """Whether a variable or node is computed by a chain of ops.

    The chain follows the first input of each node. An element of the chain is an op, an op class,
    or None for any op.

    >>> import theano, theano.tensor as T
    >>> x = T.dvector("x")
    >>> theano.gof.opt.check_chain(T.sum(T.exp(x)), T.elemwise.Sum, T.exp)
    True
    >>> theano.gof.opt.check_chain(T.sum(x), T.elemwise.Sum, T.exp)
    False
    """
    node = r if isinstance(r, Apply) else r.owner
    for wanted in chain:
        if node is None:
            return False
        fits = (
            isinstance(node.op, wanted)
            if isinstance(wanted, type)
            else wanted is None or node.op == wanted
        )
        if not fits:
            return False
        node = node.inputs[0].owner if node.inputs else None
    return True
