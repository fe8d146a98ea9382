"""cuDNN: absent; its functions compute by those of theano.tensor."""

from theano._src.ground.absent import module_getattr
from theano._src.legacy.cudnn import (
    GpuDnnConv,
    GpuDnnConv as GpuDnnConv3d,
    GpuDnnConvDesc,
    GpuDnnConvGradI,
    GpuDnnConvGradI as GpuDnnConv3dGradI,
    GpuDnnConvGradW,
    GpuDnnConvGradW as GpuDnnConv3dGradW,
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
from theano._src.legacy.gpu import gpu_alloc_empty, gpu_contiguous

__getattr__ = module_getattr(__name__)
