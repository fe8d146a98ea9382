# Written by tools/stubs.py from bn.py: change that file.
from theano._src.ops.nnet.batchnorm import (
    batch_normalization as batch_normalization,
    batch_normalization_test as batch_normalization_test,
    batch_normalization_train as batch_normalization_train,
)
from theano._src.ops.nnet.batchnorm_ops import (
    AbstractBatchNormInference as AbstractBatchNormInference,
    AbstractBatchNormTrain as AbstractBatchNormTrain,
    AbstractBatchNormTrainGrad as AbstractBatchNormTrainGrad,
)
