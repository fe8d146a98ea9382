"""Variables on GPUs: there are none."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    """
    theano._src.legacy.gpu: CudaNdarrayConstant CudaNdarraySharedVariable CudaNdarrayVariable
    theano._src.legacy.gpu_shared: float32_shared_constructor
    """,
)
