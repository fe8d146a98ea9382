"""Show how a graph was rewritten, step by step, and why a rule did not apply to a node."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from theano._src.compile.function_object import Function
from theano._src.compile.maker import std_fgraph
from theano._src.compile.mode import get_mode
from theano._src.graph.clone import clone_get_equiv
from theano._src.graph.destroy import Supervisor
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.walk import roots_of
from theano._src.ground.documented import documented_in
from theano._src.ground.lazy import at_first_use
from theano._src.rewrite.driver import Rewriter
from theano._src.rewrite.equilibrium import EquilibriumOptimizer
from theano._src.rewrite.local import as_rule
from theano._src.rewrite.log import RewriteTrace, Step, near_line, why_not as misfit_of
from theano._src.rewrite.passes import Report
from theano._src.rewrite.rule import BaseRule
from theano._src.rewrite.sequence import SeqOptimizer
from theano._src.rules.pipeline import optdb, restore_type
from theano._src.rules.shape import attach_shapes
from theano._src.show.debugprint import debugprint

_page = at_first_use("theano._src.compile.display.stepper:page")
_framed = at_first_use("theano._src.compile.display.stepper:framed")

#: depth of the replaced graph that is shown
_LEVELS = 5


@documented_in("theano.printing")
class Rewriting:
    """The steps of a rewriting; print it to read them as a table.

    Created by `rewriting`. Rewriting is deterministic: the graph after any step is obtained by
    rewriting a fresh copy up to that step.

    Attributes
    ----------
    steps : tuple of Step
        Each with ``order``, ``within`` (the pass), ``rule``, ``before``, ``after``, ``line``.
    report : Report
        Seconds and changes by pass, uses by rule, numbers of nodes.
    """

    def __init__(
        self, make: Callable[[], FunctionGraph], passes: SeqOptimizer, name: str = ""
    ) -> None:
        self.name = name
        self._make = make
        self._passes = passes
        trace = RewriteTrace()
        self.report: Report = passes.rewrite(make(), trace)
        self.steps: tuple[Step, ...] = tuple(trace.steps)

    def graph(self, after: int | None = None) -> FunctionGraph:
        """Return a copy of the graph, rewritten up to a step; all steps by default, none for 0.

        If a pass of the user makes several steps, the graph is the one at the end of the pass.
        """
        fgraph = self._make()
        if after is None or self._checked_order(after) == len(self.steps):
            self._passes.rewrite(fgraph, RewriteTrace())
        elif after:
            self._passes.rewrite(fgraph, RewriteTrace(limit=after))
        return fgraph

    def diff(self, order: int) -> str:
        """Show what a step replaced and by what, as trees; equal ids are equal variables."""
        if not self._checked_order(order):
            raise IndexError("step 0 is the graph as it was given; steps count from 1")
        seen = _Picture(order)
        self._passes.rewrite(self._make(), seen)
        return f"{seen.steps[order - 1]}\n{seen.text}"

    def of(self, name: str) -> list[Step]:
        """Return the steps of one rule or one pass."""
        return [s for s in self.steps if name in (s.rule, s.within)]

    def why_not(self, rule: Any, node: Any) -> str:
        """Explain like `theano.printing.why_not`; also report rules that are not in this mode."""
        names = {r.name for r in _rules_in(self._passes)}
        lines = []
        for one in _rules_called(rule):
            absent = one.name not in names
            lines.append(
                f"{one.name} is not among these rewrites; its tags are "
                f"{', '.join(sorted(one.tags))}"
                if absent
                else why_not(one, node)
            )
        return "\n".join(lines)

    def html(self, path: Any = None, *, limit: int = 400) -> str:
        """Write a page that steps through the rewriting: one file, which loads nothing else.

        Each step shows its rule, the equation of the rule, and the matched and new nodes in the
        picture of the graph. Buttons, a slider and the arrow keys go forward and back.

        Parameters
        ----------
        path : str or path, optional
            The file to write; by default nothing is written.
        limit : int
            The largest number of steps on the page.

        Returns
        -------
        str
            The path that was written, or the page itself.

        >>> import theano, theano.tensor as T
        >>> x = T.dscalar("x")
        >>> page = theano.printing.rewriting(T.log(T.exp(x))).html()
        >>> page[:15], "log_exp" in page
        ('<!doctype html>', True)
        """
        if not isinstance(limit, int) or limit < 1:
            raise ValueError(f"html takes a positive int as limit, got {limit!r}")
        rules = {rule.name: rule for rule in _rules_in(self._passes)}
        text: str = _page()(self._make(), self._passes, rules, self.name, len(self.steps), limit)
        if path is None:
            return text
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return str(os.fspath(path))

    def _repr_html_(self) -> str:
        page: str = _framed()(self.html())
        return page

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self) if cycle else str(self))

    def _checked_order(self, order: int) -> int:
        if not 0 <= order <= len(self.steps):
            raise IndexError(f"there are {len(self.steps)} steps, got {order}")
        return order

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __str__(self) -> str:
        rows = [("step", "pass", "rule", "line", "change")]
        for s in self.steps:
            change = f"{s.before} -> {s.after}"
            rows.append((str(s.order), s.within, s.rule, near_line(s.line), change))
        wide = [max(len(row[i]) for row in rows) for i in range(4)]
        lines = []
        for number, *cells, change in rows:
            padded = [c.ljust(w) for c, w in zip(cells, wide[1:], strict=True)]
            lines.append("  ".join((number.rjust(wide[0]), *padded, change)))
        return "\n".join([*lines, self._counts()])

    def _counts(self) -> str:
        r = self.report
        return f"{len(self.steps)} steps, {r.nodes_before} nodes -> {r.nodes_after}"

    def __repr__(self) -> str:
        return f"<Rewriting: {self._counts()}>"


class _Picture(RewriteTrace):
    """A trace that stops after one step, and keeps trees of its change."""

    def __init__(self, order: int) -> None:
        super().__init__(limit=order)
        self.text = ""

    def step(self, rule: str, node: Apply, after: Any) -> Step:
        result = super().step(rule, node, after)
        if result.order == self.limit:
            self.text = _pictured(node, [v for v in after if v is not None])
        return result


def _pictured(node: Apply, after: Sequence[Variable]) -> str:
    """Draw both sides as trees, down to the variables that do not change."""
    old: dict[Any, str] = {}  # nodes that existed before, and the text shown for them
    stack = list(after)
    while stack:
        v = stack.pop()
        if v.owner is None or v.owner in old:
            continue
        if v.owner.fgraph is None or v.owner is node:
            stack.extend(v.owner.inputs)
        else:
            old[v.owner] = ""
    # show one level of inputs for a replacement that existed before
    there = [v.owner for v in after if v.owner is not None and v.owner in old]
    old.update({x.owner: "" for at in there for x in at.inputs if x.owner is not None})
    ids: dict[Any, str] = {}
    before = debugprint(node, depth=_LEVELS, file="str", done=dict(old), used_ids=ids)
    for at in there:
        old.pop(at, None)
    now = debugprint(list(after), file="str", done=old, used_ids=ids)
    return f"{_indented(before)}\n  becomes\n{_indented(now)}"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


@documented_in("theano.printing")
def rewriting(obj: Any, mode: Any = None) -> Rewriting:
    """Rewrite a graph and record which rule changed what, with the user's lines.

    Parameters
    ----------
    obj : compiled function, Variable, list of Variables or FunctionGraph
    mode : optional
        The mode with the rewrites, as for `theano.function`. For a compiled function, the default
        is the rewrites that it was compiled with.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> steps = theano.printing.rewriting(T.log(T.exp(x)))
    >>> [step.rule for step in steps]
    ['log_exp']
    >>> steps.graph(0), steps.graph(1)
    ([Elemwise{log,no_inplace}(Elemwise{exp,no_inplace}(x))], [x])
    """
    if isinstance(obj, Function):
        specs, results, accept_inplace, passes = obj.maker.origin
        return Rewriting(
            lambda: std_fgraph(specs, results, accept_inplace)[0],
            passes if mode is None else get_mode(mode).optimizer,
            obj.name or "",
        )
    if isinstance(obj, FunctionGraph):
        ins, outs = list(obj.inputs), list(obj.outputs)
    else:
        outs = list(obj) if isinstance(obj, (list, tuple)) else [obj]
        if not outs or not all(isinstance(v, Variable) for v in outs):
            raise TypeError(
                "rewriting takes a compiled function, Variables or a FunctionGraph, got "
                f"{obj!r} of type {type(obj).__name__}"
            )
        ins = [v for v in roots_of(outs) if not isinstance(v, Constant)]

    def fresh() -> FunctionGraph:
        fgraph = FunctionGraph(ins, outs)
        fgraph.attach_feature(Supervisor(fgraph.inputs))
        return fgraph

    return Rewriting(fresh, get_mode(mode).optimizer)


@documented_in("theano.printing")
def why_not(rule: Any, node: Any) -> str:
    """Explain why a rule does not apply to a node: which part of its pattern does not match.

    Parameters
    ----------
    rule : rule, LocalOptimizer or str
        A string is the name or a tag of rules in ``optdb``; the result has a line for each.
    node : Apply or Variable
        If a node is in no FunctionGraph, a graph is created for it.

    >>> import theano, theano.tensor as T
    >>> x = T.dscalar("x")
    >>> print(theano.printing.why_not("log_exp", T.log(T.sin(x))))
    log_exp: exp(x) of log(exp(x)) is needed, got Elemwise{sin,no_inplace}.0
    """
    at = node.owner if isinstance(node, Variable) else node
    if not isinstance(at, Apply):
        raise TypeError(f"why_not takes a node, or a variable that a node computes, got {node!r}")
    return "\n".join(_why_not(one, at) for one in _rules_called(rule))


def _why_not(rule: BaseRule, node: Apply) -> str:
    node = _copied(node)
    failures: list[BaseException] = []
    driver = Rewriter(
        [rule], restore=restore_type, on_failure=lambda *what: failures.append(what[-1])
    )
    try:
        text = misfit_of(rule, node)
    except Exception as error:
        failures.append(error)
        text = ""
    if not failures and driver.index.of(node.op) and driver.attempt(rule, node.fgraph, node):
        return f"{rule.name} applies"
    for failure in failures:
        return f"{rule.name} fails on {node}: {type(failure).__name__}: {failure}"
    if text.startswith(f"{rule.name} applies"):
        return f"{rule.name} gives a replacement for {node} that does not fit its type, or its use"
    return text


def _copied(node: Apply) -> Apply:
    """The same node in a copy of its graph, so that trying a rule does not change the original."""
    if node.fgraph is None:
        ins = [v for v in roots_of(node.inputs) if not isinstance(v, Constant)]
        copies = clone_get_equiv(ins, node.outputs)
        graph = FunctionGraph(
            [copies[v] for v in ins], [copies[v] for v in node.outputs], clone=False
        )
    else:
        graph, copies = node.fgraph.clone_get_equiv(attach_feature=False)
    attach_shapes(graph, None)
    result: Apply = copies[node.outputs[0]].owner
    return result


def _rules_called(rule: Any) -> list[BaseRule]:
    if not isinstance(rule, str):
        return [as_rule(rule)]
    every = {r.name: (r, tags) for r, tags in _registered()}
    if rule in every:
        return [every[rule][0]]
    rules = [r for r, tags in every.values() if rule in tags]
    if not rules:
        words = {w for _, tags in every.values() for w in tags}
        import difflib  # slow to import

        near = difflib.get_close_matches(rule, sorted(words), 3)
        hint = f"; is it {' or '.join(near)}?" if near else ""
        raise KeyError(f"no rule of optdb is called or tagged {rule!r}{hint}")
    return rules


def _registered() -> Iterator[tuple[BaseRule, frozenset[str]]]:
    """All rules in the passes of the pipeline, with their tags."""
    for db in optdb._objects.values():
        for name, obj in getattr(db, "_objects", {}).items():
            if isinstance(obj, BaseRule):
                yield obj, db._tags[name]


def _rules_in(passes: SeqOptimizer) -> Iterator[BaseRule]:
    for each in passes:
        if isinstance(each, EquilibriumOptimizer):
            yield from each.rules
        elif isinstance(each, SeqOptimizer):
            yield from _rules_in(each)
        elif isinstance(rule := getattr(each, "_rule", None), BaseRule):
            yield rule
