"""Checkpoints: the values of shared variables in files, whole even after a crash."""

from theano._src.engines.mesh.checkpoint import (
    latest as latest,
    load as load,
    save as save,
)
from theano._src.ground.absent import module_getattr as _module_getattr

__getattr__ = _module_getattr(__name__)
