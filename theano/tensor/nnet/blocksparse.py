"""Products with chosen blocks of a matrix of blocks."""

from theano._src.ops.nnet.blocksparse import (
    SparseBlockGemv,
    SparseBlockOuter,
    sparse_block_dot,
    sparse_block_gemv,
    sparse_block_gemv_inplace,
    sparse_block_outer,
    sparse_block_outer_inplace,
)

__all__ = [
    "SparseBlockGemv",
    "SparseBlockOuter",
    "sparse_block_dot",
    "sparse_block_gemv",
    "sparse_block_gemv_inplace",
    "sparse_block_outer",
    "sparse_block_outer_inplace",
]
