"""Convolution of arrays: patches of images, and their products with filters.

This is the NumPy form of ``conv`` in the xp contract; engines may have faster ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Window:
    """The geometry of a convolution: padding, strides, dilations, groups of channels.

    Filters have shape (out channels, in channels of a group, *lengths), or if ``unshared``
    (out channels, *positions, in channels of a group, *lengths). They are not flipped.
    """

    pads: tuple[tuple[int, int], ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    groups: int = 1
    unshared: bool = False

    def spans(self, lengths: Sequence[int]) -> tuple[int, ...]:
        """Return the extent of a filter of these lengths, including dilation."""
        return tuple((k - 1) * d + 1 for k, d in zip(lengths, self.dilations, strict=True))

    def positions(self, sizes: Sequence[int], lengths: Sequence[int]) -> tuple[int, ...]:
        """Return the output sizes for filters of these lengths and images of these sizes."""
        return tuple(
            (n + before + after - span) // step + 1
            for n, (before, after), span, step in zip(
                sizes, self.pads, self.spans(lengths), self.strides, strict=True
            )
        )

    def cuts(self, lengths: Sequence[int], places: Sequence[int]) -> list[tuple[slice, ...]]:
        """Return slices of a padded image: the elements that each filter element multiplies."""
        each = zip(lengths, places, self.strides, self.dilations, strict=True)
        return list(
            product(
                *(
                    [slice(i * d, i * d + (n - 1) * s + 1, s) for i in range(k)]
                    for k, n, s, d in each
                )
            )
        )


class ByPatches:
    """Convolution and its two transposes as matrix products.

    Images have shape (rows, channels, *sizes), with the batch as rows. A patch holds the image
    elements that one filter element multiplies at all output positions (places); patches have
    shape (elements of a filter, channels, rows, *places).
    """

    xp: Any = np
    #: products of matrices or stacks of them, and of arrays by their labels
    matmul: Any = staticmethod(np.matmul)
    einsum: Any = staticmethod(np.einsum)

    def patches(self, x: Any, lengths: Sequence[int], window: Window) -> Any:
        raise NotImplementedError

    def scattered(
        self, patches: Any, sizes: Sequence[int], lengths: Sequence[int], window: Window
    ) -> Any:
        """Add patches at their positions in the images: the transpose of ``patches``."""
        raise NotImplementedError

    def forward(self, x: Any, w: Any, window: Window) -> Any:
        """Return the outputs, of shape (rows, out channels, *places)."""
        lengths = w.shape[-len(window.pads) :]
        patches = self.patches(x, lengths, window)
        places = patches.shape[3:]
        if window.unshared:
            y = self.einsum("kgcnp,gopck->gonp", self._grouped(patches, window), _own(w, window))
        else:
            y = self._product(self._filters(w, window), self._columns(patches, window))
        return self.xp.swapaxes(y.reshape(w.shape[0], x.shape[0], *places), 0, 1)

    def weights(self, x: Any, g: Any, lengths: Sequence[int], window: Window) -> Any:
        """Return the gradient of the filters, given the gradient ``g`` of the outputs."""
        patches = self.patches(x, lengths, window)
        places, within = g.shape[2:], x.shape[1] // window.groups
        top = self._outputs(g, window)
        if window.unshared:
            top = top.reshape(*top.shape[:2], g.shape[0], prod(places))
            result = self.einsum("kgcnp,gonp->gopck", self._grouped(patches, window), top)
            return result.reshape(g.shape[1], *places, within, *lengths)
        columns = self._columns(patches, window)
        result = self._product(top, columns, turn=(False, True))
        result = result.reshape(g.shape[1], prod(lengths), within)
        return self.xp.swapaxes(result, 1, 2).reshape(g.shape[1], within, *lengths)

    def inputs(self, w: Any, g: Any, sizes: Sequence[int], window: Window) -> Any:
        """Return the gradient of the images, given the gradient ``g`` of the outputs."""
        lengths, places = w.shape[-len(window.pads) :], g.shape[2:]
        count, rows, within = prod(lengths), g.shape[0], w.shape[-len(window.pads) - 1]
        top = self._outputs(g, window)
        if window.unshared:
            top = top.reshape(*top.shape[:2], rows, prod(places))
            result = self.einsum("gopck,gonp->kgcnp", _own(w, window), top)
        else:
            result = self._product(self._filters(w, window), top, turn=(True, False))
            result = result.reshape(window.groups, count, within, top.shape[2])
            result = self.xp.swapaxes(result, 0, 1)
        result = result.reshape(count, window.groups * within, rows, *places)
        return self.scattered(result, sizes, lengths, window)

    # stacks of matrices, one per group

    def _product(self, a: Any, b: Any, turn: tuple[bool, bool] = (False, False)) -> Any:
        if len(a) > 1:
            a, b = (
                self.xp.swapaxes(m, 1, 2) if t else m for m, t in zip((a, b), turn, strict=True)
            )
            return self.matmul(a, b)
        # a product of two matrices: XLA folds transposes into it, unlike those of stacks
        a, b = (m[0].T if t else m[0] for m, t in zip((a, b), turn, strict=True))
        return self.matmul(a, b)[None]

    def _grouped(self, patches: Any, window: Window) -> Any:
        count, channels, rows, *places = patches.shape
        within = channels // window.groups
        return patches.reshape(count, window.groups, within, rows, prod(places))

    def _columns(self, patches: Any, window: Window) -> Any:
        count, channels, rows, *places = patches.shape
        within, width = channels // window.groups, rows * prod(places)
        result = self.xp.swapaxes(patches.reshape(count, window.groups, within, width), 0, 1)
        return result.reshape(window.groups, count * within, width)

    def _filters(self, w: Any, window: Window) -> Any:
        (out, within, *lengths), groups = w.shape, window.groups
        result = self.xp.swapaxes(w.reshape(groups, out // groups, within, prod(lengths)), 2, 3)
        return result.reshape(groups, out // groups, prod(lengths) * within)

    def _outputs(self, g: Any, window: Window) -> Any:
        rows, out, *places = g.shape
        top = self.xp.swapaxes(g, 0, 1)
        return top.reshape(window.groups, out // window.groups, rows * prod(places))


def _own(w: Any, window: Window) -> Any:
    out, *places = w.shape[: 1 + len(window.pads)]
    within, *lengths = w.shape[1 + len(window.pads) :]
    groups = window.groups
    return w.reshape(groups, out // groups, prod(places), within, prod(lengths))


class NumpyConvolution(ByPatches):
    """Gathers patches by strides and adds them by slices."""

    def patches(self, x: Any, lengths: Sequence[int], window: Window) -> Any:
        places = window.positions(x.shape[2:], lengths)
        if any(pad != (0, 0) for pad in window.pads):
            x = np.pad(x, ((0, 0), (0, 0), *window.pads))
        steps = x.strides[2:]
        view = np.lib.stride_tricks.as_strided(
            x,
            (*lengths, x.shape[1], x.shape[0], *places),
            (
                *(b * d for b, d in zip(steps, window.dilations, strict=True)),
                x.strides[1],
                x.strides[0],
                *(b * s for b, s in zip(steps, window.strides, strict=True)),
            ),
            writeable=False,
        )
        return view.reshape(prod(lengths), x.shape[1], x.shape[0], *places)

    def scattered(
        self, patches: Any, sizes: Sequence[int], lengths: Sequence[int], window: Window
    ) -> Any:
        places = patches.shape[3:]
        padded = [n + sum(pad) for n, pad in zip(sizes, window.pads, strict=True)]
        out: Any = np.zeros((*patches.shape[1:3], *padded), patches.dtype)
        for patch, cut in zip(patches, window.cuts(lengths, places), strict=True):
            out[(..., *cut)] += patch
        inside = tuple(slice(pad[0], pad[0] + n) for n, pad in zip(sizes, window.pads, strict=True))
        return np.swapaxes(out[(..., *inside)], 0, 1)


numpy_convolution = NumpyConvolution()
