"""Batch normalization."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.ops.nnet.batchnorm: batch_normalization batch_normalization_test
        batch_normalization_train
    theano._src.ops.nnet.batchnorm_ops: AbstractBatchNormInference AbstractBatchNormTrain
        AbstractBatchNormTrainGrad
    """,
)
