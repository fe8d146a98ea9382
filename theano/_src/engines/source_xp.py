"""The xp contract as Python text: what ``Op.compute`` gets while a file for NumPy is written.

Every call is done twice: by jax on traced values, which tells shapes and dtypes, and as a line of
text that calls NumPy by the same name. A length that is symbolic for jax is an expression there.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import numpy as np

from theano._src.engines.jax_xp import jax_xp
from theano._src.engines.source_text import Parts, Recorder, Ref, Use
from theano._src.engines.xla.symbolic_lengths import is_symbolic_length
from theano._src.ground.convolution import Window

#: functions that make arrays of lengths: written as calls, never as numbers
_MAKERS = frozenset("zeros ones full empty arange eye identity tri linspace".split())
_BINARY = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "matmul": "@", "and_": "&", "or_": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=",
}  # fmt: skip
_SIGNS = {
    np.add: "+", np.subtract: "-", np.multiply: "*", np.divide: "/", np.matmul: "@",
    np.less: "<", np.less_equal: "<=", np.greater: ">", np.greater_equal: ">=",
    np.equal: "==", np.not_equal: "!=", np.bitwise_and: "&", np.bitwise_or: "|",
    np.power: "**", np.floor_divide: "//", np.remainder: "%",
}  # fmt: skip
_UFUNCS = {sign: ufunc for ufunc, sign in _SIGNS.items()}
_METHODS = frozenset(
    "all any argmax argmin argsort astype clip conj conjugate copy cumprod cumsum diagonal dot "
    "flatten max mean min nonzero prod ravel repeat reshape round searchsorted sort squeeze std "
    "sum swapaxes take trace transpose var view".split()
)
_REDUCTIONS = frozenset("sum prod cumsum cumprod mean var std trace".split())
#: elements up to which an array is written as numbers
_FEW = 8


class Recorded:
    """An array of the program that is written: a name in its text, and what jax knows of it."""

    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]
    is_recorded = True

    def __init__(self, xp: SourceXp, ref: Ref, value: Any) -> None:
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
            value = getattr(_traceable(self.value), name)(*plain, **named)
            return self.xp.note(parts, _as_reduced(name, self, args, options, value))

        return call

    def __getitem__(self, index: Any) -> Any:
        value = _traceable(self.value)[unwrapped(index)]
        parts = [Use(self.ref, True), "[", *self.xp.index_text(index), "]"]
        return self.xp.note(parts, value)

    def __neg__(self) -> Any:
        return self.xp.note(["-", Use(self.ref, True)], -_traceable(self.value), True)

    def __invert__(self) -> Any:
        return self.xp.note(["~", Use(self.ref, True)], ~_traceable(self.value), True)

    def __abs__(self) -> Any:
        return self.xp.abs(self)

    # what asks for numbers gets them where jax has them

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


class SourceXp:
    """NumPy's functions by NumPy's names, written down as they are called."""

    name = "source"

    def __init__(self, recorder: Recorder, prefix: str = "np", found: Any = np, jax: Any = jax_xp):
        self.recorder = recorder
        self._prefix, self._numpy, self._jax = prefix, found, jax
        #: arrays of the file, by name; functions that it carries along; modules besides NumPy
        self.arrays: dict[str, Any] = {}
        self.helpers: dict[str, None] = {}
        self.modules: dict[str, None] = {}
        self._held: dict[int, tuple[Any, Ref]] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(np, name)
        if name in ("linalg", "fft"):
            return _Names(self, f"np.{name}", found, getattr(jax_xp, name))
        if isinstance(found, type) or not callable(found):
            return found
        return lambda *args, **options: self.call(
            f"np.{name}", found, getattr(jax_xp, name), args, options, name in _MAKERS
        )

    @property
    def special(self) -> Any:
        """SciPy's special functions."""
        import scipy.special

        return _Names(self, "scipy.special", scipy.special, jax_xp.special)

    @property
    def slinalg(self) -> Any:
        """SciPy's linear algebra."""
        import scipy.linalg

        return _Names(self, "scipy.linalg", scipy.linalg, jax_xp.slinalg)

    # writing

    def note(self, parts: Parts, value: Any, is_operator: bool = False) -> Any:
        """A new value of the program, or several."""
        ref = self.recorder.assign(list(parts), is_operator)
        if isinstance(value, list | tuple):
            return [self.note([Use(ref, True), f"[{i}]"], one) for i, one in enumerate(value)]
        return Recorded(self, ref, value)

    def call(
        self, text: str, found: Any, traced: Any, args: Any, options: Any, makes: bool = False
    ) -> Any:
        """A call: written down if it takes something of the program, else done."""
        if not makes and not is_open((args, options)):
            return found(*args, **options)
        sign = _SIGNS.get(found) if isinstance(found, np.ufunc) else None
        if sign is not None and len(args) == 2 and not options:
            return self.between(sign, traced, *args)
        value = traced(*unwrapped(args), **unwrapped(options))
        if isinstance(found, np.ufunc):
            value = _as_numpy(found, args, value)
            args = [self._weak(x, args) for x in args]
        elif args and isinstance(args[0], Recorded):
            value = _as_reduced(text.rpartition(".")[2], args[0], args[1:], options, value)
        return self.note([f"{text}(", *self.arguments(args, options), ")"], value)

    def between(self, sign: str, function: Any, a: Any, b: Any) -> Any:
        """An operator between two values."""
        value = function(*[_traceable(unwrapped(x)) for x in (a, b)])
        if sign in _UFUNCS and sign != "@":
            value = _as_numpy(_UFUNCS[sign], (a, b), value)
        left, right = (self._between(self._weak(x, (a, b))) for x in (a, b))
        return self.note([*left, f" {sign} ", *right], value, True)

    def _between(self, x: Any) -> Parts:
        parts = self.text(x)
        if isinstance(x, Recorded):
            return [Use(x.ref, True)]
        is_negative = isinstance(x, int | float) and x < 0
        return ["(", *parts, ")"] if is_negative or is_symbolic_length(x) else parts

    def _weak(self, x: Any, among: Sequence[Any]) -> Any:
        """A constant as a Python number, where NumPy's rules give it the dtype of another."""
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
        """Arguments of a call, with commas between."""
        parts: list[str | Use] = []
        for x in args:
            parts += [", ", *self.text(x)] if parts else self.text(x)
        for name, x in (options or {}).items():
            parts += [", " if parts else "", f"{name}=", *self.text(x)]
        return parts

    def text(self, x: Any) -> Parts:
        """A value as an argument."""
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
        """What stands between the brackets of an index."""
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
        """An array of the file."""
        found = self._held.get(id(value))
        if found is None:
            ref = self.recorder.given(name)
            assert ref.written is not None
            self.arrays[ref.written] = np.asarray(value)
            found = self._held[id(value)] = (value, ref)
        return Recorded(self, found[1], value)

    def helper(self, name: str, value: Any, args: Sequence[Any], options: Any = None) -> Any:
        """A call of a function that the file carries along."""
        self.helpers[name] = None
        return self.note([f"{name}(", *self.arguments(args, options), ")"], value)

    # names that NumPy has not, or has otherwise

    def asarray(self, x: Any, dtype: Any = None) -> Any:
        """An array; what is one stays as it is."""
        if isinstance(x, Recorded):
            return x if dtype is None else self.astype(x, dtype)
        if not is_open(x):
            return np.asarray(x, dtype)
        if not isinstance(x, list | tuple):
            value = jax_xp.asarray(x, dtype or "int64")
            return self.note(["np.asarray(", *self.arguments([x, value.dtype]), ")"], value)
        value = jax_xp.stack([jax_xp.asarray(v, dtype) for v in unwrapped(list(x))])
        return self.note(["np.asarray(", *self.arguments([x, value.dtype]), ")"], value)

    array = asarray

    def astype(self, x: Any, dtype: Any) -> Any:
        """``x`` in another dtype."""
        dtype = np.dtype(dtype)
        if not isinstance(x, Recorded):
            return self.asarray(x).astype(dtype) if not is_open(x) else self.asarray(x, dtype)
        return x if x.dtype == dtype else x.astype(dtype)

    def where(self, condition: Any, a: Any, b: Any) -> Any:
        """One of two values for each element; the one, if it is known that it is always that."""
        if not is_open((condition, a, b)):
            return np.where(condition, a, b)
        value = jax_xp.where(*unwrapped((condition, a, b)))
        dtype = np.result_type(*[_kind(x) for x in (a, b)])
        value = value if value.dtype == dtype else value.astype(dtype)
        if not is_open(condition) and (np.all(condition) or not np.any(condition)):
            chosen = self.asarray(a if np.all(condition) else b, dtype)
            if tuple(chosen.shape) == tuple(value.shape):
                return chosen
        return self.note(["np.where(", *self.arguments((condition, a, b)), ")"], value)

    def copy(self, x: Any) -> Any:
        """``x``: nothing that is written overwrites it."""
        return x

    @staticmethod
    def constrained(x: Any, sharding: Any) -> Any:
        """``x``: there is one device."""
        return x

    @staticmethod
    def validated(node: Any, args: Sequence[Any]) -> None:
        """What a node's op says to its inputs, as far as shapes and dtypes tell."""
        jax_xp.validated(node, unwrapped(list(args)))

    @staticmethod
    def promote_types(a: Any, b: Any) -> Any:
        return np.promote_types(a, b)

    @staticmethod
    def result_type(*args: Any) -> Any:
        return np.result_type(*[getattr(a, "dtype", a) for a in args])

    @staticmethod
    def errstate(**states: str) -> AbstractContextManager[None]:
        # the whole function ignores them
        return nullcontext()

    def triangular_factor(self, x: Any, lower: bool) -> Any:
        """The Cholesky factor of what one triangle of ``x`` says."""
        if not is_open(x):
            return np.linalg.cholesky(x, upper=not lower)
        value = jax_xp.triangular_factor(unwrapped(x), lower)
        return self.note(["np.linalg.cholesky(", *self.text(x), f", upper={not lower})"], value)

    def sum_rows(self, x: Any, dtype: str) -> Any:
        """The sum over the rows of a matrix, in ``dtype``."""
        return self.sum(x, axis=0, dtype=dtype)

    def nonzero(self, a: Any, size: Any = None) -> Any:
        """The places where ``a`` is not 0; ``size`` says how many jax shall think there are."""
        if not is_open(a):
            return np.nonzero(a)
        parts = ["np.nonzero(", *self.text(a), ")"]
        return tuple(self.note(parts, jax_xp.nonzero(unwrapped(a), size)))

    def join_complex(self, real: Any, imag: Any) -> Any:
        """Complex numbers of these parts."""
        value = jax_xp.join_complex(unwrapped(real), unwrapped(imag))
        return self.helper("join_complex", value, (real, imag))

    def index_set(self, x: Any, index: Any, value: Any) -> Any:
        """``x`` with ``x[index]`` replaced by ``value``."""
        return self._indexed("index_set", x, index, value)

    def index_add(self, x: Any, index: Any, value: Any) -> Any:
        """``x`` with ``value`` added at ``index``; repeated indices add up."""
        return self._indexed("index_add", x, index, value)

    def _indexed(self, name: str, x: Any, index: Any, value: Any) -> Any:
        made = getattr(jax_xp, name)(*unwrapped((x, index, value)))
        self.helpers[name] = None
        spot = ["np.s_[", *self.index_text(index), "]"]
        return self.note(
            [f"{name}(", *self.text(x), ", ", *spot, ", ", *self.text(value), ")"], made
        )

    def dynamic_slice(self, x: Any, starts: Any, lengths: Any) -> Any:
        """The block of ``x`` that begins at ``starts``, moved inside where it would stick out."""
        value = jax_xp.dynamic_slice(*unwrapped((x, list(starts), tuple(lengths))))
        return self.helper("block", value, (x, list(starts), tuple(lengths)))

    def write_block(self, x: Any, y: Any, starts: Any, counts: Any, add: bool) -> Any:
        """``x`` with ``y`` stored in, or added to, the block at ``starts``."""
        args = (x, y, list(starts), list(counts), bool(add))
        return self.helper("write_block", jax_xp.write_block(*unwrapped(args)), args)

    def take_row(self, x: Any, i: Any) -> Any:
        """Row ``i``, which must be there."""
        return self.asarray(x)[i] if is_open((x, i)) else x[i]

    def put_row(self, x: Any, row: Any, i: Any) -> Any:
        """``x`` with ``row`` as row ``i``."""
        value = jax_xp.put_row(*unwrapped((x, row, i)))
        self.helpers["index_set"] = None
        parts = ["index_set(", *self.text(x), ", ", *self.text(i), ", ", *self.text(row), ")"]
        return self.note(parts, value)

    def call_kernel(self, kernel: Any, inputs: Any, outputs: Any) -> Any:
        """C code is not NumPy."""
        raise NotImplementedError(f"the C code of {kernel.who} cannot be written")

    @property
    def conv(self) -> Any:
        """Convolution and its transposes."""
        return _Convolution(self)

    def outline(self, function: Any) -> Any:
        """A function that gives what has the shapes and dtypes that ``function`` would give."""

        def call(*args: Any) -> Any:
            with self.recorder.discarded():
                return function(*args)

        return call

    # blocks

    def cond(self, pred: Any, then: Any, otherwise: Any, operands: Any) -> list[Any]:
        """``then(*operands)`` where ``pred`` holds, else ``otherwise(*operands)``."""
        if not is_open(pred):
            return list((then if pred else otherwise)(*operands))
        names: list[Ref] = []
        made: list[Any] = []
        for head, branch in ((["if ", *self.text(pred), ":"], then), (["else:"], otherwise)):
            with self.recorder.indented(head):
                made = list(branch(*operands))
                names = names or [self.recorder.variable("chosen") for _ in made]
                self._store(names, made)
        return [
            Recorded(self, r, _traceable(unwrapped(self.asarray(x))))
            for r, x in zip(names, made, strict=True)
        ]

    def scan(self, step: Any, carry: Any, sequences: Any, n: Any, reverse: bool) -> Any:
        """``carry, made = step(carry, elements)`` for each step; the last carry, and all made."""
        leaves, build = flattened(carry)
        states = self._variables("state", leaves)
        found: list[Any] = []

        def body(elements: Any) -> Any:
            new, made = step(build(states), elements)
            found[:] = [made, flattened(new)[0]]
            return made, lambda: self._store([s.ref for s in states], found[1])

        rows = self._loop(body, sequences, n, reverse)
        return build(states), rows

    def map_steps(self, step: Any, sequences: Any, n: Any, at_once: int) -> Any:
        """What ``step(elements)`` makes for each of ``n`` steps."""
        return self._loop(lambda elements: (step(elements), None), sequences, n, False)

    def map_rows(self, function: Any, arrays: Any) -> list[Any]:
        """``function(rows)``, a list of arrays, for each row of all of ``arrays``: stacked."""
        n = arrays[0].shape[0]
        return list(self._loop(lambda rows: (function(rows), None), list(arrays), n, False))

    def _loop(self, body: Callable[..., Any], sequences: Any, n: Any, reverse: bool) -> Any:
        """A ``for`` loop; what it makes in each step, stacked."""
        spans: list[Any] = []
        outer = self.recorder.block
        at = self.recorder.variable("i")
        count = ["range(", *self.text(n), ")"]
        count = ["reversed(", *count, ")"] if reverse else count
        with self.recorder.indented(["for ", Use(at), " in ", *count, ":"]):
            rows = [
                self.note([*self._between(x), "[", Use(at), "]"], _traceable(unwrapped(x))[0])
                for x in sequences
            ]
            made, after = body(rows)
            leaves, build = flattened(made)
            lists = [self.recorder.variable("steps") for _ in leaves]
            for name, x in zip(lists, leaves, strict=True):
                self.recorder.do([Use(name), ".append(", *self.text(x), ")"])
            if after is not None:
                after()
        # before the loop there is a list for each
        loop = outer.items.pop()
        for name in lists:
            self.recorder.do([Use(name), " = []"])
        outer.items.append(loop)
        for name, x in zip(lists, leaves, strict=True):
            back = "[::-1]" if reverse else ""
            value = _traceable(unwrapped(self.asarray(x)))
            whole = jax_xp.broadcast_to(value, (n, *value.shape))
            spans.append(self.note(["np.stack(", Use(name), f"{back})"], whole))
        return build(spans)

    def while_loop(self, goes_on: Any, step: Any, carry: Any) -> Any:
        """``carry = step(carry)`` while ``goes_on(carry)``."""
        leaves, build = flattened(carry)
        states = self._variables("state", leaves)
        with self.recorder.indented(["while True:"]):
            with self.recorder.indented(["if not ", *self._between(goes_on(build(states))), ":"]):
                self.recorder.do(["break"])
            self._store([s.ref for s in states], flattened(step(build(states)))[0])
        return build(states)

    def _variables(self, name: str, values: Sequence[Any]) -> list[Recorded]:
        """Names that hold these values, and others later."""
        found = []
        for x in values:
            ref = self.recorder.variable(getattr(getattr(x, "ref", None), "name", None) or name)
            self.recorder.do([Use(ref), " = ", *self.text(x)])
            value = _unknown(_traceable(unwrapped(self.asarray(x))))
            found.append(Recorded(self, ref, value))
        return found

    def _store(self, names: Sequence[Ref], values: Sequence[Any]) -> None:
        if not names:
            return
        parts: list[str | Use] = []
        for i, name in enumerate(names):
            parts += [", " if i else "", Use(name)]
        self.recorder.do([*parts, " = ", *self.arguments(values)])


