"""Loops of the simplest kinds."""

from theano._src.control.scan.folds import (
    foldl as foldl,
    foldr as foldr,
    map as map,
    reduce as reduce,
)
from theano._src.ground.absent import module_getattr as _module_getattr

__getattr__ = _module_getattr(__name__)
