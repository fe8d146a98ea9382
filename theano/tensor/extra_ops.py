"""Further functions of NumPy: cumulative, counts, repeats."""

from theano._src.ops.contiguous import CpuContiguous, cpu_contiguous
from theano._src.ops.cumulative import (
    Bartlett,
    BinCountOp,
    CumOp,
    CumprodOp,
    CumsumOp,
    DiffOp,
    Unique,
    bartlett,
    bartlett_,
    bincount,
    cumprod,
    cumsum,
    diff,
    unique,
)
from theano._src.ops.diagonal import (
    FillDiagonal,
    FillDiagonalOffset,
    fill_diagonal,
    fill_diagonal_offset,
)
from theano._src.ops.dims import squeeze
from theano._src.ops.ravelindex import (
    RavelMultiIndex,
    UnravelIndex,
    ravel_multi_index,
    to_one_hot,
    unravel_index,
)
from theano._src.ops.select import RepeatOp, compress, repeat
from theano._src.ops.sort import SearchsortedOp, searchsorted

__all__ = [
    "CpuContiguous",
    "cpu_contiguous",
    "Bartlett",
    "BinCountOp",
    "CumOp",
    "CumprodOp",
    "CumsumOp",
    "DiffOp",
    "FillDiagonal",
    "FillDiagonalOffset",
    "RavelMultiIndex",
    "RepeatOp",
    "SearchsortedOp",
    "Unique",
    "UnravelIndex",
    "bartlett",
    "bartlett_",
    "bincount",
    "compress",
    "cumprod",
    "cumsum",
    "diff",
    "fill_diagonal",
    "fill_diagonal_offset",
    "ravel_multi_index",
    "repeat",
    "searchsorted",
    "squeeze",
    "to_one_hot",
    "unique",
    "unravel_index",
]
