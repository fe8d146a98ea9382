"""Rules: equations as data, and functions for rewrites that no equation can express."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from theano._src.graph.graph import Apply, Variable
from theano._src.rewrite.pattern import (
    Hole,
    Match,
    Pattern,
    build,
    fits,
    same_op,
    scalar_op_of,
)
from theano._src.rewrite.watch import watched

Replacement = Sequence[Variable | None] | Mapping[Variable, Variable] | bool | None


class BaseRule:
    """The interface of a rule for the driver and the database.

    Attributes
    ----------
    name : str
        What it matches, as a phrase.
    group : str
        The pass of the pipeline that it belongs to. The argument may name several, separated by
        spaces; the first is kept here, and all of them are tags.
    tags : frozenset of str
        Every tag that selects it: its name, groups and documented aliases, and ``fast_run``
        unless it is opt-in.
    tracks : tuple
        Ops, op classes, or scalar op classes under Elemwise; empty means every node.
    depth : int
        How many levels of nodes it inspects, from the root towards the inputs.
    hazard : str or None
        Where it may change results that a user sees.
    """

    def __init__(
        self,
        name: str,
        group: str,
        tags: Iterable[str],
        tracks: Iterable[Any],
        depth: int,
        hazard: str | None,
        example: Any,
        opt_in: bool,
    ) -> None:
        if isinstance(tags, str):
            raise TypeError(f"rule {name} takes a tuple of tags, got the string {tags!r}")
        groups = group.split()
        self.name = name
        self.group = groups[0]
        default = () if opt_in else ("fast_run",)
        self.tags = frozenset((name, *groups, *default, *tags))
        self.tracks = tuple(tracks)
        self.depth = depth
        self.hazard = hazard
        self.example = example

    def transform(self, fgraph: Any, node: Apply) -> Replacement:
        """Return replacements for the outputs of ``node``; None if the rule does not apply."""
        raise NotImplementedError

    def why_not(self, node: Apply) -> str:
        """Explain in a sentence why the rule does not apply to ``node``."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class Rule(BaseRule):
    """An equation: an expression that matches ``lhs`` is replaced by ``rhs``.

    The rule does not fire if the replacement has another type than the expression that it
    replaces (``restore`` of `driver.Rewriter` may convert it).

    Parameters
    ----------
    name, group : str
    lhs : Pattern
    rhs : Hole or Pattern
        Built from holes of ``lhs``, numbers and constants.
    tags : tuple of str
        Further tags that select it, such as documented names.
    when : function, optional
        Takes ``{hole name: variable}``, returns whether the equation holds there.
    hazard : str, optional
    example : dict, optional
        ``{hole name: (low, high)}``: where tests compare both sides; (-5, 5) by default.
    opt_in : bool
        Whether it applies only if selected by name or tag.
    ulp : float
        By how many units in the last place the right side may be less exact than the left.

    >>> import theano.tensor as T
    >>> x = Hole("x")
    >>> Rule("neg_neg", "canonicalize", T.neg(T.neg(x)), x)
    <Rule neg_neg: neg(neg(x)) -> x>
    """

    def __init__(
        self,
        name: str,
        group: str,
        lhs: Any,
        rhs: Any,
        *,
        tags: Iterable[str] = (),
        when: Callable[[Match], bool] | None = None,
        hazard: str | None = None,
        example: Mapping[str, Any] | None = None,
        opt_in: bool = False,
        ulp: float = 2,
    ) -> None:
        if not isinstance(lhs, Pattern):
            raise TypeError(f"rule {name} takes an op called on Holes as left side, got {lhs!r}")
        known = {h.name for h in lhs.holes()}
        if isinstance(rhs, Hole):
            used = {rhs.name}
        elif isinstance(rhs, Pattern):
            used = {h.name for h in rhs.holes()}
        else:
            raise TypeError(
                f"rule {name} takes a Hole or an op called on Holes as right side, got {rhs!r}; "
                "a number alone has no shape: write fill(x, number)"
            )
        if used - known:
            raise ValueError(
                f"rule {name} uses {sorted(used - known)} on the right, which the left side "
                f"{lhs!r} does not have"
            )
        BaseRule.__init__(self, name, group, tags, (lhs.op,), lhs.depth, hazard, example, opt_in)
        self.lhs = lhs
        self.rhs = rhs
        self.when = when
        self.ulp = ulp
        self._anywhere = isinstance(rhs, Hole)

    def transform(self, fgraph: Any, node: Apply) -> Replacement:
        result = self.lhs.match(node, self._anywhere)
        if result is None:
            return None
        match, used = result
        if self.when is not None and not self.when(match):
            return None
        new = build(self.rhs, match)
        if len(used) == len(node.inputs):
            return [new]
        inputs: list[Any] = list(node.inputs)
        place = next((i for i in used if inputs[i] is new), used[0])
        inputs[place] = new
        return [node.op(*(v for i, v in enumerate(inputs) if i == place or i not in used))]

    def match(self, node: Apply) -> tuple[Match, list[int]] | None:
        """Return the variable of each hole and the positions of the matching inputs, or None."""
        return self.lhs.match(node, self._anywhere)

    def why_not(self, node: Apply) -> str:
        result = self.match(node)
        if result is None:
            return f"{self.name}: {_first_misfit(self.lhs, node)}"
        match, _ = result
        if self.when is not None and not self.when(match):
            shown = ", ".join(f"{k} = {v}" for k, v in match.items())
            return f"{self.name}: {node} looks like {self.lhs!r}, but its condition refuses {shown}"
        new = build(self.rhs, match)
        old = node.outputs[0]
        if new.type != old.type:
            return f"{self.name}: the replacement is of {new.type}, {old} is of {old.type}"
        return f"{self.name} applies to {node}"

    def __repr__(self) -> str:
        return f"<Rule {self.name}: {self.lhs!r} -> {self.rhs!r}>"


