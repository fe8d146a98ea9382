"""Functions built from convolutions: separable and causal ones, and bilinear upsampling."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd
from typing import Any

from theano._src.graph.graph import Variable
from theano._src.ground.config import config
from theano._src.ground.documented import documented_in
from theano._src.ops.conv.conv import AbstractConv2d, AbstractConv3d
from theano._src.ops.conv.conv_functions import Slide, conv2d, conv2d_grad_wrt_inputs
from theano._src.ops.conv.conv_shape import BorderMode, PartialShape, Steps
from theano._src.ops.core.cast import cast
from theano._src.ops.shape.dims import dimshuffle
from theano._src.ops.shape.join import concatenate
from theano._src.ops.shape.ranges import arange
from theano._src.ops.shape.shape import reshape, shape_i
from theano._src.ops.shape.static_values import known_int
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.tensor import TensorVariable


@documented_in("theano.tensor.nnet.abstract_conv")
def separable_conv2d(
    input: TensorLike,
    depthwise_filters: TensorLike,
    pointwise_filters: TensorLike,
    num_channels: int,
    input_shape: PartialShape = None,
    depthwise_filter_shape: PartialShape = None,
    pointwise_filter_shape: PartialShape = None,
    border_mode: BorderMode = "valid",
    subsample: Steps = (1, 1),
    filter_flip: bool = True,
    filter_dilation: Steps = (1, 1),
) -> Any:
    """Convolve each channel with its own filters, then combine the channels at each pixel.

    Parameters
    ----------
    input : 4-d tensor
        (batch size, input channels, rows, columns)
    depthwise_filters : 4-d tensor
        (intermediate channels, 1, rows, columns)
    pointwise_filters : 4-d tensor
        (output channels, intermediate channels, 1, 1)
    num_channels : int
        The number of input channels.
    input_shape, depthwise_filter_shape, pointwise_filter_shape : tuple, optional
    border_mode, subsample, filter_flip, filter_dilation
        Options of the first convolution, as for ``conv2d``.

    Returns
    -------
    4-d tensor

    Examples
    --------
    >>> import theano.tensor as T
    >>> deep, point = T.ones((6, 1, 2, 2)), T.ones((5, 6, 1, 1))
    >>> T.nnet.separable_conv2d(T.ones((1, 3, 4, 4)), deep, point, 3).eval().shape
    (1, 5, 3, 3)
    """
    slide = Slide(border_mode, subsample, filter_flip, filter_dilation, num_channels)
    deep = AbstractConv2d(input_shape, depthwise_filter_shape, *slide)(input, depthwise_filters)
    point = AbstractConv2d(kshp=pointwise_filter_shape, filter_flip=filter_flip)
    return point(deep, pointwise_filters)


@documented_in("theano.tensor.nnet.abstract_conv")
def separable_conv3d(
    input: TensorLike,
    depthwise_filters: TensorLike,
    pointwise_filters: TensorLike,
    num_channels: int,
    input_shape: PartialShape = None,
    depthwise_filter_shape: PartialShape = None,
    pointwise_filter_shape: PartialShape = None,
    border_mode: BorderMode = "valid",
    subsample: Steps = (1, 1, 1),
    filter_flip: bool = True,
    filter_dilation: Steps = (1, 1, 1),
) -> Any:
    """Convolve volumes as ``separable_conv2d`` does images.

    Parameters
    ----------
    input : 5-d tensor
        (batch size, input channels, depth, rows, columns)
    depthwise_filters : 5-d tensor
        (intermediate channels, 1, depth, rows, columns)
    pointwise_filters : 5-d tensor
        (output channels, intermediate channels, 1, 1, 1)
    num_channels : int
        The number of input channels.
    input_shape, depthwise_filter_shape, pointwise_filter_shape : tuple, optional
    border_mode, subsample, filter_flip, filter_dilation
        Options of the first convolution, as for ``conv3d``.

    Returns
    -------
    5-d tensor

    Examples
    --------
    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.abstract_conv import separable_conv3d
    >>> deep, point = T.ones((2, 1, 2, 2, 2)), T.ones((5, 2, 1, 1, 1))
    >>> separable_conv3d(T.ones((1, 2, 3, 3, 3)), deep, point, 2).eval().shape
    (1, 5, 2, 2, 2)
    """
    slide = Slide(border_mode, subsample, filter_flip, filter_dilation, num_channels)
    deep = AbstractConv3d(input_shape, depthwise_filter_shape, *slide)(input, depthwise_filters)
    point = AbstractConv3d(kshp=pointwise_filter_shape, filter_flip=filter_flip)
    return point(deep, pointwise_filters)


@documented_in("theano.tensor.nnet.abstract_conv")
def causal_conv1d(
    input: TensorLike,
    filters: TensorLike,
    filter_shape: Sequence[Any],
    input_shape: PartialShape = None,
    subsample: int = 1,
    filter_flip: bool = True,
    filter_dilation: int = 1,
    num_groups: int = 1,
    unshared: bool = False,
) -> Any:
    """Convolve signals with filters that read only past and present values.

    Parameters
    ----------
    input : 3-d tensor
        (batch size, input channels, time)
    filters : 3-d tensor
        (output channels, input channels, time); with ``unshared`` a 4-d tensor (output channels,
        output time, input channels, time).
    filter_shape : tuple
        The shape of the filters; the last length must be a known number.
    input_shape : tuple, optional
    subsample, filter_dilation : int
    filter_flip, num_groups, unshared
        As for ``conv2d``.

    Returns
    -------
    3-d tensor
        (batch size, output channels, time); as long as the input if ``subsample`` is 1.

    Examples
    --------
    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.abstract_conv import causal_conv1d
    >>> x, w = T.constant([[[1.0, 2.0, 4.0]]]), T.ones((1, 1, 2))
    >>> causal_conv1d(x, w, (1, 1, 2)).eval().tolist()
    [[[1.0, 3.0, 6.0]]]
    """
    input, filters = as_tensor_variable(input), as_tensor_variable(filters)
    wanted = 4 if unshared else 3
    if input.ndim != 3 or filters.ndim != wanted or len(filter_shape) != wanted:
        raise ValueError(
            f"causal_conv1d takes a 3-d input and {wanted}-d filters with a filter_shape of as "
            f"many entries, got {input.type}, {filters.type} and {filter_shape}"
        )
    length = known_int(filter_shape[-1]) if filter_shape[-1] is not None else None
    if length is None:
        raise ValueError(
            f"causal_conv1d takes the length of the filters as a number, got {filter_shape[-1]} "
            "as the last entry of filter_shape"
        )
    # as images of one column each
    places = [*range(filters.ndim - 2), "x"][1:] if unshared else []
    column = (0, *places, filters.ndim - 2, filters.ndim - 1, "x")
    known = [1 if i == "x" else filter_shape[i] for i in column]
    past = filter_dilation * (length - 1)
    result = conv2d(
        dimshuffle(input, 0, 1, 2, "x"),
        dimshuffle(filters, *column),
        input_shape=None if input_shape is None else (*input_shape, 1),
        filter_shape=known,
        border_mode=((past, 0), 0),
        subsample=(subsample, 1),
        filter_flip=filter_flip,
        filter_dilation=(filter_dilation, 1),
        num_groups=num_groups,
        unshared=unshared,
    )
    return result[:, :, :, 0]


@documented_in("theano.tensor.nnet.abstract_conv")
def bilinear_kernel_1D(ratio: int | TensorVariable, normalize: bool = True) -> Any:
    """Return the filter that interpolates linearly between values ``ratio`` apart.

    Parameters
    ----------
    ratio : int or integer scalar
    normalize : bool
        Whether the middle element is 1 instead of ``ratio``.

    Returns
    -------
    vector
        The filter, of length ``2 * ratio - 1``.

    Examples
    --------
    >>> from theano.tensor.nnet.abstract_conv import bilinear_kernel_1D
    >>> bilinear_kernel_1D(2).eval().tolist()
    [0.5, 1.0, 0.5]
    """
    half = arange(1, ratio + 1, dtype=config.floatX)
    result = concatenate([half, half[-2::-1]])
    return result / cast(as_tensor_variable(ratio), config.floatX) if normalize else result


@documented_in("theano.tensor.nnet.abstract_conv")
def bilinear_kernel_2D(
    ratio: int | TensorVariable | tuple[Any, ...], normalize: bool = True
) -> Any:
    """Return the filter that interpolates bilinearly between pixels ``ratio`` apart.

    Parameters
    ----------
    ratio : int, integer scalar, or a pair of them for rows and columns
    normalize : bool
        Whether the middle element is 1 instead of the product of the ratios.

    Returns
    -------
    matrix

    Examples
    --------
    >>> from theano.tensor.nnet.abstract_conv import bilinear_kernel_2D
    >>> bilinear_kernel_2D(2).eval()[1].tolist()
    [0.5, 1.0, 0.5]
    """
    rows, columns = ratio if isinstance(ratio, tuple) else (ratio, ratio)
    down, across = (bilinear_kernel_1D(r, normalize) for r in (rows, columns))
    return dimshuffle(down, 0, "x") * dimshuffle(across, "x", 0)


def _bilinear(input: TensorVariable, ratios: tuple[int, int], separately: bool) -> Any:
    """Return the upsampled images, as a batch of images with one channel."""
    images = reshape(input, [shape_i(input, 0) * shape_i(input, 1), 1, *_sizes(input)], ndim=4)
    # repeat the border pixels
    for axis in (2, 3):
        first = [slice(None)] * axis + [slice(0, 1)]
        last = [slice(None)] * axis + [slice(-1, None)]
        images = concatenate([images[tuple(first)], images, images[tuple(last)]], axis=axis)
    shape: list[Any] = [None, 1, *(n + 2 for n in _sizes(input))]
    for axes in [(0,), (1,)] if separately else [(0, 1)]:
        steps = tuple(r if axis in axes else 1 for axis, r in enumerate(ratios))
        pads = tuple(2 * r - (r - 1) // 2 - 1 if a in axes else 0 for a, r in enumerate(ratios))
        for axis in axes:
            shape[2 + axis] = _sizes(input)[axis] * ratios[axis]
        images = conv2d_grad_wrt_inputs(
            images,
            dimshuffle(bilinear_kernel_2D(steps), "x", "x", 0, 1),
            tuple(shape),
            filter_shape=(1, 1, *(2 * r - 1 for r in steps)),
            border_mode=pads,
            subsample=steps,
        )
    return images


def _sizes(input: Variable) -> list[Any]:
    return [shape_i(input, i) for i in (2, 3)]


@documented_in("theano.tensor.nnet.abstract_conv")
def frac_bilinear_upsampling(input: TensorLike, frac_ratio: tuple[Any, Any]) -> Any:
    """Upsample images by a fractional ratio with bilinear interpolation.

    Parameters
    ----------
    input : 4-d tensor
        (batch size, channels, rows, columns)
    frac_ratio : pair of int, or two pairs
        (numerator, denominator), for both dimensions, or one pair each for rows and columns.

    Returns
    -------
    4-d tensor

    Examples
    --------
    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.abstract_conv import frac_bilinear_upsampling
    >>> frac_bilinear_upsampling(T.ones((1, 1, 4, 4)), (3, 2)).eval().shape
    (1, 1, 6, 6)
    """
    if not isinstance(frac_ratio, tuple):
        raise ValueError(f"frac_ratio must be a tuple, got {frac_ratio!r}")
    both = frac_ratio if isinstance(frac_ratio[0], tuple) else (frac_ratio, frac_ratio)
    lowest = [(p // gcd(p, q), q // gcd(p, q)) for p, q in both]
    input = as_tensor_variable(input)
    large = _bilinear(input, (int(lowest[0][0]), int(lowest[1][0])), separately=False)
    result = large[:, :, :: int(lowest[0][1]), :: int(lowest[1][1])]
    lengths = [shape_i(input, 0), shape_i(input, 1), *_sizes(result)]
    return reshape(result, lengths, ndim=4)


@documented_in("theano.tensor.nnet.abstract_conv")
def bilinear_upsampling(
    input: TensorLike,
    ratio: int | Variable | None = None,
    frac_ratio: tuple[Any, Any] | None = None,
    batch_size: int | None = None,
    num_input_channels: int | None = None,
    use_1D_kernel: bool = True,
) -> Any:
    """Upsample images with bilinear interpolation.

    Parameters
    ----------
    input : 4-d tensor
        (batch size, channels, rows, columns)
    ratio : int
        The upsampling ratio; give either this or ``frac_ratio``.
    frac_ratio : pair of int, or two pairs
        A fraction (numerator, denominator), for both dimensions, or one pair each for rows and
        columns; it requires ``use_1D_kernel=False``.
    batch_size, num_input_channels : int, optional
        Sizes of the input; they are not needed.
    use_1D_kernel : bool
        Whether rows and columns are upsampled one after the other. The result is the same.

    Returns
    -------
    4-d tensor

    Examples
    --------
    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.abstract_conv import bilinear_upsampling
    >>> x = T.constant([[[[0.0, 3.0]]]])
    >>> bilinear_upsampling(x, ratio=3).eval()[0, 0, 0].round(6).tolist()
    [0.0, 0.0, 1.0, 2.0, 3.0, 3.0]
    """
    if ratio is not None and frac_ratio is not None:
        raise ValueError("can't use ratio and frac_ratio together")
    if ratio is None and frac_ratio is None:
        raise ValueError("No ratio (or frac_ratio) provided")
    if frac_ratio is not None:
        if use_1D_kernel:
            raise ValueError(
                "fractional ratios have no form with 1D kernels; give use_1D_kernel=False"
            )
        return frac_bilinear_upsampling(input, frac_ratio)
    by = known_int(ratio)
    if by is None or by < 1:
        raise ValueError(f"bilinear_upsampling takes a positive integer as ratio, got {ratio!r}")
    input = as_tensor_variable(input)
    result = _bilinear(input, (by, by), separately=use_1D_kernel)
    lengths = [shape_i(input, 0), shape_i(input, 1), *(n * by for n in _sizes(input))]
    return reshape(result, lengths, ndim=4)
