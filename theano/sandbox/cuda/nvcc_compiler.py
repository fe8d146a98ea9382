"""NVIDIA's compiler: not used."""

from theano._src.engines.gpu import (
    NVCC_compiler,
    add_standard_rpath,
    is_nvcc_available,
    rpath_defaults,
)
from theano._src.ground.absent import absent_names

__getattr__ = absent_names(__name__)
