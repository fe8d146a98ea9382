"""Write an ONNX graph: its values, nodes, names and constants."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from theano._src.ground.lazy import at_first_use

_helper = at_first_use("onnx:helper")
_numpy_helper = at_first_use("onnx:numpy_helper")

#: the bounds of a slice without bounds
FIRST, LAST = int(np.iinfo("int64").min), int(np.iinfo("int64").max)


class NoForm(Exception):
    """An op, or a use of one, has no ONNX form; the message says why."""


class Value:
    """A tensor of the ONNX graph, with the Python operators for elementwise formulas.

    Attributes
    ----------
    name : str
    dtype : NumPy dtype
    array : array, or None
        The data of an initializer.
    data : array, or None
        The data of a constant, which may be written in another form where that is needed.
    """

    __slots__ = ("array", "data", "dtype", "name", "to")

    def __init__(
        self, to: Writer, name: str, dtype: Any, array: Any = None, data: Any = None
    ) -> None:
        self.to, self.name, self.dtype = to, name, np.dtype(dtype)
        self.array, self.data = array, data

    def __repr__(self) -> str:
        return f"Value({self.name}, {self.dtype})"

    def astype(self, dtype: Any) -> Value:
        """Cast to another dtype."""
        wanted = np.dtype(dtype)
        if wanted == self.dtype:
            return self
        if self.data is not None and self.data.size == 1:
            return self.to.constant(self.data.astype(wanted))
        return self.to.op("Cast", self, dtype=wanted, to=self.to.code(wanted))

    def _with(self, op_type: str, other: Any, dtype: Any = None) -> Value:
        return self.to.pair(op_type, self, other, dtype)

    def __add__(self, other: Any) -> Value:
        return self._with("Add", other)

    def __radd__(self, other: Any) -> Value:
        return self._like(other)._with("Add", self)

    def __sub__(self, other: Any) -> Value:
        return self._with("Sub", other)

    def __rsub__(self, other: Any) -> Value:
        return self._like(other)._with("Sub", self)

    def __mul__(self, other: Any) -> Value:
        return self._with("Mul", other)

    def __rmul__(self, other: Any) -> Value:
        return self._like(other)._with("Mul", self)

    def __truediv__(self, other: Any) -> Value:
        return self._with("Div", other)

    def __rtruediv__(self, other: Any) -> Value:
        return self._like(other)._with("Div", self)

    def __pow__(self, other: Any) -> Value:
        return self._with("Pow", other)

    def __neg__(self) -> Value:
        return self.to.op("Neg", self)

    def __lt__(self, other: Any) -> Value:
        return self._with("Less", other, bool)

    def __gt__(self, other: Any) -> Value:
        return self._with("Greater", other, bool)

    def __le__(self, other: Any) -> Value:
        return self._with("LessOrEqual", other, bool)

    def __ge__(self, other: Any) -> Value:
        return self._with("GreaterOrEqual", other, bool)

    def __eq__(self, other: object) -> Value:  # type: ignore[override]
        return self._with("Equal", other, bool)

    def __ne__(self, other: object) -> Value:  # type: ignore[override]
        return ~(self == other)

    __hash__ = object.__hash__

    def __and__(self, other: Any) -> Value:
        return self._with("And" if self.dtype == bool else "BitwiseAnd", other)

    def __or__(self, other: Any) -> Value:
        return self._with("Or" if self.dtype == bool else "BitwiseOr", other)

    def __xor__(self, other: Any) -> Value:
        return self._with("Xor" if self.dtype == bool else "BitwiseXor", other)

    def __invert__(self) -> Value:
        return self.to.op("Not" if self.dtype == bool else "BitwiseNot", self)

    def __bool__(self) -> bool:
        raise NoForm("its form depends on values")

    def _like(self, number: Any) -> Value:
        return self.to.like(number, self)


@dataclass
class _Entry:
    """A node before it is written; ``outer`` are the outer names that its subgraphs read."""

    op_type: str
    inputs: list[str]
    outputs: list[str]
    attributes: dict[str, Any]
    doc: str
    outer: frozenset[str]


@dataclass
class _Scope:
    """One graph: that of the model, or a subgraph of a node."""

    entries: list[_Entry] = field(default_factory=list)
    known: dict[Any, list[Value]] = field(default_factory=dict)


@dataclass
class Inner:
    """A subgraph of a node, and the outer names that it reads."""

    proto: Any
    outer: frozenset[str]


class Writer:
    """Collect nodes and constants; equal nodes are written once, unused nodes never."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._counters: dict[str, Iterator[int]] = {}
        self._scopes = [_Scope()]
        self._constants: dict[Any, Value] = {}
        #: the initializers of the model by name
        self.initializers: dict[str, np.ndarray[Any, Any]] = {}
        #: the doc string of new nodes: the source line they come from
        self.doc = ""

    def code(self, dtype: Any) -> int:
        """Return the ONNX number of a dtype."""
        number: int = _helper().np_dtype_to_tensor_dtype(np.dtype(dtype))
        return number

    def name(self, wanted: str) -> str:
        """Return an unused name: the wanted one, or one derived from it."""
        text = wanted
        while text in self._names:
            counter = self._counters.setdefault(wanted, itertools.count(1))
            text = f"{wanted}_{next(counter)}"
        self._names.add(text)
        return text

    # numbers

    def constant(self, data: Any, dtype: Any = None, name: str = "") -> Value:
        """Add a constant to the model; equal constants are stored once."""
        array = np.ascontiguousarray(np.asarray(data, dtype)).reshape(np.shape(data))
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._constants:
            result = self.initializer(name or _name_of(array), array)
            result.data = array
            self._constants[key] = result
        return self._constants[key]

    def initializer(self, name: str, array: np.ndarray[Any, Any]) -> Value:
        """Add an array to the model under its own name."""
        value = Value(self, self.name(name), array.dtype, array)
        self.initializers[value.name] = array
        return value

    def ints(self, *numbers: int) -> Value:
        """An int64 vector constant, for axes and shapes."""
        return self.constant(np.array(numbers, "int64"))

    def like(self, number: Any, x: Value) -> Value:
        """Convert a Python number to a constant of the dtype of ``x``; return values unchanged."""
        return number if isinstance(number, Value) else self.constant(number, x.dtype)

    # nodes

    def op(
        self, op_type: str, *inputs: Value | None, dtype: Any = None, **attributes: Any
    ) -> Value:
        """Add a node with one output, by default of the dtype of the first input."""
        return self.many(op_type, inputs, [dtype], **attributes)[0]

    def many(
        self, op_type: str, inputs: Sequence[Value | None], dtypes: Sequence[Any], **attributes: Any
    ) -> list[Value]:
        """Add a node with several outputs; an input that is None is omitted."""
        first = next((x.dtype for x in inputs if x is not None), None)
        wanted = [np.dtype(first if d is None else d) for d in dtypes]
        names = ["" if x is None else x.name for x in inputs]
        inner = [a for a in attributes.values() if isinstance(a, Inner)]
        key = (op_type, tuple(names), repr(attributes), len(wanted))
        if not inner:
            for scope in reversed(self._scopes):
                if key in scope.known:
                    return scope.known[key]
        values = [Value(self, self.name(op_type.lower()), d) for d in wanted]
        here = self._scopes[-1]
        outer = frozenset().union(*(a.outer for a in inner))
        plain = {k: a.proto if isinstance(a, Inner) else a for k, a in attributes.items()}
        here.entries.append(
            _Entry(op_type, names, [v.name for v in values], plain, self.doc, outer)
        )
        if not inner:
            here.known[key] = values
        return values

    def pair(self, op_type: str, a: Value, b: Any, dtype: Any = None) -> Value:
        """Apply an elementwise operator to two values, or to a value and a number."""
        b = self.like(b, a)
        if a.dtype != b.dtype:
            both = np.promote_types(a.dtype, b.dtype)
            a, b = a.astype(both), b.astype(both)
        return self.op(op_type, a, b, dtype=dtype)

    # shapes

    def shape(self, x: Value) -> Value:
        return self.op("Shape", x, dtype="int64")

    def length(self, x: Value, axis: int) -> Value:
        """The length of one dimension, as a vector of one element."""
        return self.op("Shape", x, dtype="int64", start=axis, end=axis + 1)

    def vector(self, x: Value) -> Value:
        """Convert a scalar to an int64 vector of one element."""
        if x.data is not None:
            return self.ints(int(x.data.item()))
        return self.op("Reshape", x.astype("int64"), self.ints(1))

    def scalar(self, x: Value) -> Value:
        """Convert a vector of one element to a scalar."""
        return self.op("Squeeze", x, self.ints(0))

    def concat(self, parts: Sequence[Value], axis: int = 0) -> Value:
        return parts[0] if len(parts) == 1 else self.op("Concat", *parts, axis=axis)

    def reshape(self, x: Value, *lengths: int) -> Value:
        return self.op("Reshape", x, self.ints(*lengths))

    def unsqueeze(self, x: Value, *axes: int) -> Value:
        return self.op("Unsqueeze", x, self.ints(*axes)) if axes else x

    def squeeze(self, x: Value, *axes: int) -> Value:
        return self.op("Squeeze", x, self.ints(*axes)) if axes else x

    def transpose(self, x: Value, order: Sequence[int]) -> Value:
        axes = list(order)
        return x if axes == sorted(axes) else self.op("Transpose", x, perm=axes)

    def slice(self, x: Value, axis: int, start: int, stop: int = LAST, step: int = 1) -> Value:
        """``x[start:stop:step]`` along one axis."""
        return self.op("Slice", x, *map(self.ints, (start, stop, axis, step)))

    def arange(self, n: Value) -> Value:
        """The numbers below an int64 scalar: 0, 1, ..."""
        zero, one = (self.constant(np.array(i, "int64")) for i in (0, 1))
        return self.op("Range", zero, n, one, dtype="int64")

    # graphs

    @contextmanager
    def within(self) -> Iterator[None]:
        """Add nodes to a new subgraph inside this context; call `closed` at its end."""
        self._scopes.append(_Scope())
        try:
            yield
        finally:
            self._scopes.pop()

    def closed(
        self, name: str, inputs: Sequence[Any], outputs: Sequence[Value], wanted: Sequence[Any]
    ) -> Inner:
        """Build the graph of the current scope; ``inputs`` and ``wanted`` are value infos.

        Each output is computed in this scope under its own name from ``wanted``.
        """
        scope = self._scopes[-1]
        for info, value in zip(wanted, outputs, strict=True):
            scope.entries.append(_Entry("Identity", [value.name], [info.name], {}, "", frozenset()))
        entries = _renamed(_needed(scope.entries, [info.name for info in wanted]), wanted)
        result = {n for e in entries for n in e.outputs} | {info.name for info in inputs}
        read = {n for e in entries for n in (*e.inputs, *e.outer) if n}
        nodes = [
            _helper().make_node(
                e.op_type,
                e.inputs,
                e.outputs,
                name=e.outputs[0],
                doc_string=e.doc or None,
                **e.attributes,
            )
            for e in entries
        ]
        outer = frozenset(read - result)
        # an initializer with the name of an input is its default
        held = [] if len(self._scopes) > 1 else self._held(outer | {i.name for i in inputs})
        return Inner(
            _helper().make_graph(nodes, name, list(inputs), list(wanted), initializer=held), outer
        )

    def _held(self, names: frozenset[str]) -> list[Any]:
        """The initializers with these names, in order of creation."""
        return [
            _numpy_helper().from_array(array, name)
            for name, array in self.initializers.items()
            if name in names
        ]


