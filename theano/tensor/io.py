"""Reading arrays from files."""

from theano._src.ground.absent import module_getattr
from theano._src.ops.meta.disk import LoadFromDisk, load

__all__ = [
    "LoadFromDisk",
    "load",
]

__getattr__ = module_getattr(__name__)
