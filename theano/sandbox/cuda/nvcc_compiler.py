"""NVIDIA's compiler: not used."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.legacy.gpu import (
    NVCC_compiler as NVCC_compiler,
    add_standard_rpath as add_standard_rpath,
    is_nvcc_available as is_nvcc_available,
    rpath_defaults as rpath_defaults,
)

__getattr__ = _module_getattr(__name__)
