"""The type of sparse matrices, not built yet."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.types.sparse import SparseType as SparseType

__getattr__ = _module_getattr(__name__)
