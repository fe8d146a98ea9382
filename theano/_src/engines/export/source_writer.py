"""Calls and values as Python text for NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.engines.export.source_array import (
    Recorded,
    as_numpy,
    as_reduced,
    is_open,
    traceable,
    unwrapped,
)
from theano._src.engines.export.source_text import Parts, Recorder, Ref, Use
from theano._src.engines.jax.arrays.symbolic_lengths import is_symbolic_length

_SIGNS = {
    np.add: "+", np.subtract: "-", np.multiply: "*", np.divide: "/", np.matmul: "@",
    np.less: "<", np.less_equal: "<=", np.greater: ">", np.greater_equal: ">=",
    np.equal: "==", np.not_equal: "!=", np.bitwise_and: "&", np.bitwise_or: "|",
    np.power: "**", np.floor_divide: "//", np.remainder: "%",
}  # fmt: skip
_UFUNCS = {sign: ufunc for ufunc, sign in _SIGNS.items()}
#: arrays with at most this many elements are written as numbers
_FEW = 8


class SourceWriter:
    """Writes down the calls of a program; holds the arrays and functions that its file needs."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        #: arrays of the file, by name; functions copied into it; modules besides NumPy
        self.arrays: dict[str, Any] = {}
        self.helpers: dict[str, None] = {}
        self.modules: dict[str, None] = {}
        self._held: dict[int, tuple[Any, Ref]] = {}

    def note(self, parts: Parts, value: Any, is_operator: bool = False) -> Any:
        """Record a new value of the program, or several."""
        ref = self.recorder.assign(list(parts), is_operator)
        if isinstance(value, list | tuple):
            return [self.note([Use(ref, True), f"[{i}]"], one) for i, one in enumerate(value)]
        return Recorded(self, ref, value)

    def call(
        self, text: str, result: Any, traced: Any, args: Any, options: Any, makes: bool = False
    ) -> Any:
        """Write a call if it uses a value of the program, else make it now."""
        if not makes and not is_open((args, options)):
            return result(*args, **options)
        sign = _SIGNS.get(result) if isinstance(result, np.ufunc) else None
        if sign is not None and len(args) == 2 and not options:
            return self.between(sign, traced, *args)
        value = traced(*unwrapped(args), **unwrapped(options))
        if isinstance(result, np.ufunc):
            value = as_numpy(result, args, value)
            args = [self._weak(x, args) for x in args]
        elif args and isinstance(args[0], Recorded):
            value = as_reduced(text.rpartition(".")[2], args[0], args[1:], options, value)
        return self.note([f"{text}(", *self.arguments(args, options), ")"], value)

    def between(self, sign: str, function: Any, a: Any, b: Any) -> Any:
        """Write an operator between two values."""
        value = function(*[traceable(unwrapped(x)) for x in (a, b)])
        if sign in _UFUNCS and sign != "@":
            value = as_numpy(_UFUNCS[sign], (a, b), value)
        left, right = (self.between_text(self._weak(x, (a, b))) for x in (a, b))
        return self.note([*left, f" {sign} ", *right], value, True)

    def between_text(self, x: Any) -> Parts:
        parts = self.text(x)
        if isinstance(x, Recorded):
            return [Use(x.ref, True)]
        is_negative = isinstance(x, int | float) and x < 0
        return ["(", *parts, ")"] if is_negative or is_symbolic_length(x) else parts

    def _weak(self, x: Any, among: Sequence[Any]) -> Any:
        """A constant as a Python number, if NumPy then gives it the dtype of another argument."""
        if not isinstance(x, np.ndarray | np.generic) or x.size != 1:
            return x
        others = [y for y in among if isinstance(y, Recorded)]
        same = [y for y in others if y.dtype == x.dtype and y.ndim >= x.ndim]
        if not same or x.dtype.kind not in "iuf":
            return x
        one = np.asarray(x).reshape(())
        number = float(str(one)) if x.dtype.kind == "f" else int(one)
        return number if np.array_equal(np.asarray(number, x.dtype), one) else x

    def arguments(self, args: Sequence[Any], options: dict[str, Any] | None = None) -> Parts:
        """The text of a call's arguments, separated by commas."""
        parts: list[str | Use] = []
        for x in args:
            parts += [", ", *self.text(x)] if parts else self.text(x)
        for name, x in (options or {}).items():
            parts += [", " if parts else "", f"{name}=", *self.text(x)]
        return parts

    def text(self, x: Any) -> Parts:
        """The text of a value as an argument."""
        if isinstance(x, Recorded):
            return [Use(x.ref)]
        if isinstance(x, np.ndarray | np.generic) and not isinstance(x, float):
            return self._constant(np.asarray(x))
        if isinstance(x, slice):
            return ["slice(", *self.arguments([x.start, x.stop, x.step]), ")"]
        if isinstance(x, tuple):
            return ["(", *self.arguments(x), ",)" if len(x) == 1 else ")"]
        if isinstance(x, list):
            return ["[", *self.arguments(x), "]"]
        if isinstance(x, np.dtype):
            return [repr(x.name)]
        if isinstance(x, type):
            return [f"np.{np.dtype(x).name}" if issubclass(x, np.generic) else x.__name__]
        if is_symbolic_length(x):
            return [str(x)]
        if x is None or x is ... or isinstance(x, bool | int | str):
            return [repr(x) if x is not ... else "..."]
        if isinstance(x, float | complex):
            if isinstance(x, float) and not np.isfinite(x):
                return [f"np.{x}" if not x < 0 else "-np.inf"]
            return [repr(x) if np.isfinite(x) else f'complex("{x}")']
        raise NotImplementedError(f"{type(x).__name__} {x!r} cannot be written")

    def index_text(self, index: Any) -> Parts:
        """The text between the brackets of an index."""
        entries = index if isinstance(index, tuple) else (index,)
        if not entries:
            return ["()"]
        parts: list[str | Use] = []
        for entry in entries:
            parts += [", "] if parts else []
            if isinstance(entry, slice):
                low, high = ([] if b is None else self.text(b) for b in (entry.start, entry.stop))
                step = [] if entry.step in (None, 1) else [":", *self.text(entry.step)]
                parts += [*low, ":", *high, *step]
            else:
                parts += self.text(entry)
        return parts

    def _constant(self, x: np.ndarray[Any, Any]) -> Parts:
        if x.dtype.kind in "biufc" and x.ndim == 0:
            number = str(x[()]) if np.isfinite(x) else f'"{x[()]}"'
            return [f"np.{x.dtype.name}({number})"]
        if x.size <= _FEW and x.dtype.kind in "biuf" and np.all(np.isfinite(x)):
            if x.size == 0:
                return [f"np.zeros({x.shape}, {x.dtype.name!r})"]
            return [f"np.array({x.tolist()}, {x.dtype.name!r})"]
        return [Use(self.held("constant", x).ref)]

    def held(self, name: str, value: Any) -> Recorded:
        """An array that is stored with the file."""
        result = self._held.get(id(value))
        if result is None:
            ref = self.recorder.given(name)
            assert ref.written is not None
            self.arrays[ref.written] = np.asarray(value)
            result = self._held[id(value)] = (value, ref)
        return Recorded(self, result[1], value)

    def helper(self, name: str, value: Any, args: Sequence[Any], options: Any = None) -> Any:
        """Write a call of a function that is copied into the file."""
        self.helpers[name] = None
        return self.note([f"{name}(", *self.arguments(args, options), ")"], value)