class _Names:
    """Functions of a module of NumPy or SciPy, written as they are called."""

    def __init__(self, xp: SourceXp, text: str, found: Any, traced: Any) -> None:
        self._xp, self._text, self._found, self._traced = xp, text, found, traced

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self._found, name)

        def call(*args: Any, **options: Any) -> Any:
            if self._text.startswith("scipy"):
                self._xp.modules[self._text] = None
            traced = partial(getattr(self._traced, name), **_of_jax(options))
            options = {k: x for k, x in options.items() if k not in _ONLY_JAX}
            return self._xp.call(f"{self._text}.{name}", found, traced, args, options)

        return call


#: options that NumPy has not
_ONLY_JAX = ("symmetrize_input",)


def _of_jax(options: dict[str, Any]) -> dict[str, Any]:
    return {k: x for k, x in options.items() if k in _ONLY_JAX}


class _Convolution:
    """``conv`` of the xp contract: calls of functions that the file carries along."""

    def __init__(self, xp: SourceXp) -> None:
        self._xp = xp

    def forward(self, x: Any, w: Any, window: Window) -> Any:
        """The outputs."""
        return self._call("forward", "conv", (x, w), window)

    def weights(self, x: Any, g: Any, lengths: Any, window: Window) -> Any:
        """The gradient of the filters."""
        return self._call("weights", "conv_weights", (x, g, tuple(lengths)), window)

    def inputs(self, w: Any, g: Any, sizes: Any, window: Window) -> Any:
        """The gradient of the images."""
        return self._call("inputs", "conv_inputs", (w, g, tuple(sizes)), window)

    def _call(self, name: str, helper: str, args: Any, window: Window) -> Any:
        if window.unshared:
            raise NotImplementedError("a convolution with filters that are not shared")
        value = getattr(jax_xp.conv, name)(*[_traceable(unwrapped(x)) for x in args], window)
        options = {"pads": window.pads, "strides": window.strides, "dilations": window.dilations}
        if window.groups != 1:
            options["groups"] = window.groups  # type: ignore[assignment]
        return self._xp.helper(helper, value, args, options)


