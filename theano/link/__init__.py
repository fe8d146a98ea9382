"""Linkers, under the names of Theano-PyMC; theano.gof has the same."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano.link: basic c utils vm")
