# Written by tools/stubs.py from dnn.py: change that file.
from theano.gpuarray.dnn import (
    GpuDnnConv as GpuDnnConv,
    GpuDnnConvDesc as GpuDnnConvDesc,
    GpuDnnConvGradI as GpuDnnConvGradI,
    GpuDnnConvGradW as GpuDnnConvGradW,
    GpuDnnSoftmax as GpuDnnSoftmax,
    dnn_available as dnn_available,
    dnn_batch_normalization_test as dnn_batch_normalization_test,
    dnn_batch_normalization_train as dnn_batch_normalization_train,
    dnn_conv as dnn_conv,
    dnn_conv3d as dnn_conv3d,
    dnn_pool as dnn_pool,
    dnn_present as dnn_present,
    version as version,
)
