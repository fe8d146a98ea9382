"""Convolution by sparse matrices, and ops that have moved to theano.sparse."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.sparse.convolution: ConvolutionIndices applySparseFilter convolution_indices
        convolve max_pool
    theano.sparse.basic: ColScaleCSC Diag EnsureSortedIndices Remove0 RowScaleCSC SpSum
        SquareDiagonal clean col_scale diag ensure_sorted_indices remove0 row_scale sp_sum
        square_diagonal
    """,
)
