"""cuDNN at its first path."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano.gpuarray.dnn: GpuDnnConv GpuDnnConvDesc GpuDnnConvGradI GpuDnnConvGradW GpuDnnSoftmax
        dnn_available dnn_batch_normalization_test dnn_batch_normalization_train dnn_conv
        dnn_conv3d dnn_pool dnn_present version
    """,
)
