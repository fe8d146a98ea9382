"""The driver: applies rules to a graph with a worklist until none of them fires."""

from __future__ import annotations

import sys
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from time import perf_counter
from typing import Any

from theano._src.graph import source_line as tracing
from theano._src.graph.features import Feature
from theano._src.graph.graph import Apply, Variable
from theano._src.ground.config import config
from theano._src.ground.errors import BadOptimization, InconsistencyError
from theano._src.rewrite.log import RewriteTrace, user_line
from theano._src.rewrite.pattern import scalar_op_of
from theano._src.rewrite.rule import BaseRule

Restore = Callable[[Variable, Any], Variable | None]
OnFailure = Callable[[str, BaseRule, Apply, Exception], None]


class RewriteWarning(UserWarning):
    """A rule failed or did not terminate; the graph is correct, but less rewritten."""


class RuleIndex:
    """Finds the rules that track an op, in their given order."""

    def __init__(self, rules: Iterable[BaseRule]) -> None:
        self.rules = tuple(rules)
        self._by_op: dict[Any, list[int]] = {}
        self._by_class: dict[type, list[int]] = {}
        self._always: list[int] = []
        for k, rule in enumerate(self.rules):
            if not rule.tracks:
                self._always.append(k)
            for what in rule.tracks:
                where = self._by_class if isinstance(what, type) else self._by_op
                where.setdefault(what, []).append(k)
        # classes with tracked instances; for other classes, the class alone decides
        self._named = {type(op) for op in self._by_op}
        self._by_kind: dict[tuple[type, type], tuple[BaseRule, ...]] = {}
        self._by_equal: dict[Any, tuple[BaseRule, ...]] = {}
        # ops are stored with their rules, so that their ids are not reused meanwhile
        self._rules_by_op: dict[int, tuple[Any, tuple[BaseRule, ...]]] = {}

    def of(self, op: Any) -> tuple[BaseRule, ...]:
        """Return the rules for nodes of ``op``."""
        hit = self._rules_by_op.get(id(op))
        if hit is None:
            hit = self._rules_by_op[id(op)] = (op, self._search(op))
        return hit[1]

    def _search(self, op: Any) -> tuple[BaseRule, ...]:
        kind = (type(op), type(scalar_op_of(op)))
        of_kind = self._by_kind.get(kind)
        if of_kind is None:
            of_kind = self._by_kind[kind] = self._in_order(self._of_kind(kind))
        if kind[0] not in self._named:
            return of_kind
        try:
            rules = self._by_equal.get(op)
            more = self._by_op.get(op, ()) if rules is None else ()
        except TypeError:
            # a user's op that defines equality but no hash
            some = [k for what, ks in self._by_op.items() if what == op for k in ks]
            return self._in_order({*some, *self._of_kind(kind)})
        if rules is None:
            if not more:
                return of_kind
            rules = self._by_equal[op] = self._in_order({*more, *self._of_kind(kind)})
        return rules

    def _of_kind(self, kind: tuple[type, type]) -> set[int]:
        positions = set(self._always)
        # rules for a scalar op apply to it under Elemwise, not to the bare scalar op
        own = () if getattr(kind[0], "of_numbers", False) else kind[0].__mro__
        for cls in (*own, *kind[1].__mro__):
            positions.update(self._by_class.get(cls, ()))
        return positions

    def _in_order(self, positions: set[int]) -> tuple[BaseRule, ...]:
        return tuple(self.rules[k] for k in sorted(positions))

    def forget(self) -> None:
        """Release the ops seen so far."""
        self._rules_by_op = {}


