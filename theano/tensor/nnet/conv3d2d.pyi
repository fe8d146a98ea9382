# Written by tools/stubs.py from conv3d2d.py: change that file.
from theano._src.ops.arrays.diagonal_stripe import (
    DiagonalSubtensor as DiagonalSubtensor,
    IncDiagonalSubtensor as IncDiagonalSubtensor,
    diagonal_subtensor as diagonal_subtensor,
    get_diagonal_subtensor_view as get_diagonal_subtensor_view,
    inc_diagonal_subtensor as inc_diagonal_subtensor,
)
from theano._src.ops.conv.conv3d_legacy import conv3d as conv3d
