"""Moves to the GPU and back: variables themselves; and what kernels derive from."""

from theano._src.ground.absent import module_getattr
from theano._src.legacy.gpu import (
    CGpuKernelBase,
    GpuAllocEmpty,
    GpuContiguous,
    GpuEye,
    GpuFromHost,
    GpuKernelBase,
    HostFromGpu,
    Kernel,
    as_gpuarray_variable,
    gpu_alloc_empty,
    gpu_contiguous,
    gpu_from_host,
    gpuarray_helper_inc_dir,
    host_from_gpu,
    infer_context_name,
)

__getattr__ = module_getattr(__name__)
