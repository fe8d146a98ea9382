"""Softmax, log-softmax, losses, and batch normalization."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from theano._src.compile.export.onnx_ops.context import Export, Form
from theano._src.compile.export.onnx_ops.reductions import folded
from theano._src.compile.export.onnx_ops.writer import NoForm, Value
from theano._src.graph.graph import Apply, Variable
from theano._src.graph.op import Op
from theano._src.ops.nnet.batchnorm import BatchNorm
from theano._src.ops.nnet.batchnorm_ops import AbstractBatchNormInference
from theano._src.ops.nnet.crossentropy import (
    CrossentropySoftmax1Hot,
    CrossentropySoftmax1HotWithBiasDx,
    CrossentropySoftmaxArgmax1HotWithBias,
)
from theano._src.ops.nnet.losses import CrossentropyCategorical1Hot
from theano._src.ops.nnet.softmax import (
    LogSoftmax,
    LogSumExp,
    Softmax,
    SoftmaxGrad,
    SoftmaxWithBias,
)


def softmax(to: Export, node: Apply, x: Value) -> Value:
    axes = node.op.axes(node.inputs[0].type.ndim)
    if len(axes) == 1:
        return to.to.op("Softmax", x, axis=axes[0])
    e = to.to.op("Exp", x - folded(to, "ReduceMax", x, axes, True))
    return e / folded(to, "ReduceSum", e, axes, True)


def log_softmax(to: Export, node: Apply, x: Value) -> Value:
    axes = node.op.axes(node.inputs[0].type.ndim)
    if len(axes) == 1:
        return to.to.op("LogSoftmax", x, axis=axes[0])
    return x - folded(to, "ReduceLogSumExp", x, axes, True)


def log_sum_exp(to: Export, node: Apply, x: Value) -> Value:
    return folded(to, "ReduceLogSumExp", x, node.op.axes(node.inputs[0].type.ndim))


def softmax_with_bias(to: Export, node: Apply, x: Value, b: Value) -> Value:
    return to.to.op("Softmax", x + b.astype(x.dtype), axis=1)


def softmax_grad(to: Export, node: Apply, dy: Value, sm: Value) -> Value:
    axes = node.op.axes(node.inputs[1].type.ndim)
    dy = dy.astype(sm.dtype)
    return sm * (dy - folded(to, "ReduceSum", dy * sm, axes, True))


# losses


def _picked(to: Export, x: Value, y: Value) -> Value:
    """``x[i, y[i]]``."""
    at = to.to.unsqueeze(y.astype("int64"), 1)
    return to.to.squeeze(to.to.op("GatherElements", x, at, axis=1), 1)


def crossentropy(to: Export, node: Apply, coding: Value, y: Value) -> Value:
    """Use LogSoftmax if the input is a softmax: it is accurate for small probabilities."""
    at = node.inputs[0].owner
    if at is not None and isinstance(at.op, Softmax):
        return -_picked(to, log_softmax(to, at, to.value(at.inputs[0])), y)
    return -to.to.op("Log", _picked(to, coding, y))


def crossentropy_softmax(to: Export, node: Apply, *inputs: Value) -> list[Value]:
    x, *bias, y = inputs
    for b in bias:
        x = x + b.astype(x.dtype)
    log = to.to.op("LogSoftmax", x, axis=1)
    values = [-_picked(to, log, y), to.to.op("Softmax", x, axis=1)]
    if bias:
        values.append(to.to.op("ArgMax", x, dtype="int64", axis=1, keepdims=0))
    return values


def crossentropy_grad(to: Export, node: Apply, dy: Value, sm: Value, y: Value) -> Value:
    """Compute ``dy * (sm - 1)`` at the class of each row, ``dy * sm`` elsewhere."""
    w = to.to
    if node.op.indexed:
        raise NoForm("classes that count from the last have no form in ONNX")
    columns = w.arange(w.scalar(w.length(sm, 1)))
    hot = w.unsqueeze(y.astype("int64"), 1) == columns
    dy = w.unsqueeze(dy, 1) if node.inputs[0].type.ndim else dy
    return dy.astype(sm.dtype) * (sm - hot.astype(sm.dtype))


# normalization


def normalized(to: Export, node: Apply, *inputs: Value) -> Value:
    """Use BatchNormalization over all axes but the second; write the formula otherwise."""
    x, scale, bias, mean, var, epsilon = inputs
    ndim = node.inputs[0].type.ndim
    flat = [_by_channel(to, v, p) for v, p in zip(node.inputs[1:5], inputs[1:5], strict=True)]
    known = to.numbers_of(node.inputs[5])
    if (
        node.op.axes == tuple(i for i in range(ndim) if i != 1)
        and known is not None
        and (x.dtype != "float64" or float(np.float32(known)) == float(known))
        and all(v is not None for v in flat)
    ):
        return to.to.op("BatchNormalization", x, *flat, epsilon=float(known))
    root = to.to.op("Sqrt", var + epsilon.astype(var.dtype))
    return (x - mean) * (scale / root) + bias


def _by_channel(to: Export, v: Variable, value: Value) -> Value | None:
    """A parameter as a vector with an element for each channel; None if it has no channels."""
    if v.type.ndim < 2 or v.type.broadcastable[1]:
        return None
    return to.to.reshape(value, -1)


def _statistics(
    to: Export, x: Value, axes: Sequence[int], epsilon: Value | float
) -> tuple[Value, Value, Value]:
    """The mean, the variance and the inverse standard deviation of a batch."""
    mean = folded(to, "ReduceMean", x, axes, True)
    away = x - mean
    var = folded(to, "ReduceMean", away * away, axes, True)
    invstd = to.to.op("Reciprocal", to.to.op("Sqrt", var + epsilon))
    return mean, var, invstd


def batch_norm(to: Export, node: Apply, x: Value, scale: Value, bias: Value) -> list[Value]:
    mean, var, invstd = _statistics(to, x, node.op.axes, node.op.epsilon)
    return [(x - mean) * (scale * invstd) + bias, mean, invstd, var]


FORMS: dict[type[Op], Form] = {
    Softmax: softmax,
    SoftmaxWithBias: softmax_with_bias,
    LogSoftmax: log_softmax,
    LogSumExp: log_sum_exp,
    CrossentropyCategorical1Hot: crossentropy,
    SoftmaxGrad: softmax_grad,
    CrossentropySoftmax1HotWithBiasDx: crossentropy_grad,
    CrossentropySoftmax1Hot: crossentropy_softmax,
    CrossentropySoftmaxArgmax1HotWithBias: crossentropy_softmax,
    AbstractBatchNormInference: normalized,
    BatchNorm: batch_norm,
}
