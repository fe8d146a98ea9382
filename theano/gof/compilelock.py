"""The lock of config.compiledir."""

from theano._src.ground.compilelock import (
    force_unlock,
    get_lock,
    lock_ctx,
    release_lock,
    set_lock_status,
)

__all__ = ["force_unlock", "get_lock", "lock_ctx", "release_lock", "set_lock_status"]