class Worklist(Feature):
    """Queue of nodes to visit; a Feature, to observe changes.

    Changes are recorded first, and queued only when the rewrite is kept (``keep``). Otherwise a
    rewrite that is undone would queue the very node that it failed on.
    """

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self._queue: deque[Apply] = deque()
        self._waiting: set[Apply] = set()
        self._imported: list[Apply] = []
        self._changed: list[Apply] = []
        self._freed: list[Variable] = []  # variables that lost a user

    def fill(self, nodes: Iterable[Apply]) -> None:
        """Replace the queue by these nodes, in this order."""
        self.drop()
        self._queue = deque(nodes)
        self._waiting = set(self._queue)

    def take(self) -> Apply | None:
        """Return the next node, which may have left the graph, or None."""
        if not self._queue:
            return None
        node = self._queue.popleft()
        self._waiting.discard(node)
        return node

    def on_import(self, fgraph: Any, node: Apply, reason: Any) -> None:
        self._imported.append(node)

    def on_change_input(
        self, fgraph: Any, node: Any, i: int, old: Variable, new: Variable, reason: Any
    ) -> None:
        if node != "output":
            self._changed.append(node)
        self._freed.append(old)

    def on_prune(self, fgraph: Any, node: Apply, reason: Any) -> None:
        self._freed.extend(node.inputs)

    def drop(self) -> None:
        """Discard the recorded changes: they were undone."""
        # most rules do not fire, and nothing was recorded
        if self._imported or self._changed or self._freed:
            self._imported.clear()
            self._changed.clear()
            self._freed.clear()

    def keep(self, fgraph: Any) -> None:
        """Queue new nodes at the front, inputs before users; changed nodes and users at the end."""
        there, waiting = fgraph.apply_nodes, self._waiting
        fresh = [n for n in dict.fromkeys(self._imported) if n in there and n not in waiting]
        waiting.update(fresh)
        self._queue.extendleft(reversed(fresh))
        # a pattern that looks `depth` levels down may now match that far above the change
        level = self._changed
        for v in dict.fromkeys(self._freed):
            # a rule may require that a variable has a single user; each variable drops to one
            # user at most once, so this stays linear
            if v in fgraph.variables and v._clients is not None and len(v._clients) == 1:
                level.extend(user for user, _ in v._clients if user != "output")
                if v.owner is not None:
                    level.append(v.owner)
        for _ in range(self.depth):
            above: list[Apply] = []
            for node in level:
                if node in waiting or node not in there:
                    continue
                waiting.add(node)
                self._queue.append(node)
                for v in node.outputs:
                    above.extend(user for user, _ in v._clients or () if user != "output")
            level = above
        self.drop()


