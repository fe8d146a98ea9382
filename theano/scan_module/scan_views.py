"""Loops of the simplest kinds."""

from theano._src.control.scan.folds import (
    foldl as foldl,
    foldr as foldr,
    map as map,
    reduce as reduce,
)
