"""Windows that slide over the last dimensions of arrays: the functions behind pooling.

They run on both engines. All sizes of windows are Python ints here, as XLA requires.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import Any

import numpy as np

from theano._src.ground.array_types import Array, ArrayNamespace
from theano._src.ground.xp import numpy_xp
from theano._src.types.aliases import DTypeLike

# with more slices than this in one expression, compiling takes longer than it saves
_FEW = 16


@dataclass(frozen=True)
class Windows:
    """Windows along one dimension: window j has ``size`` cells from ``j * stride - pad`` on."""

    size: int
    stride: int
    pad: int
    #: the number of cells in the dimension, and the number of windows
    length: int
    count: int

    @property
    def reach(self) -> int:
        """The number of cells from the start of the first window to the end of the last."""
        return (self.count - 1) * self.stride + self.size

    @property
    def frame(self) -> tuple[int, int]:
        """How many cells to add before and after the dimension so that it holds every window."""
        return self.pad, self.reach - self.pad - self.length

    @property
    def shifts(self) -> int:
        """The largest number of windows that contain the same cell."""
        return -(-self.size // self.stride)

    @property
    def blocks(self) -> int:
        """The number of blocks, each one stride long, that hold the cells of all windows."""
        return self.count + self.shifts - 1

    def blocks_at(self, shift: int) -> slice:
        """Return a slice of the padded windows: for each block, the window ``shift`` before it."""
        return slice(self.shifts - 1 - shift, self.shifts - 1 - shift + self.blocks)

    def taps(self) -> list[slice]:
        """Return, for each position in a window, the cells at it in all windows of a framed x."""
        last = (self.count - 1) * self.stride + 1
        return [slice(k, k + last, self.stride) for k in range(self.size)]

    def cells(self, with_pad: bool) -> np.ndarray:
        """Return the number of cells that each window covers, with or without padding."""
        first, end = (-self.pad, self.length + self.pad) if with_pad else (0, self.length)
        starts = np.arange(self.count) * self.stride - self.pad
        return np.minimum(starts + self.size, end) - np.maximum(starts, first)


def count_windows(length: int, size: int, stride: int, ignore_border: bool) -> int:
    """Return the number of windows over ``length`` cells, which include padding."""
    if ignore_border:
        return max((length - size) // stride + 1, 0)
    if stride >= size:
        return (length - 1) // stride + 1
    return max(0, (length - 1 - size) // stride + 1) + 1


def reframed(xp: ArrayNamespace, x: Array, edges: Sequence[tuple[int, int]], fill: object) -> Any:
    """Add cells before and after ``x`` in its last dimensions; negative numbers cut cells off."""
    lead = x.ndim - len(edges)
    if any(min(edge) < 0 for edge in edges):
        kept = [slice(max(-b, 0), n - max(-a, 0)) for (b, a), n in zip(edges, x.shape[lead:])]
        x = x[(..., *kept)]
    grown = [(max(before, 0), max(after, 0)) for before, after in edges]
    if not any(map(any, grown)):
        return x
    return xp.pad(x, [(0, 0)] * lead + grown, constant_values=fill)


def lowest(dtype: DTypeLike) -> Any:
    """Return a lower bound of all values of the dtype."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return False
    if kind in "iu":
        return np.iinfo(dtype).min
    return np.asarray(complex(-np.inf, -np.inf) if kind == "c" else -np.inf, dtype)


def fold(xp: ArrayNamespace, x: Array, windows: Sequence[Windows], largest: bool) -> Any:
    """The sum or the largest of the cells of each window of a framed ``x``."""
    whole = _on_xla(xp, "fold_windows", x, windows, largest)
    if whole is not None:
        return whole
    sizes, combine = [w.size for w in windows], xp.maximum if largest else xp.add
    if xp.name != "numpy" and np.prod(sizes) <= _FEW:
        return reduce(combine, (x[(..., *taps)] for taps in product(*[w.taps() for w in windows])))
    # the first dimension first, as its slices are long contiguous rows
    for place, w in enumerate(windows):
        x = _fold_one(xp, x, w, len(windows) - place, combine)
    return x


