"""Hashes of values, and shapes of graphs."""

from theano._src.ground.utils import hash_from_dict, hash_from_ndarray

__all__ = ["hash_from_dict", "hash_from_ndarray"]
