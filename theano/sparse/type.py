"""The type of sparse matrices, not built yet."""

from theano._src.ground.absent import absent_names
from theano._src.types.sparse import SparseType

__getattr__ = absent_names(__name__)
