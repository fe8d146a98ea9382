# Written by tools/stubs.py from blas.py: change that file.
from theano._src.ground.errors import (
    InconsistencyError as InconsistencyError,
    ReplacementDidntRemovedError as ReplacementDidntRemovedError,
)
from theano._src.ops.linalg.blas import (
    Dot22 as Dot22,
    Dot22Scalar as Dot22Scalar,
    Gemm as Gemm,
    Gemv as Gemv,
    Ger as Ger,
    _dot22 as _dot22,
    _dot22scalar as _dot22scalar,
    gemm as gemm,
    gemm_inplace as gemm_inplace,
    gemm_no_inplace as gemm_no_inplace,
    gemv as gemv,
    gemv_inplace as gemv_inplace,
    gemv_no_inplace as gemv_no_inplace,
    ger as ger,
    ger_destructive as ger_destructive,
)
from theano._src.ops.linalg.dot import BatchedDot as BatchedDot, batched_dot as batched_dot
from theano._src.rules.gemm_terms import (
    as_scalar as _as_scalar,
    is_real_matrix as _is_real_matrix,
    is_real_vector as _is_real_vector,
    res_is_a as res_is_a,
)
from theano._src.rules.named import (
    blas_opt_inplace as blas_opt_inplace,
    local_dimshuffle_lift as local_dimshuffle_lift,
    local_dot22_to_dot22scalar as local_dot22_to_dot22scalar,
    local_dot22_to_ger_or_gemv as local_dot22_to_ger_or_gemv,
    local_dot_to_dot22 as local_dot_to_dot22,
    local_gemm_to_gemv as local_gemm_to_gemv,
    local_gemm_to_ger as local_gemm_to_ger,
    local_inplace_gemm as local_inplace_gemm,
    local_inplace_gemv as local_inplace_gemv,
    local_inplace_ger as local_inplace_ger,
)
