"""Sorting."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.arrays.sort: ArgSortOp SortOp TopKOp argsort argtopk sort topk
        topk_and_argtopk
    """,
)
