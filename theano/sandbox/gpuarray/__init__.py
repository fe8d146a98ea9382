"""The gpuarray back-end at its first path."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano.gpuarray: GpuArrayType as_gpuarray_variable basic_ops blas get_context opt pool
        pygpu_activated type use
    theano.sandbox.gpuarray: dnn
    """,
)
