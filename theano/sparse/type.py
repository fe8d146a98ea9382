"""The type of sparse matrices."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.types.sparse import SparseType as SparseType, SparseVariable as SparseVariable

__getattr__ = _module_getattr(__name__)
