"""Further functions of NumPy: cumulative, counts, repeats."""

from theano._src.ops.arrays.bincount import BinCountOp, bincount
from theano._src.ops.arrays.cumulative import (
    CumOp,
    CumprodOp,
    CumsumOp,
    DiffOp,
    cumprod,
    cumsum,
    diff,
)
from theano._src.ops.arrays.diagonal import (
    FillDiagonal,
    FillDiagonalOffset,
    fill_diagonal,
    fill_diagonal_offset,
)
from theano._src.ops.arrays.select import RepeatOp, compress, repeat
from theano._src.ops.arrays.sort import SearchsortedOp, searchsorted
from theano._src.ops.arrays.unique import Unique, unique
from theano._src.ops.arrays.windows import Bartlett, bartlett, bartlett_
from theano._src.ops.index.ravel_index import (
    RavelMultiIndex,
    UnravelIndex,
    ravel_multi_index,
    to_one_hot,
    unravel_index,
)
from theano._src.ops.meta.contiguous import CpuContiguous, cpu_contiguous
from theano._src.ops.shape.dims import squeeze

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
