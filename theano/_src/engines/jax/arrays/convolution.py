"""Convolution and its transposes for XLA, in the form that is fastest for the shapes.

There are three forms: XLA's own convolution, products of matrices of patches, and sums of shifted
images. Only the shapes decide which one is used (`JaxConvolution`); `benchmarks/conv.py` prints the
measurements behind the rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any

from theano._src.engines.jax.arrays.products import jax_einsum, jax_matmul
from theano._src.engines.jax.devices import target
from theano._src.ground.convolution import ByPatches, Window
from theano._src.ground.length_numbers import are_numbers


class Direct:
    """XLA's own convolution, which does not support unshared filters."""

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
        # pixels at the end of the images that no step reaches are cut off
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
        # channels and rows change places
        result = self._call(
            x.swapaxes(0, 1),
            g.swapaxes(0, 1),
            strides=window.dilations,
            pads=ends,
            rhs_dilation=window.strides,
            batch_group_count=window.groups,
        )
        return result.swapaxes(0, 1)

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
        """XLA's convolution, with channels last.

        That is the order of XLA's fast form for CPUs. XLA reorders convolutions by itself, but not
        inside a loop or a conditional, where they took 10 times as long.
        """
        from jax import lax

        sizes = "DHW"[3 - len(strides) :]
        orders = (f"N{sizes}C", f"{sizes}IO", f"N{sizes}C")
        ndim = len(strides)
        result = lax.conv_general_dilated(
            x.transpose(0, *range(2, ndim + 2), 1),
            w.transpose(*range(2, ndim + 2), 1, 0),
            strides,
            pads,
            dimension_numbers=orders,
            **options,
        )
        return result.transpose(0, ndim + 1, *range(1, ndim + 1))


