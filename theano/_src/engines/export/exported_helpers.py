"""Functions whose text is copied into exported files, which then need only NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np


def given(name: Any, value: Any, dtype: Any, shape: Any) -> Any:
    """An argument as an array of this dtype; None in ``shape`` allows any length."""
    value = np.asarray(value)
    if not np.can_cast(value.dtype, dtype, "same_kind"):
        raise TypeError(f"{name} takes {dtype}, got {value.dtype}")
    if value.ndim != len(shape):
        raise TypeError(f"{name} takes {len(shape)} dimensions, got shape {value.shape}")
    if 0 in value.shape or any(m not in (None, n) for m, n in zip(shape, value.shape)):
        raise ValueError(f"{name} takes shape {shape}, None from 1, got {value.shape}")
    return value.astype(dtype, copy=False)


def index_set(x: Any, index: Any, value: Any) -> Any:
    """A copy of ``x`` in which ``x[index]`` is ``value``."""
    x = np.array(x)
    x[index] = value
    return x


def index_add(x: Any, index: Any, value: Any) -> Any:
    """A copy of ``x`` with ``value`` added at ``index``; repeated indices add up."""
    x = np.array(x)
    np.add.at(x, index, np.broadcast_to(value, x[index].shape))
    return x


def block(x: Any, starts: Any, lengths: Any) -> Any:
    """The block of ``x`` that begins at ``starts``, moved inside if it would stick out."""
    starts = [max(0, min(int(s), n - k)) for s, n, k in zip(starts, x.shape, lengths, strict=True)]
    return x[tuple(slice(s, s + k) for s, k in zip(starts, lengths, strict=True))]


def write_block(x: Any, y: Any, starts: Any, counts: Any, add: Any) -> Any:
    """``x`` with ``y`` stored in, or added to, a block; a count of None is a single index."""
    x = np.array(x)
    lengths = [1 if c is None else c for c in counts]
    part = block(x, starts, lengths)
    y = np.broadcast_to(y, [c for c in counts if c is not None]).reshape(lengths)
    part[...] = part + y if add else y
    return x


def join_complex(real: Any, imag: Any) -> Any:
    """Complex numbers from their parts; ``real + 1j * imag`` would turn infinities into NaN."""
    real, imag = np.broadcast_arrays(real, imag)
    out = np.empty(real.shape, np.result_type(real.dtype, "complex64"))
    out.real, out.imag = real, imag
    return out


def conv_patches(x: Any, lengths: Any, pads: Any, strides: Any, dilations: Any) -> Any:
    """The pixels that each filter element multiplies: (elements, channels, rows, *places)."""
    ndim = len(lengths)
    x = np.pad(x, ((0, 0), (0, 0), *pads))
    spans = [(k - 1) * d + 1 for k, d in zip(lengths, dilations, strict=True)]
    views = np.lib.stride_tricks.sliding_window_view(x, spans, axis=tuple(range(2, 2 + ndim)))
    steps = tuple(slice(None, None, s) for s in strides)
    gaps = tuple(slice(None, None, d) for d in dilations)
    views = views[(slice(None), slice(None), *steps, *gaps)]
    order = (*range(2 + ndim, 2 + 2 * ndim), 1, 0, *range(2, 2 + ndim))
    places = views.shape[2 : 2 + ndim]
    return views.transpose(order).reshape(-1, x.shape[1], x.shape[0], *places)


def conv(x: Any, w: Any, pads: Any, strides: Any, dilations: Any, groups: Any = 1) -> Any:
    """Convolve images (rows, channels, *sizes) with filters (out, channels per group, *lengths)."""
    patches = conv_patches(x, w.shape[2:], pads, strides, dilations)
    count, channels, rows, *places = patches.shape
    columns = patches.reshape(count, groups, channels // groups, -1).swapaxes(0, 1)
    columns = columns.reshape(groups, count * (channels // groups), -1)
    filters = w.reshape(groups, w.shape[0] // groups, channels // groups, count).swapaxes(2, 3)
    y = filters.reshape(groups, w.shape[0] // groups, -1) @ columns
    return y.reshape(w.shape[0], rows, *places).swapaxes(0, 1)


def conv_weights(
    x: Any, g: Any, lengths: Any, pads: Any, strides: Any, dilations: Any, groups: Any = 1
) -> Any:
    """The gradient of the filters of ``conv``, from that of its result."""
    patches = conv_patches(x, lengths, pads, strides, dilations)
    count, channels = patches.shape[:2]
    columns = patches.reshape(count, groups, channels // groups, -1).swapaxes(0, 1)
    columns = columns.reshape(groups, count * (channels // groups), -1)
    top = g.swapaxes(0, 1).reshape(groups, g.shape[1] // groups, -1)
    result = (top @ columns.swapaxes(1, 2)).reshape(g.shape[1], count, channels // groups)
    return result.swapaxes(1, 2).reshape(g.shape[1], channels // groups, *lengths)


def conv_inputs(
    w: Any, g: Any, sizes: Any, pads: Any, strides: Any, dilations: Any, groups: Any = 1
) -> Any:
    """The gradient of the images of ``conv``, from that of its result."""
    (out, within, *lengths), (rows, _, *places) = w.shape, g.shape
    count = int(np.prod(lengths))
    filters = w.reshape(groups, out // groups, within, count).swapaxes(2, 3)
    filters = filters.reshape(groups, out // groups, -1)
    top = g.swapaxes(0, 1).reshape(groups, out // groups, -1)
    patches = (filters.swapaxes(1, 2) @ top).reshape(groups, count, within, -1).swapaxes(0, 1)
    patches = patches.reshape(count, groups * within, rows, *places)
    padded = [n + sum(pad) for n, pad in zip(sizes, pads, strict=True)]
    array: Any = np.zeros((groups * within, rows, *padded), patches.dtype)
    for k, at in enumerate(np.ndindex(*lengths)):
        each = zip(at, dilations, strides, places, strict=True)
        cut = [slice(i * d, i * d + (n - 1) * s + 1, s) for i, d, s, n in each]
        array[(..., *cut)] += patches[k]
    inside = tuple(slice(pad[0], pad[0] + n) for n, pad in zip(sizes, pads, strict=True))
    return array[(..., *inside)].swapaxes(0, 1)


#: other functions that a function needs
NEEDS = {
    "write_block": ("block",),
    "conv": ("conv_patches",),
    "conv_weights": ("conv_patches",),
}