def _fold_one(
    xp: ArrayNamespace, x: Array, w: Windows, from_end: int, combine: Callable[..., Any]
) -> Any:
    rest = (slice(None),) * (from_end - 1)

    def part(x: Array, cells: slice) -> Any:
        return x[(..., cells, *rest)]

    if w.size <= _FEW:
        return reduce(combine, (part(x, taps) for taps in w.taps()))
    # combine spans of 1, 2, 4... cells from each cell on; a window is a sequence of such spans
    last, result, start, span = (w.count - 1) * w.stride + 1, None, 0, 1
    while True:
        if w.size & span:
            taken = part(x, slice(start, start + last, w.stride))
            result = taken if result is None else combine(result, taken)
            start += span
        if 2 * span > w.size:
            return result
        x = combine(part(x, slice(None, -span)), part(x, slice(span, None)))
        span *= 2


def _on_xla(
    xp: ArrayNamespace, how: str, x: Array, windows: Sequence[Windows], largest: bool
) -> Any:
    """The result of an operation of XLA on windows, or None where it is not used."""
    if xp.name == "numpy":
        return None
    name, start = ("max", lowest(x.dtype)) if largest else ("add", 0)
    return getattr(xp, how)(x, name, start, [w.size for w in windows], [w.stride for w in windows])


def spread(xp: ArrayNamespace, g: Array, windows: Sequence[Windows]) -> Any:
    """Return, for each cell, the sum of ``g`` over the windows that contain it."""
    whole = _on_xla(xp, "spread_windows", g, windows, largest=False)
    if whole is not None:
        return reframed(xp, whole, [(-w.frame[0], -w.frame[1]) for w in windows], 0)
    for place, w in enumerate(windows):
        g = _spread_one(xp, g, w, g.ndim - len(windows) + place)
    return g


def _spread_one(xp: ArrayNamespace, g: Array, w: Windows, axis: int) -> Any:
    behind = g.ndim - 1 - axis
    out: Any = None
    if xp.name == "numpy":
        if w.size == w.stride:
            out = np.repeat(g, w.size, axis=axis)
        else:
            out = np.zeros((*g.shape[:axis], w.reach, *g.shape[axis + 1 :]), g.dtype)
            for taps in w.taps():
                out[(..., taps, *(slice(None),) * behind)] += g
    else:
        more = w.shifts - 1
        wide = reframed(xp, g, [(more, more)] + [(0, 0)] * behind, 0)
        for shift in range(w.shifts):
            moved = wide[(..., w.blocks_at(shift), *(slice(None),) * behind)]
            block = min(w.stride, w.size - shift * w.stride)
            shape = (*moved.shape[: axis + 1], block, *moved.shape[axis + 1 :])
            one = xp.broadcast_to(xp.expand_dims(moved, axis + 1), shape)
            one = reframed(xp, one, [(0, w.stride - block)] + [(0, 0)] * behind, 0)
            out = one if out is None else out + one
        out = out.reshape(*g.shape[:axis], -1, *g.shape[axis + 1 :])
    edge = (-w.pad, w.pad + w.length - out.shape[axis])
    return reframed(xp, out, [edge] + [(0, 0)] * behind, 0)


