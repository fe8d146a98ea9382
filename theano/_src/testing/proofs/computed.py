"""Ops whose own ``compute`` is run on real numbers, and ops that are unknown functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.ops.elementwise.arithmetic import add, mul, neg, sqrt, sub, true_div
from theano._src.ops.nnet.batchnorm import BatchNorm
from theano._src.ops.nnet.batchnorm_ops import (
    AbstractBatchNormInference,
    AbstractBatchNormTrain,
    AbstractBatchNormTrainGrad,
)
from theano._src.ops.nnet.ctc import ConnectionistTemporalClassification
from theano._src.testing.proofs.symbols import Array, applied, array_meaning, is_symbolic, symbolic
from theano._src.testing.proofs.world import Real, Value, World


@dataclass(frozen=True)
class Term:
    """A real number with Python's operators, so that arrays of them have NumPy's."""

    world: World
    value: Value

    def _with(self, op: Any, *others: Any) -> Term:
        values = [o.value if isinstance(o, Term) else self.world.number(o) for o in others]
        return Term(self.world, applied(self.world, op, *values))

    def __add__(self, other: Any) -> Term:
        return self._with(add, self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Term:
        return self._with(sub, self, other)

    def __rsub__(self, other: Any) -> Term:
        return self._with(sub, other, self)

    def __mul__(self, other: Any) -> Term:
        return self._with(mul, self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Term:
        return self._with(true_div, self, other)

    def __rtruediv__(self, other: Any) -> Term:
        return self._with(true_div, other, self)

    def __neg__(self) -> Term:
        return self._with(neg, self)

    def __pow__(self, times: int) -> Term:
        return math.prod([self] * (times - 1), start=self)

    def sqrt(self) -> Term:
        """NumPy calls it for ``np.sqrt``."""
        return self._with(sqrt, self)


class Terms:
    """The array namespace of ``compute``, for arrays of Term."""

    name = "numpy"

    def __init__(self, world: World) -> None:
        self._none: Any = Term(world, world.number(0))

    def accumulator(self, dtype: str, wide: str) -> str:
        return wide

    def sum(self, x: Array, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Array:
        return np.sum(x, axis=axis, keepdims=keepdims, initial=self._none)

    def mean(self, x: Array, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Array:
        total = self.sum(x, axis, keepdims)
        # a Term, as 0 is no divisor in Python
        return total / (self._none + x.size // total.size if total.size else 1)

    def sqrt(self, x: Array) -> Array:
        return np.sqrt(np.asarray(x, object))

    def astype(self, x: Array, dtype: Any) -> Array:
        return x

    def asarray(self, x: Any, dtype: Any = None) -> Any:
        return self._none + x

    def true_divide(self, x: Any, y: Any) -> Any:
        return x / y


_UNWRAPPED = np.frompyfunc(lambda term: term.value, 1, 1)


def as_terms(world: World, array: Array) -> Array:
    wrap = np.frompyfunc(lambda value: Term(world, value), 1, 1)
    return np.asarray(wrap(symbolic(world, array)), object)


def as_values(terms: Any) -> Array:
    return np.asarray(_UNWRAPPED(np.asarray(terms, object)), object)


def _computed(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    """Run the op's ``compute``."""
    results = node.op.compute(Terms(world), *(as_terms(world, a) for a in args))
    results = results if len(node.outputs) > 1 else [results]
    return list(map(as_values, results))


def _unknown(world: World, node: Apply, args: Sequence[Array]) -> list[Array]:
    """The cost of an unknown function: equal inputs give equal costs, and other flags do too."""
    key = type(node.op), *(str(list(a.flat)) if is_symbolic(a) else a.tobytes() for a in args)
    shapes = node.op.infer_shape(node, [a.shape for a in args])
    outputs = []
    for k, shape in enumerate(shapes):
        out = np.empty(tuple(int(getattr(n, "data", n)) for n in shape), object)
        for at in np.ndindex(*out.shape):
            name = f"cost_{k}_{'_'.join(map(str, at))}"
            out[at] = Real(world.once((*key, k, at), partial(world.symbol, name)))
        outputs.append(out)
    return outputs


for _cls in (
    BatchNorm,
    AbstractBatchNormInference,
    AbstractBatchNormTrain,
    AbstractBatchNormTrainGrad,
):
    array_meaning[_cls] = _computed
array_meaning[ConnectionistTemporalClassification] = _unknown
