"""Convolution of films."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ops.arrays.diagonal_stripe import (
    DiagonalSubtensor as DiagonalSubtensor,
    IncDiagonalSubtensor as IncDiagonalSubtensor,
    diagonal_subtensor as diagonal_subtensor,
    get_diagonal_subtensor_view as get_diagonal_subtensor_view,
    inc_diagonal_subtensor as inc_diagonal_subtensor,
)
from theano._src.ops.conv.conv3d_legacy import conv3d as conv3d

__getattr__ = _module_getattr(__name__)
