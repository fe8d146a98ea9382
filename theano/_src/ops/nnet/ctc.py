"""Connectionist temporal classification: the likelihood of labels without known alignment."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.graph.c_files import OpenMPOp
from theano._src.graph.graph import Apply
from theano._src.ground.array_types import Array, ArrayNamespace, Arrays
from theano._src.ground.documented import documented_in
from theano._src.ops.elementwise.arithmetic import mul
from theano._src.ops.index.index_list import all_within
from theano._src.ops.shape.dims import dimshuffle, patternbroadcast
from theano._src.rewrite.rule import FunctionRule
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.dtypes import float_dtypes, integer_dtypes
from theano._src.types.null import DisconnectedType, disconnected, grad_not_implemented
from theano._src.types.tensor import tensor_type

_BLANK = 0


@documented_in("theano.tensor.nnet.ctc")
class ConnectionistTemporalClassification(OpenMPOp):
    """The cost of ``ctc`` for each example, and its gradient with respect to the activations.

    The recursions over time are those of Graves et al., "Connectionist Temporal Classification"
    (2006), on logarithms: blanks are inserted before, between and after the labels, and the
    probabilities of all alignments that reach each of these states are summed, forward and
    backward.

    Parameters
    ----------
    compute_grad : bool
        Whether to compute the gradient, the second output. Rewriting removes a gradient that is
        not used.
    openmp : bool, optional
        Kept for programs that pass it.
    """

    __props__ = ("compute_grad",)
    default_output = 0
    nondiff_inputs = slice(1, None)

    def __init__(self, compute_grad: bool = True, openmp: bool | None = None) -> None:
        super().__init__(openmp=openmp)
        self.compute_grad = bool(compute_grad)

    def make_node(
        self, activations: TensorLike, labels: TensorLike, input_lengths: TensorLike
    ) -> Apply:
        a, labels, lengths = map(as_tensor_variable, (activations, labels, input_lengths))
        given = (("activations", a, 3, float_dtypes), ("labels", labels, 2, integer_dtypes))
        for name, v, ndim, dtypes in (*given, ("input_lengths", lengths, 1, integer_dtypes)):
            if v.dtype not in dtypes:
                kind = "floats" if dtypes is float_dtypes else "integers"
                raise TypeError(f"ctc takes {kind} as {name}, got {v} of dtype {v.dtype}")
            if v.ndim != ndim:
                raise ValueError(f"ctc takes {name} of {ndim} dimensions, got {v} of {v.type}")
        outs = [tensor_type(a.dtype, (a.broadcastable[1],))("ctc_cost")]
        if self.compute_grad:
            outs.append(a.type("ctc_grad"))
        return Apply(self, [a, labels, lengths], outs)

    def validate(self, node: Apply, inputs: Sequence[Any]) -> None:
        a, labels, lengths = inputs
        time, batch, classes = a.shape
        if not batch == len(labels) == len(lengths):
            raise ValueError(
                f"ctc takes labels and a length for each example, got {len(labels)} and "
                f"{len(lengths)} for {batch} of the activations"
            )
        if np.any(labels >= classes):
            raise ValueError(
                f"ctc takes labels below the number of classes, {classes}, got {labels.max()}"
            )
        if np.any(lengths < 0) or np.any(lengths > time):
            raise ValueError(
                f"ctc takes lengths from 0 to that of the activations, {time}, got {lengths}"
            )

    def checks(
        self, xp: ArrayNamespace, sizes: Sequence[int], inputs: Arrays, outputs: Arrays
    ) -> Sequence[Any]:
        a, labels, lengths = inputs
        return [
            all_within(xp, labels, np.iinfo("int64").min, a.shape[2]),
            all_within(xp, lengths, 0, a.shape[0] + 1),
        ]

    def infer_shape(self, node: Apply, shapes: Sequence[Any]) -> list[Any]:
        return [(shapes[0][1],), shapes[0]][: len(node.outputs)]

    def compute(self, xp: ArrayNamespace, activations: Array, labels: Array, lengths: Array) -> Any:
        dtype = activations.dtype
        time, batch, _ = activations.shape
        if 0 in activations.shape:
            costs = xp.zeros(batch, dtype)
            return (costs, xp.zeros(activations.shape, dtype)) if self.compute_grad else costs
        a = xp.astype(activations, "float32") if dtype == "float16" else activations
        away = a - xp.max(a, axis=2, keepdims=True)
        logs = away - xp.log(xp.sum(xp.exp(away), axis=2, keepdims=True))
        states = _States(xp, xp.asarray(labels), logs.dtype)
        at = xp.broadcast_to(xp.expand_dims(states.labels, 0), (time, *states.labels.shape))
        emitted = xp.take_along_axis(logs, at, axis=2)
        steps = xp.arange(time)
        lengths = xp.astype(xp.asarray(lengths), "int64")
        last, forward, scale = states.forward(steps, emitted, lengths)
        top, shares = _normalized(xp, last + states.last)
        log_likelihood = scale + top + xp.log(xp.sum(shares, axis=1))
        # cost and gradient are 0 if there are fewer time steps than the labels need
        fits = states.shortest <= lengths
        costs = xp.astype(xp.where(fits, -log_likelihood, 0), dtype)
        if not self.compute_grad:
            return costs
        backward = states.backward(steps, emitted, lengths)
        _, shares = _normalized(xp, forward + backward)
        shares = shares / xp.sum(shares, axis=2, keepdims=True)
        rows = xp.expand_dims(xp.arange(batch), 1)
        result = xp.index_add(xp.zeros_like(logs), (slice(None), rows, states.labels), shares)
        counts = fits & (xp.expand_dims(steps, 1) < lengths)
        gradients = xp.where(xp.expand_dims(counts, 2), xp.exp(logs) - result, 0)
        return costs, xp.astype(gradients, dtype)

    def L_op(self, inputs: list[Any], outputs: list[Any], output_grads: list[Any]) -> list[Any]:
        (a, _, _), g = inputs, output_grads[0]
        still = [disconnected(), disconnected()]
        if not all(isinstance(v.type, DisconnectedType) for v in output_grads[1:]):
            why = "the gradient of ctc has no derivative"
            return [grad_not_implemented(self, 0, a, why), *still]
        whole = outputs[0] if self.compute_grad else type(self)()(*inputs)
        result = mul(whole.owner.outputs[1], dimshuffle(g, "x", 0, "x"))
        return [patternbroadcast(result, a.broadcastable), *still]


class _States:
    """The labels of each example with blanks inserted, and the transitions between them."""

    def __init__(self, xp: ArrayNamespace, labels: Array, dtype: np.dtype[Any]) -> None:
        self.xp, self.dtype = xp, dtype
        batch, most = labels.shape
        given = labels >= 0
        order = xp.argsort(~given, axis=1, stable=True)
        packed = xp.take_along_axis(xp.where(given, labels, _BLANK), order, axis=1)
        packed = xp.astype(packed, "int64")
        blanks = xp.full_like(packed, _BLANK)
        pairs = xp.reshape(xp.stack([blanks, packed], axis=2), (batch, 2 * most))
        end = xp.full((batch, 1), _BLANK, "int64")
        self.labels = xp.concatenate([pairs, end], axis=1)
        self.n = 2 * most + 1
        # the blank before a label may be skipped unless the labels around it are equal
        two = (self.labels[:, 2:] != self.labels[:, :-2]) & (self.labels[:, 2:] != _BLANK)
        none = xp.zeros((batch, 2), bool)
        self.skips = xp.concatenate([none, two], axis=1)[:, : self.n]
        counts = xp.expand_dims(xp.sum(given, axis=1), 1)
        at = xp.arange(self.n)
        ends = (at == 2 * counts) | (at == 2 * counts - 1)
        self.last = xp.where(ends, self._nothing(0), self._nothing())
        halts = ~self.skips[:, 3::2] & (xp.arange(max(most - 1, 0)) < counts - 1)
        self.shortest = counts[:, 0] + xp.sum(halts, axis=1)

    def _nothing(self, log: float = -math.inf) -> Any:
        return self.xp.asarray(log, self.dtype)

    def _from(self, reached: Array, two: Array, backward: bool) -> Any:
        """Add the log probabilities that reach each state from 0, 1 and 2 states away."""
        xp = self.xp
        for k, v in ((1, reached), (2, two)):
            none = xp.full((len(v), k), -math.inf, self.dtype)
            parts = [v, none] if backward else [none, v]
            whole = xp.concatenate(parts, axis=1)
            moved = whole[:, k:] if backward else whole[:, : self.n]
            moved = moved if backward or k == 1 else xp.where(self.skips, moved, self._nothing())
            reached = xp.logaddexp(reached, moved)
        return reached

    def forward(self, steps: int, emitted: Array, lengths: Array) -> tuple[Any, Any, Any]:
        """Return the log probabilities of all paths to each state: last, at each time, and scale.

        Those at one time are relative to the largest, so that small values keep their digits;
        the scale is the sum of the logarithms divided out.
        """
        xp = self.xp
        valid = xp.expand_dims(lengths, 1)

        def step(carry: Any, elements: Any) -> Any:
            (before, scale), (t, e) = carry, elements
            top, now = self._scaled(self._from(before, before, False) + e)
            goes_on = t < valid
            scale = xp.where(goes_on[:, 0], scale + top, scale)
            return (xp.where(goes_on, now, before), scale), [now]

        at = xp.arange(self.n) == 0
        start = xp.where(at, self._nothing(0), xp.full_like(self.last, -math.inf))
        carry = start, xp.zeros(len(start), self.dtype)
        (last, scale), (result,) = xp.scan(step, carry, [steps, emitted], len(emitted), False)
        return last, result, scale

    def backward(self, steps: int, emitted: Array, lengths: Array) -> Any:
        """Return log probabilities of all paths from each state to the end, scaled likewise."""
        xp = self.xp
        end = xp.expand_dims(lengths, 1) - 1

        def step(after: Any, elements: Any) -> Any:
            t, e = elements
            two = xp.where(self.skips, after, self._nothing())
            now = xp.where(t == end, self.last, self._from(after, two, True))
            return self._scaled(now + e)[1], [now]

        start = xp.full_like(self.last, -math.inf)
        _, (result,) = xp.scan(step, start, [steps, emitted], len(emitted), True)
        return result

    def _scaled(self, logs: Array) -> tuple[Any, Any]:
        top = _finite(self.xp, self.xp.max(logs, axis=1))
        return top, logs - self.xp.expand_dims(top, 1)


def _finite(xp: ArrayNamespace, top: Array) -> Any:
    # where no state can be reached all are -inf; subtracting 0 instead avoids NaN
    return xp.where(top > -math.inf, top, xp.zeros_like(top))


def _normalized(xp: ArrayNamespace, logs: Array) -> tuple[Any, Any]:
    """Return the maximum over the last dimension, and exp(logs - maximum)."""
    top = _finite(xp, xp.max(logs, axis=-1))
    return top, xp.exp(logs - xp.expand_dims(top, -1))


@documented_in("theano.tensor.nnet.ctc")
def ctc(activations: TensorLike, labels: TensorLike, input_lengths: TensorLike) -> Any:
    """Return the cost of connectionist temporal classification for each example.

    It is the negative logarithm of the probability of the labels. This probability is summed
    over all alignments: sequences with one class per time step that become the labels once
    repeated classes are merged and blanks (class 0) are removed. If there are too few time steps
    for the labels, the cost and its gradient are 0.

    Parameters
    ----------
    activations : tensor of shape (time, batch, classes)
        Scores before the softmax.
    labels : integers of shape (batch, labels)
        The classes in order, one row for each example. Negative numbers are padding.
    input_lengths : integers of shape (batch,)
        The number of time steps of each example; later activations are ignored.

    Returns
    -------
    vector
        The costs, in the dtype of the activations. The same op computes the gradient with respect
        to the activations; second derivatives are not implemented.

    >>> import numpy as np
    >>> from theano.tensor.nnet.ctc import ctc
    >>> even = np.zeros((3, 1, 2))
    >>> (np.exp(-ctc(even, [[1, -1]], [3]).eval()) * 8).round(6)
    array([6.])
    """
    return ConnectionistTemporalClassification()(activations, labels, input_lengths)


@documented_in("theano.tensor.nnet.ctc")
def ctc_available() -> bool:
    """Whether ``ctc`` can be used: always, as it needs no library here.

    >>> ctc_available()
    True
    """
    return True


# attributes that older programs read
ctc_available.msg = ctc_available.path = None  # type: ignore[attr-defined]


def cost_alone(node: Apply) -> list[Any] | None:
    """(cost, gradient that nothing reads) -> cost"""
    if not node.op.compute_grad or node.outputs[1]._clients:
        return None
    return [ConnectionistTemporalClassification(compute_grad=False)(*node.inputs), None]


RULES = (
    FunctionRule(
        cost_alone,
        "ctc_cost_alone",
        "canonicalize",
        [ConnectionistTemporalClassification],
        tags=("local_ctc_no_grad", "fast_compile"),
    ),
)
