# Written by tools/stubs.py from extra_ops.py: change that file.
from theano._src.ops.arrays.axes import (
    broadcast_shape as broadcast_shape,
    broadcast_shape_iter as broadcast_shape_iter,
    broadcast_to as broadcast_to,
)
from theano._src.ops.arrays.bincount import BinCountOp as BinCountOp, bincount as bincount
from theano._src.ops.arrays.cumulative import (
    CumOp as CumOp,
    CumprodOp as CumprodOp,
    CumsumOp as CumsumOp,
    DiffOp as DiffOp,
    cumprod as cumprod,
    cumsum as cumsum,
    diff as diff,
)
from theano._src.ops.arrays.diagonal import (
    FillDiagonal as FillDiagonal,
    FillDiagonalOffset as FillDiagonalOffset,
    fill_diagonal as fill_diagonal,
    fill_diagonal_offset as fill_diagonal_offset,
)
from theano._src.ops.arrays.select import (
    RepeatOp as RepeatOp,
    compress as compress,
    repeat as repeat,
)
from theano._src.ops.arrays.search import (
    SearchsortedOp as SearchsortedOp,
    searchsorted as searchsorted,
)
from theano._src.ops.arrays.unique import Unique as Unique, unique as unique
from theano._src.ops.arrays.windows import (
    Bartlett as Bartlett,
    bartlett as bartlett,
    bartlett_ as bartlett_,
)
from theano._src.ops.index.ravel_index import (
    RavelMultiIndex as RavelMultiIndex,
    UnravelIndex as UnravelIndex,
    ravel_multi_index as ravel_multi_index,
    to_one_hot as to_one_hot,
    unravel_index as unravel_index,
)
from theano._src.ops.meta.contiguous import (
    CpuContiguous as CpuContiguous,
    cpu_contiguous as cpu_contiguous,
)
from theano._src.ops.shape.dims import squeeze as squeeze
