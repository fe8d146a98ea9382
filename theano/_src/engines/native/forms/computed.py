"""Ops that are a few functions of arrays: their `compute` runs once on arrays of the program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from theano._src.engines.native.forms.folds import folded
from theano._src.engines.native.forms.sums import summed
from theano._src.engines.native.ir import ONE, ZERO, integer
from theano._src.engines.native.loops import NotNative
from theano._src.engines.native.lowering import Lowering
from theano._src.engines.native.nests import Array
from theano._src.engines.native.steps import Dtype, Formula, Input, Result, Step
from theano._src.graph.graph import Apply
from theano._src.ops.nnet.softmax import FEW


def computed(low: Lowering, node: Apply) -> None:
    """A node whose `compute` calls ufuncs, sums and maxima along dimensions."""
    _compute(low, node, Symbol)


def of_few(low: Lowering, node: Apply) -> None:
    """Such a node with another formula for many elements, which is left to the numpy engine."""
    array, m = low.array(node.inputs[0]), low.main
    with low.at(low.level_of(*array.lengths)):
        is_many = m.compare("gt", low.count(array.lengths), integer(FEW))
        low.leave_if(is_many, for_bits=True)
    _compute(low, node, _Few)


def _compute(low: Lowering, node: Apply, kind: type[Symbol]) -> None:
    values = [kind(low, low.array(v), v.type.broadcastable) for v in node.inputs]
    try:
        result = node.op.compute(_Namespace(), *values)
    except (TypeError, AttributeError) as e:
        raise NotNative(f"{node.op} does more than call functions of arrays: {e}") from None
    if not isinstance(result, Symbol) or result.dtype != node.outputs[0].type.numpy_dtype:
        raise NotNative(f"{node.op} gives several arrays, or another dtype")
    low.set(node.outputs[0], result.array)


class Symbol(NDArrayOperatorsMixin):
    """An array in a `compute`: functions that are called on it are written into the program."""

    def __init__(self, low: Lowering, array: Array, pattern: tuple[bool, ...]) -> None:
        self.low, self.array, self.pattern = low, array, pattern
        self.dtype, self.ndim = array.dtype, len(pattern)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *args: Any, **kwargs: Any) -> Any:
        if method != "__call__" or kwargs or ufunc.nout != 1:
            return NotImplemented
        kinds = tuple(x.dtype if isinstance(x, Symbol | np.ndarray) else type(x) for x in args)
        *dtypes, out = ufunc.resolve_dtypes((*kinds, None))
        return self._step(ufunc.__name__, ufunc, args, dtypes, out)

    def _step(
        self, name: str, ufunc: np.ufunc | None, args: Any, dtypes: Sequence[Dtype], out: Dtype
    ) -> Symbol:
        given: list[Symbol] = []
        operands: list[Any] = []
        for x, dtype in zip(args, dtypes, strict=True):
            if not isinstance(x, Symbol):
                operands.append(np.asarray(x, dtype))
                continue
            if x.dtype != dtype:
                raise NotNative("arrays of other dtypes")
            operands.append(Input(len(given)))
            given.append(x)
        return self._formula(given, Formula([Step(name, ufunc, tuple(operands), out)], Result(0)))

    def where(self, a: Any, b: Any) -> Symbol:
        dtype = (a if isinstance(a, Symbol) else b).dtype
        return self._step("where", None, (self, a, b), (self.dtype, dtype, dtype), dtype)

    def astype(self, dtype: Any) -> Symbol:
        if self.dtype == np.dtype(dtype):
            return self
        return self._step("cast", None, (self,), (self.dtype,), np.dtype(dtype))

    def _formula(self, given: Sequence[Symbol], formula: Formula) -> Symbol:
        ndim = max(x.ndim for x in given)
        wide = [x._with_ndim(ndim) for x in given]
        array = self.low.elementwise([x.array for x in wide], [x.pattern for x in wide], formula)
        pattern = tuple(map(all, zip(*[x.pattern for x in wide], strict=True)))
        return Symbol(self.low, array, pattern)

    def _with_ndim(self, ndim: int) -> Symbol:
        more = ndim - self.ndim
        if not more:
            return self
        return self.view([ONE] * more + self.array.lengths, [ZERO] * more + self.array.strides)

    def view(self, lengths: Sequence[Any], strides: Sequence[Any]) -> Symbol:
        if self.array.number is None:
            self.low.memory(self.array)
        view = replace(self.array, lengths=list(lengths), strides=list(strides), nest=None)
        view.owned, view.output = False, None
        return Symbol(self.low, view, tuple(n == ONE for n in lengths))

    def of(self, array: Array) -> Symbol:
        """Another array of the program."""
        return Symbol(self.low, array, (False,) * len(array.lengths))

    def column(self) -> Symbol:
        """A vector as a matrix of one column."""
        return self.view([*self.array.lengths, ONE], [*self.array.strides, ZERO])

    def sum(self, axis: int) -> Symbol:
        return self.along(summed, axis, False)

    def __getitem__(self, index: Any) -> Symbol:
        if index != (None, slice(None)) or self.ndim != 1:
            raise NotNative("an index other than a new first dimension")
        return self._with_ndim(2)

    def along(self, fold: Callable[..., Array], axis: Any, keepdims: bool) -> Symbol:
        axes = (axis,) if isinstance(axis, int) else tuple(axis)
        array = fold(self.low, self.array, axes)
        pattern = tuple(b for i, b in enumerate(self.pattern) if i not in axes)
        result = Symbol(self.low, array, pattern)
        if not keepdims:
            return result
        lengths, strides = list(array.lengths), list(array.strides)
        for i in sorted(axes):
            lengths.insert(i, ONE)
            strides.insert(i, ZERO)
        return result.view(lengths, strides)


class _Few(Symbol):
    """An array of few elements; how many is known to the program alone."""

    @property
    def shape(self) -> tuple[int, ...]:
        return (1,) * self.ndim


class _Namespace:
    """NumPy for symbols."""

    name = "numpy"

    def __getattr__(self, name: str) -> Any:
        function = getattr(np, name)
        if not isinstance(function, np.ufunc):
            raise NotNative(f"{name} is not a function of elements")
        return function

    @staticmethod
    def astype(x: Symbol, dtype: Any) -> Symbol:
        return x.astype(dtype)

    @staticmethod
    def where(condition: Symbol, a: Any, b: Any) -> Symbol:
        return condition.where(a, b)

    @staticmethod
    def zeros_like(x: Symbol) -> np.ndarray:
        return np.zeros((), x.dtype)

    @staticmethod
    def full_like(x: Symbol, value: Any) -> np.ndarray:
        return np.full((), value, x.dtype)

    @staticmethod
    def sum(x: Symbol, axis: Any, keepdims: bool = False) -> Symbol:
        return x.along(summed, axis, keepdims)

    @staticmethod
    def max(x: Symbol, axis: Any, keepdims: bool = False, initial: Any = None) -> Symbol:
        return x.along(lambda low, a, axes: folded(low, a, axes, np.maximum), axis, keepdims)

    @staticmethod
    def squeeze(x: Symbol, axis: Sequence[int]) -> Symbol:
        kept = [i for i in range(x.ndim) if i not in axis]
        return x.view([x.array.lengths[i] for i in kept], [x.array.strides[i] for i in kept])
