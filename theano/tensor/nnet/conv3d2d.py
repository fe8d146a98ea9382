"""Convolution of films."""

from theano._src.ops.conv_films import conv3d
from theano._src.ops.stripes import (
    DiagonalSubtensor,
    IncDiagonalSubtensor,
    diagonal_subtensor,
    get_diagonal_subtensor_view,
    inc_diagonal_subtensor,
)

__all__ = [
    "DiagonalSubtensor",
    "IncDiagonalSubtensor",
    "diagonal_subtensor",
    "get_diagonal_subtensor_view",
    "inc_diagonal_subtensor",
    "conv3d",
]
