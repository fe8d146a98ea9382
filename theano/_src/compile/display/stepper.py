"""A web page that steps through a rewriting: each graph, and the nodes of each match and result."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from html import escape
from itertools import count
from pathlib import Path
from typing import Any

from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Variable
from theano._src.ground.processors import processors
from theano._src.rewrite.log import Enough, RewriteTrace, Step, near_line
from theano._src.rewrite.passes import FunctionPass
from theano._src.rewrite.rule import BaseRule, FunctionRule, Rule
from theano._src.rewrite.sequence import SeqOptimizer
from theano._src.show import html
from theano._src.show.cards import own_name
from theano._src.show.drawing.description import describe
from theano._src.show.drawing.layout import Laid, layout
from theano._src.show.drawing.sheet import Sheet
from theano._src.show.drawing.theme import sheet_of
from theano._src.show.forms import pp

#: largest number of ops of one graph that are drawn
_OPS = 300
#: largest number of characters of a step's text
_LONG = 300
#: levels that a rule is assumed to inspect; largest number of new nodes in a formula
_FAR, _WRITTEN = 8, 30
_TEMPLATE = Path(__file__).with_name("stepper.html")


class Frames(RewriteTrace):
    """A trace that keeps the picture of the graph after each step.

    Parameters
    ----------
    fgraph : FunctionGraph
        The graph before rewriting.
    rules, passes : mappings
        Rules and passes by name, for their equations.
    limit : int
        The number of steps after which rewriting stops.
    """

    def __init__(
        self,
        fgraph: FunctionGraph,
        rules: Mapping[str, BaseRule],
        passes: Mapping[str, Any],
        limit: int,
    ) -> None:
        super().__init__(limit=limit)
        self.fgraph, self.rules, self.passes = fgraph, rules, passes
        self._ids: dict[Any, str] = {}
        self._shapes: dict[str, int] = {}
        self.shapes: list[Any] = []
        self.sheets: list[tuple[Sheet, int]] = []
        self.records: list[dict[str, Any]] = []
        self._parts: dict[int, tuple[list[Any], list[Any], tuple[str, str]]] = {}
        self._pending: list[Step] = []
        self._nodes: set[Apply] = set()
        self._take()

    def step(self, rule: str, node: Apply, after: Any) -> Step:
        result = super().step(rule, node, after)
        given = [v for v in after if v is not None]
        new, kept = _made_of(given, self.fgraph)
        matched = _matched(self.rules.get(rule), node, kept)
        texts = ("", "")
        if len(new) <= _WRITTEN:
            letters = _Letters({v.name for v in self.fgraph.inputs})
            used = [v for v in node.outputs if v._clients]
            texts = (letters.formula(used, {*matched}), letters.formula(given, new))
            if texts[0] == texts[1]:
                texts = ("", "")  # formulas do not show the difference
        self._parts[id(result)] = (matched, [v.owner or v for v in given], texts)
        return result

    def note(self, step: Step) -> None:
        super().note(step)
        self._pending.append(step)

    def take_back(self, step: Step) -> None:
        super().take_back(step)
        if self._pending and self._pending[-1] is step:
            self._pending.pop()

    def settle(self) -> None:
        """Draw the graph, now that it is consistent, for the steps since the last drawing."""
        if self._pending:
            was, before = self._nodes, self._drawn
            self._take()
            gone, new = was - self._nodes, self._nodes - was
            for step in self._pending:
                matched, result, texts = self._parts.pop(id(step))
                alone = len(self._pending) == 1
                self.records.append(
                    self._record(step, texts)
                    | {
                        "from": before,
                        "to": self._drawn,
                        "matched": self._keys([*matched, *(gone if alone else ())]),
                        "made": self._keys([*result, *(new if alone else ())]),
                    }
                )
            self._pending.clear()
        super().settle()

    def _record(self, step: Step, texts: tuple[str, str]) -> dict[str, Any]:
        rule = self.rules.get(step.rule)
        return {
            "rule": step.rule,
            "pass": step.within,
            "line": near_line(step.line),
            "equation": equation_of(rule or self.passes.get(step.within)),
            "hazard": getattr(rule, "hazard", None) or "",
            "before": texts[0] or _cut(step.before),
            "after": texts[1] or _cut(step.after),
        }

    def _take(self) -> None:
        """Draw the current graph."""
        self._nodes = set(self.fgraph.apply_nodes)
        picture = describe(
            self.fgraph, ids=self._ids, rewritten_from={}, inner=False, times={}, limit=_OPS
        )
        self._drawn = len(self.sheets)
        self.sheets.append((sheet_of(picture), len(self._nodes)))

    def graphs(self) -> list[dict[str, Any]]:
        """Return all graphs with their layouts, which external programs compute in parallel."""
        with ThreadPoolExecutor(processors()) as pool:
            laid = pool.map(layout, [sheet for sheet, _ in self.sheets])
            return [self._packed(each, ops) for each, (_, ops) in zip(laid, self.sheets)]

    def _packed(self, laid: Laid, ops: int) -> dict[str, Any]:
        """Positions as integers; shapes that look alike are stored once for all graphs."""
        number = {placed.shape.id: k for k, placed in enumerate(laid.shapes)}
        nodes = [
            [p.shape.id, p.shape.of, self._shape(p), round(p.x), round(p.y)] for p in laid.shapes
        ]
        edges = []
        for arrow, route in laid.arrows:
            flat = [c for point in _straightened(route) for c in point]
            # differences are shorter than positions
            steps = flat[:2] + [c - b for b, c in zip(flat, flat[2:])]
            edges.append(
                [number[arrow.source], number[arrow.target], arrow.label, arrow.colour, steps]
            )
        return {"nodes": nodes, "edges": edges, "ops": ops}

    def _shape(self, placed: Any) -> int:
        shape = placed.shape
        texts = [[t.text, t.size, t.ink, int(t.bold)] for t in shape.texts]
        looks = [
            round(placed.width), round(placed.height), shape.form, shape.fill, shape.stroke,
            int(shape.dashed), texts, shape.hover,
        ]  # fmt: skip
        key = json.dumps(looks)
        if key not in self._shapes:
            self._shapes[key] = len(self.shapes)
            self.shapes.append(looks)
        return self._shapes[key]

    def _keys(self, parts: Iterable[Any]) -> list[str]:
        results = (self._ids.get(part) for part in parts)
        return sorted({key for key in results if key is not None})


def _straightened(route: Sequence[tuple[float, float]]) -> list[tuple[int, int]]:
    """Round a route of curves to integers, and merge consecutive vertical curves."""
    first, *rest = [(round(x), round(y)) for x, y in route]
    pairs = [first]
    was_straight = False
    for curve in zip(rest[::3], rest[1::3], rest[2::3]):
        straight = all(x == pairs[-1][0] for x, _ in curve)
        if straight and was_straight:
            pairs[-2:] = curve[1:]
        else:
            pairs += curve
        was_straight = straight
    return pairs


def _matched(rule: BaseRule | None, node: Apply, kept: set[Variable]) -> list[Apply]:
    """The nodes that a rule inspected: ``node``, and those between it and ``kept``.

    ``kept`` are the variables of the graph that the replacement is computed from.
    """
    ends = set(kept)
    far = 2 if rule is None else rule.depth
    result = rule.match(node) if isinstance(rule, Rule) else None
    if result is not None:
        match, used = result
        rest = (v for i, v in enumerate(node.inputs) if i not in used)
        ends, far = {*match.values(), *rest}, _FAR
    levels: list[dict[Apply, None]] = [{node: None}]
    for _ in range(min(far, _FAR) - 1):
        below = [v.owner for n in levels[-1] for v in n.inputs if v not in ends]
        levels.append(dict.fromkeys(n for n in below if n is not None))
    chosen: dict[Apply, None] = {node: None}
    for level in reversed(levels):
        for n in level:
            if any(v in ends or v.owner in chosen for v in n.inputs):
                chosen[n] = None
    return list(chosen)


def _made_of(after: Iterable[Variable], fgraph: FunctionGraph) -> tuple[set[Apply], set[Variable]]:
    """The new nodes of a replacement, and the variables of the graph that they use."""
    new: set[Apply] = set()
    kept: set[Variable] = set()
    todo = list(after)
    while todo:
        v = todo.pop()
        if v.owner is None or v.owner.fgraph is fgraph:
            kept.add(v)
        elif v.owner not in new:
            new.add(v.owner)
            todo += v.owner.inputs
    return new, kept


class _Letters:
    """A printer that writes parts outside a formula as letters, the same one each time."""

    def __init__(self, taken: set[str | None]) -> None:
        self.known: dict[Variable, str] = {}
        numbered = (f"{c}{k or ''}" for k in count() for c in "abcdefghijklmnopqrstuvwxyz")
        self._letters = (word for word in numbered if word not in taken)

    def process(self, r: Variable, pstate: Any) -> str:
        if r.name is not None and r.name.isidentifier():
            return str(r.name)
        if r not in self.known:
            self.known[r] = next(self._letters)
        return self.known[r]

    def formula(self, variables: Iterable[Variable], inside: set[Apply]) -> str:
        """Write variables as formulas of the variables at the border of ``inside``."""
        printer = pp.clone()
        printer.assign(lambda _, r: r.owner is not None and r.owner not in inside, self)
        return ", ".join(_cut(printer(v)) for v in variables)


def equation_of(rule: Any) -> str:
    """The equation of a rule, or the first docstring line of a pass."""
    match rule:
        case Rule():
            return f"{rule.lhs!r} → {rule.rhs!r}"
        case FunctionRule():
            return rule.equation.replace("->", "→")
        case FunctionPass():
            text = rule.fn.__doc__ or (type(rule) is not FunctionPass and rule.__doc__) or ""
            return str(text).strip().split("\n")[0].replace("->", "→")
    return ""


def _cut(text: str) -> str:
    return text if len(text) <= _LONG else text[: _LONG - 4] + " ..."


def page(
    fgraph: FunctionGraph,
    passes: SeqOptimizer,
    rules: Mapping[str, BaseRule],
    name: str,
    steps: int,
    limit: int,
) -> str:
    """Rewrite a graph and return a page that shows the steps; the page loads nothing else."""
    title = f"Rewriting of {own_name(name)}" if own_name(name) else "Rewriting"
    named = {str(getattr(each, "name", "")): each for each in passes}
    frames = Frames(fgraph, rules, named, limit)
    try:
        passes.rewrite(fgraph, frames)
        frames.settle()
    except Enough:
        pass
    note = ""
    if steps > len(frames.records):
        note = (
            f"The first {len(frames.records)} of {steps} steps; html(path, limit={steps}) has all."
        )
    graphs = frames.graphs()
    data = {
        "title": title,
        "note": note,
        "shapes": frames.shapes,
        "graphs": graphs,
        "steps": frames.records,
    }
    # NOTE: escape "<", because a name may contain the end of a script
    packed = json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    text = _TEMPLATE.read_text(encoding="utf-8")
    rows = [(k + 1, s["rule"], s["before"], s["after"]) for k, s in enumerate(frames.records)]
    plain = html.table(rows, ("step", "rule", "before", "after"))
    for mark, message in (("TITLE", escape(title)), ("PLAIN", plain), ("DATA", packed)):
        text = text.replace(f"<!--{mark}-->", message)
    return text


def framed(text: str, height: int = 620) -> str:
    """Embed a page in a frame, for notebooks."""
    return (
        f'<iframe srcdoc="{escape(text)}" sandbox="allow-scripts" '
        f'style="width:100%;height:{height}px;border:1px solid #cbd5e1;border-radius:8px">'
        "</iframe>"
    )
