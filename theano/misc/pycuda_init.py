"""PyCUDA: not used."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.legacy.gpu: pycuda_available")
