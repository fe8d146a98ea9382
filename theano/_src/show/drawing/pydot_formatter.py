"""PyDotFormatter: a graph as a pydot graph, with the properties of each part as attributes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from theano._src.graph import source_line
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.ground.documented import documented_in
from theano._src.ground.packages import not_loaded
from theano._src.show.drawing.description import describe
from theano._src.show.drawing.picture import Picture, PictureEdge, PictureNode
from theano._src.show.drawing.pydot_names import pydot_imported

#: the documented names for kinds of nodes
_TYPES = {"input": "input", "constant": "constant_input", "shared": "shared_input"}


@documented_in("theano.d3viz.formatting")
class PyDotFormatter:
    """Converts Theano graphs to ``pydot`` graphs; call it with a graph.

    Parameters
    ----------
    compact : bool
        Whether to omit unnamed variables between ops.

    Attributes
    ----------
    node_colors : dict
        Colours of variables, by kind.
    apply_colors : dict
        Colours of ops, by a word in their class name.
    shapes : dict
        Shapes of inputs, outputs and ops.

    >>> import theano.tensor as T
    >>> from theano.d3viz.formatting import PyDotFormatter
    >>> graph = PyDotFormatter()(T.exp(T.dscalar("x")))
    >>> [node.get_attributes()["node_type"] for node in graph.get_nodes()]
    ['input', 'apply', 'output']
    """

    def __init__(self, compact: bool = True) -> None:
        if not pydot_imported:
            raise ImportError(f"PyDotFormatter takes pydot: {not_loaded('pydot')}")
        self.compact = compact
        self.node_colors = {
            "input": "limegreen",
            "constant_input": "SpringGreen",
            "shared_input": "YellowGreen",
            "output": "dodgerblue",
            "unused": "lightgrey",
        }
        self.apply_colors = {
            "GpuFromHost": "red",
            "HostFromGpu": "red",
            "Scan": "yellow",
            "Shape": "cyan",
            "IfElse": "magenta",
            "Elemwise": "#FFAABB",
            "Subtensor": "#FFAAFF",
            "Alloc": "#FFAA22",
        }
        self.shapes = {"input": "box", "output": "box", "apply": "ellipse"}

    def __call__(self, fct: Any, graph: Any = None) -> Any:
        """Return a pydot graph; if ``graph`` is given, add the nodes and edges to it.

        Parameters
        ----------
        fct : compiled function, FunctionGraph, Variable, Apply or list of Variables
        graph : pydot.Dot, optional
        """
        import pydot  # slow to import

        top = pydot.Dot() if graph is None else graph
        boxes = "named" if self.compact else "all"
        profile = getattr(fct, "profile", None)
        # the graphs inside an op are clusters of the graph that contains it
        todo: list[tuple[Picture, Any, str]] = [(describe(fct, boxes=boxes), top, "")]
        for picture, into, path in todo:
            things = {id: thing for thing, id in picture.ids.items()}
            for node in picture.nodes:
                result = self._node(node, things[node.id], path, profile)
                for k, inner in enumerate(node.inner):
                    name = f"{path}{node.id}" + f"_{k}" * (k > 0)
                    cluster = pydot.Cluster(name)
                    result |= {"subg": cluster.get_name()}
                    result |= _maps(picture, node, inner, path, f"{name}_", things[node.id])
                    into.add_subgraph(cluster)
                    todo.append((inner, cluster, f"{name}_"))
                into.add_node(dict_to_pdnode(result))
            for edge in picture.edges:
                into.add_edge(self._edge(edge, things, path))
        return top

    def _node(self, node: PictureNode, thing: Any, path: str, profile: Any) -> dict[str, Any]:
        if node.kind == "apply":
            name = "IfElse" if node.family == "condition" else node.op
            result = {
                "name": path + node.id,
                "label": node.op,
                "profile": apply_profile(thing, profile),
                "node_type": "apply",
                "apply_op": node.op,
                "shape": self.shapes["apply"],
            }
            colour = [c for word, c in self.apply_colors.items() if word in name]
            if colour:
                result |= {"style": "filled", "fillcolor": colour[-1], "type": "colored"}
            return result
        kind = _TYPES.get(node.kind, "output")
        colour_of = "unused" if node.kind == "unused" else kind
        v = _variable(thing)
        return {
            "name": path + node.id,
            "label": node.label if v is None else var_label(v),
            "node_type": kind,
            "dtype": node.type if v is None else type_to_str(v.type),
            "tag": None if v is None else var_tag(v),
            "style": "filled",
            "fillcolor": self.node_colors[colour_of],
            "shape": self.shapes["input" if node.kind in _TYPES else "output"],
        }

    def _edge(self, edge: PictureEdge, things: Mapping[str, Any], path: str) -> Any:
        import pydot  # slow to import

        target = things[edge.target]
        kind = edge.type
        if isinstance(target, Apply) and edge.input is not None:
            kind = type_to_str(target.inputs[edge.input].type)
            kind = f"{edge.input} {kind}" if len(target.inputs) > 1 else kind
        elif (v := _variable(target)) is not None:
            kind = type_to_str(v.type)
        colours = {"view": self.node_colors["output"], "destroy": "red"}
        more = {"color": colours[edge.kind]} if edge.kind in colours else {}
        more |= {"style": "dashed", "constraint": "false"} if edge.kind == "update" else {}
        return pydot.Edge(path + edge.source, path + edge.target, label=kind, **more)


def _variable(thing: Any) -> Variable | None:
    """Return the variable of a box; the key of an output's box is a pair (variable, kind)."""
    result = thing[0] if isinstance(thing, tuple) else thing
    return result if isinstance(result, Variable) else None


