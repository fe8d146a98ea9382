# Written by tools/stubs.py from var.py: change that file.
from theano._src.legacy.gpu import (
    CudaNdarrayConstant as CudaNdarrayConstant,
    CudaNdarraySharedVariable as CudaNdarraySharedVariable,
    CudaNdarrayVariable as CudaNdarrayVariable,
)
from theano._src.legacy.gpu_shared import float32_shared_constructor as float32_shared_constructor
