"""The lock of config.compiledir."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ground.compilelock import force_unlock as force_unlock, lock_ctx as lock_ctx

__getattr__ = _module_getattr(__name__)
