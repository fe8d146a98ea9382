"""Convolution of films."""

from theano._src.ops.arrays.diagonal_stripe import (
    DiagonalSubtensor,
    IncDiagonalSubtensor,
    diagonal_subtensor,
    get_diagonal_subtensor_view,
    inc_diagonal_subtensor,
)
from theano._src.ops.conv.conv3d_legacy import conv3d

__all__ = [
    "DiagonalSubtensor",
    "IncDiagonalSubtensor",
    "diagonal_subtensor",
    "get_diagonal_subtensor_view",
    "inc_diagonal_subtensor",
    "conv3d",
]
