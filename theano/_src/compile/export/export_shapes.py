"""The input shapes of an exported function: which lengths are numbers, and which symbolic."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from theano._src.compile.jax.as_jax import JaxFunction
from theano._src.control.scan.op import Scan
from theano._src.engines.numpy.equal_lengths import Length, Lengths
from theano._src.graph.fg import FunctionGraph
from theano._src.graph.graph import Apply, Constant, Variable
from theano._src.ops.conv.conv import AbstractConv
from theano._src.ops.linalg.blas import Dot22, Dot22Scalar, Gemm, Gemv
from theano._src.ops.linalg.dot import BatchedDot, Dot
from theano._src.ops.linalg.einsum import Einsum
from theano._src.ops.nnet.class_index import OfClasses
from theano._src.ops.shape.shape import Shape_i
from theano._src.rules.shape import ShapeFeature
from theano._src.types.tensor import TensorType

#: a number, the name of a symbolic length or an expression of names, or None for a new name
Entry = int | str | None
Shapes = Mapping[Any, Sequence[Entry]]


class OpenShapes(NamedTuple):
    """The shape of each argument, as numbers and strings, and the names of symbolic lengths."""

    shapes: list[tuple[int | str, ...]]
    names: list[str]


class _Agreeing(Lengths):
    """The equal lengths in a graph, as products and elementwise operations require them."""

    def __init__(self, fgraph: FunctionGraph, held: Mapping[Variable, Sequence[int]]) -> None:
        super().__init__()
        self._of.update({v: tuple(shape) for v, shape in held.items()})
        self._feature = ShapeFeature()
        todo = list(reversed(fgraph.toposort()))
        while todo:  # the nodes inside a loop come right after it
            node = todo.pop()
            self._visit(node)
            if isinstance(node.op, Scan):
                todo.extend(reversed(self._inside(node)))

    def of(self, v: Variable) -> tuple[Length, ...]:
        if v not in self._of and not isinstance(v.type, TensorType):
            self._of[v] = ()
        if v in self._of or v.owner is None or isinstance(v, Constant):
            return super().of(v)
        plain = super().of(v)
        lengths = [_length_of(e, self) for e in self._feature.shape(v) or ()]
        self._of[v] = tuple(own if n is None else n for n, own in zip(lengths, plain, strict=True))
        return self._of[v]

    def root(self, v: Variable, axis: int) -> Length:
        """A number, or the representative of all lengths that are equal to this one."""
        return self._root(self.of(v)[axis])

    def _visit(self, node: Apply) -> None:
        op, inputs = node.op, node.inputs
        if isinstance(op, Dot | Dot22 | Dot22Scalar):
            self._contract(inputs[0], inputs[1])
        elif isinstance(op, BatchedDot):
            self._equal(inputs[0], 0, inputs[1], 0)
            self._equal(inputs[0], -1, inputs[1], min(1, inputs[1].type.ndim - 1))
        elif isinstance(op, Gemm | Gemv):
            out, _, a, b, _ = inputs
            self._contract(a, b)
            self._equal(out, 0, a, 0)
            if out.type.ndim > 1:
                self._equal(out, 1, b, 1)
        elif isinstance(op, Einsum):
            first: dict[int, tuple[Variable, int]] = {}
            for v, term in zip(inputs, op.terms, strict=True):
                for axis, label in enumerate(term):
                    self._equal(*first.setdefault(label, (v, axis)), v, axis)
        elif isinstance(op, OfClasses) and not op.indexed:
            self._rows(inputs)
        elif isinstance(op, AbstractConv) and op.num_groups == 1 and not op.unshared:
            self._equal(inputs[0], 1, inputs[1], 1)
        self.passed(node)

    def _inside(self, loop: Apply) -> list[Apply]:
        """Set the lengths of the inner inputs of a loop, and return the nodes of its step."""
        op, given = loop.op, loop.op.given(loop.inputs)
        for node in op.order:
            for v in node.outputs:
                self._of.pop(v, None)
        rows = [self.of(v)[1:] for v in given.sequences]
        plain = [self.of(v) for v in (*given.states, *given.non_sequences)]
        self._of.update(zip(op.inner_inputs, (*rows, *plain), strict=True))
        return list(op.order)

    def _rows(self, inputs: Sequence[Variable]) -> None:
        """Equate the rows of a matrix with the length of its vector of classes."""
        matrix = next(v for v in inputs if v.type.ndim == 2)
        for v in inputs:
            if v.type.ndim == 1 and v.type.numpy_dtype.kind in "iu":
                self._equal(matrix, 0, v, 0)

    def _contract(self, a: Variable, b: Variable) -> None:
        if a.type.ndim and b.type.ndim:
            self._equal(a, -1, b, max(0, b.type.ndim - 2))

    def _equal(self, a: Variable, i: int, b: Variable, j: int) -> None:
        self._unite(self.of(a)[i], self.of(b)[j])


def _length_of(expression: Any, lengths: _Agreeing) -> Length | None:
    """The length that an expression computes, if it is a length of an input, or a number."""
    if isinstance(expression, Constant):
        return int(expression.data)
    owner = expression.owner
    if owner is None or not isinstance(owner.op, Shape_i) or owner.inputs[0].owner is not None:
        return None
    return lengths.of(owner.inputs[0])[owner.op.i]


def open_shapes(function: JaxFunction, given: Shapes | None) -> OpenShapes:
    """Return the shapes to export a function for: the given lengths, and symbols for the others."""
    requested = _by_argument(function, given or {})
    inside = function.arguments
    lengths = _Agreeing(function.fgraph, function.known_shapes())
    pairs: list[tuple[int | str, ...]] = []
    names: dict[Length, str] = {}
    for v, held in zip(function.inputs, inside, strict=True):
        entries = requested.get(v) or (None,) * held.type.ndim
        shape: list[int | str] = []
        for axis, entry in enumerate(entries):
            root = lengths.root(held, axis)
            if entry is not None:
                shape.append(entry if isinstance(entry, str) else int(entry))
                names.setdefault(root, str(shape[-1]))
            elif isinstance(root, int):
                shape.append(root)
            else:
                shape.append(names.setdefault(root, f"{_identifier(v, len(pairs))}_{axis}"))
        pairs.append(tuple(int(n) if str(n).isdigit() else n for n in shape))
    symbols = {n for s in pairs for text in s for n in re.findall(r"[A-Za-z_]\w*", str(text))}
    return OpenShapes(pairs, sorted(symbols - {"floordiv", "mod", "max", "min"}))


def _by_argument(function: JaxFunction, given: Shapes) -> dict[Variable, tuple[Entry, ...]]:
    by_name = {v.name: v for v in function.inputs if v.name}
    result: dict[Variable, tuple[Entry, ...]] = {}
    for key, entries in given.items():
        v: Any = by_name.get(key) if isinstance(key, str) else key
        if v not in function.inputs:
            raise ValueError(
                f"shapes has {key}, and the inputs are {', '.join(map(str, function.inputs))}"
            )
        if isinstance(entries, str) or len(tuple(entries)) != v.type.ndim:
            raise ValueError(
                f"shapes takes {v.type.ndim} lengths for {v}, as numbers or names, got {entries!r}"
            )
        for n, one in zip(entries, v.type.broadcastable, strict=True):
            if not isinstance(n, int | np.integer | str | None) or (one and n not in (1, None)):
                raise ValueError(f"shapes: {v} of {v.type} has no length {n!r}")
        result[v] = tuple(entries)
    return result


def _identifier(v: Variable, position: int) -> str:
    return v.name if v.name and v.name.isidentifier() else f"in{position}"
