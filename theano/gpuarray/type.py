"""Types, variables and devices of the back-end: there are none."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.legacy.gpu import (
    ContextNotDefined as ContextNotDefined,
    GpuArrayConstant as GpuArrayConstant,
    GpuArraySharedVariable as GpuArraySharedVariable,
    GpuArrayType as GpuArrayType,
    GpuArrayVariable as GpuArrayVariable,
    GpuContextType as GpuContextType,
    get_context as get_context,
    gpu_context_type as gpu_context_type,
    list_contexts as list_contexts,
)
from theano._src.legacy.gpu_shared import gpuarray_shared_constructor as gpuarray_shared_constructor

__getattr__ = _module_getattr(__name__)