class Rewriter:
    """Applies rules to a FunctionGraph until none fires, in time near linear in nodes.

    Each node is tried once by the rules that track its op, and again when a part of the graph
    that a rule may inspect has changed. New nodes inherit the trace of the node they replace.

    Parameters
    ----------
    rules : iterable of rules
        Tried in this order on each node.
    name : str
        Used in messages.
    restore : function, optional
        Takes a replacement and the required type; returns a variable of that type or None. The
        default is ``filter_variable`` of the type.
    max_use_ratio : float, optional
        How often a rule may be used per node of the graph; ``config.optdb.max_use_ratio`` by
        default. A rule that exceeds it is disabled, with a warning.
    on_failure : function, optional
        Called with this name, the rule, the node and the error when a rule fails; by default
        ``config.on_opt_error`` decides.
    on_refusal : function, optional
        Called in the same way when the graph refuses a replacement (InconsistencyError), which is
        not a failure of the rule.

    >>> import theano, theano.tensor as T
    >>> from theano._src.rewrite.pattern import Hole
    >>> from theano._src.rewrite.rule import Rule
    >>> x, hole = T.dscalar("x"), Hole("x")
    >>> g = theano.gof.FunctionGraph([x], [T.neg(T.neg(x))], clone=False)
    >>> Rewriter([Rule("neg_neg", "canonicalize", T.neg(T.neg(hole)), hole)]).rewrite(g)
    {'neg_neg': 1}
    >>> g
    [x]
    """

    def __init__(
        self,
        rules: Iterable[BaseRule],
        name: str = "rewriting",
        restore: Restore | None = None,
        max_use_ratio: float | None = None,
        on_failure: OnFailure | None = None,
        on_refusal: OnFailure | None = None,
    ) -> None:
        self.name = name
        self.restore = restore
        self.max_use_ratio = max_use_ratio
        self.on_failure = on_failure or self.complain
        self.on_refusal = on_refusal
        self.index = RuleIndex(rules)
        self.depth = max([r.depth for r in self.index.rules], default=1)

    def rewrite(
        self,
        fgraph: Any,
        trace: RewriteTrace | None = None,
        times: dict[str, float] | None = None,
    ) -> dict[str, int]:
        """Rewrite ``fgraph`` in place; return how often each rule was used.

        ``times`` receives the seconds spent in each rule, used or not.
        """
        if not self.index.rules:
            return {}
        if trace is None and config.optimizer_verbose:
            trace = RewriteTrace(echo=True)
        uses: dict[str, int] = {}
        work = Worklist(self.depth)
        fgraph.attach_feature(work)
        try:
            with tracing.paused():
                self._until_none_waits(fgraph, work, uses, trace, times)
        finally:
            fgraph.remove_feature(work)
            self.index.forget()
        return uses

    def _until_none_waits(
        self,
        fgraph: Any,
        work: Worklist,
        uses: dict[str, int],
        trace: RewriteTrace | None,
        times: dict[str, float] | None,
    ) -> None:
        """Visit every node, and revisit nodes near changes, until the queue is empty."""
        budget, recounted = self.budget(fgraph), False
        aside: set[str] = set()
        work.fill(fgraph.toposort())
        rules_of, there = self.index.of, fgraph.apply_nodes
        while (node := work.take()) is not None:
            if node not in there:
                continue
            for rule in rules_of(node.op):
                if aside and rule.name in aside:
                    continue
                if times is None:
                    # `attempt`, inlined: most rules do not fire, and one call less is measurable
                    try:
                        result = rule.transform(fgraph, node)
                    except Exception as error:
                        self._failed(rule, node, error)
                        continue
                    if not result:
                        continue
                    fired = self._settle(rule, fgraph, node, result, trace)
                else:
                    start = perf_counter()
                    fired = self.attempt(rule, fgraph, node, trace)
                    times[rule.name] = times.get(rule.name, 0.0) + perf_counter() - start
                if not fired:
                    work.drop()
                    continue
                work.keep(fgraph)
                uses[rule.name] = n = uses.get(rule.name, 0) + 1
                if n >= budget and not recounted:
                    # other rules may have expanded one node into many; recount only once, or
                    # rules that add nodes would never end
                    budget, recounted = max(budget, self.budget(fgraph, n)), True
                if n >= budget:
                    aside.add(rule.name)
                    self.say_endless(rule, n, node)
                if node not in there:
                    break

    def budget(self, fgraph: Any, uses: int = 0) -> float:
        """Return how often one rule may be used on this graph, not counting ``uses`` nodes."""
        return self._ratio() * max(1, len(fgraph.apply_nodes) - uses)

    def _ratio(self) -> float:
        return float(
            config.optdb.max_use_ratio if self.max_use_ratio is None else self.max_use_ratio
        )

    def say_endless(self, rule: BaseRule, n: int, node: Apply) -> None:
        """Warn about a rule that has used up its budget."""
        at = user_line(node)
        warnings.warn(
            f"{self.name}: rule {rule.name} was used {n} times, "
            f"{self._ratio():g} times the number of nodes, last on {node}"
            f"{f' made at {at}' if at else ''}; it is left out of the rest. It may undo another "
            "rule: exclude one of them by name, or raise config.optdb.max_use_ratio",
            RewriteWarning,
            stacklevel=4,
        )

    def attempt(
        self, rule: BaseRule, fgraph: Any, node: Apply, trace: RewriteTrace | None = None
    ) -> bool:
        """Apply one rule to one node; return whether the graph changed."""
        try:
            result = rule.transform(fgraph, node)
        except Exception as error:
            self._failed(rule, node, error)
            return False
        return bool(result) and self._settle(rule, fgraph, node, result, trace)

    def _failed(self, rule: BaseRule, node: Apply, error: Exception) -> None:
        # a graph may refuse an in-place op before the change is made
        tell = self.on_refusal if isinstance(error, InconsistencyError) else self.on_failure
        if tell is not None:
            tell(self.name, rule, node, error)

    def _settle(
        self, rule: BaseRule, fgraph: Any, node: Apply, result: Any, trace: RewriteTrace | None
    ) -> bool:
        """Apply the result of a rule to the graph; return whether the graph changed."""
        try:
            pairs = self._pairs(rule, node, result)
            if not pairs:
                return False
            for old, new in pairs:
                copy_provenance(node, old, new)
            # formatted before the change, while the node is intact; added after it
            step = None if trace is None else trace.step(rule.name, node, [v for _, v in pairs])
            replace(fgraph, pairs, rule.name)
        except Exception as error:
            # if in-place ops forbid the change, the graph was reverted
            self._failed(rule, node, error)
            return False
        if trace is not None and step is not None:
            trace.add(step)
        return True

    def _pairs(self, rule: BaseRule, node: Apply, result: Any) -> list[tuple[Variable, Variable]]:
        if isinstance(result, Mapping):
            given = [(old, new) for old, new in result.items() if isinstance(old, Variable)]
        else:
            if not isinstance(result, (list, tuple)) or len(result) != len(node.outputs):
                raise TypeError(
                    f"rule {rule.name} takes {len(node.outputs)} replacements for the outputs of "
                    f"{node}, got {result!r}"
                )
            given = list(zip(node.outputs, result, strict=True))
        pairs = []
        for old, new in given:
            if new is None:
                if old._clients:
                    raise ValueError(f"rule {rule.name} drops {old}, which is still used")
                continue
            if new is old:
                continue
            equation = getattr(rule, "lhs", None) is not None
            if equation and _pattern(new) != _pattern(old):
                # a number in the pattern matched an array that broadcasts: ones((3,)) * x is not x
                return []
            fitted = self._fitted(new, old.type)
            if fitted is None:
                if equation:
                    # an equation does not mention types: it does not apply where they differ
                    return []
                raise BadOptimization(old, new, reason=rule.name)
            pairs.append((old, fitted))
        return pairs

    def _fitted(self, new: Any, wanted: Any) -> Variable | None:
        if isinstance(new, Variable) and (new.type is wanted or new.type == wanted):
            return new
        if self.restore is not None:
            restored = self.restore(new, wanted)
            if restored is not None:
                return restored
        try:
            fitted: Variable = wanted.filter_variable(new)
            return fitted
        except (TypeError, ValueError):
            return None

    @staticmethod
    def complain(where: str, rule: BaseRule, node: Apply, error: Exception) -> None:
        """Raise, warn about, or debug a failure, depending on ``config.on_opt_error``."""
        match config.on_opt_error:
            case "raise":
                at = user_line(node)
                text = f", made at {at}" if at else ""
                error.add_note(f"while {where} applied rule {rule.name} to {node}{text}")
                raise error
            case "pdb":
                import pdb

                traceback.print_exception(error)
                pdb.post_mortem(sys.exc_info()[2])
            case "warn":
                shown = "".join(traceback.format_exception(error))
                warnings.warn(
                    f"{where}: rule {rule.name} failed on {node} and is passed over there "
                    f"(config.on_opt_error='raise' stops instead):\n{shown}",
                    RewriteWarning,
                    stacklevel=5,
                )