def spread_to_largest(
    xp: ArrayNamespace, x: Array, top: Array, g: Array, windows: Sequence[Windows]
) -> Any:
    """Return, for each cell, the sum of ``g`` over the windows whose maximum it equals."""
    if xp.name == "numpy":
        return _spread_by_taps(x, top, g, windows)
    separate = all(w.size <= w.stride for w in windows)
    tops = _on_xla(xp, "spread_windows", top, windows, largest=True) if separate else None
    if tops is not None:
        edges = [w.frame for w in windows]
        hit = reframed(xp, x, edges, lowest(x.dtype)) == tops
        kept = xp.where(hit, _on_xla(xp, "spread_windows", g, windows, largest=False), 0)
        return reframed(xp, kept, [(-before, -after) for before, after in edges], 0)
    # in blocks of one stride, window i - shift covers the first cells of block i
    lead, zero = x.shape[: x.ndim - len(windows)], np.zeros((), x.dtype)
    edges = [(w.pad, w.blocks * w.stride - w.pad - w.length) for w in windows]
    framed = reframed(xp, x, edges, lowest(x.dtype))
    framed = framed.reshape(*lead, *(k for w in windows for k in (w.blocks, w.stride)))
    total: Any = None
    wide = [_for_shifts(xp, v, windows) for v in (top, g)]
    for shifts in product(*[range(w.shifts) for w in windows]):
        places = list(zip(windows, shifts))
        widths = [min(w.stride, w.size - shift * w.stride) for w, shift in places]
        cells = framed[(..., *(k for n in widths for k in (slice(None), slice(n))))]
        tops, gs = (_in_blocks(_shifted_blocks(v, places), len(windows)) for v in wide)
        one = xp.where(cells == tops, gs, zero)
        short = [k for w, n in zip(windows, widths) for k in ((0, 0), (0, w.stride - n))]
        one = reframed(xp, one, short, 0)
        total = one if total is None else total + one
    out = total.reshape(*lead, *(w.blocks * w.stride for w in windows))
    return reframed(xp, out, [(-before, -after) for before, after in edges], 0)


def _spread_by_taps(x: Array, top: Array, g: Array, windows: Sequence[Windows]) -> Any:
    edges = [w.frame for w in windows]
    framed = reframed(numpy_xp, x, edges, lowest(x.dtype))
    out = np.zeros(framed.shape, x.dtype)
    separate = all(w.size <= w.stride for w in windows)
    for at in _all_taps(windows):
        kept = _kept(g, framed[at] == top)
        if separate:
            out[at] = kept
        else:
            out[at] += kept
    return np.ascontiguousarray(reframed(numpy_xp, out, [(-b, -a) for b, a in edges], 0))


def _kept(g: Array, mask: Array) -> Any:
    """Return ``g`` where the mask is true, else 0; by its bits, to avoid branch mispredictions."""
    if g.dtype.kind == "c":
        return np.where(mask, g, np.zeros((), g.dtype))
    bits = f"i{g.dtype.itemsize}"
    return (g.view(bits) & -mask.astype(bits)).view(g.dtype)


def gather_from_largest(
    xp: ArrayNamespace, x: Array, top: Array, dx: Array, windows: Sequence[Windows]
) -> Any:
    """Return, for each window, the sum of ``dx`` over the cells where ``x`` is the maximum."""
    edges = [w.frame for w in windows]
    x = reframed(xp, x, edges, lowest(x.dtype))
    dx = reframed(xp, dx, edges, 0)
    zero = np.zeros((), dx.dtype)
    return reduce(xp.add, (xp.where(x[at] == top, dx[at], zero) for at in _all_taps(windows)))


def _all_taps(windows: Sequence[Windows]) -> Iterator[tuple[Any, ...]]:
    for taps in product(*[w.taps() for w in windows]):
        yield (..., *taps)


def _for_shifts(xp: ArrayNamespace, v: Array, windows: Sequence[Windows]) -> Any:
    """Pad values per window with zeros for windows outside the range."""
    return reframed(xp, v, [(w.shifts - 1, w.shifts - 1) for w in windows], 0)


def _shifted_blocks(wide: Array, places: Sequence[tuple[Windows, int]]) -> Any:
    """Return one value per block: that of the window ``shift`` blocks before it."""
    return wide[(..., *(w.blocks_at(shift) for w, shift in places))]


def _in_blocks(v: Array, n: int) -> Any:
    """Add, after each of the ``n`` block dimensions, a dimension for the cells of a block."""
    return v[(..., *(k for _ in range(n) for k in (slice(None), None)))]
