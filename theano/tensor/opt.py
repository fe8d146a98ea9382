"""The rewrites of tensor graphs, by their documented names."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ground.errors: NotScalarConstantError
    theano._src.ops.meta.misc: Assert assert_op assert_=assert_op
    theano._src.ops.shape.join: MakeVector make_vector
    theano._src.ops.shape.shape: Shape Shape_i
    theano._src.ops.shape.static_values: get_scalar_constant_value
    theano._src.rewrite.navigate: TopoOptimizer in2out out2in
    theano._src.rules.named: FusionOptimizer add_canonizer constant_folding
        inplace_elemwise_optimizer local_0_dot_x local_abs_lift local_abs_merge
        local_add_canonizer local_add_mul_fusion local_add_specialize
        local_adv_sub1_adv_inc_sub1 local_alloc_empty_to_zeros local_alloc_unary
        local_canonicalize_alloc local_cast_cast local_dimshuffle_lift local_div_switch_sink
        local_div_to_inv local_elemwise_alloc local_elemwise_fusion local_elemwise_sub_zeros
        local_erf_minus_one local_erf_neg_minus_one local_erf_neg_minus_one2 local_expm1
        local_fill_sink local_fill_to_alloc local_flatten_lift local_func_inv
        local_grad_log_erfc_neg local_greedy_distributor local_incsubtensor_of_zeros
        local_incsubtensor_of_zeros_to_setsubtensor local_IncSubtensor_serialize
        local_inplace_incsubtensor1 local_inplace_setsubtensor local_intdiv_by_one
        local_inv_canon local_join_1 local_join_empty local_join_make_vector
        local_lift_transpose_through_dot local_log1p local_log_add local_log_erfc
        local_log_sum_exp local_merge_alloc local_merge_switch_same_cond local_mul_canonizer
        local_mul_specialize local_mul_switch_sink local_mul_to_sqr local_mul_zero
        local_neg_div_neg local_neg_neg local_one_add_neg_erfc local_one_minus_erf
        local_one_minus_erf2 local_one_minus_erfc local_one_minus_erfc2 local_one_minus_erfc3
        local_one_plus_erf local_one_plus_neg_erf local_op_of_op local_opt_alloc
        local_pow_canonicalize local_pow_specialize local_pow_specialize_device
        local_rebroadcast_lift local_reduce_broadcastable local_reduce_join
        local_remove_all_assert local_remove_useless_assert local_reshape_chain
        local_reshape_lift local_reshape_to_dimshuffle local_scalar_tensor_scalar
        local_set_to_inc_subtensor local_setsubtensor_of_constants local_shape_to_shape_i
        local_subtensor_inc_subtensor local_subtensor_lift local_subtensor_make_vector
        local_subtensor_merge local_subtensor_of_alloc local_subtensor_of_dot
        local_subtensor_remove_broadcastable_index local_sum_prod_all_to_none
        local_sum_prod_div_dimshuffle local_sum_prod_mul_by_scalar local_sumsqr2dot
        local_tensor_scalar_tensor local_track_shape_i local_upcast_elemwise_constant_inputs
        local_useless_alloc local_useless_composite local_useless_dimshuffle_in_reshape
        local_useless_elemwise local_useless_elemwise_comparison local_useless_fill
        local_useless_inc_subtensor local_useless_inc_subtensor_alloc local_useless_rebroadcast
        local_useless_reduce local_useless_reshape local_useless_slice local_useless_split
        local_useless_subtensor local_useless_switch local_view_op local_zero_div mul_canonizer
        topo_constant_folding
    theano._src.rules.register: register_canonicalize register_specialize
        register_specialize_device register_stabilize register_uncanonicalize register_useless
    theano._src.rules.shape: ShapeFeature
    """,
)
