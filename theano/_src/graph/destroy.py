"""In-place ops: the memory that nodes overwrite, and the order that this requires."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from theano._src.graph.features import Bookkeeper, Feature
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.walk import nodes_of, view_roots
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import AlreadyThere, InconsistencyError


@documented_in("theano.gof.destroyhandler")
class DestroyHandler(Bookkeeper):
    """Orders a graph with in-place ops: all readers of a buffer run before it is overwritten.

    A node that overwrites an input must come after every other node that reads that input's
    memory, directly or through views. ``validate`` rejects graphs in which this is impossible: a
    constant or an output is overwritten, two nodes overwrite the same memory, or the constraints
    form a cycle.
    """

    pickled = True

    def __init__(self) -> None:
        self.destroyers: dict[Apply, None] = {}
        self.fgraph: Any = None

    def on_attach(self, fgraph: Any) -> None:
        if hasattr(fgraph, "destroyers"):
            raise AlreadyThere("DestroyHandler is already attached")
        self.fgraph = fgraph
        fgraph.destroy_handler = self
        fgraph.destroyers = self.destroyers_of
        fgraph.has_destroyers = lambda variables: any(map(self.destroyers_of, variables))
        Bookkeeper.on_attach(self, fgraph)

    def on_detach(self, fgraph: Any) -> None:
        del fgraph.destroyers, fgraph.destroy_handler, fgraph.has_destroyers
        self.destroyers = {}
        self.fgraph = None

    def on_import(self, fgraph: Any, node: Apply, reason: Any) -> None:
        if getattr(node.op, "destroy_map", None):
            self.destroyers[node] = None

    def on_prune(self, fgraph: Any, node: Apply, reason: Any) -> None:
        self.destroyers.pop(node, None)

    def destroyers_of(self, variable: Variable) -> list[Apply]:
        """Return the nodes that overwrite the memory of ``variable``."""
        roots = set(view_roots(variable))
        return [n for n in self.destroyers if not roots.isdisjoint(_destroyed_roots(n))]

    def orderings(self, fgraph: Any) -> dict[Apply, list[Apply]]:
        taken: dict[Variable, Apply] = {}
        before: dict[Apply, list[Apply]] = {}
        protected = {v for f in fgraph._features for v in getattr(f, "protected", ())}
        for node in self.destroyers:
            tolerated = set(getattr(node.op, "destroyhandler_tolerate_aliased", None) or ())
            same_ok = set(getattr(node.op, "destroyhandler_tolerate_same", None) or ())
            first: dict[Apply, None] = {}
            for at, root in _destroyed(node):
                _refuse_if_untouchable(node, root, protected)
                if taken.setdefault(root, node) is not node:
                    raise InconsistencyError(
                        f"Multiple destroyers of {root}: {taken[root]} and {node}"
                    )
                for view in views_of(root):
                    for user, i in view._clients or ():
                        if user == "output":
                            raise InconsistencyError(
                                f"{node} would overwrite {view}, an output of the graph"
                            )
                        if user is not node:
                            first[user] = None
                        elif i != at and (at, i) not in tolerated:
                            if node.inputs[i] is node.inputs[at] and (at, i) in same_ok:
                                continue
                            raise InconsistencyError(
                                f"{node} would overwrite input {at} while it reads the same "
                                f"memory as input {i}"
                            )
            before[node] = list(first)
        return before

    def validate(self, fgraph: Any) -> None:
        """Raise InconsistencyError unless every reader can run before the node that overwrites."""
        if not self.destroyers:
            return
        try:
            nodes_of(fgraph.outputs, fgraph._input_set(), self.orderings(fgraph))
        except ValueError as e:
            raise InconsistencyError("Dependency graph contains cycles") from e


def _destroyed(node: Apply) -> list[tuple[int, Variable]]:
    """Return each input position that a node overwrites, with each root its memory may be of."""
    positions = [i for where in node.op.destroy_map.values() for i in where]
    return [(i, root) for i in positions for root in view_roots(node.inputs[i])]


def _destroyed_roots(node: Apply) -> list[Variable]:
    return [root for _, root in _destroyed(node)]


def views_of(root: Variable, but: Apply | None = None) -> list[Variable]:
    """Return ``root`` and all variables that may be views of it, except through node ``but``."""
    result = {root: None}
    stack = [root]
    while stack:
        v = stack.pop()
        for user, i in v._clients or ():
            if user == "output" or user is but:
                continue
            for out, sources in (getattr(user.op, "view_map", None) or {}).items():
                output = user.outputs[out]
                if i in sources and output not in result:
                    result[output] = None
                    stack.append(output)
    return list(result)


def indestructible(v: Variable) -> bool:
    """Whether ``v`` must not be overwritten: a constant, or tagged ``indestructible``."""
    return isinstance(v, Constant) or (
        v._tag is not None and bool(getattr(v._tag, "indestructible", False))
    )


def _refuse_if_untouchable(node: Apply, root: Variable, protected: set[Variable]) -> None:
    if indestructible(root):
        raise InconsistencyError(f"Attempting to destroy indestructible variable: {root}")
    if root in protected:
        raise InconsistencyError(f"Trying to destroy a protected Variable: {root} in {node}")


@documented_in("theano.compile.function_module")
class Supervisor(Feature):
    """Protects variables: no node may overwrite them.

    ``overwritten`` are the inputs that the user's own graph overwrites.
    """

    pickled = True

    def __init__(self, protected: Iterable[Variable], overwritten: Iterable[Variable] = ()) -> None:
        self.protected = list(protected)
        self.overwritten = list(overwritten)

    def validate(self, fgraph: Any) -> None:
        if not hasattr(fgraph, "destroyers"):
            return
        for r in self.protected:
            if fgraph.destroyers(r):
                raise InconsistencyError(f"Trying to destroy a protected Variable: {r}")


def overwritten_inputs(fgraph: Any) -> list[Variable]:
    """Return the inputs that the user's own graph overwrites; its callers rely on that."""
    return [v for f in fgraph._features for v in getattr(f, "overwritten", ())]


@documented_in("theano.gof.destroyhandler")
def fast_inplace_check(inputs: Iterable[Variable]) -> list[Variable]:
    """Return the ``inputs`` that an in-place op may try to overwrite; cycles are not checked.

    >>> import theano, theano.tensor as T
    >>> from theano.gof.destroyhandler import DestroyHandler, fast_inplace_check
    >>> x, y = T.dvectors("xy")
    >>> graph = theano.gof.FunctionGraph([x, y], [T.inplace.exp_inplace(x) + y], clone=False)
    >>> graph.attach_feature(DestroyHandler())
    >>> fast_inplace_check([x, y])
    [y]
    """
    candidates = list(inputs)
    if not candidates:
        return []
    fgraph = candidates[0].fgraph
    protected = {v for f in fgraph._features for v in getattr(f, "protected", ())}
    protected |= set(fgraph.outputs)
    return [
        v
        for v in candidates
        if not indestructible(v) and v not in protected and not fgraph.destroyers(v)
    ]