def is_open(x: Any) -> bool:
    """Whether something holds an array of the program, or a length that is symbolic."""
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
    """The same with jax's values for arrays of the program."""
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
    """The arrays of nested tuples and lists, and a function that puts others in their places."""
    import jax

    leaves, form = jax.tree.flatten(tree)
    return leaves, lambda values: jax.tree.unflatten(form, list(values))


def _traceable(x: Any) -> Any:
    """An array as jax has it; NumPy's have methods with other options."""
    return jax_xp.asarray(x) if isinstance(x, np.ndarray | np.generic) else x


def _unknown(x: Any) -> Any:
    """A traced value of the same shape and dtype: that of a loop, which no step knows."""
    import jax

    return jax.lax.optimization_barrier(x)


def _as_numpy(ufunc: np.ufunc, args: Sequence[Any], value: Any) -> Any:
    """What jax made, in the dtype that NumPy's loop would give it."""
    if isinstance(value, list | tuple):
        return value
    plain = [_kind(x) for x in args]
    if len(plain) != ufunc.nin:
        return value
    try:
        *_, dtype = ufunc.resolve_dtypes((*plain, *[None] * ufunc.nout))
    except TypeError:
        return value
    return value if value.dtype == dtype else value.astype(dtype)


def _as_reduced(name: str, x: Recorded, args: Any, options: Any, value: Any) -> Any:
    """What jax made of a reduction, in the dtype that NumPy's would have: sums of int32 differ."""
    if name not in _REDUCTIONS or is_open((args, options)):
        return value
    dtype = getattr(np.ones((1,) * x.ndim, x.dtype), name)(*args, **options).dtype
    return value if value.dtype == dtype else value.astype(dtype)


def _kind(x: Any) -> Any:
    """What NumPy's rules of promotion look at: a dtype, or the type of a Python number."""
    x = 1 if is_symbolic_length(x) else x
    return type(x) if isinstance(x, bool | int | float | complex) else x.dtype