def _first_misfit(lhs: Pattern, node: Apply) -> str:
    """Describe the innermost part of a pattern that a node does not match."""
    part, at = lhs, node
    while True:
        if not same_op(part.op, at.op):
            return f"{part!r} is needed, got {at}: another op"
        if len(part.args) != len(at.inputs) and not (part is lhs and part.associative):
            return f"{part!r} is needed, got {at}: another number of inputs"
        for k, arg in enumerate(part.args):
            given = at.inputs if part.commutative else at.inputs[k : k + 1]
            if any(fits(arg, v) for v in given):
                continue
            inner = [
                v.owner
                for v in given
                if isinstance(arg, Pattern) and v.owner is not None and same_op(v.owner.op, arg.op)
            ]
            if inner:
                part, at = arg, inner[0]
                break
            why = arg.refuses(given[0]) if isinstance(arg, Hole) and len(given) == 1 else None
            return why or f"{arg!r} of {part!r} is needed, got {', '.join(map(str, given))}"
        else:
            return f"the parts of {part!r} fit {at} one by one, but not together"


class FunctionRule(BaseRule):
    """A rule that no equation can express: a function of a node.

    Parameters
    ----------
    fn : function of (node) or (fgraph, node)
        Returns replacements for the node's outputs (None for an unused output), a dict of
        replacements, or False or None. The first line of its docstring is the equation.
    name, group : str
    tracks : sequence
        Ops, op classes, or scalar op classes under Elemwise; empty means every node.
    example : function, optional
        Returns ``(inputs, outputs)`` of a graph on which the rule fires.
    depth : int
        How many levels of nodes it inspects.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        name: str,
        group: str,
        tracks: Iterable[Any] = (),
        *,
        tags: Iterable[str] = (),
        hazard: str | None = None,
        example: Callable[[], Any] | None = None,
        depth: int = 2,
        opt_in: bool = False,
    ) -> None:
        text = (fn.__doc__ or "").strip()
        if not text and sys.flags.optimize < 2:  # -OO leaves no docstrings
            raise ValueError(
                f"rule {name} takes a function whose docstring begins with its equation"
            )
        BaseRule.__init__(self, name, group, tags, tracks, depth, hazard, example, opt_in)
        self.fn = fn
        self.equation = text.splitlines()[0] if text else name
        self._with_graph = len(inspect.signature(fn).parameters) > 1

    def transform(self, fgraph: Any, node: Apply) -> Replacement:
        replacement: Replacement = self.fn(fgraph, node) if self._with_graph else self.fn(node)
        return replacement or None

    def why_not(self, node: Apply) -> str:
        if refused := untracked(self, node):
            return refused
        args = (node.fgraph, node) if self._with_graph else (node,)
        result, at = watched(self.fn, *args)
        if result:
            return f"{self.name} applies to {node}"
        return f"{self.name} ({self.equation}) does not apply to {node}{at and f'; {at}'}"

    def __repr__(self) -> str:
        return f"<FunctionRule {self.name}: {self.equation}>"


def untracked(rule: BaseRule, node: Apply) -> str | None:
    """Return a sentence if a rule does not track the op of ``node``; None if it does."""

    def fits(what: Any) -> bool:
        if isinstance(what, type):
            return isinstance(node.op, what) or isinstance(scalar_op_of(node.op), what)
        return same_op(what, node.op)

    if not rule.tracks or any(map(fits, rule.tracks)):
        return None
    wanted = ", ".join(w.__name__ if isinstance(w, type) else str(w) for w in rule.tracks)
    return f"{rule.name} is asked about nodes of {wanted}, got {node}"


def rewrite_rule(
    name: str, group: str, tracks: Iterable[Any] = (), **facts: Any
) -> Callable[[Callable[..., Any]], FunctionRule]:
    """Decorator that makes a function a FunctionRule; it registers nothing.

    >>> import theano.tensor as T
    >>> @rewrite_rule("abs_abs", "canonicalize", [T.abs_])
    ... def abs_abs(node):
    ...     "|(|x|)| -> |x|"
    ...     inner = node.inputs[0].owner
    ...     return [node.inputs[0]] if inner and inner.op == T.abs_ else None
    >>> abs_abs
    <FunctionRule abs_abs: |(|x|)| -> |x|>
    """

    def decorate(fn: Callable[..., Any]) -> FunctionRule:
        return FunctionRule(fn, name, group, tracks, **facts)

    return decorate


def example_graph(
    rule: Rule, leaf: Callable[[Hole], Variable]
) -> tuple[dict[str, Variable], Variable, Variable]:
    """Build both sides of an equation, unrewritten, with a variable ``leaf(hole)`` for each hole.

    Returns the variables by hole name, the left side and the right side.
    """
    leaves = {h.name: leaf(h) for h in rule.lhs.holes()}
    return leaves, build(rule.lhs, leaves), build(rule.rhs, leaves)
