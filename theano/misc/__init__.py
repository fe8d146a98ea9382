"""Examples and helpers."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__)
