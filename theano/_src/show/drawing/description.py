"""describe: a graph as the nodes and edges of a picture, for all output formats."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from theano._src.graph import source_line
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.walk import nodes_of
from theano._src.show.drawing.families import family_of, fused_graph, short_name, shortened
from theano._src.show.drawing.picture import Picture, PictureEdge, PictureNode
from theano._src.types.shared import SharedVariable

#: the most ops that are drawn of one graph
LIMIT = 2000
_VALUE = 24  # characters of a constant
_FROM = 6  # the most ops listed as the origin of a rewritten one
_BOXES = ("ends", "named", "all")
_CONDITION = ("if", "then", "else")


@dataclass(eq=False)
class _Level:
    """One graph to describe: the user's, or one inside an op."""

    title: str
    order: list[Apply]
    outputs: list[Variable]
    inputs: list[Variable]
    updates: Mapping[int, Variable]
    outside: Mapping[Variable, Variable]
    fgraph: FunctionGraph | None = None


def describe(
    graph: Any,
    *,
    title: str | None = None,
    boxes: str = "ends",
    times: Mapping[Any, float] | None = None,
    shapes: Mapping[Any, Sequence[int | None]] | None = None,
    rewritten_from: Mapping[Any, str] | None = None,
    ids: dict[Any, str] | None = None,
    inner: bool = True,
    limit: int = LIMIT,
) -> Picture:
    """Return a graph as nodes and edges to draw, with types, shapes, times and source lines.

    Parameters
    ----------
    graph : compiled function, FunctionGraph, Variable, Apply or list of Variables
    title : str, optional
        By default the name of the function.
    boxes : {'ends', 'named', 'all'}
        Which variables have their own box: inputs and outputs; also those with a name; or all.
    times : mapping from Apply nodes to seconds, optional
        By default taken from the profile of a compiled function.
    shapes : mapping from Variables to lengths, optional
        Lengths that are not known from types, constants and shared variables.
    rewritten_from : mapping from Apply nodes to str, optional
        The ops that each node replaced; by default found by comparing a compiled function with
        the user's graph.
    ids : dict, optional
        The ids so far: pictures that share this dict give the same part the same id.
    inner : bool
        Whether to describe the graphs inside ops too.
    limit : int
        The most ops to draw of one graph; of a larger graph, those nearest to its outputs.

    Returns
    -------
    Picture

    >>> import theano.tensor as T
    >>> from theano._src.show.drawing.description import describe
    >>> x = T.dvector("x")
    >>> picture = describe(T.exp(x).sum())
    >>> [(node.id, node.kind, node.label) for node in picture.nodes]
    [('n1', 'input', 'x'), ('n2', 'apply', 'exp'), ('n3', 'apply', 'Sum'), ('n4', 'output', ...)]
    >>> [(edge.source, edge.target) for edge in picture.edges]
    [('n1', 'n2'), ('n2', 'n3'), ('n3', 'n4')]
    """
    if not isinstance(limit, int) or limit < 1:
        raise ValueError(f"describe takes a positive int as limit, got {limit!r}")
    if boxes not in _BOXES:
        raise ValueError(f"describe takes one of {', '.join(_BOXES)} as boxes, got {boxes!r}")
    level, profile = _level_of(graph, title)
    if times is None:
        times = getattr(profile, "apply_time", None) or {}
    if rewritten_from is None:
        rewritten_from = _origins(graph, level.order)
    facts = _Facts(times, shapes or {}, rewritten_from)
    return _described(level, facts, boxes, ids, inner, limit)


def level_of(graph: Any) -> tuple[list[Apply], list[Variable]]:
    """Return the nodes of anything that can be drawn, in topological order, and its outputs."""
    level, _ = _level_of(graph, None)
    return level.order, level.outputs


def _level_of(graph: Any, title: str | None) -> tuple[_Level, Any]:
    fgraph = getattr(getattr(graph, "maker", None), "fgraph", graph)
    if isinstance(fgraph, FunctionGraph):
        named = title or getattr(graph, "name", None) or ""
        updates = {o: fgraph.inputs[i] for o, i in (fgraph.update_mapping or {}).items()}
        ends = list(fgraph.outputs), list(fgraph.inputs)
        level = _Level(named, fgraph.toposort(), *ends, updates, {}, fgraph)
        return level, getattr(graph, "profile", None)
    parts = graph.outputs if isinstance(graph, Apply) else graph
    outputs = [parts] if isinstance(parts, Variable) else parts
    if not isinstance(outputs, (list, tuple)) or not all(isinstance(v, Variable) for v in outputs):
        raise TypeError(
            "a picture is drawn of a compiled function, a FunctionGraph, an Apply node, a Variable "
            f"or a list of Variables, got {graph!r:.80} of type {type(graph).__name__}"
        )
    return _Level(title or "", nodes_of(outputs, ()), list(outputs), [], {}, {}), None


