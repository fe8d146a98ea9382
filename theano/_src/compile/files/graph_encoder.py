"""Encode graphs as JSON and arrays (ADR 20).

One list has all variables, one all nodes, each after those that it depends on, including the
graphs inside ops, such as the step of a loop. An op or a type is stored as the name of its class
and the arguments that make an equal one.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from theano._src.compile.files.file_names import function_name, name_of
from theano._src.compile.files.op_props import form_of
from theano._src.graph import source_line
from theano._src.graph.graph import Constant, Variable
from theano._src.graph.op import PureOp
from theano._src.graph.type import PureType
from theano._src.graph.walk import nodes_of
from theano._src.ground.config import config
from theano._src.types.dtypes import NUMPY_DTYPES
from theano._src.types.randomstate import is_generator
from theano._src.types.shared import SharedVariable

#: arrays of up to this many elements are stored in the JSON, where they are readable
_SHORT = 8
#: flags that affect the types of nodes
FLAGS = ("floatX", "cast_policy")


class Encoder:
    """Collect the variables, nodes, ops, types and arrays of a file.

    Parameters
    ----------
    lines : bool
        Whether nodes keep the source line that created them.

    >>> import theano.tensor as T
    >>> encoder = Encoder()
    >>> encoder.value({"cost": T.dscalar("x") + 1})
    {'dict': [['cost', {'variable': 2}]]}
    >>> [op["op"] for op in encoder.document()["ops"]]
    ['Add', 'Elemwise']
    """

    def __init__(self, lines: bool = True) -> None:
        self.arrays: dict[str, np.ndarray] = {}
        self._variables: list[dict[str, Any]] = []
        self._nodes: list[dict[str, Any]] = []
        self._ops, self._types, self._lines = _Table(), _Table(), _Table()
        self._keep_lines = lines
        self._default_updates: list[list[int]] = []
        self._number: dict[Variable, int] = {}
        #: numbers of shared variables by the id of their cell, as functions have copies of them
        self.cells: dict[int, int] = {}

    def document(self) -> dict[str, Any]:
        """Return everything encoded so far, as JSON."""
        return {
            "flags": {name: getattr(config, name) for name in FLAGS},
            "types": self._types.rows,
            "ops": self._ops.rows,
            "variables": self._variables,
            "nodes": self._nodes,
            "default_updates": self._default_updates,
            "lines": self._lines.rows,
        }

    # graphs

    def add(self, variables: Iterable[Variable]) -> None:
        """Add variables and their ancestors."""
        outputs = list(variables)
        result: list[SharedVariable] = []
        for node in nodes_of(outputs, self._number):
            row: dict[str, Any] = {"op": self._op(node.op)}
            for v in node.inputs:
                self._root(v, result)
            row["inputs"] = [self._number[v] for v in node.inputs]
            row["outputs"] = [self._new(v) for v in node.outputs]
            if self._keep_lines and node.trace:
                row["line"] = self._lines.add(list(source_line.lines(node.trace[:1])[0]))
            self._nodes.append(row)
        for v in outputs:
            self._root(v, result)
        for shared in result:
            update = getattr(shared, "default_update", None)
            if update is not None:
                self.add([update])
                self._default_updates.append([self._number[shared], self._number[update]])

    def _root(self, v: Variable, variables: list[SharedVariable]) -> None:
        if v in self._number:
            return
        if isinstance(v, SharedVariable):
            cell = id(v.container.storage)
            if cell in self.cells:
                self._number[v] = self.cells[cell]
                return
            variables.append(v)
            row = {"shared": self._data(v, v.get_value(), v.name)}
            sharding = getattr(v.container.storage, "sharding", None)
            if sharding is not None:
                row["sharding"] = self.value(sharding)
            self.cells[cell] = self._new(v, row)
        elif isinstance(v, Constant):
            self._new(v, {"constant": self._data(v, v.data, None)})
        else:
            self._new(v)

    def _new(self, v: Variable, more: Mapping[str, Any] | None = None) -> int:
        named = {} if v.name is None else {"name": v.name}
        self._variables.append({"type": self._type(v.type), **named, **(more or {})})
        self._number[v] = len(self._variables) - 1
        return self._number[v]

    def _data(self, v: Variable, data: Any, name: str | None) -> Any:
        if isinstance(data, np.ndarray):
            return self._array(data, name)
        try:
            return self.value(data)
        except TypeError as error:
            raise TypeError(f"{error}; it is the value of {v}, a {v.type}") from None

    def _op(self, op: Any) -> int:
        number = self._ops.number_of(op)
        if number is not None:
            return number
        form = form_of(type(op))
        if form.refused is not None:
            raise TypeError(f"graph files do not hold {op}: {form.refused}")
        props = form.props(op)
        try:
            row = {"op": class_name(type(op)), "props": self._props(props)}
            with no_deprecations():
                again = form.make(type(op), **props)
        except TypeError as error:
            error.add_note(f"while {op} was saved: its row of theano.extend.file_forms says how")
            raise
        # ops with inner graphs are not checked: some are equal only to themselves
        if not op.inner_graphs and again != op:
            raise TypeError(f"graph files do not hold {op}: {props} make {again}")
        return self._ops.add(row, op)

    def _type(self, kind: Any) -> int:
        number = self._types.number_of(kind)
        if number is None:
            number = self._types.add({"type": class_name(type(kind)), **self._saved(kind)}, kind)
        return number

    def _saved(self, x: Any) -> dict[str, Any]:
        return {"props": self._props(form_of(type(x)).props(x))}

    def _props(self, props: Mapping[str, Any]) -> dict[str, Any]:
        return {name: self.value(x) for name, x in props.items()}

    # values

    def value(self, x: Any) -> Any:
        """Encode any value that files can hold as JSON."""
        if x is None or type(x) in (bool, int, str):
            return x
        for kinds, code in _CODES:
            if isinstance(x, kinds):
                return code(self, x)
        if is_generator(x):
            return _random_state(self, x)
        if type(x).__module__.startswith("scipy.sparse") and hasattr(x, "indptr"):
            return self._sparse(x)
        function = function_name(x)
        if function is not None:
            return {"builtin": function}
        name = name_of(type(x))
        if name is None:
            raise TypeError(
                "graph files hold graphs, functions, arrays, numbers, strings, and lists and dicts "
                f"of these, got {x!r:.80} of {type(x).__name__}"
            )
        return {"object": name, **self._saved(x)}

    def values(self, xs: Sequence[Any]) -> list[Any]:
        """Encode several values; walk their graphs only once."""
        self.add([x for x in xs if isinstance(x, Variable) and x not in self._number])
        return [self.value(x) for x in xs]

    def _variable(self, v: Variable) -> Any:
        if v not in self._number:
            self.add([v])
        return {"variable": self._number[v]}

    def _array(self, x: np.ndarray, name: str | None = None) -> Any:
        if NUMPY_DTYPES.get(x.dtype.name) != x.dtype:
            raise TypeError(f"graph files hold arrays of numbers, got one of {x.dtype}")
        about: dict[str, Any] = {"dtype": x.dtype.name, "shape": list(x.shape)}
        if x.size <= _SHORT:
            return {"array": about | {"values": self.values(x.ravel().tolist())}}
        key = name or f"array_{len(self.arrays)}"
        while key in self.arrays:
            key += "_"
        self.arrays[key] = x
        return {"array": about | {"key": key}}

    def _sparse(self, x: Any) -> Any:
        parts = {name: self._array(getattr(x, name)) for name in ("data", "indices", "indptr")}
        return {"sparse": {"format": x.format, "shape": list(x.shape), **parts}}


@contextlib.contextmanager
def no_deprecations() -> Iterator[None]:
    """Suppress deprecation warnings: a graph that is saved or loaded may have deprecated ops."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


