"""Arrays of a program that is recorded while it is traced: a name in the text, and jax's value."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from theano._src.engines.export.source_text import Ref, Use
from theano._src.engines.jax.arrays.jax_xp import jax_xp
from theano._src.engines.jax.arrays.symbolic_lengths import is_symbolic_length

_BINARY = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "matmul": "@", "and_": "&", "or_": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=",
}  # fmt: skip
_METHODS = frozenset(
    "all any argmax argmin argsort astype clip conj conjugate copy cumprod cumsum diagonal dot "
    "flatten max mean min nonzero prod ravel repeat reshape round searchsorted sort squeeze std "
    "sum swapaxes take trace transpose var view".split()
)
_REDUCTIONS = frozenset("sum prod cumsum cumprod mean var std trace".split())


class Recorded:
    """An array of the recorded program: its name in the text, and the value that jax traces."""

    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]
    is_recorded = True

    def __init__(self, xp: Any, ref: Ref, value: Any) -> None:
        self.xp, self.ref, self.value = xp, ref, value

    @property
    def shape(self) -> Any:
        return tuple(self.value.shape)

    @property
    def ndim(self) -> int:
        return len(self.value.shape)

    @property
    def size(self) -> Any:
        return self.value.size

    @property
    def dtype(self) -> Any:
        return np.dtype(self.value.dtype)

    @property
    def T(self) -> Any:
        return self._attribute("T")

    @property
    def real(self) -> Any:
        return self._attribute("real")

    @property
    def imag(self) -> Any:
        return self._attribute("imag")

    def _attribute(self, name: str) -> Any:
        return self.xp.note([Use(self.ref, True), f".{name}"], getattr(self.value, name))

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS:
            raise AttributeError(f"an exported program has no {name!r} of an array")

        def call(*args: Any, **options: Any) -> Any:
            if name == "astype" and self.dtype == args[0]:
                return self
            plain, named = unwrapped(args), unwrapped(options)
            parts = [Use(self.ref, True), f".{name}(", *self.xp.arguments(args, options), ")"]
            value = getattr(traceable(self.value), name)(*plain, **named)
            return self.xp.note(parts, as_reduced(name, self, args, options, value))

        return call

    def __getitem__(self, index: Any) -> Any:
        value = traceable(self.value)[unwrapped(index)]
        parts = [Use(self.ref, True), "[", *self.xp.index_text(index), "]"]
        return self.xp.note(parts, value)

    def __neg__(self) -> Any:
        return self.xp.note(["-", Use(self.ref, True)], -traceable(self.value), True)

    def __invert__(self) -> Any:
        return self.xp.note(["~", Use(self.ref, True)], ~traceable(self.value), True)

    def __abs__(self) -> Any:
        return self.xp.abs(self)

    # conversions to numbers work if jax knows the value

    def __len__(self) -> int:
        return int(self.value.shape[0])

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __bool__(self) -> bool:
        return bool(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __index__(self) -> int:
        return operator.index(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self.value, dtype)

    def tolist(self) -> Any:
        return np.asarray(self.value).tolist()

    def item(self) -> Any:
        return np.asarray(self.value).item()


def _operators(name: str, sign: str) -> None:
    function = getattr(operator, name)
    plain = name.rstrip("_")

    def forward(self: Recorded, other: Any) -> Any:
        return self.xp.between(sign, function, self, other)

    def backward(self: Recorded, other: Any) -> Any:
        return self.xp.between(sign, function, other, self)

    setattr(Recorded, f"__{plain}__", forward)
    if plain not in ("lt", "le", "gt", "ge", "eq", "ne"):
        setattr(Recorded, f"__r{plain}__", backward)


for _name, _sign in _BINARY.items():
    _operators(_name, _sign)


def is_open(x: Any) -> bool:
    """Whether a value contains an array of the program, or a symbolic length."""
    stack = [x]
    while stack:
        one = stack.pop()
        if isinstance(one, Recorded) or is_symbolic_length(one):
            return True
        if isinstance(one, list | tuple):
            stack.extend(one)
        elif isinstance(one, dict):
            stack.extend(one.values())
        elif isinstance(one, slice):
            stack.extend((one.start, one.stop, one.step))
    return False


def unwrapped(x: Any) -> Any:
    """The same value with arrays of the program replaced by jax's."""
    if isinstance(x, Recorded):
        return x.value
    if isinstance(x, list):
        return [unwrapped(one) for one in x]
    if isinstance(x, tuple):
        return tuple(unwrapped(one) for one in x)
    if isinstance(x, dict):
        return {k: unwrapped(one) for k, one in x.items()}
    if isinstance(x, slice):
        return slice(unwrapped(x.start), unwrapped(x.stop), unwrapped(x.step))
    return x


def flattened(tree: Any) -> tuple[list[Any], Callable[[Sequence[Any]], Any]]:
    """The arrays of nested tuples and lists, and a function that rebuilds these from others."""
    import jax

    leaves, form = jax.tree.flatten(tree)
    return leaves, lambda values: jax.tree.unflatten(form, list(values))


def traceable(x: Any) -> Any:
    """An array as a jax array; the methods of NumPy's have other options."""
    return jax_xp.asarray(x) if isinstance(x, np.ndarray | np.generic) else x


def unknown(x: Any) -> Any:
    """A traced value of the same shape and dtype, for a loop variable that changes in each step."""
    import jax

    return jax.lax.optimization_barrier(x)


def as_numpy(ufunc: np.ufunc, args: Sequence[Any], value: Any) -> Any:
    """jax's result in the dtype that NumPy's loop would return."""
    if isinstance(value, list | tuple):
        return value
    plain = [kind_of(x) for x in args]
    if len(plain) != ufunc.nin:
        return value
    try:
        *_, dtype = ufunc.resolve_dtypes((*plain, *[None] * ufunc.nout))
    except TypeError:
        return value
    return value if value.dtype == dtype else value.astype(dtype)


def as_reduced(name: str, x: Recorded, args: Any, options: Any, value: Any) -> Any:
    """jax's result of a reduction in NumPy's dtype: sums of int32 differ, for example."""
    if name not in _REDUCTIONS or is_open((args, options)):
        return value
    dtype = getattr(np.ones((1,) * x.ndim, x.dtype), name)(*args, **options).dtype
    return value if value.dtype == dtype else value.astype(dtype)


def kind_of(x: Any) -> Any:
    """The type for NumPy's promotion rules: a dtype, or the type of a Python number."""
    x = 1 if is_symbolic_length(x) else x
    return type(x) if isinstance(x, bool | int | float | complex) else x.dtype