def _described(
    top: _Level,
    facts: _Facts,
    boxes: str,
    ids: dict[Any, str] | None,
    inner: bool,
    limit: int,
) -> Picture:
    """Return the picture of a level, built from inner to outer; iterative, as graphs nest."""
    out: dict[_Level, Picture] = {}
    inside: dict[Any, list[_Level]] = {}  # by id of the op with inner graphs, each op once
    kept: dict[_Level, list[Apply]] = {}
    stack = [(top, False)]
    while stack:
        level, ready = stack.pop()
        if level in out:
            continue
        if not ready:
            kept[level] = _nearest(level, limit)
            stack.append((level, True))
            if not inner:
                continue
            for node in kept[level]:
                if id(node.op) not in inside:
                    inside[id(node.op)] = _levels_in(node)
                stack += [(each, False) for each in inside[id(node.op)] if each not in out]
            continue
        pictures = {
            node: tuple(out[each] for each in result)
            for node in kept[level]
            if (result := inside.get(id(node.op)))
        }
        writer = _Writer(level, facts, boxes, ids if level is top else None)
        out[level] = writer.picture(kept[level], pictures)
    return out[top]


def _levels_in(node: Apply) -> list[_Level]:
    fused = fused_graph(node.op)
    if fused is not None:
        outside = dict(zip(fused.inputs, node.inputs, strict=True))
        ins, outs = list(fused.inputs), list(fused.outputs)
        return [_Level("for each element", fused.toposort(), outs, ins, {}, outside)]
    if not hasattr(node.op, "inner_graph"):
        return []
    outputs, outside = node.op.inner_graph(node)
    graphs = getattr(node.op, "inner_graphs", None)
    if not graphs:
        return [_Level("", nodes_of(outputs, outside), list(outputs), list(outside), {}, outside)]
    titles = {1: ("each step",) if family_of(node.op) == "loop" else ("inside",)}.get(
        len(graphs), ("then", "else", *map(str, range(2, len(graphs))))
    )
    return [
        _Level(title, list(g.order), list(g.outputs), list(g.inputs), {}, outside)
        for title, g in zip(titles, graphs, strict=True)
    ]


def _nearest(level: _Level, limit: int) -> list[Apply]:
    """Return the nodes to draw: all, or the ``limit`` nodes nearest to the outputs."""
    if len(level.order) <= limit:
        return level.order
    here = set(level.order)
    todo = deque(v.owner for v in level.outputs if v.owner is not None)
    seen: set[Apply] = set()
    while todo and len(seen) < limit:
        node = todo.popleft()
        if node in seen or node not in here:
            continue
        seen.add(node)
        todo.extend(v.owner for v in node.inputs if v.owner is not None)
    return [node for node in level.order if node in seen]


def _origins(graph: Any, order: Iterable[Apply]) -> dict[Apply, str]:
    """Return, for nodes from rewriting, the ops of the user's graph from the same line."""
    origin = getattr(getattr(graph, "maker", None), "origin", None)
    if origin is None:
        return {}
    ins, outs, *_ = origin
    roots = [spec.variable for spec in outs]
    roots += [spec.update for spec in ins if spec.update is not None]
    by_line: dict[Any, dict[str, None]] = {}
    for node in nodes_of(roots, ()):
        if node.trace:
            by_line.setdefault(node.trace, {}).setdefault(short_name(node.op))
    result = {}
    for node in order:
        before = by_line.get(node.trace, {}) if node.trace else {}
        if before and short_name(node.op) not in before:
            few = list(before)[:_FROM]
            result[node] = ", ".join(few) + ", …" * (len(before) > _FROM)
    return result


