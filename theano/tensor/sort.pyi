# Written by tools/stubs.py from sort.py: change that file.
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
