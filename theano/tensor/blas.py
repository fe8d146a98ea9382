"""Products of batches."""

from theano._src.ops.dot import BatchedDot

__all__ = [
    "BatchedDot",
]
