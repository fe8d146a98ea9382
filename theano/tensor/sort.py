"""Sorting."""

from theano._src.ops.arrays.sort import (
    ArgSortOp,
    SortOp,
    TopKOp,
    argsort,
    argtopk,
    sort,
    topk,
    topk_and_argtopk,
)

__all__ = [
    "ArgSortOp",
    "SortOp",
    "TopKOp",
    "argsort",
    "argtopk",
    "sort",
    "topk",
    "topk_and_argtopk",
]
