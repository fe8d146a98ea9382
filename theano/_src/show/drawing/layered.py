"""Layout without Graphviz: coordinates and routes from ordered layers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from theano._src.show.drawing.layers import Block, blocks_of

Point = tuple[float, float]

_BETWEEN, _ABOVE = 22.0, 44.0  # between neighbours in a layer, and between layers
_ROAD = 10.0  # the width of an edge that passes a layer
_SPANS = 20_000  # layers that edges may pass in total; beyond, the longest are drawn straight
_SWEEPS = 8
_CAREFUL = 800  # up to this many shapes, all sweeps are made; beyond, half of them


@dataclass(slots=True)
class Placement:
    """The coordinates of shapes and edges.

    Attributes
    ----------
    centres : list of points
    routes : list of lists of points
        For each edge, the points of a chain of Bézier curves: one, and three more for each curve.
    width, height : float
    """

    centres: list[Point]
    routes: list[list[Point]]
    width: float = 0.0
    height: float = 0.0


def layered(sizes: Sequence[Point], edges: Sequence[tuple[int, int]]) -> Placement:
    """Place shapes of given sizes; each edge goes from a lower number to a higher one."""
    long = _long_edges(len(sizes), edges)
    short = list(dict.fromkeys((s, t) for s, t in edges if (s, t) not in long))
    return _Roads(sizes, edges, blocks_of(len(sizes), short)).placement()


def _long_edges(n: int, edges: Sequence[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return the longest edges, for which a vertex in each passed layer would be too many."""
    rank = [0] * n
    for s, t in sorted(edges, key=lambda edge: edge[1]):
        rank[t] = max(rank[t], rank[s] + 1)
    spans = sorted({(rank[t] - rank[s] - 1, s, t) for s, t in edges})
    total = 0
    for k, (span, _, _) in enumerate(spans):
        total += span
        if total > _SPANS:
            return {(s, t) for _, s, t in spans[k:]}
    return set()


class _Roads:
    """Places the vertices of each block and the blocks side by side, and routes the edges."""

    def __init__(
        self, sizes: Sequence[Point], edges: Sequence[tuple[int, int]], blocks: list[Block]
    ) -> None:
        self.sizes, self.edges, self.blocks = sizes, edges, blocks
        self.n = len(sizes)
        # one dict per block: vertices that represent an edge are numbered anew in each
        self.x: list[dict[int, float]] = []
        self.tops: list[dict[int, tuple[float, float]]] = []
        self.home = {v: k for k, b in enumerate(blocks) for row in b.layers for v in row}

    def width_of(self, v: int) -> float:
        return self.sizes[v][0] if v < self.n else _ROAD

    def placement(self) -> Placement:
        centres: list[Point] = [(0.0, 0.0)] * self.n
        across = down = row_height = most = 0.0
        widths = []
        for block in self.blocks:
            self.x.append(_across(block, self.width_of, self.n))
            widths.append(self._span(block, self.x[-1]))
        limit = max([1400.0, *(right - left for left, right in widths)])
        for block, x, (left, right) in zip(self.blocks, self.x, widths):
            if across and across + right - left > limit:
                across, down, row_height = 0.0, down + row_height + _ABOVE, 0.0
            tops: dict[int, tuple[float, float]] = {}
            y = down
            for row in block.layers:
                high = max((self.sizes[v][1] for v in row if v < self.n), default=0.0)
                for v in row:
                    x[v] += across - left
                    tops[v] = (y, y + high)
                    if v < self.n:
                        centres[v] = (x[v], y + high / 2)
                y += high + _ABOVE
            self.tops.append(tops)
            row_height = max(row_height, y - _ABOVE - down)
            across += right - left + 2 * _BETWEEN
            most = max(most, across - 2 * _BETWEEN)
        routes = self._routes(centres)
        return Placement(centres, routes, most, down + row_height)

    def _span(self, block: Block, x: dict[int, float]) -> tuple[float, float]:
        left = min(x[v] - self.width_of(v) / 2 for row in block.layers for v in row)
        right = max(x[v] + self.width_of(v) / 2 for row in block.layers for v in row)
        return left, right

    def _passed(self) -> dict[tuple[int, int], list[int]]:
        """Return the vertices that each edge passes."""
        result: dict[tuple[int, int], list[int]] = {}
        for block in self.blocks:
            for row in block.layers:
                for s in row:
                    if s >= self.n:
                        continue
                    for t in block.below.get(s, ()):
                        way = []
                        while t >= self.n:
                            way.append(t)
                            (t,) = block.below[t]
                        result[s, t] = way
        return result

    def _routes(self, centres: list[Point]) -> list[list[Point]]:
        passed = self._passed()
        ways: list[list[Point]] = []
        for s, t in self.edges:
            way: list[Point] = []
            k = self.home[s]
            for v in passed.get((s, t), ()):
                top, bottom = self.tops[k][v]
                way += [(self.x[k][v], top), (self.x[k][v], bottom)]
            ways.append(way)
        starts = _ports(self.sizes, centres, self.edges, ways, 0)
        ends = _ports(self.sizes, centres, self.edges, ways, 1)
        # edges are straight within the layer of a shape: a neighbour may be taller
        leave = [(x, self.tops[self.home[s]][s][1]) for (x, _), (s, _) in zip(starts, self.edges)]
        enter = [(x, self.tops[self.home[t]][t][0]) for (x, _), (_, t) in zip(ends, self.edges)]
        rows = zip(starts, leave, ways, enter, ends)
        return [_curve(_distinct([a, b, *way, c, d])) for a, b, way, c, d in rows]