def _pattern(v: Any) -> Any:
    return getattr(getattr(v, "type", None), "broadcastable", None)


def replace(fgraph: Any, pairs: Sequence[tuple[Variable, Variable]], reason: str) -> None:
    """Make the replacements; all or none of them if the graph can validate."""
    together = getattr(fgraph, "replace_all_validate", None)
    if together is not None:
        together(pairs, reason=reason, verbose=False)
    else:
        for old, new in pairs:
            # replacing one output may have removed the node, and its other outputs with it
            if old in fgraph.variables:
                fgraph.replace(old, new, reason)


def copy_provenance(node: Apply, old: Variable, new: Variable) -> None:
    """Copy the name of ``old`` to ``new``, and the line of ``node`` to all its new nodes."""
    if new.owner is None:
        return
    if old.name is not None and new.name is None:
        new.name = old.name
    stack = [new.owner]
    while stack:
        result = stack.pop()
        if result.fgraph is not None or result.trace is not None:
            continue
        if inherit(result, node):
            stack.extend(v.owner for v in result.inputs if v.owner is not None)


def inherit(out: Apply, node: Apply) -> bool:
    """Copy the line of ``node`` to ``out``; False if there is none, or ``out`` has its text."""
    out.trace = node.trace
    out.__dict__["rewritten"] = True
    if node.trace is None:
        # a loaded node has its lines as text; without text there is nothing to copy, and nothing
        # would mark this node as visited
        result = getattr(node._tag, "trace", None)
        if not result or hasattr(out._tag, "trace"):
            return False
        out.tag.trace = result
    return True


def replace_recorded(
    fgraph: Any,
    trace: RewriteTrace | None,
    name: str,
    node: Apply,
    pairs: Iterable[tuple[Variable, Variable]],
) -> None:
    """Replace variables as one recorded step of a pass, attributed to ``node``."""
    pairs = list(pairs)
    step = None if trace is None else trace.step(name, node, [new for _, new in pairs])
    for old, new in pairs:
        copy_provenance(node, old, new)
        if old._clients:
            fgraph.replace(old, new, reason=name)
    if trace is not None and step is not None:
        trace.add(step)
