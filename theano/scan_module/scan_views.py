"""Loops of the simplest kinds."""

from theano._src.control.scan.folds import foldl, foldr, map, reduce

__all__ = ["foldl", "foldr", "map", "reduce"]
