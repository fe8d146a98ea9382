"""Checkpoints: the values of shared variables in files, whole even after a crash."""

from theano._src.ground.public import public as _public

__getattr__ = _public(__name__, "theano._src.engines.mesh.checkpoint: latest load save")