class _Facts:
    """Collects types, lengths, times and source lines of variables and nodes."""

    def __init__(
        self,
        times: Mapping[Any, float],
        shapes: Mapping[Any, Sequence[int | None]],
        rewritten_from: Mapping[Any, str],
    ) -> None:
        self.times, self.shapes, self.rewritten_from = times, shapes, rewritten_from
        self.total = sum(times.values())
        self._lines: dict[Any, tuple[str, str]] = {}

    def of_variable(self, v: Variable) -> dict[str, Any]:
        result: dict[str, Any] = {
            "type": str(v.type),
            "dtype": str(getattr(v.type, "dtype", "")),
            "shape": self.shape_of(v),
            "name": v.name or "",
        }
        line, source = self.line(source_line.trace_of(v), v)
        return result | {"line": line, "source": source}

    def of_node(self, node: Apply) -> dict[str, Any]:
        result = self.of_variable(node.outputs[0]) if node.outputs else {}
        result["line"], result["source"] = self.line(node.trace, node)
        result["name"] = next((v.name for v in node.outputs if v.name), "")
        seconds = self.times.get(node)
        if seconds is not None:
            result |= {"seconds": float(seconds)}
            result |= {"share": float(seconds / self.total)} if self.total else {}
        return result | {"rewritten_from": self.rewritten_from.get(node, "")}

    def shape_of(self, v: Variable) -> tuple[int | None, ...] | None:
        if v in self.shapes:
            return tuple(self.shapes[v])
        broadcastable = getattr(v.type, "broadcastable", None)
        value: Any = None
        if isinstance(v, Constant):
            value = v.data
        elif isinstance(v, SharedVariable):
            value = v.container.storage[0]
        if broadcastable is not None and getattr(value, "shape", None) is not None:
            return tuple(value.shape)
        return None if broadcastable is None else tuple(1 if b else None for b in broadcastable)

    def line(self, trace: source_line.Trace | None, thing: Any) -> tuple[str, str]:
        """Return ``file:number`` of the user's line, and its text."""
        if not trace:
            noted = getattr(thing._tag, "trace", None)
            if not noted or not noted[-1]:
                return "", ""
            name, number, _, text = noted[-1][-1]
            return f"{source_line.short_name(name)}:{number}", text or ""
        if trace[0] not in self._lines:
            name, number, _, text = source_line.lines(trace[:1])[0]
            self._lines[trace[0]] = f"{source_line.short_name(name)}:{number}", text or ""
        return self._lines[trace[0]]


class _Writer:
    """Writes the picture of one level."""

    def __init__(
        self, level: _Level, facts: _Facts, boxes: str, ids: dict[Any, str] | None
    ) -> None:
        self.level, self.facts, self.boxes = level, facts, boxes
        self.known = {} if ids is None else ids
        self.ids: dict[Any, str] = {}
        self.nodes: list[PictureNode] = []
        self.edges: list[PictureEdge] = []
        returned = [v for i, v in enumerate(level.outputs) if i not in level.updates]
        self.returned = dict.fromkeys(returned)
        self.written = {level.outputs[o]: v for o, v in level.updates.items()}

    def id_of(self, key: Any) -> str:
        """Return the id of a part; assign the next one if it has none."""
        text = self.known.get(key)
        if text is None:
            text = self.known[key] = f"n{len(self.known) + 1}"
        self.ids[key] = text
        return text

    def picture(
        self, order: Sequence[Apply], inner: Mapping[Apply, tuple[Picture, ...]]
    ) -> Picture:
        shown = set(order)
        for v in self.level.inputs:
            self.leaf(v)
        position = {node: i for i, node in enumerate(self.level.order)}
        for node in order:
            self.node(node, shown, position[node], inner.get(node, ()))
        for v in self.returned:
            self.end(v, "output", v)
        for o, v in self.level.updates.items():
            self.end(self.level.outputs[o], "update", v)
        total = len(self.level.order)
        note = (
            f"The graph has {total:,} ops: drawn are the {len(order):,} nearest to its outputs."
            if len(order) < total
            else ""
        )
        result = (tuple(self.nodes), tuple(self.edges), note, total, self.ids)
        return Picture(self.level.title, *result)

    def leaf(self, v: Variable) -> str:
        """Add the box of a variable that no op in the picture computes; return its id."""
        if v in self.ids:
            return self.ids[v]
        kind = "input"
        if isinstance(v, Constant):
            kind = "constant"
        elif isinstance(v, SharedVariable):
            kind = "shared"
        outer = self.level.outside.get(v)
        label = self.label_of(v) if outer is None or v.name else self.label_of(outer)
        facts = self.facts.of_variable(v)
        text = label if kind != "constant" else _value_text(v, 400)
        self.nodes.append(PictureNode(self.id_of(v), kind, label, text, **facts))
        return self.ids[v]

    def label_of(self, v: Variable) -> str:
        if v.name:
            return str(v.name)
        if isinstance(v, Constant):
            return _value_text(v, _VALUE)
        if v.owner is not None:
            return short_name(v.owner.op)
        return type_name(v.type)

    def node(
        self, node: Apply, shown: set[Apply], position: int, inner: tuple[Picture, ...]
    ) -> None:
        missing = 0
        incoming: list[tuple[str, tuple[Any, ...]]] = []
        marks = _memory(node.op)
        labels = _labels(node)
        for i, v in enumerate(node.inputs):
            if v.owner is not None and v not in self.ids and v.owner not in shown:
                # its op is outside of the level or beyond the limit
                missing += 1
                continue
            out = v.index if v.owner is not None and len(v.owner.outputs) > 1 else None
            if v in self.ids:
                source, out = self.ids[v], None
            else:
                source = self.leaf(v) if v.owner is None else self.ids[v.owner]
            text = (labels[i], marks.get(i, "use"), str(v.type), v.name or "", i, out)
            incoming.append((source, text))
        if missing:
            more = self.id_of((node, "more"))
            self.nodes.append(
                PictureNode(more, "more", "…", f"{missing} inputs that are not drawn")
            )
            incoming.append((more, ()))
        facts = self.facts.of_node(node)
        op = node.op
        words = (short_name(op), str(op), type(op).__name__, family_of(op))
        me = self.id_of(node)
        result = PictureNode(me, "apply", *words, position=position, inner=inner, **facts)
        self.nodes.append(result)
        self.edges += [PictureEdge(source, me, *text) for source, text in incoming]
        self.between(node, me)

    def between(self, node: Apply, me: str) -> None:
        """Add boxes for unused outputs of a node, and for others as ``boxes`` says."""
        for v in node.outputs:
            kind = "variable" if self.boxes == "all" or (v.name and self.boxes == "named") else ""
            if v in self.returned or v in self.written:
                # with boxes="ends", they are added last
                kind = "" if self.boxes == "ends" else self.kind_of(v)
            elif self.level.fgraph is not None and not v.clients:
                kind = "unused"
            if kind:
                self.box(v, kind, str(v.name) if v.name else type_name(v.type), v, me)

    def kind_of(self, v: Variable) -> str:
        return "output" if v in self.returned else "update"

    def end(self, v: Variable, kind: str, key: Variable) -> None:
        """Add the box of an output; an update is labelled with its shared variable."""
        if v.owner is not None and v in self.ids:
            me = self.ids[v]
        else:
            source = self.leaf(v) if v.owner is None else self.ids[v.owner]
            label = str(v.name) if v.name else type_name(v.type)
            label = f"new {self.label_of(key)}" if kind == "update" else label
            me = self.box(v, kind, label, (key, kind), source)
        if kind == "update":
            kept = self.leaf(key)
            self.edges.append(PictureEdge(me, kept, "", "update", str(key.type), key.name or ""))

    def box(self, v: Variable, kind: str, label: str, key: Any, source: str) -> str:
        me = self.id_of(key)
        self.nodes.append(PictureNode(me, kind, label, label, **self.facts.of_variable(v)))
        node = v.owner
        out = v.index if node is not None and len(node.outputs) > 1 else None
        tag = "" if out is None else str(out)
        self.edges.append(PictureEdge(source, me, tag, "use", str(v.type), v.name or "", None, out))
        return me


