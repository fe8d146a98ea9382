"""cuDNN, where it stood at first."""

from theano._src.ground.absent import module_getattr
from theano.gpuarray.dnn import (
    GpuDnnConv,
    GpuDnnConvDesc,
    GpuDnnConvGradI,
    GpuDnnConvGradW,
    GpuDnnSoftmax,
    dnn_available,
    dnn_batch_normalization_test,
    dnn_batch_normalization_train,
    dnn_conv,
    dnn_conv3d,
    dnn_pool,
    dnn_present,
    version,
)

__getattr__ = module_getattr(__name__)
