"""Matrix products as BLAS has them, and products of batches."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ground.errors: InconsistencyError ReplacementDidntRemovedError
    theano._src.ops.linalg.blas: Dot22 Dot22Scalar Gemm Gemv Ger _dot22 _dot22scalar gemm
        gemm_inplace gemm_no_inplace gemv gemv_inplace gemv_no_inplace ger ger_destructive
    theano._src.ops.linalg.dot: BatchedDot batched_dot
    theano._src.rules.gemm_terms: _as_scalar=as_scalar _is_real_matrix=is_real_matrix
        _is_real_vector=is_real_vector res_is_a
    theano._src.rules.named: blas_opt_inplace local_dimshuffle_lift local_dot22_to_dot22scalar
        local_dot22_to_ger_or_gemv local_dot_to_dot22 local_gemm_to_gemv local_gemm_to_ger
        local_inplace_gemm local_inplace_gemv local_inplace_ger
    """,
)
