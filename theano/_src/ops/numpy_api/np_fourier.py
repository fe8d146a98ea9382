"""``numpy.fft`` with NumPy's signatures and complex numbers, built on real transforms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from theano._src.ops.arrays import split
from theano._src.ops.arrays.axes import axis_list
from theano._src.ops.core import cast
from theano._src.ops.elementwise import arithmetic, compare, complex_parts
from theano._src.ops.linalg import fourier
from theano._src.ops.numpy_api.np_arrays import _at, _length
from theano._src.ops.numpy_api.np_elements import _is_complex
from theano._src.ops.shape import join, ranges, shape as shapes
from theano._src.types.aliases import Axis, TensorLike
from theano._src.types.convert import as_tensor_variable
from theano._src.types.tensor import TensorVariable

#: lengths of the transformed dimensions; None means those of the input
Lengths: TypeAlias = Sequence[Any] | None
Axes: TypeAlias = Sequence[int] | None


def _all_axes(x: TensorVariable, s: Lengths, axes: Axes) -> list[int]:
    if axes is None:
        count = x.ndim if s is None else len(s)
        axes = list(range(x.ndim - count, x.ndim))
    return axis_list("numpy.fft", list(axes), x.ndim)


def _scaled(x: TensorVariable, norm: str | None, lengths: Sequence[Any], inverse: bool) -> Any:
    """Scale the unscaled transform ``x`` according to ``norm``."""
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f"numpy.fft takes norm 'backward', 'ortho' or 'forward', got {norm!r}")
    count = lengths[0] if len(lengths) == 1 else arithmetic.mul(*lengths)
    count = cast.cast(count, "float32" if x.dtype in ("complex64", "float32") else "float64")
    if norm == "ortho":
        return x / arithmetic.sqrt(count)
    return x / count if (norm == "forward") != inverse else x


def _in_front(
    transform: Callable[[Any], Any], x: TensorVariable, axes: Sequence[int]
) -> tuple[Any, Callable[[Any], Any]]:
    """Merge all dimensions but ``axes`` into a first one and transform; also return the inverse."""
    stay = [i for i in range(x.ndim) if i not in axes]
    batch = [_length(x, i) for i in stay]
    moved = x.dimshuffle(*stay, *axes)
    inner = [_length(x, i) for i in axes]
    flat = shapes.reshape(moved, [-1, *inner], ndim=1 + len(inner))
    order = [*stay, *axes]

    def back(y: TensorVariable) -> Any:
        lengths = [_length(y, i) for i in range(1, y.ndim)]
        whole = shapes.reshape(y, [*batch, *lengths], ndim=x.ndim)
        return whole.dimshuffle(*(order.index(i) for i in range(x.ndim)))

    return transform(flat), back


def _pairs(x: TensorVariable) -> Any:
    parts = [complex_parts.real(x), complex_parts.imag(x)]
    return join.stack(parts, axis=x.ndim)


def _complex(pairs: TensorVariable) -> Any:
    return complex_parts.complex(pairs[..., 0], pairs[..., 1])


def rfftn(a: TensorLike, s: Lengths = None, axes: Axes = None, norm: str | None = None) -> Any:
    a = as_tensor_variable(a)
    over = _all_axes(a, s, axes)
    lengths = [_length(a, i) for i in over] if s is None else _lengths(s)
    result, back = _in_front(
        lambda x: _complex(fourier.rfft_op(x, join.make_vector(*lengths))), a, over
    )
    return _scaled(back(result), norm, lengths, inverse=False)


def irfftn(a: TensorLike, s: Lengths = None, axes: Axes = None, norm: str | None = None) -> Any:
    a = as_tensor_variable(a)
    a = a if _is_complex(a) else complex_parts.complex(a, a.zeros_like())
    over = _all_axes(a, s, axes)
    if s is None:
        lengths = [_length(a, i) for i in over]
        lengths[-1] = (lengths[-1] - 1) * 2
    else:
        lengths = _lengths(s)
    result, back = _in_front(
        lambda x: fourier.irfft_op(_pairs(x), join.make_vector(*lengths)), a, over
    )
    # the op returns the unscaled sum
    return _scaled(back(result), norm, lengths, inverse=True)


def _lengths(s: Iterable[Any]) -> list[Any]:
    return [cast.cast(as_tensor_variable(n), "int64") for n in s]


def rfft(a: TensorLike, n: TensorLike = None, axis: int = -1, norm: str | None = None) -> Any:
    return rfftn(a, None if n is None else [n], [axis], norm)


def irfft(a: TensorLike, n: TensorLike = None, axis: int = -1, norm: str | None = None) -> Any:
    return irfftn(a, None if n is None else [n], [axis], norm)


def rfft2(a: TensorLike, s: Lengths = None, axes: Axes = (-2, -1), norm: str | None = None) -> Any:
    return rfftn(a, s, axes, norm)


def irfft2(a: TensorLike, s: Lengths = None, axes: Axes = (-2, -1), norm: str | None = None) -> Any:
    return irfftn(a, s, axes, norm)


_TURNED = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def hfft(a: TensorLike, n: TensorLike = None, axis: int = -1, norm: str | None = None) -> Any:
    return irfft(complex_parts.conj(as_tensor_variable(a)), n, axis, _turned(norm))


def ihfft(a: TensorLike, n: TensorLike = None, axis: int = -1, norm: str | None = None) -> Any:
    return complex_parts.conj(rfft(a, n, axis, _turned(norm)))


def _turned(norm: str | None) -> str:
    if norm not in _TURNED:
        raise ValueError(f"numpy.fft takes norm 'backward', 'ortho' or 'forward', got {norm!r}")
    return _TURNED[norm]


def _whole(x: TensorVariable, n: TensorVariable, axis: int) -> Any:
    """Return all frequencies of a real input: the upper half are conjugates of the lower."""
    half = rfft(x, n, axis)
    k = ranges.arange(n)
    beyond = compare.gt(k, arithmetic.int_div(n, 2))
    result = half[_at(axis, compare.switch(beyond, n - k, k))]
    beyond = beyond.dimshuffle(*(0 if i == axis else "x" for i in range(x.ndim)))
    imag = complex_parts.imag(result)
    return complex_parts.complex(complex_parts.real(result), compare.switch(beyond, -imag, imag))


def _one(x: TensorVariable, n: TensorVariable, axis: int) -> Any:
    if not _is_complex(x):
        return _whole(x, n, axis)
    parts = (_whole(f(x), n, axis) for f in (complex_parts.real, complex_parts.imag))
    first, second = parts
    return first + second * np.asarray(1j, first.dtype)


def fftn(a: TensorLike, s: Lengths = None, axes: Axes = None, norm: str | None = None) -> Any:
    return _every(a, s, axes, norm, inverse=False)


def ifftn(a: TensorLike, s: Lengths = None, axes: Axes = None, norm: str | None = None) -> Any:
    return _every(a, s, axes, norm, inverse=True)


def _every(a: TensorLike, s: Lengths, axes: Axes, norm: str | None, inverse: bool) -> Any:
    a = as_tensor_variable(a)
    over = _all_axes(a, s, axes)
    lengths = [_length(a, i) for i in over] if s is None else _lengths(s)
    # the inverse is the conjugate of the transform of the conjugate
    result = complex_parts.conj(a) if inverse and _is_complex(a) else a
    for n, axis in zip(lengths, over):
        result = _one(result, n, axis)
    result = complex_parts.conj(result) if inverse else result
    return _scaled(result, norm, lengths, inverse)


def fft(a: TensorLike, n: TensorLike = None, axis: int = -1, norm: str | None = None) -> Any:
    return fftn(a, None if n is None else [n], [axis], norm)


def ifft(a: TensorLike, n: TensorLike = None, axis: int = -1, norm: str | None = None) -> Any:
    return ifftn(a, None if n is None else [n], [axis], norm)


def fft2(a: TensorLike, s: Lengths = None, axes: Axes = (-2, -1), norm: str | None = None) -> Any:
    return fftn(a, s, axes, norm)


def ifft2(a: TensorLike, s: Lengths = None, axes: Axes = (-2, -1), norm: str | None = None) -> Any:
    return ifftn(a, s, axes, norm)


def fftshift(x: TensorLike, axes: Axis = None) -> Any:
    return _shifted(x, axes, lambda n: arithmetic.int_div(n, 2))


def ifftshift(x: TensorLike, axes: Axis = None) -> Any:
    return _shifted(x, axes, lambda n: -arithmetic.int_div(n, 2))


def _shifted(x: TensorLike, axes: Axis, by: Callable[[Any], Any]) -> Any:
    tensor: Any = as_tensor_variable(x)
    over = (
        range(tensor.ndim) if axes is None else axis_list("numpy.fft.fftshift", axes, tensor.ndim)
    )
    for i in over:
        tensor = split.roll(tensor, by(_length(tensor, i)), i)
    return tensor
