# Written by tools/stubs.py from basic_ops.py: change that file.
from theano._src.graph.c_op import HideC as HideC
from theano._src.legacy.gpu import (
    CGpuKernelBase as CGpuKernelBase,
    GpuAllocEmpty as GpuAllocEmpty,
    GpuContiguous as GpuContiguous,
    GpuEye as GpuEye,
    GpuFromHost as GpuFromHost,
    GpuKernelBase as GpuKernelBase,
    HostFromGpu as HostFromGpu,
    Kernel as Kernel,
    as_gpuarray_variable as as_gpuarray_variable,
    gpu_alloc_empty as gpu_alloc_empty,
    gpu_contiguous as gpu_contiguous,
    gpu_from_host as gpu_from_host,
    gpuarray_helper_inc_dir as gpuarray_helper_inc_dir,
    host_from_gpu as host_from_gpu,
    infer_context_name as infer_context_name,
)
