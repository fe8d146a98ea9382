"""Assign shapes to layers, and order each layer: medians of neighbours, then exchanges.

The method of Sugiyama, Tagawa and Toda (1981), without the weights of Gansner et al. (1993):
sources are directly above their first reader, an edge has a vertex in each layer that it passes,
and layers are ordered alternately from above and from below.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

_SWEEPS = 16
_ROUNDS = 4  # of exchanges of neighbours
_CAREFUL = 3000  # vertices up to which neighbours are exchanged

Edge = tuple[int, int]


@dataclass(slots=True)
class Block:
    """A connected component: its layers, each from left to right, and each vertex's targets.

    Vertices numbered from the number of shapes on represent an edge in a layer that it passes.
    """

    layers: list[list[int]]
    below: dict[int, list[int]] = field(default_factory=dict)


def blocks_of(n: int, edges: Sequence[Edge]) -> list[Block]:
    """Return the connected components in ordered layers; edges go from lower to higher numbers."""
    rank = _ranks(n, edges)
    blocks: list[Block] = []
    for vertices, own in _components(n, edges):
        block = _block(vertices, own, rank, n)
        _order(block)
        blocks.append(block)
    return blocks


def _ranks(n: int, edges: Sequence[Edge]) -> list[int]:
    """Return layer numbers: vertices below all their inputs, sources just above a reader."""
    rank, is_read = [0] * n, [False] * n
    for s, t in sorted(edges, key=lambda edge: edge[1]):
        rank[t] = max(rank[t], rank[s] + 1)
        is_read[t] = True
    nearest: dict[int, int] = {}
    for s, t in edges:
        if not is_read[s]:
            nearest[s] = min(nearest.get(s, rank[t]), rank[t])
    for s, below in nearest.items():
        rank[s] = below - 1
    return rank


def _components(n: int, edges: Sequence[Edge]) -> list[tuple[list[int], list[Edge]]]:
    near: list[list[int]] = [[] for _ in range(n)]
    for s, t in edges:
        near[s].append(t)
        near[t].append(s)
    home = [-1] * n
    parts: list[tuple[list[int], list[Edge]]] = []
    for first in range(n):
        if home[first] >= 0:
            continue
        home[first] = len(parts)
        result, waiting = [], [first]
        while waiting:
            v = waiting.pop()
            result.append(v)
            for u in near[v]:
                if home[u] < 0:
                    home[u] = len(parts)
                    waiting.append(u)
        parts.append((result, []))
    for s, t in edges:
        parts[home[s]][1].append((s, t))
    return parts


def _block(vertices: list[int], edges: Sequence[Edge], rank: Sequence[int], n: int) -> Block:
    first = min(rank[v] for v in vertices)
    layers: list[list[int]] = [[] for _ in range(max(rank[v] for v in vertices) - first + 1)]
    for v in vertices:  # in traversal order, which keeps neighbours together
        layers[rank[v] - first].append(v)
    block = Block(layers)
    new = n
    for s, t in edges:
        at = s
        for layer in range(rank[s] + 1 - first, rank[t] - first):
            layers[layer].append(new)
            block.below.setdefault(at, []).append(new)
            at, new = new, new + 1
        block.below.setdefault(at, []).append(t)
    return block


class _Order:
    """Positions in layers, and the resulting crossings."""

    def __init__(self, block: Block) -> None:
        self.layers = block.layers
        self.below = block.below
        self.above: dict[int, list[int]] = {}
        for s, targets in block.below.items():
            for t in targets:
                self.above.setdefault(t, []).append(s)
        self.place = {v: i for row in block.layers for i, v in enumerate(row)}

    def sweep(self, down: bool) -> None:
        """Sort each layer by the medians of its vertices' neighbours in the one before."""
        near = self.above if down else self.below
        place = self.place
        for row in self.layers[1:] if down else self.layers[-2::-1]:
            at = {v: _median([place[u] for u in near.get(v, ())], place[v]) for v in row}
            row.sort(key=at.__getitem__)
            place.update({v: i for i, v in enumerate(row)})

    def exchange(self) -> bool:
        """Exchange neighbours where that saves crossings; return whether any were exchanged."""
        saved = False
        for row in self.layers:
            for i in range(len(row) - 1):
                u, v = row[i], row[i + 1]
                now, then = (
                    sum(self._crossings(a, b, near) for near in (self.above, self.below))
                    for a, b in ((u, v), (v, u))
                )
                if then < now:
                    row[i], row[i + 1] = v, u
                    self.place[u], self.place[v] = i + 1, i
                    saved = True
        return saved

    def _crossings(self, left: int, right: int, near: dict[int, list[int]]) -> int:
        """Count the crossings between the edges of two neighbours in this order."""
        others = sorted(self.place[b] for b in near.get(right, ()))
        return sum(bisect_left(others, self.place[a]) for a in near.get(left, ()))

    def crossings(self) -> int:
        total = 0
        for upper, _ in pairwise(self.layers):
            seen: list[int] = []
            for s in upper:
                ends = sorted(self.place[t] for t in self.below.get(s, ()))
                total += sum(len(seen) - bisect_right(seen, end) for end in ends)
                for end in ends:
                    insort(seen, end)
        return total


def _median(places: list[int], otherwise: float) -> float:
    if not places:
        return otherwise
    places.sort()
    half = len(places) // 2
    return places[half] if len(places) % 2 else (places[half - 1] + places[half]) / 2


def _order(block: Block) -> None:
    """Order the layers of a block by sweeps and exchanges; keep the fewest crossings."""
    if len(block.layers) < 2:
        return
    order = _Order(block)
    careful = len(order.place) <= _CAREFUL
    best, fewest = [row[:] for row in order.layers], order.crossings()
    for k in range(_SWEEPS):
        order.sweep(down=k % 2 == 0)
        for _ in range(_ROUNDS if careful else 0):
            if not order.exchange():
                break
        result = order.crossings()
        if result < fewest:
            best, fewest = [row[:] for row in order.layers], result
        if not fewest:
            break
    block.layers[:] = best
