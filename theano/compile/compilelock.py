"""The lock of config.compiledir."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.ground.compilelock: force_unlock lock_ctx")
