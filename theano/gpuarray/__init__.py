"""The gpuarray back-end: absent, and it says so as programs ask."""

from theano._src.ground.absent import module_getattr
from theano._src.legacy.gpu import (
    ContextNotDefined,
    GpuArrayConstant,
    GpuArraySharedVariable,
    GpuArrayType,
    GpuArrayVariable,
    as_gpuarray_variable,
    get_context,
    pygpu_activated,
    use,
)
from theano.gpuarray import basic_ops, blas, dnn, fp16_help, opt, pool, subtensor, type

__getattr__ = module_getattr(__name__)
