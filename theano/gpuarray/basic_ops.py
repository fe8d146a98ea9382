"""Moves to the GPU and back: variables themselves; and what kernels derive from."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.graph.c_op: HideC
    theano._src.legacy.gpu: CGpuKernelBase GpuAllocEmpty GpuContiguous GpuEye GpuFromHost
        GpuKernelBase HostFromGpu Kernel as_gpuarray_variable gpu_alloc_empty gpu_contiguous
        gpu_from_host gpuarray_helper_inc_dir host_from_gpu infer_context_name
    """,
)
