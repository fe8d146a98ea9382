"""Softmax and its kin."""

from theano._src.ops.softmax import (
    LogSoftmax,
    Softmax,
    SoftmaxGrad,
    logsoftmax,
    logsoftmax_op,
    softmax,
    softmax_grad,
    softmax_op,
)

__all__ = [
    "LogSoftmax",
    "Softmax",
    "SoftmaxGrad",
    "logsoftmax",
    "logsoftmax_op",
    "softmax",
    "softmax_grad",
    "softmax_op",
]
