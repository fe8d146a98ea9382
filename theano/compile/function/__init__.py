"""theano.function."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.compile.function: function function_dump")
