# Written by tools/stubs.py from __init__.py: change that file.
from theano._src.legacy.gpu import (
    CudaNdarray as CudaNdarray,
    CudaNdarrayConstant as CudaNdarrayConstant,
    CudaNdarraySharedVariable as CudaNdarraySharedVariable,
    CudaNdarrayType as CudaNdarrayType,
    CudaNdarrayVariable as CudaNdarrayVariable,
    GpuOp as GpuOp,
    as_cuda_ndarray_variable as as_cuda_ndarray_variable,
    cuda_available as cuda_available,
    cuda_enabled as cuda_enabled,
    device_properties as device_properties,
    from_gpu_pointer as from_gpu_pointer,
    gpu_from_host as gpu_from_host,
    host_from_gpu as host_from_gpu,
    mem_info as mem_info,
    pygpu_activated as pygpu_activated,
    register_opt as register_opt,
    synchronize as synchronize,
    unuse as unuse,
    use as use,
)
from theano._src.legacy.gpu_shared import float32_shared_constructor as float32_shared_constructor
from theano.sandbox.cuda import (
    basic_ops as basic_ops,
    blas as blas,
    cuda_ndarray as cuda_ndarray,
    dnn as dnn,
    fftconv as fftconv,
    nvcc_compiler as nvcc_compiler,
    opt as opt,
    type as type,
    var as var,
)
from theano.tensor import (
    fcol as fcol,
    fmatrix as fmatrix,
    frow as frow,
    fscalar as fscalar,
    ftensor3 as ftensor3,
    ftensor4 as ftensor4,
    fvector as fvector,
)

shared_constructor = float32_shared_constructor
