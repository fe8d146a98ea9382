"""Sigmoid and softplus."""

from theano._src.ops.explog import (
    ScalarSigmoid,
    ScalarSoftplus,
    scalar_sigmoid,
    scalar_softplus,
    sigmoid,
    sigmoid_inplace,
    softplus,
)

__all__ = [
    "ScalarSigmoid",
    "ScalarSoftplus",
    "scalar_sigmoid",
    "scalar_softplus",
    "sigmoid",
    "sigmoid_inplace",
    "softplus",
]
