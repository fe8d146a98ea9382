"""Choices among outcomes, from uniform numbers that were drawn before."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, ClassVar

import numpy as np

from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ground.tracebacks import warn_user
from theano._src.ops.shape.alloc import zeros_like
from theano._src.ops.shape.static_values import as_length
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import discrete_dtypes, integer_dtypes, known_dtype
from theano._src.types.tensor import TensorVariable, tensor_type

# the number of comparisons that NumPy computes at a time
_BLOCK = 2**20
# up to this many sums are unrolled in XLA; a loop compiles more slowly, but in constant time
_FEW = 16


def _wide(xp: ArrayNamespace, x: Array) -> str:
    return str(xp.accumulator(x.dtype.name, "float64"))


def _running_sums(xp: ArrayNamespace, x: Array) -> Any:
    """Return the cumulative sums of each row, added from left to right."""
    if xp.name == "numpy":
        return xp.cumsum(x, axis=1, dtype=x.dtype)
    # NOTE: jax's cumsum adds in another order, and rounds differently
    if x.shape[1] <= _FEW:
        return xp.stack(list(accumulate(x.T)), axis=1)
    return xp.frompyfunc(operator.add, nin=2, nout=1, identity=0).accumulate(x, axis=1)


def _first(xp: ArrayNamespace, holds: Array) -> tuple[Any, Any]:
    """Return the first true position along the last dimension, and whether there is one."""
    return xp.argmax(holds, axis=-1), xp.any(holds, axis=-1)


@documented_in("theano.sandbox.multinomial")
class MultinomialFromUniform(Op):
    """How often each outcome, a column of ``pvals``, is chosen in ``n`` draws for each row.

    Sample ``c`` of row ``i`` is the first outcome at which the cumulative sum of ``pvals[i]``
    exceeds ``unis[c * len(pvals) + i]``; if no sum does, there is none. ``odtype`` is the dtype
    of the counts; "auto" is that of ``pvals``.

    >>> pvals = [[0.25, 0.75], [1.0, 0.0]]
    >>> MultinomialFromUniform("int64")(pvals, [0.1, 0.1, 0.6, 0.6], 2).eval().tolist()
    [[1, 1], [2, 0]]
    """

    __props__: ClassVar[tuple[str, ...]] = ("odtype",)
    demand_only = (2,)
    shape_like = 0

    def __init__(self, odtype: str) -> None:
        self.odtype = odtype if odtype == "auto" else known_dtype(odtype)

    def __str__(self) -> str:
        return f"{type(self).__name__}{{{self.odtype}}}"

    def _out_dtype(self, pvals: Array | TensorVariable) -> str:
        return str(pvals.dtype) if self.odtype == "auto" else self.odtype

    def make_node(self, pvals: TensorLike, unis: TensorLike, n: TensorLike = 1) -> Apply:
        pvals, unis, n = (as_tensor_variable(x) for x in (pvals, unis, n))
        if pvals.ndim != 2:
            raise NotImplementedError(
                f"{self} takes a matrix, a row of probabilities for each choice, got "
                f"{pvals} of {pvals.type}"
            )
        if unis.ndim != 1:
            raise NotImplementedError(f"{self} takes a vector of samples, got {unis.type}")
        if n.ndim != 0 or n.dtype not in integer_dtypes:
            raise TypeError(f"{self} takes an integer as n, got {n} of {n.type}")
        out = tensor_type(self._out_dtype(pvals), pvals.broadcastable)()
        return Apply(self, [pvals, unis, n], [out])

    def compute(self, xp: ArrayNamespace, pvals: Array, unis: Array, n: Array) -> Any:
        return self._checked(xp, pvals, unis, int(n), _BLOCK)

    def demands(self, node: Apply, shapes: Sequence[Any]) -> Sequence[Any]:
        return [as_length(node.inputs[2])]

    def lower_xla(self, xp: ArrayNamespace, sizes: Sequence[int], *inputs: Array) -> Any:
        return self._checked(xp, inputs[0], inputs[1], sizes[0], None)

    def _checked(
        self, xp: ArrayNamespace, pvals: Array, unis: Array, n: int, block: int | None
    ) -> Any:
        rows, _ = pvals.shape
        if n < 0 or unis.shape[0] != rows * n:
            raise ValueError(
                f"{self} takes n samples for each row of pvals, got {unis.shape[0]} samples for "
                f"{rows} rows and n={n}"
            )
        # sums and comparisons use float64 for all input dtypes, where the engine has it
        u = xp.reshape(xp.astype(unis, _wide(xp, pvals)), (n, rows))
        return xp.astype(self._chosen(xp, pvals, u, block), self._out_dtype(pvals))

    def _chosen(self, xp: ArrayNamespace, pvals: Array, u: Array, block: int | None) -> Any:
        if 0 in (*pvals.shape, *u.shape):
            return xp.zeros(pvals.shape, "int64")
        sums = _running_sums(xp, xp.astype(pvals, _wide(xp, pvals)))
        outcomes = np.arange(pvals.shape[1])
        at_once = len(u) if block is None else max(1, block // pvals.size)
        counts = 0
        for c in range(0, len(u), at_once):
            at, result = _first(xp, sums > u[c : c + at_once, :, None])
            hits = (at[:, :, None] == outcomes) & result[:, :, None]
            counts = counts + xp.sum(hits, axis=0, dtype="int64")
        return counts

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        # the choices are piecewise constant
        return [
            zeros_like(x, dtype=config.floatX if x.dtype in discrete_dtypes else x.dtype)
            for x in inputs
        ]

    def R_op(self, inputs: list[Any], eval_points: list[Any]) -> list[Any]:
        return [None]


@documented_in("theano.sandbox.multinomial")
class ChoiceFromUniform(MultinomialFromUniform):
    """The outcomes, columns of ``pvals``, of ``n`` draws for each row, in the order drawn.

    Unless ``replace``, an outcome is drawn at most once, and the probabilities of the others are
    rescaled. The result is -1 where no cumulative sum of probabilities exceeds the sample.

    >>> pvals = [[0.25, 0.75, 0.0], [0.5, 0.25, 0.25]]
    >>> ChoiceFromUniform("auto")(pvals, [0.1, 0.8, 0.6, 0.6], 2).eval().tolist()
    [[0, 1], [2, 0]]
    """

    __props__ = ("odtype", "replace")

    def __init__(self, odtype: str, replace: bool = False) -> None:
        super().__init__(odtype)
        self.replace = replace

    def __str__(self) -> str:
        return f"{type(self).__name__}{{odtype={self.odtype!r}, replace={self.replace}}}"

    def _out_dtype(self, pvals: Array | TensorVariable) -> str:
        return "int64" if self.odtype == "auto" else self.odtype

    def _chosen(self, xp: ArrayNamespace, pvals: Array, u: Array, block: int | None) -> Any:
        (n, rows), outcomes = u.shape, pvals.shape[1]
        if n > outcomes:
            raise ValueError(
                f"{self} takes at most as many samples as there are outcomes ({outcomes}), "
                f"without replacement, got n={n}"
            )
        if n == 0 or rows == 0:
            return xp.zeros((rows, n), "int64")
        columns, p, out = np.arange(outcomes), pvals, []
        for c in range(n):
            sums = _running_sums(xp, xp.astype(p, _wide(xp, p)))
            at, result = _first(xp, sums > u[c][:, None])
            out.append(xp.where(result, at, -1))
            if self.replace or c == n - 1:
                continue
            here = columns == at[:, None]
            rest = xp.where(here, xp.zeros_like(p), p)
            # NOTE: the rest is summed from the left in the dtype of pvals, except for the part
            # before the choice, whose float64 sum is used: this rounds as Theano 1.0.5 does
            before = xp.astype(sums - xp.astype(p, _wide(xp, p)), p.dtype)
            terms = xp.where(here, before, xp.where(columns < at[:, None], xp.zeros_like(p), rest))
            total = _running_sums(xp, terms)[:, -1:]
            with xp.errstate(all="ignore"):
                p = xp.where(result[:, None], rest / total, p)
        return xp.stack(out, axis=1)

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[tuple[Any, ...]]:
        return [(shapes[0][0], as_length(node.inputs[2]))]


@documented_in("theano.sandbox.multinomial")
class MultinomialWOReplacementFromUniform(ChoiceFromUniform):
    """The deprecated name of ChoiceFromUniform."""

    __props__ = ("odtype", "replace")

    def __init__(self, odtype: str, replace: bool = False) -> None:
        warn_user(
            "MultinomialWOReplacementFromUniform is deprecated; use ChoiceFromUniform",
            DeprecationWarning,
        )
        super().__init__(odtype, replace)
