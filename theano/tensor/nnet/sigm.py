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
from theano._src.rules.named import (
    local_1msigmoid,
    local_exp_over_1_plus_exp,
    local_hard_sigmoid,
    local_inv_1_plus_exp,
    local_sigm_times_exp,
    local_ultra_fast_sigmoid,
    log1msigm_to_softplus,
    log1p_neg_sigmoid,
    log1pexp_to_softplus,
    logsigm_to_softplus,
)

__all__ = [
    "ScalarSigmoid",
    "ScalarSoftplus",
    "UltraFastScalarSigmoid",
    "hard_sigmoid",
    "local_1msigmoid",
    "local_exp_over_1_plus_exp",
    "local_hard_sigmoid",
    "local_inv_1_plus_exp",
    "local_sigm_times_exp",
    "local_ultra_fast_sigmoid",
    "log1msigm_to_softplus",
    "log1p_neg_sigmoid",
    "log1pexp_to_softplus",
    "logsigm_to_softplus",
    "scalar_sigmoid",
    "scalar_softplus",
    "sigmoid",
    "sigmoid_inplace",
    "softplus",
    "ultra_fast_scalar_sigmoid",
    "ultra_fast_sigmoid",
    "ultra_fast_sigmoid_inplace",
]
