"""Types, variables and devices of the back-end: there are none."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.legacy.gpu: ContextNotDefined GpuArrayConstant GpuArraySharedVariable
        GpuArrayType GpuArrayVariable GpuContextType get_context gpu_context_type list_contexts
    theano._src.legacy.gpu_shared: gpuarray_shared_constructor
    """,
)
