"""The public functions for convolution: ``nnet.conv2d`` and related ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from theano._src.graph.graph import Variable
from theano._src.ground.documented import documented_in
from theano._src.ground.tracebacks import warn_user
from theano._src.ops.conv.conv import (
    AbstractConv2d,
    AbstractConv2d_gradInputs,
    AbstractConv2d_gradWeights,
    AbstractConv3d,
    AbstractConv3d_gradInputs,
    AbstractConv3d_gradWeights,
)
from theano._src.ops.conv.conv_shape import BorderMode, PartialShape, Steps
from theano._src.ops.shape.static_values import known_int
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable


class Slide(NamedTuple):
    """How filters slide over images: the options of all convolution ops, in their order."""

    border_mode: BorderMode
    subsample: Steps
    filter_flip: bool
    filter_dilation: Steps
    num_groups: int = 1
    unshared: bool = False


#: the names in PyTorch, JAX and TensorFlow, and the names here
_NAMES = {
    "dilation": "filter_dilation",
    "groups": "num_groups",
    "padding": "border_mode",
    "stride": "subsample",
    "strides": "subsample",
}


def _instead(names: Iterable[str]) -> str:
    known = [f"{_NAMES[name]} for {name}" for name in names if name in _NAMES]
    return f"use {', '.join(known)}" if known else "leave it out"


@documented_in("theano.tensor.nnet")
def conv2d(
    input: TensorLike,
    filters: TensorLike,
    input_shape: PartialShape = None,
    filter_shape: PartialShape = None,
    border_mode: BorderMode = "valid",
    subsample: Steps = (1, 1),
    filter_flip: bool = True,
    image_shape: PartialShape = None,
    filter_dilation: Steps = (1, 1),
    num_groups: int = 1,
    unshared: bool = False,
    **kwargs: Any,
) -> Any:
    r"""Convolve images with filters.

    .. math:: y_{noij} = \sum_{c, k, l} x_{n, c, i + K - 1 - k, j + L - 1 - l} \, w_{ockl}

    for filters of ``K`` rows and ``L`` columns, with ``border_mode='valid'``.

    Parameters
    ----------
    input : 4-d tensor
        (batch size, input channels, rows, columns)
    filters : 4-d tensor
        (output channels, input channels, rows, columns); with ``unshared`` a 6-d tensor (output
        channels, output rows, output columns, input channels, rows, columns).
    input_shape, filter_shape : tuple, optional
        The shapes of both, with None for unknown lengths; they are checked.
    border_mode : 'valid', 'full', 'half', int or tuple
        'valid': filters lie wholly inside the images. 'full': filters overlap the images by at
        least one pixel. 'half': filters of odd lengths are centered on each pixel. An int is the
        number of zeros around the images. A tuple has an int, or a pair of them (before, after),
        for rows and columns.
    subsample : pair of int
        The stride: the step between positions of the filters.
    filter_flip : bool
        If False, filters are not flipped: the result is a correlation.
    image_shape : tuple, optional
        The older name of ``input_shape``.
    filter_dilation : pair of int
        The step between elements of the filters.
    num_groups : int
        The number of groups that channels are divided into. Each group has its own filters, of
        ``input channels / num_groups`` channels.
    unshared : bool
        Whether each output position has its own filter.
    **kwargs
        Arguments of older versions; they have no effect and cause a warning.

    Returns
    -------
    4-d tensor
        (batch size, output channels, output rows, output columns)

    Examples
    --------
    >>> import numpy, theano.tensor as T
    >>> x = numpy.arange(16.0).reshape(1, 1, 4, 4)
    >>> T.nnet.conv2d(x, numpy.ones((1, 1, 2, 2)), subsample=(2, 2)).eval()[0, 0].tolist()
    [[10.0, 18.0], [42.0, 50.0]]
    """
    if "imshp_logical" in kwargs or "kshp_logical" in kwargs:
        raise ValueError(
            "conv2d has no logical shapes: imshp_logical and kshp_logical are not taken; "
            "upsample the images or the filters"
        )
    if kwargs:
        warn_user(f"conv2d: {', '.join(sorted(kwargs))} has no effect; {_instead(kwargs)}")
    if image_shape is not None:
        if input_shape is not None:
            raise ValueError("input_shape and image_shape should not be provided at the same time")
        input_shape = image_shape
    slide = Slide(border_mode, subsample, filter_flip, filter_dilation, num_groups, unshared)
    return AbstractConv2d(input_shape, filter_shape, *slide)(input, filters)


@documented_in("theano.tensor.nnet.abstract_conv")
def conv3d(
    input: TensorLike,
    filters: TensorLike,
    input_shape: PartialShape = None,
    filter_shape: PartialShape = None,
    border_mode: BorderMode = "valid",
    subsample: Steps = (1, 1, 1),
    filter_flip: bool = True,
    filter_dilation: Steps = (1, 1, 1),
    num_groups: int = 1,
) -> Any:
    """Convolve volumes with filters.

    Parameters
    ----------
    input : 5-d tensor
        (batch size, input channels, depth, rows, columns)
    filters : 5-d tensor
        (output channels, input channels, depth, rows, columns)
    input_shape, filter_shape : tuple, optional
        The shapes of both, with None for unknown lengths; they are checked.
    border_mode : 'valid', 'full', 'half', int or tuple of three
        As for ``conv2d``.
    subsample : three ints
        The stride: the step between positions of the filters.
    filter_flip : bool
        If False, filters are not flipped: the result is a correlation.
    filter_dilation : three ints
        The step between elements of the filters.
    num_groups : int
        As for ``conv2d``.

    Returns
    -------
    5-d tensor
        (batch size, output channels, output depth, output rows, output columns)

    Examples
    --------
    >>> import theano.tensor as T
    >>> T.nnet.conv3d(T.ones((1, 1, 3, 3, 3)), T.ones((2, 1, 2, 2, 2))).eval().shape
    (1, 2, 2, 2, 2)
    """
    slide = Slide(border_mode, subsample, filter_flip, filter_dilation, num_groups)
    return AbstractConv3d(input_shape, filter_shape, *slide)(input, filters)


def _as_ints(shape: Iterable[Any]) -> list[int | None]:
    return [None if n is None else known_int(n) for n in shape]


def _last(shape: list[Any], ndim: int, d: int, who: str, what: str) -> list[Any]:
    """Return the last ``d`` lengths of a shape; raise ValueError if one is None."""
    if len(shape) != ndim:
        raise ValueError(f"{who}: {what} must have {ndim} entries, got {len(shape)}")
    if any(n is None for n in shape[-d:]):
        raise ValueError(f"{who}: the last lengths of {what} must be given, got {tuple(shape)}")
    return [as_tensor_variable(n) if isinstance(n, Variable) else int(n) for n in shape[-d:]]


def _wrt_inputs(
    d: int, g: TensorLike, w: TensorLike, images: Iterable[Any], filters: PartialShape, slide: Slide
) -> Any:
    shape = list(images)
    lengths = _last(shape, 2 + d, d, f"conv{d}d_grad_wrt_inputs", "input_shape")
    op = AbstractConv2d_gradInputs if d == 2 else AbstractConv3d_gradInputs
    stated = None if filters is None else _as_ints(filters)
    return op(_as_ints(shape), stated, *slide)(w, g, lengths)


def _wrt_weights(
    d: int, x: TensorLike, g: TensorLike, filters: Iterable[Any], images: PartialShape, slide: Slide
) -> Any:
    shape, ndim = list(filters), 2 + (2 * d if slide.unshared else d)
    lengths = _last(shape, ndim, d, f"conv{d}d_grad_wrt_weights", "filter_shape")
    op = AbstractConv2d_gradWeights if d == 2 else AbstractConv3d_gradWeights
    stated = None if images is None else _as_ints(images)
    return op(stated, _as_ints(shape), *slide)(x, g, lengths)


@documented_in("theano.tensor.nnet.abstract_conv")
def conv2d_grad_wrt_inputs(
    output_grad: TensorLike,
    filters: TensorLike,
    input_shape: Iterable[Any],
    filter_shape: PartialShape = None,
    border_mode: BorderMode = "valid",
    subsample: Steps = (1, 1),
    filter_flip: bool = True,
    filter_dilation: Steps = (1, 1),
    num_groups: int = 1,
    unshared: bool = False,
) -> Any:
    """Return the gradient of ``conv2d`` with respect to its images.

    Parameters
    ----------
    output_grad : 4-d tensor
        The gradient of the output: (batch size, output channels, rows, columns).
    filters : 4-d tensor
        The filters of ``conv2d``.
    input_shape : tuple of four
        The shape of the images; the last two must be given and may be symbolic.
    filter_shape : tuple, optional
    border_mode, subsample, filter_flip, filter_dilation, num_groups, unshared
        As for ``conv2d``.

    Returns
    -------
    4-d tensor

    Examples
    --------
    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.abstract_conv import conv2d_grad_wrt_inputs
    >>> g, w = T.ones((1, 1, 1, 2)), T.constant([[[[1.0, 2.0]]]])
    >>> conv2d_grad_wrt_inputs(g, w, (None, None, 1, 3)).eval()[0, 0].tolist()
    [[2.0, 3.0, 1.0]]
    """
    slide = Slide(border_mode, subsample, filter_flip, filter_dilation, num_groups, unshared)
    return _wrt_inputs(2, output_grad, filters, input_shape, filter_shape, slide)


@documented_in("theano.tensor.nnet.abstract_conv")
def conv3d_grad_wrt_inputs(
    output_grad: TensorLike,
    filters: TensorLike,
    input_shape: Iterable[Any],
    filter_shape: PartialShape = None,
    border_mode: BorderMode = "valid",
    subsample: Steps = (1, 1, 1),
    filter_flip: bool = True,
    filter_dilation: Steps = (1, 1, 1),
    num_groups: int = 1,
) -> Any:
    """Return the gradient of ``conv3d`` with respect to its images.

    Parameters
    ----------
    output_grad : 5-d tensor
        The gradient of the output.
    filters : 5-d tensor
        The filters of ``conv3d``.
    input_shape : tuple of five
        The shape of the images; the last three must be given and may be symbolic.
    filter_shape : tuple, optional
    border_mode, subsample, filter_flip, filter_dilation, num_groups
        As for ``conv3d``.

    Returns
    -------
    5-d tensor

    Examples
    --------
    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.abstract_conv import conv3d_grad_wrt_inputs
    >>> g, w = T.ones((1, 2, 2, 2, 2)), T.ones((2, 3, 2, 2, 2))
    >>> conv3d_grad_wrt_inputs(g, w, (1, 3, 3, 3, 3)).eval().shape
    (1, 3, 3, 3, 3)
    """
    slide = Slide(border_mode, subsample, filter_flip, filter_dilation, num_groups)
    return _wrt_inputs(3, output_grad, filters, input_shape, filter_shape, slide)


@documented_in("theano.tensor.nnet.abstract_conv")
def conv2d_grad_wrt_weights(
    input: TensorLike,
    output_grad: TensorLike,
    filter_shape: Iterable[Any],
    input_shape: PartialShape = None,
    border_mode: BorderMode = "valid",
    subsample: Steps = (1, 1),
    filter_flip: bool = True,
    filter_dilation: Steps = (1, 1),
    num_groups: int = 1,
    unshared: bool = False,
) -> Any:
    """Return the gradient of ``conv2d`` with respect to its filters.

    Parameters
    ----------
    input : 4-d tensor
        The images of ``conv2d``.
    output_grad : 4-d tensor
        The gradient of the output.
    filter_shape : tuple of four, or of six with ``unshared``
        The shape of the filters; the last two must be given and may be symbolic.
    input_shape : tuple, optional
    border_mode, subsample, filter_flip, filter_dilation, num_groups, unshared
        As for ``conv2d``.

    Returns
    -------
    4-d tensor, or 6-d with ``unshared``

    Examples
    --------
    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.abstract_conv import conv2d_grad_wrt_weights
    >>> x, g = T.constant([[[[1.0, 2.0, 4.0]]]]), T.ones((1, 1, 1, 2))
    >>> conv2d_grad_wrt_weights(x, g, (1, 1, 1, 2)).eval()[0, 0].tolist()
    [[6.0, 3.0]]
    """
    slide = Slide(border_mode, subsample, filter_flip, filter_dilation, num_groups, unshared)
    return _wrt_weights(2, input, output_grad, filter_shape, input_shape, slide)


@documented_in("theano.tensor.nnet.abstract_conv")
def conv3d_grad_wrt_weights(
    input: TensorLike,
    output_grad: TensorLike,
    filter_shape: Iterable[Any],
    input_shape: PartialShape = None,
    border_mode: BorderMode = "valid",
    subsample: Steps = (1, 1, 1),
    filter_flip: bool = True,
    filter_dilation: Steps = (1, 1, 1),
    num_groups: int = 1,
) -> Any:
    """Return the gradient of ``conv3d`` with respect to its filters.

    Parameters
    ----------
    input : 5-d tensor
        The images of ``conv3d``.
    output_grad : 5-d tensor
        The gradient of the output.
    filter_shape : tuple of five
        The shape of the filters; the last three must be given and may be symbolic.
    input_shape : tuple, optional
    border_mode, subsample, filter_flip, filter_dilation, num_groups
        As for ``conv3d``.

    Returns
    -------
    5-d tensor

    Examples
    --------
    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.abstract_conv import conv3d_grad_wrt_weights
    >>> x, g = T.ones((1, 3, 3, 3, 3)), T.ones((1, 2, 2, 2, 2))
    >>> conv3d_grad_wrt_weights(x, g, (2, 3, 2, 2, 2)).eval().shape
    (2, 3, 2, 2, 2)
    """
    slide = Slide(border_mode, subsample, filter_flip, filter_dilation, num_groups)
    return _wrt_weights(3, input, output_grad, filter_shape, input_shape, slide)


@documented_in("theano.tensor.nnet")
def conv2d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: Iterable[Any],
    filter_shape: PartialShape = None,
    border_mode: BorderMode = "valid",
    input_dilation: Steps = (1, 1),
    filter_flip: bool = True,
    filter_dilation: Steps = (1, 1),
    num_groups: int = 1,
    unshared: bool = False,
) -> Any:
    """Return the transposed convolution, sometimes called a deconvolution.

    Parameters
    ----------
    input : 4-d tensor
        (batch size, input channels, rows, columns)
    filters : 4-d tensor
        (input channels, output channels, rows, columns): the opposite order of ``conv2d``.
    output_shape : tuple of four
        The shape of the result; the last two must be given and may be symbolic.
    filter_shape : tuple, optional
    border_mode : str, int or tuple
        The border mode of the ``conv2d`` that this transposes: its padding is cut off here.
    input_dilation : pair of int
        The ``subsample`` of that ``conv2d``.
    filter_flip, filter_dilation, num_groups, unshared
        As for ``conv2d``.

    Returns
    -------
    4-d tensor

    Examples
    --------
    >>> import theano.tensor as T
    >>> x, w = T.constant([[[[1.0, 3.0]]]]), T.ones((1, 1, 1, 2))
    >>> y = T.nnet.conv2d_transpose(x, w, (None, None, 1, 4), input_dilation=(1, 2))
    >>> y.eval()[0, 0].tolist()
    [[1.0, 1.0, 3.0, 3.0]]
    """
    slide = Slide(border_mode, input_dilation, filter_flip, filter_dilation, num_groups, unshared)
    return _wrt_inputs(2, input, filters, output_shape, filter_shape, slide)
