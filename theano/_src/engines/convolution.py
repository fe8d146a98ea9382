"""Convolution and its transposes for XLA, in the form that is quickest for the shapes.

Three forms stand side by side: XLA's own convolution, products of matrices made of patches, and
sums of shifted images. Which one is taken follows from the shapes alone (`JaxConvolution`); the
figures behind the rule are printed by `benchmarks/conv.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any

from theano._src.ground.convolution import ByPatches, Window


class Direct:
    """XLA's own convolution; filters that are not shared it does not have."""

    def forward(self, x: Any, w: Any, window: Window) -> Any:
        return self._call(
            x,
            w,
            strides=window.strides,
            pads=window.pads,
            rhs_dilation=window.dilations,
            feature_group_count=window.groups,
        )

    def weights(self, x: Any, g: Any, lengths: Sequence[int], window: Window) -> Any:
        # what steps leave over at the end of the images is cut off
        ends = [
            (before, (places - 1) * step + span - n - before)
            for n, (before, _), span, places, step in zip(
                x.shape[2:],
                window.pads,
                window.spans(lengths),
                g.shape[2:],
                window.strides,
                strict=True,
            )
        ]
        # channels take the place of rows, and rows that of channels
        found = self._call(
            x.swapaxes(0, 1),
            g.swapaxes(0, 1),
            strides=window.dilations,
            pads=ends,
            rhs_dilation=window.strides,
            batch_group_count=window.groups,
        )
        return found.swapaxes(0, 1)

    def inputs(self, w: Any, g: Any, sizes: Sequence[int], window: Window) -> Any:
        ends = [
            (span - 1 - before, n + before - 1 - (places - 1) * step)
            for n, (before, _), span, places, step in zip(
                sizes,
                window.pads,
                window.spans(w.shape[2:]),
                g.shape[2:],
                window.strides,
                strict=True,
            )
        ]
        (out, within, *lengths), groups = w.shape, window.groups
        turned = w[(..., *(slice(None, None, -1) for _ in lengths))]
        turned = turned.reshape(groups, out // groups, within, *lengths).swapaxes(1, 2)
        return self._call(
            g,
            turned.reshape(groups * within, out // groups, *lengths),
            strides=(1,) * len(lengths),
            pads=ends,
            lhs_dilation=window.strides,
            rhs_dilation=window.dilations,
            feature_group_count=groups,
        )

    def _call(self, x: Any, w: Any, strides: Any, pads: Any, **options: Any) -> Any:
        from jax import lax

        sizes = "DHW"[3 - len(strides) :]
        orders = (f"NC{sizes}", f"OI{sizes}", f"NC{sizes}")
        return lax.conv_general_dilated(x, w, strides, pads, dimension_numbers=orders, **options)


class Patches(ByPatches):
    """Products of matrices of patches, which are cut out by slices."""

    @property
    def xp(self) -> Any:
        import jax.numpy

        return jax.numpy

    def patches(self, x: Any, lengths: Sequence[int], window: Window) -> Any:
        xp = self.xp
        places = window.positions(x.shape[2:], lengths)
        rows, channels = x.shape[:2]
        found = xp.swapaxes(x, 0, 1)
        if any(pad != (0, 0) for pad in window.pads):
            found = xp.pad(found, ((0, 0), (0, 0), *window.pads))
        # one dimension after another: k + l long copies instead of k * l short ones
        for axis in reversed(range(len(lengths))):
            after = (slice(None),) * (len(lengths) - 1 - axis)
            cuts = _cuts(window, axis, lengths[axis], places[axis])
            parts = [found[(..., cut, *after)] for cut in cuts]
            if not parts:
                return xp.zeros((0, channels, rows, *places), x.dtype)
            found = xp.stack(parts)
        return found.reshape(prod(lengths), channels, rows, *places)

    def scattered(
        self, patches: Any, sizes: Sequence[int], lengths: Sequence[int], window: Window
    ) -> Any:
        from jax import lax

        xp = self.xp
        channels, rows, *places = patches.shape[1:]
        if not patches.size:
            return xp.zeros((rows, channels, *sizes), patches.dtype)
        found = patches.reshape(*lengths, channels, rows, *places)
        zero = xp.zeros((), patches.dtype)
        for axis, (n, (before, _)) in enumerate(zip(sizes, window.pads, strict=True)):
            cuts = _cuts(window, axis, lengths[axis], places[axis])
            where = axis - len(sizes)
            borders = [(0, 0, 0)] * found.ndim
            if axis == len(sizes) - 1 and window.strides[axis] == 1:
                # cut out of one padded array: XLA adds up in one pass, a quarter sooner
                room = max(0, cuts[-1].start - before)
                borders[where] = (room, max(0, before + n - places[axis]), 0)
                padded = lax.pad(found, zero, borders)
                starts = [room + before - cut.start for cut in cuts]
                parts = [padded[k, ..., start : start + n] for k, start in enumerate(starts)]
            else:
                parts = []
                for k, cut in enumerate(cuts):
                    borders[where] = (cut.start - before, before + n - cut.stop, cut.step - 1)
                    parts.append(lax.pad(found[k], zero, borders[1:]))
            found = sum(parts[1:], start=parts[0])
        return xp.swapaxes(found, 0, 1)


def _cuts(window: Window, axis: int, length: int, places: int) -> list[slice]:
    """Where, in one dimension of a padded image, each element of a filter meets its places."""
    step, gap = window.strides[axis], window.dilations[axis]
    return [slice(k * gap, k * gap + (places - 1) * step + 1, step) for k in range(length)]


class Shifts:
    """Images that are shifted, scaled and added up: where every filter meets one channel."""

    def forward(self, x: Any, w: Any, window: Window) -> Any:
        import jax.numpy as xp

        lengths, (rows, channels) = w.shape[2:], x.shape[:2]
        places = window.positions(x.shape[2:], lengths)
        # a channel beside the filters that meet it
        x = xp.pad(x, ((0, 0), (0, 0), *window.pads))[:, :, None]
        w = w.reshape(channels, w.shape[0] // channels, prod(lengths), *(1 for _ in lengths))
        cuts = window.cuts(lengths, places)
        parts = [x[(..., *cut)] * w[:, :, k] for k, cut in enumerate(cuts)]
        found = sum(parts[1:], start=parts[0])
        return found.reshape(rows, channels * w.shape[1], *places)

    def inputs(self, w: Any, g: Any, sizes: Sequence[int], window: Window) -> Any:
        """As ``forward``, of the gradient, with turned filters; for steps of one."""
        spans = window.spans(w.shape[2:])
        pads = tuple(
            (span - 1 - before, n + before - places)
            for n, (before, _), span, places in zip(
                sizes, window.pads, spans, g.shape[2:], strict=True
            )
        )
        cut = tuple(
            slice(max(0, -a), n + min(0, b)) for (a, b), n in zip(pads, g.shape[2:], strict=True)
        )
        pads = tuple((max(0, a), max(0, b)) for a, b in pads)
        turned = w[(..., *(slice(None, None, -1) for _ in spans))]
        return self.forward(g[(..., *cut)], turned, replace(window, pads=pads))


class JaxConvolution:
    """The one of these forms that the shapes call for.

    On a CPU, XLA's convolution is made for many channels: with fewer than `_MANY` patches are
    quicker, as they are for groups, for filters of one pixel and for numbers that are not floats.
    Steps make patches slow to cut out, and patches that fill no cache slow to add up. Filters that
    meet one channel are sums of shifts, up to `_SHIFTS` of them. On other devices XLA's convolution
    is always taken.
    """

    direct, patches, shifts = Direct(), Patches(), Shifts()

    def forward(self, x: Any, w: Any, window: Window) -> Any:
        lengths = w.shape[-len(window.pads) :]
        form = self._form(window, x.shape[1] // window.groups, lengths, x, w)
        if form is not self.direct and self._single(window, x.shape[1], lengths, x, w):
            form = self.shifts
        return form.forward(x, w, window)

    def weights(self, x: Any, g: Any, lengths: Sequence[int], window: Window) -> Any:
        form = self._form(window, x.shape[1] // window.groups, lengths, x, g)
        alone = window.groups > 1 and x.dtype.kind == "f"
        if alone and self._single(window, x.shape[1], lengths, x, g):
            form = self.direct
        return form.weights(x, g, lengths, window)

    def inputs(self, w: Any, g: Any, sizes: Sequence[int], window: Window) -> Any:
        within, *lengths = w.shape[-len(window.pads) - 1 :]
        form = self._form(window, within, lengths, w, g)
        if form is not self.direct and not self._must(window, lengths, w, g):
            elements = prod(lengths) * within * window.groups * g.size // g.shape[1]
            if window.groups == 1 and within >= _FEW and elements > _CACHED:
                form = self.direct
            single = self._single(window, within * window.groups, lengths, w, g)
            if single and g.shape[1] == window.groups and max(window.strides) == 1:
                form = self.shifts
        return form.inputs(w, g, sizes, window)

    def _form(self, window: Window, within: int, lengths: Sequence[int], *arrays: Any) -> Any:
        import jax

        if self._must(window, lengths, *arrays):
            return self.patches
        if jax.default_backend() != "cpu":
            return self.direct
        if arrays[0].dtype.kind != "f" or window.groups > 1 or prod(lengths) == 1:
            return self.patches
        if within == 1 and prod(lengths) <= _SHIFTS:
            return self.patches
        steps = any(step > 1 for step in window.strides)
        return self.direct if steps or within >= _MANY else self.patches

    def _must(self, window: Window, lengths: Sequence[int], *arrays: Any) -> bool:
        """Whether only patches have the answer: places with own filters, and empty arrays."""
        return window.unshared or 0 in lengths or any(x.size == 0 for x in arrays)

    def _single(self, window: Window, channels: int, lengths: Sequence[int], *arrays: Any) -> bool:
        """Whether every filter meets one channel, in few places."""
        few = channels == window.groups and prod(lengths) <= _SHIFTS
        return few and not self._must(window, lengths, *arrays)


#: channels from which on XLA's convolution is quicker, and up to which patches always are
_MANY, _FEW = 32, 8
#: elements of patches that are quickly added up
_CACHED = 1 << 20
#: shifts that compile quickly
_SHIFTS = 64

jax_convolution = JaxConvolution()
