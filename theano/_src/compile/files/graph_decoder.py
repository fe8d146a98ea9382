"""Decode graphs from JSON and arrays, without running code from the file (ADR 20).

Files are not trusted: only classes of this package and those that the caller passes are used,
their constructors and ``make_node`` check their arguments, and a node is refused if its output
types differ from those in the file.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from theano._src.compile.files.file_names import class_named, function_named
from theano._src.compile.files.graph_encoder import FLAGS, no_deprecations
from theano._src.compile.files.op_props import form_of
from theano._src.graph import source_line
from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op import PureOp
from theano._src.graph.type import PureType
from theano._src.ground.array_files import restored
from theano._src.ground.config import config
from theano._src.ground.errors import GraphFileError
from theano._src.types.dtypes import NUMPY_DTYPES
from theano._src.types.generic import Generic
from theano._src.types.shared import SharedVariable
from theano._src.types.shared_constructors import shared
from theano._src.types.tensor import TensorType

_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


class WrongType(TypeError):
    """A variable that the caller binds has another type in the file."""


class Decoder:
    """Create variables from the output of an Encoder, and only those that are needed.

    Parameters
    ----------
    document : JSON
    arrays : mapping of str to arrays
    classes : mapping of str to classes
        Op and type classes outside this package, by their names in files.
    bind : mapping of str to variables
        Variables that replace the inputs and shared variables of these names.
    """

    def __init__(
        self,
        document: Any,
        arrays: Mapping[str, np.ndarray],
        classes: Mapping[str, type] | None = None,
        bind: Mapping[str, Variable] | None = None,
    ) -> None:
        self._document, self._arrays = document, arrays
        self._classes, self._bind = dict(classes or {}), dict(bind or {})
        self.bound: set[str] = set()
        self._types: dict[int, Any] = {}
        self._ops: dict[int, Any] = {}
        self._variables: dict[int, Variable] = {}
        self._maker: dict[int, int] = {}
        for k, row in enumerate(self._rows("nodes")):
            for n in _list(row, "outputs"):
                if self._maker.setdefault(_index(n), k) != k:
                    raise GraphFileError(f"two nodes make variable {n}")

    def _rows(self, name: str) -> list[Any]:
        return _list(self._document, name)

    # values

    def value(self, x: Any) -> Any:
        """Decode a value from JSON, with all its variables."""
        with self._flags():
            self._make(_variables_in(x))
            return self._value(x)

    def _value(self, x: Any) -> Any:
        if isinstance(x, list):
            return [self._value(one) for one in x]
        if not isinstance(x, dict):
            return x
        if "object" in x:
            cls = self._class(x["object"])
            if issubclass(cls, PureOp | PureType):
                raise GraphFileError(f"{x['object']} is an op or a type, and stands for a value")
            return self._build(cls, x)
        if len(x) == 1:
            ((kind, given),) = x.items()
            code = _CODES.get(kind)
            if code is not None:
                return code(self, given)
        raise GraphFileError(f"a value is one of {', '.join(_CODES)}, got {str(x)[:80]}")

    def _build(self, cls: Any, row: Any) -> Any:
        props = _get(row, "props", dict)
        try:
            given = {name: self._value(x) for name, x in props.items()}
            with no_deprecations():
                return form_of(cls).make(cls, **given)
        except GraphFileError:
            raise
        except Exception as error:
            raise GraphFileError(
                f"{cls.__name__} cannot be made of {str(props)[:200]}: {error}"
            ) from None

    def _class(self, name: Any) -> Any:
        result = self._classes.get(name) or (class_named(name) if isinstance(name, str) else None)
        if result is None:
            raise GraphFileError(
                f"the file has {name!r:.200}, which is not known here; if it is yours, give the "
                "class: load(path, classes=[...])"
            )
        return result

    def _type(self, n: Any) -> Any:
        row, at = self._row("types", n)
        if at not in self._types:
            cls = self._class(row.get("type"))
            if not issubclass(cls, PureType):
                raise GraphFileError(f"{row.get('type')} is not a type")
            self._types[at] = self._build(cls, row)
        return self._types[at]

    def _op(self, n: Any) -> Any:
        row, at = self._row("ops", n)
        if at not in self._ops:
            cls = self._class(row.get("op"))
            if not issubclass(cls, PureOp) or form_of(cls).refused is not None:
                raise GraphFileError(f"graph files have no {row.get('op')}")
            self._ops[at] = self._build(cls, row)
        return self._ops[at]

    def _row(self, table: str, n: Any) -> tuple[dict[str, Any], int]:
        rows, at = self._rows(table), _index(n)
        if at >= len(rows) or not isinstance(rows[at], dict):
            raise GraphFileError(f"the file has no entry {at} of its {table}")
        return rows[at], at

    def _variable(self, n: Any) -> Variable:
        variable = self._variables.get(_index(n))
        if variable is None:
            raise GraphFileError(f"variable {n} is used before it is made")
        return variable

    def _array(self, about: Any) -> np.ndarray:
        dtype = NUMPY_DTYPES.get(_get(about, "dtype", str))
        shape = [_index(n) for n in _list(about, "shape")]
        if dtype is None:
            raise GraphFileError(f"an array has a dtype of {', '.join(NUMPY_DTYPES)}")
        if "key" in about:
            stored = self._arrays.get(_get(about, "key", str))
            result = None if stored is None else restored(stored, dtype)
            if result is None or result.dtype != dtype or list(result.shape) != shape:
                raise GraphFileError(f"the array {about['key']!r} is missing, or is another one")
            return result
        with _reading(f"an array of {dtype} and shape {shape}"):
            return np.array(self._value(_list(about, "values")), dtype).reshape(shape)

    def _sparse(self, about: Any) -> Any:
        import scipy.sparse

        makers = {"csr": scipy.sparse.csr_matrix, "csc": scipy.sparse.csc_matrix}
        make = makers.get(_get(about, "format", str))
        parts = [self._value(about.get(name)) for name in ("data", "indices", "indptr")]
        shape = tuple(_index(n) for n in _list(about, "shape"))
        if make is None or len(shape) != 2:
            raise GraphFileError("a sparse matrix is csr or csc, and has two dimensions")
        with _reading("a sparse matrix"):
            result = make(tuple(parts), shape=shape)
            # SciPy's functions trust the indices
            result.check_format(full_check=True)
            return result

    def _random_state(self, about: Any) -> Any:
        key, pos = self._value(about.get("key")), _index(about.get("pos"))
        if getattr(key, "shape", None) != (624,) or key.dtype != np.uint32 or pos > 624:
            raise GraphFileError("a random state has 624 words, and a position among them")
        state = np.random.RandomState()
        gauss = (_index(about.get("has_gauss")) & 1, float(self._value(about.get("gauss"))))
        state.set_state(("MT19937", key, pos, *gauss))
        return state

    def shared_values(self) -> dict[str, tuple[Any, Callable[[], Any]]]:
        """Return the type of each named shared variable, and a function that reads its value."""
        result: dict[str, tuple[Any, Callable[[], Any]]] = {}
        for row in self._rows("variables"):
            if isinstance(row, dict) and "shared" in row and isinstance(row.get("name"), str):
                if row["name"] in result:
                    raise GraphFileError(f"two shared variables are called {row['name']!r}")
                kind = self._type(row.get("type"))
                result[row["name"]] = kind, partial(self._value, row["shared"])
        return result

    # graphs

    @contextlib.contextmanager
    def _flags(self) -> Iterator[None]:
        """Set the flags that the nodes were created with; nodes get no line of this program."""
        saved = _get(self._document, "flags", dict)
        before = {name: getattr(config, name) for name in FLAGS}
        try:
            for name in FLAGS:
                with _reading(f"the flag {name}"):
                    setattr(config, name, saved.get(name))
            with source_line.paused():
                yield
        finally:
            for name, value in before.items():
                setattr(config, name, value)

    def _make(self, wanted: Iterable[int]) -> None:
        """Create variables and their ancestors, in the order of the file."""
        nodes, roots = self._needed(wanted)
        for n in sorted(roots):
            self._root(n)
        for k in sorted(nodes):
            self._node(k)
        for pair in self._rows("default_updates"):
            result = self._variables.get(_index(pair[0])) if pair[0] in roots else None
            if isinstance(result, SharedVariable) and result.name not in self.bound:
                result.default_update = self._variable(pair[1])

    def _needed(self, wanted: Iterable[int]) -> tuple[set[int], set[int]]:
        """The nodes and roots that are not created yet."""
        pairs = self._rows("default_updates")
        if any(not isinstance(pair, list) or len(pair) != 2 for pair in pairs):
            raise GraphFileError("a default update is a pair of variables")
        updates = {_index(a): _index(b) for a, b in pairs}
        inside: dict[int, list[int]] = {}
        nodes: set[int] = set()
        roots: set[int] = set()
        seen = set(self._variables)
        todo = list(wanted)
        while todo:
            n = todo.pop()
            if n in seen:
                continue
            seen.add(n)
            k = self._maker.get(n)
            if k is None:
                roots.add(n)
                todo += [updates[n]] if n in updates else []
            elif k not in nodes:
                nodes.add(k)
                row, _ = self._row("nodes", k)
                op = _index(row.get("op"))
                if op not in inside:
                    inside[op] = self._inside(op)
                todo += [*map(_index, _list(row, "inputs")), *inside[op]]
        return nodes, roots

    def _inside(self, op: int) -> list[int]:
        """The variables of the graphs inside an op, including those of ops in its props."""
        numbers: list[int] = []
        seen = {op}
        todo = [op]
        while todo:
            row, _ = self._row("ops", todo.pop())
            numbers += _variables_in(row)
            for n in _entries("op", row.get("props")):
                if n not in seen:
                    seen.add(n)
                    todo.append(n)
        return numbers

    def _root(self, n: int) -> None:
        row, _ = self._row("variables", n)
        name = row.get("name")
        kind = self._type(row.get("type"))
        if name in self._bind and "constant" not in row:
            self._variables[n] = self._given(name, kind)
        elif "constant" in row:
            data = self._value(row["constant"])
            with _reading(f"a constant of {kind}"):
                self._variables[n] = kind.Constant(kind, kind.filter(data), name)
        elif "shared" in row:
            self._variables[n] = self._shared(row, kind)
        else:
            with _reading(f"a variable of {kind}"):
                self._variables[n] = kind(name)

    def _given(self, name: str, kind: Any) -> Variable:
        given = self._bind[name]
        if not isinstance(given, Variable) or given.type != kind:
            raise WrongType(
                f"{name!r} of the file is a {kind}, and is to be {given!r} of "
                f"{getattr(given, 'type', type(given).__name__)}"
            )
        self.bound.add(name)
        return given

    def _shared(self, row: Mapping[str, Any], kind: Any) -> Variable:
        value = self._value(row["shared"])
        options: dict[str, Any] = {}
        if isinstance(kind, TensorType):
            options["broadcastable"] = kind.broadcastable
        if "sharding" in row:
            options["sharding"] = self._value(row["sharding"])
        if isinstance(kind, Generic):
            return SharedVariable(row.get("name"), kind, value, strict=False)
        with _reading(f"a shared variable of {kind}"):
            variable: Variable = shared(value, name=row.get("name"), borrow=True, **options)
        if variable.type != kind:
            raise GraphFileError(f"a shared variable is a {kind}, and its value a {variable.type}")
        return variable

    def _node(self, k: int) -> None:
        row, _ = self._row("nodes", k)
        op = self._op(row.get("op"))
        inputs = [self._variable(n) for n in _list(row, "inputs")]
        outputs = [_index(n) for n in _list(row, "outputs")]
        text = [self._type(self._row("variables", n)[0].get("type")) for n in outputs]
        with _reading(f"a node of {op}"):
            result = op.make_node(*inputs)
            if _types(result.inputs) != _types(inputs) or _types(result.outputs) != text:
                raise GraphFileError(
                    f"it has {_types(inputs)} and {text} in the file, and {_types(result.inputs)} "
                    f"and {_types(result.outputs)} here"
                )
            # make_node may have replaced an input by a new variable
            node = result if result.inputs == inputs else Apply(op, inputs, [t() for t in text])
        for n, v in zip(outputs, node.outputs, strict=True):
            v.name = self._row("variables", n)[0].get("name")
            self._variables[n] = v
        node.trace = self._trace(row.get("line"))

    def _trace(self, line: Any) -> source_line.Trace | None:
        if line is None:
            return None
        rows, at = self._rows("lines"), _index(line)
        if at >= len(rows):
            raise GraphFileError(f"the file has no line {at}")
        file, number, function, text = [*rows[at], None, None, None, None][:4]
        return ((source_line.SavedLine(str(file), _index(number), str(function), str(text)), 0),)


# reading untrusted JSON


def _get(row: Any, key: str, kind: type) -> Any:
    result = row.get(key) if isinstance(row, dict) else None
    if not isinstance(result, kind):
        raise GraphFileError(f"{key} is a {kind.__name__}, got {result!r:.80}")
    return result


def _list(row: Any, key: str) -> list[Any]:
    results: list[Any] = _get(row, key, list)
    return results


def _index(n: Any) -> int:
    if type(n) is not int or n < 0:
        raise GraphFileError(f"a number of 0 or more is needed, got {n!r:.80}")
    return n


def _entries(kind: str, x: Any) -> list[int]:
    """The numbers in all ``{kind: number}`` entries of JSON."""
    numbers = []
    todo = [x]
    while todo:
        one = todo.pop()
        if isinstance(one, list):
            todo += one
        elif isinstance(one, dict):
            if len(one) == 1 and kind in one and type(one[kind]) is int:
                numbers.append(_index(one[kind]))
            todo += one.values()
    return numbers


def _variables_in(x: Any) -> list[int]:
    return _entries("variable", x)


def _types(variables: Iterable[Variable]) -> list[Any]:
    return [v.type for v in variables]


@contextlib.contextmanager
def _reading(what: str) -> Iterator[None]:
    """Turn errors inside into GraphFileErrors: the file is wrong."""
    try:
        yield
    except Exception as error:
        raise GraphFileError(f"{what} cannot be made: {error}") from None


def _number(decoder: Decoder, given: Any) -> Any:
    name, value = pair_of(given)
    dtype = NUMPY_DTYPES.get(name)
    if dtype is None:
        raise GraphFileError(f"a number has a dtype, got {name!r:.80}")
    with _reading(f"a number of {name}"):
        return dtype.type(decoder._value(value))


def _complex(decoder: Decoder, given: Any) -> complex:
    real, imag = pair_of(given)
    with _reading("a complex number"):
        return complex(decoder._value(real), decoder._value(imag))


def pair_of(given: Any) -> list[Any]:
    if not isinstance(given, list) or len(given) != 2:
        raise GraphFileError(f"a pair is needed, got {given!r:.80}")
    return given


def _dict(decoder: Decoder, given: Any) -> dict[Any, Any]:
    pairs = [pair_of(one) for one in _list({"dict": given}, "dict")]
    with _reading("a dict"):
        return {decoder._value(key): decoder._value(x) for key, x in pairs}


def _tuple(decoder: Decoder, given: Any) -> tuple[Any, ...]:
    return tuple(decoder._value(_list({"tuple": given}, "tuple")))


def _slice(decoder: Decoder, given: Any) -> slice:
    parts = _tuple(decoder, given)
    if len(parts) != 3:
        raise GraphFileError(f"a slice has three parts, got {given!r:.80}")
    return slice(*parts)


def _float(decoder: Decoder, given: Any) -> float:
    if given not in _FLOATS:
        raise GraphFileError(f"a float is one of {', '.join(_FLOATS)}, got {given!r:.80}")
    return _FLOATS[given]


def _dtype(decoder: Decoder, given: Any) -> Any:
    if given not in NUMPY_DTYPES:
        raise GraphFileError(f"a dtype is one of {', '.join(NUMPY_DTYPES)}, got {given!r:.80}")
    return NUMPY_DTYPES[given]


def _builtin(decoder: Decoder, given: Any) -> Any:
    result = function_named(given) if isinstance(given, str) else None
    if result is None:
        raise GraphFileError(f"the function {given!r:.80} is not known here")
    return result


_CODES: dict[str, Any] = {
    "variable": Decoder._variable,
    "op": Decoder._op,
    "type": Decoder._type,
    "array": Decoder._array,
    "number": _number,
    "float": _float,
    "complex": _complex,
    "dtype": _dtype,
    "tuple": _tuple,
    "dict": _dict,
    "slice": _slice,
    "sparse": Decoder._sparse,
    "random_state": Decoder._random_state,
    "builtin": _builtin,
}
