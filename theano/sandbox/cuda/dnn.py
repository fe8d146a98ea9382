"""cuDNN: absent; its functions compute by those of theano.tensor."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.legacy.cudnn: GpuDnnConv GpuDnnConvDesc GpuDnnConvGradI GpuDnnConvGradW
        GpuDnnSoftmax dnn_available dnn_batch_normalization_test dnn_batch_normalization_train
        dnn_conv dnn_conv3d dnn_pool dnn_present version GpuDnnConv3d=GpuDnnConv
        GpuDnnConv3dGradI=GpuDnnConvGradI GpuDnnConv3dGradW=GpuDnnConvGradW
    theano._src.legacy.gpu: gpu_alloc_empty gpu_contiguous
    """,
)
