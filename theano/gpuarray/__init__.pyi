# Written by tools/stubs.py from __init__.py: change that file.
from theano._src.legacy.gpu import (
    ContextNotDefined as ContextNotDefined,
    GpuArrayConstant as GpuArrayConstant,
    GpuArraySharedVariable as GpuArraySharedVariable,
    GpuArrayType as GpuArrayType,
    GpuArrayVariable as GpuArrayVariable,
    as_gpuarray_variable as as_gpuarray_variable,
    get_context as get_context,
    pygpu_activated as pygpu_activated,
    use as use,
)
from theano.gpuarray import (
    basic_ops as basic_ops,
    blas as blas,
    dnn as dnn,
    fp16_help as fp16_help,
    opt as opt,
    pool as pool,
    subtensor as subtensor,
    type as type,
)