def _needed(entries: Sequence[_Entry], outputs: Sequence[str]) -> list[_Entry]:
    """The nodes that the outputs depend on."""
    used = set(outputs)
    kept = []
    for e in reversed(entries):
        if used.intersection(e.outputs):
            used.update(e.inputs, e.outer)
            kept.append(e)
    return kept[::-1]


def _renamed(entries: list[_Entry], wanted: Sequence[Any]) -> list[_Entry]:
    """Remove Identity nodes of outputs, and rename the values that they copy."""
    result = {n: e for e in entries for n in e.outputs}
    names = {info.name for info in wanted}
    taken: dict[str, str] = {}
    for e in entries:
        (source, *_), target = (e.inputs or [""]), e.outputs[0]
        if e.op_type == "Identity" and target in names and source in result and source not in names:
            taken.setdefault(source, target)

    def new(name: str) -> str:
        return taken.get(name, name)

    out = []
    for e in entries:
        if e.op_type == "Identity" and taken.get(e.inputs[0]) == e.outputs[0]:
            continue
        if e.outer.intersection(taken):
            # a subgraph reads a value by its old name, so nothing is renamed
            return entries
        out.append(
            _Entry(
                e.op_type, [new(n) for n in e.inputs], [new(n) for n in e.outputs],
                e.attributes, e.doc, e.outer,
            )
        )  # fmt: skip
    return out


def _name_of(array: np.ndarray[Any, Any]) -> str:
    """A descriptive name for a constant: its values, if it is short."""
    if array.size == 1 and array.dtype.kind in "biu":
        return f"const_{array.item()}".replace("-", "minus_").lower()
    if array.ndim == 1 and array.size <= 6 and array.dtype.kind in "iu":
        return f"const_{'_'.join(map(str, array.tolist()))}".replace("-", "minus_")
    return "const"