def _maps(
    picture: Picture, node: PictureNode, inner: Picture, path: str, below: str, apply: Apply
) -> dict[str, str]:
    """Return the pairs of corresponding nodes outside and inside an op, as attributes."""
    outside = {e.input: path + e.source for e in picture.edges if e.target == node.id}
    held = getattr(apply.op, "inner_graph", None)
    pairs: list[list[str]] = []
    if held is not None:
        number = {v: i for i, v in reversed(list(enumerate(apply.inputs)))}
        for v, outer in held(apply)[1].items():
            if v in inner.ids and number.get(outer) in outside:
                pairs.append([outside[number[outer]], below + inner.ids[v]])
    ends = [below + n.id for n in inner.nodes if n.kind == "output"]
    after = [path + e.target for e in picture.edges if e.source == node.id]
    outputs = [list(pair) for pair in zip(ends, dict.fromkeys(after))]
    return {"subg_map_inputs": str(pairs), "subg_map_outputs": str(outputs)}


@documented_in("theano.d3viz.formatting")
def var_label(var: Any, precision: int = 3) -> str:
    """Return the name of a variable, the value of a constant, or the type in one word.

    >>> import theano.tensor as T
    >>> var_label(T.dvector("x")), var_label(T.constant(2.5)), var_label(T.dvector())
    ('x', '2.5', 'dvector')
    """
    if var.name is not None:
        return str(var.name)
    if isinstance(var, Constant):
        value = np.asarray(var.data)
        text = np.array2string(np.atleast_1d(value), precision=precision).split("\n")[0]
        return text.strip("[]") if value.ndim == 0 else text
    return type_to_str(var.type)


@documented_in("theano.d3viz.formatting")
def var_tag(var: Any) -> list[Any] | None:
    """Return file, number and text of the line that created a variable; None if unknown.

    >>> import theano.tensor as T
    >>> name, number, text = var_tag(T.dvector("x") + 1)
    >>> isinstance(number, int)
    True
    """
    trace = source_line.trace_of(var)
    if not trace:
        return None
    name, number, _, text = source_line.lines(trace[:1])[0]
    return [os.path.basename(name).replace("<", "").replace(">", ""), number, text or ""]


@documented_in("theano.d3viz.formatting")
def apply_label(node: Apply) -> str:
    """Return the class name of the op of a node.

    >>> import theano.tensor as T
    >>> apply_label(T.exp(T.dscalar()).owner)
    'Elemwise'
    """
    return type(node.op).__name__


@documented_in("theano.d3viz.formatting")
def apply_profile(node: Any, profile: Any) -> list[float] | None:
    """Return a profile's seconds for a node and for all calls; None if there are none.

    >>> apply_profile(None, None) is None
    True
    """
    if not profile or not profile.fct_call_time:
        return None
    return [profile.apply_time.get(node, 0), profile.fct_call_time]


@documented_in("theano.d3viz.formatting")
def broadcastable_to_str(b: Any) -> str:
    """Return the name of a broadcast pattern; empty if it has none.

    >>> broadcastable_to_str((False, True)), broadcastable_to_str((False,) * 3)
    ('col', '')
    """
    named = {
        (): "scalar",
        (False,): "vector",
        (False, True): "col",
        (True, False): "row",
        (False, False): "matrix",
    }
    return named.get(tuple(b), "")


@documented_in("theano.d3viz.formatting")
def dtype_to_char(dtype: Any) -> str:
    """Return the letter for a dtype in names such as ``dvector``; ``X`` if it has none.

    >>> dtype_to_char("float32"), dtype_to_char("uint8")
    ('f', 'X')
    """
    letters = {
        "complex64": "c",
        "complex128": "z",
        "float32": "f",
        "float64": "d",
        "int8": "b",
        "int16": "w",
        "int32": "i",
        "int64": "l",
    }
    return letters.get(str(dtype), "X")


@documented_in("theano.d3viz.formatting")
def type_to_str(t: Any) -> str:
    """Return a type in one word: ``dmatrix``, or the dtype if the pattern has no name.

    >>> import theano.tensor as T
    >>> type_to_str(T.fmatrix), type_to_str(T.TensorType("int8", (False,) * 3))
    ('fmatrix', 'int8')
    """
    if not hasattr(t, "broadcastable"):
        return str(t)
    name = broadcastable_to_str(t.broadcastable)
    return dtype_to_char(t.dtype) + name if name else str(t.dtype)


@documented_in("theano.d3viz.formatting")
def dict_to_pdnode(d: Mapping[str, Any]) -> Any:
    """Return a pydot node with the attributes of a dict; join lists by tabs, omit None.

    >>> node = dict_to_pdnode({"name": "n1", "label": "x", "profile": None})
    >>> node.get_name(), node.get_attributes()
    ('n1', {'label': 'x'})
    """
    import pydot  # slow to import

    result = {}
    for name, value in d.items():
        if value is None:
            continue
        text = "\t".join(map(str, value)) if isinstance(value, list) else str(value)
        result[name] = text.replace('"', "'")
    return pydot.Node(**result)
