"""Shapes of convolutions: reading border modes, and computing one shape from the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from theano._src.graph.graph import Variable
from theano._src.ground.documented import documented_in
from theano._src.ops.elementwise.arithmetic import int_div
from theano._src.ops.elementwise.compare import ge, gt
from theano._src.ops.meta.misc import Assert
from theano._src.ops.shape.static_values import known_int
from theano._src.types.tensor import TensorVariable

#: a name, the number of zeros around images, or one of these or a pair for each dimension
BorderMode: TypeAlias = str | int | Variable | Sequence[Any]
#: strides or dilations, in each dimension
Steps: TypeAlias = Sequence[int] | None
#: ints, integer scalars, and None for lengths that are not known
PartialShape: TypeAlias = Sequence[Any] | None
Length: TypeAlias = int | TensorVariable | None

_MODES = ("valid", "full", "half")


def _is_int(n: object) -> bool:
    return isinstance(n, (int, np.integer)) and not isinstance(n, bool)


def read_border_mode(mode: BorderMode, convdim: int, who: str) -> Any:
    """Return a border mode in canonical form: a name, or a tuple of names, ints and int pairs."""
    if isinstance(mode, str) and mode in _MODES:
        return mode
    if isinstance(mode, Variable) or (isinstance(mode, np.ndarray) and mode.ndim == 0):
        number = known_int(mode)
        mode = mode if number is None else number
    if isinstance(mode, (int, np.integer)) and not isinstance(mode, bool):
        if mode < 0:
            raise ValueError(
                f"{who}: invalid border_mode {mode}, which must be a non-negative integer"
            )
        return (int(mode),) * convdim
    if not isinstance(mode, (tuple, list)):
        raise ValueError(
            f'{who}: invalid border_mode {mode!r}, which must be either "valid", "full", "half", '
            f"an integer or a tuple of length {convdim}"
        )
    if len(mode) != convdim:
        raise ValueError(
            f"{who}: invalid border_mode {mode}, which must be a tuple of length {convdim}"
        )
    results: list[Any] = []
    for m in mode:
        if isinstance(m, str) and m in _MODES:
            results.append(m)
            continue
        pair = isinstance(m, (tuple, list)) and len(m) == 2
        ends = [known_int(e) for e in m] if pair else [known_int(m) if _is_scalar(m) else None]
        if any(e is None or e < 0 for e in ends):
            raise ValueError(
                f"{who}: invalid border mode {mode}. The tuple can only contain non-negative "
                "integers or pairs of them"
            )
        results.append(tuple(ends) if pair else ends[0])
    return tuple(results)


def _is_scalar(m: object) -> bool:
    return _is_int(m) or isinstance(m, Variable) or (isinstance(m, np.ndarray) and m.ndim == 0)


def read_steps(steps: Steps, convdim: int, who: str, what: str) -> tuple[int, ...]:
    """Return strides or dilations as a tuple of ints."""
    if steps is None:
        return (1,) * convdim
    if not isinstance(steps, (tuple, list, np.ndarray)):
        raise TypeError(f"{who}: {what} must be a tuple of {convdim} integers, got {steps!r}")
    if len(steps) != convdim:
        raise ValueError(f"{who}: {what} must have {convdim} elements, got {steps}")
    results = [known_int(n) if _is_scalar(n) else None for n in steps]
    if any(n is None or n < 1 for n in results):
        raise ValueError(f"{who}: {what} must be positive integers, got {tuple(steps)}")
    return tuple(results)  # type: ignore[arg-type]


def read_shape(shape: PartialShape, ndim: int, who: str, what: str) -> tuple[int | None, ...]:
    """Return a shape given by the user as ints, with None for unknown lengths."""
    if shape is None:
        return (None,) * ndim
    if not isinstance(shape, (tuple, list, np.ndarray)):
        raise ValueError(
            f"{who}: {what} should be None or a tuple of constant int values, got {shape!r}"
        )
    if len(shape) != ndim:
        raise ValueError(f"{who}: {what} must have {ndim} entries, got {tuple(shape)}")
    results = []
    for n in shape:
        value = known_int(n) if n is not None and _is_scalar(n) else None
        if n is not None and value is None:
            raise ValueError(
                f"{who}: {what} should be None or a tuple of constant int values, got {n!r} in it; "
                "write None for a length that is not known"
            )
        results.append(value)
    return tuple(results)


@documented_in("theano.tensor.nnet.abstract_conv")
def border_mode_to_pad(mode: BorderMode, convdim: int, kshp: Sequence[Any]) -> tuple[Any, ...]:
    """Return the number of zeros before and after each dimension for a border mode.

    Parameters
    ----------
    mode : 'valid', 'full', 'half', int or tuple
        A tuple has an int, a pair of them, or a name, for each dimension.
    convdim : int
        The number of convolved dimensions.
    kshp : sequence
        The lengths of the filters, including the gaps of a dilation.

    Returns
    -------
    tuple of pairs

    Examples
    --------
    >>> from theano.tensor.nnet.abstract_conv import border_mode_to_pad
    >>> border_mode_to_pad("half", 2, (3, 4))
    ((1, 1), (2, 2))
    """
    modes = _each(read_border_mode(mode, convdim, "border_mode_to_pad"), convdim)
    return tuple(_ends(m, kshp[i]) for i, m in enumerate(modes))


def _each(border_mode: BorderMode, count: int) -> list[Any]:
    return list(border_mode) if isinstance(border_mode, tuple) else [border_mode] * count


def _ends(border_mode: BorderMode, span: Any) -> tuple[Any, Any]:
    """Return the zeros before and after one dimension, where filters span ``span`` cells."""
    if border_mode == "valid":
        return 0, 0
    if border_mode == "full":
        return span - 1, span - 1
    if border_mode == "half":
        return span // 2, span // 2
    before, after = border_mode if isinstance(border_mode, tuple) else (border_mode,) * 2
    if any(_is_int(e) and e < 0 for e in (before, after)):
        raise ValueError(f"border_mode must be >= 0, got {border_mode}")
    return before, after


def _span(length: Any, dilation: Any) -> Any:
    # keeps symbolic expressions small
    return length if _is_int(dilation) and dilation == 1 else (length - 1) * dilation + 1


def _plus(n: Any, more: Any) -> Any:
    return n if _is_int(more) and more == 0 else n + more


def _over(n: Any, step: Any) -> Any:
    if _is_int(step) and step == 1:
        return n
    return int_div(n, step) if isinstance(n, Variable) or isinstance(step, Variable) else n // step


def _unknown(*parts: object) -> bool:
    return any(p is None for p in parts)


@documented_in("theano.tensor.nnet.abstract_conv")
def get_conv_output_shape(
    image_shape: Sequence[Any],
    kernel_shape: Sequence[Any],
    border_mode: BorderMode,
    subsample: Sequence[Any],
    filter_dilation: Sequence[Any] | None = None,
) -> tuple[Any, ...]:
    """Return the shape of the output of a convolution.

    Parameters
    ----------
    image_shape : sequence
        ``(batch size, channels, *sizes)``: ints, symbolic integers, and None for unknown lengths.
    kernel_shape : sequence
        ``(out channels, in channels, *lengths)``, likewise.
    border_mode : str, int or tuple
    subsample : sequence
        The step in each dimension.
    filter_dilation : sequence, optional

    Returns
    -------
    tuple
        A length is None if it depends on an unknown one.

    Examples
    --------
    >>> from theano.tensor.nnet.abstract_conv import get_conv_output_shape
    >>> get_conv_output_shape((20, 3, 28, 28), (8, 3, 5, 5), "valid", (1, 2))
    (20, 8, 24, 12)
    """
    d = len(image_shape) - 2
    dilations = (1,) * d if filter_dilation is None else filter_dilation
    sizes = map(
        get_conv_shape_1axis,
        image_shape[2:],
        kernel_shape[-d:],
        _each(border_mode, d),
        subsample,
        dilations,
    )
    return (image_shape[0], kernel_shape[0], *sizes)


@documented_in("theano.tensor.nnet.abstract_conv")
def get_conv_shape_1axis(
    image_shape: Length,
    kernel_shape: Length,
    border_mode: BorderMode,
    subsample: Length,
    dilation: Length = 1,
) -> Any:
    """Return the size of the output in one dimension, or None if an argument is None.

    Parameters
    ----------
    image_shape, kernel_shape : int, symbolic integer or None
    border_mode : 'valid', 'full', 'half', int or pair of ints
    subsample : int
    dilation : int

    Examples
    --------
    >>> from theano.tensor.nnet.abstract_conv import get_conv_shape_1axis
    >>> get_conv_shape_1axis(28, 5, "half", 2)
    14
    """
    if image_shape is None or _unknown(kernel_shape, border_mode, subsample, dilation):
        return None
    span = _span(kernel_shape, dilation)
    before, after = _ends(border_mode, span)
    return _over(_plus(_plus(image_shape - span, before), after), subsample) + 1


@documented_in("theano.tensor.nnet.abstract_conv")
def get_conv_gradweights_shape(
    image_shape: Sequence[Any],
    top_shape: Sequence[Any],
    border_mode: BorderMode,
    subsample: Sequence[Any],
    filter_dilation: Sequence[Any] | None = None,
    num_groups: int = 1,
    unshared: bool = False,
) -> tuple[Any, ...]:
    """Return the shape of the filters, as far as the shapes of images and outputs determine it.

    Parameters
    ----------
    image_shape : sequence
        ``(batch size, channels, *sizes)``
    top_shape : sequence
        ``(batch size, out channels, *sizes)`` of the output.
    border_mode : str, int or tuple
    subsample : sequence
    filter_dilation : sequence, optional
    num_groups : int
    unshared : bool

    Returns
    -------
    tuple
        A length is None if it is not unique: with strides, or with ``border_mode='half'``.

    Examples
    --------
    >>> from theano.tensor.nnet.abstract_conv import get_conv_gradweights_shape
    >>> get_conv_gradweights_shape((20, 3, 28, 28), (20, 8, 24, 12), "valid", (1, 2))
    (8, 3, 5, None)
    """
    d = len(image_shape) - 2
    dilations = (1,) * d if filter_dilation is None else filter_dilation
    channels = image_shape[1]
    if num_groups > 1 and channels is not None:
        channels = _over(channels, num_groups)
    lengths = map(
        get_conv_gradweights_shape_1axis,
        image_shape[2:],
        top_shape[2:],
        _each(border_mode, d),
        subsample,
        dilations,
    )
    places = tuple(top_shape[2:]) if unshared else ()
    return (top_shape[1], *places, channels, *lengths)


@documented_in("theano.tensor.nnet.abstract_conv")
def get_conv_gradweights_shape_1axis(
    image_shape: Length,
    top_shape: Length,
    border_mode: BorderMode,
    subsample: Length,
    dilation: Length,
) -> Any:
    """Return the length of filters in one dimension, or None if it is not unique.

    Parameters
    ----------
    image_shape, top_shape : int, symbolic integer or None
        The sizes of images and outputs.
    border_mode : 'valid', 'full', 'half', int or pair of ints
    subsample, dilation : int

    Examples
    --------
    >>> from theano.tensor.nnet.abstract_conv import get_conv_gradweights_shape_1axis
    >>> get_conv_gradweights_shape_1axis(28, 24, "valid", 1, 2)
    3
    """
    if image_shape is None or top_shape is None or _unknown(border_mode, subsample, dilation):
        return None
    if subsample != 1 or border_mode == "half":
        return None
    if border_mode == "full":
        reach = top_shape - image_shape
    else:
        before, after = _ends(border_mode, 1)
        reach = _plus(_plus(image_shape - top_shape, before), after)
    return _over(reach, dilation) + 1


@documented_in("theano.tensor.nnet.abstract_conv")
def get_conv_gradinputs_shape(
    kernel_shape: Sequence[Any],
    top_shape: Sequence[Any],
    border_mode: BorderMode,
    subsample: Sequence[Any],
    filter_dilation: Sequence[Any] | None = None,
    num_groups: int = 1,
) -> tuple[Any, ...]:
    """Return the shape of the images, as far as the shapes of filters and outputs determine it.

    Parameters
    ----------
    kernel_shape : sequence
        ``(out channels, in channels, *lengths)``
    top_shape : sequence
        ``(batch size, out channels, *sizes)`` of the output.
    border_mode : str, int or tuple
    subsample : sequence
    filter_dilation : sequence, optional
    num_groups : int

    Returns
    -------
    tuple
        A size is None if it is not unique: with strides.

    Examples
    --------
    >>> from theano.tensor.nnet.abstract_conv import get_conv_gradinputs_shape
    >>> get_conv_gradinputs_shape((8, 3, 5, 5), (20, 8, 24, 12), "valid", (1, 2))
    (20, 3, 28, None)
    """
    d = len(top_shape) - 2
    dilations = (1,) * d if filter_dilation is None else filter_dilation
    channels = kernel_shape[-d - 1]
    if num_groups > 1 and channels is not None:
        channels = channels * num_groups
    sizes = map(
        get_conv_gradinputs_shape_1axis,
        kernel_shape[-d:],
        top_shape[2:],
        _each(border_mode, d),
        subsample,
        dilations,
    )
    return (top_shape[0], channels, *sizes)


@documented_in("theano.tensor.nnet.abstract_conv")
def get_conv_gradinputs_shape_1axis(
    kernel_shape: Length,
    top_shape: Length,
    border_mode: BorderMode,
    subsample: Length,
    dilation: Length,
) -> Any:
    """Return the size of images in one dimension, or None if it is not unique.

    Parameters
    ----------
    kernel_shape, top_shape : int, symbolic integer or None
        The length of filters, and the size of outputs.
    border_mode : 'valid', 'full', 'half', int or pair of ints
    subsample, dilation : int

    Examples
    --------
    >>> from theano.tensor.nnet.abstract_conv import get_conv_gradinputs_shape_1axis
    >>> get_conv_gradinputs_shape_1axis(5, 24, "valid", 1, 1)
    28
    """
    if top_shape is None or _unknown(kernel_shape, border_mode, dilation) or subsample != 1:
        return None
    span = _span(kernel_shape, dilation)
    before, after = _ends(border_mode, span)
    return top_shape + span - 1 - before - after


@documented_in("theano.tensor.nnet.abstract_conv")
def check_conv_gradinputs_shape(
    image_shape: Sequence[Any],
    kernel_shape: Sequence[Any],
    output_shape: Sequence[Any],
    border_mode: BorderMode,
    subsample: Sequence[Any],
    filter_dilation: Sequence[Any] | None = None,
) -> bool:
    """Whether images and filters of these shapes can result in this output shape.

    Parameters
    ----------
    image_shape, kernel_shape, output_shape : sequence
        Lengths that are None or symbolic are not checked.
    border_mode : str, int or tuple
    subsample : sequence
    filter_dilation : sequence, optional

    Examples
    --------
    >>> from theano.tensor.nnet.abstract_conv import check_conv_gradinputs_shape
    >>> check_conv_gradinputs_shape((1, 1, 5, 5), (1, 1, 2, 2), (1, 1, 4, None), "valid", (1, 1))
    True
    """
    ndim = len(image_shape)
    if len(kernel_shape) != ndim or len(output_shape) != ndim or len(subsample) != ndim - 2:
        return False
    if filter_dilation is not None and len(filter_dilation) != ndim - 2:
        return False
    result = get_conv_output_shape(
        image_shape, kernel_shape, border_mode, subsample, filter_dilation
    )
    for given, computed in zip(output_shape, result, strict=True):
        if given is None or computed is None:
            continue
        a, b = known_int(given), known_int(computed)
        if a is not None and b is not None and a != b:
            return False
    return True


@documented_in("theano.tensor.nnet.abstract_conv")
def assert_conv_shape(shape: Sequence[Any]) -> tuple[Any, ...]:
    """Return a shape, checked: the first two lengths are not negative, the others positive.

    Parameters
    ----------
    shape : sequence
        Known lengths are checked at once and raise ValueError; symbolic ones at run time.

    Returns
    -------
    tuple

    Examples
    --------
    >>> from theano.tensor.nnet.abstract_conv import assert_conv_shape
    >>> assert_conv_shape((0, 3, 5, 5))
    (0, 3, 5, 5)
    """
    results = []
    for i, n in enumerate(shape):
        least, sign = (0, "<") if i < 2 else (1, "<=")
        value = known_int(n)
        where = f"dim[{i}]"
        if value is None:
            check = Assert(f"The convolution would produce an invalid shape ({where} {sign} 0).")
            n = check(n, ge(n, 0) if i < 2 else gt(n, 0))
        elif value < least:
            raise ValueError(
                f"The convolution would produce an invalid shape ({where}: {value} {sign} 0)."
            )
        results.append(n)
    return tuple(results)
