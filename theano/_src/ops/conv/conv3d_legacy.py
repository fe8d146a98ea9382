"""Convolution in three dimensions under older names, with their array layouts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.ground.documented import documented_in
from theano._src.ops.conv import conv_functions
from theano._src.ops.conv.conv_shape import PartialShape
from theano._src.ops.shape.dims import dimshuffle
from theano._src.ops.shape.shape import shape_i
from theano._src.ops.shape.static_values import known_int, vector_entries
from theano._src.types.aliases import TensorLike
from theano._src.types.convert import as_tensor_variable


@documented_in("theano.tensor.nnet.conv3d2d")
def conv3d(
    signals: TensorLike,
    filters: TensorLike,
    signals_shape: PartialShape = None,
    filters_shape: PartialShape = None,
    border_mode: str | Sequence[Any] = "valid",
) -> Any:
    """Convolve videos with filters over time, rows and columns.

    Parameters
    ----------
    signals : 5-d tensor
        (batch size, time, input channels, rows, columns)
    filters : 5-d tensor
        (output channels, time, input channels, rows, columns)
    signals_shape, filters_shape : tuple, optional
        The shapes of both, with None for unknown lengths; they are checked.
    border_mode : str or three of them
        'valid', 'full' or 'half', for all dimensions, or one each for time, rows and columns.

    Returns
    -------
    5-d tensor
        (batch size, output time, output channels, output rows, output columns)

    Examples
    --------
    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.conv3d2d import conv3d
    >>> conv3d(T.ones((1, 4, 2, 5, 5)), T.ones((3, 2, 2, 2, 2))).eval().shape
    (1, 3, 3, 4, 4)
    """
    modes = (border_mode,) * 3 if isinstance(border_mode, str) else tuple(border_mode)
    signals, filters = as_tensor_variable(signals), as_tensor_variable(filters)
    for what, v in (("signals", signals), ("filters", filters)):
        if v.ndim != 5:
            raise TypeError(f"conv3d2d.conv3d takes {what} of 5 dimensions, got {v.type}")
    order = (0, 2, 1, 3, 4)
    result = conv_functions.conv3d(
        dimshuffle(signals, *order),
        dimshuffle(filters, *order),
        input_shape=None if signals_shape is None else [signals_shape[i] for i in order],
        filter_shape=None if filters_shape is None else [filters_shape[i] for i in order],
        border_mode=modes,
    )
    return dimshuffle(result, *order)


_TO_FRONT = (0, 4, 1, 2, 3)  # moves channels, which are last in older layouts, to the front
_TO_BACK = (0, 2, 3, 4, 1)


def _entries(given: TensorLike, n: int) -> list[Any]:
    if isinstance(given, (tuple, list)):
        return list(given)
    return vector_entries(as_tensor_variable(given), n)


def _steps(d: TensorLike, who: str) -> tuple[int, ...]:
    results = [known_int(n) for n in _entries(d, 3)]
    if len(results) != 3 or any(n is None for n in results):
        raise ValueError(f"{who} takes three known integers as strides d, got {d}")
    return tuple(results)  # type: ignore[arg-type]


@documented_in("theano.tensor.nnet.Conv3D")
def conv3D(V: TensorLike, W: TensorLike, b: TensorLike, d: TensorLike) -> Any:
    """Correlate videos with filters (which are not flipped), with channels last.

    Parameters
    ----------
    V : 5-d tensor
        (batch, row, column, time, input channel)
    W : 5-d tensor
        (output channel, row, column, time, input channel)
    b : vector
        The bias of each output channel.
    d : three ints
        The strides along rows, columns and time.

    Returns
    -------
    5-d tensor
        (batch, row, column, time, output channel)

    Examples
    --------
    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.Conv3D import conv3D
    >>> V, W = T.ones((1, 3, 3, 3, 2)), T.ones((4, 2, 2, 2, 2))
    >>> conv3D(V, W, T.zeros(4), (1, 1, 1)).eval().shape
    (1, 2, 2, 2, 4)
    """
    V, W = as_tensor_variable(V), as_tensor_variable(W)
    result = conv_functions.conv3d(
        dimshuffle(V, *_TO_FRONT),
        dimshuffle(W, *_TO_FRONT),
        subsample=_steps(d, "conv3D"),
        filter_flip=False,
    )
    return dimshuffle(result, *_TO_BACK) + as_tensor_variable(b)


@documented_in("theano.tensor.nnet.ConvGrad3D")
def convGrad3D(V: TensorLike, d: TensorLike, WShape: TensorLike, dCdH: TensorLike) -> Any:
    """Return the gradient of ``conv3D`` with respect to its filters.

    Parameters
    ----------
    V : 5-d tensor
        The videos.
    d : three ints
        The strides.
    WShape : vector of five integers
        The shape of the filters.
    dCdH : 5-d tensor
        The gradient of the output.

    Returns
    -------
    5-d tensor

    Examples
    --------
    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.ConvGrad3D import convGrad3D
    >>> V, g = T.ones((1, 3, 3, 3, 2)), T.ones((1, 2, 2, 2, 4))
    >>> convGrad3D(V, (1, 1, 1), (4, 2, 2, 2, 2), g).eval().shape
    (4, 2, 2, 2, 2)
    """
    V, g = as_tensor_variable(V), as_tensor_variable(dCdH)
    lengths = _entries(WShape, 5)
    result = conv_functions.conv3d_grad_wrt_weights(
        dimshuffle(V, *_TO_FRONT),
        dimshuffle(g, *_TO_FRONT),
        [lengths[i] for i in _TO_FRONT],
        subsample=_steps(d, "convGrad3D"),
        filter_flip=False,
    )
    return dimshuffle(result, *_TO_BACK)


@documented_in("theano.tensor.nnet.ConvTransp3D")
def convTransp3D(
    W: TensorLike, b: TensorLike, d: TensorLike, H: TensorLike, RShape: TensorLike = None
) -> Any:
    """Return the transpose of ``conv3D``.

    Parameters
    ----------
    W : 5-d tensor
        (output channel, row, column, time, input channel): the filters of ``conv3D``.
    b : vector
        The bias of each input channel.
    d : three ints
        The strides.
    H : 5-d tensor
        A tensor of the shape of an output of ``conv3D``.
    RShape : vector of three integers, optional
        The rows, columns and times of the result; by default the smallest possible ones.

    Returns
    -------
    5-d tensor
        (batch, row, column, time, input channel)

    Examples
    --------
    >>> import theano.tensor as T
    >>> from theano.tensor.nnet.ConvTransp3D import convTransp3D
    >>> W, H = T.ones((4, 2, 2, 2, 2)), T.ones((1, 2, 2, 2, 4))
    >>> convTransp3D(W, T.zeros(2), (1, 1, 1), H).eval().shape
    (1, 3, 3, 3, 2)
    """
    W, H = as_tensor_variable(W), as_tensor_variable(H)
    steps = _steps(d, "convTransp3D")
    if RShape is None:
        lengths = [
            (shape_i(H, i) - 1) * step + shape_i(W, i) for i, step in enumerate(steps, start=1)
        ]
    else:
        lengths = _entries(RShape, 3)
    result = conv_functions.conv3d_grad_wrt_inputs(
        dimshuffle(H, *_TO_FRONT),
        dimshuffle(W, *_TO_FRONT),
        (None, None, *lengths),
        subsample=steps,
        filter_flip=False,
    )
    return dimshuffle(result, *_TO_BACK) + as_tensor_variable(b)
