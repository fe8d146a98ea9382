"""Sparse matrices, not built yet."""

from theano._src.ground.absent import absent_names
from theano._src.types.sparse import SparseType, SparseVariable

__getattr__ = absent_names(__name__)
