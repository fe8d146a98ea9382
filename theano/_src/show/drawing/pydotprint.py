"""pydotprint: draw a picture in the documented style, into a file or as bytes."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from theano._src.graph.graph import Apply, Variable
from theano._src.graph.walk import nodes_of
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.show.drawing import graphviz
from theano._src.show.drawing.description import describe, level_of
from theano._src.show.drawing.dot import dot_of_sheet, dot_with_places
from theano._src.show.drawing.families import family_of
from theano._src.show.drawing.layout import is_large, layout
from theano._src.show.drawing.picture import Picture, PictureEdge, PictureNode
from theano._src.show.drawing.sheet import Arrow, Shape, Sheet, Text
from theano._src.show.drawing.svg import svg_of_sheet

#: colours by a word in the class name of the op
default_colorCodes = {
    "GpuFromHost": "red",
    "HostFromGpu": "red",
    "Scan": "yellow",
    "Shape": "brown",
    "IfElse": "magenta",
    "Elemwise": "#FFAABB",
    "Subtensor": "#FFAAFF",
    "Alloc": "#FFAA22",
    "Output": "blue",
}


@documented_in("theano.printing")
def pydotprint(
    fct: Any,
    outfile: Any = None,
    compact: bool = True,
    format: str = "png",
    with_ids: bool = False,
    high_contrast: bool = True,
    cond_highlight: Any = None,
    colorCodes: Mapping[str, str] | None = None,
    max_label_size: int = 70,
    scan_graphs: bool = False,
    var_with_name_simple: bool = False,
    print_output_file: bool = True,
    assert_nb_all_strings: int = -1,
    return_image: bool = False,
) -> bytes | None:
    """Draw a graph into a file, in any format of Graphviz.

    Ellipses are ops, boxes are variables. Cyan boxes are shared variables, green ones other inputs,
    blue ones outputs, grey ones unused variables. Ops are coloured by kind. If an op has several
    inputs, edges have the number of the input. A blue edge means that the output is a view of
    that input, a red edge that the input is overwritten.

    Parameters
    ----------
    fct : compiled function, FunctionGraph, Variable, Apply or list of Variables
    outfile : str or path, optional
        By default a file in ``config.compiledir``. Missing directories are created, and the
        extension is added.
    compact : bool
        Whether to omit unnamed variables between ops.
    format : str
        ``'png'``, ``'svg'``, ``'pdf'`` or another format of Graphviz. ``'svg'`` and ``'dot'``
        work without Graphviz.
    with_ids : bool
        Whether to show each op's position in the order of computation.
    high_contrast : bool
        Whether colours fill the shapes; otherwise they colour the borders.
    cond_highlight : str, Apply or True, optional
        An ifelse, by its name or its node: borders surround the ops of each branch, and the ops
        of both. True means the only one in the graph.
    colorCodes : dict, optional
        Colours by a word in the op's class name; ``'Output'`` is for outputs and views.
    max_label_size : int
        The longest label, in characters.
    scan_graphs : bool
        Whether to draw the step of each scan into its own file, whose name ends with the name of
        the scan and its position in the order of computation.
    var_with_name_simple : bool
        Whether to show a named variable by its name only, without its type.
    print_output_file : bool
        Whether to print the path of the file.
    assert_nb_all_strings : int
        The expected number of different labels; -1 for no check.
    return_image : bool
        Whether to return the image as bytes instead of writing a file.

    Returns
    -------
    bytes or None

    >>> import theano.tensor as T
    >>> x = T.dvector("x")
    >>> image = pydotprint(x * 2, return_image=True, format="svg")
    >>> b"<svg" in image and b"<ellipse" in image
    True
    """
    picture = describe(fct, boxes="named" if compact else "all")
    if max_label_size < 8:
        raise ValueError(f"pydotprint takes 8 or more as max_label_size, got {max_label_size!r}")
    codes = default_colorCodes if colorCodes is None else colorCodes
    style = _Style(codes, high_contrast, with_ids, max_label_size, var_with_name_simple)
    sheet = style.sheet(picture)
    labels = {t.text for shape in sheet.shapes for t in shape.texts}
    if assert_nb_all_strings != -1 and len(labels) != assert_nb_all_strings:
        raise AssertionError(
            f"the picture has {len(labels)} different labels, {assert_nb_all_strings} are expected"
        )
    clusters: dict[str, list[str]] = {}
    if cond_highlight is not None and cond_highlight is not False:
        sheet, clusters = _highlighted(fct, picture, sheet, cond_highlight, style)
    if return_image:
        return _image(sheet, clusters, format)
    path = _path(outfile, format)
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as file:
        file.write(_image(sheet, clusters, format))
    if scan_graphs:
        for name, steps in _steps(fct, path, format):
            pydotprint(
                steps,
                name,
                compact=compact,
                format=format,
                with_ids=with_ids,
                high_contrast=high_contrast,
                colorCodes=colorCodes,
                max_label_size=max_label_size,
                var_with_name_simple=var_with_name_simple,
                print_output_file=print_output_file,
            )
    if print_output_file:
        print("The output file is available at", path)
    return None


@documented_in("theano.printing")
def pydotprint_variables(
    vars: Any,
    outfile: Any = None,
    format: str = "png",
    depth: int = -1,
    high_contrast: bool = True,
    colorCodes: Mapping[str, str] | None = None,
    max_label_size: int = 50,
    var_with_name_simple: bool = False,
) -> None:
    """Draw the graph of variables that are not compiled; `pydotprint` can do this too.

    Parameters
    ----------
    vars : Variable or list of Variables
    outfile, format, high_contrast, colorCodes, max_label_size, var_with_name_simple
        As for `pydotprint`.
    depth : int
        The number of ops to go back from the variables; -1 for all.

    >>> import os, tempfile, theano.tensor as T
    >>> x = T.dvector("x")
    >>> with tempfile.TemporaryDirectory() as at:
    ...     pydotprint_variables(x * 2, os.path.join(at, "twice"), format="svg")
    ...     os.listdir(at)
    The output file is available at ...twice.svg
    ['twice.svg']
    """
    outputs = [vars] if isinstance(vars, Variable) else list(vars)
    pydotprint(
        outputs if depth < 0 else _cut(outputs, depth),
        outfile,
        format=format,
        high_contrast=high_contrast,
        colorCodes=colorCodes,
        max_label_size=max_label_size,
        var_with_name_simple=var_with_name_simple,
    )


def _cut(outputs: Sequence[Variable], depth: int) -> list[Variable]:
    """Return copies of the outputs, whose graphs are cut ``depth`` ops back."""
    far: dict[Variable, int] = dict.fromkeys(outputs, 0)
    order = nodes_of(outputs, ())
    for node in reversed(order):
        level = min((far[v] for v in node.outputs if v in far), default=depth)
        for v in node.inputs:
            far[v] = min(far.get(v, depth + 1), level + 1)
    new: dict[Variable, Variable] = {}
    for node in order:
        if min((far[v] for v in node.outputs if v in far), default=depth) >= depth:
            new.update({v: v.clone() for v in node.outputs})
        else:
            copy = node.clone_with_new_inputs([new.get(v, v) for v in node.inputs])
            for v, result in zip(node.outputs, copy.outputs, strict=True):
                result.name = v.name
                new[v] = result
    return [new.get(v, v) for v in outputs]


def _path(outfile: Any, format: str) -> str:
    if outfile is None:
        name = f"theano.pydotprint.{config.device}.{format}"
        return os.path.join(str(config.compiledir), name)
    path = os.fspath(outfile)
    return path if path.endswith(f".{format}") else f"{path}.{format}"


def _image(sheet: Sheet, clusters: Mapping[str, Sequence[str]], format: str) -> bytes:
    has_graphviz = graphviz.program() is not None
    # only Graphviz draws borders around shapes, but it takes minutes for large graphs
    large = is_large(sheet) and not clusters
    if format == "svg" and (large or not has_graphviz):
        return svg_of_sheet(sheet).encode()
    text = dot_of_sheet(sheet, clusters)
    if not has_graphviz and format in ("dot", "gv"):
        return text.encode()
    if large and has_graphviz:
        return graphviz.run(dot_with_places(layout(sheet, "layered")), format, has_places=True)
    return graphviz.run(text, format)


def _steps(fct: Any, path: str, format: str) -> Iterator[tuple[str, list[Variable]]]:
    """Yield, for each scan, the file name for its step, and the step's outputs."""
    order, _ = level_of(fct)
    for i, node in enumerate(order):
        if family_of(node.op) == "loop":
            name = getattr(node.op, "name", None)
            parts = [path.removesuffix(f".{format}"), *([name] if name else []), str(i)]
            yield f"{'_'.join(parts)}.{format}", list(node.op.inner_graph(node)[0])