class _Table:
    """A list of distinct rows; the object of a row is found by its id."""

    def __init__(self) -> None:
        self.rows: list[Any] = []
        self._by_id: dict[int, tuple[int, Any]] = {}
        self._by_row: dict[str, int] = {}

    def number_of(self, thing: Any) -> int | None:
        result = self._by_id.get(id(thing))
        return None if result is None else result[0]

    def add(self, row: Any, thing: Any = None) -> int:
        at = self._by_row.setdefault(repr(row), len(self.rows))
        if at == len(self.rows):
            self.rows.append(row)
        if thing is not None:
            # keep a reference: no other object may get the same id meanwhile
            self._by_id[id(thing)] = (at, thing)
        return at


def class_name(cls: type) -> str:
    """Return the name of a class in files; for classes outside this package, the full name."""
    return name_of(cls) or f"{cls.__module__}.{cls.__qualname__}"


def _float(encoder: Encoder, x: float) -> Any:
    # JSON has no NaN and infinity
    return x if np.isfinite(x) else {"float": str(x)}


def _random_state(encoder: Encoder, x: Any) -> Any:
    state = x.get_state(legacy=False)
    if state["bit_generator"] != "MT19937":
        raise TypeError(f"graph files hold RandomStates of MT19937, got {state['bit_generator']}")
    return {
        "random_state": {
            "key": encoder._array(state["state"]["key"]),
            "pos": int(state["state"]["pos"]),
            "has_gauss": int(state["has_gauss"]),
            "gauss": encoder.value(float(state["gauss"])),
        }
    }


#: types of values and their encoders; the first match is used
_CODES: tuple[tuple[Any, Any], ...] = (
    (Variable, Encoder._variable),
    (PureOp, lambda encoder, x: {"op": encoder._op(x)}),
    (PureType, lambda encoder, x: {"type": encoder._type(x)}),
    (np.ndarray, Encoder._array),
    (
        np.generic,
        lambda encoder, x: {"number": [x.dtype.name, encoder.value(x.item())]},
    ),
    (float, _float),
    (complex, lambda encoder, x: {"complex": encoder.values([x.real, x.imag])}),
    (np.dtype, lambda encoder, x: {"dtype": x.name}),
    (tuple, lambda encoder, x: {"tuple": encoder.values(x)}),
    (list, lambda encoder, x: encoder.values(x)),
    (
        dict,
        lambda encoder, x: {
            "dict": [
                list(pair)
                for pair in zip(encoder.values([*x]), encoder.values([*x.values()]), strict=True)
            ]
        },
    ),
    (slice, lambda encoder, x: {"slice": encoder.values([x.start, x.stop, x.step])}),
)
