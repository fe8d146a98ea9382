"""The gpuarray back-end, where it stood at first."""

from theano._src.ground.absent import module_getattr
from theano.gpuarray import (
    GpuArrayType,
    as_gpuarray_variable,
    basic_ops,
    blas,
    get_context,
    opt,
    pool,
    pygpu_activated,
    type,
    use,
)
from theano.sandbox.gpuarray import dnn

__getattr__ = module_getattr(__name__)