class Patches(ByPatches):
    """Products of matrices of patches, which are cut out by slices."""

    matmul = staticmethod(jax_matmul)
    einsum = staticmethod(jax_einsum)

    @property
    def xp(self) -> Any:
        import jax.numpy

        return jax.numpy

    def weights(self, x: Any, g: Any, lengths: Sequence[int], window: Window) -> Any:
        """All rows at once, or block by block if no cache holds all patches."""
        from jax import lax

        each = prod(lengths) * x.shape[1] * prod(g.shape[2:])
        rows = x.shape[0]
        if window.unshared or not are_numbers(rows) or rows * each <= 4 * _CACHED:
            return super().weights(x, g, lengths, window)
        block = max(1, _CACHED // each)
        whole = rows - rows % block
        blocks = [a[:whole].reshape(-1, block, *a.shape[1:]) for a in (x, g)]

        def add(result: Any, rows: Any) -> Any:
            return result + super(Patches, self).weights(rows[0], rows[1], lengths, window), None

        left = super().weights(x[whole:], g[whole:], lengths, window)
        return lax.scan(add, left, blocks)[0]

    def patches(self, x: Any, lengths: Sequence[int], window: Window) -> Any:
        xp = self.xp
        places = window.positions(x.shape[2:], lengths)
        rows, channels = x.shape[:2]
        result = xp.swapaxes(x, 0, 1)
        if any(pad != (0, 0) for pad in window.pads):
            result = xp.pad(result, ((0, 0), (0, 0), *window.pads))
        # one dimension after the other: k + l long copies instead of k * l short ones
        for axis in reversed(range(len(lengths))):
            after = (slice(None),) * (len(lengths) - 1 - axis)
            cuts = _cuts(window, axis, lengths[axis], places[axis])
            parts = [result[(..., cut, *after)] for cut in cuts]
            if not parts:
                return xp.zeros((0, channels, rows, *places), x.dtype)
            result = xp.stack(parts)
        return result.reshape(prod(lengths), channels, rows, *places)

    def scattered(
        self, patches: Any, sizes: Sequence[int], lengths: Sequence[int], window: Window
    ) -> Any:
        from jax import lax

        xp = self.xp
        channels, rows, *places = patches.shape[1:]
        if not patches.size:
            return xp.zeros((rows, channels, *sizes), patches.dtype)
        result = patches.reshape(*lengths, channels, rows, *places)
        zero = xp.zeros((), patches.dtype)
        for axis, (n, (before, _)) in enumerate(zip(sizes, window.pads, strict=True)):
            cuts = _cuts(window, axis, lengths[axis], places[axis])
            where = axis - len(sizes)
            borders = [(0, 0, 0)] * result.ndim
            if axis == len(sizes) - 1 and window.strides[axis] == 1:
                # slices of one padded array: XLA adds them in one pass, in 3/4 of the time
                room = max(0, cuts[-1].start - before)
                borders[where] = (room, max(0, before + n - places[axis]), 0)
                padded = lax.pad(result, zero, borders)
                starts = [room + before - cut.start for cut in cuts]
                parts = [padded[k, ..., start : start + n] for k, start in enumerate(starts)]
            else:
                parts = []
                for k, cut in enumerate(cuts):
                    borders[where] = (cut.start - before, before + n - cut.stop, cut.step - 1)
                    parts.append(lax.pad(result[k], zero, borders[1:]))
            result = sum(parts[1:], start=parts[0])
        return xp.swapaxes(result, 0, 1)


def _cuts(window: Window, axis: int, length: int, places: int) -> list[slice]:
    """For one dimension of a padded image, the slice that each filter element multiplies."""
    step, gap = window.strides[axis], window.dilations[axis]
    return [slice(k * gap, k * gap + (places - 1) * step + 1, step) for k in range(length)]


class Shifts:
    """Sums of shifted and scaled images, for filters that read one channel each."""

    def forward(self, x: Any, w: Any, window: Window) -> Any:
        import jax.numpy as xp

        lengths, (rows, channels) = w.shape[2:], x.shape[:2]
        places = window.positions(x.shape[2:], lengths)
        # an axis for the filters that read a channel
        x = xp.pad(x, ((0, 0), (0, 0), *window.pads))[:, :, None]
        w = w.reshape(channels, w.shape[0] // channels, prod(lengths), *(1 for _ in lengths))
        cuts = window.cuts(lengths, places)
        parts = [x[(..., *cut)] * w[:, :, k] for k, cut in enumerate(cuts)]
        result = sum(parts[1:], start=parts[0])
        return result.reshape(rows, channels * w.shape[1], *places)

    def inputs(self, w: Any, g: Any, sizes: Sequence[int], window: Window) -> Any:
        """``forward`` of the gradient with flipped filters; for strides of one."""
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
    """Chooses one of these forms by the shapes.

    On a CPU, filters that read one channel are sums of shifts, up to `_SHIFTS` of them. Patches are
    used for groups, for filters of one pixel and for numbers that are not floats; strides make them
    slow to cut out. The gradient of filters uses patches too, without strides. All other cases are
    decided by an estimate (`_patches_pay`). On other devices, floats always take XLA's convolution.
    Dimensions that filters cover completely, such as that of word vectors, become channels first.
    """

    direct, patches, shifts = Direct(), Patches(), Shifts()

    def forward(self, x: Any, w: Any, window: Window) -> Any:
        whole = _covered(window, x.shape[2:], w.shape[2:])
        if whole:
            return self.forward(_folded(x, whole), _folded(w, whole), window)
        lengths = w.shape[-len(window.pads) :]
        form = self._form(window, x, w.shape[0], lengths)
        if form is self.patches and self._single(window, x.shape[1], lengths):
            form = self.shifts if x.size and w.size else form
        return form.forward(x, w, window)

    def weights(self, x: Any, g: Any, lengths: Sequence[int], window: Window) -> Any:
        whole = _covered(window, x.shape[2:], lengths)
        if whole:
            result = self.weights(_folded(x, whole), g, _ones_at(lengths, whole), window)
            return _unfolded(result, lengths, whole)
        form = self._form(window, x, g.shape[1], lengths)
        if window.groups > 1 and self._single(window, x.shape[1], lengths):
            form = self.direct if x.size and g.size and x.dtype.kind == "f" else form
        elif prod(lengths) <= _SHIFTS and max(window.strides) == 1 and target() == "cpu":
            form = self.patches  # XLA's convolution would have filters as large as images
        return form.weights(x, g, lengths, window)

    def inputs(self, w: Any, g: Any, sizes: Sequence[int], window: Window) -> Any:
        whole = _covered(window, sizes, w.shape[2:])
        if whole:
            result = self.inputs(_folded(w, whole), g, _ones_at(sizes, whole), window)
            return _unfolded(result, sizes, whole)
        within, *lengths = w.shape[-len(window.pads) - 1 :]
        channels = within * window.groups
        form = self._form(window, g, channels, lengths, sizes)
        if form is self.patches and self._single(window, channels, lengths) and w.size and g.size:
            alone = g.shape[1] == channels and max(window.strides) == 1
            form = self.shifts if alone else form
        return form.inputs(w, g, sizes, window)

    def _form(
        self, window: Window, x: Any, out: int, lengths: Sequence[int], back: Any = None
    ) -> Any:
        """The form for images, or for a gradient with respect to images of size ``back``."""
        if window.unshared or not x.size or not out or 0 in lengths:
            return self.patches
        if x.dtype.kind != "f":
            return self.patches
        if target() != "cpu":
            return self.direct
        if window.groups > 1 or prod(lengths) == 1:
            return self.patches
        if max(window.strides) > 1:
            single = self._single(window, out if back else x.shape[1], lengths)
            return self.patches if single and not back else self.direct
        rows, channels, *here = x.shape
        if not are_numbers(*x.shape):
            return self.direct  # symbolic lengths: nothing can be estimated
        spread = 0.0
        if back:
            spread = prod(back) / prod(here)
            channels, out = out, channels
        places = rows * prod(here if back else window.positions(here, lengths))
        fit = prod(lengths) * channels * places <= _HELD
        pay = fit and _patches_pay(channels, out, lengths, places, spread)
        return self.patches if pay else self.direct

    def _single(self, window: Window, channels: int, lengths: Sequence[int]) -> bool:
        """Whether every filter reads one channel and has few elements."""
        return channels == window.groups and not window.unshared and 0 < prod(lengths) <= _SHIFTS


def _covered(window: Window, sizes: Sequence[int], lengths: Sequence[int]) -> tuple[int, ...]:
    """The dimensions in which filters are as long as images, so that there is one position."""
    if window.unshared or window.groups > 1:
        return ()
    known = zip(sizes, lengths, window.pads, window.dilations, strict=True)
    return tuple(
        axis
        for axis, (n, length, pads, gap) in enumerate(known)
        if n == length > 1 and pads == (0, 0) and gap == 1
    )


def _ones_at(sizes: Sequence[int], axes: Sequence[int]) -> list[int]:
    return [1 if axis in axes else n for axis, n in enumerate(sizes)]


def _order(ndim: int, axes: Sequence[int]) -> list[int]:
    """Rows, channels and the dimensions ``axes``, then the others."""
    first = [0, 1, *(2 + axis for axis in axes)]
    return first + [d for d in range(ndim) if d not in first]


def _folded(x: Any, axes: Sequence[int]) -> Any:
    """Images or filters with the dimensions ``axes`` moved into the channels, and of length 1."""
    rows, channels, *sizes = x.shape
    channels *= prod(sizes[axis] for axis in axes)
    return x.transpose(_order(x.ndim, axes)).reshape(rows, channels, *_ones_at(sizes, axes))


def _unfolded(x: Any, sizes: Sequence[int], axes: Sequence[int]) -> Any:
    order = _order(2 + len(sizes), axes)
    channels = x.shape[1] // prod(sizes[axis] for axis in axes)
    shape = (x.shape[0], channels, *sizes)
    turned = x.reshape([shape[d] for d in order])
    return turned.transpose([order.index(d) for d in range(len(order))])


def _patches_pay(
    channels: int, out: int, lengths: Sequence[int], places: int, spread: float = 0.0
) -> bool:
    """Whether patches are faster, in picoseconds for each product, measured on 2 cores.

    XLA's convolution is fast with many channels, and slow if the number of results is not a
    multiple of the vector length; in a gradient with respect to images it also multiplies zeros,
    ``spread`` times as much. Patches cost the time to write them, or to add them up, once for all
    filters; more if no cache holds them.
    """
    vectors = channels if spread else out
    direct = (8 + 320 / channels) * (1.7 if vectors % 4 else 1.0) * max(spread, 1.0)
    cached = prod(lengths) * channels * places <= _CACHED
    patches = 7 + (650 if cached else 3000 if spread else 1040) / out
    return patches < direct


#: the elements that a cache holds, and the most that patches may have in memory
_CACHED, _HELD = 1 << 20, 1 << 26
#: the most shifts that compile quickly
_SHIFTS = 64

jax_convolution = JaxConvolution()
