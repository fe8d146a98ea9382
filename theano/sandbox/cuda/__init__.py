"""The CUDA back-end of Theano 0.7 to 0.9: absent, and it says so as programs ask."""

from theano._src.ground.absent import module_getattr
from theano._src.legacy.gpu import (
    CudaNdarray,
    CudaNdarrayConstant,
    CudaNdarraySharedVariable,
    CudaNdarrayType,
    CudaNdarrayVariable,
    GpuOp,
    active_device_name,
    active_device_number,
    as_cuda_ndarray_variable,
    cuda_available,
    cuda_enabled,
    device_properties,
    from_gpu_pointer,
    gpu_from_host,
    host_from_gpu,
    mem_info,
    pygpu_activated,
    register_opt,
    synchronize,
    unuse,
    use,
)
from theano._src.legacy.gpu_shared import (
    float32_shared_constructor,
    float32_shared_constructor as shared_constructor,
)
from theano.sandbox.cuda import (
    basic_ops,
    blas,
    cuda_ndarray,
    dnn,
    fftconv,
    nvcc_compiler,
    opt,
    type,
    var,
)
from theano.tensor import fcol, fmatrix, frow, fscalar, ftensor3, ftensor4, fvector

__getattr__ = module_getattr(__name__)
