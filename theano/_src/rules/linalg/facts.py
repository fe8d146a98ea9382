"""The facts about the matrices of a graph, kept while it is rewritten."""

from __future__ import annotations

from typing import Any

from theano._src.graph.features import Feature
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import AlreadyThere
from theano._src.ops.linalg.facts import NOTHING, Facts, facts_of_hints
from theano._src.ops.linalg.hints import Hint
from theano._src.ops.linalg.inverse import Det, MatrixInverse, SLogDet
from theano._src.ops.linalg.solve import Solve
from theano._src.ops.linalg.triangular import SolveTriangular
from theano._src.rewrite.passes import Optimizer
from theano._src.rules.linalg.derived import (
    facts_of_constant,
    facts_of_outputs,
    facts_within,
    implies,
)


@documented_in("theano.sandbox.linalg.ops")
class HintsFeature(Feature):
    """Keeps what is known about each matrix of a graph: by hints, and by what follows from them.

    When a variable is replaced by another, what is known of it holds for the other, too. An
    exception is a hint that is removed: other uses of its input may not be what the user meant.

    >>> import theano, theano.tensor as T
    >>> from theano.sandbox.linalg.ops import HintsFeature, psd
    >>> x = T.dmatrix("x")
    >>> g = theano.gof.FunctionGraph([x], [psd(x)], clone=False)
    >>> g.attach_feature(HintsFeature())
    >>> g.hints_feature.hints[g.outputs[0]]
    {'psd': True, 'symmetric': True}
    """

    def on_attach(self, fgraph: Any) -> None:
        if hasattr(fgraph, "hints_feature"):
            raise AlreadyThere(f"{fgraph} has a HintsFeature")
        fgraph.hints_feature = self
        self.facts: dict[Variable, Facts] = {}
        for node in fgraph.toposort():
            self.on_import(fgraph, node, "on_attach")

    def on_detach(self, fgraph: Any) -> None:
        del fgraph.hints_feature

    @property
    def hints(self) -> dict[Variable, dict[str, Any]]:
        """The facts, by variable and name."""
        return {v: facts.hints() for v, facts in self.facts.items()}

    def of(self, v: Variable) -> Facts:
        """The facts about ``v``."""
        facts = self.facts.get(v)
        if facts is not None:
            return facts
        return facts_of_constant(v) if isinstance(v, Constant) else NOTHING

    def add_hint(self, r: Variable, k: str, v: Any) -> None:
        """Record that the property ``k`` of ``r`` is ``v``."""
        self._learn([(r, facts_of_hints({k: v}))])

    def on_import(self, fgraph: FunctionGraph, node: Apply, reason: Any) -> None:
        if implies(node.op):
            self._learn(facts_of_outputs(node, self.of))

    def on_prune(self, fgraph: FunctionGraph, node: Apply, reason: Any) -> None:
        for v in node.outputs:
            self.facts.pop(v, None)

    def on_change_input(
        self,
        fgraph: FunctionGraph,
        node: Apply | str,
        i: int,
        r: Variable,
        new_r: Variable,
        reason: Any = None,
    ) -> None:
        known = self.facts.get(r)
        if known is not None and not _is_hint_of(r, new_r):
            self._learn([(new_r, known)])
        if isinstance(node, Apply) and implies(node.op):
            self._learn(facts_of_outputs(node, self.of))

    def _learn(self, todo: list[tuple[Variable, Facts]]) -> None:
        """Record facts, and what follows from them for the nodes that use these variables.

        A variable learns a fact once, so all of this takes time linear in the graph.
        """
        while todo:
            v, facts = todo.pop()
            old = self.of(v)
            new = old | facts
            if new == old:
                continue
            self.facts[v] = new
            for node, _ in v._clients or ():
                if node != "output" and implies(node.op):
                    todo.extend(facts_of_outputs(node, self.of))


def _is_hint_of(r: Variable, new_r: Variable) -> bool:
    return r.owner is not None and isinstance(r.owner.op, Hint) and r.owner.inputs[0] is new_r


@documented_in("theano.sandbox.linalg.ops")
class HintsOptimizer(Optimizer):
    """Attaches a ``HintsFeature`` to a graph, and changes nothing.

    >>> import theano, theano.tensor as T
    >>> from theano.sandbox.linalg.ops import HintsOptimizer
    >>> x = T.dmatrix("x")
    >>> g = theano.gof.FunctionGraph([x], [x + 1], clone=False)
    >>> HintsOptimizer().optimize(g)
    >>> g.hints_feature.hints
    {}
    """

    def add_requirements(self, fgraph: FunctionGraph) -> None:
        fgraph.attach_feature(HintsFeature())

    def apply(self, fgraph: FunctionGraph, *args: Any, **kwargs: Any) -> None:
        """Do nothing: attaching the feature is enough."""


def facts_of(fgraph: Any, v: Variable) -> Facts:
    """The facts about a variable; the first question of a graph attaches its feature."""
    if fgraph is None:
        facts = facts_within([v]).get(v)
        return facts or (facts_of_constant(v) if isinstance(v, Constant) else NOTHING)
    if not hasattr(fgraph, "hints_feature"):
        fgraph.attach_feature(HintsFeature())
    feature: HintsFeature = fgraph.hints_feature
    return feature.of(v)


#: ops whose rules read facts
READERS = (Hint, Solve, SolveTriangular, MatrixInverse, Det, SLogDet)


def attach_facts(fgraph: Any, trace: Any = None) -> int:
    """Attach a HintsFeature to a graph in which rules may use it; a pass of the pipeline."""
    if any(isinstance(node.op, READERS) for node in fgraph.apply_nodes):
        fgraph.attach_feature(HintsFeature())
    return 0


@documented_in("theano.sandbox.linalg.ops")
def hints(variable: Variable) -> dict[str, Any]:
    """Return what is known about a variable: by hints, and by what follows from them.

    >>> import theano.tensor as T
    >>> from theano.sandbox.linalg.ops import hints, psd
    >>> hints(psd(T.dmatrix()))
    {'psd': True, 'symmetric': True}
    >>> hints(T.slinalg.cholesky(T.dmatrix()).T)
    {'upper': True, 'square': True}
    """
    return facts_of(variable.fgraph, variable).hints()


@documented_in("theano.sandbox.linalg.ops")
def is_psd(v: Variable) -> bool:
    """Whether a hint says that ``v`` is positive semi-definite.

    >>> import theano.tensor as T
    >>> from theano.sandbox.linalg.ops import is_psd, psd
    >>> is_psd(psd(T.dmatrix()))
    True
    """
    return bool(hints(v).get("psd", False))


@documented_in("theano.sandbox.linalg.ops")
def is_symmetric(v: Variable) -> bool:
    """Whether a hint says that ``v`` is symmetric.

    >>> import theano.tensor as T
    >>> from theano.sandbox.linalg.ops import is_symmetric
    >>> is_symmetric(T.dmatrix())
    False
    """
    return bool(hints(v).get("symmetric", False))
