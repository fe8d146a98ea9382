# Written by tools/stubs.py from __init__.py: change that file.
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
