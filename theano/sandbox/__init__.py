"""Modules of earlier versions, kept where programs import them from."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano.sandbox: cuda gpuarray")