def _across(block: Block, width_of: Any, n: int) -> dict[int, float]:
    """Return horizontal positions near the neighbours', in layer order, without overlaps."""
    above: dict[int, list[int]] = {}
    for s, targets in block.below.items():
        for t in targets:
            above.setdefault(t, []).append(s)
    x: dict[int, float] = {}
    for row in block.layers:
        at = 0.0
        for v in row:
            x[v] = at + width_of(v) / 2
            at += width_of(v) + _gap(v, n)
        shift = at / 2
        x.update({v: x[v] - shift for v in row})
    rows = block.layers
    sweeps = _SWEEPS if n <= _CAREFUL else _SWEEPS // 2
    for sweep in range(sweeps):
        near, ordered = (above, rows) if sweep % 2 == 0 else (block.below, rows[::-1])
        if sweep == sweeps - 1:
            both = {v: [*above.get(v, ()), *block.below.get(v, ())] for row in rows for v in row}
            near = both
        for row in ordered:
            _settle(row, near, x, width_of, n)
    return x


def _gap(v: int, n: int) -> float:
    return _BETWEEN if v < n else _BETWEEN / 2


def _settle(
    row: list[int], near: dict[int, list[int]], x: dict[int, float], width_of: Any, n: int
) -> None:
    """Move a layer to the means of its neighbours, as near as order and distances allow.

    After subtracting the minimal distances, positions must be non-decreasing: isotonic regression,
    by pooling adjacent violators.
    """
    offset = 0.0
    pools: list[list[float]] = []  # mean, weight, count
    offsets = []
    for k, v in enumerate(row):
        if k:
            left = row[k - 1]
            offset += (width_of(left) + width_of(v)) / 2 + max(_gap(left, n), _gap(v, n))
        offsets.append(offset)
        beside = near.get(v, ())
        wanted = sum(x[u] for u in beside) / len(beside) if beside else x[v]
        # passing edges stay straight, shapes without neighbours give way
        weight = 6.0 if v >= n else 1.0 if beside else 0.05
        pools.append([wanted - offset, weight, 1])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            mean, weight, count = pools.pop()
            last = pools[-1]
            whole = last[1] + weight
            last[0] = (last[0] * last[1] + mean * weight) / whole
            last[1] = whole
            last[2] += count
    k = 0
    for mean, _, count in pools:
        for _ in range(int(count)):
            x[row[k]] = mean + offsets[k]
            k += 1


def _ports(
    sizes: Sequence[Point],
    centres: Sequence[Point],
    edges: Sequence[tuple[int, int]],
    ways: Sequence[list[Point]],
    end: int,
) -> list[Point]:
    """Return the points where edges leave or reach shapes, side by side, sorted by direction."""
    at: dict[int, list[tuple[float, int]]] = {}
    for k, edge in enumerate(edges):
        way = ways[k]
        towards = way[-end][0] if way else centres[edge[1 - end]][0]
        at.setdefault(edge[end], []).append((towards, k))
    points: list[Point] = [(0.0, 0.0)] * len(edges)
    for v, ends in at.items():
        (x, y), (wide, high) = centres[v], sizes[v]
        step = min(16.0, (wide - 16.0) / len(ends))
        left = x - step * (len(ends) - 1) / 2
        for i, (_, k) in enumerate(sorted(ends)):
            points[k] = (left + i * step, y + high / 2 * (1 - 2 * end))
    return points


def _distinct(points: list[Point]) -> list[Point]:
    return [p for k, p in enumerate(points) if k == 0 or p != points[k - 1]]


def _curve(points: list[Point]) -> list[Point]:
    """Return a chain of curves through points, vertical at each of them."""
    chain = [points[0]]
    for (x0, y0), (x1, y1) in pairwise(points):
        bend = (y1 - y0) / 2
        chain += [(x0, y0 + bend), (x1, y1 - bend), (x1, y1)]
    return chain
