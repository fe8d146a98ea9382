"""Further functions of NumPy: cumulative, counts, repeats."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.arrays.axes: broadcast_shape broadcast_shape_iter broadcast_to
    theano._src.ops.arrays.bincount: BinCountOp bincount
    theano._src.ops.arrays.cumulative: CumOp CumprodOp CumsumOp DiffOp cumprod cumsum diff
    theano._src.ops.arrays.diagonal: FillDiagonal FillDiagonalOffset fill_diagonal
        fill_diagonal_offset
    theano._src.ops.arrays.select: RepeatOp compress repeat
    theano._src.ops.arrays.search: SearchsortedOp searchsorted
    theano._src.ops.arrays.unique: Unique unique
    theano._src.ops.arrays.windows: Bartlett bartlett bartlett_
    theano._src.ops.index.ravel_index: RavelMultiIndex UnravelIndex ravel_multi_index to_one_hot
        unravel_index
    theano._src.ops.meta.contiguous: CpuContiguous cpu_contiguous
    theano._src.ops.shape.dims: squeeze
    """,
)
