"""Moves to the GPU and back: variables themselves; and what kernels derive from."""

from theano._src.engines.gpu import (
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
from theano._src.ground.absent import absent_names

__getattr__ = absent_names(__name__)
