"""Variations of a graph: other graphs, made of it by one change or two.

The example of a rule reaches the rule, but few of its conditions. Most conditions are about
types, patterns of lengths, constants, axes, and who else uses a result: so these are changed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any

import numpy as np

import theano.tensor as T
from theano._src.control.scan.op import Scan
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.graph.walk import nodes_of
from theano._src.ops.core.dimshuffle import DimShuffle
from theano._src.ops.core.elemwise import Elemwise
from theano._src.ops.reduce.careduce import Max, Min, Prod, Sum
from theano._src.ops.shape.dims import dimshuffle
from theano._src.types.convert import constant
from theano._src.types.scalar import Scalar
from theano._src.types.tensor import TensorType, tensor_type

#: dtypes that take the place of others
DTYPES = ("int64", "float32", "bool", "int8", "complex128", "uint8", "float64", "float16")
#: numbers that take the place of constants
NUMBERS = (0, 1, -1, 2, 0.5)
#: ops that take the place of others
_OPS = (
    (T.add, T.mul, T.sub, T.true_div, T.maximum, T.minimum, T.int_div, T.pow),
    (T.eq, T.neq, T.lt, T.ge, T.le, T.gt),
    (T.and_, T.or_, T.xor),
    (T.exp, T.log, T.neg, T.sqr, T.sqrt, T.abs_, T.expm1, T.log1p, T.tanh, T.sgn),
)
OPS = {op.scalar_op: [o for o in row if o is not op] for row in _OPS for op in row}
REDUCTIONS = (Sum, Prod, Max, Min)


@dataclass(frozen=True)
class Graph:
    """Inputs and outputs, and what was changed."""

    inputs: list[Variable]
    outputs: list[Variable]
    name: str = ""

    @property
    def nodes(self) -> list[Apply]:
        return nodes_of(self.outputs, set(self.inputs))

    def text(self) -> str:
        """Return text that is equal for equal graphs, in one process."""
        known = {v: f"{v.type} {i}" for i, v in enumerate(self.inputs)}

        def shown(v: Variable) -> str:
            if isinstance(v, Constant):
                return f"{v.type} {np.asarray(v.data).tolist()}"
            return known.get(v) or repr(v)

        rows = []
        for k, node in enumerate(self.nodes):
            op = _SEEN.setdefault(node.op, len(_SEEN))
            rows.append(f"{op} {node.op} {[shown(v) for v in node.inputs]}")
            known.update((v, f"{k}.{j}") for j, v in enumerate(node.outputs))
        types = [str(v.type) for v in self.inputs]
        return "\n".join([*types, *rows, *(shown(v) for v in self.outputs)])


#: the number of each op that was seen; equal ops, which are kept, have one
_SEEN: dict[Any, int] = {}


# how graphs are built anew


def changed(
    graph: Graph,
    name: str,
    *,
    givens: dict[Variable, Variable] | None = None,
    nodes: dict[Apply, Callable[[list[Variable]], Sequence[Variable]]] | None = None,
    more: Sequence[Variable] = (),
) -> Graph:
    """Return a graph with other variables and nodes, and further outputs.

    Parameters
    ----------
    graph : Graph
    name : str
    givens : dict
        What takes the place of variables, of any type. New inputs become inputs.
    nodes : dict
        For some nodes a function of the new inputs that returns the outputs.
    more : sequence of Variables
        Variables of the graph that become outputs.
    """
    known: dict[Variable, Variable] = dict(givens or {})
    new = nodes or {}
    for node in graph.nodes:
        inputs = [known.get(v, v) for v in node.inputs]
        if node in new:
            outputs = list(new[node](inputs))
        elif all(p is q for p, q in zip(inputs, node.inputs, strict=True)):
            continue
        else:
            outputs = _redone(node, inputs)
        for old, out in zip(node.outputs, outputs, strict=True):
            known.setdefault(old, out)
    outs = [known.get(v, v) for v in (*graph.outputs, *more)]
    free = [v for v in (known.get(v, v) for v in graph.inputs) if not isinstance(v, Constant)]
    free += [v for v in (givens or {}).values() if v.owner is None and not isinstance(v, Constant)]
    inputs = [v for v in dict.fromkeys(free) if v.owner is None]
    title = ", ".join(filter(None, (graph.name, name)))
    return Graph(inputs, outs, title)


def _redone(node: Apply, inputs: list[Variable]) -> list[Variable]:
    """Apply an op to other inputs, with the defaults that these inputs have."""
    op = node.op
    if isinstance(op, DimShuffle):
        if inputs[0].type.ndim != len(op.input_broadcastable):
            raise TypeError("another number of dimensions")
        return [dimshuffle(inputs[0], *op.new_order)]
    if isinstance(op, Sum | Prod) and not op.acc_given:
        plain = type(op)(op.axis)
        if plain.make_node(node.inputs[0]).outputs[0].type == node.outputs[0].type:
            op = plain
    if isinstance(op, Scan):
        op = _step_for(op, inputs)
    return list(op.make_node(*inputs).outputs)


def _step_for(op: Scan, inputs: list[Variable]) -> Scan:
    """Return a loop whose step takes what the inputs give it."""
    given = op.given(inputs)
    types: list[Any] = [tensor_type(x.dtype, x.broadcastable[1:]) for x in given.sequences]
    types += [x.type for x in (*given.states, *given.non_sequences)]
    pairs = {v: t() for v, t in zip(op.inner_inputs, types, strict=True) if v.type != t}
    if not pairs:
        return op
    inner = Graph(list(op.inner_inputs), list(op.inner_outputs))
    new = changed(inner, "", givens=pairs)
    return op.changed(
        inner_inputs=[pairs.get(v, v) for v in op.inner_inputs], inner_outputs=new.outputs
    )


# changes, by kind


def _tensors(graph: Graph) -> list[Variable]:
    return [v for v in graph.inputs if isinstance(v.type, TensorType)]


def _label(graph: Graph, v: Variable) -> str:
    alike = sum(x.name == v.name for x in graph.inputs)
    return str(v.name) if v.name and alike == 1 else f"input {graph.inputs.index(v)}"


def _of_type(v: Variable, dtype: str, pattern: Sequence[bool]) -> Variable:
    return tensor_type(dtype, tuple(pattern))(v.name)


Change = tuple[str, Callable[[], Graph]]


def _replace(graph: Graph, name: str, givens: dict[Variable, Variable]) -> Change:
    return name, lambda: changed(graph, name, givens=givens)


def dtypes(graph: Graph) -> Iterator[Change]:
    """Another dtype of an input, or of all inputs of a dtype."""
    for v in _tensors(graph):
        for dtype in DTYPES:
            if dtype != v.type.dtype:
                new = _of_type(v, dtype, v.type.broadcastable)
                yield _replace(graph, f"{_label(graph, v)} of {dtype}", {v: new})
    for old in sorted({v.type.dtype for v in _tensors(graph)}):
        alike = [v for v in _tensors(graph) if v.type.dtype == old]
        for dtype in DTYPES:
            if dtype != old and len(alike) > 1:
                givens = {v: _of_type(v, dtype, v.type.broadcastable) for v in alike}
                yield _replace(graph, f"{old} as {dtype}", givens)


def patterns(graph: Graph) -> Iterator[Change]:
    """A dimension of an input that has length 1 by its type, or has not any more."""
    for v in _tensors(graph):
        for d in range(v.type.ndim):
            pattern = list(v.type.broadcastable)
            pattern[d] = not pattern[d]
            new = _of_type(v, v.type.dtype, pattern)
            yield _replace(graph, f"{_label(graph, v)} of pattern {_shown(pattern)}", {v: new})
        if v.type.ndim > 1 and not any(v.type.broadcastable):
            new = _of_type(v, v.type.dtype, [True] * v.type.ndim)
            yield _replace(
                graph, f"{_label(graph, v)} of pattern {_shown([True] * v.type.ndim)}", {v: new}
            )


def _shown(pattern: Sequence[bool]) -> str:
    return f"({', '.join('1' if one else '?' for one in pattern)})"


def ranks(graph: Graph) -> Iterator[Change]:
    """A number in place of an array, or an array with a dimension more or less."""
    for v in _tensors(graph):
        n = v.type.ndim
        for new in sorted({0, n - 1, n + 1} - {n, -1}):
            givens = {v: _of_type(v, v.type.dtype, [False] * new)}
            yield _replace(graph, f"{_label(graph, v)} with {new} dimensions", givens)
    if len(_tensors(graph)) > 1:
        for new in range(4):
            givens = {v: _of_type(v, v.type.dtype, [False] * new) for v in _tensors(graph)}
            yield _replace(graph, f"all with {new} dimensions", givens)


def constants_of(graph: Graph) -> list[Constant]:
    found = (v for n in graph.nodes for v in n.inputs if isinstance(v, Constant))
    return [v for v in dict.fromkeys(found) if isinstance(v.type, TensorType | Scalar)]


def numbers(graph: Graph) -> Iterator[Change]:
    """Another number or dtype of a constant, or a variable in its place."""
    for k, c in enumerate(constants_of(graph)):
        data = np.asarray(c.data)
        for number in NUMBERS:
            fits = np.asarray(number).astype(data.dtype) == number
            if fits and not (data == number).all():
                filled = np.full(data.shape, number, data.dtype)
                name = f"constant {k} is {number}"
                yield _replace(graph, name, {c: _like(c, filled)})
        if not isinstance(c.type, TensorType):
            continue
        for dtype in DTYPES:
            if dtype[0] != "c" and dtype != c.type.dtype and (data.astype(dtype) == data).all():
                cast = constant(data.astype(dtype))
                yield _replace(graph, f"constant {k} of {dtype}", {c: cast})
        if data.ndim and data.size == 1:
            longer = constant(np.repeat(data, 2, 0))
            yield _replace(graph, f"constant {k} of length 2", {c: longer})
        yield _replace(graph, f"variable for constant {k}", {c: c.type(f"c{k}")})


def _like(c: Constant, data: Any) -> Variable:
    return constant(data) if isinstance(c.type, TensorType) else type(c)(c.type, data[()])


def known_inputs(graph: Graph) -> Iterator[Change]:
    """A constant in place of an input."""
    for v in _tensors(graph):
        for number in (1, 0, 2, -1):
            for length in (1, 2)[: 1 + bool(v.type.ndim)]:
                shape = [1 if one else length for one in v.type.broadcastable]
                if v.type.dtype[0] in "ub" and number < 0:
                    continue
                data = constant(np.full(shape, number, v.type.dtype))
                yield _replace(
                    graph, f"{number} of shape {tuple(shape)} for {_label(graph, v)}", {v: data}
                )


def axes(graph: Graph) -> Iterator[Change]:
    """Other axes of a reduction or a softmax."""
    for k, node in enumerate(graph.nodes):
        old = getattr(node.op, "axis", None)
        if not isinstance(old, tuple) or isinstance(node.op, Scan):
            continue
        every = range(node.inputs[0].type.ndim)
        for n in range(len(every) + 1):
            for new in combinations(every, n):
                if new != old:
                    name = f"axis {new} of {_named(node, k)}"
                    yield name, _with_op(graph, name, node, _along(node.op, new))


def _along(op: Any, axis: tuple[int, ...]) -> Any:
    if type(op) in REDUCTIONS or type(op).__props__ == ("axis",):
        return type(op)(axis)
    raise TypeError(f"{op} has more than axes")


def _named(node: Apply, k: int) -> str:
    """Return a name of a node: its op, and its place in the order."""
    return f"{_kind(node.op)} {k}"


def _kind(op: Any) -> str:
    if isinstance(op, Elemwise):
        return str(op.scalar_op.name or type(op.scalar_op).__name__)
    return type(op).__name__


def _with_op(graph: Graph, name: str, node: Apply, op: Any) -> Callable[[], Graph]:
    return lambda: changed(graph, name, nodes={node: lambda ins: op.make_node(*ins).outputs})


def ops(graph: Graph) -> Iterator[Change]:
    """Another op of the same form."""
    for k, node in enumerate(graph.nodes):
        if isinstance(node.op, Elemwise):
            others: Any = OPS.get(node.op.scalar_op, ())
            others = [o for o in others if o.scalar_op.nin < 0 or o.scalar_op.nin == node.nin]
        elif type(node.op) in REDUCTIONS:
            others = [cls(node.op.axis) for cls in REDUCTIONS if cls is not type(node.op)]
        else:
            continue
        for op in others:
            name = f"{_kind(op)} for {_named(node, k)}"
            yield name, _with_op(graph, name, node, op)


def swapped(graph: Graph) -> Iterator[Change]:
    """Two inputs of a node that change places."""
    for k, node in enumerate(graph.nodes):
        for i, j in combinations(range(min(node.nin, 4)), 2):
            p, q = node.inputs[i], node.inputs[j]
            if p is q or not isinstance(p.type, TensorType) or not isinstance(q.type, TensorType):
                continue
            if p.type.ndim != q.type.ndim:
                continue
            name = f"inputs {i} and {j} of {_named(node, k)} swapped"
            yield name, _rewired(graph, name, node, {i: j, j: i})


def _rewired(graph: Graph, name: str, node: Apply, order: dict[int, int]) -> Callable[[], Graph]:
    def outputs(ins: list[Variable]) -> Sequence[Variable]:
        return _redone(node, [ins[order.get(i, i)] for i in range(len(ins))])

    return lambda: changed(graph, name, nodes={node: outputs})


def repeated(graph: Graph) -> Iterator[Change]:
    """An input that appears twice, in a node or in the graph."""
    alike = combinations(_tensors(graph), 2)
    for p, q in alike:
        if p.type == q.type:
            yield _replace(graph, f"{_label(graph, p)} for {_label(graph, q)}", {q: p})
    for k, node in enumerate(graph.nodes):
        for i, j in combinations(range(min(node.nin, 4)), 2):
            if node.inputs[i] is node.inputs[j]:
                continue
            name = f"input {i} of {_named(node, k)} for input {j}"
            yield name, _rewired(graph, name, node, {j: i})


def inside(graph: Graph) -> list[tuple[str, Variable]]:
    """Return results that are no outputs, and their names."""
    outs = set(graph.outputs)
    return [
        (f"{_named(n, k)}.{j}", v)
        for k, n in enumerate(graph.nodes)
        for j, v in enumerate(n.outputs)
        if v not in outs and isinstance(v.type, TensorType)
    ]


def read_twice(graph: Graph) -> Iterator[Change]:
    """A result inside that is an output too, or is read by a further node."""
    for name, v in inside(graph):
        text = f"{name} is an output"
        yield text, lambda v=v, text=text: changed(graph, text, more=[v])
        text = f"{name} is read twice"
        yield text, lambda v=v, text=text: changed(graph, text, more=[T.add(v, v)])


def fewer_outputs(graph: Graph) -> Iterator[Change]:
    """One output of several."""
    if len(graph.outputs) > 1:
        for k, v in enumerate(graph.outputs):
            name = f"only output {k}"
            needed = set(_roots(v))
            inputs = [x for x in graph.inputs if x in needed]
            yield name, lambda v=v, name=name, inputs=inputs: Graph(inputs, [v], name)


def _roots(v: Variable) -> list[Variable]:
    return [v, *(x for node in nodes_of([v]) for x in node.inputs)]


def cut(graph: Graph) -> Iterator[Change]:
    """An input in place of a result inside."""
    for name, v in inside(graph):
        yield _replace(graph, f"an input for {name}", {v: v.type("r")})


#: the kinds of changes; each takes its turn
KINDS = (dtypes, patterns, numbers, read_twice, repeated, axes, swapped, ranks, known_inputs, cut,
         ops, fewer_outputs)  # fmt: skip


def changes(graph: Graph, seed: str) -> Iterator[Change]:
    """Yield changes of a graph, one of each kind in turn, in an order drawn from the seed."""
    turns = []
    for kind in KINDS:
        drawn = list(kind(graph))
        random.Random(f"{seed} {kind.__name__}").shuffle(drawn)
        turns.append(iter(drawn))
    yield from in_turn(turns)


#: how many graphs are built with one change, and with two
ONE, TWO = 60, 12


def variations(graph: Graph, seed: str, one: int = ONE, two: int = TWO) -> Iterator[Graph]:
    """Yield graphs that differ from a graph by one change, then some that differ by two."""
    known = {graph.text()}
    singles = []
    for new in islice(_built(changes(graph, seed), known), one):
        singles.append(new)
        yield new
    rng = random.Random(seed)
    for base in rng.choices(singles, k=two if singles else 0):
        yield from islice(_built(changes(base, f"{seed} {rng.random()}"), known), 1)


def _built(drawn: Iterator[Change], known: set[str]) -> Iterator[Graph]:
    """Yield graphs that can be built and are new."""
    for _, build in drawn:
        try:
            new = build()
            text = new.text()
        except Exception:
            continue  # an op refuses the change
        if text not in known and any(v.owner for v in new.outputs):
            known.add(text)
            yield new


def in_turn(turns: Sequence[Iterator[Any]]) -> Iterator[Any]:
    """Yield the first item of each iterator, then the second of each, and so on."""
    left = list(turns)
    while left:
        for turn in list(left):
            try:
                yield next(turn)
            except StopIteration:
                left.remove(turn)
