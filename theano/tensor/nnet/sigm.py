"""Sigmoids, exact and approximate, and softplus."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.elementwise.activations: ScalarSigmoid ScalarSoftplus UltraFastScalarSigmoid
        hard_sigmoid scalar_sigmoid scalar_softplus sigmoid sigmoid_inplace softplus
        ultra_fast_scalar_sigmoid ultra_fast_sigmoid ultra_fast_sigmoid_inplace
    theano._src.rules.mul_trees: compute_mul is_1pexp is_exp is_mul is_neg parse_mul_tree
        perform_sigm_times_exp register_local_1msigmoid simplify_mul
    theano._src.rules.named: local_1msigmoid local_exp_over_1_plus_exp local_hard_sigmoid
        local_inv_1_plus_exp local_sigm_times_exp local_ultra_fast_sigmoid log1msigm_to_softplus
        log1p_neg_sigmoid log1pexp_to_softplus logsigm_to_softplus
    """,
)
