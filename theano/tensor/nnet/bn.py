"""Batch normalization."""

from theano._src.ops.batchnorm import (
    batch_normalization,
    batch_normalization_test,
    batch_normalization_train,
)

__all__ = ["batch_normalization", "batch_normalization_test", "batch_normalization_train"]
