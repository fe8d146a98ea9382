"""Convolution of images without channels, as in signal processing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.ground.documented import documented_in
from theano._src.ops.conv import conv_legacy
from theano._src.ops.conv.conv_shape import BorderMode, PartialShape
from theano._src.ops.shape.dims import dimshuffle
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable


@documented_in("theano.tensor.signal.conv")
def conv2d(
    input: TensorLike,
    filters: TensorLike,
    image_shape: PartialShape = None,
    filter_shape: PartialShape = None,
    border_mode: BorderMode = "valid",
    subsample: Sequence[int] = (1, 1),
    **kargs: Any,
) -> Any:
    """Convolve every image with every filter.

    Parameters
    ----------
    input : 2-d or 3-d tensor
        ([images,] rows, columns)
    filters : 2-d or 3-d tensor
        ([filters,] rows, columns)
    image_shape, filter_shape : tuple, optional
        The shapes of both, with None for unknown lengths; they are checked.
    border_mode : str
        'valid' or 'full', as for ``scipy.signal.convolve2d``.
    subsample : pair of int
        The stride: the step between positions of the filters.
    **kargs
        Other arguments of ``ConvOp``; they selected an implementation and have no effect.

    Returns
    -------
    2-d, 3-d or 4-d tensor
        ([images,] [filters,] rows, columns)

    Examples
    --------
    >>> import theano.tensor as T
    >>> from theano.tensor.signal.conv import conv2d
    >>> conv2d(T.ones((3, 3)), T.ones((2, 2)), border_mode="full").eval()[0].tolist()
    [1.0, 2.0, 2.0, 1.0]
    """
    input, filters = as_tensor_variable(input), as_tensor_variable(filters)
    for what, v in (("input", input), ("filters", filters)):
        if v.ndim not in (2, 3):
            raise TypeError(f"signal.conv2d takes {what} of 2 or 3 dimensions, got {v.type}")
    many, several = input.ndim == 3, filters.ndim == 3
    result = conv_legacy.conv2d(
        dimshuffle(input, *((0, "x", 1, 2) if many else ("x", "x", 0, 1))),
        dimshuffle(filters, *((0, "x", 1, 2) if several else ("x", "x", 0, 1))),
        image_shape=_stacked(image_shape, many, "image_shape"),
        filter_shape=_stacked(filter_shape, several, "filter_shape"),
        border_mode=border_mode,
        subsample=subsample,
        **kargs,
    )
    kept = ([0] if many else []) + ([1] if several else [])
    return dimshuffle(result, *kept, 2, 3)


def _stacked(shape: PartialShape, several: bool, what: str) -> Any:
    if shape is None:
        return None
    count = 3 if several else 2
    if len(shape) != count:
        raise ValueError(f"signal.conv2d takes {count} lengths as {what}, got {tuple(shape)}")
    return (shape[0] if several else 1, 1, *shape[-2:])
