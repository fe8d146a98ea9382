"""The gpuarray back-end, where it stood at first."""

from theano._src.ground.absent import absent_names
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

__getattr__ = absent_names(__name__)
