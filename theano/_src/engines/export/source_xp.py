"""The xp contract as Python text: what ``Op.compute`` gets while a file for NumPy is written.

Every call is made twice: by jax on traced values, for shapes and dtypes, and as a line of text that
calls NumPy under the same name. A length that is symbolic for jax is an expression in the text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import numpy as np

from theano._src.engines.export.source_array import (
    Recorded,
    flattened,
    is_open,
    kind_of,
    traceable,
    unknown,
    unwrapped,
)
from theano._src.engines.export.source_text import Ref, Use
from theano._src.engines.export.source_writer import SourceWriter
from theano._src.engines.jax.arrays.jax_xp import jax_xp
from theano._src.ground.convolution import Window

#: functions that create arrays from lengths: written as calls, never as numbers
_MAKERS = frozenset("zeros ones full empty arange eye identity tri linspace".split())


class SourceXp(SourceWriter):
    """NumPy's functions under NumPy's names, written as they are called; others as in JaxXp."""

    name = "source"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        result = getattr(np, name)
        if name in ("linalg", "fft"):
            return _Names(self, f"np.{name}", result, getattr(jax_xp, name))
        if isinstance(result, type) or not callable(result):
            return result
        return lambda *args, **options: self.call(
            f"np.{name}", result, getattr(jax_xp, name), args, options, name in _MAKERS
        )

    @property
    def special(self) -> Any:
        import scipy.special

        return _Names(self, "scipy.special", scipy.special, jax_xp.special)

    @property
    def slinalg(self) -> Any:
        import scipy.linalg

        return _Names(self, "scipy.linalg", scipy.linalg, jax_xp.slinalg)

    # names that NumPy does not have, or has with another meaning

    def asarray(self, x: Any, dtype: Any = None) -> Any:
        """An array; a recorded one is returned as it is."""
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
        dtype = np.dtype(dtype)
        if not isinstance(x, Recorded):
            return self.asarray(x).astype(dtype) if not is_open(x) else self.asarray(x, dtype)
        return x if x.dtype == dtype else x.astype(dtype)

    def where(self, condition: Any, a: Any, b: Any) -> Any:
        """Choose between two values for each element; one of them if the choice is known."""
        if not is_open((condition, a, b)):
            return np.where(condition, a, b)
        value = jax_xp.where(*unwrapped((condition, a, b)))
        dtype = np.result_type(*[kind_of(x) for x in (a, b)])
        value = value if value.dtype == dtype else value.astype(dtype)
        if not is_open(condition) and (np.all(condition) or not np.any(condition)):
            chosen = self.asarray(a if np.all(condition) else b, dtype)
            if tuple(chosen.shape) == tuple(value.shape):
                return chosen
        return self.note(["np.where(", *self.arguments((condition, a, b)), ")"], value)

    def copy(self, x: Any) -> Any:
        """``x``: no written line overwrites it."""
        return x

    @staticmethod
    def constrained(x: Any, sharding: Any) -> Any:
        """``x``: there is only one device."""
        return x

    @staticmethod
    def validated(node: Any, args: Sequence[Any]) -> None:
        jax_xp.validated(node, unwrapped(list(args)))

    @staticmethod
    def once(x: Any) -> Any:
        return x

    @staticmethod
    def accumulator(dtype: str, wide: str) -> str:
        return wide

    @staticmethod
    def promote_types(a: Any, b: Any) -> Any:
        return np.promote_types(a, b)

    @staticmethod
    def result_type(*args: Any) -> Any:
        return np.result_type(*[getattr(a, "dtype", a) for a in args])

    @staticmethod
    def errstate(**states: str) -> AbstractContextManager[None]:
        # the whole function ignores floating-point errors
        return nullcontext()

    def triangular_factor(self, x: Any, lower: bool) -> Any:
        if not is_open(x):
            return np.linalg.cholesky(x, upper=not lower)
        value = jax_xp.triangular_factor(unwrapped(x), lower)
        return self.note(["np.linalg.cholesky(", *self.text(x), f", upper={not lower})"], value)

    def sum_rows(self, x: Any, dtype: str) -> Any:
        return self.sum(x, axis=0, dtype=dtype)

    @staticmethod
    def fold_windows(*args: Any) -> None:
        """None: slices are written."""

    spread_windows = fold_windows

    def one_of_each_row(self, x: Any, columns: Any) -> Any:
        return self.take_along_axis(x, columns[:, None], axis=1)[:, 0]

    def nonzero(self, a: Any, size: Any = None) -> Any:
        """The indices where ``a`` is not 0; ``size`` is the number that jax assumes."""
        if not is_open(a):
            return np.nonzero(a)
        parts = ["np.nonzero(", *self.text(a), ")"]
        return tuple(self.note(parts, jax_xp.nonzero(unwrapped(a), size)))

    def join_complex(self, real: Any, imag: Any) -> Any:
        value = jax_xp.join_complex(unwrapped(real), unwrapped(imag))
        return self.helper("join_complex", value, (real, imag))

    def index_set(self, x: Any, index: Any, value: Any) -> Any:
        return self._indexed("index_set", x, index, value)

    def index_add(self, x: Any, index: Any, value: Any) -> Any:
        return self._indexed("index_add", x, index, value)

    def _indexed(self, name: str, x: Any, index: Any, value: Any) -> Any:
        result = getattr(jax_xp, name)(*unwrapped((x, index, value)))
        self.helpers[name] = None
        spot = ["np.s_[", *self.index_text(index), "]"]
        return self.note(
            [f"{name}(", *self.text(x), ", ", *spot, ", ", *self.text(value), ")"], result
        )

    def dynamic_slice(self, x: Any, starts: Any, lengths: Any) -> Any:
        value = jax_xp.dynamic_slice(*unwrapped((x, list(starts), tuple(lengths))))
        return self.helper("block", value, (x, list(starts), tuple(lengths)))

    def write_block(self, x: Any, y: Any, starts: Any, counts: Any, add: bool) -> Any:
        args = (x, y, list(starts), list(counts), bool(add))
        return self.helper("write_block", jax_xp.write_block(*unwrapped(args)), args)

    def take_row(self, x: Any, i: Any) -> Any:
        return self.asarray(x)[i] if is_open((x, i)) else x[i]

    def put_row(self, x: Any, row: Any, i: Any) -> Any:
        value = jax_xp.put_row(*unwrapped((x, row, i)))
        self.helpers["index_set"] = None
        parts = ["index_set(", *self.text(x), ", ", *self.text(i), ", ", *self.text(row), ")"]
        return self.note(parts, value)

    def call_kernel(self, kernel: Any, inputs: Any, outputs: Any) -> Any:
        """Raise: C code cannot be written as NumPy."""
        raise NotImplementedError(f"the C code of {kernel.who} cannot be written")

    @property
    def conv(self) -> Any:
        return _Convolution(self)

    def outline(self, function: Any) -> Any:
        """A function whose results have the shapes and dtypes of those of ``function``."""

        def call(*args: Any) -> Any:
            with self.recorder.discarded():
                return function(*args)

        return call

    # blocks

    def cond(self, pred: Any, then: Any, otherwise: Any, operands: Any) -> list[Any]:
        if not is_open(pred):
            return list((then if pred else otherwise)(*operands))
        names: list[Ref] = []
        results: list[Any] = []
        for head, branch in ((["if ", *self.text(pred), ":"], then), (["else:"], otherwise)):
            with self.recorder.indented(head):
                results = list(branch(*operands))
                names = names or [self.recorder.variable("chosen") for _ in results]
                self._store(names, results)
        return [
            Recorded(self, r, traceable(unwrapped(self.asarray(x))))
            for r, x in zip(names, results, strict=True)
        ]

    def scan(self, step: Any, carry: Any, sequences: Any, n: Any, reverse: bool) -> Any:
        leaves, build = flattened(carry)
        states = self._variables("state", leaves)
        results: list[Any] = []

        def body(elements: Any) -> Any:
            new, result = step(build(states), elements)
            results[:] = [result, flattened(new)[0]]
            return result, lambda: self._store([s.ref for s in states], results[1])

        rows = self._loop(body, sequences, n, reverse)
        return build(states), rows

    def map_steps(self, step: Any, sequences: Any, n: Any, at_once: int) -> Any:
        return self._loop(lambda elements: (step(elements), None), sequences, n, False)

    def map_rows(self, function: Any, arrays: Any) -> list[Any]:
        n = arrays[0].shape[0]
        return list(self._loop(lambda rows: (function(rows), None), list(arrays), n, False))

    def _loop(self, body: Callable[..., Any], sequences: Any, n: Any, reverse: bool) -> Any:
        """Write a ``for`` loop; return the stacked results of its steps."""
        spans: list[Any] = []
        outer = self.recorder.block
        at = self.recorder.variable("i")
        count = ["range(", *self.text(n), ")"]
        count = ["reversed(", *count, ")"] if reverse else count
        with self.recorder.indented(["for ", Use(at), " in ", *count, ":"]):
            rows = [
                self.note([*self.between_text(x), "[", Use(at), "]"], traceable(unwrapped(x))[0])
                for x in sequences
            ]
            result, after = body(rows)
            leaves, build = flattened(result)
            lists = [self.recorder.variable("steps") for _ in leaves]
            for name, x in zip(lists, leaves, strict=True):
                self.recorder.do([Use(name), ".append(", *self.text(x), ")"])
            if after is not None:
                after()
        # before the loop, a list for each result is created
        loop = outer.items.pop()
        for name in lists:
            self.recorder.do([Use(name), " = []"])
        outer.items.append(loop)
        for name, x in zip(lists, leaves, strict=True):
            back = "[::-1]" if reverse else ""
            value = traceable(unwrapped(self.asarray(x)))
            whole = jax_xp.broadcast_to(value, (n, *value.shape))
            spans.append(self.note(["np.stack(", Use(name), f"{back})"], whole))
        return build(spans)

    def while_loop(self, goes_on: Any, step: Any, carry: Any) -> Any:
        leaves, build = flattened(carry)
        states = self._variables("state", leaves)
        with self.recorder.indented(["while True:"]):
            with self.recorder.indented(
                ["if not ", *self.between_text(goes_on(build(states))), ":"]
            ):
                self.recorder.do(["break"])
            self._store([s.ref for s in states], flattened(step(build(states)))[0])
        return build(states)

    def _variables(self, name: str, values: Sequence[Any]) -> list[Recorded]:
        """Names that hold these values, and other values later."""
        results = []
        for x in values:
            ref = self.recorder.variable(getattr(getattr(x, "ref", None), "name", None) or name)
            self.recorder.do([Use(ref), " = ", *self.text(x)])
            value = unknown(traceable(unwrapped(self.asarray(x))))
            results.append(Recorded(self, ref, value))
        return results

    def _store(self, names: Sequence[Ref], values: Sequence[Any]) -> None:
        if not names:
            return
        parts: list[str | Use] = []
        for i, name in enumerate(names):
            parts += [", " if i else "", Use(name)]
        self.recorder.do([*parts, " = ", *self.arguments(values)])


class _Names:
    """Functions of a module of NumPy or SciPy, written as they are called."""

    def __init__(self, xp: SourceXp, text: str, result: Any, traced: Any) -> None:
        self._xp, self._text, self._wrapped, self._traced = xp, text, result, traced

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        result = getattr(self._wrapped, name)

        def call(*args: Any, **options: Any) -> Any:
            if self._text.startswith("scipy"):
                self._xp.modules[self._text] = None
            traced = partial(getattr(self._traced, name), **_of_jax(options))
            options = {k: x for k, x in options.items() if k not in _ONLY_JAX}
            return self._xp.call(f"{self._text}.{name}", result, traced, args, options)

        return call


#: options that NumPy does not have
_ONLY_JAX = ("symmetrize_input", "max_squarings")


def _of_jax(options: dict[str, Any]) -> dict[str, Any]:
    return {k: x for k, x in options.items() if k in _ONLY_JAX}


class _Convolution:
    """``conv`` of the xp contract: calls of functions that are copied into the file."""

    def __init__(self, xp: SourceXp) -> None:
        self._xp = xp

    def forward(self, x: Any, w: Any, window: Window) -> Any:
        return self._call("forward", "conv", (x, w), window)

    def weights(self, x: Any, g: Any, lengths: Any, window: Window) -> Any:
        return self._call("weights", "conv_weights", (x, g, tuple(lengths)), window)

    def inputs(self, w: Any, g: Any, sizes: Any, window: Window) -> Any:
        return self._call("inputs", "conv_inputs", (w, g, tuple(sizes)), window)

    def _call(self, name: str, helper: str, args: Any, window: Window) -> Any:
        if window.unshared:
            raise NotImplementedError("a convolution with filters that are not shared")
        value = getattr(jax_xp.conv, name)(*[traceable(unwrapped(x)) for x in args], window)
        options = {"pads": window.pads, "strides": window.strides, "dilations": window.dilations}
        if window.groups != 1:
            options["groups"] = window.groups  # type: ignore[assignment]
        return self._xp.helper(helper, value, args, options)
