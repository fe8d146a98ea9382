"""Products with chosen blocks of a matrix of blocks."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.nnet.blocksparse: SparseBlockGemv SparseBlockOuter sparse_block_dot
        sparse_block_gemv sparse_block_gemv_inplace sparse_block_outer
        sparse_block_outer_inplace
    """,
)
