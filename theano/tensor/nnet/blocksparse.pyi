# Written by tools/stubs.py from blocksparse.py: change that file.
from theano._src.ops.nnet.blocksparse import (
    SparseBlockGemv as SparseBlockGemv,
    SparseBlockOuter as SparseBlockOuter,
    sparse_block_dot as sparse_block_dot,
    sparse_block_gemv as sparse_block_gemv,
    sparse_block_gemv_inplace as sparse_block_gemv_inplace,
    sparse_block_outer as sparse_block_outer,
    sparse_block_outer_inplace as sparse_block_outer_inplace,
)
