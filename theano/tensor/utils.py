"""Hashes of values, and shapes of graphs."""

from theano._src.compile.display.shapes import shape_of_variables as shape_of_variables
from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.ground.utils import (
    hash_from_dict as hash_from_dict,
    hash_from_ndarray as hash_from_ndarray,
)

__getattr__ = _module_getattr(__name__)
