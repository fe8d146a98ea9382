"""Elementwise ops that write into their first input."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.elementwise.inplace: abs__inplace add_inplace and__inplace arccos_inplace
        arccosh_inplace arcsin_inplace arcsinh_inplace arctan2_inplace arctan_inplace
        arctanh_inplace ceil_inplace chi2sf_inplace conj_inplace cos_inplace cosh_inplace
        deg2rad_inplace eq_inplace erf_inplace erfc_inplace erfcx_inplace exp2_inplace
        exp_inplace expm1_inplace fill_inplace floor_inplace gamma_inplace gammaln_inplace
        ge_inplace gt_inplace i0_inplace i1_inplace int_div_inplace inv_inplace invert_inplace
        iv_inplace j0_inplace j1_inplace jv_inplace le_inplace log1p_inplace log2_inplace
        log10_inplace log_inplace lt_inplace maximum_inplace minimum_inplace mod_inplace
        mul_inplace neg_inplace neq_inplace or__inplace pow_inplace psi_inplace rad2deg_inplace
        round_half_away_from_zero_inplace round_half_to_even_inplace second_inplace sgn_inplace
        sin_inplace sinh_inplace sqr_inplace sqrt_inplace sub_inplace tan_inplace tanh_inplace
        tri_gamma_inplace true_div_inplace trunc_inplace xor_inplace
    theano._src.ops.shape.dims: transpose_inplace=transpose
    """,
)