class _Style:
    """The documented labels and colours."""

    def __init__(
        self,
        codes: Mapping[str, str],
        high_contrast: bool,
        with_ids: bool,
        longest: int,
        simple: bool,
    ) -> None:
        self.codes, self.high_contrast, self.with_ids = codes, high_contrast, with_ids
        self.longest, self.simple = longest, simple
        self.output = codes.get("Output", default_colorCodes["Output"])
        self.taken: set[str] = set()

    def sheet(self, picture: Picture) -> Sheet:
        nodes = {n.id: n for n in picture.nodes}
        written = {
            e.source: nodes[e.target].name for e in picture.edges if e.kind == "update" and e.target
        }
        shapes = [self.shape(n, written.get(n.id, "")) for n in picture.nodes]
        inputs = {n.id: 0 for n in picture.nodes}
        for e in picture.edges:
            inputs[e.target] += e.kind != "update"
        arrows = [self.arrow(e, nodes, inputs[e.target] > 1) for e in picture.edges]
        return Sheet(picture.title, tuple(shapes), tuple(arrows), picture.note)

    def shape(self, node: PictureNode, written: str) -> Shape:
        if node.kind == "more":
            return Shape(node.id, node.id, (Text("..."),), "box", "none", "grey", True)
        if node.kind == "apply":
            label, colour, form = self.op_label(node), self.op_colour(node), "ellipse"
        else:
            label, colour, form = self.variable_label(node, written), self.colour(node), "box"
        fill, stroke = "none", "black"
        if colour is not None and self.high_contrast:
            fill = colour
        elif colour is not None:
            stroke = colour
        ink = "white" if fill in ("blue", "brown") else "#1f2937"
        texts = (Text(label, ink=ink),)
        return Shape(node.id, node.id, texts, form, fill, stroke, classes=f"node {node.kind}")

    def op_colour(self, node: PictureNode) -> str | None:
        name = "IfElse" if node.family == "condition" else node.op
        return next((colour for word, colour in self.codes.items() if word in name), None)

    def colour(self, node: PictureNode) -> str | None:
        match node.kind:
            case "input" | "constant":
                return "green"
            case "shared":
                return "cyan"
            case "output" | "update":
                return self.output
            case "unused":
                return "grey"
        return None

    def op_label(self, node: PictureNode) -> str:
        text = node.text.replace(":", "_")
        if node.seconds is not None:
            text += f"   ({node.seconds:.3f}s,{100 * (node.share or 0.0):.3f}%)"
        number = f" id={node.position}" if self.with_ids else ""
        label = self.cut(text, number)
        if label in self.taken:
            label = self.cut(text, f" id={node.position}")
        self.taken.add(label)
        return label

    def cut(self, text: str, ending: str = "") -> str:
        if len(text) + len(ending) <= self.longest:
            return text + ending
        return text[: self.longest - 3 - len(ending)] + "..." + ending

    def variable_label(self, node: PictureNode, written: str) -> str:
        name = node.name or written
        if name:
            label = name if self.simple else f"name={name} {node.type}"
        elif node.kind == "constant":
            label = f"val={node.text} {node.type}"
        else:
            label = node.type
        self.taken.add(label)
        return self.cut(label)

    def arrow(self, edge: PictureEdge, nodes: Mapping[str, PictureNode], several: bool) -> Arrow:
        if edge.kind == "update":
            return Arrow(edge.source, edge.target, "UPDATE", self.output, ranks=False)
        words = []
        if edge.input is not None and several:
            words.append(str(edge.input))
        elif edge.input is None and edge.output is not None:
            words.append(str(edge.output))
        if nodes[edge.source].kind == "apply" and nodes[edge.target].kind in ("apply", "variable"):
            words += [edge.type] if nodes[edge.target].kind == "apply" else []
        colour = {"view": self.output, "destroy": "red"}.get(edge.kind, "black")
        return Arrow(edge.source, edge.target, self.cut(" ".join(words)), colour)


