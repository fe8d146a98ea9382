"""Functions of numbers as steps: the ufuncs of NumPy and SciPy that the numpy engine would call.

No function of numbers is written again for this engine. Its `compute` runs once on symbols that
note each ufunc, in the dtypes that NumPy would compute it in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from theano._src.engines.native.loops import NotNative
from theano._src.ground.xp import numpy_xp
from theano._src.ops.core.cast import Cast
from theano._src.ops.core.composite import Composite
from theano._src.ops.core.scalar import ScalarOp

Dtype = np.dtype[Any]


class Input(NamedTuple):
    """An input of the function, by its position."""

    at: int


class Result(NamedTuple):
    """The result of a step, by its position."""

    at: int


Argument = Input | Result | np.ndarray
"""An operand of a step; an array is a known number."""


class Step(NamedTuple):
    """A ufunc on numbers; ``ufunc`` is None for ``where`` and ``cast``."""

    name: str
    ufunc: np.ufunc | None
    args: tuple[Argument, ...]
    dtype: Dtype


class Formula(NamedTuple):
    """A function of numbers as steps, and which of them it returns."""

    steps: list[Step]
    result: Argument


def formula_of(scalar_op: ScalarOp, dtypes: Sequence[Dtype]) -> Formula:
    """The steps of a function of numbers of these dtypes.

    >>> import numpy as np, theano
    >>> formula = formula_of(theano.scalar.basic.sigmoid, [np.dtype("float64")])
    >>> [step.name for step in formula.steps]
    ['absolute', 'negative', 'exp', 'less', 'where', 'add', 'divide']
    """
    steps: list[Step] = []
    values = [_Symbol(steps, Input(i), d) for i, d in enumerate(dtypes)]
    if not isinstance(scalar_op, Composite):
        return Formula(steps, _run(scalar_op, values).at)
    composite = scalar_op.for_dtypes([d.name for d in dtypes])
    if len(composite.outs) != 1:
        raise NotNative("a function of several outputs")
    for op, args in composite.steps:
        values.append(_run(op, [values[a] for a in args], steps))
    return Formula(steps, values[composite.outs[0]].at)


def _run(op: ScalarOp, inputs: list[_Symbol], steps: list[Step] | None = None) -> _Symbol:
    """The result of an op on symbols, as the numpy engine would compute it."""
    steps = inputs[0].steps if steps is None else steps
    if op.nout != 1 or op.in_c or op.runs_on == "host" or not op.has_compute:
        raise NotNative(f"{op} runs on the host alone")
    dtypes = tuple(x.dtype for x in inputs)
    if isinstance(op, Cast):
        return inputs[0].astype(np.dtype(op.o_type.dtype))
    loops, (out,) = op.plan(dtypes)
    args = [x.astype(d) for x, d in zip(inputs, loops, strict=True)]
    ufunc = op.ufunc_for(dtypes)
    if ufunc is not None:
        return args[0]._note(ufunc.__name__, ufunc, args, out)
    try:
        value = op.compute(_SymbolicXp(), *args)
    except NotNative:
        raise
    except Exception as e:
        raise NotNative(f"{op} does more than call functions of numbers: {e}") from None
    if not isinstance(value, _Symbol):
        value = _Symbol(steps, np.asarray(value), np.asarray(value).dtype)
    return value.astype(out)


class _Symbol(NDArrayOperatorsMixin):
    """A number in a `compute`: it notes which ufuncs are called on it."""

    shape, ndim, size = (), 0, 1

    def __init__(self, steps: list[Step], at: Argument, dtype: Dtype) -> None:
        self.steps, self.at, self.dtype = steps, at, dtype

    def astype(self, dtype: Any, copy: bool = True) -> _Symbol:
        dtype = np.dtype(dtype)
        if dtype == self.dtype:
            return self
        if isinstance(self.at, np.ndarray):
            return _Symbol(self.steps, self.at.astype(dtype), dtype)
        return self._note("cast", None, [self], dtype)

    def _note(self, name: str, ufunc: np.ufunc | None, args: Sequence[Any], d: Dtype) -> _Symbol:
        noted = tuple(x.at if isinstance(x, _Symbol) else np.asarray(x) for x in args)
        self.steps.append(Step(name, ufunc, noted, d))
        return _Symbol(self.steps, Result(len(self.steps) - 1), d)

    def _brought(self, args: Sequence[Any], dtypes: Sequence[Dtype]) -> list[Any]:
        return [
            x.astype(d) if isinstance(x, _Symbol) else np.asarray(x, d)
            for x, d in zip(args, dtypes, strict=True)
        ]

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *args: Any, **kwargs: Any) -> Any:
        if method != "__call__" or kwargs or ufunc.nout != 1:
            return NotImplemented
        kinds = tuple(_kind(x) for x in args)
        *loops, out = ufunc.resolve_dtypes((*kinds, None))
        return self._note(ufunc.__name__, ufunc, self._brought(args, loops), out)

    def __array_function__(self, f: Any, types: Any, args: Any, kwargs: Any) -> Any:
        handler = _FUNCTIONS.get(f)
        return NotImplemented if handler is None or kwargs else handler(self, *args)

    def where(self, condition: Any, a: Any, b: Any) -> _Symbol:
        dtype = np.result_type(*[x.dtype if isinstance(x, _Symbol) else x for x in (a, b)])
        chosen = self._brought([a, b], [dtype, dtype])
        return self._note("where", None, [condition, *chosen], dtype)

    def filled(self, like: _Symbol, value: Any) -> _Symbol:
        return _Symbol(self.steps, np.asarray(value, like.dtype), like.dtype)

    def clip(self, x: Any, low: Any, high: Any) -> Any:
        return np._core.umath.clip(x, low, high)  # type: ignore[attr-defined]


def _kind(x: Any) -> Any:
    if isinstance(x, _Symbol):
        return x.dtype
    return type(x) if type(x) in (int, float, complex) else np.asarray(x).dtype


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.where: _Symbol.where,
    np.clip: _Symbol.clip,
    np.ones_like: lambda symbol, like: symbol.filled(like, 1),
    np.zeros_like: lambda symbol, like: symbol.filled(like, 0),
    np.full_like: _Symbol.filled,
}


class _SymbolicXp:
    """NumPy for symbols: they answer for its functions themselves."""

    def __getattr__(self, name: str) -> Any:
        return numpy_xp.special if name == "special" else getattr(np, name)

    @staticmethod
    def astype(x: Any, dtype: Any) -> Any:
        return x.astype(dtype)
