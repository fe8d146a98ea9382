"""Matrix products as BLAS has them, and products of batches."""

from theano._src.ground.errors import (
    InconsistencyError,
    ReplacementDidntRemovedError,
)
from theano._src.ops.linalg.blas import (
    Dot22,
    Dot22Scalar,
    Gemm,
    Gemv,
    Ger,
    _dot22,
    _dot22scalar,
    gemm,
    gemm_inplace,
    gemm_no_inplace,
    gemv,
    gemv_inplace,
    gemv_no_inplace,
    ger,
    ger_destructive,
)
from theano._src.ops.linalg.dot import BatchedDot, batched_dot
from theano._src.rules.gemm_terms import as_scalar as _as_scalar
from theano._src.rules.gemm_terms import is_real_matrix as _is_real_matrix
from theano._src.rules.gemm_terms import is_real_vector as _is_real_vector
from theano._src.rules.gemm_terms import res_is_a
from theano._src.rules.named import (
    blas_opt_inplace,
    local_dimshuffle_lift,
    local_dot22_to_dot22scalar,
    local_dot22_to_ger_or_gemv,
    local_dot_to_dot22,
    local_gemm_to_gemv,
    local_gemm_to_ger,
    local_inplace_gemm,
    local_inplace_gemv,
    local_inplace_ger,
)

__all__ = [
    "BatchedDot",
    "Dot22",
    "Dot22Scalar",
    "Gemm",
    "Gemv",
    "Ger",
    "InconsistencyError",
    "ReplacementDidntRemovedError",
    "_as_scalar",
    "_dot22",
    "_dot22scalar",
    "_is_real_matrix",
    "_is_real_vector",
    "batched_dot",
    "blas_opt_inplace",
    "gemm",
    "gemm_inplace",
    "gemm_no_inplace",
    "gemv",
    "gemv_inplace",
    "gemv_no_inplace",
    "ger",
    "ger_destructive",
    "local_dimshuffle_lift",
    "local_dot22_to_dot22scalar",
    "local_dot22_to_ger_or_gemv",
    "local_dot_to_dot22",
    "local_gemm_to_gemv",
    "local_gemm_to_ger",
    "local_inplace_gemm",
    "local_inplace_gemv",
    "local_inplace_ger",
    "res_is_a",
]