def _memory(op: Any) -> dict[int, str]:
    """Return 'destroy' for inputs that an op overwrites, 'view' for inputs that it views."""
    result: dict[int, str] = {}
    for kind, name in (("destroy", "destroy_map"), ("view", "view_map")):
        for inputs in (getattr(op, name, None) or {}).values():
            result |= dict.fromkeys(inputs, kind)
    return result


def _labels(node: Apply) -> list[str]:
    n = len(node.inputs)
    if n < 2:
        return [""] * n
    if family_of(node.op) == "condition" and not hasattr(node.op, "inner_graph"):
        half = (n - 1) // 2
        if half == 1:
            return list(_CONDITION)
        return ["if", *(f"{word} {i}" for word in ("then", "else") for i in range(half))]
    return [str(i) for i in range(n)]


def _value_text(v: Any, longest: int) -> str:
    data = v.data
    if isinstance(data, np.ndarray):
        if data.size > 1000:
            return f"{data.dtype} array {data.shape}"
        with np.printoptions(precision=4, threshold=12, edgeitems=2):
            return shortened(str(data), longest)
    return shortened(str(data), longest)


_NAMES = {(): "scalar", (False,): "vector", (False, False): "matrix"}
_NAMES |= {(False, True): "col", (True, False): "row"}


def type_name(type: Any) -> str:
    """Return a short description of a type.

    >>> import theano.tensor as T
    >>> type_name(T.dmatrix), type_name(T.TensorType("int8", (False,) * 3))
    ('float64 matrix', 'int8 3-d tensor')
    """
    pattern = getattr(type, "broadcastable", None)
    if pattern is None:
        return shortened(str(type), 26)
    return f"{type.dtype} {_NAMES.get(tuple(pattern), f'{len(pattern)}-d tensor')}"
