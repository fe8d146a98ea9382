# Written by tools/stubs.py from sigm.py: change that file.
from theano._src.ops.elementwise.activations import (
    ScalarSigmoid as ScalarSigmoid,
    ScalarSoftplus as ScalarSoftplus,
    UltraFastScalarSigmoid as UltraFastScalarSigmoid,
    hard_sigmoid as hard_sigmoid,
    scalar_sigmoid as scalar_sigmoid,
    scalar_softplus as scalar_softplus,
    sigmoid as sigmoid,
    sigmoid_inplace as sigmoid_inplace,
    softplus as softplus,
    ultra_fast_scalar_sigmoid as ultra_fast_scalar_sigmoid,
    ultra_fast_sigmoid as ultra_fast_sigmoid,
    ultra_fast_sigmoid_inplace as ultra_fast_sigmoid_inplace,
)
from theano._src.rules.mul_trees import (
    compute_mul as compute_mul,
    is_1pexp as is_1pexp,
    is_exp as is_exp,
    is_mul as is_mul,
    is_neg as is_neg,
    parse_mul_tree as parse_mul_tree,
    perform_sigm_times_exp as perform_sigm_times_exp,
    register_local_1msigmoid as register_local_1msigmoid,
    simplify_mul as simplify_mul,
)
from theano._src.rules.named import (
    local_1msigmoid as local_1msigmoid,
    local_exp_over_1_plus_exp as local_exp_over_1_plus_exp,
    local_hard_sigmoid as local_hard_sigmoid,
    local_inv_1_plus_exp as local_inv_1_plus_exp,
    local_sigm_times_exp as local_sigm_times_exp,
    local_ultra_fast_sigmoid as local_ultra_fast_sigmoid,
    log1msigm_to_softplus as log1msigm_to_softplus,
    log1p_neg_sigmoid as log1p_neg_sigmoid,
    log1pexp_to_softplus as log1pexp_to_softplus,
    logsigm_to_softplus as logsigm_to_softplus,
)
