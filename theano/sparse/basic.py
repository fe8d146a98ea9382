"""Sparse matrices, not built yet."""

from theano._src.ground.absent import module_getattr
from theano._src.types.sparse import SparseType, SparseVariable

__getattr__ = module_getattr(__name__)
