"""Reading arrays from files."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ops.meta.disk import LoadFromDisk as LoadFromDisk, load as load

__getattr__ = _module_getattr(__name__)
