"""Features: objects attached to a FunctionGraph that follow, check or undo its changes."""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter
from typing import Any

from theano._src.graph.graph import Apply, Variable
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ground.errors import AlreadyThere, InconsistencyError, ReplacementDidntRemovedError


@documented_in("theano.gof.toolbox")
class Feature:
    """Base class of features: the callbacks of a graph; a subclass overrides those it needs."""

    pickled = False

    def on_attach(self, fgraph: Any) -> None:
        """Called when attached; may add methods to the graph, or raise AlreadyThere."""

    def on_detach(self, fgraph: Any) -> None:
        """Called when removed; undoes ``on_attach``."""

    # the graph skips callbacks that a subclass does not override; subclasses name the arguments

    def on_import(self, *args: Any, **kwargs: Any) -> None:
        """Called for each node added: ``on_import(fgraph, node, reason)``."""

    def on_prune(self, *args: Any, **kwargs: Any) -> None:
        """Called for each node removed: ``on_prune(fgraph, node, reason)``."""

    def on_change_input(self, *args: Any, **kwargs: Any) -> None:
        """Called for each input that changes.

        The arguments are ``(fgraph, node, i, r, new_r, reason)``; ``node`` is "output" for outputs
        of the graph.
        """

    def orderings(self, fgraph: Any) -> dict[Apply, list[Apply]]:
        return {}


@documented_in("theano.gof.toolbox")
class Bookkeeper(Feature):
    """A feature that calls ``on_import`` per node when attached, ``on_prune`` when detached."""

    # NOTE: not by fgraph.toposort(): a graph in which nodes overwrite memory that others still
    # read has no order, and a feature may be there to repair it.

    def on_attach(self, fgraph: Any) -> None:
        for node in list(fgraph.apply_nodes):
            self.on_import(fgraph, node, "on_attach")

    def on_detach(self, fgraph: Any) -> None:
        for node in list(fgraph.apply_nodes):
            self.on_prune(fgraph, node, "on_detach")


@documented_in("theano.gof.opt")
class ChangeTracker(Feature):
    """Tracks whether a graph changed since ``reset``; it is ``change_tracker`` of the graph.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> g = theano.gof.FunctionGraph([x], [T.exp(x)])
    >>> g.attach_feature(theano.gof.opt.ChangeTracker())
    >>> g.replace(g.outputs[0], T.sqr(g.inputs[0]))
    >>> g.change_tracker.changed, g.change_tracker.nb_imported
    (True, 1)
    """

    def __init__(self) -> None:
        self.changed = False
        self.nb_imported = 0

    def reset(self) -> None:
        self.changed = False

    def on_attach(self, fgraph: Any) -> None:
        fgraph.change_tracker = self

    def on_detach(self, fgraph: Any) -> None:
        del fgraph.change_tracker

    def on_import(self, fgraph: Any, node: Apply, reason: Any) -> None:
        self.nb_imported += 1
        self.changed = True

    def on_change_input(
        self, fgraph: Any, node: Any, i: int, r: Variable, new_r: Variable, reason: Any = None
    ) -> None:
        self.changed = True


@documented_in("theano.gof.toolbox")
class History(Feature):
    """Records changes, so that a graph can be reverted to an earlier state.

    >>> import theano, theano.tensor as T
    >>> x, y = T.dscalars("xy")
    >>> g = theano.gof.FunctionGraph([x, y], [x + y], clone=False)
    >>> g.attach_feature(theano.gof.toolbox.History())
    >>> start = g.checkpoint()
    >>> g.replace(g.outputs[0], x)
    >>> g.revert(start); g
    [Elemwise{add,no_inplace}(x, y)]
    """

    pickled = True

    def __init__(self) -> None:
        self._undo: dict[Any, list[tuple[Any, int, Variable]]] = {}
        self._quiet: set[Any] = set()

    def on_attach(self, fgraph: Any) -> None:
        if hasattr(fgraph, "checkpoint") or hasattr(fgraph, "revert"):
            raise AlreadyThere("History is already attached, or the graph has such methods")
        self._undo[fgraph] = []
        fgraph.checkpoint = lambda: self.checkpoint(fgraph)
        fgraph.revert = lambda point: self.revert(fgraph, point)

    def on_detach(self, fgraph: Any) -> None:
        del fgraph.checkpoint, fgraph.revert
        del self._undo[fgraph]

    def on_change_input(
        self, fgraph: Any, node: Any, i: int, old: Variable, new: Variable, reason: Any
    ) -> None:
        if fgraph in self._undo and fgraph not in self._quiet:
            self._undo[fgraph].append((node, i, old))

    def checkpoint(self, fgraph: Any) -> int:
        """Return a checkpoint for ``revert``."""
        return len(self._undo[fgraph])

    def revert(self, fgraph: Any, checkpoint: int) -> None:
        """Undo all changes since ``checkpoint``."""
        changes = self._undo[fgraph]
        self._quiet.add(fgraph)
        try:
            while len(changes) > checkpoint:
                node, i, old = changes.pop()
                fgraph.change_input(node, i, old, "Revert")
        finally:
            self._quiet.discard(fgraph)

    def __getstate__(self) -> dict[str, Any]:
        return {"_undo": {}, "_quiet": set()}


