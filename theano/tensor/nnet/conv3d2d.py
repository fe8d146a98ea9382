"""Convolution of films."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.arrays.diagonal_stripe: DiagonalSubtensor IncDiagonalSubtensor
        diagonal_subtensor get_diagonal_subtensor_view inc_diagonal_subtensor
    theano._src.ops.conv.conv3d_legacy: conv3d
    """,
)
