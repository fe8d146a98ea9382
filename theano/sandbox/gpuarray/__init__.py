"""The gpuarray back-end, where it stood at first."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano.gpuarray import (
    GpuArrayType as GpuArrayType,
    as_gpuarray_variable as as_gpuarray_variable,
    basic_ops as basic_ops,
    blas as blas,
    get_context as get_context,
    opt as opt,
    pool as pool,
    pygpu_activated as pygpu_activated,
    type as type,
    use as use,
)
from theano.sandbox.gpuarray import dnn as dnn

__getattr__ = _module_getattr(__name__)
