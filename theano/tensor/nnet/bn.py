"""Batch normalization."""

from theano._src.ops.nnet.batchnorm import (
    batch_normalization,
    batch_normalization_test,
    batch_normalization_train,
)
from theano._src.ops.nnet.batchnorm_ops import (
    AbstractBatchNormInference,
    AbstractBatchNormTrain,
    AbstractBatchNormTrainGrad,
)

__all__ = [
    "AbstractBatchNormInference",
    "AbstractBatchNormTrain",
    "AbstractBatchNormTrainGrad",
    "batch_normalization",
    "batch_normalization_test",
    "batch_normalization_train",
]
