"""Names of the gpuarray back-end, which does not exist here; programs can test for it."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.legacy.gpu: ContextNotDefined GpuArrayConstant GpuArraySharedVariable
        GpuArrayType GpuArrayVariable as_gpuarray_variable get_context pygpu_activated use
    theano.gpuarray: basic_ops blas dnn fp16_help opt pool subtensor type
    """,
)
