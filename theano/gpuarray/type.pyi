# Written by tools/stubs.py from type.py: change that file.
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
