"""The lock of config.compiledir."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ground.compilelock import (
    force_unlock as force_unlock,
    get_lock as get_lock,
    lock_ctx as lock_ctx,
    release_lock as release_lock,
    set_lock_status as set_lock_status,
)

__getattr__ = _module_getattr(__name__)
