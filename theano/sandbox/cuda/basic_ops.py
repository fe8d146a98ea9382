"""Moves to the GPU and back: variables themselves."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.legacy.gpu: GpuContiguous GpuFromHost HostFromGpu as_cuda_ndarray_variable
        gpu_alloc_empty gpu_contiguous gpu_from_host host_from_gpu
    theano.sandbox.cuda: cuda_ndarray
    theano.tensor: col fcol fmatrix frow fscalar ftensor3 ftensor4 fvector matrix row scalar
        tensor3 tensor4 vector
    """,
)
