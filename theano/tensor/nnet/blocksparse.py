"""Products with chosen blocks of a matrix of blocks."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ops.nnet.blocksparse import (
    SparseBlockGemv as SparseBlockGemv,
    SparseBlockOuter as SparseBlockOuter,
    sparse_block_dot as sparse_block_dot,
    sparse_block_gemv as sparse_block_gemv,
    sparse_block_gemv_inplace as sparse_block_gemv_inplace,
    sparse_block_outer as sparse_block_outer,
    sparse_block_outer_inplace as sparse_block_outer_inplace,
)

__getattr__ = _module_getattr(__name__)
