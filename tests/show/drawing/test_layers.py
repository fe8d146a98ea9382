"""Layers of a picture and their order."""

import random

import pytest

from theano._src.show.drawing.layers import _Order, blocks_of


def test_everything_stands_below_what_it_reads_and_sources_right_above_what_reads_them():
    # 0 -> 1 -> 2 -> 3, and 4 is read by 5 alone, which 3 leads to as well
    (block,) = blocks_of(6, [(0, 1), (1, 2), (2, 3), (3, 5), (4, 5)])
    layer = {v: k for k, row in enumerate(block.layers) for v in row}
    assert [layer[v] for v in range(6)] == [0, 1, 2, 3, 3, 4]


def test_an_edge_has_a_vertex_in_each_layer_that_it_passes():
    (block,) = blocks_of(4, [(0, 1), (1, 2), (2, 3), (0, 3)])
    passed = [v for row in block.layers for v in row if v >= 4]
    assert len(passed) == 2
    way = [v for v in block.below[0] if v >= 4]
    while way[-1] >= 4:
        way += block.below[way[-1]]
    assert way == [*passed, 3]


def test_parts_that_nothing_joins_are_blocks_of_their_own():
    blocks = blocks_of(5, [(0, 1), (2, 3)])
    assert sorted(sorted(v for row in b.layers for v in row) for b in blocks) == [
        [0, 1],
        [2, 3],
        [4],
    ]


def test_a_tree_is_drawn_without_crossings():
    rng = random.Random(0)
    for _ in range(20):
        n = 40
        edges = [(v, rng.randrange(v + 1, min(v + 8, n))) for v in range(n - 1)]
        (block,) = blocks_of(n, edges)
        assert _Order(block).crossings() <= 1


@pytest.mark.parametrize("seed", range(5))
def test_the_order_has_far_fewer_crossings_than_a_random_one(seed):
    rng = random.Random(seed)
    n = 120
    edges = sorted({(v, rng.randrange(v + 1, min(v + 9, n))) for v in range(n - 1) for _ in "ab"})
    (block,) = blocks_of(n, edges)
    drawn = _Order(block).crossings()
    for row in block.layers:
        rng.shuffle(row)
    assert drawn < 0.25 * _Order(block).crossings()


def test_crossings_are_counted_edge_by_edge():
    (block,) = blocks_of(6, [(0, 3), (0, 4), (1, 3), (1, 5), (2, 4), (2, 5)])
    order = _Order(block)
    edges = [(order.place[s], order.place[t]) for s in block.below for t in block.below[s]]
    want = sum(a < c and b > d for a, b in edges for c, d in edges)
    assert order.crossings() == want