@documented_in("theano.gof.toolbox")
class Validator(Feature):
    """Adds ``validate()`` to a graph, which calls ``validate`` of the features."""

    pickled = True

    def on_attach(self, fgraph: Any) -> None:
        if hasattr(fgraph, "validate"):
            raise AlreadyThere("Validator is already attached, or the graph has such a method")
        fgraph.validate = lambda: self.validate_(fgraph)
        fgraph.consistent = lambda: self.consistent_(fgraph)

    def on_detach(self, fgraph: Any) -> None:
        del fgraph.validate, fgraph.consistent

    def validate_(self, fgraph: Any) -> None:
        profile = getattr(fgraph, "profile", None)
        if profile is None:
            fgraph.execute_callbacks("validate")
            return
        begun = perf_counter()
        try:
            fgraph.execute_callbacks("validate")
        finally:
            profile.validate_time += perf_counter() - begun

    def consistent_(self, fgraph: Any) -> bool:
        try:
            self.validate_(fgraph)
            return True
        except InconsistencyError:
            return False


@documented_in("theano.gof.toolbox")
class ReplaceValidate(History, Validator):
    """Adds ``replace_validate`` to a graph: a replacement that is undone if it is invalid.

    >>> import theano, theano.tensor as T
    >>> x, y = T.dscalars("xy")
    >>> g = theano.gof.FunctionGraph([x, y], [x + y], clone=False)
    >>> g.attach_feature(theano.gof.toolbox.ReplaceValidate())
    >>> g.replace_validate(g.outputs[0], x * y); g
    [Elemwise{mul,no_inplace}(x, y)]
    """

    def on_attach(self, fgraph: Any) -> None:
        if hasattr(fgraph, "replace_validate"):
            raise AlreadyThere("ReplaceValidate is already attached")
        History.on_attach(self, fgraph)
        Validator.on_attach(self, fgraph)
        fgraph.replace_validate = lambda *a, **k: self.replace_validate(fgraph, *a, **k)
        fgraph.replace_all_validate = lambda *a, **k: self.replace_all_validate(fgraph, *a, **k)
        fgraph.replace_all_validate_remove = lambda *a, **k: self.replace_all_validate_remove(
            fgraph, *a, **k
        )

    def on_detach(self, fgraph: Any) -> None:
        History.on_detach(self, fgraph)
        Validator.on_detach(self, fgraph)
        del fgraph.replace_validate, fgraph.replace_all_validate
        del fgraph.replace_all_validate_remove

    def replace_validate(
        self, fgraph: Any, var: Variable, new_var: Variable, reason: Any = None
    ) -> None:
        """Replace ``var`` by ``new_var``, or raise and leave the graph as it was."""
        self.replace_all_validate(fgraph, [(var, new_var)], reason)

    def replace_all_validate(
        self,
        fgraph: Any,
        replacements: Iterable[tuple[Variable, Variable]],
        reason: Any = None,
        verbose: bool | None = None,
    ) -> int:
        """Make all replacements, or none of them."""
        start = len(self._undo[fgraph])
        try:
            for var, new_var in replacements:
                if var in fgraph.variables:
                    fgraph.replace(var, new_var, reason=reason)
            self.validate_(fgraph)
        except Exception:
            self.revert(fgraph, start)
            raise
        if config.optimizer_verbose if verbose is None else verbose:
            print(reason, list(replacements))
        return start

    def replace_all_validate_remove(
        self,
        fgraph: Any,
        replacements: Iterable[tuple[Variable, Variable]],
        remove: Iterable[Variable],
        reason: Any = None,
        warn: bool = True,
    ) -> None:
        """As ``replace_all_validate``; revert if any of ``remove`` is still in the graph."""
        start = self.replace_all_validate(fgraph, replacements, reason)
        for rm in remove:
            if rm in fgraph.apply_nodes or rm in fgraph.variables:
                fgraph.revert(start)
                raise ReplacementDidntRemovedError(f"{rm} is still used after {reason}")


