"""Types, variables and devices of the back-end: there are none."""

from theano._src.ground.absent import module_getattr
from theano._src.legacy.gpu import (
    ContextNotDefined,
    GpuArrayConstant,
    GpuArraySharedVariable,
    GpuArrayType,
    GpuArrayVariable,
    get_context,
    gpu_context_type,
    list_contexts,
)
from theano._src.legacy.gpu_shared import gpuarray_shared_constructor

__getattr__ = module_getattr(__name__)
