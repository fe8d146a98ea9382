"""Sigmoids, exact and approximate, and softplus."""

from theano._src.ops.activations import (
    UltraFastScalarSigmoid,
    hard_sigmoid,
    ultra_fast_scalar_sigmoid,
    ultra_fast_sigmoid,
    ultra_fast_sigmoid_inplace,
)
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
    "UltraFastScalarSigmoid",
    "hard_sigmoid",
    "scalar_sigmoid",
    "scalar_softplus",
    "sigmoid",
    "sigmoid_inplace",
    "softplus",
    "ultra_fast_scalar_sigmoid",
    "ultra_fast_sigmoid",
    "ultra_fast_sigmoid_inplace",
]
