# Written by tools/stubs.py from sp.py: change that file.
from theano._src.ops.sparse.convolution import (
    ConvolutionIndices as ConvolutionIndices,
    applySparseFilter as applySparseFilter,
    convolution_indices as convolution_indices,
    convolve as convolve,
    max_pool as max_pool,
)
from theano.sparse.basic import (
    ColScaleCSC as ColScaleCSC,
    Diag as Diag,
    EnsureSortedIndices as EnsureSortedIndices,
    Remove0 as Remove0,
    RowScaleCSC as RowScaleCSC,
    SpSum as SpSum,
    SquareDiagonal as SquareDiagonal,
    clean as clean,
    col_scale as col_scale,
    diag as diag,
    ensure_sorted_indices as ensure_sorted_indices,
    remove0 as remove0,
    row_scale as row_scale,
    sp_sum as sp_sum,
    square_diagonal as square_diagonal,
)
