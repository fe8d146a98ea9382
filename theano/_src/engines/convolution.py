"""Convolution and its transposes for XLA, in the form that is quickest for the shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theano._src.ground.convolution import ByPatches, Window


class JaxConvolution(ByPatches):
    """XLA's own convolution, or products of matrices where it has none or they are quicker."""

    @property
    def xp(self) -> Any:  # type: ignore[override]
        import jax.numpy

        return jax.numpy

    def patches(self, x: Any, lengths: Sequence[int], window: Window) -> Any:
        xp = self.xp
        places = window.positions(x.shape[2:], lengths)
        x = xp.swapaxes(xp.pad(x, ((0, 0), (0, 0), *window.pads)), 0, 1)
        cuts = window.cuts(lengths, places)
        if not cuts:
            return xp.zeros((0, *x.shape[:2], *places), x.dtype)
        return xp.stack([x[(..., *cut)] for cut in cuts])

    def scattered(
        self, patches: Any, sizes: Sequence[int], lengths: Sequence[int], window: Window
    ) -> Any:
        import jax

        xp = self.xp
        padded = [n + sum(pad) for n, pad in zip(sizes, window.pads, strict=True)]
        out = xp.zeros((*patches.shape[1:3], *padded), patches.dtype)
        zero = xp.zeros((), patches.dtype)
        for k, cut in enumerate(window.cuts(lengths, patches.shape[3:])):
            borders = [(c.start, n - c.stop, c.step - 1) for c, n in zip(cut, padded, strict=True)]
            out = out + jax.lax.pad(patches[k], zero, [(0, 0, 0), (0, 0, 0), *borders])
        inside = tuple(slice(pad[0], pad[0] + n) for n, pad in zip(sizes, window.pads, strict=True))
        return xp.swapaxes(out[(..., *inside)], 0, 1)

    def forward(self, x: Any, w: Any, window: Window) -> Any:
        if window.unshared or not x.size or not w.size:
            return super().forward(x, w, window)
        return _convolution(
            x, w, window.strides, window.pads, rhs_dilation=window.dilations, groups=window.groups
        )

    def weights(self, x: Any, g: Any, lengths: Sequence[int], window: Window) -> Any:
        if window.unshared or not x.size or not g.size or 0 in lengths:
            return super().weights(x, g, lengths, window)
        # channels are the rows of this one, and its filters are the gradients, with gaps
        spans = [(k - 1) * d + 1 for k, d in zip(lengths, window.dilations, strict=True)]
        pads = []
        for n, (before, _), span, places, step in zip(
            x.shape[2:], window.pads, spans, g.shape[2:], window.strides, strict=True
        ):
            # what a step too long for the image left over is cut off
            pads.append((before, (places - 1) * step + span - n - before))
        return _convolution(
            x,
            g,
            window.dilations,
            pads,
            rhs_dilation=window.strides,
            groups=window.groups,
            layout="weights",
        )

    def inputs(self, w: Any, g: Any, sizes: Sequence[int], window: Window) -> Any:
        if window.unshared or not w.size or not g.size or 0 in sizes:
            return super().inputs(w, g, sizes, window)
        d = len(window.pads)
        pads = []
        for n, (before, _), span, places, step in zip(
            sizes, window.pads, window.spans(w.shape[2:]), g.shape[2:], window.strides, strict=True
        ):
            left = span - 1 - before
            pads.append((left, n + span - 1 - left - (places - 1) * step - 1))
        out, within, *lengths = w.shape
        groups = window.groups
        flipped = self.xp.flip(w, range(2, 2 + d)).reshape(groups, out // groups, within, *lengths)
        flipped = self.xp.swapaxes(flipped, 1, 2).reshape(groups * within, out // groups, *lengths)
        return _convolution(
            g,
            flipped,
            (1,) * d,
            pads,
            lhs_dilation=window.strides,
            rhs_dilation=window.dilations,
            groups=groups,
        )


def _convolution(
    x: Any,
    w: Any,
    strides: Sequence[int],
    pads: Sequence[tuple[int, int]],
    *,
    groups: int,
    rhs_dilation: Sequence[int],
    lhs_dilation: Sequence[int] | None = None,
    layout: str = "images",
) -> Any:
    from jax import lax

    d = len(strides)
    spatial = "DHW"[-d:]
    layouts = {
        "images": (f"NC{spatial}", f"OI{spatial}", f"NC{spatial}"),
        "weights": (f"CN{spatial}", f"IO{spatial}", f"CN{spatial}"),
    }
    by_channel = {"feature_group_count": groups}
    if layout == "weights":
        by_channel = {"batch_group_count": groups}
    return lax.conv_general_dilated(
        x,
        w,
        strides,
        pads,
        lhs_dilation=lhs_dilation,
        rhs_dilation=rhs_dilation,
        dimension_numbers=layouts[layout],
        **by_channel,
    )


jax_convolution = JaxConvolution()
