"""The lock of config.compiledir."""

from theano._src.ground.public import public as _public

__getattr__ = _public(
    __name__,
    "theano._src.ground.compilelock: force_unlock get_lock lock_ctx release_lock set_lock_status",
)
