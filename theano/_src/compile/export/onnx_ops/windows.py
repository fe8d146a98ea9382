"""Convolutions and pooling."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from theano._src.compile.export.onnx_ops.context import Export, Form
from theano._src.compile.export.onnx_ops.writer import NoForm, Value
from theano._src.graph.graph import Apply
from theano._src.graph.op import Op
from theano._src.ops.conv.conv import (
    AbstractConv2d,
    AbstractConv2d_gradInputs,
    AbstractConv3d,
    AbstractConv3d_gradInputs,
    BaseAbstractConv,
)
from theano._src.ops.conv.conv_legacy import ConvOp
from theano._src.ops.conv.conv_shape import border_mode_to_pad
from theano._src.ops.conv.corr import Corr3dMM, Corr3dMM_gradInputs, CorrMM, CorrMM_gradInputs
from theano._src.ops.conv.pool import Pool


def convolution(to: Export, node: Apply, x: Value, w: Value, bias: Value | None = None) -> Value:
    """Use Conv. It does not flip filters, so the model has them flipped if the op flips."""
    op, dtype = node.op, to.dtype(node.outputs[0])
    if dtype.kind != "f":
        raise NoForm(f"Conv takes floats, got {dtype}")
    flipped = _turned(to, op, w)
    results = [x, flipped, *([] if bias is None else [bias])]
    return to.to.op("Conv", *[v.astype(dtype) for v in results], **_slide(op, w))


def transposed(to: Export, node: Apply, w: Value, g: Value, lengths: Value) -> Value:
    """Use ConvTranspose for the gradient of images, and cut it to the required lengths."""
    op, dtype, n = node.op, to.dtype(node.outputs[0]), node.op.convdim
    slide = _slide(op, w)
    spare = [s - 1 for s in op.subsample]
    value = to.to.op(
        "ConvTranspose",
        g.astype(dtype),
        _turned(to, op, w).astype(dtype),
        output_padding=spare,
        **slide,
    )
    if not any(spare):
        return value
    zeros, axes = to.to.ints(*[0] * n), to.to.ints(*range(2, 2 + n))
    return to.to.op("Slice", value, zeros, lengths.astype("int64"), axes)


def _slide(op: BaseAbstractConv, w: Value) -> dict[str, Any]:
    """The attributes of Conv: dilations, groups, padding, strides."""
    if op.unshared:
        raise NoForm("filters that differ from place to place (unshared=True) are none of ONNX")
    pads = _pads(op, _filter_lengths(op, w))
    return {
        "dilations": list(op.filter_dilation),
        "group": op.num_groups,
        "pads": [p for p, _ in pads] + [p for _, p in pads],
        "strides": list(op.subsample),
    }


def _filter_lengths(op: BaseAbstractConv, w: Value) -> list[int | None]:
    n = op.convdim
    if w.array is not None:
        return list(w.array.shape[-n:])
    return list(op.kshp[-n:])


def _pads(op: BaseAbstractConv, lengths: Sequence[int | None]) -> Sequence[tuple[int, int]]:
    spans = [
        None if k is None else (k - 1) * d + 1
        for k, d in zip(lengths, op.filter_dilation, strict=True)
    ]
    modes = op.border_mode if isinstance(op.border_mode, tuple) else (op.border_mode,) * op.convdim
    if any(s is None and m in ("half", "full") for s, m in zip(spans, modes, strict=True)):
        raise NoForm(
            f"border_mode={op.border_mode!r} depends on the lengths of its filters, which are "
            "neither a shared variable nor given as filter_shape"
        )
    pairs: Sequence[tuple[int, int]] = border_mode_to_pad(
        op.border_mode, op.convdim, [0 if s is None else s for s in spans]
    )
    return pairs


def _turned(to: Export, op: BaseAbstractConv, w: Value) -> Value:
    """The filters for a correlation: flipped if the op flips them."""
    if not op.filter_flip:
        return w
    n = op.convdim
    if w.array is not None:
        axes = tuple(range(w.array.ndim - n, w.array.ndim))
        return to.to.constant(np.flip(w.array, axes), name=f"{w.name}_flipped")
    axes = tuple(range(2, 2 + n))
    ends = [[-1] * n, [np.iinfo("int64").min] * n, axes, [-1] * n]
    return to.to.op("Slice", w, *[to.to.ints(*e) for e in ends])


def pooling(to: Export, node: Apply, x: Value, *numbers: Value) -> Value:
    """Use MaxPool or AveragePool; pad images at the end for windows that cross the border."""
    op, ndim = node.op, node.inputs[0].type.ndim
    ws, stride, pad = (_numbers(to, v) for v in node.inputs[1:])
    ends = list(pad)
    if not op.ignore_border:
        ends = [(w if s >= w else s) - 1 for w, s in zip(ws, stride, strict=True)]
    slide = {"kernel_shape": ws, "strides": stride, "pads": [*pad, *ends]}
    images = _as_images(to, x, ndim, op.ndim)
    if op.mode == "max":
        wide = images.astype("float64") if x.dtype.kind in "biu" else images
        value = to.to.op("MaxPool", wide, **slide)
    else:
        value = _averaged(to, op, images, slide)
    value = value.astype(x.dtype)
    if ndim == op.ndim + 2:
        return value
    # restore the dimensions before those of the image
    lead = to.to.op("Shape", x, dtype="int64", start=0, end=ndim - op.ndim)
    last = to.to.op("Shape", value, dtype="int64", start=2, end=2 + op.ndim)
    return to.to.op("Reshape", value, to.to.concat([lead, last]))


def _averaged(to: Export, op: Pool, images: Value, slide: dict[str, Any]) -> Value:
    wide = images.astype(to.written("float64")) if images.dtype.kind in "biu" else images
    # elements outside the image do not count, unless they are padding of the user
    padded = op.mode == "sum" or (op.mode == "average_inc_pad" and op.ignore_border)
    value = to.to.op("AveragePool", wide, count_include_pad=int(padded), **slide)
    if op.mode == "sum":
        value = value * math.prod(slide["kernel_shape"])
        # a mean times a count may not be an integer
        return to.to.op("Round", value) if images.dtype.kind in "biu" else value
    return value


def _numbers(to: Export, v: Any) -> list[int]:
    numbers = to.numbers_of(v)
    if numbers is None:
        raise NoForm(f"windows are of constant sizes in ONNX, got {v}")
    return [int(n) for n in numbers]


def _as_images(to: Export, x: Value, ndim: int, pooled: int) -> Value:
    """Reshape to a batch and a channel dimension, followed by the pooled dimensions."""
    if ndim == pooled + 2:
        return x
    if ndim == pooled + 1:
        return to.to.unsqueeze(x, 0)
    if ndim == pooled:
        return to.to.unsqueeze(x, 0, 1)
    last = to.to.op("Shape", x, dtype="int64", start=ndim - pooled)
    return to.to.op("Reshape", x, to.to.concat([to.to.ints(-1, 1), last]))


FORMS: dict[type[Op], Form] = {
    **dict.fromkeys((AbstractConv2d, AbstractConv3d, ConvOp, CorrMM, Corr3dMM), convolution),
    **dict.fromkeys(
        (
            AbstractConv2d_gradInputs,
            AbstractConv3d_gradInputs,
            CorrMM_gradInputs,
            Corr3dMM_gradInputs,
        ),
        transposed,
    ),
    Pool: pooling,
}
