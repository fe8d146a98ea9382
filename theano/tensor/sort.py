"""Sorting."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ops.arrays.sort import (
    ArgSortOp as ArgSortOp,
    SortOp as SortOp,
    TopKOp as TopKOp,
    argsort as argsort,
    argtopk as argtopk,
    sort as sort,
    topk as topk,
    topk_and_argtopk as topk_and_argtopk,
)

__getattr__ = _module_getattr(__name__)
