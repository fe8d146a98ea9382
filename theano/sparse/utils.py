"""A hash of a sparse matrix."""

from theano._src.ground.absent import module_getattr as _module_getattr
from theano._src.types.sparse import hash_from_sparse as hash_from_sparse

__getattr__ = _module_getattr(__name__)
