"""NVIDIA's compiler: not used."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    "theano._src.legacy.gpu: NVCC_compiler add_standard_rpath is_nvcc_available rpath_defaults",
)
