"""Arrays of gnumpy: there are none."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.legacy.gpu import (
    cudandarray_to_garray as cudandarray_to_garray,
    garray_to_cudandarray as garray_to_cudandarray,
)

__getattr__ = _module_getattr(__name__)