@documented_in("theano.gof.toolbox")
class NodeFinder(Bookkeeper):
    """Adds ``get_nodes(op)`` to a graph: its nodes with that op."""

    def __init__(self) -> None:
        self.fgraph: Any = None
        self._by_op: dict[Any, dict[Apply, None]] = {}

    def on_attach(self, fgraph: Any) -> None:
        if self.fgraph is not None:
            raise ValueError("a NodeFinder serves one graph; make another")
        if hasattr(fgraph, "get_nodes"):
            raise AlreadyThere("NodeFinder is already attached")
        self.fgraph = fgraph
        fgraph.get_nodes = self.query
        Bookkeeper.on_attach(self, fgraph)

    def on_detach(self, fgraph: Any) -> None:
        del fgraph.get_nodes
        Bookkeeper.on_detach(self, fgraph)
        self.fgraph = None

    def on_import(self, fgraph: Any, node: Apply, reason: Any) -> None:
        self._by_op.setdefault(node.op, {})[node] = None

    def on_prune(self, fgraph: Any, node: Apply, reason: Any) -> None:
        result = self._by_op[node.op]
        del result[node]
        if not result:
            del self._by_op[node.op]

    def query(self, fgraph: Any, op: Any = None) -> list[Apply]:
        """Return the nodes with ``op``; also called as ``fgraph.get_nodes(op)``."""
        return list(self._by_op.get(fgraph if op is None else op, ()))


@documented_in("theano.gof.toolbox")
class PrintListener(Feature):
    """Prints each change of the graph."""

    def __init__(self, active: bool = True) -> None:
        self.active = active

    def _say(self, *what: Any) -> None:
        if self.active:
            print(*what)

    def on_attach(self, fgraph: Any) -> None:
        self._say("-- attaching to: ", fgraph)

    def on_detach(self, fgraph: Any) -> None:
        self._say("-- detaching from: ", fgraph)

    def on_import(self, fgraph: Any, node: Apply, reason: Any) -> None:
        self._say(f"-- importing: {node}, reason: {reason}")

    def on_prune(self, fgraph: Any, node: Apply, reason: Any) -> None:
        self._say(f"-- pruning: {node}, reason: {reason}")

    def on_change_input(
        self, fgraph: Any, node: Any, i: int, old: Variable, new: Variable, reason: Any
    ) -> None:
        self._say(f"-- changing ({node}.inputs[{i}]) from {old} to {new}, reason: {reason}")


@documented_in("theano.gof.toolbox")
class PreserveNames(Feature):
    """Copies the name of a replaced variable to its replacement, unless that has one."""

    pickled = True

    def on_change_input(
        self, fgraph: Any, node: Any, i: int, old: Variable, new: Variable, reason: Any
    ) -> None:
        if old.name is not None and new.name is None:
            new.name = old.name


@documented_in("theano.gof.toolbox")
class PreserveVariableAttributes(PreserveNames):
    """Copies name and ``tag.nan_guard_mode_check`` of a replaced variable to its replacement."""

    def on_change_input(
        self, fgraph: Any, node: Any, i: int, old: Variable, new: Variable, reason: Any
    ) -> None:
        super().on_change_input(fgraph, node, i, old, new, reason)
        if getattr(old._tag, "nan_guard_mode_check", False):
            new.tag.nan_guard_mode_check = True


@documented_in("theano.gof.toolbox")
class NoOutputFromInplace(Feature):
    """Rejects graphs in which an output is computed in place, in the memory of an input.

    Parameters
    ----------
    first_output_idx, last_output_idx : int, optional
        Which of the outputs, as for a slice; all by default.

    >>> import theano, theano.tensor as T
    >>> x = T.dvector("x")
    >>> g = theano.gof.FunctionGraph([x], [T.inplace.exp_inplace(x)], clone=False)
    >>> g.attach_feature(theano.gof.toolbox.NoOutputFromInplace())
    >>> g.attach_feature(theano.gof.toolbox.ReplaceValidate())
    >>> g.consistent()
    False
    """

    pickled = True

    def __init__(self, first_output_idx: int = 0, last_output_idx: int | None = None) -> None:
        self.first_idx = first_output_idx
        self.last_idx = last_output_idx

    def validate(self, fgraph: Any) -> None:
        """Raise InconsistencyError if one of the outputs is written in place."""
        for out in fgraph.outputs[self.first_idx : self.last_idx]:
            if out.owner is not None and out.index in (
                getattr(out.owner.op, "destroy_map", None) or {}
            ):
                raise InconsistencyError(
                    f"{out.owner} would write an output of the graph into the memory of an input; "
                    "NoOutputFromInplace forbids it"
                )
