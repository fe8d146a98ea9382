# Written by tools/stubs.py from basic_ops.py: change that file.
from theano._src.legacy.gpu import (
    GpuContiguous as GpuContiguous,
    GpuFromHost as GpuFromHost,
    HostFromGpu as HostFromGpu,
    as_cuda_ndarray_variable as as_cuda_ndarray_variable,
    gpu_alloc_empty as gpu_alloc_empty,
    gpu_contiguous as gpu_contiguous,
    gpu_from_host as gpu_from_host,
    host_from_gpu as host_from_gpu,
)
from theano.sandbox.cuda import cuda_ndarray as cuda_ndarray
from theano.tensor import (
    col as col,
    fcol as fcol,
    fmatrix as fmatrix,
    frow as frow,
    fscalar as fscalar,
    ftensor3 as ftensor3,
    ftensor4 as ftensor4,
    fvector as fvector,
    matrix as matrix,
    row as row,
    scalar as scalar,
    tensor3 as tensor3,
    tensor4 as tensor4,
    vector as vector,
)