def _highlighted(
    fct: Any, picture: Picture, sheet: Sheet, which: Any, style: _Style
) -> tuple[Sheet, dict[str, list[str]]]:
    """Return the sheet, and the ids of the shapes of each branch of a condition."""
    order, _ = level_of(fct)
    node = _condition(order, which)
    if node is None or node not in picture.ids:
        warnings.warn(
            f"pydotprint takes the name or the node of an ifelse as cond_highlight, got {which!r}: "
            "the graph has no such condition, and none is highlighted",
            stacklevel=3,
        )
        return sheet, {}
    me = picture.node(picture.ids[node])
    if len(me.inner) == 2:
        return _opened(sheet, me, style)
    half = (len(node.inputs) - 1) // 2
    left, right = (
        set(nodes_of(node.inputs[1 + k * half : 1 + (k + 1) * half], ())) for k in (0, 1)
    )
    parts = {"Left": left - right, "Right": right - left, "Middle": left & right}
    result = {
        name: [picture.ids[n] for n in order if n in nodes and n in picture.ids]
        for name, nodes in parts.items()
    }
    return sheet, {name: ids for name, ids in result.items() if ids}


def _condition(order: Sequence[Apply], which: Any) -> Apply | None:
    results = [n for n in order if family_of(n.op) == "condition"]
    if which is True:
        return results[0] if len(results) == 1 else None
    for node in results:
        if which is node or (isinstance(which, str) and getattr(node.op, "name", None) == which):
            return node
    return None


def _opened(sheet: Sheet, node: PictureNode, style: _Style) -> tuple[Sheet, dict[str, list[str]]]:
    """Draw the branches inside a condition as clusters before it, with arrows to it."""
    shapes, arrows = list(sheet.shapes), list(sheet.arrows)
    clusters: dict[str, list[str]] = {}
    for name, branch in zip(("Left", "Right"), node.inner, strict=True):
        path = f"{node.id}.{name}."
        inside = style.sheet(branch)
        at = next(k for k, shape in enumerate(shapes) if shape.id == node.id)
        new = [
            Shape(path + s.id, f"{path}{s.of}", s.texts, s.form, s.fill, s.stroke)
            for s in inside.shapes
        ]
        shapes[at:at] = new
        arrows += [
            Arrow(path + a.source, path + a.target, a.label, a.colour) for a in inside.arrows
        ]
        ends = [path + n.id for n in branch.nodes if n.kind == "output"]
        arrows += [Arrow(end, node.id, name.lower(), "grey", True) for end in ends]
        clusters[name] = [shape.id for shape in new]
    return Sheet(sheet.title, tuple(shapes), tuple(arrows), sheet.note), clusters
