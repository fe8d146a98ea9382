"""Names of the CUDA back-end of Theano 0.7 to 0.9, absent here; programs can test for it."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.legacy.gpu: CudaNdarray CudaNdarrayConstant CudaNdarraySharedVariable
        CudaNdarrayType CudaNdarrayVariable GpuOp as_cuda_ndarray_variable cuda_available
        cuda_enabled device_properties from_gpu_pointer gpu_from_host host_from_gpu mem_info
        pygpu_activated register_opt synchronize unuse use
    theano._src.legacy.gpu_shared: float32_shared_constructor
        shared_constructor=float32_shared_constructor
    theano.sandbox.cuda: basic_ops blas cuda_ndarray dnn fftconv nvcc_compiler opt type var
    theano.tensor: fcol fmatrix frow fscalar ftensor3 ftensor4 fvector
    """,
)
