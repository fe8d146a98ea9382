"""Loops of the simplest kinds."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.control.scan.folds: foldl foldr map reduce")
