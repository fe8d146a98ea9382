"""NVIDIA's compiler: not used."""

from theano._src.ground.absent import module_getattr
from theano._src.legacy.gpu import (
    NVCC_compiler,
    add_standard_rpath,
    is_nvcc_available,
    rpath_defaults,
)

__getattr__ = module_getattr(__name__)
