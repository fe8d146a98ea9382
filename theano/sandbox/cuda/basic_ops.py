"""Moves to the GPU and back: variables themselves."""

from theano._src.ground.absent import module_getattr
from theano._src.legacy.gpu import (
    GpuContiguous,
    GpuFromHost,
    HostFromGpu,
    as_cuda_ndarray_variable,
    gpu_alloc_empty,
    gpu_contiguous,
    gpu_from_host,
    host_from_gpu,
)
from theano.sandbox.cuda import cuda_ndarray
from theano.tensor import (
    col,
    fcol,
    fmatrix,
    frow,
    fscalar,
    ftensor3,
    ftensor4,
    fvector,
    matrix,
    row,
    scalar,
    tensor3,
    tensor4,
    vector,
)

__getattr__ = module_getattr(__name__)
